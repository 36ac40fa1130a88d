//! What every game is tested with: laws that all of them obey, and transcripts of their protocols.

mod desk;
pub mod fragile;
pub mod fuzz;
pub mod law;
mod people;
mod picture;
mod scene;
pub mod transcript;

use std::cell::Cell;
use std::time::Duration;

use game::Budget;

/// A budget that is used up before it begins: bots answer as fast as they can.
pub struct AtOnce;

impl Budget for AtOnce {
    fn left(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
    fn stopped(&self) -> bool {
        true
    }
}

/// A budget without a clock: a millisecond for each of so many looks at whether it is used up.
pub struct LookBudget(Cell<u32>);

impl LookBudget {
    /// So many.
    pub fn new(looks: u32) -> LookBudget {
        LookBudget(Cell::new(looks))
    }

    /// How many are left.
    pub fn looks_left(&self) -> u32 {
        self.0.get()
    }
}

impl Budget for LookBudget {
    fn left(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.0.get().into()))
    }
    fn stopped(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }
}

/// Somebody leaves a game because its process has ended.
pub fn crash() -> game::Forfeit {
    game::Forfeit::by_rule(game::Fault::new(game::FaultKind::Crash, "a test"))
}
