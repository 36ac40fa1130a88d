//! `lanista check`: what it says of good bots and of broken ones, and whether the host agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::Value;

use crate::common::{Folder, json_lines, run, stderr, stdout};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Example bots without a fault: the game, the folder, the program in it, and a short game of it.
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

/// Bots that get so far have answered.
const START_MS: &str = "3000";
/// Nobody waits longer for bots that never do.
const SILENT_MS: &str = "300";

/// What came of a check. The machine may be busy: a warning about time alone is `slow`.
fn status(line: &Value) -> String {
    let findings = line["findings"].as_array().expect("a list");
    match line["status"] == "warn" && findings.iter().all(|finding| finding["about"] == "time") {
        true => "slow".to_owned(),
        false => line["status"].as_str().expect("a text").to_owned(),
    }
}

/// Runs some checks, or all, and returns the status of each; `slow` is a warning about time alone.
fn checked(folder: &Folder, game: &str, bot: &str, options: &[&str]) -> BTreeMap<String, String> {
    let mut args = vec!["check", game, bot, "--json"];
    args.extend(options);
    let output = run(folder, &args);
    let lines = json_lines(&output);
    assert!(!lines.is_empty(), "{}", stderr(&output));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let checks = lines.iter().filter(|line| line["check"].is_string());
    let statuses: BTreeMap<String, String> =
        checks.map(|line| (text(&line["check"]), status(line))).collect();
    let failed = statuses.values().any(|status| status == "fail");
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{lines:?}");
    statuses
}

/// The kit of a game keeps every promise.
fn is_good(game: &str) {
    let folder = Folder::new(&format!("check-good-{game}"));
    let made = run(&folder, &["new", game, "kit", "--lang", "python"]);
    assert!(made.status.success(), "{}", stderr(&made));
    let statuses = checked(&folder, game, "kit", &[]);
    assert!(statuses.len() >= 30, "{game}: {statuses:?}");
    for (name, status) in &statuses {
        assert!(["pass", "note", "skip", "slow"].contains(&&**status), "{game}: {name}: {status}");
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
    // Most of the time nothing happens: bots do not answer.
    let rest = Mutex::new(BROKEN.iter());
    std::thread::scope(|scope| {
        let turn = || {
            while let Some(broken) = { rest.lock().expect("nobody panics").next() } {
                agree(broken);
            }
        };
        (0..4).for_each(|_| drop(scope.spawn(turn)));
    });
}

fn agree(&(game, mode, name, fault): &(&str, &str, &str, Option<&str>)) {
    let folder = Folder::new(&format!("check-{game}-{mode}"));
    let bot = mutant(&folder, mode, game);
    let start = if fault == Some("not-ready") { SILENT_MS } else { START_MS };
    let statuses = checked(&folder, game, &bot, &["--start-ms", start, "--only", name]);
    let expected = if fault.is_some() { "fail" } else { "warn" };
    assert_eq!(statuses[name], expected, "{game} {mode}");
    let mut args = vec!["play", game, &bot, "builtin:random", "--json", "--no-replay"];
    args.extend(["--start-ms", start, "--timeout-ms", "1000"]);
    args.extend(of_game(game).3);
    let reports = json_lines(&run(&folder, &args));
    let faults = reports[0]["players"][0]["faults"].as_array().expect("faults").clone();
    let kinds: Vec<&str> = faults.iter().filter_map(|fault| fault["kind"].as_str()).collect();
    match fault {
        Some(fault) => assert!(kinds.contains(&fault), "{game} {mode}: {kinds:?}"),
        None => {
            assert!(reports[0]["ending"]["left"].as_array().is_none_or(Vec::is_empty), "{mode}")
        }
    }
}

/// A mistake that authors make, a check that finds it, what comes of that, and words that name the mistake.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("unflushed", "answers-start-with-ok", "fail", "flush after every line"),
    ("prompt", "answers-start-with-ok", "fail", "a prompt, as of input"),
    ("mark", "answers-start-with-ok", "fail", "a byte order mark"),
    ("cr", "understands-cr-lf", "warn", "the CR is taken for a part of the word"),
    ("debug", "plays-a-game-in-the-first-seat", "warn", "goes to standard error"),
    ("edge", "plays-the-last-cell-if-it-is-the-last", "fail", "the search leaves out the edge"),
    ("from-one", "plays-the-last-cell-if-it-is-the-last", "fail", "counted from 0"),
    ("second-game", "plays-on-every-board-it-accepts", "warn", "its lines with ! say where"),
    ("eof", "leaves-when-its-input-ends", "warn", "input() raises EOFError"),
];

#[test]
fn the_mistake_is_named() {
    let script = root().join("crates/lanista/tests/bots/mistaken.py");
    let folder = Folder::new("check-mistakes");
    std::fs::copy(script, folder.path().join("mistaken.py")).expect("it can be copied");
    let rest = Mutex::new(MISTAKES.iter());
    std::thread::scope(|scope| {
        let turn = || {
            while let Some((mistake, name, status, words)) =
                { rest.lock().expect("nobody panics").next() }
            {
                let bot = format!("python3 mistaken.py {mistake}");
                let start = ["--start-ms", if *status == "fail" { "500" } else { START_MS }];
                let args = ["check", "gomoku", &bot, "--json", "--only", name];
                let output = run(&folder, &[&args[..], &start].concat());
                let lines = json_lines(&output);
                let found = lines.iter().find(|line| line["check"] == *name);
                let found = found.unwrap_or_else(|| panic!("{mistake}: {}", stderr(&output)));
                assert_eq!(found["status"], *status, "{mistake}: {found}");
                let told = format!("{} {}", found["findings"][0]["text"], found["hint"]);
                assert!(told.contains(words), "{mistake}: {told}");
            }
        };
        (0..3).for_each(|_| drop(scope.spawn(turn)));
    });
}

#[test]
fn two_runs_say_the_same() {
    for game in games::GAMES {
        let id = game.card().id;
        let folder = Folder::new(&format!("check-again-{id}"));
        let made = run(&folder, &["new", id, "kit", "--lang", "python"]);
        assert!(made.status.success(), "{}", stderr(&made));
        // Some of every kind: all would take a minute.
        let listed = json_lines(&run(&folder, &["check", id, "--list", "--json"]));
        let names: Vec<&str> = listed.iter().filter_map(|check| check["check"].as_str()).collect();
        let mut args = vec!["check", id, "kit", "--json"];
        args.extend(names.iter().step_by(6).flat_map(|name| ["--only", *name]));
        let said = || {
            let lines = json_lines(&run(&folder, &args));
            let checks = lines.iter().filter(|line| line["check"].is_string());
            let plain =
                |line: &Value| (line["check"].clone(), status(line).replace("slow", "pass"));
            checks.map(plain).collect::<Vec<_>>()
        };
        let first = said();
        assert!(first.len() >= 5, "{id}: {first:?}");
        // In the order of the list, whatever order they were named in.
        let order = |name: &Value| names.iter().position(|other| name == other);
        assert!(first.is_sorted_by_key(|(name, _)| order(name)), "{id}: {first:?}");
        assert_eq!(first, said(), "{id}");
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
        "> START 20\\n",
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
