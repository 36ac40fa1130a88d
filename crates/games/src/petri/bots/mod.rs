//! Simple built-in bots, and all of them by name.

pub(super) mod colony;
pub(super) mod dummy;

use game::{ActorId, Bot, Budget, PlayerId, Rng, Seed};

use self::colony::Colony;
use crate::petri::action::Action;
use crate::petri::setup::Config;
use crate::petri::state::Petri;
use crate::petri::view::View;

/// The built-in bot with this name for one agent of a player. The same agent of the same game
/// always does the same.
pub fn bot(
    name: &str,
    config: &Config,
    player: PlayerId,
    actor: ActorId,
    seed: Seed,
) -> Option<Box<dyn Bot<Petri>>> {
    match name {
        "random" => Some(Box::new(Random(seed.rng(&format!("petri random bot {}", actor.0))))),
        "simple" => Some(Box::new(Simple)),
        "colony" => Some(Box::new(Colony::new(config, player))),
        _ => None,
    }
}

/// Does anything.
#[derive(Clone, Debug)]
pub struct Random(Rng);

impl Bot<Petri> for Random {
    fn act(&mut self, _: &View, _: &dyn Budget) -> Action {
        *self.0.pick(&Action::ALL).expect("there are actions")
    }
}

/// Plays as the example agent of the protocol's document: attacks the neighbour with most energy if
/// that is more than 5, and rests otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Simple;

/// "attack if neighbors have high energy".
const HIGH: i32 = 5;

impl Simple {
    /// The choice for what an agent sees.
    #[inline]
    pub fn choose(view: &View) -> Action {
        let Some(own) = &view.own else { return Action::Rest };
        // Ruby's `max_by` takes the first of several that are equal.
        let mut best = (HIGH, Action::Rest);
        for (way, other) in own.neighbours() {
            if other.energy > best.0 {
                best = (other.energy, Action::Attack(way));
            }
        }
        best.1
    }
}

impl Bot<Petri> for Simple {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Action {
        Simple::choose(view)
    }
}
