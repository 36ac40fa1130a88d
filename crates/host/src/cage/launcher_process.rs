//! The launcher: this program, started with another command. It builds cages with bots in them, and
//! makes the guard.
//!
//! It is a process of its own because the host never forks: the host has threads and may be large.
//! For every order it makes a process that builds the cage. Of that come the first process of the
//! cage (`init.rs`) and the bot, and it ends. Without namespaces it becomes the bot itself. All are
//! children of the host, not of the launcher, so that the host learns from the system itself how
//! the bot ended.
#![expect(unsafe_code, reason = "forks, which is allowed where there is one thread")]

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use rustix::process::{PidfdFlags, pidfd_open};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::UnshareFlags;

use super::init::EndSignals;
use super::launcher_client::Ends;
use super::limits::ProcessCounting;
use super::order::{Access, At as _, BuildStep, CageOrder, Failure, LaunchWord, Walls};
use super::{cgroup, init, landlock, limits, mounts, raw, seccomp};
use crate::os::no_links;
use crate::os::placement::place_this_thread;
use crate::process::guard;
use crate::process::memory_pressure;

/// The hidden first argument with which the program becomes a launcher.
pub const LAUNCH_COMMAND: &str = "__launch";

/// What asks for a guard, with the descriptor it listens to.
pub(crate) const GUARD_ORDER: &[u8] = b"guard";

/// The longest order there may be; a socket does not take much more in one piece.
pub(crate) const LONGEST_ORDER: usize = 128 << 10;

/// The launcher's own work. Its standard input is the socket with the orders; when that ends, the
/// host has ended.
pub fn launch() -> ! {
    // Above the standard streams, which the bots' take the place of.
    let Ok(orders) = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3) else { raw::leave(1) };
    // Not the session of the host, whose terminal may send it signals.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
    let Ok(host) = watch_host() else { raw::leave(1) };
    let mut bytes = vec![0; LONGEST_ORDER];
    loop {
        let Ok(taken) = receive(&orders, &mut bytes) else { raw::leave(0) };
        let Some(errand) = taken else {
            answer(&orders, -libc::EINVAL);
            continue;
        };
        // The process is born where it is to run.
        if let Errand::Bot(order, _) = &errand
            && !order.cores.is_empty()
        {
            place_this_thread(&order.cores);
        }
        // SAFETY: the launcher starts no thread.
        match unsafe { raw::fork_sibling() } {
            Ok(raw::Forked::Child) => {
                drop(orders);
                match errand {
                    Errand::Bot(order, ends) => follow(&order, ends, host),
                    Errand::Guard(input) => guard::stand(&input),
                }
            }
            Ok(raw::Forked::Parent(pid)) => answer(&orders, pid),
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
    /// It becomes a bot.
    Bot(Box<CageOrder>, Ends),
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

/// A new process follows an order: builds the cage and becomes the bot.
fn follow(order: &CageOrder, ends: Ends, host: OwnedFd) -> ! {
    // If the machine runs out of memory, bots go first. Nothing depends on it.
    let likely = memory_pressure::USUAL.to_string();
    let _ = fs::write("/proc/self/oom_score_adj", likely);
    let Ends { control, streams } = ends;
    let [stdin, stdout, stderr] = &streams;
    let placed =
        dup2_stdin(stdin).and_then(|()| dup2_stdout(stdout)).and_then(|()| dup2_stderr(stderr));
    drop(streams);
    let failure = match placed.at(BuildStep::CageOrder).and_then(|()| build(order, &control, host))
    {
        Ok(never) => match never {},
        Err(failure) => failure,
    };
    report(&control, failure);
    raw::leave(1)
}

/// What a function returns that does not.
enum Never {}

fn report(control: &OwnedFd, failure: Failure) {
    let errno = failure.error.raw_os_error().unwrap_or(0);
    say(control, &LaunchWord::Failed { step: failure.step, errno });
}

fn say(control: &OwnedFd, word: &LaunchWord) {
    // If the host is gone, there is nobody to tell.
    let _ = rustix::net::send(control, &word.encode(), SendFlags::NOSIGNAL);
}

/// Takes the next errand; none if it cannot be understood. Fails when there will not be another
/// one.
fn receive(orders: &OwnedFd, bytes: &mut [u8]) -> io::Result<Option<Errand>> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let count = retry_on_intr(|| {
        let mut parts = [io::IoSliceMut::new(bytes)];
        rustix::net::recvmsg(orders, &mut parts, &mut beside, flags)
    })?;
    if count.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut descriptors = beside.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let mut descriptors = descriptors.next().into_iter().flatten();
    let mut next = || descriptors.next();
    let bytes = &bytes[..count.bytes];
    Ok(match (next(), next(), next(), next()) {
        (Some(control), Some(stdin), Some(stdout), Some(stderr)) => {
            let ends = Ends { control, streams: [stdin, stdout, stderr] };
            CageOrder::decode(bytes).map(|order| Errand::Bot(Box::new(order), ends))
        }
        (Some(input), None, None, None) if bytes == GUARD_ORDER => Some(Errand::Guard(input)),
        _ => None,
    })
}

fn build(order: &CageOrder, control: &OwnedFd, host: OwnedFd) -> Result<Never, Failure> {
    let mut shortage = None;
    for group in &order.groups {
        fs::write(group, "0").at(BuildStep::Group)?;
        shortage = cgroup::watch_memory(group);
    }
    match order.walls {
        Walls::Rules => {
            // A session and a group of its own, which it cannot leave. Systems that share the
            // processor out between sessions give it no more than the other bots.
            rustix::process::setsid().at(BuildStep::Fork)?;
            let own = order.view.binds.iter().filter(|bind| bind.access == Access::Own);
            for (bind, user) in own.zip(std::iter::repeat(order.user)) {
                let given = user.map_or(Ok(()), |user| {
                    no_links::handle(&bind.source).and_then(|handle| no_links::give(&handle, user))
                });
                given.at(BuildStep::Files(None))?;
            }
            become_bot(order, control)
        }
        Walls::Namespaces => {
            separate(order)?;
            mounts::build(order)?;
            populate(order, control, EndSignals { host, shortage })
        }
    }
}

/// Leaves the namespaces of the host.
fn separate(order: &CageOrder) -> Result<(), Failure> {
    let apart = UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if order.user.is_some() {
        // Root needs no user namespace to do this, and becomes a user without rights afterwards.
        return raw::unshare(apart).at(BuildStep::Namespaces);
    }
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    raw::unshare(apart | UnshareFlags::NEWUSER).at(BuildStep::Namespaces)?;
    map_user(user.as_raw(), group.as_raw()).at(BuildStep::User)
}

/// Gives the user outside, the only one there is inside, the same number in every cage.
fn map_user(user: u32, group: u32) -> io::Result<()> {
    let inside = mounts::INSIDE_USER;
    // Without the first the kernel refuses the last.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{inside} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{inside} {group} 1"))
}

/// A user namespace for a bot that root has started: processes are counted by user and
/// namespace, and a bot may have several cages.
fn own_users(user: u32) -> io::Result<()> {
    // Whoever has changed the user may not write the maps otherwise.
    raw::show_memory();
    match raw::unshare(UnshareFlags::NEWUSER) {
        Ok(()) => map_user(user, user).and_then(|()| raw::drop_capabilities(None)),
        // It is caged all the same where the system has no user namespaces.
        Err(_) => Ok(()),
    }
}

/// Makes the first process of the cage, and then the bot.
fn populate(order: &CageOrder, control: &OwnedFd, watched: EndSignals) -> Result<Never, Failure> {
    // SAFETY: this process is a fork of the launcher and starts no thread.
    let init = match unsafe { raw::fork_sibling() }.at(BuildStep::Fork)? {
        raw::Forked::Child => init::keep(order, watched),
        raw::Forked::Parent(init) => init,
    };
    // SAFETY: as above.
    match unsafe { raw::fork_sibling() } {
        Ok(raw::Forked::Child) => {
            // A session of its own, and so a process group: no terminal to speak to.
            let _ = rustix::process::setsid();
            mounts::shut()?;
            become_bot(order, control)
        }
        Ok(raw::Forked::Parent(bot)) => {
            say(control, &LaunchWord::Born { init, bot });
            raw::leave(0)
        }
        Err(error) => {
            // The host ends and buries what is there.
            say(control, &LaunchWord::Born { init, bot: 0 });
            Err(Failure { step: BuildStep::Fork, error })
        }
    }
}

/// Who counts the bot's processes. In a namespace of its own the kernel counts its own alone;
/// without one, the host does, where the kernel lets it.
fn counting(order: &CageOrder, control: &OwnedFd) -> ProcessCounting {
    if order.walls == Walls::Namespaces || order.program.is_none() {
        return ProcessCounting::ByUser;
    }
    let Ok(listener) = seccomp::announce_processes() else { return ProcessCounting::ByUser };
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let listeners = [listener.as_fd()];
    beside.push(SendAncillaryMessage::ScmRights(&listeners));
    let word = LaunchWord::Announces.encode();
    let parts = [io::IoSlice::new(&word)];
    // If the host is gone, so will be this process.
    let _ = rustix::net::sendmsg(control, &parts, &mut beside, SendFlags::NOSIGNAL);
    ProcessCounting::ByHost
}

/// Gives up everything a bot shall not have, and executes it.
fn become_bot(order: &CageOrder, control: &OwnedFd) -> Result<Never, Failure> {
    // The runtime of this program ignores it; bots expect what is usual.
    raw::signal(libc::SIGPIPE, raw::Disposition::Default);
    // Who writes too long a file shall hear that it is, and not be ended.
    raw::signal(libc::SIGXFSZ, raw::Disposition::Ignored);
    std::env::set_current_dir(&order.dir).at(BuildStep::Directory)?;
    raw::no_new_privileges().at(BuildStep::Rights)?;
    raw::drop_capabilities(order.user).at(BuildStep::Rights)?;
    if let (Walls::Namespaces, Some(user)) = (order.walls, order.user) {
        own_users(user).at(BuildStep::User)?;
    }
    // Not before: a user namespace keeps the limits of whoever made it for all of its user.
    limits::apply(&order.caps, counting(order, control));
    landlock::restrict(order).at(BuildStep::Landlock)?;
    raw::close_on_exec_from(3);
    let Some(program) = &order.program else {
        seccomp::filter(order).at(BuildStep::Seccomp)?;
        // Only tried: so far everything has worked.
        raw::leave(0)
    };
    let program = mounts::text(program).at(BuildStep::Execute)?;
    let words = |list: &[Vec<u8>]| -> io::Result<Vec<CString>> {
        list.iter().map(|word| Ok(CString::new(word.clone())?)).collect()
    };
    let (args, env) =
        (words(&order.args).at(BuildStep::Execute)?, words(&order.env).at(BuildStep::Execute)?);
    seccomp::filter(order).at(BuildStep::Seccomp)?;
    Err(raw::execute(&program, &args, &env)).at(BuildStep::Execute)
}
