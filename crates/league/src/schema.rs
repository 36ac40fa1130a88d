//! The tables of a run's database, and how an older one becomes one of today.

use rusqlite::Connection;

/// Version of the database.
pub(crate) const VERSION: i64 = 4;

const SCHEMA: &str = "
CREATE TABLE run (name TEXT NOT NULL, file TEXT NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, game TEXT NOT NULL, terms TEXT NOT NULL,
    plan TEXT NOT NULL);
CREATE TABLE bots (
    event INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
    shown TEXT NOT NULL, identity TEXT NOT NULL, joined INTEGER NOT NULL, added TEXT,
    PRIMARY KEY (event, id), UNIQUE (event, name)) WITHOUT ROWID;
CREATE TABLE games (
    id INTEGER PRIMARY KEY, event INTEGER NOT NULL, key TEXT NOT NULL, attempt INTEGER NOT NULL,
    match TEXT NOT NULL, seed INTEGER NOT NULL, outcome INTEGER NOT NULL, reason TEXT NOT NULL,
    turns INTEGER NOT NULL, delay_ms REAL NOT NULL, tier TEXT NOT NULL, digest TEXT NOT NULL,
    ranks TEXT NOT NULL, restarts INTEGER NOT NULL, UNIQUE (event, key));
CREATE TABLE seats (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, bot INTEGER NOT NULL, rank INTEGER NOT NULL,
    score REAL NOT NULL, moves INTEGER NOT NULL, wall_ms REAL NOT NULL, cpu_ms REAL NOT NULL,
    slowest_ms REAL NOT NULL, PRIMARY KEY (game, seat)) WITHOUT ROWID;
CREATE TABLE faults (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, number INTEGER NOT NULL, turn INTEGER NOT NULL,
    kind TEXT NOT NULL, detail TEXT NOT NULL, PRIMARY KEY (game, seat, number)) WITHOUT ROWID;
CREATE TABLE paces (
    event INTEGER NOT NULL, bot INTEGER NOT NULL, bucket INTEGER NOT NULL, answers INTEGER NOT NULL,
    PRIMARY KEY (event, bot, bucket)) WITHOUT ROWID;
CREATE TABLE voids (
    event INTEGER NOT NULL, key TEXT NOT NULL, attempt INTEGER NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (event, key, attempt)) WITHOUT ROWID;
";

/// What version 2 adds to version 1.
const ARRIVALS: &str = "
CREATE TABLE arrivals (
    id INTEGER PRIMARY KEY, event TEXT NOT NULL, text TEXT NOT NULL, base TEXT NOT NULL);
";

/// What version 3 adds to version 2.
const COUNTS: &str = "
ALTER TABLE faults ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
";

/// What version 4 adds to version 3: how a game ended, in JSON. Older rows do not say.
const ENDINGS: &str = "
ALTER TABLE games ADD COLUMN ending TEXT;
";

/// Makes what is missing. Every commit is on the disk when it returns: a power failure loses
/// nothing that counted.
pub(crate) fn prepare(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;")?;
    let missing = match version(db)? {
        0 => format!("{SCHEMA} {ARRIVALS} {COUNTS} {ENDINGS}"),
        1 => format!("{ARRIVALS} {COUNTS} {ENDINGS}"),
        2 => format!("{COUNTS} {ENDINGS}"),
        3 => ENDINGS.to_owned(),
        _ => return Ok(()),
    };
    db.execute_batch(&format!(
        "BEGIN IMMEDIATE; {missing} PRAGMA user_version = {VERSION}; COMMIT;"
    ))
}

/// The version of a database; 0 if nothing has been made yet.
pub(crate) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}
