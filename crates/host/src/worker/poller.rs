//! Waits until any of many descriptors is ready.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll;

use crate::os::sys;

/// What a file descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PollSource {
    /// The bot on this connection has written.
    Stdout(u32),
    /// The bot on this connection has written to its standard error.
    Stderr(u32),
    /// The process on this connection has ended.
    Exit(u32),
    /// The bot on this connection can be written to again.
    Stdin(u32),
    /// A process has been started on another thread.
    Started,
    /// A built-in bot on another thread has decided.
    Thought,
    /// A person has said something.
    Person,
    /// The program is to stop.
    Interrupt,
    /// Somebody wants to watch the match.
    Watched,
}

impl PollSource {
    fn pack(self) -> u64 {
        let (kind, connection) = match self {
            PollSource::Stdout(connection) => (0, connection),
            PollSource::Stderr(connection) => (1, connection),
            PollSource::Exit(connection) => (2, connection),
            PollSource::Stdin(connection) => (3, connection),
            PollSource::Thought => (4, 0),
            PollSource::Interrupt => (5, 0),
            PollSource::Started => (6, 0),
            PollSource::Person => (7, 0),
            PollSource::Watched => (8, 0),
        };
        kind << 32 | u64::from(connection)
    }

    fn unpack(data: u64) -> PollSource {
        let connection = data as u32;
        match data >> 32 {
            0 => PollSource::Stdout(connection),
            1 => PollSource::Stderr(connection),
            2 => PollSource::Exit(connection),
            3 => PollSource::Stdin(connection),
            4 => PollSource::Thought,
            5 => PollSource::Interrupt,
            6 => PollSource::Started,
            7 => PollSource::Person,
            _ => PollSource::Watched,
        }
    }
}

/// A set of things to wait for.
///
/// One epoll set, level-triggered. Measured and left alone: polling outputs directly with the
/// set beside them (dearer), polling them alone with a short time-out first (much dearer: a near
/// timer has to be programmed, which leaves a virtual machine), edge triggering (the same).
#[derive(Debug)]
pub(crate) struct Poller {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Poller {
    pub(crate) fn new() -> io::Result<Poller> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Poller { epoll, events: vec![libc::epoll_event { events: 0, u64: 0 }; 1024] })
    }

    /// Waits for `fd` to be readable, until it is removed.
    pub(crate) fn readable(&self, fd: impl AsFd, source: PollSource) -> io::Result<()> {
        self.add(fd.as_fd(), source, epoll::EventFlags::IN)
    }

    /// Waits for `fd` to be writable, until it is removed.
    pub(crate) fn writable(&self, fd: impl AsFd, source: PollSource) -> io::Result<()> {
        self.add(fd.as_fd(), source, epoll::EventFlags::OUT)
    }

    fn add(
        &self,
        fd: BorrowedFd<'_>,
        source: PollSource,
        flags: epoll::EventFlags,
    ) -> io::Result<()> {
        let data = epoll::EventData::new_u64(source.pack());
        Ok(epoll::add(&self.epoll, fd, data, flags)?)
    }

    /// Stops waiting for `fd`, if it was waited for. Must come before it is closed.
    pub(crate) fn remove(&self, fd: impl AsFd) {
        let _ = epoll::delete(&self.epoll, fd);
    }

    /// Waits until something happens or the time is over; what happened is appended to `found`.
    pub(crate) fn wait(&mut self, timeout: Option<Duration>, found: &mut Vec<PollSource>) {
        let count = sys::epoll_wait(self.epoll.as_fd(), &mut self.events, timeout);
        found.extend(self.events[..count].iter().map(|event| PollSource::unpack(event.u64)));
    }
}

#[cfg(test)]
mod tests {
    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn every_source_is_recognised_when_it_is_reported() {
        let of_connections =
            [PollSource::Stdout, PollSource::Stderr, PollSource::Exit, PollSource::Stdin];
        let of_connections = of_connections.iter().flat_map(|source| [0, 7, u32::MAX].map(source));
        let others = [
            PollSource::Started,
            PollSource::Thought,
            PollSource::Person,
            PollSource::Interrupt,
            PollSource::Watched,
        ];
        for source in of_connections.chain(others) {
            assert_eq!(PollSource::unpack(source.pack()), source);
        }
    }

    #[test]
    fn a_descriptor_is_reported_until_it_is_removed() {
        let mut poller = Poller::new().expect("a poller can be made");
        let (reading, writing) = pipe().expect("a pipe can be made");
        let now = |poller: &mut Poller| {
            let mut found = Vec::new();
            poller.wait(Some(Duration::ZERO), &mut found);
            found
        };
        poller.readable(&reading, PollSource::Stdout(3)).expect("it can be added");
        assert_eq!(now(&mut poller), []);
        rustix::io::write(&writing, b"7,7\n").expect("there is room");
        assert_eq!(now(&mut poller), [PollSource::Stdout(3)]);
        assert_eq!(now(&mut poller), [PollSource::Stdout(3)], "until somebody reads it");
        poller.writable(&writing, PollSource::Stdin(3)).expect("it can be added");
        poller.remove(&reading);
        assert_eq!(now(&mut poller), [PollSource::Stdin(3)]);
    }

    #[test]
    fn what_was_found_before_is_kept() {
        let mut poller = Poller::new().expect("a poller can be made");
        let mut found = vec![PollSource::Interrupt];
        poller.wait(Some(Duration::ZERO), &mut found);
        assert_eq!(found, [PollSource::Interrupt]);
    }
}
