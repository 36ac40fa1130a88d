//! The swap2 opening: one side lays three stones, the other picks its side.

use std::time::Duration;

use game::{Budget, Rng};

use super::Engine;
use crate::gomoku::board::{Cell, Stone};

/// An answer to a swap2 position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swap2 {
    /// Take Black, so that the opponent moves next as White.
    Swap,
    /// Take White and play this cell.
    Play(Cell),
    /// Lay White's and Black's next stone, in this order, and let the opponent pick its side.
    PutTwo([Cell; 2]),
}

/// Nodes spent on judging one possible opening.
const NODES_PER_OPENING: u64 = 1500;
/// Openings that are judged, time permitting.
const OPENINGS: usize = 12;
/// Scores nearer to zero than this favour neither side.
const LEVEL: i32 = 12;

/// Three stones (Black, White, Black) after which neither side should be preferred.
pub fn swap2_opening(engine: &mut Engine, rng: &mut Rng, budget: &dyn Budget) -> [Cell; 3] {
    most_level(engine, &[], 3, rng, budget).try_into().expect("three cells were asked for")
}

/// Answers a position of three stones, or of five: then [`Swap2::PutTwo`] is no choice.
/// White is to move in both.
pub fn swap2_choice(
    engine: &mut Engine,
    stones: &[(Cell, Stone)],
    rng: &mut Rng,
    budget: &dyn Budget,
) -> Swap2 {
    engine.set_position(stones);
    let thought = engine.think(Stone::White, &Share::new(budget, 2));
    if thought.score < -LEVEL {
        return Swap2::Swap;
    }
    if thought.score > LEVEL || stones.len() != 3 {
        return Swap2::Play(thought.cell);
    }
    // Neither side is better, so nothing is lost by leaving the choice to the opponent,
    // who then has to judge a more complicated position.
    let two = most_level(engine, stones, 2, rng, budget);
    Swap2::PutTwo(two.try_into().expect("two cells were asked for"))
}

/// A budget of which a part is set aside for later.
struct Share<'a> {
    budget: &'a dyn Budget,
    set_aside: Duration,
}

impl<'a> Share<'a> {
    /// One part of what is left, of so many equal ones.
    fn new(budget: &'a dyn Budget, parts: u32) -> Share<'a> {
        let left = budget.left().unwrap_or_default();
        Share { budget, set_aside: left - left / parts }
    }
}

impl Budget for Share<'_> {
    fn left(&self) -> Option<Duration> {
        self.budget.left().map(|left| left.saturating_sub(self.set_aside))
    }

    fn bank(&self) -> Option<Duration> {
        self.budget.bank()
    }

    fn stopped(&self) -> bool {
        self.budget.stopped()
    }
}

/// Further stones, colours in turn, that leave White to move in the most level position.
fn most_level(
    engine: &mut Engine,
    before: &[(Cell, Stone)],
    more: usize,
    rng: &mut Rng,
    budget: &dyn Budget,
) -> Vec<Cell> {
    let limit = engine.nodes;
    engine.nodes = Some(limit.unwrap_or(u64::MAX).min(NODES_PER_OPENING));
    let start = budget.left();
    let mut best: Option<(i32, Vec<Cell>)> = None;
    for _ in 0..OPENINGS {
        let mut stones = before.to_vec();
        let cells = scattered(engine, &mut stones, more, rng);
        engine.set_position(&stones);
        let thought = engine.think(Stone::White, &Share::new(budget, 4));
        if best.as_ref().is_none_or(|(imbalance, _)| thought.score.abs() < *imbalance) {
            best = Some((thought.score.abs(), cells));
        }
        let half_gone = budget.left().zip(start).is_some_and(|(left, start)| left < start / 2);
        if half_gone || budget.stopped() {
            break;
        }
    }
    engine.nodes = limit;
    best.expect("at least one opening is judged").1
}

/// Adds random stones near the middle, and names their cells.
fn scattered(
    engine: &Engine,
    stones: &mut Vec<(Cell, Stone)>,
    more: usize,
    rng: &mut Rng,
) -> Vec<Cell> {
    let size = engine.position.grid().size();
    let mut cells = Vec::new();
    while cells.len() < more {
        let mut coordinate = |side: u8| {
            let room = i64::from(side.min(9));
            i64::from(side / 2) - room / 2 + i64::from(rng.below(room as u32))
        };
        let (x, y) = (coordinate(size.width), coordinate(size.height));
        let Some(cell) = size.cell(x, y).filter(|&cell| stones.iter().all(|s| s.0 != cell)) else {
            continue;
        };
        let stone = if stones.len().is_multiple_of(2) { Stone::Black } else { Stone::White };
        stones.push((cell, stone));
        cells.push(cell);
    }
    cells
}
