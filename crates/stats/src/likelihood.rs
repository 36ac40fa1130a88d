//! Sequential tests: which of two hypotheses about the strength is true?
//!
//! The generalised likelihood ratio: of all distributions of outcomes that satisfy a hypothesis,
//! the one that makes the counts most likely stands for it.

use std::fmt;

use crate::counts::Counts;
use crate::summary::{elo_per_unit, moments};

/// How Elo is understood in a hypothesis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
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
pub struct Test {
    /// The difference under the first hypothesis.
    pub elo0: f64,
    /// The difference under the second.
    pub elo1: f64,
    /// How often the second may be accepted although the first is true.
    pub alpha: f64,
    /// How often the first may be accepted although the second is true.
    pub beta: f64,
    /// What Elo means.
    pub model: Model,
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
pub enum Verdict {
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

/// Hypotheses are not followed beyond scores of a billionth.
const EDGE: f64 = 1e-9;
/// So often the variance of a hypothesis is fitted to its own distribution.
const FITS: usize = 10;

impl Test {
    /// The bounds of Wald.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            lower: (self.beta / (1.0 - self.alpha)).ln(),
            upper: ((1.0 - self.beta) / self.alpha).ln(),
        }
    }

    /// The logarithm of the likelihood ratio: positive speaks for the second hypothesis.
    pub fn llr(&self, counts: &Counts) -> Result<f64, ModelError> {
        let shares = counts.shares();
        let worth = counts.worth();
        let likeliest = |elo: f64| match self.model {
            Model::Logistic => Ok(with_score(&shares, &worth, expected_edge(elo))),
            Model::Normalized => Ok(with_spread(&shares, &worth, elo, counts.pairs())),
            Model::Bayesian => bayesian_edge(&shares, elo).map(|e| with_score(&shares, &worth, e)),
        };
        let (first, second) = (likeliest(self.elo0)?, likeliest(self.elo1)?);
        let terms = shares.iter().zip(first.iter().zip(&second));
        let sum: f64 = terms.map(|(share, (p0, p1))| share * (p1 / p0).ln()).sum();
        Ok(counts.total() * sum)
    }

    /// What the test says at this point.
    pub fn verdict(&self, llr: f64) -> Verdict {
        let bounds = self.bounds();
        if llr >= bounds.upper {
            Verdict::H1
        } else if llr <= bounds.lower {
            Verdict::H0
        } else {
            Verdict::Continue
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
fn with_score(shares: &[f64], worth: &[f64], edge: f64) -> Vec<f64> {
    let edge = edge.clamp(EDGE - 0.5, 0.5 - EDGE);
    let over: Vec<f64> = worth.iter().map(|worth| (worth - 0.5) - edge).collect();
    tilted(shares, &over)
}

/// The likeliest distribution whose mean is `elo` above one half in units of its own spread.
fn with_spread(shares: &[f64], worth: &[f64], elo: f64, pairs: bool) -> Vec<f64> {
    let of_a_game = if pairs { std::f64::consts::SQRT_2 } else { 1.0 };
    let wanted = elo / elo_per_unit() * of_a_game;
    let mut fitted = vec![1.0 / worth.len() as f64; worth.len()];
    for _ in 0..FITS {
        let (mean, spread) = moments(&fitted, worth);
        let over: Vec<f64> = worth
            .iter()
            .map(|worth| {
                let apart = (worth - mean) / spread;
                worth - 0.5 - 0.5 * wanted * spread * (1.0 + apart * apart)
            })
            .collect();
        let next = tilted(shares, &over);
        let moved = next.iter().zip(&fitted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        fitted = next;
        if moved < 1e-12 {
            break;
        }
    }
    fitted
}

/// The distribution nearest to `shares` under which `over` is zero on average:
/// shares / (1 + θ·over), with θ the root of Σ shares·over / (1 + θ·over).
fn tilted(shares: &[f64], over: &[f64]) -> Vec<f64> {
    let most = over.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = over.iter().copied().fold(f64::INFINITY, f64::min);
    // Where all lie on one side no distribution satisfies the hypothesis.
    if most <= 0.0 || least >= 0.0 {
        return shares.to_vec();
    }
    // The sum falls from +∞ to −∞ between its poles; halve until nothing changes.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    // No probability exceeds one, so no divisor falls below its share; near a pole rounding
    // would have it otherwise.
    let part = |share: f64, over: f64, theta: f64| share / (1.0 + theta * over).max(share);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        let terms = shares.iter().zip(over);
        let sum: f64 = terms.map(|(share, over)| over * part(*share, *over, middle)).sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let theta = f64::midpoint(low, high);
    shares.iter().zip(over).map(|(share, over)| part(*share, *over, theta)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::summary::Summary;

    fn test(elo0: f64, elo1: f64, model: Model) -> Test {
        Test { elo0, elo1, alpha: 0.05, beta: 0.05, model }
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
                    "logistic" => Model::Logistic,
                    "normalized" => Model::Normalized,
                    "bayesian" => Model::Bayesian,
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
            let Summary { score, elo, elo_error, los, nelo, nelo_error } = Summary::of(&counts);
            for figure in [score, elo, elo_error, los, nelo, nelo_error] {
                assert!(figure.is_finite(), "{list:?}: {figure}");
            }
            for (elo0, elo1) in [(0.0, 10.0), (-1.75, 0.25), (0.0, 1e4), (-1e4, 1e4)] {
                for model in [Model::Logistic, Model::Normalized, Model::Bayesian] {
                    match test(elo0, elo1, model).llr(&counts) {
                        Ok(llr) => assert!(llr.is_finite(), "{model:?} {elo0} {elo1} {list:?}"),
                        Err(ModelError) => assert!(counts.pairs() && model == Model::Bayesian),
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
        let test = test(0.0, 5.0, Model::Logistic);
        assert!((test.bounds().upper - 2.944_438_979).abs() < 1e-9);
        assert_eq!(test.bounds().lower, -test.bounds().upper);
        assert_eq!(test.verdict(2.95), Verdict::H1);
        assert_eq!(test.verdict(-2.95), Verdict::H0);
        assert_eq!(test.verdict(0.0), Verdict::Continue);
    }

    #[test]
    fn counts_are_three_or_five_whole_numbers() {
        assert!("1,2,3".parse::<Counts>().is_ok() && "1, 2, 3, 4, 5".parse::<Counts>().is_ok());
        for wrong in ["1,2", "1,2,3,4", "a,b,c", "-1,2,3", "1.5,2,3", ""] {
            assert!(wrong.parse::<Counts>().is_err(), "{wrong}");
        }
    }
}
