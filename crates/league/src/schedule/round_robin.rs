//! Round robins and gauntlets: everybody against everybody, or some against all others.

use game::Seed;

use super::stage::Meetings;
use super::{BotId, Next, Plan, Stage};

/// The stage after these. Those who came later are generations of their own: their games
/// follow those of the generations before, which keep their places.
pub(super) fn next(plan: &Plan, stages: &[Stage], rounds: u32, challengers: u32) -> Next {
    let stage = stages.len();
    let seats = plan.seats as u32;
    let cycles = rounds.div_ceil(seats) as usize;
    let generations = plan.joined.iter().max().map_or(0, |last| *last as usize + 1);
    let (generation, cycle) = ((stage / cycles) as u32, (stage % cycles) as u32);
    if generation as usize >= generations {
        return Next::Over;
    }
    let games = seats.min(rounds - cycle * seats);
    let meetings = match stages.last() {
        // The same meet again.
        Some(before) if cycle > 0 => before.meetings(),
        Some(_) | None => Meetings::new(plan, &groups(plan, generation, challengers)),
    };
    Next::Stage(Stage::new(cycle, 0, games, meetings))
}

/// How many games there are in all.
pub(super) fn games(plan: &Plan, rounds: u32, challengers: u32) -> u64 {
    let last = plan.joined.iter().max().copied().unwrap_or(0);
    let groups = |generation| groups(plan, generation, challengers).len() as u64;
    (0..=last).map(groups).sum::<u64>() * u64::from(rounds)
}

/// The groups that meet for the first time with this generation.
fn groups(plan: &Plan, generation: u32, challengers: u32) -> Vec<Vec<BotId>> {
    let bots = plan.joined_by(generation);
    let all = match plan.seats {
        2 => circle(&bots),
        seats => {
            let mut all = combinations(&bots, seats);
            // So that nobody waits long for his first game.
            Seed(plan.seed).rng("order of groups").shuffle(&mut all);
            all
        }
    };
    let newest = |bot: &&BotId| plan.joined[bot.index()] == generation;
    let challenges = |group: &&Vec<BotId>| {
        challengers == 0 || group.iter().filter(|bot| bot.0 < challengers).count() == 1
    };
    let chosen = all.iter().filter(|group| group.iter().any(|bot| newest(&bot)));
    chosen.filter(challenges).cloned().collect()
}

/// All pairs, in rounds in which everybody plays once: all but the first walk around a table.
pub(super) fn circle(bots: &[BotId]) -> Vec<Vec<BotId>> {
    let mut places: Vec<Option<BotId>> = bots.iter().copied().map(Some).collect();
    if places.len() % 2 == 1 {
        places.push(None);
    }
    let count = places.len();
    let mut pairs = Vec::new();
    for _ in 1..count {
        for place in 0..count / 2 {
            if let (Some(a), Some(b)) = (places[place], places[count - 1 - place]) {
                pairs.push(vec![a.min(b), a.max(b)]);
            }
        }
        places[1..].rotate_right(1);
    }
    pairs
}

/// All groups of this size, in order.
fn combinations(bots: &[BotId], size: usize) -> Vec<Vec<BotId>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in bots.iter().enumerate() {
        for mut rest in combinations(&bots[index + 1..], size - 1) {
            rest.insert(0, *first);
            all.push(rest);
        }
    }
    all
}

/// How many groups of this size there are; no more than can be counted.
pub(super) fn groups_of(bots: usize, size: usize) -> u64 {
    let mut count = 1_u64;
    for step in 0..size as u64 {
        count = count.saturating_mul(bots as u64 - step) / (step + 1);
        if count > super::plan_check::MOST_GROUPS * 1000 {
            return u64::MAX;
        }
    }
    count
}
