//! Positions of the forbidden moves, drawn and known.

use super::super::board::Size;
use super::super::lines::tests::drawn;
use super::*;

const POSITIONS: &str = include_str!("../../../tests-data/gomoku/renju-forbidden.jsonl");

/// What the rule says of the `*` of a drawing.
fn verdict(drawing: &str) -> Option<Forbidden> {
    let (board, asked) = drawn(drawing);
    let [cell] = asked[..] else { panic!("one * in a drawing") };
    let before = board.clone();
    let verdict = forbidden(&board, cell);
    assert_eq!(board, before);
    assert_eq!(verdict, slow::forbidden(&board, cell), "the slow way differs:\n{drawing}");
    verdict
}

/// The numbers of one list in a line of the data file, as cells.
fn cells(line: &str, list: &str) -> Vec<Cell> {
    let (_, rest) = line.split_once(&format!("\"{list}\":")).expect("every list is there");
    let rest = rest.split("]]").next().expect("a split has a first part");
    // An empty list ends before the next one begins.
    let rest = rest.split('"').next().expect("a split has a first part");
    let numbers: Vec<u8> = rest
        .split(|sign: char| !sign.is_ascii_digit())
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().expect("coordinates are small"))
        .collect();
    numbers.chunks(2).map(|pair| Cell { x: pair[0], y: pair[1] }).collect()
}

#[test]
fn agrees_with_a_strong_engine_on_every_known_position() {
    let mut positions = 0;
    for line in POSITIONS.lines() {
        let mut board = Board::empty(Size { width: 15, height: 15 });
        for (list, stone) in [("black", Stone::Black), ("white", Stone::White)] {
            for cell in cells(line, list) {
                board.set(cell, Some(stone));
            }
        }
        let mut expected = cells(line, "forbidden");
        expected.sort_by_key(|cell| (cell.y, cell.x));
        assert_eq!(forbidden_cells(&board), expected, "{line}");
        positions += 1;
    }
    assert_eq!(positions, 100);
}

#[test]
fn overline_is_forbidden() {
    assert_eq!(verdict(". X X X * X X ."), Some(Forbidden::Overline));
    assert_eq!(verdict("X X X X * X X X X"), Some(Forbidden::Overline));
}

#[test]
fn five_wins_even_where_it_would_be_forbidden() {
    let overline_too = "
        . X X X * X X .
        . . . . X . . .
        . . . . X . . .
        . . . . X . . .
        . . . . X . . .";
    assert_eq!(verdict(overline_too), None);
    let double_four_too = "
        X X X X * . . .
        . . . X X . . .
        . . X . X . . .
        . X . . X . . .
        . . . . . . . .";
    assert_eq!(verdict(double_four_too), None);
}

#[test]
fn two_fours_in_two_lines_are_forbidden() {
    let drawing = "
        . . . . . . .
        . . . . X . .
        . . . . X . .
        . . . . X . .
        O X X X * . .
        . . . . O . .";
    assert_eq!(verdict(drawing), Some(Forbidden::DoubleFour));
}

#[test]
fn two_fours_in_one_line_are_forbidden() {
    for line in [
        ". X . X * X . X .",
        ". X X . * X . X X .",
        ". X X X . * . X X X .",
        "O X X . X * . X X O",
        "X . X X * . X",
    ] {
        assert_eq!(verdict(line), Some(Forbidden::DoubleFour), "{line}");
    }
}

#[test]
fn a_straight_four_is_one_four() {
    assert_eq!(verdict(". . X X * X . ."), None);
    // With a second four in another line it is two.
    let drawing = "
        . . . O . . .
        . . . X . . .
        . . . X . . .
        . . . X . . .
        . X X * X . .
        . . . . . . .";
    assert_eq!(verdict(drawing), Some(Forbidden::DoubleFour));
}

#[test]
fn four_stones_that_only_an_overline_completes_are_no_four() {
    // To the right the gap makes six; downwards there is a real four.
    let drawing = "
        . . . . . . O . .
        . . X X . X * X .
        . . . . . . X . .
        . . . . . . X . .
        . . . . . . X . .
        . . . . . . . . .";
    assert_eq!(verdict(drawing), None);
    assert_eq!(verdict(&drawing.replace(". X * X .", ". X * . .")), Some(Forbidden::DoubleFour));
}

#[test]
fn a_four_and_a_three_are_allowed() {
    let drawing = "
        . . . . . . . .
        . . . . X . . .
        . . . . X . . .
        O X X X * . . .
        . . . . . . . .
        . . . . . . . .";
    assert_eq!(verdict(drawing), None);
}

#[test]
fn two_threes_are_forbidden_solid_or_broken() {
    let solid = "
        . . . . . . .
        . . . . . . .
        . . X X * . .
        . . . . X . .
        . . . . X . .
        . . . . . . .
        . . . . . . .";
    assert_eq!(verdict(solid), Some(Forbidden::DoubleThree));
    let broken = "
        . . . . . . . .
        . . X . . . . .
        . . . X . . . .
        . . . . . . . .
        . X . X . * . .
        . . . . . . . .
        . . . . . . . .";
    assert_eq!(verdict(broken), None, "X.X.X is no three");
    let broken = "
        . . . . . . . .
        . . X . . . . .
        . . . X . . . .
        . . . . . . . .
        . . X X . * . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .";
    assert_eq!(verdict(broken), Some(Forbidden::DoubleThree));
}

#[test]
fn three_threes_are_forbidden_as_two_are() {
    let drawing = "
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . X . .
        . . . . X X . . .
        . . X X * . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .";
    assert_eq!(verdict(drawing), Some(Forbidden::DoubleThree));
}

/// A sure three downwards and, in the first row with a stone, a line under test.
fn with_a_three_downwards(line: &str) -> Option<Forbidden> {
    let column = line.chars().filter(|sign| !sign.is_whitespace()).position(|sign| sign == '*');
    let column = column.expect("the line has a *");
    let width = line.chars().filter(|sign| !sign.is_whitespace()).count();
    let row = |sign: char| -> String {
        (0..width).map(|x| if x == column { sign } else { '.' }).collect()
    };
    let rows = [row('.'), row('.'), line.into(), row('X'), row('X'), row('.'), row('.')];
    verdict(&rows.join("\n"))
}

#[test]
fn a_three_needs_room_for_a_straight_four() {
    let three = Some(Forbidden::DoubleThree);
    for (line, expected) in [
        ("..XX*..", three),
        // One free cell to the edge or a white stone is enough if the other side has two.
        (".XX*..", three),
        ("..XX*.", three),
        (".XX*.", None),
        ("XX*...", None),
        ("...XX*", None),
        ("OXX*...", None),
        ("O.XX*..", three),
        ("O.XX*.O", None),
        ("O.XX*.", None),
        (".X.X*.", three),
        (".XX.*.", three),
        ("O.X.X*.O", three),
        ("OX.X*..", None),
        (".X..X*..", None),
    ] {
        assert_eq!(with_a_three_downwards(line), expected, "{line}");
    }
}

#[test]
fn a_three_that_can_only_become_an_overline_is_false() {
    let three = Some(Forbidden::DoubleThree);
    for (line, expected) in [
        // Either way the straight four would have an end that makes six.
        ("X..XX*..X", None),
        ("X..XX*..", three),
        ("X..XX*.O", None),
        ("X..XX*.", None),
        // The straight four of a broken three has no other choice.
        ("X.X.X*...", None),
        ("X..X.X*..", three),
        ("..X.X*.X..", None),
    ] {
        assert_eq!(with_a_three_downwards(line), expected, "{line}");
    }
}

#[test]
fn threes_in_one_line_count_once() {
    for line in ["..XX*..", "..X.*X..", ".X.X*..", "..*X.X..X"] {
        assert_eq!(verdict(line), None, "{line}");
    }
}

#[test]
fn a_three_does_not_count_if_its_straight_four_makes_an_overline() {
    // The broken three's gap would also complete six in the column through it.
    let drawing = "
        . . . X . . . . .
        . . . X . . . . .
        . . . X . . . . .
        . X X . * . . . .
        . . . X X . . . .
        . . . X X . . . .
        . . . . . . . . .
        . . . . . . . . .";
    assert_eq!(verdict(drawing), None);
    // With fewer stones in that column nothing is wrong with it.
    let drawing = "
        . . . O . . . . .
        . . . O . . . . .
        . . . . . . . . .
        . X X . * . . . .
        . . . X X . . . .
        . . . O X . . . .
        . . . . . . . . .
        . . . . . . . . .";
    assert_eq!(verdict(drawing), Some(Forbidden::DoubleThree));
}

#[test]
fn a_three_does_not_count_if_its_straight_four_makes_a_second_four() {
    let drawing = "
        . . . O . . . . .
        . . . X . . . . .
        . . . X . . . . .
        . X X . * . . . .
        . . . X X . . . .
        . . . . X . . . .
        . . . . . . . . .
        . . . . . . . . .";
    assert_eq!(verdict(drawing), None);
}

#[test]
fn a_three_does_not_count_if_its_straight_four_makes_a_five() {
    // So the international rules have it: the five would come first.
    let drawing = "
        . . . . . . . . .
        . . . X . . . . .
        . . . X . . . . .
        . X X . * . . . .
        . . . X X . . . .
        . . . X X . . . .
        . . . . . . . . .
        . . . . . . . . .";
    assert_eq!(verdict(drawing), None);
}

#[test]
fn a_three_does_not_count_if_its_straight_four_makes_two_threes() {
    // The gap in the row would also make threes in its column and in a diagonal.
    let drawing = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . X . X . . X . . .
        . . . X X . X . . . .
        . . X X . * . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .";
    assert_eq!(verdict(drawing), None);
    // Spoil one of those two threes, and the gap may be played.
    let spoilt = drawing.replace(". . X . X . . X", ". . O . X . . X");
    assert_eq!(verdict(&spoilt), Some(Forbidden::DoubleThree));
    // A step further down: the column's straight four can only be made at its upper end,
    // where a second four in the row there forbids it, so the gap may be played again.
    let deeper = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . O . X X X . . .
        . . X . X . . X . . .
        . . . X X . X . . . .
        . . X X . * . . . . .
        . . . . . . . . . . .
        . . . . O . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .";
    assert_eq!(verdict(deeper), Some(Forbidden::DoubleThree));
    assert_eq!(verdict(&deeper.replace("O . X X X", "O . . X X")), None);
}

#[test]
fn agrees_with_the_rule_taken_literally_on_random_positions() {
    let mut rng = game::Seed(3).rng("renju");
    let mut seen = [0; 3];
    for round in 0..400 {
        let side = |rng: &mut game::Rng| 5 + rng.below(11) as u8;
        let size = Size { width: side(&mut rng), height: side(&mut rng) };
        let mut board = Board::empty(size);
        let (blacks, whites) = (6 + rng.below(19), rng.below(8));
        // Crowd the stones together, or hardly anything happens.
        let (left, top) = (rng.below(8) as u8, rng.below(8) as u8);
        for (number, stone) in [(blacks, Stone::Black), (whites, Stone::White)] {
            for _ in 0..number {
                let (x, y) = (left + rng.below(8) as u8, top + rng.below(8) as u8);
                let cell = Cell { x: x % size.width, y: y % size.height };
                board.set(cell, Some(stone));
            }
        }
        for cell in board.free() {
            let verdict = forbidden(&board, cell);
            assert_eq!(verdict, slow::forbidden(&board, cell), "round {round}, {cell}");
            if let Some(reason) = verdict {
                seen[reason as usize] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&times| times > 25), "{seen:?}");
}

/// The rule once more, slowly and word by word, sharing nothing with the above.
mod slow {
    use super::*;

    pub(super) fn forbidden(board: &Board, cell: Cell) -> Option<Forbidden> {
        let board = with(board, cell);
        let rows = DIRECTIONS.map(|direction| row(&board, cell, direction).len());
        if rows.contains(&5) {
            return None;
        }
        if rows.iter().any(|&length| length > 5) {
            return Some(Forbidden::Overline);
        }
        if DIRECTIONS.iter().map(|&d| fours(&board, cell, d).len()).sum::<usize>() > 1 {
            return Some(Forbidden::DoubleFour);
        }
        let threes = DIRECTIONS.iter().filter(|&&d| is_three(&board, cell, d)).count();
        (threes > 1).then_some(Forbidden::DoubleThree)
    }

    fn with(board: &Board, cell: Cell) -> Board {
        let mut board = board.clone();
        board.set(cell, Some(Stone::Black));
        board
    }

    /// All cells of the line, from edge to edge.
    fn line(board: &Board, cell: Cell, (dx, dy): (i8, i8)) -> Vec<Cell> {
        let at =
            |n: i64| (i64::from(cell.x) + n * i64::from(dx), i64::from(cell.y) + n * i64::from(dy));
        (-40..=40).filter_map(|n| board.size().cell(at(n).0, at(n).1)).collect()
    }

    /// The black stones in a row with the one on `cell`.
    fn row(board: &Board, cell: Cell, direction: (i8, i8)) -> Vec<Cell> {
        let line = line(board, cell, direction);
        let is_black = |cell: &Cell| board.at(*cell) == Some(Stone::Black);
        line.split(|cell| !is_black(cell))
            .find(|row| row.contains(&cell))
            .map(<[Cell]>::to_vec)
            .unwrap_or_default()
    }

    /// The places on the line where one more stone makes a five with the stone on `cell`.
    fn five_makers(board: &Board, cell: Cell, direction: (i8, i8)) -> Vec<Cell> {
        let makes_five = |at: &Cell| {
            board.at(*at).is_none() && {
                let five = row(&with(board, *at), cell, direction);
                five.len() == 5 && five.contains(at)
            }
        };
        line(board, cell, direction).into_iter().filter(makes_five).collect()
    }

    /// The different sets of four stones that one more stone turns into a five.
    fn fours(board: &Board, cell: Cell, direction: (i8, i8)) -> Vec<Vec<Cell>> {
        let mut fours: Vec<Vec<Cell>> = five_makers(board, cell, direction)
            .into_iter()
            .map(|at| {
                let five = row(&with(board, at), cell, direction);
                five.into_iter().filter(|stone| *stone != at).collect()
            })
            .collect();
        fours.dedup();
        fours
    }

    fn is_three(board: &Board, cell: Cell, direction: (i8, i8)) -> bool {
        line(board, cell, direction).into_iter().any(|at| {
            board.at(at).is_none() && {
                let after = with(board, at);
                let four = row(&after, cell, direction);
                four.len() == 4
                    && four.contains(&at)
                    && five_makers(&after, cell, direction).len() == 2
                    && fours(&after, cell, direction).len() == 1
                    && DIRECTIONS.iter().all(|&d| row(&after, at, d).len() != 5)
                    && forbidden(board, at).is_none()
            }
        })
    }
}
