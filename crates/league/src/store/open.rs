//! Opening a run's database: to play, or to read. Nothing of it is used before it has been checked:
//! what there is little of when it is opened, the tables of games when somebody wants to read them.

use std::cell::RefCell;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::store::audit::{audit_games, audit_terms, odd_numbers};
use crate::store::folder::{FileIdentity, Folder};
use crate::store::schema::{self, VERSION};
use crate::store::{FILES, Store, StoreError, pack};

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
        if store.version()? != 0 {
            store.check_every_game()?;
        }
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
            .or_else(|error| Store::open_unwritable(&folder).unwrap_or(Err(error)))?;
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
    pub(crate) fn open_unwritable(folder: &Folder) -> Option<Result<Store, StoreError>> {
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
        let store = Store::new(db, folder, database);
        let found = store.version()?;
        match found > VERSION {
            true => Err(StoreError::Later { path, found }),
            false => Ok(store),
        }
    }

    pub(crate) fn new(db: Connection, folder: Folder, database: FileIdentity) -> Store {
        let checked = RefCell::new(Vec::new());
        let last_flush = Duration::ZERO;
        Store { db, folder, pack: None, database, checked, seen: None, last_flush }
    }

    /// Whether all that is in the database can be believed, its games aside.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let version = self.version()?;
        if version == 0 && self.with_path(schema::is_empty(&self.db))? {
            return Ok(());
        }
        if let Some(odd) = self.with_path(schema::odd(&self.db, version))? {
            return Err(self.damaged(&odd));
        }
        // Somebody may be playing: all that is read is of one moment.
        let moment = self.with_path(self.db.unchecked_transaction())?;
        let tables = self.with_path(schema::tables(&self.db))?;
        // Games of older databases are added up at once.
        let is_old = version < schema::HAS_SUMS;
        let now = |table: &String| is_old || !GAME_TABLES.contains(&table.as_str());
        tables.iter().filter(|table| now(table)).try_for_each(|table| self.check_pages(table))?;
        let odd = match self.with_path(odd_numbers(&self.db))? {
            Some(table) => Some(format!("the table \"{table}\" holds an impossible value")),
            None => self.with_path(audit_terms(&self.db, version, &self.events()?))?,
        };
        if let Some(odd) = odd {
            return Err(self.damaged(&odd));
        }
        drop(moment);
        match is_old {
            true => self.check_games(GameTables::Rows),
            false => Ok(()),
        }
    }

    /// Checks everything that is known of every game, once. Whoever goes on with a run or shows its
    /// games beside its tables asks for this first.
    pub fn check_every_game(&self) -> Result<(), StoreError> {
        self.check_games(GameTables::Rows)
    }

    /// Checks the tables of games, once. Whoever reads them asks for this first.
    pub(crate) fn check_games(&self, tables: GameTables) -> Result<(), StoreError> {
        if self.checked.borrow().iter().any(|checked| *checked >= tables) {
            return Ok(());
        }
        let whole: &[&str] = match tables {
            GameTables::Results => &GAME_TABLES[..1],
            GameTables::Pages | GameTables::Rows => &GAME_TABLES,
        };
        whole.iter().try_for_each(|table| self.check_pages(table))?;
        if tables == GameTables::Rows {
            let version = self.version()?;
            let odd = self.with_path(audit_games(&self.db, version, &self.events()?))?;
            odd.map_or(Ok(()), |odd| Err(self.damaged(&odd)))?;
        }
        self.checked.borrow_mut().push(tables);
        Ok(())
    }

    /// Whether the pages of a table are in order: then to read it comes to an end.
    fn check_pages(&self, table: &str) -> Result<(), StoreError> {
        let sql = format!("PRAGMA quick_check('{table}')");
        let found: String = self.with_path(self.db.query_row(&sql, [], |row| row.get(0)))?;
        match found == "ok" {
            true => Ok(()),
            false => Err(self.damaged(found.lines().next().unwrap_or_default())),
        }
    }
}

/// The tables that grow with every game. The first holds what continuing a run needs.
const GAME_TABLES: [&str; 3] = ["games", "seats", "faults"];

/// What has to be checked of the tables of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GameTables {
    /// The pages of the table `games`, for readers of it that check what they read.
    Results,
    /// The pages of all of them.
    Pages,
    /// All pages, and the values of all rows.
    Rows,
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
