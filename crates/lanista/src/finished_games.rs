//! Games of a run as they are kept.

use std::path::Path;

use anyhow::{Result, bail};
use league::schedule::{BotId, GameKey, Numbering};
use league::{ReadPosition, Store, StoredEvent};
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
    pub(crate) fn say(&self, form: GameFormat, catalogue: Catalogue) -> Result<()> {
        let mut text = one(&self.report, catalogue);
        if self.annulled {
            text += "\n  annulled: a bot was disqualified";
        }
        match form {
            GameFormat::Json => say_json(&self.json()?),
            GameFormat::Text => Ok(say(&text)?),
            GameFormat::TextOfSeveral => Ok(say(&format!("{}: {text}", self.event))?),
        }
    }
}

/// How games are printed.
#[derive(Clone, Copy)]
pub(crate) enum GameFormat {
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
    /// The numbers of its games, and how many bots and entries of the journal there were when the
    /// schedule was looked at.
    numbering: Option<(Numbering, [usize; 2])>,
}

impl UnreadGames {
    /// All games of the events that are meant.
    pub(crate) fn new(store: Store, event: Option<&str>) -> Result<UnreadGames> {
        let followed = |id| Followed { id, since: ReadPosition::default(), numbering: None };
        let events = chosen(&store, event)?.into_iter().map(followed).collect();
        Ok(UnreadGames { store, events })
    }

    /// Leaves out those that are there.
    pub(crate) fn without_old(mut self) -> Result<UnreadGames> {
        for event in &mut self.events {
            event.since = self.store.read_position(event.id)?;
        }
        Ok(self)
    }

    /// The games that were kept since the last time, in that order.
    pub(crate) fn news(&mut self, mut each: impl FnMut(KeptResult) -> Result<()>) -> Result<()> {
        for event in &mut self.events {
            loop {
                let new = self.store.reports_since(event.id, &mut event.since)?;
                if new.is_empty() {
                    break;
                }
                let known = self.store.events()?.swap_remove(event.id);
                event.check_numbering(&self.store, &known, new.iter().map(|(key, _)| key))?;
                for (key, mut report) in new {
                    report.index = event.index(&key);
                    let annulled = annulled(&known, &report);
                    each(KeptResult { event: known.name.clone(), annulled, report })?;
                }
            }
        }
        Ok(())
    }
}

impl Followed {
    /// Looks at the schedule anew if the numbers of games may have changed, or one of these has none: a
    /// stage has been drawn up since.
    fn check_numbering<'k>(
        &mut self,
        store: &Store,
        known: &StoredEvent,
        mut keys: impl Iterator<Item = &'k GameKey>,
    ) -> Result<()> {
        let made_of = [known.bots.len(), store.journal()?.len()];
        let is_good = match &self.numbering {
            Some((numbering, of)) => {
                *of == made_of && keys.all(|key| numbering.number(key).is_some())
            }
            None => false,
        };
        if !is_good {
            self.numbering = Some((store.numbering(self.id)?, made_of));
        }
        Ok(())
    }

    /// The place of a game in the schedule, from 0.
    fn index(&self, key: &GameKey) -> u64 {
        let number = self.numbering.as_ref().and_then(|(numbering, _)| numbering.number(key));
        number.map_or(0, |number| number - 1)
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
        for report in store.reports_in_order(event)? {
            let report = report?;
            kept.push(KeptGame {
                event: events[event].name.clone(),
                game: events[event].game.clone(),
                number: report.index + 1,
                id: report.id,
            });
        }
    }
    Ok((store, kept))
}

/// The replay of a game of a tournament, by its number in `lanista results`: what it is called, and
/// its bytes.
pub(crate) fn replay_of(run: &Path, event: Option<&str>, number: u64) -> Result<(String, Vec<u8>)> {
    let store = Store::open_to_read(run)?;
    store.check_every_game()?;
    let events = chosen(&store, event)?;
    let [event] = events[..] else {
        let names: Vec<String> = store.events()?.into_iter().map(|event| event.name).collect();
        bail!("choose an event with --event: {}", names.join(", "));
    };
    let game = store.numbering(event)?.game(number);
    let report = game.map(|game| store.report(event, &game.key())).transpose()?.flatten();
    if let Some(report) = report {
        let name = format!("game {number} of {}", run.display());
        return Ok((name, store.replay(&report.id)?));
    }
    let (mut finished, mut last) = (0, 0);
    for report in store.reports_in_order(event)? {
        (finished, last) = (finished + 1, report?.index + 1);
    }
    match finished {
        0 => bail!("no game of {} is finished yet", run.display()),
        _ => bail!(
            "game {number} of {} is not finished or does not exist; {} {} finished, the last of \
             them is number {last}",
            run.display(),
            count(finished, "game"),
            if finished == 1 { "is" } else { "are" },
        ),
    }
}
