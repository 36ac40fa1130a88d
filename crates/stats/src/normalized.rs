//! Hypotheses about the score in units of its own spread: the likeliest distribution that satisfies
//! one.

use crate::sprt::{EDGE, Tilted, edge_and_spread, one_sided, tilted};
use crate::summary::elo_per_unit;

/// So often the variance of a hypothesis is fitted to its own distribution.
const FITS: usize = 10;
/// The same for hypotheses that the even distribution is too far from to start with.
const FAR_FITS: usize = 200;
/// A distribution that loses less than this in likelihood, by outcome, is near to what was counted.
const NEAR: f64 = 0.03;
/// So many spreads between none and the widest are tried as starts of a fit.
const SPREADS: usize = 24;
/// So many fits show how good a start is, and so many of the best are followed to their end.
const ROUGH_FITS: usize = 3;
const FOLLOWED: usize = 3;

/// The likeliest distribution whose mean is `elo` above one half in units of its own spread.
pub(crate) fn with_spread(shares: &[f64], worth: &[f64], elo: f64, of_a_game: f64) -> Tilted {
    let wanted = elo / elo_per_unit() * of_a_game;
    let even = vec![1.0 / worth.len() as f64; worth.len()];
    let near = match one_sided(&excess(&even, worth, wanted)) {
        true => fit_spread(shares, worth, wanted, &within_reach(shares, worth, wanted), FAR_FITS),
        false => fit_spread(shares, worth, wanted, &even, FITS),
    };
    // Where more is wanted than was counted, a fit ends at one of several tops. One as near as this
    // is the highest.
    let (edge, spread) = edge_and_spread(shares, worth);
    let beyond = edge * wanted.signum() < wanted.abs() * spread;
    match beyond && near.cost(shares) > NEAR {
        true => highest(shares, worth, wanted, near),
        false => near,
    }
}

/// The fit from `start`: the spread is taken as a straight line near one distribution after the
/// other.
fn fit_spread(shares: &[f64], worth: &[f64], wanted: f64, start: &[f64], fits: usize) -> Tilted {
    let mut next = tilted(shares, &excess(start, worth, wanted));
    let mut fitted = start.to_vec();
    for _ in 1..fits {
        let apart = next.shares.iter().zip(&fitted).map(|(a, b)| (a - b).abs());
        if apart.fold(0.0, f64::max) < 1e-12 {
            break;
        }
        fitted = next.shares;
        next = tilted(shares, &excess(&fitted, worth, wanted));
    }
    next
}

/// The highest of all tops. The straight line depends on mean and spread alone, and at a top the
/// mean follows from the spread: so spreads of all sizes are tried, and the best of them followed.
fn highest(shares: &[f64], worth: &[f64], wanted: f64, near: Tilted) -> Tilted {
    let mut tried: Vec<Tilted> = Vec::new();
    for step in 1..SPREADS {
        let spread = 0.5 * step as f64 / SPREADS as f64;
        let over = excess_near(wanted * spread, spread, worth, wanted);
        if !one_sided(&over) {
            let start = tilted(shares, &over);
            tried.push(fit_spread(shares, worth, wanted, &start.shares, ROUGH_FITS));
        }
    }
    tried.sort_by(|one, other| one.cost(shares).total_cmp(&other.cost(shares)));
    tried.truncate(FOLLOWED);
    let followed = tried
        .iter()
        .map(|start| fit_spread(shares, worth, wanted, &start.shares, FAR_FITS))
        .chain([near]);
    let best = followed.min_by(|one, other| one.cost(shares).total_cmp(&other.cost(shares)));
    best.expect("there is at least one")
}

/// What each outcome adds to the difference between the mean and the `wanted` one, with the spread
/// taken as a straight line near the distribution `fitted`.
fn excess(fitted: &[f64], worth: &[f64], wanted: f64) -> Vec<f64> {
    let (edge, spread) = edge_and_spread(fitted, worth);
    excess_near(edge, spread, worth, wanted)
}

/// The same near a distribution whose mean is `edge` above one half and which has this spread.
fn excess_near(edge: f64, spread: f64, worth: &[f64], wanted: f64) -> Vec<f64> {
    let of = |worth: &f64| {
        let apart = ((worth - 0.5) - edge) / spread;
        (worth - 0.5) - 0.5 * wanted * spread * (1.0 + apart * apart)
    };
    worth.iter().map(of).collect()
}

/// A distribution whose mean is at least as far from one half as `wanted`. From there the fit never
/// leaves those that are: a straight line is never below the spread, which is concave. Far from one
/// half the even distribution is no such start.
fn within_reach(shares: &[f64], worth: &[f64], wanted: f64) -> Vec<f64> {
    let best = if wanted > 0.0 { worth.len() - 1 } else { 0 };
    let mixed = |more: f64| -> Vec<f64> {
        let extra = |at: usize| if at == best { more } else { 0.0 };
        shares.iter().enumerate().map(|(at, share)| share * (1.0 - more) + extra(at)).collect()
    };
    let reached = |more: f64| {
        let (edge, spread) = edge_and_spread(&mixed(more), worth);
        edge * wanted.signum() >= wanted.abs() * spread
    };
    if reached(0.0) {
        return mixed(0.0);
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if reached(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    // A trace of every outcome is left, or there would be no spread.
    mixed(high.min(1.0 - EDGE))
}
