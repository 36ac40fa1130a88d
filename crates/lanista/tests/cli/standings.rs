//! How a tournament stands: for people, scripts, spreadsheets and browsers.

use serde_json::{Value, json};

use crate::common::{Folder, run, stderr, stdout};
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
        ("format = \"ladder\"\ntiebreaks = [\"wins\"]", "tiebreaks cannot be used with a ladder"),
    ] {
        cup(&folder, "cup", head, FIVE);
        let output = run(&folder, &["run", "cup.toml", "--dir", "other"]);
        assert_eq!(output.status.code(), Some(2), "{head}");
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
    }
}
