//! Results of finished games, read back from the rows of the database.

use std::collections::{BTreeMap, HashMap};

use game::{About, Ending, FaultKind};
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use table::{FaultLine, PlayerReport, Report, WorkerLine};

use crate::schedule::{GameKey, Numbering};
use crate::store::event_rows::StoredEvent;
use crate::store::game_rows::{match_in, place_in, verdict};
use crate::store::pack::PackPosition;
use crate::store::{GameTables, Store, StoreError};

/// Which games of an event somebody has seen; at first none.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadPosition {
    row: i64,
    place: Option<PackPosition>,
}

/// So many games are read at once by somebody who follows a run.
const BATCH: usize = 2000;

const GAME: &str = "SELECT id, key, match, seed, outcome, reason, turns, delay_ms, tier, digest,
    restarts, ending, pack, place, worker, speed, time_scale FROM games";
const SEAT: &str = "SELECT s.game, b.name, s.seat, s.rank, s.score, s.moves, s.wall_ms, s.cpu_ms,
    s.slowest_ms FROM seats s JOIN games g ON g.id = s.game
    JOIN bots b ON b.event = g.event AND b.id = s.bot";
const FAULT: &str =
    "SELECT f.game, f.seat, f.turn, f.kind, f.detail, f.count, f.agent FROM faults f";

impl Store {
    /// The results of an event's games, by their keys. Places in the schedule are left at zero. All of them
    /// are in memory at once: see [`Store::reports_in_order`].
    pub fn reports(&self, event: usize) -> Result<HashMap<GameKey, Report>, StoreError> {
        let (mut all, mut since) = (HashMap::new(), ReadPosition::default());
        loop {
            let batch = self.reports_since(event, &mut since)?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.extend(batch);
        }
    }

    /// The results of games that were kept since then, in that order; `since` goes on behind the last of
    /// them. Of many games only the first come: ask again until there are none.
    pub fn reports_since(
        &self,
        event: usize,
        since: &mut ReadPosition,
    ) -> Result<Vec<(GameKey, Report)>, StoreError> {
        self.check_games(GameTables::Rows)?;
        let Some(of) = self.events()?.into_iter().nth(event) else { return Ok(Vec::new()) };
        let about = self.bot_descriptions(event)?;
        let mut reports = self.with_path(self.read_reports(event, &of.game, since))?;
        for (_, report) in &mut reports {
            complete(report, &of, &about);
        }
        Ok(reports)
    }

    /// Behind the last game of an event that has been kept.
    pub fn read_position(&self, event: usize) -> Result<ReadPosition, StoreError> {
        self.check_games(GameTables::Results)?;
        let sql = "SELECT id, pack, place FROM games WHERE event = ?1 ORDER BY id DESC LIMIT 1";
        let last = self.db.query_row(sql, [event], |row| {
            Ok(ReadPosition { row: row.get(0)?, place: place_in(row, 1)? })
        });
        Ok(self.with_path(last.optional())?.unwrap_or_default())
    }

    /// The result of one game, if it is finished.
    pub fn report(&self, event: usize, key: &GameKey) -> Result<Option<Report>, StoreError> {
        self.check_games(GameTables::Pages)?;
        let Some(of) = self.events()?.into_iter().nth(event) else { return Ok(None) };
        let about = self.bot_descriptions(event)?;
        let mut report = self.with_path(self.read_report(event, &of.game, key))?;
        if let Some(report) = &mut report {
            if report.players.len() != of.plan.seats {
                return Err(self.damaged("a game has not as many players as seats"));
            }
            complete(report, &of, &about);
        }
        Ok(report)
    }

    /// The results of an event's games one after another, in the order of its schedule. `index` is the place
    /// there, from 0. They are of one moment, and only one is in memory.
    pub fn reports_in_order(&self, event: usize) -> Result<ReportsInOrder<'_>, StoreError> {
        self.check_games(GameTables::Rows)?;
        let moment = self.with_path(self.db.unchecked_transaction())?;
        let known = self.events()?.into_iter().nth(event);
        let count = "SELECT COUNT(*) FROM games WHERE event = ?1";
        let left = self.with_path(self.db.query_row(count, [event], |row| row.get(0)))?;
        Ok(ReportsInOrder {
            store: self,
            _moment: moment,
            event,
            about: self.bot_descriptions(event)?,
            numbering: self.numbering(event)?,
            left: if known.is_some() { left } else { 0 },
            known,
            next: 1,
        })
    }

    fn read_report(
        &self,
        event: usize,
        game: &str,
        key: &GameKey,
    ) -> rusqlite::Result<Option<Report>> {
        let mut games = self.db.prepare_cached(&format!("{GAME} WHERE event = ?1 AND key = ?2"))?;
        let found =
            games.query_row(params![event, key.0], |row| Ok((row.get(0)?, report(row, game)?)));
        let Some((id, mut report)): Option<(i64, Report)> = found.optional()? else {
            return Ok(None);
        };
        let mut seats =
            self.db.prepare_cached(&format!("{SEAT} WHERE g.id = ?1 ORDER BY s.seat"))?;
        let mut rows = seats.query([id])?;
        while let Some(row) = rows.next()? {
            report.players.push(player(row)?);
        }
        let mut faults = self
            .db
            .prepare_cached(&format!("{FAULT} WHERE f.game = ?1 ORDER BY f.seat, f.number"))?;
        let mut rows = faults.query([id])?;
        while let Some(row) = rows.next()? {
            let (seat, fault) = fault(row)?;
            if let Some(player) = report.players.get_mut(seat) {
                player.faults.push(fault);
            }
        }
        Ok(Some(report))
    }

    fn read_reports(
        &self,
        event: usize,
        game: &str,
        since: &mut ReadPosition,
    ) -> rusqlite::Result<Vec<(GameKey, Report)>> {
        // The number of a row that was taken back may be given again, a place never is.
        let (from, seen) = (since.row, since.place);
        let mut reports: BTreeMap<i64, (GameKey, Report)> = BTreeMap::new();
        let mut games = self.db.prepare_cached(&format!(
            "{GAME} WHERE event = ?1 AND id >= ?2 ORDER BY id LIMIT {BATCH}"
        ))?;
        let mut rows = games.query(params![event, from])?;
        while let Some(row) = rows.next()? {
            let (id, place): (i64, _) = (row.get(0)?, place_in(row, 12)?);
            if id > from || place > seen {
                reports.insert(id, (GameKey(row.get(1)?), report(row, game)?));
                since.row = since.row.max(id);
                since.place = since.place.max(place);
            }
        }
        let to = since.row;
        let between = "WHERE g.event = ?1 AND g.id BETWEEN ?2 AND ?3";
        let mut seats =
            self.db.prepare_cached(&format!("{SEAT} {between} ORDER BY s.game, s.seat"))?;
        let mut rows = seats.query(params![event, from, to])?;
        while let Some(row) = rows.next()? {
            if let Some((_, report)) = reports.get_mut(&row.get(0)?) {
                report.players.push(player(row)?);
            }
        }
        let mut faults = self.db.prepare_cached(&format!(
            "{FAULT} JOIN games g ON g.id = f.game {between} ORDER BY f.game, f.seat, f.number"
        ))?;
        let mut rows = faults.query(params![event, from, to])?;
        while let Some(row) = rows.next()? {
            let (seat, fault) = fault(row)?;
            if let Some((_, report)) = reports.get_mut(&row.get(0)?)
                && let Some(player) = report.players.get_mut(seat)
            {
                player.faults.push(fault);
            }
        }
        Ok(reports.into_values().collect())
    }
}

/// The results of an event's games in the order of its schedule.
pub struct ReportsInOrder<'s> {
    store: &'s Store,
    _moment: Transaction<'s>,
    event: usize,
    known: Option<StoredEvent>,
    about: HashMap<String, About>,
    numbering: Numbering,
    /// The next number.
    next: u64,
    /// How many games are still to come. Most of a long schedule may lie behind the last of them.
    left: u64,
}

impl Iterator for ReportsInOrder<'_> {
    type Item = Result<Report, StoreError>;

    fn next(&mut self) -> Option<Result<Report, StoreError>> {
        while self.left > 0 {
            let known = self.known.as_ref()?;
            let fixture = self.numbering.game(self.next)?;
            self.next += 1;
            let read = self.store.read_report(self.event, &known.game, &fixture.key());
            match self.store.with_path(read) {
                Err(error) => {
                    self.left = 0;
                    return Some(Err(error));
                }
                Ok(None) => {}
                Ok(Some(mut report)) => {
                    self.left -= 1;
                    report.index = self.next - 2;
                    complete(&mut report, known, &self.about);
                    return Some(Ok(report));
                }
            }
        }
        None
    }
}

/// Adds what is kept once for all games.
fn complete(report: &mut Report, event: &StoredEvent, about: &HashMap<String, About>) {
    report.run_seed = Some(event.plan.seed);
    for player in &mut report.players {
        player.about = about.get(&player.name).cloned();
    }
}

fn report(row: &Row<'_>, game: &str) -> rusqlite::Result<Report> {
    let id = match_in(row, 2)?;
    let seed: i64 = row.get(3)?;
    Ok(Report {
        v: 1,
        game: game.to_owned(),
        index: 0,
        seed: seed as u64,
        run_seed: None,
        outcome: verdict(row.get(4)?),
        reason: row.get(5)?,
        ending: ending(row.get(11)?)?,
        turns: row.get(6)?,
        players: Vec::new(),
        host_delay_ms: row.get(7)?,
        restarts: row.get(10)?,
        tier: row.get(8)?,
        worker: worker(row)?,
        digest: row.get(9)?,
        // Within the run's folder, so that a run can be moved.
        replay: Some(format!("replays/{id}.lrz")),
        id,
    })
}

/// The worker that played a game, if the row names one.
fn worker(row: &Row<'_>) -> rusqlite::Result<Option<WorkerLine>> {
    match row.get(14)? {
        Some(name) => Ok(Some(WorkerLine { name, speed: row.get(15)?, time_scale: row.get(16)? })),
        None => Ok(None),
    }
}

/// A fault and its seat.
fn fault(row: &Row<'_>) -> rusqlite::Result<(usize, FaultLine)> {
    let fault = FaultLine {
        turn: row.get(2)?,
        kind: fault_kind(3, &row.get::<_, String>(3)?)?,
        detail: row.get(4)?,
        count: row.get(5)?,
        agent: row.get(6)?,
    };
    Ok((row.get(1)?, fault))
}

/// How a game ended, from the JSON in its row.
fn ending(json: Option<String>) -> rusqlite::Result<Option<Ending>> {
    let read = json.map(|json| serde_json::from_str(&json)).transpose();
    read.map_err(|error| unreadable(11, error.into()))
}

pub(crate) fn fault_kind(column: usize, name: &str) -> rusqlite::Result<FaultKind> {
    let kind = FaultKind::of_name(name);
    kind.ok_or_else(|| unreadable(column, format!("\"{name}\" is not a kind of fault").into()))
}

fn unreadable(column: usize, why: Box<dyn std::error::Error + Send + Sync>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, why)
}

fn player(row: &Row<'_>) -> rusqlite::Result<PlayerReport> {
    Ok(PlayerReport {
        name: row.get(1)?,
        seat: row.get(2)?,
        rank: row.get(3)?,
        score: row.get(4)?,
        moves: row.get(5)?,
        wall_ms: row.get(6)?,
        cpu_ms: row.get(7)?,
        slowest_ms: row.get(8)?,
        faults: Vec::new(),
        about: None,
    })
}
