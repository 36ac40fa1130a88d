//! A player that plays anywhere near the stones.

use game::Rng;

use super::position::Position;
use super::{legal, middle, set_position};
use crate::gomoku::board::{Cell, Rule, Size, Stone};

/// Plays a random allowed cell near other stones: the weakest opponent that still looks like
/// a game.
pub struct Wanderer {
    position: Position,
    rng: Rng,
}

impl Wanderer {
    /// A player for one board and rule.
    pub fn new(size: Size, rule: Rule, rng: Rng) -> Wanderer {
        Wanderer { position: Position::new(size, rule), rng }
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
        let position = &mut self.position;
        let grid = *position.grid();
        let all: Vec<_> = grid
            .size()
            .cells()
            .map(|cell| grid.at(cell))
            .filter(|&at| position.is_free(at))
            .collect();
        let near = *position.near();
        let mut moves = legal(position, to_move, near.iter());
        if position.len() == 0 {
            moves = vec![middle(position)];
        }
        if moves.is_empty() {
            moves = legal(position, to_move, all.iter().copied());
        }
        if moves.is_empty() {
            moves = all;
        }
        let at = *self.rng.pick(&moves).expect("a full board has no moves");
        grid.cell(at).expect("moves are on the board")
    }
}
