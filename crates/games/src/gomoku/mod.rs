//! Five in a row, spoken to in the text protocol of gomoku brains.

mod about;
mod board;
mod bots;
pub mod brain;
mod catalogue;
mod checks;
mod complaints;
mod desk;
mod draw;
mod lines;
mod openings;
mod program;
mod protocol;
mod psq;
mod renju;
mod scene;
mod setup;
mod sgf;
mod state;
#[cfg(test)]
mod tests;
mod wire;

pub use board::{Board, Cell, Rule, Site, Size, Stone};
pub use lines::winning_line;
pub use renju::{Forbidden, forbidden, forbidden_cells};
pub use setup::{Config, Opening};
pub use state::{Action, Event, Gomoku, Phase, View};
