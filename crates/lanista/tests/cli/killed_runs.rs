//! Tournaments whose host is killed end as if nothing had happened.

use std::path::Path;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{Folder, brain, json_lines, run, stderr, wait_until};
use crate::league::*;

/// How many bytes of replays there are: a game leaves some just before it counts.
fn replays(dir: &Path) -> u64 {
    std::fs::metadata(dir.join("replays/0001.pack")).map_or(0, |pack| pack.len())
}

/// Kills the host again and again, each time a little later in the tournament, and lets it go on.
fn killed_again_and_again(name: &str, head: &str, bots: &[(&str, &str)], kills: usize) {
    let folder = Folder::new(name);
    cup(&folder, "cup", &format!("{head}\n{SHORT}"), bots);
    play(&folder, &["cup.toml", "--dir", "whole", "--quiet"]);
    let all = results(&folder, "whole").len();
    let (dir, size) = (folder.path().join("broken"), replays(&folder.path().join("whole")));
    for kill in 1..=kills {
        let mut host = host(&folder, &["cup.toml", "--dir", "broken"]);
        // Somewhere between two games, or in the middle of keeping one.
        let enough = size * kill as u64 / (kills as u64 + 1);
        wait_until("games are played", || {
            replays(&dir) >= enough || host.try_wait().expect("it can be asked").is_some()
        });
        let _ = kill_process(Pid::from_child(&host), Signal::KILL);
        host.wait().expect("it ends");
    }
    play(&folder, &["cup.toml", "--dir", "broken", "--quiet"]);
    same(&folder, "whole", "broken");
    let games = results(&folder, "broken");
    let mut ids: Vec<&str> = games.iter().filter_map(|game| game["match"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "no game is there twice");
    for game in games.iter().step_by(7) {
        let replay = dir.join(game["replay"].as_str().expect("each has a replay"));
        let output = run(&folder, &["replay", &replay.display().to_string(), "--verify"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

#[test]
fn a_round_robin_that_is_killed_again_and_again_ends_as_if_nothing_had_happened() {
    killed_again_and_again("killed-round-robin", "rounds = 4\nseed = 5", FIVE, 8);
}

#[test]
fn a_swiss_tournament_that_is_killed_again_and_again_pairs_the_same_bots() {
    let head = "format = \"swiss\"\nrounds = 4\nseed = 6";
    killed_again_and_again("killed-swiss", head, FIVE, 5);
}

#[test]
fn a_ladder_that_is_killed_again_and_again_climbs_the_same_way() {
    let head = "format = \"ladder\"\nseed = 7\nstop = { games = 40 }";
    killed_again_and_again("killed-ladder", head, FIVE, 5);
}

#[test]
fn a_knockout_that_is_killed_again_and_again_has_the_same_winner() {
    let head = "format = \"knockout\"\nseed = 8\nthird_place = true";
    killed_again_and_again("killed-knockout", head, FIVE, 3);
}

#[test]
fn double_eliminations_and_groups_that_are_killed_end_as_if_nothing_had_happened() {
    let seven: Vec<(String, &str)> = (0..7)
        .map(|bot| {
            (format!("b{bot}"), if bot % 3 == 0 { "builtin:greedy" } else { "builtin:random" })
        })
        .collect();
    let seven: Vec<(&str, &str)> = seven.iter().map(|(name, bot)| (name.as_str(), *bot)).collect();
    killed_again_and_again("killed-double", "format = \"double-elimination\"\nseed = 2", &seven, 3);
    killed_again_and_again(
        "killed-groups",
        "format = \"groups\"\nseed = 2\nthrough = 1",
        &seven,
        3,
    );
}

#[test]
fn a_bot_that_was_added_is_there_whatever_is_killed_when() {
    let folder = Folder::new("added-and-killed");
    // The one game that is played first never ends, so that none is ever kept.
    let silent = brain("stop");
    let bots =
        [("silent", silent.split_once('=').expect("it is renamed").1), ("a", "builtin:random")];
    cup(&folder, "cup", "rounds = 2\nconcurrency = 1\nclock = { move_ms = 0 }", &bots);
    let names = || -> Vec<String> {
        let output = run(&folder, &["standings", "run", "--json"]);
        let rows = match output.status.success() {
            true => json_lines(&output).remove(0)["rows"].take(),
            false => Value::Null,
        };
        let names = rows.as_array().into_iter().flatten().filter_map(|row| row["name"].as_str());
        names.map(str::to_owned).collect()
    };
    let begin = || {
        let host = host(&folder, &["cup.toml", "--dir", "run"]);
        wait_until("it plays", || status(&folder).is_some_and(|status| status["under_way"] == 1));
        host
    };
    let kill = |mut host: Child| {
        kill_process(Pid::from_child(&host), Signal::KILL).expect("it runs");
        host.wait().expect("it ends");
    };
    // Killed before it could join, then before it could play, again and again.
    let first = begin();
    assert!(order(&folder, &["add", "late=builtin:greedy"]).status.success());
    assert!(order(&folder, &["add", "builtin:greedy"]).status.success());
    let twice = order(&folder, &["add", "late=builtin:random"]);
    assert!(stderr(&twice).contains("a bot \"late\" takes part already"), "{}", stderr(&twice));
    assert!(!names().contains(&"late".to_owned()), "it waits for the game under way");
    kill(first);
    for _ in 0..3 {
        let again = begin();
        let mut found = names();
        found.sort_unstable();
        assert_eq!(found, ["a", "greedy", "late", "silent"]);
        kill(again);
    }
    // Whoever is written into the file afterwards is in it once.
    let text = std::fs::read_to_string(folder.path().join("cup.toml")).expect("it is there");
    let more = format!("{text}[[bots]]\nname = \"late\"\nbot = \"builtin:greedy\"\n");
    std::fs::write(folder.path().join("cup.toml"), more).expect("writable");
    let last = begin();
    assert_eq!(names().len(), 4);
    kill(last);
}
