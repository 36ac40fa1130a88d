//! A time control as a file or a command line asks for it: the one place that understands it.

use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use crate::time::{Charge, Clock};

/// What is asked of a time control. What is left out stays as it usually is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskedClock {
    /// For a move, in milliseconds; 0 is no limit.
    pub move_ms: Option<u64>,
    /// For all moves of a match together, in milliseconds.
    pub match_ms: Option<u64>,
    /// Until a program must be ready, in milliseconds.
    pub start_ms: Option<u64>,
    /// How far a move may exceed its time, in milliseconds.
    pub margin_ms: Option<u64>,
    /// Which time is charged.
    pub charge: Option<Charge>,
}

/// What one bot may have of its own: more or less time for its moves than the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OwnClock {
    /// For a move, in milliseconds; 0 is no limit.
    pub move_ms: Option<u64>,
    /// For all moves of a match together, in milliseconds.
    pub match_ms: Option<u64>,
}

/// A time that leaves none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{key} = 0 leaves no time at all; it is at least 1")]
pub struct NoTimeError {
    /// Which of them.
    pub key: &'static str,
}

impl AskedClock {
    /// The time control that is meant, where `usual` is what applies to what was left out.
    pub fn settle(self, usual: Clock) -> Result<Clock, NoTimeError> {
        for (key, given) in [("match_ms", self.match_ms), ("start_ms", self.start_ms)] {
            if given == Some(0) {
                return Err(NoTimeError { key });
            }
        }
        let ms = Duration::from_millis;
        Ok(Clock {
            turn: match self.move_ms {
                None => usual.turn,
                Some(0) => None,
                Some(limit) => Some(ms(limit)),
            },
            bank: self.match_ms.map(ms).or(usual.bank),
            start: self.start_ms.map_or(usual.start, ms),
            margin: self.margin_ms.map_or(usual.margin, ms),
            charge: self.charge.unwrap_or(usual.charge),
        })
    }
}

impl OwnClock {
    /// The time control of this bot, where all others have that one.
    pub fn settle(self, all: Clock) -> Result<Clock, NoTimeError> {
        let OwnClock { move_ms, match_ms } = self;
        AskedClock { move_ms, match_ms, ..AskedClock::default() }.settle(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_stays_as_usual() {
        let usual = Clock { charge: Charge::Cpu, ..Clock::per_turn(Duration::from_millis(100)) };
        assert_eq!(AskedClock::default().settle(usual), Ok(usual));
        assert_eq!(OwnClock::default().settle(usual), Ok(usual));
        let own = OwnClock { move_ms: Some(50), match_ms: Some(900) };
        let (turn, bank) = (Duration::from_millis(50), Duration::from_millis(900));
        assert_eq!(own.settle(usual), Ok(Clock { turn: Some(turn), bank: Some(bank), ..usual }));
    }

    #[test]
    fn no_limit_for_a_move_is_meant_but_no_time_for_a_match_is_a_slip() {
        let usual = Clock::per_turn(Duration::from_millis(100));
        let unlimited = AskedClock { move_ms: Some(0), ..AskedClock::default() };
        assert_eq!(unlimited.settle(usual), Ok(Clock { turn: None, ..usual }));
        let none = AskedClock { match_ms: Some(0), ..AskedClock::default() };
        assert_eq!(none.settle(usual), Err(NoTimeError { key: "match_ms" }));
        let none = AskedClock { start_ms: Some(0), ..AskedClock::default() };
        assert_eq!(none.settle(usual), Err(NoTimeError { key: "start_ms" }));
    }
}
