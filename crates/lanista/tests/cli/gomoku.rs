//! Gomoku from the command line: good games, bad brains, replays.

use serde_json::Value;

use crate::common::{Folder, brain, json_lines, run, stderr, stdout};

/// The ways not to answer.
const SLUGGISH: [&str; 7] = ["late", "stop", "spin", "half", "drip", "flood", "stderr-for-ever"];

/// Words instead of a move, which lose when the time is up.
const WORDY: [&str; 4] = ["garbage", "float", "binary", "error"];

/// Plays one game of the brain in `mode` against a built-in bot and gives the report.
///
/// Only brains that are to run out of time are given little of it: the machine may be busy.
fn report(name: &str, mode: &str, more: &[&str]) -> (Value, Folder) {
    let folder = Folder::new(name);
    let brain = brain(mode);
    let mut args = vec!["play", "gomoku", &brain, "builtin:random", "--json", "--seed", "1"];
    let limit = match mode {
        mode if SLUGGISH.contains(&mode) => "400",
        mode if WORDY.contains(&mode) => "1500",
        _ => "20000",
    };
    args.extend(["--set", "size=15", "--timeout-ms", limit]);
    args.extend(more);
    let output = run(&folder, &args);
    let mut lines = json_lines(&output);
    assert_eq!(lines.len(), 1, "{}", stderr(&output));
    (lines.remove(0), folder)
}

/// The brain loses by its own fault, of this kind, and the reason says why.
fn loses(mode: &str, kind: &str, words: &str) {
    let (report, folder) = report(mode, mode, &[]);
    let player = &report["players"][0];
    let reason = report["reason"].as_str().expect("there is a reason");
    assert_eq!(player["faults"][0]["kind"], kind, "{mode}: {report}");
    assert_eq!((&player["rank"], &report["outcome"]), (&2.into(), &"win".into()), "{report}");
    assert!(reason.contains(words), "{mode}: {reason}");
    let replay = report["replay"].as_str().expect("a replay was written");
    assert_eq!(run(&folder, &["replay", replay, "--verify"]).status.code(), Some(0));
}

/// The brain plays on without a fault; whoever wins, wins on the board.
fn plays_on(mode: &str) -> (Value, Folder) {
    let (report, folder) = report(mode, mode, &["--set", "max_moves=40"]);
    let player = &report["players"][0];
    assert_eq!(player["faults"], Value::Array(Vec::new()), "{mode}: {report}");
    assert!(player["moves"].as_u64() > Some(4), "{mode}: {report}");
    (report, folder)
}

#[test]
fn every_wrong_answer_has_its_verdict() {
    loses("off", "illegal", "\"99,99\" is off the 15×15 board");
    loses("wrap", "illegal", "\"256,259\" is off the 15×15 board");
    loses("huge", "illegal", "\"99999999999999999999,1\" is off the 15×15 board");
    loses("minus", "illegal", "\"-1,3\" is off the 15×15 board");
    loses("garbage", "bad-input", "\"what?\" is not a move");
    loses("float", "bad-input", "\"1e3,2\" is not a move");
    loses("binary", "bad-input", "\"\\x00\\xff\\xfe7,7\" is not a move");
    loses("error", "refused", "ERROR I do not know");
}

#[test]
fn what_a_brain_says_does_not_become_its_result() {
    let (report, folder) = report("liar", "liar", &[]);
    let forfeit = serde_json::json!({"seat": 0, "fault": "refused", "by": "rule"});
    let ending = serde_json::json!({"by": "forfeit", "why": "refused", "forfeits": [forfeit]});
    assert_eq!((&report["players"][0]["rank"], &report["ending"]), (&2.into(), &ending));
    let replay = report["replay"].as_str().expect("a replay was written");
    let exported = |format| stdout(&run(&folder, &["replay", replay, "--export", format]));
    assert!(exported("sgf").contains("RE[W+F]"), "{}", exported("sgf"));
    assert!(exported("psq").ends_with("\r\n-2\r\n"), "{}", exported("psq"));
    let steps = json_lines(&run(&folder, &["replay", replay, "--json"]));
    assert_eq!(steps.last().expect("there is an outcome")["ending"], ending);
}

#[test]
fn a_stone_on_a_stone_loses() {
    let folder = Folder::new("stone");
    let brain = brain("stone");
    let output =
        run(&folder, &["play", "gomoku", "builtin:random", &brain, "--json", "--seed", "1"]);
    let report = json_lines(&output).remove(0);
    assert_eq!(report["players"][1]["faults"][0]["kind"], "illegal");
    assert!(report["reason"].as_str().is_some_and(|reason| reason.contains("is taken by a black")));
}

#[test]
fn a_brain_that_cannot_start_or_play_forfeits_with_its_reason() {
    loses("exit-at-once", "crash", "exited with code 3");
    loses("small", "refused", "ERROR only 19 is supported");
    let (report, _folder) = report("silent", "silent", &["--start-ms", "300"]);
    assert_eq!(report["players"][0]["faults"][0]["kind"], "not-ready");
    assert!(report["reason"].as_str().is_some_and(|r| r.contains("no OK within 300 ms of START")));
}

#[test]
fn a_brain_that_does_not_answer_is_timed_out_whatever_else_it_does() {
    for mode in SLUGGISH {
        loses(mode, "timeout", "(limit 400 ms)");
    }
}

#[test]
fn a_line_without_end_is_cut_off() {
    loses("long", "line-too-long", "more than 65536 bytes");
}

#[test]
fn a_brain_that_dies_loses_and_its_last_words_are_kept() {
    loses("abort", "crash", "signal 6 (SIGABRT");
    loses("close-stdout", "end-of-output", "closed its output");
    let (report, folder) = report("trace", "trace", &[]);
    assert!(report["reason"].as_str().is_some_and(|reason| reason.contains("exited with code 1")));
    let replay = report["replay"].as_str().expect("a replay was written");
    let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
    assert!(lines.contains("! ValueError: this brain is broken"), "{lines}");
}

#[test]
fn an_answer_counts_even_if_the_brain_leaves_right_after_it() {
    let (report, _folder) = report("leaves", "answer-and-exit", &[]);
    assert_eq!(report["players"][0]["moves"], 1);
    assert_eq!(report["players"][0]["faults"][0]["kind"], "crash");
    assert_eq!(report["turns"], 3, "its stone, the answer to it, its forfeit: {report}");
}

#[test]
fn quirks_of_real_brains_are_no_faults() {
    for mode in ["good", "banner", "complain", "pieces", "stderr-then-move", "child", "daemon"] {
        plays_on(mode);
    }
}

#[test]
fn an_answer_too_many_is_recorded_and_thrown_away() {
    let (report, _folder) = report("twice", "twice", &["--set", "max_moves=20"]);
    let faults = report["players"][0]["faults"].as_array().expect("there are faults");
    assert!(faults.iter().all(|fault| fault["kind"] == "extra"), "{report}");
    assert!(faults.len() >= 9, "{report}");
}

#[test]
fn a_replay_shows_what_was_said_and_verifies_only_if_untouched() {
    let (report, folder) = plays_on("good");
    let replay = report["replay"].as_str().expect("a replay was written");
    let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
    for wanted in ["good#0 > START 15", "good#0 < OK", "good#0 > BEGIN", "= wall", "* over: "] {
        assert!(lines.contains(wanted), "{wanted} in {lines}");
    }
    let steps = json_lines(&run(&folder, &["replay", replay, "--json"]));
    assert_eq!(steps.len() as u64, report["turns"].as_u64().expect("a number") + 2);
    assert_eq!(steps[0]["game"], "gomoku");
    assert_eq!(steps[1]["state"]["stones"].as_array().map(Vec::len), Some(1));
    assert_eq!(steps[steps.len() - 1]["outcome"], report["outcome"]);
    let psq = stdout(&run(&folder, &["replay", replay, "--export", "psq"]));
    assert!(psq.starts_with("Piskvorky 15x15, 11:11, 0\r\n"), "{psq}");
    let sgf = stdout(&run(&folder, &["replay", replay, "--export", "sgf"]));
    assert!(sgf.starts_with("(;FF[4]GM[4]"), "{sgf}");
    let other = run(&folder, &["replay", replay, "--export", "doc"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("there are psq, sgf"));

    let path = folder.path().join(replay);
    let mut bytes = std::fs::read(&path).expect("the replay is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&path, bytes).expect("the folder can be written to");
    assert_eq!(run(&folder, &["replay", replay, "--verify"]).status.code(), Some(3));
}

#[test]
fn seats_rotate_and_both_games_of_a_pair_have_the_same_seed() {
    let folder = Folder::new("rotation");
    let args =
        ["play", "gomoku", "builtin:random", "builtin:greedy", "--games", "5", "--seed", "7"];
    let mut args: Vec<&str> = args.to_vec();
    args.extend(["--json", "--no-replay", "--concurrency", "3"]);
    let first = run(&folder, &args);
    let reports = json_lines(&first);
    let seeds: Vec<u64> = reports.iter().filter_map(|report| report["seed"].as_u64()).collect();
    assert_eq!((seeds[0], seeds[2]), (seeds[1], seeds[3]));
    assert!(seeds[0] != seeds[2] && seeds[2] != seeds[4] && seeds[4] != seeds[0], "{seeds:?}");
    assert!(reports.iter().all(|report| report["run_seed"] == 7), "{reports:?}");
    let indexes: Vec<u64> = reports.iter().filter_map(|report| report["index"].as_u64()).collect();
    assert_eq!(indexes, [0, 1, 2, 3, 4]);
    let names: Vec<&Value> = reports.iter().map(|report| &report["players"][0]["name"]).collect();
    assert_eq!(names, ["random", "greedy", "random", "greedy", "random"]);
    let digests = |reports: &[Value]| -> Vec<Value> {
        reports.iter().map(|report| report["digest"].clone()).collect()
    };
    let again = json_lines(&run(&folder, &args));
    assert_eq!(digests(&again), digests(&reports), "the same seed, the same games");
    // One of them alone, by its own seed.
    let third = seeds[2].to_string();
    let args = ["play", "gomoku", "builtin:random", "builtin:greedy", "--json", "--no-replay"];
    let alone = json_lines(&run(&folder, &[&args[..], &["--game-seed", &third]].concat()));
    assert_eq!(digests(&alone), digests(&reports[2..3]));
    assert_eq!(alone[0]["seed"], reports[2]["seed"]);
}

#[test]
fn seeds_that_nobody_gave_are_not_small_and_never_the_same() {
    let folder = Folder::new("random-seeds");
    let args = ["play", "gomoku", "builtin:random", "builtin:random", "--no-replay"];
    let drawn = || {
        let output = run(&folder, &args);
        let text = stderr(&output);
        let (_, seed) = text.split_once("`--seed ").expect("it is said how to play it again");
        let seed = seed.split('`').next().expect("it is quoted").split(' ').next();
        let seed = seed.and_then(|seed| seed.parse::<u64>().ok()).expect("a number").to_string();
        let again = run(&folder, &[&args[..], &["--seed", &seed]].concat());
        let game_seed = |output| {
            let text = stdout(output);
            text.lines().find(|line| line.contains("game seed")).map(str::to_owned)
        };
        assert!(game_seed(&output).is_some() && game_seed(&output) == game_seed(&again), "{text}");
        seed.parse::<u64>().expect("a number")
    };
    let seeds = [drawn(), drawn(), drawn()];
    // Once in 10^12 all three have so few bits.
    assert!(seeds.iter().any(|&seed| seed > u64::MAX >> 13), "{seeds:?}");
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2], "{seeds:?}");
}

#[test]
fn a_replay_never_takes_the_place_of_another_games() {
    let folder = Folder::new("names-of-replays");
    let replay = |more: &[&str]| {
        let args = ["play", "gomoku", "builtin:random", "builtin:random", "--json", "--seed", "3"];
        let output = run(&folder, &[&args[..], &["--set", "max_moves=6"], more].concat());
        let report = json_lines(&output).remove(0);
        (report["match"].clone(), report["replay"].clone())
    };
    let plain = replay(&[]);
    assert_eq!(replay(&[]), plain, "the same game again, in the place of the one before");
    for other in [
        &["--timeout-ms", "500"][..],
        &["--match-ms", "60000"],
        &["--margin-ms", "30"],
        &["--start-ms", "5000"],
        &["--clock", "cpu"],
        &["--adjudicate-turns", "4"],
        &["--freeze"],
        &["--placement", "apart"],
    ] {
        assert_ne!(replay(other).0, plain.0, "{other:?}");
    }
    // Something else by that name is left alone.
    let path = folder.path().join(plain.1.as_str().expect("a replay was written"));
    std::fs::write(&path, "not a replay").expect("writable");
    let (id, beside) = replay(&[]);
    assert_eq!((&id, beside.as_str().map(|name| name.ends_with("-2.lrz"))), (&plain.0, Some(true)));
    assert_eq!(std::fs::read(&path).expect("it is there"), b"not a replay");
}

#[test]
fn a_brain_stays_for_the_next_game_if_it_can_and_is_replaced_if_not() {
    let folder = Folder::new("reuse");
    let started = |mode: &str, more: &[&str]| {
        let brain = brain(mode);
        let mut args = vec!["play", "gomoku", &brain, "builtin:random", "--games", "4", "--json"];
        args.extend(["--concurrency", "1", "--set", "max_moves=6", "--set", "size=15"]);
        args.extend(more);
        let reports = json_lines(&run(&folder, &args));
        assert!(reports.iter().all(|report| report["outcome"] == "draw"), "{reports:?}");
        let greeted = reports.iter().filter(|report| {
            let replay = report["replay"].as_str().expect("a replay was written");
            let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
            lines.contains("> START")
        });
        greeted.count()
    };
    assert_eq!(started("good", &[]), 1);
    assert_eq!(started("good", &["--fresh"]), 4);
    assert_eq!(started("no-restart", &[]), 4);
}

#[test]
fn the_readmes_bot_plays_from_an_empty_board_and_from_an_opening_and_leaves_at_the_end() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the README is there");
    let code = readme.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    let code = code.expect("the README has a bot in Python");
    let folder = Folder::new("readme");
    let made = run(&folder, &["new", "gomoku", "mybot", "--lang", "python"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let strategy = folder.path().join("mybot/strategy.py");
    let of_kit = std::fs::read_to_string(&strategy).expect("the kit has a strategy");
    assert_eq!(of_kit, code, "README shows the strategy of the kit");
    std::fs::write(folder.path().join("book.txt"), "h8i9g7\n").expect("writable");
    for setup in [&["--games", "2"][..], &["--games", "2", "--set", "openings=book.txt"]] {
        let mut args = vec!["play", "gomoku", "mybot", "builtin:random", "--json"];
        args.extend(["--set", "size=15", "--timeout-ms", "20000"]);
        args.extend(setup);
        let reports = json_lines(&run(&folder, &args));
        assert_eq!(reports.len(), 2);
        for report in &reports {
            assert_eq!(report["players"][0]["faults"], Value::Array(Vec::new()), "{report}");
            assert_eq!(report["players"][1]["faults"], Value::Array(Vec::new()), "{report}");
            assert_ne!(report["outcome"], "void", "{report}");
        }
    }
    // Its input stays open: it is END that it obeys.
    let mut bot = std::process::Command::new("python3")
        .arg(&strategy)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("python can be started");
    let mut input = bot.stdin.take().expect("it is piped");
    std::io::Write::write_all(&mut input, b"START 5\r\nINFO rule 0\r\nEND\r\n").expect("it reads");
    let output = bot.wait_with_output().expect("it ends");
    drop(input);
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "OK\n", "INFO and END have no answer");
}

#[test]
fn openings_from_a_book_are_played_twice_with_colours_swapped() {
    let folder = Folder::new("book");
    std::fs::write(folder.path().join("book.txt"), "h8i9g7\n0,0, 1,0, 2,2\n").expect("writable");
    let args = ["play", "gomoku", "builtin:greedy", "builtin:random", "--games", "4", "--json"];
    let mut args: Vec<&str> = args.to_vec();
    args.extend(["--set", "openings=book.txt", "--set", "rule=standard", "--seed", "0"]);
    let reports = json_lines(&run(&folder, &args));
    let starts: Vec<Value> = reports
        .iter()
        .map(|report| {
            let replay = report["replay"].as_str().expect("a replay was written");
            json_lines(&run(&folder, &["replay", replay, "--json"]))[0]["config"]["start"].clone()
        })
        .collect();
    assert_eq!(starts[0], serde_json::json!([[7, 7], [8, 8], [6, 6]]));
    assert_eq!((&starts[1], &starts[3]), (&starts[0], &starts[2]));
    assert_ne!(starts[0], starts[2]);
}

#[test]
fn the_example_brain_plays_every_kind_of_game_without_a_fault() {
    let folder = Folder::new("example-brain");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bots/gomoku/python");
    for setup in [&["size=9"][..], &["width=12", "height=9"], &["size=15", "opening=swap2"]] {
        let mut args = vec!["play", "gomoku", example, "builtin:random", "--games", "2", "--json"];
        if setup.contains(&"opening=swap2") {
            args[3] = example;
        }
        // The machine may be busy.
        args.extend(["--timeout-ms", "20000"]);
        setup.iter().for_each(|pair| args.extend(["--set", pair]));
        let reports = json_lines(&run(&folder, &args));
        assert_eq!(reports.len(), 2, "{setup:?}");
        for report in reports {
            let players = report["players"].as_array().expect("two of them");
            let none = Value::Array(Vec::new());
            assert!(players.iter().all(|player| player["faults"] == none), "{setup:?}: {report}");
        }
    }
}
