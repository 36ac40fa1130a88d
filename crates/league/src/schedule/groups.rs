//! Groups in which everybody meets everybody, and who comes out of them.

use super::duels::Duels;
use super::knockout::Placing;
use super::round_robin::circle;
use super::{BotId, ByOrder, Scores, Stage, Tally};

/// The groups: the bots in the order of the file, to and fro, so that the first are spread evenly.
pub(super) fn groups(bots: usize, count: u32) -> Vec<Vec<BotId>> {
    let count = count as usize;
    let mut groups = vec![Vec::new(); count];
    for bot in 0..bots {
        let (row, place) = (bot / count, bot % count);
        let group = if row % 2 == 0 { place } else { count - 1 - place };
        groups[group].push(BotId(bot as u32));
    }
    groups
}

/// All pairs of all groups, those of the groups in turn.
pub(super) fn pairs(bots: usize, count: u32) -> Vec<Vec<BotId>> {
    let mut each: Vec<_> =
        groups(bots, count).iter().map(|group| circle(group).into_iter()).collect();
    let mut pairs = Vec::new();
    loop {
        let before = pairs.len();
        pairs.extend(each.iter_mut().filter_map(Iterator::next));
        if pairs.len() == before {
            return pairs;
        }
    }
}

/// Those who come out of the groups, in the order in which they are seeded, or the games of the
/// groups. The others get their final place.
pub(super) fn walk(
    duels: &mut Duels<'_>,
    count: u32,
    rounds: u32,
    through: u32,
    placings: &mut [Placing],
) -> Result<Vec<BotId>, Stage> {
    let plan = duels.plan;
    let bots = placings.len();
    if !duels.pass() {
        return Err(plan.stage(&pairs(bots, count), 0, 0, rounds));
    }
    // What is decided during the bracket changes nothing here.
    let has_left = |bot: BotId| plan.amendments.has_left(bot, 1);
    let tally = Tally::new(bots, &duels.stages[..1], duels.results);
    let scores = Scores::of(&tally);
    let tables = groups(bots, count).into_iter().map(|group| {
        let places: Vec<usize> = group.iter().map(|bot| bot.index()).collect();
        let keys = scores.keys(&places, &plan.tie_breaks);
        let mut table: Vec<(Vec<u64>, BotId)> = keys.into_iter().zip(group).collect();
        // Of level bots the one that was entered earlier is first; bots that have left are last.
        let left = |bot: &BotId| has_left(*bot);
        table.sort_by(|a, b| left(&a.1).cmp(&left(&b.1)).then(b.0.cmp(&a.0)).then(a.1.cmp(&b.1)));
        table
    });
    let tables: Vec<Vec<(Vec<u64>, BotId)>> = tables.collect();
    let through = through as usize;
    for table in &tables {
        if let [(last, winner), (next, loser), ..] = &table[through - 1..]
            && last == next
            && !has_left(*loser)
        {
            let (winner, loser) = (*winner, *loser);
            duels.by_order.push(ByOrder { round: 0, winner, loser });
        }
    }
    let mut place = (count as usize * through) as u32 + 1;
    for row in through..tables.iter().map(Vec::len).max().unwrap_or(0) {
        let out: Vec<BotId> = tables.iter().filter_map(|table| Some(table.get(row)?.1)).collect();
        for bot in &out {
            placings[bot.index()] = Placing::Out(place);
        }
        place += out.len() as u32;
    }
    Ok(seeded(&tables, through))
}

/// The order of the bracket: the firsts of the groups, then the seconds, and so on, each put where
/// those of its own group are as far away as can be.
fn seeded(tables: &[Vec<(Vec<u64>, BotId)>], through: usize) -> Vec<BotId> {
    let size = (tables.len() * through).next_power_of_two();
    let mut seeds: Vec<(usize, BotId)> = Vec::new();
    for row in 0..through {
        let mut left: Vec<(usize, BotId)> =
            tables.iter().enumerate().map(|(group, table)| (group, table[row].1)).collect();
        while !left.is_empty() {
            let seed = seeds.len();
            // How many rounds it is until it meets the next one of its group.
            let apart = |group: usize| {
                let same = seeds.iter().enumerate().filter(|(_, other)| other.0 == group);
                same.map(|(other, _)| rounds_apart(seed, other, size)).min().unwrap_or(u32::MAX)
            };
            let best = (0..left.len()).max_by_key(|&at| (apart(left[at].0), left.len() - at));
            seeds.push(left.remove(best.expect("somebody is left")));
        }
    }
    seeds.into_iter().map(|(_, bot)| bot).collect()
}

/// In which round two seeds of a bracket of this size can meet, from 1.
fn rounds_apart(a: usize, b: usize, size: usize) -> u32 {
    let (mut a, mut b, mut size, mut round) = (a, b, size, 0);
    while a != b {
        // The better of a pair goes on: seed s of so many meets the one of the same distance from
        // the end.
        a = a.min(size - 1 - a);
        b = b.min(size - 1 - b);
        size /= 2;
        round += 1;
    }
    round
}
