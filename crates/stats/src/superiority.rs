//! The probability that one player is stronger than another, beyond the normal approximation.
//!
//! Where little is known, or all games went one way, the density of a difference is not a normal
//! one. Where least is known it is integrated. Where more is known, the signed root of the
//! likelihood ratio, with the correction of Barndorff-Nielsen for densities (DiCiccio and Martin,
//! 1991), needs no more than one further fit with both strengths equal.

use crate::field::Player;
use crate::fit::{Fit, Problem};
use crate::log_likelihood::LogLikelihood;
use crate::matrix::Factor;
use crate::normal::cumulative;

/// With so much information on both (in natural units; a game between equals has a quarter) the
/// normal approximation is right to a few thousandths.
const KNOWN_WELL: f64 = 200.0;
/// With less than this the density is integrated.
const KNOWN_LITTLE: f64 = 10.0;
/// No difference is larger, in natural units.
const FARTHEST: f64 = 100.0;
/// Nearer to equality than this (in standard deviations) the correction is taken from both sides:
/// the quotients in it are of numbers near zero there.
const NEAR: f64 = 0.1;
/// Roughly how many operations all pairs together may take, so that large fields take seconds at
/// most. Every pair of a field has the same share of them.
const MOST_WORK: f64 = 1e10;
/// What a result takes in one look, in the same unit.
const WORK_OF_A_RESULT: f64 = 200.0;
/// Looks that an integral takes, and a root.
const LOOKS_OF_INTEGRAL: f64 = 50.0;
const LOOKS_OF_ROOT: f64 = 8.0;
const MOST_STEPS: usize = 25;
/// Steps are no longer than this, in natural units.
const LONGEST_STEP: f64 = 3.0;
/// The density is known at differences so far from each other, or nearer: the logarithm of a
/// likelihood bends within about one natural unit.
const WIDEST_INTERVAL: f64 = 1.0;
/// Densities that lie so far below the highest (as logarithms) add nothing.
const DEPTH: f64 = 14.0;

/// What is the same for all pairs.
pub(crate) struct Densities<'a> {
    problem: &'a Problem,
    fit: &'a Fit,
    top: LogLikelihood,
    log_determinant: f64,
    /// How many looks each pair may take.
    looks: f64,
}

/// The likeliest parameters with two players so far apart, and the likelihood there.
struct Constrained {
    values: Vec<f64>,
    look: LogLikelihood,
}

impl<'a> Densities<'a> {
    pub(crate) fn new(problem: &'a Problem, fit: &'a Fit, players: usize) -> Densities<'a> {
        let top = problem.look_at(&fit.values);
        let log_determinant = top.curvature.clone().factor().log_determinant();
        let size = fit.values.len() as f64;
        let look = WORK_OF_A_RESULT * problem.results() as f64 + size * size * size;
        let pairs = players as f64 * (players as f64 - 1.0) / 2.0;
        Densities { problem, fit, top, log_determinant, looks: MOST_WORK / (look * pairs) }
    }

    /// The probability that `one` is stronger, for two linked players.
    pub(crate) fn superiority(&self, one: Player, other: Player) -> f64 {
        let apart = self.fit.values[one.0] - self.fit.values[other.0];
        let deviation = self.fit.spread(one.0, other.0).max(0.0).sqrt();
        if deviation == 0.0 {
            return 0.5;
        }
        let normal = apart / deviation;
        let known = [one, other].map(|player| self.problem.information(player.0, &self.top));
        let known = known[0].min(known[1]);
        if known >= KNOWN_WELL || self.looks < LOOKS_OF_ROOT {
            return cumulative(normal);
        }
        if known < KNOWN_LITTLE
            && self.looks >= LOOKS_OF_INTEGRAL
            && let Some(share) = self.integrated(one.0, other.0)
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
    /// integrated out by a normal approximation at their likeliest values for each difference. None
    /// if zero lies beyond all that counts.
    fn integrated(&self, one: usize, other: usize) -> Option<f64> {
        let apart = self.fit.values[one] - self.fit.values[other];
        let interval = self.fit.spread(one, other).sqrt().min(WIDEST_INTERVAL);
        let below = self.walk(one, other, -interval)?;
        let above = self.walk(one, other, interval)?;
        let low = apart - interval * below.len() as f64;
        let logs: Vec<f64> = below.into_iter().rev().chain([0.0]).chain(above).collect();
        let high = low + interval * (logs.len() - 1) as f64;
        if !(low < 0.0 && 0.0 < high) {
            return None;
        }
        let log = Cubic { low, interval, values: &logs };
        let [below, above] = [[low, 0.0], [0.0, high]].map(|ends| log.area(ends));
        // Counts beyond all measure leave nothing but rounding.
        Some(above / (above + below)).filter(|share| share.is_finite())
    }

    /// Logarithms of the density at differences that are so far from each other, relative to the
    /// density at the likeliest one, and from there outwards until nothing is left.
    fn walk(&self, one: usize, other: usize, interval: f64) -> Option<Vec<f64>> {
        let apart = self.fit.values[one] - self.fit.values[other];
        let (peak, mut direction) = log_density(&self.top, one, other);
        let (mut logs, mut values) = (Vec::new(), self.fit.values.clone());
        loop {
            let far = interval * (logs.len() + 1) as f64;
            let guess =
                values.iter().zip(&direction).map(|(value, by)| value + by * interval).collect();
            let there = self.constrained(guess, one, other, apart + far)?;
            let log;
            (log, direction) = log_density(&there.look, one, other);
            logs.push(log - peak);
            values = there.values;
            if log < peak - DEPTH || far.abs() > FARTHEST {
                return Some(logs);
            }
        }
    }

    /// The signed root for a difference above `limit`, corrected.
    fn root(&self, one: Player, other: Player, limit: f64) -> Option<f64> {
        let guess = self.moved(one.0, other.0, limit);
        let Constrained { values, look: there } = self.constrained(guess, one.0, other.0, limit)?;
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

    /// The parameters with the two so far apart, if everybody moves as the covariance has it, which
    /// is where a parabola has its top.
    fn moved(&self, one: usize, other: usize, limit: f64) -> Vec<f64> {
        let too_far = self.fit.values[one] - self.fit.values[other] - limit;
        let variance = self.fit.spread(one, other);
        let moved = |(at, value): (usize, &f64)| {
            let with = self.fit.covariance.at(at, one) - self.fit.covariance.at(at, other);
            value - with * too_far / variance
        };
        self.fit.values.iter().enumerate().map(moved).collect()
    }

    /// Newton's method from a guess, with the two held at this difference.
    fn constrained(
        &self,
        guess: Vec<f64>,
        one: usize,
        other: usize,
        limit: f64,
    ) -> Option<Constrained> {
        let (size, mut values) = (guess.len(), guess);
        let mut look = self.problem.look_at(&values);
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
                let tried = self.problem.look_at(&next);
                if tried.value <= look.value + look.scale * 1e-12 {
                    there = Some(tried);
                    break;
                }
                step.iter_mut().for_each(|part| *part *= 0.5);
            }
            let Some(there) = there else { break };
            (values, look) = (next, there);
            // The error after a step is of the order of its square.
            if longest < 1e-4 {
                break;
            }
        }
        Some(Constrained { values, look })
    }
}

/// The logarithm of the density of a difference, but for a constant; and how far every parameter
/// moves for a difference that is larger by one.
fn log_density(there: &LogLikelihood, one: usize, other: usize) -> (f64, Vec<f64>) {
    let factor = there.curvature.clone().factor();
    let mut unit = vec![0.0; there.gradient.len()];
    (unit[one], unit[other]) = (1.0, -1.0);
    let mut direction = factor.solve(&unit);
    let variance = direction[one] - direction[other];
    direction.iter_mut().for_each(|part| *part /= variance);
    (-there.value - 0.5 * (factor.log_determinant() + variance.ln()), direction)
}

/// A function known at even intervals, in between by the cubic through the four nearest places.
struct Cubic<'a> {
    low: f64,
    interval: f64,
    values: &'a [f64],
}

impl Cubic<'_> {
    fn at(&self, place: f64) -> f64 {
        let along = (place - self.low) / self.interval;
        let count = self.values.len().min(4);
        let first = (along.floor() as usize).saturating_sub(1).min(self.values.len() - count);
        let term = |at: usize| {
            let others = (first..first + count).filter(|&other| other != at);
            let weight: f64 =
                others.map(|other| (along - other as f64) / (at as f64 - other as f64)).product();
            self.values[at] * weight
        };
        (first..first + count).map(term).sum()
    }

    /// The area under its exponential between two places.
    fn area(&self, ends: [f64; 2]) -> f64 {
        const PARTS_OF_AN_INTERVAL: f64 = 6.0;
        let halves = ((ends[1] - ends[0]) / self.interval * PARTS_OF_AN_INTERVAL / 2.0).ceil();
        let (parts, mut sum) = (2 * halves as usize, 0.0);
        let step = (ends[1] - ends[0]) / parts as f64;
        for at in 0..=parts {
            let weight = if at == 0 || at == parts { 1.0 } else { 2.0 + 2.0 * (at % 2) as f64 };
            sum += weight * self.at(ends[0] + step * at as f64).exp();
        }
        sum * step / 3.0
    }
}

/// The variance of the difference of two parameters.
fn variance(factor: &Factor, size: usize, one: usize, other: usize) -> f64 {
    let mut unit = vec![0.0; size];
    (unit[one], unit[other]) = (1.0, -1.0);
    let solved = factor.solve(&unit);
    solved[one] - solved[other]
}
