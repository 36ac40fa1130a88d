//! The protocol of ants: reads messages, keeps the map, asks the bot for orders, and writes them.
//!
//! The bot gets a [`State`] and returns orders, `(id, order)`: `forward`, `left`, `right`, `rest` or
//! `attack@N`; an ant without one rests. Standard output belongs to the protocol: print with
//! `eprintln!`, which is kept in the replay.
#![allow(dead_code)] // A bot need not use everything.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, BufRead, Write};

pub const UNKNOWN: i32 = -1;
pub const GRASS: i32 = 0;
pub const SUGAR: i32 = 1;
pub const ROCK: i32 = 2;
pub const MILL: i32 = 3;
pub const WATER: i32 = 4;
pub const MEAT: i32 = 5;

/// Brains: this program's, another program's of the same player, none.
pub const CONTROLLED: i32 = 1;
pub const FOREIGN_PROGRAM: i32 = 2;
pub const DEAD: i32 = 3;

/// Column and row.
pub type Cell = (i32, i32);

/// An ant of ours; of a foreign one only place, direction and brain are known.
#[derive(Clone, Copy, Debug)]
pub struct Ant {
    pub id: i32,
    pub x: i32,
    pub y: i32,
    pub dx: i32,
    pub dy: i32,
    pub energy: i32,
    pub acid: i32,
    pub brain: i32,
}

impl Ant {
    fn new(id: i32, numbers: &[i32]) -> Option<Ant> {
        let [x, y, dx, dy, energy, acid, brain] = *numbers else { return None };
        Some(Ant { id, x, y, dx, dy, energy, acid, brain })
    }

    /// The cell in front of it.
    pub fn ahead(&self) -> Cell {
        (self.x + self.dx, self.y + self.dy)
    }
}

/// What the colony knows. (0, 0) is at the top left, y grows downwards.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub turn: i32,
    pub players: i32,
    /// Of this player, also dead ones and those of its other programs.
    pub ants: Vec<Ant>,
    /// Living ones that this program commands.
    pub mine: Vec<Ant>,
    /// Of other players, in sight; only in version 2 of the protocol.
    pub foreign: Vec<Ant>,
    /// The size of what is known.
    pub width: i32,
    pub height: i32,
    /// What is in the cells, as last seen.
    pub cells: HashMap<Cell, i32>,
    /// Where our ants have been.
    pub visited: HashSet<Cell>,
}

impl State {
    /// What is in a cell; UNKNOWN where nobody has looked.
    pub fn at(&self, cell: Cell) -> i32 {
        self.cells.get(&cell).copied().unwrap_or(UNKNOWN)
    }

    pub fn is_food(&self, cell: Cell) -> bool {
        [SUGAR, MILL, MEAT].contains(&self.at(cell))
    }

    /// Whether an ant there would see something new.
    pub fn is_news(&self, cell: Cell) -> bool {
        let (x, y) = cell;
        let around = (x - 1..=x + 1).flat_map(|i| (y - 1..=y + 1).map(move |j| (i, j)));
        let mut around = around.filter(|(i, j)| *i >= 0 && *j >= 0);
        !self.visited.contains(&cell) && around.any(|cell| self.at(cell) == UNKNOWN)
    }

    pub fn is_enemy(&self, cell: Cell) -> bool {
        self.foreign.iter().any(|ant| (ant.x, ant.y) == cell)
    }

    /// Whether a living ant stands there.
    pub fn is_taken(&self, cell: Cell) -> bool {
        let mut living = self.ants.iter().filter(|ant| ant.brain != DEAD);
        self.is_enemy(cell) || living.any(|ant| (ant.x, ant.y) == cell)
    }

    /// The nearest cell that is wanted, and the order that leads there.
    pub fn nearest(&self, ant: &Ant, wanted: impl Fn(Cell) -> bool) -> Option<(Cell, String)> {
        let start = (ant.x, ant.y);
        let mut first = HashMap::from([(start, start)]);
        let mut queue = VecDeque::from([start]);
        while let Some(cell) = queue.pop_front() {
            if cell != start && wanted(cell) {
                return Some((cell, self.towards(ant, first[&cell]).to_owned()));
            }
            for (dx, dy) in [(ant.dx, ant.dy), (1, 0), (0, 1), (-1, 0), (0, -1)] {
                let to = (cell.0 + dx, cell.1 + dy);
                let blocked = [UNKNOWN, ROCK, WATER].contains(&self.at(to));
                // Other ants are in the way of the next step only: they move on.
                if blocked || first.contains_key(&to) || (cell == start && self.is_taken(to)) {
                    continue;
                }
                first.insert(to, if cell == start { to } else { first[&cell] });
                queue.push_back(to);
            }
        }
        None
    }

    /// The order that brings an ant to a cell beside it.
    pub fn towards(&self, ant: &Ant, cell: Cell) -> &'static str {
        let step = (cell.0 - ant.x, cell.1 - ant.y);
        match step {
            step if step == (ant.dx, ant.dy) => "forward",
            step if step == (ant.dy, -ant.dx) => "left",
            _ => "right",
        }
    }
}

/// Answers every message until the game is over.
pub fn play(mut next_move: impl FnMut(&State) -> Vec<(i32, String)>) {
    let mut lines = io::stdin().lock().lines().map_while(Result::ok);
    let mut state = State::default();
    while read(&mut state, &mut lines) == Some(()) {
        let orders = next_move(&state);
        let orders: Vec<String> =
            orders.iter().map(|(id, order)| format!("{id}:{order}")).collect();
        say(&orders.join(","));
    }
}

/// Reads one message; none at the end of the input, and for the last one, which is not answered.
fn read(state: &mut State, lines: &mut impl Iterator<Item = String>) -> Option<()> {
    let mut numbers = || -> Option<Vec<i32>> {
        lines.next()?.split_whitespace().map(|word| word.parse().ok()).collect()
    };
    let header = numbers()?;
    let [turn, count, players, status, ..] = header[..] else { return None };
    (state.turn, state.players) = (turn, players);
    if header.len() == 5 {
        // The published version: the number of our ants is in the header, their ids in a line.
        let ids = numbers()?;
        state.ants = (0..count).map(|id| Ant::new(id, &numbers()?)).collect::<Option<_>>()?;
        let is_mine = |ant: &&Ant| ids.contains(&ant.id) && ant.brain == CONTROLLED;
        state.mine = state.ants.iter().filter(is_mine).copied().collect();
        state.foreign.clear();
    } else {
        // Version 2: every ant has its id, and foreign ants are told.
        let mut ant = || {
            let numbers = numbers()?;
            Ant::new(*numbers.first()?, &numbers[1..])
        };
        state.ants = (0..count).map(|_| ant()).collect::<Option<_>>()?;
        state.mine = state.ants.iter().filter(|ant| ant.brain == CONTROLLED).copied().collect();
        let count = *numbers()?.first()?;
        let mut foreign = || {
            let [x, y, dx, dy, brain] = numbers()?[..] else { return None };
            Ant::new(-1, &[x, y, dx, dy, 0, 0, brain])
        };
        state.foreign = (0..count).map(|_| foreign()).collect::<Option<_>>()?;
    }
    let [width, height, points] = numbers()?[..] else { return None };
    (state.width, state.height) = (width, height);
    for _ in 0..points {
        let [x, y, content, _seen] = numbers()?[..] else { return None };
        state.cells.insert((x, y), content);
    }
    let living = state.ants.iter().filter(|ant| ant.brain != DEAD);
    state.visited.extend(living.map(|ant| (ant.x, ant.y)));
    (status == 1).then_some(())
}

/// Writes a line, which leaves at once. If nobody hears it any more, this is over.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
