//! Maps: fair, connected, and the same when they are read back.

use game::{Game, Seed};
use table::Hosted;

use super::generate::{generate, reach};
use super::layout::{Layout, Symmetry};
use super::*;

fn made(config: &Config, players: u16, seed: u64) -> Layout {
    generate(config, players, Seed(seed)).expect("there is room")
}

/// Sizes from tight to the largest, with the number of ants.
const SIZES: [(u16, u16, u8); 6] =
    [(40, 30, 5), (9, 7, 1), (20, 20, 5), (33, 12, 8), (60, 60, 42), (300, 300, 42)];

#[test]
fn a_start_area_is_like_every_other_where_a_symmetry_fits() {
    for (players, width, height, symmetry) in [
        (2, 40, 30, Symmetry::HalfTurn),
        (2, 31, 31, Symmetry::HalfTurn),
        (4, 30, 30, Symmetry::QuarterTurn),
        (4, 31, 31, Symmetry::QuarterTurn),
        (4, 40, 30, Symmetry::Mirrors),
        (4, 41, 31, Symmetry::Mirrors),
    ] {
        for seed in 0..10 {
            let config = Config { width, height, rock: 0.2, ..Config::default() };
            let layout = made(&config, players, seed);
            assert_eq!(layout.symmetry(), symmetry);
            for side in 0..usize::from(players) {
                let image = |point| symmetry.image(side, point, width, height);
                for point in layout.land.points() {
                    assert_eq!(layout.land.at(point), layout.land.at(image(point)));
                }
                for (id, at) in layout.starts[0].iter().enumerate() {
                    assert_eq!(layout.starts[side][id], image(*at), "ant {id} of {side}");
                }
            }
        }
    }
}

#[test]
fn quarter_turns_turn_the_ants_too() {
    let facing: Vec<Direction> = (0..4).map(|side| Symmetry::QuarterTurn.facing(side)).collect();
    for (side, facing) in facing.iter().enumerate() {
        // The image of a step to the east is a step to where the ant looks.
        let (from, to) = (Point::new(2, 3), Point::new(3, 3));
        let image = |point| Symmetry::QuarterTurn.image(side, point, 9, 9);
        assert_eq!(image(from).next(*facing), Some(image(to)));
    }
}

#[test]
fn nobody_is_walled_in_and_all_food_can_be_reached() {
    for (width, height, ants) in SIZES {
        for players in 2..=8 {
            let config =
                Config { width, height, ants, rock: 0.25, water: 0.15, ..Config::default() };
            // The largest maps once are enough.
            let seeds = if width > 100 { 1 } else { 6 };
            for seed in 0..seeds {
                let Ok(layout) = generate(&config, players, Seed(seed)) else {
                    assert!(width * height < 400, "{width}x{height} is too small for {players}");
                    continue;
                };
                let reached = reach(&layout.land, layout.starts[0][0]);
                for (point, reached) in layout.land.points().zip(reached) {
                    assert_eq!(reached, !layout.land.at(point).blocks(), "{point}");
                }
                let mut all: Vec<Point> = layout.starts.concat();
                assert!(all.iter().all(|at| layout.land.at(*at) == Content::Grass));
                all.sort_unstable();
                all.dedup();
                assert_eq!(all.len(), usize::from(players) * usize::from(ants), "apart");
            }
        }
    }
}

#[test]
fn shares_of_the_set_up_are_kept() {
    for players in [2, 3, 4, 7] {
        let layout = made(&Config::default(), players, 5);
        let count = |content| layout.land.cells().iter().filter(|c| **c == content).count();
        for (content, wanted) in [
            (Content::Food(Food::Sugar), 48),
            (Content::Food(Food::Mill), 24),
            (Content::Food(Food::Meat), 12),
            (Content::Water, 48),
        ] {
            let found = count(content);
            assert!((wanted..=wanted + 20).contains(&found), "{found} of {content:?}");
        }
        assert!((72..=120).contains(&count(Content::Rock)), "{}", count(Content::Rock));
    }
    let bare =
        Config { rock: 0.0, water: 0.0, sugar: 0.0, mill: 0.0, meat: 0.0, ..Config::default() };
    assert!(made(&bare, 2, 1).land.cells().iter().all(|cell| *cell == Content::Grass));
}

#[test]
fn three_players_start_far_apart() {
    for seed in 0..20 {
        let layout = made(&Config::default(), 3, seed);
        let near = |a: &Point, b: &Point| a.x.abs_diff(b.x).max(a.y.abs_diff(b.y));
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            let pairs = layout.starts[first]
                .iter()
                .flat_map(|a| layout.starts[second].iter().map(move |b| near(a, b)));
            assert!(pairs.min() > Some(8), "seed {seed}");
        }
    }
}

#[test]
fn a_set_up_that_spells_the_map_out_gives_the_same_game() {
    for players in [2, 3, 4, 8] {
        for (width, height) in [(40, 30), (35, 35)] {
            let config = Config { width, height, ..Config::default() };
            let mut settled = config.clone();
            Ants::settle(&mut settled, players, Seed(4)).expect("there is room");
            let game = Ants::start(&config, players, Seed(4)).expect("sound");
            assert_eq!(Ants::start(&settled, players, Seed(4)).expect("sound"), game);
            let mut again = settled.clone();
            Ants::settle(&mut again, players, Seed(4)).expect("sound");
            assert_eq!(again, settled);
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_map_and_another_seed_another() {
    let text = |seed| made(&Config::default(), 2, seed).text();
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn a_given_map_is_taken_as_it_is() {
    let map = "A.1#\n.~5.\n3..B\n";
    let config = Config { map: map.to_owned(), ants: 1, ..Config::default() };
    let layout = Layout::parse(&config, 2).expect("sound");
    assert_eq!(layout.text(), map);
    assert_eq!(layout.starts, [[Point::new(0, 0)], [Point::new(3, 2)]]);
    assert_eq!(layout.land.at(Point::new(1, 1)), Content::Water);
    let wrong = |map: &str, ants: u8, players: u16, words: &str| {
        let config = Config { map: map.to_owned(), ants, ..Config::default() };
        let error = Ants::start(&config, players, Seed(1)).expect_err(map).to_string();
        assert!(error.contains(words), "{error}");
    };
    wrong("A..B\n...\n", 1, 2, "not equally long");
    wrong("A.xB\n", 1, 2, "'x' is not a kind of ground");
    wrong("A..B\n", 2, 2, "1 ant A, but the set-up says ants = 2");
    wrong("A..BC\n", 1, 2, "C stands for one player too many");
    wrong("A..B\n", 1, 3, "0 ants C");
    wrong(&format!("A{}B\n", ".".repeat(300)), 1, 2, "larger than 300x300");
}

#[test]
fn a_map_without_room_is_refused_with_the_next_step() {
    let config = Config { width: 6, height: 6, ants: 42, ..Config::default() };
    let error = Ants::start(&config, 2, Seed(1)).expect_err("too small").to_string();
    assert!(error.contains("6x6 is too small for 2 players with 42 ants"), "{error}");
    let tight = Config { width: 2, height: 1, ants: 1, rock: 0.4, ..Config::default() };
    assert!(Ants::start(&tight, 2, Seed(1)).is_ok());
}
