//! The store: a run's folder with its database and its replays.
//!
//! A game counts when its row is committed, and its row is committed after its replay is on the
//! disk. So a finished game is there whole or not at all, whatever is killed when.

pub(crate) mod answer_times;
pub(crate) mod audit;
pub(crate) mod bot_descriptions;
pub(crate) mod event_rows;
pub(crate) mod folder;
pub(crate) mod game_list;
pub(crate) mod game_rows;
pub(crate) mod journal;
pub(crate) mod lock;
pub(crate) mod merge;
pub(crate) mod pack;
pub(crate) mod pack_label;
pub(crate) mod rebuild;
pub(crate) mod run_copy;
pub(crate) mod schema;
#[cfg(test)]
mod tampered;
pub(crate) mod verify;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};
use table::{Log, Record, Report};
use thiserror::Error;

use crate::schedule::{BotId, GameKey, Results};
use crate::store::audit::{audit, odd_numbers};
use crate::store::folder::{FileIdentity, Folder};
use crate::store::game_rows::NewGame;
use crate::store::pack::{PackPosition, PackRecord, Writer};
use crate::store::pack_label::{GameLabel, PackLabel};
use crate::store::schema::VERSION;

/// What is wrong with a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database refused.
    #[error("the database {path}: {error}")]
    Database {
        /// Where it is.
        path: String,
        /// What it said.
        error: rusqlite::Error,
    },
    /// A file could not be written or read.
    #[error("cannot {what} {path}: {error}")]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// There is no run here.
    #[error("\"{0}\" is not a run: no run.db in it; `lanista run cup.toml` makes one")]
    NoRun(String),
    /// There are replays, and nothing that says what they are.
    #[error(
        "{0} holds replays of finished games, but its database run.db is lost. Nothing was changed; \
         `lanista rebuild {0}` makes it anew from the replays, or start anew with another --dir"
    )]
    Lost(String),
    /// The database holds what no run of ours leaves there.
    #[error(
        "{path} is damaged, or was not made by lanista: {what}. Nothing was changed; put a copy in \
         its place, let `lanista rebuild` make it anew from the replays, or start anew with \
         another --dir"
    )]
    Damaged {
        /// Where it is.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// Written by a later version.
    #[error("{path} was written by a later version (format {found}; this one reads {VERSION})")]
    Later {
        /// Where it is.
        path: String,
        /// Its version.
        found: i64,
    },
    /// The files of a run that is under way are no longer where they were.
    #[error(
        "{0} was removed or replaced while the run was under way: what is played from now on could not be \
         kept. The run has stopped; put the folder back, or start anew with another --dir"
    )]
    Removed(String),
    /// Somebody else plays there.
    #[error(
        "{path} is being played by another process{by}; use `lanista ctl {path} status`, or wait"
    )]
    Locked {
        /// The run's folder.
        path: String,
        /// Who, as far as is known.
        by: String,
    },
}

/// A run's folder and its database.
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) folder: Folder,
    /// Where replays go, once there is one.
    pub(crate) pack: Option<Writer>,
    /// The file that was opened as the database.
    pub(crate) database: FileIdentity,
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
    /// Opens the store of a run to play on, and makes it if there is none.
    pub fn open(dir: &Path) -> Result<Store, StoreError> {
        let folder = opened(dir)?;
        let no_database = folder.read("run.db").and_then(|file| file.metadata());
        if no_database.map_or(true, |about| about.len() == 0) && has_replays(&folder) {
            return Err(StoreError::Lost(dir.display().to_string()));
        }
        let store = Store::open_again(dir)?;
        store.check()?;
        store.with_path(schema::prepare(&store.db))?;
        Ok(store)
    }

    /// The same for a store that this process has open already, and so has checked.
    pub(crate) fn open_again(dir: &Path) -> Result<Store, StoreError> {
        let folder = opened(dir)?;
        folder.make_inside("replays").map_err(failed("make the folder", folder.at("replays")))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Store::connect(&folder, flags)
    }

    /// Opens the store of a run to look at; somebody may be playing there.
    pub fn open_to_read(dir: &Path) -> Result<Store, StoreError> {
        let no_run = || StoreError::NoRun(dir.display().to_string());
        let folder = Folder::open(dir).map_err(|_| no_run())?;
        if !folder.at("run.db").exists() {
            return Err(match has_replays(&folder) {
                true => StoreError::Lost(dir.display().to_string()),
                false => no_run(),
            });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(&folder, flags)
            .or_else(|_| Store::connect(&folder, OpenFlags::SQLITE_OPEN_READ_ONLY))
            .or_else(|error| Store::still(&folder).unwrap_or(Err(error)))?;
        match store.version()? {
            0 => Err(no_run()),
            _ => {
                store.check()?;
                store.with_path(schema::fill_in(&store.db))?;
                Ok(store)
            }
        }
    }

    /// Opens the store of a run that nobody can be playing: its folder cannot be written to, not
    /// even for what readers need to agree with writers. None if not all of it is in the database.
    fn still(folder: &Folder) -> Option<Result<Store, StoreError>> {
        let rest = folder.read("run.db-wal").and_then(|rest| rest.metadata());
        if rest.is_ok_and(|rest| rest.len() > 0) {
            return None;
        }
        let path = match folder.real_path() {
            Ok(path) => path.join("run.db"),
            Err(error) => return Some(Err(failed("open", folder.at("run.db"))(error))),
        };
        let mut address = "file:".to_owned();
        for byte in path.as_os_str().as_bytes() {
            match byte {
                b'.' | b'-' | b'_' | b'/' => address.push(char::from(*byte)),
                plain if plain.is_ascii_alphanumeric() => address.push(char::from(*plain)),
                other => address.push_str(&format!("%{other:02x}")),
            }
        }
        address.push_str("?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        Some(Store::connect_to(folder, Path::new(&address), flags))
    }

    fn connect(folder: &Folder, flags: OpenFlags) -> Result<Store, StoreError> {
        let real = folder.real_path().map_err(failed("open", folder.at("run.db")))?;
        Store::connect_to(folder, &real.join("run.db"), flags)
    }

    /// Opens the database of a folder by a path or by an address.
    fn connect_to(folder: &Folder, address: &Path, flags: OpenFlags) -> Result<Store, StoreError> {
        for name in FILES {
            folder.check_file(name).map_err(failed("open", folder.at(name)))?;
        }
        let path = folder.at("run.db").display().to_string();
        let wrong = |error| database_error(path.clone(), error);
        let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let db = Connection::open_with_flags(address, flags).map_err(wrong)?;
        harden(&db).map_err(wrong)?;
        let folder = folder.again().map_err(failed("open", folder.path().to_owned()))?;
        let database = folder.identity("run.db").map_err(failed("open", folder.at("run.db")))?;
        let store = Store { db, folder, pack: None, database };
        let found = store.version()?;
        match found > VERSION {
            true => Err(StoreError::Later { path, found }),
            false => Ok(store),
        }
    }

    /// Whether all that is in the database can be believed.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let version = self.version()?;
        if version == 0 && self.with_path(schema::is_empty(&self.db))? {
            return Ok(());
        }
        let sound = "PRAGMA quick_check(1)";
        let found: String = self.with_path(self.db.query_row(sound, [], |row| row.get(0)))?;
        if found != "ok" {
            return Err(self.damaged(found.lines().next().unwrap_or_default()));
        }
        // Somebody may be playing: all that is read is of one moment.
        let _moment = self.with_path(self.db.unchecked_transaction())?;
        if let Some(odd) = self.with_path(schema::odd(&self.db, version))? {
            return Err(self.damaged(&odd));
        }
        let odd = match self.with_path(odd_numbers(&self.db))? {
            Some(table) => Some(format!("the table \"{table}\" holds an impossible value")),
            None => self.with_path(audit(&self.db, version, &self.events()?))?,
        };
        odd.map_or(Ok(()), |odd| Err(self.damaged(&odd)))
    }

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
        let place = self.with_path(game_rows::place(&self.db, id))?;
        self.read_replay(id, place)
    }

    /// The bytes of the replays of matches one after another: quicker than one by one, where there
    /// are many.
    pub fn replays(&self) -> Result<impl Fn(&str) -> Result<Vec<u8>, StoreError>, StoreError> {
        let places = self.with_path(game_rows::places(&self.db))?;
        Ok(move |id: &str| self.read_replay(id, places.get(id).copied()))
    }

    /// No link is followed there.
    fn read_replay(&self, id: &str, place: Option<PackPosition>) -> Result<Vec<u8>, StoreError> {
        let name = format!("{id}.lrz");
        let read = || -> io::Result<Vec<u8>> {
            let replays = self.folder.inside("replays")?;
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
        self.with_path(self.db.query_row("SELECT COUNT(*) FROM games", [], |row| row.get(0)))
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
        let places = self.pack()?.append(&packed).map_err(failed("write to", at))?;
        let write = |db: &mut Connection| -> rusqlite::Result<()> {
            let all = db.transaction()?;
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
                game_rows::insert(&all, &new)?;
            }
            all.commit()
        };
        let written = write(&mut self.db);
        self.with_path(written)
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

/// Whether replays of finished games are in a run's folder.
pub(crate) fn has_replays(folder: &Folder) -> bool {
    let Ok(replays) = folder.inside("replays") else { return false };
    pack::has_records(&replays) || replays.has_file_ending(".lrz")
}

/// What an error of the database means.
pub(crate) fn database_error(path: String, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            StoreError::Damaged { path, what: error.to_string() }
        }
        Some(_) | None => StoreError::Database { path, error },
    }
}

/// Opens a run's folder.
pub(crate) fn opened(dir: &Path) -> Result<Folder, StoreError> {
    Folder::open(dir).map_err(failed("open", dir.to_owned()))
}

/// The error of a file.
pub(crate) fn failed(what: &'static str, path: PathBuf) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError::File { what, path: path.display().to_string(), error }
}

/// A database of anybody's runs no code of theirs, and cannot make us wait for ever.
pub(crate) fn harden(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(Duration::from_secs(30))?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    db.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")
}

#[cfg(test)]
pub(crate) mod tests {
    use std::ops::ControlFlow;

    use game::{Clock, Seed};
    use host::{Placement, Run};
    use table::{Contestant, Entrant, Terms};

    use super::*;
    use crate::schedule::Format;
    use crate::store::event_rows::{Arrival, PlanLine, StoredBot, StoredEvent};
    use crate::store::lock::Lock;

    /// A folder of this test's own, removed when dropped.
    pub(crate) struct TestFolder(pub(crate) PathBuf);

    impl TestFolder {
        pub(crate) fn new(name: &str) -> TestFolder {
            let name = format!("lanista-store-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&path).expect("the temporary folder can be written to");
            TestFolder(path)
        }
    }

    impl Drop for TestFolder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// A real game of the first kind there is, between two of its built-in bots.
    pub(crate) fn played(key: &str) -> Played {
        let game = games::GAMES[0];
        let name = game.card().bots[0].name.to_owned();
        let entrant = |bot: &str| Entrant::new(bot, Contestant::BuiltIn(name.clone()));
        let terms = Terms {
            id: key.bytes().map(|byte| format!("{byte:02x}")).collect(),
            seed: Seed(1),
            entrants: vec![entrant("a"), entrant("b")],
            clock: Clock::per_turn(Duration::from_secs(60)),
            adjudication: table::Adjudication::NONE,
            tournament: true,
            record: true,
        };
        let job = crate::job(0, vec![0, 0], game, Default::default(), terms);
        let run = Run {
            roster: Vec::new(),
            concurrency: 1,
            placement: Placement::None,
            exe: None,
            scratch: None,
            pondering: host::Pondering::Stopped,
            cage: host::CageTerms::none(),
        };
        let mut found = None;
        let each = |finished: host::Finished| {
            found = finished.result.ok();
            ControlFlow::Continue(())
        };
        run.play(std::iter::once(job), None, each).expect("it can be played");
        let (report, log) = found.expect("it is finished");
        let key = GameKey(key.to_owned());
        Played { event: 0, key, attempt: 0, seating: vec![BotId(0), BotId(1)], report, log }
    }

    /// An event of two bots at the same game.
    pub(crate) fn event() -> StoredEvent {
        let bot = |name: &str| StoredBot {
            name: name.to_owned(),
            text: String::new(),
            shown: String::new(),
            identity: String::new(),
            joined: 0,
            added: None,
        };
        let format = Format::RoundRobin { rounds: 1 };
        StoredEvent {
            name: "event".to_owned(),
            game: games::GAMES[0].card().id.to_owned(),
            terms: "{}".to_owned(),
            plan: PlanLine {
                format,
                seats: 2,
                seed: 0,
                variants: 1,
                weights: Vec::new(),
                pairing: Default::default(),
                tiebreaks: None,
                most: None,
                open_games: None,
                anchors: Default::default(),
            },
            amendments: Default::default(),
            bots: vec![bot("a"), bot("b")],
        }
    }

    #[test]
    fn games_are_not_written_to_files_that_were_removed() {
        for removed in ["run.db", "replays"] {
            let folder = TestFolder::new(&format!("removed-{removed}"));
            let mut store = Store::open(&folder.0).expect("it can be made");
            store.set_terms("cup", "", &[event()]).expect("it can be written");
            store.save(&[played("0.0.0:0-1")]).expect("it can be kept");
            let path = folder.0.join(removed);
            match path.is_dir() {
                true => std::fs::remove_dir_all(&path),
                false => std::fs::remove_file(&path),
            }
            .expect("it was there");
            let refused = store.save(&[played("0.0.1:0-1")]).expect_err("nobody would find it");
            assert!(matches!(&refused, StoreError::Removed(what) if what.ends_with(removed)));
        }
    }

    #[test]
    fn a_game_is_kept_whole_and_counted_once() {
        let folder = TestFolder::new("once");
        let mut store = Store::open(&folder.0).expect("it can be made");
        let event = event();
        store.set_terms("cup", "", std::slice::from_ref(&event)).expect("it can be written");
        assert_eq!(store.events().expect("it can be read"), [event]);
        let game = played("0.0.0:0-1");
        store.save(std::slice::from_ref(&game)).expect("it can be kept");
        store.save(&[played("0.0.0:0-1"), played("0.0.1:0-1")]).expect("it can be kept");
        assert_eq!(store.games().expect("it can be read"), 2);
        let reports = store.reports(0).expect("they can be read");
        let mut report = game.report.clone();
        report.replay = Some(format!("replays/{}.lrz", report.id));
        report.run_seed = Some(0);
        assert_eq!(reports[&game.key], report, "what is read is what was written");
        let bytes = store.replay(&report.id).expect("it is there");
        let same = bytes == game.log.to_file().expect("it can be packed");
        assert!(same, "the replay is that of the game that counts");
        let paces: u64 = store
            .db
            .query_row("SELECT SUM(answers) FROM paces", [], |row| row.get(0))
            .expect("there are times");
        let moves: u32 = report.players.iter().map(|player| player.moves).sum();
        assert_eq!(paces, u64::from(2 * moves), "times are counted once a game");
    }

    #[test]
    fn one_plays_and_others_look() {
        let folder = TestFolder::new("lock");
        assert!(matches!(Store::open_to_read(&folder.0), Err(StoreError::NoRun(_))));
        let lock = Lock::take(&folder.0).expect("nobody is there");
        let error = Lock::take(&folder.0).err().expect("somebody is there").to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(lock);
        Lock::take(&folder.0).expect("whoever waited in vain keeps nothing");
    }

    #[test]
    fn a_run_of_the_first_version_goes_on() {
        let folder = TestFolder::new("first-version");
        let store = Store::open(&folder.0).expect("it can be made");
        let make = "DROP TABLE arrivals; DROP TABLE abouts; DROP TABLE journal; ALTER TABLE faults DROP COLUMN count; ALTER TABLE faults DROP COLUMN agent;
                    ALTER TABLE games DROP COLUMN ending; ALTER TABLE games DROP COLUMN kept;
                    ALTER TABLE games DROP COLUMN pack; ALTER TABLE games DROP COLUMN place;
                    INSERT INTO run VALUES ('old', ''); PRAGMA user_version = 1";
        store.db.execute_batch(make).expect("it can be made older");
        drop(store);
        assert_eq!(
            Store::open_to_read(&folder.0).and_then(|store| store.name()).expect("it is read"),
            "old"
        );
        let mut store = Store::open(&folder.0).expect("it can be played on");
        let words = |text: &str| text.to_owned();
        let arrival = Arrival { event: words("event"), text: words("a=./a"), base: words("/b") };
        store.add_arrival(&arrival, "c").expect("it can be written");
        assert_eq!(store.arrivals().expect("they can be read"), [arrival]);
        assert_eq!(store.name().expect("it is read"), "old");
    }

    #[test]
    fn a_run_is_read_where_nothing_can_be_written() {
        // A name that is no address as it is.
        let folder = TestFolder::new("read only?mode=rwc#50%41ü");
        let mut store = Store::open(&folder.0).expect("it can be made");
        store.set_terms("cup", "", &[]).expect("it can be written");
        // Whoever plays has not put everything into the database yet.
        let opened = Folder::open(&folder.0).expect("it is there");
        assert!(Store::still(&opened).is_none());
        drop(store);
        let name = |store: Store| store.name().expect("it can be read");
        let opened = Folder::open(&folder.0).expect("it is there");
        let still = Store::still(&opened).expect("all of it is there");
        assert_eq!(name(still.expect("it can be opened")), "cup");
        let may = |mode| {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(&folder.0, permissions).expect("it is ours");
        };
        may(0o555);
        let found = Store::open_to_read(&folder.0).map(name);
        may(0o755);
        assert_eq!(found.expect("it can be opened"), "cup");
        assert!(!folder.0.join("run.db-shm").exists(), "nothing is left behind");
    }

    #[test]
    fn a_later_version_is_left_alone() {
        let folder = TestFolder::new("later");
        let store = Store::open(&folder.0).expect("it can be made");
        store.db.execute_batch("PRAGMA user_version = 99").expect("it can be set");
        drop(store);
        assert!(matches!(Store::open(&folder.0), Err(StoreError::Later { found: 99, .. })));
    }
}
