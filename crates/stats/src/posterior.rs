//! The probability that the better of two is the first, exactly.
//!
//! Davidson's model gives the first the odds e^d of a win to a loss. Of a pair of games with seats
//! changed it gives e^2d of WW to LL and e^d of WD to LD, whatever the seats are worth and however
//! common draws are. That is all that is assumed here: how often games are drawn, and pairs end
//! level, is left open, and may depend on openings. So one integral over d is enough.

use crate::counts::Counts;
use crate::ratings::ELO;

/// The width of the prior of a difference, in natural units: two strengths of 1000 Elo each.
const WIDTH: f64 = 1000.0 * std::f64::consts::SQRT_2 / ELO;
/// With more decided games than this, rounding would take too much of the sums, and the normal
/// distribution is as good.
const MOST: f64 = 1e9;
/// Densities that lie so far below the highest (as logarithms) add nothing.
const DEPTH: f64 = 45.0;
/// Intervals of Simpson's rule on either side.
const INTERVALS: usize = 600;

/// The probability that d is above zero; none for counts too large for an integral.
pub(crate) fn superiority(counts: &Counts) -> Option<f64> {
    let lines = odds(counts.raw());
    let decided: f64 = lines.iter().map(|line| line.better + line.worse).sum();
    (decided <= MOST).then(|| above_zero(|d| log_density(&lines, d)))
}

/// Better and worse outcomes between which the odds are e^(times·d).
struct OddsLine {
    times: f64,
    better: f64,
    worse: f64,
}

fn odds(raw: &[f64]) -> Vec<OddsLine> {
    let best = raw.len() - 1;
    let line = |at: usize| OddsLine {
        times: (best - 2 * at) as f64 / 2.0,
        better: raw[best - at],
        worse: raw[at],
    };
    (0..raw.len() / 2).map(line).collect()
}

/// The logarithm of the density at d, but for a constant.
fn log_density(lines: &[OddsLine], d: f64) -> f64 {
    let of = |line: &OddsLine| {
        let x = line.times * d;
        -line.better * softplus(-x) - line.worse * softplus(x)
    };
    lines.iter().map(of).sum::<f64>() - 0.5 * (d / WIDTH).powi(2)
}

/// ln(1 + e^x).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The share of a density that lies above zero, given its logarithm, which is concave.
pub(crate) fn above_zero(log: impl Fn(f64) -> f64) -> f64 {
    let [above, below] = [1.0, -1.0].map(|side| half(|distance| log(side * distance)));
    1.0 / (1.0 + (below - above).exp())
}

/// The logarithm of the integral from zero upwards.
fn half(log: impl Fn(f64) -> f64) -> f64 {
    let top = highest(&log);
    let peak = log(top);
    // Where so little is left that it does not count: a place beyond, then the nearest such.
    let edge = |towards: f64| {
        let (mut near, mut far) = (0.0, 1.0);
        while log(top + towards * far) > peak - DEPTH {
            (near, far) = (far, 2.0 * far);
        }
        for _ in 0..40 {
            let middle = f64::midpoint(near, far);
            if log(top + towards * middle) > peak - DEPTH {
                near = middle;
            } else {
                far = middle;
            }
        }
        top + towards * far
    };
    let low = if log(0.0) > peak - DEPTH { 0.0 } else { edge(-1.0) };
    let high = edge(1.0);
    // Two pieces, each with points enough: one may be far narrower than the other.
    let pieces = [(low, top), (top, high)];
    let sum: f64 =
        pieces.iter().map(|&(from, to)| simpson(|d| (log(d) - peak).exp(), from, to)).sum();
    peak + sum.ln()
}

/// Where a concave function is highest among numbers from zero upwards.
fn highest(log: impl Fn(f64) -> f64) -> f64 {
    let mut high = 1.0;
    while log(2.0 * high) > log(high) {
        high *= 2.0;
    }
    let (mut low, mut high) = (0.0, 2.0 * high);
    for _ in 0..200 {
        let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if log(one) < log(other) {
            low = one;
        } else {
            high = other;
        }
    }
    f64::midpoint(low, high)
}

fn simpson(of: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let step = (to - from) / INTERVALS as f64;
    let weight = |at: usize| match at {
        0 | INTERVALS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=INTERVALS).map(|at| weight(at) * of(from + step * at as f64)).sum::<f64>() * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Summary;

    fn of(list: &[u64]) -> f64 {
        superiority(&Counts::new(list).expect("three or five")).expect("few enough")
    }

    fn los(list: &[u64]) -> f64 {
        Summary::of(&Counts::new(list).expect("three or five")).los
    }

    /// The integral by a sum over many points that knows nothing of peaks.
    fn by_sum(list: &[u64]) -> f64 {
        let raw: Vec<f64> = list.iter().map(|&count| count as f64).collect();
        let lines = odds(&raw);
        let sum = |sign: f64| -> f64 {
            let steps = 400_000;
            let point = |at: usize| sign * 60.0 * (at as f64 + 0.5) / steps as f64;
            (0..steps).map(|at| log_density(&lines, point(at)).exp()).sum()
        };
        let (above, below) = (sum(1.0), sum(-1.0));
        above / (above + below)
    }

    #[test]
    fn the_integral_is_that_of_a_plain_sum() {
        let lists: [&[u64]; 9] = [
            &[0, 0, 0],
            &[0, 0, 1],
            &[1, 5, 9],
            &[0, 3, 10],
            &[40, 10, 30],
            &[0, 0, 60],
            &[0, 0, 3, 1, 0],
            &[0, 0, 0, 0, 5],
            &[2, 9, 11, 8, 4],
        ];
        for list in lists {
            let (found, wanted) = (of(list), by_sum(list));
            assert!((found - wanted).abs() < 1e-7, "{list:?}: {found}, not {wanted}");
        }
        assert!((of(&[0, 0, 10]) - 0.99998).abs() < 1e-5);
    }

    #[test]
    fn superiority_is_never_far_from_the_integral_and_grows_with_every_point() {
        let decided = [0, 1, 2, 3, 5, 9, 14, 30, 100, 2000];
        for (losses, draws, wins) in decided
            .into_iter()
            .flat_map(|losses| [0, 1, 7, 300].map(|draws| (losses, draws)))
            .flat_map(|(losses, draws)| decided.map(|wins| (losses, draws, wins)))
        {
            let list = [losses, draws, wins];
            let found = los(&list);
            assert!((found - of(&list)).abs() <= NEARLY, "{list:?}: {found}");
            assert!((found + los(&[wins, draws, losses]) - 1.0).abs() < 1e-9, "{list:?}");
            // A win more, and a loss or a draw that becomes a win.
            assert!(los(&[losses, draws, wins + 1]) >= found - 1e-12, "{list:?}");
            if losses > 0 {
                assert!(los(&[losses - 1, draws, wins + 1]) >= found - 1e-12, "{list:?}");
            }
            if draws > 0 {
                assert!(los(&[losses, draws - 1, wins + 1]) >= found - 1e-12, "{list:?}");
            }
        }
        for list in [[0, 0, 0, 0, 1], [0, 0, 5, 0, 3], [1, 0, 0, 0, 9], [0, 2, 0, 9, 0]] {
            assert!((los(&list) - of(&list)).abs() <= NEARLY, "{list:?}");
            let better = [list[0], list[1], list[2], list[3], list[4] + 1];
            assert!(los(&better) >= los(&list) - 1e-12, "{list:?}");
        }
    }

    /// A thousandth, and rounding.
    const NEARLY: f64 = 0.001 + 1e-9;
}
