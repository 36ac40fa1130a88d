//! Shortest ways through a maze, counted in turns with the mud.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::pyrat::{Cell, Maze, Move};

/// The way to one target from everywhere.
pub(super) struct Field {
    /// Turns to the target, by cell; [`Field::NEVER`] if there is no way.
    pub(super) turns: Vec<u32>,
    /// The first move on the way, by cell.
    pub(super) first: Vec<Move>,
}

impl Field {
    pub(super) const NEVER: u32 = u32::MAX;

    /// Finds all ways to `target`.
    pub(super) fn new(maze: &Maze, target: Cell) -> Field {
        let mut turns = vec![Field::NEVER; maze.len()];
        let mut first = vec![Move::Stay; maze.len()];
        let mut queue = BinaryHeap::with_capacity(64);
        turns[target.index()] = 0;
        queue.push(Reverse((0, target)));
        while let Some(Reverse((so_far, cell))) = queue.pop() {
            if so_far > turns[cell.index()] {
                continue;
            }
            for (by, exit) in maze.exits(cell) {
                // A passage costs the same in both directions, so that going backwards from
                // the target finds the ways towards it.
                let turns_there = so_far + exit.cost();
                if turns_there < turns[exit.to.index()] {
                    turns[exit.to.index()] = turns_there;
                    first[exit.to.index()] = back(by);
                    queue.push(Reverse((turns_there, exit.to)));
                }
            }
        }
        Field { turns, first }
    }
}

/// The move that undoes a move.
fn back(by: Move) -> Move {
    match by {
        Move::Up => Move::Down,
        Move::Down => Move::Up,
        Move::Left => Move::Right,
        Move::Right => Move::Left,
        Move::Stay => Move::Stay,
    }
}

/// The ways from everywhere to many targets, in tables for quick look-ups.
pub(super) struct Routes {
    maze: Maze,
    targets: Vec<Cell>,
    /// How many of the targets have been worked out.
    ready: usize,
    /// Turns by cell and then by target, so that the nearest target is in one row.
    turns: Vec<u16>,
    /// First moves by target and then by cell, so that a way is in one row.
    first: Vec<Move>,
    /// The number of the target on a cell.
    number: Vec<u16>,
}

impl Routes {
    /// "No way" in [`Routes::turns`]; longer ways than this are none either.
    pub(super) const NEVER: u16 = u16::MAX;
    const NO_TARGET: u16 = u16::MAX;

    /// Tables for these targets, still to be worked out.
    pub(super) fn new(maze: &Maze, targets: Vec<Cell>) -> Routes {
        let entries = maze.len() * targets.len();
        let mut number = vec![Routes::NO_TARGET; maze.len()];
        for (at, target) in targets.iter().enumerate() {
            number[target.index()] = at as u16;
        }
        Routes {
            maze: maze.clone(),
            ready: 0,
            turns: vec![Routes::NEVER; entries],
            first: vec![Move::Stay; entries],
            number,
            targets,
        }
    }

    pub(super) fn maze(&self) -> &Maze {
        &self.maze
    }

    /// How many targets there are, worked out or not.
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Where a target is.
    pub(super) fn target(&self, number: usize) -> Cell {
        self.targets[number]
    }

    /// Whether a cell is a target, worked out or not.
    pub(super) fn is_target(&self, cell: Cell) -> bool {
        self.number[cell.index()] != Routes::NO_TARGET
    }

    /// How many targets have been worked out: they come first.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }

    /// Works out one more target; false if none is left.
    pub(super) fn grow(&mut self) -> bool {
        let Some(&target) = self.targets.get(self.ready) else { return false };
        let field = Field::new(&self.maze, target);
        let (cells, count) = (self.maze.len(), self.targets.len());
        self.first[self.ready * cells..][..cells].copy_from_slice(&field.first);
        for (cell, &turns) in field.turns.iter().enumerate() {
            self.turns[cell * count + self.ready] = u16::try_from(turns).unwrap_or(Routes::NEVER);
        }
        self.ready += 1;
        true
    }

    /// The number of the target on a cell, if it has been worked out.
    #[inline]
    pub(super) fn target_at(&self, cell: Cell) -> Option<usize> {
        let number = usize::from(self.number[cell.index()]);
        (number < self.ready).then_some(number)
    }

    /// Turns from a cell to every target.
    #[inline]
    pub(super) fn turns_from(&self, cell: Cell) -> &[u16] {
        let count = self.targets.len();
        &self.turns[cell.index() * count..][..count]
    }

    /// The first move from a cell to a target.
    #[inline]
    pub(super) fn first(&self, cell: Cell, target: usize) -> Move {
        self.first[target * self.maze.len() + cell.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pyrat::Point;

    #[test]
    fn a_way_around_mud_is_taken_when_it_is_shorter() {
        // 2x2: the direct passage costs 1+N turns, the way around costs 3.
        let maze = |turns| {
            let mud = [(Point::new(0, 0), Point::new(1, 0), turns)];
            Maze::new(2, 2, &[], &mud).expect("a fine maze")
        };
        for (turns, cost, first) in [(2, 3, Move::Right), (3, 3, Move::Up), (9, 3, Move::Up)] {
            let maze = maze(turns);
            let [from, to] = [Point::new(0, 0), Point::new(1, 0)];
            let [from, to] = [from, to].map(|at| maze.cell(at).expect("on the board"));
            let field = Field::new(&maze, to);
            assert_eq!(field.turns[from.index()], cost);
            // With mud 2 both ways take three turns.
            assert!(turns == 2 || field.first[from.index()] == first);
        }
    }

    #[test]
    fn there_is_no_way_through_walls() {
        let walls = [(Point::new(0, 0), Point::new(1, 0)), (Point::new(0, 1), Point::new(1, 1))];
        let maze = Maze::new(2, 2, &walls, &[]).expect("a fine maze");
        let [left, right] =
            [Point::new(0, 0), Point::new(1, 1)].map(|at| maze.cell(at).expect("on the board"));
        let mut routes = Routes::new(&maze, vec![right]);
        assert_eq!(routes.target_at(right), None);
        assert!(routes.grow() && !routes.grow());
        assert_eq!(routes.target_at(right), Some(0));
        assert_eq!(routes.turns_from(left), [Routes::NEVER]);
        assert_eq!(routes.first(left, 0), Move::Stay);
    }
}
