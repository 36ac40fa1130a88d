//! Positions for scripts: nobody has five in any of them.

use game::Seed;

use super::LEFT;

/// The side of the board that positions are for.
const SIDE: i64 = 20;

/// The colour of a stone in a cell, so that never more than two of one colour are in a row.
fn who(x: i64, y: i64) -> u8 {
    if (x + 2 * y) % 4 < 2 { 1 } else { 2 }
}

fn all() -> Vec<(i64, i64, u8)> {
    let cells = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    cells.map(|(x, y)| (x, y, who(x, y))).collect()
}

/// Every cell has a stone but these.
pub(super) fn almost_full(free: &[(i64, i64)]) -> Vec<(i64, i64, u8)> {
    all().into_iter().filter(|(x, y, _)| !free.contains(&(*x, *y))).collect()
}

/// So many positions with 2 to 160 stones, the brain to move.
pub(super) fn positions(count: u32) -> Vec<Vec<(i64, i64, u8)>> {
    let mut rng = Seed(1).rng("positions of checks");
    let mut position = || {
        let each = 1 + rng.index(80);
        let mut cells = all();
        rng.shuffle(&mut cells);
        let of = |wanted: u8, count: usize| {
            cells.iter().copied().filter(move |stone| stone.2 == wanted).take(count)
        };
        // The opponent's stone comes first, in turn from there on.
        let pairs = of(2, each).zip(of(1, each));
        pairs.flat_map(|(theirs, own)| [theirs, own]).collect()
    };
    (0..count).map(|_| position()).collect()
}

/// The message for a position.
pub(super) fn board(stones: &[(i64, i64, u8)]) -> String {
    let lines: Vec<String> = stones.iter().map(|(x, y, who)| format!("{x},{y},{who}\n")).collect();
    format!("{LEFT}BOARD\n{}DONE", lines.concat())
}

/// The opponent's move of this turn after these moves of the brain: never next to each other, and on
/// no stone.
pub(super) fn reply(own: &[(i64, i64)], turn: usize) -> (i64, i64) {
    let places = [(2, 2), (16, 3), (5, 15), (13, 12), (1, 18), (18, 18), (9, 1), (3, 9)];
    // As many places as there are stones of the brain could be taken; each turn has its own.
    let mut free = places.into_iter().filter(|place| !own.contains(place));
    free.nth(turn - 1).unwrap_or((0, 0))
}

/// A free cell beside these stones of both.
pub(super) fn free_near(own: &[(i64, i64)], others: &[(i64, i64)]) -> (i64, i64) {
    let places = [(2, 2), (12, 3), (5, 12)];
    let is_free = |place: &(i64, i64)| !own.contains(place) && !others.contains(place);
    places.into_iter().find(is_free).unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::super::super::board::{Board, Rule, Size, Stone};
    use super::super::super::lines::winning_line;
    use super::*;

    #[test]
    fn nobody_has_five_in_a_position_and_the_brain_is_to_move() {
        let size = Size { width: SIDE as u8, height: SIDE as u8 };
        let full = [almost_full(&[]), almost_full(&[(0, 0)]), almost_full(&[(19, 19)])];
        for stones in positions(200).into_iter().chain(full) {
            let mut board = Board::empty(size);
            let cell = |x: i64, y: i64| size.cell(x, y).expect("it is on the board");
            for &(x, y, who) in &stones {
                let stone = if who == 1 { Stone::Black } else { Stone::White };
                board.set(cell(x, y), Some(stone));
            }
            for &(x, y, _) in &stones {
                assert_eq!(winning_line(&board, Rule::Freestyle, cell(x, y)), None, "{x},{y}");
            }
            let own = stones.iter().filter(|stone| stone.2 == 1).count();
            assert!(stones.len() - own == own || stones.len() - own == own + 1, "{own}");
        }
    }

    #[test]
    fn positions_are_the_same_every_time() {
        assert_eq!(positions(3), positions(3));
    }
}
