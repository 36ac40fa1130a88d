//! The standard output of a bot: how it is read, and what its end means.

use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread};

use crate::os::sys::read_at_once;
use crate::worker::lines::LineSplitter;
use crate::worker::pacing::{OutputPace, OutputQuota};
use crate::worker::poller::{PollSource, Poller};

/// A process that has closed its output is usually about to end; so long it is given.
const EXIT_GRACE: Duration = Duration::from_millis(100);
/// The same for one that is about to end, and for which the system needs longer.
const LONG_EXIT_GRACE: Duration = Duration::from_secs(5);

/// What a bot writes.
#[derive(Debug)]
pub(crate) struct BotOutput {
    fd: OwnedFd,
    state: OutputState,
    reads: ReadMode,
    pub(crate) lines: LineSplitter,
    pub(crate) quota: OutputQuota,
}

/// Whether there is more to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputState {
    /// The poller reports what comes.
    Polled,
    /// The bot has said so much out of turn that it is not polled until its next question.
    PutOff,
    /// It has ended. The exit of the process should follow by then.
    Ended { exit_by: Instant, grace: ExitGrace },
    /// The table knows that the bot will never speak again.
    Reported,
}

/// How long the exit may follow the end of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExitGrace {
    /// As long as every bot has.
    Ordinary,
    /// Longer, because the process had begun to end. This is granted once: a process whose first
    /// thread has ended may go on.
    Extended,
}

/// Whether a stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// More may come.
    Open,
    /// Nothing more comes.
    Ended,
}

/// What the end of the output means by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndVerdict {
    /// It has not ended, or the table knows.
    NothingToReport,
    /// The exit may still follow.
    Wait,
    /// No exit has followed: the bot goes on without output.
    Report,
}

/// What plain reads do when there is nothing to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadMode {
    /// They return at once.
    NonBlocking,
    /// They wait.
    Blocking,
}

/// What a read of a bot's output has shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// So many bytes are in the buffer.
    Bytes(usize),
    /// Nothing at the moment.
    Nothing,
    /// Its output has ended.
    End,
}

impl OutputState {
    /// The output has ended. The first end counts.
    fn end(&mut self, now: Instant) {
        match self {
            OutputState::Polled | OutputState::PutOff => {
                let (exit_by, grace) = (now + EXIT_GRACE, ExitGrace::Ordinary);
                *self = OutputState::Ended { exit_by, grace };
            }
            OutputState::Ended { .. } | OutputState::Reported => {}
        }
    }

    /// Whether the end is to be reported now, without an exit. `is_exiting` is asked at most once:
    /// if the system is busy with the end of the process, it will say how that was.
    fn judge_end(&mut self, now: Instant, is_exiting: impl FnOnce() -> bool) -> EndVerdict {
        match *self {
            OutputState::Polled | OutputState::PutOff | OutputState::Reported => {
                EndVerdict::NothingToReport
            }
            OutputState::Ended { exit_by, .. } if exit_by > now => EndVerdict::Wait,
            OutputState::Ended { exit_by, grace: ExitGrace::Ordinary } if is_exiting() => {
                let exit_by = exit_by + LONG_EXIT_GRACE;
                *self = OutputState::Ended { exit_by, grace: ExitGrace::Extended };
                EndVerdict::Wait
            }
            OutputState::Ended { .. } => EndVerdict::Report,
        }
    }
}

impl BotOutput {
    /// Reads of `fd` must not wait.
    pub(crate) fn new(fd: OwnedFd) -> BotOutput {
        BotOutput {
            fd,
            state: OutputState::Polled,
            reads: ReadMode::NonBlocking,
            lines: LineSplitter::default(),
            quota: OutputQuota::default(),
        }
    }

    /// Starts polling it.
    pub(crate) fn listen(&self, poller: &Poller, connection: u32) -> std::io::Result<()> {
        poller.readable(&self.fd, PollSource::Stdout(connection))
    }

    /// Stops polling it for good.
    pub(crate) fn ignore(&self, poller: &Poller) {
        poller.remove(&self.fd);
    }

    /// Reads what the bot has written, at most a buffer full. Never waits.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        loop {
            let read = match self.reads {
                ReadMode::Blocking => read_at_once(self.fd.as_fd(), buffer),
                ReadMode::NonBlocking => rustix::io::read(&self.fd, &mut *buffer),
            };
            match read {
                Ok(0) => return ReadOutcome::End,
                Ok(count) => return ReadOutcome::Bytes(count),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return ReadOutcome::Nothing,
                Err(_) => return ReadOutcome::End,
            }
        }
    }

    /// Waits for what the bot will write next, until a signal interrupts the wait. Only where
    /// [`read_at_once`] works, with which all other reads go on without waiting.
    pub(crate) fn wait_and_read(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        if self.reads == ReadMode::NonBlocking && fcntl_setfl(&self.fd, OFlags::empty()).is_ok() {
            self.reads = ReadMode::Blocking;
        }
        match rustix::io::read(&self.fd, buffer) {
            Ok(0) => ReadOutcome::End,
            Ok(count) => ReadOutcome::Bytes(count),
            Err(Errno::INTR | Errno::AGAIN) => ReadOutcome::Nothing,
            Err(_) => ReadOutcome::End,
        }
    }

    /// How many bytes the bot has written that nobody has read.
    pub(crate) fn unread(&self) -> usize {
        ioctl_fionread(&self.fd).map_or(0, |bytes| bytes as usize)
    }

    /// The bot was read from out of turn. If that was often or much, it is not polled until its
    /// next question.
    pub(crate) fn note_out_of_turn(&mut self, poller: &Poller) {
        match (self.quota.note_out_of_turn(), self.state) {
            (OutputPace::PutOff, OutputState::Polled) => {
                self.state = OutputState::PutOff;
                poller.remove(&self.fd);
            }
            (OutputPace::PutOff | OutputPace::GoOn, _) => {}
        }
    }

    /// Polls it again, if it was put off.
    pub(crate) fn listen_again(&mut self, poller: &Poller, connection: u32) {
        if self.state == OutputState::PutOff {
            self.state = OutputState::Polled;
            // If it cannot be polled, the bot's time runs out.
            let _ = self.listen(poller, connection);
        }
    }

    /// Whether it is not polled until the bot's next question.
    pub(crate) fn is_put_off(&self) -> bool {
        self.state == OutputState::PutOff
    }

    /// It has ended. The process has a moment to exit.
    pub(crate) fn end(&mut self, poller: &Poller) {
        poller.remove(&self.fd);
        self.state.end(Instant::now());
    }

    /// Whether it has ended.
    pub(crate) fn stream(&self) -> Stream {
        match self.state {
            OutputState::Polled | OutputState::PutOff => Stream::Open,
            OutputState::Ended { .. } | OutputState::Reported => Stream::Ended,
        }
    }

    /// The same as a condition.
    pub(crate) fn has_ended(&self) -> bool {
        self.stream() == Stream::Ended
    }

    /// If it has ended: by when the exit of the process is waited for.
    pub(crate) fn exit_by(&self) -> Option<Instant> {
        match self.state {
            OutputState::Ended { exit_by, .. } => Some(exit_by),
            OutputState::Polled | OutputState::PutOff | OutputState::Reported => None,
        }
    }

    /// Whether its end is to be reported now, without an exit.
    pub(crate) fn judge_end(
        &mut self,
        now: Instant,
        is_exiting: impl FnOnce() -> bool,
    ) -> EndVerdict {
        self.state.judge_end(now, is_exiting)
    }

    /// The table is told that the bot will never speak again.
    pub(crate) fn report_end(&mut self) {
        self.state = OutputState::Reported;
    }
}

#[cfg(test)]
mod tests {
    use rustix::pipe::pipe;

    use super::*;

    fn ended(grace: ExitGrace, exit_by: Instant) -> OutputState {
        OutputState::Ended { exit_by, grace }
    }

    #[test]
    fn the_exit_may_follow_the_end_of_output_for_a_while() {
        let now = Instant::now();
        let mut state = OutputState::Polled;
        state.end(now);
        assert_eq!(state, ended(ExitGrace::Ordinary, now + EXIT_GRACE));
        let asked = || panic!("nobody looks at the process before the grace is over");
        assert_eq!(state.judge_end(now, asked), EndVerdict::Wait);
        assert_eq!(state.judge_end(now + EXIT_GRACE, || false), EndVerdict::Report);
    }

    #[test]
    fn a_process_that_is_exiting_gets_longer_once() {
        let now = Instant::now();
        let mut state = ended(ExitGrace::Ordinary, now);
        assert_eq!(state.judge_end(now, || true), EndVerdict::Wait);
        assert_eq!(state, ended(ExitGrace::Extended, now + LONG_EXIT_GRACE));
        let over = now + LONG_EXIT_GRACE;
        assert_eq!(state.judge_end(over, || true), EndVerdict::Report);
    }

    #[test]
    fn a_second_end_does_not_prolong_the_grace() {
        let now = Instant::now();
        let mut state = OutputState::PutOff;
        state.end(now);
        state.end(now + EXIT_GRACE);
        assert_eq!(state, ended(ExitGrace::Ordinary, now + EXIT_GRACE));
    }

    #[test]
    fn an_end_is_reported_once() {
        let now = Instant::now();
        for mut state in [OutputState::Polled, OutputState::PutOff, OutputState::Reported] {
            assert_eq!(state.judge_end(now, || true), EndVerdict::NothingToReport);
        }
        let mut state = OutputState::Reported;
        state.end(now);
        assert_eq!(state, OutputState::Reported);
    }

    #[test]
    fn reads_never_wait_after_one_that_did() {
        let (reading, writing) = pipe().expect("a pipe can be made");
        fcntl_setfl(&reading, OFlags::NONBLOCK).expect("it can be made non-blocking");
        let mut output = BotOutput::new(reading);
        let mut buffer = [0; 16];
        assert_eq!(output.read(&mut buffer), ReadOutcome::Nothing);
        rustix::io::write(&writing, b"7,7\n").expect("there is room");
        assert_eq!(output.unread(), 4);
        assert_eq!(output.wait_and_read(&mut buffer), ReadOutcome::Bytes(4));
        if crate::os::sys::reads_without_waiting() {
            assert_eq!(output.read(&mut buffer), ReadOutcome::Nothing);
        }
        drop(writing);
        assert_eq!(output.wait_and_read(&mut buffer), ReadOutcome::End);
    }

    #[test]
    fn output_that_was_put_off_is_polled_again_unless_it_has_ended() {
        let (reading, _writing) = pipe().expect("a pipe can be made");
        let poller = Poller::new().expect("a poller can be made");
        let mut output = BotOutput::new(reading);
        output.listen(&poller, 0).expect("it can be polled");
        while !output.is_put_off() {
            output.note_out_of_turn(&poller);
        }
        output.listen_again(&poller, 0);
        assert_eq!(output.state, OutputState::Polled);
        output.end(&poller);
        output.listen_again(&poller, 0);
        assert!(output.has_ended() && output.exit_by().is_some());
        output.report_end();
        assert!(output.has_ended() && output.exit_by().is_none());
    }
}
