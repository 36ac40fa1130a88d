//! A game outside of this project: nothing but the public traits, and everything works with it.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use game::{ActorId, Game as _, Rng, Turn};
use table::Erased;
use testkit::law::{self, Lawful};

use crate::common::{Folder, json_lines, stderr, stdout};

#[path = "../../examples/tictactoe/game.rs"]
mod tictactoe;

use tictactoe::{Config, TicTacToe};

/// Marks the first free cell.
const BOT: &str = r#"
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "you":
        print("ready", flush=True)
    elif words[0] == "move":
        print(words[1].index("."), flush=True)
    else:
        break
"#;

impl Lawful for TicTacToe {
    fn setups() -> Vec<(Config, u16)> {
        [false, true].map(|second_begins| (Config { second_begins }, 2)).to_vec()
    }

    fn legal(&self, actor: ActorId) -> Vec<u8> {
        (0..9).filter(|cell| self.check(actor, cell).is_ok()).collect()
    }

    fn illegal(&self, _: ActorId) -> Vec<u8> {
        let taken = self.board().into_bytes().into_iter().enumerate();
        let taken = taken.filter(|(_, mark)| *mark != b'.').map(|(cell, _)| cell as u8);
        taken.chain([9, u8::MAX]).collect()
    }

    fn disguised(&self, _: ActorId, _: &mut Rng) -> Option<TicTacToe> {
        None
    }

    fn longest(_: &Config) -> usize {
        9
    }
}

#[test]
fn it_obeys_every_law() {
    law::all::<TicTacToe>();
}

#[test]
fn it_survives_any_bytes() {
    testkit::fuzz::survives(&Erased::<TicTacToe>::new(), &[], 0..3000);
}

#[test]
fn three_in_a_row_win_and_a_full_board_is_a_draw() {
    let play = |cells: &[u8]| {
        let mut game = TicTacToe::start(&Config::default(), 2, game::Seed(0)).expect("sound");
        for cell in cells {
            let Turn::One(actor) = game.turn() else { panic!("it is over before {cell}") };
            game.step(&game::Moves::one(actor, *cell), &mut Vec::new());
        }
        match game.turn() {
            Turn::Over(outcome) => Some(outcome.scores),
            Turn::One(_) | Turn::All(_) => None,
        }
    };
    assert_eq!(play(&[0, 3, 1, 4]), None);
    assert_eq!(play(&[0, 3, 1, 4, 2]), Some(vec![1.0, 0.0]), "a row of the first");
    assert_eq!(play(&[0, 2, 1, 4, 8, 6]), Some(vec![0.0, 1.0]), "a diagonal of the second");
    assert_eq!(play(&[0, 1, 2, 4, 3, 5, 7, 6, 8]), Some(vec![0.5, 0.5]), "a full board");
}

/// The example, built as these tests were.
fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let folder = PathBuf::from(env!("CARGO_BIN_EXE_lanista"));
            let folder = folder.parent().expect("a program is in a folder");
            let profile = match folder.file_name().and_then(|name| name.to_str()) {
                Some("debug") => "dev",
                name => name.expect("a folder has a name"),
            };
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["build", "--locked", "--offline", "--quiet", "--example", "tictactoe"]);
            cargo.args(["--profile", profile]).current_dir(env!("CARGO_MANIFEST_DIR"));
            // Those of the cargo that runs these tests are not for another one.
            cargo.env_remove("CARGO_MAKEFLAGS").env_remove("MAKEFLAGS");
            assert!(cargo.status().expect("there is cargo").success(), "the example builds");
            folder.join("examples/tictactoe")
        })
        .clone()
}

/// What the program prints, which has to succeed.
fn run(folder: &Folder, args: &[&str]) -> Output {
    let output = Command::new(program()).args(args).current_dir(folder.path()).output();
    let output = output.expect("it can be started");
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    output
}

#[test]
fn the_whole_program_works_with_a_game_of_ones_own() {
    let folder = Folder::new("new-game");
    std::fs::write(folder.path().join("bot.py"), BOT).expect("a file can be written");
    assert!(stdout(&run(&folder, &["games"])).contains("three in a row on nine cells"));

    // Two processes: the second is always a cell behind, so that the first has a row.
    let bot = "python3 bot.py";
    let report = json_lines(&run(&folder, &["play", "tictactoe", bot, bot, "--json"])).remove(0);
    assert_eq!(report["reason"], "bot has three in a row", "{report}");
    assert_eq!(report["players"][0]["score"], 1.0, "{report}");
    for player in [0, 1] {
        assert_eq!(report["players"][player]["faults"], serde_json::json!([]), "{report}");
    }
    let replay = report["replay"].as_str().expect("it was kept");
    run(&folder, &["replay", replay, "--verify"]);
    let steps = json_lines(&run(&folder, &["replay", replay, "--json"]));
    assert!(steps.iter().any(|step| step["state"]["board"] == "XOXOXOX.."), "{steps:?}");

    // What the page shows: a film of scenes.
    let film = json_lines(&run(&folder, &["replay", replay, "--film"]));
    assert_eq!(film[0]["game"], "tictactoe");
    let won = film.iter().flat_map(|line| line["mod"].as_array().cloned().unwrap_or_default());
    assert!(won.into_iter().any(|shape| shape["m"] == "win"), "{film:?}");
    assert_eq!(film.last().expect("it has an end")["verified"], true);

    // Built-in bots, a tournament, and what follows from it.
    let cup = "name = \"cup\"\ngame = \"tictactoe\"\nrounds = 4\nbots = [{ bot = \"builtin:careful\" }, \
               { bot = \"builtin:random\" }, { bot = \"python3 bot.py\" }]\n";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("a file can be written");
    run(&folder, &["run", "cup.toml"]);
    run(&folder, &["verify", "runs/cup"]);
    assert!(stdout(&run(&folder, &["standings", "runs/cup"])).contains("careful"));
}
