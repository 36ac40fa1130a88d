//! The namespaces of a cage that is used again, by one process of a bot after another.
//!
//! Making and taking down a cage costs the kernel more than all the rest of a start. A bot has no
//! rights over its namespaces, and what it could leave there is refused (`seccomp.rs`), ends with its
//! processes, or is made anew for the next one: `/tmp` and the numbers of processes
//! (`template_process.rs`). Only one process of a bot is in a cage at a time.
//!
//! Users are those of the first bot of the cage: it has made their namespace (`bot_process.rs`), in
//! which nothing counts that has ended.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags, fstat, open, openat};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::handles::put_away;

/// Handles of what a thread can leave and another one can enter.
#[derive(Debug)]
pub(crate) struct Surroundings {
    mounts: OwnedFd,
    processes: OwnedFd,
    network: OwnedFd,
    ipc: OwnedFd,
    host_name: OwnedFd,
}

impl Surroundings {
    /// Those of this thread, and of its next child. `proc` is the `/proc` in which it has a number.
    pub(crate) fn of_this_thread(proc: &OwnedFd) -> io::Result<Surroundings> {
        let own = |name| put_away(handle(proc, &format!("thread-self/ns/{name}"))?);
        Ok(Surroundings {
            mounts: own("mnt")?,
            processes: own("pid_for_children")?,
            network: own("net")?,
            ipc: own("ipc")?,
            host_name: own("uts")?,
        })
    }

    /// This thread is in them from now on, and its next child in that of processes.
    pub(crate) fn enter(&self) -> io::Result<()> {
        enter(&self.processes, LinkNameSpaceType::ProcessID)?;
        enter(&self.network, LinkNameSpaceType::Network)?;
        enter(&self.ipc, LinkNameSpaceType::InterProcessCommunication)?;
        enter(&self.host_name, LinkNameSpaceType::HostNameAndNISDomainName)?;
        self.enter_mounts()
    }

    /// This thread sees its file system from now on.
    pub(crate) fn enter_mounts(&self) -> io::Result<()> {
        enter(&self.mounts, LinkNameSpaceType::Mount)
    }
}

/// Handles of the namespaces of one cage.
#[derive(Debug)]
pub(crate) struct CageNamespaces {
    pub(crate) surroundings: Surroundings,
    /// Where a process of the cage writes which number the next one has.
    pub(crate) numbers: OwnedFd,
    /// None if the system has no user namespaces.
    users: Option<OwnedFd>,
}

impl CageNamespaces {
    /// So many descriptors it takes.
    pub(crate) const DESCRIPTORS: u64 = 7;

    /// Those that this thread is in, and its children, of whom there has been one, and the users of
    /// this bot. `proc` is the `/proc` in which both have a number.
    pub(crate) fn of_this_thread(proc: &OwnedFd, bot: i32) -> io::Result<CageNamespaces> {
        let users = |of: &str| handle(proc, &format!("{of}/ns/user"));
        let bots = users(&bot.to_string())?;
        let same = same_file(&bots, &users("thread-self")?)?;
        Ok(CageNamespaces {
            surroundings: Surroundings::of_this_thread(proc)?,
            numbers: put_away(numbers()?)?,
            users: if same { None } else { Some(put_away(bots)?) },
        })
    }

    /// A handle of its users for a process that becomes a bot, which has none of those that are kept.
    pub(crate) fn users(&self) -> io::Result<Option<OwnedFd>> {
        self.users.as_ref().map(OwnedFd::try_clone).transpose()
    }
}

/// This process is in this namespace of users from now on, and has all rights there, but is nobody of
/// them yet.
pub(crate) fn enter_users(users: &OwnedFd) -> io::Result<()> {
    enter(users, LinkNameSpaceType::User)
}

/// Where the kernel is told which number the next process of a namespace has.
pub(crate) fn numbers() -> io::Result<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    Ok(open("/proc/sys/kernel/ns_last_pid", flags, Mode::empty())?)
}

fn handle(proc: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    Ok(openat(proc, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Whether two handles are of the same namespace.
fn same_file(one: &OwnedFd, other: &OwnedFd) -> io::Result<bool> {
    let (one, other) = (fstat(one)?, fstat(other)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

/// Moves this thread to a namespace.
fn enter(namespace: &OwnedFd, kind: LinkNameSpaceType) -> io::Result<()> {
    Ok(move_into_link_name_space(namespace.as_fd(), Some(kind))?)
}
