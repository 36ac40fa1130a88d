//! The tables of a run's database, and how an older one becomes one of today.
//!
//! A database may come from anybody. It is looked at only if its tables are exactly those that this
//! program makes: what else there could be (views, triggers, computed columns) runs code of whoever
//! made it.

use std::collections::BTreeSet;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::store::sums::Sums;

/// Version of the database: how many of the steps it has behind it.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// What each version adds to the one before.
const STEPS: [&[&str]; 10] = [
    &[TABLES],
    &[ARRIVALS],
    &[COUNTS],
    &[ENDINGS],
    &[DATES],
    &[AGENTS],
    &[ABOUTS],
    &[PACKS, JOURNAL],
    &[SUMS],
    &[WORKERS, WORKER_SUMS],
];

const TABLES: &str = "
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

/// Since when there are bots that have not joined yet.
pub(crate) const HAS_ARRIVALS: i64 = 2;
/// Since when a fault may stand for several.
pub(crate) const HAS_COUNTS: i64 = 3;
/// Since when games say how they ended.
pub(crate) const HAS_ENDINGS: i64 = 4;
/// Since when they say when they were kept.
pub(crate) const HAS_DATES: i64 = 5;
/// Since when a fault may name an agent.
pub(crate) const HAS_AGENTS: i64 = 6;
/// Since when bots' descriptions of themselves are kept.
pub(crate) const HAS_ABOUTS: i64 = 7;
/// Since when replays are kept in packs.
pub(crate) const HAS_PACKS: i64 = 8;
/// Since when there is a journal.
pub(crate) const HAS_JOURNAL: i64 = 8;
/// Since when games are added up beside their rows.
pub(crate) const HAS_SUMS: i64 = 9;
/// Since when games say which worker played them.
pub(crate) const HAS_WORKERS: i64 = 10;

const ARRIVALS: &str = "
CREATE TABLE arrivals (
    id INTEGER PRIMARY KEY, event TEXT NOT NULL, text TEXT NOT NULL, base TEXT NOT NULL);
";

const COUNTS: &str = "
ALTER TABLE faults ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
";

/// How a game ended, in JSON. Older rows do not say.
const ENDINGS: &str = "
ALTER TABLE games ADD COLUMN ending TEXT;
";

/// When a game was kept, in seconds since 1970. Older rows do not say.
const DATES: &str = "
ALTER TABLE games ADD COLUMN kept INTEGER;
";

/// Whose fault it was, where a player has several agents.
const AGENTS: &str = "
ALTER TABLE faults ADD COLUMN agent TEXT;
";

/// How bots describe themselves, as JSON.
const ABOUTS: &str = "
CREATE TABLE abouts (
    event INTEGER NOT NULL, bot INTEGER NOT NULL, about TEXT NOT NULL,
    PRIMARY KEY (event, bot)) WITHOUT ROWID;
";

/// Where a game's replay is: in which pack, at which byte. Older games have a file each.
const PACKS: &str = "
ALTER TABLE games ADD COLUMN pack INTEGER;
ALTER TABLE games ADD COLUMN place INTEGER;
";

/// What was decided while the run went on: when (in seconds since 1970), what (as JSON) and why.
const JOURNAL: &str = "
CREATE TABLE journal (
    number INTEGER PRIMARY KEY, made INTEGER NOT NULL, what TEXT NOT NULL, reason TEXT NOT NULL);
";

/// What the games of an event add up to, by who sat where: bots and places by seat, with spaces.
pub(crate) const SUMS: &str = "
CREATE TABLE result_sums (
    event INTEGER NOT NULL, seating TEXT NOT NULL, ranks TEXT NOT NULL, tier TEXT NOT NULL,
    games INTEGER NOT NULL, different INTEGER NOT NULL, first INTEGER, last INTEGER,
    PRIMARY KEY (event, seating, ranks, tier)) WITHOUT ROWID;
CREATE TABLE time_sums (
    event INTEGER NOT NULL, seating TEXT NOT NULL, seat INTEGER NOT NULL, moves INTEGER NOT NULL,
    wall_ms REAL NOT NULL, cpu_ms REAL NOT NULL, slowest_ms REAL NOT NULL,
    PRIMARY KEY (event, seating, seat)) WITHOUT ROWID;
CREATE TABLE fault_sums (
    event INTEGER NOT NULL, seating TEXT NOT NULL, seat INTEGER NOT NULL, kind TEXT NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (event, seating, seat, kind)) WITHOUT ROWID;
";

/// The worker that played a game, how fast it was, and what it multiplied time limits by. Games that
/// no cluster played do not say.
const WORKERS: &str = "
ALTER TABLE games ADD COLUMN worker TEXT;
ALTER TABLE games ADD COLUMN speed REAL;
ALTER TABLE games ADD COLUMN time_scale REAL;
";

/// What the games of each worker add up to. Times are those of games: the logarithm of the mean
/// time of an answer, and its square.
pub(crate) const WORKER_SUMS: &str = "
CREATE TABLE worker_sums (
    event INTEGER NOT NULL, seating TEXT NOT NULL, worker TEXT NOT NULL, tier TEXT NOT NULL,
    ranks TEXT NOT NULL, games INTEGER NOT NULL, speeds REAL NOT NULL,
    PRIMARY KEY (event, seating, worker, tier, ranks)) WITHOUT ROWID;
CREATE TABLE worker_time_sums (
    event INTEGER NOT NULL, seating TEXT NOT NULL, worker TEXT NOT NULL, seat INTEGER NOT NULL,
    games INTEGER NOT NULL, logs REAL NOT NULL, squares REAL NOT NULL,
    PRIMARY KEY (event, seating, worker, seat)) WITHOUT ROWID;
";

/// Makes what is missing. Every commit is on the disk when it returns: a power failure loses
/// nothing that counted.
pub(crate) fn prepare(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;")?;
    let found = version(db)?;
    let missing = steps(found..VERSION);
    if missing.is_empty() {
        return Ok(());
    }
    let all = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    db.execute_batch(&missing)?;
    if found < HAS_SUMS {
        Sums::of_games(db)?.write(db)?;
    }
    db.execute_batch(&format!("PRAGMA user_version = {VERSION}"))?;
    all.commit()
}

/// Lets somebody who only looks at an older database see one of today: what is missing is there as
/// long as it is looked at, and nothing is written.
pub(crate) fn fill_in(db: &Connection) -> rusqlite::Result<()> {
    let found = version(db)?;
    let mut missing = String::new();
    if found < HAS_ARRIVALS {
        missing.push_str(&ARRIVALS.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    }
    if found < HAS_JOURNAL {
        missing.push_str(&JOURNAL.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    }
    if found < HAS_AGENTS {
        let count = if found < HAS_COUNTS { "1 AS count, " } else { "" };
        missing.push_str(&format!(
            "CREATE TEMP VIEW faults AS SELECT *, {count}NULL AS agent FROM main.faults;"
        ));
    }
    if found < HAS_WORKERS {
        let ending = if found < HAS_ENDINGS { "NULL AS ending, " } else { "" };
        let kept = if found < HAS_DATES { "NULL AS kept, " } else { "" };
        let pack = if found < HAS_PACKS { "NULL AS pack, NULL AS place, " } else { "" };
        missing.push_str(&format!(
            "CREATE TEMP VIEW games AS SELECT *, {ending}{kept}{pack}NULL AS worker,
             NULL AS speed, NULL AS time_scale FROM main.games;"
        ));
        missing.push_str(&WORKER_SUMS.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    }
    if found < HAS_SUMS {
        missing.push_str(&SUMS.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    }
    if missing.is_empty() {
        return Ok(());
    }
    db.execute_batch(&format!("PRAGMA temp_store = MEMORY; {missing}"))?;
    match found < HAS_SUMS {
        true => Sums::of_games(db)?.write(db),
        false => Ok(()),
    }
}

fn steps(versions: std::ops::Range<i64>) -> String {
    let of = |version: i64| usize::try_from(version).unwrap_or(0).min(STEPS.len());
    STEPS.get(of(versions.start)..of(versions.end)).unwrap_or_default().concat().concat()
}

/// The version of a database; 0 if nothing has been made yet.
pub(crate) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The names of the tables of a database.
pub(crate) fn tables(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let objects = objects(db)?.into_iter();
    Ok(objects.filter(|object| object.0 == "table").map(|object| object.1).collect())
}

/// Whether there is nothing in a database.
pub(crate) fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    Ok(objects(db)?.is_empty())
}

/// What is wrong with the tables of a database of this version, if anything is.
pub(crate) fn odd(db: &Connection, version: i64) -> rusqlite::Result<Option<String>> {
    let model = Connection::open_in_memory()?;
    model.execute_batch(&steps(0..version))?;
    let (there, wanted) = (objects(db)?, objects(&model)?);
    let name = |object: &Object| {
        format!("the {} \"{}\"", object.0, game::printable(object.1.as_bytes(), 60))
    };
    let extra = there
        .difference(&wanted)
        .next()
        .map(|object| format!("{} is not one that lanista makes", name(object)));
    let missing =
        wanted.difference(&there).next().map(|object| format!("{} is missing", name(object)));
    Ok(extra.or(missing))
}

/// The kind, name, table and definition of something in a database.
type Object = (String, String, String, String);

fn objects(db: &Connection) -> rusqlite::Result<BTreeSet<Object>> {
    let sql = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema";
    let mut query = db.prepare(sql)?;
    let objects = query.query_map([], |row| {
        let definition: String = row.get(3)?;
        let words: Vec<&str> = definition.split_whitespace().collect();
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, words.join(" ")))
    })?;
    objects.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_of_every_version_can_be_looked_at_and_brought_up_to_date() {
        for version in 1..=VERSION {
            let schema = steps(0..version);
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
                    "SELECT id, pack, place FROM games",
                    "SELECT count(*), count(f.count), 0 FROM faults f",
                    "SELECT count(*), count(text), 0 FROM arrivals",
                    "SELECT count(*), count(what), 0 FROM journal",
                    "SELECT count(*), count(games), 0 FROM result_sums",
                    "SELECT id, worker, speed FROM games",
                    "SELECT count(*), count(speeds), 0 FROM worker_sums",
                    "SELECT count(*), count(logs), 0 FROM worker_time_sums",
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
