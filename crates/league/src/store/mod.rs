//! The store: a run's folder with its database and its replays.
//!
//! A game counts when its row is committed, and its row is committed after its replay is on the
//! disk. So a finished game is there whole or not at all, whatever is killed when.

pub(crate) mod answer_times;
pub(crate) mod audit;
pub(crate) mod bot_descriptions;
pub(crate) mod bot_history;
mod error;
pub(crate) mod event_rows;
pub(crate) mod folder;
pub(crate) mod game_list;
pub(crate) mod game_rows;
pub(crate) mod journal;
pub(crate) mod lock;
pub(crate) mod merge;
mod open;
pub(crate) mod pack;
mod pack_files;
pub(crate) mod pack_label;
pub(crate) mod rebuild;
pub(crate) mod reports;
pub(crate) mod round_list;
pub(crate) mod run_copy;
pub(crate) mod schema;
pub(crate) mod sums;
#[cfg(test)]
mod tampered;
pub(crate) mod verify;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, params};
use table::{Log, Record, Report};

use crate::schedule::{BotId, GameKey, Results};
use crate::store::folder::{FileIdentity, Folder};
use crate::store::game_rows::{AddedUp, NewGame};
use crate::store::pack::{PackPosition, PackRecord, Writer};
use crate::store::pack_label::{GameLabel, PackLabel};
use crate::store::sums::SeenGames;

pub use error::StoreError;
pub(crate) use open::{GameTables, database_error, failed, harden, has_replays, opened};

/// A run's folder and its database.
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) folder: Folder,
    /// Where replays go, once there is one.
    pub(crate) pack: Option<Writer>,
    /// The file that was opened as the database.
    pub(crate) database: FileIdentity,
    /// The tables of games that have been checked, see `open.rs`.
    pub(crate) checked: RefCell<Vec<GameTables>>,
    /// The games of the database, once there is one more, and the version of the data of which
    /// they are.
    pub(crate) seen: Option<(i64, SeenGames)>,
    /// How long the disk took for the games that were kept last.
    last_flush: Duration,
}

/// The database, and what it keeps beside itself.
pub(crate) const FILES: [&str; 4] = ["run.db", "run.db-wal", "run.db-shm", "run.db-journal"];

/// A game that is to be kept.
pub struct Played {
    /// Which event.
    pub event: usize,
    /// Which game of its schedule.
    pub key: GameKey,
    /// Which try; earlier ones were void.
    pub attempt: u32,
    /// The bots by seat.
    pub seating: Vec<BotId>,
    /// Its result.
    pub report: Report,
    /// Its log.
    pub log: Log,
}

impl Store {
    /// The error that says what is wrong with the database.
    pub(crate) fn damaged(&self, what: &str) -> StoreError {
        let path = self.folder.at("run.db").display().to_string();
        StoreError::Damaged { path, what: game::printable(what.as_bytes(), 300) }
    }

    pub(crate) fn version(&self) -> Result<i64, StoreError> {
        self.with_path(schema::version(&self.db))
    }

    /// The run's folder.
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// The bytes of the replay of a match.
    pub fn replay(&self, id: &str) -> Result<Vec<u8>, StoreError> {
        self.check_games(GameTables::Results)?;
        let place = self.with_path(game_rows::place(&self.db, id))?;
        self.read_replay(id, place)
    }

    /// The bytes of the replays of matches one after another: quicker than one by one, where there
    /// are many.
    pub fn replays(&self) -> Result<impl Fn(&str) -> Result<Vec<u8>, StoreError>, StoreError> {
        self.check_games(GameTables::Results)?;
        let places = self.with_path(game_rows::places(&self.db))?;
        Ok(move |id: &str| self.read_replay(id, places.get(id).copied()))
    }

    /// No link is followed there.
    fn read_replay(&self, id: &str, place: Option<PackPosition>) -> Result<Vec<u8>, StoreError> {
        let name = format!("{id}.lrz");
        let read = || -> io::Result<Vec<u8>> {
            let replays = self.folder.inside("replays")?;
            if !game_rows::is_match(id) {
                return Err(io::Error::other("it is not the name of a match"));
            }
            match place {
                Some(place) => Ok(pack::read(&replays, place)?.replay),
                None => whole(replays.read(&name)?),
            }
        };
        read().map_err(failed("read the replay", self.folder.at("replays").join(&name)))
    }

    pub(crate) fn with_path<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        let path = || self.folder.at("run.db").display().to_string();
        result.map_err(|error| database_error(path(), error))
    }

    /// Ranks of all finished games of an event.
    pub fn results(&self, event: usize) -> Result<Results, StoreError> {
        self.check_games(GameTables::Results)?;
        let seats = self.events()?.get(event).map_or(0, |event| event.plan.seats);
        let read = || -> rusqlite::Result<Option<Results>> {
            let mut games = self.db.prepare("SELECT key, ranks FROM games WHERE event = ?1")?;
            let mut rows = games.query([event])?;
            let (mut results, mut ranks) = (Results::new(), Vec::new());
            while let Some(row) = rows.next()? {
                let words = row.get_ref(1)?.as_str()?.split(' ');
                ranks.clear();
                ranks.extend(words.filter_map(|rank| rank.parse::<u16>().ok()));
                if ranks.len() != seats {
                    return Ok(None);
                }
                results.insert(GameKey(row.get(0)?), &ranks);
            }
            Ok(Some(results))
        };
        let results = self.with_path(read())?;
        results.ok_or_else(|| self.damaged("a game has not as many ranks as seats"))
    }

    /// How often games were void.
    pub fn attempts(&self, event: usize) -> Result<HashMap<GameKey, u32>, StoreError> {
        let read = || -> rusqlite::Result<HashMap<GameKey, u32>> {
            let sql = "SELECT key, MAX(attempt) + 1 FROM voids WHERE event = ?1 GROUP BY key";
            let mut voids = self.db.prepare(sql)?;
            let rows = voids.query_map([event], |row| Ok((GameKey(row.get(0)?), row.get(1)?)))?;
            rows.collect()
        };
        self.with_path(read())
    }

    /// How many games are stored.
    pub fn games(&self) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(SUM(games), 0) FROM result_sums";
        self.with_path(self.db.query_row(sql, [], |row| row.get(0)))
    }

    /// Notes a game that was void.
    pub fn save_void(
        &mut self,
        event: usize,
        key: &GameKey,
        attempt: u32,
        reason: &str,
    ) -> Result<(), StoreError> {
        let sql = "INSERT OR IGNORE INTO voids VALUES (?1, ?2, ?3, ?4)";
        let saved = self.db.execute(sql, params![event, key.0, attempt, reason]);
        self.with_path(saved.map(drop))?;
        self.write_run_copy_if_possible();
        Ok(())
    }

    /// Keeps finished games: all of them, or none and an error.
    pub fn save(&mut self, games: &[Played]) -> Result<(), StoreError> {
        self.check_place()?;
        let at = self.folder.at("replays");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        let mut new = Vec::with_capacity(games.len());
        for game in games {
            // The replay of a game that counts stays with its row.
            if !self.with_path(game_rows::is_there(&self.db, game))? {
                new.push(game);
            }
        }
        let packed = |game: &&Played| {
            PackRecord::new(&PackLabel::Game(GameLabel::new(game, now)), game.log.to_file()?)
        };
        let packed: io::Result<Vec<PackRecord>> = new.iter().map(packed).collect();
        let packed = packed.map_err(failed("pack replays for", at.clone()))?;
        let began = Instant::now();
        let places = self.pack()?.append(&packed).map_err(failed("write to", at))?;
        let mut last_flush = began.elapsed();
        let mut seen = self.seen_games()?;
        let write = |db: &mut Connection, seen: &mut SeenGames| -> rusqlite::Result<()> {
            let all = db.transaction()?;
            let mut added_up = AddedUp::default();
            for (game, place) in new.iter().zip(places) {
                let new = NewGame {
                    event: game.event,
                    key: &game.key.0,
                    attempt: game.attempt,
                    seating: &game.seating,
                    report: &game.report,
                    answers: game.log.answers(),
                    kept: now,
                    place,
                };
                game_rows::insert(&all, &new, seen, &mut added_up)?;
            }
            added_up.write(&all)?;
            let began = Instant::now();
            all.commit()?;
            last_flush += began.elapsed();
            Ok(())
        };
        let written = write(&mut self.db, &mut seen.1);
        self.with_path(written)?;
        (self.seen, self.last_flush) = (Some(seen), last_flush);
        Ok(())
    }

    /// How long the disk took for the games that were kept last; zero if there are none.
    pub(crate) fn last_flush(&self) -> Duration {
        self.last_flush
    }

    /// The games of the database. Somebody else may have taken one back since the last time.
    fn seen_games(&mut self) -> Result<(i64, SeenGames), StoreError> {
        let sql = "PRAGMA data_version";
        let version = self.with_path(self.db.query_row(sql, [], |row| row.get(0)))?;
        match self.seen.take() {
            Some(seen) if seen.0 == version => Ok(seen),
            Some(_) | None => Ok((version, self.with_path(SeenGames::read(&self.db))?)),
        }
    }

    /// Whether what is written now will be found. The system lets us write to files that were
    /// removed.
    fn check_place(&self) -> Result<(), StoreError> {
        let removed = |name: &str| StoreError::Removed(self.folder.at(name).display().to_string());
        if self.folder.identity("run.db").ok() != Some(self.database) {
            return Err(removed("run.db"));
        }
        match self.pack.as_ref().is_none_or(Writer::is_in_place) {
            true => Ok(()),
            false => Err(removed("replays")),
        }
    }

    /// The pack that replays go to.
    fn pack(&mut self) -> Result<&mut Writer, StoreError> {
        if self.pack.is_none() {
            let last = self.with_path(game_rows::last_place(&self.db))?;
            let replays = self.folder.inside("replays");
            let opened = replays.and_then(|replays| Writer::open(replays, last));
            let at = self.folder.at("replays");
            self.pack = Some(opened.map_err(failed("go on with the replays in", at))?);
        }
        Ok(self.pack.as_mut().expect("it has just been opened"))
    }

    /// Writes a file whole or not at all.
    pub(crate) fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.folder.write(name, bytes).map_err(failed("write", self.folder.at(name)))
    }
}

/// The bytes of a replay with a file of its own.
pub(crate) fn whole(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(Record::LONGEST_FILE + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > Record::LONGEST_FILE {
        true => Err(io::Error::other("it is too large for a replay")),
        false => Ok(bytes),
    }
}

#[cfg(test)]
pub(crate) mod tests;
