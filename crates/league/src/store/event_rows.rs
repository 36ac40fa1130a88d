//! What the store knows of a tournament beside its games: the events, and who takes part.

use std::collections::BTreeMap;

use game::Clock;
use rusqlite::types::Type;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use table::Adjudication;

use crate::schedule::{Amendments, Chance, Format, OpenGames, Pairing, Plan, TieBreak};
use crate::store::journal::{Decision, amendments};
use crate::store::{Store, StoreError};
use crate::tournament::sequential_test::Hypotheses;

/// A bot as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBot {
    /// Its name.
    pub name: String,
    /// How it was given.
    pub text: String,
    /// Its command line or `builtin:NAME`.
    pub shown: String,
    /// What it was when it last played.
    pub identity: String,
    /// Since when it takes part.
    pub joined: u32,
    /// For a bot that was added while the tournament was running and is not in the file: the
    /// folder that its paths start from.
    pub added: Option<String>,
}

/// A bot that has been added to a running tournament and has not joined it yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The name of the event.
    pub event: String,
    /// How it was given.
    pub text: String,
    /// The folder that its paths start from.
    pub base: String,
}

/// An event as the store knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// Everything else that must not change, as JSON.
    pub terms: String,
    /// What its schedule depends on.
    pub plan: PlanLine,
    /// Those who take part.
    pub bots: Vec<StoredBot>,
    /// What was decided since it was drawn up.
    pub amendments: Amendments,
}

/// What a schedule depends on, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanLine {
    /// Who meets whom.
    pub format: Format,
    /// Bots in one game.
    pub seats: usize,
    /// Where chance comes from.
    pub seed: u64,
    /// How many set-ups take turns.
    pub variants: usize,
    /// How often each of them has its turn; once where it does not say.
    #[serde(default)]
    pub weights: Vec<u32>,
    /// How a swiss tournament pairs; runs of earlier versions do not say.
    #[serde(default)]
    pub pairing: Pairing,
    /// What decides between equal points, where the file says so.
    #[serde(default)]
    pub tiebreaks: Option<Vec<TieBreak>>,
    /// No more games than this are played, where the file says so.
    pub most: Option<u64>,
    /// What becomes of the open games of a bot that leaves, where the file says so.
    #[serde(default)]
    pub open_games: Option<OpenGames>,
    /// The ratings that bots are given, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub anchors: BTreeMap<String, f64>,
}

/// What an event is played with.
#[derive(Clone, Debug, PartialEq)]
pub struct EventTerms {
    /// Where chance comes from.
    pub seed: u64,
    /// The set-ups that take turns, as the file gives them.
    pub setups: Vec<Map<String, Value>>,
    /// The time control; unknown only in a run that somebody has tampered with.
    pub clock: Option<Clock>,
    /// The time control of bots that have one of their own, by name.
    pub clocks: BTreeMap<String, Clock>,
    /// When games are ended as they stand.
    pub adjudication: Adjudication,
    /// The question that ends it, if it is a test.
    pub test: Option<Hypotheses>,
}

impl StoredEvent {
    /// What it is played with.
    pub fn event_terms(&self) -> EventTerms {
        let terms: Map<String, Value> = serde_json::from_str(&self.terms).unwrap_or_default();
        let read = |key: &str| terms.get(key).cloned().unwrap_or_default();
        let setups = match terms.get("variants") {
            Some(several) => serde_json::from_value(several.clone()).unwrap_or_default(),
            None => vec![serde_json::from_value(read("setup")).unwrap_or_default()],
        };
        EventTerms {
            seed: self.plan.seed,
            setups,
            clock: serde_json::from_value(read("clock")).ok(),
            clocks: serde_json::from_value(read("clocks")).unwrap_or_default(),
            adjudication: serde_json::from_value(read("adjudication"))
                .unwrap_or(Adjudication::NONE),
            // One that makes no test was put there by somebody else.
            test: terms
                .get("test")
                .and_then(|test| serde_json::from_value(test.clone()).ok())
                .filter(|test: &Hypotheses| test.test().is_ok()),
        }
    }

    /// What the schedule depends on.
    pub fn plan(&self) -> Plan {
        let joined = self.bots.iter().map(|bot| bot.joined).collect();
        self.plan.plan(joined, self.amendments.clone(), self.event_terms().test.as_ref())
    }
}

impl PlanLine {
    /// What a schedule depends on, with bots that joined at these times, what was decided since,
    /// and the question of a test.
    pub(crate) fn plan(
        &self,
        joined: Vec<u32>,
        amendments: Amendments,
        test: Option<&Hypotheses>,
    ) -> Plan {
        let PlanLine { format, seats, seed, variants, pairing, .. } = *self;
        let tie_breaks = self.tiebreaks.clone().unwrap_or_else(|| format.tie_breaks());
        let (weights, chance) = (self.weights.clone(), Chance::of_event(test));
        let new = Plan::new(format, seats, seed, joined);
        Plan { variants, weights, pairing, tie_breaks, amendments, chance, ..new }
    }
}

impl Store {
    /// What is played, as the store knows it.
    pub fn events(&self) -> Result<Vec<StoredEvent>, StoreError> {
        let read = || -> rusqlite::Result<Vec<StoredEvent>> {
            let mut events =
                self.db.prepare("SELECT name, game, terms, plan FROM events ORDER BY id")?;
            let events = events.query_map([], |row| {
                let (name, game, terms) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let plan = serde_json::from_str(row.get_ref(3)?.as_str()?);
                let plan = plan.map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(3, Type::Text, Box::new(error))
                })?;
                let amendments = Amendments::default();
                Ok(StoredEvent { name, game, terms, plan, bots: Vec::new(), amendments })
            })?;
            let mut events: Vec<StoredEvent> = events.collect::<rusqlite::Result<_>>()?;
            let mut bots = self.db.prepare(
                "SELECT event, name, text, shown, identity, joined, added FROM bots
                 ORDER BY event, id",
            )?;
            let mut rows = bots.query([])?;
            while let Some(row) = rows.next()? {
                let event: usize = row.get(0)?;
                // None is left over: it was checked.
                let Some(event) = events.get_mut(event) else { continue };
                event.bots.push(StoredBot {
                    name: row.get(1)?,
                    text: row.get(2)?,
                    shown: row.get(3)?,
                    identity: row.get(4)?,
                    joined: row.get(5)?,
                    added: row.get(6)?,
                });
            }
            Ok(events)
        };
        let mut events = self.with_path(read())?;
        let journal = self.journal()?;
        for event in &mut events {
            let bots: Vec<&str> = event.bots.iter().map(|bot| bot.name.as_str()).collect();
            let open_games = event.plan.open_games.unwrap_or(event.plan.format.open_games());
            event.amendments = amendments(&journal, &event.name, &bots, open_games);
        }
        Ok(events)
    }

    /// The name of the tournament.
    pub fn name(&self) -> Result<String, StoreError> {
        self.with_path(self.db.query_row("SELECT name FROM run", [], |row| row.get(0)))
    }

    /// Sets down what is played, in the place of what was there, and keeps a copy of the file.
    /// Whoever has arrived is among the bots, or was not wanted.
    pub fn set_terms(
        &mut self,
        name: &str,
        file: &str,
        events: &[StoredEvent],
    ) -> Result<(), StoreError> {
        let before = self.events()?;
        let write = |db: &mut Connection| -> rusqlite::Result<()> {
            let all = db.transaction()?;
            renumber_voids(&all, &before, events)?;
            all.execute_batch(
                "DELETE FROM run; DELETE FROM events; DELETE FROM bots; DELETE FROM arrivals;",
            )?;
            all.execute("INSERT INTO run VALUES (?1, ?2)", [name, file])?;
            for (id, event) in events.iter().enumerate() {
                let StoredEvent { name, game, terms, plan, bots, .. } = event;
                let plan = serde_json::to_string(plan).expect("numbers and names serialise");
                all.execute(
                    "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![id, name, game, terms, plan],
                )?;
                for (number, bot) in bots.iter().enumerate() {
                    insert_bot(&all, id, number, bot)?;
                }
            }
            all.commit()
        };
        let written = write(&mut self.db);
        self.with_path(written)?;
        self.write_run_copy()?;
        self.write_file("cup.toml", file.as_bytes())
    }

    /// A bot of this name is to join. From now on it is known, whatever happens before it does.
    pub fn add_arrival(&mut self, arrival: &Arrival, name: &str) -> Result<(), StoreError> {
        let Arrival { event, text, base } = arrival;
        let write = |db: &mut Connection| -> rusqlite::Result<()> {
            let both = db.transaction()?;
            let sql = "INSERT INTO arrivals (event, text, base) VALUES (?1, ?2, ?3)";
            both.execute(sql, [event, text, base])?;
            let added = Decision::Add { event: event.clone(), bot: name.to_owned() };
            crate::store::journal::enter(&both, &added, "")?;
            both.commit()
        };
        let written = write(&mut self.db);
        self.with_path(written)?;
        self.write_run_copy_if_possible();
        Ok(())
    }

    /// The bots that are to join, in the order in which they came.
    pub fn arrivals(&self) -> Result<Vec<Arrival>, StoreError> {
        let read = || -> rusqlite::Result<Vec<Arrival>> {
            let mut rows = self.db.prepare("SELECT event, text, base FROM arrivals ORDER BY id")?;
            let arrival = |row: &rusqlite::Row<'_>| {
                Ok(Arrival { event: row.get(0)?, text: row.get(1)?, base: row.get(2)? })
            };
            rows.query_map([], arrival)?.collect()
        };
        self.with_path(read())
    }

    /// One that was to join does.
    pub fn add_bot(
        &mut self,
        event: usize,
        number: usize,
        bot: &StoredBot,
    ) -> Result<(), StoreError> {
        let write = |db: &mut Connection| -> rusqlite::Result<()> {
            let both = db.transaction()?;
            insert_bot(&both, event, number, bot)?;
            let sql = "DELETE FROM arrivals
                       WHERE event = (SELECT name FROM events WHERE id = ?1) AND text = ?2";
            both.execute(sql, params![event, bot.text])?;
            both.commit()
        };
        let written = write(&mut self.db);
        self.with_path(written)?;
        self.write_run_copy_if_possible();
        Ok(())
    }
}

/// Void tries stay with their event, whatever its number is now. Those of an event that is gone,
/// or that is another one by the same name, are forgotten: as long as no game has been finished, a
/// file may become a different one.
fn renumber_voids(
    db: &Connection,
    before: &[StoredEvent],
    now: &[StoredEvent],
) -> rusqlite::Result<()> {
    let same = |old: &StoredEvent, new: &StoredEvent| {
        let names = |event: &StoredEvent| -> Vec<String> {
            event.bots.iter().map(|bot| bot.name.clone()).collect()
        };
        (&old.name, &old.game, &old.terms) == (&new.name, &new.game, &new.terms)
            && old.plan.seats == new.plan.seats
            && names(new).starts_with(&names(old))
    };
    for (old, event) in before.iter().enumerate() {
        // Below zero, so that nobody's place is taken yet.
        let moved = "UPDATE voids SET event = -1 - ?2 WHERE event = ?1";
        if let Some(new) = now.iter().position(|other| same(event, other)) {
            db.execute(moved, params![old, new])?;
        }
    }
    db.execute_batch("DELETE FROM voids WHERE event >= 0; UPDATE voids SET event = -1 - event;")
}

fn insert_bot(
    db: &Connection,
    event: usize,
    number: usize,
    bot: &StoredBot,
) -> rusqlite::Result<()> {
    let StoredBot { name, text, shown, identity, joined, added } = bot;
    db.execute(
        "INSERT INTO bots VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![event, number, name, text, shown, identity, joined, added],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::GameKey;

    fn event(name: &str, terms: &str) -> StoredEvent {
        let bot = |name: &str| StoredBot {
            name: name.to_owned(),
            text: String::new(),
            shown: String::new(),
            identity: String::new(),
            joined: 0,
            added: None,
        };
        StoredEvent {
            name: name.to_owned(),
            game: "a game".to_owned(),
            terms: terms.to_owned(),
            plan: PlanLine {
                format: Format::RoundRobin { rounds: 2 },
                seats: 2,
                seed: 0,
                variants: 1,
                weights: Vec::new(),
                pairing: Pairing::default(),
                tiebreaks: None,
                most: None,
                open_games: None,
                anchors: BTreeMap::new(),
            },
            bots: vec![bot("a"), bot("b")],
            amendments: Amendments::default(),
        }
    }

    #[test]
    fn void_tries_stay_with_their_event_when_the_file_changes() {
        let path = std::env::temp_dir().join(format!("lanista-voids-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        let mut store = Store::open(&path).expect("a store");
        let tries = |store: &Store, event: usize| {
            let attempts = store.attempts(event).expect("it can be read");
            attempts.get(&GameKey("k".to_owned())).copied().unwrap_or(0)
        };
        let set = |store: &mut Store, events: &[StoredEvent]| {
            store.set_terms("cup", "", events).expect("it can be written");
        };
        let (one, two, three) = (event("one", "{}"), event("two", "{}"), event("three", "{}"));
        set(&mut store, &[one.clone(), two.clone()]);
        for attempt in 0..3 {
            let key = GameKey("k".to_owned());
            store.save_void(0, &key, attempt, "first").expect("it can be written");
            if attempt == 0 {
                store.save_void(1, &key, attempt, "second").expect("it can be written");
            }
        }
        set(&mut store, &[two.clone(), three.clone(), one.clone()]);
        assert_eq!([0, 1, 2].map(|event| tries(&store, event)), [1, 0, 3]);
        // One is gone, and another has become a different one.
        set(&mut store, &[event("two", "{\"seed\":1}"), three, one]);
        assert_eq!([0, 1, 2].map(|event| tries(&store, event)), [0, 0, 3]);
        drop(store);
        std::fs::remove_dir_all(&path).expect("it is ours");
    }
}
