//! The launcher: this program, started with another command. It makes templates of cages, and guards.
//!
//! It is a process of its own because the host never forks: the host has threads and may be large.
//! For every order it makes a process, which becomes a template of cages (`template_process.rs`), or
//! the guard of a run. All are children of the host, not of the launcher.
#![expect(unsafe_code, reason = "forks, which is allowed where there is one thread")]

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use rustix::process::{PidfdFlags, pidfd_open};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::order::{At as _, BuildStep, CageOrder, Failure, LaunchWord};
use super::tasks::{Forked, fork_sibling};
use super::{raw, template_process};
use crate::process::guard;

/// The hidden first argument with which the program becomes a launcher.
pub const LAUNCH_COMMAND: &str = "__launch";

/// What asks for a guard, with the descriptor it listens to.
pub(crate) const GUARD_ORDER: &[u8] = b"guard";

/// The longest order there may be; a socket does not take much more in one piece.
pub(crate) const LONGEST_ORDER: usize = 128 << 10;

/// So many descriptors come with an order at most: those of a launch and of a control group.
pub(crate) const MOST_DESCRIPTORS: usize = 6;

/// The launcher's own work. Its standard input is the socket with the orders; when that ends, the
/// host has ended.
pub fn launch() -> ! {
    // Above the standard streams, which the bots' take the place of.
    let Ok(orders) = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3) else { raw::leave(1) };
    // Not the session of the host, whose terminal may send it signals.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
    // Once for all bots. It changes nothing for the launcher itself, which executes nothing.
    raw::drop_bounding_set();
    let Ok(host) = watch_host() else { raw::leave(1) };
    let mut bytes = vec![0; LONGEST_ORDER];
    loop {
        let Ok(taken) = receive(&orders, &mut bytes) else { raw::leave(0) };
        let Some(errand) = taken else {
            answer(&orders, -libc::EINVAL);
            continue;
        };
        // SAFETY: the launcher starts no thread.
        match unsafe { fork_sibling() } {
            Ok(Forked::Child) => {
                drop(orders);
                match errand {
                    Errand::Template(order, [orders, lease]) => {
                        template_process::serve(&order, &orders, lease, host)
                    }
                    Errand::Guard(input) => guard::stand(&input),
                }
            }
            Ok(Forked::Parent(pid)) => answer(&orders, pid),
            Err(error) => answer(&orders, -error.raw_os_error().unwrap_or(libc::EAGAIN)),
        }
    }
}

/// The number of the process that was made, or the error of the system below zero.
fn answer(orders: &OwnedFd, number: i32) {
    let _ = rustix::net::send(orders, &number.to_le_bytes(), SendFlags::NOSIGNAL);
}

/// What a new process is made for.
enum Errand {
    /// It becomes a template that listens to the first, and whose cages stand as long as the second
    /// has another end.
    Template(Box<CageOrder>, [OwnedFd; 2]),
    /// It becomes a guard that listens here.
    Guard(OwnedFd),
}

/// A handle of the host's process, which becomes readable when that ends and is valid in every
/// namespace.
fn watch_host() -> io::Result<OwnedFd> {
    let gone = || io::Error::from_raw_os_error(libc::ESRCH);
    let host = rustix::process::getppid().ok_or_else(gone)?;
    let handle = pidfd_open(host, PidfdFlags::empty())?;
    // If it ended before, the number may be somebody else's.
    if rustix::process::getppid() == Some(host) { Ok(handle) } else { Err(gone()) }
}

/// Makes these the standard streams.
pub(crate) fn place_streams(streams: &[OwnedFd; 3]) -> Result<(), Failure> {
    let [stdin, stdout, stderr] = streams;
    let placed =
        dup2_stdin(stdin).and_then(|()| dup2_stdout(stdout)).and_then(|()| dup2_stderr(stderr));
    placed.at(BuildStep::CageOrder)
}

/// Tells the host which step has failed.
pub(crate) fn report(control: &OwnedFd, failure: &Failure) {
    let errno = failure.error.raw_os_error().unwrap_or(0);
    say(control, &LaunchWord::Failed { step: failure.step, errno });
}

/// Tells the host something.
pub(crate) fn say(control: &OwnedFd, word: &LaunchWord) {
    // If the host is gone, there is nobody to tell.
    let _ = rustix::net::send(control, &word.encode(), SendFlags::NOSIGNAL);
}

/// The same with a descriptor.
pub(crate) fn say_with(control: &OwnedFd, word: &LaunchWord, descriptor: &OwnedFd) {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.as_fd()];
    beside.push(SendAncillaryMessage::ScmRights(&descriptors));
    let word = word.encode();
    let parts = [io::IoSlice::new(&word)];
    let _ = rustix::net::sendmsg(control, &parts, &mut beside, SendFlags::NOSIGNAL);
}

/// Takes the next errand; none if it cannot be understood. Fails when there will not be another
/// one.
fn receive(orders: &OwnedFd, bytes: &mut [u8]) -> io::Result<Option<Errand>> {
    let (count, descriptors) = receive_order(orders, bytes)?;
    let bytes = &bytes[..count];
    if bytes == GUARD_ORDER {
        let input = descriptors.into_iter().next();
        return Ok(input.map(Errand::Guard));
    }
    let template = |ends| CageOrder::decode(bytes).map(|order| (Box::new(order), ends));
    let ends = <[OwnedFd; 2]>::try_from(descriptors).ok();
    Ok(ends.and_then(template).map(|(order, ends)| Errand::Template(order, ends)))
}

/// Takes the next message and the descriptors that come with it. Fails when there will not be
/// another one.
pub(crate) fn receive_order(
    orders: &OwnedFd,
    bytes: &mut [u8],
) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space =
        [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let count = retry_on_intr(|| {
        let mut parts = [io::IoSliceMut::new(bytes)];
        rustix::net::recvmsg(orders, &mut parts, &mut beside, flags)
    })?;
    if count.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let descriptors = beside.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok((count.bytes, descriptors.flatten().collect()))
}
