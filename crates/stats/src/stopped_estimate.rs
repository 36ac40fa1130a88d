//! What a sequential test says about the difference once it has stopped.
//!
//! A test stops when the evidence is extreme, so that the plain estimate is too: after H1 it is too
//! high on average, after H0 too low. The logarithm of the likelihood ratio is nearly a Brownian
//! motion between two bounds, whose drift is linear in the expected score. Outcomes are put in
//! order (Siegmund, *Sequential Analysis*, 1985, chapter III): the lower bound early, the lower
//! bound late, the upper bound late, the upper bound early. The drifts under which the outcome seen
//! is the median, or at the ends of the middle 95 %, give the estimate and its interval.

use crate::counts::Counts;
use crate::sprt::{Bounds, Sprt, SprtVerdict};
use crate::summary::{Interval, elo_of, moments};

/// The difference after a test has stopped, in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppedEstimate {
    /// It is as likely too high as too low.
    pub elo: f64,
    /// In 95 of 100 tests it holds the truth.
    pub interval: Interval,
}

/// Terms of a series; they fall like e^(−k²).
const TERMS: usize = 400;
/// Drifts are looked for within this, in units in which the hypotheses are ∓½.
const FARTHEST: f64 = 200.0;

impl StoppedEstimate {
    /// What a test says that has accepted a hypothesis with these counts; none while it goes on.
    pub fn of(test: &Sprt, bounds: Bounds, llr: f64, counts: &Counts) -> Option<StoppedEstimate> {
        let (shares, worth) = (counts.shares(), counts.worth());
        let (mean, spread) = moments(&shares, &worth);
        let [low, high] = test.expected_scores(counts)?;
        // How far the ratio has come in its own time. Its drift is known by the score, so that time
        // follows from where it stands; near the hypotheses that is N·((s₁ − s₀)/σ)², and far from
        // them σ says nothing.
        let drift = (mean - f64::midpoint(low, high)) / (high - low);
        let time = llr / drift;
        let time = match time > 0.0 && time.is_finite() {
            true => time,
            false => counts.total() * ((high - low) / spread).powi(2),
        };
        let walk = |upper: f64, lower: f64| BrownianMotion { upper, lower, time };
        // Where the ratio has jumped over a bound, that is where it has stopped.
        let drift: Box<dyn Fn(f64) -> f64> = match bounds.verdict(llr) {
            SprtVerdict::H1 => {
                let walk = walk(llr.max(bounds.upper), bounds.lower);
                Box::new(move |share| root(|drift| walk.upwards(drift) - share))
            }
            SprtVerdict::H0 => {
                let walk = walk(bounds.upper, llr.min(bounds.lower));
                Box::new(move |share| root(|drift| (1.0 - share) - walk.downwards(drift)))
            }
            SprtVerdict::Continue => return None,
        };
        let elo = |share: f64| {
            let score = f64::midpoint(low, high) + drift(share) * (high - low);
            (score.clamp(0.0, 1.0), elo_of(score))
        };
        let end = |share: f64| {
            let (score, elo) = elo(share);
            (score > 0.0 && score < 1.0).then_some(elo)
        };
        Some(StoppedEstimate {
            elo: elo(0.5).1,
            interval: Interval { low: end(0.025), high: end(0.975) },
        })
    }
}

/// A Brownian motion from zero with variance 1, between two bounds, up to a time.
#[derive(Clone, Copy)]
struct BrownianMotion {
    upper: f64,
    lower: f64,
    time: f64,
}

impl BrownianMotion {
    /// The probability that it has met the upper bound by then, and not the lower one before.
    fn upwards(self, drift: f64) -> f64 {
        let (width, start) = (self.upper - self.lower, -self.lower);
        let ever = if drift.abs() * width < 1e-6 {
            start / width
        } else {
            // Each way where nothing overflows.
            let x = 2.0 * drift;
            match drift > 0.0 {
                true => (-x * start).exp_m1() / (-x * width).exp_m1(),
                false => {
                    ((x * start).exp_m1() / (x * width).exp_m1()) * (x * (width - start)).exp()
                }
            }
        };
        let mut later = 0.0;
        let turn = std::f64::consts::PI / width;
        for k in 1..=TERMS {
            let k = k as f64;
            let rate = 0.5 * (drift * drift + k * k * turn * turn);
            let weight = (drift * self.upper - rate * self.time).exp() / rate;
            // Hitting the upper bound is hitting the lower one from the other side.
            later += k * turn / width * (k * turn * self.upper).sin() * weight;
            if weight < 1e-18 && rate * self.time > 1.0 {
                break;
            }
        }
        (ever - later).clamp(0.0, 1.0)
    }

    /// The same for the lower bound.
    fn downwards(self, drift: f64) -> f64 {
        BrownianMotion { upper: -self.lower, lower: -self.upper, time: self.time }.upwards(-drift)
    }
}

/// Where a function that grows is zero.
fn root(of: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-FARTHEST, FARTHEST);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if of(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::EloModel;
    use crate::sprt_progress::{Overshoot, SprtProgress};

    #[test]
    fn a_walk_meets_its_bounds_as_often_as_steps_do() {
        // Small steps, counted.
        let walk = BrownianMotion { upper: 2.0, lower: -3.0, time: 4.0 };
        let (steps, drift) = (400_usize, 0.3);
        let size = (walk.time / steps as f64).sqrt();
        let up = 0.5 + 0.5 * drift * size;
        let (top, bottom) =
            ((walk.upper / size).round() as i32, (walk.lower / size).round() as i32);
        let mut places = vec![0.0; (top - bottom + 1) as usize];
        places[-bottom as usize] = 1.0;
        let (mut met, mut missed) = (0.0, 0.0);
        for _ in 0..steps {
            let mut next = vec![0.0; places.len()];
            for at in 1..places.len() - 1 {
                next[at + 1] += up * places[at];
                next[at - 1] += (1.0 - up) * places[at];
            }
            met += std::mem::take(next.last_mut().expect("some"));
            missed += std::mem::take(&mut next[0]);
            places = next;
        }
        assert!((walk.upwards(drift) - met).abs() < 0.01, "{} {met}", walk.upwards(drift));
        assert!(
            (walk.downwards(drift) - missed).abs() < 0.01,
            "{} {missed}",
            walk.downwards(drift)
        );
        let endless = BrownianMotion { time: 1e4, ..walk };
        assert!((endless.upwards(0.0) - 0.6).abs() < 1e-6);
    }

    #[test]
    fn estimates_after_a_test_are_as_often_too_high_as_too_low() {
        let test =
            Sprt { elo0: 0.0, elo1: 60.0, alpha: 0.05, beta: 0.05, model: EloModel::Logistic };
        let mut state = 5_u64;
        let mut share = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for elo in [0.0, 30.0, 80.0] {
            let score = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
            let (mut high, mut held, mut plain) = (0, 0, 0);
            let tests = 300;
            for _ in 0..tests {
                let mut sequence = SprtProgress::new(test, Overshoot::Ignored);
                let mut list = [0_u64; 3];
                let stopped = loop {
                    list[if share() < score { 2 } else { 0 }] += 1;
                    let counts = Counts::new(&list).expect("three");
                    if sequence.see(&counts).expect("it fits") != SprtVerdict::Continue {
                        let found =
                            StoppedEstimate::of(&test, sequence.bounds(), sequence.llr(), &counts);
                        plain += u32::from(crate::Summary::of(&counts).elo > elo);
                        break found.expect("it has stopped");
                    }
                };
                high += u32::from(stopped.elo > elo);
                let above = stopped.interval.low.is_none_or(|low| low <= elo);
                held += u32::from(above && stopped.interval.high.is_none_or(|high| elo <= high));
            }
            let [high, held, plain] =
                [high, held, plain].map(|of| f64::from(of) / f64::from(tests));
            assert!((0.40..0.60).contains(&high), "{elo}: {high} too high (plain {plain})");
            assert!((0.91..0.985).contains(&held), "{elo}: {held}");
        }
    }
}
