//! Swiss tournaments: who meets whom, and how often again.

use super::*;

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
