//! The games of an event added up.

use std::collections::BTreeMap;

use crate::schedule::{BotId, halves, share};
use crate::standings::Times;
use crate::store::answer_times::bucket_end;
use crate::store::sums::{StoredResult, TimeSum};
use crate::store::{Store, StoreError};

/// Who sat where and how it ended, and how often: all that points and ratings depend on. Sorted,
/// so that the same games give the same figures to the last digit, in whatever order they came.
pub(crate) type ResultCounts = BTreeMap<(Vec<u32>, Vec<u16>), u64>;

#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) counted: ResultCounts,
    /// How many games are not the same as one before.
    pub(crate) different: u64,
    pub(crate) tiers: BTreeMap<String, BTreeMap<u32, TierScore>>,
    pub(crate) tier_games: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct TierScore {
    pub(crate) games: f64,
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

/// Adds up the games of an event, but for those of bots whose games are annulled.
pub(crate) fn totals(
    store: &Store,
    event: usize,
    annulled: &[BotId],
) -> Result<Totals, StoreError> {
    let mut totals = Totals::default();
    for StoredResult { seating, ranks, tier, sum } in store.result_sums(event, annulled)? {
        totals.different += sum.different;
        totals.add(seating, ranks, &tier, sum.games);
    }
    Ok(totals)
}

impl Totals {
    fn add(&mut self, seating: Vec<u32>, ranks: Vec<u16>, tier: &str, games: u64) {
        let scores = self.tiers.entry(tier.to_owned()).or_default();
        *self.tier_games.entry(tier.to_owned()).or_default() += games;
        for (seat, bot) in seating.iter().enumerate() {
            let score = scores.entry(*bot).or_default();
            let points = share(&ranks, seat);
            score.games += games as f64;
            score.sum += points * games as f64;
            score.squares += points * points * games as f64;
        }
        *self.counted.entry((seating, ranks)).or_default() += games;
    }
}

/// What is to be said where games were played again: more than one of twenty.
pub fn repeats_note(games: u64, different: u64) -> Option<String> {
    let worth_saying = different.saturating_mul(20) < games.saturating_mul(19);
    worth_saying.then(|| {
        format!(
            "{}, {different} different: a game that deterministic bots play again says nothing new, \
             and errors are larger than stated; openings or chance make games differ",
            game::count(games, "game")
        )
    })
}

/// What an event's counted games amount to, by bot.
pub(crate) struct BotTotals {
    pub(crate) games: Vec<u64>,
    pub(crate) wins: Vec<u64>,
    pub(crate) draws: Vec<u64>,
    /// Halves of others left behind, in which scores are compared.
    pub(crate) halves: Vec<u64>,
    /// How often one was ahead of, level with and behind another.
    pub(crate) pairs: Vec<Vec<[u64; 3]>>,
    /// Halves and games of each seat.
    pub(crate) seats: Vec<(u64, u64)>,
}

impl BotTotals {
    pub(crate) fn new(bots: usize, counted: &ResultCounts) -> BotTotals {
        let mut all = BotTotals {
            games: vec![0; bots],
            wins: vec![0; bots],
            draws: vec![0; bots],
            halves: vec![0; bots],
            pairs: vec![vec![[0; 3]; bots]; bots],
            seats: Vec::new(),
        };
        for ((seating, ranks), count) in counted {
            let firsts = ranks.iter().filter(|rank| **rank == 1).count();
            for (seat, bot) in seating.iter().enumerate() {
                let bot = *bot as usize;
                let halves = halves(ranks, seat) * count;
                all.games[bot] += count;
                all.halves[bot] += halves;
                match (ranks[seat], firsts) {
                    (1, 1) => all.wins[bot] += count,
                    (1, _) => all.draws[bot] += count,
                    _ => {}
                }
                if all.seats.len() <= seat {
                    all.seats.resize(seat + 1, (0, 0));
                }
                all.seats[seat].0 += halves;
                all.seats[seat].1 += count;
                for (other, rival) in seating.iter().enumerate().filter(|(at, _)| *at != seat) {
                    let how = match ranks[seat].cmp(&ranks[other]) {
                        std::cmp::Ordering::Less => 0,
                        std::cmp::Ordering::Equal => 1,
                        std::cmp::Ordering::Greater => 2,
                    };
                    all.pairs[bot][*rival as usize][how] += count;
                }
            }
        }
        all
    }
}

pub(crate) fn times(totals: Option<&TimeSum>, pace: Option<&BTreeMap<u32, u64>>) -> Times {
    let Some(totals) = totals else { return Times::default() };
    let each = |sum: f64| if totals.moves == 0 { 0.0 } else { sum / totals.moves as f64 };
    let mut p99_ms = 0.0;
    if let Some(pace) = pace {
        let all: u64 = pace.values().sum();
        let mut slower = all / 100;
        for (bucket, answers) in pace.iter().rev() {
            p99_ms = bucket_end(*bucket).min(totals.slowest_ms);
            if *answers > slower {
                break;
            }
            slower -= answers;
        }
    }
    Times {
        moves: totals.moves,
        mean_ms: table::mean_ms(totals.wall_ms, totals.moves, totals.slowest_ms).unwrap_or(0.0),
        p99_ms,
        slowest_ms: totals.slowest_ms,
        cpu_ms: each(totals.cpu_ms),
    }
}

pub(crate) fn paces(
    store: &Store,
    event: usize,
) -> rusqlite::Result<BTreeMap<usize, BTreeMap<u32, u64>>> {
    let mut query = store.db.prepare("SELECT bot, bucket, answers FROM paces WHERE event = ?1")?;
    let mut rows = query.query([event])?;
    let mut paces: BTreeMap<usize, BTreeMap<u32, u64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        paces.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    Ok(paces)
}

/// When the first and the last game of an event were kept.
pub(crate) fn played(store: &Store, event: usize) -> rusqlite::Result<Option<[String; 2]>> {
    const DATE: &str = "%Y-%m-%dT%H:%M:%SZ";
    let sql = "SELECT strftime(?2, min(first), 'unixepoch'), strftime(?2, max(last), 'unixepoch')
               FROM result_sums WHERE event = ?1";
    store.db.query_row(sql, rusqlite::params![event, DATE], |row| {
        let (first, last): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        Ok(first.zip(last).map(|(first, last)| [first, last]))
    })
}

pub(crate) fn voids(store: &Store, event: usize) -> rusqlite::Result<u64> {
    store.db.query_row("SELECT COUNT(*) FROM voids WHERE event = ?1", [event], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_in_which_games_came_changes_no_digit() {
        let games: Vec<(Vec<u32>, Vec<u16>)> = vec![
            (vec![0, 1, 2], vec![1, 2, 3]),
            (vec![1, 2, 0], vec![1, 1, 3]),
            (vec![2, 0, 1], vec![2, 2, 1]),
            (vec![0, 1, 2], vec![3, 2, 1]),
        ];
        let points = |order: &[usize]| {
            let mut totals = Totals::default();
            for &game in order {
                let (seating, ranks) = games[game].clone();
                totals.add(seating, ranks, "E", 1);
            }
            BotTotals::new(3, &totals.counted).halves
        };
        let first = points(&[0, 1, 2, 3, 0]);
        assert_eq!(points(&[3, 0, 2, 1, 0]), first);
        assert_eq!(first.iter().sum::<u64>(), 5 * 2 * 3, "each game has as many points as pairs");
    }

    #[test]
    fn first_places_alone_are_wins_and_shared_ones_draws() {
        let mut totals = Totals::default();
        totals.add(vec![0, 1, 2], vec![1, 1, 3], "E", 1);
        totals.add(vec![0, 1, 2], vec![1, 2, 2], "E", 1);
        let totals_by_bot = BotTotals::new(3, &totals.counted);
        assert_eq!((totals_by_bot.wins, totals_by_bot.draws), (vec![1, 0, 0], vec![1, 1, 0]));
        assert_eq!(totals_by_bot.pairs[0][1], [1, 1, 0]);
        assert_eq!(totals_by_bot.pairs[1][0], [0, 1, 1]);
    }

    #[test]
    fn a_few_games_that_happen_to_be_the_same_are_not_worth_a_note() {
        assert_eq!(repeats_note(0, 0), None);
        assert_eq!(repeats_note(100, 95), None);
        assert!(repeats_note(100, 94).is_some());
        let note = repeats_note(100, 12).expect("most are the same");
        assert!(note.starts_with("100 games, 12 different: "), "{note}");
    }

    #[test]
    fn one_slow_answer_in_a_hundred_is_not_the_99th_percentile() {
        let totals = TimeSum { moves: 200, wall_ms: 300.0, cpu_ms: 0.0, slowest_ms: 100.0 };
        let bucket =
            |ms: u64| crate::store::answer_times::bucket(std::time::Duration::from_millis(ms));
        let pace = BTreeMap::from([(bucket(1), 198), (bucket(100), 2)]);
        let quick = times(Some(&totals), Some(&pace));
        assert!(quick.p99_ms >= 1.0 && quick.p99_ms < 1.1, "{quick:?}");
        let pace = BTreeMap::from([(bucket(1), 197), (bucket(100), 3)]);
        assert_eq!(times(Some(&totals), Some(&pace)).p99_ms, 100.0);
    }
}
