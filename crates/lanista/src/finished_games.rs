//! Games of a run as they are kept.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use league::schedule::GameKey;
use league::{EventProgress, ReadPosition, Stop, Store, StoredEvent};
use serde_json::Value;
use table::Report;

use crate::commands::run::{annulled, chosen};
use crate::output::game_summary::one;
use crate::terminal::{say, say_json};

/// A game of a run that was kept.
pub(crate) struct KeptResult {
    /// Its event.
    pub(crate) event: String,
    /// Whether it counts for nothing.
    pub(crate) annulled: bool,
    pub(crate) report: Report,
}

impl KeptResult {
    /// For scripts.
    pub(crate) fn json(&self) -> Result<Value> {
        let mut value = serde_json::to_value(self.report.named())?;
        value["event"] = self.event.as_str().into();
        if self.annulled {
            value["annulled"] = true.into();
        }
        Ok(value)
    }

    /// Prints it.
    pub(crate) fn say(&self, form: Form) -> Result<()> {
        let mut text = one(&self.report);
        if self.annulled {
            text += "\n  annulled: a bot was disqualified";
        }
        match form {
            Form::Json => say_json(&self.json()?),
            Form::Text => Ok(say(&text)?),
            Form::TextOfSeveral => Ok(say(&format!("{}: {text}", self.event))?),
        }
    }
}

/// How games are printed.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Json,
    Text,
    /// There are several events.
    TextOfSeveral,
}

/// The games of a run that somebody has not seen yet.
pub(crate) struct Kept {
    store: Store,
    events: Vec<Followed>,
}

/// An event whose games are followed.
struct Followed {
    id: usize,
    since: ReadPosition,
    /// Places in the schedule, as far as they have been looked for.
    numbers: HashMap<GameKey, u64>,
    /// How many bots and entries of the journal the schedule was made of.
    made_of: (usize, usize),
}

impl Kept {
    /// All games of the events that are meant.
    pub(crate) fn new(store: Store, event: Option<&str>) -> Result<Kept> {
        let followed = |id| Followed {
            id,
            since: ReadPosition::default(),
            numbers: HashMap::new(),
            made_of: (0, 0),
        };
        let events = chosen(&store, event)?.into_iter().map(followed).collect();
        Ok(Kept { store, events })
    }

    /// Leaves out those that are there.
    pub(crate) fn without_old(mut self) -> Result<Kept> {
        for event in &mut self.events {
            self.store.reports_since(event.id, &mut event.since)?;
        }
        Ok(self)
    }

    /// The games that were kept since the last time, in that order.
    pub(crate) fn news(&mut self, mut each: impl FnMut(KeptResult) -> Result<()>) -> Result<()> {
        for event in &mut self.events {
            let new = self.store.reports_since(event.id, &mut event.since)?;
            if new.is_empty() {
                continue;
            }
            let known = self.store.events()?.swap_remove(event.id);
            event.number(&self.store, &known, new.iter().map(|(key, _)| key))?;
            for (key, mut report) in new {
                report.index = event.numbers.get(&key).copied().unwrap_or(0);
                let annulled = annulled(&known, &report);
                each(KeptResult { event: known.name.clone(), annulled, report })?;
            }
        }
        Ok(())
    }
}

impl Followed {
    /// Finds the places of games in the schedule.
    fn number<'k>(
        &mut self,
        store: &Store,
        known: &StoredEvent,
        keys: impl Iterator<Item = &'k GameKey>,
    ) -> Result<()> {
        let made_of = (known.bots.len(), store.journal()?.len());
        if made_of != self.made_of {
            (self.numbers, self.made_of) = (HashMap::new(), made_of);
        }
        let mut missing: HashSet<&GameKey> =
            keys.filter(|key| !self.numbers.contains_key(*key)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let results = store.results(self.id)?;
        let course = EventProgress::new(known.plan(), Stop::default(), results, HashMap::new());
        // As many again as are needed: the whole schedule may be long, and is asked for often.
        let mut enough = None;
        for (index, fixture) in (0..).zip(course.fixtures()) {
            if enough.is_some_and(|enough| index > enough) {
                break;
            }
            let key = fixture.key();
            missing.remove(&key);
            if missing.is_empty() && enough.is_none() {
                enough = Some(2 * index + 1000);
            }
            self.numbers.insert(key, index);
        }
        Ok(())
    }
}
