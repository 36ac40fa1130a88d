//! Whether a stone completes a winning line under each rule.

use super::board::{Board, Cell, DIRECTIONS, Rule, Site, Stone};

/// The number of stones in a row that every rule is about.
const FIVE: i8 = 5;

/// The line with which the stone on `cell`, just placed, wins under `rule`, from end to end.
///
/// Only lines through `cell` are looked at. If it completes several, one of them is given; an
/// empty cell wins nothing. Forbidden moves are no concern of this function: Black's five wins
/// in renju even where the move would otherwise be forbidden.
pub fn winning_line(board: &Board, rule: Rule, cell: Cell) -> Option<Vec<Cell>> {
    let stone = board.at(cell)?;
    DIRECTIONS.into_iter().find_map(|direction @ (dx, dy)| {
        let ahead = stretch(board, stone, cell, (dx, dy));
        let behind = stretch(board, stone, cell, (-dx, -dy));
        let length = behind + 1 + ahead;
        // Nearly every stone leaves here, before anything is allocated.
        if length < FIVE {
            return None;
        }
        let ends =
            [board.site(cell, direction, ahead + 1), board.site(cell, direction, -behind - 1)];
        wins(rule, stone, length, ends).then(|| line(board, cell, direction, behind, ahead))
    })
}

/// The number of stones of this colour that follow `cell` without a gap.
#[inline]
fn stretch(board: &Board, stone: Stone, cell: Cell, direction: (i8, i8)) -> i8 {
    board.along(cell, direction).take_while(|&other| other == Some(stone)).count() as i8
}

/// Whether a row of at least five stones wins, given what stands at its two ends.
fn wins(rule: Rule, stone: Stone, length: i8, ends: [Site; 2]) -> bool {
    // The edge does not block, and neither does an empty cell.
    let blocked = ends == [Site::Stone(stone.other()); 2];
    match (rule, stone) {
        (Rule::Freestyle, _) | (Rule::Renju, Stone::White) => true,
        (Rule::Standard, _) | (Rule::Renju, Stone::Black) => length == FIVE,
        (Rule::Caro, _) => !blocked,
        (Rule::CaroExact, _) => length == FIVE && !blocked,
    }
}

/// The cells from `behind` steps before `cell` to `ahead` steps after it.
fn line(board: &Board, cell: Cell, (dx, dy): (i8, i8), behind: i8, ahead: i8) -> Vec<Cell> {
    (-behind..=ahead)
        .map(|steps| {
            let x = i64::from(cell.x) + i64::from(dx * steps);
            let y = i64::from(cell.y) + i64::from(dy * steps);
            board.size().cell(x, y).expect("the line consists of stones, which are on the board")
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::board::Size;
    use super::*;

    /// A drawn board: `X` is Black, `O` White, `.` empty and `*` an empty cell that is asked
    /// about. Blanks between the cells do not count.
    pub(in super::super) fn drawn(drawing: &str) -> (Board, Vec<Cell>) {
        let rows: Vec<Vec<char>> = drawing
            .lines()
            .map(|row| row.chars().filter(|sign| !sign.is_whitespace()).collect())
            .filter(|row: &Vec<char>| !row.is_empty())
            .collect();
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "ragged drawing:\n{drawing}");
        let mut board = Board::empty(Size { width: rows[0].len() as u8, height: rows.len() as u8 });
        let mut asked = Vec::new();
        for cell in board.size().cells() {
            match rows[usize::from(cell.y)][usize::from(cell.x)] {
                'X' => board.set(cell, Some(Stone::Black)),
                'O' => board.set(cell, Some(Stone::White)),
                '*' => asked.push(cell),
                sign => assert_eq!(sign, '.'),
            }
        }
        (board, asked)
    }

    /// The rules under which `stone` wins by playing on the `*` of the drawing.
    fn won_under(drawing: &str, stone: Stone) -> Vec<Rule> {
        let (mut board, asked) = drawn(drawing);
        let [cell] = asked[..] else { panic!("one * in a drawing") };
        board.set(cell, Some(stone));
        Rule::ALL.into_iter().filter(|&rule| winning_line(&board, rule, cell).is_some()).collect()
    }

    const ALL: &[Rule] = &Rule::ALL;

    #[test]
    fn five_in_a_row_wins_under_every_rule_in_every_direction() {
        let (mut board, _) = drawn(&". . . . . . . . .\n".repeat(9));
        for direction in DIRECTIONS {
            let row: Vec<Cell> = (-2..=2)
                .map(|step| {
                    let x = 4 + i64::from(direction.0) * step;
                    let y = 4 + i64::from(direction.1) * step;
                    board.size().cell(x, y).unwrap()
                })
                .collect();
            for stone in [Stone::Black, Stone::White] {
                for &cell in &row {
                    board.set(cell, Some(stone));
                }
                for rule in Rule::ALL {
                    for &cell in &row {
                        assert_eq!(winning_line(&board, rule, cell).as_ref(), Some(&row));
                    }
                }
            }
            for &cell in &row {
                board.set(cell, None);
            }
        }
    }

    #[test]
    fn four_in_a_row_and_broken_five_win_under_no_rule() {
        for stone in [Stone::Black, Stone::White] {
            assert_eq!(won_under(". X X X * . .", Stone::Black), []);
            assert_eq!(won_under("X X X . * X X", stone), []);
            assert_eq!(won_under("O O O X * O O", stone), []);
        }
        let (board, asked) = drawn("X X * X X");
        assert_eq!(winning_line(&board, Rule::Freestyle, asked[0]), None);
    }

    #[test]
    fn a_row_does_not_go_on_at_the_other_side_of_the_board() {
        assert_eq!(won_under(". . . X X X *\nX . . . . . .", Stone::Black), []);
    }

    #[test]
    fn overline_does_not_win_under_exactly_five() {
        assert_eq!(won_under(". X X X * X X .", Stone::Black), [Rule::Freestyle, Rule::Caro]);
        let white = won_under(". O O O * O O .", Stone::White);
        assert_eq!(white, [Rule::Freestyle, Rule::Renju, Rule::Caro]);
    }

    #[test]
    fn five_wins_beside_an_overline() {
        let drawing = "
            . X X X * X X .
            . . . . X . . .
            . . . . X . . .
            . . . . X . . .
            . . . . X . . .";
        assert_eq!(won_under(drawing, Stone::Black), ALL);
        let (mut board, asked) = drawn(drawing);
        board.set(asked[0], Some(Stone::Black));
        let line = winning_line(&board, Rule::Renju, asked[0]).unwrap();
        assert!(line.len() == 5 && line.iter().all(|cell| cell.x == 4), "{line:?}");
    }

    #[test]
    fn both_ends_blocked_by_stones_do_not_win_in_caro() {
        let open = [Rule::Freestyle, Rule::Standard, Rule::Renju];
        assert_eq!(won_under(". O X X * X X O .", Stone::Black), open);
        assert_eq!(won_under(". X O O * O O X .", Stone::White), open);
        // A blocked overline is no win either.
        assert_eq!(won_under(". O X X * X X X O", Stone::Black), [Rule::Freestyle]);
    }

    #[test]
    fn one_end_blocked_wins_in_caro() {
        assert_eq!(won_under(". O X X * X X . O", Stone::Black), ALL);
        assert_eq!(won_under(". . X X * X X O .", Stone::Black), ALL);
        let overline = won_under("O X X X * X X . O", Stone::Black);
        assert_eq!(overline, [Rule::Freestyle, Rule::Caro]);
    }

    #[test]
    fn the_edge_does_not_block_in_caro() {
        assert_eq!(won_under("X X * X X", Stone::Black), ALL);
        assert_eq!(won_under("X X * X X O .", Stone::Black), ALL);
        assert_eq!(won_under(". O X X * X X", Stone::Black), ALL);
    }

    #[test]
    fn the_longest_row_of_the_largest_board_is_given_whole() {
        let mut board = Board::empty(Size { width: 32, height: 32 });
        let diagonal: Vec<Cell> = (0..32).map(|at| board.size().cell(at, at).unwrap()).collect();
        for &cell in &diagonal {
            board.set(cell, Some(Stone::White));
        }
        assert_eq!(winning_line(&board, Rule::Renju, diagonal[0]), Some(diagonal.clone()));
        assert_eq!(winning_line(&board, Rule::Renju, diagonal[31]), Some(diagonal.clone()));
        assert_eq!(winning_line(&board, Rule::Standard, diagonal[9]), None);
    }
}
