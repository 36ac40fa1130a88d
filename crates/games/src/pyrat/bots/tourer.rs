//! The strong built-in bot: it improves a tour of the cheese by playing it out in its head.

use std::time::Duration;

use game::{Bot, Budget, Rng};

use super::own_cell;
use super::routes::{Field, Routes};
use crate::pyrat::state::ones;
use crate::pyrat::{Cell, Move, Pyrat, Side, View};

/// Plans the order in which to collect the cheese, with the opponent in mind.
///
/// It keeps a tour, plays it out to the end against an opponent that always goes for what is
/// nearest to it, and changes the tour as long as there is time. What it found serves the next
/// turn, so that little time a turn is enough. An opponent that plans as cleverly as itself was
/// tried in place of the greedy one and did worse, even against clever opponents.
pub struct Tourer {
    rng: Rng,
    routes: Option<Routes>,
    tour: Vec<u16>,
}

/// Most time it takes for a move, whatever it is given: games should stay quick.
const LONGEST: Duration = Duration::from_millis(50);

/// Most time it takes before the first turn. The tables of a large board take some of it; a
/// longer look at the tour has not been found to help.
const PREPARATION: Duration = Duration::from_millis(300);

/// Most cheese it thinks about at a time, a limit of [`Left`].
const MOST_TARGETS: usize = 256;

/// Most entries in the tables, which on large boards means less cheese to think about.
const MOST_ENTRIES: usize = 2_000_000;

/// Half a cheese by turns from now: later gains count less, because the opponent will not do
/// as expected. In short duels falls of 2 and of 3 % a turn did better than 1 %; this is 2.5 %.
const WORTH: [i64; 512] = worth();

/// What it is worth to be first at the end, where a cheese now is worth two thousand.
const VICTORY: i64 = 2_000;

const fn worth() -> [i64; 512] {
    let mut table = [0; 512];
    let mut exact = 1_000_000;
    let mut turn = 0;
    while turn < table.len() {
        table[turn] = exact / 1000;
        exact = exact * 975 / 1000;
        turn += 1;
    }
    table
}

impl Tourer {
    /// A bot that takes its chance from here.
    pub fn new(rng: Rng) -> Tourer {
        Tourer { rng, routes: None, tour: Vec::new() }
    }
}

impl Bot<Pyrat> for Tourer {
    fn prepare(&mut self, view: &View, budget: &dyn Budget) {
        self.think(view, &Allowance::new(budget, PREPARATION));
    }

    fn act(&mut self, view: &View, budget: &dyn Budget) -> Move {
        self.think(view, &Allowance::new(budget, LONGEST)).unwrap_or(Move::Stay)
    }
}

impl Tourer {
    /// Makes the best of the allowance; gives the first move of the tour, if there is one.
    fn think(&mut self, view: &View, allowance: &Allowance<'_>) -> Option<Move> {
        let (here, you) = (own_cell(view)?, view.you?);
        let mut routes = match self.routes.take() {
            Some(routes) if fits(&routes, view) => routes,
            Some(_) | None => {
                self.tour.clear();
                Routes::new(&view.maze, targets(view, here))
            }
        };
        while routes.ready() == 0 || !allowance.is_half_spent() {
            if !routes.grow() {
                break;
            }
        }
        let scene = Scene::new(&routes, view, you);
        self.update_tour(&scene, here);
        self.improve_tour(&scene, allowance);
        let by = self.tour.first().map(|&target| routes.first(here, usize::from(target)));
        self.routes = Some(routes);
        by
    }

    /// Takes out what is gone and appends what is new, the nearest first.
    fn update_tour(&mut self, scene: &Scene<'_>, here: Cell) {
        self.tour.retain(|&target| scene.left.has(usize::from(target)));
        let mut seen = Left::default();
        for &target in &self.tour {
            seen.add(usize::from(target));
        }
        let mut missing = scene.left;
        missing.remove_all(seen);
        let mut from = self.tour.last().map_or(here, |&t| scene.routes.target(usize::from(t)));
        while let Some(next) = scene.nearest(from, missing) {
            missing.remove(next);
            self.tour.push(next as u16);
            from = scene.routes.target(next);
        }
    }

    /// Tries changes of the tour and keeps the good ones, until the allowance is spent.
    fn improve_tour(&mut self, scene: &Scene<'_>, allowance: &Allowance<'_>) {
        let length = self.tour.len();
        if length < 2 {
            return;
        }
        let mut current = self.tour.clone();
        let mut candidate = current.clone();
        let Rollout { value: mut current_value, used: mut horizon } = scene.play(&current);
        let mut best_value = current_value;
        let mut idle = 0;
        // Few targets have few orders: there is no point in trying them all day.
        let most = (100 * length * length).min(allowance.rounds());
        for round in 0..most {
            if round % 8 == 0 && allowance.is_spent() {
                break;
            }
            candidate.clone_from(&current);
            self.change(&mut candidate, horizon);
            let rollout = scene.play(&candidate);
            if rollout.value >= current_value {
                std::mem::swap(&mut current, &mut candidate);
                horizon = rollout.used;
                idle = if rollout.value > current_value { 0 } else { idle + 1 };
                current_value = rollout.value;
                if current_value > best_value {
                    best_value = current_value;
                    self.tour.clone_from(&current);
                }
            } else {
                idle += 1;
            }
            if idle > 300 {
                // Nothing helps any more: start again a few steps away from the best.
                idle = 0;
                current.clone_from(&self.tour);
                for _ in 0..3 {
                    self.change(&mut current, length);
                }
                let rollout = scene.play(&current);
                (current_value, horizon) = (rollout.value, rollout.used);
            }
        }
    }

    /// Changes a tour somewhere in the part that matters.
    fn change(&mut self, tour: &mut [u16], horizon: usize) {
        let length = tour.len();
        let one = self.rng.index(horizon.clamp(1, length));
        let other = match self.rng.below(2) {
            0 => self.rng.index(length),
            _ => (one + 1 + self.rng.index(6)) % length,
        };
        let (low, high) = (one.min(other), one.max(other));
        match self.rng.below(4) {
            0 => tour.swap(low, high),
            1 => tour[low..=high].rotate_left(1),
            2 => tour[low..=high].rotate_right(1),
            _ => tour[low..=high].reverse(),
        }
    }
}

/// The share of the budget that the bot grants itself.
struct Allowance<'a> {
    budget: &'a dyn Budget,
    /// What the budget will have left when the allowance is spent, and when half of it is.
    ends: Option<(Duration, Duration)>,
}

impl<'a> Allowance<'a> {
    fn new(budget: &'a dyn Budget, longest: Duration) -> Allowance<'a> {
        let ends = budget.left().map(|left| {
            let most = left.mul_f64(0.6).min(longest);
            (left - most, left - most / 2)
        });
        Allowance { budget, ends }
    }

    /// How many tours may be tried at most.
    fn rounds(&self) -> usize {
        // Without a limit of time there has to be another.
        if self.ends.is_some() { usize::MAX } else { 10_000 }
    }

    fn is_spent(&self) -> bool {
        self.is_past(|(end, _)| end)
    }

    fn is_half_spent(&self) -> bool {
        self.is_past(|(_, half)| half)
    }

    fn is_past(&self, which: impl Fn((Duration, Duration)) -> Duration) -> bool {
        let past = self.budget.left().zip(self.ends).is_some_and(|(left, e)| left <= which(e));
        past || self.budget.stopped()
    }
}

/// Whether tables made earlier serve for this view.
fn fits(routes: &Routes, view: &View) -> bool {
    if routes.maze() != &view.maze {
        return false;
    }
    let known = view
        .cheese
        .iter()
        .filter(|&&at| view.maze.cell(at).is_some_and(|cell| routes.is_target(cell)));
    // On a large board only part of the cheese is in the tables; look around again when most
    // of that is gone.
    let known = known.count();
    known == view.cheese.len() || 2 * known >= routes.len()
}

/// The cheese to think about: what can be reached, the nearest first.
fn targets(view: &View, here: Cell) -> Vec<Cell> {
    let field = Field::new(&view.maze, here);
    let turns = |cell: &Cell| field.turns[cell.index()];
    let mut cells: Vec<Cell> = view.cheese.iter().filter_map(|&at| view.maze.cell(at)).collect();
    cells.retain(|cell| turns(cell) != Field::NEVER);
    cells.sort_by_key(|cell| (turns(cell), *cell));
    cells.truncate(MOST_TARGETS.min(MOST_ENTRIES / view.maze.len()));
    cells
}

/// A set of targets.
#[derive(Clone, Copy, Default)]
struct Left([u64; MOST_TARGETS / 64]);

impl Left {
    #[inline]
    fn has(&self, target: usize) -> bool {
        self.0[target / 64] >> (target % 64) & 1 == 1
    }

    #[inline]
    fn add(&mut self, target: usize) {
        self.0[target / 64] |= 1 << (target % 64);
    }

    #[inline]
    fn remove(&mut self, target: usize) {
        self.0[target / 64] &= !(1 << (target % 64));
    }

    fn remove_all(&mut self, other: Left) {
        for (word, gone) in self.0.iter_mut().zip(other.0) {
            *word &= !gone;
        }
    }

    #[inline]
    fn each(self) -> impl Iterator<Item = usize> {
        ones(self.0)
    }
}

/// The game as the bot imagines it from the current turn on.
struct Scene<'a> {
    routes: &'a Routes,
    left: Left,
    count: usize,
    me: Runner,
    opponent: Runner,
    /// Half points above which a game is won.
    majority: u32,
    turns: u32,
}

/// A player in the bot's head.
#[derive(Clone, Copy)]
struct Runner {
    /// Where it is, or will be when `wait` is over.
    cell: Cell,
    wait: u32,
    halves: u32,
    target: Option<usize>,
}

/// What came of playing a tour out.
struct Rollout {
    value: i64,
    /// How much of the tour was of any importance.
    used: usize,
}

impl<'a> Scene<'a> {
    fn new(routes: &'a Routes, view: &View, you: Side) -> Scene<'a> {
        let mut left = Left::default();
        let cells = view.cheese.iter().filter_map(|&at| view.maze.cell(at));
        let targets = cells.filter_map(|cell| routes.target_at(cell));
        targets.for_each(|target| left.add(target));
        let runner = |side: Side| {
            let player = view.player(side);
            Runner {
                cell: view.maze.cell(player.to).expect("a view shows players on the board"),
                wait: player.mud.into(),
                halves: player.score.halves,
                target: None,
            }
        };
        Scene {
            routes,
            left,
            count: left.each().count(),
            me: runner(you),
            opponent: runner(you.other()),
            majority: view.cheese_total,
            turns: view.max_turns.saturating_sub(view.turn),
        }
    }

    /// The nearest of some targets.
    #[inline]
    fn nearest(&self, from: Cell, left: Left) -> Option<usize> {
        let turns = self.routes.turns_from(from);
        let nearest = left.each().min_by_key(|&target| turns[target])?;
        (turns[nearest] != Routes::NEVER).then_some(nearest)
    }

    /// Plays a tour against an opponent that goes for what is nearest to it.
    fn play(&self, tour: &[u16]) -> Rollout {
        let (mut me, mut opponent) = (self.me, self.opponent);
        let (mut left, mut count) = (self.left, self.count);
        let mut value = 0;
        let mut used = 0;
        for turn in 0..self.turns {
            if me.wait == 0 && !me.target.is_some_and(|target| left.has(target)) {
                while tour.get(used).is_some_and(|&t| !left.has(usize::from(t))) {
                    used += 1;
                }
                me.target = tour.get(used).map(|&t| usize::from(t));
            }
            if opponent.wait == 0 && !opponent.target.is_some_and(|target| left.has(target)) {
                opponent.target = self.nearest(opponent.cell, left);
            }
            let mine = self.advance(&mut me, &left);
            let theirs = self.advance(&mut opponent, &left);
            if mine.is_none() && theirs.is_none() {
                continue;
            }
            let worth = WORTH[(turn as usize).min(WORTH.len() - 1)];
            if mine == theirs {
                me.halves += 1;
                opponent.halves += 1;
            } else {
                if mine.is_some() {
                    me.halves += 2;
                    value += 2 * worth;
                }
                if theirs.is_some() {
                    opponent.halves += 2;
                    value -= 2 * worth;
                }
            }
            for target in [mine, theirs.filter(|_| mine != theirs)].into_iter().flatten() {
                left.remove(target);
                count -= 1;
            }
            if count == 0 || me.halves.max(opponent.halves) > self.majority {
                break;
            }
        }
        value += VICTORY * (i64::from(me.halves) - i64::from(opponent.halves)).signum();
        Rollout { value, used: used + 1 }
    }

    /// Moves a player for a turn; gives the target whose cheese it finds.
    #[inline]
    fn advance(&self, runner: &mut Runner, left: &Left) -> Option<usize> {
        if runner.wait == 0 {
            let target = runner.target?;
            let exit = self.routes.maze().exit(runner.cell, self.routes.first(runner.cell, target));
            runner.cell = exit.to;
            runner.wait = exit.cost();
        }
        runner.wait -= 1;
        if runner.wait > 0 {
            return None;
        }
        self.routes.target_at(runner.cell).filter(|&target| left.has(target))
    }
}
