//! Bots that keep failing: `[stop] faults`.
//!
//! Who is out, and since when, must not depend on the order in which games finish. So failed games
//! are only counted, and where stages are drawn up from results, complete stages alone are looked
//! at.

use std::collections::{BTreeMap, HashMap};

use game::Ending;
use table::{PlayerReport, Report};

use crate::schedule::{BotId, Format, GameKey};
use crate::store::{Store, StoreError};
use crate::tournament::event_progress::EventProgress;

/// Games of an event in which bots have failed, and who did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures(HashMap<GameKey, Vec<BotId>>);

/// A bot that has failed too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FailingBot {
    pub(crate) bot: BotId,
    /// The first stage without it.
    pub(crate) since: u32,
    /// In how many games it had failed.
    pub(crate) games: u64,
}

/// Whether a bot has failed in a game: it left by a fault, or had faults and gave no answer that
/// counted.
fn has_failed(player: &PlayerReport, ending: Option<&Ending>) -> bool {
    let left = |ending: &Ending| {
        ending.forfeits.iter().any(|forfeit| forfeit.seat.index() == usize::from(player.seat))
    };
    ending.is_some_and(left) || (player.moves == 0 && !player.faults.is_empty())
}

impl Failures {
    /// Those of the games that are in a store.
    pub(crate) fn read(store: &Store, event: usize) -> Result<Failures, StoreError> {
        let known = store.events()?.into_iter().nth(event);
        let bots = known.map(|event| event.bots).unwrap_or_default();
        let number = |name: &str| bots.iter().position(|bot| bot.name == name);
        let mut failures = Failures::default();
        for (key, report) in store.reports(event)? {
            let seating = report.players.iter().filter_map(|player| number(&player.name));
            let seating: Vec<BotId> = seating.map(|bot| BotId(bot as u32)).collect();
            failures.add(key, &seating, &report);
        }
        Ok(failures)
    }

    /// Notes who has failed in a game.
    pub(crate) fn add(&mut self, key: GameKey, seating: &[BotId], report: &Report) {
        let players = seating.iter().zip(&report.players);
        let failed = players.filter(|(_, player)| has_failed(player, report.ending.as_ref()));
        let failed: Vec<BotId> = failed.map(|(bot, _)| *bot).collect();
        match failed.is_empty() {
            true => self.0.remove(&key),
            false => self.0.insert(key, failed),
        };
    }

    /// Those who have failed in so many games, and are still there.
    pub(crate) fn forbidden(&self, progress: &EventProgress, limit: u64) -> Vec<FailingBot> {
        let all = self.0.iter().filter(|(key, _)| progress.results().contains_key(key));
        let mut counts: BTreeMap<BotId, u64> = BTreeMap::new();
        for bot in all.flat_map(|(_, bots)| bots) {
            *counts.entry(*bot).or_default() += 1;
        }
        counts.retain(|bot, games| *games >= limit && !progress.plan().has_left(*bot));
        // A ladder is drawn up two stages ahead of what is complete.
        let ahead = match progress.plan().format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => {
                let out =
                    counts.into_iter().map(|(bot, games)| FailingBot { bot, since: 0, games });
                return out.collect();
            }
            Format::Swiss { .. } | Format::Knockout { .. } => 1,
            Format::Ladder { .. } => 2,
        };
        let mut out = Vec::new();
        for bot in counts.into_keys() {
            let mut games = 0;
            for (number, stage) in progress.stages().iter().enumerate() {
                let failed =
                    |key: &GameKey| self.0.get(key).is_some_and(|bots| bots.contains(&bot));
                if !stage.iter().all(|game| progress.is_settled(&game)) {
                    break;
                }
                games += stage.iter().filter(|game| failed(&game.key())).count() as u64;
                if games >= limit {
                    out.push(FailingBot { bot, since: (number + ahead) as u32, games });
                    break;
                }
            }
        }
        out
    }
}
