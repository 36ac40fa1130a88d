//! Games of a run as they are kept.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Result, bail};
use league::schedule::{BotId, GameKey};
use league::{EventProgress, ReadPosition, Stop, Store, StoredEvent};
use serde_json::Value;
use table::Report;

use crate::catalogue::Catalogue;
use crate::output::game_summary::one;
use crate::output::text::count;
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
    pub(crate) fn say(&self, form: Form, catalogue: Catalogue) -> Result<()> {
        let mut text = one(&self.report, catalogue);
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
pub(crate) struct UnreadGames {
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

impl UnreadGames {
    /// All games of the events that are meant.
    pub(crate) fn new(store: Store, event: Option<&str>) -> Result<UnreadGames> {
        let followed = |id| Followed {
            id,
            since: ReadPosition::default(),
            numbers: HashMap::new(),
            made_of: (0, 0),
        };
        let events = chosen(&store, event)?.into_iter().map(followed).collect();
        Ok(UnreadGames { store, events })
    }

    /// Leaves out those that are there.
    pub(crate) fn without_old(mut self) -> Result<UnreadGames> {
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
        let progress = EventProgress::new(known.plan(), Stop::default(), results, HashMap::new());
        // As many again as are needed: the whole schedule may be long, and is asked for often.
        let mut enough = None;
        for (index, fixture) in (0..).zip(progress.fixtures()) {
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

/// The events that are meant: all, or the one of this name.
pub(crate) fn chosen(store: &Store, name: Option<&str>) -> Result<Vec<usize>> {
    let events = store.events()?;
    match name {
        None => Ok((0..events.len()).collect()),
        Some(name) => match events.iter().position(|event| event.name == name) {
            Some(event) => Ok(vec![event]),
            None => {
                let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
                let near = game::did_you_mean(name, names.iter().copied());
                bail!("\"{name}\" is not one of the events{near}: {}", names.join(", "))
            }
        },
    }
}

/// The finished games of an event, by their places in the schedule.
pub(crate) fn reports(store: &Store, event: usize) -> Result<Vec<Report>> {
    let known = &store.events()?[event];
    let progress = EventProgress::new(
        known.plan(),
        Stop::default(),
        store.results(event)?,
        Default::default(),
    );
    let mut reports = store.reports(event)?;
    let mut sorted = Vec::new();
    for (index, fixture) in progress.fixtures().enumerate() {
        // Most of a long schedule lies behind the last finished game.
        if reports.is_empty() {
            break;
        }
        if let Some(mut report) = reports.remove(&fixture.key()) {
            report.index = index as u64;
            sorted.push(report);
        }
    }
    Ok(sorted)
}

/// Whether a game counts for nothing, because of who took part in it.
pub(crate) fn annulled(event: &StoredEvent, report: &Report) -> bool {
    let number = |name: &str| event.bots.iter().position(|bot| bot.name == name);
    let bots = report.players.iter().filter_map(|player| number(&player.name));
    event.plan().is_annulled(&bots.map(|bot| BotId(bot as u32)).collect::<Vec<BotId>>())
}

/// A finished game of a tournament.
pub(crate) struct KeptGame {
    pub(crate) event: String,
    /// The name of what was played.
    pub(crate) game: String,
    /// Its number in `lanista results`.
    pub(crate) number: u64,
    /// Its id, by which its replay is found.
    pub(crate) id: String,
}

/// The finished games of a tournament or of one of its events.
pub(crate) fn kept_games(run: &Path, event: Option<&str>) -> Result<(Store, Vec<KeptGame>)> {
    let store = Store::open_to_read(run)?;
    let events = store.events()?;
    let mut kept = Vec::new();
    for event in chosen(&store, event)? {
        kept.extend(reports(&store, event)?.into_iter().map(|report| KeptGame {
            event: events[event].name.clone(),
            game: events[event].game.clone(),
            number: report.index + 1,
            id: report.id,
        }));
    }
    Ok((store, kept))
}

/// The replay of a game of a tournament, by its number in `lanista results`: what it is called, and
/// its bytes.
pub(crate) fn replay_of(run: &Path, event: Option<&str>, number: u64) -> Result<(String, Vec<u8>)> {
    let store = Store::open_to_read(run)?;
    let events = chosen(&store, event)?;
    let [event] = events[..] else {
        let names: Vec<String> = store.events()?.into_iter().map(|event| event.name).collect();
        bail!("choose an event with --event: {}", names.join(", "));
    };
    let reports = reports(&store, event)?;
    match reports.iter().find(|report| report.index + 1 == number) {
        Some(report) => {
            let name = format!("game {number} of {}", run.display());
            Ok((name, store.replay(&report.id)?))
        }
        None => match reports.last() {
            None => bail!("no game of {} is finished yet", run.display()),
            Some(last) => bail!(
                "game {number} of {} is not finished or does not exist; {} {} finished, the last \
                 of them is number {}",
                run.display(),
                count(reports.len() as u64, "game"),
                if reports.len() == 1 { "is" } else { "are" },
                last.index + 1
            ),
        },
    }
}
