//! The built-in bots: the engine's players behind the arena's interface.

pub(super) mod dummy;
pub(super) mod engine;

use game::{Bot, Budget, Rng};
use table::Chair;

use self::engine::{Engine, Greedy, Swap2, Thought, Wanderer, swap2_choice, swap2_opening};
use crate::gomoku::board::{Cell, Stone};
use crate::gomoku::setup::Config;
use crate::gomoku::state::{Action, Gomoku, Phase, View};

/// Bytes for the engine's table of positions.
const TABLE: usize = 16 << 20;
/// Positions that the weaker bots look at before they choose a side in swap2.
pub(super) const GLANCE: u64 = 500;

/// The built-in bot of this name, made before its clock starts.
pub(super) fn bot(name: &str, config: &Config, chair: &Chair) -> Option<Box<dyn Bot<Gomoku>>> {
    let (rule, size) = (config.rule, config.board().ok()?);
    let rng = chair.seed.rng(&format!("gomoku bot {}", chair.player.0));
    let mind = match name {
        "random" => Mind::Random(Wanderer::new(size, rule, rng.clone())),
        "greedy" => Mind::Greedy(Greedy::new(size, rule, rng.clone())),
        "hunter" => Mind::Hunter(Box::new(Engine::new(size, rule, TABLE))),
        _ => return None,
    };
    Some(Box::new(BuiltIn { mind, rng, thoughts: None }))
}

struct BuiltIn {
    mind: Mind,
    rng: Rng,
    /// What it thought about its last move.
    thoughts: Option<String>,
}

enum Mind {
    Random(Wanderer),
    Greedy(Greedy),
    Hunter(Box<Engine>),
}

impl Bot<Gomoku> for BuiltIn {
    fn act(&mut self, view: &View, budget: &dyn Budget) -> Action {
        let stones = coloured(&view.stones);
        let to_move = if stones.len().is_multiple_of(2) { Stone::Black } else { Stone::White };
        if view.phase != Phase::Play {
            return self.open(view, &stones, budget);
        }
        Action::Put(match &mut self.mind {
            Mind::Random(player) => {
                player.set_position(&stones);
                player.choose(to_move)
            }
            Mind::Greedy(player) => {
                player.set_position(&stones);
                player.choose(to_move)
            }
            Mind::Hunter(engine) => {
                engine.set_position(&stones);
                let thought = engine.think(to_move, budget);
                self.thoughts = Some(in_words(&thought));
                thought.cell
            }
        })
    }

    fn thoughts(&self) -> Option<String> {
        self.thoughts.clone()
    }
}

/// What the engine found, as engines of other authors would print it.
fn in_words(thought: &Thought) -> String {
    let Thought { score, forced, depth, nodes, line, .. } = thought;
    let line: Vec<String> = line.iter().map(Cell::to_string).collect();
    let line = line.join(" ");
    match forced {
        Some(plies) if *plies > 0 => {
            format!("depth {depth} eval +M{plies} nodes {nodes} pv {line}")
        }
        Some(plies) => format!("depth {depth} eval -M{} nodes {nodes} pv {line}", plies.abs()),
        None => format!("depth {depth} eval {score} nodes {nodes} pv {line}"),
    }
}

impl BuiltIn {
    /// Swap2. The weaker bots only glance at the position.
    fn open(&mut self, view: &View, stones: &[(Cell, Stone)], budget: &dyn Budget) -> Action {
        let mut glance;
        let engine = match &mut self.mind {
            Mind::Hunter(engine) => engine,
            Mind::Random(_) | Mind::Greedy(_) => {
                glance = Engine::new(view.size, view.rule, 1 << 20).with_nodes(GLANCE);
                &mut glance
            }
        };
        if view.phase == Phase::Three {
            return Action::Three(swap2_opening(engine, &mut self.rng, budget));
        }
        match swap2_choice(engine, stones, &mut self.rng, budget) {
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
