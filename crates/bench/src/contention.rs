//! The moves of a bot beside others that want its core.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::Result;
use host::Tier;
use league::GameList;

use crate::busy_bot::BusyWith;
use crate::parts::{MeasureGroup, alternating};
use crate::rounds::{Measurement, median, quantile};
use crate::through_host::HostedGames;

/// The bots beside which a move is measured. The first harms nobody.
const ACTIVITIES: [(&str, BusyWith); 5] = [
    ("beside one that waits", BusyWith::Rest),
    ("beside 8 processes", BusyWith::Spin(8)),
    ("beside 8 sessions", BusyWith::Sessions(8)),
    ("beside 55 sessions", BusyWith::Sessions(55)),
    ("beside short-lived processes", BusyWith::Churn),
];

/// A table for every tier of this machine that makes a promise.
pub(crate) fn groups(turns: u32, games: GameList) -> Result<Vec<MeasureGroup>> {
    let exe = std::env::current_exe()?;
    let best = host::found(&exe).tier;
    // Where A can be had, B cannot.
    let tiers = [Tier::A, Tier::B, Tier::C, Tier::D].into_iter();
    let tiers = tiers.filter(|tier| *tier <= best && (*tier != Tier::B || best == Tier::B));
    tiers.map(|tier| on(tier, turns, games)).collect()
}

fn on(tier: Tier, turns: u32, games: GameList) -> Result<MeasureGroup> {
    let mut measures = Vec::new();
    for (name, activity) in ACTIVITIES {
        let mut playing = HostedGames::busy_bots(alternating(games)?, activity, tier, turns)?;
        let so_far = Rc::new(RefCell::new(Vec::new()));
        let beside = |measure: Measurement<'static>, first| match activity {
            BusyWith::Rest => measure,
            BusyWith::Work | BusyWith::Spin(_) | BusyWith::Sessions(_) | BusyWith::Churn => {
                measure.beside(first)
            }
        };
        let all = so_far.clone();
        let moves = move || {
            let mut moves = playing.moves_of_second()?;
            all.borrow_mut().extend_from_slice(&moves);
            Ok(median(&mut moves))
        };
        measures.push(beside(Measurement::new(name, "ms", moves), 0));
        // A round has too few moves for it.
        let p99 = move || {
            let mut moves = so_far.borrow_mut();
            moves.sort_by(f64::total_cmp);
            Ok(quantile(&moves, 0.99))
        };
        measures.push(beside(Measurement::new("  p99 of all rounds so far", "ms", p99), 1));
    }
    Ok(MeasureGroup { title: format!("a move on one core, tier {}", tier.name()), measures })
}
