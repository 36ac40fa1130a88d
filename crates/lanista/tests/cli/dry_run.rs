//! What `lanista run --dry-run` says is what is played then, and it leaves nothing behind.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::common::{Folder, json_lines, run, stderr, stdout};

/// A tournament between four built-in bots, with these lines before them.
fn cup(folder: &Folder, head: &str) {
    let mut text = format!("game = \"gomoku\"\nsetup = {{ max_moves = 20 }}\nseed = 3\n{head}\n");
    for bot in ["random", "greedy", "random", "a name of more than forty columns on a screen"] {
        let program = if bot == "greedy" { "greedy" } else { "random" };
        text += &format!("[[bots]]\nname = \"{bot}\"\nbot = \"builtin:{program}\"\n");
    }
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
}

fn dry(folder: &Folder, args: &[&str]) -> Value {
    let output = run(folder, &[&["run", "cup.toml", "--dry-run", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    json_lines(&output).remove(0)["events"][0].take()
}

/// Who meets whom how often and from which seats, in what was played.
fn faced(folder: &Folder) -> BTreeMap<String, (u64, Vec<u64>, BTreeMap<String, u64>)> {
    let mut faced: BTreeMap<String, (u64, Vec<u64>, BTreeMap<String, u64>)> = BTreeMap::new();
    for game in json_lines(&run(folder, &["results", "runs/cup", "--json"])) {
        let names: Vec<&str> = ["0", "1"]
            .iter()
            .map(|seat| game["players"][seat.parse::<usize>().expect("a number")]["name"].as_str())
            .map(|name| name.expect("it has a name"))
            .collect();
        for (seat, name) in names.iter().enumerate() {
            let of = faced.entry((*name).to_owned()).or_insert((0, vec![0, 0], BTreeMap::new()));
            of.0 += 1;
            of.1[seat] += 1;
            *of.2.entry(names[1 - seat].to_owned()).or_default() += 1;
        }
    }
    faced
}

#[test]
fn a_dry_run_says_what_is_played_then_and_leaves_nothing_behind() {
    let folder = Folder::new("dry-run");
    cup(
        &folder,
        "rounds = 6\nclock = { match_ms = 5000 }\nvariants = [{ size = 15 }, { size = 19 }]",
    );
    let before = dry(&folder, &["--concurrency", "2"]);
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").collect();
    assert_eq!(left.len(), 1, "nothing but the file is there");
    assert_eq!(before["games"], json!({ "least": 36, "most": 36, "drawn_up": 36 }));
    assert_eq!(before["length"]["most_s"], json!(36.0 * 10.0 / 2.0), "{before}");
    assert_eq!(before["length"]["expected_s"], Value::Null, "nothing has been measured");
    let output = run(&folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let faced = faced(&folder);
    for bot in before["bots"].as_array().expect("a list") {
        let (games, seats, opponents) = &faced[bot["name"].as_str().expect("a name")];
        assert_eq!(bot["games"], json!(games));
        assert_eq!(bot["seats"], json!(seats));
        assert_eq!(bot["opponents"], json!(opponents));
        assert_eq!(bot["setups"], json!([12, 6]), "three sets, the second of them with the other");
    }
    let after = dry(&folder, &[]);
    assert_eq!((&after["finished"], &after["games"]["least"]), (&json!(36), &json!(0)));
    // Measured times serve for what is added.
    cup(
        &folder,
        "rounds = 8\nclock = { match_ms = 5000 }\nvariants = [{ size = 15 }, { size = 19 }]",
    );
    let more = dry(&folder, &["--concurrency", "1"]);
    let mean = more["length"]["mean_game_s"].as_f64().expect("it was measured");
    let expected = more["length"]["expected_s"].as_f64().expect("it can be told");
    assert!(mean > 0.0 && (expected - 12.0 * mean).abs() < 0.02, "{more}");
    // What contradicts the results is refused as by a run, and nothing is changed.
    cup(&folder, "rounds = 8\nclock = { match_ms = 6000 }");
    let output = run(&folder, &["run", "cup.toml", "--dry-run"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("match_ms was 5000"), "{}", stderr(&output));
}

#[test]
fn what_depends_on_results_is_said_as_far_as_it_is_known() {
    let folder = Folder::new("dry-run-formats");
    let least_and_most = |head: &str| {
        cup(&folder, head);
        let event = dry(&folder, &[]);
        let meetings = event["meetings"].as_array().expect("a list").len();
        (event["games"]["least"].clone(), event["games"]["most"].clone(), meetings)
    };
    assert_eq!(least_and_most("format = \"swiss\"\nrounds = 3"), (json!(12), json!(12), 2));
    let knockout = least_and_most("format = \"knockout\"\nextra_pairs = 2");
    assert_eq!(knockout, (json!(6), json!(6 + 3 * 4), 2));
    let ladder = least_and_most("format = \"ladder\"");
    assert_eq!(ladder.1, Value::Null, "it has no end");
    let ladder = least_and_most("format = \"ladder\"\nstop = { games = 6 }");
    assert_eq!((ladder.0, ladder.1), (json!(6), json!(6)));
    for head in ["format = \"swiss\"", "format = \"knockout\"", "format = \"ladder\"", ""] {
        cup(&folder, head);
        let output = run(&folder, &["run", "cup.toml", "--dry-run"]);
        let text = stdout(&output);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= 80), "{text}");
        assert!(text.contains("nothing is written") && text.contains("who meets whom"), "{text}");
    }
    let text =
        "game = \"gomoku\"\n[[bots]]\nbot = \"./nobody\"\n[[bots]]\nbot = \"builtin:random\"\n";
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
    let output = run(&folder, &["run", "cup.toml", "--dry-run"]);
    assert_eq!(output.status.code(), Some(2), "a bot that is not there: {}", stdout(&output));
}
