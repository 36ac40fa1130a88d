//! The audit of a run's database: what is in a table is checked before it is used. Whoever reads it
//! afterwards may rely on what is checked here.

use rusqlite::Connection;

use crate::schedule::{Format, Plan};
use crate::store::event_rows::StoredEvent;
use crate::store::schema;

/// No text of ours is longer, the set-up and the tournament file aside.
const LONGEST: u64 = 1 << 20;
/// Nor are these.
const LONGEST_FILE: u64 = 256 << 20;
/// More events or set-ups than this are no tournament.
const MOST_EVENTS: i64 = 10_000;
/// No count of ours is larger; many of them can still be added up.
const MOST: u64 = 1_000_000_000_000_000;
/// The end of the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;
/// Times of answers are counted in fewer classes.
const MOST_BUCKETS: u64 = 800;
/// How a game was protected.
const TIER: &str = "tier IN ('A', 'B', 'C', 'D', 'E')";

/// Says what is wrong with a database, its games aside, if anything is. `events` are those that it
/// holds, and were read from it.
pub(crate) fn audit_terms(
    db: &Connection,
    version: i64,
    events: &[StoredEvent],
) -> rusqlite::Result<Option<String>> {
    let count = events.len();
    let mut checks = vec![
        TableCheck::new(
            "run",
            format!(
                "SELECT COUNT(*) FROM run HAVING COUNT(*) > 1 OR ({count} > 0 AND COUNT(*) = 0)"
            ),
        ),
        TableCheck::rows("run", &[text("name"), long_text("file")]),
        TableCheck::rows(
            "voids",
            &[
                within("event", 0, u32::MAX.into()),
                within("attempt", 0, (u32::MAX - 1).into()),
                text("key"),
                text("reason"),
            ],
        ),
        TableCheck::new(
            "paces",
            format!("SELECT 1 FROM paces WHERE event NOT BETWEEN 0 AND {count} - 1 LIMIT 1"),
        ),
    ];
    if version >= schema::HAS_ARRIVALS {
        checks.push(TableCheck::rows("arrivals", &[text("event"), text("text"), text("base")]));
    }
    if version >= schema::HAS_JOURNAL {
        let made = within("made", 0, LAST_SECOND);
        checks.push(TableCheck::rows("journal", &[made, text("what"), text("reason")]));
        checks.push(TableCheck::new(
            "journal",
            "SELECT COUNT(*) FROM journal HAVING COUNT(*) > 0
             AND (MIN(number) <> 1 OR MAX(number) <> COUNT(*))"
                .to_owned(),
        ));
    }
    if version >= schema::HAS_SUMS {
        checks.extend(sums(count));
    }
    if version >= schema::HAS_WORKERS {
        checks.extend(worker_sums(count));
    }
    checks.extend(events.iter().enumerate().map(|(id, event)| paces(id, event)));
    if let Some(odd) = first_failure(db, &checks)? {
        return Ok(Some(odd));
    }
    let games = match version >= schema::HAS_SUMS {
        true => "SELECT coalesce(SUM(games), 0) FROM result_sums",
        false => "SELECT COUNT(*) FROM games",
    };
    let games: u64 = db.query_row(games, [], |row| row.get(0))?;
    let odd = |event: &StoredEvent| {
        let why = odd_plan(event, games)?;
        Some(format!("the event \"{}\": {why}", shown(&event.name)))
    };
    Ok(events.iter().find_map(odd))
}

/// The same for its games.
pub(crate) fn audit_games(
    db: &Connection,
    version: i64,
    events: &[StoredEvent],
) -> rusqlite::Result<Option<String>> {
    let count = events.len();
    let mut checks = vec![
        TableCheck::rows(
            "games",
            &[
                within("event", 0, (count as u64).saturating_sub(1)),
                format!("{count} > 0"),
                format!("{} AND key NOT GLOB '*[^0-9.:-]*'", text("key")),
                // It is a part of a file's name.
                format!("{} AND length(match) BETWEEN 1 AND 64", hexadecimal("match")),
                hexadecimal("digest"),
                within("attempt", 0, u32::MAX.into()),
                "typeof(seed) = 'integer'".to_owned(),
                within("outcome", 0, 2),
                within("turns", 0, u32::MAX.into()),
                within("restarts", 0, u32::MAX.into()),
                number("delay_ms"),
                TIER.to_owned(),
                text("reason"),
                format!("{} AND ranks NOT GLOB '*[^0-9 ]*'", text("ranks")),
            ],
        ),
        TableCheck::rows(
            "faults",
            &[
                within("seat", 0, u16::MAX.into()),
                "typeof(number) = 'integer'".to_owned(),
                within("turn", 0, u32::MAX.into()),
                text("detail"),
                fault_kind(),
            ],
        ),
        TableCheck::new(
            "seats",
            "SELECT 1 FROM seats WHERE game NOT IN (SELECT id FROM games) LIMIT 1".to_owned(),
        ),
        TableCheck::new(
            "faults",
            "SELECT 1 FROM faults WHERE game NOT IN (SELECT id FROM games) LIMIT 1".to_owned(),
        ),
    ];
    if version >= schema::HAS_COUNTS {
        checks.push(TableCheck::rows("faults", &[within("count", 0, u32::MAX.into())]));
    }
    if version >= schema::HAS_ENDINGS {
        let ending = format!("ending IS NULL OR {}", text("ending"));
        checks.push(TableCheck::rows("games", &[ending]));
    }
    if version >= schema::HAS_DATES {
        checks.push(TableCheck::rows("games", &[date("kept")]));
    }
    if version >= schema::HAS_PACKS {
        let place =
            format!("{} AND {}", within("pack", 1, u32::MAX.into()), within("place", 0, MOST));
        checks.push(TableCheck::rows(
            "games",
            &[format!("(pack IS NULL AND place IS NULL) OR ({place})")],
        ));
    }
    if version >= schema::HAS_WORKERS {
        let played = format!("{} AND {} AND {}", worker(), number("speed"), number("time_scale"));
        let local = "worker IS NULL AND speed IS NULL AND time_scale IS NULL";
        checks.push(TableCheck::rows("games", &[format!("({local}) OR ({played})")]));
    }
    for (id, event) in events.iter().enumerate() {
        checks.extend(seats(id, event));
    }
    first_failure(db, &checks)
}

/// What is wrong by the first of these checks that finds something.
fn first_failure(db: &Connection, checks: &[TableCheck]) -> rusqlite::Result<Option<String>> {
    for check in checks {
        if check.fails(db)? {
            return Ok(Some(format!("the table \"{}\" holds an impossible value", check.table)));
        }
    }
    Ok(None)
}

/// The sums of games of so many events. Whoever reads them checks who sat where.
fn sums(events: usize) -> [TableCheck; 3] {
    let event =
        format!("{events} > 0 AND {}", within("event", 0, (events as u64).saturating_sub(1)));
    let seating = format!("{} AND seating NOT GLOB '*[^0-9 ]*'", text("seating"));
    let seat = within("seat", 0, u16::MAX.into());
    [
        TableCheck::rows(
            "result_sums",
            &[
                event.clone(),
                seating.clone(),
                format!("{} AND ranks NOT GLOB '*[^0-9 ]*'", text("ranks")),
                TIER.to_owned(),
                within("games", 1, MOST),
                format!("{} AND different <= games", within("different", 0, MOST)),
                date("first"),
                date("last"),
            ],
        ),
        TableCheck::rows(
            "time_sums",
            &[
                event.clone(),
                seating.clone(),
                seat.clone(),
                within("moves", 0, MOST),
                number("wall_ms"),
                number("cpu_ms"),
                number("slowest_ms"),
            ],
        ),
        TableCheck::rows(
            "fault_sums",
            &[event, seating, seat, fault_kind(), within("count", 0, MOST)],
        ),
    ]
}

/// The sums of the games of each worker.
fn worker_sums(events: usize) -> [TableCheck; 2] {
    let event =
        format!("{events} > 0 AND {}", within("event", 0, (events as u64).saturating_sub(1)));
    let seating = format!("{} AND seating NOT GLOB '*[^0-9 ]*'", text("seating"));
    [
        TableCheck::rows(
            "worker_sums",
            &[
                event.clone(),
                seating.clone(),
                worker(),
                TIER.to_owned(),
                format!("{} AND ranks NOT GLOB '*[^0-9 ]*'", text("ranks")),
                within("games", 1, MOST),
                number("speeds"),
            ],
        ),
        TableCheck::rows(
            "worker_time_sums",
            &[
                event,
                seating,
                worker(),
                within("seat", 0, u16::MAX.into()),
                within("games", 1, MOST),
                number("logs"),
                number("squares"),
            ],
        ),
    ]
}

/// The name of a worker, as it may be a part of a subject.
fn worker() -> String {
    let name = text("worker");
    format!("{name} AND length(worker) BETWEEN 1 AND 64 AND worker NOT GLOB '*[^0-9A-Za-z_-]*'")
}

/// The seats of an event's games: they depend on how many bots and seats it has.
fn seats(id: usize, event: &StoredEvent) -> [TableCheck; 2] {
    let (seats, bots) = (event.plan.seats as u64, event.bots.len() as u64);
    let seat = [
        within("seat", 0, seats - 1),
        within("bot", 0, bots - 1),
        within("rank", 0, u16::MAX.into()),
        within("moves", 0, u32::MAX.into()),
        "typeof(score) = 'real' AND abs(score) <= 1e15".to_owned(),
        number("wall_ms"),
        number("cpu_ms"),
        number("slowest_ms"),
    ];
    [
        TableCheck::new(
            "seats",
            format!(
                "SELECT 1 FROM games JOIN seats ON game = id WHERE event = {id} AND NOT ({}) LIMIT 1",
                all(&seat)
            ),
        ),
        // Every seat is taken, and nobody has two of them.
        TableCheck::new(
            "seats",
            format!(
                "SELECT 1 FROM games LEFT JOIN seats ON game = id WHERE event = {id} GROUP BY id
                 HAVING COUNT(seat) <> {seats} OR COUNT(DISTINCT bot) <> {seats} LIMIT 1"
            ),
        ),
    ]
}

/// The times of answers in an event.
fn paces(id: usize, event: &StoredEvent) -> TableCheck {
    let bots = event.bots.len() as u64;
    let pace = [
        within("bot", 0, bots.saturating_sub(1)),
        within("bucket", 0, MOST_BUCKETS),
        within("answers", 0, MOST),
    ];
    let sql = format!("SELECT 1 FROM paces WHERE event = {id} AND NOT ({}) LIMIT 1", all(&pace));
    TableCheck::new("paces", sql)
}

/// A query that finds nothing in a database that is as it should be.
struct TableCheck {
    table: &'static str,
    sql: String,
}

impl TableCheck {
    fn new(table: &'static str, sql: String) -> TableCheck {
        TableCheck { table, sql }
    }

    /// Every row of the table fulfils all of these.
    fn rows(table: &'static str, conditions: &[String]) -> TableCheck {
        let sql = format!("SELECT 1 FROM {table} WHERE NOT ({}) LIMIT 1", all(conditions));
        TableCheck { table, sql }
    }

    fn fails(&self, db: &Connection) -> rusqlite::Result<bool> {
        db.prepare(&self.sql)?.exists([])
    }
}

fn all(conditions: &[String]) -> String {
    // What is neither true nor false is not true.
    let each = conditions.iter().map(|condition| format!("coalesce({condition}, 0)"));
    each.collect::<Vec<String>>().join(" AND ")
}

fn within(column: &str, least: u64, most: u64) -> String {
    format!("typeof({column}) = 'integer' AND {column} BETWEEN {least} AND {most}")
}

fn number(column: &str) -> String {
    format!("typeof({column}) = 'real' AND {column} BETWEEN 0 AND 1e15")
}

fn date(column: &str) -> String {
    format!("{column} IS NULL OR {}", within(column, 0, LAST_SECOND))
}

fn text(column: &str) -> String {
    format!("typeof({column}) = 'text' AND octet_length({column}) <= {LONGEST}")
}

fn long_text(column: &str) -> String {
    format!("typeof({column}) = 'text' AND octet_length({column}) <= {LONGEST_FILE}")
}

fn hexadecimal(column: &str) -> String {
    format!("{} AND {column} NOT GLOB '*[^0-9a-f]*'", text(column))
}

fn fault_kind() -> String {
    let kinds = game::FaultKind::ALL.iter().map(|kind| format!("'{}'", kind.name()));
    format!("kind IN ({})", kinds.collect::<Vec<String>>().join(", "))
}

/// What is wrong with the plan of an event that has been read, if anything is.
fn odd_plan(event: &StoredEvent, games: u64) -> Option<String> {
    let plan: Plan = event.plan();
    if plan.weights.len() > plan.variants
        || plan.weights.iter().any(|weight| !(1..=1000).contains(weight))
        || plan.variants == 0
        || plan.variants as i64 > MOST_EVENTS
        || plan.seats > 1000
    {
        return Some("its plan is impossible".to_owned());
    }
    if let Err(error) = plan.check() {
        return Some(error.to_string());
    }
    if plan.amendments.replayed.iter().any(|game| game.ranks.len() != plan.seats) {
        return Some("a game that was played again had other seats".to_owned());
    }
    let joined = plan.joined.iter().filter(|joined| **joined == 0).count();
    // A generation has a bot at least, and a stage that has begun has a game.
    let latest = match plan.format {
        Format::RoundRobin { .. } | Format::Gauntlet { .. } => plan.joined.len() as u64,
        Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => games,
    };
    if joined < plan.seats || plan.joined.iter().any(|joined| u64::from(*joined) > latest) {
        return Some("its bots cannot have joined when they did".to_owned());
    }
    None
}

/// Checks what [`audit_terms`] relies on: that events and bots are numbered as they come.
pub(crate) fn odd_numbers(db: &Connection) -> rusqlite::Result<Option<&'static str>> {
    let checks = [
        TableCheck::new(
            "events",
            format!(
                "SELECT COUNT(*) FROM events HAVING COUNT(*) > 0
                 AND (MIN(id) <> 0 OR MAX(id) <> COUNT(*) - 1 OR COUNT(*) > {MOST_EVENTS})"
            ),
        ),
        TableCheck::rows("events", &[text("name"), text("game"), long_text("terms"), text("plan")]),
        TableCheck::rows(
            "bots",
            &[
                "event IN (SELECT id FROM events)".to_owned(),
                within("id", 0, u32::MAX.into()),
                within("joined", 0, (u32::MAX - 1).into()),
                text("name"),
                text("text"),
                text("shown"),
                long_text("identity"),
                format!("added IS NULL OR {}", text("added")),
            ],
        ),
        TableCheck::new(
            "bots",
            "SELECT 1 FROM bots GROUP BY event HAVING MIN(id) <> 0 OR MAX(id) <> COUNT(*) - 1"
                .to_owned(),
        ),
    ];
    for check in checks {
        if check.fails(db)? {
            return Ok(Some(check.table));
        }
    }
    Ok(None)
}

fn shown(text: &str) -> String {
    game::printable(text.as_bytes(), 60)
}
