//! Statistics of results in words: Elo with its error, what a test has decided, where its ratio
//! stands.

use stats::{EloModel, Interval, Sprt, SprtVerdict, Summary};

use crate::output::number::signed;

/// Whether all outcomes were the same, so that only an interval says something.
pub(crate) fn one_sided(summary: &Summary) -> bool {
    match (summary.elo_interval.low, summary.elo_interval.high) {
        (Some(low), Some(high)) => ((high - low) / 2.0 - summary.elo_error).abs() > 1e-9,
        (Some(_) | None, Some(_) | None) => true,
    }
}

/// The difference with its 95 % interval. Where all outcomes were the same, there is no more than a
/// bound.
pub(crate) fn elo_words(summary: &Summary, digits: usize) -> String {
    if one_sided(summary) {
        return interval_words(summary.elo_interval, digits);
    }
    format!("{} ± {:.digits$}", signed(summary.elo, digits), summary.elo_error)
}

/// Where something lies.
pub(crate) fn interval_words(interval: Interval, digits: usize) -> String {
    let number = |end: f64| signed(end, digits);
    match (interval.low, interval.high) {
        (Some(low), Some(high)) => format!("between {} and {}", number(low), number(high)),
        (Some(low), None) => format!("above {}", number(low)),
        (None, Some(high)) => format!("below {}", number(high)),
        (None, None) => "unknown".to_owned(),
    }
}

/// What a test has decided: which of two hypotheses is nearer to the truth, and no more than that.
pub(crate) fn decision(test: &Sprt, verdict: SprtVerdict, between: &str) -> String {
    let elo = match test.model {
        EloModel::Logistic => "Elo",
        EloModel::Normalized => "normalized Elo",
        EloModel::Bayesian => "BayesElo",
    };
    let [elo0, elo1] = [test.elo0, test.elo1].map(|elo| match elo {
        0.0 => "0".to_owned(),
        _ => format!("{elo:+}"),
    });
    let between = if between.is_empty() { String::new() } else { format!(", {between}") };
    match verdict {
        SprtVerdict::H0 => format!("H0 accepted{between}: closer to {elo0} than to {elo1} {elo}"),
        SprtVerdict::H1 => format!("H1 accepted{between}: closer to {elo1} than to {elo0} {elo}"),
        SprtVerdict::Continue => "undecided: more games are needed".to_owned(),
    }
}

/// Where the ratio stands between its bounds.
pub(crate) fn bar(llr: f64, lower: f64, upper: f64) -> String {
    const WIDTH: usize = 31;
    let share = ((llr - lower) / (upper - lower)).clamp(0.0, 1.0);
    let at = (share * (WIDTH - 1) as f64).round() as usize;
    let cell = |index| match index {
        _ if index == at => '●',
        _ if index == WIDTH / 2 => '┼',
        _ => '─',
    };
    format!("H0 ├{}┤ H1", (0..WIDTH).map(cell).collect::<String>())
}
