//! `lanista stats`.

use anyhow::{Context as _, Result};
use serde_json::json;
use stats::{Counts, Model, Summary, Test, Verdict};

use crate::Ending;
use crate::cli;
use crate::number::{fixed, signed, whole};
use crate::terminal::{say, say_json};

pub(crate) fn stats(args: &cli::Stats) -> Result<Ending> {
    let counts: Counts = args.counts.parse().context("--counts")?;
    let test = test(&args.hypotheses)?;
    let llr = test.llr(&counts)?;
    let bounds = test.bounds();
    let verdict = verdict_name(test.verdict(llr));
    let Summary { score, elo, elo_error, los, nelo, nelo_error } = Summary::of(&counts);
    if args.json {
        let report = json!({
            "score": score, "elo": whole(elo), "elo_error": elo_error, "los": los, "nelo": whole(nelo),
            "nelo_error": nelo_error, "llr": whole(llr), "lower": bounds.lower, "upper": bounds.upper,
            "verdict": verdict,
        });
        say_json(&report)?;
        return Ok(Ending::Done);
    }
    let what = if counts.pairs() { "pairs of games" } else { "games" };
    say(&format!("score  {score:.4} over {what}, likelihood of superiority {:.2} %", los * 100.0))?;
    let (elo, nelo) = (signed(elo, 2), signed(nelo, 2));
    say(&format!("Elo    {elo} ± {elo_error:.2} (95 %), normalized {nelo} ± {nelo_error:.2}"))?;
    let (lower, upper) = (bounds.lower, bounds.upper);
    let bar = bar(llr, lower, upper);
    say(&format!("LLR    {} in [{lower:.3}, {upper:.3}]  {bar}", fixed(llr, 3)))?;
    say(match verdict {
        "H0" => "H0 is accepted: the difference is not above elo0",
        "H1" => "H1 is accepted: the difference is at least elo1",
        _ => "undecided: more games are needed",
    })?;
    Ok(Ending::Done)
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
