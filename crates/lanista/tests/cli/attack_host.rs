//! Attacks around the host itself: what outlives it, other matches beside it, its launcher.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::arena::{enlist, fight, tried, word};
use crate::common::{Folder, lanista, processes_with, wait_until};
use crate::tiers::tiers;

/// Kills a host while a bot plays; nothing of the bot may outlive it for long.
fn kill_the_host(mode: &str, tier: &str) {
    let word = word(mode, tier);
    let folder = Folder::new(&format!("attack-{mode}-{tier}"));
    enlist(&folder, "villain", "villain.py", &[mode, &word], "");
    let letter = tier;
    let mut host = lanista(&folder)
        .args(["play", "gomoku", "villain", "builtin:random", "--games", "1000000", "--json"])
        .args(["--set", "max_moves=6", "--no-replay", "--concurrency", "1", "--tier", letter])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let mut line = String::new();
    let mut output = BufReader::new(host.stdout.take().expect("it was asked for"));
    output.read_line(&mut line).expect("the program prints");
    assert!(!processes_with(&word).is_empty(), "{tier}: {line}");
    host.kill().expect("it runs");
    host.wait().expect("it ends");
    wait_until(&format!("on tier {tier} all bots are gone"), || processes_with(&word).is_empty());
}

#[test]
fn a_bot_that_listens_to_itself_does_not_outlive_a_host_that_is_killed() {
    tiers("ABCDE").into_iter().for_each(|tier| kill_the_host("hold-stderr", tier));
}

#[test]
fn a_descendant_that_hides_does_not_outlive_a_host_that_is_killed() {
    // On E nothing keeps it from leaving its session.
    let caged = tiers("ABCD").into_iter();
    caged.for_each(|tier| kill_the_host("hide", tier));
}

#[test]
fn a_second_match_at_the_same_time_is_out_of_reach() {
    for tier in tiers("ABCD") {
        let innocent = word("second", tier);
        let theirs = Folder::new(&format!("attack-second-{tier}"));
        enlist(&theirs, "victim", "brain.py", &["good", &innocent], "");
        let letter = tier;
        let mut host = lanista(&theirs)
            .args(["play", "gomoku", "victim", "builtin:random", "--games", "1000000", "--json"])
            .args(["--set", "max_moves=6", "--timeout-ms", "60000", "--no-replay"])
            .args(["--concurrency", "1", "--tier", letter])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let mut output = BufReader::new(host.stdout.take().expect("it was asked for")).lines();
        let mut unharmed = || {
            let line = output.next().expect("it goes on").expect("the program prints");
            assert!(line.contains("\"faults\":[]") && !line.contains("\"kind\""), "{tier}: {line}");
        };
        unharmed();
        let scratch = std::fs::read_dir(std::env::temp_dir()).expect("it is there").flatten();
        let scratch = scratch.map(|entry| entry.path().display().to_string());
        let mark = format!("lanista-run-{:x}.", host.id());
        let scratch = scratch.filter(|path| path.contains(&mark)).collect::<Vec<_>>().join(":");
        assert!(!scratch.is_empty(), "{tier}");
        let home = theirs.path().display();
        let env =
            format!("[env]\nTARGETS = '{home}:{home}/victim/brain.py:{scratch}'\nOUTSIDE = '/'");
        for mode in ["kill", "spy"] {
            let own = word(&format!("second-{mode}"), tier);
            let folder = Folder::new(&format!("attack-second-{mode}-{tier}"));
            enlist(&folder, "villain", "villain.py", &[mode, &own], &env);
            enlist(&folder, "victim", "brain.py", &["good"], "");
            let args = ["play", "gomoku", "villain", "victim", "--timeout-ms", "60000"];
            let args = [&args[..], &["--set", "max_moves=6"]].concat();
            let fought = fight(&folder, tier, &own, &args).unwrap_or_else(|why| panic!("{why}"));
            let hidden: &[&str] = &["EACCES", "ENOENT", "EPERM"];
            let wanted: &[(&str, &[&str])] = match mode {
                "kill" => &[("reached", &["0"])],
                _ => &[("environments", &["0"]), ("target", hidden)],
            };
            for (what, allowed) in wanted {
                tried(&fought.lines, what, allowed).unwrap_or_else(|why| panic!("{tier}: {why}"));
            }
        }
        // What was played meanwhile has been printed, and so will be what is played from now on.
        (0..20).for_each(|_| unharmed());
        kill_process(Pid::from_child(&host), Signal::KILL).expect("it runs");
        host.wait().expect("it ends");
        wait_until("its bots are gone", || processes_with(&innocent).is_empty());
    }
}

#[test]
fn a_launcher_that_is_killed_is_replaced() {
    for tier in tiers("ABCD") {
        let word = word("launcher", tier);
        let folder = Folder::new(&format!("attack-launcher-{tier}"));
        // It is started anew for every game.
        enlist(&folder, "villain", "villain.py", &["exit", &word], "");
        let letter = tier;
        let mut host = lanista(&folder)
            .args(["play", "gomoku", "villain", "builtin:random", "--games", "30", "--json"])
            .args(["--no-replay", "--concurrency", "1", "--start-ms", "60000", "--tier", letter])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let output = BufReader::new(host.stdout.take().expect("it was asked for"));
        let mut games = 0;
        for line in output.lines() {
            let line = line.expect("the program prints");
            assert!(line.contains("exited with code 0"), "{tier}: {line}");
            games += 1;
            if games == 1 {
                let launcher = launcher_of(host.id());
                kill_process(launcher, Signal::KILL).expect("it waits for orders");
            }
        }
        assert_eq!(games, 30, "{tier}");
        assert!(host.wait().expect("it ends").success());
        assert!(processes_with(&word).is_empty());
    }
}

/// The launcher of a host, which waits for orders. A process that is about to be a bot looks like it
/// for a moment, but is younger.
fn launcher_of(host: u32) -> Pid {
    let parent = format!("PPid:\t{host}");
    let ours = processes_with("__launch").into_iter().filter_map(|pid| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let words: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
        let (session, began) = (words.get(3)?, words.get(19)?.parse::<u64>().ok()?);
        let leads = status.lines().any(|line| line == parent) && *session == pid.to_string();
        leads.then_some((began, pid))
    });
    let ours = ours.min().map(|(_, pid)| pid);
    Pid::from_raw(ours.expect("a host has a launcher")).expect("it is not zero")
}
