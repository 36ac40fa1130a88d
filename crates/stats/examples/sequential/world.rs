//! Simulated tests: a new bot plays against copies of an old one.

use stats::{Counts, Overshoot, Sprt, SprtProgress, SprtVerdict};

/// The generator SplitMix64.
struct Chance(u64);

impl Chance {
    /// Between 0 and 1, never 0.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Roughly normal: the sum of twelve shares.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

/// Games of a new bot against copies of an old one. All figures are strengths in Elo.
#[derive(Clone, Copy)]
pub struct World {
    /// How many play.
    pub seats: usize,
    /// How common draws are, with two seats.
    pub nu: f64,
    /// What the first seat is worth above the last; those between lie between.
    pub first_seat: f64,
    /// How much the new bot's strength varies from one pair of games with the same seed to the next.
    pub luck: f64,
}

impl World {
    fn seat(self, seat: usize) -> f64 {
        self.first_seat * (0.5 - seat as f64 / (self.seats - 1) as f64)
    }

    /// Half points of the new bot in a seat: more than half of the others behind, or fewer.
    fn game(self, chance: &mut Chance, strength: f64, seat: usize) -> usize {
        if self.seats == 2 {
            let apart = strength + 2.0 * self.seat(seat);
            let (above, below) = (10_f64.powf(apart / 800.0), 10_f64.powf(-apart / 800.0));
            let at = chance.share() * (above + below + self.nu);
            return if at < below {
                0
            } else if at < below + self.nu {
                1
            } else {
                2
            };
        }
        // Plackett and Luce: whoever's exponential time is shortest comes next.
        let time = |chance: &mut Chance, strength: f64| {
            -chance.share().ln() / 10_f64.powf(strength / 400.0)
        };
        let own = time(chance, strength + self.seat(seat));
        let others = (0..self.seats).filter(|other| *other != seat);
        let behind = others.filter(|other| time(chance, self.seat(*other)) > own).count();
        match (2 * behind).cmp(&(self.seats - 1)) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 2,
        }
    }

    /// The half points of the pairs of one set, or of two where the middle seat has no mirror. Every pair has a seed of its own.
    fn sets(self, chance: &mut Chance, strength: f64) -> Vec<usize> {
        let luck = |chance: &mut Chance| strength + self.luck * chance.normal();
        let odd = self.seats % 2 == 1;
        let mut pairs = Vec::new();
        for _ in 0..if odd { 2 } else { 1 } {
            for seat in 0..self.seats / 2 {
                let (strength, mirror) = (luck(chance), self.seats - 1 - seat);
                let [one, other] = [seat, mirror].map(|at| self.game(chance, strength, at));
                pairs.push(one + other);
            }
        }
        if odd {
            let middle = [(); 2].map(|()| luck(chance));
            let middle = middle.map(|strength| self.game(chance, strength, self.seats / 2));
            pairs.push(middle.iter().sum());
        }
        pairs
    }

    /// The strength whose expected score is this Elo, from so many games.
    pub fn strength_of(self, elo: f64, games: u32) -> f64 {
        // Among equals who is ahead is a matter of chance. Luck that is the same on both sides is not where more than two play:
        // whoever has it half of the time is not ahead of half of the others half of the time.
        if elo == 0.0 && (self.luck == 0.0 || self.seats == 2) {
            return 0.0;
        }
        let wanted = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
        // Score of strengths around it, each with the same chance, and a straight line through them.
        let score = |strength: f64| {
            let mut chance = Chance(99);
            let (mut points, mut played) = (0, 0);
            while played < games {
                for pair in self.sets(&mut chance, strength) {
                    (points, played) = (points + pair, played + 2);
                }
            }
            points as f64 / (2.0 * f64::from(played))
        };
        let (low, high) = if elo == 0.0 { (-20.0, 20.0) } else { (elo, 2.0 * elo) };
        let [below, above] = [low, high].map(score);
        low + (high - low) * (wanted - below) / (above - below)
    }

    /// The share of so many tests that end with `wrong`, with Wald's bounds and with corrected ones, and
    /// the mean number of pairs.
    pub fn errors(
        self,
        test: Sprt,
        strength: f64,
        wrong: SprtVerdict,
        tests: u32,
        seed: u64,
    ) -> [f64; 3] {
        let mut chance = Chance(seed);
        let (mut errors, mut pairs) = ([0; 2], 0_u64);
        for _ in 0..tests {
            let mut running = [Overshoot::Ignored, Overshoot::Corrected]
                .map(|overshoot| Some(SprtProgress::new(test, overshoot)));
            let mut counts = [0_u64; 5];
            let mut ready = Vec::new();
            while running.iter().any(Option::is_some) {
                if ready.is_empty() {
                    ready = self.sets(&mut chance, strength);
                }
                counts[ready.remove(0)] += 1;
                pairs += u64::from(running[0].is_some());
                let llr = test.llr(&Counts::new(&counts).expect("five")).expect("it fits");
                for (running, errors) in running.iter_mut().zip(&mut errors) {
                    let Some(sequence) = running else { continue };
                    let verdict = sequence.see_llr(llr);
                    *errors += u32::from(verdict == wrong);
                    if verdict != SprtVerdict::Continue {
                        *running = None;
                    }
                }
            }
        }
        let share = |errors: u32| 100.0 * f64::from(errors) / f64::from(tests);
        [share(errors[0]), share(errors[1]), pairs as f64 / f64::from(tests)]
    }
}
