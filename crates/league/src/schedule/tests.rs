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
        let mut seeds: HashMap<(u32, u32, Vec<BotId>), u64> = HashMap::new();
        for game in stages.iter().flatten() {
            assert!(keys.insert(game.key()), "{} twice", game.key());
            let set = (game.round, game.set, game.group.clone());
            let seed = *seeds.entry(set).or_insert(game.seed);
            assert_eq!(seed, game.seed);
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
fn who_joins_a_swiss_tournament_plays_from_the_next_round_on() {
    let mut plan = plan(Format::Swiss { rounds: 3, games: 2 }, 6, 2);
    let (stages, mut results) = play(&plan, 3, &mut Seed(1).rng("order"));
    let first = results.iter().filter(|(key, _)| key.0.starts_with("0."));
    results = first.map(|(key, ranks)| (key, ranks.to_vec())).collect();
    plan.joined.push(1);
    let with: Vec<Stage> = plan.stages(&results);
    assert_eq!(with[0], stages[0]);
    assert_eq!(with.len(), 2);
}

/// Plays swiss rounds with random results and looks at who met whom.
fn swiss(bots: usize, rounds: u32, seed: u64) -> (u32, u32) {
    let plan = plan(Format::Swiss { rounds, games: 1 }, bots, 2);
    let mut rng = Seed(seed).rng("swiss");
    let (mut stages, mut results) = (Vec::new(), Results::new());
    while let Next::Stage(stage) = plan.next(&stages, &results) {
        for game in &stage {
            results.insert(game.key(), ranks(&game, &mut rng));
        }
        let playing: HashSet<BotId> = stage.iter().flat_map(|game| game.group.clone()).collect();
        assert_eq!(playing.len(), bots / 2 * 2, "everybody plays but one");
        assert_eq!(stage.len(), bots as u64 / 2);
        stages.push(stage);
    }
    assert_eq!(stages.len(), rounds as usize);
    let tally = Tally::new(bots, &stages, &results);
    let often = tally.met.iter().flatten().max().copied().expect("they met");
    let byes = plan.byes(&stages, &results).into_iter().max().expect("there are bots");
    (often, byes)
}

#[test]
fn nobody_meets_twice_or_sits_out_twice_in_a_swiss_tournament() {
    for seed in 0..20 {
        for (bots, rounds) in [(33, 8), (33, 12), (32, 10), (5, 3), (8, 4), (9, 5), (60, 9)] {
            assert_eq!(swiss(bots, rounds, seed).0, 1, "{bots} bots, {rounds} rounds, {seed}");
            assert_eq!(swiss(bots, rounds, seed).1, (bots % 2) as u32);
        }
    }
}

#[test]
fn a_swiss_tournament_that_is_too_long_repeats_as_little_as_it_must() {
    for seed in 0..10 {
        // Three rounds are all there is for four; the fourth repeats one pairing of each.
        assert_eq!(swiss(4, 3, seed), (1, 0));
        assert_eq!(swiss(4, 6, seed), (2, 0));
        assert_eq!(swiss(3, 6, seed).1, 2);
    }
}

/// How often two met at most in swiss rounds at larger tables, and how often somebody sat out.
fn larger_swiss(bots: usize, seats: usize, rounds: u32, seed: u64) -> (u32, u32) {
    let plan = plan(Format::Swiss { rounds, games: 1 }, bots, seats);
    let mut rng = Seed(seed).rng("swiss");
    let (mut stages, mut results) = (Vec::new(), Results::new());
    while let Next::Stage(stage) = plan.next(&stages, &results) {
        for game in &stage {
            results.insert(game.key(), ranks(&game, &mut rng));
        }
        assert_eq!(stage.len(), (bots / seats) as u64);
        stages.push(stage);
    }
    let tally = Tally::new(bots, &stages, &results);
    let byes = plan.byes(&stages, &results).into_iter().max().expect("there are bots");
    (tally.met.iter().flatten().max().copied().expect("they met"), byes)
}

#[test]
fn nobody_meets_twice_at_larger_swiss_tables_either() {
    for seed in 0..20 {
        for (bots, seats, rounds) in
            [(13, 3, 4), (14, 3, 4), (9, 3, 3), (16, 4, 3), (17, 4, 3), (30, 3, 8), (40, 4, 6)]
        {
            let (often, byes) = larger_swiss(bots, seats, rounds, seed);
            assert_eq!(often, 1, "{bots} bots at tables of {seats}, {rounds} rounds, {seed}");
            assert!(byes <= 1, "{bots} bots at tables of {seats}: one sat out {byes} times");
        }
    }
}

#[test]
fn a_knockout_of_any_size_has_one_winner_and_nobody_meets_twice() {
    for bots in 2..40 {
        for third_place in [false, true] {
            let plan = plan(
                Format::Knockout { games: 2, extra: 2, third_place, system: System::Single },
                bots,
                2,
            );
            let (stages, results) = play(&plan, 99, &mut Seed(bots as u64).rng("order"));
            let mut pairs = HashSet::new();
            for game in stages.iter().flatten().filter(|g| g.set == 0 && g.rotation == 0) {
                assert!(pairs.insert(game.group.clone()), "{bots}: {:?} twice", game.group);
            }
            let consoled = usize::from(third_place && bots >= 4);
            assert_eq!(pairs.len(), bots - 1 + consoled, "{bots}");
            let played = stages.iter().flatten().count() as u64;
            assert_eq!(
                plan.total(&stages, &results),
                Some(played),
                "{bots}: nothing more is scheduled"
            );
            assert_eq!(
                plan.total(&[], &Results::new()),
                Some(2 * pairs.len() as u64),
                "{bots}: nor was before"
            );
            let places = plan.placings(&stages, &results).expect("a knockout");
            let of = |place| places.iter().filter(|p| **p == Placing::Out(place)).count();
            assert_eq!((of(1), of(2)), (1, 1), "{bots}");
            assert!(!places.contains(&Placing::In));
            // In the first round only as many sit out as there are empty places.
            let size = bots.next_power_of_two();
            let first = stages[0].iter().filter(|game| game.rotation == 0).count();
            assert_eq!(first, bots - size / 2, "{bots}");
        }
    }
}

#[test]
fn the_first_two_of_the_file_can_only_meet_in_the_final() {
    let plan = plan(
        Format::Knockout { games: 1, extra: 0, third_place: false, system: System::Single },
        13,
        2,
    );
    let (mut stages, mut results) = (Vec::new(), Results::new());
    while let Next::Stage(stage) = plan.next(&stages, &results) {
        for game in &stage {
            // The earlier entry always wins.
            let first = game.seating[0] < game.seating[1];
            results.insert(game.key(), if first { vec![1, 2] } else { vec![2, 1] });
        }
        stages.push(stage);
    }
    assert_eq!(
        stages.last().and_then(|stage| stage.get(0)).expect("there is a final").group,
        [BotId(0), BotId(1)]
    );
    assert_eq!(stages.len(), 4);
}

#[test]
fn a_tied_meeting_goes_on_in_pairs_and_then_to_the_earlier_entry() {
    let plan = plan(
        Format::Knockout { games: 2, extra: 2, third_place: false, system: System::Single },
        2,
        2,
    );
    let (mut stages, mut results) = (Vec::new(), Results::new());
    while let Next::Stage(stage) = plan.next(&stages, &results) {
        for game in &stage {
            results.insert(game.key(), vec![1, 1]);
        }
        stages.push(stage);
    }
    assert_eq!(stages.iter().map(Stage::len).collect::<Vec<_>>(), [2, 2, 2]);
    assert_eq!(plan.placings(&stages, &results), Some(vec![Placing::Out(1), Placing::Out(2)]));
    let by_order = [ByOrder { round: 0, winner: BotId(0), loser: BotId(1) }];
    assert_eq!(plan.by_order(&stages, &results), by_order, "and it is said");
}

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
#[path = "../../examples/ladder/field.rs"]
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

#[test]
fn set_ups_take_turns_by_whole_sets() {
    let mut plan = plan(Format::RoundRobin { rounds: 8 }, 3, 2);
    plan.variants = 3;
    for game in games_of(&plan) {
        let luck = (0..).find(|&luck| Seed(42).of_round(luck).0 == game.seed);
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
fn who_goes_out_has_reached_the_round_it_lost_in() {
    use Placing::{In, Out};
    use Reached::*;
    let of = |placings: &[Placing]| knockout::reached(System::Single, placings);
    assert_eq!(of(&[In, Out(3), In, Out(3)]), [StillIn, SemiFinal, StillIn, SemiFinal]);
    assert_eq!(of(&[Out(1), Out(3), Out(2), Out(3)]), [Winner, SemiFinal, Final, SemiFinal]);
    assert_eq!(of(&[Out(4), Out(3), Out(2), Out(1)]), [FourthPlace, ThirdPlace, Final, Winner]);
    assert_eq!(of(&[Out(5), Out(9), Out(17)]), [QuarterFinal, RoundOf(16), RoundOf(32)]);
    assert_eq!(RoundOf(16).to_string(), "round of 16");
}

/// How many pairs met again in swiss rounds with random results.
fn repeats(plan: &Plan, seed: u64) -> usize {
    let mut rng = Seed(seed).rng("swiss");
    let (mut stages, mut results) = (Vec::new(), Results::new());
    let (mut met, mut again) = (HashSet::new(), 0);
    while let Next::Stage(stage) = plan.next(&stages, &results) {
        for game in &stage {
            results.insert(game.key(), ranks(&game, &mut rng));
            let mut pair = game.group.clone();
            pair.sort();
            again += usize::from(!met.insert(pair));
        }
        stages.push(stage);
    }
    again
}

#[test]
fn a_swiss_tournament_as_long_as_a_round_robin_repeats_nothing() {
    for (bots, rounds) in [(33, 32), (33, 33), (32, 31), (12, 11), (9, 9), (8, 7), (6, 5)] {
        for seed in 0..6 {
            let plan = plan(Format::Swiss { rounds, games: 1 }, bots, 2);
            assert_eq!(repeats(&plan, seed), 0, "{bots} bots, {rounds} rounds, {seed}");
        }
    }
}

#[test]
fn where_bots_must_meet_again_no_fewer_pairs_could() {
    // Everybody has met everybody: the next rounds hold each pair once more, and none a third time.
    for (bots, rounds) in [(4, 6), (6, 10), (8, 14), (5, 10)] {
        for seed in 0..10 {
            let plan = plan(Format::Swiss { rounds, games: 1 }, bots, 2);
            assert_eq!(swiss(bots, rounds, seed).0, 2, "{bots} bots, {rounds} rounds, {seed}");
            assert_eq!(repeats(&plan, seed), bots * (bots - 1) / 2, "{bots}: {seed}");
        }
    }
    // From the top, without counting, more met again than had to.
    let seed = (0..40).find(|&seed| {
        let plan = plan(Format::Swiss { rounds: 32, games: 1 }, 33, 2);
        repeats(&Plan { pairing: Pairing::FromTheTop, ..plan }, seed) > 1
    });
    assert!(seed.is_some(), "runs that began so go on so");
}

/// Who won and lost each meeting of two, in order, by the games of the stages.
fn decided(stages: &[Stage], results: &Results, from: usize) -> Vec<(u32, BotId, BotId)> {
    let mut scores: Vec<((u32, Vec<BotId>), [u64; 2])> = Vec::new();
    for game in stages[from..].iter().flatten() {
        let meeting = (game.round, game.group.clone());
        let ranks = results.of(&game).expect("all is played");
        if !scores.iter().any(|(known, _)| *known == meeting) {
            scores.push((meeting.clone(), [0, 0]));
        }
        let (_, score) = scores.iter_mut().find(|(known, _)| *known == meeting).expect("there");
        for (seat, bot) in game.seating.iter().enumerate() {
            score[usize::from(*bot == game.group[1])] += halves(ranks, seat);
        }
    }
    let winner = |((round, pair), score): &((u32, Vec<BotId>), [u64; 2])| {
        // What stays tied goes to the earlier one.
        let first = score[0] > score[1] || score[0] == score[1] && pair[0] < pair[1];
        if first { (*round, pair[0], pair[1]) } else { (*round, pair[1], pair[0]) }
    };
    scores.iter().map(winner).collect()
}

#[test]
fn who_loses_twice_is_out_and_nobody_else() {
    for bots in 2..24 {
        let plan = plan(double_elimination(), bots, 2);
        plan.check().expect("it can be played");
        let (stages, results) = play(&plan, 999, &mut Seed(bots as u64).rng("order"));
        let decided = decided(&stages, &results, 0);
        let mut defeats = vec![0; bots];
        for (_, winner, loser) in &decided {
            assert!(defeats[winner.index()] < 2 && defeats[loser.index()] < 2, "{bots}: out");
            defeats[loser.index()] += 1;
        }
        let places = plan.placings(&stages, &results).expect("a knockout");
        let winner = places.iter().position(|place| *place == Placing::Out(1)).expect("one wins");
        for (bot, defeats) in defeats.iter().enumerate().filter(|(bot, _)| *bot != winner) {
            assert_eq!(*defeats, 2, "{bots} bots: bot {bot}");
        }
        assert!(defeats[winner] < 2);
        assert_eq!(decided.len(), 2 * (bots - 1) + defeats[winner], "{bots}");
        // Places are handed out from behind, without gaps.
        let mut given: Vec<u32> = Vec::new();
        for place in &places {
            let Placing::Out(place) = place else { panic!("{bots}: somebody is still in") };
            given.push(*place);
        }
        for place in &given {
            let before = given.iter().filter(|other| *other < place).count() as u32;
            assert_eq!(*place, before + 1, "{bots}: {given:?}");
        }
        let games: u64 = stages.iter().map(Stage::len).sum();
        assert_eq!(plan.total(&stages, &results), Some(games));
        let least = plan.total(&[], &Results::new()).expect("it is known");
        let most = plan.most(&[], &Results::new()).expect("it is known");
        assert!((least..=most).contains(&games), "{bots}: {least} {games} {most}");
    }
}

#[test]
fn the_best_of_every_group_meet_in_a_knockout() {
    for (bots, count, through) in
        [(8, 2, 2), (13, 3, 2), (16, 4, 2), (12, 4, 1), (9, 2, 3), (5, 1, 2)]
    {
        let plan = plan(in_groups(count, 2, through), bots, 2);
        plan.check().expect("it can be played");
        let (stages, results) = play(&plan, 999, &mut Seed(bots as u64).rng("order"));
        let members = groups::groups(bots, count);
        let of = |bot: BotId| members.iter().position(|group| group.contains(&bot));
        // In the groups everybody meets everybody of its own, twice.
        let pairs: u64 =
            members.iter().map(|group| (group.len() * (group.len() - 1) / 2) as u64).sum();
        assert_eq!(stages[0].len(), 2 * pairs);
        assert!(stages[0].groups().all(|pair| of(pair[0]) == of(pair[1])));
        let largest = members.iter().map(Vec::len).max();
        assert!(members.iter().all(|group| group.len() + 1 >= largest.expect("there are")));
        let places = plan.placings(&stages, &results).expect("a knockout");
        let through_all = (count * through) as usize;
        let on = places
            .iter()
            .filter(|place| matches!(place, Placing::Out(place) if *place <= count * through));
        assert_eq!(on.count(), through_all, "{bots}: {places:?}");
        let reached = plan.reached(&stages, &results).expect("a knockout");
        let out = reached.iter().filter(|how| **how == Reached::Groups).count();
        assert_eq!(out, bots - through_all);
        // Nobody meets one of its own group at once.
        if count > 1 {
            assert!(stages[1].groups().all(|pair| of(pair[0]) != of(pair[1])), "{bots} {count}");
        }
        assert_eq!(decided(&stages, &results, 1).len(), through_all - 1);
        let games: u64 = stages.iter().map(Stage::len).sum();
        assert_eq!(plan.total(&stages, &results), Some(games));
        let least = plan.total(&[], &Results::new()).expect("it is known");
        assert_eq!(least, 2 * pairs + 2 * (through_all as u64 - 1));
    }
}

#[test]
fn groups_that_cannot_be_are_refused() {
    for (bots, groups, rounds, through) in
        [(4, 0, 2, 2), (4, 3, 2, 1), (6, 3, 2, 3), (6, 2, 0, 1), (6, 2, 2, 0), (6, 1, 2, 1)]
    {
        let plan = plan(in_groups(groups, rounds, through), bots, 2);
        assert!(plan.check().is_err(), "{bots} bots: {groups} groups, {rounds} rounds, {through}");
    }
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
