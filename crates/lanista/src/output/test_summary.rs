//! How a sequential test stands, in words.

use league::TestProgress;
use stats::{StoppedEstimate, Summary};

use crate::output::number::signed;
use crate::output::statistics::{bar, decision, elo_words, interval_words};
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
