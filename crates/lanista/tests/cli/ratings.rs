//! One table over several tournaments and results from elsewhere.

use serde_json::Value;

use crate::common::{Folder, json_lines, run, stderr, stdout};

fn cup(folder: &Folder, name: &str, seed: u64, bots: &[&str]) {
    let bots: String = bots.iter().map(|bot| format!("[[bots]]\nbot = \"{bot}\"\n")).collect();
    let text =
        format!("game = \"gomoku\"\nrounds = 4\nseed = {seed}\n[setup]\nmax_moves = 30\n{bots}");
    std::fs::write(folder.path().join(format!("{name}.toml")), text).expect("writable");
    let played = run(folder, &["run", &format!("{name}.toml"), "--quiet"]);
    assert_eq!(played.status.code(), Some(0), "{}", stderr(&played));
}

fn ratings(folder: &Folder, args: &[&str]) -> Value {
    let output = run(folder, &[&["ratings", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    json_lines(&output).pop().expect("an object")
}

fn row<'v>(table: &'v Value, name: &str) -> &'v Value {
    let rows = table["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {table}"))
}

#[test]
fn ratings_over_tournaments_and_files_count_every_game_once() {
    let folder = Folder::new("ratings");
    cup(&folder, "spring", 1, &["a=builtin:greedy", "b=builtin:random"]);
    cup(&folder, "autumn", 2, &["b=builtin:random", "a=builtin:greedy", "c=builtin:random"]);
    let spring = ratings(&folder, &["runs/spring"]);
    let standings = json_lines(&run(&folder, &["standings", "runs/spring", "--json"])).pop();
    let standings = standings.expect("an object");
    // Of one tournament it is what its standings say.
    for name in ["a", "b"] {
        for key in ["games", "wins", "draws", "losses", "rating", "rating_error"] {
            assert_eq!(row(&spring, name)[key], row(&standings, name)[key], "{name} {key}");
        }
    }
    let both = ratings(&folder, &["runs/spring", "runs/autumn"]);
    assert_eq!((&both["games"], &row(&both, "a")["games"]), (&16.into(), &12.into()));
    let turned = ratings(&folder, &["runs/autumn", "runs/spring"]);
    assert_eq!(both, turned, "the order of sources says nothing");
    // The same games as lines of results are the same table.
    let lines = stdout(&run(&folder, &["results", "runs/autumn", "--json"]));
    std::fs::write(folder.path().join("autumn.jsonl"), lines).expect("writable");
    assert_eq!(ratings(&folder, &["runs/spring", "autumn.jsonl"]), both);
    // Others join from elsewhere.
    let csv = "first,second,result,games\nd,a,1-0,3\nd,b,1/2-1/2,2\nd,b,*,1\n";
    std::fs::write(folder.path().join("more.csv"), csv).expect("writable");
    let more = ratings(&folder, &["runs/spring", "more.csv"]);
    let d = row(&more, "d");
    assert_eq!((&d["games"], &d["wins"], &d["draws"]), (&5.into(), &3.into(), &2.into()));
    assert_eq!((&d["rank"], &more["left_out"]), (&1.into(), &1.into()));
    // A part of the games.
    let part = ratings(&folder, &["runs/autumn", "--among", "b", "--among", "c"]);
    assert_eq!((&part["games"], &part["left_out"]), (&4.into(), &8.into()));
    let part = ratings(&folder, &["runs/autumn", "--with", "a"]);
    assert_eq!((&part["games"], &part["left_out"]), (&8.into(), &4.into()));
    assert_eq!(ratings(&folder, &["runs/autumn", "--since", "2001-01-01"])["games"], 12);
    let refused = |args: &[&str], words: &str| {
        let output = run(&folder, &[&["ratings"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
    };
    refused(&["runs/autumn", "--before", "2001-01-01"], "no game is left to count");
    refused(&["runs/autumn", "--since", "noon"], "is not a day");
    refused(&["runs/autumn", "--with", "z"], "no game that counts was played by \"z\"");
    refused(&["more.csv", "--tier", "B"], "for the folders of tournaments");
    refused(&["runs/none"], "runs/none");
    std::fs::write(folder.path().join("bad.csv"), "first,second,result\na,b,3\n")
        .expect("writable");
    refused(&["bad.csv"], "bad.csv, line 2: \"3\" is not a result");
}

#[test]
fn bots_of_one_name_that_differ_are_not_counted_as_one_unasked() {
    let folder = Folder::new("ratings-changed");
    cup(&folder, "one", 1, &["a=builtin:greedy", "b=builtin:random"]);
    cup(&folder, "two", 1, &["a=builtin:random", "b=builtin:random"]);
    let refused = run(&folder, &["ratings", "runs/one", "runs/two"]);
    assert_eq!(refused.status.code(), Some(2));
    let words = "\"a\" is not the same bot in runs/one and in runs/two; --accept-changes";
    assert!(stderr(&refused).contains(words), "{}", stderr(&refused));
    let table = ratings(&folder, &["runs/one", "runs/two", "--accept-changes"]);
    assert_eq!(table["games"], 8);
}

#[test]
fn ratings_and_stats_mean_the_same_elo() {
    let folder = Folder::new("elo");
    let csv = "first,second,result,games\na,b,1-0,15\nb,a,0-1,15\na,b,1/2-1/2,30\nb,a,1/2-1/2,30\na,b,0-1,5\nb,a,1-0,5\n";
    std::fs::write(folder.path().join("games.csv"), csv).expect("writable");
    let table = ratings(&folder, &["games.csv"]);
    let rating = |name: &str| row(&table, name)["rating"].as_f64().expect("a number");
    let stats = json_lines(&run(&folder, &["stats", "--counts", "10,60,30", "--json"])).pop();
    let elo = stats.expect("an object")["elo"].as_f64().expect("a number");
    assert!((elo - 70.4).abs() < 0.1, "{elo}");
    // The prior takes a little.
    assert!((rating("a") - rating("b") - elo).abs() < 1.0, "{table}");
}

#[test]
fn given_ratings_are_those_of_the_file_and_of_the_command_line() {
    let folder = Folder::new("anchors");
    let text = "game = \"gomoku\"\nrounds = 4\nseed = 1\n[setup]\nmax_moves = 30\n\
                [[bots]]\nbot = \"a=builtin:greedy\"\nanchor = 2100\n[[bots]]\nbot = \"b=builtin:random\"\n";
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
    let played = run(&folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(played.status.code(), Some(0), "{}", stderr(&played));
    let text = stdout(&run(&folder, &["standings", "runs/cup"]));
    assert!(text.contains("2100 given"), "{text}");
    let standings = |args: &[&str]| {
        let output = run(&folder, &[&["standings", "runs/cup", "--json"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        json_lines(&output).pop().expect("an object")
    };
    let table = standings(&[]);
    let number = |table: &Value, name: &str, key: &str| row(table, name)[key].as_f64().expect(key);
    assert_eq!(number(&table, "a", "rating"), 2100.0);
    assert_eq!(number(&table, "a", "rating_error"), 0.0);
    assert_eq!(row(&table, "a")["anchored"], true);
    assert!(number(&table, "b", "rating") < 2100.0 && number(&table, "b", "rating_error") > 0.0);
    // The command line wins.
    let moved = standings(&["--anchor", "a=100"]);
    let apart = |table: &Value| number(table, "a", "rating") - number(table, "b", "rating");
    assert_eq!(number(&moved, "a", "rating"), 100.0);
    assert!((apart(&moved) - apart(&table)).abs() < 0.1);
    let pooled = ratings(&folder, &["runs/cup", "--anchor", "b=1000"]);
    assert_eq!(number(&pooled, "b", "rating"), 1000.0);
    assert_eq!(
        (row(&pooled, "b")["anchored"].as_bool(), row(&pooled, "a")["anchored"].as_bool()),
        (Some(true), Some(false))
    );
    assert_eq!(number(&pooled, "b", "rating_error"), 0.0);
    let text = stdout(&run(&folder, &["ratings", "runs/cup", "--anchor", "b=1000"]));
    assert!(text.contains("1000 given"), "{text}");
    for wrong in ["c=1000", "a", "a=many", "a=1e9"] {
        let refused = run(&folder, &["standings", "runs/cup", "--anchor", wrong]);
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_test_says_how_many_of_its_games_differ() {
    let folder = Folder::new("different");
    // After one move of a bot that always plays the same, all games are alike.
    let args = ["test", "gomoku", "a=builtin:greedy", "b=builtin:greedy", "--set", "max_moves=1"];
    let args = [&args[..], &["--max-games", "12", "--no-keep", "--quiet"]].concat();
    let report = json_lines(&run(&folder, &[&args[..], &["--json"]].concat())).pop();
    let report = report.expect("an object");
    assert_eq!((&report["games"], &report["corrected"]), (&12.into(), &Value::Null));
    let different = report["different"].as_u64().expect("a number");
    assert!((1..12).contains(&different), "{report}");
    let text = stdout(&run(&folder, &[&args[..], &["--anchor", "1800"]].concat()));
    assert!(text.contains("12 games, ") && text.contains(" different: "), "{text}");
    assert!(text.contains("rating of a: 1800 (") && text.contains("with b at 1800"), "{text}");
}

#[test]
fn tables_say_how_many_games_differ() {
    let folder = Folder::new("tables-differ");
    let bot = |name: &str| format!("[[bots]]\nname = '{name}'\nbot = 'builtin:greedy'\n");
    let cup = format!(
        "game = 'gomoku'\nrounds = 20\nseed = 1\n[setup]\nmax_moves = 1\n{}{}",
        bot("a"),
        bot("b")
    );
    std::fs::write(folder.path().join("cup.toml"), cup).expect("ours");
    let ended = stdout(&run(&folder, &["run", "cup.toml"]));
    assert!(ended.contains("20 games, ") && ended.contains(" different: "), "{ended}");
    let table = json_lines(&run(&folder, &["standings", "runs/cup", "--json"])).pop();
    let table = table.expect("an object");
    assert!((1..=2).contains(&table["different"].as_u64().expect("a number")), "{table}");
    let pooled = ratings(&folder, &["runs/cup"]);
    assert_eq!(pooled["different"], table["different"]);
    for sources in [&["runs/cup"][..], &["runs/cup", "runs/cup"]] {
        let text = stdout(&run(&folder, &[&["ratings"], sources].concat()));
        assert!(text.contains(" different: "), "{text}");
    }
}
