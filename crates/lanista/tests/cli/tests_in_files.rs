//! Sequential tests as parts of a tournament file.

use serde_json::Value;

use crate::common::{Folder, json_lines, run, stderr, wait_until};

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
        "elo1 belongs to a test",
    );
    refused("game = \"gomoku\"\n[[tests]]\nnew = \"builtin:random\"\n", "old");
}
