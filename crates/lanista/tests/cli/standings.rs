//! How a tournament stands: for people, scripts, spreadsheets and browsers.

use serde_json::{Value, json};

use crate::common::{Folder, page_data, page_json, run, stderr, stdout};
use crate::league::*;

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
    let html = ["standings", "runs/cup", "--html"];
    let written = run(&folder, &html);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert!(stdout(&written).starts_with("cup.html: the tournament as a page, "));
    let page = folder.path().join("cup.html");
    let text = std::fs::read_to_string(&page).expect("it was written");
    assert!(!text.contains("<b>") && !text.contains("http:") && !text.contains("https:"));
    let games = page_json(&page, "run/run/games")["games"].take();
    assert_eq!(games.as_array().map(Vec::len), Some(12));
    assert_eq!(page_json(&page, "run/run/bot/%3Cb%3E?event=gomoku")["name"], "<b>");
    // A file that is there is overwritten only if it is named.
    assert_eq!(run(&folder, &html).status.code(), Some(2));
    let named = ["--out", "cup.html", "--with-games", "2"];
    assert_eq!(run(&folder, &[&html[..], &named].concat()).status.code(), Some(0));
    let films: Vec<String> = page_data(&page).into_iter().map(|(key, _)| key).collect();
    let films: Vec<&str> =
        films.iter().map(String::as_str).filter(|key| key.ends_with("/film")).collect();
    assert_eq!(films, ["r/run/12/film", "r/run/11/film"], "the last games");
    for wrong in [&["--with-games", "many"][..], &["--with-games", "-1"]] {
        assert_eq!(run(&folder, &[&html[..], wrong].concat()).status.code(), Some(2));
    }
    let without = run(&folder, &["standings", "runs/cup", "--with-games", "2"]);
    assert_eq!(without.status.code(), Some(2), "only a page has games");
}

#[test]
fn a_page_of_a_tournament_tells_nothing_of_the_machine_it_was_played_on() {
    let folder = Folder::new("private");
    let bots = [("a", "builtin:greedy"), ("b", "python3 secret.py --key=hidden")];
    std::fs::write(folder.path().join("secret.py"), "").expect("writable");
    cup(&folder, "cup", &format!("rounds = 2\n{SHORT}"), &bots);
    play(&folder, &["cup.toml", "--quiet"]);
    let html = ["standings", "runs/cup", "--html", "--with-games", "all"];
    assert_eq!(run(&folder, &html).status.code(), Some(0));
    let data = page_data(&folder.path().join("cup.html"));
    assert!(data.len() > 6, "{}", data.len());
    for (key, text) in &data {
        let path = folder.path().to_string_lossy();
        assert!(!text.contains("--key") && !text.contains(&*path), "{key}: {text}");
    }
    assert!(data.iter().any(|(_, text)| text.contains("builtin:greedy")));
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
    assert_eq!(run(&folder, &["standings", "runs/cup", "--html"]).status.code(), Some(0));
    let page = page_json(&folder.path().join("cup.html"), "run/run")["events"][0].take();
    let clock = "70 ms a move, 9000 ms for all moves, 10000 ms to start, 20 ms margin";
    assert_eq!(page["clock_words"], clock, "{page}");
    assert_eq!(page["setups"], json!([{ "size": 15, "max_moves": 40 }]));
    assert_eq!(page["adjudication"]["turns"], 30);
    let json = standings(&folder, "runs/cup");
    assert_eq!(json["setups"], serde_json::json!([{ "size": 15, "max_moves": 40 }]));
    assert_eq!((&json["clock"]["move_ms"], &json["seed"]), (&70.into(), &5.into()));
    let from = json["played"]["from"].as_str().expect("it is known");
    assert!(from.ends_with('Z') && page["played"]["from"] == from, "{from}");
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
    assert_eq!(run(&folder, &["standings", "runs/cup", "--html"]).status.code(), Some(0));
    let page = page_json(&folder.path().join("cup.html"), "run/run")["events"][0].take();
    assert_eq!(page["remarks"][0], format!("{said}: they were level"), "{page}");
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
        ("format = \"ladder\"\ntiebreaks = [\"wins\"]", "tiebreaks cannot be used with a ladder"),
    ] {
        cup(&folder, "cup", head, FIVE);
        let output = run(&folder, &["run", "cup.toml", "--dir", "other"]);
        assert_eq!(output.status.code(), Some(2), "{head}");
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
    }
}
