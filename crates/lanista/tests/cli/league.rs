//! Tournaments: nothing is lost, nothing is counted twice, whatever is killed when.

use std::path::Path;
use std::process::{Child, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::common::{Folder, brain, json_lines, lanista, run, stderr, stdout, wait_until};

/// A tournament of gomoku between these bots, with these lines before them.
pub(crate) fn cup(folder: &Folder, name: &str, head: &str, bots: &[(&str, &str)]) {
    let mut text = format!("name = \"{name}\"\ngame = \"gomoku\"\n{head}\n");
    for (name, bot) in bots {
        text.push_str(&format!("[[bots]]\nname = \"{name}\"\nbot = \"{bot}\"\n"));
    }
    std::fs::write(folder.path().join(format!("{name}.toml")), text).expect("writable");
}

pub(crate) const FIVE: &[(&str, &str)] = &[
    ("a", "builtin:greedy"),
    ("b", "builtin:random"),
    ("c", "builtin:random"),
    ("d", "builtin:greedy"),
    ("e", "builtin:random"),
];

/// Short games.
pub(crate) const SHORT: &str = "concurrency = 2\nsetup = { size = 15, max_moves = 40 }";

pub(crate) fn play(folder: &Folder, args: &[&str]) -> Output {
    let output = run(folder, &[&["run"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    output
}

pub(crate) fn results(folder: &Folder, dir: &str) -> Vec<Value> {
    json_lines(&run(folder, &["results", dir, "--json"]))
}

pub(crate) fn standings(folder: &Folder, dir: &str) -> Value {
    json_lines(&run(folder, &["standings", dir, "--json"])).remove(0)
}

/// The same without times, which no two runs share.
pub(crate) fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            for key in ["wall_ms", "cpu_ms", "slowest_ms", "host_delay_ms", "time", "played"] {
                map.remove(key);
            }
            for inside in map.values_mut() {
                *inside = timeless(inside.take());
            }
        }
        Value::Array(list) => {
            for inside in list {
                *inside = timeless(inside.take());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    value
}

pub(crate) fn same(folder: &Folder, one: &str, other: &str) {
    let games = |dir| -> Vec<Value> { results(folder, dir).into_iter().map(timeless).collect() };
    assert_eq!(games(one), games(other));
    assert_eq!(timeless(standings(folder, one)), timeless(standings(folder, other)));
}

/// A host that plays in the background, to be killed.
pub(crate) fn host(folder: &Folder, args: &[&str]) -> Child {
    let mut command = lanista(folder);
    command.arg("run").args(args).arg("--quiet");
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

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
fn changes_that_contradict_the_results_are_refused_and_additions_are_not() {
    let folder = Folder::new("contradiction");
    let head = |more: &str| format!("{more}\n{SHORT}");
    cup(&folder, "cup", &head("rounds = 2\nseed = 1"), &FIVE[..3]);
    play(&folder, &["cup.toml", "--quiet"]);
    let before = results(&folder, "runs/cup");
    assert_eq!(before.len(), 6);
    let refused = |head: &str, bots: &[(&str, &str)], words: &[&str]| {
        cup(&folder, "cup", head, bots);
        let output = run(&folder, &["run", "cup.toml", "--quiet"]);
        assert_eq!(output.status.code(), Some(2), "{head}");
        let text = stderr(&output);
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    let three = &FIVE[..3];
    refused(&head("rounds = 2\nseed = 2"), three, &["seed was 1, and is 2 now", "6 games"]);
    refused(&head("rounds = 1\nseed = 1"), three, &["3 games that were played", "rounds"]);
    refused(
        &head("rounds = 2\nseed = 1\nclock = { move_ms = 5 }"),
        three,
        &["clock.move_ms was 1000, and is 5 now"],
    );
    refused(&head("format = \"swiss\"\nseed = 1"), three, &["format was \"round-robin\""]);
    refused(&head("rounds = 2\nseed = 1"), &FIVE[..2], &["\"c\" is not in it any more"]);
    let other = [FIVE[0], FIVE[1], ("c", "builtin:greedy")];
    let changed = ["was builtin:random, and is builtin:greedy now", "--accept-changes"];
    refused(&head("rounds = 2\nseed = 1"), &other, &changed);
    refused(
        "rounds = 2\nseed = 1\nsetup = { size = 16 }",
        three,
        &["setup.size was 15, and is 16 now"],
    );
    // Another round and another bot.
    cup(&folder, "cup", &head("rounds = 4\nseed = 1"), &FIVE[..4]);
    play(&folder, &["cup.toml", "--quiet"]);
    let after = results(&folder, "runs/cup");
    assert_eq!(after.len(), 6 * 4);
    for game in &before {
        assert!(after.iter().any(|other| other["match"] == game["match"]), "{game}");
    }
    let rows = standings(&folder, "runs/cup");
    assert_eq!(rows["scheduled"], 24);
    assert!(rows["rows"].as_array().expect("rows").iter().all(|row| row["games"] == 12));
}

#[test]
fn a_changed_program_plays_on_only_if_that_is_accepted() {
    let folder = Folder::new("changed-program");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    let copy = folder.path().join("brain.py");
    std::fs::copy(script, &copy).expect("it can be copied");
    let bots = [("mine", "python3 brain.py good"), ("a", "builtin:random")];
    let head = "rounds = 2\nsetup = { size = 15, max_moves = 6 }";
    cup(&folder, "cup", head, &bots);
    play(&folder, &["cup.toml", "--quiet"]);
    let mut text = std::fs::read_to_string(&copy).expect("it is there");
    text.push_str("\n# stronger now\n");
    std::fs::write(&copy, text).expect("writable");
    cup(&folder, "cup", &head.replace("rounds = 2", "rounds = 4"), &bots);
    let output = run(&folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(2));
    let words = "\"mine\" (python3 brain.py good) is not the same as before: brain.py has changed";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    play(&folder, &["cup.toml", "--quiet", "--accept-changes"]);
    assert_eq!(results(&folder, "runs/cup").len(), 4);
}

/// A tournament that takes long enough to be steered.
fn endless(folder: &Folder) -> Child {
    let bots = [("a", "builtin:random"), ("b", "builtin:random"), ("c", "builtin:greedy")];
    cup(folder, "cup", &format!("format = \"ladder\"\n{SHORT}"), &bots);
    let child = host(folder, &["cup.toml", "--dir", "run"]);
    wait_until("it plays", || status(folder).is_some_and(|status| status["games"] != 0));
    child
}

pub(crate) fn status(folder: &Folder) -> Option<Value> {
    let output = run(folder, &["ctl", "run", "status"]);
    output.status.success().then(|| json_lines(&output).remove(0))
}

pub(crate) fn order(folder: &Folder, words: &[&str]) -> Output {
    run(folder, &[&["ctl", "run"], words].concat())
}

#[test]
fn a_running_tournament_can_be_steered_from_elsewhere() {
    let folder = Folder::new("ctl");
    let mut host = endless(&folder);
    // Nobody else may play in the same folder.
    let output = run(&folder, &["run", "cup.toml", "--dir", "run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is being played by another process"), "{}", stderr(&output));
    assert!(order(&folder, &["pause"]).status.success());
    wait_until("it pauses", || {
        status(&folder)
            .is_some_and(|s| s["state"] == "paused" && [&s["under_way"], &s["to_keep"]] == [0, 0])
    });
    let games = status(&folder).expect("it runs")["games"].clone();
    assert!(order(&folder, &["concurrency", "1"]).status.success());
    wait_until("it changes", || {
        status(&folder).is_some_and(|s| s["state"] == "paused" && s["concurrency"] == 1)
    });
    assert_eq!(status(&folder).expect("it runs")["games"], games, "it is still paused");
    assert!(order(&folder, &["resume"]).status.success());
    wait_until("it goes on", || status(&folder).is_some_and(|s| s["games"] != games));
    let refused = order(&folder, &["add", "builtin:greedy", "--event", "chess"]);
    assert!(stderr(&refused).contains("the events: gomoku"), "{}", stderr(&refused));
    let refused = order(&folder, &["add", "a=builtin:greedy"]);
    assert!(stderr(&refused).contains("there is a bot \"a\" already"), "{}", stderr(&refused));
    assert!(order(&folder, &["add", "late=builtin:greedy"]).status.success());
    wait_until("the new one plays", || {
        let rows = standings(&folder, "run")["rows"].as_array().cloned().unwrap_or_default();
        rows.iter().any(|row| row["name"] == "late" && row["games"] != 0)
    });
    assert!(order(&folder, &["stop"]).status.success());
    assert_eq!(host.wait().expect("it ends").code(), Some(0));
    assert_eq!(order(&folder, &["status"]).status.code(), Some(2));
    // The one who was added is still there when it goes on.
    let again = host_until_more(&folder);
    assert!(standings(&folder, "run")["rows"].as_array().is_some_and(|rows| rows.len() == 4));
    assert_eq!(again, Some(130));
}

#[test]
fn under_way_are_games_that_are_played_not_results_that_wait_for_the_disk() {
    let folder = Folder::new("under-way");
    let head = "concurrency = 1\nrounds = 100000\nsetup = { size = 7, max_moves = 8 }";
    cup(&folder, "quick", head, &[("a", "builtin:random"), ("b", "builtin:random")]);
    let mut child = host(&folder, &["quick.toml", "--dir", "run"]);
    wait_until("it plays", || status(&folder).is_some_and(|status| status["games"] != 0));
    for _ in 0..10 {
        let status = status(&folder).expect("it is running");
        assert!(status["under_way"].as_u64().is_some_and(|games| games <= 1), "{status}");
    }
    assert_eq!(order(&folder, &["stop"]).status.code(), Some(0));
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
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
    assert!(stderr(&twice).contains("there is a bot \"late\" already"), "{}", stderr(&twice));
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

/// Goes on until there are more games, then is interrupted.
fn host_until_more(folder: &Folder) -> Option<i32> {
    let before = results(folder, "run").len();
    let mut host = host(folder, &["cup.toml", "--dir", "run"]);
    wait_until("it goes on", || results(folder, "run").len() > before);
    kill_process(Pid::from_child(&host), Signal::INT).expect("it runs");
    host.wait().expect("it ends").code()
}

#[test]
fn games_of_a_run_are_found_by_their_number() {
    let folder = Folder::new("numbers");
    cup(&folder, "my cup", &format!("rounds = 2\n{SHORT}"), &FIVE[..3]);
    let text = stdout(&play(&folder, &["my cup.toml"]));
    assert!(text.contains("gomoku, round-robin: 6 games"), "{text}");
    for (index, game) in results(&folder, "runs/my cup").iter().enumerate() {
        assert_eq!(game["index"], index);
        let number = (index + 1).to_string();
        let header = json_lines(&run(&folder, &["replay", "runs/my cup", &number, "--json"]));
        assert_eq!(header[0]["match"], game["match"]);
    }
    let text = stdout(&run(&folder, &["results", "runs/my cup"]));
    assert!(text.starts_with("game 1 (") && text.contains("\ngame 6 ("), "{text}");
    let output = run(&folder, &["replay", "runs/my cup", "7"]);
    assert_eq!(output.status.code(), Some(2));
    let last = "6 games are finished, the last of them is number 6";
    assert!(stderr(&output).contains(last), "{}", stderr(&output));
    assert_eq!(run(&folder, &["replay", "runs/my cup", "0"]).status.code(), Some(2));
}

#[test]
fn standings_come_for_people_scripts_tables_and_browsers() {
    let folder = Folder::new("standings");
    let bots = [("a", "builtin:greedy"), ("<b>", "builtin:random"), ("c,d", "builtin:random")];
    cup(&folder, "cup", &format!("rounds = 4\n{SHORT}"), &bots);
    play(&folder, &["cup.toml", "--quiet"]);
    let table = standings(&folder, "runs/cup");
    let row = &table["rows"][0];
    assert_eq!((row["name"].as_str(), row["games"].as_u64()), (Some("a"), Some(8)));
    let count = |key: &str| row[key].as_f64().expect("a number");
    assert_eq!(count("wins") + count("draws") / 2.0, count("points"));
    assert!(count("rating") > 1500.0 && count("rating_error") > 0.0);
    assert_eq!(table["pairs"].as_array().map(Vec::len), Some(3));
    assert_eq!(table["game"], "gomoku");
    let text = stdout(&run(&folder, &["standings", "runs/cup"]));
    let whole = ["won–drawn–lost by the row", "stronger than the column", "Sonneborn", "slowest"];
    for words in [&whole[..], &["seat 1 scored"]].concat() {
        assert!(text.contains(words), "{text}");
    }
    let csv = stdout(&run(&folder, &["standings", "runs/cup", "--csv"]));
    assert!(csv.lines().count() == 4 && csv.contains("\"c,d\""), "{csv}");
    let html = stdout(&run(&folder, &["standings", "runs/cup", "--html"]));
    assert!(html.contains("<svg") && html.contains("&lt;b&gt;") && !html.contains("<b>"));
    assert!(!html.contains("http"), "a page that needs nothing from elsewhere");
}

/// The lines of a text from the one that begins with these words to the next blank one.
fn part<'a>(text: &'a str, from: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| !line.starts_with(from));
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn those_who_share_a_place_have_rows_of_their_own_in_the_cross_table() {
    let folder = Folder::new("cross");
    // Everything is drawn, so that all are first.
    let head = "rounds = 2\nsetup = { size = 15, max_moves = 4 }";
    cup(&folder, "cup", head, FIVE);
    play(&folder, &["cup.toml", "--quiet"]);
    let text = stdout(&run(&folder, &["standings", "runs/cup"]));
    let cross = part(&text, "won–drawn–lost");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(cross[1]), ["row", "name", "1", "2", "3", "4", "5"]);
    assert_eq!(words(cross[2]), ["1", "a", "·", "0–2–0", "0–2–0", "0–2–0", "0–2–0"]);
    assert_eq!(words(cross[6])[..2], ["5", "e"]);
    let rows: Vec<Vec<String>> = text.lines().skip(2).take(5).map(words).collect();
    assert!(rows.iter().all(|row| row[0] == "1"), "all share a place: {text}");
    assert!(text.lines().take_while(|line| !line.starts_with("Sonneborn")).all(fits), "{text}");
}

/// Whether a line fits a terminal of the usual width.
fn fits(line: &str) -> bool {
    line.chars().count() <= 80
}

#[test]
fn a_table_says_how_far_one_came_and_which_round_it_is() {
    let folder = Folder::new("how-far");
    let five = |head: &str| cup(&folder, "cup", &format!("{head}\n{SHORT}"), FIVE);
    five("format = \"knockout\"\nseed = 8\nthird_place = true");
    play(&folder, &["cup.toml", "--quiet", "--dir", "knockout"]);
    let rows = standings(&folder, "knockout")["rows"].take();
    let reached = rows.as_array().expect("rows").iter().map(|row| row["reached"].as_str());
    let all = ["winner", "final", "third place", "fourth place", "quarter-final"];
    assert_eq!(reached.collect::<Vec<_>>(), all.map(Some));
    let text = stdout(&run(&folder, &["standings", "knockout"]));
    assert!(text.contains("reached") && text.contains("fourth place"), "{text}");
    five("format = \"swiss\"\nrounds = 3\nseed = 8\nstop = { games = 5 }");
    play(&folder, &["cup.toml", "--quiet", "--dir", "swiss"]);
    let text = stdout(&run(&folder, &["standings", "swiss"]));
    assert!(text.starts_with("gomoku, swiss, 1 of 3 rounds: 5 "), "{text}");
    assert!(text.contains("Buchholz") && text.contains("byes"), "{text}");
    let json = standings(&folder, "swiss");
    assert_eq!(json["rounds"], serde_json::json!({ "played": 1, "of": 3 }));
    assert_eq!(json["tie_break_name"], "Buchholz");
}

#[test]
fn a_page_says_what_was_played_and_with_which_clock() {
    let folder = Folder::new("terms");
    let head = "rounds = 2\nseed = 5\nclock = { move_ms = 70, match_ms = 9000 }\n\
                adjudication = { turns = 30 }\nsetup = { size = 15, max_moves = 40 }";
    cup(&folder, "cup", head, &FIVE[..3]);
    play(&folder, &["cup.toml", "--quiet"]);
    let html = stdout(&run(&folder, &["standings", "runs/cup", "--html"]));
    for words in ["max_moves = 40, size = 15", "70 ms a move, 9000 ms for all moves", "turns 30"] {
        assert!(html.contains(words), "{words}: {html}");
    }
    let json = standings(&folder, "runs/cup");
    assert_eq!(json["setups"], serde_json::json!([{ "size": 15, "max_moves": 40 }]));
    assert_eq!((&json["clock"]["move_ms"], &json["seed"]), (&70.into(), &5.into()));
    let from = json["played"]["from"].as_str().expect("it is known");
    assert!(from.ends_with('Z') && html.contains(&from[..10]), "{from}");
}

#[test]
fn a_tournament_file_that_is_wrong_says_what_is_right() {
    let folder = Folder::new("wrong-cup");
    let refused = |text: &str, words: &[&str]| {
        std::fs::write(folder.path().join("x.toml"), text).expect("writable");
        let output = run(&folder, &["run", "x.toml"]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        let said = stderr(&output);
        assert!(words.iter().all(|word| said.contains(word)), "{text}: {said}");
    };
    let two = "[[bots]]\nbot = \"builtin:random\"\n[[bots]]\nbot = \"builtin:greedy\"\n";
    refused("game = \"chess\"", &["no game \"chess\"", "gomoku"]);
    refused("round = 3", &["there is no key \"round\" here", "rounds"]);
    refused(&format!("game = \"gomoku\"\nformat = \"cup\"\n{two}"), &["round-robin", "swiss"]);
    refused("game = \"gomoku\"", &["0 bots are too few"]);
    refused(&format!("game = \"gomoku\"\nsetup = {{ colour = 1 }}\n{two}"), &["colour", "size"]);
    refused(&format!("game = \"gomoku\"\nseats = 3\n{two}"), &["for 2 players, not for 3"]);
    refused(
        &format!("game = \"jedna\"\nseats = 3\n{}", two.replace("greedy", "simple")),
        &["3 seats"],
    );
    refused(&format!("game = \"gomoku\"\nformat = \"ladder\"\nrounds = 3\n{two}"), &["[stop]"]);
    refused(&format!("game = \"gomoku\"\n{two}[stop]\nhours = 3\n"), &["hours", "minutes"]);
    refused("game = \"gomoku\"\n[[bots]]\nbot = \"builtin:deep\"\n", &["\"deep\"", "random"]);
    for name in ["", ".", "..", " ", "a\\u0000b"] {
        refused(&format!("name = \"{name}\"\ngame = \"gomoku\"\n{two}"), &["no folder", "name"]);
    }
    assert!(!folder.path().join("run.db").exists() && !folder.path().join("runs").exists());
    let event = |more: &str| format!("{two}[[events]]\ngame = \"gomoku\"\n{more}");
    refused(&event("concurrency = 2"), &["event 1: concurrency belongs at the top of the file"]);
    refused(&event("[events.stop]\ngames = 2"), &["event 1: stop belongs at the top"]);
    refused(&event("challengers = 2"), &["event 1: challengers means nothing", "a gauntlet"]);
    refused(&event("round = 2"), &["there is no key \"round\" here", "rounds"]);
    let output = run(&folder, &["run", "none.toml"]);
    assert!(stderr(&output).contains("cannot read none.toml"));
    let output = run(&folder, &["standings", "."]);
    assert!(stderr(&output).contains("is no run"), "{}", stderr(&output));
}

#[test]
fn events_have_their_own_games_and_their_own_tables() {
    let folder = Folder::new("events");
    let text = "name = \"games\"\nseed = 3\nrounds = 2\n[[bots]]\nbot = \"builtin:random\"\n[[bots]]\n\
                bot = \"builtin:greedy\"\n[[events]]\ngame = \"gomoku\"\n\
                setup = { size = 15, max_moves = 20 }\n[[events]]\nname = \"cards\"\n\
                game = \"jedna\"\nseats = 3\nrounds = 3\n[[events.bots]]\n\
                bot = \"builtin:simple\"\n[[events.bots]]\nbot = \"builtin:random\"\n\
                [[events.bots]]\nname = \"other\"\nbot = \"builtin:random\"\n";
    std::fs::write(folder.path().join("games.toml"), text).expect("writable");
    play(&folder, &["games.toml", "--quiet"]);
    let table = standings(&folder, "runs/games");
    let events = table["events"].as_array().expect("two of them");
    let games: Vec<&str> = events.iter().filter_map(|event| event["game"].as_str()).collect();
    assert_eq!(games, ["gomoku", "jedna"]);
    assert!(events.iter().all(|event| event["name"] == "games"), "as of one event alone: {table}");
    assert_eq!(events[1]["draw_rate"], Value::Null, "there are more than two seats");
    assert_eq!((&events[0]["games"], &events[1]["games"]), (&2.into(), &3.into()));
    // Of the others in each event's table, the share that was left behind.
    let overall = table["overall"].as_array().expect("there are several events");
    let row = |name: &str| overall.iter().find(|row| row["name"] == name).expect("it played");
    let place = |name: &str, event: usize| {
        let rows = events[event]["rows"].as_array().expect("rows");
        rows.iter().find(|row| row["name"] == name).and_then(|row| row["rank"].as_f64())
    };
    assert_eq!(overall.len(), 4);
    assert_eq!(row("simple")["places"], serde_json::json!({ "gomoku": null, "cards": 1 }));
    assert_eq!((&row("simple")["points"], &row("simple")["firsts"]), (&1.0.into(), &1.into()));
    let points = 2.0 - place("random", 0).expect("it played")
        + (3.0 - place("random", 1).expect("it played")) / 2.0;
    assert_eq!(row("random")["points"].as_f64(), Some(points));
    assert_eq!(row("random")["games"], 5);
    let results = json_lines(&run(&folder, &["results", "runs/games", "--json"]));
    let named: Vec<&str> = results.iter().filter_map(|game| game["event"].as_str()).collect();
    assert_eq!(named, ["gomoku", "gomoku", "cards", "cards", "cards"]);
    let text = stdout(&run(&folder, &["standings", "runs/games"]));
    assert!(
        text.contains("\noverall: ") && text.contains("points  firsts  gomoku  cards"),
        "{text}"
    );
    let csv = stdout(&run(&folder, &["standings", "runs/games", "--csv"]));
    assert_eq!(csv.lines().filter(|line| line.starts_with("event,")).count(), 1, "{csv}");
    assert_eq!(csv.lines().filter(|line| line.starts_with("overall,")).count(), 4, "{csv}");
    assert!(csv.lines().all(|line| line.matches(',').count() == 17), "{csv}");
    let html = stdout(&run(&folder, &["standings", "runs/games", "--html"]));
    assert!(html.contains("<h2>Overall</h2>"), "{html}");
    // One event alone is as if there were no other.
    let cards = ["standings", "runs/games", "--event", "cards"];
    let text = stdout(&run(&folder, &cards));
    assert!(text.starts_with("cards (jedna), ") && !text.contains("overall"), "{text}");
    let json = json_lines(&run(&folder, &[&cards[..], &["--json"]].concat())).remove(0);
    assert_eq!((&json["event"], &json["games"]), (&"cards".into(), &3.into()));
    let output = run(&folder, &["standings", "runs/games", "--event", "card"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean \"cards\"?"), "{}", stderr(&output));
    // Three seats: everybody sat in each once.
    let cards = json_lines(&run(&folder, &["results", "runs/games", "--event", "cards", "--json"]));
    for seat in 0..3 {
        let mut sat: Vec<&str> =
            cards.iter().filter_map(|game| game["players"][seat]["name"].as_str()).collect();
        sat.sort_unstable();
        assert_eq!(sat, ["other", "random", "simple"]);
    }
    let seeds: Vec<&Value> = cards.iter().map(|game| &game["seed"]).collect();
    assert!(seeds.iter().all(|seed| *seed == seeds[0]));
}

#[test]
fn a_bot_that_cannot_be_started_loses_and_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("league-unstartable");
    let broken = folder.path().join("broken");
    // It is there and may be executed, yet the system cannot.
    std::fs::write(&broken, "\x7fELF").expect("writable");
    std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755)).expect("settable");
    let bots = [("x", "./broken"), ("a", "builtin:random")];
    cup(&folder, "cup", &format!("rounds = 2\n{SHORT}"), &bots);
    let output = run(&folder, &["run", "cup.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot start \"./broken\""), "{}", stderr(&output));
    let table = standings(&folder, "runs/cup");
    assert_eq!(table["rows"][1]["name"], "x");
    assert_eq!(table["rows"][1]["faults"]["not-started"], 2);
}

#[test]
fn the_demo_needs_nothing_and_shows_every_game() {
    let folder = Folder::new("demo");
    let output = run(&folder, &["demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for game in games::GAMES {
        assert!(text.contains(&format!("{}, round-robin", game.card().id)), "{text}");
    }
    assert!(text.contains("a game out of its replay") && text.contains("What next"), "{text}");
    assert!(folder.path().read_dir().expect("it is there").next().is_none(), "nothing is left");
}

#[test]
fn a_knockout_that_the_order_of_the_file_decides_says_so_and_byes_are_counted() {
    let folder = Folder::new("by-order");
    // Two moves make no five: every game is a draw.
    let head = "format = \"knockout\"\nextra_pairs = 1\nseed = 1\nsetup = { max_moves = 2 }";
    cup(&folder, "cup", head, &FIVE[..3]);
    let output = play(&folder, &["cup.toml"]);
    let said = "round 1: b went on against c by the order of the file";
    assert!(stdout(&output).contains(said), "{}", stdout(&output));
    let table = standings(&folder, "runs/cup");
    let decided = |round: u32, winner: &str, loser: &str| json!({ "round": round, "winner": winner, "loser": loser });
    assert_eq!(table["by_order"], json!([decided(1, "b", "c"), decided(2, "a", "b")]));
    let byes: Vec<&Value> =
        table["rows"].as_array().expect("rows").iter().map(|row| &row["byes"]).collect();
    assert_eq!(byes, [&json!(1), &json!(0), &json!(0)], "the first of three sits out");
    let page = stdout(&run(&folder, &["standings", "runs/cup", "--html"]));
    assert!(page.contains(said), "{page}");
}

#[test]
fn the_file_says_what_decides_between_equal_points() {
    let folder = Folder::new("tiebreaks");
    let head = "rounds = 2\nseed = 5\ntiebreaks = [\"direct\", \"wins\", \"sonneborn-berger\"]";
    cup(&folder, "cup", &format!("{head}\n{SHORT}"), FIVE);
    play(&folder, &["cup.toml", "--quiet"]);
    let table = standings(&folder, "runs/cup");
    assert_eq!(table["tie_breaks"], json!(["direct", "wins", "sonneborn-berger"]));
    assert_eq!(table["tie_break_name"], "direct encounter");
    for row in table["rows"].as_array().expect("rows") {
        assert_eq!(row["tie_breaks"][1], json!(row["wins"].as_f64()), "{row}");
        assert_eq!(row["tie_break"], row["tie_breaks"][0]);
    }
    // The table is read anew with other ones at any time.
    cup(&folder, "cup", &format!("rounds = 2\nseed = 5\ntiebreaks = [\"wins\"]\n{SHORT}"), FIVE);
    play(&folder, &["cup.toml", "--quiet"]);
    assert_eq!(standings(&folder, "runs/cup")["tie_breaks"], json!(["wins"]));
    for (head, wrong) in [
        ("tiebreaks = [\"age\"]", "age"),
        ("tiebreaks = [\"wins\", \"wins\"]", "wins twice"),
        ("format = \"ladder\"\ntiebreaks = [\"wins\"]", "tiebreaks mean nothing for a ladder"),
    ] {
        cup(&folder, "cup", head, FIVE);
        let output = run(&folder, &["run", "cup.toml", "--dir", "other"]);
        assert_eq!(output.status.code(), Some(2), "{head}");
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
    }
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
fn a_bot_with_a_clock_of_its_own_is_recorded_with_it_and_keeps_it() {
    let folder = Folder::new("time-odds");
    let file = |own: &str| {
        let text = format!(
            "game = \"gomoku\"\nseed = 1\nclock = {{ move_ms = 900, match_ms = 60000 }}\n{SHORT}\n\
             [[bots]]\nname = \"a\"\nbot = \"builtin:random\"\n{own}\n\
             [[bots]]\nname = \"b\"\nbot = \"builtin:random\"\n"
        );
        std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
    };
    file("clock = { move_ms = 300 }");
    play(&folder, &["cup.toml", "--quiet"]);
    let clocks = standings(&folder, "runs/cup")["clocks"].take();
    assert_eq!((&clocks["a"]["move_ms"], &clocks["a"]["match_ms"]), (&json!(300), &json!(60000)));
    assert_eq!(clocks["b"], Value::Null);
    let header = json_lines(&run(&folder, &["replay", "runs/cup", "1", "--json"])).remove(0);
    let players = header["players"].as_array().expect("players");
    for player in players {
        let own = if player["name"] == "a" { json!(300) } else { Value::Null };
        assert_eq!(player["clock"]["move_ms"], own, "{header}");
    }
    assert_eq!(header["clock"]["move_ms"], json!(900));
    file("");
    let output = run(&folder, &["run", "cup.toml"]);
    assert_eq!(output.status.code(), Some(2), "it cannot be taken away");
    assert!(stderr(&output).contains("clocks"), "{}", stderr(&output));
    file("clock = { start_ms = 5 }");
    let output = run(&folder, &["run", "cup.toml", "--dir", "other"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}
