//! Ladders: games go where the order is open.

use super::*;

#[test]
fn nobody_starves_on_a_ladder_and_games_go_where_the_order_is_open() {
    // Bots 0 and 1 are equal, all others far apart.
    let plan = plan(Format::Ladder { games: 2 }, 8, 2);
    let strength = [0.0, 0.0, 30.0, 60.0, 90.0, 120.0, 150.0, 180.0_f64];
    let mut rng = Seed(11).rng("ladder");
    let (mut stages, mut results) = (Vec::new(), Results::new());
    while stages.len() < 40 {
        let Next::Stage(stage) = plan.next(&stages, &results) else { panic!("ladders go on") };
        for game in &stage {
            let luck =
                game.seating.iter().map(|bot| strength[bot.index()] + f64::from(rng.below(20)));
            let luck: Vec<f64> = luck.collect();
            results.insert(game.key(), if luck[0] < luck[1] { vec![1, 2] } else { vec![2, 1] });
        }
        let playing: HashSet<BotId> = stage.iter().flat_map(|game| game.group.clone()).collect();
        assert_eq!(playing.len(), 8, "everybody plays in every stage");
        stages.push(stage);
    }
    let tally = Tally::new(8, &stages, &results);
    let twins = tally.met[0][1];
    let others = (0..8).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|pair| *pair != (1, 0));
    let mean = others.map(|(a, b)| f64::from(tally.met[a][b])).sum::<f64>() / 27.0;
    assert!(f64::from(twins) > 2.0 * mean, "{twins} games of the equal ones, {mean} of others");
}

/// The simulation of `cargo run --example ladder`.
#[path = "../../../examples/ladder/field.rs"]
mod simulated;

#[test]
fn ratings_of_a_ladder_are_not_spread_by_the_choice_of_games() {
    use simulated::{Chance, Tally, World, strengths};
    let world = World { nu: 1.0, first_seat: 30.0 };
    let (strengths, mut chance) = (strengths(), Chance(1));
    let truth = world.truth(&strengths);
    let mut tally_of = |pairing: Pairing, runs: u32| {
        let plan = Plan { pairing, ..plan(Format::Ladder { games: 2 }, 10, 2) };
        let mut tally = Tally::default();
        for _ in 0..runs {
            tally.add(&world.play(&mut chance, &strengths, &plan, 800), &truth);
        }
        tally
    };
    let tally = tally_of(Pairing::LeastRepeats, 24);
    // Three standard deviations of so few runs.
    assert!((0.965..1.055).contains(&tally.slope()), "{tally:?}");
    assert!(tally.coverage().iter().all(|held| (0.91..0.985).contains(held)), "{tally:?}");
    // Errors are as large as stated, but for chance.
    let [stated, found] = tally.errors();
    assert!((0.8..1.25).contains(&(found / stated)), "{tally:?}");
    let before = tally_of(Pairing::FromTheTop, 8);
    assert!(before.slope() > 1.12, "{before:?}");
}

#[test]
fn a_ladder_that_began_earlier_goes_on_as_it_began() {
    let plan = Plan { pairing: Pairing::FromTheTop, ..plan(Format::Ladder { games: 1 }, 5, 2) };
    let (mut stages, mut results) = (Vec::new(), Results::new());
    for _ in 0..6 {
        let Next::Stage(stage) = plan.next(&stages, &results) else { panic!("ladders go on") };
        for game in &stage {
            let ranks = if game.seating[0] < game.seating[1] { vec![1, 2] } else { vec![2, 1] };
            results.insert(game.key(), ranks);
        }
        stages.push(stage);
    }
    let keys: Vec<String> = stages.iter().flatten().map(|game| game.key().to_string()).collect();
    let before = "0.0.0:0-1 0.0.0:2-3 0.0.0:0-4 0.0.0:0-2 0.0.0:0-3 1.0.0:0-1 1.0.0:2-3 1.0.0:0-4 \
                  1.0.0:0-2 1.0.0:0-3 2.0.0:1-4 2.0.0:2-3 2.0.0:0-2 2.0.0:1-3 2.0.0:3-4 3.0.0:1-4 \
                  3.0.0:2-3 3.0.0:0-1 3.0.0:1-2 3.0.0:2-4 4.0.0:1-2 4.0.0:3-4 4.0.0:0-1 4.0.0:1-3 \
                  4.0.0:1-4 5.0.0:3-4 5.0.0:1-2 5.0.0:0-1 5.0.0:2-3 5.0.0:2-4";
    assert_eq!(keys.join(" "), before);
}
