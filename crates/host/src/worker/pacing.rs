//! How much a bot may write, and when it is read: what it says out of turn takes no time from others.

use game::{Fault, FaultKind};

use crate::worker::connection::Connection;
use crate::worker::poller::{PollSource, Poller};

/// How much a bot may write for one answer.
const ANSWER_CAP: usize = 1 << 30;
/// How much a bot may write between an answer and its next question.
const OUT_OF_TURN_CAP: usize = 32 << 10;
/// How much of that is read while others are on move, and how often. The rest is read before its next
/// question: it is the time of nobody then.
const PORTION: usize = 1 << 10;
const PORTIONS: usize = 8;

/// When a bot has written something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// It has been asked.
    OnMove,
    /// It plays, and has not been asked.
    OutOfTurn,
    /// It is getting ready, or leaves.
    NotPlaying,
}

impl Connection {
    /// It is about to be asked: what it writes from now on is for the answer.
    pub(crate) fn begin_answer(&mut self) {
        (self.on_turn, self.out_of_turn, self.portions) = (0, 0, 0);
        self.looked = None;
    }

    /// How many bytes to read at once.
    pub(crate) fn portion(&self, when: When, buffer: usize) -> usize {
        match when {
            When::OutOfTurn => PORTION.min(buffer),
            When::OnMove | When::NotPlaying => buffer,
        }
    }

    /// Counts output against the caps.
    pub(crate) fn count(&mut self, bytes: usize, when: When) -> Result<(), Fault> {
        let (written, cap) = match when {
            When::OnMove => (&mut self.on_turn, ANSWER_CAP),
            When::OutOfTurn => (&mut self.out_of_turn, OUT_OF_TURN_CAP),
            When::NotPlaying => (&mut self.on_turn, (self.child.limits.stdout_mb << 20) as usize),
        };
        *written += bytes;
        if *written <= cap {
            return Ok(());
        }
        let written = *written;
        let much = match when {
            When::OnMove => format!("{} MiB of output for one answer", written >> 20),
            When::OutOfTurn => format!("more than {} KiB of output out of turn", cap >> 10),
            When::NotPlaying => format!("{} MiB of output out of turn", written >> 20),
        };
        Err(Fault::new(FaultKind::Flood, much))
    }

    /// It was read from out of turn. If that was often or much, it is not listened to until its next
    /// question.
    pub(crate) fn put_off(&mut self, poller: &Poller) {
        self.portions += 1;
        if !self.put_off && (self.portions >= PORTIONS || self.out_of_turn >= PORTION) {
            self.put_off = true;
            poller.remove(&self.child.stdout);
        }
    }

    /// It is listened to again.
    pub(crate) fn listen_again(&mut self, poller: &Poller, connection: u32) {
        if std::mem::take(&mut self.put_off) && self.ended.is_none() {
            // If it cannot be listened to, its time runs out.
            let _ = poller.readable(&self.child.stdout, PollSource::Stdout(connection));
        }
    }

    /// Whether it has said something that waits to be read.
    pub(crate) fn is_put_off(&self) -> bool {
        self.put_off
    }
}
