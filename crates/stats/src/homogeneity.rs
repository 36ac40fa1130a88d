//! Whether values from one machine could come from the same source as those from others.
//!
//! Games of the same kind (the same bots in the same seats) are a stratum. If machines make no
//! difference, whichever of a stratum's games one of them played are a sample without replacement
//! of all of them. How far the sum of such a sample strays is bounded by Bennett's inequality, which
//! holds for samples without replacement, too (Hoeffding 1963, theorem 4), and for small ones. So a
//! chance that is stated is never too small, however few or skewed the values are.
//!
//! Games of a set are not independent of each other. Each stratum has one game of a set; strata of
//! the same bots are combined by Hölder's inequality, which asks for no independence.

/// Values of games, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many.
    pub count: f64,
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

impl Moments {
    /// The same value so many times.
    pub fn of(value: f64, count: u64) -> Moments {
        let count = count as f64;
        Moments { count, sum: value * count, squares: value * value * count }
    }

    /// Both together.
    pub fn plus(self, other: Moments) -> Moments {
        Moments {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }
}

/// Games of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stratum {
    /// Those of the machine that is compared.
    pub here: Moments,
    /// Those of all others.
    pub elsewhere: Moments,
}

/// How values of one machine differ from those of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Their mean there.
    pub here: f64,
    /// What it would be if the games of each kind went as elsewhere.
    pub elsewhere: f64,
    /// How many of them there are.
    pub count: f64,
    /// An upper bound of how likely such a difference is by chance.
    pub chance: f64,
}

/// Compares one machine with all others. No two values are further apart than `range`; up to
/// `dependent` strata may have games of the same sets. None if nothing can be compared.
pub fn deviation(strata: &[Stratum], range: f64, dependent: usize) -> Option<Deviation> {
    let (mut excess, mut variance) = (0.0, 0.0);
    let (mut count, mut here, mut elsewhere) = (0.0, 0.0, 0.0);
    for stratum in strata {
        let all = stratum.here.plus(stratum.elsewhere);
        let sample = stratum.here.count.min(stratum.elsewhere.count);
        if sample < 1.0 {
            continue;
        }
        let mean = all.sum / all.count;
        let spread = (all.squares / all.count - mean * mean).max(0.0);
        excess += stratum.here.sum - stratum.here.count * mean;
        variance += sample * spread;
        count += stratum.here.count;
        here += stratum.here.sum;
        elsewhere += stratum.here.count * stratum.elsewhere.sum / stratum.elsewhere.count;
    }
    if count < 1.0 {
        return None;
    }
    let dependent = dependent.max(1) as f64;
    let chance = 2.0 * bennett(excess.abs(), dependent * variance, dependent * range);
    let (here, elsewhere) = (here / count, elsewhere / count);
    Some(Deviation { here, elsewhere, count, chance: chance.min(1.0) })
}

/// How likely a sum exceeds its mean by so much, at most, if it has this variance and no summand
/// exceeds its own mean by more than `most`.
fn bennett(excess: f64, variance: f64, most: f64) -> f64 {
    // Rounding must not make something of nothing.
    if excess <= 1e-9 * most || variance <= 0.0 {
        return 1.0;
    }
    let u = most * excess / variance;
    (-variance / (most * most) * ((1.0 + u) * u.ln_1p() - u)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between 0 and 1 that look random (SplitMix64).
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// The smallest chance of a run of sets: of two games each, which go alike in so many of ten
    /// cases. On machine 0 the bot wins more often by `gain`.
    fn smallest(noise: &mut Noise, sets: usize, machines: usize, wins: f64, gain: f64) -> f64 {
        const ALIKE: f64 = 0.7;
        let mut strata = vec![[Moments::default(); 2]; machines];
        for _ in 0..sets {
            // Machines have different speeds: one plays most.
            let machine = ((noise.next() * noise.next()) * machines as f64) as usize;
            let wins = if machine == 0 { wins + gain } else { wins };
            let first = f64::from(u8::from(noise.next() < wins));
            let second = f64::from(u8::from(noise.next() < wins));
            let second = if noise.next() < ALIKE { first } else { second };
            for (stratum, value) in [first, second].into_iter().enumerate() {
                let sum = &mut strata[machine][stratum];
                *sum = sum.plus(Moments::of(value, 1));
            }
        }
        let of = |machine: usize| -> f64 {
            let compared: Vec<Stratum> = (0..2)
                .map(|stratum| {
                    let others = (0..machines).filter(|other| *other != machine);
                    let elsewhere = others.map(|other| strata[other][stratum]);
                    Stratum {
                        here: strata[machine][stratum],
                        elsewhere: elsewhere.fold(Moments::default(), Moments::plus),
                    }
                })
                .collect();
            deviation(&compared, 1.0, 2).map_or(1.0, |deviation| deviation.chance)
        };
        (0..machines).map(of).fold(1.0, f64::min)
    }

    #[test]
    fn machines_that_agree_are_not_said_to_differ_more_often_than_stated() {
        let mut noise = Noise(1);
        for (sets, machines, wins) in
            [(10, 2, 0.5), (40, 3, 0.5), (200, 5, 0.9), (400, 4, 0.02), (60, 30, 0.3)]
        {
            let runs = 4000;
            let alarms = (0..runs).filter(|_| {
                smallest(&mut noise, sets, machines, wins, 0.0) * (machines as f64) < 0.01
            });
            let alarms = alarms.count();
            // Stated is one of a hundred; with the bound it is far fewer.
            assert!(alarms <= runs / 100, "{sets} {machines} {wins}: {alarms} of {runs}");
        }
    }

    #[test]
    fn a_machine_that_differs_is_found() {
        let mut noise = Noise(2);
        let found = |noise: &mut Noise, sets: usize, gain: f64| {
            let alarms = (0..200).filter(|_| smallest(noise, sets, 3, 0.4, gain) * 3.0 < 0.01);
            alarms.count()
        };
        assert!(found(&mut noise, 300, 0.4) > 180, "a large difference, 300 sets");
        assert!(found(&mut noise, 3000, 0.15) > 180, "a small one, 3000 sets");
    }

    #[test]
    fn nothing_to_compare_is_no_difference_and_equal_values_are_none() {
        assert_eq!(deviation(&[], 1.0, 1), None);
        let alone = Stratum { here: Moments::of(1.0, 50), elsewhere: Moments::default() };
        assert_eq!(deviation(&[alone], 1.0, 1), None);
        let same = Stratum { here: Moments::of(0.1, 50), elsewhere: Moments::of(0.1, 9) };
        assert_eq!(deviation(&[same], 1.0, 1).expect("they meet").chance, 1.0);
        let other = Stratum { here: Moments::of(0.0, 50), elsewhere: Moments::of(1.0, 50) };
        let found = deviation(&[other], 1.0, 1).expect("they meet");
        assert_eq!((found.here, found.elsewhere, found.count), (0.0, 1.0, 50.0));
        assert!(found.chance < 1e-6, "{found:?}");
    }
}
