//! Counted results of one contestant against another.

use std::fmt;
use std::str::FromStr;

/// Counts of outcomes, from the worst to the best: losses, draws and wins of single games, or of
/// pairs of games LL, LD, (WL or DD), WD, WW.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    raw: Vec<f64>,
    /// The same with 0.001 in the place of zero: an outcome that has not been seen is rare, not
    /// impossible, and no formula below divides by zero.
    regular: Vec<f64>,
}

/// Why something is no list of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsError(String);

impl fmt::Display for CountsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CountsError {}

/// What stands for a count of zero.
const UNSEEN: f64 = 1e-3;

impl Counts {
    /// Counts of three outcomes of games, or of five of pairs.
    pub fn new(counts: &[u64]) -> Result<Counts, CountsError> {
        if counts.len() != 3 && counts.len() != 5 {
            return Err(CountsError(format!(
                "{} counts; there are 3 (losses, draws, wins) or 5 (LL, LD, WL+DD, WD, WW)",
                counts.len()
            )));
        }
        let raw: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        let regular = raw.iter().map(|&count| if count > 0.0 { count } else { UNSEEN }).collect();
        Ok(Counts { raw, regular })
    }

    /// Whether these are pairs of games.
    pub fn pairs(&self) -> bool {
        self.raw.len() == 5
    }

    /// By how much the spread of what is counted is smaller than that of single games.
    pub(crate) fn spread_of_games(&self) -> f64 {
        if self.pairs() { std::f64::consts::SQRT_2 } else { 1.0 }
    }

    /// The share of points, as counted; one half if nothing was counted.
    pub fn score(&self) -> f64 {
        let total: f64 = self.raw.iter().sum();
        let points: f64 =
            self.raw.iter().zip(self.worth()).map(|(count, worth)| count * worth).sum();
        if total > 0.0 { points / total } else { 0.5 }
    }

    /// The counts themselves.
    pub(crate) fn raw(&self) -> &[f64] {
        &self.raw
    }

    /// What each outcome is worth, from 0 to 1.
    pub(crate) fn worth(&self) -> Vec<f64> {
        let best = (self.raw.len() - 1) as f64;
        (0..self.raw.len()).map(|index| index as f64 / best).collect()
    }

    /// How many games or pairs, regularised.
    pub(crate) fn total(&self) -> f64 {
        self.regular.iter().sum()
    }

    /// The share of each outcome, regularised.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let total = self.total();
        self.regular.iter().map(|count| count / total).collect()
    }
}

impl FromStr for Counts {
    type Err = CountsError;

    fn from_str(text: &str) -> Result<Counts, CountsError> {
        let counts: Result<Vec<u64>, CountsError> = text
            .split(',')
            .map(|word| {
                let word = word.trim();
                word.parse().map_err(|_| CountsError(format!("\"{word}\" is not a count")))
            })
            .collect();
        Counts::new(&counts?)
    }
}
