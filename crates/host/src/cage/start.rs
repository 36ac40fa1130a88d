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
use super::template::{Template, TemplateAge, Templates};
use super::template_order::CageChoice;
use crate::os::os_limits::is_shortage;
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
    /// A filter of system calls that holds for this program, too, has ended the template.
    Filtered,
}

impl std::fmt::Display for StartRefused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartRefused::Launcher(error) => write!(f, "cannot start the launcher: {error}"),
            StartRefused::Cage { step, errno } => {
                let error = io::Error::from_raw_os_error(*errno);
                write!(f, "cannot {}: {error}", step.what())
            }
            StartRefused::Filtered => f.write_str(
                "a filter of system calls around this program, a service's for instance, ends \
                 whatever makes a cage",
            ),
        }
    }
}

impl StartRefused {
    /// Whether there was too little of something, which may have passed by now.
    fn is_shortage(&self) -> bool {
        match self {
            StartRefused::Launcher(error) => is_shortage(error),
            StartRefused::Cage { errno, .. } => is_shortage(&io::Error::from_raw_os_error(*errno)),
            StartRefused::Filtered => false,
        }
    }

    /// Whether somebody has killed the launcher or a template.
    fn is_loss(&self) -> bool {
        matches!(self, StartRefused::Launcher(error) if error.kind() == LOST)
    }

    /// Whether this says nothing of what works on this machine. Where namespaces are not allowed, there
    /// seems to be no space for them.
    pub(crate) fn is_no_answer(&self) -> bool {
        match self {
            StartRefused::Launcher(error) => is_shortage(error) || is_launchers_fault(error),
            StartRefused::Cage { errno: libc::ENOSPC, .. } | StartRefused::Filtered => false,
            StartRefused::Cage { .. } => self.is_shortage(),
        }
    }
}

/// Whether a start has failed because somebody has killed the launcher or a template, or one of them has
/// not answered.
pub(crate) fn is_launchers_fault(error: &io::Error) -> bool {
    error.kind() == LOST || error.kind() == io::ErrorKind::TimedOut
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
        match launched.and_then(Launched::succeeded) {
            Ok((bot, launched)) => Ok(launched.started(bot, Some(cage))),
            Err(refused) => {
                let ended = &self.processes.ended_cages;
                if refused.is_shortage() {
                    cage.take_down(ended)
                } else {
                    cage.spoil(ended)
                }
                Err(refused)
            }
        }
    }

    fn in_new_cage(
        &self,
        kept: &Templates,
        number: impl Fn(&Template) -> Option<u32>,
    ) -> Result<Started, StartRefused> {
        self.with_template(kept, |template| self.try_template(template, || number(template)))
    }

    /// Starts it with a template, or with another one if that does not work any more. If there is too
    /// little of something, cages that no bot is in are taken down first.
    fn with_template(
        &self,
        kept: &Templates,
        start: impl Fn(&Arc<Template>) -> Result<Started, StartRefused>,
    ) -> Result<Started, StartRefused> {
        let mut another_new = true;
        let mut make_room = true;
        loop {
            let template = kept.get(self.exe, self.common, self.processes, &self.order.cores);
            let (age, refused) = match template {
                Ok((template, age)) => match start(&template) {
                    Ok(started) => return Ok(started),
                    Err(refused) => {
                        if !refused.is_shortage() {
                            kept.discard(&template);
                        }
                        let filtered = refused.is_loss() && template.was_filtered();
                        (age, if filtered { StartRefused::Filtered } else { refused })
                    }
                },
                Err(error) => (TemplateAge::New, StartRefused::Launcher(error)),
            };
            let once_more = match age {
                _ if refused.is_shortage() => {
                    std::mem::take(&mut make_room) && self.processes.give_up_free_cages()
                }
                // What it shows may have been put somewhere else since.
                TemplateAge::Old => true,
                TemplateAge::New => refused.is_loss() && std::mem::take(&mut another_new),
            };
            if !once_more {
                return Err(refused);
            }
        }
    }

    /// Starts it with this template and enters it among the run's processes, which would otherwise
    /// find it left behind.
    fn without_namespaces(&self, template: &Template) -> Result<Started, StartRefused> {
        let start = || launch_with(template, CageChoice::Once, self.order, None)?.succeeded();
        let (bot, launched) = self.processes.register(self.mark, |(bot, _)| *bot, start)?;
        Ok(launched.started(bot, None))
    }

    /// Starts it in a new cage of this template, which is kept under this number, if it gets one.
    fn try_template(
        &self,
        template: &Arc<Template>,
        number: impl FnOnce() -> Option<u32>,
    ) -> Result<Started, StartRefused> {
        let group = self.groups.map(|pool| pool.take(self.mark)).transpose()?;
        let ends = group.as_ref().map(|group| group.open()).transpose()?;
        let number = number();
        let choice = number.map_or(CageChoice::Once, CageChoice::Keep);
        // Before its first process is there: nobody must take that for one left behind.
        CHILDREN.begin_cage();
        let launched = launch_with(template, choice, self.order, ends.as_ref());
        let kept = number.filter(|_| launched.as_ref().is_ok_and(|launched| launched.kept));
        if let (Some(number), None) = (number, kept) {
            template.forget(number);
        }
        let Some(init) = launched.as_ref().ok().and_then(|launched| launched.init) else {
            CHILDREN.end_cage();
            return match launched.and_then(Launched::succeeded) {
                // Somebody has killed the first process before it could say who it is.
                Ok((bot, _)) => {
                    end(bot);
                    Err(StartRefused::Launcher(LOST.into()))
                }
                Err(refused) => Err(refused),
            };
        };
        let kept = kept.map(|number| KeptAs { by: Arc::downgrade(template), number });
        let cage = NamespaceCage::new(init, group, template.lease(), kept);
        match launched.and_then(Launched::succeeded) {
            Ok((bot, launched)) => Ok(launched.started(bot, Some(cage))),
            Err(refused) => {
                cage.take_down(&self.processes.ended_cages);
                Err(refused)
            }
        }
    }
}

/// What came of an order to a template.
struct Launched {
    pipes: LaunchPipes,
    /// The first process of the cage, if a new one was made.
    init: Option<Pid>,
    bot: Option<Pid>,
    /// Whether the template keeps the cage.
    kept: bool,
    room: Option<OwnedFd>,
    announcements: Option<OwnedFd>,
    failed: Option<StartRefused>,
}

impl Launched {
    /// The bot, if it runs. One that was made and does not is ended and reaped: before that nothing of
    /// its cage can go.
    fn succeeded(self) -> Result<(Pid, Launched), StartRefused> {
        match (&self.failed, self.bot) {
            (None, Some(bot)) => Ok((bot, self)),
            (_, bot) => {
                if let Some(bot) = bot {
                    end(bot);
                }
                Err(self.failed.unwrap_or_else(|| StartRefused::Launcher(LOST.into())))
            }
        }
    }

    fn started(self, bot: Pid, cage: Option<NamespaceCage>) -> Started {
        let Launched { pipes, room, announcements, .. } = self;
        let LaunchPipes { control: _, stdin, stdout, stderr } = pipes;
        Started { bot, cage, room, announcements, stdin, stdout, stderr }
    }
}

fn launch_with(
    template: &Template,
    choice: CageChoice,
    order: &CageOrder,
    group: Option<&GroupEnds>,
) -> Result<Launched, StartRefused> {
    let (pipes, ends) = LaunchPipes::new()?;
    let _waiting = template.order(choice, order, &ends, group)?;
    // They must be open nowhere else: the closing of the first says that the bot runs.
    drop(ends);
    Ok(hear(pipes))
}

/// The host's ends of a launch.
struct LaunchPipes {
    control: OwnedFd,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl LaunchPipes {
    fn new() -> io::Result<(LaunchPipes, Ends)> {
        let kind = SocketType::SEQPACKET;
        let (control, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_timeout(&control, sockopt::Timeout::Recv, Some(PATIENCE))?;
        // With every word comes who has said it.
        sockopt::set_socket_passcred(&control, true)?;
        let (bots_stdin, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, bots_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, bots_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
        let ends = Ends { control: theirs, streams: [bots_stdin, bots_stdout, bots_stderr] };
        Ok((LaunchPipes { control, stdin, stdout, stderr }, ends))
    }
}

impl Started {
    /// Ends a bot and everything in its cage, which goes while nobody waits for it.
    pub(crate) fn abandon(bot: Pid, cage: Option<NamespaceCage>, processes: &RunProcesses) {
        end(bot);
        if let Some(cage) = cage {
            cage.take_down(&processes.ended_cages);
        }
    }
}

/// Kills a bot that nobody else knows of, and reaps it: before that nothing of its cage can go.
fn end(bot: Pid) {
    let _ = kill_process(bot, Signal::KILL);
    let _ = retry_on_intr(|| waitpid(Some(bot), WaitOptions::empty()));
}

/// Listens until every process of the launch has closed its end: the bot runs, or never will.
fn hear(pipes: LaunchPipes) -> Launched {
    let mut heard = Launched {
        pipes,
        init: None,
        bot: None,
        kept: false,
        room: None,
        announcements: None,
        failed: None,
    };
    let mut bytes = [0; 12];
    loop {
        const SPACE: usize = rustix::cmsg_space!(ScmRights(1), ScmCredentials(1));
        let mut space = [std::mem::MaybeUninit::uninit(); SPACE];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let received = {
            let mut parts = [io::IoSliceMut::new(&mut bytes)];
            let control = &heard.pipes.control;
            rustix::net::recvmsg(control, &mut parts, &mut beside, RecvFlags::CMSG_CLOEXEC)
        };
        let (mut sender, mut descriptor) = (None, None);
        for message in beside.drain() {
            match message {
                RecvAncillaryMessage::ScmRights(mut descriptors) => descriptor = descriptors.next(),
                RecvAncillaryMessage::ScmCredentials(who) => sender = Some(who.pid),
                _ => {}
            }
        }
        match received.map(|received| received.bytes) {
            Ok(0) => return heard,
            Ok(count) => match LaunchWord::decode(&bytes[..count]) {
                Some(LaunchWord::FirstProcess) => heard.init = sender,
                Some(LaunchWord::Bot) => heard.bot = sender,
                Some(LaunchWord::Kept) => heard.kept = true,
                Some(LaunchWord::Room) => heard.room = descriptor,
                Some(LaunchWord::Announces) => heard.announcements = descriptor,
                Some(LaunchWord::Failed { step, errno }) => {
                    heard.failed = Some(StartRefused::Cage { step, errno });
                }
                None => return heard,
            },
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let silent = io::Error::new(io::ErrorKind::TimedOut, "it does not answer");
                heard.failed = Some(StartRefused::Launcher(silent));
                return heard;
            }
            Err(error) => {
                heard.failed = Some(StartRefused::Launcher(error.into()));
                return heard;
            }
        }
    }
}
