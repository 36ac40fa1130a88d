//! Swiss tournaments: rounds in which bots of about the same score meet.

use super::weighted::{self, EdgeCost};
use super::{BotId, Pairing, Plan, Results, Stage, Tally, grouping, matching};

/// The next round, after these.
pub(super) fn round(
    plan: &Plan,
    rounds: u32,
    games: u32,
    stages: &[Stage],
    results: &Results,
) -> Stage {
    let number = stages.len() as u32;
    let tally = Tally::new(plan.joined.len(), stages, results);
    let byes = byes(plan, stages);
    let bye = plan.bye_halves();
    let halves = |bot: &BotId| tally.halves[bot.index()] + u64::from(byes[bot.index()]) * bye;
    let mut ranked = plan.present(number);
    ranked.sort_by_key(|bot| (std::cmp::Reverse(halves(bot)), *bot));
    let ranked: Vec<SwissEntry> = ranked
        .iter()
        .map(|bot| SwissEntry { bot: *bot, halves: halves(bot), byes: byes[bot.index()] })
        .collect();
    let met = |a: BotId, b: BotId| tally.met[a.index()][b.index()].div_ceil(games.max(1));
    let groups = match (plan.seats, plan.pairing) {
        (2, Pairing::LeastRepeats) => pairs(&ranked, &met, rounds.saturating_sub(number + 1)),
        (2, Pairing::FromTheTop) => first_pairs(&ranked, &met),
        (seats, _) => larger_groups(ranked, seats, &met),
    };
    plan.stage(&groups, number, 0, games)
}

/// How often each bot has sat out.
pub(super) fn byes(plan: &Plan, stages: &[Stage]) -> Vec<u32> {
    let mut byes = vec![0; plan.joined.len()];
    for (number, stage) in stages.iter().enumerate() {
        for bot in plan.present(number as u32) {
            let plays = stage.groups().any(|group| group.contains(&bot));
            byes[bot.index()] += u32::from(!plays);
        }
    }
    byes
}

/// A bot in the order of points.
#[derive(Clone, Copy)]
struct SwissEntry {
    bot: BotId,
    halves: u64,
    byes: u32,
}

/// Pairs from the top: each gets the best partner whom it has not met and with whom the rest can
/// still be paired, in such a way that as many of the next rounds (so many are left) as can be seen
/// from here can be paired too. Only when there is no pairing without a repetition do some meet
/// again, and then as few as can be.
fn pairs(ranked: &[SwissEntry], met: &dyn Fn(BotId, BotId) -> u32, left: u32) -> Vec<Vec<BotId>> {
    let Some(best) = fresh_pairs(ranked, met, &[]) else { return least_repeats(ranked, met) };
    let future = Future { ranked, met, left: left.min(FORESIGHT) };
    let mut lasts = future.rounds_after(&best);
    if lasts == future.left {
        return best;
    }
    // Some other pairing leaves more. The lowest change places first, one pair and then two.
    let (mut chosen, count) = (best.clone(), best.len());
    let single = (0..count).rev().map(|place| vec![place]);
    let double = (0..count).rev().flat_map(|a| (0..a).rev().map(move |b| vec![a, b]));
    for places in single.chain(double).take(OTHERS) {
        let without: Vec<&[BotId]> = places.iter().map(|&place| &best[place][..]).collect();
        let Some(other) = fresh_pairs(ranked, met, &without) else { continue };
        let then = future.rounds_after(&other);
        if then > lasts {
            (chosen, lasts) = (other, then);
        }
        if lasts == future.left {
            break;
        }
    }
    chosen
}

/// So many rounds are looked ahead, at most.
const FORESIGHT: u32 = 4;
/// So many other pairings are tried for the sake of later rounds.
const OTHERS: usize = 200;

/// Pairs without a repetition and without these, from the top; none if there are none.
fn fresh_pairs(
    ranked: &[SwissEntry],
    met: &dyn Fn(BotId, BotId) -> u32,
    without: &[&[BotId]],
) -> Option<Vec<Vec<BotId>>> {
    let may = |a: BotId, b: BotId| {
        met(a, b) == 0 && !without.iter().any(|pair| pair.contains(&a) && pair.contains(&b))
    };
    let rest = without_bye(ranked, &may)?;
    Some(from_the_top(rest, met, |first, partner, others| {
        may(first, partner) && pairable(others, &may)
    }))
}

/// The rounds that come after one.
struct Future<'a> {
    ranked: &'a [SwissEntry],
    met: &'a dyn Fn(BotId, BotId) -> u32,
    /// How many of them are looked at.
    left: u32,
}

impl Future<'_> {
    /// How many rounds can be paired without a repetition after these pairs, as far as is looked.
    fn rounds_after(&self, pairs: &[Vec<BotId>]) -> u32 {
        let bots = self.ranked.len();
        let fewest = |bot: &SwissEntry| {
            let others = self.ranked.iter().filter(|other| other.bot != bot.bot);
            others.filter(|other| (self.met)(bot.bot, other.bot) == 0).count()
        };
        let open = self.ranked.iter().map(fewest).min().unwrap_or(0);
        // Where everybody has half of the others left, there are always pairs (Dirac's theorem).
        if bots.is_multiple_of(2) && open > bots / 2 + self.left as usize {
            return self.left;
        }
        let mut ranked = self.ranked.to_vec();
        let mut paired: Vec<Vec<BotId>> = Vec::new();
        let mut latest = pairs.to_vec();
        for round in 0..self.left {
            for bot in &mut ranked {
                bot.byes += u32::from(!latest.iter().flatten().any(|plays| *plays == bot.bot));
            }
            paired.append(&mut latest);
            let may = |a: BotId, b: BotId| {
                (self.met)(a, b) == 0
                    && !paired.iter().any(|pair| pair.contains(&a) && pair.contains(&b))
            };
            let Some(rest) = without_bye(&ranked, &may) else { return round };
            let mates = matching::mates(rest.len(), &|a, b| may(rest[a].bot, rest[b].bot));
            let mates = mates.iter().enumerate().filter_map(|(one, other)| Some((one, (*other)?)));
            let once = mates.filter(|(one, other)| one < other);
            latest = once.map(|(one, other)| vec![rest[one].bot, rest[other].bot]).collect();
        }
        self.left
    }
}

/// Pairs of which as few as can be meet again.
fn least_repeats(ranked: &[SwissEntry], met: &dyn Fn(BotId, BotId) -> u32) -> Vec<Vec<BotId>> {
    let costs = Repeats::of(ranked, met);
    let (rest, mut least) = costs.without_bye(ranked);
    from_the_top(rest, met, |first, partner, others| {
        let here = costs.of_pair(met(first, partner));
        let fits = here <= least && here + costs.least(others) == least;
        least -= if fits { here } else { 0 };
        fits
    })
}

/// Pairs as they were made before repetitions were counted, for runs that began then: only when
/// there is no pairing without a repetition may anybody meet again.
fn first_pairs(ranked: &[SwissEntry], met: &dyn Fn(BotId, BotId) -> u32) -> Vec<Vec<BotId>> {
    for again in 0.. {
        let may = |a: BotId, b: BotId| met(a, b) <= again;
        if let Some(rest) = without_bye(ranked, &may) {
            return from_the_top(rest, met, |first, partner, others| {
                may(first, partner) && pairable(others, &may)
            });
        }
    }
    unreachable!("everybody may meet everybody often enough")
}

/// Pairs from the top: each gets the first of those it wants with whom the others fit.
fn from_the_top(
    mut rest: Vec<SwissEntry>,
    met: &dyn Fn(BotId, BotId) -> u32,
    mut fits: impl FnMut(BotId, BotId, &[SwissEntry]) -> bool,
) -> Vec<Vec<BotId>> {
    let mut pairs = Vec::new();
    while let Some(first) = rest.first().copied() {
        let mut wanted = partners(&rest, met).into_iter();
        let partner = wanted
            .find(|&index| fits(first.bot, rest[index].bot, &without(&rest, index)))
            .expect("the rest can be paired");
        pairs.push(vec![first.bot, rest[partner].bot]);
        rest = without(&rest, partner);
    }
    pairs
}

/// What it costs that bots meet again, in whole numbers: one pair that meets for the third time
/// costs more than all others together for the second, and so on.
struct Repeats<'a> {
    met: &'a dyn Fn(BotId, BotId) -> u32,
    /// How often those have met who did so least.
    least: u32,
    /// How much more one level is than the one below: more than there are pairs.
    step: EdgeCost,
    /// Beyond so many levels all is equally bad.
    levels: u32,
}

impl<'a> Repeats<'a> {
    fn of(ranked: &[SwissEntry], met: &'a dyn Fn(BotId, BotId) -> u32) -> Repeats<'a> {
        let all = ranked.iter().enumerate();
        let all = all.flat_map(|(place, a)| ranked[..place].iter().map(|b| met(a.bot, b.bot)));
        let step = ranked.len() as EdgeCost / 2 + 1;
        let levels = (1..).take_while(|level| step.pow(*level) < 1 << 60).count() as u32;
        Repeats { met, least: all.min().unwrap_or(0), step, levels }
    }

    /// What a pair costs that has met so often.
    fn of_pair(&self, met: u32) -> EdgeCost {
        match (met - self.least).min(self.levels) {
            0 => 0,
            level => self.step.pow(level - 1),
        }
    }

    /// What it costs at least to pair these.
    fn least(&self, rest: &[SwissEntry]) -> EdgeCost {
        let cost = |a: usize, b: usize| self.of_pair((self.met)(rest[a].bot, rest[b].bot));
        let partners = weighted::partners(rest.len(), &cost);
        let sum: EdgeCost = (0..rest.len()).map(|one| cost(one, partners[one])).sum();
        sum / 2
    }

    /// Those who play, and what it costs to pair them, once somebody sits out if their number is
    /// odd: of those who did so least often the lowest without whom it costs least.
    fn without_bye(&self, ranked: &[SwissEntry]) -> (Vec<SwissEntry>, EdgeCost) {
        if ranked.len().is_multiple_of(2) {
            return (ranked.to_vec(), self.least(ranked));
        }
        let byes = ranked.iter().map(|bot| bot.byes).min();
        let candidates = ranked.iter().rev().filter(|bot| Some(bot.byes) == byes);
        let choices = candidates.map(|out| {
            let rest = others(ranked, &[out.bot]);
            let cost = self.least(&rest);
            (rest, cost)
        });
        choices.min_by_key(|(_, cost)| *cost).expect("somebody sits out least often")
    }
}

/// All but the first and this one.
fn without(rest: &[SwissEntry], index: usize) -> Vec<SwissEntry> {
    let keep = rest.iter().enumerate().filter(|(other, _)| *other != 0 && *other != index);
    keep.map(|(_, bot)| *bot).collect()
}

/// Partners for the first, the most wanted first: of its own score group the upper half meets the
/// lower one, as they stand; then the next groups from the top.
fn partners(rest: &[SwissEntry], met: &dyn Fn(BotId, BotId) -> u32) -> Vec<usize> {
    let group = rest.iter().take_while(|bot| bot.halves == rest[0].halves).count();
    let half = group / 2;
    let mut order: Vec<usize> = (half.max(1)..group).collect();
    order.extend((1..half.max(1)).rev());
    order.extend(group.max(1)..rest.len());
    order.sort_by_key(|&index| met(rest[0].bot, rest[index].bot));
    order
}

fn pairable(rest: &[SwissEntry], may: &dyn Fn(BotId, BotId) -> bool) -> bool {
    2 * matching::pairs(rest.len(), &|a, b| may(rest[a].bot, rest[b].bot)) == rest.len()
}

/// Those who play, once somebody sits out if their number is odd: the lowest of those who did so
/// least often. None if the others cannot be paired.
fn without_bye(
    ranked: &[SwissEntry],
    may: &dyn Fn(BotId, BotId) -> bool,
) -> Option<Vec<SwissEntry>> {
    if ranked.len().is_multiple_of(2) {
        return pairable(ranked, may).then(|| ranked.to_vec());
    }
    let least = ranked.iter().map(|bot| bot.byes).min()?;
    let candidates = ranked.iter().rev().filter(|bot| bot.byes == least);
    candidates.map(|out| others(ranked, &[out.bot])).find(|rest| pairable(rest, may))
}

fn others(ranked: &[SwissEntry], out: &[BotId]) -> Vec<SwissEntry> {
    ranked.iter().filter(|bot| !out.contains(&bot.bot)).copied().collect()
}

/// Groups in which nobody has met, if there are any and the search finds them: those that come of
/// filling up from the top, or else whatever there is, with others sitting out if need be.
fn larger_groups(
    ranked: Vec<SwissEntry>,
    seats: usize,
    met: &dyn Fn(BotId, BotId) -> u32,
) -> Vec<Vec<BotId>> {
    let mut choices = SittingOut::new(&ranked, ranked.len() % seats);
    let first = choices.next().unwrap_or_default();
    let quick = filled_up(&others(&ranked, &first), seats, met);
    if quick.iter().all(|group| repeats(group, met) == 0) {
        return quick;
    }
    let mut patience = grouping::SearchBudget::new();
    for out in std::iter::once(first).chain(choices) {
        let rest = others(&ranked, &out);
        let may = |a: usize, b: usize| met(rest[a].bot, rest[b].bot) == 0;
        if let Some(groups) = grouping::groups(rest.len(), seats, &may, &mut patience) {
            let bots = |group: &Vec<usize>| group.iter().map(|&place| rest[place].bot).collect();
            return groups.iter().map(bots).collect();
        }
        if patience.is_over() {
            break;
        }
    }
    quick
}

/// The choices of those who sit out, the best first: the lowest of those who did so least often.
/// Nobody sits out again while that can be avoided.
struct SittingOut {
    /// They have sat out less often than others who have to.
    always: Vec<BotId>,
    /// The others come from here, the lowest first.
    pool: Vec<BotId>,
    /// Their places there; none when there are no more choices.
    chosen: Option<Vec<usize>>,
}

impl SittingOut {
    fn new(ranked: &[SwissEntry], count: usize) -> SittingOut {
        let mut order: Vec<SwissEntry> = ranked.iter().rev().copied().collect();
        order.sort_by_key(|bot| bot.byes);
        let often = count.checked_sub(1).map_or(0, |last| order[last].byes);
        let with = |wanted: &dyn Fn(u32) -> bool| -> Vec<BotId> {
            order.iter().filter(|bot| wanted(bot.byes)).map(|bot| bot.bot).collect()
        };
        let always = if count == 0 { Vec::new() } else { with(&|byes| byes < often) };
        let chosen = Some((0..count - always.len()).collect());
        SittingOut { always, pool: with(&|byes| byes == often), chosen }
    }
}

impl Iterator for SittingOut {
    type Item = Vec<BotId>;

    fn next(&mut self) -> Option<Vec<BotId>> {
        let chosen = self.chosen.clone()?;
        let (count, pool) = (chosen.len(), self.pool.len());
        // The last place that can go up does, and those behind it follow.
        let up = (0..count).rev().find(|&at| chosen[at] < pool - (count - at));
        self.chosen = up.map(|at| {
            let on = (0..count - at).map(|step| chosen[at] + 1 + step);
            chosen[..at].iter().copied().chain(on).collect()
        });
        let from_pool = chosen.iter().map(|&place| self.pool[place]);
        Some(self.always.iter().copied().chain(from_pool).collect())
    }
}

/// Groups from the top, each filled up with those whom its members have met least; then members of
/// different groups change places as long as that spares repeated meetings.
fn filled_up(
    ranked: &[SwissEntry],
    seats: usize,
    met: &dyn Fn(BotId, BotId) -> u32,
) -> Vec<Vec<BotId>> {
    let mut rest: Vec<BotId> = ranked.iter().map(|bot| bot.bot).collect();
    let mut groups = Vec::new();
    while !rest.is_empty() {
        let mut group = vec![rest.remove(0)];
        while group.len() < seats {
            let repeats = |bot: &BotId| group.iter().map(|other| met(*bot, *other)).sum::<u32>();
            let next = (0..rest.len()).min_by_key(|&index| (repeats(&rest[index]), index));
            group.push(rest.remove(next.expect("groups come out even")));
        }
        groups.push(group);
    }
    while exchange(&mut groups, met) {}
    groups
}

/// How much a group has met before; the same pair again and again counts for more.
fn repeats(group: &[BotId], met: &dyn Fn(BotId, BotId) -> u32) -> u32 {
    let of = |(index, bot): (usize, &BotId)| {
        group[..index].iter().map(|other| met(*bot, *other).pow(2)).sum::<u32>()
    };
    group.iter().enumerate().map(of).sum()
}

/// Makes the first exchange between two groups that spares repeats, if there is one.
fn exchange(groups: &mut [Vec<BotId>], met: &dyn Fn(BotId, BotId) -> u32) -> bool {
    let cost = |group: &[BotId]| repeats(group, met);
    for a in 0..groups.len() {
        for b in a + 1..groups.len() {
            let before = cost(&groups[a]) + cost(&groups[b]);
            for (i, j) in
                (0..groups[a].len()).flat_map(|i| (0..groups[b].len()).map(move |j| (i, j)))
            {
                let (mut one, mut two) = (groups[a].clone(), groups[b].clone());
                std::mem::swap(&mut one[i], &mut two[j]);
                if cost(&one) + cost(&two) < before {
                    (groups[a], groups[b]) = (one, two);
                    return true;
                }
            }
        }
    }
    false
}
