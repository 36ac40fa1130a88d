//! A sequential test as the end of an event: is the first bot stronger than the other?
//!
//! The event is a gauntlet of one challenger. With more than two seats all others are copies of the
//! same bot. What the test says is a function of the results in the order of the schedule, pair by
//! pair: the order in which games finish does not matter, nor how often the host was stopped, nor
//! what was played after the test had been decided.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use stats::{
    Bounds, Counts, Interval, ModelError, Overshoot, Sprt, SprtError, SprtProgress, SprtVerdict,
    StoppedEstimate, Summary,
};

use crate::schedule::{BotId, Chance, Fixture, GameKey, Plan, Results, share};

/// The hypotheses of a test, as a file has them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hypotheses {
    /// The difference under the first hypothesis.
    pub elo0: f64,
    /// The difference under the second.
    pub elo1: f64,
    /// How often the second may be accepted although the first is true.
    pub alpha: f64,
    /// How often the first may be accepted although the second is true.
    pub beta: f64,
    /// What Elo means.
    pub model: TestModel,
    /// What is done about the ratio jumping over a bound.
    pub overshoot: Correction,
}

/// What Elo means in a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestModel {
    /// The expected score.
    #[default]
    Logistic,
    /// The expected score in units of the spread of results.
    Normalized,
    /// The BayesElo model; for single games only.
    Bayesian,
}

/// Whether the bounds of a test are corrected for the ratio jumping over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Correction {
    /// They are Wald's.
    #[default]
    Wald,
    /// They are moved by what is to be expected.
    Siegmund,
}

impl Default for Hypotheses {
    fn default() -> Hypotheses {
        Hypotheses {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
            model: TestModel::Logistic,
            overshoot: Correction::Wald,
        }
    }
}

impl Hypotheses {
    /// The test, if they make one.
    pub fn test(self) -> Result<Sprt, SprtError> {
        let Hypotheses { elo0, elo1, alpha, beta, .. } = self;
        let model = match self.model {
            TestModel::Logistic => stats::EloModel::Logistic,
            TestModel::Normalized => stats::EloModel::Normalized,
            TestModel::Bayesian => stats::EloModel::Bayesian,
        };
        let test = Sprt { elo0, elo1, alpha, beta, model };
        test.check()?;
        Ok(test)
    }

    fn overshoot(self) -> Overshoot {
        match self.overshoot {
            Correction::Wald => Overshoot::Ignored,
            Correction::Siegmund => Overshoot::Corrected,
        }
    }
}

impl Chance {
    /// Which games of an event share their luck: in a test the pairs that it counts.
    pub(crate) fn of_event(test: Option<&Hypotheses>) -> Chance {
        match test {
            Some(_) => Chance::OfPairs,
            None => Chance::OfSets,
        }
    }
}

/// A test as it stands.
#[derive(Clone, Debug)]
pub struct TestProgress {
    hypotheses: Hypotheses,
    sequence: SprtProgress,
    verdict: SprtVerdict,
    /// Pairs in which the new bot scored so many half points.
    pairs: [u64; 5],
    /// Losses, draws and wins of the new bot.
    games: [u64; 3],
    schedule: Pairs,
    /// The counts cannot be judged by the model.
    failed: Option<ModelError>,
}

/// How a test stood after so many games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestPoint {
    /// After so many games.
    pub games: u64,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// The difference …
    pub elo: f64,
    /// … and its 95 % interval, not corrected for the test having stopped.
    pub interval: Interval,
}

/// A game of the test, and where the new bot sits in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TestGame {
    key: GameKey,
    seat: usize,
}

/// The pairs of a test one after another: games from seats that mirror each other, with the same
/// seed. With an odd number of seats, the games from the middle one are paired set by set.
#[derive(Clone, Debug)]
struct Pairs {
    plan: Plan,
    rounds: u32,
    /// The next set that is drawn up.
    set: u32,
    ready: VecDeque<[TestGame; 2]>,
    middle: Option<TestGame>,
}

impl Pairs {
    fn new(plan: &Plan, rounds: u32) -> Pairs {
        let (plan, ready) = (plan.clone(), VecDeque::new());
        Pairs { plan, rounds, set: 0, ready, middle: None }
    }

    fn first(&mut self) -> Option<&[TestGame; 2]> {
        let seats = self.plan.seats as u32;
        while self.ready.is_empty() {
            // A set that is not whole has no mirrors.
            if (self.set + 1).checked_mul(seats).is_none_or(|games| games > self.rounds) {
                return None;
            }
            let group: Vec<BotId> = (0..seats).map(BotId).collect();
            let set = self.plan.stage(&[group], self.set, 0, seats);
            self.set += 1;
            self.take(set.iter().collect());
        }
        self.ready.front()
    }

    fn take(&mut self, fixtures: Vec<Fixture>) {
        let seat = |game: &Fixture| {
            let seat = game.seating.iter().position(|bot| *bot == BotId(0));
            seat.expect("the new bot plays in every game")
        };
        let games = fixtures.iter().map(|game| TestGame { key: game.key(), seat: seat(game) });
        let mut games: Vec<TestGame> = games.collect();
        games.sort_by_key(|game| game.seat);
        while games.len() > 1 {
            let last = games.pop().expect("there are two");
            self.ready.push_back([games.remove(0), last]);
        }
        if let Some(middle) = games.pop() {
            match self.middle.take() {
                Some(before) => self.ready.push_back([before, middle]),
                None => self.middle = Some(middle),
            }
        }
    }
}

impl TestProgress {
    /// A test of so many games at most, of which nothing has been played. The plan is that of its
    /// event.
    ///
    /// # Panics
    /// If the hypotheses make no test.
    pub fn new(hypotheses: Hypotheses, plan: &Plan, rounds: u32) -> TestProgress {
        let test = hypotheses.test().expect("hypotheses are checked when they are read");
        TestProgress {
            hypotheses,
            sequence: SprtProgress::new(test, hypotheses.overshoot()),
            verdict: SprtVerdict::Continue,
            pairs: [0; 5],
            games: [0; 3],
            schedule: Pairs::new(plan, rounds),
            failed: None,
        }
    }

    /// Looks at the pairs that have become complete, up to the one that decides.
    pub fn advance(&mut self, results: &Results) {
        while self.advance_one(results).is_some() {}
    }

    /// Looks at the next pair, if it is complete and nothing has been decided.
    fn advance_one(&mut self, results: &Results) -> Option<()> {
        if self.is_over() {
            return None;
        }
        let pair = self.schedule.first()?;
        let one = half_points(&pair[0], results)?;
        let other = half_points(&pair[1], results)?;
        self.schedule.ready.pop_front();
        self.games[one] += 1;
        self.games[other] += 1;
        self.pairs[one + other] += 1;
        match self.counts().map(|counts| self.sequence.see(&counts)) {
            Some(Ok(verdict)) => self.verdict = verdict,
            Some(Err(error)) => self.failed = Some(error),
            None => {}
        }
        Some(())
    }

    /// How the test went from its first pair on, in no more than about so many points; the last one
    /// is how it stands now.
    pub fn curve(&self, results: &Results, points: u64) -> Vec<TestPoint> {
        let all: u64 = self.pairs.iter().sum();
        let step = all.div_ceil(points.max(1)).max(1);
        let mut again =
            TestProgress::new(self.hypotheses, &self.schedule.plan, self.schedule.rounds);
        let mut curve = Vec::new();
        for pair in 1..=all {
            if again.advance_one(results).is_none() {
                break;
            }
            if pair % step == 0 || pair == all {
                curve.extend(again.point());
            }
        }
        curve
    }

    fn point(&self) -> Option<TestPoint> {
        let summary = Summary::of(&self.counts()?);
        Some(TestPoint {
            games: self.games.iter().sum(),
            llr: self.llr(),
            elo: summary.elo,
            interval: summary.elo_interval,
        })
    }

    /// What the model is shown; none before the first pair.
    pub fn counts(&self) -> Option<Counts> {
        match self.hypotheses.model {
            TestModel::Logistic | TestModel::Normalized => Counts::new(&self.pairs).ok(),
            // This model knows single games only.
            TestModel::Bayesian => Counts::new(&self.games).ok(),
        }
    }

    /// Whether nothing more has to be played.
    pub fn is_over(&self) -> bool {
        self.verdict != SprtVerdict::Continue || self.failed.is_some()
    }

    /// What it says so far.
    pub fn verdict(&self) -> SprtVerdict {
        self.verdict
    }

    /// Why it cannot be judged, if so.
    pub fn failed(&self) -> Option<&ModelError> {
        self.failed.as_ref()
    }

    /// The hypotheses.
    pub fn hypotheses(&self) -> Hypotheses {
        self.hypotheses
    }

    /// The test they make.
    pub fn test(&self) -> &Sprt {
        self.sequence.test()
    }

    /// The difference with its interval, corrected for the test having stopped where it did; none
    /// before.
    pub fn stopped(&self) -> Option<StoppedEstimate> {
        StoppedEstimate::of(self.test(), self.bounds(), self.llr(), &self.counts()?)
    }

    /// Losses, draws and wins of the new bot in the games that count.
    pub fn games(&self) -> [u64; 3] {
        self.games
    }

    /// Pairs in which the new bot scored 0 to 4 half points.
    pub fn pairs(&self) -> [u64; 5] {
        self.pairs
    }

    /// The games that count.
    pub fn counted(&self) -> Vec<GameKey> {
        let mut again = Pairs::new(&self.schedule.plan, self.schedule.rounds);
        let mut keys = Vec::new();
        for _ in 0..self.pairs.iter().sum::<u64>() {
            again.first();
            let pair = again.ready.pop_front().expect("it has been counted");
            keys.extend(pair.map(|game| game.key));
        }
        keys
    }

    /// The logarithm of the likelihood ratio.
    pub fn llr(&self) -> f64 {
        self.sequence.llr()
    }

    /// Where the test ends.
    pub fn bounds(&self) -> Bounds {
        self.sequence.bounds()
    }

    /// About how many games it still needs, if the truth lies between its hypotheses: as long as a
    /// Brownian motion takes from where it stands to one of its bounds.
    pub fn games_left(&self) -> f64 {
        let [_, draws, wins] = self.games.map(|games| games as f64);
        // One more game each way, so that no spread is zero.
        let games = self.games.iter().sum::<u64>() as f64 + 2.0;
        let (wins, mean) = (wins + 1.0, (wins + 1.0 + draws / 2.0) / games);
        let spread = ((wins + draws / 4.0) / games - mean * mean).sqrt();
        let Hypotheses { elo0, elo1, .. } = self.hypotheses;
        let score = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
        let step = match self.hypotheses.model {
            TestModel::Normalized => (elo1 - elo0) * std::f64::consts::LN_10 / 800.0,
            TestModel::Logistic | TestModel::Bayesian => (score(elo1) - score(elo0)) / spread,
        };
        let Bounds { lower, upper } = self.bounds();
        let llr = self.llr().clamp(lower, upper);
        (upper - llr) * (llr - lower) / (step * step)
    }
}

/// What the new bot scored in a game: 2 if it left more than half of the others behind, 0 if fewer.
/// Among equals both are equally likely, from any seat.
fn half_points(game: &TestGame, results: &Results) -> Option<usize> {
    let ranks = results.get(&game.key)?;
    Some(match share(ranks, game.seat).total_cmp(&0.5) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    })
}

#[cfg(test)]
mod tests {
    use game::Seed;

    use super::*;
    use crate::schedule::{Format, Next};

    fn plan(seats: usize) -> Plan {
        let format = Format::Gauntlet { rounds: 10_000, challengers: 1 };
        Plan::new(format, seats, 5, vec![0; seats])
    }

    /// All pairs of some sets.
    fn pairs(seats: usize, sets: u32) -> Vec<[TestGame; 2]> {
        let mut pairs = Pairs::new(&plan(seats), sets * seats as u32);
        std::iter::from_fn(|| {
            pairs.first()?;
            pairs.ready.pop_front()
        })
        .collect()
    }

    #[test]
    fn pairs_are_of_seats_that_mirror_each_other_and_every_game_is_in_one() {
        for seats in 2..=7 {
            let pairs = pairs(seats, 4);
            assert_eq!(pairs.len(), 2 * seats, "{seats}");
            let mut keys: Vec<&GameKey> = pairs.iter().flatten().map(|game| &game.key).collect();
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), 4 * seats, "{seats}");
            assert!(pairs.iter().all(|[one, other]| one.seat + other.seat == seats - 1));
        }
    }

    #[test]
    fn the_games_of_a_pair_share_their_luck_and_no_others_do() {
        for seats in 2..=7 {
            let plan = Plan { chance: Chance::OfPairs, ..plan(seats) };
            let stage =
                |set| plan.stage(&[(0..seats as u32).map(BotId).collect()], set, 0, seats as u32);
            let games: Vec<Fixture> =
                (0..2).flat_map(|set| stage(set).iter().collect::<Vec<_>>()).collect();
            let seed = |key: &GameKey| {
                games.iter().find(|game| game.key() == *key).expect("it is there").seed()
            };
            let mut seen = std::collections::HashSet::new();
            for [one, other] in pairs(seats, 2) {
                let of_middle = one.seat == other.seat;
                assert_eq!(seed(&one.key) == seed(&other.key), !of_middle, "{seats}");
                assert!(seen.insert(seed(&one.key)), "{seats}: two pairs have one seed");
            }
        }
    }

    #[test]
    fn the_games_are_those_of_the_schedule() {
        for seats in [2, 3, 4] {
            let plan = plan(seats);
            let Next::Stage(first) = plan.next(&[], &Results::new()) else { panic!("no games") };
            let mut keys: Vec<GameKey> = first.iter().map(|game| game.key()).collect();
            keys.sort();
            let mut ours: Vec<GameKey> =
                pairs(seats, 2).into_iter().flatten().map(|game| game.key).collect();
            ours.retain(|key| key.0.starts_with("0."));
            ours.sort();
            assert_eq!(ours, keys, "{seats}");
        }
    }

    #[test]
    fn what_it_says_depends_neither_on_the_order_of_finishing_nor_on_what_came_later() {
        let hypotheses = Hypotheses { elo1: 60.0, ..Hypotheses::default() };
        let mut rng = Seed(9).rng("results");
        let games: Vec<TestGame> = pairs(2, 800).into_iter().flatten().collect();
        let mut results = Results::new();
        for game in &games {
            let won = rng.chance(60, 100);
            let ranks = if won == (game.seat == 0) { vec![1, 2] } else { vec![2, 1] };
            results.insert(game.key.clone(), ranks);
        }
        let mut at_once = TestProgress::new(hypotheses, &plan(2), 10_000);
        at_once.advance(&results);
        assert_eq!(at_once.verdict(), SprtVerdict::H1);
        let counted = at_once.games().iter().sum::<u64>() as usize;
        assert!(counted < games.len(), "{counted}");
        // One by one, in any order.
        let mut order = games.clone();
        rng.shuffle(&mut order[..counted]);
        let (mut trial, mut so_far) =
            (TestProgress::new(hypotheses, &plan(2), 10_000), Results::new());
        for game in order {
            so_far.insert(game.key.clone(), results.get(&game.key).expect("it was played"));
            trial.advance(&so_far);
        }
        assert_eq!((trial.games(), trial.pairs()), (at_once.games(), at_once.pairs()));
        assert_eq!(trial.llr().to_bits(), at_once.llr().to_bits());
    }

    #[test]
    fn its_curve_ends_where_it_stands() {
        let (plan, hypotheses) = (plan(2), Hypotheses::default());
        let mut results = Results::new();
        for (at, pair) in pairs(2, 30).iter().enumerate() {
            for (seat, game) in pair.iter().enumerate() {
                let ranks = if (at + seat) % 3 == 0 { [2, 1] } else { [1, 2] };
                results.insert(game.key.clone(), ranks);
            }
        }
        let mut test = TestProgress::new(hypotheses, &plan, 60);
        test.advance(&results);
        let all = test.curve(&results, u64::MAX);
        assert_eq!(all.len() as u64, test.pairs().iter().sum::<u64>());
        let few = test.curve(&results, 7);
        assert!(few.len() <= 8 && !few.is_empty(), "{}", few.len());
        for curve in [&all, &few] {
            let last = curve.last().expect("there are games");
            assert_eq!((last.games, last.llr), (test.games().iter().sum(), test.llr()));
            assert!(curve.is_sorted_by_key(|point| point.games));
        }
        assert_eq!(TestProgress::new(hypotheses, &plan, 60).curve(&results, 5), []);
    }

    #[test]
    fn a_test_has_no_more_games_than_its_schedule() {
        let mut trial = TestProgress::new(Hypotheses::default(), &plan(2), 7);
        let results: Results =
            pairs(2, 20).into_iter().flatten().map(|game| (game.key, vec![1, 1])).collect();
        trial.advance(&results);
        assert_eq!((trial.games(), trial.is_over()), ([0, 6, 0], false));
    }
}
