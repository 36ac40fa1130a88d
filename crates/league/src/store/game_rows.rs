//! Finished games as rows of the database, and back.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use game::{Ending, FaultKind, PlayerId, Verdict};
use rusqlite::{Connection, Row, params};
use table::{FaultLine, PlayerReport, Report};

use crate::schedule::{BotId, GameKey};
use crate::store::answer_times::bucket;
use crate::store::bot_descriptions;
use crate::store::pack::PackPosition;
use crate::store::{Played, Store, StoreError};

/// Whether a game has been kept already.
pub(crate) fn is_there(db: &Connection, game: &Played) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM games WHERE event = ?1 AND key = ?2")?
        .exists(params![game.event, game.key.0])
}

/// A game that is to have its rows.
pub(crate) struct NewGame<'a> {
    pub(crate) event: usize,
    pub(crate) key: &'a str,
    pub(crate) attempt: u32,
    /// The bots by seat.
    pub(crate) seating: &'a [BotId],
    pub(crate) report: &'a Report,
    /// The times of its answers.
    pub(crate) answers: Vec<(PlayerId, Duration)>,
    /// When it was kept, in seconds since 1970.
    pub(crate) kept: u64,
    /// Where its replay is.
    pub(crate) place: PackPosition,
}

/// Adds a game. One that is there already stays as it is: nothing is counted twice.
pub(crate) fn insert(db: &Connection, game: &NewGame<'_>) -> rusqlite::Result<()> {
    let report = game.report;
    let ranks: Vec<String> = report.players.iter().map(|player| player.rank.to_string()).collect();
    let new = db
        .prepare_cached(
            "INSERT INTO games
             (event, key, attempt, match, seed, outcome, reason, turns, delay_ms, tier, digest, ranks,
              restarts, ending, kept, pack, place)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
             ON CONFLICT (event, key) DO NOTHING",
        )?
        .execute(params![
            game.event,
            game.key,
            game.attempt,
            report.id,
            report.seed as i64,
            verdict_number(report.outcome),
            report.reason,
            report.turns,
            report.host_delay_ms,
            report.tier,
            report.digest,
            ranks.join(" "),
            report.restarts,
            report.ending.as_ref().and_then(|ending| serde_json::to_string(ending).ok()),
            game.kept as i64,
            game.place.pack,
            game.place.at as i64,
        ])?;
    if new == 0 {
        return Ok(());
    }
    let id = db.last_insert_rowid();
    for (player, bot) in report.players.iter().zip(game.seating) {
        insert_seat(db, id, player, *bot)?;
        if let Some(about) = &player.about {
            bot_descriptions::keep(db, game.event, *bot, about)?;
        }
    }
    let answers = by_bucket(game.seating, &game.answers);
    let mut add = db.prepare_cached(
        "INSERT INTO paces VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET answers = answers + excluded.answers",
    )?;
    for ((bot, bucket), count) in answers {
        add.execute(params![game.event, bot.0, bucket, count as i64])?;
    }
    Ok(())
}

/// How many answers of each bot fall into each bucket.
pub(crate) fn by_bucket(
    seating: &[BotId],
    answers: &[(PlayerId, Duration)],
) -> HashMap<(BotId, u32), u64> {
    let mut counts = HashMap::new();
    for (player, time) in answers {
        if let Some(bot) = seating.get(player.index()) {
            *counts.entry((*bot, bucket(*time))).or_default() += 1;
        }
    }
    counts
}

fn insert_seat(
    db: &Connection,
    id: i64,
    player: &PlayerReport,
    bot: BotId,
) -> rusqlite::Result<()> {
    let PlayerReport { seat, rank, score, moves, wall_ms, cpu_ms, slowest_ms, .. } = player;
    db.prepare_cached("INSERT INTO seats VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?
        .execute(params![id, seat, bot.0, rank, score, moves, wall_ms, cpu_ms, slowest_ms])?;
    for (number, fault) in player.faults.iter().enumerate() {
        let FaultLine { turn, kind, agent, detail, count } = fault;
        db.prepare_cached("INSERT INTO faults VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
            .execute(params![id, seat, number, turn, kind.name(), detail, count, agent])?;
    }
    Ok(())
}

fn verdict_number(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Win => 0,
        Verdict::Draw => 1,
        Verdict::Void => 2,
    }
}

pub(crate) fn verdict(number: u8) -> Verdict {
    match number {
        0 => Verdict::Win,
        1 => Verdict::Draw,
        _ => Verdict::Void,
    }
}

/// Which games of an event somebody has seen; at first none.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadPosition {
    row: i64,
    place: Option<PackPosition>,
}

impl Store {
    /// The results of an event's games, by their keys. Places in the schedule are left at zero.
    pub fn reports(&self, event: usize) -> Result<HashMap<GameKey, Report>, StoreError> {
        Ok(self.reports_since(event, &mut ReadPosition::default())?.into_iter().collect())
    }

    /// The results of games that were kept since then, in that order; `since` goes on to now.
    pub fn reports_since(
        &self,
        event: usize,
        since: &mut ReadPosition,
    ) -> Result<Vec<(GameKey, Report)>, StoreError> {
        let Some(of) = self.events()?.into_iter().nth(event) else { return Ok(Vec::new()) };
        let mut reports = self.with_path(self.read_reports(event, &of.game, since))?;
        let bot_descriptions = self.bot_descriptions(event)?;
        for (_, report) in &mut reports {
            report.run_seed = Some(of.plan.seed);
            for player in &mut report.players {
                player.about = bot_descriptions.get(&player.name).cloned();
            }
        }
        Ok(reports)
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
        let mut games = self.db.prepare(
            "SELECT id, key, match, seed, outcome, reason, turns, delay_ms, tier, digest, restarts,
                    ending, pack, place
             FROM games WHERE event = ?1 AND id >= ?2",
        )?;
        let mut rows = games.query(params![event, from])?;
        while let Some(row) = rows.next()? {
            let (id, place): (i64, _) = (row.get(0)?, place_in(row, 12)?);
            if id > from || place > seen {
                reports.insert(id, (GameKey(row.get(1)?), report(row, game)?));
                since.row = since.row.max(id);
                since.place = since.place.max(place);
            }
        }
        let mut seats = self.db.prepare(
            "SELECT s.game, b.name, s.seat, s.rank, s.score, s.moves, s.wall_ms, s.cpu_ms,
                    s.slowest_ms
             FROM seats s JOIN games g ON g.id = s.game
             JOIN bots b ON b.event = g.event AND b.id = s.bot
             WHERE g.event = ?1 AND g.id >= ?2 ORDER BY s.game, s.seat",
        )?;
        let mut rows = seats.query(params![event, from])?;
        while let Some(row) = rows.next()? {
            if let Some((_, report)) = reports.get_mut(&row.get(0)?) {
                report.players.push(player(row)?);
            }
        }
        let mut faults = self.db.prepare(
            "SELECT f.game, f.seat, f.turn, f.kind, f.detail, f.count, f.agent FROM faults f
             JOIN games g ON g.id = f.game WHERE g.event = ?1 AND g.id >= ?2
             ORDER BY f.game, f.seat, f.number",
        )?;
        let mut rows = faults.query(params![event, from])?;
        while let Some(row) = rows.next()? {
            let seat: usize = row.get(1)?;
            let fault = FaultLine {
                turn: row.get(2)?,
                kind: fault_kind(3, &row.get::<_, String>(3)?)?,
                detail: row.get(4)?,
                count: row.get(5)?,
                agent: row.get(6)?,
            };
            if let Some((_, report)) = reports.get_mut(&row.get(0)?)
                && let Some(player) = report.players.get_mut(seat)
            {
                player.faults.push(fault);
            }
        }
        Ok(reports.into_values().collect())
    }
}

fn report(row: &Row<'_>, game: &str) -> rusqlite::Result<Report> {
    let id: String = row.get(2)?;
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
        digest: row.get(9)?,
        // Within the run's folder, so that a run can be moved.
        replay: Some(format!("replays/{id}.lrz")),
        id,
    })
}

/// Where the replay of a match is: in a pack, or in a file of its own.
pub(crate) fn place(db: &Connection, id: &str) -> rusqlite::Result<Option<PackPosition>> {
    let sql = "SELECT pack, place FROM games WHERE match = ?1";
    match db.query_row(sql, [id], |row| place_in(row, 0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
        found => found,
    }
}

/// The places of all replays that are in packs, by match.
pub(crate) fn places(db: &Connection) -> rusqlite::Result<HashMap<String, PackPosition>> {
    let mut games = db.prepare("SELECT match, pack, place FROM games WHERE pack IS NOT NULL")?;
    let mut rows = games.query([])?;
    let mut places = HashMap::new();
    while let Some(row) = rows.next()? {
        if let Some(place) = place_in(row, 1)? {
            places.insert(row.get(0)?, place);
        }
    }
    Ok(places)
}

/// A place in two columns from this one on.
fn place_in(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<PackPosition>> {
    match row.get(column)? {
        Some(pack) => Ok(Some(PackPosition { pack, at: row.get(column + 1)? })),
        None => Ok(None),
    }
}

/// The last game of the last pack, if there is one.
pub(crate) fn last_place(db: &Connection) -> rusqlite::Result<Option<PackPosition>> {
    let last = "SELECT pack, MAX(place) FROM games WHERE pack = (SELECT MAX(pack) FROM games)";
    db.query_row(last, [], |row| place_in(row, 0))
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
