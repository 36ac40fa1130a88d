//! What the players must be able to do, on drawn boards: `x` is Black, `o` is White.

mod limits;
mod strength;
mod tactics;

use std::time::Duration;

use game::Seed;

use super::*;
use crate::gomoku::board::Board;
use crate::gomoku::lines::winning_line;
use crate::gomoku::renju::forbidden;

/// A budget that never ends, or has already ended.
struct Untimed {
    stopped: bool,
}

impl Budget for Untimed {
    fn left(&self) -> Option<Duration> {
        None
    }

    fn stopped(&self) -> bool {
        self.stopped
    }
}

const FOREVER: Untimed = Untimed { stopped: false };
const SMALL: usize = 1 << 16;
const SIZES: [(u8, u8); 5] = [(5, 5), (7, 20), (15, 15), (32, 32), (32, 5)];

/// Black's double three at (4, 4) on this board is forbidden in renju.
const DOUBLE_THREE: [&str; 11] = [
    "...........",
    "...........",
    "....x......",
    "....x......",
    "..xx.......",
    "...........",
    "........o..",
    ".......o...",
    "...........",
    "...........",
    "...........",
];

fn drawn(rows: &[&str]) -> (Size, Vec<(Cell, Stone)>) {
    let size = Size { width: rows[0].len() as u8, height: rows.len() as u8 };
    let stones = size.cells().filter_map(|cell| {
        match rows[usize::from(cell.y)].as_bytes()[usize::from(cell.x)] {
            b'x' => Some((cell, Stone::Black)),
            b'o' => Some((cell, Stone::White)),
            _ => None,
        }
    });
    (size, stones.collect())
}

fn thought(rule: Rule, rows: &[&str], to_move: Stone, nodes: u64) -> Thought {
    let (size, stones) = drawn(rows);
    let mut engine = Engine::new(size, rule, SMALL).with_nodes(nodes);
    engine.set_position(&stones);
    engine.think(to_move, &FOREVER)
}

fn wins(board: &Board, rule: Rule, cell: Cell) -> bool {
    winning_line(board, rule, cell).is_some()
}

fn fives(board: &mut Board, rule: Rule, stone: Stone) -> Vec<Cell> {
    let free: Vec<Cell> = board.free().collect();
    let mut fives = Vec::new();
    for cell in free {
        board.set(cell, Some(stone));
        if wins(board, rule, cell) {
            fives.push(cell);
        }
        board.set(cell, None);
    }
    fives
}

/// Lets the engine attack and answers every four at the only place, until there is a five.
/// Returns the number of fours.
fn fours_to_win(rule: Rule, rows: &[&str], attacker: Stone) -> usize {
    let (size, mut stones) = drawn(rows);
    let mut board = Board::empty(size);
    for &(cell, stone) in &stones {
        board.set(cell, Some(stone));
    }
    let mut engine = Engine::new(size, rule, SMALL).with_nodes(50_000);
    for fours in 0.. {
        engine.set_position(&stones);
        let thought = engine.think(attacker, &FOREVER);
        let sees_the_win = thought.forced.is_some_and(|plies| plies > 0);
        assert!(fours > 0 || sees_the_win, "{thought:?}");
        board.set(thought.cell, Some(attacker));
        stones.push((thought.cell, attacker));
        if wins(&board, rule, thought.cell) {
            return fours;
        }
        assert!(fives(&mut board, rule, attacker.other()).is_empty(), "a five was allowed");
        let answers = fives(&mut board, rule, attacker);
        let answer = *answers.first().expect("every move is a four");
        board.set(answer, Some(attacker.other()));
        stones.push((answer, attacker.other()));
    }
    unreachable!("boards are finite")
}
