//! The time control that options ask for.

use anyhow::Result;
use game::{AskedClock, Charge, Clock};

use crate::cli::{ClockOptions, TimeCharged};

/// The time control, as asked on the command line.
pub(crate) fn clock(options: &ClockOptions, usual: Clock) -> Result<Clock> {
    let asked = AskedClock {
        move_ms: options.timeout_ms,
        match_ms: options.match_ms,
        start_ms: options.start_ms,
        margin_ms: options.margin_ms,
        charge: Some(match options.clock {
            TimeCharged::Wall => Charge::Wall,
            TimeCharged::Cpu => Charge::Cpu,
        }),
    };
    Ok(asked.settle(usual)?)
}
