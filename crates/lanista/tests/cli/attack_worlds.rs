//! Hostile programs in games of other kinds: JSON that is none, numbers that do not fit, a memory
//! file that is something else, and a program that does not read.

use serde_json::{Value, json};

use crate::arena::{Fought, enlist, fight, word};
use crate::common::Folder;
use crate::tiers::tiers;

/// What the memory files of agents are called.
const OTHERS: &str = "a0.json a1.json a2.json a3.json a4.json";

/// A game of the rogue in a mode beside an honest player, on one tier.
fn game(name: &str, mode: &str, tier: &str, more: &[&str]) -> Fought {
    let word = word(&format!("{name}-{mode}"), tier);
    let folder = Folder::new(&format!("attack-{name}-{mode}-{tier}"));
    std::fs::create_dir_all(folder.path().join("outside")).expect("writable");
    std::fs::write(folder.path().join("outside/keep"), "secret-of-test").expect("writable");
    std::fs::write(folder.path().join("land.txt"), land()).expect("writable");
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bots/pyrat/python/pyrat.py");
    for bot in ["rogue", "victim"] {
        let mode = match (bot, mode) {
            ("rogue", mode) => mode,
            // Something that is worth stealing.
            (_, "memory-theft") => "memory-secret",
            _ => "honest",
        };
        let home = folder.path().join(bot);
        // On D older kernels count all processes of an ordinary user, those of other fights as well.
        let env = format!(
            "[env]\nOUTSIDE = '{}/outside'\nPYRAT = '{}'\nOTHERS = '{OTHERS}'\n[limits]\nprocesses = 2000",
            folder.path().display(),
            home.display()
        );
        // What its processes that are born may take longer than others, all together.
        let env = if mode == "dawdle" { env + "\nstart_ms = 1000" } else { env };
        enlist(&folder, bot, "rogue.py", &[name, mode, &word], &env);
        std::fs::copy(client, home.join("pyrat.py")).expect("it can be copied");
    }
    let args = [&["play", name, "rogue", "victim"], more].concat();
    let fought = fight(&folder, tier, &word, &args)
        .unwrap_or_else(|why| panic!("{name} {mode} {tier}: {why}"));
    assert_eq!(
        fought.report["players"][1]["faults"],
        json!([]),
        "{name} {mode} {tier}: {}",
        fought.report
    );
    let kept = std::fs::read_to_string(folder.path().join("outside/keep")).expect("it is there");
    assert_eq!(kept, "secret-of-test", "{name} {mode} {tier}");
    fought
}

/// A map so wide that a message about all that is seen does not fit into a pipe.
fn land() -> String {
    let mut rows = vec![vec!['.'; 300]; 300];
    for ant in 0..42 {
        let (x, y) = (10 + 22 * (ant % 13), 10 + 44 * (ant / 13));
        rows[y][x] = 'A';
        rows[y + 22][x] = 'B';
    }
    rows.into_iter().map(|row| row.into_iter().collect::<String>() + "\n").collect()
}

fn kinds(report: &Value) -> Vec<&str> {
    let faults = report["players"][0]["faults"].as_array().expect("a list");
    faults.iter().filter_map(|fault| fault["kind"].as_str()).collect()
}

/// How many replies the rogue has that are no good JSON.
const BAD_JSON: usize = 25;

#[test]
fn json_that_is_none_is_bad_input_and_costs_what_the_game_says() {
    for tier in tiers("ABCDE") {
        let set = ["--set", "initial_agents=1", "--set", "max_ticks=27", "--timeout-ms", "60000"];
        let fought = game("petri", "json", tier, &set);
        assert_eq!(kinds(&fought.report), ["bad-input"; BAD_JSON], "{tier}: {}", fought.report);
        assert_eq!(fought.report["turns"], 27, "{tier}: {}", fought.report);
        let fought = game("jedna", "json", tier, &["--timeout-ms", "60000"]);
        let kinds = kinds(&fought.report);
        assert!(kinds.iter().all(|kind| *kind == "bad-input"), "{tier}: {}", fought.report);
        assert!(kinds.len() >= 10, "{tier}: {}", fought.report);
    }
}

#[test]
fn numbers_that_do_not_fit_are_told_from_those_that_do() {
    for tier in tiers("ABCDE") {
        let fought =
            game("ants", "numbers", tier, &["--set", "max_turns=12", "--timeout-ms", "60000"]);
        let wanted = [["illegal"; 6].as_slice(), &["bad-input"; 5]].concat();
        assert_eq!(kinds(&fought.report), wanted, "{tier}: {}", fought.report);
        let fought =
            game("pyrat", "numbers", tier, &["--set", "max_turns=9", "--timeout-ms", "60000"]);
        assert_eq!(kinds(&fought.report), ["bad-input"; 7], "{tier}: {}", fought.report);
    }
}

#[test]
fn a_program_that_does_not_read_a_long_message_runs_out_of_time() {
    let fight = |tier| {
        let set = ["--set", "map=land.txt", "--set", "ants=42", "--set", "sight=10"];
        let more = ["--set", "max_turns=3", "--timeout-ms", "3000"];
        let fought = game("ants", "never-reads", tier, &[&set[..], &more].concat());
        assert_eq!(kinds(&fought.report), ["timeout", "timeout"], "{tier}: {}", fought.report);
    };
    // All wait most of the time.
    std::thread::scope(|scope| {
        for tier in tiers("ABCDE") {
            scope.spawn(move || fight(tier));
        }
    });
}

#[test]
fn what_stands_in_the_place_of_a_memory_file_is_not_followed() {
    for tier in tiers("ABCDE") {
        for mode in ["link", "dangling", "pipe", "folder", "huge", "long", "secret"] {
            let set =
                ["--set", "initial_agents=1", "--set", "max_ticks=3", "--set", "keep_memory=true"];
            let mode = format!("memory-{mode}");
            let fought =
                game("petri", &mode, tier, &[&set[..], &["--timeout-ms", "60000"]].concat());
            let perhaps = fought.report["players"][0]["faults"].as_array().expect("a list");
            assert!(
                perhaps.iter().all(|fault| fault["kind"] == "disk"),
                "{mode} {tier}: {}",
                fought.report
            );
            let shows = fought.lines.contains("secret-of-test");
            // Only its own file is kept, as far as it may be long.
            assert_eq!(shows, mode == "memory-secret", "{mode} {tier}: {}", fought.lines);
            assert!(fought.lines.len() < 8 << 20, "{mode} {tier}");
        }
    }
}

#[test]
fn the_memory_files_of_others_cannot_be_opened() {
    // On E all files of the user are open to it.
    for tier in tiers("ABCD") {
        let set = ["--set", "initial_agents=1", "--set", "max_ticks=5", "--timeout-ms", "60000"];
        let more = ["--set", "keep_memory=true"];
        let fought = game("petri", "memory-theft", tier, &[&set[..], &more].concat());
        assert_eq!(kinds(&fought.report), Vec::<&str>::new(), "{tier}: {}", fought.report);
        assert!(fought.lines.contains("tried True, got []"), "{tier}: {}", fought.lines);
        assert_eq!(fought.lines.matches("its file: secret-of-test").count(), 1, "{}", fought.lines);
    }
}

#[test]
fn newborns_that_dawdle_use_up_the_time_of_their_player() {
    for tier in tiers("AC") {
        let set = ["initial_agents=1", "initial_energy=200", "max_ticks=8"];
        let set = set.into_iter().flat_map(|pair| ["--set", pair]).collect::<Vec<_>>();
        let more = [&set[..], &["--timeout-ms", "60000"]].concat();
        let report = game("petri", "dawdle", tier, &more).report;
        let faults = report["players"][0]["faults"].as_array().expect("a list");
        let late = faults.iter().filter(|fault| {
            let detail = fault["detail"].as_str().unwrap_or_default();
            fault["turn"].as_u64() > Some(1) && detail.contains("has not read its first question")
        });
        assert!(late.count() > 0, "{tier}: {report}");
        assert_eq!(report["turns"], 8, "{tier}: {report}");
    }
}
