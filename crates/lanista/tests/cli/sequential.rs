//! Sequential tests: `lanista test`, and tests as parts of a tournament file.

use serde_json::Value;

use crate::common::{Folder, brain, json_lines, run, stderr, stdout, wait_until};

const FILE: &str = "game = \"gomoku\"\nseed = 5\nelo1 = 100\nsetup = { max_moves = 40 }\n\
    [[tests]]\nnew = \"a=builtin:greedy\"\nold = \"b=builtin:random\"\n\
    [[tests]]\nname = \"equals\"\nnew = \"c=builtin:random\"\nold = \"d=builtin:random\"\nelo0 = -60\nelo1 = 0\n";

fn standings(folder: &Folder, dir: &str) -> Vec<Value> {
    let output = run(folder, &["standings", dir, "--json"]);
    let mut all = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    match all["events"].take() {
        Value::Array(events) => events,
        other => panic!("{other}"),
    }
}

#[test]
fn tests_of_a_file_go_on_after_a_kill_and_say_the_same_as_without() {
    let folder = Folder::new("tests-in-files");
    std::fs::write(folder.path().join("tests.toml"), FILE).expect("writable");
    let play = |args: &[&str]| {
        let output = run(&folder, &[&["run", "tests.toml", "--quiet"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    };
    play(&["--dir", "whole", "--concurrency", "1"]);
    // Broken off after a few games, and again, at another number of games at a time.
    let mut host = crate::common::lanista(&folder);
    host.args(["run", "tests.toml", "--quiet", "--dir", "broken", "--concurrency", "3"]);
    let mut host = host.spawn().expect("it starts");
    let pack = folder.path().join("broken/replays/0001.pack");
    wait_until("a game is kept", || {
        std::fs::metadata(&pack).is_ok_and(|pack| pack.len() > 1000)
            || host.try_wait().expect("it can be asked").is_some()
    });
    host.kill().expect("it can be killed");
    host.wait().expect("it ends");
    play(&["--dir", "broken", "--concurrency", "2"]);
    let (whole, broken) = (standings(&folder, "whole"), standings(&folder, "broken"));
    let verdicts: Vec<&Value> = whole.iter().map(|event| &event["test"]["verdict"]).collect();
    assert_eq!(verdicts, ["H1", "H1"]);
    for (one, other) in whole.iter().zip(&broken) {
        assert_eq!(one["test"], other["test"]);
        assert_eq!(one["format"], "test");
        assert_eq!(one["games"], one["scheduled"], "nothing is left to play");
    }
    let names: Vec<&Value> = whole.iter().map(|event| &event["event"]).collect();
    assert_eq!(names, ["a vs b", "equals"]);
    // A decided test plays no more.
    let before = broken[0]["games"].clone();
    play(&["--dir", "broken"]);
    assert_eq!(standings(&folder, "broken")[0]["games"], before);
}

#[test]
fn what_makes_no_test_is_refused_with_its_number() {
    let folder = Folder::new("tests-refused");
    let refused = |file: &str, words: &str| {
        std::fs::write(folder.path().join("tests.toml"), file).expect("writable");
        let output = run(&folder, &["run", "tests.toml", "--quiet"]);
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(stderr(&output).contains(words), "{file}: {}", stderr(&output));
    };
    let test =
        "game = \"gomoku\"\n[[tests]]\nnew = \"a=builtin:random\"\nold = \"b=builtin:random\"\n";
    refused(&format!("{test}elo0 = 5\nelo1 = 5\n"), "test 1: ");
    refused(
        &format!("{test}{}", test.replace("game = \"gomoku\"\n", "")),
        "test 2: there is a \"a vs b\" already",
    );
    refused(
        "game = \"gomoku\"\nelo1 = 5\n[[bots]]\nbot = \"builtin:random\"\n[[bots]]\nbot = \"builtin:greedy\"\n",
        "elo1 belongs to a test: write it under [[tests]]",
    );
    // A key of tests in an event is a mistake, also where there are tests.
    let event = "[[events]]\nname = \"e\"\nelo1 = 5\n[[events.bots]]\nbot = \"builtin:random\"\n\
                 [[events.bots]]\nbot = \"builtin:greedy\"\n";
    refused(&format!("{test}{event}"), "elo1 belongs to a test: write it under [[tests]]");
    refused("game = \"gomoku\"\n[[tests]]\nnew = \"builtin:random\"\n", "old");
}

#[test]
fn a_test_ends_when_the_answer_is_known() {
    let folder = Folder::new("sequential");
    let setup = ["--set", "size=15", "--set", "max_moves=80", "--seed", "3"];
    let test = |new: &str, old: &str, more: &[&str]| {
        let args = [&["test", "gomoku", new, old, "--json"], &setup[..], more].concat();
        run(&folder, &args)
    };
    let better = ["--elo0", "0", "--elo1", "50"];
    let output = test("builtin:greedy", "builtin:random", &better);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = json_lines(&output).remove(0);
    assert_eq!(report["verdict"], "H1");
    // The same whatever the number of games at a time.
    let one =
        test("builtin:greedy", "builtin:random", &[&better[..], &["--concurrency", "1"]].concat());
    let mut one = json_lines(&one).remove(0);
    assert_eq!(
        (&report["dir"], &one["dir"]),
        (&"runs/greedy-random".into(), &"runs/greedy-random-2".into())
    );
    one["dir"] = report["dir"].clone();
    assert_eq!(one, report);
    let worse = test("builtin:random", "builtin:greedy", &better);
    assert_eq!(json_lines(&worse).remove(0)["verdict"], "H0");
    let short = [&better[..], &["--max-games", "4"]].concat();
    let output = test("builtin:greedy", "builtin:random", &short);
    assert_eq!(output.status.code(), Some(1));
    let report = json_lines(&output).remove(0);
    assert_eq!((&report["verdict"], &report["games"]), (&"continue".into(), &4.into()));
    // Asked for more games, it goes on where it is.
    let longer = [&better[..], &["--max-games", "8"]].concat();
    let output = test("builtin:greedy", "builtin:random", &longer);
    assert!(stderr(&output).contains("after 4 games"), "{}", stderr(&output));
    let more = json_lines(&output).remove(0);
    assert_eq!((&more["games"], &more["dir"]), (&8.into(), &report["dir"]));
    let nothing = [&longer[..], &["--no-keep"]].concat();
    let output = test("builtin:greedy", "builtin:random", &nothing);
    let nothing = json_lines(&output).remove(0);
    assert_eq!((&nothing["llr"], &nothing["dir"]), (&more["llr"], &Value::Null));
    assert_eq!(report["faults"], serde_json::json!({ "new": {}, "old": {} }));
    let output = test("builtin:greedy", &brain("abort"), &short);
    let report = json_lines(&output).remove(0);
    assert_eq!(report["faults"], serde_json::json!({ "new": {}, "old": { "crash": 4 } }));
    let output = test(&brain("good"), "./nobody", &better);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_test_with_many_seats_plays_among_copies_from_every_seat() {
    let folder = Folder::new("sequential-seats");
    let args = ["test", "jedna", "builtin:simple", "builtin:random", "--seats", "3", "--json"];
    let output = run(&folder, &[&args[..], &["--elo1", "40"]].concat());
    let report = json_lines(&output).remove(0);
    assert_eq!((&report["verdict"], &report["seats"]), (&"H1".into(), &3.into()));
    assert_eq!(report["new"], "simple");
}

#[test]
fn a_test_in_which_no_game_begins_is_wrong_usage_and_decides_nothing() {
    let folder = Folder::new("test-never-begins");
    std::fs::write(folder.path().join("bot.py"), "import sys\nsys.exit('no such module')\n")
        .expect("writable");
    for old in ["old=python3 bot.py", "builtin:random"] {
        let args = ["test", "gomoku", "new=python3 bot.py", old, "--elo1", "300", "--json"];
        let output = run(&folder, &args);
        assert_eq!(output.status.code(), Some(2), "{old}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{old}: no verdict");
        let said = stderr(&output);
        assert!(said.contains("reached a first turn"), "{said}");
        assert!(said.contains("no such module"), "{said}");
    }
}
