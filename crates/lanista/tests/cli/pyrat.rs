//! PyRat from the command line: clients that keep count themselves, and bots with bad habits.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Folder, json_lines, run, stderr, stdout};

/// The reference client, which the test bots are made of.
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bots/pyrat/python");

/// A test bot with a habit, as a bot argument. It may read what its arguments name.
fn rat(habit: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/rat.py");
    format!("{habit}=python3 {script} {habit} {CLIENT}")
}

/// Plays a short game of a bot with a habit; gives the report and every line that was said.
fn game(habit: &str, more: &[&str]) -> (Value, String) {
    let folder = Folder::new(&format!("pyrat-{habit}"));
    let rat = rat(habit);
    let mut args = vec!["play", "pyrat", &rat, "builtin:random", "--json", "--seed", "3"];
    args.extend(["--set", "preset=tiny", "--set", "max_turns=20", "--timeout-ms", "1000"]);
    args.extend(more);
    let output = run(&folder, &args);
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    let replay = report["replay"].as_str().expect("a replay was written");
    assert_eq!(run(&folder, &["replay", replay, "--verify"]).status.code(), Some(0), "{habit}");
    let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
    assert!(!lines.contains("out of step"), "{habit}: {lines}");
    (report, lines)
}

/// The kinds of the bot's faults, with their turns.
fn faults(report: &Value) -> Vec<(u64, String)> {
    let faults = report["players"][0]["faults"].as_array().expect("a list");
    let fault = |fault: &Value| {
        let kind = fault["kind"].as_str().expect("a kind").to_owned();
        (fault["turn"].as_u64().expect("a turn"), kind)
    };
    faults.iter().map(fault).collect()
}

fn fault(turn: u64, kind: &str) -> (u64, String) {
    (turn, kind.to_owned())
}

/// What a tracking client said it saw: the turn, and the state in the words of a replay.
fn seen(line: &str) -> Option<(usize, Value)> {
    let words: Vec<&str> = line.split("info string seen ").nth(1)?.split(' ').collect();
    let number = |at: usize| words[at].parse::<f64>().expect("a number");
    let whole = |at: usize| number(at) as u64;
    let player = |from: usize| {
        let at = [whole(from), whole(from + 1)];
        json!({ "at": at, "mud": whole(from + 2), "score": number(from + 3) })
    };
    Some((number(0) as usize, json!([player(1), player(5), whole(9)])))
}

/// Plays clients of a habit against each other and compares every state they saw with the
/// replay. Gives the reports and how many states were compared.
fn tracked(habit: &str, games: &str) -> (Vec<Value>, usize) {
    let folder = Folder::new(&format!("pyrat-{habit}"));
    let one = rat(habit);
    let other = format!("other={}", one.split_once('=').expect("it has a name").1);
    let mut args = vec!["play", "pyrat", &one, &other, "--games", games, "--seed", "1", "--json"];
    args.extend(["--set", "preset=tiny", "--set", "mud_density=0.4", "--set", "wall_density=0.4"]);
    let output = run(&folder, &args);
    let reports = json_lines(&output);
    assert_eq!(reports.len().to_string(), games, "{}", stderr(&output));
    let mut compared = 0;
    for report in &reports {
        let replay = report["replay"].as_str().expect("a replay was written");
        let steps = json_lines(&run(&folder, &["replay", replay, "--json"]));
        let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
        assert!(!lines.contains("out of step"), "{lines}");
        for (turn, seen) in lines.lines().filter_map(seen).filter(|(turn, _)| *turn > 0) {
            // The first line is the header, so that the state after a turn is at its number.
            let state = &steps[turn]["state"];
            let left = state["cheese"].as_array().expect("a list").len();
            let real = json!([state["rat"], state["python"], left]);
            assert_eq!(seen, real, "turn {turn} of {replay}");
            compared += 1;
        }
    }
    (reports, compared)
}

#[test]
fn clients_that_track_the_game_never_go_out_of_step() {
    let (reports, compared) = tracked("track", "50");
    for player in reports.iter().flat_map(|report| report["players"].as_array()).flatten() {
        assert_eq!(player["faults"], json!([]));
    }
    assert!(compared > 2000, "only {compared} states were compared");
}

#[test]
fn clients_that_crash_are_in_step_again_after_recovery_even_in_mud() {
    let (reports, compared) = tracked("track-and-crash", "10");
    for player in reports.iter().flat_map(|report| report["players"].as_array()).flatten() {
        assert_eq!(player["faults"].as_array().map(Vec::len), Some(3), "{player}");
    }
    assert!(compared > 200, "only {compared} states were compared");
}

#[test]
fn one_that_sleeps_is_started_anew_and_plays_on() {
    let (report, lines) = game("sleep", &[]);
    assert_eq!(faults(&report), [fault(6, "timeout"), fault(7, "not-ready")], "{lines}");
    assert_eq!((&report["turns"], &report["players"][0]["moves"]), (&json!(20), &json!(18)));
    for line in ["> timeout move:STAY", "> ready?", "> recover", "> moves_history "] {
        assert!(lines.contains(line), "{line} is missing in {lines}");
    }
}

#[test]
fn one_that_is_ready_late_plays_on_and_its_late_move_is_not_played() {
    let (report, lines) = game("late", &[]);
    assert_eq!(faults(&report), [fault(6, "timeout")], "{lines}");
    assert!(lines.contains("came after its time was up"), "{lines}");
    assert!(!lines.contains("> recover"), "{lines}");
}

#[test]
fn an_exit_in_mid_game_is_a_crash_whatever_the_code() {
    for (habit, how) in [("exit", "exited with code 0"), ("killed", "killed by signal 9")] {
        let (report, lines) = game(habit, &[]);
        assert_eq!(faults(&report), [fault(6, "crash")], "{lines}");
        assert!(lines.contains(how) && lines.contains("> recover"), "{lines}");
        assert_eq!(report["players"][0]["moves"], 19);
    }
}

#[test]
fn the_quirks_of_real_clients_cost_nothing_but_what_they_are_late_for() {
    let (report, lines) = game("quirky", &[]);
    assert_eq!(faults(&report), [fault(6, "timeout")], "{lines}");
    assert!(lines.contains("> timeout postprocessing"), "{lines}");
    let (report, _) = game("wrong", &[]);
    assert_eq!(faults(&report), [fault(6, "bad-input")]);
}

#[test]
fn a_bot_that_is_told_to_stop_answers_in_time() {
    let (report, lines) = game("stop", &["--set", "stop_margin_ms=200"]);
    assert_eq!(faults(&report), [], "{lines}");
    assert_eq!(lines.matches("> stop").count(), 1);
}

#[test]
fn options_come_from_the_manifest_and_are_checked() {
    let folder = Folder::new("pyrat-options");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/rat.py");
    let play = |depth: u32| {
        let manifest = format!(
            "name = 'deep'\ngame = 'pyrat'\ncommand = ['python3', '{script}', 'options']\n\
             options = {{ Depth = {depth} }}\n[cage]\nread = ['{CLIENT}']\n"
        );
        std::fs::write(folder.path().join("bot.toml"), manifest).expect("writable");
        let args =
            ["play", "pyrat", "bot.toml", "builtin:random", "--json", "--set", "preset=tiny"];
        // Its files lie outside of its folder.
        let more = ["--allow-read", script, "--allow-read", CLIENT];
        run(&folder, &[&args[..], &more].concat())
    };
    let output = play(4);
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    let replay = report["replay"].as_str().expect("a replay was written");
    let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
    assert!(lines.contains("> setoption name Depth value 4"), "{lines}");
    // Nobody wins a game by somebody else's manifest.
    let refused = play(99);
    assert_eq!((refused.status.code(), stdout(&refused).as_str()), (Some(2), ""));
    let why = "deep: option Depth takes 1 to 10, not \"99\"";
    assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    let cup = format!(
        "name = 'cup'\ngame = 'pyrat'\n[setup]\npreset = 'tiny'\n\
         [[bots]]\nbot = 'builtin:greedy'\n[[bots]]\nbot = 'builtin:random'\n\
         [[bots]]\nbot = 'bot.toml'\nread = ['{script}', '{CLIENT}']\n"
    );
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    let refused = run(&folder, &["run", "cup.toml"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    let results = stdout(&run(&folder, &["results", "runs/cup", "--json"]));
    assert_eq!(results, "", "no game is played before that is known");
}

#[test]
fn what_bots_say_is_shown_under_the_picture() {
    let folder = Folder::new("pyrat-watch");
    let flood = rat("flood");
    let args = ["play", "pyrat", &flood, "builtin:greedy", "--watch", "--seed", "3"];
    let shown = stdout(&run(&folder, &[&args[..], &["--set", "preset=tiny"]].concat()));
    assert!(shown.contains("\nflood: depth 19999 xxx"), "{shown}");
    assert!(shown.contains("turn 1/150  cheese 13\nrat flood 0   python greedy 0\n"), "{shown}");
}

#[test]
fn the_example_bots_play_without_a_fault() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bots/pyrat");
    let mut bots = vec![format!("{examples}/python")];
    match Command::new("node").arg("--version").output() {
        Ok(_) => bots.push(format!("{examples}/javascript")),
        Err(_) => eprintln!("NOT RUN: the example in JavaScript, because node is missing"),
    }
    let folder = Folder::new("pyrat-examples");
    for bot in bots {
        let more = ["--games", "4", "--json", "--set", "preset=small", "--set", "isready_ms=5"];
        let output =
            run(&folder, &[&["play", "pyrat", &bot, "builtin:greedy"], &more[..]].concat());
        let reports = json_lines(&output);
        assert_eq!(reports.len(), 4, "{}", stderr(&output));
        for report in reports {
            let players = report["players"].as_array().expect("a list");
            assert!(players.iter().all(|player| player["faults"] == json!([])), "{report}");
            let replay = report["replay"].as_str().expect("a replay was written");
            let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
            assert!(!lines.contains("out of step"), "{lines}");
        }
    }
}
