//! One player's ants and all they have ever seen.

use game::Forfeit;
use serde::{Deserialize, Serialize};

use super::land::{Content, Direction, Land, Point};

/// One ant. A dead one keeps its last place, without energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ant {
    /// Where it is.
    pub at: Point,
    /// Where it looks.
    pub facing: Direction,
    /// What it lives on; 0 is dead.
    pub energy: u32,
    /// What it fights with.
    pub acid: u32,
}

impl Ant {
    /// Whether it is alive.
    pub fn alive(&self) -> bool {
        self.energy > 0
    }
}

/// A player's ants, what they have eaten and what they know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Colony {
    /// The ants, by id.
    pub ants: Vec<Ant>,
    /// The value of all food they have eaten.
    pub eaten: u32,
    /// The turn in which the last of them died.
    pub extinct: Option<u32>,
    /// Why each program has left, by block.
    pub gone: Vec<Option<Forfeit>>,
    pub(super) knowledge: Knowledge,
}

impl Colony {
    /// The living ants.
    pub fn living(&self) -> impl Iterator<Item = &Ant> {
        self.ants.iter().filter(|ant| ant.alive())
    }

    /// "Score = energy of the living ants + food eaten value."
    pub fn score(&self) -> u32 {
        self.living().map(|ant| ant.energy).sum::<u32>() + self.eaten
    }
}

/// Everything that a player has ever seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Memory", into = "Memory")]
pub(super) struct Knowledge {
    width: u16,
    /// By cell of the land: a code as last seen, or [`UNKNOWN`].
    cells: Vec<u8>,
    known: usize,
    /// The largest column and row of a known cell, plus one.
    extent: (u16, u16),
    /// The cells that are seen now, in order.
    visible: Vec<Point>,
}

/// The code of a cell that nobody has seen.
pub(super) const UNKNOWN: u8 = 0xff;

impl Knowledge {
    pub(super) fn new(land: &Land) -> Knowledge {
        Knowledge {
            width: land.width(),
            cells: vec![UNKNOWN; land.area()],
            known: 0,
            extent: (0, 0),
            visible: Vec::new(),
        }
    }

    /// Looks around from every one of these places.
    pub(super) fn look(&mut self, land: &Land, from: impl Iterator<Item = Point>, sight: u16) {
        self.visible.clear();
        for at in from {
            let rows = at.y.saturating_sub(sight)..=(at.y + sight).min(land.height() - 1);
            for y in rows {
                let columns = at.x.saturating_sub(sight)..=(at.x + sight).min(land.width() - 1);
                self.visible.extend(columns.map(|x| Point { x, y }));
            }
        }
        self.visible.sort_unstable();
        self.visible.dedup();
        for &point in &self.visible {
            let cell = &mut self.cells[land.index(point)];
            if *cell == UNKNOWN {
                self.known += 1;
                let (width, height) = self.extent;
                self.extent = (width.max(point.x + 1), height.max(point.y + 1));
            }
            *cell = land.at(point).code();
        }
    }

    /// Whether a cell is seen now.
    pub(super) fn sees(&self, point: Point) -> bool {
        self.visible.binary_search(&point).is_ok()
    }

    /// The number of known cells.
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// The largest known column and row, plus one.
    pub(super) fn extent(&self) -> (u16, u16) {
        self.extent
    }

    /// The cells seen now, in order.
    pub(super) fn visible(&self) -> &[Point] {
        &self.visible
    }

    /// Codes by cell of the land.
    pub(super) fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The known part of a row, with all it has beyond the largest known column cut off.
    pub(super) fn row(&self, y: u16) -> &[u8] {
        let from = usize::from(y) * usize::from(self.width);
        &self.cells[from..from + usize::from(self.extent.0)]
    }
}

/// [`Knowledge`] as it is stored: a letter a cell, a blank for what is unknown.
#[derive(Serialize, Deserialize)]
struct Memory {
    width: u16,
    cells: String,
    visible: Vec<Point>,
}

impl From<Knowledge> for Memory {
    fn from(knowledge: Knowledge) -> Memory {
        let letter = |code: &u8| Content::of_code(*code).map_or(' ', Content::letter);
        Memory {
            width: knowledge.width,
            cells: knowledge.cells.iter().map(letter).collect(),
            visible: knowledge.visible,
        }
    }
}

impl TryFrom<Memory> for Knowledge {
    type Error = String;

    fn try_from(memory: Memory) -> Result<Knowledge, String> {
        let code = |letter: char| match letter {
            ' ' => Ok(UNKNOWN),
            letter => Content::of_letter(letter)
                .map(Content::code)
                .ok_or_else(|| format!("{letter:?} is not a kind of ground")),
        };
        let cells: Vec<u8> = memory.cells.chars().map(code).collect::<Result<_, _>>()?;
        let width = usize::from(memory.width).max(1);
        let mut knowledge = Knowledge {
            width: memory.width,
            known: 0,
            extent: (0, 0),
            visible: memory.visible,
            cells: Vec::new(),
        };
        for (index, _) in cells.iter().enumerate().filter(|(_, code)| **code != UNKNOWN) {
            knowledge.known += 1;
            let (x, y) = ((index % width) as u16, (index / width) as u16);
            let (wide, high) = knowledge.extent;
            knowledge.extent = (wide.max(x + 1), high.max(y + 1));
        }
        knowledge.cells = cells;
        Ok(knowledge)
    }
}
