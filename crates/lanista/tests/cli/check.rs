//! `lanista check`: what it says of good bots and of broken ones, and whether the host agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{Folder, json_lines, run, stderr, stdout};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The example bots that are held to every promise.
const GOOD: &[(&str, &str)] = &[("gomoku", "examples/bots/gomoku/python")];

/// A bot behind a program that spoils what it says.
fn mutant(folder: &Folder, mode: &str, bot: &str) -> String {
    for (from, to) in [("crates/lanista/tests/bots/mutant.py", "mutant.py"), (bot, "bot.py")] {
        std::fs::copy(root().join(from), folder.path().join(to)).expect("it can be copied");
    }
    format!("python3 mutant.py {mode} python3 bot.py")
}

/// Nobody waits longer for broken bots that say nothing.
const START_MS: &str = "1000";

/// Runs some checks, or all, and returns the status of each.
fn checked(folder: &Folder, game: &str, bot: &str, only: &[&str]) -> BTreeMap<String, String> {
    let mut args = vec!["check", game, bot, "--json"];
    if !only.is_empty() {
        args.extend(["--start-ms", START_MS]);
    }
    args.extend(only.iter().flat_map(|name| ["--only", name]));
    let output = run(folder, &args);
    let lines = json_lines(&output);
    assert!(!lines.is_empty(), "{}", stderr(&output));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let checks = lines.iter().filter(|line| line["check"].is_string());
    let statuses: BTreeMap<String, String> =
        checks.map(|line| (text(&line["check"]), text(&line["status"]))).collect();
    let failed = statuses.values().any(|status| status == "fail");
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{lines:?}");
    statuses
}

#[test]
fn a_good_bot_passes_every_check_and_does_not_forfeit() {
    let folder = Folder::new("check-good");
    for (game, bot) in GOOD {
        let bot = root().join(bot).display().to_string();
        let statuses = checked(&folder, game, &bot, &[]);
        assert!(statuses.len() >= 15, "{game}: {statuses:?}");
        for (name, status) in &statuses {
            assert!(["pass", "note", "skip"].contains(&&**status), "{game}: {name}: {status}");
        }
        let args = ["play", game, &bot, "builtin:random", "--games", "2", "--json", "--no-replay"];
        for report in json_lines(&run(&folder, &args)) {
            for player in report["players"].as_array().expect("players") {
                assert_eq!(player["faults"], Value::Array(Vec::new()), "{game}: {report}");
            }
        }
    }
}

#[test]
fn every_game_has_enough_checks_and_every_section_exists() {
    for game in games::GAMES {
        let card = game.card();
        let checks = check::checks(&card);
        let names: BTreeSet<&str> = checks.iter().map(|check| check.name).collect();
        assert_eq!(names.len(), checks.len(), "{}: a name stands for two checks", card.id);
        for check in checks {
            let (page, anchor) = check.section.split_once('#').expect("a page and a section");
            let text = std::fs::read_to_string(root().join("docs").join(page)).expect(page);
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let anchors: Vec<String> = headings.map(anchor_of).collect();
            assert!(anchors.iter().any(|it| it == anchor), "{}: {}", check.name, check.section);
            let plain = |letter: char| {
                letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'
            };
            assert!(check.name.chars().all(plain) && check.name.len() <= 48, "{}", check.name);
            assert!(check.rule.ends_with('.') && !check.hint.is_empty(), "{}", check.name);
        }
    }
}

/// The anchor that a heading has on a page.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept =
        text.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.collect::<String>().replace(' ', "-")
}

/// What is broken, the check that says so, and the fault that the host finds in a match (none where it
/// overlooks it: then the check only warns).
const BROKEN: &[(&str, &str, &str, Option<&str>)] = &[
    ("gomoku", "garbage", "answers-begin-with-a-cell", Some("bad-input")),
    ("gomoku", "silent", "answers-start-with-ok", Some("not-ready")),
    ("gomoku", "crash", "answers-turn-with-a-free-cell", Some("crash")),
    ("gomoku", "half", "answers-start-with-ok", Some("not-ready")),
    ("gomoku", "stale", "answers-turn-with-a-free-cell", Some("illegal")),
    ("gomoku", "twice", "answers-each-question-once", None),
    ("gomoku", "banner", "says-nothing-before-it-is-asked", None),
];

#[test]
fn what_the_host_finds_in_a_match_a_check_finds_too() {
    let folder = Folder::new("check-broken");
    for (game, mode, name, fault) in BROKEN {
        let bot = mutant(&folder, mode, &format!("{}/brain.py", GOOD[0].1));
        let statuses = checked(&folder, game, &bot, &[name]);
        let expected = if fault.is_some() { "fail" } else { "warn" };
        assert_eq!(statuses[*name], expected, "{game} {mode}");
        let mut args = vec!["play", game, &bot, "builtin:random", "--json", "--no-replay"];
        args.extend(["--start-ms", START_MS, "--timeout-ms", "1000"]);
        let reports = json_lines(&run(&folder, &args));
        let faults = reports[0]["players"][0]["faults"].as_array().expect("faults").clone();
        let kinds: Vec<&str> = faults.iter().filter_map(|fault| fault["kind"].as_str()).collect();
        match fault {
            Some(fault) => assert!(kinds.contains(fault), "{game} {mode}: {kinds:?}"),
            None => {
                assert!(reports[0]["ending"]["left"].as_array().is_none_or(Vec::is_empty), "{mode}")
            }
        }
    }
}

#[test]
fn a_failure_is_explained_and_fits_into_eighty_columns() {
    let folder = Folder::new("check-text");
    let bot = mutant(&folder, "garbage", "examples/bots/gomoku/python/brain.py");
    let name = "answers-begin-with-a-cell";
    let args = ["check", "gomoku", &bot, "--only", name, "--transcript", "all.txt"];
    let output = run(&folder, &args);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "FAIL [",
        "failed in 3 of 3 runs",
        "no answer after",
        "> START 20\\r\\n",
        "< \\x1b[31mgarbage",
        "docs/games/gomoku.md#writing-a-brain",
        "--only answers-begin-with-a-cell",
        "1 check: 1 failed",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\x1b'), "{text}");
    let long = text.lines().find(|line| line.chars().count() > 80);
    assert_eq!(long, None);
    let all = std::fs::read_to_string(folder.path().join("all.txt")).expect("it was written");
    assert!(all.starts_with("# answers-begin-with-a-cell fail\n"), "{all}");
}

#[test]
fn wrong_names_and_built_in_bots_are_refused() {
    let folder = Folder::new("check-usage");
    let output = run(&folder, &["check", "gomoku", "x", "--only", "answers-start-with-o"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("did you mean \"answers-start-with-ok\"?"),
        "{}",
        stderr(&output)
    );
    let output = run(&folder, &["check", "gomoku", "builtin:greedy"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is no program"), "{}", stderr(&output));
    let output = run(&folder, &["check", "gomoku"]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&folder, &["check", "gomoku", "--list"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("must   answers-start-with-ok"), "{}", stdout(&output));
}
