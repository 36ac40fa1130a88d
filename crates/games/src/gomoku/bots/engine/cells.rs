//! Cells as the engine numbers them: rows with a margin, so that lines can be walked blindly.

use super::pattern::REACH;
use crate::gomoku::board::{Cell, Size};

/// A place in the engine's numbering; margins have numbers too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At(pub(super) u16);

impl At {
    /// As an index.
    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The place `by` numbers further on.
    #[inline]
    pub(super) fn shifted(self, by: isize) -> At {
        At(self.0.wrapping_add_signed(by as i16))
    }
}

/// How cells are numbered on a board of some size.
///
/// Rows are separated by [`REACH`] marginal cells: the margin right of one row is the margin
/// left of the next. Rows above and below are marginal too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    size: Size,
    row: isize,
}

/// The most numbers a grid can have: 32 × 32 cells and the margins.
const MOST: usize = (32 + REACH) * (32 + 2 * REACH) + REACH;

impl Grid {
    pub(super) fn new(size: Size) -> Grid {
        Grid { size, row: isize::from(size.width) + REACH as isize }
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// How many numbers there are, margins included.
    pub(super) fn len(&self) -> usize {
        self.row as usize * (usize::from(self.size.height) + 2 * REACH) + REACH
    }

    /// The distance between neighbours in the four directions of
    /// [`crate::gomoku::board::DIRECTIONS`].
    pub(super) fn steps(&self) -> [isize; 4] {
        [1, self.row, self.row + 1, 1 - self.row]
    }

    pub(super) fn at(&self, cell: Cell) -> At {
        let row = usize::from(cell.y) + REACH;
        At((row * self.row as usize + usize::from(cell.x) + REACH) as u16)
    }

    /// The cell with this number. Margins have none.
    pub(super) fn cell(&self, at: At) -> Option<Cell> {
        let from_first = i64::from(at.0) - REACH as i64;
        let row = self.row as i64;
        self.size.cell(from_first.rem_euclid(row), from_first.div_euclid(row) - REACH as i64)
    }
}

const WORDS: usize = MOST.div_ceil(64);

/// A set of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places([u64; WORDS]);

impl Places {
    pub(super) const NONE: Places = Places([0; WORDS]);

    #[inline]
    pub(super) fn insert(&mut self, at: At) {
        self.0[at.index() / 64] |= 1 << (at.0 % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, at: At) {
        self.0[at.index() / 64] &= !(1 << (at.0 % 64));
    }

    #[inline]
    pub(super) fn contains(&self, at: At) -> bool {
        self.0[at.index() / 64] >> (at.0 % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn and(&self, other: &Places) -> Places {
        Places(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    #[inline]
    pub(super) fn or(&self, other: &Places) -> Places {
        Places(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = At> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |&left| {
                let rest = left & (left - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |left| At((index * 64) as u16 + left.trailing_zeros() as u16))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_its_own_number_and_margins_none() {
        for (width, height) in [(5, 5), (7, 20), (32, 32), (32, 5)] {
            let grid = Grid::new(Size { width, height });
            let numbers: Vec<At> = grid.size().cells().map(|cell| grid.at(cell)).collect();
            assert!(numbers.is_sorted());
            for (cell, &at) in grid.size().cells().zip(&numbers) {
                assert_eq!(grid.cell(at), Some(cell));
            }
            let named = (0..grid.len()).filter(|&n| grid.cell(At(n as u16)).is_some()).count();
            assert_eq!(named, grid.size().area());
        }
    }
}
