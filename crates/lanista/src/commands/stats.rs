//! `lanista stats`.

use anyhow::{Context as _, Result};
use serde_json::json;
use stats::{Counts, Interval, Model, Summary, Test, Verdict};

use crate::Ending;
use crate::cli;
use crate::output::number::{fixed, signed, whole};
use crate::terminal::{say, say_json};

pub(crate) fn stats(args: &cli::Stats) -> Result<Ending> {
    let counts: Counts = args.counts.parse().context("--counts")?;
    let test = test(&args.hypotheses)?;
    let llr = test.llr(&counts)?;
    let bounds = test.bounds();
    let verdict = test.verdict(llr);
    let summary = Summary::of(&counts);
    let Summary { score, elo, elo_error, elo_interval, los, nelo, nelo_error } = summary;
    if args.json {
        let report = json!({
            "score": score, "elo": whole(elo), "elo_error": elo_error,
            "elo_low": elo_interval.low.map(whole), "elo_high": elo_interval.high.map(whole),
            "los": los, "nelo": whole(nelo), "nelo_error": nelo_error, "llr": whole(llr),
            "lower": bounds.lower, "upper": bounds.upper, "verdict": verdict_name(verdict),
        });
        say_json(&report)?;
        return Ok(Ending::Done);
    }
    let what = if counts.pairs() { "pairs of games" } else { "games" };
    say(&format!("score  {score:.4} over {what}, likelihood of superiority {:.2} %", los * 100.0))?;
    let normalized = match one_sided(&summary) {
        true => String::new(),
        false => format!(", normalized {} ± {nelo_error:.2}", signed(nelo, 2)),
    };
    say(&format!("Elo    {} (95 %){normalized}", elo_words(&summary, 2)))?;
    let (lower, upper) = (bounds.lower, bounds.upper);
    let bar = bar(llr, lower, upper);
    say(&format!("LLR    {} in [{lower:.3}, {upper:.3}]  {bar}", fixed(llr, 3)))?;
    say(&decision(&test, verdict, ""))?;
    Ok(Ending::Done)
}

/// Whether all outcomes were the same, so that only an interval says something.
fn one_sided(summary: &Summary) -> bool {
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
pub(crate) fn decision(test: &Test, verdict: Verdict, between: &str) -> String {
    let elo = match test.model {
        Model::Logistic => "Elo",
        Model::Normalized => "normalized Elo",
        Model::Bayesian => "BayesElo",
    };
    let [elo0, elo1] = [test.elo0, test.elo1].map(|elo| match elo {
        0.0 => "0".to_owned(),
        _ => format!("{elo:+}"),
    });
    let between = if between.is_empty() { String::new() } else { format!(", {between}") };
    match verdict {
        Verdict::H0 => format!("H0 accepted{between}: closer to {elo0} than to {elo1} {elo}"),
        Verdict::H1 => format!("H1 accepted{between}: closer to {elo1} than to {elo0} {elo}"),
        Verdict::Continue => "undecided: more games are needed".to_owned(),
    }
}

/// A verdict in the words of the interface.
pub(crate) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::H0 => "H0",
        Verdict::H1 => "H1",
        Verdict::Continue => "continue",
    }
}

/// The test between two hypotheses, if they make one.
pub(crate) fn test(args: &cli::Hypotheses) -> Result<Test> {
    let test = Test {
        elo0: args.elo0,
        elo1: args.elo1,
        alpha: args.alpha,
        beta: args.beta,
        model: match args.model {
            cli::Model::Logistic => Model::Logistic,
            cli::Model::Normalized => Model::Normalized,
            cli::Model::Bayesian => Model::Bayesian,
        },
    };
    test.check()?;
    Ok(test)
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
