//! The games of an event added up.

use std::collections::{BTreeMap, BTreeSet};

use crate::schedule::{BotId, halves, share};
use crate::standings::Times;
use crate::store::Store;
use crate::store::answer_times::bucket_end;

/// Who sat where and how it ended, and how often: all that points and ratings depend on. Sorted,
/// so that the same games give the same figures to the last digit, in whatever order they came.
pub(crate) type ResultCounts = BTreeMap<(Vec<u32>, Vec<u16>), u64>;

#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) counted: ResultCounts,
    pub(crate) tiers: BTreeMap<String, BTreeMap<u32, TierScore>>,
    pub(crate) tier_games: BTreeMap<String, u64>,
    pub(crate) times: BTreeMap<u32, TimeSums>,
    /// Games of these bots do not count.
    annulled: BTreeSet<u32>,
    /// The times of the game that is being read, by seat.
    of_game: Vec<TimeSums>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct TierScore {
    pub(crate) games: f64,
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct TimeSums {
    pub(crate) moves: u64,
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) slowest: f64,
}

impl TimeSums {
    fn add(&mut self, other: TimeSums) {
        self.moves += other.moves;
        self.wall += other.wall;
        self.cpu += other.cpu;
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Adds up the games of an event, but for those of bots whose games are annulled.
pub(crate) fn totals(store: &Store, event: usize, annulled: &[BotId]) -> rusqlite::Result<Totals> {
    let annulled = annulled.iter().map(|bot| bot.0).collect();
    let mut totals = Totals { annulled, ..Totals::default() };
    // Two scans side by side: several times as fast as to let the database join them.
    let mut games = store.db.prepare("SELECT id, event, tier FROM games ORDER BY id")?;
    let mut games = games.query([])?;
    let mut seats = store.db.prepare(
        "SELECT game, bot, rank, moves, wall_ms, cpu_ms, slowest_ms FROM seats ORDER BY game, seat",
    )?;
    let mut seats = seats.query([])?;
    let (mut game, mut of_event): (i64, usize) = (0, usize::MAX);
    let (mut seating, mut ranks, mut tier) = (Vec::new(), Vec::new(), String::new());
    while let Some(row) = seats.next()? {
        let id: i64 = row.get(0)?;
        if id != game {
            totals.add(&mut seating, &mut ranks, &tier);
            while game != id
                && let Some(next) = games.next()?
            {
                (game, of_event) = (next.get(0)?, next.get(1)?);
                let name = next.get_ref(2)?.as_str()?;
                if name != tier {
                    name.clone_into(&mut tier);
                }
            }
        }
        if of_event != event {
            continue;
        }
        let bot: u32 = row.get(1)?;
        seating.push(bot);
        ranks.push(row.get(2)?);
        totals.of_game.push(TimeSums {
            moves: row.get(3)?,
            wall: row.get(4)?,
            cpu: row.get(5)?,
            slowest: row.get(6)?,
        });
    }
    totals.add(&mut seating, &mut ranks, &tier);
    Ok(totals)
}

impl Totals {
    fn add(&mut self, seating: &mut Vec<u32>, ranks: &mut Vec<u16>, tier: &str) {
        let times = std::mem::take(&mut self.of_game);
        if seating.is_empty() {
            return;
        }
        if seating.iter().any(|bot| self.annulled.contains(bot)) {
            seating.clear();
            ranks.clear();
            return;
        }
        for (bot, times) in seating.iter().zip(times) {
            self.times.entry(*bot).or_default().add(times);
        }
        if !self.tiers.contains_key(tier) {
            self.tiers.insert(tier.to_owned(), BTreeMap::new());
            self.tier_games.insert(tier.to_owned(), 0);
        }
        let scores = self.tiers.get_mut(tier).expect("it has just been made");
        *self.tier_games.get_mut(tier).expect("it has just been made") += 1;
        for (seat, bot) in seating.iter().enumerate() {
            let score = scores.entry(*bot).or_default();
            let points = share(ranks, seat);
            score.games += 1.0;
            score.sum += points;
            score.squares += points * points;
        }
        let game = (std::mem::take(seating), std::mem::take(ranks));
        *self.counted.entry(game).or_default() += 1;
    }
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

pub(crate) fn times(totals: Option<&TimeSums>, pace: Option<&BTreeMap<u32, u64>>) -> Times {
    let Some(totals) = totals else { return Times::default() };
    let each = |sum: f64| if totals.moves == 0 { 0.0 } else { sum / totals.moves as f64 };
    let mut p99_ms = 0.0;
    if let Some(pace) = pace {
        let all: u64 = pace.values().sum();
        let mut slower = all / 100;
        for (bucket, answers) in pace.iter().rev() {
            p99_ms = bucket_end(*bucket).min(totals.slowest);
            if *answers > slower {
                break;
            }
            slower -= answers;
        }
    }
    Times {
        moves: totals.moves,
        mean_ms: table::mean_ms(totals.wall, totals.moves, totals.slowest).unwrap_or(0.0),
        p99_ms,
        slowest_ms: totals.slowest,
        cpu_ms: each(totals.cpu),
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

pub(crate) fn faults(
    store: &Store,
    event: usize,
    annulled: &[BotId],
) -> rusqlite::Result<BTreeMap<usize, BTreeMap<String, u64>>> {
    let out: Vec<String> = annulled.iter().map(|bot| bot.0.to_string()).collect();
    let mut query = store.db.prepare(&format!(
        "SELECT s.bot, f.kind, SUM(f.count) FROM faults f
         JOIN seats s ON s.game = f.game AND s.seat = f.seat
         JOIN games g ON g.id = f.game WHERE g.event = ?1
         AND NOT EXISTS (SELECT 1 FROM seats o WHERE o.game = f.game AND o.bot IN ({}))
         GROUP BY s.bot, f.kind",
        out.join(", ")
    ))?;
    let mut rows = query.query([event])?;
    let mut faults: BTreeMap<usize, BTreeMap<String, u64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        faults.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    Ok(faults)
}

/// When the first and the last game of an event were kept.
pub(crate) fn played(store: &Store, event: usize) -> rusqlite::Result<Option<[String; 2]>> {
    const DATE: &str = "%Y-%m-%dT%H:%M:%SZ";
    let sql = "SELECT strftime(?2, min(kept), 'unixepoch'), strftime(?2, max(kept), 'unixepoch')
               FROM games WHERE event = ?1";
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
                let (mut seating, mut ranks) = games[game].clone();
                totals.add(&mut seating, &mut ranks, "E");
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
        totals.add(&mut vec![0, 1, 2], &mut vec![1, 1, 3], "E");
        totals.add(&mut vec![0, 1, 2], &mut vec![1, 2, 2], "E");
        let totals_by_bot = BotTotals::new(3, &totals.counted);
        assert_eq!((totals_by_bot.wins, totals_by_bot.draws), (vec![1, 0, 0], vec![1, 1, 0]));
        assert_eq!(totals_by_bot.pairs[0][1], [1, 1, 0]);
        assert_eq!(totals_by_bot.pairs[1][0], [0, 1, 1]);
    }

    #[test]
    fn one_slow_answer_in_a_hundred_is_not_the_99th_percentile() {
        let totals = TimeSums { moves: 200, wall: 300.0, cpu: 0.0, slowest: 100.0 };
        let bucket =
            |ms: u64| crate::store::answer_times::bucket(std::time::Duration::from_millis(ms));
        let pace = BTreeMap::from([(bucket(1), 198), (bucket(100), 2)]);
        let quick = times(Some(&totals), Some(&pace));
        assert!(quick.p99_ms >= 1.0 && quick.p99_ms < 1.1, "{quick:?}");
        let pace = BTreeMap::from([(bucket(1), 197), (bucket(100), 3)]);
        assert_eq!(times(Some(&totals), Some(&pace)).p99_ms, 100.0);
    }
}
