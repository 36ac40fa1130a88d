//! Bots that live inside the host's own process.

use std::time::Duration;

use crate::Game;

/// The time a bot has while it thinks. The host supplies it, so that bots need no clock.
pub trait Budget {
    /// Time left for this answer; `None` is unlimited.
    fn left(&self) -> Option<Duration>;
    /// Time left for this and all later answers together; `None` is unlimited.
    fn bank(&self) -> Option<Duration> {
        None
    }
    /// Whether the bot should answer at once with the best it has.
    fn stopped(&self) -> bool;
}

/// A built-in bot of a game, playing one actor.
pub trait Bot<G: Game>: Send {
    /// Something happened that this actor may know. Comes before the next [`Bot::act`].
    fn notice(&mut self, event: &G::Event) {
        let _ = event;
    }

    /// Comes once before the first turn, in games that grant time to prepare.
    fn prepare(&mut self, view: &G::View, budget: &dyn Budget) {
        let _ = (view, budget);
    }

    /// Chooses an action. Must come back well before the budget is used up.
    fn act(&mut self, view: &G::View, budget: &dyn Budget) -> G::Action;

    /// What it thought about its last action, in words for people, if it can say.
    fn thoughts(&self) -> Option<String> {
        None
    }
}
