//! Bots that are asked what they would play in the positions of a replay.

use crate::arena::enlist;
use crate::common::{Folder, LANISTA, brain, json_lines, lanista, run, stderr, stdout};
use crate::people::only_replay;

/// A short game, and the path of its replay.
fn played(folder: &Folder, game: &str, bots: &[&str], set: &str) -> String {
    let args = [&["play", game], bots, &["--seed", "1", "--quiet", "--set", set]].concat();
    let output = run(folder, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    only_replay(folder)
}

#[test]
fn a_brain_says_its_move_its_words_and_its_evaluation() {
    let folder = Folder::new("analyse-brain");
    let replay = played(&folder, "gomoku", &["builtin:greedy", "builtin:random"], "max_moves=8");
    let bot = brain("suggest");
    let one = ["replay", &replay, "--analyse", &bot, "--at", "2", "--think-ms", "500"];
    let text = stdout(&run(&folder, &one));
    assert!(text.starts_with("step 2, greedy: suggest would play "), "{text}");
    assert!(text.contains("it says 12 for this position (played: "), "{text}");
    assert!(text.contains("\n    depth 3 ev 12"), "{text}");
    let all = run(&folder, &["replay", &replay, "--analyse", &bot, "--json"]);
    let lines = json_lines(&all);
    let steps: Vec<u64> = lines.iter().filter_map(|line| line["step"].as_u64()).collect();
    assert_eq!(steps, (0..8).collect::<Vec<u64>>(), "{}", stderr(&all));
    assert!(lines[1..].iter().all(|line| line["evaluation"] == 12.0), "{}", stdout(&all));
    assert_eq!((&lines[3]["seat"], &lines[3]["name"]), (&1.into(), &"random".into()));
    assert_eq!(lines[3]["played"].as_array().map(Vec::len), Some(1));
    let curve = stdout(&run(&folder, &["replay", &replay, "--analyse", &bot]));
    assert!(curve.contains("evaluation for greedy (-12 to 12): "), "{curve}");
    let over = run(&folder, &["replay", &replay, "--analyse", &bot, "--at", "8"]);
    assert_eq!(over.status.code(), Some(2));
    assert!(stderr(&over).contains("nobody has to move there"), "{}", stderr(&over));
}

#[test]
fn a_bot_that_fails_or_cannot_be_asked_says_why() {
    let folder = Folder::new("analyse-why-not");
    let replay = played(&folder, "gomoku", &["builtin:greedy", "builtin:random"], "max_moves=4");
    for (mode, why) in
        [("exit-at-once", "did not answer: crash"), ("silent", "did not answer: not-ready")]
    {
        enlist(&folder, mode, "brain.py", &[mode], "[limits]\nstart_ms = 500");
        let bot = format!("./{mode}");
        let output = run(&folder, &["replay", &replay, "--analyse", &bot, "--at", "1"]);
        assert!(stdout(&output).contains(why), "{mode}: {}{}", stdout(&output), stderr(&output));
    }
    let person = run(&folder, &["replay", &replay, "--analyse", "human"]);
    assert_eq!(person.status.code(), Some(2), "{}", stdout(&person));
    let other = Folder::new("analyse-other");
    let replay = played(&other, "pyrat", &["builtin:random", "builtin:random"], "max_turns=6");
    let refused = run(&other, &["replay", &replay, "--analyse", &brain("good")]);
    assert_eq!(refused.status.code(), Some(2));
    let why =
        "cannot be asked: the protocol of this game cannot show a program a position in mid-game";
    assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
}

#[test]
fn built_in_bots_of_every_game_are_asked_also_in_the_place_of_one_player() {
    for (game, set) in [
        ("jedna", "max_turns=4"),
        ("pyrat", "max_turns=4"),
        ("petri", "max_ticks=3"),
        ("ants", "max_turns=3"),
    ] {
        let folder = Folder::new(&format!("analyse-{game}"));
        let card = games::GAMES.iter().find(|one| one.card().id == game).expect("there").card();
        let [weakest, bot] =
            [0, card.bots.len() - 1].map(|bot| format!("builtin:{}", card.bots[bot].name));
        let replay = played(&folder, game, &[&weakest, &weakest], set);
        let args = ["--analyse", &bot, "--json", "--think-ms", "20", "--eyes", "2"];
        let output = run(&folder, &[&["replay", &replay], &args[..]].concat());
        let lines = json_lines(&output);
        assert!(!lines.is_empty(), "{game}: {}", stderr(&output));
        for line in &lines {
            assert_eq!(line["seat"], 1, "{game}: {line}");
            assert!(
                line["moves"].as_array().is_some_and(|moves| !moves.is_empty()),
                "{game}: {line}"
            );
        }
    }
}

#[test]
fn a_program_is_asked_where_every_question_shows_all_that_it_sees() {
    for (game, set) in [("jedna", "max_turns=4"), ("petri", "max_ticks=2")] {
        let folder = Folder::new(&format!("analyse-program-{game}"));
        let replay = played(&folder, game, &["builtin:simple", "builtin:simple"], set);
        let asked = |bot: &str| {
            let output = run(&folder, &["replay", &replay, "--analyse", bot, "--json"]);
            let lines = json_lines(&output);
            assert!(!lines.is_empty(), "{game}: {}", stderr(&output));
            let moves = |line: &serde_json::Value| {
                assert!(line["moves"].as_array().is_some_and(|moves| !moves.is_empty()), "{line}");
                line["moves"].clone()
            };
            lines.iter().map(moves).collect::<Vec<_>>()
        };
        // The same bot answers the same, as a program and built in.
        let program = format!("{LANISTA} bot {game} simple");
        assert_eq!(asked(&program), asked("builtin:simple"), "{game}");
    }
}

#[test]
fn a_replay_comes_from_standard_input() {
    let folder = Folder::new("analyse-input");
    let replay = played(&folder, "gomoku", &["builtin:greedy", "builtin:random"], "max_moves=4");
    let input = std::fs::File::open(replay).expect("it is there");
    let mut program = lanista(&folder);
    let output = program.args(["replay", "-", "--verify"]).stdin(input).output().expect("it runs");
    assert_eq!(stdout(&output).trim_end(), "standard input: 4 steps verified");
}
