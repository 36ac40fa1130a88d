//! The built-in bots: the engine's players behind the arena's interface.

use std::time::Duration;

use game::{Bot, Budget, Rng};
use table::Chair;

use super::board::{Cell, Stone};
use super::engine::{Engine, Greedy, Swap2, Wanderer, swap2_choice, swap2_opening};
use super::setup::Config;
use super::state::{Action, Gomoku, Phase, View};

/// Bytes for the engine's table of positions.
const TABLE: usize = 16 << 20;
/// A match's time is shared out as if so many moves were to come.
const MOVES_TO_COME: u32 = 20;

/// The built-in bot of this name.
pub(super) fn bot(name: &str, _: &Config, chair: &Chair) -> Option<Box<dyn Bot<Gomoku>>> {
    let rng = chair.seed.rng(&format!("gomoku bot {}", chair.player.0));
    let mind = match name {
        "random" => Mind::Random,
        "greedy" => Mind::Greedy,
        "hunter" => Mind::Hunter(None),
        _ => return None,
    };
    Some(Box::new(BuiltIn { mind, rng }))
}

struct BuiltIn {
    mind: Mind,
    rng: Rng,
}

enum Mind {
    Random,
    Greedy,
    /// Made when the board is known.
    Hunter(Option<Box<Engine>>),
}

impl Bot<Gomoku> for BuiltIn {
    fn act(&mut self, view: &View, budget: &dyn Budget) -> Action {
        let stones = coloured(&view.stones);
        let to_move = if stones.len().is_multiple_of(2) { Stone::Black } else { Stone::White };
        if view.phase != Phase::Play {
            return self.open(view, &stones, budget);
        }
        Action::Put(match &mut self.mind {
            Mind::Random => {
                let mut player = Wanderer::new(view.size, view.rule, self.rng.clone());
                self.rng.next_u32();
                player.set_position(&stones);
                player.choose(to_move)
            }
            Mind::Greedy => {
                let mut player = Greedy::new(view.size, view.rule, self.rng.clone());
                self.rng.next_u32();
                player.set_position(&stones);
                player.choose(to_move)
            }
            Mind::Hunter(engine) => {
                let engine = engine
                    .get_or_insert_with(|| Box::new(Engine::new(view.size, view.rule, TABLE)));
                engine.set_position(&stones);
                engine.think(to_move, &Share { budget }).cell
            }
        })
    }
}

impl BuiltIn {
    /// Swap2. The weaker bots leave the judgement to a very short search.
    fn open(&mut self, view: &View, stones: &[(Cell, Stone)], budget: &dyn Budget) -> Action {
        let mut engine = Engine::new(view.size, view.rule, 1 << 20);
        if !matches!(self.mind, Mind::Hunter(_)) {
            engine = engine.with_nodes(500);
        }
        let budget = Share { budget };
        if view.phase == Phase::Three {
            return Action::Three(swap2_opening(&mut engine, &mut self.rng, &budget));
        }
        match swap2_choice(&mut engine, stones, &mut self.rng, &budget) {
            Swap2::Swap => Action::Swap,
            Swap2::Play(cell) => Action::Put(cell),
            Swap2::PutTwo(two) => Action::Two(two),
        }
    }
}

/// Stones with their colours: Black's are the even ones.
pub(super) fn coloured(stones: &[Cell]) -> Vec<(Cell, Stone)> {
    let colour = |index: usize| if index.is_multiple_of(2) { Stone::Black } else { Stone::White };
    stones.iter().enumerate().map(|(index, cell)| (*cell, colour(index))).collect()
}

/// A budget that does not spend the whole match's time on one move.
pub(super) struct Share<'a> {
    pub(super) budget: &'a dyn Budget,
}

impl Budget for Share<'_> {
    fn left(&self) -> Option<Duration> {
        let share = self.budget.bank().map(|bank| bank / MOVES_TO_COME);
        match (self.budget.left(), share) {
            (Some(left), Some(share)) => Some(left.min(share)),
            (left, share) => left.or(share),
        }
    }
    fn bank(&self) -> Option<Duration> {
        self.budget.bank()
    }
    fn stopped(&self) -> bool {
        self.budget.stopped()
    }
}
