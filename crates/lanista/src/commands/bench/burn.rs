//! The moves of a bot beside others that want its core.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use host::Tier;

use super::hosted::Playing;
use super::parts::{Plan, alternating};
use super::rounds::{Measure, median, quantile};
use crate::catalogue::Catalogue;
use crate::commands::bench::burner::Habit;

/// The bots beside which a move is measured. The first harms nobody.
const HABITS: [(&str, Habit); 5] = [
    ("beside one that waits", Habit::Rest),
    ("beside 8 processes", Habit::Spin(8)),
    ("beside 8 sessions", Habit::Sessions(8)),
    ("beside 55 sessions", Habit::Sessions(55)),
    ("beside short-lived processes", Habit::Churn),
];

/// A table for every tier of this machine that makes a promise.
pub(super) fn burns(turns: u32, catalogue: Catalogue) -> Result<Vec<Plan>> {
    let exe = std::env::current_exe()?;
    let best = host::found(&exe).tier;
    // Where A can be had, B cannot.
    let tiers = [Tier::A, Tier::B, Tier::C, Tier::D].into_iter();
    let tiers = tiers.filter(|tier| *tier <= best && (*tier != Tier::B || best == Tier::B));
    tiers.map(|tier| on(tier, turns, catalogue)).collect()
}

fn on(tier: Tier, turns: u32, catalogue: Catalogue) -> Result<Plan> {
    let mut measures = Vec::new();
    for (name, habit) in HABITS {
        let mut playing = Playing::burners(alternating(catalogue)?, habit, tier, turns)?;
        let so_far = Rc::new(RefCell::new(Vec::new()));
        let beside = |measure: Measure<'static>, first| match habit {
            Habit::Rest => measure,
            Habit::Work | Habit::Spin(_) | Habit::Sessions(_) | Habit::Churn => {
                measure.beside(first)
            }
        };
        let all = so_far.clone();
        let moves = move || {
            let mut moves = playing.moves_of_second()?;
            all.borrow_mut().extend_from_slice(&moves);
            Ok(median(&mut moves))
        };
        measures.push(beside(Measure::new(name, "ms", moves), 0));
        // A round has too few moves for it.
        let p99 = move || {
            let mut moves = so_far.borrow_mut();
            moves.sort_by(f64::total_cmp);
            Ok(quantile(&moves, 0.99))
        };
        measures.push(beside(Measure::new("  p99 of all rounds so far", "ms", p99), 1));
    }
    Ok(Plan { title: format!("a move on one core, tier {}", tier.name()), measures })
}
