//! Threats that the engine must find, block or leave alone.

use super::*;

#[test]
fn a_four_is_completed() {
    for rule in Rule::ALL {
        let rows = [".......", "...o...", "..xxxx.", "...o...", "...o...", ".......", "......."];
        let thought = thought(rule, &rows, Stone::Black, 1000);
        assert_eq!(thought.cell.y, 2, "{}", rule.name());
        assert_eq!(thought.forced, Some(1));
        assert_eq!(thought.nodes, 0);
    }
}

#[test]
fn a_five_is_preferred_to_a_block() {
    let rows = [".......", ".oooo..", ".......", ".xxxx..", ".......", ".......", "......."];
    assert_eq!(thought(Rule::Freestyle, &rows, Stone::White, 1000).cell.y, 1);
    assert_eq!(thought(Rule::Freestyle, &rows, Stone::Black, 1000).cell.y, 3);
}

#[test]
fn a_four_is_blocked_at_once() {
    let rows = [".......", ".......", "oxxxx..", "...o...", "...o...", ".......", "......."];
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju] {
        let thought = thought(rule, &rows, Stone::White, 1000);
        assert_eq!(thought.cell, Cell { x: 5, y: 2 });
        assert_eq!(thought.nodes, 0, "a forced move needs no search");
    }
}

#[test]
fn a_four_may_be_blocked_behind_its_gap_in_caro() {
    // With White left of it, the row is also spoilt by a stone right of the gap.
    let rows = [".......", ".......", "oxxxx..", ".......", ".......", ".......", "......."];
    let thought = thought(Rule::Caro, &rows, Stone::White, 1000);
    assert!([5, 6].contains(&thought.cell.x) && thought.cell.y == 2);
}

#[test]
fn a_free_three_is_answered() {
    let rows = [
        ".........",
        ".........",
        "...x.....",
        "...xo....",
        "...x.....",
        "....o....",
        ".........",
        ".........",
        ".........",
    ];
    for rule in Rule::ALL {
        let thought = thought(rule, &rows, Stone::White, 5000);
        assert!(thought.cell.x == 3, "{}: {thought:?}", rule.name());
    }
}

#[test]
fn a_three_becomes_a_straight_four() {
    let rows = [
        ".........",
        ".........",
        "...x.....",
        "...xo....",
        "...x.....",
        "....o....",
        ".........",
        ".........",
        ".........",
    ];
    for rule in Rule::ALL {
        let thought = thought(rule, &rows, Stone::Black, 5000);
        assert_eq!(thought.forced, Some(3), "{}", rule.name());
    }
}

#[test]
fn two_fours_that_meet_win() {
    let two = [
        "...........",
        "...........",
        "..oxxx.....",
        "......x....",
        "......x....",
        "......x....",
        "......o....",
        "...........",
        "...........",
        "...........",
        "...........",
    ];
    assert_eq!(fours_to_win(Rule::Freestyle, &two, Stone::Black), 1);
}

#[test]
fn a_win_by_seven_fours_is_found() {
    let rows = [
        "...............",
        "............xo.",
        "..o.........o..",
        "......x........",
        "....x.....x....",
        "....xoo......o.",
        "......o........",
        ".......x.......",
        ".....ox......x.",
        "..........x.o..",
        "..........x.o..",
        "..........o....",
        "........x..xx..",
        "..............x",
        "........oo..oox",
    ];
    assert!(fours_to_win(Rule::Freestyle, &rows, Stone::Black) >= 5);
}

#[test]
fn a_win_by_eight_fours_is_found() {
    let rows = [
        "............o..",
        ".o..x.x........",
        "..........x....",
        "........x......",
        "...o...o...o.x.",
        "......o.oox....",
        "..o...x...x....",
        "o.x...xx.......",
        "......o.ox.....",
        "...............",
        "o.......x......",
        "........o......",
        "..x............",
        "...............",
        "...............",
    ];
    assert!(fours_to_win(Rule::Freestyle, &rows, Stone::Black) >= 7);
}

#[test]
fn a_win_by_nine_fours_is_found() {
    let rows = [
        "..o............",
        "...............",
        "...............",
        "..o.o..........",
        "....o.x........",
        "...............",
        "xx..x..x.......",
        ".......o.......",
        "x.....o........",
        "..x.o..........",
        "..x..x.x......o",
        ".ox......o..o..",
        "..o...o........",
        ".......o....o..",
        "....x.x...x....",
    ];
    assert!(fours_to_win(Rule::Freestyle, &rows, Stone::Black) >= 7);
}

#[test]
fn a_win_by_twelve_fours_is_found() {
    let rows = [
        ".......o.......",
        "........oo.....",
        ".....o.........",
        ".......o.......",
        "...............",
        "......o........",
        ".......xxo....o",
        ".......x.......",
        "........oo...oo",
        "...x...o.x..x..",
        "x.....x...oo.x.",
        "......o........",
        "ox....x........",
        ".....x..x..xx..",
        "x.x..ox.x....o.",
    ];
    assert!(fours_to_win(Rule::Freestyle, &rows, Stone::Black) >= 9);
}

#[test]
fn a_win_by_fourteen_fours_is_found() {
    let rows = [
        "...x..x......o.",
        "....ox.x...x...",
        "x..x.oxxo.....o",
        "...............",
        "..x....xo.....x",
        "...o..oo..x.x..",
        "......xo..x...x",
        ".......o.o...o.",
        "...ox..........",
        ".....o..o.x....",
        "...o..o........",
        "..o.o.......x..",
        "..............x",
        "....o..o.......",
        "..o......x.....",
    ];
    assert!(fours_to_win(Rule::Freestyle, &rows, Stone::Black) >= 9);
}

#[test]
fn a_double_three_is_played_where_it_is_allowed_and_only_there() {
    let fork = Cell { x: 4, y: 4 };
    let free = thought(Rule::Freestyle, &DOUBLE_THREE, Stone::Black, 5000);
    assert!(free.forced.is_some_and(|plies| plies > 0));
    let (size, stones) = drawn(&DOUBLE_THREE);
    let mut position = Position::new(size, Rule::Renju);
    set_position(&mut position, &stones);
    let at = position.grid().at(fork);
    assert!(!position.allows(at, Stone::Black));
    assert!(position.allows(at, Stone::White));
    let bound = thought(Rule::Renju, &DOUBLE_THREE, Stone::Black, 5000);
    assert_ne!(bound.cell, fork);
}

#[test]
fn white_wins_by_a_four_that_black_may_not_stop() {
    // White's four on the diagonal can only be stopped where Black makes two threes.
    let rows = [
        "...........",
        "...........",
        "....x......",
        "....x......",
        "..xx.......",
        "...o.......",
        "..o........",
        ".o.........",
        "x..........",
        "...........",
        "...........",
    ];
    let thought = thought(Rule::Renju, &rows, Stone::White, 5000);
    assert_eq!(thought.cell, Cell { x: 5, y: 3 }, "{thought:?}");
    assert!(thought.forced.is_some_and(|plies| plies > 0));
}

#[test]
fn black_does_not_make_six_in_renju() {
    let rows = [".......", ".......", "xxx.xx.", ".......", "o.o.o.o", ".......", "......."];
    let renju = thought(Rule::Renju, &rows, Stone::Black, 2000);
    assert_ne!(renju.cell, Cell { x: 3, y: 2 });
    let free = thought(Rule::Freestyle, &rows, Stone::Black, 2000);
    assert_eq!(free.cell, Cell { x: 3, y: 2 });
}

#[test]
fn the_engine_knows_every_forbidden_point() {
    let mut seen = 0;
    for (number, (width, height)) in [(15, 15), (9, 11)].into_iter().cycle().take(60).enumerate() {
        let size = Size { width, height };
        let mut rng = Seed(number as u64).rng("stones");
        let mut position = Position::new(size, Rule::Renju);
        let mut board = Board::empty(size);
        for count in 0..50 {
            // Twice as many black stones as in a game, for more threes and fours.
            let stone = if count % 3 == 0 { Stone::White } else { Stone::Black };
            let free: Vec<Cell> = board.free().collect();
            let near = free
                .iter()
                .filter(|&&cell| count == 0 || position.near().contains(position.grid().at(cell)));
            let cells: Vec<&Cell> = near.collect();
            let cell = **rng.pick(&cells).expect("there is room");
            board.set(cell, Some(stone));
            position.place(position.grid().at(cell), stone);
            for cell in board.free() {
                let at = position.grid().at(cell);
                let expected = forbidden(&board, cell);
                seen += usize::from(expected.is_some());
                assert_eq!(!position.allows(at, Stone::Black), expected.is_some(), "{cell}");
            }
        }
    }
    assert!(seen > 1000, "only {seen} forbidden points came up");
}
