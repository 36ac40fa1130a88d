//! The probability that one player is stronger than another, beyond the normal approximation.
//!
//! Where little is known, or all games went one way, the density of a difference is no normal one.
//! The signed root of the likelihood ratio, with the correction of Barndorff-Nielsen for densities
//! (DiCiccio and Martin, 1991), needs no more than one further fit with both strengths equal, and is
//! right to about half a percent even after a single game.

use crate::field::Player;
use crate::fit::{Fit, Problem};
use crate::look::Look;
use crate::matrix::Factor;
use crate::normal::cumulative;

/// With so much information on both (in natural units; a game between equals has a quarter) the
/// normal approximation is right to a few thousandths.
const KNOWN_WELL: f64 = 200.0;
/// With less than this, and so few parameters, the density is integrated.
const KNOWN_LITTLE: f64 = 10.0;
const SMALL: usize = 12;
/// No difference is larger, in natural units.
const FARTHEST: f64 = 100.0;
/// Nearer to equality than this (in standard deviations) the correction is taken from both sides: the
/// quotients in it are of numbers near zero there.
const NEAR: f64 = 0.1;
/// Roughly how many operations all pairs together may take, so that large fields take seconds at
/// most; what is left then is as good as the normal approximation.
const MOST_WORK: f64 = 1e10;
/// What a result takes in one look, in the same unit.
const WORK_OF_A_RESULT: f64 = 200.0;
const MOST_STEPS: usize = 25;
/// Steps are no longer than this, in natural units.
const LONGEST_STEP: f64 = 3.0;

/// What is the same for all pairs.
pub(crate) struct Densities<'a> {
    problem: &'a Problem,
    fit: &'a Fit,
    top: Look,
    log_determinant: f64,
    /// How much work may still be done.
    left: f64,
}

impl<'a> Densities<'a> {
    pub(crate) fn new(problem: &'a Problem, fit: &'a Fit) -> Densities<'a> {
        let top = problem.look_at(&fit.values);
        let log_determinant = top.curvature.clone().factor().log_determinant();
        Densities { problem, fit, top, log_determinant, left: MOST_WORK }
    }

    /// The probability that `one` is stronger, for two linked players.
    pub(crate) fn superiority(&mut self, one: Player, other: Player) -> f64 {
        let apart = self.fit.values[one.0] - self.fit.values[other.0];
        let deviation = self.fit.spread(one.0, other.0).max(0.0).sqrt();
        if deviation == 0.0 {
            return 0.5;
        }
        let normal = apart / deviation;
        let known = |player: Player| self.problem.information(player.0, &self.top);
        if known(one).min(known(other)) >= KNOWN_WELL || self.left <= 0.0 {
            return cumulative(normal);
        }
        if self.fit.values.len() <= SMALL
            && known(one).min(known(other)) < KNOWN_LITTLE
            && let Some(share) = self.integrated(one, other)
        {
            return share;
        }
        let root = if normal.abs() >= NEAR {
            self.root(one, other, 0.0)
        } else {
            let [above, below] =
                [NEAR, -NEAR].map(|by| self.root(one, other, apart - by * deviation));
            above.zip(below).map(|(above, below)| normal + f64::midpoint(above, below))
        };
        cumulative(root.unwrap_or(normal))
    }

    /// The share of the density of the difference that lies above zero: all other parameters are
    /// integrated out by a normal approximation at their likeliest values for each difference.
    fn integrated(&mut self, one: Player, other: Player) -> Option<f64> {
        let apart = self.fit.values[one.0] - self.fit.values[other.0];
        let deviation = self.fit.spread(one.0, other.0).sqrt();
        let peak = self.log_density(one.0, other.0, apart)?;
        // From the peak, or from zero, outwards in either direction until nothing is left.
        let mut sums = [0.0; 2];
        for (sum, side) in sums.iter_mut().zip([1.0, -1.0]) {
            let start = if apart * side > 0.0 { apart } else { 0.0 };
            let mut inwards = 0.0;
            if start != 0.0 {
                inwards = self.simpson(one, other, [0.0, start], peak)?;
            }
            let (mut from, mut outwards) = (start, 0.0);
            loop {
                let to = from + side * 2.0 * deviation;
                let more = self.simpson(one, other, [from, to], peak)?;
                outwards += more;
                from = to;
                if more <= 1e-6 * (outwards + inwards) || (from - start).abs() > FARTHEST {
                    break;
                }
            }
            *sum = inwards + outwards;
        }
        // Counts beyond all measure leave nothing but rounding.
        Some(sums[0] / (sums[0] + sums[1])).filter(|share| share.is_finite())
    }

    fn simpson(&mut self, one: Player, other: Player, ends: [f64; 2], peak: f64) -> Option<f64> {
        const INTERVALS: usize = 6;
        let step = (ends[1] - ends[0]) / INTERVALS as f64;
        let mut sum = 0.0;
        for at in 0..=INTERVALS {
            let weight = if at == 0 || at == INTERVALS { 1.0 } else { 2.0 + 2.0 * (at % 2) as f64 };
            let log = self.log_density(one.0, other.0, ends[0] + step * at as f64)?;
            sum += weight * (log - peak).exp();
        }
        Some(sum * step.abs() / 3.0)
    }

    fn log_density(&mut self, one: usize, other: usize, apart: f64) -> Option<f64> {
        let (values, there) = self.constrained(one, other, apart)?;
        let factor = there.curvature.factor();
        let variance = variance(&factor, values.len(), one, other);
        Some(-there.value - 0.5 * (factor.log_determinant() + variance.ln()))
    }

    /// The signed root for a difference above `limit`, corrected.
    fn root(&mut self, one: Player, other: Player, limit: f64) -> Option<f64> {
        let (values, there) = self.constrained(one.0, other.0, limit)?;
        let apart = self.fit.values[one.0] - self.fit.values[other.0] - limit;
        let root = apart.signum() * (2.0 * (there.value - self.top.value)).max(0.0).sqrt();
        // Of all other parameters: the determinant of the whole times the variance of the
        // difference.
        let factor = there.curvature.factor();
        let variance = variance(&factor, values.len(), one.0, other.0);
        let variance_at_top = self.fit.spread(one.0, other.0);
        let nuisance = 0.5
            * (factor.log_determinant() + variance.ln()
                - self.log_determinant
                - variance_at_top.ln());
        let slope = f64::midpoint(there.gradient[other.0], -there.gradient[one.0]);
        let wald = slope * variance_at_top.sqrt() * nuisance.exp();
        let quotient = wald / root;
        let corrected = root + quotient.ln() / root;
        corrected.is_finite().then_some(corrected)
    }

    /// The likeliest parameters with the two so far apart, and the likelihood there.
    fn constrained(&mut self, one: usize, other: usize, limit: f64) -> Option<(Vec<f64>, Look)> {
        let covariance = &self.fit.covariance;
        let size = self.fit.values.len();
        let too_far = self.fit.values[one] - self.fit.values[other] - limit;
        let variance = self.fit.spread(one, other);
        // Everybody moves as the covariance has it, which is where a parabola has its top.
        let moved = |at: usize| {
            let with = covariance.at(at, one) - covariance.at(at, other);
            self.fit.values[at] - with * too_far / variance
        };
        let mut values: Vec<f64> = (0..size).map(moved).collect();
        let mut look = self.look(&values);
        for _ in 0..MOST_STEPS {
            let factor = look.curvature.clone().factor();
            let free = factor.solve(&look.gradient);
            let mut unit = vec![0.0; size];
            (unit[one], unit[other]) = (1.0, -1.0);
            let along = factor.solve(&unit);
            let apart = values[one] - values[other] - limit;
            let back = (free[one] - free[other] - apart) / (along[one] - along[other]);
            let mut step: Vec<f64> =
                free.iter().zip(&along).map(|(free, along)| free - back * along).collect();
            let longest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            if !longest.is_finite() {
                return None;
            }
            let share = (LONGEST_STEP / longest.max(f64::MIN_POSITIVE)).min(1.0);
            step.iter_mut().for_each(|part| *part *= share);
            let (mut next, mut there) = (Vec::new(), None);
            for _ in 0..12 {
                next = values.iter().zip(&step).map(|(value, part)| value - part).collect();
                let tried = self.look(&next);
                if tried.value <= look.value + look.scale * 1e-12 {
                    there = Some(tried);
                    break;
                }
                step.iter_mut().for_each(|part| *part *= 0.5);
            }
            let Some(there) = there else { break };
            (values, look) = (next, there);
            if longest < 1e-7 {
                break;
            }
        }
        Some((values, look))
    }

    fn look(&mut self, values: &[f64]) -> Look {
        let size = values.len() as f64;
        self.left -= WORK_OF_A_RESULT * self.problem.results() as f64 + size * size * size;
        self.problem.look_at(values)
    }
}

/// The variance of the difference of two parameters.
fn variance(factor: &Factor, size: usize, one: usize, other: usize) -> f64 {
    let mut unit = vec![0.0; size];
    (unit[one], unit[other]) = (1.0, -1.0);
    let solved = factor.solve(&unit);
    solved[one] - solved[other]
}
