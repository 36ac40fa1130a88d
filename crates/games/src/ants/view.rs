//! What a program is told: its player's ants, foreign ants in sight, and the known map.

use std::ops::Range;

use game::{ActorId, Eye};
use serde::{Deserialize, Serialize};

use super::colony::{Ant, UNKNOWN};
use super::land::{Content, Direction, Point};
use super::state::Ants;

/// All that a message says, and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Turns played so far.
    pub turn: u32,
    /// Ants of each player.
    pub ants: u8,
    /// Players.
    pub players: u16,
    /// Whether the game has ended.
    pub over: bool,
    /// The ids that this program commands.
    pub ids: Range<u8>,
    /// The player's own ants, by id.
    pub own: Vec<Ant>,
    /// Living ants of others in sight, by place.
    pub foreign: Vec<Foreign>,
    /// What the player has ever seen.
    pub map: Known,
}

/// An ant of another player: there is no telling whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    /// Where it is.
    pub at: Point,
    /// Where it looks.
    pub facing: Direction,
}

/// The known map, no larger than what was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    width: u16,
    height: u16,
    points: usize,
    /// Row by row: the code and whether it is seen now, or [`UNKNOWN`].
    cells: Vec<u8>,
}

/// Marks a cell that is seen now.
const NOW: u8 = 0x10;

/// What is known of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// What lay there when it was last seen.
    pub content: Content,
    /// Whether that is now.
    pub now: bool,
}

impl Known {
    /// Nothing.
    pub(super) const NOTHING: Known = Known { width: 0, height: 0, points: 0, cells: Vec::new() };

    /// A map of these points.
    pub(super) fn of(points: &[(Point, Sight)]) -> Known {
        let width = points.iter().map(|(point, _)| point.x + 1).max().unwrap_or(0);
        let height = points.iter().map(|(point, _)| point.y + 1).max().unwrap_or(0);
        let cells = vec![UNKNOWN; usize::from(width) * usize::from(height)];
        let mut map = Known { width, height, points: points.len(), cells };
        for (point, sight) in points {
            let place = map.place(*point).expect("the map is large enough");
            map.cells[place] = sight.content.code() | if sight.now { NOW } else { 0 };
        }
        map
    }

    /// The largest known column plus one.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// The largest known row plus one.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// How many cells are known.
    pub fn points(&self) -> usize {
        self.points
    }

    fn place(&self, point: Point) -> Option<usize> {
        let inside = point.x < self.width && point.y < self.height;
        inside.then(|| usize::from(point.y) * usize::from(self.width) + usize::from(point.x))
    }

    /// What is known of a cell, if anything.
    pub fn at(&self, point: Point) -> Option<Sight> {
        sight(self.cells[self.place(point)?])
    }

    /// Each row of known cells, with their columns.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.chunks(usize::from(self.width).max(1))
    }

    /// Every known cell, row by row.
    pub fn known(&self) -> impl Iterator<Item = (Point, Sight)> + '_ {
        self.rows().enumerate().flat_map(|(y, row)| {
            let cells = row.iter().enumerate();
            cells.filter_map(move |(x, code)| Some((Point::new(x as u16, y as u16), sight(*code)?)))
        })
    }
}

/// What a cell of [`Known::rows`] says.
pub(super) fn sight(cell: u8) -> Option<Sight> {
    let content = Content::of_code(cell & !NOW)?;
    Some(Sight { content, now: cell & NOW != 0 })
}

impl Ants {
    pub(super) fn seen_from(&self, eye: Eye) -> View {
        match eye {
            Eye::Actor(actor) => self.seen_by(actor),
            Eye::All => self.seen_by_all(),
            Eye::Public => self.seen_by_nobody(),
        }
    }

    fn seen_by_nobody(&self) -> View {
        View {
            turn: self.turn,
            ants: self.colonies[0].ants.len() as u8,
            players: self.colonies.len() as u16,
            over: self.over(),
            ids: 0..0,
            own: Vec::new(),
            foreign: Vec::new(),
            map: Known::NOTHING,
        }
    }

    fn seen_by(&self, actor: ActorId) -> View {
        let Some((player, block)) = self.post(actor) else { return self.seen_by_nobody() };
        let colony = &self.colonies[player.index()];
        let knowledge = &colony.knowledge;
        let (width, height) = knowledge.extent();
        let mut cells = Vec::with_capacity(usize::from(width) * usize::from(height));
        (0..height).for_each(|y| cells.extend_from_slice(knowledge.row(y)));
        let mut map = Known { width, height, points: knowledge.known(), cells };
        for point in knowledge.visible() {
            let place = map.place(*point).expect("what is seen is known");
            map.cells[place] |= NOW;
        }
        let mut foreign: Vec<Foreign> = self
            .living()
            .filter(|(who, ant)| who.player != player && knowledge.sees(ant.at))
            .map(|(_, ant)| Foreign { at: ant.at, facing: ant.facing })
            .collect();
        foreign.sort_unstable_by_key(|ant| ant.at);
        let (ids, own) = (self.blocks[block].clone(), colony.ants.clone());
        View { ids, own, foreign, map, ..self.seen_by_nobody() }
    }

    fn seen_by_all(&self) -> View {
        let (width, height) = (self.land.width(), self.land.height());
        let cells = self.land.cells().iter().map(|cell| cell.code() | NOW).collect();
        let mut foreign: Vec<Foreign> =
            self.living().map(|(_, ant)| Foreign { at: ant.at, facing: ant.facing }).collect();
        foreign.sort_unstable_by_key(|ant| ant.at);
        let map = Known { width, height, points: self.land.area(), cells };
        View { foreign, map, ..self.seen_by_nobody() }
    }
}

const _: () = assert!(UNKNOWN & !NOW > 5, "an unknown cell is never taken for a known one");
