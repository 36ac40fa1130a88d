//! What every game is tested with: laws that all of them obey, and transcripts of their protocols.

mod desk;
pub mod fragile;
pub mod fuzz;
pub mod law;
mod people;
mod picture;
mod scene;
pub mod transcript;

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

/// Somebody leaves a game because its process has ended.
pub fn crash() -> game::Forfeit {
    game::Forfeit::by_rule(game::Fault::new(game::FaultKind::Crash, "a test"))
}
