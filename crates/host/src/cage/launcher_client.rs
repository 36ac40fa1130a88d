//! The launcher as the host sees it: one process that is kept, and makes templates of cages. It also
//! makes the guard.
//!
//! Starting this program anew for every bot would cost more than its cage. The launcher has
//! one thread and little memory, so that it can fork, which the host must not.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags,
    SocketType, socketpair, sockopt,
};
use rustix::process::Pid;

use super::cgroup::{GroupEnds, Groups};
use super::launcher_process::{GUARD_ORDER, LAUNCH_COMMAND, LONGEST_ORDER, MOST_DESCRIPTORS};
use super::order::CageOrder;
use super::template_order::{CageChoice, TemplateOrder};
use crate::process::guard::GuardLine;
use crate::process::reaper::{self, Owner};
use crate::process::run_processes::RunProcesses;
use crate::process_wide::{CHILDREN, LAUNCHER};

/// The ends that a launch gets.
#[derive(Debug)]
pub(crate) struct Ends {
    /// On which it says how it went.
    pub(crate) control: OwnedFd,
    /// The bot's standard streams.
    pub(crate) streams: [OwnedFd; 3],
}

impl Ends {
    /// The first of those that came with an order; they are taken from these.
    pub(crate) fn take(descriptors: &mut impl Iterator<Item = OwnedFd>) -> Option<Ends> {
        let mut next = || descriptors.next();
        Some(Ends { control: next()?, streams: [next()?, next()?, next()?] })
    }

    /// As they are sent.
    fn all(&self) -> [BorrowedFd<'_>; 4] {
        let [stdin, stdout, stderr] = &self.streams;
        [self.control.as_fd(), stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]
    }
}

/// A launcher that has not said anything for so long is stuck.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The process that makes cages. Runs share it: it keeps nothing from order to order.
pub(crate) struct Launcher {
    exe: PathBuf,
    process: Child,
    /// Taken when it is to end.
    orders: Option<OwnedFd>,
}

fn kept() -> MutexGuard<'static, Option<Launcher>> {
    LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has a template made that makes the cages of a bot and takes orders from the first of its ends. Its
/// cages end when nobody has what belongs to the second, the lease. `exe` is the path of this program.
pub(crate) fn make_template(
    exe: &Path,
    common: &CageOrder,
    ends: [BorrowedFd<'_>; 2],
    processes: &RunProcesses,
) -> io::Result<Pid> {
    make(exe, &checked(common.encode())?, &ends, Owner::Program, &processes.guard)
}

/// Asks a template to start a bot.
pub(crate) fn send_order(
    orders: &OwnedFd,
    choice: CageChoice,
    order: &CageOrder,
    ends: &Ends,
    group: Option<&GroupEnds>,
) -> io::Result<()> {
    let mut all = ends.all().to_vec();
    if let Some(group) = group {
        all.push(group.entrance.as_fd());
        all.extend(group.shortage.as_ref().map(OwnedFd::as_fd));
    }
    send(orders, &checked(TemplateOrder::start(choice, order))?, &all)
}

/// An order that is not too long.
fn checked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if bytes.len() > LONGEST_ORDER {
        return Err(io::Error::other("its arguments and environment are too long"));
    }
    Ok(bytes)
}

/// Has a guard made that is told what it must know on `input`. `exe` is the path of this program. `line` is where
/// the guard of the same run is told, once it is there.
pub(crate) fn post_guard(exe: &Path, input: &OwnedFd, line: &GuardLine) -> io::Result<Pid> {
    make(exe, GUARD_ORDER, &[input.as_fd()], Owner::Program, line)
}

fn make(
    exe: &Path,
    bytes: &[u8],
    ends: &[BorrowedFd<'_>],
    owner: Owner<'_>,
    guard: &GuardLine,
) -> io::Result<Pid> {
    let mut kept = kept();
    let launcher = Launcher::ready(&mut kept, exe)?;
    // Another one may have taken the place of the one that the run's guard knows.
    guard.tell_launcher(launcher.process.id());
    match launcher.hand_over(bytes, ends, owner) {
        Ok(made) => made,
        Err(error) => {
            // What it says later would be taken for the answer to the next order.
            *kept = None;
            Err(error)
        }
    }
}

/// What [`make_template`] and [`post_guard`] say if somebody has killed the launcher, and
/// [`send_order`] if a template. Another one does as well. The old one may have made the process, which
/// must not share its ends with the next: it is found by its mark, or ends when it finds its streams
/// closed.
pub(crate) const LOST: io::ErrorKind = io::ErrorKind::BrokenPipe;

/// Starts the launcher, so that it is there when it is needed. `exe` is the path of this program.
pub fn prepare(exe: &Path) {
    // If it cannot be started, the first bot that needs it reports the error.
    let _ = Launcher::ready(&mut kept(), exe);
}

impl Launcher {
    fn ready<'k>(kept: &'k mut Option<Launcher>, exe: &Path) -> io::Result<&'k mut Launcher> {
        if kept.as_ref().is_none_or(|launcher| launcher.exe != exe) {
            // The old one first: it must not be taken for one of the new one's children.
            *kept = None;
            *kept = Some(Launcher::start(exe)?);
        }
        Ok(kept.as_mut().expect("there is one by now"))
    }

    fn start(exe: &Path) -> io::Result<Launcher> {
        // It must be born in the group that the host moves to, or it would be in the way there.
        let _ = Groups::found();
        let kind = SocketType::SEQPACKET;
        let (orders, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_timeout(&orders, sockopt::Timeout::Recv, Some(PATIENCE))?;
        let mut command = Command::new(exe);
        // The last tells people whose it is.
        command.args([LAUNCH_COMMAND, &reaper::our_prefix()]).env_clear();
        command.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let process = CHILDREN.register(Owner::Program, Pid::from_child, || command.spawn())?;
        Ok(Launcher { exe: exe.to_owned(), process, orders: Some(orders) })
    }

    /// The process that it has made, or why it could not. Fails if it does not answer, with
    /// [`LOST`] if it has been killed. Nothing is swept until the new process is known.
    fn hand_over(
        &self,
        bytes: &[u8],
        ends: &[BorrowedFd<'_>],
        owner: Owner<'_>,
    ) -> io::Result<io::Result<Pid>> {
        let orders = self.orders.as_ref().expect("only taken at its end");
        let mut refused = None;
        let made = CHILDREN.register(
            owner,
            |pid| *pid,
            || {
                send(orders, bytes, ends)?;
                let mut answer = [0; 4];
                let heard = retry_on_intr(|| {
                    rustix::net::recv(orders, &mut answer[..], RecvFlags::empty())
                });
                match heard.map(|(count, _)| count) {
                    Ok(4) => {}
                    Ok(_) | Err(Errno::CONNRESET) => return Err(LOST.into()),
                    Err(Errno::AGAIN) => {
                        let silent = "the launcher does not answer";
                        return Err(io::Error::new(io::ErrorKind::TimedOut, silent));
                    }
                    Err(error) => return Err(error.into()),
                }
                match i32::from_le_bytes(answer) {
                    error @ ..=0 => {
                        refused = Some(-error);
                        Err(io::Error::from_raw_os_error(-error))
                    }
                    pid => Ok(Pid::from_raw(pid).expect("it is not zero")),
                }
            },
        );
        match refused {
            Some(error) => Ok(Err(io::Error::from_raw_os_error(error))),
            None => made.map(Ok),
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        // The end of its orders is its own, and if it is stuck it must not hold us up.
        self.orders = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
        CHILDREN.forget(Pid::from_child(&self.process), Owner::Program);
    }
}

fn send(orders: &OwnedFd, bytes: &[u8], ends: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space =
        [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    beside.push(SendAncillaryMessage::ScmRights(ends));
    let parts = [io::IoSlice::new(bytes)];
    match retry_on_intr(|| rustix::net::sendmsg(orders, &parts, &mut beside, SendFlags::NOSIGNAL)) {
        Ok(_) => Ok(()),
        Err(Errno::CONNRESET | Errno::PIPE) => Err(LOST.into()),
        Err(error) => Err(error.into()),
    }
}
