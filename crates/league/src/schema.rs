//! The tables of a run's database, and how an older one becomes one of today.

use rusqlite::Connection;

/// Version of the database.
pub(crate) const VERSION: i64 = 5;

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

/// What version 5 adds to version 4: when a game was kept, in seconds since 1970. Older rows do not say.
const DATES: &str = "
ALTER TABLE games ADD COLUMN kept INTEGER;
";

/// Makes what is missing. Every commit is on the disk when it returns: a power failure loses
/// nothing that counted.
pub(crate) fn prepare(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;")?;
    let missing = match version(db)? {
        0 => format!("{SCHEMA} {ARRIVALS} {COUNTS} {ENDINGS} {DATES}"),
        1 => format!("{ARRIVALS} {COUNTS} {ENDINGS} {DATES}"),
        2 => format!("{COUNTS} {ENDINGS} {DATES}"),
        3 => format!("{ENDINGS} {DATES}"),
        4 => DATES.to_owned(),
        _ => return Ok(()),
    };
    db.execute_batch(&format!(
        "BEGIN IMMEDIATE; {missing} PRAGMA user_version = {VERSION}; COMMIT;"
    ))
}

/// Lets somebody who only looks at an older database see one of today: what is missing is there as
/// long as it is looked at, and nothing is written.
pub(crate) fn fill_in(db: &Connection) -> rusqlite::Result<()> {
    let found = version(db)?;
    let mut missing = String::new();
    if found < 2 {
        missing.push_str(&ARRIVALS.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    }
    if found < 3 {
        missing.push_str("CREATE TEMP VIEW faults AS SELECT *, 1 AS count FROM main.faults;");
    }
    if found < 5 {
        let ending = if found < 4 { "NULL AS ending, " } else { "" };
        missing.push_str(&format!(
            "CREATE TEMP VIEW games AS SELECT *, {ending}NULL AS kept FROM main.games;"
        ));
    }
    match missing.is_empty() {
        true => Ok(()),
        false => db.execute_batch(&format!("PRAGMA temp_store = MEMORY; {missing}")),
    }
}

/// The version of a database; 0 if nothing has been made yet.
pub(crate) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_of_every_version_can_be_looked_at_and_brought_up_to_date() {
        let older = [
            SCHEMA.to_owned(),
            format!("{SCHEMA} {ARRIVALS}"),
            format!("{SCHEMA} {ARRIVALS} {COUNTS}"),
            format!("{SCHEMA} {ARRIVALS} {COUNTS} {ENDINGS}"),
            format!("{SCHEMA} {ARRIVALS} {COUNTS} {ENDINGS} {DATES}"),
        ];
        assert_eq!(older.len() as i64, VERSION);
        for (version, schema) in (1..).zip(older) {
            let database = || {
                let db = Connection::open_in_memory().expect("memory");
                db.execute_batch(&format!("{schema} PRAGMA user_version = {version};"))
                    .expect("a schema");
                let game =
                    "INSERT INTO games (event, key, attempt, match, seed, outcome, reason, turns,
                            delay_ms, tier, digest, ranks, restarts)
                            VALUES (0, 'k', 0, 'm', 1, 0, 'r', 2, 0.0, 'E', 'd', '1 2', 0)";
                db.execute(game, []).expect("a game");
                db
            };
            let reads = |db: &Connection| {
                for sql in [
                    "SELECT id, ending, kept FROM games",
                    "SELECT count(*), count(f.count), 0 FROM faults f",
                    "SELECT count(*), count(text), 0 FROM arrivals",
                ] {
                    db.query_row(sql, [], |_| Ok(()))
                        .unwrap_or_else(|e| panic!("{version}: {sql}: {e}"));
                }
            };
            let looked = database();
            fill_in(&looked).expect("it can be looked at");
            reads(&looked);
            let (opened, after) = (database(), VERSION);
            prepare(&opened).expect("it can be brought up to date");
            reads(&opened);
            assert_eq!(super::version(&opened).expect("it has one"), after);
        }
    }
}
