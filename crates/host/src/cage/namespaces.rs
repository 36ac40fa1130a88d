//! Namespaces that are used again, by one cage after another: network, IPC and host name.
//!
//! They cost the kernel more than the rest of a cage together, a network above all. A cage has them
//! for itself, and they are as empty after it as before: a bot has no rights over them and the
//! filter of system calls (`seccomp.rs`) refuses everything that could leave something there:
//! sockets that outlive their process, System V IPC, message queues, the host name. What a bot may
//! have, pairs of sockets, ends with its processes.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, openat};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space};

use super::raw;

/// The namespaces of one cage that may be used again.
#[derive(Debug)]
pub(crate) struct EmptyNamespaces {
    network: OwnedFd,
    ipc: OwnedFd,
    host_name: OwnedFd,
}

impl EmptyNamespaces {
    /// Makes new ones and is in them.
    fn make(proc: &OwnedFd) -> io::Result<EmptyNamespaces> {
        raw::unshare(UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS)?;
        Ok(EmptyNamespaces {
            network: own(proc, "thread-self/ns/net")?,
            ipc: own(proc, "thread-self/ns/ipc")?,
            host_name: own(proc, "thread-self/ns/uts")?,
        })
    }

    fn enter(&self) -> io::Result<()> {
        enter(&self.network, LinkNameSpaceType::Network)?;
        enter(&self.ipc, LinkNameSpaceType::InterProcessCommunication)?;
        enter(&self.host_name, LinkNameSpaceType::HostNameAndNISDomainName)
    }
}

/// Moves this thread to a namespace.
fn enter(namespace: &OwnedFd, kind: LinkNameSpaceType) -> io::Result<()> {
    Ok(move_into_link_name_space(namespace.as_fd(), Some(kind))?)
}

/// A namespace of this thread, by its name below a `/proc`.
fn own(proc: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    Ok(openat(proc, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

/// The namespaces that cages have now or had before.
#[derive(Debug, Default)]
pub(crate) struct NamespacePool {
    free: Vec<EmptyNamespaces>,
    /// With the first process of the cage that has them.
    lent: VecDeque<(OwnedFd, EmptyNamespaces)>,
}

impl NamespacePool {
    /// Is in namespaces that no cage has, from now on.
    pub(crate) fn enter(&mut self, proc: &OwnedFd) -> io::Result<EmptyNamespaces> {
        self.take_back();
        let Some(namespaces) = self.free.pop() else { return EmptyNamespaces::make(proc) };
        namespaces.enter()?;
        Ok(namespaces)
    }

    /// A cage has them, whose first process this is a handle of.
    pub(crate) fn lend(&mut self, namespaces: EmptyNamespaces, init: OwnedFd) {
        // They take four descriptors. Where there are very many cages at a time, the rest go with theirs.
        const MOST: usize = 128;
        if self.lent.len() < MOST {
            self.lent.push_back((init, namespaces));
        }
    }

    /// No cage came about.
    pub(crate) fn give_back(&mut self, namespaces: EmptyNamespaces) {
        self.free.push(namespaces);
    }

    /// The first process of a cage ends when all others are gone, so that nobody is left in its
    /// namespaces then. The oldest are the likeliest to have ended.
    fn take_back(&mut self) {
        const AT_ONCE: usize = 4;
        const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        for _ in 0..AT_ONCE.min(self.lent.len()) {
            let Some((init, namespaces)) = self.lent.pop_front() else { return };
            match poll(&mut [PollFd::new(&init, PollFlags::IN)], Some(&NOW)) {
                Ok(1..) => self.free.push(namespaces),
                Ok(0) | Err(_) => self.lent.push_back((init, namespaces)),
            }
        }
    }
}
