//! What can be chosen before a game.

use game::{Seed, SetupError};
use serde::{Deserialize, Serialize};

use super::board::{Cell, Rule, Size};
use super::{openings, psq};

/// The set-up of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What wins.
    pub rule: Rule,
    /// Side of a square board.
    pub size: Option<u8>,
    /// Width of a board that is not square.
    pub width: Option<u8>,
    /// Height of a board that is not square.
    pub height: Option<u8>,
    /// How the first stones get onto the board.
    pub opening: Opening,
    /// A book of openings, one a line; the seed picks the line.
    pub openings: String,
    /// A saved game in PSQ form whose moves are on the board at the start.
    pub position: String,
    /// Stones that are on the board at the start, Black first.
    pub start: Vec<Cell>,
    /// The game is drawn after so many stones.
    pub max_moves: Option<u32>,
}

/// How the first stones get onto the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opening {
    /// Black simply begins.
    #[default]
    None,
    /// The first player puts three stones, the second chooses a colour or puts two more.
    Swap2,
}

impl Config {
    /// The board's width and height, checked.
    pub fn board(&self) -> Result<Size, SetupError> {
        let usual = match self.rule {
            Rule::Freestyle => 20,
            Rule::Standard | Rule::Renju | Rule::Caro | Rule::CaroExact => 15,
        };
        if self.size.is_some() && (self.width.is_some() || self.height.is_some()) {
            return Err(SetupError::new("give either size or width and height, not both"));
        }
        let side = |given: Option<u8>| given.or(self.size).unwrap_or(usual);
        let size = Size { width: side(self.width), height: side(self.height) };
        let fits = |side: u8| (Size::LEAST..=Size::MOST).contains(&side);
        if !fits(size.width) || !fits(size.height) {
            return Err(SetupError::new(format!(
                "a board of {size} is not possible: sides are {} to {}",
                Size::LEAST,
                Size::MOST
            )));
        }
        Ok(size)
    }

    /// Reduces a book or a saved game to the stones that this game starts with.
    ///
    /// One round after another walks through the book; both games of a pair have the same seed and
    /// so the same opening.
    pub fn settle(&mut self, seed: Seed) -> Result<(), SetupError> {
        let given = [!self.openings.is_empty(), !self.position.is_empty(), !self.start.is_empty()];
        if given.iter().filter(|&&given| given).count() > 1 {
            return Err(SetupError::new("give only one of openings, position and start"));
        }
        if !self.position.is_empty() {
            let saved = psq::Psq::parse(&self.position)
                .map_err(|error| SetupError::new(format!("position: {error}")))?;
            if self.size.is_none() && self.width.is_none() && self.height.is_none() {
                self.width = Some(saved.size.width);
                self.height = Some(saved.size.height);
            }
            self.start = saved.moves.iter().map(|(cell, _)| *cell).collect();
            self.position.clear();
        }
        let size = self.board()?;
        if !self.openings.is_empty() {
            let book = openings::parse_book(&self.openings, size)
                .map_err(|error| SetupError::new(format!("openings: {error}")))?;
            if book.is_empty() {
                return Err(SetupError::new("openings: the file has no opening in it"));
            }
            self.start = book[(seed.round() % book.len() as u64) as usize].clone();
            self.openings.clear();
        }
        if self.opening == Opening::Swap2 && !self.start.is_empty() {
            return Err(SetupError::new("swap2 starts from an empty board"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_as_large_as_the_rule_usually_has_it() {
        assert_eq!(Config::default().board(), Ok(Size { width: 20, height: 20 }));
        let renju = Config { rule: Rule::Renju, ..Config::default() };
        assert_eq!(renju.board(), Ok(Size { width: 15, height: 15 }));
        let odd = Config { width: Some(7), height: Some(9), ..Config::default() };
        assert_eq!(odd.board(), Ok(Size { width: 7, height: 9 }));
    }

    #[test]
    fn sizes_that_make_no_board_are_refused() {
        for size in [0, 4, 33, 255] {
            let config = Config { size: Some(size), ..Config::default() };
            assert!(config.board().unwrap_err().0.contains("5 to 32"));
        }
        let both = Config { size: Some(15), width: Some(15), ..Config::default() };
        assert!(both.board().is_err());
    }

    #[test]
    fn both_games_of_a_pair_have_the_same_opening_and_the_next_pair_the_next() {
        let book = "h8i9\n# a comment\n0,0, 1,0, 0,1\n";
        let start = |seed| {
            let mut config =
                Config { size: Some(15), openings: book.to_owned(), ..Config::default() };
            config.settle(Seed(seed)).expect("the book is sound");
            assert!(config.openings.is_empty(), "a replay keeps only its own opening");
            config.start
        };
        assert_eq!(start(4), [Cell { x: 7, y: 7 }, Cell { x: 8, y: 8 }]);
        assert_eq!(start(5).len(), 3);
        assert_eq!(start(6), start(4));
    }
}
