//! Parts of one tournament that were played in several places, put together: the same file, the
//! same seed, the same bots.
//!
//! A merged run is made of replays and terms alone, and its database is made from those like any
//! other that is rebuilt.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::store::folder::Folder;
use crate::store::pack::{self, PackPosition, PackRecord, Writer};
use crate::store::rebuild::{RebuildError, Rebuilt, rebuild};
use crate::store::run_copy::{NAME, RunCopy};
use crate::store::{GameTables, Store, StoreError, failed, has_replays};

/// Why runs cannot be put together.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database could not be made.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// They are not parts of one tournament.
    #[error(
        "{one} and {other} are not parts of one tournament: {what} {}; `lanista ratings` counts games of \
         different tournaments together",
        if what.starts_with("the journal") { "is not the same" } else { "are not the same" }
    )]
    Different {
        /// The first run.
        one: String,
        /// The other one.
        other: String,
        /// What is different.
        what: String,
    },
    /// The same game went differently.
    #[error(
        "{games} of {one} and {other} went differently, the first of them is {key} of {event}: which one \
         counts? Void it in one of them (`lanista ctl RUN void`)"
    )]
    Conflict {
        /// The first run.
        one: String,
        /// The other one.
        other: String,
        /// How many games, in words.
        games: String,
        /// The event of the first.
        event: String,
        /// The game.
        key: String,
    },
    /// Something is there already.
    #[error("{0} holds a run already; name another --dir")]
    NotEmpty(String),
    /// Nothing to do.
    #[error("two runs or more are put together, not one")]
    TooFew,
}

/// A game of one of the runs.
struct MergedGame {
    event: usize,
    key: String,
    digest: String,
    ranks: String,
    place: Option<PackPosition>,
}

/// One of the runs.
struct MergedRun {
    shown: String,
    store: Store,
    terms: RunCopy,
    games: Vec<MergedGame>,
}

/// So many replays are written at a time.
const BATCH: usize = 256;

/// Puts runs together in a new folder. `progress` is told how many games have been copied.
pub fn merge(
    runs: &[PathBuf],
    dir: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Rebuilt, MergeError> {
    let parts = runs.iter().map(|run| part(run)).collect::<Result<Vec<MergedRun>, MergeError>>()?;
    let [first, others @ ..] = &parts[..] else { return Err(MergeError::TooFew) };
    if others.is_empty() {
        return Err(MergeError::TooFew);
    }
    for other in others {
        compare(first, other)?;
    }
    let chosen = choose(&parts)?;
    let folder = Folder::make(dir).map_err(failed("make the folder", dir.to_owned()))?;
    if folder.at("run.db").exists() || has_replays(&folder) {
        return Err(MergeError::NotEmpty(dir.display().to_string()));
    }
    let at = folder.at("replays");
    let replays = folder.make_inside("replays").map_err(failed("make the folder", at.clone()))?;
    let writing = failed("write to", at.clone());
    let again = replays.again().map_err(&writing)?;
    let mut writer = Writer::open(again, None).map_err(&writing)?;
    let mut copied = 0;
    for batch in chosen.chunks(BATCH) {
        let packed = batch.iter().map(|(part, game)| packed(part, game));
        let packed = packed.collect::<Result<Vec<PackRecord>, MergeError>>()?;
        writer.append(&packed).map_err(&writing)?;
        copied += packed.len() as u64;
        progress(copied);
    }
    let mut terms = first.terms.clone();
    // Games that were void in several runs are told apart by their tries: the first to say so
    // counts.
    let mut seen = BTreeSet::new();
    let voids = parts.iter().flat_map(|part| &part.terms.voids);
    let voids = voids.filter(|void| seen.insert((void.0, void.1.clone(), void.2)));
    terms.voids = voids.cloned().collect();
    let terms = serde_json::to_vec(&terms).expect("texts and numbers serialise");
    replays.write(NAME, &terms).map_err(&writing)?;
    let rebuilt = rebuild(dir, &mut |_| {})?;
    Store::open_to_read(dir)?.write_file("cup.toml", first.terms.file.as_bytes())?;
    Ok(rebuilt)
}

fn part(run: &Path) -> Result<MergedRun, MergeError> {
    let store = Store::open_to_read(run)?;
    store.check_games(GameTables::Rows)?;
    let terms = store.terms()?;
    let read = || -> rusqlite::Result<Vec<MergedGame>> {
        let mut games = store
            .db
            .prepare("SELECT event, key, digest, ranks, pack, place FROM games ORDER BY id")?;
        let game = |row: &rusqlite::Row<'_>| {
            let place = match row.get(4)? {
                Some(pack) => Some(PackPosition { pack, at: row.get(5)? }),
                None => None,
            };
            let (event, key, digest, ranks) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(MergedGame { event, key, digest, ranks, place })
        };
        let games = games.query_map([], game)?;
        games.collect()
    };
    let games = store.with_path(read())?;
    Ok(MergedRun { shown: run.display().to_string(), store, terms, games })
}

/// Whether two runs are parts of one tournament.
fn compare(first: &MergedRun, other: &MergedRun) -> Result<(), MergeError> {
    let mut terms = other.terms.clone();
    // These are of each run alone.
    terms.voids.clone_from(&first.terms.voids);
    terms.name.clone_from(&first.terms.name);
    terms.file.clone_from(&first.terms.file);
    match first.terms.difference(&terms) {
        None => Ok(()),
        Some(what) => Err(MergeError::Different {
            one: first.shown.clone(),
            other: other.shown.clone(),
            what,
        }),
    }
}

/// Every game once.
fn choose(parts: &[MergedRun]) -> Result<Vec<(&MergedRun, &MergedGame)>, MergeError> {
    let mut found: HashMap<(usize, &str), (&MergedRun, &MergedGame)> = HashMap::new();
    let mut chosen = Vec::new();
    for part in parts {
        let mut differ: BTreeSet<(usize, &str)> = BTreeSet::new();
        let mut with = None;
        for game in &part.games {
            let key = (game.event, game.key.as_str());
            match found.get(&key) {
                None => {
                    found.insert(key, (part, game));
                    chosen.push((part, game));
                }
                Some((before, same)) if same.digest != game.digest || same.ranks != game.ranks => {
                    with.get_or_insert(before.shown.clone());
                    differ.insert(key);
                }
                Some(_) => {}
            }
        }
        if let (Some((event, key)), Some(one)) = (differ.first(), with) {
            return Err(MergeError::Conflict {
                one,
                other: part.shown.clone(),
                games: game::count(differ.len() as u64, "game"),
                event: part.terms.events.get(*event).map_or_else(String::new, |e| e.name.clone()),
                key: (*key).to_owned(),
            });
        }
    }
    Ok(chosen)
}

/// The record of a game.
fn packed(part: &MergedRun, game: &MergedGame) -> Result<PackRecord, MergeError> {
    let at = part.store.folder.at("replays");
    let Some(place) = game.place else {
        return Err(RebuildError::TooOld(at.display().to_string()).into());
    };
    let read = part.store.folder.inside("replays").and_then(|replays| pack::read(&replays, place));
    Ok(read.map_err(failed("read a replay in", at))?)
}
