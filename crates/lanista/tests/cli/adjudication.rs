//! Matches that are ended before their rules do.

use serde_json::{Value, json};

use crate::common::{Folder, json_lines, run, stderr, stdout};

/// Two events; the second says for itself when its games are ended.
const CUP: &str = r#"
name = "cup"
seed = 1
adjudication = { turns = 60, lead = 3, lead_turns = 4 }
rounds = 4
[[bots]]
name = "strong"
bot = "builtin:greedy"
[[bots]]
name = "weak"
bot = "builtin:random"
[[events]]
game = "pyrat"
setup = { preset = "small", preprocessing_ms = 0 }
[[events]]
game = "gomoku"
adjudication = { turns = 5 }
"#;

fn cup(folder: &Folder, text: &str) -> std::process::Output {
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
    run(folder, &["run", "cup.toml", "--quiet"])
}

#[test]
fn a_tournament_ends_its_games_as_its_file_says_and_the_replays_prove_it() {
    let folder = Folder::new("adjudication");
    let output = cup(&folder, CUP);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let results = |event: &str| {
        json_lines(&run(&folder, &["results", "runs/cup", "--event", event, "--json"]))
    };
    let (mazes, boards) = (results("pyrat"), results("gomoku"));
    assert_eq!((mazes.len(), boards.len()), (4, 4));
    for game in &mazes {
        let reason = game["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("adjudicated: strong "), "{reason}");
        assert!(reason.ends_with("was ahead by 3 points or more for 4 turns"), "{reason}");
        let first = game["players"].as_array().into_iter().flatten().find(|p| p["rank"] == 1);
        assert_eq!(first.expect("somebody won")["name"], "strong");
        let score = |seat: usize| game["players"][seat]["score"].as_f64().expect("a score");
        assert!((score(0) - score(1)).abs() >= 3.0, "{game}");
    }
    for game in &boards {
        assert_eq!((&game["turns"], &game["outcome"]), (&5.into(), &"draw".into()));
        assert_eq!(game["reason"], "adjudicated: as it stood after 5 turns");
        assert_eq!(game["ending"]["by"], "adjudication");
        assert_eq!(game["ending"]["why"], "turns");
    }
    for (event, number) in [("pyrat", "1"), ("pyrat", "4"), ("gomoku", "2")] {
        let replay = ["replay", "runs/cup", number, "--event", event];
        let output = run(&folder, &[&replay[..], &["--verify"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let header = json_lines(&run(&folder, &[&replay[..], &["--json"]].concat())).remove(0);
        let turns = if event == "pyrat" { 60 } else { 5 };
        assert_eq!(header["adjudication"]["turns"], turns);
    }
    // Games that were ended by one rule are not mixed with games that were ended by another.
    let output = cup(&folder, &CUP.replace("lead = 3", "lead = 2"));
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("- pyrat: adjudication.lead was 3") && !text.contains("gomoku"),
        "{text}"
    );
    let output = cup(&folder, &CUP.replace("adjudication = { turns = 5 }", "adjudication = {}"));
    assert_eq!(output.status.code(), Some(2));
    let words = "gomoku: adjudication was {\"turns\":5}, and is not set now";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
}

#[test]
fn an_adjudication_that_cannot_be_is_refused_with_what_can() {
    let folder = Folder::new("no-adjudication");
    let refused = |adjudication: &str, words: &[&str]| {
        let output = cup(&folder, &CUP.replace("{ turns = 5 }", adjudication));
        assert_eq!(output.status.code(), Some(2), "{adjudication}");
        let said = stderr(&output);
        assert!(words.iter().all(|word| said.contains(word)), "{adjudication}: {said}");
    };
    refused("{ turn = 5 }", &["there is no key \"turn\" here", "turns, lead, lead_turns"]);
    refused("{ turns = 0 }", &["turns must be at least 1"]);
    refused("{ lead_turns = 5 }", &["there is no lead"]);
    refused("{ lead = -1 }", &["lead must be above zero"]);
    refused("{ turns = 5, lead = 1, lead_turns = 9 }", &["never comes about"]);
    refused("{ lead = 2 }", &["event 2", "gomoku counts no points", "turns can end"]);
}

#[test]
fn single_games_and_tests_can_be_ended_early_too() {
    let folder = Folder::new("play-adjudication");
    let bots = ["gomoku", "builtin:greedy", "builtin:random"];
    let early = ["--json", "--adjudicate-turns", "6"];
    let report = json_lines(&run(&folder, &[&["play"], &bots[..], &early[..]].concat())).remove(0);
    assert_eq!((&report["turns"], &report["outcome"]), (&6.into(), &"draw".into()));
    let file = report["replay"].as_str().expect("a replay");
    assert_eq!(run(&folder, &["replay", file, "--verify"]).status.code(), Some(0));
    let few = ["--max-games", "4"];
    let report =
        json_lines(&run(&folder, &[&["test"], &bots[..], &early[..], &few[..]].concat())).remove(0);
    assert_eq!(report["counts"], json!([0, 4, 0]));
    let output = run(&folder, &[&["play"], &bots[..], &["--adjudicate-lead", "2"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("gomoku counts no points"), "{}", stderr(&output));
}

/// A PyRat bot that forgets the word `move`.
const BARE: &str = r#"
import sys
for line in sys.stdin:
    word = line.split()[0]
    answer = {"pyrat": "pyratready", "startpreprocessing": "preprocessingdone", "go": "RIGHT", "ready?": "ready"}.get(word)
    if answer:
        print(answer, flush=True)
"#;

#[test]
fn a_bot_that_fails_again_and_again_is_given_up_and_the_replay_proves_it() {
    let folder = Folder::new("max-faults");
    std::fs::write(folder.path().join("bare.py"), BARE).expect("writable");
    let mut args = vec!["play", "pyrat", "bare=python3 bare.py", "builtin:greedy", "--json"];
    args.extend(["--seed", "1", "--timeout-ms", "100", "--max-faults", "3"]);
    args.extend(["--set", "preset=small", "--set", "preprocessing_ms=0"]);
    let report = json_lines(&run(&folder, &args)).remove(0);
    let forfeits = &report["ending"]["forfeits"][0];
    let found = (&forfeits["seat"], &forfeits["fault"], &forfeits["by"]);
    assert_eq!(found, (&0.into(), &"timeout".into(), &"max-faults".into()), "{report}");
    let faults = report["players"][0]["faults"].as_array().expect("a list");
    let details: Vec<&str> = faults.iter().filter_map(|fault| fault["detail"].as_str()).collect();
    assert_eq!(details[0], "\"RIGHT\" is not an answer; the answer is \"move RIGHT\"");
    assert!(details[1].ends_with("it said \"RIGHT\", which is not an answer"), "{details:?}");
    assert!(details[5].ends_with("; 3 faults in a row"), "{details:?}");
    let replay = report["replay"].as_str().expect("a replay was written");
    assert_eq!(run(&folder, &["replay", replay, "--verify"]).status.code(), Some(0));
    let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
    assert!(lines.contains(" greedy * plays "), "{lines}");
}

#[test]
fn a_game_may_give_up_a_bot_without_being_asked_and_zero_switches_that_off() {
    let folder = Folder::new("usual-max-faults");
    let (mute, babbler) =
        ("while read -r line; do :; done", "while read -r line; do echo '{}'; done");
    std::fs::write(folder.path().join("mute.sh"), mute).expect("writable");
    std::fs::write(folder.path().join("babbler.sh"), babbler).expect("writable");
    // Nobody here can be made late by a busy machine: they never answer.
    let played = |more: &[&str]| {
        let mut args = vec!["play", "ants", "sh mute.sh", "sh mute.sh", "--json", "--seed", "1"];
        args.extend(["--timeout-ms", "5", "--margin-ms", "0", "--set", "max_turns=25"]);
        args.extend(more);
        json_lines(&run(&folder, &args)).remove(0)
    };
    let faults = |report: &Value| report["players"][0]["faults"].as_array().map(Vec::len);
    let usual = played(&[]);
    let given_up = |seat| json!({"seat": seat, "fault": "timeout", "by": "max-faults"});
    assert_eq!(usual["ending"]["forfeits"], json!([given_up(0), given_up(1)]), "{usual}");
    assert_eq!(faults(&usual), Some(20), "{usual}");
    let replay = usual["replay"].as_str().expect("a replay was written");
    let header = json_lines(&run(&folder, &["replay", replay, "--json"])).remove(0);
    assert_eq!(header["adjudication"], json!({"max_faults": 20}));
    assert_eq!(run(&folder, &["replay", replay, "--verify"]).status.code(), Some(0));
    let never = played(&["--max-faults", "0"]);
    assert_eq!(never["ending"]["forfeits"], json!([]), "{never}");
    assert_eq!(faults(&never), Some(25), "{never}");
    let score = |report: &Value| report["players"][0]["score"].clone();
    assert_eq!(score(&usual), score(&never), "its ants rest in both");
    // The cards that the host draws for it are answers that it did not give, and so is passing.
    let args = ["play", "jedna", "sh babbler.sh", "builtin:random", "--json", "--seed", "1"];
    let cards = json_lines(&run(&folder, &args)).remove(0);
    let left = json!([{"seat": 0, "fault": "bad-input", "by": "max-faults"}]);
    assert_eq!(cards["ending"]["forfeits"], left, "{cards}");
    let listed = stdout(&run(&folder, &["games", "ants"]));
    assert!(listed.contains("given up after 20 faults in a row"), "{listed}");
    let listed = json_lines(&run(&folder, &["games", "pyrat", "--json"])).remove(0);
    assert_eq!(listed["max_faults"], Value::Null, "its protocol promises that it goes on");
}

/// As in runs of versions that had no such default.
#[test]
fn a_run_goes_on_with_what_it_began_with_where_its_file_does_not_say_when_to_give_up() {
    let folder = Folder::new("old-max-faults");
    let cup = |rounds: u32, terms: &str| {
        let text = format!(
            "game = 'ants'\nseed = 1\nrounds = {rounds}\n[setup]\nmax_turns = 3\n{terms}\n\
             [[bots]]\nbot = 'builtin:simple'\n[[bots]]\nbot = 'builtin:random'\n"
        );
        std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
        let output = run(&folder, &["run", "cup.toml", "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let standings = run(&folder, &["standings", "runs/cup", "--json"]);
        json_lines(&standings).remove(0)["adjudication"].clone()
    };
    assert_eq!(cup(1, "[adjudication]\nmax_faults = 0\n"), json!({}));
    assert_eq!(cup(2, ""), json!({}));
    std::fs::remove_dir_all(folder.path().join("runs")).expect("it is there");
    assert_eq!(cup(1, ""), json!({"max_faults": 20}));
}
