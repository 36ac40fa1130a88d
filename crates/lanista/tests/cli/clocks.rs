//! Whose time is charged, and when nobody's is.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{Folder, brain, json_lines, lanista, run, stderr, stdout, wait_until};

/// Plays one game of two brains and gives its report.
fn report(folder: &Folder, first: &str, second: &str, more: &[&str]) -> Value {
    let (first, second) = (brain(first), brain(second));
    let mut args = vec!["play", "gomoku", &first, &second, "--json", "--set", "size=15"];
    args.extend(["--set", "max_moves=12"]);
    args.extend(more);
    let output = run(folder, &args);
    let mut lines = json_lines(&output);
    assert_eq!(lines.len(), 1, "{}", stderr(&output));
    lines.remove(0)
}

#[test]
fn a_host_that_stood_still_costs_nobody_the_game() {
    let folder = Folder::new("halt");
    let report = report(&folder, "halt-host", "good", &["--timeout-ms", "500", "--tier", "E"]);
    assert_eq!(report["restarts"], 1, "{report}");
    assert_eq!(report["outcome"], "draw", "{report}");
    assert_eq!(report["players"][0]["faults"], Value::Array(Vec::new()), "{report}");
}

/// A field of what the system says about a process, counted from that after its name.
fn field(process: u32, number: usize) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    let (_, fields) = stat.rsplit_once(") ").expect("the name is in brackets");
    fields.split(' ').nth(number).expect("there are many").to_owned()
}

#[test]
fn a_host_that_stood_still_costs_no_built_in_bot_the_game() {
    let folder = Folder::new("halt-built-in");
    let args = ["play", "gomoku", "builtin:hunter", "builtin:hunter", "--json", "--no-replay"];
    let limits = ["--timeout-ms", "400", "--set", "max_moves=10", "--seed", "1"];
    let mut command = lanista(&folder);
    command.args(args).args(limits).stdout(Stdio::piped());
    let host = command.spawn().expect("the program can be started");
    let (number, pid) = (host.id(), Pid::from_child(&host));
    let ticks = || field(number, 11).parse::<u64>().expect("a number");
    // Starting takes next to nothing: who has used so much thinks.
    wait_until("a bot thinks", || ticks() >= 4);
    kill_process(pid, Signal::STOP).expect("it runs");
    wait_until("the host is stopped", || field(number, 0) == "T");
    // Longer than the bot on move has.
    let stopped = Instant::now();
    wait_until("its time is up", || stopped.elapsed() > Duration::from_millis(800));
    kill_process(pid, Signal::CONT).expect("it runs");
    let output = host.wait_with_output().expect("it ends");
    let report = json_lines(&output).remove(0);
    assert!(report["restarts"].as_u64() >= Some(1), "{report}");
    for player in 0..2 {
        assert_eq!(report["players"][player]["faults"], Value::Array(Vec::new()), "{report}");
    }
}

#[test]
fn where_processor_time_is_charged_a_bot_may_sleep_but_not_for_ever() {
    let folder = Folder::new("cpu-clock");
    let sleeps = report(&folder, "sleepy", "good", &["--timeout-ms", "200", "--clock", "cpu"]);
    assert_eq!(sleeps["outcome"], "draw", "{sleeps}");
    assert_eq!(sleeps["players"][0]["faults"], Value::Array(Vec::new()), "{sleeps}");
    let waits = report(&folder, "stop", "good", &["--timeout-ms", "30", "--clock", "cpu"]);
    assert_eq!(waits["players"][0]["faults"][0]["kind"], "timeout", "{waits}");
    let works = report(&folder, "spin", "good", &["--timeout-ms", "300", "--clock", "cpu"]);
    let detail = works["players"][0]["faults"][0]["detail"].as_str().expect("it is late");
    let time = detail.split("; ").next().unwrap_or(detail);
    let (_, used) = time.rsplit_once(", ").expect("the processor time is given");
    let used: u64 = used.split(' ').next().and_then(|ms| ms.parse().ok()).expect("a number");
    assert!(used >= 300, "{detail}");
}

#[test]
fn a_frozen_bot_does_not_think_in_the_time_of_the_other() {
    let folder = Folder::new("freeze");
    let more = ["--timeout-ms", "20000", "--freeze", "--placement", "apart", "--out", "."];
    let report = report(&folder, "ponder", "sleepy", &more);
    assert_eq!(report["outcome"], "draw", "{report}");
    let replay = report["replay"].as_str().expect("a replay was written");
    let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
    let pondered: Vec<u64> = lines
        .lines()
        .filter_map(|line| line.split_once("MESSAGE pondered ")?.1.strip_suffix(" ms"))
        .map(|ms| ms.parse().expect("a number"))
        .collect();
    // The other one sleeps for 400 ms in its first moves. A stopped process uses no processor.
    assert!(pondered.len() > 3 && pondered.iter().all(|&ms| ms < 200), "{pondered:?}");
}

#[test]
fn a_bot_gets_its_own_time_on_the_command_line() {
    let folder = Folder::new("bot-clock");
    let odds = ["--bot-clock", "a=move_ms=300,match_ms=60000", "--timeout-ms", "900"];
    let bots = ["gomoku", "a=builtin:random", "b=builtin:random", "--set", "max_moves=2"];
    let play = [&["play"], &bots[..], &odds, &["--json", "--out", "games"]].concat();
    let game = json_lines(&run(&folder, &play)).remove(0);
    let replay = game["replay"].as_str().expect("a file");
    let header = json_lines(&run(&folder, &["replay", replay, "--json"])).remove(0);
    assert_eq!(header["players"][0]["clock"]["move_ms"], 300, "{header}");
    assert_eq!(header["players"][0]["clock"]["match_ms"], 60000, "{header}");
    assert_eq!(header["players"][1]["clock"], Value::Null, "{header}");
    let test = [&["test"], &bots[..], &odds, &["--max-games", "4", "--dir", "kept"]].concat();
    let tested = run(&folder, &[&test[..], &["--quiet"]].concat());
    assert_eq!(tested.status.code(), Some(1), "undecided: {}", stderr(&tested));
    let table = json_lines(&run(&folder, &["standings", "kept", "--json"])).remove(0);
    assert_eq!(table["clocks"]["a"]["move_ms"], 300, "{table}");
    assert_eq!(table["clocks"]["b"], Value::Null, "{table}");
    for wrong in ["c=move_ms=5", "a=5", "a=match_ms=0", "a=start_ms=9"] {
        let refused = run(&folder, &[&["play"], &bots[..], &["--bot-clock", wrong]].concat());
        assert_eq!(refused.status.code(), Some(2), "{wrong}: {}", stderr(&refused));
        assert!(stderr(&refused).contains("--bot-clock"), "{wrong}: {}", stderr(&refused));
    }
}
