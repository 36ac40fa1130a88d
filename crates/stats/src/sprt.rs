//! Sequential tests: which of two hypotheses about the strength is true?
//!
//! The generalised likelihood ratio: of all distributions of outcomes that satisfy a hypothesis,
//! the one that makes the counts most likely stands for it.

use std::fmt;

use crate::counts::Counts;
use crate::normalized::with_spread;
use crate::summary::{edge, elo_per_unit};

/// How Elo is understood in a hypothesis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EloModel {
    /// By the expected score.
    #[default]
    Logistic,
    /// By the expected score in units of the spread of results.
    Normalized,
    /// By the BayesElo model with the draw rate that was seen; for single games only.
    Bayesian,
}

/// Two hypotheses and how often one may be wrong about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference under the first hypothesis.
    pub elo0: f64,
    /// The difference under the second.
    pub elo1: f64,
    /// How often the second may be accepted although the first is true.
    pub alpha: f64,
    /// How often the first may be accepted although the second is true.
    pub beta: f64,
    /// What Elo means.
    pub model: EloModel,
}

/// Where the test ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// At or below this the first hypothesis is accepted.
    pub lower: f64,
    /// At or above this the second is.
    pub upper: f64,
}

/// What the test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// The first hypothesis is accepted.
    H0,
    /// The second is accepted.
    H1,
    /// More games are needed.
    Continue,
}

/// The model does not fit the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError;

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bayesian model is for counts of games (3), not of pairs (5)")
    }
}

impl std::error::Error for ModelError {}

/// Why something is no test.
#[derive(Clone, Debug, PartialEq)]
pub enum SprtError {
    /// An error rate outside its range.
    Chance {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What it was to be.
        value: f64,
    },
    /// A difference beyond all measure.
    Elo {
        /// `elo0` or `elo1`.
        name: &'static str,
        /// What it was to be.
        value: f64,
    },
    /// The hypotheses are the same, or the wrong way round.
    Order {
        /// The difference under the first.
        elo0: f64,
        /// The difference under the second.
        elo1: f64,
    },
}

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SprtError::Chance { name, value } => {
                write!(f, "{name} is a probability above 0 and below 0.5, not {value}")
            }
            SprtError::Elo { name, value } => {
                write!(f, "{name} is a difference in Elo within ±{FARTHEST}, not {value}")
            }
            SprtError::Order { elo0, elo1 } => {
                write!(f, "elo0 must be less than elo1, but {elo0} is not less than {elo1}")
            }
        }
    }
}

impl std::error::Error for SprtError {}

/// Hypotheses beyond this say nothing any more.
const FARTHEST: f64 = 2000.0;
/// Hypotheses are not followed beyond scores of a billionth.
pub(crate) const EDGE: f64 = 1e-9;
/// Enough to find a root to its last digit, however small it is.
const MOST_STEPS: usize = 400;

impl Sprt {
    /// Whether this is a test at all. What follows relies on it.
    pub fn check(&self) -> Result<(), SprtError> {
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            // Above one half the bounds would cross.
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Chance { name, value });
            }
        }
        for (name, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !(-FARTHEST..=FARTHEST).contains(&value) {
                return Err(SprtError::Elo { name, value });
            }
        }
        if self.elo0 < self.elo1 {
            Ok(())
        } else {
            Err(SprtError::Order { elo0: self.elo0, elo1: self.elo1 })
        }
    }

    /// The bounds of Wald.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            // Logarithms first: the quotient of the smallest chances is beyond all numbers.
            lower: self.beta.ln() - (-self.alpha).ln_1p(),
            upper: (-self.beta).ln_1p() - self.alpha.ln(),
        }
    }

    /// The logarithm of the likelihood ratio: positive speaks for the second hypothesis.
    pub fn llr(&self, counts: &Counts) -> Result<f64, ModelError> {
        let shares = counts.shares();
        let worth = counts.worth();
        let likeliest = |elo: f64| match self.model {
            EloModel::Logistic => Ok(with_score(&shares, &worth, expected_edge(elo))),
            EloModel::Normalized => Ok(with_spread(&shares, &worth, elo, counts.spread_of_games())),
            EloModel::Bayesian => {
                bayesian_edge(&shares, elo).map(|e| with_score(&shares, &worth, e))
            }
        };
        let (first, second) = (likeliest(self.elo0)?, likeliest(self.elo1)?);
        let term = |at: usize| shares[at] * (first.logs[at] - second.logs[at]);
        Ok(counts.total() * from_both_ends(shares.len(), term))
    }

    /// The scores that the hypotheses expect, given the spread of these counts.
    pub(crate) fn expected_scores(&self, counts: &Counts) -> Option<[f64; 2]> {
        let (shares, worth) = (counts.shares(), counts.worth());
        let of_a_game = counts.spread_of_games();
        let edge = |elo: f64| match self.model {
            EloModel::Logistic => Some(expected_edge(elo)),
            EloModel::Normalized => {
                let (_, spread) = edge_and_spread(&shares, &worth);
                Some(elo / elo_per_unit() * of_a_game * spread)
            }
            EloModel::Bayesian => bayesian_edge(&shares, elo).ok(),
        };
        Some([0.5 + edge(self.elo0)?, 0.5 + edge(self.elo1)?])
    }

    /// What the test says at this point.
    pub fn verdict(&self, llr: f64) -> SprtVerdict {
        self.bounds().verdict(llr)
    }
}

impl Bounds {
    /// What a test with these bounds says.
    pub fn verdict(&self, llr: f64) -> SprtVerdict {
        if llr >= self.upper {
            SprtVerdict::H1
        } else if llr <= self.lower {
            SprtVerdict::H0
        } else {
            SprtVerdict::Continue
        }
    }
}

/// How far above one half the score is expected. The difference itself is computed, not the score:
/// close to one half nothing is lost to rounding.
fn expected_edge(elo: f64) -> f64 {
    0.5 * (elo / elo_per_unit()).tanh()
}

/// The same as BayesElo expects it, at the draw rate of `shares`.
fn bayesian_edge(shares: &[f64], elo: f64) -> Result<f64, ModelError> {
    let &[loss, _, win] = shares else { return Err(ModelError) };
    let draw_elo = 200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10();
    let wins = 1.0 / (1.0 + 10_f64.powf((draw_elo - elo) / 400.0));
    let losses = 1.0 / (1.0 + 10_f64.powf((draw_elo + elo) / 400.0));
    Ok(0.5 * (wins - losses))
}

/// The likeliest distribution with an expected score so far above one half.
fn with_score(shares: &[f64], worth: &[f64], edge: f64) -> Tilted {
    let edge = edge.clamp(EDGE - 0.5, 0.5 - EDGE);
    let over: Vec<f64> = worth.iter().map(|worth| (worth - 0.5) - edge).collect();
    tilted(shares, &over)
}

/// How far the mean is above one half, and the standard deviation. Mirrored outcomes have the same
/// figures, but for the sign, to the last digit.
pub(crate) fn edge_and_spread(shares: &[f64], worth: &[f64]) -> (f64, f64) {
    let edge = edge(shares, worth);
    let square = |at: usize| shares[at] * ((worth[at] - 0.5) - edge).powi(2);
    (edge, from_both_ends(shares.len(), square).sqrt())
}

/// The sum of so many terms, taken in pairs from both ends: the same if their order is reversed.
fn from_both_ends(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    let pairs: f64 = (0..count / 2).map(|at| term(at) + term(count - 1 - at)).sum();
    if count % 2 == 1 { pairs + term(count / 2) } else { pairs }
}

/// Whether no distribution has zero for its mean.
pub(crate) fn one_sided(over: &[f64]) -> bool {
    over.iter().all(|&over| over <= 0.0) || over.iter().all(|&over| over >= 0.0)
}

/// A distribution that satisfies a hypothesis, as near to what was counted as there is.
pub(crate) struct Tilted {
    pub(crate) shares: Vec<f64>,
    /// For each outcome the logarithm of how many times more likely it is by what was counted.
    logs: Vec<f64>,
}

impl Tilted {
    /// What it loses in the logarithm of the likelihood, by outcome counted.
    pub(crate) fn cost(&self, shares: &[f64]) -> f64 {
        from_both_ends(shares.len(), |at| shares[at] * self.logs[at])
    }
}

/// The distribution nearest to `shares` under which `over` is zero on average:
/// shares / (1 + θ·over), with θ the root of Σ shares·over / (1 + θ·over).
///
/// If the mean of `over` is negative, θ lies between −1/most and 0, often so near to that pole that
/// 1 + θ·most has few digits left. So we look for that number itself, u, between 0 and 1; with
/// r = over / most, 1 + θ·over is (1 − r) + u·r. If the mean is positive, all is mirrored.
pub(crate) fn tilted(shares: &[f64], over: &[f64]) -> Tilted {
    // Where all lie on one side no distribution satisfies the hypothesis.
    if one_sided(over) {
        return Tilted { shares: shares.to_vec(), logs: vec![0.0; shares.len()] };
    }
    let mean = from_both_ends(shares.len(), |at| shares[at] * over[at]);
    let farther = if mean < 0.0 { f64::max } else { f64::min };
    let most = over.iter().copied().fold(0.0, farther);
    let parts: Vec<f64> = over.iter().map(|over| over / most).collect();
    let root = root(shares, &parts);
    let divisor = |part: &f64| (1.0 - part) + root * part;
    let log = |part: &f64| match divisor(part) {
        // Each way where it keeps the digits.
        small if small < 0.5 => small.ln(),
        _ => (-part * (1.0 - root)).ln_1p(),
    };
    Tilted {
        shares: shares.iter().zip(&parts).map(|(share, part)| share / divisor(part)).collect(),
        logs: parts.iter().map(log).collect(),
    }
}

/// The root u of Σ shares·r / ((1 − r) + u·r), which falls from +∞ at 0 to the mean of r at 1,
/// which is not positive.
fn root(shares: &[f64], parts: &[f64]) -> f64 {
    // No probability exceeds one, so no divisor falls below its share.
    let greatest = parts.iter().zip(shares).filter(|(part, _)| **part >= 1.0);
    let (mut low, mut high) = (greatest.map(|(_, share)| *share).fold(0.0, f64::max), 1.0_f64);
    let mut root = high;
    // Newton's steps, but every third halves the digits that are left, so that near zero too the
    // end comes soon.
    for step in 1..MOST_STEPS {
        let term = |at: usize| parts[at] / ((1.0 - parts[at]) + root * parts[at]);
        let sum = from_both_ends(parts.len(), |at| shares[at] * term(at));
        let slope = from_both_ends(parts.len(), |at| shares[at] * term(at) * term(at));
        if sum > 0.0 {
            low = root;
        } else {
            high = root;
        }
        let newton = root + sum / slope;
        let inside = newton >= low && newton <= high;
        let next = if inside && step % 3 > 0 { newton } else { low.sqrt() * high.sqrt() };
        let moved = (next - root).abs();
        root = next;
        // Rounding of the sum alone moves a root by more than this.
        if moved <= 1e-15 * root {
            break;
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::summary::Summary;

    fn test(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model }
    }

    /// Six significant digits, or the six decimals the published figures have.
    fn agrees(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() <= (wanted.abs() * 1e-6).max(6e-7)
    }

    #[test]
    fn the_published_figures_are_reproduced() {
        let text = include_str!("../tests-data/vectors.json");
        let data: Value = serde_json::from_str(text).expect("the file is sound");
        let mut compared = 0;
        for vector in data["vectors"].as_array().expect("a list") {
            let list = vector["counts"].as_array().expect("a list");
            let list: Vec<u64> = list.iter().filter_map(Value::as_u64).collect();
            let counts = Counts::new(&list).expect("three or five");
            let summary = Summary::of(&counts);
            for (name, found) in [
                ("score", summary.score),
                ("elo", summary.elo),
                ("elo_error", summary.elo_error),
                ("los", summary.los),
                ("nelo", summary.nelo),
                ("nelo_error", summary.nelo_error),
            ] {
                let wanted = vector[name].as_f64().expect("a number");
                assert!(agrees(found, wanted), "{name} of {list:?}: {found}, not {wanted}");
                compared += 1;
            }
            for (key, wanted) in vector["llr"].as_object().expect("an object") {
                let (model, bounds) = key.split_once('[').expect("model[elo0,elo1]");
                let (elo0, elo1) = bounds.trim_end_matches(']').split_once(',').expect("two");
                let model = match model {
                    "logistic" => EloModel::Logistic,
                    "normalized" => EloModel::Normalized,
                    "bayesian" => EloModel::Bayesian,
                    other => panic!("no model {other}"),
                };
                let number = |text: &str| text.parse::<f64>().expect("a number");
                let found = test(number(elo0), number(elo1), model).llr(&counts);
                let (found, wanted) = (found.expect("it fits"), wanted.as_f64().expect("a number"));
                assert!(agrees(found, wanted), "{key} of {list:?}: {found}, not {wanted}");
                compared += 1;
            }
        }
        assert!(compared > 60, "only {compared} figures were compared");
    }

    #[test]
    fn nothing_is_ever_infinite_or_undefined() {
        let extremes: [&[u64]; 8] = [
            &[0, 0, 3],
            &[5, 0, 0],
            &[0, 7, 0],
            &[0, 0, 0],
            &[0, 0, 12, 0, 0],
            &[144, 3, 1, 0, 0],
            &[0, 0, 0, 0, 1_000_000],
            &[u64::MAX, 0, 0],
        ];
        for list in extremes {
            let counts = Counts::new(list).expect("three or five");
            let Summary { score, elo, elo_error, los, nelo, nelo_error, .. } = Summary::of(&counts);
            for figure in [score, elo, elo_error, los, nelo, nelo_error] {
                assert!(figure.is_finite(), "{list:?}: {figure}");
            }
            for (elo0, elo1) in [(0.0, 10.0), (-1.75, 0.25), (0.0, 1e4), (-1e4, 1e4)] {
                for model in [EloModel::Logistic, EloModel::Normalized, EloModel::Bayesian] {
                    match test(elo0, elo1, model).llr(&counts) {
                        Ok(llr) => assert!(llr.is_finite(), "{model:?} {elo0} {elo1} {list:?}"),
                        Err(ModelError) => assert!(counts.pairs() && model == EloModel::Bayesian),
                    }
                }
            }
        }
    }

    #[test]
    fn far_hypotheses_are_not_taken_for_the_truth() {
        // Of three outcomes one dimension is free under a hypothesis: these are found by searching
        // it with 40 digits.
        for (list, elo1, wanted) in
            [([100, 100, 100], 400.0, -138.874_076_877), ([30, 50, 120], 1000.0, -65.503_651_144)]
        {
            let counts = Counts::new(&list).expect("three");
            let found = test(0.0, elo1, EloModel::Normalized).llr(&counts).expect("it fits");
            assert!(agrees(found, wanted), "{list:?} at {elo1}: {found}, not {wanted}");
        }
        // Of five, by searching the spread, and for each the likeliest distribution that has it.
        for (list, elo0, elo1, wanted) in [
            ([500, 4000, 9000, 4100, 520], 400.0, 500.0, -4_610.517_680_450),
            ([34, 54, 63, 64, 75], 0.0, 600.0, -264.691_475_996),
            ([5, 40, 90, 41, 6], 300.0, 800.0, -209.775_473_236),
            ([1, 2, 30, 2, 1], 350.0, 700.0, -37.650_358_422),
            ([0, 3, 9, 4, 0], -600.0, -300.0, 12.763_079_198),
        ] {
            let counts = Counts::new(&list).expect("five");
            let found = test(elo0, elo1, EloModel::Normalized).llr(&counts).expect("it fits");
            assert!(agrees(found, wanted), "{list:?} at {elo0}, {elo1}: {found}, not {wanted}");
        }
        for elo in [300.0, 600.0, 1500.0, 2000.0] {
            let pairs = Counts::new(&[34, 54, 63, 64, 75]).expect("five");
            let above = test(0.0, elo, EloModel::Normalized).llr(&pairs).expect("it fits");
            let below = test(-elo, 0.0, EloModel::Normalized).llr(&pairs).expect("it fits");
            assert!(above < -50.0 && below > 50.0, "{elo}: {above} {below}");
        }
    }

    #[test]
    fn huge_counts_keep_their_digits() {
        let (games, pairs) = ([1, 100_000_000, 0], [3, 5, 1_000_000_000, 1, 0]);
        let far = [44, 100_000_000_000_000, 1, 88, 1];
        // Found with 60 digits; the third is the difference of the highest of two tops each.
        for (list, elo, model, wanted) in [
            (&games[..], 200.0, EloModel::Logistic, -20.164_743_289_2),
            (&games, 200.0, EloModel::Normalized, -19.675_841_064_2),
            (&pairs, 100.0, EloModel::Logistic, -65.488_020_393_4),
            (&pairs, 100.0, EloModel::Normalized, -83.789_843_828_97),
        ] {
            let counts = Counts::new(list).expect("three or five");
            let found = test(-elo, elo, model).llr(&counts).expect("it fits");
            assert!((found - wanted).abs() < 1e-7, "{model:?} {list:?}: {found}, not {wanted}");
        }
        let counts = Counts::new(&far).expect("five");
        let found = test(0.0, 5.0, EloModel::Normalized).llr(&counts).expect("it fits");
        assert!((found / -1_459_809_500_709.17 - 1.0).abs() < 1e-13, "{found}");
    }

    #[test]
    fn what_is_mirrored_has_the_opposite_ratio_to_the_last_digit() {
        let lists: [&[u64]; 6] = [
            &[0, 1_000_000_000, 0],
            &[1 << 53, 1 << 53, 1 << 53],
            &[0, 0, 1 << 53, 0, 0],
            &[7, 3, 7],
            &[5, 1, 9, 1, 5],
            &[1, 0, 1],
        ];
        for list in lists {
            let counts = Counts::new(list).expect("three or five");
            for elo in [0.5, 10.0, 200.0, 600.0, 2000.0] {
                for model in [EloModel::Logistic, EloModel::Normalized, EloModel::Bayesian] {
                    if let Ok(llr) = test(-elo, elo, model).llr(&counts) {
                        assert_eq!(llr, 0.0, "{model:?} ±{elo} {list:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_wins_and_losses_are_exactly_even() {
        for list in [&[0, 1_000_000, 0][..], &[7, 3, 7], &[0, 0, 1_000_000, 0, 0], &[5, 1, 9, 1, 5]]
        {
            let summary = Summary::of(&Counts::new(list).expect("three or five"));
            assert_eq!((summary.elo, summary.nelo, summary.los), (0.0, 0.0, 0.5), "{list:?}");
        }
    }

    #[test]
    fn the_usual_bounds_are_those_of_wald() {
        let test = test(0.0, 5.0, EloModel::Logistic);
        assert!((test.bounds().upper - 2.944_438_979).abs() < 1e-9);
        assert_eq!(test.bounds().lower, -test.bounds().upper);
        let least = f64::from_bits(1);
        for (alpha, beta) in [(1e-310, 0.05), (0.05, 1e-310), (least, least)] {
            let Bounds { lower, upper } = Sprt { alpha, beta, ..test }.bounds();
            assert!(lower.is_finite() && upper.is_finite(), "{alpha} {beta}: {lower} {upper}");
            assert!(lower < -2.9 && upper > 2.9, "{alpha} {beta}: {lower} {upper}");
        }
        assert_eq!(test.verdict(2.95), SprtVerdict::H1);
        assert_eq!(test.verdict(-2.95), SprtVerdict::H0);
        assert_eq!(test.verdict(0.0), SprtVerdict::Continue);
    }

    #[test]
    fn tests_that_are_none_are_refused() {
        let sound = test(0.0, 5.0, EloModel::Logistic);
        assert_eq!(sound.check(), Ok(()));
        for wrong in [
            Sprt { alpha: 0.0, ..sound },
            Sprt { alpha: 0.5, ..sound },
            Sprt { beta: -0.1, ..sound },
            Sprt { beta: f64::NAN, ..sound },
            Sprt { elo0: 5.0, ..sound },
            Sprt { elo0: 6.0, ..sound },
            Sprt { elo1: f64::INFINITY, ..sound },
            Sprt { elo0: f64::NAN, ..sound },
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn counts_are_three_or_five_whole_numbers() {
        assert!("1,2,3".parse::<Counts>().is_ok() && "1, 2, 3, 4, 5".parse::<Counts>().is_ok());
        for wrong in ["1,2", "1,2,3,4", "a,b,c", "-1,2,3", "1.5,2,3", ""] {
            assert!(wrong.parse::<Counts>().is_err(), "{wrong}");
        }
    }
}
