//! The games. Each has a folder of its own and one line in [`GAMES`].

pub mod gomoku;

use table::{AnyGame, Erased};

/// Every game there is.
pub static GAMES: &[&dyn AnyGame] = &[&Erased::<gomoku::Gomoku>::new()];
