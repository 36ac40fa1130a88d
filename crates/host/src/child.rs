//! A bot's process: its pipes, its clock, its end.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, pidfd_open,
    waitid,
};

use crate::keepsake::Kept;
use crate::reaper;
use crate::sys::{process_cpu, reads_without_waiting};

/// A running process in a process group of its own.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    pidfd: OwnedFd,
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    mark: String,
    pub(crate) keepsake: Option<Kept>,
    reaped: bool,
}

/// How to start a process.
pub(crate) struct Start<'a> {
    pub(crate) exe: &'a Path,
    pub(crate) args: &'a [String],
    pub(crate) dir: &'a Path,
    pub(crate) env: &'a BTreeMap<String, String>,
    /// Marks the process and all its descendants, so that they can be found again.
    pub(crate) mark: String,
    /// The file it was promised.
    pub(crate) keepsake: Option<Kept>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exited with code {code}"),
            Exit::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "was killed by signal {signal} ({name})"),
                None => write!(f, "was killed by signal {signal}"),
            },
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL, illegal instruction",
        libc::SIGABRT => "SIGABRT, aborted",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE, arithmetic error",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV, segmentation fault",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGTERM => "SIGTERM",
        libc::SIGSYS => "SIGSYS, forbidden system call",
        libc::SIGXCPU => "SIGXCPU, processor time used up",
        _ => return None,
    };
    Some(name)
}

/// How long a killed process may take to disappear.
const DYING: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// The name of the variable that marks the processes of a run.
pub(crate) const MARK: &str = "LANISTA_SEAT";

impl Child {
    /// Starts a process with three pipes, a process group and a clean environment of its own.
    /// It inherits the processor cores of the calling thread.
    pub(crate) fn start(order: Start<'_>) -> io::Result<Child> {
        let mut command = Command::new(order.exe);
        command.args(order.args).current_dir(order.dir).env_clear().process_group(0);
        for name in ["PATH", "HOME", "LANG"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(order.env).env(MARK, &order.mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = reaper::register(&order.mark, || command.spawn())?;
        let pid = Pid::from_child(&child);
        let pipe = "all three were asked for";
        let ends: [OwnedFd; 3] = [
            child.stdin.take().expect(pipe).into(),
            child.stdout.take().expect(pipe).into(),
            child.stderr.take().expect(pipe).into(),
        ];
        let prepared = pidfd_open(pid, PidfdFlags::empty()).and_then(|pidfd| {
            // Reads from the output wait only where that is asked for; see `Place::hear`.
            let [stdin, stdout, stderr] = &ends;
            let never_wait = match reads_without_waiting() {
                true => &[stdin, stderr][..],
                false => &[stdin, stdout, stderr][..],
            };
            for end in never_wait {
                fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
            }
            Ok(pidfd)
        });
        let pidfd = match prepared {
            Ok(pidfd) => pidfd,
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                reaper::forget(pid, &order.mark);
                reaper::sweep();
                return Err(error.into());
            }
        };
        let [stdin, stdout, stderr] = ends;
        let Start { mark, keepsake, .. } = order;
        Ok(Child { pid, pidfd, stdin: Some(stdin), stdout, stderr, mark, keepsake, reaped: false })
    }

    /// Readable when the process has ended.
    pub(crate) fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Processor time it has used.
    pub(crate) fn cpu(&self) -> Duration {
        if self.reaped { Duration::ZERO } else { process_cpu(self.pid) }
    }

    /// How it ended, if it has. Whatever it started in its group ends with it; what has left the
    /// group is to be swept.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        if self.reaped {
            return None;
        }
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::PidFd(self.pidfd.as_fd()), peek).ok().flatten()?;
        self.reap()
    }

    /// Tells the process and its group to end at once. That takes a moment: see [`Child::exit`].
    pub(crate) fn strike(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // Before it is reaped: until then its number, which is also the group's, is not given
        // to anybody else.
        if !self.reaped {
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Stops the process and its group until [`Child::thaw`].
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets the process go on.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Gives up on a process that does not end, though it has been killed.
    pub(crate) fn abandon(&mut self) {
        if !std::mem::replace(&mut self.reaped, true) {
            reaper::forget(self.pid, &self.mark);
        }
    }

    /// Ends its group and takes its exit status. What it left behind elsewhere is to be swept.
    fn reap(&mut self) -> Option<Exit> {
        self.strike();
        self.reaped = true;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::PidFd(self.pidfd.as_fd()), options);
        reaper::forget(self.pid, &self.mark);
        status.ok().flatten().map(|status| Exit::of(&status))
    }

    /// Kills the process and everything it started, and waits until it is gone.
    fn kill(&mut self) {
        if self.reaped {
            return;
        }
        self.strike();
        // One that we may not kill, or that the kernel holds, must not hold up everybody else.
        let mut ended = [PollFd::new(&self.pidfd, PollFlags::IN)];
        let _ = poll(&mut ended, Some(&DYING));
        self.reap();
        reaper::sweep();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Exit {
    fn of(status: &WaitIdStatus) -> Exit {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Code(-1),
        }
    }
}
