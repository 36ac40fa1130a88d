//! Bots that leave and games that are played again: the same whatever is interrupted when.

use std::collections::HashMap;

use game::Seed;

use super::*;
use crate::schedule::{Amendments, Leaving, Placing, System, Walkovers};

fn formats() -> [Format; 7] {
    [
        Format::RoundRobin { rounds: 2 },
        Format::Gauntlet { rounds: 2, challengers: 2 },
        Format::Swiss { rounds: 5, games: 2 },
        knockout(System::Single),
        knockout(System::Double),
        knockout(System::Groups { groups: 2, rounds: 1, through: 2 }),
        Format::Ladder { games: 2 },
    ]
}

fn knockout(system: System) -> Format {
    let third_place = system == System::Single;
    Format::Knockout { games: 2, extra: 1, third_place, system }
}

fn plan(format: Format, bots: usize) -> Plan {
    let amendments = Amendments { open_games: format.open_games(), ..Amendments::default() };
    Plan { amendments, ..Plan::new(format, 2, 1, vec![0; bots]) }
}

/// The result of a try, always the same.
fn outcome(game: &Fixture, attempt: u32) -> Vec<u16> {
    let first = Seed(2).rng(&format!("{} {attempt}", game.key())).chance(1, 2);
    if first { vec![1, 2] } else { vec![2, 1] }
}

/// A course with the games that are under way.
struct Sitting {
    progress: EventProgress,
    open: Vec<(Fixture, u32)>,
}

impl Sitting {
    fn new(plan: Plan, results: Results, attempts: HashMap<GameKey, u32>) -> Sitting {
        let stop = Stop { games: Some(60), ..Stop::default() };
        Sitting { progress: EventProgress::new(plan, stop, results, attempts), open: Vec::new() }
    }

    /// What is left of it when it is killed.
    fn again(&self) -> Sitting {
        let EventProgress { plan, results, attempts, .. } = &self.progress;
        Sitting::new(plan.clone(), results.clone(), attempts.clone())
    }

    /// Plays so many games, several at a time, which finish in any order. False if there are none.
    fn play(&mut self, games: usize, rng: &mut game::Rng) -> bool {
        for _ in 0..games {
            while self.open.len() < 4
                && let NextGame::Game(game, attempt) = self.progress.next_game()
            {
                assert!(self.progress.is_wanted(&game), "whoever has left does not play");
                assert!(
                    self.open.iter().all(|(other, _)| *other != game),
                    "played twice at a time"
                );
                self.open.push((game, attempt));
            }
            if self.open.is_empty() {
                return false;
            }
            let (game, attempt) = self.open.swap_remove(rng.index(self.open.len()));
            match self.progress.is_wanted(&game) {
                true => {
                    assert!(!self.progress.results.contains_key(&game.key()), "played again");
                    self.progress.finish(&game, outcome(&game, attempt));
                }
                false => self.progress.drop_game(&game),
            }
        }
        true
    }

    fn decide(&mut self, rng: &mut game::Rng) {
        let bot = BotId(rng.below(9));
        let finished: Vec<GameKey> = self.progress.fixtures().map(|game| game.key()).collect();
        match rng.below(3) {
            0 if !finished.is_empty() => {
                self.progress.replay(&finished[rng.index(finished.len())]);
            }
            how if !self.progress.plan.has_left(bot) => {
                let how = if how == 1 { Leaving::Withdrawn } else { Leaving::Disqualified };
                self.progress.leave(bot, Left { since: self.progress.next_stage(), how });
            }
            _ => {}
        }
    }
}

#[test]
fn what_is_decided_on_the_way_comes_to_the_same_whatever_is_broken_off_when() {
    for format in formats() {
        let mut rng = Seed(3).rng("sittings");
        for round in 0..40 {
            let mut whole = Sitting::new(plan(format, 9), Results::new(), HashMap::new());
            for _ in 0..3 {
                whole.play(1 + rng.index(12), &mut rng);
                whole.decide(&mut rng);
            }
            let mut broken = whole.again();
            while broken.play(1 + rng.index(5), &mut rng) {
                broken = broken.again();
            }
            whole.play(usize::MAX, &mut rng);
            assert_eq!(whole.progress.results, broken.progress.results, "{format:?} {round}");
            let (one, other) = (&whole.progress, &broken.progress);
            assert_eq!((one.done(), one.total()), (other.done(), other.total()), "{format:?}");
            assert_eq!(one.tally().halves, other.tally().halves, "{format:?} {round}");
            if !matches!(format, Format::Ladder { .. }) {
                assert_eq!(Some(one.done()), one.total(), "{format:?} {round}: it is over");
            }
        }
    }
}

/// Plays an event to its end, in which a bot leaves after so many games.
fn left_after(format: Format, bots: usize, games: usize, how: Leaving) -> EventProgress {
    let mut rng = Seed(5).rng("order");
    let mut sitting = Sitting::new(plan(format, bots), Results::new(), HashMap::new());
    sitting.play(games, &mut rng);
    let since = sitting.progress.next_stage();
    sitting.progress.leave(BotId(0), Left { since, how });
    sitting.play(usize::MAX, &mut rng);
    sitting.progress
}

#[test]
fn games_of_the_withdrawn_stay_and_those_of_the_disqualified_count_for_nobody() {
    let format = Format::RoundRobin { rounds: 2 };
    let others = 4 * 3 / 2 * 2;
    let withdrawn = left_after(format, 5, 9, Leaving::Withdrawn);
    let played = u64::from(withdrawn.tally().games[0]);
    assert!(played > 0 && played < 8, "{played}");
    assert_eq!(withdrawn.done(), others + played);
    let out = left_after(format, 5, 9, Leaving::Disqualified);
    assert_eq!((out.done(), out.tally().games[0]), (others, 0));
    assert_eq!(out.results().len() as u64, withdrawn.done(), "what was played is still known");
}

#[test]
fn who_was_to_meet_the_one_who_left_a_swiss_tournament_has_won() {
    for how in [Leaving::Withdrawn, Leaving::Disqualified] {
        let progress = left_after(Format::Swiss { rounds: 3, games: 2 }, 6, 1, how);
        let walkovers = progress.plan().walkovers(progress.stages(), progress.results());
        let won: Vec<&Walkovers> = walkovers.iter().filter(|one| one.games > 0).collect();
        assert_eq!(won.len(), 1, "{how:?}: only one was paired with it");
        assert_eq!(won[0].halves, 2 * won[0].games, "{how:?}");
        let later = progress.stages()[1..].iter().flatten();
        assert!(later.clone().count() > 0);
        assert!(later.clone().all(|game| !game.group.contains(&BotId(0))), "{how:?}");
    }
}

#[test]
fn who_leaves_a_knockout_loses_its_meeting_and_what_is_decided_stays() {
    let sizes =
        [(System::Single, [3, 4, 5, 6, 7, 8, 11]), (System::Double, [3, 4, 5, 6, 7, 8, 10])];
    for (system, sizes) in sizes {
        for bots in sizes {
            for games in (0..20).step_by(3) {
                for how in [Leaving::Withdrawn, Leaving::Disqualified] {
                    let progress = left_after(knockout(system), bots, games, how);
                    let placings = progress.plan().placings(progress.stages(), progress.results());
                    let placings = placings.expect("a knockout");
                    let first = placings.iter().filter(|one| **one == Placing::Out(1)).count();
                    assert_eq!(first, 1, "{system:?} {bots} {games} {how:?}");
                    assert!(
                        placings.iter().all(|one| *one != Placing::In),
                        "{system:?} {bots} {games} {how:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn who_is_reinstated_in_time_plays_as_if_it_had_not_left() {
    for format in formats() {
        for games in [0, 1, 5, 11] {
            for how in [Leaving::Withdrawn, Leaving::Disqualified] {
                let mut rng = Seed(7).rng("order");
                let new = || Sitting::new(plan(format, 8), Results::new(), HashMap::new());
                let (mut stayed, mut left) = (new(), new());
                stayed.play(usize::MAX, &mut rng);
                left.play(games, &mut rng);
                let since = left.progress.next_stage();
                left.progress.leave(BotId(2), Left { since, how });
                assert!(!left.progress.reinstate(BotId(3)), "who has not left cannot come back");
                if !left.progress.plan.depends_on_results() {
                    left.play(6, &mut rng);
                }
                assert!(left.progress.reinstate(BotId(2)), "{format:?} {games} {how:?}");
                left.play(usize::MAX, &mut rng);
                let (one, other) = (&stayed.progress, &left.progress);
                assert_eq!(one.results, other.results, "{format:?} {games} {how:?}");
                assert_eq!((one.done(), one.total()), (other.done(), other.total()), "{format:?}");
                assert_eq!(one.tally().halves, other.tally().halves, "{format:?}");
            }
        }
    }
}

#[test]
fn nobody_comes_back_when_a_round_without_it_has_begun() {
    let mut rng = Seed(8).rng("order");
    let format = Format::Swiss { rounds: 4, games: 2 };
    let mut sitting = Sitting::new(plan(format, 6), Results::new(), HashMap::new());
    sitting.play(2, &mut rng);
    let since = sitting.progress.next_stage();
    sitting.progress.leave(BotId(0), Left { since, how: Leaving::Withdrawn });
    sitting.play(usize::MAX, &mut rng);
    assert!(!sitting.progress.reinstate(BotId(0)));
    assert!(sitting.progress.plan.has_left(BotId(0)));
}

#[test]
fn nobody_plays_when_too_few_are_left() {
    for format in formats() {
        let mut rng = Seed(6).rng("order");
        let mut sitting = Sitting::new(plan(format, 4), Results::new(), HashMap::new());
        sitting.play(3, &mut rng);
        for bot in 0..3 {
            let since = sitting.progress.next_stage();
            sitting.progress.leave(BotId(bot), Left { since, how: Leaving::Withdrawn });
        }
        let before = sitting.progress.results().clone();
        sitting.play(usize::MAX, &mut rng);
        assert_eq!(*sitting.progress.results(), before, "{format:?}");
    }
}
