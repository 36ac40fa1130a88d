//! How a sequential test stands, in words and for scripts.

use league::Trial;
use serde_json::{Value, json};
use stats::{Summary, Verdict};

use crate::number::{signed, whole};
use crate::statistics::{bar, verdict_name};
use crate::words::count;

/// How it stands in words, and as a bar.
pub(crate) fn line(trial: &Trial) -> (String, String) {
    let [losses, draws, wins] = trial.games();
    let bounds = trial.bounds();
    let (llr, lower, upper) = (trial.llr(), bounds.lower, bounds.upper);
    let elo = match trial.counts() {
        Some(counts) => {
            let Summary { elo, elo_error, .. } = Summary::of(&counts);
            format!("{} ± {elo_error:.1}", signed(elo, 1))
        }
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
pub(crate) fn verdict(trial: &Trial, new: &str, old: &str) -> String {
    let (elo0, elo1) = (trial.hypotheses().elo0, trial.hypotheses().elo1);
    let between = format!("{new} against {old}");
    match trial.verdict() {
        Verdict::H1 => format!("H1 accepted, {between}: closer to {elo1} than to {elo0} Elo"),
        Verdict::H0 => format!("H0 accepted, {between}: closer to {elo0} than to {elo1} Elo"),
        Verdict::Continue => match trial.failed() {
            Some(error) => format!("{between} cannot be judged: {error}"),
            None => "undecided: more games are needed".to_owned(),
        },
    }
}

/// For scripts.
pub(crate) fn as_json(trial: &Trial) -> Value {
    let (hypotheses, bounds) = (trial.hypotheses(), trial.bounds());
    let summary = trial.counts().map(|counts| Summary::of(&counts));
    json!({
        "hypotheses": hypotheses,
        "games": trial.games().iter().sum::<u64>(),
        "counts": trial.games(),
        "pairs": trial.pairs(),
        "elo": summary.as_ref().map(|summary| whole(summary.elo)),
        "elo_error": summary.as_ref().map(|summary| summary.elo_error),
        "llr": whole(trial.llr()),
        "lower": bounds.lower,
        "upper": bounds.upper,
        "verdict": verdict_name(trial.verdict()),
    })
}
