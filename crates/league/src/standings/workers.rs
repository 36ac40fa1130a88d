//! Whether the workers of a cluster agree: games of the same bots in the same seats are compared
//! between each worker and all others, by results and by the time that bots took.

use std::collections::{BTreeMap, BTreeSet};

use stats::{Deviation, Moments, Stratum, deviation};

use super::SUSPICIOUS;
use crate::schedule::share;
use crate::store::sums::{WorkerResult, WorkerTime};

/// What the workers of an event have played, and where they disagree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerComparison {
    /// The workers, by name; empty if no cluster has played.
    pub workers: Vec<WorkerTotals>,
    /// Bots that scored differently on one worker, the most certain first.
    pub gaps: Vec<WorkerGap>,
    /// Bots that took another time to answer on one worker, the most certain first.
    pub time_gaps: Vec<WorkerGap>,
}

/// What one worker has played.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerTotals {
    /// Its name.
    pub name: String,
    /// Its games.
    pub games: u64,
    /// By protection.
    pub tiers: BTreeMap<String, u64>,
    /// Its mean speed, in millions of steps of a fixed workload a second.
    pub speed: f64,
}

/// A bot that did differently on one worker than on the others.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerGap {
    /// The worker.
    pub worker: String,
    /// The bot.
    pub name: String,
    /// Its games there.
    pub games: u64,
    /// Its score there, or the typical time of its answers in milliseconds.
    pub here: f64,
    /// The same of the same games elsewhere.
    pub elsewhere: f64,
    /// How likely such a difference is by chance, at most, with all comparisons that were made.
    pub chance: f64,
}

/// Machines always differ a little: times are worth a remark if one is so many times the other.
const SLOWER: f64 = 1.25;

/// Logarithms of microseconds are below this.
const LARGEST_LOG: f64 = 28.0;

/// Values by bot, by who sat where, and by worker.
type Values<'s> = BTreeMap<u32, BTreeMap<&'s [u32], BTreeMap<&'s str, Moments>>>;

/// Compares the workers of an event with so many seats.
pub(crate) fn compare(
    results: &[WorkerResult],
    times: &[WorkerTime],
    seats: usize,
    name: impl Fn(u32) -> String,
) -> WorkerComparison {
    let mut workers: BTreeMap<&str, WorkerTotals> = BTreeMap::new();
    let mut scores: Values<'_> = BTreeMap::new();
    for result in results {
        let new = || WorkerTotals {
            name: result.worker.clone(),
            games: 0,
            tiers: BTreeMap::new(),
            speed: 0.0,
        };
        let worker = workers.entry(&result.worker).or_insert_with(new);
        worker.games += result.games;
        worker.speed += result.speeds;
        *worker.tiers.entry(result.tier.clone()).or_default() += result.games;
        for (seat, bot) in result.seating.iter().enumerate() {
            let sum = slot(&mut scores, *bot, &result.seating, &result.worker);
            *sum = sum.plus(Moments::of(share(&result.ranks, seat), result.games));
        }
    }
    let mut logs: Values<'_> = BTreeMap::new();
    for time in times {
        let sum = slot(&mut logs, time.seating[time.seat], &time.seating, &time.worker);
        let (count, sum_of, squares) = (time.games as f64, time.logs, time.squares);
        *sum = sum.plus(Moments { count, sum: sum_of, squares });
    }
    let mut workers: Vec<WorkerTotals> = workers.into_values().collect();
    for worker in &mut workers {
        worker.speed /= worker.games as f64;
    }
    let gap = |worker: &str, bot: u32, found: Deviation| WorkerGap {
        worker: worker.to_owned(),
        name: name(bot),
        games: found.count as u64,
        here: found.here,
        elsewhere: found.elsewhere,
        chance: found.chance,
    };
    let in_ms = |gap: WorkerGap| WorkerGap {
        here: gap.here.exp_m1() / 1000.0,
        elsewhere: gap.elsewhere.exp_m1() / 1000.0,
        ..gap
    };
    let is_slower = |gap: &WorkerGap| {
        let (less, more) = (gap.here.min(gap.elsewhere), gap.here.max(gap.elsewhere));
        more >= SLOWER * less
    };
    let gaps = deviations(&scores, 1.0, seats, &gap);
    let time_gaps = deviations(&logs, LARGEST_LOG, seats, &gap).into_iter().map(in_ms);
    WorkerComparison { workers, gaps, time_gaps: time_gaps.filter(is_slower).collect() }
}

fn slot<'v, 's>(
    values: &'v mut Values<'s>,
    bot: u32,
    seating: &'s [u32],
    worker: &'s str,
) -> &'v mut Moments {
    let of_bot = values.entry(bot).or_default().entry(seating).or_default();
    of_bot.entry(worker).or_default()
}

/// Everybody who did differently on one worker. In a set a bot has each seat once: as many of its
/// games depend on each other.
fn deviations(
    values: &Values<'_>,
    range: f64,
    seats: usize,
    gap: &impl Fn(&str, u32, Deviation) -> WorkerGap,
) -> Vec<WorkerGap> {
    let mut found = Vec::new();
    let mut comparisons = 0.0;
    for (bot, strata) in values {
        let all: BTreeMap<&[u32], Moments> = strata
            .iter()
            .map(|(seating, by)| {
                (*seating, by.values().copied().fold(Moments::default(), Moments::plus))
            })
            .collect();
        let workers: BTreeSet<&str> = strata.values().flat_map(|by| by.keys().copied()).collect();
        // Of two workers each differs from the other.
        let compared = if workers.len() == 2 { 1 } else { workers.len() };
        for worker in workers.into_iter().take(compared) {
            let of = |(seating, by): (&&[u32], &BTreeMap<&str, Moments>)| {
                let (all, here) = (all[seating], *by.get(worker)?);
                let elsewhere = Moments {
                    count: all.count - here.count,
                    sum: all.sum - here.sum,
                    squares: all.squares - here.squares,
                };
                Some(Stratum { here, elsewhere })
            };
            let compared: Vec<Stratum> = strata.iter().filter_map(of).collect();
            let Some(deviation) = deviation(&compared, range, seats) else { continue };
            comparisons += 1.0;
            found.push(gap(worker, *bot, deviation));
        }
    }
    // The more is compared, the more looks strange by chance.
    for gap in &mut found {
        gap.chance = (gap.chance * comparisons).min(1.0);
    }
    found.retain(|gap| gap.chance < SUSPICIOUS);
    found.sort_by(|a, b| {
        let by_chance = a.chance.total_cmp(&b.chance);
        by_chance.then_with(|| (&a.worker, &a.name).cmp(&(&b.worker, &b.name)))
    });
    found
}

impl WorkerComparison {
    /// Where workers disagree, in sentences.
    pub(crate) fn remarks(&self) -> Vec<String> {
        const MOST: usize = 5;
        let chance = |gap: &WorkerGap| {
            let times = (1.0 / gap.chance.max(1e-9)).floor();
            format!("by chance less than once in {times:.0} times")
        };
        let score = |gap: &WorkerGap| {
            format!(
                "workers disagree: {} scored {:.1} % in {} on worker {} but {:.1} % in the same \
                 on others: {}",
                gap.name,
                100.0 * gap.here,
                game::count(gap.games, "game"),
                gap.worker,
                100.0 * gap.elsewhere,
                chance(gap)
            )
        };
        let time = |gap: &WorkerGap| {
            format!(
                "workers disagree: {} took {:.3} ms an answer in {} on worker {} but {:.3} ms on \
                 others: {}",
                gap.name,
                gap.here,
                game::count(gap.games, "game"),
                gap.worker,
                gap.elsewhere,
                chance(gap)
            )
        };
        let mut lines: Vec<String> = self.gaps.iter().take(MOST).map(score).collect();
        lines.extend(self.time_gaps.iter().take(MOST).map(time));
        let more = self.gaps.len().saturating_sub(MOST) + self.time_gaps.len().saturating_sub(MOST);
        if more > 0 {
            lines.push(format!("{more} more disagreements of workers are in --json"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of two bots on a worker, in both seats.
    fn games(worker: &str, wins: u64, losses: u64) -> Vec<WorkerResult> {
        let mut all = Vec::new();
        for (seating, first) in [([0, 1], [1, 2]), ([1, 0], [2, 1])] {
            for (ranks, games) in [(first, wins), ([3 - first[0], 3 - first[1]], losses)] {
                all.push(WorkerResult {
                    worker: worker.to_owned(),
                    tier: "E".to_owned(),
                    seating: seating.to_vec(),
                    ranks: ranks.to_vec(),
                    games,
                    speeds: 100.0 * games as f64,
                });
            }
        }
        all
    }

    fn times(worker: &str, ms: f64, games: u64) -> Vec<WorkerTime> {
        // Half of them take a fifth longer.
        let logs = [ms, 1.2 * ms].map(|ms| (1.0 + 1000.0 * ms).ln());
        let half = games as f64 / 2.0;
        let time = |(seating, seat): ([u32; 2], usize)| WorkerTime {
            worker: worker.to_owned(),
            seating: seating.to_vec(),
            seat,
            games,
            logs: half * (logs[0] + logs[1]),
            squares: half * (logs[0] * logs[0] + logs[1] * logs[1]),
        };
        [([0, 1], 0), ([0, 1], 1), ([1, 0], 0), ([1, 0], 1)].map(time).into()
    }

    fn compared(results: Vec<WorkerResult>, times: Vec<WorkerTime>) -> WorkerComparison {
        compare(&results, &times, 2, |bot| ["a", "b"][bot as usize].to_owned())
    }

    #[test]
    fn workers_that_agree_are_listed_and_nothing_is_said() {
        let results = [games("one", 60, 40), games("two", 110, 90), games("three", 6, 4)].concat();
        let times = [times("one", 10.0, 200), times("two", 10.5, 400)].into_iter().flatten();
        let found = compared(results, times.collect());
        assert_eq!((found.gaps.len(), found.time_gaps.len()), (0, 0), "{found:?}");
        let names: Vec<&str> = found.workers.iter().map(|worker| worker.name.as_str()).collect();
        assert_eq!(names, ["one", "three", "two"]);
        assert_eq!((found.workers[0].games, found.workers[0].speed), (200, 100.0));
        assert!(found.remarks().is_empty());
    }

    #[test]
    fn a_worker_on_which_a_bot_loses_is_named() {
        let results = [games("one", 60, 40), games("two", 10, 90), games("three", 60, 40)].concat();
        let found = compared(results, Vec::new());
        assert_eq!((found.gaps[0].worker.as_str(), found.gaps.len()), ("two", 2), "{found:?}");
        let said = found.remarks();
        let wanted = "a scored 10.0 % in 200 games on worker two but 60.0 % in the same on others";
        assert!(said.iter().any(|line| line.contains(wanted)), "{said:?}");
    }

    #[test]
    fn a_worker_on_which_bots_take_far_longer_is_named_and_a_little_is_not() {
        let some = |ms| {
            let times = [times("one", 10.0, 500), times("two", ms, 500)].into_iter().flatten();
            compared([games("one", 250, 250), games("two", 250, 250)].concat(), times.collect())
        };
        assert_eq!(some(11.0).time_gaps, []);
        let found = some(25.0);
        assert_eq!(found.time_gaps.len(), 2, "both bots: {found:?}");
        let said = found.remarks();
        assert!(
            said[0].contains("took 10.954 ms an answer in 1000 games on worker one"),
            "{said:?}"
        );
        assert!(said[0].contains("but 27.386 ms on others"), "{said:?}");
    }
}
