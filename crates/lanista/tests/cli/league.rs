//! Tournaments: nothing is lost, nothing is counted twice, whatever is killed when.

use std::process::{Child, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::common::{
    Folder, json_lines, lanista, page_data, page_json, run, stderr, stdout, wait_until,
};

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

/// What no two runs share: times, and who of a cluster played.
const NOT_SHARED: [&str; 10] = [
    "wall_ms",
    "cpu_ms",
    "slowest_ms",
    "host_delay_ms",
    "time",
    "played",
    "worker",
    "workers",
    "worker_gaps",
    "worker_time_gaps",
];

/// The same without times and workers.
pub(crate) fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            for key in NOT_SHARED {
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
    refused(&head("rounds = 2\nseed = 1"), &FIVE[..2], &["\"c\" is missing from it"]);
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
    assert!(stderr(&refused).contains("a bot \"a\" takes part already"), "{}", stderr(&refused));
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
    refused(&event("challengers = 2"), &["event 1: challengers cannot be used with", "a gauntlet"]);
    refused(&event("round = 2"), &["there is no key \"round\" here", "rounds"]);
    let output = run(&folder, &["run", "none.toml"]);
    assert!(stderr(&output).contains("cannot read none.toml"));
    let output = run(&folder, &["standings", "."]);
    assert!(stderr(&output).contains("is not a run: no run.db in it"), "{}", stderr(&output));
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
    let html = ["standings", "runs/games", "--html", "--out", "all.html"];
    assert_eq!(run(&folder, &html).status.code(), Some(0));
    let page = page_json(&folder.path().join("all.html"), "run/run");
    assert_eq!(page["overall"].as_array().map(Vec::len), Some(4), "{page}");
    // One event alone is as if there were no other.
    let cards = ["standings", "runs/games", "--event", "cards"];
    let text = stdout(&run(&folder, &cards));
    assert!(text.starts_with("cards (jedna), ") && !text.contains("overall"), "{text}");
    let json = json_lines(&run(&folder, &[&cards[..], &["--json"]].concat())).remove(0);
    assert_eq!((&json["event"], &json["games"]), (&"cards".into(), &3.into()));
    let html = [&cards[..], &["--html", "--with-games", "all", "--out", "cards.html"]].concat();
    assert_eq!(run(&folder, &html).status.code(), Some(0));
    let page = folder.path().join("cards.html");
    let data = page_data(&page);
    assert_eq!(data.iter().filter(|(key, _)| key.starts_with("r/run/")).count(), 3);
    assert_eq!(page_json(&page, "run/run")["events"].as_array().map(Vec::len), Some(1));
    assert!(!data.iter().any(|(_, text)| text.contains("gomoku")), "of the other event nothing");
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
    assert_eq!(run(&folder, &["verify", "runs/cup"]).status.code(), Some(0));
    file("");
    let output = run(&folder, &["run", "cup.toml"]);
    assert_eq!(output.status.code(), Some(2), "it cannot be taken away");
    assert!(stderr(&output).contains("clocks"), "{}", stderr(&output));
    file("clock = { start_ms = 5 }");
    let output = run(&folder, &["run", "cup.toml", "--dir", "other"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

/// Goes on until there are more games, then is interrupted.
pub(crate) fn host_until_more(folder: &Folder) -> Option<i32> {
    let before = results(folder, "run").len();
    let mut host = host(folder, &["cup.toml", "--dir", "run"]);
    wait_until("it goes on", || results(folder, "run").len() > before);
    kill_process(Pid::from_child(&host), Signal::INT).expect("it runs");
    host.wait().expect("it ends").code()
}
