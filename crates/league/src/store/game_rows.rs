//! Finished games as rows of the database, and where their replays are.

use std::collections::HashMap;
use std::time::Duration;

use game::{PlayerId, Verdict};
use rusqlite::{Connection, Row, params};
use table::{FaultLine, PlayerReport, Report};

use crate::schedule::BotId;
use crate::store::Played;
use crate::store::answer_times::bucket;
use crate::store::bot_descriptions;
use crate::store::pack::PackPosition;
use crate::store::sums::{AddedGame, SeenGames, Sums, TimeSum};

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

/// What the games of a transaction add up to: written once for all of them.
#[derive(Default)]
pub(crate) struct AddedUp {
    sums: Sums,
    /// Answers by event, bot and bucket.
    answers: HashMap<(usize, BotId, u32), u64>,
}

impl AddedUp {
    /// Writes it, at the end of the transaction.
    pub(crate) fn write(self, db: &Connection) -> rusqlite::Result<()> {
        self.sums.write(db)?;
        let mut add = db.prepare_cached(
            "INSERT INTO paces VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET answers = answers + excluded.answers",
        )?;
        for ((event, bot, bucket), count) in self.answers {
            add.execute(params![event, bot.0, bucket, count as i64])?;
        }
        Ok(())
    }
}

/// Adds a game. One that is there already stays as it is: nothing is counted twice.
pub(crate) fn insert(
    db: &Connection,
    game: &NewGame<'_>,
    seen: &mut SeenGames,
    added_up: &mut AddedUp,
) -> rusqlite::Result<()> {
    let report = game.report;
    let ranks: Vec<String> = report.players.iter().map(|player| player.rank.to_string()).collect();
    let new = db
        .prepare_cached(
            "INSERT INTO games
             (event, key, attempt, match, seed, outcome, reason, turns, delay_ms, tier, digest, ranks,
              restarts, ending, kept, pack, place, worker, speed, time_scale)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
              ?19, ?20)
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
            report.worker.as_ref().map(|worker| &worker.name),
            report.worker.as_ref().map(|worker| worker.speed),
            report.worker.as_ref().map(|worker| worker.time_scale),
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
    for ((bot, bucket), count) in by_bucket(game.seating, &game.answers) {
        *added_up.answers.entry((game.event, bot, bucket)).or_default() += count;
    }
    added_up.sums.add_to(db, &added(game), seen)
}

/// What a game adds to the sums.
fn added(game: &NewGame<'_>) -> AddedGame {
    let report = game.report;
    let time = |player: &PlayerReport| TimeSum {
        moves: u64::from(player.moves),
        wall_ms: player.wall_ms,
        cpu_ms: player.cpu_ms,
        slowest_ms: player.slowest_ms,
    };
    let faults = report.players.iter().enumerate().flat_map(|(seat, player)| {
        let faults = player.faults.iter();
        faults.map(move |fault| (seat, fault.kind.name().to_owned(), fault.count))
    });
    AddedGame {
        event: game.event,
        tier: report.tier.clone(),
        worker: report.worker.as_ref().map(|worker| (worker.name.clone(), worker.speed)),
        kept: Some(game.kept),
        turns: report.turns,
        digest: report.digest.clone(),
        seating: game.seating.iter().map(|bot| bot.0).collect(),
        ranks: report.players.iter().map(|player| player.rank).collect(),
        times: report.players.iter().map(time).collect(),
        faults: faults.collect(),
    }
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

/// Whether a text names a match: it is a part of a file's name.
pub(crate) fn is_match(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The name of a match in a column.
pub(crate) fn match_in(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    let text: String = row.get(column)?;
    match is_match(&text) {
        true => Ok(text),
        false => Err(rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            "it is not the name of a match".into(),
        )),
    }
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
pub(crate) fn place_in(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<PackPosition>> {
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
