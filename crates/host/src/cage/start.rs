//! The host's side of a launch: hands the order over and waits until the bot runs.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    socketpair, sockopt,
};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::cgroup::{Group, GroupEnds, GroupPool};
use super::launcher_client::{Ends, LOST, PATIENCE};
use super::namespace_cage::{KeptAs, NamespaceCage};
use super::order::{BuildStep, CageOrder, LaunchWord, Walls};
use super::template::{IfItFails, Template, Templates};
use super::template_order::CageChoice;
use crate::process::run_processes::RunProcesses;
use crate::process_wide::CHILDREN;

/// A bot that has just been started.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) bot: Pid,
    /// Its cage, if that has namespaces.
    pub(crate) cage: Option<NamespaceCage>,
    /// The folder in memory that its cage has for a file, if it has one.
    pub(crate) room: Option<OwnedFd>,
    /// Where it announces its processes, if the host is to count them.
    pub(crate) announcements: Option<OwnedFd>,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Why a bot could not be started in a cage.
#[derive(Debug)]
pub(crate) enum StartRefused {
    /// The launcher could not be started or did not answer.
    Launcher(io::Error),
    /// The launcher failed at this step with this error of the system.
    Cage { step: BuildStep, errno: i32 },
}

impl std::fmt::Display for StartRefused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartRefused::Launcher(error) => write!(f, "cannot start the launcher: {error}"),
            StartRefused::Cage { step, errno } => {
                let error = io::Error::from_raw_os_error(*errno);
                write!(f, "cannot {}: {error}", step.what())
            }
        }
    }
}

impl<E: Into<io::Error>> From<E> for StartRefused {
    fn from(error: E) -> StartRefused {
        StartRefused::Launcher(error.into())
    }
}

/// How a bot is started in a cage.
pub(crate) struct CagedStart<'a> {
    /// The path of this program.
    pub(crate) exe: &'a Path,
    /// What all cages of the template have in common.
    pub(crate) common: &'a CageOrder,
    pub(crate) order: &'a CageOrder,
    /// Where its control group comes from, if it has one.
    pub(crate) groups: Option<&'a Arc<GroupPool>>,
    pub(crate) processes: &'a RunProcesses,
    pub(crate) mark: &'a str,
}

impl CagedStart<'_> {
    /// Starts it in a cage that one of these makes: in one that is free, or else a new one, which is
    /// kept.
    pub(crate) fn with(&self, kept: &Templates) -> Result<Started, StartRefused> {
        if let Some((template, cage)) = kept.free_cage(&self.order.cores)
            && let Ok(started) = self.in_free_cage(&template, cage)
        {
            return Ok(started);
        }
        match self.order.walls {
            Walls::Namespaces => self.in_new_cage(kept, Template::number),
            Walls::Rules => self.with_template(kept, |template| self.without_namespaces(template)),
        }
    }

    /// Starts it in a cage that no other process of the bot can have: what it shows is its own.
    pub(crate) fn once(&self) -> Result<Started, StartRefused> {
        let own = Templates::default();
        match self.order.walls {
            Walls::Namespaces => self.in_new_cage(&own, |_| None),
            Walls::Rules => self.with(&own),
        }
    }

    /// If it fails, the cage is taken down: something is left in it, or it has ended.
    fn in_free_cage(
        &self,
        template: &Template,
        cage: NamespaceCage,
    ) -> Result<Started, StartRefused> {
        let number = cage.number().expect("only cages with a number are kept");
        let launched = cage.group().map(Group::open_again).transpose();
        let launched = launched.map_err(StartRefused::from).and_then(|ends| {
            launch_with(template, CageChoice::Again(number), self.order, ends.as_ref())
        });
        match launched {
            Ok(launched) if launched.failed.is_none() && launched.bot.is_some() => {
                Ok(launched.started(cage))
            }
            Ok(launched) => {
                end_processes(launched.bot, None);
                cage.take_down(&self.processes.ended_cages);
                Err(launched.refusal())
            }
            Err(refused) => {
                cage.take_down(&self.processes.ended_cages);
                Err(refused)
            }
        }
    }

    fn in_new_cage(
        &self,
        kept: &Templates,
        number: impl Fn(&Template) -> Option<u32>,
    ) -> Result<Started, StartRefused> {
        CHILDREN.begin_cage();
        let start = |template: &Arc<Template>| self.try_template(template, number(template));
        self.with_template(kept, start).inspect_err(|_| CHILDREN.end_cage())
    }

    /// Starts it with a template, or with another one if that does not work any more. Each that fails
    /// is given up.
    fn with_template(
        &self,
        kept: &Templates,
        start: impl Fn(&Arc<Template>) -> Result<Started, StartRefused>,
    ) -> Result<Started, StartRefused> {
        let start = || -> Result<Started, (StartRefused, IfItFails)> {
            let none = |error| (StartRefused::Launcher(error), IfItFails::GiveUp);
            let template = kept.get(self.exe, self.common, self.processes, &self.order.cores);
            let (template, if_it_fails) = template.map_err(none)?;
            start(&template).map_err(|refused| {
                kept.discard(&template);
                (refused, if_it_fails)
            })
        };
        let mut started = start();
        while matches!(started, Err((_, IfItFails::TryAnother))) {
            started = start();
        }
        // Somebody has killed it, or the launcher.
        if let Err((StartRefused::Launcher(error), IfItFails::GiveUp)) = &started
            && error.kind() == LOST
        {
            started = start();
        }
        started.map_err(|(refused, _)| refused)
    }

    /// Starts it with this template and enters it among the run's processes, which would otherwise
    /// find it left behind.
    fn without_namespaces(&self, template: &Template) -> Result<Started, StartRefused> {
        let start = || -> Result<(Pid, Launched), StartRefused> {
            let launched = launch_with(template, CageChoice::Once, self.order, None)?;
            match (&launched.failed, launched.bot) {
                (None, Some(bot)) => Ok((bot, launched)),
                (_, bot) => {
                    end_processes(bot, None);
                    Err(launched.refusal())
                }
            }
        };
        let (bot, launched) = self.processes.register(self.mark, |(bot, _)| *bot, start)?;
        let Launched { pipes, announcements, .. } = launched;
        Ok(Started { announcements, ..pipes.started(bot) })
    }

    /// Starts it in a new cage of this template, which is kept under this number.
    fn try_template(
        &self,
        template: &Arc<Template>,
        number: Option<u32>,
    ) -> Result<Started, StartRefused> {
        let group = self.groups.map(|pool| pool.take(self.mark)).transpose()?;
        let ends = group.as_ref().map(|group| group.open()).transpose()?;
        let choice = number.map_or(CageChoice::Once, CageChoice::Keep);
        let launched = launch_with(template, choice, self.order, ends.as_ref())?;
        let kept = number.filter(|_| launched.kept);
        if let (Some(number), None) = (number, kept) {
            template.forget(number);
        }
        match (&launched.failed, launched.init) {
            (None, Some(init)) if launched.bot.is_some() => {
                let kept = kept.map(|number| KeptAs { by: Arc::downgrade(template), number });
                let cage = NamespaceCage::new(init, group, template.lease(), kept);
                Ok(launched.started(cage))
            }
            (_, init) => {
                end_processes(launched.bot, init);
                Err(launched.refusal())
            }
        }
    }
}

/// What came of an order to a template.
struct Launched {
    pipes: Launch,
    init: Option<Pid>,
    bot: Option<Pid>,
    /// Whether the template keeps the cage.
    kept: bool,
    room: Option<OwnedFd>,
    announcements: Option<OwnedFd>,
    failed: Option<StartRefused>,
}

impl Launched {
    fn refusal(self) -> StartRefused {
        self.failed.unwrap_or_else(|| StartRefused::Launcher(LOST.into()))
    }

    fn started(self, cage: NamespaceCage) -> Started {
        let bot = self.bot.expect("there is a bot in the cage");
        Started { cage: Some(cage), room: self.room, ..self.pipes.started(bot) }
    }
}

fn launch_with(
    template: &Template,
    choice: CageChoice,
    order: &CageOrder,
    group: Option<&GroupEnds>,
) -> Result<Launched, StartRefused> {
    let (pipes, ends) = Launch::new()?;
    let _waiting = template.order(choice, order, &ends, group)?;
    // They must be open nowhere else: the closing of the first says that the bot runs.
    drop(ends);
    let LaunchAnswer { born, kept, room, announcements, failed } = hear(&pipes.control);
    let (init, bot) = born.unwrap_or((0, 0));
    let (init, bot) = (Pid::from_raw(init), Pid::from_raw(bot));
    Ok(Launched { pipes, init, bot, kept, room, announcements, failed })
}

/// The host's ends of a launch.
struct Launch {
    control: OwnedFd,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl Launch {
    fn new() -> io::Result<(Launch, Ends)> {
        let kind = SocketType::SEQPACKET;
        let (control, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_timeout(&control, sockopt::Timeout::Recv, Some(PATIENCE))?;
        let (bots_stdin, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, bots_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, bots_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
        let ends = Ends { control: theirs, streams: [bots_stdin, bots_stdout, bots_stderr] };
        Ok((Launch { control, stdin, stdout, stderr }, ends))
    }

    fn started(self, bot: Pid) -> Started {
        let Launch { control: _, stdin, stdout, stderr } = self;
        Started { bot, cage: None, room: None, announcements: None, stdin, stdout, stderr }
    }
}

impl Started {
    /// Ends a bot and everything in its cage, which goes while nobody waits for it.
    pub(crate) fn abandon(bot: Pid, cage: Option<NamespaceCage>, processes: &RunProcesses) {
        // The first process cannot go before the bot has been reaped.
        kill(Some(bot), cage.as_ref().map(NamespaceCage::init));
        let _ = retry_on_intr(|| waitpid(Some(bot), WaitOptions::empty()));
        if let Some(cage) = cage {
            cage.take_down(&processes.ended_cages);
        }
    }
}

fn kill(bot: Option<Pid>, init: Option<Pid>) {
    for process in [bot, init].into_iter().flatten() {
        let _ = kill_process(process, Signal::KILL);
    }
}

fn end_processes(bot: Option<Pid>, init: Option<Pid>) {
    kill(bot, init);
    // The first process cannot go before the bot has been reaped.
    for process in [bot, init].into_iter().flatten() {
        let _ = retry_on_intr(|| waitpid(Some(process), WaitOptions::empty()));
    }
}

/// What launchers have said when they are done.
#[derive(Default)]
struct LaunchAnswer {
    born: Option<(i32, i32)>,
    kept: bool,
    room: Option<OwnedFd>,
    announcements: Option<OwnedFd>,
    failed: Option<StartRefused>,
}

/// Listens until every process of the launch has closed its end: the bot runs, or never will.
fn hear(control: &OwnedFd) -> LaunchAnswer {
    let mut heard = LaunchAnswer::default();
    let mut bytes = [0; 12];
    loop {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let received = {
            let mut parts = [io::IoSliceMut::new(&mut bytes)];
            rustix::net::recvmsg(control, &mut parts, &mut beside, RecvFlags::CMSG_CLOEXEC)
        };
        let descriptor = beside.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        match received.map(|received| received.bytes) {
            Ok(0) => return heard,
            Ok(count) => match LaunchWord::decode(&bytes[..count]) {
                Some(LaunchWord::Born { init, bot }) => heard.born = Some((init, bot)),
                Some(LaunchWord::Kept) => heard.kept = true,
                Some(LaunchWord::Room) => heard.room = descriptor,
                Some(LaunchWord::Announces) => heard.announcements = descriptor,
                Some(LaunchWord::Failed { step, errno }) => {
                    heard.failed = Some(StartRefused::Cage { step, errno });
                }
                None => return heard,
            },
            Err(Errno::INTR) => {}
            Err(error) => {
                heard.failed = Some(StartRefused::Launcher(error.into()));
                return heard;
            }
        }
    }
}
