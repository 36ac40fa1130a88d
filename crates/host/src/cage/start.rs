//! The host's side of a launch: hands the order over and waits until the bot runs.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    socketpair, sockopt,
};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::cgroup::GroupEnds;
use super::launcher_client::{self, Ends, LOST, PATIENCE};
use super::order::{BuildStep, CageOrder, LaunchWord};
use super::template::{KeptTemplate, Template, TemplateAge};
use crate::process::run_processes::RunProcesses;
use crate::process_wide::CHILDREN;

/// A bot that has just been started.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) bot: Pid,
    /// The first process of its cage, if it has one.
    pub(crate) init: Option<Pid>,
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

/// Starts a bot of a run without namespaces. `exe` is the path of this program.
pub(crate) fn start_ruled(
    exe: &Path,
    order: &CageOrder,
    processes: &RunProcesses,
    mark: &str,
) -> Result<Started, StartRefused> {
    let start = || -> Result<Started, StartRefused> {
        let (pipes, ends) = Launch::new()?;
        let bot = launcher_client::launch(exe, order, &ends, processes, mark)?;
        // They must be open nowhere else: the closing of the first says that the bot runs.
        drop(ends);
        let heard = hear(&pipes.control);
        if let Some(failed) = heard.failed {
            end_processes(Some(bot), None);
            processes.forget(bot, mark);
            return Err(failed);
        }
        Ok(pipes.started(bot, None, heard.announcements))
    };
    match start() {
        Err(StartRefused::Launcher(error)) if error.kind() == LOST => start(),
        result => result,
    }
}

/// Starts a bot of a run in a cage with namespaces, made from a template. `common` is what all cages
/// of the template have in common. `exe` is the path of this program.
pub(crate) fn start_caged(
    exe: &Path,
    kept: &KeptTemplate,
    common: &CageOrder,
    order: &CageOrder,
    group: Option<&GroupEnds>,
    processes: &RunProcesses,
) -> Result<Started, StartRefused> {
    let start = || -> Result<Started, (StartRefused, TemplateAge)> {
        let new = |error| (StartRefused::Launcher(error), TemplateAge::New);
        let (template, age) = kept.get(exe, common, processes).map_err(new)?;
        try_template(&template, order, group).map_err(|refused| {
            kept.discard(&template);
            (refused, age)
        })
    };
    CHILDREN.begin_cage();
    let started = match start() {
        // What it shows may have been put somewhere else since, or somebody has killed it.
        Err((_, TemplateAge::Used)) => start(),
        Err((StartRefused::Launcher(error), TemplateAge::New)) if error.kind() == LOST => start(),
        result => result,
    };
    started.map_err(|(refused, _)| refused).inspect_err(|_| CHILDREN.end_cage())
}

fn try_template(
    template: &Template,
    order: &CageOrder,
    group: Option<&GroupEnds>,
) -> Result<Started, StartRefused> {
    let (pipes, ends) = Launch::new()?;
    template.order(order, &ends, group)?;
    drop(ends);
    let heard = hear(&pipes.control);
    let (init, bot) = heard.born.unwrap_or((0, 0));
    let (init, bot) = (Pid::from_raw(init), Pid::from_raw(bot));
    match (heard.failed, bot) {
        (None, Some(bot)) => Ok(pipes.started(bot, init, None)),
        (failed, bot) => {
            end_processes(bot, init);
            Err(failed.unwrap_or_else(|| StartRefused::Launcher(LOST.into())))
        }
    }
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

    fn started(self, bot: Pid, init: Option<Pid>, announcements: Option<OwnedFd>) -> Started {
        let Launch { control: _, stdin, stdout, stderr } = self;
        Started { bot, init, announcements, stdin, stdout, stderr }
    }
}

impl Started {
    /// Ends a bot and everything in its cage, which goes while nobody waits for it.
    pub(crate) fn abandon(bot: Pid, init: Option<Pid>, processes: &RunProcesses) {
        kill(Some(bot), init);
        let _ = retry_on_intr(|| waitpid(Some(bot), WaitOptions::empty()));
        if let Some(init) = init {
            processes.ended_cages.take_down(init, None);
        }
    }

    /// Ends a bot and everything in its cage, and waits until that is gone.
    pub(crate) fn end(bot: Pid, init: Option<Pid>) {
        end_processes(Some(bot), init);
        if init.is_some() {
            CHILDREN.end_cage();
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
        match received.map(|received| received.bytes) {
            Ok(0) => return heard,
            Ok(count) => match LaunchWord::decode(&bytes[..count]) {
                Some(LaunchWord::Born { init, bot }) => heard.born = Some((init, bot)),
                Some(LaunchWord::Announces) => {
                    let descriptors = beside.drain().filter_map(|message| match message {
                        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
                        _ => None,
                    });
                    heard.announcements = descriptors.flatten().next();
                }
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
