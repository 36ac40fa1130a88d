//! Simulated ladders: bots whose strengths are known play what the schedule says, and are rated.

use league::schedule::{Next, Plan, Results};
use stats::{Field, Player, Ratings};

/// The generator SplitMix64.
pub struct Chance(pub u64);

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
}

/// Bots by Davidson's model.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// How common draws are.
    pub nu: f64,
    /// What the first seat is worth, as strength.
    pub first_seat: f64,
}

/// The strengths of ten bots, from −200 to 190.
pub fn strengths() -> Vec<f64> {
    (0..10).map(|at| -200.0 + 390.0 / 9.0 * f64::from(at)).collect()
}

impl World {
    /// Loss, draw and win of one who is so much stronger, seats included.
    fn chances(self, apart: f64) -> [f64; 3] {
        let (above, below) = (10_f64.powf(apart / 800.0), 10_f64.powf(-apart / 800.0));
        let sum = above + below + self.nu;
        [below / sum, self.nu / sum, above / sum]
    }

    fn ranks(self, chance: &mut Chance, apart: f64) -> Vec<u16> {
        let [loss, draw, _] = self.chances(apart + self.first_seat);
        let share = chance.share();
        match share {
            _ if share < loss => vec![2, 1],
            _ if share < loss + draw => vec![1, 1],
            _ => vec![1, 2],
        }
    }

    /// The ratings of these strengths by expected scores, their mean zero: everybody's expected
    /// score over all others is what ratings say, found step by step.
    pub fn truth(self, strengths: &[f64]) -> Vec<f64> {
        let count = strengths.len();
        let others = |one: usize| (0..count).filter(move |&other| other != one);
        let score = |apart: f64| {
            let of = |seat: f64| {
                let [_, draw, win] = self.chances(apart + seat);
                win + draw / 2.0
            };
            f64::midpoint(of(self.first_seat), of(-self.first_seat))
        };
        let expected = |one: usize| -> f64 {
            others(one).map(|other| score(strengths[one] - strengths[other])).sum()
        };
        let expected: Vec<f64> = (0..count).map(expected).collect();
        let mut ratings = vec![0.0; count];
        for _ in 0..3000 {
            for one in 0..count {
                let win = |other: usize| {
                    1.0 / (1.0 + 10_f64.powf((ratings[other] - ratings[one]) / 400.0))
                };
                let now: f64 = others(one).map(win).sum();
                ratings[one] += 300.0 * (expected[one] - now) / count as f64;
            }
        }
        let mean = ratings.iter().sum::<f64>() / count as f64;
        ratings.iter().map(|rating| rating - mean).collect()
    }

    /// Plays so many games of a plan, with a seed of its own, and rates everybody.
    pub fn play(self, chance: &mut Chance, strengths: &[f64], plan: &Plan, games: u64) -> Ratings {
        let plan = Plan { seed: chance.number(), ..plan.clone() };
        let mut field = Field::new(strengths.len());
        let (mut stages, mut results) = (Vec::new(), Results::new());
        while field.games() < games
            && let Next::Stage(stage) = plan.next(&stages, &results)
        {
            for fixture in &stage {
                let [first, second] = [0, 1].map(|seat| fixture.seating[seat].index());
                let ranks = self.ranks(chance, strengths[first] - strengths[second]);
                let places: Vec<u32> = ranks.iter().map(|rank| u32::from(*rank)).collect();
                field.add(&[Player(first), Player(second)], &places, 1).expect("sound");
                results.insert(fixture.key(), ranks);
            }
            stages.push(stage);
        }
        field.rate()
    }
}

/// What came of many tournaments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    runs: f64,
    slopes: f64,
    intervals: f64,
    held: f64,
    pairs: f64,
    pairs_held: f64,
    errors: f64,
    squares: f64,
}

impl Tally {
    /// Adds a tournament.
    pub fn add(&mut self, ratings: &Ratings, truth: &[f64]) {
        let found = |at: usize| ratings.player(Player(at)).elo.value - 1500.0;
        let squares: f64 = truth.iter().map(|truth| truth * truth).sum();
        let products: f64 = truth.iter().enumerate().map(|(at, truth)| truth * found(at)).sum();
        self.runs += 1.0;
        self.slopes += products / squares;
        for (at, truth_here) in truth.iter().enumerate() {
            let elo = ratings.player(Player(at)).elo;
            let off = found(at) - truth_here;
            self.intervals += 1.0;
            self.held += f64::from(u8::from(off.abs() <= elo.error));
            self.errors += elo.error;
            self.squares += off * off;
            for (other, beside) in truth.iter().enumerate().skip(at + 1) {
                let difference = ratings.difference(Player(at), Player(other));
                let off = difference.value - (truth_here - beside);
                self.pairs += 1.0;
                self.pairs_held += f64::from(u8::from(off.abs() <= difference.error));
            }
        }
    }

    /// The mean slope of ratings on the truth.
    pub fn slope(&self) -> f64 {
        self.slopes / self.runs
    }

    /// The share of intervals that held the truth, of ratings and of differences.
    pub fn coverage(&self) -> [f64; 2] {
        [self.held / self.intervals, self.pairs_held / self.pairs]
    }

    /// The mean error stated, and 1.96 times the root of the mean square of what it was.
    pub fn errors(&self) -> [f64; 2] {
        [self.errors / self.intervals, 1.96 * (self.squares / self.intervals).sqrt()]
    }
}
