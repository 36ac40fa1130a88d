//! The report of a finished match, in the form that `play --json` prints.

use game::{About, Ending, FaultKind, Verdict};
use serde::{Deserialize, Serialize};

use crate::named::with_names;

/// One finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this record.
    pub v: u32,
    /// The game's name.
    pub game: String,
    /// The match's own id.
    #[serde(rename = "match")]
    pub id: String,
    /// Its place in the run, from 0.
    pub index: u64,
    /// Where chance came from.
    pub seed: u64,
    /// The seed of the whole run, from which that of this match was made; `None` where it was
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_seed: Option<u64>,
    /// Won, drawn or void.
    pub outcome: Verdict,
    /// Why it ended, for people.
    pub reason: String,
    /// How it ended: what by, and who left. `None` for a void match, and where an older version
    /// has not kept it.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// The number of turns that were played; 0 if somebody could not even begin.
    pub turns: u32,
    /// The players, by seat.
    pub players: Vec<PlayerReport>,
    /// How long the game waited for the host, all in all.
    pub host_delay_ms: f64,
    /// How often the match was begun anew because the host had stalled.
    #[serde(default)]
    pub restarts: u32,
    /// The protection the bots were under.
    pub tier: String,
    /// Who played it, where a tournament is played on several machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<WorkerLine>,
    /// Digest of the last state.
    pub digest: String,
    /// Where the replay is, if one was written.
    pub replay: Option<String>,
}

/// The worker of a cluster that played a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerLine {
    /// Its name.
    pub name: String,
    /// Its speed when it started, in millions of steps of a fixed workload a second.
    pub speed: f64,
    /// What the time limits of the match were multiplied by.
    pub time_scale: f64,
}

/// One player's part in a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerReport {
    /// Its name.
    pub name: String,
    /// Its seat, from 0.
    pub seat: u16,
    /// Its rank, from 1; 0 when the match is void.
    pub rank: u16,
    /// Its score in the game's own points.
    pub score: f64,
    /// How many answers counted: in time, in the protocol's language, and legal.
    pub moves: u32,
    /// Time it took for those.
    pub wall_ms: f64,
    /// Processor time it used for those.
    pub cpu_ms: f64,
    /// The slowest of those.
    pub slowest_ms: f64,
    /// What it did wrong. A hundred faults that cost nothing, a thousand that cost something, and
    /// every one by which an actor forfeits have lines of their own; others are counted with the
    /// last of their kind.
    pub faults: Vec<FaultLine>,
    /// How it describes itself, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
}

impl Report {
    /// The report for those who read it: its reason calls the players by their names.
    pub fn named(&self) -> Report {
        let names: Vec<&str> = self.players.iter().map(|player| player.name.as_str()).collect();
        Report { reason: with_names(&self.reason, &names), ..self.clone() }
    }
}

impl PlayerReport {
    /// The mean time of an answer, if there was any.
    pub fn mean_ms(&self) -> Option<f64> {
        mean_ms(self.wall_ms, self.moves.into(), self.slowest_ms)
    }
}

/// The mean of so many answers. Sums are rounded: it is no more than the slowest.
pub fn mean_ms(wall_ms: f64, moves: u64, slowest_ms: f64) -> Option<f64> {
    (moves > 0).then(|| (wall_ms / moves as f64).min(slowest_ms))
}

/// One fault in a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultLine {
    /// In which turn, counted from 1; 0 before the first.
    pub turn: u32,
    /// What sort of misbehaviour it was.
    pub kind: FaultKind,
    /// Whose fault it was, where a player has several agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The facts.
    pub detail: String,
    /// How many faults of this kind the line stands for, from this turn on.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
}

fn one() -> u64 {
    1
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_to_the_last_bit_after_they_were_written() {
        let mut bits = 1_u64;
        for _ in 0..10_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let speed = 50.0 + (bits >> 11) as f64 / (1_u64 << 46) as f64;
            let line = WorkerLine { name: "one".to_owned(), speed, time_scale: 1.0 };
            let text = serde_json::to_string(&line).expect("it can be written");
            assert_eq!(serde_json::from_str::<WorkerLine>(&text).expect("it can be read"), line);
        }
    }
}
