//! What the players must be able to do, on drawn boards: `x` is Black, `o` is White.

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

const SIZES: [(u8, u8); 5] = [(5, 5), (7, 20), (15, 15), (32, 32), (32, 5)];

#[test]
fn every_player_is_always_legal() {
    for rule in Rule::ALL {
        for (number, (width, height)) in SIZES.into_iter().enumerate() {
            let size = Size { width, height };
            let seed = Seed(number as u64);
            let mut engine = Engine::new(size, rule, SMALL).with_nodes(60);
            let mut greedy = Greedy::new(size, rule, seed.rng("greedy"));
            let mut wanderer = Wanderer::new(size, rule, seed.rng("wanderer"));
            let mut judge = Position::new(size, rule);
            let mut stones = Vec::new();
            let mut stone = Stone::Black;
            // Games go on after a five: such positions must not upset anybody either.
            while stones.len() < size.area().min(120) {
                engine.set_position(&stones);
                greedy.set_position(&stones);
                wanderer.set_position(&stones);
                set_position(&mut judge, &stones);
                let chosen = [
                    engine.think(stone, &FOREVER).cell,
                    greedy.choose(stone),
                    wanderer.choose(stone),
                ];
                let grid = *judge.grid();
                let all = grid.size().cells().map(|cell| grid.at(cell));
                let any_legal = !legal(&mut judge, stone, all).is_empty();
                for cell in chosen {
                    let at = grid.at(cell);
                    assert!(judge.is_free(at), "{} {size}: {cell} is taken", rule.name());
                    assert!(judge.allows(at, stone) || !any_legal, "{cell} is forbidden");
                }
                stones.push((chosen[if stones.len() % 3 == 0 { 1 } else { 2 }], stone));
                stone = stone.other();
            }
        }
    }
}

#[test]
fn stones_that_come_and_go_leave_no_trace() {
    for rule in Rule::ALL {
        let size = Size { width: 9, height: 12 };
        let mut wanderer = Wanderer::new(size, rule, Seed(5).rng("wanderer"));
        let mut stones = Vec::new();
        let mut stone = Stone::Black;
        for _ in 0..60 {
            wanderer.set_position(&stones);
            stones.push((wanderer.choose(stone), stone));
            stone = stone.other();
        }
        let mut walked = Position::new(size, rule);
        set_position(&mut walked, &stones);
        set_position(&mut walked, &stones[..20]);
        let mut fresh = Position::new(size, rule);
        // In another order, too: only the stones count.
        let mut reversed = stones[..20].to_vec();
        reversed.reverse();
        set_position(&mut fresh, &reversed);
        assert_eq!(walked.balance(Stone::Black), fresh.balance(Stone::Black));
        assert_eq!(walked.key(Stone::Black), fresh.key(Stone::Black));
        let grid = *walked.grid();
        for at in size.cells().map(|cell| grid.at(cell)).filter(|&at| fresh.is_free(at)) {
            assert_eq!(walked.code(at, Stone::Black), fresh.code(at, Stone::Black));
            assert_eq!(walked.code(at, Stone::White), fresh.code(at, Stone::White));
        }
    }
}

#[test]
fn five_threats_of_the_tables_are_fives_on_the_board() {
    for rule in Rule::ALL {
        let size = Size { width: 11, height: 9 };
        let mut wanderer = Wanderer::new(size, rule, Seed(8).rng("wanderer"));
        let mut position = Position::new(size, rule);
        let mut board = Board::empty(size);
        let mut stones = Vec::new();
        let mut stone = Stone::Black;
        while stones.len() < 90 {
            wanderer.set_position(&stones);
            let cell = wanderer.choose(stone);
            stones.push((cell, stone));
            board.set(cell, Some(stone));
            if wins(&board, rule, cell) {
                // Rows that have already won confuse the comparison.
                break;
            }
            set_position(&mut position, &stones);
            for colour in [Stone::Black, Stone::White] {
                let cells = position.cells_with(colour, Threat::Five);
                let seen: Vec<Cell> =
                    cells.iter().filter_map(|at| position.grid().cell(at)).collect();
                assert_eq!(seen, fives(&mut board, rule, colour), "{}", rule.name());
            }
            stone = stone.other();
        }
    }
}

#[test]
fn the_node_limit_is_kept_and_makes_thoughts_repeat() {
    let (size, stones) = drawn(&DOUBLE_THREE);
    let stones = &stones[..3];
    let think = || {
        let mut engine = Engine::new(size, Rule::Standard, SMALL).with_nodes(3000);
        engine.set_position(stones);
        engine.think(Stone::White, &FOREVER)
    };
    let thought = think();
    assert!(thought.nodes <= 3001, "{} nodes", thought.nodes);
    assert!(thought.depth > 1);
    assert_eq!(thought, think());
}

#[test]
fn thinking_stops_when_told() {
    let (size, stones) = drawn(&DOUBLE_THREE);
    let mut engine = Engine::new(size, Rule::Renju, SMALL);
    engine.set_position(&stones);
    let thought = engine.think(Stone::White, &Untimed { stopped: true });
    assert!(thought.nodes < 1000, "{} nodes", thought.nodes);
}

/// A clock that goes on by itself whenever it is looked at.
struct Ticking {
    looks: std::cell::Cell<u64>,
    limit: Duration,
}

impl Budget for Ticking {
    fn left(&self) -> Option<Duration> {
        self.looks.set(self.looks.get() + 1);
        Some(self.limit.saturating_sub(Duration::from_micros(200) * self.looks.get() as u32))
    }

    fn stopped(&self) -> bool {
        false
    }
}

#[test]
fn thinking_ends_before_the_budget_does() {
    for limit in [1, 5, 50, 1000] {
        let (size, stones) = drawn(&DOUBLE_THREE);
        let mut engine = Engine::new(size, Rule::Standard, SMALL);
        engine.set_position(&stones[..4]);
        let budget =
            Ticking { looks: std::cell::Cell::new(0), limit: Duration::from_millis(limit) };
        engine.think(Stone::White, &budget);
        let left = budget.left().expect("the budget is limited");
        assert!(left >= Duration::from_millis(limit) / 10, "{limit} ms: {left:?} left");
    }
}

#[test]
fn the_engine_beats_the_greedy_player_and_that_beats_chance() {
    let size = Size { width: 15, height: 15 };
    for rule in [Rule::Freestyle, Rule::Renju] {
        for seed in 0..2 {
            let mut engine = Engine::new(size, rule, 1 << 20).with_nodes(3000);
            let mut greedy = Greedy::new(size, rule, Seed(seed).rng("greedy"));
            let mut wanderer = Wanderer::new(size, rule, Seed(seed).rng("wanderer"));
            let engine_won = first_wins(rule, size, |stones, stone| {
                engine.set_position(stones);
                greedy.set_position(stones);
                if stone == Stone::Black {
                    engine.think(stone, &FOREVER).cell
                } else {
                    greedy.choose(stone)
                }
            });
            assert!(engine_won, "{}", rule.name());
            let greedy_won = first_wins(rule, size, |stones, stone| {
                greedy.set_position(stones);
                wanderer.set_position(stones);
                if stone == Stone::Black { greedy.choose(stone) } else { wanderer.choose(stone) }
            });
            assert!(greedy_won, "{}", rule.name());
        }
    }
}

fn first_wins(
    rule: Rule,
    size: Size,
    mut choose: impl FnMut(&[(Cell, Stone)], Stone) -> Cell,
) -> bool {
    let mut board = Board::empty(size);
    let mut stones = Vec::new();
    let mut stone = Stone::Black;
    while stones.len() < size.area() {
        let cell = choose(&stones, stone);
        board.set(cell, Some(stone));
        stones.push((cell, stone));
        if wins(&board, rule, cell) {
            return stone == Stone::Black;
        }
        stone = stone.other();
    }
    false
}

#[test]
fn swap2_takes_the_better_side() {
    let strong_black = [
        "...............",
        "...............",
        "...............",
        "...............",
        "...............",
        "...............",
        "...............",
        "......xx.......",
        "...............",
        "...............",
        "...............",
        "...............",
        "...............",
        "...............",
        "o..............",
    ];
    let (size, stones) = drawn(&strong_black);
    let mut engine = Engine::new(size, Rule::Standard, SMALL).with_nodes(3000);
    let mut rng = Seed(1).rng("swap2");
    assert_eq!(swap2_choice(&mut engine, &stones, &mut rng, &FOREVER), Swap2::Swap);
    let mut five = stones.clone();
    five.push((Cell { x: 8, y: 8 }, Stone::White));
    five.push((Cell { x: 14, y: 0 }, Stone::Black));
    assert_ne!(
        std::mem::discriminant(&swap2_choice(&mut engine, &five, &mut rng, &FOREVER)),
        std::mem::discriminant(&Swap2::PutTwo([five[0].0; 2])),
    );
}

#[test]
fn swap2_openings_are_three_different_cells() {
    for (width, height) in SIZES {
        let size = Size { width, height };
        let mut engine = Engine::new(size, Rule::Standard, SMALL).with_nodes(300);
        let mut rng = Seed(2).rng("swap2");
        let [a, b, c] = swap2_opening(&mut engine, &mut rng, &FOREVER);
        assert!(a != b && b != c && a != c);
    }
}
