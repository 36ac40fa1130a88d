//! `lanista stats`.

use anyhow::{Context as _, Result};
use serde_json::json;
use stats::{Counts, EloModel, Sprt, Summary};

use crate::Exit;
use crate::cli;
use crate::output::number::{fixed, probability, signed, whole};
use crate::output::statistics::{bar, decision, elo_words, one_sided};
use crate::terminal::{say, say_json};

pub(crate) fn stats(args: &cli::StatsArgs) -> Result<Exit> {
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
            "lower": bounds.lower, "upper": bounds.upper, "verdict": league::verdict_name(verdict),
        });
        say_json(&report)?;
        return Ok(Exit::Done);
    }
    let what = if counts.pairs() { "pairs of games" } else { "games" };
    say(&format!(
        "score  {score:.4} over {what}, likelihood of superiority {} %",
        probability(los, 2)
    ))?;
    let normalized = match one_sided(&summary) {
        true => String::new(),
        false => format!(", normalized {} ± {nelo_error:.2}", signed(nelo, 2)),
    };
    say(&format!("Elo    {} (95 %){normalized}", elo_words(&summary, 2)))?;
    let (lower, upper) = (bounds.lower, bounds.upper);
    let bar = bar(llr, lower, upper);
    say(&format!("LLR    {} in [{lower:.3}, {upper:.3}]  {bar}", fixed(llr, 3)))?;
    say(&decision(&test, verdict, ""))?;
    Ok(Exit::Done)
}

/// The test between two hypotheses, if they make one.
pub(crate) fn test(args: &cli::HypothesesOptions) -> Result<Sprt> {
    let test = Sprt {
        elo0: args.elo0,
        elo1: args.elo1,
        alpha: args.alpha,
        beta: args.beta,
        model: match args.model {
            cli::ModelName::Logistic => EloModel::Logistic,
            cli::ModelName::Normalized => EloModel::Normalized,
            cli::ModelName::Bayesian => EloModel::Bayesian,
        },
    };
    test.check()?;
    Ok(test)
}
