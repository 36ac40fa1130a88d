//! The host's side of a launch: hands the order over and waits until the bot runs.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, socketpair, sockopt};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::launch::{self, LAUNCH_COMMAND};
use super::order::{Order, Step, Walls, Word};
use crate::child::MARK;
use crate::reaper;

/// A bot that has just been started.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) bot: Pid,
    /// The first process of its cage, if it has one.
    pub(crate) init: Option<Pid>,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Why a bot could not be started in a cage.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The launcher could not be started or did not answer.
    Launcher(io::Error),
    /// The launcher failed at this step with this error of the system.
    Cage { step: Step, errno: i32 },
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Launcher(error) => write!(f, "cannot start the launcher: {error}"),
            Refused::Cage { step, errno } => {
                let error = io::Error::from_raw_os_error(*errno);
                write!(f, "cannot {}: {error}", step.what())
            }
        }
    }
}

impl<E: Into<io::Error>> From<E> for Refused {
    fn from(error: E) -> Refused {
        Refused::Launcher(error.into())
    }
}

/// A launcher that has not said anything for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a bot as ordered. `exe` is this very program; the launcher carries the mark.
pub(crate) fn start(exe: &Path, order: &Order, mark: &str) -> Result<Started, Refused> {
    let kind = SocketType::SEQPACKET;
    let (control, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_timeout(&control, sockopt::Timeout::Recv, Some(PATIENCE))?;
    let (bots_end, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
    // It waits in the socket until the launcher is there to read it.
    launch::send(control.as_fd(), order, bots_end.as_fd())?;
    drop(bots_end);
    let mut command = Command::new(exe);
    command.arg(LAUNCH_COMMAND).env_clear().env(MARK, mark).process_group(0);
    command.stdin(Stdio::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut launcher = reaper::register(mark, || command.spawn())?;
    // The launcher's end must be open nowhere else: its closing says that the bot runs.
    drop(command);
    let piped = "both were asked for";
    let stdout = launcher.stdout.take().expect(piped).into();
    let stderr = launcher.stderr.take().expect(piped).into();
    let heard = hear(&control);
    let itself = Pid::from_child(&launcher);
    let (init, bot) = match (order.walls, heard.born) {
        (Walls::Rules, _) => (None, Some(itself)),
        (Walls::Namespaces, Some((init, bot))) => (Pid::from_raw(init), Pid::from_raw(bot)),
        (Walls::Namespaces, None) => (None, None),
    };
    if order.walls == Walls::Namespaces || heard.failed.is_some() {
        end(&mut launcher, heard.failed.is_some());
        reaper::forget(itself, mark);
    }
    match (heard.failed, bot) {
        (None, Some(bot)) => Ok(Started { bot, init, stdin, stdout, stderr }),
        (failed, bot) => {
            if let Some(bot) = bot.filter(|bot| *bot != itself).or(init) {
                Started::end_processes(bot, init);
            }
            let silent = io::Error::other("it ended without a word");
            Err(failed.unwrap_or(Refused::Launcher(silent)))
        }
    }
}

impl Started {
    /// Ends a bot and everything in its cage, and waits until that is gone.
    pub(crate) fn end_processes(bot: Pid, init: Option<Pid>) {
        for process in [Some(bot), init].into_iter().flatten() {
            let _ = kill_process(process, Signal::KILL);
        }
        // The first process cannot go before the bot has been buried.
        for process in [Some(bot), init].into_iter().flatten() {
            let _ = retry_on_intr(|| waitpid(Some(process), WaitOptions::empty()));
        }
    }
}

fn end(launcher: &mut Child, kill: bool) {
    if kill {
        let _ = launcher.kill();
    }
    let _ = launcher.wait();
}

/// What launchers have said when they are done.
#[derive(Default)]
struct Heard {
    born: Option<(i32, i32)>,
    failed: Option<Refused>,
}

/// Listens until every process of the launch has closed its end: the bot runs, or never will.
fn hear(control: &OwnedFd) -> Heard {
    let mut heard = Heard::default();
    let mut bytes = [0; 12];
    loop {
        match rustix::net::recv(control, &mut bytes[..], RecvFlags::empty()) {
            Ok((0, _)) => return heard,
            Ok((count, _)) => match Word::decode(&bytes[..count]) {
                Some(Word::Born { init, bot }) => heard.born = Some((init, bot)),
                Some(Word::Failed { step, errno }) => {
                    heard.failed = Some(Refused::Cage { step, errno });
                }
                None => return heard,
            },
            Err(Errno::INTR) => {}
            Err(error) => {
                heard.failed = Some(Refused::Launcher(error.into()));
                return heard;
            }
        }
    }
}
