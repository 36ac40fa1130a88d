//! `lanista check`: what it says of good bots and of broken ones, and whether the host agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{Folder, json_lines, run, stderr, stdout};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The example bots that are held to every promise: the game, the folder, the program in it, and a short game of it.
const GOOD: &[(&str, &str, &str, &[&str])] = &[
    ("gomoku", "examples/bots/gomoku/python", "brain.py", &["--set", "size=9"]),
    (
        "pyrat",
        "examples/bots/pyrat/python",
        "hunter.py",
        &["--set", "preset=tiny", "--set", "max_turns=6", "--set", "preprocessing_ms=300"],
    ),
    ("jedna", "examples/bots/jedna/tidy-python", "bot.py", &["--set", "max_turns=40"]),
    ("ants", "examples/bots/ants/python", "gatherer.py", &["--set", "max_turns=5"]),
    ("petri", "examples/bots/petri/colony-python", "agent.py", &["--set", "max_ticks=3"]),
];

fn of_game(
    game: &str,
) -> &'static (&'static str, &'static str, &'static str, &'static [&'static str]) {
    GOOD.iter().find(|good| good.0 == game).expect("there is an example bot for every game")
}

/// The example bot of a game behind a program that spoils what it says.
fn mutant(folder: &Folder, mode: &str, game: &str) -> String {
    let (_, home, program, _) = of_game(game);
    let files = std::fs::read_dir(root().join(home)).expect("the example is there").flatten();
    let script = root().join("crates/lanista/tests/bots/mutant.py");
    for file in files.map(|file| file.path()).chain([script]) {
        let name = file.file_name().expect("a file has a name").to_owned();
        if file.is_file() && name != "bot.toml" {
            std::fs::copy(&file, folder.path().join(name)).expect("it can be copied");
        }
    }
    format!("python3 mutant.py {mode} python3 {program}")
}

/// Nobody waits longer for broken bots that say nothing.
const START_MS: &str = "3000";

/// Runs some checks, or all, and returns the status of each; `slow` is a warning about time alone.
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
    let status = |line: &Value| {
        let findings = line["findings"].as_array().expect("a list");
        // The machine may be busy.
        match line["status"] == "warn" && findings.iter().all(|finding| finding["about"] == "time")
        {
            true => "slow".to_owned(),
            false => text(&line["status"]),
        }
    };
    let statuses: BTreeMap<String, String> =
        checks.map(|line| (text(&line["check"]), status(line))).collect();
    let failed = statuses.values().any(|status| status == "fail");
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{lines:?}");
    statuses
}

/// A good bot keeps every promise, and does not forfeit in a match.
fn is_good(game: &str) {
    let folder = Folder::new(&format!("check-good-{game}"));
    let (_, bot, _, short) = of_game(game);
    let bot = root().join(bot).display().to_string();
    let statuses = checked(&folder, game, &bot, &[]);
    assert!(statuses.len() >= 30, "{game}: {statuses:?}");
    for (name, status) in &statuses {
        // The example is slow on the largest map there is; that costs turns, not the game.
        let known = (game, name.as_str(), status.as_str())
            == ("ants", "reads-the-largest-message-in-time", "warn");
        assert!(
            known || ["pass", "note", "skip", "slow"].contains(&&**status),
            "{game}: {name}: {status}"
        );
    }
    let mut args =
        vec!["play", game, &bot, "builtin:random", "--games", "2", "--json", "--no-replay"];
    args.extend(*short);
    for report in json_lines(&run(&folder, &args)) {
        for player in report["players"].as_array().expect("players") {
            assert_eq!(player["faults"], Value::Array(Vec::new()), "{game}: {report}");
        }
    }
}

#[test]
fn a_good_brain_passes_every_check() {
    is_good("gomoku");
}

#[test]
fn a_good_rat_passes_every_check() {
    is_good("pyrat");
}

#[test]
fn a_good_card_player_passes_every_check() {
    is_good("jedna");
}

#[test]
fn a_good_colony_of_ants_passes_every_check() {
    is_good("ants");
}

#[test]
fn a_good_organism_passes_every_check() {
    is_good("petri");
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
    ("pyrat", "garbage", "answers-go-with-one-move", Some("timeout")),
    ("pyrat", "silent", "answers-pyrat-with-pyratready", Some("not-ready")),
    ("pyrat", "crash", "answers-go-with-one-move", Some("crash")),
    ("pyrat", "bare", "answers-go-with-one-move", Some("bad-input")),
    ("pyrat", "banner", "says-only-what-the-protocol-knows", None),
    ("jedna", "garbage", "answers-a-request-with-one-object", Some("bad-input")),
    ("jedna", "crash", "answers-a-request-with-one-object", Some("crash")),
    ("jedna", "banner", "says-nothing-but-objects", None),
    ("jedna", "broken", "answers-a-request-with-one-object", Some("bad-input")),
    ("ants", "garbage", "answers-the-first-message", Some("bad-input")),
    ("ants", "crash", "answers-the-first-message", Some("crash")),
    ("ants", "others", "answers-the-first-message", None),
    ("petri", "garbage", "answers-with-a-known-action", Some("bad-input")),
    ("petri", "broken", "answers-with-a-known-action", Some("bad-input")),
    ("petri", "crash", "answers-with-a-known-action", Some("crash")),
];

#[test]
fn what_the_host_finds_in_a_match_a_check_finds_too() {
    agree("gomoku");
}

#[test]
fn host_and_checks_agree_in_the_other_games() {
    ["pyrat", "jedna", "ants", "petri"].into_iter().for_each(agree);
}

fn agree(of: &str) {
    let folder = Folder::new(&format!("check-broken-{of}"));
    let short = of_game(of).3;
    for (game, mode, name, fault) in BROKEN.iter().filter(|broken| broken.0 == of) {
        let bot = mutant(&folder, mode, game);
        let statuses = checked(&folder, game, &bot, &[name]);
        let expected = if fault.is_some() { "fail" } else { "warn" };
        assert_eq!(statuses[*name], expected, "{game} {mode}");
        let mut args = vec!["play", game, &bot, "builtin:random", "--json", "--no-replay"];
        args.extend(["--start-ms", START_MS, "--timeout-ms", "1000"]);
        args.extend(short);
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
    let bot = mutant(&folder, "garbage", "gomoku");
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
