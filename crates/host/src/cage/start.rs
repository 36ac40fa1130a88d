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

use super::launcher_client::{self, Ends, LOST, PATIENCE};
use super::order::{BuildStep, CageOrder, LaunchWord, Walls};
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

/// Starts a bot of a run as ordered. `exe` is the path of this program.
pub(crate) fn start(
    exe: &Path,
    order: &CageOrder,
    processes: &RunProcesses,
    mark: &str,
) -> Result<Started, StartRefused> {
    let start = || match try_to_start(exe, order, processes, mark) {
        Err(StartRefused::Launcher(error)) if error.kind() == LOST => {
            try_to_start(exe, order, processes, mark)
        }
        result => result,
    };
    match order.walls {
        Walls::Rules => start(),
        Walls::Namespaces => {
            CHILDREN.begin_cage();
            start().inspect_err(|_| CHILDREN.end_cage())
        }
    }
}

fn try_to_start(
    exe: &Path,
    order: &CageOrder,
    processes: &RunProcesses,
    mark: &str,
) -> Result<Started, StartRefused> {
    let kind = SocketType::SEQPACKET;
    let (control, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_timeout(&control, sockopt::Timeout::Recv, Some(PATIENCE))?;
    let (bots_stdin, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stdout, bots_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, bots_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let ends = Ends { control: theirs, streams: [bots_stdin, bots_stdout, bots_stderr] };
    let itself = launcher_client::launch(exe, order, &ends, processes, mark)?;
    // They must be open nowhere else: the closing of the first says that the bot runs.
    drop(ends);
    let heard = hear(&control);
    let (init, bot) = match (order.walls, heard.born) {
        (Walls::Rules, _) => (None, Some(itself)),
        (Walls::Namespaces, Some((init, bot))) => (Pid::from_raw(init), Pid::from_raw(bot)),
        (Walls::Namespaces, None) => (None, None),
    };
    if order.walls == Walls::Namespaces || heard.failed.is_some() {
        if heard.failed.is_some() {
            let _ = kill_process(itself, Signal::KILL);
        }
        let _ = retry_on_intr(|| waitpid(Some(itself), WaitOptions::empty()));
        processes.forget(itself, mark);
    }
    match (heard.failed, bot) {
        (None, Some(bot)) => {
            let announcements = heard.announcements;
            Ok(Started { bot, init, announcements, stdin, stdout, stderr })
        }
        (failed, bot) => {
            if let Some(bot) = bot.filter(|bot| *bot != itself).or(init) {
                end_processes(bot, init);
            }
            let silent = io::Error::other("it ended without an answer");
            Err(failed.unwrap_or(StartRefused::Launcher(silent)))
        }
    }
}

impl Started {
    /// Ends a bot and everything in its cage, which goes while nobody waits for it.
    pub(crate) fn abandon(bot: Pid, init: Option<Pid>, processes: &RunProcesses) {
        kill(bot, init);
        let _ = retry_on_intr(|| waitpid(Some(bot), WaitOptions::empty()));
        if let Some(init) = init {
            processes.ended_cages.take_down(init, None);
        }
    }

    /// Ends a bot and everything in its cage, and waits until that is gone.
    pub(crate) fn end(bot: Pid, init: Option<Pid>) {
        end_processes(bot, init);
        if init.is_some() {
            CHILDREN.end_cage();
        }
    }
}

fn kill(bot: Pid, init: Option<Pid>) {
    for process in [Some(bot), init].into_iter().flatten() {
        let _ = kill_process(process, Signal::KILL);
    }
}

fn end_processes(bot: Pid, init: Option<Pid>) {
    kill(bot, init);
    // The first process cannot go before the bot has been reaped.
    for process in [Some(bot), init].into_iter().flatten() {
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
