//! The ground: points, directions, what lies in a cell, and the map as rows of letters.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A cell of the map. Points are ordered by row, then by column; y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u16, u16)", into = "(u16, u16)")]
pub struct Point {
    /// The row, 0 at the top.
    pub y: u16,
    /// The column, 0 at the left.
    pub x: u16,
}

impl Point {
    /// The point in this column and row.
    pub const fn new(x: u16, y: u16) -> Point {
        Point { y, x }
    }

    /// The next cell in a direction, as far as there are columns and rows at all.
    pub fn next(self, facing: Direction) -> Option<Point> {
        let (dx, dy) = facing.vector();
        let x = self.x.checked_add_signed(dx.into())?;
        Some(Point { x, y: self.y.checked_add_signed(dy.into())? })
    }
}

impl From<(u16, u16)> for Point {
    fn from((x, y): (u16, u16)) -> Point {
        Point { x, y }
    }
}

impl From<Point> for (u16, u16) {
    fn from(point: Point) -> (u16, u16) {
        (point.x, point.y)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x, self.y)
    }
}

/// Where an ant looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// (1,0)
    East,
    /// (0,1)
    South,
    /// (-1,0)
    West,
    /// (0,-1)
    North,
}

impl Direction {
    /// Every direction, each to the right of the one before.
    pub const ALL: [Direction; 4] =
        [Direction::East, Direction::South, Direction::West, Direction::North];

    /// `DX` and `DY`.
    pub const fn vector(self) -> (i8, i8) {
        match self {
            Direction::East => (1, 0),
            Direction::South => (0, 1),
            Direction::West => (-1, 0),
            Direction::North => (0, -1),
        }
    }

    /// "`right` turns (1,0) to (0,1)."
    pub const fn right(self) -> Direction {
        match self {
            Direction::East => Direction::South,
            Direction::South => Direction::West,
            Direction::West => Direction::North,
            Direction::North => Direction::East,
        }
    }

    /// "`left` turns (1,0) to (0,−1)."
    pub const fn left(self) -> Direction {
        self.right().right().right()
    }
}

/// What lies in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// Nothing.
    Grass,
    /// Blocks.
    Rock,
    /// Blocks.
    Water,
    /// Food that is replaced elsewhere when it is eaten.
    Food(Food),
    /// What is left of an ant: meat that is not replaced. Nobody can tell it from other meat.
    Corpse,
}

/// A kind of food.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Food {
    /// The least.
    Sugar,
    /// Twice as much, usually.
    Mill,
    /// The most.
    Meat,
}

impl Food {
    /// Every kind.
    pub const ALL: [Food; 3] = [Food::Sugar, Food::Mill, Food::Meat];
}

impl Content {
    /// The number that stands for it in messages.
    pub const fn code(self) -> u8 {
        match self {
            Content::Grass => 0,
            Content::Food(Food::Sugar) => 1,
            Content::Rock => 2,
            Content::Food(Food::Mill) => 3,
            Content::Water => 4,
            Content::Food(Food::Meat) | Content::Corpse => 5,
        }
    }

    /// What a code stands for.
    pub const fn of_code(code: u8) -> Option<Content> {
        Some(match code {
            0 => Content::Grass,
            1 => Content::Food(Food::Sugar),
            2 => Content::Rock,
            3 => Content::Food(Food::Mill),
            4 => Content::Water,
            5 => Content::Food(Food::Meat),
            _ => return None,
        })
    }

    /// Whether no ant can enter it.
    pub const fn blocks(self) -> bool {
        matches!(self, Content::Rock | Content::Water)
    }

    /// What eating here feeds, if anything.
    pub const fn food(self) -> Option<Food> {
        match self {
            Content::Food(food) => Some(food),
            Content::Corpse => Some(Food::Meat),
            Content::Grass | Content::Rock | Content::Water => None,
        }
    }

    /// The letter in drawn maps.
    pub const fn letter(self) -> char {
        match self {
            Content::Grass => '.',
            Content::Food(Food::Sugar) => '1',
            Content::Rock => '#',
            Content::Food(Food::Mill) => '3',
            Content::Water => '~',
            Content::Food(Food::Meat) => '5',
            Content::Corpse => '%',
        }
    }

    /// What a letter stands for: those of [`Content::letter`] and the numbers of messages.
    pub const fn of_letter(letter: char) -> Option<Content> {
        Some(match letter {
            '.' | '0' => Content::Grass,
            '1' => Content::Food(Food::Sugar),
            '#' | '2' => Content::Rock,
            '3' => Content::Food(Food::Mill),
            '~' | '4' => Content::Water,
            '5' => Content::Food(Food::Meat),
            '%' => Content::Corpse,
            _ => return None,
        })
    }
}

/// The whole ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Land {
    width: u16,
    height: u16,
    cells: Vec<Content>,
}

impl Land {
    /// Nothing but grass.
    pub fn grass(width: u16, height: u16) -> Land {
        let cells = vec![Content::Grass; usize::from(width) * usize::from(height)];
        Land { width, height, cells }
    }

    /// Columns.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// The number of cells.
    pub fn area(&self) -> usize {
        self.cells.len()
    }

    /// Whether a point is on the map.
    pub fn holds(&self, point: Point) -> bool {
        point.x < self.width && point.y < self.height
    }

    /// A point's place in lists by cell.
    pub(super) fn index(&self, point: Point) -> usize {
        usize::from(point.y) * usize::from(self.width) + usize::from(point.x)
    }

    /// The point at a place in lists by cell.
    pub(super) fn point(&self, index: usize) -> Point {
        let width = usize::from(self.width);
        Point { x: (index % width) as u16, y: (index / width) as u16 }
    }

    /// What lies in a cell of the map.
    pub fn at(&self, point: Point) -> Content {
        self.cells[self.index(point)]
    }

    /// Changes a cell of the map.
    pub(super) fn set(&mut self, point: Point, content: Content) {
        let index = self.index(point);
        self.cells[index] = content;
    }

    /// The cell ahead, if it is on the map and an ant could enter it.
    pub fn open_ahead(&self, point: Point, facing: Direction) -> Option<Point> {
        let next = point.next(facing)?;
        (self.holds(next) && !self.at(next).blocks()).then_some(next)
    }

    /// Every cell, row by row.
    pub fn cells(&self) -> &[Content] {
        &self.cells
    }

    /// Every point, row by row.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| Point { x, y }))
    }

    /// The rows as letters.
    pub fn rows(&self) -> impl Iterator<Item = String> + '_ {
        let width = usize::from(self.width).max(1);
        self.cells.chunks(width).map(|row| row.iter().map(|cell| cell.letter()).collect())
    }

    /// How many cells hold food that is replaced when eaten.
    pub fn food(&self) -> usize {
        self.cells.iter().filter(|cell| matches!(cell, Content::Food(_))).count()
    }
}

impl From<Land> for String {
    fn from(land: Land) -> String {
        land.rows().collect::<Vec<String>>().join("\n")
    }
}

impl TryFrom<String> for Land {
    type Error = String;

    fn try_from(text: String) -> Result<Land, String> {
        let mut land = Land { width: 0, height: 0, cells: Vec::new() };
        for row in text.lines() {
            let before = land.cells.len();
            for letter in row.chars() {
                let content = Content::of_letter(letter);
                land.cells
                    .push(content.ok_or_else(|| format!("{letter:?} is not a kind of ground"))?);
            }
            let width = u16::try_from(land.cells.len() - before).unwrap_or(u16::MAX);
            if land.height > 0 && width != land.width {
                return Err("the rows are not equally long".to_owned());
            }
            land.width = width;
            land.height = land.height.checked_add(1).ok_or("there are too many rows")?;
        }
        Ok(land)
    }
}
