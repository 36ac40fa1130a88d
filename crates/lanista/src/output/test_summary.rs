//! How a sequential test stands, in words and for scripts.

use league::TestProgress;
use serde_json::{Value, json};
use stats::{StoppedEstimate, Summary};

use crate::output::number::{signed, whole};
use crate::output::statistics::{bar, decision, elo_words, interval_words, verdict_name};
use crate::output::text::count;

/// How it stands in words, and as a bar.
pub(crate) fn line(trial: &TestProgress) -> (String, String) {
    let [losses, draws, wins] = trial.games();
    let bounds = trial.bounds();
    let (llr, lower, upper) = (trial.llr(), bounds.lower, bounds.upper);
    let elo = match trial.counts() {
        Some(counts) => elo_words(&Summary::of(&counts), 1),
        None => "–".to_owned(),
    };
    let words = format!(
        "{} (+{wins} ={draws} -{losses})  Elo {elo}  LLR {} [{lower:.2}, {upper:.2}]",
        count(losses + draws + wins, "game"),
        signed(llr, 2)
    );
    (words, bar(llr, lower, upper))
}

/// What it has decided.
pub(crate) fn verdict(trial: &TestProgress, new: &str, old: &str) -> String {
    match trial.failed() {
        Some(error) => format!("{new} against {old} cannot be judged: {error}"),
        None => {
            let decision = decision(trial.test(), trial.verdict(), &format!("{new} against {old}"));
            let stopped = trial.stopped().map(|StoppedEstimate { elo, interval }| {
                let interval = interval_words(interval, 1);
                format!("; Elo {}, {interval} (95 %, corrected for stopping)", signed(elo, 1))
            });
            decision + &stopped.unwrap_or_default()
        }
    }
}

/// The estimate that is corrected for stopping, for scripts.
pub(crate) fn corrected(trial: &TestProgress) -> Value {
    trial.stopped().map_or(Value::Null, |StoppedEstimate { elo, interval }| {
        json!({
            "elo": whole(elo), "low": interval.low.map(whole), "high": interval.high.map(whole),
        })
    })
}

/// For scripts.
pub(crate) fn as_json(trial: &TestProgress) -> Value {
    let (hypotheses, bounds) = (trial.hypotheses(), trial.bounds());
    let summary = trial.counts().map(|counts| Summary::of(&counts));
    json!({
        "hypotheses": hypotheses,
        "games": trial.games().iter().sum::<u64>(),
        "counts": trial.games(),
        "pairs": trial.pairs(),
        "elo": summary.as_ref().map(|summary| whole(summary.elo)),
        "elo_error": summary.as_ref().map(|summary| summary.elo_error),
        "elo_low": summary.as_ref().and_then(|summary| summary.elo_interval.low.map(whole)),
        "elo_high": summary.as_ref().and_then(|summary| summary.elo_interval.high.map(whole)),
        "corrected": corrected(trial),
        "llr": whole(trial.llr()),
        "lower": bounds.lower,
        "upper": bounds.upper,
        "verdict": verdict_name(trial.verdict()),
    })
}
