//! Schedules of all formats: what they have in common.

mod knockout;
mod ladder;
mod swiss;

use std::collections::{HashMap, HashSet};

use game::{Rng, Seed};

use super::*;

fn plan(format: Format, bots: usize, seats: usize) -> Plan {
    Plan::new(format, seats, 42, vec![0; bots])
}

/// The stronger bot (of lower number) wins more often.
fn ranks(fixture: &Fixture, rng: &mut Rng) -> Vec<u16> {
    let luck: Vec<u32> = fixture.seating.iter().map(|bot| bot.0 * 2 + rng.below(12)).collect();
    luck.iter().map(|mine| 1 + luck.iter().filter(|other| *other < mine).count() as u16).collect()
}

/// Plays everything, games of what is open in any order; the stages that came of it.
fn play(plan: &Plan, most: usize, rng: &mut Rng) -> (Vec<Stage>, Results) {
    let mut results = Results::new();
    let mut stages = Vec::new();
    loop {
        while let Next::Stage(stage) = plan.next(&stages, &results) {
            stages.push(stage);
            if stages.len() > most {
                stages.pop();
                break;
            }
        }
        let mut open: Vec<Fixture> =
            stages.iter().flatten().filter(|game| !results.has(game)).collect();
        if open.is_empty() {
            return (stages, results);
        }
        rng.shuffle(&mut open);
        let some = 1 + rng.index(open.len());
        // Results depend on the game alone, not on when it is played.
        for game in &open[..some] {
            results.insert(game.key(), fixed(game));
        }
    }
}

/// The result of a game, always the same.
fn fixed(fixture: &Fixture) -> Vec<u16> {
    ranks(fixture, &mut Seed(7).rng(&fixture.key().0))
}

/// All games of a plan whose games depend on no results.
fn games_of(plan: &Plan) -> Vec<Fixture> {
    plan.stages(&Results::new()).iter().flatten().collect()
}

#[test]
fn a_game_is_found_by_its_key_in_every_format_also_if_bots_came_later() {
    let later = |format, seats| Plan::new(format, seats, 42, vec![0, 0, 0, 1, 2]);
    let plans = [
        later(Format::RoundRobin { rounds: 5 }, 2),
        later(Format::RoundRobin { rounds: 4 }, 3),
        later(Format::Gauntlet { rounds: 5, challengers: 2 }, 2),
        plan(Format::Swiss { rounds: 3, games: 2 }, 6, 2),
        plan(double_elimination(), 6, 2),
        plan(Format::Ladder { games: 2 }, 6, 2),
    ];
    for plan in plans {
        let (stages, _) = play(&plan, 12, &mut Seed(3).rng("play"));
        for game in stages.iter().flatten() {
            let key = game.key().parts().expect("it is ours");
            assert_eq!(plan.find(&stages, &key), Some(game), "{:?}", plan.format);
        }
        for unknown in ["99.0.0:0-1", "0.99.0:0-1", "4294967295.0.0:0-1", "0.0.0:0-77"] {
            let key = GameKey(unknown.to_owned()).parts().expect("it has the form of one");
            assert_eq!(plan.find(&stages, &key), None, "{unknown}");
        }
    }
}

fn double_elimination() -> Format {
    Format::Knockout { games: 2, extra: 1, third_place: false, system: System::Double }
}

fn in_groups(groups: u32, rounds: u32, through: u32) -> Format {
    let system = System::Groups { groups, rounds, through };
    Format::Knockout { games: 2, extra: 1, third_place: false, system }
}

fn formats() -> Vec<Plan> {
    vec![
        plan(Format::RoundRobin { rounds: 5 }, 7, 2),
        plan(Format::RoundRobin { rounds: 6 }, 7, 6),
        plan(Format::Gauntlet { rounds: 4, challengers: 2 }, 8, 2),
        plan(Format::Swiss { rounds: 7, games: 2 }, 33, 2),
        plan(Format::Swiss { rounds: 5, games: 4 }, 18, 4),
        plan(
            Format::Knockout { games: 2, extra: 2, third_place: true, system: System::Single },
            13,
            2,
        ),
        plan(double_elimination(), 11, 2),
        plan(in_groups(3, 4, 2), 13, 2),
        plan(Format::Ladder { games: 2 }, 9, 2),
        plan(Format::Ladder { games: 3 }, 10, 3),
    ]
}

#[test]
fn a_schedule_does_not_depend_on_the_order_in_which_games_finish() {
    for plan in formats() {
        plan.check().expect("it can be played");
        let (stages, results) = play(&plan, 8, &mut Seed(1).rng("order"));
        for seed in 2..8 {
            let (again, same) = play(&plan, 8, &mut Seed(seed).rng("order"));
            assert_eq!(stages, again, "{:?}", plan.format);
            assert_eq!(results, same);
        }
        // And from the results alone the same schedule is drawn up again.
        let again = plan.stages_up_to(&results, 8);
        assert_eq!(stages, again, "{:?}", plan.format);
    }
}

impl Plan {
    fn stages_up_to(&self, results: &Results, most: usize) -> Vec<Stage> {
        let mut stages = Vec::new();
        while let Next::Stage(stage) = self.next(&stages, results) {
            if stages.len() == most {
                break;
            }
            stages.push(stage);
        }
        stages
    }
}

#[test]
fn keys_are_never_used_twice_and_rotations_share_their_seed() {
    for plan in formats() {
        let (stages, _) = play(&plan, 8, &mut Seed(1).rng("order"));
        let mut keys = HashSet::new();
        let mut seeds: HashMap<(u32, u32, Vec<BotId>), Seed> = HashMap::new();
        for game in stages.iter().flatten() {
            assert!(keys.insert(game.key()), "{} twice", game.key());
            let set = (game.round, game.set, game.group.clone());
            let seed = *seeds.entry(set).or_insert(game.seed());
            assert_eq!(seed, game.seed());
            let mut seated = game.seating.clone();
            seated.sort();
            let mut group = game.group.clone();
            group.sort();
            assert_eq!(seated, group);
            group.dedup();
            assert_eq!(group.len(), plan.seats, "nobody plays against itself");
        }
    }
}

#[test]
fn seats_are_balanced_in_every_format() {
    for plan in formats() {
        if let Format::RoundRobin { rounds: 5 } = plan.format {
            continue; // Five games of two cannot be.
        }
        let (stages, _) = play(&plan, 8, &mut Seed(1).rng("order"));
        let mut sat = vec![vec![0_u32; plan.seats]; plan.joined.len()];
        for game in stages.iter().flatten() {
            for (seat, bot) in game.seating.iter().enumerate() {
                sat[bot.index()][seat] += 1;
            }
        }
        for seats in sat {
            assert!(seats.iter().all(|count| *count == seats[0]), "{:?}: {seats:?}", plan.format);
        }
    }
}

#[test]
fn everybody_meets_everybody_as_often_as_said() {
    for bots in 2..12 {
        for rounds in 1..6 {
            let plan = plan(Format::RoundRobin { rounds }, bots, 2);
            let stages = plan.stages(&Results::new());
            let mut met: HashMap<Vec<BotId>, u32> = HashMap::new();
            for game in stages.iter().flatten() {
                *met.entry(game.group.clone()).or_default() += 1;
            }
            assert_eq!(met.len(), bots * (bots - 1) / 2);
            assert!(met.values().all(|&times| times == rounds));
            assert_eq!(
                plan.total(&[], &Results::new()),
                Some(stages.iter().flatten().count() as u64)
            );
        }
    }
}

#[test]
fn challengers_meet_all_others_but_not_each_other() {
    let plan = plan(Format::Gauntlet { rounds: 2, challengers: 2 }, 6, 2);
    let stages = plan.stages(&Results::new());
    let games: Vec<Fixture> = stages.iter().flatten().collect();
    assert_eq!(games.len(), 2 * 4 * 2);
    for game in games {
        let challengers = game.group.iter().filter(|bot| bot.0 < 2).count();
        assert_eq!(challengers, 1, "{game:?}");
    }
}

#[test]
fn who_joins_later_changes_no_game_that_was_there() {
    let mut plan = plan(Format::RoundRobin { rounds: 4 }, 5, 2);
    let before: Vec<Fixture> = games_of(&plan);
    plan.joined.push(1);
    let after: Vec<Fixture> = games_of(&plan);
    assert_eq!(after[..before.len()], before);
    assert_eq!(after.len(), before.len() + 5 * 4);
    let Format::RoundRobin { rounds } = &mut plan.format else { unreachable!() };
    *rounds = 6;
    let more: HashSet<GameKey> = games_of(&plan).iter().map(Fixture::key).collect();
    assert!(after.iter().all(|game| more.contains(&game.key())));
}

#[test]
fn set_ups_take_turns_by_whole_sets() {
    let mut plan = plan(Format::RoundRobin { rounds: 8 }, 3, 2);
    plan.variants = 3;
    for game in games_of(&plan) {
        let luck = (0..).find(|&luck| Seed(42).of_round(luck) == game.seed());
        assert_eq!(Some(game.variant as u64), luck.map(|luck| luck % 3));
        assert_eq!(game.variant, game.round as usize % 3);
    }
}

#[test]
fn plans_that_cannot_be_played_are_refused() {
    let wrong = [
        plan(Format::RoundRobin { rounds: 0 }, 4, 2),
        plan(Format::RoundRobin { rounds: 1 }, 3, 4),
        plan(Format::RoundRobin { rounds: 1 }, 60, 10),
        plan(
            Format::Knockout { games: 2, extra: 1, third_place: false, system: System::Single },
            9,
            3,
        ),
        plan(Format::Gauntlet { rounds: 2, challengers: 4 }, 4, 2),
        plan(Format::Swiss { rounds: 3, games: 0 }, 4, 2),
        plan(Format::Ladder { games: 2 }, 4, 1),
    ];
    for plan in wrong {
        assert!(plan.check().is_err(), "{plan:?}");
    }
}

#[test]
fn plans_of_more_games_than_memory_holds_are_refused() {
    let plan = |format| Plan::new(format, 2, 1, vec![0; 4]);
    let many = u32::MAX;
    for format in [
        Format::RoundRobin { rounds: many },
        Format::Gauntlet { rounds: many, challengers: 1 },
        Format::Swiss { rounds: many, games: many },
        Format::Swiss { rounds: 2, games: many },
        Format::Knockout { games: many, extra: 0, third_place: false, system: System::Single },
        Format::Knockout { games: 2, extra: many, third_place: false, system: System::Single },
        Format::Ladder { games: many },
    ] {
        let error = plan(format).check().expect_err("it is too much").to_string();
        assert!(error.contains("at most 5000000"), "{error}");
    }
    assert_eq!(plan(Format::RoundRobin { rounds: 800_000 }).check(), Ok(()));
}

#[test]
fn set_ups_have_their_turns_as_often_as_their_weights_say() {
    let mut plan = plan(Format::RoundRobin { rounds: 24 }, 2, 2);
    plan.variants = 3;
    plan.weights = vec![1, 3, 2];
    let sets: Vec<usize> = games_of(&plan).iter().step_by(2).map(|game| game.variant).collect();
    assert_eq!(sets, [1, 2, 0, 1, 2, 1, 1, 2, 0, 1, 2, 1], "spread evenly, and then anew");
    plan.weights = vec![1, 1, 1];
    let same: Vec<usize> = games_of(&plan).iter().map(|game| game.variant).collect();
    plan.weights = Vec::new();
    assert_eq!(same, games_of(&plan).iter().map(|game| game.variant).collect::<Vec<_>>());
}
