//! Whether a tournament file agrees with what has been played, and what it adds.

mod compare;
mod terms;

use std::path::Path;

use host::BotSpec;
use serde_json::Value;
use table::{Adjudication, Card};
use thiserror::Error;

use crate::EventProgress;
use crate::bots::identity::Census;
use crate::file::{BotEntry, EventSpec, Stop, TournamentFile, enter};
use crate::schedule::{Amendments, BotId, Format, Plan, Results};
use crate::store::event_rows::{Arrival, PlanLine, StoredBot, StoredEvent};
use crate::store::journal::{Decision, JournalEntry, amendments, priority};
use crate::store::{Store, StoreError};
use terms::{SettledTerms, adjudication, terms};

/// Why a tournament cannot go on.
#[derive(Debug, Error)]
pub enum AdmitError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file says otherwise than the results.
    #[error(
        "the file contradicts the {} in {dir}:\n{}\nUndo this, or start anew \
         with another --dir.{}",
        game::count(*.games, "game"), .what.join("\n"), .hint
    )]
    Contradiction {
        /// The run's folder.
        dir: String,
        /// How many games are stored.
        games: u64,
        /// What is different.
        what: Vec<String>,
        /// What else can be done.
        hint: &'static str,
    },
    /// A bot that was added cannot be found again.
    #[error(
        "the bot \"{bot}\" that was added to the run: {why}\nPut this right, or start anew with \
         another --dir."
    )]
    Lost {
        /// How it was given.
        bot: String,
        /// What is wrong.
        why: String,
    },
}

/// Whether bots may have changed since they last played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// No: results of different bots would be mixed.
    Refused,
    /// Yes: their results stay, and they play on as they are.
    Accepted,
}

/// An event that can be played.
pub struct Admitted {
    /// What is played.
    pub event: EventSpec,
    /// Where its chance comes from.
    pub seed: u64,
    /// When its matches are ended before their rules do.
    pub adjudication: Adjudication,
    /// Those who take part, by number.
    pub bots: Vec<BotEntry>,
    /// How far it is.
    pub progress: EventProgress,
}

/// Brings a file and a store together. The store then agrees with the file.
pub fn admit(
    cup: TournamentFile,
    store: &mut Store,
    changes: Changes,
) -> Result<Vec<Admitted>, AdmitError> {
    let (name, text, stop) = (cup.name.clone(), cup.text.clone(), cup.stop);
    let (events, accepted) = examine(cup, Some(store), changes, host::random_seed)?;
    let terms: Vec<StoredEvent> = events.iter().map(|one| known_event(one, stop)).collect();
    store.set_terms(&name, &text, &terms)?;
    store.decide(&accepted, "--accept-changes")?;
    let mut admitted = Vec::new();
    for (id, examined) in events.into_iter().enumerate() {
        admitted.push(opened(examined, stop, Some((store, id)))?);
    }
    Ok(admitted)
}

/// The same for somebody who only wants to know: nothing is written. Without a seed in the file or
/// in the store it is 0.
pub fn preview(
    cup: TournamentFile,
    store: Option<&Store>,
    changes: Changes,
) -> Result<Vec<Admitted>, AdmitError> {
    let stop = cup.stop;
    let (events, _) = examine(cup, store, changes, || 0)?;
    let known = store.map_or(Ok(Vec::new()), Store::events)?;
    let mut previewed = Vec::new();
    for examined in events {
        let id = known.iter().position(|before| before.name == examined.event.name);
        previewed.push(opened(examined, stop, store.zip(id))?);
    }
    Ok(previewed)
}

/// An event with what it is played with, those who take part, and what its schedule depends on.
struct Examined {
    event: EventSpec,
    played: SettledTerms,
    bots: Vec<(BotEntry, StoredBot)>,
    plan: Plan,
    /// What has been played of it.
    results: Results,
}

/// An event with what has been played of it, if it is in a store.
fn opened(
    Examined { event, played: SettledTerms { seed, adjudication }, bots, plan, results }: Examined,
    stop: Stop,
    stored: Option<(&Store, usize)>,
) -> Result<Admitted, AdmitError> {
    let attempts = match stored {
        Some((store, id)) => store.attempts(id)?,
        None => Default::default(),
    };
    let stop = Stop { test: event.test, ..stop };
    let anchors =
        (0..).zip(&bots).filter_map(|(bot, (entry, _))| Some((BotId(bot), entry.anchor?)));
    let anchors = anchors.collect();
    let progress = EventProgress::with_anchors(plan, stop, results, attempts, anchors);
    let bots = bots.into_iter().map(|(entry, _)| entry).collect();
    Ok(Admitted { event, seed, adjudication, bots, progress })
}

/// Compares a file with a store: the events, who takes part in each, and changes that are accepted.
fn examine(
    cup: TournamentFile,
    store: Option<&Store>,
    changes: Changes,
    draw: fn() -> u64,
) -> Result<(Vec<Examined>, Vec<Decision>), AdmitError> {
    let known = store.map_or(Ok(Vec::new()), Store::events)?;
    let games = store.map_or(Ok(0), Store::games)?;
    let arrivals = store.map_or(Ok(Vec::new()), |store| arrivals(store, &known, games))?;
    let census = census(&cup, &known, &arrivals);
    let begun = games > 0;
    let journal = store.map_or(Ok(Vec::new()), Store::journal)?;
    let mut admission = Admission {
        what: Vec::new(),
        changed: false,
        changes,
        begun,
        census,
        journal,
        accepted: Vec::new(),
    };
    let mut events = Vec::new();
    for event in in_order(cup.events, &known, &mut admission) {
        let before = known.iter().position(|before| before.name == event.name);
        let results = match (before, store) {
            (Some(id), Some(store)) if admission.begun => store.results(id)?,
            (Some(_) | None, _) => Results::new(),
        };
        let before = before.map(|id| &known[id]);
        let seed = event.seed.unwrap_or_else(|| before.map_or_else(draw, |one| one.plan.seed));
        let before = before.filter(|_| admission.begun);
        let played = SettledTerms { seed, adjudication: adjudication(&event, before) };
        let event = match before {
            Some(before) => EventSpec { pairing: before.plan.pairing, ..event },
            None => event,
        };
        let arrivals: Vec<&Arrival> =
            arrivals.iter().filter(|arrival| arrival.event == event.name).collect();
        let bots = admission.event(&event, played, before, &arrivals, &results)?;
        let plan = admission.plan(&event, seed, &bots);
        let priority = priority(&admission.journal, &event.name).unwrap_or(event.priority);
        let event = EventSpec { priority, ..event };
        events.push(Examined { event, played, bots, plan, results });
    }
    if let (Some(store), false) = (store, admission.what.is_empty()) {
        return Err(AdmitError::Contradiction {
            dir: store.dir().display().to_string(),
            games,
            what: compare::first_lines(admission.what),
            hint: match admission.changed {
                true => " Bots that have changed may play on with --accept-changes.",
                false => "",
            },
        });
    }
    Ok((events, admission.accepted))
}

/// Everybody who takes part: those in the file, and those that were added.
fn census(cup: &TournamentFile, known: &[StoredEvent], arrivals: &[Arrival]) -> Census {
    let entered = cup.events.iter().flat_map(|event| &event.bots).map(|entry| &entry.spec);
    let mut census = Census::new(&cup.path, entered);
    let before = known.iter().flat_map(|event| &event.bots);
    let before = before.filter_map(|bot| Some((&bot.text, bot.added.as_ref()?)));
    for (text, base) in before.chain(arrivals.iter().map(|one| (&one.text, &one.base))) {
        // A bot that cannot be found any more is reported elsewhere.
        if let Ok(spec) = BotSpec::parse(text, Path::new(base)) {
            census.add(&spec);
        }
    }
    census
}

/// The bots that were added to the run and have not played: those that are to join, and, as long as
/// there are no games, also those that did, for then nothing else of a run counts.
fn arrivals(store: &Store, known: &[StoredEvent], games: u64) -> Result<Vec<Arrival>, StoreError> {
    let mut arrivals = Vec::new();
    for event in known.iter().filter(|_| games == 0) {
        for bot in &event.bots {
            arrivals.extend(bot.added.clone().map(|base| Arrival {
                event: event.name.clone(),
                text: bot.text.clone(),
                base,
            }));
        }
    }
    arrivals.extend(store.arrivals()?);
    Ok(arrivals)
}

/// The events as the store numbers them; new ones come last.
fn in_order(
    events: Vec<EventSpec>,
    known: &[StoredEvent],
    admission: &mut Admission,
) -> Vec<EventSpec> {
    let place = |event: &EventSpec| known.iter().position(|before| before.name == event.name);
    if admission.begun {
        for before in known {
            if events.iter().all(|event| event.name != before.name) {
                admission.what.push(format!("- the event \"{}\" is missing from it", before.name));
            }
        }
    }
    let mut events = events;
    events.sort_by_key(|event| place(event).unwrap_or(usize::MAX));
    events
}

struct Admission {
    what: Vec<String>,
    /// A bot has changed.
    changed: bool,
    changes: Changes,
    begun: bool,
    census: Census,
    journal: Vec<JournalEntry>,
    /// Changes of bots that were accepted.
    accepted: Vec<Decision>,
}

impl Admission {
    /// What the schedule of an event depends on, with these bots.
    fn plan(&self, event: &EventSpec, seed: u64, bots: &[(BotEntry, StoredBot)]) -> Plan {
        let names: Vec<&str> = bots.iter().map(|(_, bot)| bot.name.as_str()).collect();
        let open_games = event.open_games.unwrap_or(event.format.open_games());
        let amendments = amendments(&self.journal, &event.name, &names, open_games);
        event.plan(seed, bots.iter().map(|(_, bot)| bot.joined).collect(), amendments)
    }

    /// Those who take part in an event: first those who are known, then new ones.
    fn event(
        &mut self,
        event: &EventSpec,
        played: SettledTerms,
        before: Option<&StoredEvent>,
        arrivals: &[&Arrival],
        results: &Results,
    ) -> Result<Vec<(BotEntry, StoredBot)>, AdmitError> {
        let mut bots = Vec::new();
        let card = event.game.card();
        if let Some(before) = before {
            self.compare_terms(event, played, before);
            for (number, bot) in before.bots.iter().enumerate() {
                let in_file = event.bots.iter().find(|entry| entry.spec.name == bot.name);
                // Who plays no more need not be there any more.
                if before.amendments.left.contains_key(&BotId(number as u32))
                    && let Some(entry) = in_file.cloned().or_else(|| keeps_number(bot, &card))
                {
                    bots.push((entry, bot.clone()));
                    continue;
                }
                let mut entry = match (in_file, &bot.added) {
                    (Some(entry), _) => entry.clone(),
                    (None, Some(base)) => {
                        let mut entry = added(&bot.text, base, &card, &event.limits)?;
                        // Whatever its manifest calls it by now: its games were played by this
                        // name.
                        entry.spec.name.clone_from(&bot.name);
                        entry
                    }
                    (None, None) => {
                        let removed = format!(
                            "- {}: the bot \"{}\" is missing from it",
                            event.name, bot.name
                        );
                        self.what.push(removed);
                        continue;
                    }
                };
                let added = if in_file.is_some() { None } else { bot.added.clone() };
                let known = known_bot(&mut entry, &mut self.census);
                let now = StoredBot { joined: bot.joined, added, ..known };
                self.compare_bot(event, &entry, bot, &now);
                bots.push((entry, now));
            }
        }
        let old = self.plan(event, played.seed, &bots);
        let is_new = |entry: &BotEntry| bots.iter().all(|(_, bot)| bot.name != entry.spec.name);
        let since = match before {
            Some(before) if before.bots.len() == bots.len() => {
                // A long run is only looked at for somebody who joins it.
                match arrivals.is_empty() && !event.bots.iter().any(is_new) {
                    true => 0,
                    false => {
                        let none = Default::default();
                        EventProgress::new(old, none, results.clone(), Default::default())
                            .next_join()
                    }
                }
            }
            Some(_) | None => 0,
        };
        for entry in &event.bots {
            if bots.iter().all(|(_, bot): &(BotEntry, StoredBot)| bot.name != entry.spec.name) {
                if let (Format::Knockout { .. }, true) = (event.format, before.is_some()) {
                    self.what.push(format!(
                        "- {}: \"{}\" is new, but bots cannot join a knockout that has begun",
                        event.name, entry.spec.name
                    ));
                }
                let mut entry = entry.clone();
                let known = known_bot(&mut entry, &mut self.census);
                bots.push((entry, StoredBot { joined: since, ..known }));
            }
        }
        for Arrival { text, base, .. } in arrivals {
            let mut entry = added(text, base, &card, &event.limits)?;
            // A bot that the file names by now has been entered from there.
            if bots.iter().all(|(_, bot)| bot.name != entry.spec.name) {
                let bot = newcomer(&mut entry, since, Path::new(base), &mut self.census);
                bots.push((entry, bot));
            }
        }
        if self.what.is_empty() {
            self.compare_games(event, played.seed, &bots, results);
        }
        Ok(bots)
    }
}

/// A bot that was added, as it was given then.
fn added(
    text: &str,
    base: &str,
    card: &Card,
    limits: &host::AskedLimits,
) -> Result<BotEntry, AdmitError> {
    let entry = enter(text, None, Path::new(base), card, limits);
    entry.map_err(|why| AdmitError::Lost { bot: text.to_owned(), why })
}

/// An entry in the place of a bot that plays no more and whose program nobody needs: it keeps the
/// numbers of the others as they are.
fn keeps_number(bot: &StoredBot, card: &Card) -> Option<BotEntry> {
    let built_in = format!("builtin:{}", card.bots.first()?.name);
    let limits = host::AskedLimits::default();
    enter(&built_in, Some(&bot.name), Path::new(""), card, &limits).ok()
}

fn known_bot(entry: &mut BotEntry, census: &mut Census) -> StoredBot {
    let (identity, files) = census.look(&entry.spec);
    entry.files = files;
    StoredBot {
        name: entry.spec.name.clone(),
        text: entry.text.clone(),
        shown: entry.spec.shown(),
        identity,
        joined: 0,
        added: None,
    }
}

/// A bot that joins while the tournament is running.
pub(crate) fn newcomer(
    entry: &mut BotEntry,
    joined: u32,
    base: &Path,
    census: &mut Census,
) -> StoredBot {
    StoredBot { joined, added: Some(base.display().to_string()), ..known_bot(entry, census) }
}

fn known_event(examined: &Examined, stop: Stop) -> StoredEvent {
    let Examined { event, played, bots, .. } = examined;
    let played = *played;
    StoredEvent {
        name: event.name.clone(),
        game: event.game.card().id.to_owned(),
        terms: Value::Object(terms(event, played)).to_string(),
        plan: PlanLine {
            most: stop.games,
            anchors: bots
                .iter()
                .filter_map(|(entry, bot)| Some((bot.name.clone(), entry.anchor?)))
                .collect(),
            ..event.plan_line(played.seed)
        },
        bots: bots.iter().map(|(_, bot)| bot.clone()).collect(),
        // The journal says.
        amendments: Amendments::default(),
    }
}
