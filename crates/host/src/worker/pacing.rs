//! How much a bot may write, and when it is read: output out of turn takes no time from other bots.

use game::{Fault, FaultKind};

use crate::worker::bot_input::Queued;

/// How much a bot may write for one answer.
const ANSWER_CAP: usize = 1 << 30;
/// How much a bot may write between an answer and its next question.
const OUT_OF_TURN_CAP: usize = 32 << 10;
/// How much of that is read while others are on move, and how often. The rest is read before the
/// bot's next question, when no clock runs.
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

/// How a seat stands in its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BotTurn {
    /// Its bot has been asked.
    OnMove,
    /// Its bot plays, and has not been asked.
    Waits,
    /// Its bot is getting ready, or leaves.
    NotPlaying,
}

impl When {
    /// When a bot has written what is read from it now. A question that is still `queued` cannot be
    /// what it answers.
    pub(crate) fn new(turn: BotTurn, queued: Queued) -> When {
        match (turn, queued) {
            (BotTurn::OnMove | BotTurn::Waits, Queued::Question) => When::OutOfTurn,
            (BotTurn::OnMove, Queued::Nothing | Queued::Message) => When::OnMove,
            (BotTurn::Waits, Queued::Nothing | Queued::Message) => When::OutOfTurn,
            (BotTurn::NotPlaying, _) => When::NotPlaying,
        }
    }
}

/// Whether a bot is read from while others are on move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputPace {
    /// As soon as it writes.
    GoOn,
    /// Not before its next question.
    PutOff,
}

/// How many bytes of a bot to read at once, into a buffer of this size.
pub(crate) fn portion(when: When, buffer: usize) -> usize {
    match when {
        When::OutOfTurn => PORTION.min(buffer),
        When::OnMove | When::NotPlaying => buffer,
    }
}

/// What a bot has written since its last question.
#[derive(Debug, Default)]
pub(crate) struct OutputQuota {
    /// For the answer due, or until it is ready.
    on_turn: usize,
    /// While no answer was due.
    out_of_turn: usize,
    /// How often it was read from out of turn.
    portions: usize,
}

impl OutputQuota {
    /// The bot is about to be asked: what it writes from now on is for the answer.
    pub(crate) fn begin_answer(&mut self) {
        *self = OutputQuota::default();
    }

    /// Counts output against the caps. While the bot does not play, `idle_cap` is the limit.
    pub(crate) fn count(&mut self, bytes: usize, when: When, idle_cap: usize) -> Result<(), Fault> {
        let (written, cap) = match when {
            When::OnMove => (&mut self.on_turn, ANSWER_CAP),
            When::OutOfTurn => (&mut self.out_of_turn, OUT_OF_TURN_CAP),
            When::NotPlaying => (&mut self.on_turn, idle_cap),
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

    /// The bot was read from out of turn. Whether it has to wait now.
    pub(crate) fn note_out_of_turn(&mut self) -> OutputPace {
        self.portions += 1;
        match self.portions >= PORTIONS || self.out_of_turn >= PORTION {
            true => OutputPace::PutOff,
            false => OutputPace::GoOn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_before_a_question_has_left_is_out_of_turn() {
        for turn in [BotTurn::OnMove, BotTurn::Waits] {
            assert_eq!(When::new(turn, Queued::Question), When::OutOfTurn);
        }
        assert_eq!(When::new(BotTurn::OnMove, Queued::Nothing), When::OnMove);
        assert_eq!(When::new(BotTurn::OnMove, Queued::Message), When::OnMove);
        assert_eq!(When::new(BotTurn::Waits, Queued::Message), When::OutOfTurn);
        assert_eq!(When::new(BotTurn::NotPlaying, Queued::Question), When::NotPlaying);
    }

    #[test]
    fn out_of_turn_only_a_portion_is_read_at_once() {
        assert_eq!(portion(When::OutOfTurn, 64 << 10), PORTION);
        assert_eq!(portion(When::OutOfTurn, 10), 10);
        assert_eq!(portion(When::OnMove, 64 << 10), 64 << 10);
        assert_eq!(portion(When::NotPlaying, 64 << 10), 64 << 10);
    }

    #[test]
    fn each_cap_allows_its_last_byte() {
        for (when, cap) in [
            (When::OnMove, ANSWER_CAP),
            (When::OutOfTurn, OUT_OF_TURN_CAP),
            (When::NotPlaying, 1 << 20),
        ] {
            let mut quota = OutputQuota::default();
            assert_eq!(quota.count(cap, when, 1 << 20), Ok(()), "{when:?}");
            let fault = quota.count(1, when, 1 << 20).expect_err("it is one byte too much");
            assert_eq!(fault.kind, FaultKind::Flood, "{when:?}");
        }
    }

    #[test]
    fn what_is_said_out_of_turn_does_not_count_for_the_answer() {
        let mut quota = OutputQuota::default();
        quota.count(OUT_OF_TURN_CAP, When::OutOfTurn, 0).expect("it is just allowed");
        assert_eq!(quota.count(ANSWER_CAP, When::OnMove, 0), Ok(()));
    }

    #[test]
    fn a_question_begins_a_new_account() {
        let mut quota = OutputQuota::default();
        quota.count(OUT_OF_TURN_CAP, When::OutOfTurn, 0).expect("it is just allowed");
        assert_eq!(quota.note_out_of_turn(), OutputPace::PutOff);
        quota.begin_answer();
        assert_eq!(quota.count(1, When::OutOfTurn, 0), Ok(()));
        assert_eq!(quota.note_out_of_turn(), OutputPace::GoOn);
    }

    #[test]
    fn a_bot_that_talks_often_out_of_turn_has_to_wait() {
        let mut quota = OutputQuota::default();
        for _ in 1..PORTIONS {
            assert_eq!(quota.note_out_of_turn(), OutputPace::GoOn);
        }
        assert_eq!(quota.note_out_of_turn(), OutputPace::PutOff);
    }

    #[test]
    fn a_bot_that_talks_much_out_of_turn_has_to_wait() {
        let mut quota = OutputQuota::default();
        quota.count(PORTION - 1, When::OutOfTurn, 0).expect("it is allowed");
        assert_eq!(quota.note_out_of_turn(), OutputPace::GoOn);
        quota.count(1, When::OutOfTurn, 0).expect("it is allowed");
        assert_eq!(quota.note_out_of_turn(), OutputPace::PutOff);
    }
}
