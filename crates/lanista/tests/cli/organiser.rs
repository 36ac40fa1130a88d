//! What people who run events do besides playing games.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use std::path::Path;
use std::process::Stdio;

use crate::common::{
    Folder, brain, json_lines, lanista, page_json, run, stderr, stdout, wait_until,
};
use crate::league::{FIVE, SHORT, cup, host, order, play, results, standings, status, timeless};

fn entries(folder: &Folder, dir: &str) -> Vec<Value> {
    json_lines(&run(folder, &["ctl", dir, "entries"]))
}

/// What two tables have in common when one has a bot more.
fn rows(table: &Value) -> Vec<Value> {
    let rows = table["rows"].as_array().cloned().unwrap_or_default();
    let stay = rows.into_iter().filter(|row| row["left"] != "disqualified");
    stay.map(timeless).collect()
}

#[test]
fn the_table_without_a_disqualified_bot_is_that_of_the_others() {
    let folder = Folder::new("disqualified");
    let head = format!("rounds = 4\nseed = 5\n{SHORT}");
    cup(&folder, "five", &head, FIVE);
    cup(&folder, "four", &head, &FIVE[..4]);
    play(&folder, &["five.toml", "--dir", "run", "--quiet"]);
    play(&folder, &["four.toml", "--dir", "four", "--quiet"]);
    assert_eq!(results(&folder, "run").len(), 40);
    let refused = order(&folder, &["disqualify", "x", "--reason", "why"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("\"x\" is not one of the bots: a, b, c, d, e"));
    let done = order(&folder, &["disqualify", "e", "--reason", "it read another's mind"]);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    let again = order(&folder, &["withdraw", "e", "--reason", "twice"]);
    assert!(stderr(&again).contains("has already left"), "{}", stderr(&again));
    let (five, four) = (standings(&folder, "run"), standings(&folder, "four"));
    assert_eq!(rows(&five), rows(&four));
    assert_eq!((&five["games"], &five["scheduled"]), (&json!(24), &json!(24)));
    let last = five["rows"].as_array().and_then(|rows| rows.last().cloned()).expect("five rows");
    assert_eq!(
        (&last["name"], &last["left"], &last["rank"]),
        (&json!("e"), &json!("disqualified"), &json!(5))
    );
    assert_eq!(five["entries"], Value::from(entries(&folder, "run")));
    let entry = &five["entries"][0];
    assert_eq!(
        (&entry["do"], &entry["bot"], &entry["number"]),
        (&json!("disqualify"), &json!("e"), &json!(1))
    );
    // Its games are still known, and say that they do not count.
    let games = results(&folder, "run");
    assert_eq!(games.len(), 40);
    assert_eq!(games.iter().filter(|game| game["annulled"] == true).count(), 16);
    let text = stdout(&run(&folder, &["standings", "run"]));
    assert!(
        text.contains("disqualified: e") && text.contains("1. gomoku: e is disqualified (it read"),
        "{text}"
    );
    assert_eq!(run(&folder, &["standings", "run", "--html"]).status.code(), Some(0));
    let page = page_json(&folder.path().join("run.html"), "run/run");
    assert_eq!(page["entries"][0]["reason"], "it read another's mind");
    assert_eq!(page["entries"][0]["words"], "gomoku: e is disqualified");
    // Nothing is left to be played, even without the bot in the file.
    cup(&folder, "five", &head, &FIVE[..4]);
    play(&folder, &["five.toml", "--dir", "run", "--quiet"]);
    assert_eq!(rows(&standings(&folder, "run")), rows(&four));
}

/// Plays a little, and then waits.
#[test]
fn who_is_reinstated_counts_as_if_it_had_not_left() {
    let folder = Folder::new("reinstated");
    let head = format!("rounds = 4\nseed = 5\n{SHORT}");
    cup(&folder, "cup", &head, &FIVE[..3]);
    play(&folder, &["cup.toml", "--dir", "run", "--quiet"]);
    let before = standings(&folder, "run");
    let too_early = order(&folder, &["reinstate", "c", "--reason", "why"]);
    assert_eq!(too_early.status.code(), Some(2));
    assert!(stderr(&too_early).contains("\"c\" has not left"), "{}", stderr(&too_early));
    let unknown = order(&folder, &["reinstate", "x", "--reason", "why"]);
    assert!(stderr(&unknown).contains("\"x\" is not one of the bots"), "{}", stderr(&unknown));
    assert!(order(&folder, &["void", "2", "--reason", "once more"]).status.success());
    assert!(order(&folder, &["disqualify", "c", "--reason", "suspected"]).status.success());
    play(&folder, &["cup.toml", "--dir", "run", "--quiet"]);
    assert_ne!(rows(&standings(&folder, "run")), rows(&before));
    let done = order(&folder, &["reinstate", "c", "--reason", "it was not its fault"]);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    play(&folder, &["cup.toml", "--dir", "run", "--quiet"]);
    let after = standings(&folder, "run");
    assert_eq!(after["games"], before["games"]);
    let left = |table: &Value| -> Vec<Value> {
        let rows = table["rows"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| json!([row["name"], row["games"], row["left"]])).collect()
    };
    let sorted = |mut rows: Vec<Value>| {
        rows.sort_by_key(Value::to_string);
        rows
    };
    assert_eq!(sorted(left(&after)), sorted(left(&before)));
    let entries = entries(&folder, "run");
    let what: Vec<&str> = entries.iter().filter_map(|entry| entry["do"].as_str()).collect();
    assert_eq!(what, ["void", "disqualify", "reinstate"]);
    assert!(run(&folder, &["verify", "run"]).status.success());
}

fn pause(folder: &Folder) {
    assert!(order(folder, &["pause"]).status.success());
    wait_until("it pauses", || {
        status(folder)
            .is_some_and(|s| s["state"] == "paused" && [&s["under_way"], &s["to_keep"]] == [0, 0])
    });
}

fn games(folder: &Folder) -> u64 {
    status(folder).and_then(|status| status["games"].as_u64()).unwrap_or(0)
}

#[test]
fn what_is_decided_while_games_are_played_holds_after_a_kill() {
    let folder = Folder::new("decided");
    cup(&folder, "cup", &format!("rounds = 4000\nseed = 5\n{SHORT}"), FIVE);
    let mut child = host(&folder, &["cup.toml", "--dir", "run"]);
    wait_until("it plays", || games(&folder) > 0);
    let withdraw = order(&folder, &["withdraw", "b", "--reason", "it has to go"]);
    assert_eq!(withdraw.status.code(), Some(0), "{}", stderr(&withdraw));
    let with = |name: &str| -> Vec<Value> {
        let mut games = results(&folder, "run");
        games.retain(|game| {
            let players = game["players"].as_array().into_iter().flatten();
            players.into_iter().any(|player| player["name"] == name)
        });
        games
    };
    let of_b = with("b");
    pause(&folder);
    let refused = order(&folder, &["void", "39999", "--reason", "x"]);
    assert!(stderr(&refused).contains("is not finished"), "{}", stderr(&refused));
    if let Some(game) = of_b.first() {
        let number = (game["index"].as_u64().expect("a number") + 1).to_string();
        let refused = order(&folder, &["void", &number, "--reason", "x"]);
        assert!(stderr(&refused).contains("a bot of it has left"), "{}", stderr(&refused));
    }
    let of_a: Vec<Value> = with("a").into_iter().filter(|game| !of_b.contains(game)).collect();
    let number = of_a[0]["index"].as_u64().expect("a number") + 1;
    let void = order(&folder, &["void", &number.to_string(), "--reason", "the light went out"]);
    assert_eq!(void.status.code(), Some(0), "{}", stderr(&void));
    let before = games(&folder);
    assert!(!with("a").iter().any(|game| game["index"] == of_a[0]["index"]), "it counts no more");
    assert!(order(&folder, &["resume"]).status.success());
    wait_until("it goes on", || games(&folder) > before);
    pause(&folder);
    assert_eq!(with("b"), of_b, "it plays no more");
    let again = with("a").into_iter().find(|game| game["index"] == of_a[0]["index"]);
    let again = timeless(again.expect("it was played again first"));
    assert_eq!(again["players"], timeless(of_a[0].clone())["players"], "the same seed");
    kill_process(Pid::from_child(&child), Signal::KILL).expect("it runs");
    child.wait().expect("it ends");
    assert!(order(&folder, &["concurrency", "1"]).status.success(), "nobody plays");
    let (before, decided) = (results(&folder, "run"), entries(&folder, "run"));
    let what: Vec<&Value> = decided.iter().map(|entry| &entry["do"]).collect();
    assert_eq!(what, ["withdraw", "void", "concurrency"]);
    let mut child = host(&folder, &["cup.toml", "--dir", "run"]);
    wait_until("it goes on", || games(&folder) > before.len() as u64);
    assert_eq!(status(&folder).expect("it runs")["concurrency"], 1, "the file says 2");
    assert!(order(&folder, &["stop"]).status.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(with("b"), of_b, "nor after a kill");
    assert_eq!(entries(&folder, "run"), decided);
    let now = results(&folder, "run");
    assert!(before.iter().all(|game| now.contains(game)), "what counted still does");
}

#[test]
fn a_bot_that_keeps_failing_is_out_and_the_others_are_as_without_it() {
    let folder = Folder::new("forbidden");
    let broken = brain("abort");
    let broken = broken.split_once('=').expect("it is renamed").1;
    for (format, head) in [("rr", "rounds = 4"), ("swiss", "format = \"swiss\"\nrounds = 3")] {
        let head = format!("{head}\nseed = 5\nstop = {{ faults = 2 }}\n{SHORT}");
        let bots = [FIVE[0], FIVE[1], FIVE[2], ("broken", broken)];
        cup(&folder, format, &head, &bots);
        let tables = ["1", "2"].map(|concurrency| {
            let dir = format!("{format}-{concurrency}");
            let file = format!("{format}.toml");
            let args = ["run", &file, "--dir", &dir, "--quiet", "--concurrency", concurrency];
            let output = run(&folder, &args);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let entries = entries(&folder, &dir);
            assert_eq!(entries.len(), 1, "{entries:?}");
            assert_eq!(
                (&entries[0]["do"], &entries[0]["bot"]),
                (&json!("forbid"), &json!("broken"))
            );
            assert_eq!(entries[0]["reason"], "[stop] faults = 2");
            let games = results(&folder, &dir);
            assert!(games.iter().filter(|game| game["annulled"] == true).count() >= 2);
            rows(&standings(&folder, &dir))
        });
        assert_eq!(tables[0], tables[1], "{format}: whatever the concurrency");
        assert_eq!(tables[0].len(), 3);
    }
}

/// A program for gomoku that can be replaced.
fn own_bot(folder: &Folder, name: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    std::fs::create_dir_all(folder.path().join(name)).expect("writable");
    let copy = folder.path().join(name).join("brain.py");
    std::fs::copy(script, copy).expect("it can be copied");
    format!("python3 {name}/brain.py steady")
}

#[test]
fn a_program_that_is_replaced_is_noticed_before_its_next_game() {
    let folder = Folder::new("replaced");
    let bot = own_bot(&folder, "bot");
    let head = "rounds = 100000\nconcurrency = 1\nsetup = { size = 15, max_moves = 10 }";
    cup(&folder, "cup", head, &[("mine", &bot), ("b", "builtin:random")]);
    let mut command = lanista(&folder);
    command.args(["run", "cup.toml", "--dir", "run", "--quiet"]);
    let child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("it plays", || games(&folder) > 2);
    let program = folder.path().join("bot/brain.py");
    let text = std::fs::read_to_string(&program).expect("it is there");
    std::fs::write(folder.path().join("new"), format!("{text}\n# better\n")).expect("writable");
    std::fs::rename(folder.path().join("new"), &program).expect("writable");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let words =
        "the bot \"mine\" of gomoku has changed since the run began: bot/brain.py has changed";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    let kept = results(&folder, "run");
    let faults = |game: &Value| game["players"][0]["faults"].as_array().map_or(0, Vec::len);
    assert!(kept.iter().all(|game| faults(game) == 0), "nobody paid for it");
    // It goes on when that is wanted, and the journal says so.
    let mut child = lanista(&folder)
        .args(["run", "cup.toml", "--dir", "run", "--quiet", "--accept-changes"])
        .spawn()
        .expect("it starts");
    wait_until("it goes on", || games(&folder) > kept.len() as u64);
    assert!(order(&folder, &["stop"]).status.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let entry = entries(&folder, "run").remove(0);
    assert_eq!((&entry["do"], &entry["bot"]), (&json!("accept"), &json!("mine")));
}

#[test]
fn an_order_of_bots_that_matters_is_not_ignored_and_long_values_are_cut() {
    let folder = Folder::new("order");
    let (a, b, c) = (FIVE[0], FIVE[1], FIVE[2]);
    let refused = |file: &str, words: &str| {
        let output = run(&folder, &["run", &format!("{file}.toml"), "--quiet"]);
        assert_eq!(output.status.code(), Some(2), "{file}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{file}: {}", stderr(&output));
        assert!(stderr(&output).len() < 2000, "{file}: {}", stderr(&output));
    };
    for format in ["gauntlet", "knockout", "swiss"] {
        let head = format!("format = \"{format}\"\n{SHORT}");
        cup(&folder, format, &head, &[a, b, c]);
        play(&folder, &[&format!("{format}.toml"), "--quiet"]);
        cup(&folder, format, &head, &[b, a, c]);
        refused(format, "the order of the bots was a");
    }
    // A new one in front would be the challenger, if it could.
    cup(&folder, "gauntlet", &format!("format = \"gauntlet\"\n{SHORT}"), &[FIVE[3], a, b, c]);
    refused("gauntlet", "new ones come last");
    let book = |lines: usize| {
        let line = |at: usize| format!("0,0, {},{}\n", at % 5 + 1, at / 5 % 5 + 1);
        let text: String = (0..lines).map(line).collect();
        std::fs::write(folder.path().join("book.txt"), text).expect("writable");
    };
    let head = "setup = { size = 15, max_moves = 9, openings = \"book.txt\" }";
    cup(&folder, "book", head, &[a, b]);
    book(5000);
    play(&folder, &["book.toml", "--quiet"]);
    book(4999);
    refused("book", "setup.openings was");
}

/// Copies a folder with all that is in it, but for sockets.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("it is there").flatten() {
        let (kind, target) = (entry.file_type().expect("it has one"), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target).expect("it can be copied");
        }
    }
}

/// The same without moments, which no two runs share.
fn momentless(mut value: Value) -> Value {
    for entry in value["entries"].as_array_mut().into_iter().flatten() {
        entry["made"].take();
    }
    timeless(value)
}

#[test]
fn an_organisers_day_ends_with_the_same_table_as_the_direct_way() {
    let folder = Folder::new("day");
    cup(&folder, "cup", &format!("rounds = 120\nseed = 5\n{SHORT}"), FIVE);
    let done = |args: &[&str]| {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
        output
    };
    let plan = stdout(&done(&["run", "cup.toml", "--dir", "run", "--dry-run"]));
    assert!(plan.contains("1200 games") || plan.contains("1,200 games"), "{plan}");
    assert!(!folder.path().join("run").exists(), "nothing is written");
    // A live run, in which a bot leaves and a game is void.
    let mut child = host(&folder, &["cup.toml", "--dir", "run"]);
    wait_until("it plays", || games(&folder) > 0);
    pause(&folder);
    done(&["ctl", "run", "withdraw", "d", "--reason", "its author asked for it"]);
    let first = results(&folder, "run").into_iter().find(|game| {
        let players = game["players"].as_array().expect("players");
        players.iter().all(|player| player["name"] != "d")
    });
    let number = first.expect("others have played")["index"].as_u64().expect("a number") + 1;
    done(&["ctl", "run", "void", &number.to_string(), "--reason", "the machine was busy"]);
    // From here on there are two ways.
    copy(&folder.path().join("run"), &folder.path().join("direct"));
    kill_process(Pid::from_child(&child), Signal::KILL).expect("it runs");
    child.wait().expect("it ends");
    for dir in ["run", "direct"] {
        done(&["ctl", dir, "add", "late=builtin:greedy"]);
    }
    done(&["run", "cup.toml", "--dir", "direct", "--quiet"]);
    // A second machine takes a copy and plays on.
    copy(&folder.path().join("run"), &folder.path().join("elsewhere"));
    done(&["run", "cup.toml", "--dir", "elsewhere", "--quiet"]);
    let mut child = host(&folder, &["cup.toml", "--dir", "run"]);
    let before = results(&folder, "run").len() as u64;
    wait_until("it goes on", || {
        games(&folder) > before || child.try_wait().expect("it can be asked").is_some()
    });
    let _ = kill_process(Pid::from_child(&child), Signal::KILL);
    child.wait().expect("it ends");
    done(&["run", "cup.toml", "--dir", "run", "--quiet"]);
    done(&["merge", "run", "elsewhere", "--dir", "merged"]);
    for dir in ["merged", "direct"] {
        done(&["ctl", dir, "disqualify", "e", "--reason", "it looked elsewhere"]);
        done(&["verify", dir]);
    }
    std::fs::remove_file(folder.path().join("merged/run.db")).expect("it is there");
    done(&["rebuild", "merged"]);
    done(&["verify", "merged"]);
    let what = |dir: &str| -> Vec<Value> {
        entries(&folder, dir).into_iter().map(|mut entry| entry["do"].take()).collect()
    };
    assert_eq!(what("merged"), ["withdraw", "void", "add", "disqualify"]);
    let games =
        |dir: &str| -> Vec<Value> { results(&folder, dir).into_iter().map(timeless).collect() };
    assert_eq!(games("merged"), games("direct"));
    let table = |dir: &str| momentless(standings(&folder, dir));
    assert_eq!(table("merged"), table("direct"));
    let table = table("merged");
    assert_eq!(table["games"], table["scheduled"]);
    let late = table["rows"].as_array().into_iter().flatten().find(|row| row["name"] == "late");
    // With each of the three who stay.
    assert_eq!(late.expect("it takes part")["games"], 3 * 120);
}

#[test]
fn results_are_followed_until_the_run_ends_and_a_hook_harms_nobody() {
    let folder = Folder::new("followed");
    cup(&folder, "cup", &format!("rounds = 40\nseed = 5\n{SHORT}"), &FIVE[..3]);
    // It keeps what it is told, and fails every time.
    let hook = "sh -c 'cat >> told; exit 3'";
    let run_it = ["run", "cup.toml", "--dir", "run", "--quiet", "--hook", hook];
    let mut child =
        lanista(&folder).args(run_it).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("it plays", || games(&folder) > 0 || child.try_wait().expect("asked").is_some());
    let followed = json_lines(&run(&folder, &["results", "run", "--follow", "--json"]));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("the hook failed 121 times"), "{}", stderr(&output));
    let all = results(&folder, "run");
    let sorted = |mut games: Vec<Value>| {
        games.sort_by_key(|game| game["index"].as_u64());
        games
    };
    assert_eq!(all.len(), 120);
    assert!(sorted(followed) == all, "each once, with its place in the schedule");
    let told = std::fs::read_to_string(folder.path().join("told")).expect("it was told");
    let told: Vec<Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (end, games) = told.split_last().expect("it was told");
    let games: Vec<Value> = games.iter().map(|line| line["game"].clone()).collect();
    assert!(sorted(games) == all, "the hook was told of each once");
    assert_eq!((&end["what"], &end["how"]), (&json!("end"), &json!("complete")));
    assert_eq!(end["standings"], standings(&folder, "run"));
    // Nobody plays: what is there is all there is.
    let again = json_lines(&run(&folder, &["results", "run", "--follow", "--json"]));
    assert!(sorted(again) == all);
    let missing =
        run(&folder, &["run", "cup.toml", "--dir", "new", "--quiet", "--hook", "no-such"]);
    assert_eq!(missing.status.code(), Some(0));
    assert!(stderr(&missing).contains("the hook failed"), "{}", stderr(&missing));
}

#[test]
fn events_of_a_higher_priority_are_played_first() {
    let folder = Folder::new("priority");
    let text = "game = \"gomoku\"\nrounds = 4000\nconcurrency = 1\n\
                setup = { size = 15, max_moves = 20 }\n\
                bots = [{ bot = \"builtin:greedy\" }, { bot = \"builtin:random\" }]\n\
                [[events]]\nname = \"first\"\n[[events]]\nname = \"second\"\npriority = 1\n";
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
    let mut child = host(&folder, &["cup.toml", "--dir", "run"]);
    wait_until("it plays", || games(&folder) > 0);
    pause(&folder);
    let of =
        |event: &str| results(&folder, "run").iter().filter(|game| game["event"] == event).count();
    let second = of("second");
    assert!(second > 0 && of("first") == 0, "the file says so");
    let refused = order(&folder, &["priority", "third", "1"]);
    assert!(stderr(&refused).contains("the events: first, second"), "{}", stderr(&refused));
    assert!(order(&folder, &["priority", "first", "2"]).status.success());
    let before = games(&folder);
    assert!(order(&folder, &["resume"]).status.success());
    wait_until("it goes on", || games(&folder) > before);
    assert!(order(&folder, &["stop"]).status.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(of("first") > 0);
    // One game of the other may have been prepared.
    assert!(of("second") <= second + 1);
}
