//! Who beats whom, and openings of swap2.

use super::*;

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
