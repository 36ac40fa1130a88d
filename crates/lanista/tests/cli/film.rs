//! Films: what programs that draw games get to read.

use serde_json::Value;

use crate::common::{Folder, brain, json_lines, page_data, run, stderr};

/// Plays a match; the path of its replay.
fn played(folder: &Folder, args: &[&str]) -> String {
    let output = run(folder, &[&["play"], args, &["--json", "--seed", "7"]].concat());
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    report["replay"].as_str().expect("a replay was written").to_owned()
}

fn film(folder: &Folder, replay: &str, args: &[&str]) -> Vec<Value> {
    let output = run(folder, &[&["replay", replay, "--film"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    json_lines(&output)
}

#[test]
fn a_film_has_a_head_a_line_for_each_step_and_an_end() {
    let folder = Folder::new("film");
    let replay = played(&folder, &["gomoku", "builtin:greedy", "builtin:random"]);
    let lines = film(&folder, &replay, &[]);
    let (head, end) = (&lines[0], &lines[lines.len() - 1]);
    assert_eq!((&head["film"], &head["game"]), (&Value::from(1), &Value::from("gomoku")));
    assert_eq!(head["players"][0]["name"], "greedy");
    assert_eq!(head["scene"]["seats"][0]["role"], "black");
    assert_eq!(end["over"]["steps"], lines.len() - 2);
    assert_eq!((&end["verified"], &end["over"]["ranks"][0]), (&Value::from(true), &Value::from(1)));
    let first = &lines[1];
    assert!(first["moves"][0]["wall_us"].is_u64() && first["at_us"].is_u64(), "{first}");
    assert_eq!(first["new"][0]["c"], "black");
    assert_eq!(first["seats"][1][1]["to_act"], true);
}

#[test]
fn a_time_out_does_not_look_like_an_answer() {
    let folder = Folder::new("film-late");
    let replay =
        played(&folder, &["gomoku", &brain("half"), "builtin:random", "--timeout-ms", "300"]);
    let lines = film(&folder, &replay, &[]);
    let step = &lines[1];
    assert_eq!(step["faults"][0]["kind"], "timeout", "{step}");
    let moved = &step["moves"][0];
    assert_eq!((&moved["late"], &moved["left"]), (&Value::from(true), &Value::from(true)));
    assert!(moved.get("wall_us").is_none(), "{moved}");
    assert_eq!(lines[2]["over"]["result"], "win");
}

#[test]
fn eyes_see_what_one_player_may_know_and_are_of_no_use_where_nothing_is_hidden() {
    let folder = Folder::new("film-eyes");
    let bots = ["builtin:random", "builtin:random", "builtin:simple"];
    let replay = played(&folder, &[&["jedna"], &bots[..]].concat());
    let (all, own) = (film(&folder, &replay, &[]), film(&folder, &replay, &["--eyes", "2"]));
    assert_eq!(own.len(), all.len());
    assert_eq!((&own[0]["eyes"], &all[0]["eyes"]), (&Value::from(1), &Value::Null));
    assert!(all[0]["seed"].is_string() && own[0].get("seed").is_none());
    assert!(own[0]["players"][0].get("program").is_none());
    let cards = |film: &[Value]| {
        let shapes = film[0]["scene"]["shapes"].as_array().expect("there are shapes").clone();
        shapes.iter().filter(|shape| shape["f"].get("card").is_some()).count()
    };
    // The top card and the hands: seven cards each.
    assert_eq!((cards(&all), cards(&own)), (22, 8));
    let told: Vec<&Value> = own.iter().filter_map(|line| line.get("told")).collect();
    assert!(!told.is_empty());
    let open = played(&folder, &["gomoku", "builtin:random", "builtin:random"]);
    let refused = run(&folder, &["replay", &open, "--film", "--eyes", "1"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
}

#[test]
fn a_page_of_one_file_holds_the_film_and_no_more_than_its_eyes_may_see() {
    let folder = Folder::new("film-html");
    let replay = played(&folder, &["jedna", "builtin:random", "builtin:simple"]);
    let parts = |args: &[&str], file: &str| -> Vec<(String, Vec<String>)> {
        let written = run(&folder, &[&["replay", &replay, "--html"], args].concat());
        assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
        let data = page_data(&folder.path().join(file)).into_iter();
        data.map(|(key, text)| (key, text.lines().map(str::to_owned).collect())).collect()
    };
    let text = |lines: Vec<Value>| lines.iter().map(Value::to_string).collect::<Vec<String>>();
    let all = parts(&["--out", "all.html"], "all.html");
    let keys: Vec<&str> = all.iter().map(|(key, _)| key.as_str()).collect();
    let eyes =
        ["f/game/film?eyes=0", "f/game/talk?eyes=0", "f/game/film?eyes=1", "f/game/talk?eyes=1"];
    assert_eq!(keys, [&["f/game/film", "f/game/talk", "f/game/about"], &eyes[..]].concat());
    assert_eq!(all[0].1, text(film(&folder, &replay, &[])));
    let own = parts(&["--eyes", "2", "--out", "own.html"], "own.html");
    assert_eq!(own.len(), 3, "one film, what was said, and whether it is verified");
    assert_eq!(own[0].1, text(film(&folder, &replay, &["--eyes", "2"])));
    assert_eq!(own[0].1, all[5].1);
    // A file that is there is not overwritten unless it is named.
    let again = || run(&folder, &["replay", &replay, "--html"]);
    assert_eq!((again().status.code(), again().status.code()), (Some(0), Some(2)));
}
