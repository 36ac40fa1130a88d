//! Programs that want to win by noise: they take the processor of the bot on move, keep the host busy,
//! or think where no clock counts it.

use serde_json::{Value, json};

use crate::arena::{Fought, enlist, fight, word};
use crate::common::{Folder, run, stderr};
use crate::tiers::tiers;

/// A game of a burner in a mode against its victim, on one tier.
fn game(mode: &str, tier: &str) -> Fought {
    let word = word(mode, tier);
    let folder = Folder::new(&format!("noise-{mode}-{tier}"));
    // On D older kernels count all processes of an ordinary user, those of other fights as well.
    let more = "[limits]\nprocesses = 2000";
    enlist(&folder, "burner", "burner.py", &[mode, &word], more);
    enlist(&folder, "victim", "burner.py", &["victim", &word], more);
    let args = ["play", "gomoku", "burner", "victim", "--set", "size=15", "--set", "max_moves=16"];
    let args = [&args[..], &["--timeout-ms", "60000"]].concat();
    let fought = fight(&folder, tier, &word, &args)
        .unwrap_or_else(|why| panic!("{mode} on tier {tier}: {why}"));
    let faults = &fought.report["players"][1]["faults"];
    assert_eq!(*faults, json!([]), "{mode} on tier {tier}: {}", fought.report);
    fought
}

/// The figures that a bot has given in its messages, in microseconds.
fn figures(lines: &str, what: &str) -> Vec<u64> {
    let start = format!("MESSAGE {what} ");
    let said = lines.lines().filter_map(|line| line.split_once(&start)?.1.strip_suffix(" us"));
    said.map(|figure| figure.parse().expect("a number")).collect()
}

#[test]
fn the_bot_on_move_gets_the_processor() {
    // On E a bot may hide its processes from whoever would stop them.
    for tier in tiers("ABCD") {
        for mode in ["threads-8", "spin-8", "sessions-55", "timers-8", "churn-8"] {
            let fought = game(mode, tier);
            assert_eq!(fought.report["outcome"], "draw", "{mode} on {tier}: {}", fought.report);
            let (took, had) = (figures(&fought.lines, "took"), figures(&fought.lines, "had"));
            // The burner says at each of its moves what it has had so far; the victim's are between.
            let moves: Vec<(u64, u64)> =
                had.windows(2).zip(&took).map(|(had, took)| (had[1] - had[0], *took)).collect();
            assert!(moves.len() >= 6, "{mode} on {tier}: {}", fought.lines);
            // Left alone it would have most of the time in every move. What else this machine does
            // may keep the host from a look, but not in most of them.
            let kept_off = moves.iter().filter(|(had, took)| had * 4 < *took).count();
            assert!(kept_off * 2 > moves.len(), "{mode} on {tier} had so much of: {moves:?} µs");
        }
    }
}

#[test]
fn a_bot_that_waits_for_its_question_is_left_alone() {
    for tier in tiers("ABCDE") {
        let fought = game("idle", tier);
        assert_eq!(fought.report["outcome"], "draw", "{tier}: {}", fought.report);
        assert_eq!(fought.report["players"][0]["faults"], json!([]), "{tier}: {}", fought.report);
    }
}

#[test]
fn much_output_out_of_turn_loses_and_little_does_not() {
    let mut floods = 0;
    for tier in tiers("ABCDE") {
        let fought = game("flood", tier);
        let (report, villain) = (&fought.report, &fought.report["players"][0]);
        // It may have been stopped before it could write anything: then it writes in its own time.
        if report["outcome"] != "draw" {
            assert_eq!(villain["rank"], 2, "{tier}: {report}");
            let last = villain["faults"].as_array().and_then(|faults| faults.last());
            let last = last.expect("it has lost for something");
            assert_eq!(last["kind"], "flood", "{tier}: {report}");
            assert_eq!(last["detail"], "more than 32 KiB of output out of turn", "{report}");
            floods += 1;
        }
        let fought = game("chatter", tier);
        assert_eq!(fought.report["outcome"], "draw", "{tier}: {}", fought.report);
        // What it said after its last answers may have come after the end.
        let heard = fought.lines.matches("I think about it").count();
        assert!(heard >= 6 * 20, "{tier}: {heard} lines: {}", fought.lines);
    }
    assert!(floods > 0, "on no tier did it come to write while the other was on move");
}

#[test]
fn processor_time_is_that_of_all_processes() {
    for tier in tiers("ABCDE") {
        let word = word("spin-in-child", tier);
        let folder = Folder::new(&format!("noise-cpu-{tier}"));
        enlist(&folder, "villain", "brain.py", &["spin-in-child", &word], "");
        enlist(&folder, "victim", "brain.py", &["good", &word], "");
        let args = ["play", "gomoku", "villain", "victim", "--timeout-ms", "300", "--clock", "cpu"];
        let fought = fight(&folder, tier, &word, &args).unwrap_or_else(|why| panic!("{why}"));
        let report = &fought.report;
        let fault = &report["players"][0]["faults"][0];
        assert_eq!(fault["kind"], "timeout", "{tier}: {report}");
        let detail = fault["detail"].as_str().expect("words");
        let time = detail.split("; ").next().unwrap_or(detail);
        let used = time.rsplit_once(", ").and_then(|(_, used)| used.split(' ').next());
        let used: u64 = used.and_then(|ms| ms.parse().ok()).unwrap_or_else(|| panic!("{detail}"));
        // Its own process uses next to nothing. On a busy machine the patience may be over before the limit.
        assert!(used >= 100, "{tier}: {detail}");
    }
}

#[test]
fn a_first_question_that_has_been_begun_runs_on_the_clock() {
    let ways = ["peek", "peek-in-vain"];
    for (tier, way) in tiers("ABCDE").into_iter().flat_map(|tier| ways.map(|way| (tier, way))) {
        let word = word(way, tier);
        let folder = Folder::new(&format!("noise-{way}-{tier}"));
        enlist(&folder, "rogue", "rogue.py", &["ants", way, &word], "");
        enlist(&folder, "victim", "rogue.py", &["ants", "honest", &word], "");
        let args = ["play", "ants", "rogue", "victim", "--set", "max_turns=3"];
        let args = [&args[..], &["--timeout-ms", "1000"]].concat();
        let fought = fight(&folder, tier, &word, &args).unwrap_or_else(|why| panic!("{why}"));
        let faults = &fought.report["players"][0]["faults"];
        assert_eq!(faults[0]["kind"], "timeout", "{tier}: {}", fought.report);
        assert!(faults[0]["detail"].to_string().contains("limit 1000 ms"), "{}", fought.report);
        let victim = &fought.report["players"][1]["faults"];
        assert_eq!(*victim, Value::Array(Vec::new()), "{tier}: {}", fought.report);
    }
}

#[test]
fn pondering_takes_a_core_for_every_bot() {
    let folder = Folder::new("noise-ponder");
    let bots = ["play", "gomoku", "builtin:random", "builtin:random", "--ponder", "--no-replay"];
    let output = run(&folder, &[&bots[..], &["--games", "999", "--concurrency", "999"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("--ponder needs a core for every bot, 1998 for 999 games"), "{said}");
    let output = run(&folder, &[&bots[..], &["--placement", "together"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("leave out --placement"), "{}", stderr(&output));
}
