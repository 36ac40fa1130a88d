//! What a bot must not know, and what decides no game: notes of other games, seeds, changed programs.

use serde_json::Value;

use crate::arena::enlist;
use crate::common::{Folder, json_lines, run, stderr, stdout};
use crate::tiers::tiers;

/// What a bot that takes notes finds of earlier games, in each of some games of the same seed.
fn remembered(game: &str, tier: &str, more: &[&str]) -> Vec<String> {
    let folder = Folder::new(&format!("remember-{game}-{tier}"));
    enlist(&folder, "notes", "remember.py", &["x"], "");
    let args = ["play", game, "notes", "builtin:random", "--games", "2", "--game-seed", "5"];
    let args = [&args[..], &["--json", "--tier", tier, "--concurrency", "1"], more].concat();
    let output = run(&folder, &args);
    let reports = json_lines(&output);
    assert_eq!(reports.len(), 2, "{game} on {tier}: {}", stderr(&output));
    let said = |report: &Value| {
        let replay = report["replay"].as_str().expect("a replay was written");
        let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
        let words: Vec<&str> =
            lines.lines().filter_map(|line| Some(line.split_once("! remembers: ")?.1)).collect();
        assert!(!words.is_empty(), "{game} on {tier}: {report}\n{lines}");
        // It could write somewhere, or this says nothing.
        assert!(lines.contains("! noted: ") && !lines.contains("! noted: 0"), "{lines}");
        words.join(", ")
    };
    reports.iter().map(said).collect()
}

#[test]
fn where_something_is_hidden_nothing_of_a_bot_lasts_from_game_to_game() {
    for tier in tiers("ABCD") {
        for (game, more) in [
            ("jedna", &[][..]),
            ("ants", &["--set", "max_turns=2"]),
            ("petri", &["--set", "initial_agents=1", "--set", "max_ticks=2"]),
        ] {
            let found = remembered(game, tier, more);
            assert_eq!(found, ["nothing", "nothing"], "{game} on {tier}");
        }
        // Where nothing is hidden it finds what it has kept, so that this test can fail.
        let found = remembered("gomoku", tier, &[]);
        assert!(found[0] == "nothing" && found[1] != "nothing", "{tier}: {found:?}");
    }
}

#[test]
fn where_something_is_hidden_no_bot_has_a_folder_to_write_to() {
    let folder = Folder::new("hidden-write");
    let shared = folder.path().join("shared");
    std::fs::create_dir_all(&shared).expect("writable");
    let grant = format!("[cage]\nwrite = ['{}']", shared.display());
    enlist(&folder, "notes", "remember.py", &["x"], &grant);
    let output = run(&folder, &["play", "jedna", "notes", "builtin:random", "--no-replay"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("shared") && text.contains("hides things"), "{text}");
}

/// A cup of two built-in bots.
fn cup(folder: &Folder, head: &str) {
    let text = format!(
        "game = \"gomoku\"\nsetup = {{ max_moves = 6 }}\n{head}\n\
         [[bots]]\nname = \"a\"\nbot = \"builtin:random\"\n\
         [[bots]]\nname = \"b\"\nbot = \"builtin:random\"\n"
    );
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
}

fn seeds(folder: &Folder, dir: &str) -> (u64, Vec<Value>) {
    let games = json_lines(&run(folder, &["results", dir, "--json"]));
    let table = json_lines(&run(folder, &["standings", dir, "--json"])).remove(0);
    let drawn = table["seed"].as_u64().expect("a number");
    assert!(games.iter().all(|game| game["run_seed"] == drawn), "{games:?}");
    (drawn, games.iter().map(|game| game["seed"].clone()).collect())
}

#[test]
fn a_run_draws_a_seed_keeps_it_and_can_be_played_again_with_it() {
    let folder = Folder::new("drawn-seed");
    let play = |dir: &str| {
        let output = run(&folder, &["run", "cup.toml", "--dir", dir]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    cup(&folder, "rounds = 2");
    let said = play("first");
    let (drawn, begun) = seeds(&folder, "first");
    assert!(said.contains(&format!("seed = {drawn}")), "{said}");
    cup(&folder, "rounds = 6");
    play("first");
    let (same, all) = seeds(&folder, "first");
    assert_eq!((same, &all[..2]), (drawn, &begun[..]), "it goes on with the same seed");
    assert!(all[0] == all[1] && all[1] != all[2] && all[2] != all[4], "{all:?}");
    cup(&folder, "rounds = 2");
    play("second");
    assert_ne!(seeds(&folder, "second").0, drawn, "another run, another seed");
    // Even those that are too large for a number with a sign.
    for seed in [drawn, u64::MAX] {
        cup(&folder, &format!("rounds = 6\nseed = {seed}"));
        play(&format!("again-{seed}"));
        let (given, again) = seeds(&folder, &format!("again-{seed}"));
        assert_eq!((given, again == all), (seed, seed == drawn));
    }
}

#[test]
fn a_run_that_goes_on_names_the_files_that_have_changed() {
    let folder = Folder::new("changed-files");
    enlist(&folder, "notes", "remember.py", &["x"], "team = [['sh', 'second.sh']]");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join("notes").join(name), text).expect("writable");
    };
    write("second.sh", "exit 1");
    write("helper.py", "x = 1");
    let text = "game = \"gomoku\"\nrounds = 2\nbots = [{ bot = \"notes\" }, { bot = \"builtin:random\" }]\n";
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
    let play = |more: &[&str]| {
        let output = run(&folder, &[&["run", "cup.toml", "--quiet"], more].concat());
        (output.status.code(), stderr(&output))
    };
    assert_eq!(play(&[]).0, Some(0), "{}", play(&[]).1);
    assert_eq!(play(&[]).0, Some(0), "what a bot's interpreter leaves is no change");
    for (name, text) in [("second.sh", "exit 2"), ("helper.py", "x = 2"), ("new.py", "")] {
        write(name, text);
        let (code, said) = play(&[]);
        assert_eq!(code, Some(2), "{name}: {said}");
        let what = if name == "new.py" { "new.py is new" } else { &format!("{name} has changed") };
        assert!(said.contains(what) && said.contains("--accept-changes"), "{said}");
        assert_eq!(play(&["--accept-changes"]).0, Some(0));
    }
    assert_eq!(play(&[]).0, Some(0));
}
