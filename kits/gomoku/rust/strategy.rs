//! Plays where the longest row would be, its own or the opponent's.

mod protocol;

use protocol::{State, Stone};

/// The best free cell: five of mine, five of theirs, four of mine, … and then near the middle.
fn next_move(state: &State) -> (i32, i32) {
    let value = |&(x, y): &(i32, i32)| {
        let mine = 2 * state.row(x, y, Stone::Mine) + 1;
        let theirs = 2 * state.row(x, y, Stone::Theirs);
        let off = (x - state.width / 2).abs() + (y - state.height / 2).abs();
        (mine.max(theirs), -off)
    };
    // Of equals the last: hence from the end.
    state.free().into_iter().rev().max_by_key(value).expect("there is a free cell")
}

fn main() {
    protocol::play(next_move, "mybot");
}
