//! Legal on every board, exact in its books, and in time.

use super::*;

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
