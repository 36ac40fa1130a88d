//! The world's cells and the eight ways from one to the next.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The size of a world. There is no way round its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// A cell: `x` grows to the east, `y` to the south.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// The column, from 0 in the west.
    pub x: u16,
    /// The row, from 0 in the north.
    pub y: u16,
}

impl Size {
    /// The number of cells.
    pub fn cells(self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    /// The place of a cell when rows are counted one after another.
    #[inline]
    pub fn index(self, cell: Cell) -> usize {
        usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x)
    }

    /// The cell at this place.
    pub fn cell(self, index: usize) -> Cell {
        let width = usize::from(self.width);
        Cell { x: (index % width) as u16, y: (index / width) as u16 }
    }

    /// The cell one step further; `None` outside the world.
    #[inline]
    pub fn neighbour(self, cell: Cell, way: Direction) -> Option<Cell> {
        let (dx, dy) = way.offset();
        let x = cell.x.checked_add_signed(dx).filter(|x| *x < self.width)?;
        let y = cell.y.checked_add_signed(dy).filter(|y| *y < self.height)?;
        Some(Cell { x, y })
    }
}

/// One of the eight neighbouring cells. North is `y - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Up and left.
    NorthWest,
    /// Up.
    North,
    /// Up and right.
    NorthEast,
    /// Left.
    West,
    /// Right.
    East,
    /// Down and left.
    SouthWest,
    /// Down.
    South,
    /// Down and right.
    SouthEast,
}

impl Direction {
    /// All of them, in the order of the protocol's messages.
    pub const ALL: [Direction; 8] = [
        Direction::NorthWest,
        Direction::North,
        Direction::NorthEast,
        Direction::West,
        Direction::East,
        Direction::SouthWest,
        Direction::South,
        Direction::SouthEast,
    ];

    /// Columns and rows to go.
    #[inline]
    pub fn offset(self) -> (i16, i16) {
        match self {
            Direction::NorthWest => (-1, -1),
            Direction::North => (0, -1),
            Direction::NorthEast => (1, -1),
            Direction::West => (-1, 0),
            Direction::East => (1, 0),
            Direction::SouthWest => (-1, 1),
            Direction::South => (0, 1),
            Direction::SouthEast => (1, 1),
        }
    }

    /// The word for it in messages.
    pub fn name(self) -> &'static str {
        match self {
            Direction::NorthWest => "north_west",
            Direction::North => "north",
            Direction::NorthEast => "north_east",
            Direction::West => "west",
            Direction::East => "east",
            Direction::SouthWest => "south_west",
            Direction::South => "south",
            Direction::SouthEast => "south_east",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Direction {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Direction, &'static str> {
        Direction::ALL.into_iter().find(|way| way.name() == word).ok_or(
            "the directions are north, south, east, west, north_east, north_west, south_east and \
             south_west",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_the_world_has_edges() {
        let size = Size { width: 3, height: 2 };
        let corner = Cell { x: 0, y: 0 };
        let inside: Vec<&str> = Direction::ALL
            .into_iter()
            .filter(|way| size.neighbour(corner, *way).is_some())
            .map(Direction::name)
            .collect();
        assert_eq!(inside, ["east", "south", "south_east"]);
        let below = size.neighbour(corner, Direction::South);
        assert_eq!(below, Some(Cell { x: 0, y: 1 }));
        assert_eq!(size.neighbour(Cell { x: 2, y: 1 }, Direction::NorthEast), None);
    }

    #[test]
    fn cells_are_counted_row_by_row() {
        let size = Size { width: 3, height: 2 };
        for index in 0..size.cells() {
            assert_eq!(size.index(size.cell(index)), index);
        }
        assert_eq!(size.cell(4), Cell { x: 1, y: 1 });
    }
}
