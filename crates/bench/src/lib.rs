//! What the host costs, measured beside the least that it could cost: `lanista bench`.
//!
//! Nothing here prints: whoever measures is told what has been found, and has the figures in the
//! end.

mod bare_pipes;
mod births;
mod busy_bot;
mod contention;
mod dummy_bot;
mod given_bots;
mod machine;
mod other_work;
mod parts;
mod rounds;
mod starts;
mod storing;
mod suite;
mod through_host;
mod watching;

use std::ffi::{OsStr, OsString};

use league::GameList;

pub use given_bots::{GivenBots, Rates};
pub use machine::MachineInfo;
pub use parts::SuitePart;
pub use rounds::Figure;
pub use suite::{Extent, FigureGroup, News, Suite, SuiteReport};

/// Bots for measuring are this program, started with a hidden first argument. If these are the
/// arguments of such a process, plays until the end of its input and returns true.
pub fn played_as_bot(arguments: impl Iterator<Item = OsString>, games: GameList) -> bool {
    let mut arguments = arguments;
    let Some(command) = arguments.next() else { return false };
    if command == OsStr::new(dummy_bot::COMMAND) {
        let game = arguments.next().unwrap_or_default();
        dummy_bot::dummy(games, &game, arguments.next().as_deref());
        return true;
    }
    if command == OsStr::new(dummy_bot::PARENT) {
        dummy_bot::parent(games, &arguments.next().unwrap_or_default());
        return true;
    }
    if command == OsStr::new(busy_bot::COMMAND) {
        let word = arguments.next().unwrap_or_default();
        busy_bot::play(games, &word, &arguments.next().unwrap_or_default());
        return true;
    }
    false
}
