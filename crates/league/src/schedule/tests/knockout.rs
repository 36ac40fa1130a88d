//! Knockouts: single, with two lives, and out of groups.

use super::*;

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
fn who_goes_out_has_reached_the_round_it_lost_in() {
    use Placing::{In, Out};
    use Reached::*;
    let of = |placings: &[Placing]| crate::schedule::knockout::reached(System::Single, placings);
    assert_eq!(of(&[In, Out(3), In, Out(3)]), [StillIn, SemiFinal, StillIn, SemiFinal]);
    assert_eq!(of(&[Out(1), Out(3), Out(2), Out(3)]), [Winner, SemiFinal, Final, SemiFinal]);
    assert_eq!(of(&[Out(4), Out(3), Out(2), Out(1)]), [FourthPlace, ThirdPlace, Final, Winner]);
    assert_eq!(of(&[Out(5), Out(9), Out(17)]), [QuarterFinal, RoundOf(16), RoundOf(32)]);
    assert_eq!(RoundOf(16).to_string(), "round of 16");
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
