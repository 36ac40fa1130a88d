//! Ladders, which have no end: most games are drawn by lot, the others go where the order of the
//! bots is most uncertain.
//!
//! Games that are chosen by results spread ratings: two that seem level play on until they do not.
//! So only a few are, and the rest hold ratings in place (`docs/statistics.md` has the figures).
//!
//! Only basic operations and roots are used on numbers: they have the same result on every machine,
//! and so has the schedule.

use game::Seed;

use super::{BotId, Pairing, Plan, Results, Stage, Tally};

/// The stage of this number: everybody plays twice with whom the lot has it, then come some
/// meetings where the order is most uncertain.
pub(super) fn stage(
    plan: &Plan,
    games: u32,
    number: u32,
    stages: &[Stage],
    results: &Results,
) -> Stage {
    let present = plan.present(number);
    let tally = Tally::new(plan.joined.len(), stages, results);
    let doubt = Doubt::new(&tally);
    let tables = present.len() / plan.seats;
    let (mut groups, doubtful) = match plan.pairing {
        Pairing::FromTheTop => (by_doubt(plan, &present, &tally, &doubt), tables),
        Pairing::LeastRepeats => (by_lot(plan, &present, number), (tables / 2).max(1)),
    };
    // Then those of whom least is known, beginning with the most doubtful pair.
    for _ in 0..doubtful {
        let free = |a: &BotId, b: &BotId| a < b && !together(&groups, *a, *b);
        let pairs = present.iter().flat_map(|a| present.iter().map(move |b| (*a, *b)));
        let best = pairs
            .filter(|(a, b)| free(a, b))
            .max_by(|x, y| doubt.of(x.0, x.1).total_cmp(&doubt.of(y.0, y.1)).then(y.cmp(x)));
        let Some((a, b)) = best else { break };
        let mut group = vec![a, b];
        let mut others: Vec<BotId> =
            present.iter().copied().filter(|bot| !group.contains(bot)).collect();
        fill(&mut group, &mut others, plan.seats, &doubt, &groups);
        group.sort();
        groups.push(group);
    }
    plan.stage(&groups, number, 0, games)
}

/// Everybody in a ring, in an order that only the seed knows: neighbours meet, and once more with
/// the groups moved by half of one, so that everybody has others around.
fn by_lot(plan: &Plan, present: &[BotId], number: u32) -> Vec<Vec<BotId>> {
    let mut ring = present.to_vec();
    Seed(plan.seed).of_round(number.into()).rng("ladder").shuffle(&mut ring);
    let mut groups: Vec<Vec<BotId>> = Vec::new();
    for start in [0, plan.seats.div_ceil(2)] {
        for first in (0..ring.len()).step_by(plan.seats) {
            let place = |seat: usize| ring[(start + first + seat) % ring.len()];
            let mut group: Vec<BotId> = (0..plan.seats).map(place).collect();
            group.sort();
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
    groups
}

/// Everybody at least once, with those near whom it is least certain to be above or below: how runs
/// began that are older.
fn by_doubt(plan: &Plan, present: &[BotId], tally: &Tally, doubt: &Doubt) -> Vec<Vec<BotId>> {
    let mut groups: Vec<Vec<BotId>> = Vec::new();
    let mut waiting = present.to_vec();
    // Those who played least choose first.
    waiting.sort_by_key(|bot| (tally.games[bot.index()], *bot));
    while !waiting.is_empty() {
        let first = waiting.remove(0);
        let mut group = vec![first];
        fill(&mut group, &mut waiting, plan.seats, doubt, &groups);
        // The last may be too few: others play once more.
        let mut others: Vec<BotId> =
            present.iter().copied().filter(|bot| !group.contains(bot)).collect();
        fill(&mut group, &mut others, plan.seats, doubt, &groups);
        group.sort();
        groups.push(group);
    }
    groups
}

/// Whether two bots already meet in this stage.
fn together(groups: &[Vec<BotId>], a: BotId, b: BotId) -> bool {
    groups.iter().any(|group| group.contains(&a) && group.contains(&b))
}

/// Adds those about whose places relative to the group least is known.
fn fill(
    group: &mut Vec<BotId>,
    from: &mut Vec<BotId>,
    seats: usize,
    doubt: &Doubt,
    taken: &[Vec<BotId>],
) {
    while group.len() < seats && !from.is_empty() {
        let worth = |bot: BotId| -> f64 {
            let fresh = group.iter().filter(|other| !together(taken, **other, bot));
            fresh.map(|other| doubt.of(*other, bot)).sum()
        };
        let best = (0..from.len())
            .max_by(|a, b| worth(from[*a]).total_cmp(&worth(from[*b])).then(b.cmp(a)))
            .expect("there is somebody");
        group.push(from.remove(best));
    }
}

/// How little is known about the order of two bots.
struct Doubt {
    strength: Vec<f64>,
    variance: Vec<f64>,
}

/// So often strengths are improved; more would not change the choice of games.
const STEPS: usize = 40;

impl Doubt {
    /// Strengths by Bradley and Terry's model, each bot beside its games having drawn one with an
    /// average rival, so that nothing is ever zero or infinite.
    fn new(tally: &Tally) -> Doubt {
        let bots = tally.halves.len();
        let mut strength = vec![1.0; bots];
        let met = |a: usize, b: usize| f64::from(tally.met[a][b]);
        for _ in 0..STEPS {
            for bot in 0..bots {
                let won = tally.against[bot].iter().sum::<u64>() as f64 / 2.0;
                let mut expected = 1.0 / (strength[bot] + 1.0);
                for rival in 0..bots {
                    if tally.met[bot][rival] > 0 {
                        expected += met(bot, rival) / (strength[bot] + strength[rival]);
                    }
                }
                strength[bot] = (won + 0.5) / expected;
            }
        }
        let variance = (0..bots).map(|bot| {
            let known: f64 = (0..bots)
                .map(|rival| {
                    let sum = strength[bot] + strength[rival];
                    met(bot, rival) * strength[bot] * strength[rival] / (sum * sum)
                })
                .sum();
            1.0 / (known + 0.25)
        });
        let variance = variance.collect();
        Doubt { strength, variance }
    }

    /// How likely the order is the wrong one, roughly, times what there is to be learnt.
    fn of(&self, a: BotId, b: BotId) -> f64 {
        let (a, b) = (a.index(), b.index());
        let variance = self.variance[a] + self.variance[b];
        let apart = logarithm(self.strength[a]) - logarithm(self.strength[b]);
        // The tail of a normal distribution, by the first terms of its series.
        let x = apart * apart / variance / 2.0;
        variance.sqrt() / (1.0 + x + x * x / 2.0 + x * x * x / 6.0)
    }
}

/// The natural logarithm of a positive number, to nine digits, by exact operations alone.
fn logarithm(number: f64) -> f64 {
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    let y = (mantissa - 1.0) / (mantissa + 1.0);
    let mut sum = 0.0;
    let mut power = y;
    for odd in 0..9 {
        sum += power / f64::from(2 * odd + 1);
        power = power * y * y;
    }
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_logarithm_is_the_logarithm() {
        for number in [1e-9, 0.1, 0.5, 0.99, 1.0, 1.5, 1.999, 2.0, 3.0, 1e6] {
            assert!((logarithm(number) - f64::ln(number)).abs() < 1e-9, "{number}");
        }
    }
}
