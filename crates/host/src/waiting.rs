//! Waiting for any of many things to happen.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll;

use crate::sys;

/// What a file descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The bot in this place has written.
    Stdout(u32),
    /// The bot in this place has written to its standard error.
    Stderr(u32),
    /// The process in this place has ended.
    Exit(u32),
    /// The bot in this place can be written to again.
    Stdin(u32),
    /// A process has been started on another thread.
    Started,
    /// A built-in bot on another thread has decided.
    Thought,
    /// The program is to stop.
    Interrupt,
}

impl Source {
    fn pack(self) -> u64 {
        let (kind, place) = match self {
            Source::Stdout(place) => (0, place),
            Source::Stderr(place) => (1, place),
            Source::Exit(place) => (2, place),
            Source::Stdin(place) => (3, place),
            Source::Thought => (4, 0),
            Source::Interrupt => (5, 0),
            Source::Started => (6, 0),
        };
        kind << 32 | u64::from(place)
    }

    fn unpack(data: u64) -> Source {
        let place = data as u32;
        match data >> 32 {
            0 => Source::Stdout(place),
            1 => Source::Stderr(place),
            2 => Source::Exit(place),
            3 => Source::Stdin(place),
            4 => Source::Thought,
            5 => Source::Interrupt,
            _ => Source::Started,
        }
    }
}

/// A set of things to wait for.
///
/// One epoll set, level-triggered. Measured and left alone: polling outputs directly with the
/// set beside them (dearer), polling them alone with a short time-out first (much dearer: a near
/// timer has to be programmed, which leaves a virtual machine), edge triggering (the same).
#[derive(Debug)]
pub(crate) struct Waiting {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Waiting {
    pub(crate) fn new() -> io::Result<Waiting> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Waiting { epoll, events: vec![libc::epoll_event { events: 0, u64: 0 }; 1024] })
    }

    /// Waits for `fd` to be readable, until it is removed.
    pub(crate) fn readable(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
        self.add(fd.as_fd(), source, epoll::EventFlags::IN)
    }

    /// Waits for `fd` to be writable, until it is removed.
    pub(crate) fn writable(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
        self.add(fd.as_fd(), source, epoll::EventFlags::OUT)
    }

    fn add(&self, fd: BorrowedFd<'_>, source: Source, flags: epoll::EventFlags) -> io::Result<()> {
        let data = epoll::EventData::new_u64(source.pack());
        Ok(epoll::add(&self.epoll, fd, data, flags)?)
    }

    /// Stops waiting for `fd`, if it was waited for. Must come before it is closed.
    pub(crate) fn remove(&self, fd: impl AsFd) {
        let _ = epoll::delete(&self.epoll, fd);
    }

    /// Waits until something happens or the time is over; what happened is appended to `found`.
    pub(crate) fn wait(&mut self, timeout: Option<Duration>, found: &mut Vec<Source>) {
        let count = sys::epoll_wait(self.epoll.as_fd(), &mut self.events, timeout);
        found.extend(self.events[..count].iter().map(|event| Source::unpack(event.u64)));
    }
}
