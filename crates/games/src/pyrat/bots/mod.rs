//! The simple built-in bots, and all built-in bots by name.

pub(super) mod routes;
pub(super) mod tourer;

use game::{Bot, Budget, Rng};
use table::BotCard;

use self::routes::Field;
use crate::pyrat::{Cell, Maze, Move, Pyrat, Tourer, View};

/// The built-in bots, the weakest first.
pub(super) const BOTS: &[BotCard] = &[
    BotCard { name: "random", about: "walks at random, but never into walls" },
    BotCard { name: "greedy", about: "goes for the nearest cheese, mud counted" },
    BotCard { name: "tourer", about: "plans a tour of the cheese with the opponent in mind" },
];

/// A built-in bot by name, with the chance it may use.
pub(super) fn bot(name: &str, rng: Rng) -> Option<Box<dyn Bot<Pyrat>>> {
    match name {
        "random" => Some(Box::new(Random::new(rng))),
        "greedy" => Some(Box::new(Greedy::default())),
        "tourer" => Some(Box::new(Tourer::new(rng))),
        _ => None,
    }
}

/// Walks at random, but never into walls.
#[derive(Debug)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// A bot that takes its chance from here.
    pub fn new(rng: Rng) -> Random {
        Random { rng }
    }
}

impl Bot<Pyrat> for Random {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Move {
        let Some(here) = own_cell(view) else { return Move::Stay };
        let ways: Vec<Move> = view.maze.exits(here).map(|(by, _)| by).collect();
        self.rng.pick(&ways).copied().unwrap_or(Move::Stay)
    }
}

/// Goes for the nearest cheese, and on to the next when somebody has taken it.
#[derive(Default)]
pub struct Greedy {
    way: Option<Way>,
}

struct Way {
    maze: Maze,
    target: Cell,
    field: Field,
}

impl Bot<Pyrat> for Greedy {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Move {
        let Some(here) = own_cell(view) else { return Move::Stay };
        // Walking towards the nearest cheese never makes another one nearer than it, so that
        // the way has to be found again only when the cheese is gone.
        let still_there =
            |way: &Way| way.maze == view.maze && view.cheese.contains(&view.maze.point(way.target));
        if !self.way.as_ref().is_some_and(still_there) {
            self.way = nearest(view, here).map(|target| {
                let field = Field::new(&view.maze, target);
                Way { maze: view.maze.clone(), target, field }
            });
        }
        self.way.as_ref().map_or(Move::Stay, |way| way.field.first[here.index()])
    }
}

/// The cheese that takes the fewest turns to reach; of several the first in order of cells.
fn nearest(view: &View, here: Cell) -> Option<Cell> {
    let field = Field::new(&view.maze, here);
    view.cheese
        .iter()
        .filter_map(|&point| view.maze.cell(point))
        .filter(|cell| field.turns[cell.index()] != Field::NEVER)
        .min_by_key(|cell| (field.turns[cell.index()], *cell))
}

/// Where the bot is, if it plays and can move.
pub(super) fn own_cell(view: &View) -> Option<Cell> {
    let player = view.player(view.you?);
    if player.mud == 0 { view.maze.cell(player.at) } else { None }
}
