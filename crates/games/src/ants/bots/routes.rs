//! Ways over the known map, with the turns that turning round takes.

use crate::ants::colony::Ant;
use crate::ants::land::{Direction, Point};
use crate::ants::orders::Order;
use crate::ants::view::Known;

/// How many places and directions are looked at for one ant.
const MOST_STATES: usize = 40_000;

/// How a cell is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) to: Point,
    /// Turns until the ant is there.
    pub(super) turns: u32,
    /// How many of them are steps forward.
    pub(super) strides: u32,
    /// What the ant has to do now; [`Order::Rest`] if it is there.
    pub(super) first: Order,
}

/// A place and a direction on the way.
struct State {
    at: Point,
    facing: Direction,
    way: Way,
}

/// Every known cell that `ant` can get to, nearest first. Cells that are `taken` now are in the
/// way of the next two turns only: ants move on.
pub(super) fn ways(map: &Known, ant: &Ant, taken: impl Fn(Point) -> bool) -> Vec<Way> {
    let width = usize::from(map.width());
    let cell = |at: Point| usize::from(at.y) * width + usize::from(at.x);
    let mut visited = vec![0_u8; width * usize::from(map.height())];
    let mut found = Vec::new();
    let here = Way { to: ant.at, turns: 0, strides: 0, first: Order::Rest };
    let mut states = vec![State { at: ant.at, facing: ant.facing, way: here }];
    let mut next = 0;
    if map.at(ant.at).is_none() {
        return found;
    }
    visited[cell(ant.at)] = 1 << ant.facing as u8;
    found.push(here);
    while next < states.len() && states.len() < MOST_STATES {
        let State { at, facing, way } = states[next];
        next += 1;
        let ahead = at.next(facing).filter(|&to| {
            map.at(to).is_some_and(|sight| !sight.content.blocks()) && (way.turns > 1 || !taken(to))
        });
        let moves = [
            ahead.map(|to| (to, facing, Order::Forward)),
            Some((at, facing.left(), Order::Left)),
            Some((at, facing.right(), Order::Right)),
        ];
        for (to, facing, order) in moves.into_iter().flatten() {
            let seen = &mut visited[cell(to)];
            if *seen & 1 << facing as u8 != 0 {
                continue;
            }
            let way = Way {
                to,
                turns: way.turns + 1,
                strides: way.strides + u32::from(order == Order::Forward),
                first: if way.turns == 0 { order } else { way.first },
            };
            if *seen == 0 {
                found.push(way);
            }
            *seen |= 1 << facing as u8;
            states.push(State { at: to, facing, way });
        }
    }
    found
}

/// Where the map ends, as far as it has shown: an ant that sees nothing beyond a column stands
/// at the edge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edges {
    right: Option<u16>,
    bottom: Option<u16>,
}

impl Edges {
    /// Learns from what these ants see.
    pub(super) fn learn<'a>(&mut self, map: &Known, ants: impl Iterator<Item = &'a Ant>) {
        for ant in ants {
            let Point { x, y } = ant.at;
            if map.at(Point::new(x + 1, y)).is_none() {
                self.right = Some(x);
            }
            if map.at(Point::new(x, y + 1)).is_none() {
                self.bottom = Some(y);
            }
        }
    }

    /// Whether a cell may be on the map, for all that is known.
    fn holds(&self, point: Point) -> bool {
        self.right.is_none_or(|right| point.x <= right)
            && self.bottom.is_none_or(|bottom| point.y <= bottom)
    }

    /// How many cells that nobody has seen would be seen from here.
    pub(super) fn unseen(&self, map: &Known, from: Point) -> u32 {
        around(from).filter(|&cell| map.at(cell).is_none() && self.holds(cell)).count() as u32
    }
}

/// The cells that an ant in this cell sees, usually.
pub(super) fn around(from: Point) -> impl Iterator<Item = Point> {
    let columns = from.x.saturating_sub(1)..=from.x + 1;
    columns.flat_map(move |x| {
        let rows = from.y.saturating_sub(1)..=from.y + 1;
        rows.map(move |y| Point::new(x, y))
    })
}
