//! What the games of a run add up to, by who sat where: a table needs no look at every game.
//!
//! The sums are kept beside the games, in the same transaction. `verify` adds the games up anew and
//! compares.

mod by_worker;
mod scan;

use std::collections::btree_map::Entry;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash as _, Hasher as _};

use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, params};

use crate::schedule::BotId;
use crate::store::sums::by_worker::WorkerSums;
pub(crate) use crate::store::sums::by_worker::{WorkerResult, WorkerTime};
use crate::store::sums::scan::scan;
use crate::store::{Store, StoreError, schema};

/// The bots of a game by seat, by their numbers in the event.
pub(crate) type Seating = Vec<u32>;

/// Games that are added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    /// By event, who sat where, how it ended, and under which protection.
    results: BTreeMap<(usize, Seating, Vec<u16>, String), ResultSum>,
    /// By event, who sat where, and seat.
    times: BTreeMap<(usize, Seating, usize), TimeSum>,
    /// How many faults, by event, who sat where, seat and kind.
    faults: BTreeMap<(usize, Seating, usize, String), u64>,
    /// Those of each worker.
    workers: WorkerSums,
}

/// Games of the same bots in the same seats with the same result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResultSum {
    pub(crate) games: u64,
    /// How many of them are not the same as one before.
    pub(crate) different: u64,
    /// When the first and the last were kept, in seconds since 1970, if that is known.
    pub(crate) kept: Option<(u64, u64)>,
}

/// How one who sat somewhere used its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TimeSum {
    pub(crate) moves: u64,
    pub(crate) wall_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) slowest_ms: f64,
}

impl TimeSum {
    pub(crate) fn add(&mut self, other: TimeSum) {
        self.moves += other.moves;
        self.wall_ms += other.wall_ms;
        self.cpu_ms += other.cpu_ms;
        self.slowest_ms = self.slowest_ms.max(other.slowest_ms);
    }
}

/// A game that is added.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddedGame {
    pub(crate) event: usize,
    pub(crate) tier: String,
    /// The name and the speed of the worker that played it, if one did.
    pub(crate) worker: Option<(String, f64)>,
    pub(crate) kept: Option<u64>,
    pub(crate) turns: u32,
    /// The digest of its last state.
    pub(crate) digest: String,
    pub(crate) seating: Seating,
    pub(crate) ranks: Vec<u16>,
    /// By seat.
    pub(crate) times: Vec<TimeSum>,
    /// Seat, kind and how many.
    pub(crate) faults: Vec<(usize, String, u64)>,
}

/// The games so far, by what makes two of them the same: who sat where, how long they were and how
/// they ended. Deterministic bots play the same game again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenGames(HashSet<u64>);

impl SeenGames {
    /// All games of a database.
    pub(crate) fn read(db: &Connection) -> rusqlite::Result<SeenGames> {
        let mut seen = SeenGames::default();
        scan(db, |game| {
            seen.is_new(game);
        })?;
        Ok(seen)
    }

    /// Whether no game so far is the same as this one.
    fn is_new(&mut self, game: &AddedGame) -> bool {
        let mut hasher = DefaultHasher::new();
        (game.event, &game.seating, game.turns, &game.digest).hash(&mut hasher);
        self.0.insert(hasher.finish())
    }
}

impl Sums {
    /// Adds up all games of a database.
    pub(crate) fn of_games(db: &Connection) -> rusqlite::Result<Sums> {
        Sums::of_games_with(db, |_| true)
    }

    /// The same for the games that are wanted.
    fn of_games_with(
        db: &Connection,
        wanted: impl Fn(&AddedGame) -> bool,
    ) -> rusqlite::Result<Sums> {
        let (mut sums, mut seen) = (Sums::default(), SeenGames::default());
        scan(db, |game| {
            if wanted(game) {
                sums.add(game, &mut seen);
            }
        })?;
        Ok(sums)
    }

    fn add(&mut self, game: &AddedGame, seen: &mut SeenGames) {
        let AddedGame { event, seating, ranks, tier, .. } = game;
        let key = (*event, seating.clone(), ranks.clone(), tier.clone());
        let sum = self.results.entry(key).or_default();
        sum.games += 1;
        sum.different += u64::from(seen.is_new(game));
        if let Some(kept) = game.kept {
            let (first, last) = sum.kept.unwrap_or((kept, kept));
            sum.kept = Some((first.min(kept), last.max(kept)));
        }
        for (seat, time) in game.times.iter().enumerate() {
            self.times.entry((*event, seating.clone(), seat)).or_default().add(*time);
        }
        for (seat, kind, count) in &game.faults {
            let key = (*event, seating.clone(), *seat, kind.clone());
            *self.faults.entry(key).or_default() += count;
        }
        self.workers.add(game);
    }

    /// Adds a game that has just been kept to what a database holds; [`Sums::write`] puts it back.
    /// Times are added one after another, so that they are the same however many games are kept at
    /// a time.
    pub(crate) fn add_to(
        &mut self,
        db: &Connection,
        game: &AddedGame,
        seen: &mut SeenGames,
    ) -> rusqlite::Result<()> {
        let AddedGame { event, seating, ranks, tier, .. } = game;
        let words_of_seating = words(seating);
        let result = (*event, seating.clone(), ranks.clone(), tier.clone());
        if let Entry::Vacant(new) = self.results.entry(result) {
            let sql = "SELECT games, different, first, last FROM result_sums
                       WHERE event = ?1 AND seating = ?2 AND ranks = ?3 AND tier = ?4";
            let place = params![event, words_of_seating, words(ranks), tier];
            let read = |row: &Row<'_>| {
                let kept = Option::zip(row.get(2)?, row.get(3)?);
                Ok(ResultSum { games: row.get(0)?, different: row.get(1)?, kept })
            };
            new.insert(stored(db, sql, place, read)?);
        }
        for seat in 0..game.times.len() {
            if let Entry::Vacant(new) = self.times.entry((*event, seating.clone(), seat)) {
                let sql = "SELECT moves, wall_ms, cpu_ms, slowest_ms FROM time_sums
                           WHERE event = ?1 AND seating = ?2 AND seat = ?3";
                let read = |row: &Row<'_>| {
                    let (moves, wall_ms) = (row.get(0)?, row.get(1)?);
                    Ok(TimeSum { moves, wall_ms, cpu_ms: row.get(2)?, slowest_ms: row.get(3)? })
                };
                new.insert(stored(db, sql, params![event, words_of_seating, seat], read)?);
            }
        }
        for (seat, kind, _) in &game.faults {
            let fault = (*event, seating.clone(), *seat, kind.clone());
            if let Entry::Vacant(new) = self.faults.entry(fault) {
                let sql = "SELECT count FROM fault_sums
                           WHERE event = ?1 AND seating = ?2 AND seat = ?3 AND kind = ?4";
                let place = params![event, words_of_seating, seat, kind];
                new.insert(stored(db, sql, place, |row| row.get(0))?);
            }
        }
        self.workers.read(db, game, &words_of_seating)?;
        self.add(game, seen);
        Ok(())
    }

    /// Writes them in the place of those that are there.
    pub(crate) fn write(&self, db: &Connection) -> rusqlite::Result<()> {
        for ((event, seating, ranks, tier), sum) in &self.results {
            let (first, last) = sum.kept.unzip();
            let (seating, ranks) = (words(seating), words(ranks));
            db.prepare_cached("REPLACE INTO result_sums VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
                .execute(params![
                    event,
                    seating,
                    ranks,
                    tier,
                    sum.games,
                    sum.different,
                    first,
                    last
                ])?;
        }
        for ((event, seating, seat), sum) in &self.times {
            db.prepare_cached("REPLACE INTO time_sums VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                .execute(params![
                    event,
                    words(seating),
                    seat,
                    sum.moves,
                    sum.wall_ms,
                    sum.cpu_ms,
                    sum.slowest_ms
                ])?;
        }
        for ((event, seating, seat, kind), count) in &self.faults {
            db.prepare_cached("REPLACE INTO fault_sums VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![event, words(seating), seat, kind, count])?;
        }
        self.workers.write(db)
    }
}

/// A row of a table of sums; zero if there is none.
fn stored<T: Default>(
    db: &Connection,
    sql: &str,
    place: &[&dyn ToSql],
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let found = db.prepare_cached(sql)?.query_row(place, read).optional()?;
    Ok(found.unwrap_or_default())
}

/// The tables of sums.
const TABLES: [&str; 5] =
    ["result_sums", "time_sums", "fault_sums", "worker_sums", "worker_time_sums"];

/// Adds up anew the games of these bots in these seats, one of which is gone.
pub(crate) fn renew(db: &Connection, event: usize, seating: &Seating) -> rusqlite::Result<()> {
    for table in TABLES {
        let sql = format!("DELETE FROM {table} WHERE event = ?1 AND seating = ?2");
        db.execute(&sql, params![event, words(seating)])?;
    }
    Sums::of_games_with(db, |game| game.event == event && game.seating == *seating)?.write(db)
}

/// Games of the same bots in the same seats with the same result, as they are stored.
pub(crate) struct StoredResult {
    pub(crate) seating: Seating,
    pub(crate) ranks: Vec<u16>,
    pub(crate) tier: String,
    pub(crate) sum: ResultSum,
}

impl Store {
    /// How the games of an event ended, but for those of these bots.
    pub(crate) fn result_sums(
        &self,
        event: usize,
        without: &[BotId],
    ) -> Result<Vec<StoredResult>, StoreError> {
        let read = || -> rusqlite::Result<Vec<StoredResult>> {
            let sql = "SELECT seating, ranks, tier, games, different, first, last
                       FROM result_sums WHERE event = ?1";
            let mut rows = self.db.prepare_cached(sql)?;
            let result = |row: &Row<'_>| {
                let (first, last): (Option<u64>, Option<u64>) = (row.get(5)?, row.get(6)?);
                let (games, different) = (row.get(3)?, row.get(4)?);
                Ok(StoredResult {
                    seating: numbers(row.get_ref(0)?.as_str()?),
                    ranks: numbers(row.get_ref(1)?.as_str()?),
                    tier: row.get(2)?,
                    sum: ResultSum { games, different, kept: first.zip(last) },
                })
            };
            rows.query_map([event], result)?.collect()
        };
        let mut results = self.with_path(read())?;
        if let Some(known) = self.events()?.get(event) {
            let (seats, bots) = (known.plan.seats, known.bots.len());
            let fits = |result: &StoredResult| {
                result.ranks.len() == seats && is_seating(&result.seating, seats, bots)
            };
            if !results.iter().all(fits) {
                return Err(self.damaged("the table \"result_sums\" holds an impossible value"));
            }
        }
        results.retain(|result| is_without(&result.seating, without));
        Ok(results)
    }

    /// How the bots of an event used their time, but for games of these bots.
    pub(crate) fn time_sums(
        &self,
        event: usize,
        without: &[BotId],
    ) -> Result<BTreeMap<u32, TimeSum>, StoreError> {
        let read = || -> rusqlite::Result<BTreeMap<u32, TimeSum>> {
            let sql = "SELECT seating, seat, moves, wall_ms, cpu_ms, slowest_ms FROM time_sums
                       WHERE event = ?1";
            let mut query = self.db.prepare_cached(sql)?;
            let mut rows = query.query([event])?;
            let mut sums: BTreeMap<u32, TimeSum> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let seating: Seating = numbers(row.get_ref(0)?.as_str()?);
                let (moves, wall_ms) = (row.get(2)?, row.get(3)?);
                let (cpu_ms, slowest_ms) = (row.get(4)?, row.get(5)?);
                if let Some(bot) = seating.get(row.get::<_, usize>(1)?)
                    && is_without(&seating, without)
                {
                    let sum = TimeSum { moves, wall_ms, cpu_ms, slowest_ms };
                    sums.entry(*bot).or_default().add(sum);
                }
            }
            Ok(sums)
        };
        self.with_path(read())
    }

    /// What the bots of an event did wrong, by kind, but for games of these bots.
    pub(crate) fn fault_sums(
        &self,
        event: usize,
        without: &[BotId],
    ) -> Result<BTreeMap<u32, BTreeMap<String, u64>>, StoreError> {
        let read = || -> rusqlite::Result<BTreeMap<u32, BTreeMap<String, u64>>> {
            let sql = "SELECT seating, seat, kind, count FROM fault_sums WHERE event = ?1";
            let mut query = self.db.prepare_cached(sql)?;
            let mut rows = query.query([event])?;
            let mut sums: BTreeMap<u32, BTreeMap<String, u64>> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let seating: Seating = numbers(row.get_ref(0)?.as_str()?);
                if let Some(bot) = seating.get(row.get::<_, usize>(1)?)
                    && is_without(&seating, without)
                {
                    let count: u64 = row.get(3)?;
                    *sums.entry(*bot).or_default().entry(row.get(2)?).or_default() += count;
                }
            }
            Ok(sums)
        };
        self.with_path(read())
    }

    /// The first event whose sums are not those of its games, if there is one.
    pub(crate) fn wrong_sums(&self) -> Result<Option<usize>, StoreError> {
        let read = || -> rusqlite::Result<Option<usize>> {
            // In tables of the same kind, so that what is written is compared.
            let model = Connection::open_in_memory()?;
            model.execute_batch(schema::SUMS)?;
            model.execute_batch(schema::WORKER_SUMS)?;
            Sums::of_games(&self.db)?.write(&model)?;
            let mut wrong: Option<usize> = None;
            for table in TABLES {
                let (there, wanted) = (lines(&self.db, table)?, lines(&model, table)?);
                let odd = there.symmetric_difference(&wanted).map(|(event, _)| *event).min();
                wrong = [wrong, odd].into_iter().flatten().min();
            }
            Ok(wrong)
        };
        self.with_path(read())
    }
}

/// The rows of a table of sums, each with its event. Times are rounded: they are added up in the
/// order of the games, but not everywhere by the same program.
fn lines(
    db: &Connection,
    table: &str,
) -> rusqlite::Result<std::collections::BTreeSet<(usize, String)>> {
    let mut query = db.prepare(&format!("SELECT * FROM {table}"))?;
    let columns = query.column_count();
    let rows = query.query_map([], |row| {
        let mut line = String::new();
        for column in 1..columns {
            use rusqlite::types::ValueRef;
            match row.get_ref(column)? {
                ValueRef::Real(real) => line.push_str(&format!("{real:.6e}|")),
                ValueRef::Integer(whole) => line.push_str(&format!("{whole}|")),
                ValueRef::Text(text) => {
                    line.push_str(&String::from_utf8_lossy(text));
                    line.push('|');
                }
                ValueRef::Null | ValueRef::Blob(_) => line.push_str("-|"),
            }
        }
        Ok((row.get(0)?, line))
    })?;
    rows.collect()
}

fn is_without(seating: &[u32], bots: &[BotId]) -> bool {
    !seating.iter().any(|bot| bots.contains(&BotId(*bot)))
}

/// Whether so many different ones of so many bots sit there.
fn is_seating(seating: &[u32], seats: usize, bots: usize) -> bool {
    let mut sorted = seating.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() == seats
        && seating.len() == seats
        && sorted.iter().all(|bot| (*bot as usize) < bots)
}

fn words<T: ToString>(numbers: &[T]) -> String {
    let words: Vec<String> = numbers.iter().map(T::to_string).collect();
    words.join(" ")
}

/// Numbers of a text; fewer if not all of it is numbers.
fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    text.split(' ').filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
