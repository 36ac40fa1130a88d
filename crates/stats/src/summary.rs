//! Elo, normalised Elo and likelihood of superiority.

use crate::counts::Counts;
use crate::normal::cumulative;
use crate::posterior;

/// The 97.5 % point of the normal distribution: intervals are those of 95 %.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// What counts say about the difference in strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The share of points.
    pub score: f64,
    /// The difference in Elo.
    pub elo: f64,
    /// Half the width of its 95 % interval, if outcomes differed; if not, only the interval says
    /// something.
    pub elo_error: f64,
    /// Its 95 % interval.
    pub elo_interval: Interval,
    /// The likelihood that the difference is positive.
    pub los: f64,
    /// The difference in units of the spread of results.
    pub nelo: f64,
    /// Half the width of its 95 % interval.
    pub nelo_error: f64,
}

/// Where something lies in 95 of 100 cases. An end that results cannot tell is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// It is not below this.
    pub low: Option<f64>,
    /// Nor above this.
    pub high: Option<f64>,
}

/// The likelihood of superiority is that of the normal distribution where that is so near to the
/// exact one, and no farther from it anywhere.
const NEAR: f64 = 0.001;

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

/// The least share of what alone was seen so many times, at 97.5 %.
fn least(times: f64) -> f64 {
    0.025_f64.powf(1.0 / times)
}

/// How far from even somebody may be after so many ties and nothing else, in Elo.
pub(crate) fn most_after_ties(times: f64) -> f64 {
    elo_of(1.0 - 0.5 * least(times))
}

/// The interval where all outcomes were the same, or there were none: others have a share of no
/// more than q, with (1 − q)^N = 0.025, and might all have been the worst, or the best.
fn one_sided(counts: &Counts) -> Option<Interval> {
    let (raw, worth) = (counts.raw(), counts.worth());
    let mut seen = raw.iter().zip(&worth).filter(|(count, _)| **count > 0.0);
    let (times, worth) = match (seen.next(), seen.next()) {
        (None, _) => return Some(Interval { low: None, high: None }),
        (Some((times, worth)), None) => (*times, *worth),
        (Some(_), Some(_)) => return None,
    };
    let least = least(times);
    let (low, high) = (worth * least, 1.0 - (1.0 - worth) * least);
    Some(Interval {
        low: (worth > 0.0).then(|| elo_of(low)),
        high: (worth < 1.0).then(|| elo_of(high)),
    })
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
        let ends = [mean - Z * error, mean + Z * error].map(elo_of);
        let normal = cumulative(edge / error);
        let los = posterior::superiority(counts)
            .map_or(normal, |exact| normal.clamp((exact - NEAR).max(0.0), (exact + NEAR).min(1.0)));
        Summary {
            score: counts.score(),
            elo: elo_of(mean),
            elo_error: (ends[1] - ends[0]) / 2.0,
            elo_interval: one_sided(counts)
                .unwrap_or(Interval { low: Some(ends[0]), high: Some(ends[1]) }),
            los,
            nelo: elo_per_unit() * edge / (spread * of_a_game),
            nelo_error: elo_per_unit() * Z / games.sqrt(),
        }
    }
}
