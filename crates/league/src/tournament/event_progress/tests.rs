//! Events that are broken off, joined and ended by exact ratings.

use std::collections::HashMap;

use game::Seed;

use super::*;

fn plan(format: Format) -> Plan {
    Plan::new(format, 2, 1, vec![0; 9])
}

/// The result of a game, always the same.
fn outcome(fixture: &Fixture) -> Vec<u16> {
    let first = Seed(2).rng(&fixture.key().0).chance(1, 2);
    if first { vec![1, 2] } else { vec![2, 1] }
}

/// Plays up to `most` games, several at a time, finishing in any order, some of them void.
fn sit(progress: &mut EventProgress, most: usize, rng: &mut game::Rng) -> Vec<(GameKey, Vec<u16>)> {
    let (mut open, mut done) = (Vec::new(), Vec::new());
    while done.len() < most {
        while open.len() < 4
            && let NextGame::Game(fixture, _) = progress.next_game()
        {
            open.push(fixture);
        }
        if open.is_empty() {
            break;
        }
        let fixture = open.swap_remove(rng.index(open.len()));
        if rng.chance(1, 5) {
            progress.release(fixture, Attempt::Used);
        } else {
            let ranks = outcome(&fixture);
            progress.finish(&fixture, ranks.clone());
            done.push((fixture.key(), ranks));
        }
    }
    done
}

#[test]
fn whatever_is_broken_off_when_every_game_is_played_once_and_the_same_games_are() {
    let formats = [
        Format::RoundRobin { rounds: 2 },
        Format::Swiss { rounds: 5, games: 2 },
        Format::Knockout {
            games: 2,
            extra: 1,
            third_place: true,
            system: crate::schedule::System::Single,
        },
        Format::Ladder { games: 2 },
        Format::Knockout {
            games: 2,
            extra: 1,
            third_place: false,
            system: crate::schedule::System::Double,
        },
    ];
    for format in formats {
        let stop = Stop { games: Some(60), ..Stop::default() };
        let mut rng = Seed(3).rng("sittings");
        let fresh =
            |results: Results| EventProgress::new(plan(format), stop, results, HashMap::new());
        let whole: Results =
            sit(&mut fresh(Results::new()), usize::MAX, &mut rng).into_iter().collect();
        for _ in 0..30 {
            let mut results = Results::new();
            loop {
                // What is under way when we are killed is forgotten.
                let most = 1 + rng.index(12);
                let done = sit(&mut fresh(results.clone()), most, &mut rng);
                if done.is_empty() {
                    break;
                }
                for (key, ranks) in done {
                    assert!(results.insert(key, ranks), "played twice");
                }
            }
            assert_eq!(results, whole, "{format:?}");
        }
    }
}

#[test]
fn who_joins_begins_with_the_first_stage_that_has_not_begun() {
    for format in [Format::Swiss { rounds: 5, games: 2 }, Format::Ladder { games: 2 }] {
        let fresh = |joined: Vec<u32>, results: &Results| {
            let plan = Plan { joined, ..plan(format) };
            EventProgress::new(plan, Stop::default(), results.clone(), HashMap::new())
        };
        let mut rng = Seed(4).rng("sittings");
        let mut progress = fresh(vec![0; 9], &Results::new());
        let stage = progress.plan.stages(&Results::new())[0].len();
        let mut results = Results::new();
        // The first stage is whole, and the next is drawn up but has not begun.
        for fixture in &progress.plan.stages(&Results::new())[0] {
            results.insert(fixture.key(), outcome(&fixture));
        }
        progress = fresh(vec![0; 9], &results);
        assert!(progress.stages.len() > 1, "{format:?}");
        assert_eq!(progress.join(), 1, "{format:?}");
        assert_eq!(progress.total(), progress.plan.total(&progress.stages, &progress.results));
        let first = sit(&mut progress, 1, &mut rng);
        assert_eq!(first.len(), 1);
        let again = fresh(progress.plan.joined.clone(), &results);
        assert_eq!(progress.stages[1], again.stages[1], "{format:?}: the same after a restart");
        let newcomer = BotId(9);
        let plays = progress.stages[1].iter().any(|game| game.group.contains(&newcomer));
        assert!(plays, "{format:?}: ten bots, and nobody sits out");
        // That one has begun now.
        assert_eq!(progress.next_join(), 2, "{format:?}");
        assert!(progress.done() > stage as u64);
    }
}

#[test]
fn exact_ratings_end_an_event_at_the_same_stage_every_time() {
    let format = Format::RoundRobin { rounds: 40 };
    let stop = Stop { rating_error: Some(150.0), ..Stop::default() };
    let mut counts = Vec::new();
    for seed in 0..3 {
        let mut progress = EventProgress::new(plan(format), stop, Results::new(), HashMap::new());
        let mut rng = Seed(seed).rng("sittings");
        counts.push(sit(&mut progress, usize::MAX, &mut rng).len());
    }
    assert!(counts[0] < 36 * 40, "it ends before all is played: {counts:?}");
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn ratings_are_exact_enough_relative_to_those_that_are_given() {
    let format = Format::RoundRobin { rounds: 400 };
    let stop = Stop { rating_error: Some(100.0), ..Stop::default() };
    let games = |given: std::ops::Range<u32>| {
        let anchors = given.map(|bot| (BotId(bot), 2000.0)).collect();
        let (none, tries) = (Results::new(), HashMap::new());
        let mut progress = EventProgress::with_anchors(plan(format), stop, none, tries, anchors);
        sit(&mut progress, usize::MAX, &mut Seed(1).rng("sittings")).len()
    };
    // The distance from one bot is known less well than that from the mean of nine.
    let (free, one, eight) = (games(0..0), games(0..1), games(0..8));
    assert!(free < one, "{free} {one}");
    assert!(eight < one, "one rating is left to be measured: {eight} {one}");
}

#[test]
fn tests_get_games_by_what_they_are_likely_to_need() {
    use crate::tournament::sequential_test::{Correction, Hypotheses, TestModel};
    let test = |elo1: f64| {
        let hypotheses = Hypotheses {
            elo0: 0.0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            model: TestModel::Logistic,
            overshoot: Correction::Wald,
        };
        let format = Format::Gauntlet { rounds: 100_000, challengers: 1 };
        let stop = Stop { test: Some(hypotheses), ..Stop::default() };
        EventProgress::new(
            Plan::new(format, 2, 1, vec![0; 2]),
            stop,
            Results::new(),
            HashMap::new(),
        )
    };
    let mut tests = [test(100.0), test(20.0)];
    for _ in 0..200 {
        let share = |test: &EventProgress| test.share_of_test().expect("it is open");
        let next = usize::from(share(&tests[1]) < share(&tests[0]));
        let NextGame::Game(fixture, _) = tests[next].next_game() else { panic!("it has games") };
        let ranks = outcome(&fixture);
        tests[next].finish(&fixture, ranks);
    }
    let [wide, narrow] = tests.map(|test| test.done());
    // A fifth of the difference takes about 25 times as many games.
    assert!(wide >= 3 && narrow > 5 * wide, "{wide} {narrow}");
}
