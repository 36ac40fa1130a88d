//! What people who run events do besides playing games.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::common::{Folder, brain, json_lines, run, stderr, stdout, wait_until};
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
    assert!(stderr(&refused).contains("there is no bot \"x\"; there are a, b, c, d, e"));
    let done = order(&folder, &["disqualify", "e", "--reason", "it read another's mind"]);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    let again = order(&folder, &["withdraw", "e", "--reason", "twice"]);
    assert!(stderr(&again).contains("takes part no longer"), "{}", stderr(&again));
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
    let page = stdout(&run(&folder, &["standings", "run", "--html"]));
    assert!(
        page.contains("it read another's mind") || page.contains("it read another&#39;s mind"),
        "{page}"
    );
    // Nothing is left to be played, even without the bot in the file.
    cup(&folder, "five", &head, &FIVE[..4]);
    play(&folder, &["five.toml", "--dir", "run", "--quiet"]);
    assert_eq!(rows(&standings(&folder, "run")), rows(&four));
}

/// Plays a little, and then waits.
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
    let (before, decided) = (results(&folder, "run"), entries(&folder, "run"));
    let what: Vec<&Value> = decided.iter().map(|entry| &entry["do"]).collect();
    assert_eq!(what, ["withdraw", "void"]);
    let mut child = host(&folder, &["cup.toml", "--dir", "run"]);
    wait_until("it goes on", || games(&folder) > before.len() as u64);
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
