//! A player that looks one move ahead.

use game::Rng;

use super::cells::Places;
use super::position::Position;
use super::{root_moves, set_position};
use crate::gomoku::board::{Cell, Rule, Size, Stone};

/// Wins if it can, stops a five or a straight four if it must, and otherwise plays the cell
/// with the best patterns for both sides. Takes microseconds.
pub struct Greedy {
    position: Position,
    rng: Rng,
}

impl Greedy {
    /// A player for one board and rule; `rng` breaks ties.
    pub fn new(size: Size, rule: Rule, rng: Rng) -> Greedy {
        Greedy { position: Position::new(size, rule), rng }
    }

    /// Sets the stones on the board, see [`super::Engine::set_position`].
    pub fn set_position(&mut self, stones: &[(Cell, Stone)]) {
        set_position(&mut self.position, stones);
    }

    /// Chooses a move.
    ///
    /// # Panics
    /// If the board is full.
    pub fn choose(&mut self, to_move: Stone) -> Cell {
        let moves = root_moves(&mut self.position, to_move, &Places::NONE);
        let promise = |at| {
            let urge = |stone| i32::from(self.position.worth(at, stone).urge);
            5 * urge(to_move) + 4 * urge(to_move.other())
        };
        let most = moves.iter().map(|&at| promise(at)).max();
        let best: Vec<_> = moves.iter().filter(|&&at| Some(promise(at)) == most).collect();
        let at = **self.rng.pick(&best).expect("there is always a move to consider");
        self.position.grid().cell(at).expect("moves are on the board")
    }
}
