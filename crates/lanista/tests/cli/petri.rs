//! Petri from the command line: agents in three languages, births and deaths, and bad habits.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Folder, LANISTA, json_lines, run, stderr, stdout};
use crate::tiers::{python, tiers};

/// A test agent with a habit, as a bot argument.
fn organism(habit: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/organism.py");
    format!("{habit}=python3 {script} {habit} {}", mark(habit))
}

/// An argument by which the processes of this test can be found.
fn mark(habit: &str) -> String {
    format!("{habit}-of-test-{}", std::process::id())
}

/// A folder of the examples.
fn example(name: &str) -> String {
    format!("{}/../../examples/bots/petri/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Plays a short game of a habit in a small world; gives the report and every line that was said.
fn game(habit: &str) -> (Value, String) {
    let folder = Folder::new(&format!("petri-{habit}"));
    let bot = organism(habit);
    let mut args = vec!["play", "petri", &bot, "builtin:simple", "--json", "--seed", "5"];
    // Only the one that is to run out of time is given little of it: the machine may be busy.
    let limit = if habit == "sleep" { "1000" } else { "20000" };
    args.extend(["--set", "initial_agents=2", "--set", "max_ticks=6", "--timeout-ms", limit]);
    let output = run(&folder, &args);
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    let replay = report["replay"].as_str().expect("a replay was written");
    assert_eq!(run(&folder, &["replay", replay, "--verify"]).status.code(), Some(0), "{habit}");
    (report.clone(), stdout(&run(&folder, &["replay", replay, "--lines"])))
}

fn kinds(report: &Value) -> Vec<&str> {
    let faults = report["players"][0]["faults"].as_array().expect("a list");
    faults.iter().filter_map(|fault| fault["kind"].as_str()).collect()
}

#[test]
fn agents_in_c_python_and_ruby_share_a_world() {
    let folder = Folder::new("petri-languages");
    let agent = folder.path().join("agent");
    let compiled = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&agent)
        .arg(example("instant-c/agent.c"))
        .status();
    assert!(compiled.is_ok_and(|status| status.success()), "it compiles without a warning");
    let (c, python, ruby) =
        (agent.display().to_string(), example("colony-python"), example("document-ruby"));
    let mut args = vec!["play", "petri", &c, &python, "builtin:colony"];
    // The test script says so when there is no Ruby.
    if Command::new("ruby").arg("--version").output().is_ok() {
        args.push(&ruby);
    }
    let players = args.len() - 2;
    args.extend(["--json", "--seed", "1", "--timeout-ms", "20000", "--start-ms", "20000"]);
    args.extend(["--set", "initial_agents=2", "--set", "max_ticks=8", "--set", "max_agents=40"]);
    args.extend(["--set", "width=10", "--set", "height=8", "--csv", "counts.csv"]);
    let output = run(&folder, &args);
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    for player in report["players"].as_array().expect("a list") {
        assert_eq!(player["faults"], json!([]), "{player}");
        assert!(player["moves"].as_u64() > Some(8), "{player}");
    }
    let replay = report["replay"].as_str().expect("a replay was written");
    assert_eq!(run(&folder, &["replay", replay, "--verify"]).status.code(), Some(0));
    let csv = std::fs::read_to_string(folder.path().join("counts.csv")).expect("it was written");
    assert!(csv.starts_with("tick,player,name,population,energy\n0,0,agent,2,20\n"), "{csv}");
    let ticks = report["turns"].as_u64().expect("a number") as usize;
    assert_eq!(csv.lines().count(), 1 + players * (1 + ticks));
    assert!(run(&folder, &["replay", replay, "--csv", "again.csv"]).status.success());
    let again = std::fs::read_to_string(folder.path().join("again.csv")).expect("it was written");
    assert_eq!(again, csv, "a replay counts the same");
    // Somebody was born: more agents than the two of the start.
    assert!(csv.lines().any(|line| line.contains(",1,colony-python,4,")), "{csv}");
}

#[test]
fn every_agent_that_crashes_is_removed_and_the_world_goes_on() {
    let (report, lines) = game("crash");
    assert_eq!(kinds(&report), ["crash", "crash"], "{lines}");
    assert_eq!((&report["outcome"], &report["turns"]), (&json!("win"), &json!(3)));
    assert_eq!(report["players"][1]["rank"], 1);
    assert!(lines.contains("killed by signal 9"), "{lines}");
}

#[test]
fn brothers_of_one_that_crashes_live_on() {
    let folder = Folder::new("petri-brothers");
    let bot = organism("crash-alone");
    let mut args =
        vec!["play", "petri", &bot, "--json", "--seed", "2", "--set", "initial_agents=8"];
    args.extend(["--set", "max_ticks=5", "--timeout-ms", "20000"]);
    let report = json_lines(&run(&folder, &args)).remove(0);
    let crashed = kinds(&report).len();
    assert!((1..8).contains(&crashed), "{report}");
    assert_eq!(report["turns"], 5);
    assert_eq!(report["players"][0]["score"].as_f64(), Some((8 - crashed) as f64 * 10.0));
}

#[test]
fn a_late_reply_costs_a_tick_and_no_more() {
    let (report, lines) = game("sleep");
    assert!(kinds(&report).iter().all(|kind| *kind == "timeout"), "{lines}");
    assert!(lines.contains("came after its time was up"), "{lines}");
    assert_eq!(report["players"][0]["score"], 20.0, "nobody has died of it: {lines}");
}

#[test]
fn garbage_and_what_is_too_much_are_recorded_and_cost_nothing_else() {
    let (report, lines) = game("garbage");
    assert_eq!(kinds(&report), ["bad-input", "bad-input"], "{lines}");
    assert_eq!(report["players"][0]["score"], 20.0);
    let (report, lines) = game("twice");
    assert_eq!(kinds(&report), ["extra", "extra"], "{lines}");
    assert_eq!(report["players"][0]["score"], 20.0, "{lines}");
}

#[test]
fn children_are_processes_and_nothing_of_them_is_left() {
    let (report, lines) = game("breed");
    assert_eq!(kinds(&report), [] as [&str; 0], "{lines}");
    assert!(lines.contains("breed#9 >"), "at least six more have been born: {lines}");
    assert!(lines.contains("\"generation\":3"), "{lines}");
    let left = crate::common::processes_with(&mark("breed"));
    assert!(left.is_empty(), "{left:?}");
}

/// More are born at a time than one process can start, and others take their places.
#[test]
fn hundreds_are_born_in_cages_and_every_one_answers() {
    for tier in tiers("ABCD") {
        let folder = Folder::new(&format!("petri-births-{tier}"));
        let bot = format!("parent={LANISTA} __parent petri");
        let mut args = vec!["play", "petri", &bot, "--json", "--tier", tier, "--no-replay"];
        // So wide that everybody has room for a child, and always the same world.
        args.extend(["--seed", "1", "--set", "width=51", "--set", "height=51"]);
        args.extend(["--set", "initial_agents=80"]);
        args.extend(["--set", "max_agents=240", "--set", "max_ticks=4", "--timeout-ms", "60000"]);
        let output = run(&folder, &args);
        let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
        assert_eq!(report["tier"], tier);
        assert_eq!(kinds(&report), [] as [&str; 0], "tier {tier}: {report}");
        // Each answers twice and leaves a child behind.
        assert_eq!(report["players"][0]["moves"], 560, "tier {tier}: {report}");
    }
}

/// Agents of a vast world do not interrupt one another, and all of them are treated alike. Each
/// looks how it is scheduled when it is asked for the second time.
#[test]
fn agents_of_a_vast_world_are_patient_and_those_of_a_small_one_are_not() {
    const AGENT: &str = r#"
asked=0
while read -r question; do
    asked=$((asked + 1))
    action=rest
    if [ "$asked" = 2 ]; then
        read -r all < /proc/self/stat
        # Without the first two, the id and the name: the class is the 41st, and 3 is batch.
        set -- ${all##*)}
        [ "${39}" = 3 ] && action=die
    fi
    printf '{"action":"%s"}\n' "$action"
done
"#;
    for tier in tiers("ABCDE") {
        let folder = Folder::new(&format!("petri-patience-{tier}"));
        let script = folder.path().join("agent.sh");
        std::fs::write(script, AGENT).expect("the folder can be written to");
        // Who is patient answers twice and dies.
        for (agents, answers) in [("300", 2 * 300), ("30", 3 * 30)] {
            let mut args = vec!["play", "petri", "sh agent.sh", "--json", "--tier", tier];
            args.extend(["--no-replay", "--seed", "1", "--timeout-ms", "60000"]);
            args.extend(["--set", "width=40", "--set", "height=40", "--set", "max_ticks=3"]);
            let (initial, most) =
                (format!("initial_agents={agents}"), format!("max_agents={agents}"));
            args.extend(["--set", &initial, "--set", &most]);
            let output = run(&folder, &args);
            let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
            assert_eq!(kinds(&report), [] as [&str; 0], "tier {tier}: {report}");
            assert_eq!(report["players"][0]["moves"], answers, "tier {tier}: {report}");
        }
    }
}

#[test]
fn one_player_alone_is_a_simulation_with_a_chart() {
    let folder = Folder::new("petri-alone");
    let args = ["play", "petri", "builtin:colony", "--seed", "1", "--set", "max_ticks=30"];
    let text = stdout(&run(&folder, &args));
    assert!(text.contains("over after 30 turns: the cap of 30 ticks was reached"), "{text}");
    assert!(text.contains("population (up to "), "{text}");
    assert!(text.contains("energy (up to "), "{text}");
    let two = ["play", "petri", "builtin:colony", "builtin:simple", "--chart", "--no-replay"];
    assert!(stdout(&run(&folder, &two)).contains("population (up to "));
    let refused = |args: &[&str], words: &str| {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    };
    // Through one player's eyes only its own figures are counted, and the scale is its own.
    let kept = ["play", "petri", "builtin:colony", "builtin:simple", "--json", "--seed", "1"];
    let report = json_lines(&run(&folder, &[&kept[..], &["--set", "max_ticks=20"]].concat()));
    let replay = report[0]["replay"].as_str().expect("it was kept");
    let own = stdout(&run(&folder, &["replay", replay, "--chart", "--eyes", "2"]));
    assert!(own.contains("simple") && !own.contains("colony"), "{own}");
    let eyes = ["replay", replay, "--csv", "own.csv", "--eyes", "simple"];
    assert_eq!(run(&folder, &eyes).status.code(), Some(0));
    let own = std::fs::read_to_string(folder.path().join("own.csv")).expect("it was written");
    assert!(own.contains("\n0,1,simple,") && !own.contains("colony"), "{own}");
    let other = ["play", "gomoku", "builtin:random", "builtin:random", "--chart"];
    refused(&other, "gomoku counts nothing");
    refused(&[&two[..], &["--games", "2"]].concat(), "take one game");
}

#[test]
fn the_world_is_drawn_tick_by_tick() {
    let folder = Folder::new("petri-watch");
    let args = ["play", "petri", "builtin:colony", "builtin:simple", "--watch", "--seed", "2"];
    let text = stdout(&run(&folder, &[&args[..], &["--set", "max_ticks=40"]].concat()));
    assert!(text.contains("tick 40 of 40, 20×15"), "{text}");
    assert!(text.contains("A colony") && text.contains("B simple"), "{text}");
}

#[test]
fn an_agent_finds_its_own_file_tick_after_tick_and_nobody_elses() {
    for tier in tiers("ABCDE") {
        let folder = Folder::new(&format!("petri-memory-{tier}"));
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/organism.py");
        std::fs::copy(script, folder.path().join("organism.py")).expect("it can be copied");
        let bot = format!("{} organism.py remember", python());
        let mut args = vec!["play", "petri", &bot, &bot, "--json", "--tier", tier, "--out", "."];
        args.extend(["--set", "initial_agents=2", "--set", "max_ticks=4", "--timeout-ms", "20000"]);
        let keeps = tier != "C";
        args.extend(["--set", if keeps { "keep_memory=true" } else { "keep_memory=false" }]);
        let output = run(&folder, &args);
        let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
        assert_eq!(kinds(&report), Vec::<&str>::new(), "tier {tier}: {report}");
        let replay = report["replay"].as_str().expect("a replay was written");
        let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
        let caged = tier <= "C";
        let place = if caged { "as promised" } else { "elsewhere" };
        for tick in 0..4 {
            let words = format!("{tick} before, {place}, others []");
            assert_eq!(lines.matches(&words).count(), 4, "tier {tier}, {words}: {lines}");
        }
        let kept = lines.lines().filter(|line| line.contains("* its file: {\"ticks\": 4"));
        assert_eq!(kept.count(), if keeps { 4 } else { 0 }, "tier {tier}: {lines}");
    }
}

#[test]
fn a_crash_of_agents_names_them_and_why_once() {
    let folder = Folder::new("petri-crash");
    let broken = "broken=python3 -c \"input(); {}['x']\"";
    let args = ["play", "petri", broken, "builtin:random", "--seed", "3", "--set", "max_ticks=5"];
    let output = run(&folder, &args);
    let text = stdout(&output);
    assert!(!text.contains("forfeits"), "{text}");
    let faults: Vec<&str> = text.lines().filter(|line| line.contains("! turn")).collect();
    assert_eq!(faults.len(), 1, "{text}");
    assert!(faults[0].contains("! turn 1, agents "), "{text}");
    assert!(faults[0].ends_with("exited with code 1; stderr: KeyError: 'x' (4 times)"), "{text}");
}
