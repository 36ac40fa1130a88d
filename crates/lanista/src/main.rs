//! The program with the games of this project.

use std::process::ExitCode;

fn main() -> ExitCode {
    lanista::main_with(games::GAMES)
}
