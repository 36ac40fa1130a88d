//! Bots that are held to the checks: those of the protocols' documents, the examples, and every
//! built-in bot as a program of its own (`lanista bot`). The kits, of which README shows one, are in
//! `check` and `kits`.
//!
//! Conversations are tried with all of them, and one game; of the built-in bots of a game, which
//! share what they say, with the strongest. `LANISTA_KITS=all` (`./test kits`) tries everything.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::Value;
use table::BotCard;

use crate::common::{Folder, LANISTA, json_lines, run, stderr, stdout};

/// A built-in bot as a program of its own.
const PBRAIN: &str = env!("CARGO_BIN_EXE_pbrain-lanista");

/// A bot of the repository, and what is known about it: a check, what comes of it, and why that is so.
struct CheckedBot {
    game: &'static str,
    /// Its folder.
    bot: &'static str,
    needs: &'static str,
    known: &'static [(&'static str, &'static str, &'static str)],
}

const fn good(game: &'static str, bot: &'static str, needs: &'static str) -> CheckedBot {
    CheckedBot { game, bot, needs, known: &[] }
}

const ONLY_WD: &str = "the document's agents look for wilds that begin with wd";
const NO_NAME: &str =
    "with a hand of wilds alone it looks up the name of \"red\" as if it were a letter";

/// The documents of gomoku, pyrat and ants describe programs and have none.
const BOTS: &[CheckedBot] = &[
    good("gomoku", "examples/bots/gomoku/python", "python3"),
    good("pyrat", "examples/bots/pyrat/python", "python3"),
    good("jedna", "examples/bots/jedna/tidy-python", "python3"),
    good("ants", "examples/bots/ants/python", "python3"),
    good("petri", "examples/bots/petri/colony-python", "python3"),
    CheckedBot {
        game: "jedna",
        bot: "examples/bots/jedna/document-python",
        needs: "python3",
        known: &[
            ("plays-wilds-of-the-other-spelling", "warn", ONLY_WD),
            ("plays-with-wilds-of-the-other-spelling", "warn", ONLY_WD),
        ],
    },
    CheckedBot {
        game: "jedna",
        bot: "examples/bots/jedna/document-ruby",
        needs: "ruby",
        known: &[
            ("plays-wilds-of-the-other-spelling", "warn", ONLY_WD),
            ("plays-with-wilds-of-the-other-spelling", "warn", ONLY_WD),
            ("names-a-colour-for-a-wild", "warn", NO_NAME),
        ],
    },
    good("petri", "examples/bots/petri/document-ruby", "ruby"),
    good("jedna", "examples/bots/jedna/tidy-ruby", "ruby"),
    good("ants", "examples/bots/ants/javascript", "node"),
    good("pyrat", "examples/bots/pyrat/javascript", "node"),
];

fn is_there(program: &str) -> bool {
    let tried = Command::new(program).arg("--version").output();
    tried.is_ok_and(|output| output.status.success())
}

fn tries_everything() -> bool {
    std::env::var("LANISTA_KITS").is_ok_and(|kits| kits == "all")
}

/// The names of the checks that are tried.
fn tried(folder: &Folder, game: &str) -> Vec<String> {
    let all = tries_everything();
    let listed = json_lines(&run(folder, &["check", game, "--list", "--json"]));
    let wanted = |check: &&Value| {
        all || check["by"] == "script" || check["check"] == "plays-a-game-in-the-first-seat"
    };
    let name = |check: &Value| check["check"].as_str().expect("a name").to_owned();
    listed.iter().filter(wanted).map(name).collect()
}

/// What is wrong with a bot: every check that is neither passed nor known.
fn complaints(folder: &Folder, game: &str, bot: &str, known: &[(&str, &str)]) -> Vec<String> {
    let names = tried(folder, game);
    let mut args = vec!["check", game, bot, "--json"];
    args.extend(names.iter().flat_map(|name| ["--only", name]));
    let output = run(folder, &args);
    let lines = json_lines(&output);
    if lines.len() < names.len() {
        return vec![format!("{game} {bot}: {}", stderr(&output))];
    }
    let mut wrong = Vec::new();
    let mut met: Vec<(&str, &str)> = Vec::new();
    for line in lines.iter().filter(|line| line["check"].is_string()) {
        let name = line["check"].as_str().expect("a name");
        let findings = line["findings"].as_array().expect("a list");
        // The machine may be busy.
        let slow = findings.iter().all(|finding| finding["about"] == "time");
        match line["status"].as_str().expect("a status") {
            "pass" | "note" | "skip" => {}
            "warn" if slow => {}
            status if known.contains(&(name, status)) => met.push((name, status)),
            status => wrong.push(format!("{game} {bot}: {name}: {status}: {findings:?}")),
        }
    }
    // What is no longer so must not be said.
    let was_tried = |name: &str| names.iter().any(|tried| tried == name);
    for (name, status) in known.iter().filter(|it| was_tried(it.0) && !met.contains(it)) {
        wrong.push(format!("{game} {bot}: {name} is not {status}"));
    }
    wrong
}

#[test]
fn bots_of_documents_examples_and_built_in_ones_over_pipes_keep_every_promise() {
    let folder = Folder::new("check-bots");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut work: Vec<(String, String, Vec<(&str, &str)>)> = Vec::new();
    for CheckedBot { game, bot, needs, known } in BOTS {
        if !is_there(needs) {
            continue;
        }
        let path = root.join(bot).display().to_string();
        let known = known.iter().map(|(check, status, _)| (*check, *status)).collect();
        work.push(((*game).to_owned(), path, known));
    }
    for game in games::GAMES {
        let card = game.card();
        let weaker = if tries_everything() { 0 } else { card.bots.len() - 1 };
        for bot in &card.bots[weaker..] {
            // One of them is also a program of its own.
            let command = match (card.id, bot.name) == games::PBRAIN {
                true => PBRAIN.to_owned(),
                false => format!("{LANISTA} bot {} {}", card.id, bot.name),
            };
            work.push((card.id.to_owned(), command, Vec::new()));
        }
    }
    assert!(work.len() >= 10, "there are five examples in Python, and built-in bots of five games");
    let (work, wrong) = (Mutex::new(work), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let turn = || {
            loop {
                let next = work.lock().expect("nobody panics").pop();
                let Some((game, bot, known)) = next else { break };
                let complaints = complaints(&folder, &game, &bot, &known);
                wrong.lock().expect("nobody panics").extend(complaints);
            }
        };
        (0..2).for_each(|_| drop(scope.spawn(turn)));
    });
    let wrong = wrong.into_inner().expect("nobody panics");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// It is what managers of gomoku expect: its name, its lines, and the ends of theirs.
#[test]
fn pbrain_lanista_is_a_brain_for_any_manager() {
    let mut brain = Command::new(PBRAIN);
    brain.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut brain = brain.spawn().expect("it was built");
    let mut input = brain.stdin.take().expect("it is a pipe");
    let asked = b"START 20\rABOUT\r\nINFO timeout_turn 100\n\nFROBNICATE\r\nBEGIN\r\n";
    input.write_all(asked).expect("it reads");
    drop(input);
    let output = brain.wait_with_output().expect("it leaves when its input ends");
    assert!(output.status.success(), "{}", output.status);
    let text = stdout(&output);
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    let [ok, about, unknown, cell] = lines[..] else { panic!("{text:?}") };
    assert_eq!(ok, "OK");
    assert!(about.starts_with("name=\"pbrain-lanista\", version=\""), "{about}");
    assert!(unknown.starts_with("UNKNOWN"), "{unknown}");
    assert!(cell.split(',').all(|part| part.parse::<u8>().is_ok_and(|at| at < 20)), "{cell}");
}

/// What a built-in bot does inside the host it does as a program, too.
#[test]
fn built_in_bots_over_pipes_play_as_they_do_inside() {
    let folder = Folder::new("bot-command");
    for game in games::GAMES {
        let card = game.card();
        let quick: Vec<String> = (card.quick)()
            .into_iter()
            .map(|(key, value)| format!("{key}={}", value.to_string().trim_matches('"')))
            .collect();
        for BotCard { name, .. } in card.bots {
            let bot = format!("{name}-program={LANISTA} bot {} {name}", card.id);
            let mut args = vec!["play", card.id, &bot, "builtin:random", "--json", "--no-replay"];
            args.extend(quick.iter().flat_map(|set| ["--set", set.as_str()]));
            let output = run(&folder, &args);
            let reports = json_lines(&output);
            assert_eq!(reports.len(), 1, "{} {name}: {}", card.id, stderr(&output));
            for player in reports[0]["players"].as_array().expect("players") {
                assert_eq!(player["faults"], serde_json::json!([]), "{} {name}", card.id);
            }
        }
    }
    let output = run(&folder, &["bot", "gomoku", "hunted"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean \"hunter\"?"), "{}", stderr(&output));
}
