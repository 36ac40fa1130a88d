//! Elo, normalised Elo and likelihood of superiority.

use crate::counts::Counts;
use crate::normal::cumulative;

/// The 97.5 % point of the normal distribution: intervals are those of 95 %.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// What counts say about the difference in strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The share of points.
    pub score: f64,
    /// The difference in Elo.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub elo_error: f64,
    /// The likelihood that the difference is positive.
    pub los: f64,
    /// The difference in units of the spread of results.
    pub nelo: f64,
    /// Half the width of its 95 % interval.
    pub nelo_error: f64,
}

/// The Elo that a score stands for; scores beyond 0.001 and 0.999 are taken as those.
pub fn elo_of(score: f64) -> f64 {
    let score = score.clamp(0.001, 0.999);
    // Taken from zero, an even score is 0 and not -0.
    0.0 - 400.0 * (1.0 / score - 1.0).log10()
}

/// Elo per unit of a normalised difference: 800 / ln 10.
pub(crate) fn elo_per_unit() -> f64 {
    800.0 / std::f64::consts::LN_10
}

/// Mean and standard deviation of a distribution over `worth`.
pub(crate) fn moments(shares: &[f64], worth: &[f64]) -> (f64, f64) {
    let mean: f64 = shares.iter().zip(worth).map(|(share, worth)| share * worth).sum();
    let squares = shares.iter().zip(worth).map(|(share, worth)| share * (worth - mean).powi(2));
    (mean, squares.sum::<f64>().sqrt())
}

/// How far the mean is above one half. Outcomes are taken in pairs, so that equal counts of wins
/// and losses give zero and not what rounding leaves of it.
pub(crate) fn edge(shares: &[f64], worth: &[f64]) -> f64 {
    let pairs = shares.iter().rev().zip(shares).zip(worth).take(shares.len() / 2);
    pairs.map(|((better, worse), worth)| (better - worse) * (0.5 - worth)).sum()
}

impl Summary {
    /// Sums counts up.
    pub fn of(counts: &Counts) -> Summary {
        let (shares, worth) = (counts.shares(), counts.worth());
        let edge = edge(&shares, &worth);
        let (mean, spread) = (0.5 + edge, moments(&shares, &worth).1);
        let total = counts.total();
        let error = spread / total.sqrt();
        let (games, of_a_game) = match counts.pairs() {
            true => (2.0 * total, std::f64::consts::SQRT_2),
            false => (total, 1.0),
        };
        Summary {
            score: counts.score(),
            elo: elo_of(mean),
            elo_error: (elo_of(mean + Z * error) - elo_of(mean - Z * error)) / 2.0,
            los: cumulative(edge / error),
            nelo: elo_per_unit() * edge / (spread * of_a_game),
            nelo_error: elo_per_unit() * Z / games.sqrt(),
        }
    }
}
