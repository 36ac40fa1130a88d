//! A built-in bot as a program of the name that other managers of its game expect.

use std::process::ExitCode;

fn main() -> ExitCode {
    let (game, name) = games::PBRAIN;
    lanista::bot_with(games::GAMES, game, name)
}
