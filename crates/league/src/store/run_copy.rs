//! What a run's database holds beside its games, copied to a file beside the replays: with these
//! two everything can be made anew.

use std::io;

use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::file::setup::read_bounded;
use crate::store::folder::Folder;
use crate::store::{Store, StoreError, failed};

/// The file in `replays`.
pub(crate) const NAME: &str = "run.json";
/// A longer one was not written by this program.
const LONGEST: u64 = 256 << 20;

/// What is known of a run beside its games: the rows of the database's tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunCopy {
    /// Version of this record.
    pub(crate) v: u32,
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) events: Vec<EventCopy>,
    pub(crate) arrivals: Vec<(String, String, String)>,
    /// Number, moment, decision and reason.
    pub(crate) journal: Vec<(i64, i64, String, String)>,
    /// Event, key, attempt and reason.
    pub(crate) voids: Vec<(i64, String, u32, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventCopy {
    pub(crate) name: String,
    pub(crate) game: String,
    pub(crate) terms: String,
    pub(crate) plan: String,
    /// Name, text, what is shown, identity, since when, and from where it was added.
    pub(crate) bots: Vec<(String, String, String, String, u32, Option<String>)>,
}

impl RunCopy {
    /// Reads the copy in a folder of replays.
    pub(crate) fn read(replays: &Folder) -> io::Result<RunCopy> {
        let text = read_bounded(replays.read(NAME)?, LONGEST)?;
        let copy: RunCopy = serde_json::from_str(&text)?;
        match copy.v {
            1 => Ok(copy),
            later => Err(io::Error::other(format!("it is of a later version (format {later})"))),
        }
    }

    /// What is different in another one, in words; nothing if they are the same.
    pub(crate) fn difference(&self, other: &RunCopy) -> Option<String> {
        let names = |copy: &RunCopy| -> Vec<String> {
            copy.events.iter().map(|event| event.name.clone()).collect()
        };
        if names(self) != names(other) {
            return Some("the events".to_owned());
        }
        for (one, two) in self.events.iter().zip(&other.events) {
            let same = [
                ("the bots", one.bots == two.bots),
                ("the game", one.game == two.game),
                ("the terms", one.terms == two.terms),
                ("the plan", one.plan == two.plan),
            ];
            if let Some((what, _)) = same.into_iter().find(|(_, same)| !same) {
                return Some(format!("{what} of {}", one.name));
            }
        }
        let same = [
            ("the journal", self.journal == other.journal),
            ("the games that were void", self.voids == other.voids),
            ("the bots that are to join", self.arrivals == other.arrivals),
            ("the name or the file", (&self.name, &self.file) == (&other.name, &other.file)),
        ];
        same.into_iter().find(|(_, same)| !same).map(|(what, _)| what.to_owned())
    }
}

impl Store {
    /// What the database holds beside games.
    pub(crate) fn terms(&self) -> Result<RunCopy, StoreError> {
        let read = || -> rusqlite::Result<RunCopy> {
            let (name, file) = self.db.query_row("SELECT name, file FROM run", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            let mut events = Vec::new();
            let mut rows =
                self.db.prepare("SELECT id, name, game, terms, plan FROM events ORDER BY id")?;
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                let sql = "SELECT name, text, shown, identity, joined, added FROM bots
                           WHERE event = ?1 ORDER BY id";
                let mut bots = self.db.prepare(sql)?;
                let bots = bots.query_map([id], |row| {
                    Ok((
                        row.get(0)?,
                        row.get(1)?,
                        row.get(2)?,
                        row.get(3)?,
                        row.get(4)?,
                        row.get(5)?,
                    ))
                })?;
                events.push(EventCopy {
                    name: row.get(1)?,
                    game: row.get(2)?,
                    terms: row.get(3)?,
                    plan: row.get(4)?,
                    bots: bots.collect::<rusqlite::Result<_>>()?,
                });
            }
            let mut arrivals =
                self.db.prepare("SELECT event, text, base FROM arrivals ORDER BY id")?;
            let arrivals =
                arrivals.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            let sql = "SELECT number, made, what, reason FROM journal ORDER BY number";
            let mut journal = self.db.prepare(sql)?;
            let four =
                |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            let journal = journal.query_map([], four)?;
            let sql = "SELECT event, key, attempt, reason FROM voids ORDER BY event, key, attempt";
            let mut voids = self.db.prepare(sql)?;
            let void =
                |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            let voids = voids.query_map([], void)?;
            Ok(RunCopy {
                v: 1,
                name,
                file,
                events,
                arrivals: arrivals.collect::<rusqlite::Result<_>>()?,
                journal: journal.collect::<rusqlite::Result<_>>()?,
                voids: voids.collect::<rusqlite::Result<_>>()?,
            })
        };
        self.with_path(read())
    }

    /// Copies what the database holds beside games to the replays.
    pub(crate) fn write_run_copy(&self) -> Result<(), StoreError> {
        let copy = serde_json::to_vec(&self.terms()?).expect("texts and numbers serialise");
        let replays = self.folder.inside("replays");
        let written = replays.and_then(|replays| replays.write(NAME, &copy));
        written.map_err(failed("write", self.folder.at("replays").join(NAME)))
    }

    /// The same after something that is on the disk already, and must not be said to have failed.
    /// The next sitting makes up for it.
    pub(crate) fn write_run_copy_if_possible(&self) {
        let _ = self.write_run_copy();
    }

    /// Writes a copy into an empty database.
    pub(crate) fn insert_run_copy(&self, copy: &RunCopy) -> rusqlite::Result<()> {
        let db = &self.db;
        db.execute("INSERT INTO run VALUES (?1, ?2)", [&copy.name, &copy.file])?;
        for (id, event) in copy.events.iter().enumerate() {
            let EventCopy { name, game, terms, plan, bots } = event;
            let sql = "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)";
            db.execute(sql, params![id, name, game, terms, plan])?;
            for (number, (name, text, shown, identity, joined, added)) in bots.iter().enumerate() {
                let sql = "INSERT INTO bots VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
                let bot = params![id, number, name, text, shown, identity, joined, added];
                db.execute(sql, bot)?;
            }
        }
        for (event, text, base) in &copy.arrivals {
            let sql = "INSERT INTO arrivals (event, text, base) VALUES (?1, ?2, ?3)";
            db.execute(sql, [event, text, base])?;
        }
        for (number, made, what, reason) in &copy.journal {
            let sql = "INSERT INTO journal VALUES (?1, ?2, ?3, ?4)";
            db.execute(sql, params![number, made, what, reason])?;
        }
        for (event, key, attempt, reason) in &copy.voids {
            let sql = "INSERT INTO voids VALUES (?1, ?2, ?3, ?4)";
            db.execute(sql, params![event, key, attempt, reason])?;
        }
        Ok(())
    }
}
