//! Ants from the command line: example bots, shared colonies, clients with known bad habits.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Folder, json_lines, processes_with, run, stderr, stdout};

/// A short game on a small map. Programs need a while to start on a busy machine, and the first
/// message is at once there.
const SHORT: [&str; 10] = [
    "--json",
    "--seed=3",
    "--timeout-ms=20000",
    "--set=width=20",
    "--set=height=14",
    "--set=ants=3",
    "--set=rock=0.05",
    "--set=water=0",
    "--set=max_turns=12",
    "--concurrency=1",
];

fn client(habit: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/ant.py");
    format!("{habit}=python3 {script} {habit}")
}

fn play(folder: &Folder, bots: &[&str], more: &[&str]) -> Value {
    let output = run(folder, &[&["play", "ants"], bots, &SHORT[..], more].concat());
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    let replay = report["replay"].as_str().expect("a replay was written");
    assert_eq!(run(folder, &["replay", replay, "--verify"]).status.code(), Some(0));
    report
}

fn kinds(player: &Value) -> Vec<&str> {
    let faults = player["faults"].as_array().expect("a list");
    faults.iter().filter_map(|fault| fault["kind"].as_str()).collect()
}

#[test]
fn the_example_bots_play_both_versions_without_a_fault() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bots/ants");
    let python = format!("{examples}/python");
    let second = match Command::new("node").arg("--version").output() {
        Ok(_) => format!("{examples}/javascript"),
        Err(_) => {
            eprintln!("NOT RUN: the example in JavaScript, because node is missing");
            format!("other={python}")
        }
    };
    let folder = Folder::new("ants-examples");
    for version in ["seed", "2"] {
        let set = format!("--set=version={version}");
        let more = [&*set, "--set=programs=[2,1]", "--set=max_turns=40"];
        let report = play(&folder, &[&python, &second], &more);
        for player in report["players"].as_array().expect("two players") {
            assert_eq!(player["faults"], json!([]), "{report}");
            assert_eq!(player["moves"], 80, "two programs, forty turns: {report}");
            let score = player["score"].as_f64().expect("a number");
            assert!(score > 300.0, "it has eaten more than it has used up: {report}");
        }
        let replay = report["replay"].as_str().expect("a replay was written");
        let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
        let header = if version == "seed" { "> 0 3 2 1 2\n" } else { "> 0 3 2 1\n" };
        assert!(lines.contains(header), "{lines}");
        let steps = json_lines(&run(&folder, &["replay", replay, "--json"]));
        assert!(steps[1]["moves"]["player1.2"].is_string(), "{}", steps[1]);
        assert_eq!(steps[1]["state"]["ants"].as_array().map(Vec::len), Some(6));
    }
}

#[test]
fn the_crash_of_one_program_leaves_the_others_of_its_colony() {
    let folder = Folder::new("ants-crash");
    let report = play(&folder, &[&client("crash"), "builtin:random"], &["--set=programs=[1,2]"]);
    assert_eq!(report["turns"], 12);
    let player = &report["players"][0];
    // The first program answers three times, the second always.
    assert_eq!((kinds(player), &player["moves"]), (vec!["crash"], &json!(3 + 12)));
    let restarted = ["--set=programs=[1,2]", "--set=restarts=1"];
    let report = play(&folder, &[&client("crash"), "builtin:random"], &restarted);
    assert_eq!(report["players"][0]["moves"], json!(11 + 12), "only the turn of the crash is lost");
}

#[test]
fn a_command_for_another_programs_ant_is_a_fault_and_costs_nothing_else() {
    let folder = Folder::new("ants-meddle");
    let more = ["--set=programs=[1,2]", "--set=max_turns=2"];
    let report = play(&folder, &[&client("meddle"), "builtin:random"], &more);
    // Each turn two tokens of the first program and one of the second.
    assert_eq!(kinds(&report["players"][0]), ["illegal"; 6]);
    let replay = report["replay"].as_str().expect("a replay was written");
    let steps = json_lines(&run(&folder, &["replay", replay, "--json"]));
    assert_eq!(steps[1]["moves"]["player1.1"], "0:left");
    assert_eq!(steps[1]["moves"]["player1.2"], "1:left,2:left");
}

#[test]
fn a_client_that_spins_at_the_end_of_its_input_is_ended() {
    let folder = Folder::new("ants-spin");
    let report = play(&folder, &[&client("spin"), "builtin:simple"], &[]);
    assert_eq!(kinds(&report["players"][0]), [""; 0], "{report}");
    let script = format!("{}/tests/bots/ant.py\0spin", env!("CARGO_MANIFEST_DIR"));
    assert!(processes_with(&script).is_empty(), "it is still there");
}

#[test]
fn a_game_is_drawn_through_one_players_eyes() {
    let folder = Folder::new("ants-eyes");
    let report = play(&folder, &["builtin:forager", "builtin:simple"], &[]);
    let replay = report["replay"].as_str().expect("a replay was written");
    let show = |more: &[&str]| run(&folder, &[&["replay", replay, "--at", "3"], more].concat());
    let (all, eyes) = (stdout(&show(&[])), stdout(&show(&["--eyes", "simple"])));
    assert!(all.contains("A forager  score") && all.contains("B simple  score"), "{all}");
    assert!(eyes.contains("A forager\nB simple  score"), "{eyes}");
    assert_eq!(eyes, stdout(&show(&["--eyes", "2"])));
    let dots = |text: &str| text.matches(". ").count();
    assert!(dots(&eyes) < dots(&all) / 2, "most of the map is hidden: {eyes}");
    let nobody = show(&["--eyes", "nobody"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(stderr(&nobody).contains("there are forager, simple"), "{}", stderr(&nobody));
    let args = ["play", "ants", "builtin:simple", "builtin:random", "--watch", "--eyes", "random"];
    let watched = run(&folder, &[&args[..], &SHORT[1..]].concat());
    assert!(stdout(&watched).contains("A simple\nB random  score"), "{}", stdout(&watched));
}

/// A program whose ants do the same in every turn.
fn stubborn(folder: &Folder, order: &str) -> String {
    let name = format!("{order}.py");
    let body = format!(
        "import sys\nwhile True:\n    head = sys.stdin.readline().split()\n    if not head: break\n    \
         ids = sys.stdin.readline().split()\n    for _ in range(int(head[1])): sys.stdin.readline()\n    \
         points = int(sys.stdin.readline().split()[2])\n    for _ in range(points): sys.stdin.readline()\n    \
         if head[3] == '0': break\n    print(','.join(i + ':{order}' for i in ids), flush=True)\n"
    );
    std::fs::write(folder.path().join(&name), body).expect("the folder can be written to");
    name
}

#[test]
fn every_fault_counts_though_not_all_are_spelled_out() {
    let folder = Folder::new("ants-faults");
    std::fs::write(folder.path().join("lane.txt"), "A....B\n").expect("it can be written");
    let wrong = format!("python3 {}", stubborn(&folder, "dance"));
    let set = ["--set=map=lane.txt", "--set=ants=1", "--set=max_turns=150", "--set=upkeep=0"];
    let args = ["play", "ants", &wrong, "builtin:random", "--json", "--no-replay"];
    let report = json_lines(&run(&folder, &[&args[..], &set].concat())).remove(0);
    assert_eq!(report["turns"], 150, "{report}");
    let faults = report["players"][0]["faults"].as_array().expect("a list");
    assert_eq!(faults.len(), 100);
    assert_eq!(faults.iter().map(|fault| fault["count"].as_u64().unwrap_or(1)).sum::<u64>(), 150);
}

#[test]
fn a_team_of_different_programs_shares_a_colony() {
    let folder = Folder::new("ants-team");
    let (first, second) = (stubborn(&folder, "left"), stubborn(&folder, "right"));
    let manifest = format!(
        "name = \"team\"\ncommand = [\"python3\", \"{first}\"]\nteam = [[\"python3\", \"{second}\"]]\n"
    );
    std::fs::write(folder.path().join("bot.toml"), manifest).expect("it can be written");
    let more = ["--set=programs=[1,2]", "--out=replays"];
    let report = play(&folder, &["./bot.toml", "builtin:random"], &more);
    assert_eq!(report["players"][0]["faults"], json!([]), "{report}");
    let replay = report["replay"].as_str().expect("a replay was written");
    let steps = json_lines(&run(&folder, &["replay", replay, "--json"]));
    assert_eq!(steps[1]["moves"]["player1.1"], "0:left", "{}", steps[1]);
    assert_eq!(steps[1]["moves"]["player1.2"], "1:right,2:right", "{}", steps[1]);
}
