//! Whether a result that a worker sends is one: its replay is of the very game that was lent, was
//! played by the rules, and says the same as the report of how it ended, of turns, faults and times.
//! Who moved, whether the times in a replay are true, on which tier it was played and how often it was
//! begun anew cannot be proven.

use std::sync::Arc;

use game::Verdict;
use serde_json::{Map, Value};
use table::{AnyGame, Header, Record, Report, Terms};

/// What a lent game is: its rules, its set-up, its terms.
#[derive(Clone)]
pub(crate) struct ExpectedGame {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) setup: Arc<Map<String, Value>>,
    pub(crate) terms: Terms,
}

/// How closely a replay is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scrutiny {
    /// It is played again.
    Full,
    /// It is compared with the report alone.
    Report,
}

impl ExpectedGame {
    /// The report and the record to be kept, or what is wrong.
    pub(crate) fn accept(
        &self,
        mut report: Report,
        replay: &[u8],
        scrutiny: Scrutiny,
    ) -> Result<(Report, Record), String> {
        let record = Record::read(replay).map_err(|error| format!("its replay: {error}"))?;
        self.check_header(&record.header)?;
        self.check_report(&report)?;
        let replay = match scrutiny {
            Scrutiny::Full if report.outcome != Verdict::Void => {
                let replay = self.game.replay(&record);
                let replay = replay.map_err(|error| format!("its replay: {error}"))?;
                let verified = replay.verify();
                verified.map_err(|error| format!("its replay does not verify: {error}"))?;
                Some(replay)
            }
            Scrutiny::Full | Scrutiny::Report => None,
        };
        let agents = replay.as_ref().map(|replay| replay.fault_agents());
        if let Some(contradiction) = record.contradiction(&report, agents.as_deref()) {
            return Err(format!("its report and its replay disagree: {contradiction}"));
        }
        if report.outcome == Verdict::Void {
            match record.ending() {
                Some((None, _)) => {}
                Some((Some(_), _)) | None => return Err("a void game has an outcome".to_owned()),
            }
        } else {
            let outcome = match &replay {
                Some(replay) => replay.result().cloned(),
                None => record.ending().and_then(|(outcome, _)| outcome),
            };
            let outcome = outcome.ok_or("its replay has no outcome")?;
            let ranks: Vec<u16> = report.players.iter().map(|player| player.rank).collect();
            let scores: Vec<f64> = report.players.iter().map(|player| player.score).collect();
            if outcome.ranks != ranks || outcome.scores != scores {
                return Err(format!(
                    "the places are {:?} in the replay, and {ranks:?} in the report",
                    outcome.ranks
                ));
            }
            if outcome.verdict() != report.outcome
                || outcome.reason != report.reason
                || report.ending.as_ref() != Some(&outcome.ending)
            {
                return Err("its ending differs in the replay".to_owned());
            }
            let last = record.digests().last().map(|digest| format!("{digest:016x}"));
            if last.is_some_and(|last| last != report.digest) {
                return Err("the last state differs in the replay".to_owned());
            }
        }
        (report.index, report.run_seed, report.replay) = (0, None, None);
        Ok((report, record))
    }

    /// The header of its replay, before any bot has described itself.
    pub(crate) fn header(&self) -> Option<Arc<Header>> {
        let table = self.game.table(&self.setup, self.terms.clone()).ok()?;
        Some(table.log().shared_header().clone())
    }

    /// Compares the header with that of a match of the same terms.
    fn check_header(&self, header: &Header) -> Result<(), String> {
        let wanted = self.header().ok_or("its set-up cannot be played")?;
        if header.id != wanted.id {
            return Err("its replay is of another match".to_owned());
        }
        let mut plain = header.clone();
        // How a bot describes itself is up to the bot.
        plain.players.iter_mut().for_each(|player| player.about = None);
        match plain == *wanted {
            true => Ok(()),
            false => Err("its replay is of other bots, another set-up or another clock".to_owned()),
        }
    }

    /// Compares what a report says of the match, and bounds what it says of itself.
    fn check_report(&self, report: &Report) -> Result<(), String> {
        let names = report.players.iter().map(|player| player.name.as_str());
        let wanted = self.terms.entrants.iter().map(|entrant| entrant.name.as_str());
        let seats = report.players.iter().map(|player| usize::from(player.seat));
        let is_same = report.game == self.game.card().id
            && report.id == self.terms.id
            && report.seed == self.terms.seed.0
            && names.eq(wanted)
            && seats.eq(0..self.terms.entrants.len());
        if !is_same {
            return Err("its report is of another match".to_owned());
        }
        let is_time = |ms: f64| ms.is_finite() && ms >= 0.0;
        let times = report.players.iter().flat_map(|p| [p.wall_ms, p.cpu_ms, p.slowest_ms]);
        if !times.chain([report.host_delay_ms]).all(is_time) {
            return Err("its report has times that cannot be".to_owned());
        }
        if !matches!(report.tier.as_str(), "A" | "B" | "C" | "D" | "E") {
            return Err("its report names no tier".to_owned());
        }
        if report.restarts > host::MOST_RESTARTS {
            return Err("no match is begun anew so often".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
