//! Games of several tournaments, and results from elsewhere, counted together: who stands where
//! over all of them, or over a part of them. Nothing is written.

use std::collections::{BTreeMap, HashMap, HashSet};

use stats::Player;

use crate::schedule::{BotId, points};
use crate::standings::import::ForeignResult;
use crate::standings::ranking::levels;
use crate::standings::totals::{BotTotals, ResultCounts, repeats_note};
use crate::standings::{Anchors, rate};
use crate::store::event_rows::StoredEvent;
use crate::store::{GameTables, Store, StoreError};

/// Which games count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this event alone.
    pub event: Option<String>,
    /// Of this game alone.
    pub game: Option<String>,
    /// Games in which nobody else plays, unless nobody is named.
    pub among: Vec<String>,
    /// Games in which each of these plays.
    pub with: Vec<String>,
    /// Games under this protection alone.
    pub tier: Option<String>,
    /// Games that were kept at this second since 1970 or later …
    pub since: Option<i64>,
    /// … and before this one.
    pub before: Option<i64>,
    /// Games that somebody lost by forfeit.
    pub forfeits: Forfeits,
}

/// What becomes of games that somebody lost by a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forfeits {
    /// They count like all others.
    #[default]
    Count,
    /// They are left out.
    LeaveOut,
}

impl Filter {
    fn takes_players<'n>(&self, mut names: impl Iterator<Item = &'n str> + Clone) -> bool {
        let named = |list: &[String], name: &str| list.iter().any(|other| other == name);
        let all_with = self.with.iter().all(|wanted| names.clone().any(|name| name == wanted));
        all_with && (self.among.is_empty() || names.all(|name| named(&self.among, name)))
    }

    /// Whether it asks for what only a tournament's folder knows.
    pub fn needs_a_run(&self) -> bool {
        let Filter { event, game, tier, since, before, forfeits, .. } = self;
        event.is_some()
            || game.is_some()
            || tier.is_some()
            || since.is_some()
            || before.is_some()
            || *forfeits == Forfeits::LeaveOut
    }
}

/// A bot of one name that was not the same in two tournaments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its name.
    pub name: String,
    /// Where it was one thing …
    pub one: String,
    /// … and where another.
    pub other: String,
}

/// Results that are counted together.
#[derive(Default)]
pub struct Pool {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    counted: ResultCounts,
    /// The game of the tournaments so far.
    game: Option<String>,
    /// For every bot of a tournament what it was, and where.
    identities: BTreeMap<String, (String, String)>,
    changed: Vec<Changed>,
    left_out: u64,
    /// Games of tournaments: who sat where, how long they were, and the digest of the last state.
    seen: HashSet<(Vec<u32>, u32, String)>,
    /// How many games were the same as one before.
    repeats: u64,
}

/// The game of a tournament is not that of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherGame {
    /// Which game the others are of.
    pub game: String,
    /// Which this one is of.
    pub other: String,
}

/// The table of all.
#[derive(Clone, Debug)]
pub struct PoolTable {
    /// The bots, the best first.
    pub rows: Vec<PoolRow>,
    /// How many games count.
    pub games: u64,
    /// How many of them are not the same as one before, as far as that is known.
    pub different: u64,
    /// How many games of the tournaments and files do not.
    pub left_out: u64,
    /// What the reader must know about the ratings.
    pub notes: Vec<String>,
}

/// One bot.
#[derive(Clone, Debug)]
pub struct PoolRow {
    /// Its place; equal ones share it.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// Its games.
    pub games: u64,
    /// First alone.
    pub wins: u64,
    /// Shared first place.
    pub draws: u64,
    /// All others.
    pub losses: u64,
    /// Share of rivals left behind in a game, on average.
    pub score: f64,
    /// Its rating …
    pub rating: f64,
    /// … and half the width of its 95 % interval.
    pub rating_error: f64,
    /// Whether its rating is given.
    pub anchored: bool,
}

impl Pool {
    /// Adds the games of a tournament that pass the filter. `shown` is what it is called.
    pub fn add_run(
        &mut self,
        store: &Store,
        shown: &str,
        filter: &Filter,
    ) -> Result<Result<(), OtherGame>, StoreError> {
        store.check_games(GameTables::Rows)?;
        // Somebody may be playing: all that is read is of one moment.
        let _moment = store.with_path(store.db.unchecked_transaction())?;
        for (id, event) in store.events()?.iter().enumerate() {
            let wanted =
                |asked: &Option<String>, is: &str| asked.as_ref().is_none_or(|asked| asked == is);
            if !wanted(&filter.event, &event.name) || !wanted(&filter.game, &event.game) {
                continue;
            }
            match &self.game {
                Some(game) if *game != event.game => {
                    let (game, other) = (game.clone(), event.game.clone());
                    return Ok(Err(OtherGame { game, other }));
                }
                Some(_) => {}
                None => self.game = Some(event.game.clone()),
            }
            self.know(event, shown);
            store.with_path(self.add_event(store, id, event, filter))?;
        }
        Ok(Ok(()))
    }

    /// Compares the bots of an event with those of the same names before.
    fn know(&mut self, event: &StoredEvent, shown: &str) {
        for bot in &event.bots {
            match self.identities.get(&bot.name) {
                Some((identity, one)) if *identity != bot.identity => {
                    let (name, one, other) = (bot.name.clone(), one.clone(), shown.to_owned());
                    if self.changed.iter().all(|changed| changed.name != name) {
                        self.changed.push(Changed { name, one, other });
                    }
                }
                Some(_) => {}
                None => {
                    let what = (bot.identity.clone(), shown.to_owned());
                    self.identities.insert(bot.name.clone(), what);
                }
            }
        }
    }

    fn add_event(
        &mut self,
        store: &Store,
        id: usize,
        event: &StoredEvent,
        filter: &Filter,
    ) -> rusqlite::Result<()> {
        let mut query = store.db.prepare(
            "SELECT g.id, g.tier, g.kept, g.ending, s.bot, s.rank, g.turns, g.digest FROM games g
             JOIN seats s ON s.game = g.id WHERE g.event = ?1 ORDER BY g.id, s.seat",
        )?;
        let mut rows = query.query([id])?;
        let plan = event.plan();
        let mut game = None;
        let (mut bots, mut ranks): (Vec<usize>, Vec<u16>) = (Vec::new(), Vec::new());
        let (mut takes, mut end) = (false, (0, String::new()));
        let mut finish = |bots: &mut Vec<usize>, ranks: &mut Vec<u16>, takes: bool, end: &_| {
            if bots.is_empty() {
                return;
            }
            let names: Vec<&str> = bots.iter().map(|bot| event.bots[*bot].name.as_str()).collect();
            let ids: Vec<BotId> = bots.iter().map(|bot| BotId(*bot as u32)).collect();
            let takes = takes && !plan.is_annulled(&ids);
            match takes && filter.takes_players(names.iter().copied()) {
                true => {
                    self.see(&names, end);
                    self.count(&names, std::mem::take(ranks), 1);
                }
                false => self.left_out += 1,
            }
            bots.clear();
            ranks.clear();
        };
        while let Some(row) = rows.next()? {
            let this: i64 = row.get(0)?;
            if game != Some(this) {
                finish(&mut bots, &mut ranks, takes, &end);
                game = Some(this);
                let tier = row.get_ref(1)?.as_str()?;
                let kept: Option<i64> = row.get(2)?;
                let ending: Option<String> = row.get(3)?;
                end = (row.get(6)?, row.get(7)?);
                takes = filter.tier.as_ref().is_none_or(|asked| asked == tier)
                    && filter.since.is_none_or(|since| kept.is_some_and(|kept| kept >= since))
                    && filter.before.is_none_or(|before| kept.is_some_and(|kept| kept < before))
                    && (filter.forfeits == Forfeits::Count || !is_forfeit(ending.as_deref()));
            }
            bots.push(row.get(4)?);
            ranks.push(row.get(5)?);
        }
        finish(&mut bots, &mut ranks, takes, &end);
        Ok(())
    }

    /// Adds results from elsewhere that pass the filter.
    pub fn add_results(&mut self, results: &[ForeignResult], unfinished: u64, filter: &Filter) {
        self.left_out += unfinished;
        for ForeignResult { names, ranks, count } in results {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match filter.takes_players(names.iter().copied()) {
                true => self.count(&names, ranks.clone(), *count),
                false => self.left_out += count,
            }
        }
    }

    /// Notes how a game went that counts, to know it again.
    fn see(&mut self, names: &[&str], (turns, digest): &(u32, String)) {
        let seating = names.iter().map(|name| self.number(name)).collect();
        self.repeats += u64::from(!self.seen.insert((seating, *turns, digest.clone())));
    }

    fn count(&mut self, names: &[&str], ranks: Vec<u16>, count: u64) {
        let seating = names.iter().map(|name| self.number(name)).collect();
        *self.counted.entry((seating, ranks)).or_default() += count;
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Bots of one name that were not the same everywhere.
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }

    /// Names of everybody who played a game that counts.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The table.
    pub fn table(&self, anchors: &Anchors) -> PoolTable {
        // The same figures in whatever order the sources were named.
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| self.names[a].cmp(&self.names[b]));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, bot)| place[*bot] = at as u32);
        let mut counted = ResultCounts::new();
        for ((seating, ranks), count) in &self.counted {
            let seating = seating.iter().map(|bot| place[*bot as usize]).collect();
            *counted.entry((seating, ranks.clone())).or_default() += count;
        }
        let names: Vec<&str> = order.iter().map(|bot| self.names[*bot].as_str()).collect();
        let totals_by_bot = BotTotals::new(names.len(), &counted);
        let shares = shares(names.len(), &counted);
        let ratings = rate(&names, &counted, anchors);
        let strengths: Vec<f64> =
            ratings.players().iter().map(|rating| rating.strength.value).collect();
        let levels = levels(&strengths);
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&bot| (levels[bot], bot));
        let mut rows: Vec<PoolRow> = Vec::new();
        for (at, &bot) in order.iter().enumerate() {
            let (games, wins, draws) =
                (totals_by_bot.games[bot], totals_by_bot.wins[bot], totals_by_bot.draws[bot]);
            let rank = match (at, rows.last()) {
                (1.., Some(last)) if levels[order[at - 1]] == levels[bot] => last.rank,
                _ => at as u32 + 1,
            };
            rows.push(PoolRow {
                rank,
                name: names[bot].to_owned(),
                games,
                wins,
                draws,
                losses: games - wins - draws,
                score: shares[bot] / games.max(1) as f64,
                rating: ratings.players()[bot].elo.value,
                rating_error: match anchors.contains_key(names[bot]) {
                    true => 0.0,
                    false => ratings.players()[bot].elo.error,
                },
                anchored: anchors.contains_key(names[bot]),
            });
        }
        let name = |player: Player| names[player.0].to_owned();
        let games: u64 = counted.values().sum();
        let different = games - self.repeats;
        let notes = ratings.notes().iter().map(|note| note.sentence(name));
        let notes = notes.chain(repeats_note(games, different)).collect();
        PoolTable { rows, games, different, left_out: self.left_out, notes }
    }
}

/// For every bot the shares of rivals that it left behind, added up.
fn shares(bots: usize, counted: &ResultCounts) -> Vec<f64> {
    // Whole numbers for each number of seats, so that no order of adding up matters.
    let mut halves: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for ((seating, ranks), count) in counted {
        let of_seats = halves.entry(seating.len()).or_insert_with(|| vec![0; bots]);
        for (seat, bot) in seating.iter().enumerate() {
            of_seats[*bot as usize] += crate::schedule::halves(ranks, seat) * count;
        }
    }
    let mut shares = vec![0.0; bots];
    for (seats, halves) in halves {
        for (share, halves) in shares.iter_mut().zip(halves) {
            *share += points(halves, seats);
        }
    }
    shares
}

fn is_forfeit(ending: Option<&str>) -> bool {
    let ending = ending.and_then(|json| serde_json::from_str::<game::Ending>(json).ok());
    ending.is_some_and(|ending| !ending.forfeits.is_empty())
}
