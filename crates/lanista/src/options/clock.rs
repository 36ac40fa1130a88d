//! The time control that options ask for.

use std::time::Duration;

use game::{Charge, Clock};

use crate::cli::{ClockOptions, TimeCharged};

/// The time control, as asked on the command line.
pub(crate) fn clock(asked: &ClockOptions, usual: Clock) -> Clock {
    let ms = Duration::from_millis;
    Clock {
        turn: match asked.timeout_ms {
            None => usual.turn,
            Some(0) => None,
            Some(limit) => Some(ms(limit)),
        },
        bank: asked.match_ms.map(ms).or(usual.bank),
        start: asked.start_ms.map_or(usual.start, ms),
        margin: asked.margin_ms.map_or(usual.margin, ms),
        charge: match asked.clock {
            TimeCharged::Wall => Charge::Wall,
            TimeCharged::Cpu => Charge::Cpu,
        },
    }
}
