//! Games in other formats: one, and a whole tournament at once; and what a developer reads after many games.

use serde_json::Value;

use crate::common::{Folder, json_lines, run, stderr, stdout};

#[test]
fn every_game_has_a_plain_text_export_that_tells_it_from_start_to_end() {
    let folder = Folder::new("text");
    for game in games::GAMES {
        let card = game.card();
        let bot = format!("builtin:{}", card.bots[0].name);
        let mut args =
            vec!["play", card.id, "--json", "--game-seed", "3", "--adjudicate-turns", "3"];
        args.extend(vec![bot.as_str(); usize::from(card.usual_players)]);
        let report = json_lines(&run(&folder, &args)).remove(0);
        let replay = report["replay"].as_str().expect("it was kept");
        let output = run(&folder, &["replay", replay, "--export", "text"]);
        assert_eq!(output.status.code(), Some(0), "{}: {}", card.id, stderr(&output));
        let text = stdout(&output);
        let steps = json_lines(&run(&folder, &["replay", replay, "--json"])).len() - 2;
        let numbered = |line: &&str| {
            line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
        };
        assert_eq!(text.lines().filter(numbered).count(), steps, "{text}");
        for line in [
            &format!("game: {}", card.id),
            "seed: 3",
            &format!("player 1: {} ({bot})", card.bots[0].name),
            &format!("result: {}", report["reason"].as_str().expect("a reason")),
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is not in {text}");
        }
        let unknown = run(&folder, &["replay", replay, "--export", "pgn"]);
        assert_eq!(unknown.status.code(), Some(2));
        assert!(stderr(&unknown).contains("text"), "{}", stderr(&unknown));
    }
}

#[test]
fn a_whole_tournament_is_exported_at_once() {
    let folder = Folder::new("export-run");
    let cup = "name = 'cup'\nrounds = 2\nbots = [{ bot = 'builtin:random' }, { bot = 'builtin:greedy' }]\n\
        [[events]]\ngame = 'gomoku'\nname = 'five in a row'\nsetup = { max_moves = 9 }\n\
        [[events]]\ngame = 'pyrat'\nadjudication = { turns = 3 }\n";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    let played = run(&folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(played.status.code(), Some(0), "{}", stderr(&played));
    let files = |dir: &str| {
        let entries = std::fs::read_dir(folder.path().join(dir)).expect("it was made").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let export =
        |args: &[&str]| run(&folder, &[&["replay", "runs/cup", "--export"], args].concat());
    let all = export(&["text", "--out", "texts"]);
    assert_eq!(all.status.code(), Some(0), "{}", stderr(&all));
    assert_eq!(
        files("texts"),
        ["five-in-a-row-0001.txt", "five-in-a-row-0002.txt", "pyrat-0001.txt", "pyrat-0002.txt"]
    );
    let one = export(&["psq", "--event", "five in a row", "--out", "psq"]);
    assert_eq!(one.status.code(), Some(0), "{}", stderr(&one));
    assert_eq!(files("psq"), ["five-in-a-row-0001.psq", "five-in-a-row-0002.psq"]);
    // Replays themselves, which verify on their own, and under the name that results give them.
    let itself = export(&["lrz", "--out", "replays"]);
    assert_eq!(itself.status.code(), Some(0), "{}", stderr(&itself));
    let games = json_lines(&run(&folder, &["results", "runs/cup", "--json"]));
    let named = |game: &Value| format!("runs/cup/{}", game["replay"].as_str().expect("a path"));
    let named: Vec<String> = games.iter().map(named).collect();
    for replay in files("replays").iter().map(|name| format!("replays/{name}")).chain(named) {
        let verified = run(&folder, &["replay", &replay, "--verify"]);
        assert_eq!(verified.status.code(), Some(0), "{}", stderr(&verified));
    }
    // The same as one by one.
    let single = ["replay", "runs/cup", "2", "--event", "five in a row", "--export", "psq"];
    let text = std::fs::read_to_string(folder.path().join("psq/five-in-a-row-0002.psq"));
    assert_eq!(text.expect("it is text"), stdout(&run(&folder, &single)));
    let wrong = export(&["psq", "--out", "mixed"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("pyrat has no format \"psq\"; it has text"),
        "{}",
        stderr(&wrong)
    );
    assert!(!folder.path().join("mixed").exists(), "nothing was begun");
    let nowhere = export(&["psq"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("--out DIR"), "{}", stderr(&nowhere));
}

#[test]
fn many_games_of_two_end_with_what_they_say_about_strength() {
    let folder = Folder::new("strength");
    let play = |games: &str, more: &[&str]| {
        let args = ["play", "gomoku", "builtin:greedy", "builtin:random", "--no-replay", "--games"];
        let output = run(&folder, &[&args[..], &[games], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let text = play("4", &[]).replace("\n  ", " ");
    // Four games are few: what was not seen may still be there.
    assert!(text.contains("greedy against random: Elo above -290.5"), "{text}");
    assert!(text.contains("likelihood of superiority 99.1 %"), "{text}");
    assert!(text.contains("from 2 pairs"), "{text}");
    assert!(play("3", &[]).contains("from 3 games"));
    assert!(!play("1", &[]).contains("Elo"));
    // Scripts read a game a line, and nothing else.
    assert_eq!(play("4", &["--json"]).lines().count(), 4);
}

#[test]
fn a_test_keeps_its_games_if_it_is_asked_to() {
    let folder = Folder::new("test-out");
    let args = ["test", "gomoku", "builtin:greedy", "builtin:random", "--max-games", "4", "--json"];
    let more = ["--out", "games", "--fresh", "--freeze", "--placement", "together"];
    let output = run(&folder, &[&args[..], &more[..]].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    let kept = std::fs::read_dir(folder.path().join("games")).expect("it was made").flatten();
    let kept: Vec<String> = kept.map(|entry| entry.path().display().to_string()).collect();
    let games = json_lines(&output)[0]["games"].as_u64().expect("a number");
    assert!(games > 0 && kept.len() as u64 >= games, "{games}: {kept:?}");
    for replay in kept {
        let verified = run(&folder, &["replay", &replay, "--verify"]);
        assert_eq!(verified.status.code(), Some(0), "{}", stderr(&verified));
    }
}

#[test]
fn a_tournament_file_says_how_processes_are_kept_and_placed() {
    let folder = Folder::new("manner");
    let write = |head: &str| {
        let cup = "game = 'gomoku'\nsetup = { max_moves = 4 }\n\
            bots = [{ bot = 'builtin:random' }, { bot = 'builtin:random' }]\n";
        std::fs::write(folder.path().join("cup.toml"), format!("{head}\n{cup}")).expect("writable");
        run(&folder, &["run", "cup.toml", "--quiet"])
    };
    let played = write("fresh = true\nfreeze = true\nplacement = 'apart'");
    assert_eq!(played.status.code(), Some(0), "{}", stderr(&played));
    // Where they run may change; whether they think in the other's time may not.
    assert_eq!(write("fresh = true\nfreeze = true").status.code(), Some(0));
    let changed = write("fresh = true");
    assert_eq!(changed.status.code(), Some(2));
    assert!(
        stderr(&changed).contains("freeze was true, and is not set now"),
        "{}",
        stderr(&changed)
    );
    let wrong = write("placement = 'everywhere'");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("together"), "{}", stderr(&wrong));
}
