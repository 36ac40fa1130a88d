//! Tests of the sums of games.

use std::collections::HashMap;

use rusqlite::Connection;

use super::*;
use crate::schedule::{Format, GameKey};
use crate::standings::Standings;
use crate::store::journal::Decision;
use crate::store::tests::{TestFolder, event, played};

/// A run of one event with these games.
fn run(name: &str, keys: &[&str]) -> (TestFolder, Store) {
    let folder = TestFolder::new(name);
    let mut store = Store::open(&folder.0).expect("it can be made");
    let mut event = event();
    event.plan.format = Format::RoundRobin { rounds: 10 };
    store.set_terms("cup", "", &[event]).expect("it can be written");
    let mut games: Vec<_> = keys.iter().map(|key| played(key)).collect();
    games[0].report.players[0].faults.push(table::FaultLine {
        turn: 1,
        kind: game::FaultKind::Timeout,
        agent: None,
        detail: "late".to_owned(),
        count: 3,
    });
    store.save(&games).expect("they can be kept");
    (folder, store)
}

fn void(key: &str) -> Decision {
    let (event, key, ranks) = ("event".to_owned(), key.to_owned(), vec![1, 2]);
    Decision::Void { event, game: 1, key, ranks, since: 0 }
}

#[test]
fn sums_are_those_of_the_games_whatever_happens_to_these() {
    let keys = ["0.0.0:0-1", "1.0.0:0-1", "2.0.0:0-1"];
    let (folder, mut store) = run("sums", &keys);
    let faults = |store: &Store| store.fault_sums(0, &[]).expect("they can be read");
    assert_eq!(store.wrong_sums().expect("it can be read"), None);
    assert_eq!(faults(&store)[&0]["timeout"], 3);
    // By another connection, as `lanista ctl` does it while a run goes on.
    let mut other = Store::open_again(&folder.0).expect("it is there");
    other.decide(&[void(keys[0])], "why").expect("it can be taken back");
    assert!(faults(&store).is_empty());
    for keys in [&keys[..1], &["3.0.0:0-1"]] {
        let games: Vec<_> = keys.iter().map(|key| played(key)).collect();
        store.save(&games).expect("they can be kept");
        assert_eq!(store.wrong_sums().expect("it can be read"), None);
    }
    store.decide(&[void(keys[1]), void(keys[2])], "why").expect("they can be taken back");
    assert_eq!(store.wrong_sums().expect("it can be read"), None);
    assert_eq!(store.games().expect("it can be read"), 2);
    store.db.execute("UPDATE time_sums SET moves = moves + 1 WHERE seat = 1", []).expect("ours");
    assert_eq!(store.wrong_sums().expect("it can be read"), Some(0));
}

#[test]
fn games_that_are_the_same_are_counted_once_among_the_different_ones() {
    let (_folder, mut store) = run("same", &["0.0.0:0-1", "1.0.0:0-1"]);
    let counts = |store: &Store| {
        let sums = store.result_sums(0, &[]).expect("they can be read");
        let count = |of: fn(&ResultSum) -> u64| sums.iter().map(|one| of(&one.sum)).sum::<u64>();
        (count(|sum| sum.games), count(|sum| sum.different))
    };
    assert_eq!(counts(&store), (2, 1), "the same bots play with the same seed");
    let mut longer = played("2.0.0:0-1");
    longer.report.turns += 1;
    store.save(&[longer]).expect("it can be kept");
    assert_eq!(counts(&store), (3, 2));
    assert!(store.result_sums(0, &[BotId(1)]).expect("they can be read").is_empty());
}

#[test]
fn a_run_without_sums_has_the_same_table_and_gets_them_when_it_goes_on() {
    let (folder, store) = run("older", &["0.0.0:0-1", "1.0.0:0-1"]);
    let table = |store: &Store| {
        let standings = Standings::of(store).expect("it can be read");
        standings.to_json().to_string()
    };
    let before = table(&store);
    drop(store);
    let older = format!(
        "{WITHOUT_WORKERS} DROP TABLE result_sums; DROP TABLE time_sums; DROP TABLE fault_sums;
         PRAGMA user_version = 8"
    );
    Connection::open(folder.0.join("run.db")).expect("ours").execute_batch(&older).expect("ours");
    let looked = Store::open_to_read(&folder.0).expect("it can be looked at");
    assert_eq!(table(&looked), before);
    assert_eq!(looked.version().expect("it has one"), 8, "nothing is written");
    drop(looked);
    let opened = Store::open(&folder.0).expect("it can be played on");
    assert_eq!(table(&opened), before);
    assert_eq!(opened.wrong_sums().expect("it can be read"), None);
    let attempts: HashMap<GameKey, u32> = opened.attempts(0).expect("it can be read");
    assert!(attempts.is_empty());
}

/// Takes away what version 10 has added.
const WITHOUT_WORKERS: &str = "
    DROP TABLE worker_sums; DROP TABLE worker_time_sums; ALTER TABLE games DROP COLUMN worker;
    ALTER TABLE games DROP COLUMN speed; ALTER TABLE games DROP COLUMN time_scale;";

/// A game that a worker of this name has played.
fn played_by(worker: &str, key: &str) -> crate::store::Played {
    let mut game = played(key);
    let name = worker.to_owned();
    game.report.worker = Some(table::WorkerLine { name, speed: 250.5, time_scale: 0.8 });
    game
}

#[test]
fn games_of_workers_are_added_up_and_come_back_with_their_worker() {
    let (_folder, mut store) = run("workers", &["0.0.0:0-1"]);
    let games = [played_by("one", "1.0.0:0-1"), played_by("two", "2.0.0:0-1")];
    store.save(&games).expect("they can be kept");
    assert_eq!(store.wrong_sums().expect("it can be read"), None);
    let standings = Standings::of(&store).expect("it can be read");
    let workers = &standings.events[0].workers.workers;
    let counted = workers.iter().map(|worker| (worker.name.as_str(), worker.games, worker.speed));
    assert_eq!(counted.collect::<Vec<_>>(), [("one", 1, 250.5), ("two", 1, 250.5)]);
    let reports = store.reports(0).expect("they can be read");
    assert_eq!(reports[&GameKey("0.0.0:0-1".to_owned())].worker, None);
    let second = GameKey("1.0.0:0-1".to_owned());
    assert_eq!(reports[&second].worker, games[0].report.worker);
    let json = serde_json::to_value(&reports[&second]).expect("it serialises");
    assert_eq!(json["worker"]["name"], "one");
    store.decide(&[void("1.0.0:0-1")], "why").expect("it can be taken back");
    assert_eq!(store.wrong_sums().expect("it can be read"), None);
    let standings = Standings::of(&store).expect("it can be read");
    assert_eq!(standings.events[0].workers.workers.len(), 1, "what is void is not counted");
    store.db.execute("UPDATE worker_sums SET speeds = 2.0", []).expect("ours");
    assert_eq!(store.wrong_sums().expect("it can be read"), Some(0));
}

#[test]
fn sums_are_the_same_to_the_last_bit_however_many_games_are_kept_at_a_time() {
    // Added in another order, these make another sum.
    let times = [0.1, 0.2, 0.3, 1e6, 0.7, 1e-3];
    let games: Vec<_> = times
        .iter()
        .enumerate()
        .map(|(round, time)| {
            let mut game = played_by("one", &format!("{}.0.0:0-1", round + 1));
            game.report.players.iter_mut().for_each(|player| player.wall_ms = *time);
            game.report.worker.as_mut().expect("it has one").speed = *time;
            game
        })
        .collect();
    let sums = [1, 2, 5, 6].map(|at_a_time| {
        let (_folder, mut store) = run(&format!("bits-{at_a_time}"), &["0.0.0:0-1"]);
        store.db.execute_batch("UPDATE time_sums SET wall_ms = 0, cpu_ms = 0").expect("ours");
        games.chunks(at_a_time).for_each(|some| store.save(some).expect("they can be kept"));
        let real = |sql: &str| -> f64 {
            store.db.query_row(sql, [], |row| row.get(0)).expect("it is there")
        };
        [
            real("SELECT wall_ms FROM time_sums WHERE seat = 0"),
            real("SELECT speeds FROM worker_sums"),
            real("SELECT squares FROM worker_time_sums WHERE seat = 1"),
        ]
        .map(f64::to_bits)
    });
    assert!(sums.iter().all(|these| *these == sums[0]), "{sums:?}");
}

#[test]
fn a_database_whose_games_name_no_workers_can_be_read_and_played_on() {
    let (folder, store) = run("before-workers", &["0.0.0:0-1", "1.0.0:0-1"]);
    let table = |store: &Store| Standings::of(store).expect("it can be read").to_json().to_string();
    let before = table(&store);
    drop(store);
    let older = format!("{WITHOUT_WORKERS} PRAGMA user_version = 9");
    Connection::open(folder.0.join("run.db")).expect("ours").execute_batch(&older).expect("ours");
    let looked = Store::open_to_read(&folder.0).expect("it can be looked at");
    assert_eq!(table(&looked), before);
    assert_eq!(looked.reports(0).expect("they can be read").len(), 2);
    assert_eq!(looked.version().expect("it has one"), 9, "nothing is written");
    drop(looked);
    let mut opened = Store::open(&folder.0).expect("it can be played on");
    assert_eq!(table(&opened), before);
    opened.save(&[played_by("one", "2.0.0:0-1")]).expect("it can be kept");
    assert_eq!(opened.wrong_sums().expect("it can be read"), None);
}
