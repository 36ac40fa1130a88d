//! Breeds wherever there is room.

mod json;
mod protocol;

use protocol::{Move, State};

/// A child costs 5 energy; whoever has none left at the end of a tick dies.
fn next_move(state: &State) -> Move {
    if state.energy > 6 && state.free().next().is_some() {
        Move::Replicate
    } else {
        Move::Rest
    }
}

fn main() {
    protocol::play(next_move);
}
