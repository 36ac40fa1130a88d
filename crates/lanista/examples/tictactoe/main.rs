//! The whole program with a game of one's own: `cargo run --example tictactoe -- play tictactoe builtin:careful builtin:random`.
//!
//! Nothing in the project knows this game. It is the example of docs/adding-a-game.md, and tests play it.

mod game;

use std::process::ExitCode;

use table::{AnyGame, Erased};

static GAMES: &[&dyn AnyGame] = &[&Erased::<game::TicTacToe>::new()];

fn main() -> ExitCode {
    lanista::main_with(GAMES)
}
