//! Games of each worker added up: what is compared to find out whether workers agree.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rusqlite::{Connection, Row, params};

use super::{AddedGame, Seating, TimeSum, is_seating, is_without, numbers, stored, words};
use crate::schedule::BotId;
use crate::store::{Store, StoreError};

/// Games of each worker.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WorkerSums {
    /// By event, who sat where, worker, protection, and how it ended: how many, and their speeds.
    results: BTreeMap<(usize, Seating, String, String, Vec<u16>), (u64, f64)>,
    /// By event, who sat where, worker and seat: how many, the logarithms of their times, and the
    /// squares of these.
    times: BTreeMap<(usize, Seating, String, usize), (u64, f64, f64)>,
}

impl WorkerSums {
    pub(super) fn add(&mut self, game: &AddedGame) {
        let Some((worker, speed)) = &game.worker else { return };
        let AddedGame { event, seating, ranks, tier, .. } = game;
        let key = (*event, seating.clone(), worker.clone(), tier.clone(), ranks.clone());
        let sum = self.results.entry(key).or_default();
        *sum = (sum.0 + 1, sum.1 + speed);
        for (seat, time) in game.times.iter().enumerate() {
            let Some(log) = log_of(time) else { continue };
            let key = (*event, seating.clone(), worker.clone(), seat);
            let sum = self.times.entry(key).or_default();
            *sum = (sum.0 + 1, sum.1 + log, sum.2 + log * log);
        }
    }

    /// Reads what a database holds and a game is added to.
    pub(super) fn read(
        &mut self,
        db: &Connection,
        game: &AddedGame,
        words_of_seating: &str,
    ) -> rusqlite::Result<()> {
        let Some((worker, _)) = &game.worker else { return Ok(()) };
        let AddedGame { event, seating, ranks, tier, .. } = game;
        let key = (*event, seating.clone(), worker.clone(), tier.clone(), ranks.clone());
        if let Entry::Vacant(new) = self.results.entry(key) {
            let sql = "SELECT games, speeds FROM worker_sums WHERE event = ?1 AND seating = ?2
                       AND worker = ?3 AND tier = ?4 AND ranks = ?5";
            let place = params![event, words_of_seating, worker, tier, words(ranks)];
            new.insert(stored(db, sql, place, |row| Ok((row.get(0)?, row.get(1)?)))?);
        }
        for seat in 0..game.times.len() {
            let key = (*event, seating.clone(), worker.clone(), seat);
            // One that has not answered has no row.
            if let Entry::Vacant(new) = self.times.entry(key)
                && log_of(&game.times[seat]).is_some()
            {
                let sql = "SELECT games, logs, squares FROM worker_time_sums WHERE event = ?1
                           AND seating = ?2 AND worker = ?3 AND seat = ?4";
                let place = params![event, words_of_seating, worker, seat];
                let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
                new.insert(stored(db, sql, place, read)?);
            }
        }
        Ok(())
    }

    pub(super) fn write(&self, db: &Connection) -> rusqlite::Result<()> {
        for ((event, seating, worker, tier, ranks), (games, speeds)) in &self.results {
            db.prepare_cached("REPLACE INTO worker_sums VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                .execute(params![
                    event,
                    words(seating),
                    worker,
                    tier,
                    words(ranks),
                    games,
                    speeds
                ])?;
        }
        for ((event, seating, worker, seat), (games, logs, squares)) in &self.times {
            db.prepare_cached("REPLACE INTO worker_time_sums VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                .execute(params![event, words(seating), worker, seat, games, logs, squares])?;
        }
        Ok(())
    }
}

/// The logarithm of the mean time of an answer, in microseconds and one more, so that it is never
/// negative. None of a bot that has not answered.
fn log_of(time: &TimeSum) -> Option<f64> {
    (time.moves > 0).then(|| (1.0 + 1000.0 * time.wall_ms / time.moves as f64).ln())
}

/// Games of a worker of the same bots in the same seats with the same result.
#[derive(Clone, Debug)]
pub(crate) struct WorkerResult {
    pub(crate) worker: String,
    pub(crate) tier: String,
    pub(crate) seating: Seating,
    pub(crate) ranks: Vec<u16>,
    pub(crate) games: u64,
    /// The speeds that the worker had, added up.
    pub(crate) speeds: f64,
}

/// How long a bot of such games took to answer.
#[derive(Clone, Debug)]
pub(crate) struct WorkerTime {
    pub(crate) worker: String,
    pub(crate) seating: Seating,
    pub(crate) seat: usize,
    pub(crate) games: u64,
    pub(crate) logs: f64,
    pub(crate) squares: f64,
}

impl Store {
    /// The games of each worker in an event, but for those of these bots.
    pub(crate) fn worker_sums(
        &self,
        event: usize,
        without: &[BotId],
    ) -> Result<(Vec<WorkerResult>, Vec<WorkerTime>), StoreError> {
        let results = || -> rusqlite::Result<Vec<WorkerResult>> {
            let sql = "SELECT worker, tier, seating, ranks, games, speeds FROM worker_sums
                       WHERE event = ?1";
            let mut query = self.db.prepare_cached(sql)?;
            let rows = query.query_map([event], |row| {
                Ok(WorkerResult {
                    worker: row.get(0)?,
                    tier: row.get(1)?,
                    seating: numbers(row.get_ref(2)?.as_str()?),
                    ranks: numbers(row.get_ref(3)?.as_str()?),
                    games: row.get(4)?,
                    speeds: row.get(5)?,
                })
            })?;
            rows.collect()
        };
        let times = || -> rusqlite::Result<Vec<WorkerTime>> {
            let sql = "SELECT worker, seating, seat, games, logs, squares FROM worker_time_sums
                       WHERE event = ?1";
            let mut query = self.db.prepare_cached(sql)?;
            let rows = query.query_map([event], |row| {
                Ok(WorkerTime {
                    worker: row.get(0)?,
                    seating: numbers(row.get_ref(1)?.as_str()?),
                    seat: row.get(2)?,
                    games: row.get(3)?,
                    logs: row.get(4)?,
                    squares: row.get(5)?,
                })
            })?;
            rows.collect()
        };
        let (mut results, mut times) = (self.with_path(results())?, self.with_path(times())?);
        if let Some(known) = self.events()?.get(event) {
            let (seats, bots) = (known.plan.seats, known.bots.len());
            let fits = |result: &WorkerResult| {
                result.ranks.len() == seats && is_seating(&result.seating, seats, bots)
            };
            let fits_time =
                |time: &WorkerTime| time.seat < seats && is_seating(&time.seating, seats, bots);
            if !results.iter().all(fits) || !times.iter().all(fits_time) {
                return Err(self.damaged("the table \"worker_sums\" holds an impossible value"));
            }
        }
        results.retain(|result| is_without(&result.seating, without));
        times.retain(|time| is_without(&time.seating, without));
        Ok((results, times))
    }
}
