//! Nothing that comes from outside reaches the terminal, a page or a spreadsheet as more than text.

use crate::common::{Folder, json_lines, run, stderr, stdout};

/// Clears the screen, sets the title, rings, turns text around; with a control of the second set, too.
const NASTY: &str = "x\x1b[2J\x1b]0;pwned\x07\u{9b}31m\u{202e}<b>";

/// Runs the program and checks that nothing but text and line ends came out. Returns standard output.
fn clean(folder: &Folder, args: &[&str], code: i32) -> String {
    let output = run(folder, args);
    for text in [stdout(&output), stderr(&output)] {
        let bad = text.chars().find(|&c| c != '\n' && (c.is_control() || c == '\u{202e}'));
        assert_eq!(bad, None, "{args:?}: {text:?}");
    }
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn names_play_no_tricks_in_any_command() {
    let folder = Folder::new("output-names");
    let [bot, other] = [format!("{NASTY}=builtin:random"), "@1,x=builtin:random".to_owned()];
    let games: &[&[&str]] = &[
        &["gomoku", "--set", "size=15", "--set", "max_moves=20"],
        &["pyrat", "--set", "max_turns=10"],
        &["jedna", "--set", "max_turns=10"],
        &["petri", "--set", "max_ticks=5"],
        &["ants", "--set", "max_turns=5"],
    ];
    for args in games {
        let second = "b\u{2066}=builtin:random";
        let play = [&["play", args[0], &bot, second, "--seed", "1"], &args[1..]].concat();
        clean(&folder, &play, 0);
        clean(&folder, &[&play[..], &["--watch"]].concat(), 0);
        clean(&folder, &[&play[..], &["--games", "2"]].concat(), 0);
        let report = json_lines(&run(&folder, &[&play[..], &["--json"]].concat())).remove(0);
        assert_eq!(report["players"][0]["name"], NASTY);
        let replay = report["replay"].as_str().expect("it was kept").to_owned();
        for how in [&["--lines"][..], &["--json"], &["--verify"], &["--at", "1"], &[]] {
            clean(&folder, &[&["replay", &replay], how].concat(), 0);
        }
    }
    // A name that would be a formula is not refused either, it is text.
    let play = ["play", "petri", &other, &bot, "--set", "max_ticks=3", "--csv", "counts.csv"];
    clean(&folder, &play, 0);
    let csv = std::fs::read_to_string(folder.path().join("counts.csv")).expect("it was written");
    assert!(csv.contains("\n0,0,\"'@1,x\","), "{csv}");
    assert!(!csv.contains('\x1b'), "{csv:?}");
}

#[test]
fn tournaments_show_names_as_text() {
    let folder = Folder::new("output-cup");
    let name: String = NASTY.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
    let text = format!(
        "name = \"cup {name}\"\ngame = \"gomoku\"\nsetup = {{ size = 15, max_moves = 20 }}\n\
         [[bots]]\nname = \"{name}\"\nbot = \"builtin:random\"\n\
         [[bots]]\nname = \"=HYPERLINK(1)\"\nbot = \"builtin:random\"\n\
         [[bots]]\nname = \"two\\nlines\"\nbot = \"builtin:greedy\"\n"
    );
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
    clean(&folder, &["run", "cup.toml", "--dir", "cup"], 0);
    clean(&folder, &["results", "cup"], 0);
    clean(&folder, &["results", "cup", "--json"], 0);
    clean(&folder, &["standings", "cup"], 0);
    clean(&folder, &["replay", "cup", "1"], 0);
    let csv = clean(&folder, &["standings", "cup", "--csv"], 0);
    assert!(csv.contains(",\"'=HYPERLINK(1)\","), "{csv}");
    assert!(csv.contains(",two\\nlines,"), "{csv}");
    clean(&folder, &["standings", "cup", "--html", "--with-games", "1"], 0);
    let page = std::fs::read_to_string(folder.path().join("cup.html")).expect("it was written");
    let bad = page.chars().find(|&c| c != '\n' && (c.is_control() || c == '\u{202e}'));
    assert!(bad.is_none() && !page.contains("<b>"), "names are packed or written out");
    let table = json_lines(&run(&folder, &["standings", "cup", "--json"])).remove(0);
    let names: Vec<_> =
        table["rows"].as_array().into_iter().flatten().map(|r| &r["name"]).collect();
    assert!(names.iter().any(|name| **name == NASTY), "{names:?}");
}

#[test]
fn errors_quote_what_was_typed_as_text() {
    let folder = Folder::new("output-errors");
    std::fs::write(folder.path().join(format!("{}.lrz", NASTY.replace('/', "-"))), b"x")
        .expect("writable");
    for args in [
        &["play", NASTY][..],
        &[NASTY],
        &["--frob\x1b[2J"],
        &["replay", NASTY],
        &["replay", &format!("{NASTY}.lrz")],
        &["standings", NASTY],
        &["results", NASTY],
        &["ctl", NASTY, "status"],
        &["ctl", "x", NASTY],
        &["run", NASTY],
        &["games", NASTY],
        &["bots", NASTY],
        &["stats", "--counts", NASTY],
        &["play", "gomoku", NASTY, "builtin:random"],
        &["play", "gomoku", "builtin:random", "builtin:random", "--set", NASTY],
        &["play", "gomoku", "builtin:random", "builtin:random", "--set", &format!("rule={NASTY}")],
        &["play", "gomoku", "builtin:random", "builtin:random", "--config", NASTY],
        &["test", "gomoku", NASTY, "builtin:random"],
    ] {
        clean(&folder, args, 2);
    }
}

#[test]
fn the_carriage_return_of_a_bot_is_recorded_and_its_protocol_does_not_see_it() {
    let folder = Folder::new("output-cr");
    let bot = "while read -r line; do printf '0:left\\r\\n'; done";
    std::fs::write(folder.path().join("cr.sh"), bot).expect("writable");
    let mut args = vec!["play", "ants", "sh cr.sh", "builtin:simple", "--json"];
    args.extend(["--set", "max_turns=1", "--set", "ants=1", "--seed", "1"]);
    let report = json_lines(&run(&folder, &args)).remove(0);
    assert_eq!(report["players"][0]["moves"], 1, "{report}");
    let replay = report["replay"].as_str().expect("a replay was written");
    let lines = clean(&folder, &["replay", replay, "--lines"], 0);
    assert!(lines.contains(" < 0:left\\r\n"), "{lines}");
}
