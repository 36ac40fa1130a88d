//! Simulated truth: tests err as rarely as they promise, intervals hold what they should.
//!
//! Seeds are fixed, so nothing here fails by chance.

use stats::{Counts, EloModel, Field, Overshoot, Player, Sprt, SprtProgress, SprtVerdict};

/// The generator SplitMix64.
struct Chance(u64);

impl Chance {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An index, with probabilities in proportion to `weights`.
    fn pick(&mut self, weights: &[f64]) -> usize {
        let mut at = self.share() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            at -= weight;
            if at < 0.0 {
                return index;
            }
        }
        weights.len() - 1
    }

    /// Roughly normal: the sum of twelve shares.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }

    fn shuffle(&mut self, list: &mut [Player]) {
        for at in (1..list.len()).rev() {
            list.swap(at, (self.number() % (at as u64 + 1)) as usize);
        }
    }
}

/// Probabilities of [loss, draw, win] by Davidson.
fn game(elo: f64, nu: f64) -> [f64; 3] {
    let (above, below) = (10_f64.powf(elo / 800.0), 10_f64.powf(-elo / 800.0));
    let sum = above + below + nu;
    [below / sum, nu / sum, above / sum]
}

/// Probabilities of the five outcomes of a pair of games with seats changed.
fn pair(elo: f64, nu: f64, first_seat: f64) -> [f64; 5] {
    let mut pair = [0.0; 5];
    for (one, p) in game(elo + first_seat, nu).iter().enumerate() {
        for (other, q) in game(elo - first_seat, nu).iter().enumerate() {
            pair[one + other] += p * q;
        }
    }
    pair
}

fn score(pair: &[f64; 5]) -> f64 {
    pair.iter().enumerate().map(|(points, p)| p * points as f64 / 4.0).sum()
}

/// Elo as a model understands it, of this distribution.
fn elo_of(pair: &[f64; 5], model: EloModel) -> f64 {
    let score = score(pair);
    match model {
        EloModel::Logistic => stats::elo_of(score),
        EloModel::Normalized => {
            let square = |points: usize| (points as f64 / 4.0 - score).powi(2);
            let variance: f64 = pair.iter().enumerate().map(|(at, p)| p * square(at)).sum();
            800.0 / std::f64::consts::LN_10 * (score - 0.5) / (2.0 * variance).sqrt()
        }
        EloModel::Bayesian => unreachable!("it is not for pairs"),
    }
}

/// The distribution that is exactly so many Elo of the model.
fn truth(elo: f64, model: EloModel, nu: f64, first_seat: f64) -> [f64; 5] {
    let (mut low, mut high) = (-500.0, 500.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if elo_of(&pair(middle, nu, first_seat), model) < elo {
            low = middle;
        } else {
            high = middle;
        }
    }
    pair(low, nu, first_seat)
}

/// How many of so many tests end with `wrong` although the truth is `outcomes`, with the bounds of
/// Wald and with corrected ones.
fn errors(test: Sprt, outcomes: &[f64; 5], wrong: SprtVerdict, seed: u64) -> [u32; 2] {
    let mut chance = Chance(seed);
    let mut errors = [0; 2];
    for _ in 0..TESTS {
        let mut sequences = [Overshoot::Ignored, Overshoot::Corrected]
            .map(|overshoot| Some(SprtProgress::new(test, overshoot)));
        let mut counts = [0_u64; 5];
        while sequences.iter().any(Option::is_some) {
            counts[chance.pick(outcomes)] += 1;
            let llr = test.llr(&Counts::new(&counts).expect("five")).expect("it fits");
            for (running, errors) in sequences.iter_mut().zip(&mut errors) {
                let Some(sequence) = running else { continue };
                let verdict = sequence.see_llr(llr);
                *errors += u32::from(verdict == wrong);
                if verdict != SprtVerdict::Continue {
                    *running = None;
                }
            }
        }
    }
    errors
}

/// How many tests are simulated at a time.
const TESTS: u32 = 1000;

#[test]
fn sequential_tests_err_as_rarely_as_they_promise() {
    let settings = [(EloModel::Logistic, 1.4, 60.0, 40.0), (EloModel::Normalized, 0.6, 30.0, 40.0)];
    for (model, nu, first_seat, elo1) in settings {
        let test = Sprt { elo0: 0.0, elo1, alpha: 0.05, beta: 0.05, model };
        let none = truth(test.elo0, model, nu, first_seat);
        let some = truth(test.elo1, model, nu, first_seat);
        let alpha = errors(test, &none, SprtVerdict::H1, 1);
        let beta = errors(test, &some, SprtVerdict::H0, 2);
        for errors in alpha.into_iter().chain(beta) {
            let rate = f64::from(errors) / f64::from(TESTS);
            // 0.05 and three standard deviations of sampling.
            assert!(rate <= 0.05 + 3.0 * (0.05 * 0.95 / f64::from(TESTS)).sqrt(), "{rate}");
            // A test that never errs plays far too long.
            assert!(rate >= 0.02, "{rate}");
        }
    }
}

/// The simulation of `cargo run --example sequential`.
#[path = "../examples/sequential/world.rs"]
mod world;

#[test]
fn tests_with_more_than_two_seats_err_as_rarely_as_they_promise() {
    for seats in [3, 4] {
        let world = world::World { seats, nu: 0.0, first_seat: 60.0, luck: 0.0 };
        let model = EloModel::Logistic;
        let test = Sprt { elo0: 0.0, elo1: 80.0, alpha: 0.05, beta: 0.05, model };
        let strength = world.strength_of(test.elo1, 200_000);
        for (strength, wrong) in [(0.0, SprtVerdict::H1), (strength, SprtVerdict::H0)] {
            let [wald, corrected, pairs] = world.errors(test, strength, wrong, 600, 3);
            // 5 % and three standard deviations of sampling; a test that never errs plays too long.
            for rate in [wald, corrected] {
                assert!((2.0..=7.7).contains(&rate), "{seats} seats: {rate} %, {pairs} pairs");
            }
        }
    }
}

/// How often intervals held the truth, and how often those believed stronger were.
#[derive(Default)]
struct Tally {
    held: u32,
    intervals: u32,
    /// By tenths of the probability stated: how often, how often true, and the sum of statements.
    stated: [(u32, u32, f64); 10],
}

impl Tally {
    fn interval(&mut self, estimate: stats::Estimate, truth: f64) {
        self.intervals += 1;
        self.held += u32::from(estimate.low() <= truth && truth <= estimate.high());
    }

    /// Strengths, and, where they are known, ratings by expected scores.
    fn field(&mut self, ratings: &stats::Ratings, truth: &[f64], elo: Option<&[f64]>) {
        let mean = truth.iter().sum::<f64>() / truth.len() as f64;
        let superiorities = ratings.superiorities();
        for (one, strength) in truth.iter().enumerate() {
            self.interval(ratings.player(Player(one)).strength, strength - mean + 1500.0);
            if let Some(elo) = elo {
                self.interval(ratings.player(Player(one)).elo, elo[one]);
            }
            for (other, beside) in truth.iter().enumerate().skip(one + 1) {
                if let Some(elo) = elo {
                    let difference = ratings.difference(Player(one), Player(other));
                    self.interval(difference, elo[one] - elo[other]);
                }
                let stated = superiorities[one][other];
                let (times, hits, sum) = &mut self.stated[((stated * 10.0) as usize).min(9)];
                *times += 1;
                *hits += u32::from(strength > beside);
                *sum += stated;
            }
        }
    }

    #[track_caller]
    fn check(&self) {
        let held = f64::from(self.held) / f64::from(self.intervals);
        assert!((0.93..=0.97).contains(&held), "{held}");
        for (times, hits, sum) in self.stated {
            let (times, hits) = (f64::from(times), f64::from(hits));
            // Pairs of one field are not independent: twice three standard deviations.
            let spread = (sum / times * (1.0 - sum / times) / times).sqrt();
            assert!((hits / times - sum / times).abs() < 6.0 * spread, "{hits} of {times}, {sum}");
        }
    }
}

/// Ratings that give everybody the score it has to expect of all others, found step by step.
fn by_scores(strengths: &[f64], nu: f64, first_seat: f64) -> Vec<f64> {
    let count = strengths.len();
    let others = |one: usize| (0..count).filter(move |&other| other != one);
    let expected = |one: usize| -> f64 {
        let pairs =
            others(one).map(|other| pair(strengths[one] - strengths[other], nu, first_seat));
        pairs.map(|pair| score(&pair)).sum()
    };
    let expected: Vec<f64> = (0..count).map(expected).collect();
    let mut ratings = vec![0.0; count];
    for _ in 0..2000 {
        for one in 0..count {
            let win =
                |other: usize| 1.0 / (1.0 + 10_f64.powf((ratings[other] - ratings[one]) / 400.0));
            let now: f64 = others(one).map(win).sum();
            ratings[one] += 300.0 * (expected[one] - now) / count as f64;
        }
    }
    let mean = ratings.iter().sum::<f64>() / count as f64;
    ratings.iter().map(|rating| rating - mean + 1500.0).collect()
}

#[test]
fn intervals_of_two_seats_hold_the_truth() {
    let mut chance = Chance(3);
    let (mut tally, mut seats) = (Tally::default(), Tally::default());
    for _ in 0..300 {
        let truth: Vec<f64> = (0..6).map(|_| 60.0 * chance.normal()).collect();
        let first_seat = 40.0 * chance.normal();
        let nu = 0.3 + chance.share();
        let mut field = Field::new(truth.len());
        for first in 0..truth.len() {
            for second in (0..truth.len()).filter(|&second| second != first) {
                let outcomes = game(truth[first] - truth[second] + first_seat, nu);
                for _ in 0..20 {
                    let ranks = [[2, 1], [1, 1], [1, 2]][chance.pick(&outcomes)];
                    field.add(&[Player(first), Player(second)], &ranks, 1).expect("sound");
                }
            }
        }
        let ratings = field.rate();
        tally.field(&ratings, &truth, Some(&by_scores(&truth, nu, first_seat)));
        let [loss, draw, _] = game(first_seat, nu);
        let advantage = stats::elo_of(1.0 - loss - draw / 2.0);
        seats.interval(ratings.first_seat_advantage().expect("all changed seats"), advantage);
    }
    tally.check();
    assert!((275..=294).contains(&seats.held), "{} of {}", seats.held, seats.intervals);
}

#[test]
fn intervals_of_four_seats_hold_the_truth() {
    let mut chance = Chance(4);
    let (mut tally, mut seats) = (Tally::default(), Tally::default());
    for _ in 0..200 {
        let truth: Vec<f64> = (0..7).map(|_| 80.0 * chance.normal()).collect();
        let worth = [60.0, 10.0, -20.0, -50.0];
        // How common ties are for the first places and among those left after them.
        let common =
            |left: usize, size: usize| [0.0, 0.0, 0.3, 0.1, 0.05][size] * left as f64 / 4.0;
        let mut field = Field::new(truth.len());
        let mut players: Vec<Player> = (0..truth.len()).map(Player).collect();
        for _ in 0..150 {
            chance.shuffle(&mut players);
            let seating = &players[..4];
            let strength = |seat: usize| (truth[seating[seat].0] + worth[seat]) / 400.0;
            let mut ranks = [0; 4];
            let mut left: Vec<usize> = (0..4).collect();
            while !left.is_empty() {
                // Every set of those left, by Davidson and Luce.
                let sets: Vec<Vec<usize>> = (1_usize..1 << left.len())
                    .map(|set| (0..left.len()).filter(|at| set >> at & 1 == 1).collect::<Vec<_>>())
                    .map(|set| set.iter().map(|&at| left[at]).collect())
                    .collect();
                let weight = |set: &Vec<usize>| {
                    let mean = set.iter().map(|&seat| strength(seat)).sum::<f64>();
                    let tie = if set.len() == 1 { 1.0 } else { common(left.len(), set.len()) };
                    tie * 10_f64.powf(mean / set.len() as f64)
                };
                let weights: Vec<f64> = sets.iter().map(weight).collect();
                let next = &sets[chance.pick(&weights)];
                next.iter().for_each(|&seat| ranks[seat] = 10 - left.len() as u32);
                left.retain(|seat| !next.contains(seat));
            }
            field.add(seating, &ranks, 1).expect("sound");
        }
        let ratings = field.rate();
        tally.field(&ratings, &truth, None);
        let found = ratings.tables()[0].strengths.as_ref().expect("all changed seats");
        for (found, worth) in found.iter().zip(worth) {
            seats.interval(*found, worth);
        }
    }
    tally.check();
    let held = f64::from(seats.held) / f64::from(seats.intervals);
    assert!((0.93..=0.97).contains(&held), "{held}");
}

#[test]
fn every_field_however_poor_is_rated() {
    let mut chance = Chance(5);
    for number in 0..200 {
        let mut players: Vec<Player> = (0..2 + chance.pick(&[1.0; 12])).map(Player).collect();
        let mut field = Field::new(players.len());
        for _ in 0..chance.pick(&[1.0; 9]) {
            chance.shuffle(&mut players);
            let seats = 2 + chance.pick(&vec![1.0; players.len() - 1]);
            let ranks: Vec<u32> = (0..seats).map(|_| chance.pick(&[1.0; 4]) as u32).collect();
            let count = 10_f64.powf(chance.share() * 15.0) as u64;
            field.add(&players[..seats], &ranks, count).expect("sound");
        }
        let ratings = field.rate();
        let sound = |estimate: stats::Estimate| {
            estimate.value.is_finite() && (0.0..1e5).contains(&estimate.error)
        };
        for &one in &players {
            assert!(sound(ratings.player(one).elo), "{field:?} {:?}", ratings.players());
            for &other in &players {
                let difference = ratings.difference(one, other);
                assert!(sound(difference), "{difference:?} {field:?} {:?}", ratings.players());
            }
        }
        // They take far longer than the fit.
        let shares = if number % 8 == 0 { ratings.superiorities() } else { Vec::new() };
        assert!(shares.iter().flatten().all(|share| (0.0..=1.0).contains(share)), "{field:?}");
        for table in ratings.tables() {
            assert!(table.advantage.iter().flatten().all(|seat| sound(*seat)), "{table:?}");
        }
    }
}
