//! Making a run's database anew from its replays.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use table::{Record, Report};
use thiserror::Error;

use crate::schedule::BotId;
use crate::store::folder::Folder;
use crate::store::game_rows::{AddedUp, NewGame, insert};
use crate::store::lock::Lock;
use crate::store::pack::{PackPosition, PackRecord, scan};
use crate::store::pack_files::pack_files;
use crate::store::pack_label::{GameLabel, PackLabel};
use crate::store::run_copy::{NAME, RunCopy};
use crate::store::schema;
use crate::store::sums::SeenGames;
use crate::store::{FILES, GameTables, Store, StoreError, database_error, failed, harden, opened};

/// What has become of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Games that are in it.
    pub games: u64,
    /// Games that were taken back while the run went on, and stay so.
    pub void: u64,
    /// Records that could not be read, or belong to nothing.
    pub unreadable: u64,
    /// What the database that was there is called now, if there was one.
    pub before: Option<String>,
}

/// Why a database cannot be made anew.
#[derive(Debug, Error)]
pub enum RebuildError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nobody knows what was played.
    #[error("{path}: {error}; without this file nothing tells to which games the replays belong")]
    NoTerms {
        /// The file that is missing.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// The replays do not say enough.
    #[error(
        "{0} holds replays with a file each, as earlier versions kept them: they do not say where they \
         belong, only the database does; with a sound run.db `lanista rebuild` packs them"
    )]
    TooOld(String),
}

/// The database while it is being made.
const UNFINISHED: &str = "run.db.new";

/// Makes the database of a run anew. `progress` is told how many records have been read.
pub fn rebuild(dir: &Path, progress: &mut dyn FnMut(u64)) -> Result<Rebuilt, RebuildError> {
    let folder = opened(dir)?;
    let at = folder.at("replays");
    let replays = folder.inside("replays").map_err(failed("open", at.clone()))?;
    if replays.has_file_ending(".lrz") {
        pack_files(dir).map_err(|error| match error {
            StoreError::Lost(_) | StoreError::Damaged { .. } | StoreError::NoRun(_) => {
                RebuildError::TooOld(at.display().to_string())
            }
            other => RebuildError::Store(other),
        })?;
    }
    let copy = RunCopy::read(&replays).map_err(|error| RebuildError::NoTerms {
        path: at.join(NAME).display().to_string(),
        error,
    })?;
    let _lock = Lock::take(dir)?;
    let store = begin(&folder)?;
    let read = |error| failed("read", at.clone())(error);
    // Of several records of one game the last one counts: the first of a kill, or of a decision.
    let mut last: HashMap<(usize, String), PackPosition> = HashMap::new();
    scan(&replays, |place, packed| {
        if let Ok(PackLabel::Game(GameLabel { event, key, .. })) = packed.about() {
            last.insert((event, key), place);
        }
    })
    .map_err(read)?;
    let void: HashSet<(usize, &str, u32)> = copy
        .voids
        .iter()
        .map(|(event, key, attempt, _)| (*event as usize, key.as_str(), *attempt))
        .collect();
    let mut rebuilt = Rebuilt::default();
    let mut records = 0;
    let mut seen = SeenGames::default();
    let mut fill = |rebuilt: &mut Rebuilt| -> rusqlite::Result<io::Result<()>> {
        let all = store.db.unchecked_transaction()?;
        store.insert_run_copy(&copy)?;
        let mut wrong = Ok(());
        let mut added_up = AddedUp::default();
        let scanned = scan(&replays, |place, packed| {
            records += 1;
            progress(records);
            if wrong.is_err() {
                return;
            }
            let Some((label, report, record)) = game(&packed, &copy) else {
                rebuilt.unreadable += 1;
                return;
            };
            if last.get(&(label.event, label.key.clone())) != Some(&place) {
                return;
            }
            if void.contains(&(label.event, label.key.as_str(), label.attempt)) {
                rebuilt.void += 1;
                return;
            }
            let seating: Vec<BotId> = label.bots.iter().map(|bot| BotId(*bot)).collect();
            let new = NewGame {
                event: label.event,
                key: &label.key,
                attempt: label.attempt,
                seating: &seating,
                report: &report,
                answers: record.answers(),
                kept: label.kept,
                place,
            };
            wrong = insert(&store.db, &new, &mut seen, &mut added_up);
            rebuilt.games += 1;
        });
        wrong?;
        added_up.write(&store.db)?;
        all.commit()?;
        Ok(scanned)
    };
    let filled = fill(&mut rebuilt).map_err(|error| new_error(&folder, error))?;
    filled.map_err(read)?;
    // What comes of a stranger's files is looked at like a stranger's database.
    store.check()?;
    store.check_games(GameTables::Rows)?;
    let done = store.db.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
    done.map_err(|error| new_error(&folder, error))?;
    drop(store);
    rebuilt.before = put_in_place(&folder).map_err(failed("put in place", folder.at("run.db")))?;
    Ok(rebuilt)
}

fn new_error(folder: &Folder, error: rusqlite::Error) -> StoreError {
    database_error(folder.at(UNFINISHED).display().to_string(), error)
}

/// An empty database beside the one that is there.
fn begin(folder: &Folder) -> Result<Store, StoreError> {
    for ending in FILES.map(|name| name.trim_start_matches("run.db")) {
        // Left behind by somebody who was killed, or put there by a stranger.
        let _ = folder.remove(&format!("{UNFINISHED}{ending}"));
    }
    let real = folder.real_path().map_err(failed("open", folder.at(UNFINISHED)))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let made = Connection::open_with_flags(real.join(UNFINISHED), flags).and_then(|db| {
        harden(&db)?;
        schema::prepare(&db)?;
        Ok(db)
    });
    let db = made.map_err(|error| new_error(folder, error))?;
    let folder = folder.again().map_err(failed("open", folder.path().to_owned()))?;
    let database = folder.identity(UNFINISHED).map_err(failed("open", folder.at(UNFINISHED)))?;
    Ok(Store::new(db, folder, database))
}

/// The game of a record, if it can be read and there are such an event and such bots.
fn game(packed: &PackRecord, copy: &RunCopy) -> Option<(GameLabel, Report, Record)> {
    let PackLabel::Game(label) = packed.about().ok()?;
    let record = Record::read(&packed.replay).ok()?;
    let report = label.report(&record.header)?;
    let bots = copy.events.get(label.event)?.bots.len();
    let fits = label.bots.len() == report.players.len()
        && label.bots.iter().all(|bot| (*bot as usize) < bots);
    fits.then_some((label, report, record))
}

/// Puts the new database in the place of the old one, which gets another name.
fn put_in_place(folder: &Folder) -> io::Result<Option<String>> {
    let mut before = None;
    for number in 1.. {
        let name =
            format!("run.db.old{}", if number == 1 { String::new() } else { format!("-{number}") });
        match folder.move_to_free("run.db", &name) {
            Ok(true) => before = Some(name),
            Ok(false) => continue,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        break;
    }
    // What is beside the old one must not be taken for a part of the new one.
    for name in &FILES[1..] {
        let ending = name.trim_start_matches("run.db");
        let moved = match &before {
            Some(before) => folder.replace(name, &format!("{before}{ending}")),
            None => folder.remove(name),
        };
        match moved {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    folder.replace(UNFINISHED, "run.db")?;
    folder.sync()?;
    Ok(before)
}
