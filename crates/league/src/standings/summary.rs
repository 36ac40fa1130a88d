//! What a run is and how far it has come, without tables and ratings: quick to find out, also of a large run.

use crate::schedule::{Plan, Results, Stage};
use crate::standings::{drawn, trial_of};
use crate::store::event_rows::StoredEvent;
use crate::store::{Store, StoreError};
use crate::tournament::sequential_test::TestProgress;

/// A run in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// The tournament's name.
    pub name: String,
    /// Its events.
    pub events: Vec<EventSummary>,
}

/// An event in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSummary {
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// The name of the way in which bots meet.
    pub format: &'static str,
    /// Games finished that count.
    pub games: u64,
    /// Games there will be, if that can be told.
    pub scheduled: Option<u64>,
    /// The names of the bots, in the order in which they were entered.
    pub bots: Vec<String>,
}

impl RunSummary {
    /// Reads it.
    pub fn of(store: &Store) -> Result<RunSummary, StoreError> {
        let _moment = store.with_path(store.db.unchecked_transaction())?;
        let mut events = Vec::new();
        for (id, event) in store.events()?.iter().enumerate() {
            let plan = event.plan();
            let trial = trial_of(store, id, &plan, &event.event_terms())?;
            let (stages, results) = drawn(store, id, &plan)?;
            let sums = store.result_sums(id, &plan.annulled_bots())?;
            let games = sums.iter().map(|result| result.sum.games).sum();
            events.push(EventSummary {
                name: event.name.clone(),
                game: event.game.clone(),
                format: match &trial {
                    Some(_) => "test",
                    None => plan.format.name(),
                },
                games,
                scheduled: scheduled(event, &plan, &stages, &results, trial.as_ref(), games),
                bots: event.bots.iter().map(|bot| bot.name.clone()).collect(),
            });
        }
        Ok(RunSummary { name: store.name()?, events })
    }
}

/// How many games there will be, if that can be told.
pub(super) fn scheduled(
    event: &StoredEvent,
    plan: &Plan,
    stages: &[Stage],
    results: &Results,
    trial: Option<&TestProgress>,
    games: u64,
) -> Option<u64> {
    match trial {
        Some(trial) => trial.is_over().then_some(games),
        None => plan.total(stages, results).or(event.plan.most),
    }
}
