//! The games. Each has a folder of its own and one line in [`GAMES`].

pub mod ants;
mod digits;
pub mod gomoku;
pub mod jedna;
mod json_object;
#[cfg(test)]
mod pages;
pub mod petri;
pub mod pyrat;

use table::{AnyGame, Erased};

/// Every game there is.
pub static GAMES: &[&dyn AnyGame] = &[
    &Erased::<gomoku::Gomoku>::new(),
    &Erased::<pyrat::Pyrat>::new(),
    &Erased::<jedna::Jedna>::new(),
    &Erased::<petri::Petri>::new(),
    &Erased::<ants::Ants>::new(),
];

/// The game and the built-in bot of `pbrain-lanista`, a program that other managers of the game run.
pub const PBRAIN: (&str, &str) = ("gomoku", "hunter");
