//! The standard error of a bot: how much of it is kept, and when it is no longer read.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use crate::bot::missing::missing_file;
use crate::worker::poller::{PollSource, Poller};

/// How much of a bot's standard error a match keeps.
const KEPT: usize = 256 << 10;

/// What a bot writes to its standard error.
#[derive(Debug)]
pub(crate) struct BotStderr {
    fd: OwnedFd,
    state: StderrState,
    /// The bot has complained about this file, which is not there.
    missing_file: Option<String>,
}

/// Whether it is still read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StderrState {
    /// It is. The bot has written so many bytes in this match.
    Read(usize),
    /// It has ended, or the bot has written more than it may.
    Closed,
}

/// What becomes of bytes that have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeptPart {
    All,
    /// So many; the rest is not kept.
    Beginning(usize),
    Nothing,
}

/// What is kept of `count` bytes after so many others.
fn kept(before: usize, count: usize) -> KeptPart {
    match KEPT.saturating_sub(before) {
        0 => KeptPart::Nothing,
        room if count >= room => KeptPart::Beginning(room),
        _ => KeptPart::All,
    }
}

impl BotStderr {
    /// Reads of `fd` must not wait.
    pub(crate) fn new(fd: OwnedFd) -> BotStderr {
        BotStderr { fd, state: StderrState::Read(0), missing_file: None }
    }

    /// Starts polling it.
    pub(crate) fn listen(&self, poller: &Poller, connection: u32) -> std::io::Result<()> {
        poller.readable(&self.fd, PollSource::Stderr(connection))
    }

    /// Stops polling it for good.
    pub(crate) fn ignore(&self, poller: &Poller) {
        poller.remove(&self.fd);
    }

    /// Another match begins.
    pub(crate) fn next_match(&mut self) {
        if let StderrState::Read(bytes) = &mut self.state {
            *bytes = 0;
        }
    }

    /// Whether it is not read any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.state == StderrState::Closed
    }

    /// The file that the bot has missed, if it has complained about one.
    pub(crate) fn missing_file(&self) -> Option<&str> {
        self.missing_file.as_deref()
    }

    /// Reads what is there; what is to be kept is handed to `keep`. A bot may write `cap_mb` in a
    /// match: after that nobody reads it.
    pub(crate) fn read(
        &mut self,
        buffer: &mut [u8],
        cap_mb: u64,
        poller: &Poller,
        mut keep: impl FnMut(&[u8]),
    ) {
        // A few rounds, then others get their turn.
        for _ in 0..4 {
            let StderrState::Read(before) = self.state else { return };
            match rustix::io::read(&self.fd, &mut *buffer) {
                Ok(0) => return self.close(poller),
                Ok(count) => {
                    if let Some(file) = missing_file(&buffer[..count]) {
                        self.missing_file = Some(file);
                    }
                    match kept(before, count) {
                        KeptPart::All => keep(&buffer[..count]),
                        KeptPart::Beginning(room) => {
                            keep(&buffer[..room]);
                            keep(b"\n[the rest is not kept]\n");
                        }
                        KeptPart::Nothing => {}
                    }
                    self.state = StderrState::Read(before + count);
                    if (before + count) as u64 > cap_mb << 20 {
                        return self.close(poller);
                    }
                    if count < buffer.len() {
                        return;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => return self.close(poller),
            }
        }
    }

    fn close(&mut self, poller: &Poller) {
        poller.remove(&self.fd);
        self.state = StderrState::Closed;
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::pipe::pipe;

    use super::*;

    fn stderr() -> (BotStderr, OwnedFd, Poller) {
        let (reading, writing) = pipe().expect("a pipe can be made");
        fcntl_setfl(&reading, OFlags::NONBLOCK).expect("it can be made non-blocking");
        (BotStderr::new(reading), writing, Poller::new().expect("a poller can be made"))
    }

    #[test]
    fn the_beginning_is_kept_and_the_rest_is_not() {
        assert_eq!(kept(0, KEPT - 1), KeptPart::All);
        assert_eq!(kept(0, KEPT + 5), KeptPart::Beginning(KEPT));
        assert_eq!(kept(KEPT - 3, 3), KeptPart::Beginning(3));
        assert_eq!(kept(KEPT, 1), KeptPart::Nothing);
        assert_eq!(kept(usize::MAX, 1), KeptPart::Nothing);
    }

    #[test]
    fn nobody_reads_on_after_the_cap() {
        let (mut stderr, writing, poller) = stderr();
        rustix::io::write(&writing, b"one").expect("there is room");
        let mut read = Vec::new();
        stderr.read(&mut [0; 16], 0, &poller, |bytes| read.extend_from_slice(bytes));
        assert!(stderr.is_closed());
        rustix::io::write(&writing, b"two").expect("there is room");
        stderr.read(&mut [0; 16], 0, &poller, |bytes| read.extend_from_slice(bytes));
        assert_eq!(read, b"one");
    }

    #[test]
    fn each_match_has_room_of_its_own() {
        let (mut stderr, writing, poller) = stderr();
        stderr.state = StderrState::Read(KEPT);
        stderr.next_match();
        rustix::io::write(&writing, b"one").expect("there is room");
        let mut read = Vec::new();
        stderr.read(&mut [0; 16], 1, &poller, |bytes| read.extend_from_slice(bytes));
        assert_eq!(read, b"one");
        assert!(!stderr.is_closed());
    }

    #[test]
    fn a_closed_one_stays_closed_in_the_next_match() {
        let (mut stderr, writing, poller) = stderr();
        drop(writing);
        stderr.read(&mut [0; 16], 1, &poller, |_| panic!("there is nothing"));
        stderr.next_match();
        assert!(stderr.is_closed());
    }
}
