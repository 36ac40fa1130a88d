//! The moves of a bot beside others that want its core.

use std::cell::Cell;
use std::rc::Rc;

use anyhow::Result;
use host::Tier;

use super::hosted::Playing;
use super::parts::{Plan, alternating};
use super::rounds::Measure;
use crate::burner::Habit;

/// The bots beside which a move is measured. The first harms nobody.
const HABITS: [(&str, Habit); 5] = [
    ("beside one that waits", Habit::Rest),
    ("beside 8 processes", Habit::Spin(8)),
    ("beside 8 sessions", Habit::Sessions(8)),
    ("beside 55 sessions", Habit::Sessions(55)),
    ("beside short-lived processes", Habit::Churn),
];

/// A table for every tier of this machine that makes a promise.
pub(super) fn burns(turns: u32) -> Result<Vec<Plan>> {
    let exe = std::env::current_exe()?;
    let best = host::found(&exe).tier;
    // Where A can be had, B cannot.
    let tiers = [Tier::A, Tier::B, Tier::C, Tier::D].into_iter();
    let tiers = tiers.filter(|tier| *tier <= best && (*tier != Tier::B || best == Tier::B));
    tiers.map(|tier| on(tier, turns)).collect()
}

fn on(tier: Tier, turns: u32) -> Result<Plan> {
    let mut measures = Vec::new();
    for (name, habit) in HABITS {
        let mut playing = Playing::burners(alternating()?, habit, tier, turns)?;
        let slowest = Rc::new(Cell::new(0.0));
        let seen = slowest.clone();
        let beside = |measure: Measure<'static>, first| match habit {
            Habit::Rest => measure,
            Habit::Work | Habit::Spin(_) | Habit::Sessions(_) | Habit::Churn => {
                measure.beside(first)
            }
        };
        let moves = move || {
            let (mean, worst) = playing.moves_of_second()?;
            slowest.set(worst);
            Ok(mean)
        };
        measures.push(beside(Measure::new(name, "ms", moves), 0));
        let worst =
            Measure::new(format!("  the slowest of {}", turns / 2), "ms", move || Ok(seen.get()));
        measures.push(beside(worst, 1));
    }
    Ok(Plan { title: format!("a move on one core, tier {}", tier.name()), measures })
}
