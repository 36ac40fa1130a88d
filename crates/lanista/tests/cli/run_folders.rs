//! The folder of a run: its database is proven by its replays, made anew from them, and put together from parts.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::common::{Folder, json_lines, run, stderr, wait_until};
use crate::league::{FIVE, SHORT, cup, host, order, play, results, standings, timeless};

#[test]
fn a_run_whose_database_is_lost_is_not_begun_anew() {
    let folder = Folder::new("lost");
    cup(&folder, "cup", SHORT, &FIVE[..3]);
    play(&folder, &["cup.toml", "--quiet"]);
    let database = folder.path().join("runs/cup/run.db");
    for damage in ["", "not a database at all"] {
        match damage {
            "" => std::fs::remove_file(&database).expect("it is there"),
            text => std::fs::write(&database, text).expect("writable"),
        }
        for args in [vec!["run", "cup.toml"], vec!["standings", "runs/cup"]] {
            let output = run(&folder, &args);
            assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
            assert!(stderr(&output).contains("lanista rebuild"), "{args:?}: {}", stderr(&output));
        }
    }
    assert_eq!(std::fs::read(&database).expect("it is there"), b"not a database at all");
}

/// Changes something in the database of a run behind everybody's back.
fn tamper(folder: &Folder, dir: &str, sql: &str) {
    let db =
        rusqlite::Connection::open(folder.path().join(dir).join("run.db")).expect("a database");
    db.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
}

#[test]
fn a_table_is_proven_by_its_replays_and_nothing_can_be_swapped() {
    let folder = Folder::new("proof");
    let head = format!("format = \"swiss\"\nrounds = 3\nseed = 5\n{SHORT}");
    cup(&folder, "cup", &head, FIVE);
    play(&folder, &["cup.toml", "--dir", "run", "--quiet"]);
    let verify = |wanted: i32| {
        let output = run(&folder, &["verify", "run", "--json"]);
        assert_eq!(output.status.code(), Some(wanted), "{}", stderr(&output));
        json_lines(&output).remove(0)
    };
    assert_eq!(verify(0), json!({ "v": 1, "games": 12, "wrong": [] }));
    let swaps = [
        // The winner is the other one, all the way.
        "UPDATE seats SET rank = 3 - rank WHERE game = 1;
         UPDATE games SET ranks = CASE ranks WHEN '1 2' THEN '2 1' ELSE '1 2' END WHERE id = 1",
        "UPDATE seats SET bot = (SELECT SUM(bot) FROM seats WHERE game = 2) - bot WHERE game = 2",
        "UPDATE games SET seed = seed + 1 WHERE id = 3",
        "UPDATE games SET place = (SELECT place FROM games WHERE id = 1) WHERE id = 2",
        "UPDATE bots SET identity = 'another' WHERE id = 0",
        "UPDATE seats SET moves = moves + 1 WHERE game = 4 AND seat = 0",
        // What the table is made of, though every game is as it was.
        "UPDATE result_sums SET games = games + 1",
        "UPDATE result_sums SET ranks = '2 1' WHERE ranks = '1 2' AND NOT EXISTS (
         SELECT 1 FROM result_sums o WHERE o.seating = result_sums.seating AND o.ranks = '2 1')",
        "UPDATE result_sums SET different = 0",
        "UPDATE time_sums SET moves = moves + 1",
        "INSERT INTO fault_sums VALUES (0, '0 1', 0, 'timeout', 1)",
        "INSERT INTO journal VALUES (1, 0,
         '{\"do\":\"disqualify\",\"event\":\"gomoku\",\"bot\":\"a\",\"since\":3}', 'x')",
    ];
    let kept = folder.path().join("run/run.db");
    let sound = std::fs::read(&kept).expect("it is there");
    for swap in swaps {
        tamper(&folder, "run", swap);
        let found = verify(3);
        assert!(!found["wrong"].as_array().expect("a list").is_empty(), "{swap}");
        std::fs::write(&kept, &sound).expect("writable");
        for rest in ["run.db-wal", "run.db-shm"] {
            let _ = std::fs::remove_file(folder.path().join("run").join(rest));
        }
    }
    verify(0);
}

#[test]
fn a_game_that_was_played_with_another_clock_is_found_whatever_the_folder_says() {
    let folder = Folder::new("proof-clock");
    let head = format!("seed = 5\nclock = {{ move_ms = 900 }}\n{SHORT}");
    cup(&folder, "cup", &head, &[]);
    let file = folder.path().join("cup.toml");
    let mut text = std::fs::read_to_string(&file).expect("it is there");
    text += "[[bots]]\nname = \"a\"\nbot = \"builtin:random\"\nclock = { move_ms = 317 }\n\
             [[bots]]\nname = \"b\"\nbot = \"builtin:random\"\n";
    std::fs::write(&file, text).expect("writable");
    play(&folder, &["cup.toml", "--dir", "run", "--quiet"]);
    assert_eq!(run(&folder, &["verify", "run"]).status.code(), Some(0));
    // In the database and in its copy.
    tamper(&folder, "run", "UPDATE events SET terms = replace(terms, '317', '318')");
    let copy = folder.path().join("run/replays/run.json");
    let text = std::fs::read_to_string(&copy).expect("it is there");
    std::fs::write(&copy, text.replace("317", "318")).expect("writable");
    let output = run(&folder, &["verify", "run", "--json"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let wrong = json_lines(&output).remove(0)["wrong"].take();
    assert!(wrong.to_string().contains("a played with another clock"), "{wrong}");
}

#[test]
fn a_database_is_made_anew_from_its_replays() {
    let folder = Folder::new("rebuilt");
    cup(&folder, "cup", &format!("rounds = 2\nseed = 5\n{SHORT}"), FIVE);
    play(&folder, &["cup.toml", "--dir", "run", "--quiet"]);
    assert!(order(&folder, &["void", "3", "--reason", "noise"]).status.success());
    assert!(order(&folder, &["withdraw", "e", "--reason", "done"]).status.success());
    let (games, table) = (results(&folder, "run"), standings(&folder, "run"));
    assert_eq!(games.len(), 19);
    let database = folder.path().join("run/run.db");
    for damage in [None, Some("garbage")] {
        match damage {
            None => std::fs::remove_file(&database).expect("it is there"),
            Some(text) => std::fs::write(&database, text).expect("writable"),
        }
        let output = run(&folder, &["rebuild", "run"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(results(&folder, "run"), games);
        assert_eq!(standings(&folder, "run"), table);
        let verified = run(&folder, &["verify", "run"]);
        assert_eq!(verified.status.code(), Some(0), "{}", stderr(&verified));
    }
    assert_eq!(std::fs::read(folder.path().join("run/run.db.old")).expect("kept"), b"garbage");
    play(&folder, &["cup.toml", "--dir", "run", "--quiet"]);
    assert_eq!(results(&folder, "run").len(), 20, "the one that was void is played again");
    std::fs::remove_file(folder.path().join("run/replays/run.json")).expect("it is there");
    let output = run(&folder, &["rebuild", "run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("to which games the replays belong"), "{}", stderr(&output));
}

#[test]
fn parts_of_a_tournament_that_were_played_in_two_places_make_the_whole() {
    let folder = Folder::new("merged");
    cup(&folder, "cup", &format!("rounds = 4\nseed = 5\n{SHORT}"), FIVE);
    play(&folder, &["cup.toml", "--dir", "whole", "--quiet"]);
    for (dir, bytes) in [("here", 3_000), ("there", 12_000)] {
        let mut host = host(&folder, &["cup.toml", "--dir", dir]);
        let pack = folder.path().join(dir).join("replays/0001.pack");
        wait_until("games are kept", || {
            std::fs::metadata(&pack).is_ok_and(|pack| pack.len() > bytes)
                || host.try_wait().expect("it can be asked").is_some()
        });
        let _ = kill_process(Pid::from_child(&host), Signal::KILL);
        host.wait().expect("it ends");
    }
    let merged = run(&folder, &["merge", "here", "there", "--dir", "merged"]);
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
    let most = results(&folder, "here").len().max(results(&folder, "there").len());
    assert!(results(&folder, "merged").len() >= most);
    let verified = run(&folder, &["verify", "merged"]);
    assert_eq!(verified.status.code(), Some(0), "{}", stderr(&verified));
    // What is missing is played, and then it is the same as in one place.
    play(&folder, &["cup.toml", "--dir", "merged", "--quiet"]);
    let table = |dir: &str| timeless(standings(&folder, dir));
    assert_eq!(table("merged"), table("whole"));
    let again = run(&folder, &["merge", "here", "there", "--dir", "merged"]);
    assert!(stderr(&again).contains("merged holds a run already"), "{}", stderr(&again));
    // Parts of something else.
    cup(&folder, "other", &format!("rounds = 4\nseed = 6\n{SHORT}"), FIVE);
    play(&folder, &["other.toml", "--dir", "other", "--quiet"]);
    let refused = run(&folder, &["merge", "here", "other", "--dir", "wrong"]);
    assert_eq!(refused.status.code(), Some(2));
    let words = "here and other are not parts of one tournament";
    assert!(stderr(&refused).contains(words), "{}", stderr(&refused));
    // The same game with another result.
    tamper(&folder, "merged", "UPDATE games SET digest = 'ffffffffffffffff' WHERE id = 1");
    let refused = run(&folder, &["merge", "whole", "merged", "--dir", "wrong"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("1 game of whole and merged went differently"),
        "{}",
        stderr(&refused)
    );
}
