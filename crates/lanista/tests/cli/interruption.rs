//! Nothing a bot starts outlives the match or the host, however either ends.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{Folder, LANISTA, brain, json_lines, lanista, processes_with, run, wait_until};
use crate::tiers::tiers;

/// A run of endless games whose bots can be told from all others by a word in their command.
fn endless(folder: &Folder, word: &str, mode: &str) -> Child {
    let brain = brain(mode);
    let (_, command) = brain.split_once('=').expect("the brain has a name");
    let bot = format!("x={command} {word}");
    let mut child = lanista(folder)
        .args(["play", "gomoku", &bot, "builtin:random", "--games", "1000000", "--json"])
        .args(["--set", "size=15", "--no-replay", "--concurrency", "1", "--set", "max_moves=10"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    // The first result shows that games are under way.
    let mut line = String::new();
    let output = child.stdout.take().expect("it was asked for");
    let mut output = BufReader::new(output);
    output.read_line(&mut line).expect("the program prints");
    assert!(line.starts_with('{'), "{line}");
    // Go on reading, so that the program is not held up.
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    child
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the program runs");
}

/// The word is in the command line of the host, too; it is not one of the bots.
fn bots(word: &str, host: &Child) -> Vec<i32> {
    processes_with(word).into_iter().filter(|pid| *pid != host.id() as i32).collect()
}

#[test]
fn ctrl_c_ends_the_run_in_good_order() {
    let folder = Folder::new("interrupt");
    let mut host = endless(&folder, "word-for-interrupt", "child");
    assert!(!bots("word-for-interrupt", &host).is_empty());
    signal(&host, Signal::INT);
    assert_eq!(host.wait().expect("it ends").code(), Some(130));
    wait_until("all bots are gone", || bots("word-for-interrupt", &host).is_empty());
}

/// The processes that make cages, as children of the host: they have no namespace of processes of their
/// own, which the first processes of cages have, and a filter of system calls, which the launcher has
/// not.
fn templates(host: &Child) -> Vec<i32> {
    let number = |status: &str, name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    };
    let is_template = |pid: &i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        number(&status, "PPid:") == Some(vec![host.id().to_string()])
            && number(&status, "NSpid:").is_some_and(|numbers| numbers.len() == 1)
            && number(&status, "Seccomp:") == Some(vec!["2".to_owned()])
    };
    processes_with("__launch").into_iter().filter(is_template).collect()
}

/// The system may do that when memory runs out.
#[test]
fn templates_of_cages_that_are_killed_at_any_moment_cost_no_game() {
    for tier in tiers("ABCD") {
        let folder = Folder::new(&format!("templates-{tier}"));
        let bot = format!("{LANISTA} bot gomoku random");
        let games = 600;
        let mut host = lanista(&folder)
            .args(["play", "gomoku", &bot, &bot, "--fresh", "--games", &games.to_string()])
            .args(["--tier", tier, "--no-replay", "--json", "--adjudicate-turns", "2"])
            .args(["--concurrency", "2"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let results = BufReader::new(host.stdout.take().expect("it was asked for")).lines();
        let mut kills = 0;
        let mut reports = Vec::new();
        let mut before = Vec::new();
        for result in results {
            let report: Value = serde_json::from_str(&result.expect("text")).expect("JSON");
            reports.push(report);
            if reports.len() % 5 > 0 {
                continue;
            }
            // One that was there some games ago is no process that is about to be a bot.
            let there = templates(&host);
            if let Some(template) = there.iter().find(|pid| before.contains(*pid))
                && let Some(template) = Pid::from_raw(*template)
            {
                kills += usize::from(kill_process(template, Signal::KILL).is_ok());
            }
            before = there;
        }
        assert_eq!(host.wait().expect("it ends").code(), Some(0), "{tier}");
        assert!(kills >= 20, "{tier}: only {kills} were killed");
        let played = reports.iter().filter(|report| report["outcome"] != "void");
        assert_eq!(played.count(), games, "{tier}");
        for report in &reports {
            let faults = (&report["players"][0]["faults"], &report["players"][1]["faults"]);
            let none = Value::Array(Vec::new());
            assert_eq!(faults, (&none, &none), "{tier}: {report}");
            assert_eq!(report["tier"], tier, "{report}");
        }
    }
}

#[test]
fn bots_die_with_a_host_that_is_killed() {
    let folder = Folder::new("killed");
    let mut host = endless(&folder, "word-for-killed", "daemon");
    signal(&host, Signal::KILL);
    host.wait().expect("it ends");
    wait_until("all bots are gone", || bots("word-for-killed", &host).is_empty());
}

#[test]
fn nothing_is_left_of_a_match_when_it_is_over() {
    let folder = Folder::new("leftovers");
    for mode in ["child", "daemon", "ignore-signals", "spin-at-end", "stay", "stop"] {
        let word = format!("word-for-{mode}");
        let bot = format!("{} {word}", brain(mode));
        let args = ["play", "gomoku", &bot, "builtin:random", "--json", "--timeout-ms", "300"];
        let mut args = args.to_vec();
        args.extend(["--set", "size=15", "--set", "max_moves=6", "--no-replay"]);
        assert_eq!(json_lines(&run(&folder, &args)).len(), 1);
        assert_eq!(processes_with(&word), Vec::<i32>::new(), "{mode}");
    }
}
