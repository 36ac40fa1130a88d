//! Goes for the nearest cheese.

mod protocol;

use protocol::{Move, State};

/// The first move on the way to the cheese that is reached in the fewest turns.
fn next_move(state: &State) -> Move {
    let ways = state.ways(state.me.cell);
    let nearest = state.cheese.iter().min_by_key(|&&cell| ways.turns[cell]);
    nearest.map_or(Move::Stay, |&cell| ways.first[cell])
}

fn main() {
    protocol::play(next_move, "mybot");
}
