//! Stones on a board.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A colour. Black moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stone {
    /// The first to move.
    Black,
    /// The second to move.
    White,
}

impl Stone {
    /// The opponent's colour.
    pub fn other(self) -> Stone {
        match self {
            Stone::Black => Stone::White,
            Stone::White => Stone::Black,
        }
    }
}

/// The rule that decides what wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Five or more in a row win.
    #[default]
    Freestyle,
    /// Exactly five win.
    Standard,
    /// Black wins with exactly five and loses by a forbidden move; White wins with five or more.
    Renju,
    /// Five or more win unless an opposing stone stands at both ends.
    Caro,
    /// Exactly five win unless an opposing stone stands at both ends.
    CaroExact,
}

impl Rule {
    /// Every rule, in the order of the documentation.
    pub const ALL: [Rule; 5] =
        [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro, Rule::CaroExact];

    /// The name used in set-ups.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
            Rule::CaroExact => "caro-exact",
        }
    }
}

/// Width and height of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Number of columns.
    pub width: u8,
    /// Number of rows.
    pub height: u8,
}

impl Size {
    /// The smallest side a board may have.
    pub const LEAST: u8 = 5;
    /// The largest side a board may have.
    pub const MOST: u8 = 32;

    /// The cell at these coordinates, however large they are, if it is on the board.
    pub fn cell(self, x: i64, y: i64) -> Option<Cell> {
        let inside = |v: i64, side: u8| (0..i64::from(side)).contains(&v);
        (inside(x, self.width) && inside(y, self.height)).then_some(Cell { x: x as u8, y: y as u8 })
    }

    /// All cells, row by row.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Cell { x, y }))
    }

    /// The number of cells.
    pub fn area(self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.width, self.height)
    }
}

/// A place on the board, counted from zero at the top left. Made by [`Size::cell`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u8, u8)", into = "(u8, u8)")]
pub struct Cell {
    /// Column.
    pub x: u8,
    /// Row.
    pub y: u8,
}

impl From<(u8, u8)> for Cell {
    fn from((x, y): (u8, u8)) -> Cell {
        Cell { x, y }
    }
}

impl From<Cell> for (u8, u8) {
    fn from(cell: Cell) -> (u8, u8) {
        (cell.x, cell.y)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// The stones on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    size: Size,
    cells: Vec<Option<Stone>>,
}

impl Board {
    /// A board without stones.
    pub fn empty(size: Size) -> Board {
        Board { size, cells: vec![None; size.area()] }
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The stone on a cell.
    pub fn at(&self, cell: Cell) -> Option<Stone> {
        self.cells[self.index(cell)]
    }

    /// What stands `steps` cells from `cell` in a direction; off the board is [`Site::Edge`].
    pub fn site(&self, cell: Cell, (dx, dy): (i8, i8), steps: i8) -> Site {
        let x = i64::from(cell.x) + i64::from(dx) * i64::from(steps);
        let y = i64::from(cell.y) + i64::from(dy) * i64::from(steps);
        match self.size.cell(x, y).map(|cell| self.at(cell)) {
            None => Site::Edge,
            Some(None) => Site::Empty,
            Some(Some(stone)) => Site::Stone(stone),
        }
    }

    /// What stands on the cells that follow `cell` in a direction, up to the edge.
    #[inline]
    pub fn along(&self, cell: Cell, (dx, dy): (i8, i8)) -> impl Iterator<Item = Option<Stone>> {
        let room = |at: u8, side: u8, step: i8| match step {
            0 => u8::MAX,
            1.. => side - 1 - at,
            ..0 => at,
        };
        let steps = room(cell.x, self.size.width, dx).min(room(cell.y, self.size.height, dy));
        let stride = isize::from(dy) * isize::from(self.size.width) + isize::from(dx);
        let mut index = self.index(cell);
        (0..steps).map(move |_| {
            index = index.wrapping_add_signed(stride);
            self.cells[index]
        })
    }

    /// Puts a stone on a cell, or takes it away.
    pub fn set(&mut self, cell: Cell, stone: Option<Stone>) {
        let index = self.index(cell);
        self.cells[index] = stone;
    }

    /// All cells without a stone, row by row.
    pub fn free(&self) -> impl Iterator<Item = Cell> {
        self.size.cells().filter(|&cell| self.at(cell).is_none())
    }

    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.y) * usize::from(self.size.width) + usize::from(cell.x)
    }
}

/// What can be met when looking along a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// Beyond the board.
    Edge,
    /// A cell without a stone.
    Empty,
    /// A cell with a stone.
    Stone(Stone),
}

/// The four directions of a line: along a row, a column, and both diagonals.
pub const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];
