//! Tests of databases that were tampered with: they are refused, or read without harm.

use rusqlite::Connection;

use crate::schedule::{Format, GameKey};
use crate::standings::Standings;
use crate::store::event_rows::Arrival;
use crate::store::tests::{TestFolder, event, played};
use crate::store::{Store, StoreError};
use crate::{EventProgress, Stop};

/// A run with a few games in it, all in one file.
fn run(name: &str, format: Format) -> TestFolder {
    let folder = TestFolder::new(name);
    let mut store = Store::open(&folder.0).expect("it can be made");
    let mut event = event();
    event.plan.format = format;
    store.set_terms("cup", "game = 'x'", &[event]).expect("it can be written");
    store.save(&[played("0.0.0:0-1"), played("0.0.1:0-1")]).expect("they can be kept");
    store.save_void(0, &GameKey("1.0.0:0-1".to_owned()), 0, "why").expect("it can be written");
    let words = |text: &str| text.to_owned();
    let arrival = Arrival { event: words("event"), text: words("a=./a"), base: words("/b") };
    store.add_arrival(&arrival, "c").expect("it can be written");
    let fault = "INSERT INTO faults VALUES (1, 0, 0, 3, 'timeout', 'late', 2, 'a1')";
    store.db.execute_batch(fault).expect("it can be written");
    drop(store);
    tamper(&folder, "PRAGMA journal_mode = DELETE").expect("it is one file");
    folder
}

/// Everything that can be asked of a run.
fn read(folder: &TestFolder) -> Result<(), StoreError> {
    let store = Store::open_to_read(&folder.0)?;
    Standings::of(&store)?;
    store.name()?;
    store.arrivals()?;
    for (id, event) in store.events()?.iter().enumerate() {
        store.reports(id)?;
        let progress = EventProgress::new(
            event.plan(),
            Stop::default(),
            store.results(id)?,
            store.attempts(id)?,
        );
        assert!(progress.fixtures().count() < 10_000, "no more than the few games there can be");
    }
    Ok(())
}

/// Tampers with the database of a run; says so unless the database itself refuses.
fn tamper(folder: &TestFolder, sql: &str) -> rusqlite::Result<()> {
    let db = Connection::open(folder.0.join("run.db"))?;
    // Nothing of it has to outlive a power failure.
    db.execute_batch("PRAGMA synchronous = OFF")?;
    db.execute_batch(sql)
}

const FORMATS: [Format; 4] = [
    Format::RoundRobin { rounds: 2 },
    Format::Swiss { rounds: 2, games: 2 },
    Format::Knockout {
        games: 2,
        extra: 1,
        third_place: false,
        system: crate::schedule::System::Single,
    },
    Format::Ladder { games: 2 },
];

/// Puts this value into a column of every row, or of the last one.
#[test]
fn no_value_anywhere_is_harmful() {
    let values = [
        "NULL",
        "-1",
        "0",
        "1",
        "2",
        "800",
        "65536",
        "4294967295",
        "9223372036854775807",
        "0.5",
        "1e308",
        "9e999",
        "''",
        "'x'",
        "'../../key'",
        "'1 2'",
        "'1'",
        "x'00ff'",
        "'{\"format\":{\"name\":\"ladder\",\"games\":1},\"seats\":0,\"seed\":0,\"variants\":0}'",
    ];
    let folder = run("values", FORMATS[0]);
    read(&folder).expect("it is as it should be");
    let whole = std::fs::read(folder.0.join("run.db")).expect("it is there");
    let db = Connection::open(folder.0.join("run.db")).expect("it is there");
    let columns = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
                   WHERE m.type = 'table' ORDER BY 1, 2";
    let mut query = db.prepare(columns).expect("it is a query");
    let columns = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let columns: Vec<(String, String)> =
        columns.expect("it is a query").collect::<Result<_, _>>().expect("they are words");
    drop(query);
    drop(db);
    let mut refused = 0;
    for (table, column) in &columns {
        for value in values {
            std::fs::write(folder.0.join("run.db"), &whole).expect("writable");
            let sql = format!("UPDATE OR IGNORE {table} SET {column} = {value}");
            if tamper(&folder, &sql).is_ok() {
                refused += usize::from(read(&folder).is_err());
            }
        }
    }
    // Numbers of turns, seeds and words may be anything; most else is noticed.
    assert!(refused > columns.len() * 6, "{refused} of {} columns", columns.len());
}

#[test]
fn what_is_not_a_table_of_ours_is_refused() {
    let folder = run("objects", FORMATS[0]);
    let whole = std::fs::read(folder.0.join("run.db")).expect("it is there");
    for sql in [
        "CREATE TABLE more (a)",
        "CREATE INDEX more ON games (turns)",
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON games BEGIN DELETE FROM games; END",
        "DROP TABLE voids; CREATE VIEW voids AS WITH RECURSIVE n(i) AS
         (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 0 event, 'k' key, i attempt, '' reason FROM n",
        "DROP TABLE arrivals",
        "ALTER TABLE run ADD COLUMN more TEXT AS (name || file)",
        "ALTER TABLE games RENAME COLUMN tier TO digests",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = -7",
    ] {
        std::fs::write(folder.0.join("run.db"), &whole).expect("writable");
        tamper(&folder, sql).expect(sql);
        for error in [read(&folder).err(), Store::open(&folder.0).err()] {
            let error = error.unwrap_or_else(|| panic!("{sql}: it was believed")).to_string();
            assert!(error.contains("damaged"), "{sql}: {error}");
        }
    }
}

#[test]
fn numbers_that_do_not_fit_together_are_refused() {
    for format in FORMATS {
        let folder = run("numbers", format);
        read(&folder).expect("it is as it should be");
        let whole = std::fs::read(folder.0.join("run.db")).expect("it is there");
        for sql in [
            "UPDATE games SET match = '../../../key'",
            "UPDATE games SET match = ''",
            "UPDATE games SET ranks = '1'",
            "UPDATE games SET ranks = '1 2 3'",
            "UPDATE games SET event = 7",
            "UPDATE seats SET bot = 1 - bot WHERE seat = 0",
            "UPDATE seats SET bot = 2 WHERE seat = 1",
            "UPDATE seats SET seat = 2 WHERE seat = 1",
            "UPDATE seats SET game = 99 WHERE game = 1",
            "DELETE FROM seats WHERE game = 2",
            "DELETE FROM run",
            "DELETE FROM events",
            "DELETE FROM bots",
            "INSERT INTO run VALUES ('a', 'b')",
            "UPDATE events SET id = 3",
            "UPDATE bots SET event = 3",
            "UPDATE bots SET id = id + 10",
            "UPDATE bots SET joined = 4000000000 WHERE id = 1",
            "UPDATE bots SET joined = 1",
            "UPDATE faults SET kind = '<script>'",
            "UPDATE games SET tier = '<script>'",
            "UPDATE games SET worker = '<script>', speed = 1.0, time_scale = 1.0",
            "UPDATE games SET worker = 'one'",
            "UPDATE seats SET wall_ms = 9e999",
            "UPDATE paces SET bucket = bucket + 4000000000",
            "UPDATE events SET plan = replace(plan, '\"seats\":2', '\"seats\":0')",
            "UPDATE events SET plan = replace(plan, '\"seats\":2', '\"seats\":1000000000')",
            "UPDATE events SET plan = replace(plan, '\"variants\":1', '\"variants\":0')",
            "UPDATE events SET plan = replace(plan, '\"rounds\":2', '\"rounds\":4294967295')
             WHERE plan LIKE '%rounds%'",
            "UPDATE events SET plan = '[[[[[[[['",
            "UPDATE journal SET what = '{}'",
            "UPDATE journal SET number = 2",
            "UPDATE journal SET made = -1",
            "INSERT INTO journal VALUES (2, 0, '{\"do\":\"void\",\"event\":\"event\",\"game\":1,
             \"key\":\"0.0.0:0-1\",\"ranks\":[1],\"since\":0}', '')",
        ] {
            std::fs::write(folder.0.join("run.db"), &whole).expect("writable");
            tamper(&folder, sql).expect(sql);
            let after = std::fs::read(folder.0.join("run.db")).expect("it is there");
            // Not every format has rounds.
            if whole == after {
                continue;
            }
            let error = read(&folder).err();
            assert!(error.is_some(), "{format:?}: {sql}: it was believed");
        }
    }
}

#[test]
fn a_file_that_is_cut_or_scrambled_is_refused_or_read() {
    let folder = run("bytes", FORMATS[0]);
    let whole = std::fs::read(folder.0.join("run.db")).expect("it is there");
    let mut refused = 0;
    let mut tried = 0;
    let mut attempt = |bytes: &[u8]| {
        std::fs::write(folder.0.join("run.db"), bytes).expect("writable");
        tried += 1;
        refused += usize::from(read(&folder).is_err());
    };
    for length in (0..whole.len()).step_by(1021) {
        attempt(&whole[..length]);
    }
    for at in (0..whole.len()).step_by(509) {
        let mut bytes = whole.clone();
        bytes[at..(at + 4).min(whole.len())].fill(0xff);
        attempt(&bytes);
    }
    attempt(b"SQLite format 3\0 and then something else");
    assert!(refused > tried / 3, "{refused} of {tried}");
}
