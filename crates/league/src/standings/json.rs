//! Standings, tests and entries of the journal as programs read them (docs/interfaces.md).

use serde_json::{Map, Value, json};
use stats::{SprtVerdict, StoppedEstimate, Summary};

use super::overall::OverallRow;
use super::workers::{WorkerGap, WorkerTotals};
use super::{
    CrossTableEntry, Decided, EventStandings, SeatShare, Standings, StandingsRow, TierGap,
};
use crate::store::journal::JournalEntry;
use crate::tournament::sequential_test::TestProgress;

/// To a fixed number of digits: the same results then read the same everywhere.
pub fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    unsigned_zero((number * scale).round() / scale)
}

/// A number as it is, but 0 instead of -0.
pub fn unsigned_zero(number: f64) -> f64 {
    // IEEE 754: the sum of -0 and 0 is 0.
    number + 0.0
}

/// What a test has decided, in one word.
pub fn verdict_name(verdict: SprtVerdict) -> &'static str {
    match verdict {
        SprtVerdict::H0 => "H0",
        SprtVerdict::H1 => "H1",
        SprtVerdict::Continue => "continue",
    }
}

impl Standings {
    /// The object of one event, or one with all of them.
    pub fn to_json(&self) -> Value {
        match &self.events[..] {
            [event] => {
                let mut only = self.event_json(event);
                only["entries"] = self.entries_json();
                only
            }
            several => {
                let events: Vec<Value> =
                    several.iter().map(|event| self.event_json(event)).collect();
                json!({
                    "v": 1, "name": self.name, "events": events, "overall": self.overall_json(),
                    "entries": self.entries_json(),
                })
            }
        }
    }

    /// The rows of the table of all events together; empty if there is only one.
    pub fn overall_json(&self) -> Vec<Value> {
        let rows = self.overall().unwrap_or_default();
        rows.iter().map(|row| self.overall_row_json(row)).collect()
    }

    /// What was decided while it went on.
    pub fn entries_json(&self) -> Value {
        self.journal.iter().map(JournalEntry::to_json).collect()
    }

    /// One event.
    pub fn event_json(&self, event: &EventStandings) -> Value {
        let names = |row: usize| event.rows[row].name.as_str();
        let pair = |crossing: &CrossTableEntry| {
            let CrossTableEntry { a, b, wins, draws, losses } = crossing;
            json!({
                "a": names(*a), "b": names(*b), "games": wins + draws + losses, "wins": wins,
                "draws": draws, "losses": losses,
                "score": rounded((*wins as f64 + *draws as f64 / 2.0) / (wins + draws + losses) as f64, 6),
                "superiority": rounded(event.superiority[*a][*b], 6),
            })
        };
        let tiers: Map<String, Value> =
            event.tiers.iter().map(|(tier, games)| (tier.clone(), json!(games))).collect();
        json!({
            "v": 1,
            "event": event.name,
            "game": event.game,
            "format": event.format_name(),
            "seed": event.seed,
            "games": event.games,
            "different": event.different,
            "scheduled": event.scheduled,
            "rounds": event.rounds.map(|(played, of)| json!({ "played": played, "of": of })),
            "rows": event.rows.iter().map(row_json).collect::<Vec<_>>(),
            "pairs": event.cross_table.iter().map(pair).collect::<Vec<_>>(),
            "seats": event.seats.iter().map(seat_json).collect::<Vec<_>>(),
            "draw_rate": event.draw_rate.map(|rate| rounded(rate, 6)),
            "tiers": tiers,
            "tier_gaps": event.gaps.iter().map(gap_json).collect::<Vec<_>>(),
            "workers": event.workers.workers.iter().map(worker_json).collect::<Vec<_>>(),
            "worker_gaps": event.workers.gaps.iter().map(worker_gap_json).collect::<Vec<_>>(),
            "worker_time_gaps":
                event.workers.time_gaps.iter().map(worker_time_gap_json).collect::<Vec<_>>(),
            "voids": event.voids,
            "notes": event.notes,
            "test": event.trial.as_ref().map(TestProgress::to_json),
            "tie_break_name": event.tie_breaks.first().map(|tie_break| tie_break.name()),
            "tie_breaks": event.tie_breaks,
            "by_order": event.by_order.iter().map(decided_json).collect::<Vec<_>>(),
            "setups": event.terms.setups,
            "clock": event.terms.clock,
            "clocks": event.terms.clocks,
            "adjudication": event.terms.adjudication,
            "seed": event.terms.seed,
            "played": event.played.as_ref().map(|[from, to]| json!({ "from": from, "to": to })),
            "name": self.name,
        })
    }

    fn overall_row_json(&self, row: &OverallRow) -> Value {
        let places = self.events.iter().zip(&row.places);
        let places: Map<String, Value> =
            places.map(|(event, place)| (event.name.clone(), json!(place))).collect();
        json!({
            "rank": row.rank,
            "name": row.name,
            "points": rounded(row.points, 6),
            "firsts": row.firsts,
            "places": places,
            "games": row.games,
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
        })
    }
}

fn seat_json(seat: &SeatShare) -> Value {
    json!({
        "seat": seat.seat, "score": rounded(seat.score, 6),
        "elo": seat.elo.map(|(elo, _)| rounded(elo, 2)),
        "elo_error": seat.elo.map(|(_, error)| rounded(error, 2)),
    })
}

fn gap_json(gap: &TierGap) -> Value {
    json!({
        "name": gap.name, "tier": gap.usual.0, "score": rounded(gap.usual.1, 6),
        "other_tier": gap.other.0, "other_score": rounded(gap.other.1, 6),
        "chance": rounded(gap.chance, 6),
    })
}

fn worker_json(worker: &WorkerTotals) -> Value {
    json!({
        "name": worker.name, "games": worker.games, "tiers": worker.tiers,
        "speed": rounded(worker.speed, 1),
    })
}

fn worker_gap_json(gap: &WorkerGap) -> Value {
    json!({
        "worker": gap.worker, "name": gap.name, "games": gap.games,
        "score": rounded(gap.here, 6), "other_score": rounded(gap.elsewhere, 6),
        "chance": rounded(gap.chance, 9),
    })
}

fn worker_time_gap_json(gap: &WorkerGap) -> Value {
    json!({
        "worker": gap.worker, "name": gap.name, "games": gap.games,
        "answer_ms": rounded(gap.here, 4), "other_answer_ms": rounded(gap.elsewhere, 4),
        "chance": rounded(gap.chance, 9),
    })
}

/// A meeting that the order of the file decided; rounds count from 1.
fn decided_json(Decided { round, winner, loser }: &Decided) -> Value {
    json!({ "round": round + 1, "winner": winner, "loser": loser })
}

fn row_json(row: &StandingsRow) -> Value {
    let times = row.times;
    json!({
        "rank": row.rank,
        "name": row.name,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "points": rounded(row.points, 6),
        "rating": rounded(row.rating, 2),
        "rating_error": rounded(row.rating_error, 2),
        "anchored": row.anchored,
        "faults": row.faults,
        "bot": row.bot,
        "about": row.about,
        "byes": row.byes,
        "walkovers": row.walkovers,
        "left": row.left,
        "tie_break": row.tie_breaks.first().map(|value| rounded(*value, 4)),
        "tie_breaks": row.tie_breaks.iter().map(|value| rounded(*value, 4)).collect::<Vec<_>>(),
        "reached": row.reached.map(|reached| reached.to_string()),
        "moves": times.moves,
        "time": {
            "mean_ms": rounded(times.mean_ms, 3), "p99_ms": rounded(times.p99_ms, 3),
            "slowest_ms": rounded(times.slowest_ms, 3), "cpu_ms": rounded(times.cpu_ms, 3),
        },
    })
}

impl JournalEntry {
    /// As `lanista ctl RUN entries` prints it.
    pub fn to_json(&self) -> Value {
        let mut value = json!({ "v": 1, "number": self.number, "made": self.made });
        if let (Value::Object(all), Ok(Value::Object(what))) =
            (&mut value, serde_json::to_value(&self.what))
        {
            all.extend(what);
            all.insert("reason".to_owned(), self.reason.as_str().into());
        }
        value
    }
}

impl TestProgress {
    /// How it stands.
    pub fn to_json(&self) -> Value {
        let (hypotheses, bounds) = (self.hypotheses(), self.bounds());
        let summary = self.counts().map(|counts| Summary::of(&counts));
        let summary = summary.as_ref();
        json!({
            "hypotheses": hypotheses,
            "games": self.games().iter().sum::<u64>(),
            "counts": self.games(),
            "pairs": self.pairs(),
            "elo": summary.map(|summary| unsigned_zero(summary.elo)),
            "elo_error": summary.map(|summary| summary.elo_error),
            "elo_low": summary.and_then(|summary| summary.elo_interval.low.map(unsigned_zero)),
            "elo_high": summary.and_then(|summary| summary.elo_interval.high.map(unsigned_zero)),
            "corrected": self.corrected_json(),
            "llr": unsigned_zero(self.llr()),
            "lower": bounds.lower,
            "upper": bounds.upper,
            "verdict": verdict_name(self.verdict()),
        })
    }

    /// The estimate that is corrected for stopping.
    pub fn corrected_json(&self) -> Value {
        self.stopped().map_or(Value::Null, |StoppedEstimate { elo, interval }| {
            json!({
                "elo": unsigned_zero(elo), "low": interval.low.map(unsigned_zero),
                "high": interval.high.map(unsigned_zero),
            })
        })
    }
}
