#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]

pub mod ants;
pub mod gomoku;
pub mod jedna;
pub mod json;
pub mod petri;
pub mod pyrat;
