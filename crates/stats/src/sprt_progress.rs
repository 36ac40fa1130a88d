//! A sequential test as it goes on, with Siegmund's correction of its bounds.

use crate::counts::Counts;
use crate::sprt::{Bounds, ModelError, Sprt, SprtVerdict};

/// What is done about the ratio jumping over a bound instead of meeting it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overshoot {
    /// Nothing: the bounds are those of Wald, and errors somewhat rarer than asked for.
    #[default]
    Ignored,
    /// The bounds are moved inwards by the jump that is to be expected (Siegmund), and the test
    /// ends a little sooner.
    Corrected,
}

/// A test and what it has seen. It is rebuilt by showing it the same counts again.
#[derive(Clone, Debug)]
pub struct SprtProgress {
    test: Sprt,
    overshoot: Overshoot,
    llr: f64,
    lows: Records,
    highs: Records,
}

/// Records of the ratio in one direction, as distances from zero.
#[derive(Clone, Copy, Debug, Default)]
struct Records {
    best: f64,
    /// Sum of the steps from record to record, and of their squares.
    sum: f64,
    squares: f64,
}

impl Records {
    fn see(&mut self, distance: f64) {
        let step = distance - self.best;
        if step > 0.0 {
            self.best = distance;
            self.sum += step;
            self.squares += step * step;
        }
    }

    /// The expected overshoot: Σδ² / 2Σ|δ|.
    fn overshoot(&self) -> f64 {
        if self.sum > 0.0 { self.squares / (2.0 * self.sum) } else { 0.0 }
    }
}

impl SprtProgress {
    /// A test that has seen nothing yet.
    pub fn new(test: Sprt, overshoot: Overshoot) -> SprtProgress {
        let none = Records::default();
        SprtProgress { test, overshoot, llr: 0.0, lows: none, highs: none }
    }

    /// Looks at the counts after every further game or pair, in the order in which they count.
    pub fn see(&mut self, counts: &Counts) -> Result<SprtVerdict, ModelError> {
        let llr = self.test.llr(counts)?;
        Ok(self.see_llr(llr))
    }

    /// The same, given the ratio itself.
    pub fn see_llr(&mut self, llr: f64) -> SprtVerdict {
        self.llr = llr;
        self.lows.see(-llr);
        self.highs.see(llr);
        self.verdict()
    }

    /// What the test says now.
    pub fn verdict(&self) -> SprtVerdict {
        self.bounds().verdict(self.llr)
    }

    /// The test.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// The ratio as it stands.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// The bounds as they stand. No correction takes more than half of a bound: if single steps
    /// are that large, they are no guide to what is to be expected.
    pub fn bounds(&self) -> Bounds {
        let bounds = self.test.bounds();
        match self.overshoot {
            Overshoot::Ignored => bounds,
            Overshoot::Corrected => Bounds {
                lower: bounds.lower + self.lows.overshoot().min(-bounds.lower / 2.0),
                upper: bounds.upper - self.highs.overshoot().min(bounds.upper / 2.0),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::EloModel;

    const TEST: Sprt =
        Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: EloModel::Logistic };

    #[test]
    fn bounds_move_by_the_expected_overshoot_of_records() {
        let mut sequence = SprtProgress::new(TEST, Overshoot::Corrected);
        let wald = TEST.bounds();
        assert_eq!(sequence.bounds(), wald);
        // Records above: 0.5, 0.7 (0.3 is none), 1.0; below: -0.1.
        for llr in [0.5, 0.3, -0.1, 0.7, 1.0] {
            assert_eq!(sequence.see_llr(llr), SprtVerdict::Continue);
        }
        let bounds = sequence.bounds();
        let above = (0.25 + 0.04 + 0.09) / (2.0 * (0.5 + 0.2 + 0.3));
        assert!((wald.upper - bounds.upper - above).abs() < 1e-12);
        assert!((bounds.lower - wald.lower - 0.05).abs() < 1e-12);
        assert_eq!(sequence.see_llr(wald.upper - 0.1), SprtVerdict::H1);
    }

    #[test]
    fn bounds_are_left_alone_unless_asked() {
        let mut sequence = SprtProgress::new(TEST, Overshoot::Ignored);
        assert_eq!(sequence.see_llr(2.9), SprtVerdict::Continue);
        assert_eq!(sequence.bounds(), TEST.bounds());
        assert_eq!(sequence.see_llr(-2.95), SprtVerdict::H0);
    }

    #[test]
    fn a_single_leap_does_not_turn_the_bounds_around() {
        let mut sequence = SprtProgress::new(TEST, Overshoot::Corrected);
        sequence.see_llr(50.0);
        sequence.see_llr(-50.0);
        assert!(sequence.bounds().lower < 0.0 && sequence.bounds().upper > 0.0);
    }

    #[test]
    fn counts_are_looked_at_like_ratios() {
        let counts = Counts::new(&[20, 30, 60]).expect("three");
        let mut sequence = SprtProgress::new(TEST, Overshoot::Corrected);
        let verdict = sequence.see(&counts).expect("it fits");
        assert_eq!(sequence.llr(), TEST.llr(&counts).expect("it fits"));
        assert_eq!(verdict, sequence.verdict());
    }
}
