//! Renju's forbidden moves: what Black may not play, with threes checked to the end.
//!
//! The terms, all about Black's stones in one line:
//! - *five*: exactly five in a row; six or more are an *overline*;
//! - *four*: four stones that one more stone turns into a five;
//! - *straight four*: four in a row that a stone at either end turns into a five;
//! - *three*: three stones that one more stone turns into a straight four, where that stone may
//!   be played: it makes no five anywhere and is not itself forbidden.
//!
//! A move is forbidden if it makes an overline, two fours or two threes, unless it makes a five.

use std::fmt;

use super::board::{Board, Cell, DIRECTIONS, Site, Stone};

/// Why Black may not play on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Forbidden {
    /// Six or more in a row.
    Overline,
    /// Two fours at once, possibly in one line.
    DoubleFour,
    /// Two threes at once.
    DoubleThree,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Forbidden::Overline => "more than five in a row",
            Forbidden::DoubleFour => "two fours at once",
            Forbidden::DoubleThree => "two threes at once",
        })
    }
}

/// Why Black may not play on the empty `cell`; `None` if it is legal.
///
/// A move that makes exactly five wins and is never forbidden. Where several reasons hold, the
/// one that stands first in [`Forbidden`] is given.
pub fn forbidden(board: &Board, cell: Cell) -> Option<Forbidden> {
    match glance(board, cell) {
        Glance::Five | Glance::Quiet => None,
        Glance::Forbidden(reason) => Some(reason),
        // Only now stones have to be put down and taken back; nearly no cell gets here.
        Glance::Threes(threes) => double_three(&mut board.clone(), cell, threes),
    }
}

/// All cells on which Black may not play, row by row.
pub fn forbidden_cells(board: &Board) -> Vec<Cell> {
    board.free().filter(|&cell| forbidden(board, cell).is_some()).collect()
}

/// What Black's stone on a cell makes, before threes are followed up.
enum Glance {
    /// Exactly five in a row in some direction.
    Five,
    /// An overline or two fours, and no five.
    Forbidden(Forbidden),
    /// None of these, but in at least two directions something that looks like a three: the
    /// places, in steps from the cell, where a stone would make its straight four.
    Threes([Steps; 4]),
    /// None of these.
    Quiet,
}

/// At most two places on one line, in steps from the cell in question.
type Steps = [Option<i8>; 2];

fn glance(board: &Board, cell: Cell) -> Glance {
    let lines = DIRECTIONS.map(|direction| Line::through(board, cell, direction));
    // The least that matters, a five or two threes, takes four more stones.
    if lines.iter().map(|line| line.black.count_ones() - 1).sum::<u32>() < 4 {
        return Glance::Quiet;
    }
    if lines.iter().any(|line| line.row() == 5) {
        return Glance::Five;
    }
    if lines.iter().any(|line| line.row() > 5) {
        return Glance::Forbidden(Forbidden::Overline);
    }
    if lines.iter().map(|line| line.fours()).sum::<usize>() >= 2 {
        return Glance::Forbidden(Forbidden::DoubleFour);
    }
    let threes = lines.map(|line| line.straightening());
    if threes.iter().filter(|steps| **steps != [None; 2]).count() >= 2 {
        return Glance::Threes(threes);
    }
    Glance::Quiet
}

/// Whether two of the lines that look like threes are threes. Leaves the board as it was.
fn double_three(board: &mut Board, cell: Cell, lines: [Steps; 4]) -> Option<Forbidden> {
    board.set(cell, Some(Stone::Black));
    let mut hopes = lines.iter().filter(|steps| **steps != [None; 2]).count();
    let mut threes = 0;
    for (direction, steps) in DIRECTIONS.into_iter().zip(lines) {
        if threes == 2 || threes + hopes < 2 {
            break;
        }
        if steps != [None; 2] {
            hopes -= 1;
            let mut ways = steps.into_iter().flatten();
            threes += usize::from(ways.any(|step| playable(board, walk(cell, direction, step))));
        }
    }
    board.set(cell, None);
    (threes == 2).then_some(Forbidden::DoubleThree)
}

/// Whether a stone that makes a straight four may be played: it makes no five in another line,
/// which would end the game before the straight four counts, and is not forbidden.
fn playable(board: &mut Board, cell: Cell) -> bool {
    match glance(board, cell) {
        Glance::Five | Glance::Forbidden(_) => false,
        Glance::Threes(threes) => double_three(board, cell, threes).is_none(),
        Glance::Quiet => true,
    }
}

/// The cell some steps away. The steps come from a [`Line`], so it is on the board.
fn walk(cell: Cell, (dx, dy): (i8, i8), steps: i8) -> Cell {
    Cell { x: cell.x.wrapping_add_signed(dx * steps), y: cell.y.wrapping_add_signed(dy * steps) }
}

/// One line through a cell on which Black is thought to have played, as far as it matters.
///
/// Bit `REACH + n` stands for the cell `n` steps away. Whatever can be made with the stone in
/// the middle lies at most four steps away, and the fifth tells whether it would be an overline.
#[derive(Clone, Copy)]
struct Line {
    black: u16,
    empty: u16,
}

/// How far to look, and so the bit of the cell in the middle.
const REACH: i8 = 5;

impl Line {
    /// Looks both ways, up to a white stone or the edge.
    fn through(board: &Board, cell: Cell, direction: (i8, i8)) -> Line {
        let mut line = Line { black: 1 << REACH, empty: 0 };
        for sense in [1, -1] {
            for steps in 1..=REACH {
                let bit = 1 << (REACH + sense * steps);
                match board.site(cell, direction, sense * steps) {
                    Site::Stone(Stone::Black) => line.black |= bit,
                    Site::Empty => line.empty |= bit,
                    Site::Stone(Stone::White) | Site::Edge => break,
                }
            }
        }
        line
    }

    /// How many black stones stand in a row with the middle on its lower and upper side.
    fn sides(self) -> (u32, u32) {
        let below = (self.black << (u16::BITS - REACH as u32)).leading_ones();
        let above = (self.black >> (REACH + 1)).trailing_ones();
        (below, above)
    }

    /// The length of the row of black stones in the middle; anything above five is an overline.
    fn row(self) -> u32 {
        let (below, above) = self.sides();
        below + 1 + above
    }

    /// The number of fours the stone in the middle is part of: different sets of four stones
    /// among five cells in a row, the fifth empty, without a black stone next to them.
    fn fours(self) -> usize {
        let mut fours = 0;
        let mut last = 0;
        for first in 1..=REACH {
            let five = 0b1_1111 << first;
            let beyond = 0b100_0001 << (first - 1);
            let stones = self.black & five;
            if stones.count_ones() == 4
                && (self.empty & five) != 0
                && (self.black & beyond) == 0
                // A straight four is met twice, with the same stones.
                && stones != last
            {
                fours += 1;
                last = stones;
            }
        }
        fours
    }

    /// Where one more stone would make a straight four that includes the middle.
    fn straightening(self) -> Steps {
        let (below, above) = self.sides();
        // A row of four in the making contains the middle and grows from its row, so the new
        // stone comes next to that row, at its lower or its upper end.
        [REACH - below as i8 - 1, REACH + above as i8 + 1].map(|bit| {
            let more = 1 << bit;
            let grown = Line { black: self.black | more, empty: self.empty & !more };
            (self.empty & more != 0 && grown.is_straight_four()).then_some(bit - REACH)
        })
    }

    /// Whether the row in the middle is four stones that either end turns into a five.
    fn is_straight_four(self) -> bool {
        let (below, above) = self.sides();
        if below + 1 + above != 4 {
            return false;
        }
        let first = REACH as u32 - below;
        let ends = 0b10_0001 << (first - 1);
        let beyond = 0b1000_0001 << (first - 2);
        self.empty & ends == ends && self.black & beyond == 0
    }
}

#[cfg(test)]
mod tests;
