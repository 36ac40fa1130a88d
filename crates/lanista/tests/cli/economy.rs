//! What the host asks of the system for one ply: a wait, a read, a write and at most two
//! looks at a clock.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use crate::common::{Folder, LANISTA, json_lines};

const GAMES: u64 = 12;

#[test]
fn a_ply_is_one_wait_one_read_and_one_write() {
    if Command::new("strace").arg("-V").output().is_err() {
        // The test script says so when it cannot be installed.
        eprintln!("NOT RUN: system calls of a ply, because strace is missing");
        return;
    }
    let folder = Folder::new("economy");
    let bot = format!("{LANISTA} __dummy gomoku");
    let games = GAMES.to_string();
    // Bots are let go when they are executed: only the host is looked at.
    let output = Command::new("strace")
        .args(["-f", "-b", "execve", "-o", "calls", LANISTA, "play", "gomoku", &bot, &bot])
        .args(["--games", &games, "--json", "--no-replay", "--quiet", "--tier", "E"])
        .args(["--set", "size=15", "--set", "rule=standard", "--concurrency", "1"])
        .args(["--timeout-ms", "60000"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("strace can be started");
    let plies: u64 =
        json_lines(&output).iter().map(|game| game["turns"].as_u64().unwrap_or(0)).sum();
    assert!(plies > 500, "{}", String::from_utf8_lossy(&output.stderr));
    let calls = std::fs::read_to_string(folder.path().join("calls")).expect("strace has written");
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for line in calls.lines() {
        // "123 read(7, …" or "123 <... read resumed>…", of which the first half was counted.
        let call = line.split_once(' ').map(|(_, rest)| rest.trim_start());
        if let Some((name, _)) = call.and_then(|call| call.split_once('(')) {
            *counts.entry(name).or_default() += 1;
        }
    }
    let each = |names: &[&str]| {
        let sum: u64 = names.iter().filter_map(|name| counts.get(name)).sum();
        sum as f64 / plies as f64
    };
    let waits = each(&["epoll_pwait2", "epoll_wait", "epoll_pwait", "poll", "ppoll", "ioctl"]);
    let reads = each(&["read", "preadv2"]);
    let writes = each(&["write"]);
    // What is played before and after the games is spread over few plies here.
    let slack = 0.35;
    assert!(waits <= 1.0 + slack, "{waits} waits a ply: {counts:?}");
    assert!(reads <= 1.0 + slack, "{reads} reads a ply: {counts:?}");
    assert!(writes <= 1.0 + slack, "{writes} writes a ply: {counts:?}");
    // The bot's processor clock, when it has answered. Under strace so much time passes until it
    // is asked again that it is read then, too.
    let clocks = each(&["clock_gettime"]);
    assert!(clocks <= 2.0 + slack, "{clocks} looks at a clock a ply: {counts:?}");
}
