//! Lists of finished games for people who look at a run: filtered, counted and cut into pages by
//! the database.

mod recent_faults;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use game::{FaultKind, Verdict};
use rusqlite::Row;

use crate::schedule::{BotId, GameKey, Numbering, Results};
use crate::store::answer_times::{bucket_end, bucket_start};
use crate::store::bot_history::{MEETING_PART, setups_by_part};
use crate::store::event_rows::StoredEvent;
use crate::store::game_rows::{match_in, verdict};
use crate::store::reports::fault_kind;
use crate::store::sums::StoredResult;
use crate::store::{GameTables, Store, StoreError};

pub use recent_faults::ListedFault;

/// Which games are listed; all of them unless something is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Of this event alone.
    pub event: Option<String>,
    /// Games in which this bot plays.
    pub bot: Option<String>,
    /// Games in which this one plays too.
    pub opponent: Option<String>,
    /// Games in which `bot` has this seat, from 0. Without a bot it means nothing.
    pub seat: Option<u16>,
    /// How they ended for `bot`; without one, how they ended.
    pub result: Option<GameResult>,
    /// Games with a fault, of `bot` if there is one.
    pub fault: Option<FaultFilter>,
    /// Games of at least so many turns …
    pub least_turns: Option<u32>,
    /// … and at most so many.
    pub most_turns: Option<u32>,
    /// Games with this set-up of their event, from 0.
    pub setup: Option<usize>,
    /// Games that were kept at this moment or later, in seconds since 1970 …
    pub kept_from: Option<u64>,
    /// … and before this one.
    pub kept_before: Option<u64>,
}

/// How a game ended for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// First alone. Without a bot: somebody was.
    Won,
    /// First together with others. Without a bot: nobody was first alone.
    Drawn,
    /// Behind somebody. Without a bot the same as [`GameResult::Won`].
    Lost,
}

/// Which faults are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultFilter {
    /// Any.
    Any,
    /// Those of one kind.
    Kind(FaultKind),
}

/// In which order games are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameOrder {
    /// As they were kept.
    #[default]
    OldestFirst,
    /// The last one first.
    NewestFirst,
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// What comes after this game, by [`ListedGame::id`]; from the beginning without one.
    pub after: Option<u64>,
    /// No more games than this.
    pub limit: u32,
    /// In which order.
    pub order: GameOrder,
}

/// A part of a list of games.
#[derive(Clone, Debug, PartialEq)]
pub struct GamePage {
    /// The games.
    pub games: Vec<ListedGame>,
    /// What to ask for next ([`PageRequest::after`]), if there is more.
    pub next: Option<u64>,
    /// How many games pass the filter.
    pub total: u64,
    /// How many events the tournament has.
    pub events: usize,
}

/// A finished game in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedGame {
    /// Its number in the database: one a run, whatever the event.
    pub id: u64,
    /// Its event.
    pub event: String,
    /// Its number in the schedule of its event, from 1, as in `lanista results`.
    pub number: Option<u64>,
    /// Which game of the schedule it is.
    pub key: GameKey,
    /// The match, by which [`Store::replay`] finds its replay.
    pub match_id: String,
    /// Which of the set-ups of its event it was played with, from 0.
    pub setup: usize,
    /// Where its chance comes from.
    pub seed: u64,
    /// Who won, or nobody.
    pub outcome: Verdict,
    /// Why it ended.
    pub reason: String,
    /// How many turns it had.
    pub turns: u32,
    /// When it was kept, in seconds since 1970, if that is known.
    pub kept: Option<u64>,
    /// Whether it counts for nothing, because a bot was disqualified.
    pub standing: GameStanding,
    /// Those who played, by seat.
    pub players: Vec<ListedPlayer>,
}

/// Whether a game counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameStanding {
    /// It counts.
    Counts,
    /// One of its bots was disqualified.
    Annulled,
}

/// A player of a listed game.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedPlayer {
    /// Its name.
    pub name: String,
    /// Its place.
    pub rank: u16,
    /// Its score in the game's own points.
    pub score: f64,
    /// How many moves it made.
    pub moves: u32,
    /// How long its answers took together.
    pub wall_ms: f64,
    /// Its faults by kind, and how many.
    pub faults: Vec<(FaultKind, u64)>,
}

/// How a bot did in one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatRecord {
    /// Which seat, from 0.
    pub seat: u16,
    /// First alone.
    pub wins: u64,
    /// First together with others.
    pub draws: u64,
    /// All others.
    pub losses: u64,
}

/// How many answers took so long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnswerBucket {
    /// From …
    pub from_ms: f64,
    /// … to.
    pub to_ms: f64,
    /// How many.
    pub answers: u64,
}

const COLUMNS: &str = "g.id, g.event, g.key, g.match, g.seed, g.outcome, g.reason, g.turns, g.kept";

impl Store {
    /// A page of the list of games that pass a filter. All of it is of one moment.
    pub fn game_page(
        &self,
        filter: &GameFilter,
        page: PageRequest,
    ) -> Result<GamePage, StoreError> {
        self.check_games(GameTables::Pages)?;
        let _moment = self.with_path(self.db.unchecked_transaction())?;
        let events = self.events()?;
        let condition = self.condition(filter, &events)?;
        let count = format!("SELECT COUNT(*) FROM games g WHERE {condition}");
        let total = self.db.query_row(&count, [], |row| row.get(0));
        let total = self.with_path(total)?;
        let (later, order) = match page.order {
            GameOrder::OldestFirst => (">", "ASC"),
            GameOrder::NewestFirst => ("<", "DESC"),
        };
        let after = page.after.map_or(String::new(), |after| format!("AND g.id {later} {after}"));
        // One more than is asked for says whether there are more.
        let sql = format!(
            "SELECT {COLUMNS} FROM games g WHERE {condition} {after} ORDER BY g.id {order} LIMIT {}",
            u64::from(page.limit) + 1
        );
        let mut games = self.listed(&sql, &events)?;
        let more = games.len() > page.limit as usize;
        games.truncate(page.limit as usize);
        let next = games.last().filter(|_| more).map(|game| game.id);
        self.complete(&mut games, &events)?;
        Ok(GamePage { games, next, total, events: events.len() })
    }

    /// The game of this number in the database ([`ListedGame::id`]).
    pub fn listed_game(&self, id: u64) -> Result<Option<ListedGame>, StoreError> {
        self.check_games(GameTables::Pages)?;
        let _moment = self.with_path(self.db.unchecked_transaction())?;
        let events = self.events()?;
        let sql = format!("SELECT {COLUMNS} FROM games g WHERE g.id = {id}");
        let mut games = self.listed(&sql, &events)?;
        self.complete(&mut games, &events)?;
        Ok(games.pop())
    }

    /// The number in the database ([`ListedGame::id`]) of the game that is this match; none if it has not been kept.
    pub fn game_of_match(&self, match_id: &str) -> Result<Option<u64>, StoreError> {
        use rusqlite::OptionalExtension as _;
        // It is asked for when a game has just ended: then it is among the last.
        let sql = "SELECT id FROM games WHERE match = ?1 ORDER BY id DESC LIMIT 1";
        self.with_path(self.db.query_row(sql, [match_id], |row| row.get(0)).optional())
    }

    /// How a bot did in each seat of an event.
    pub fn seat_records(&self, event: usize, bot: &str) -> Result<Vec<SeatRecord>, StoreError> {
        let bots = self.events()?.into_iter().nth(event).map(|event| event.bots);
        let number = bots.and_then(|bots| bots.iter().position(|known| known.name == bot));
        let Some(number) = number else { return Ok(Vec::new()) };
        let mut records: BTreeMap<u16, SeatRecord> = BTreeMap::new();
        for StoredResult { seating, ranks, sum, .. } in self.result_sums(event, &[])? {
            let Some(seat) = seating.iter().position(|bot| *bot as usize == number) else {
                continue;
            };
            let firsts = ranks.iter().filter(|rank| **rank == 1).count();
            let record = records.entry(seat as u16).or_default();
            record.seat = seat as u16;
            *match (ranks[seat], firsts) {
                (1, 1) => &mut record.wins,
                (1, _) => &mut record.draws,
                (_, _) => &mut record.losses,
            } += sum.games;
        }
        Ok(records.into_values().collect())
    }

    /// How long the answers of a bot took in an event, the quickest first.
    pub fn answer_histogram(
        &self,
        event: usize,
        bot: &str,
    ) -> Result<Vec<AnswerBucket>, StoreError> {
        let sql = "SELECT p.bucket, p.answers FROM paces p
                   JOIN bots b ON b.event = p.event AND b.id = p.bot
                   WHERE p.event = ?1 AND b.name = ?2 AND p.answers > 0 ORDER BY p.bucket";
        let read = || -> rusqlite::Result<Vec<AnswerBucket>> {
            let mut query = self.db.prepare(sql)?;
            let rows = query.query_map(rusqlite::params![event, bot], |row| {
                let bucket = row.get(0)?;
                Ok(AnswerBucket {
                    from_ms: bucket_start(bucket),
                    to_ms: bucket_end(bucket),
                    answers: row.get(1)?,
                })
            })?;
            rows.collect()
        };
        self.with_path(read())
    }

    /// The numbers of an event's games in its schedule, as far as it is drawn up.
    pub fn numbering(&self, event: usize) -> Result<Numbering, StoreError> {
        let events = self.events()?;
        let Some(known) = events.get(event) else { return Ok(Numbering::new(Vec::new())) };
        self.numbering_of(event, known)
    }

    fn numbering_of(&self, event: usize, known: &StoredEvent) -> Result<Numbering, StoreError> {
        Ok(Numbering::new(known.plan().stages(&self.deciding_results(event, known)?)))
    }

    /// The set-up of every game of an event, by the first part of its key.
    pub(super) fn setups_of(
        &self,
        event: usize,
        known: &StoredEvent,
    ) -> Result<BTreeMap<String, usize>, StoreError> {
        Ok(setups_by_part(&known.plan(), &self.deciding_results(event, known)?))
    }

    /// The results that decide who meets whom, where any do.
    fn deciding_results(&self, event: usize, known: &StoredEvent) -> Result<Results, StoreError> {
        match known.plan().depends_on_results() {
            true => self.results(event),
            false => Ok(Results::new()),
        }
    }

    /// The condition of a filter in the language of the database.
    fn condition(&self, filter: &GameFilter, events: &[StoredEvent]) -> Result<String, StoreError> {
        let Some(setup) = filter.setup else { return Ok(condition(filter, events)) };
        let mut with_setup = Vec::new();
        for (id, known) in events.iter().enumerate() {
            let parts = self.setups_of(id, known)?.into_iter().filter(|(_, of)| *of == setup);
            // Parts of keys are numbers and dots.
            let parts: Vec<String> = parts.map(|(part, _)| format!("'{part}'")).collect();
            let parts = parts.join(", ");
            with_setup.push(format!("(g.event = {id} AND {MEETING_PART} IN ({parts}))"));
        }
        Ok(format!("({}) AND ({})", condition(filter, events), with_setup.join(" OR ")))
    }

    /// Games without their players, and without their numbers.
    fn listed(&self, sql: &str, events: &[StoredEvent]) -> Result<Vec<ListedGame>, StoreError> {
        let game = |row: &Row<'_>| -> rusqlite::Result<ListedGame> {
            let (event, seed): (usize, i64) = (row.get(1)?, row.get(4)?);
            Ok(ListedGame {
                id: row.get(0)?,
                event: events.get(event).map(|event| event.name.clone()).unwrap_or_default(),
                number: None,
                key: GameKey(row.get(2)?),
                match_id: match_in(row, 3)?,
                setup: 0,
                seed: seed as u64,
                outcome: verdict(row.get(5)?),
                reason: row.get(6)?,
                turns: row.get(7)?,
                kept: row.get(8)?,
                standing: GameStanding::Counts,
                players: Vec::new(),
            })
        };
        let read = || -> rusqlite::Result<Vec<ListedGame>> {
            self.db.prepare(sql)?.query_map([], game)?.collect()
        };
        self.with_path(read())
    }

    /// Adds players, faults and numbers.
    fn complete(&self, games: &mut [ListedGame], events: &[StoredEvent]) -> Result<(), StoreError> {
        let mut numberings: HashMap<usize, Numbering> = HashMap::new();
        for game in games {
            let Some(event) = events.iter().position(|event| event.name == game.event) else {
                continue;
            };
            let numbering = match numberings.entry(event) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(self.numbering_of(event, &events[event])?),
            };
            game.number = numbering.number(&game.key);
            let fixture = game.number.and_then(|number| numbering.game(number));
            game.setup = fixture.map_or(0, |fixture| fixture.variant);
            let seats = self.with_path(self.seats_of(game.id))?;
            let seating: Vec<_> = seats.iter().map(|(bot, _)| *bot).collect();
            if events[event].plan().is_annulled(&seating) {
                game.standing = GameStanding::Annulled;
            }
            let name = |bot: BotId| {
                let bot = events[event].bots.get(bot.index());
                bot.map(|bot| bot.name.clone()).unwrap_or_default()
            };
            game.players = seats
                .into_iter()
                .map(|(bot, player)| ListedPlayer { name: name(bot), ..player })
                .collect();
        }
        Ok(())
    }

    /// The players of a game by seat, with their faults and without their names.
    fn seats_of(&self, game: u64) -> rusqlite::Result<Vec<(BotId, ListedPlayer)>> {
        let sql =
            "SELECT bot, rank, score, moves, wall_ms FROM seats WHERE game = ?1 ORDER BY seat";
        let mut seats = self.db.prepare_cached(sql)?;
        let rows = seats.query_map([game], |row| {
            let player = ListedPlayer {
                name: String::new(),
                rank: row.get(1)?,
                score: row.get(2)?,
                moves: row.get(3)?,
                wall_ms: row.get(4)?,
                faults: Vec::new(),
            };
            Ok((BotId(row.get(0)?), player))
        })?;
        let mut players: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
        let sql = "SELECT seat, kind, SUM(count) FROM faults WHERE game = ?1
                   GROUP BY seat, kind ORDER BY seat, MIN(number)";
        let mut faults = self.db.prepare_cached(sql)?;
        let mut rows = faults.query([game])?;
        while let Some(row) = rows.next()? {
            let (seat, kind): (usize, String) = (row.get(0)?, row.get(1)?);
            if let Some((_, player)) = players.get_mut(seat) {
                player.faults.push((fault_kind(1, &kind)?, row.get(2)?));
            }
        }
        Ok(players)
    }
}

/// The same, the set-up aside. It holds numbers and words of ours alone.
fn condition(filter: &GameFilter, events: &[StoredEvent]) -> String {
    let mut conditions = Vec::new();
    let GameFilter { event, bot, opponent, seat, result, fault, .. } = filter;
    let GameFilter { least_turns, most_turns, kept_from, kept_before, .. } = filter;
    if let Some(least) = least_turns {
        conditions.push(format!("g.turns >= {least}"));
    }
    if let Some(most) = most_turns {
        conditions.push(format!("g.turns <= {most}"));
    }
    if let Some(from) = kept_from {
        conditions.push(format!("g.kept >= {from}"));
    }
    if let Some(before) = kept_before {
        conditions.push(format!("g.kept < {before}"));
    }
    // Bots have numbers, which differ from event to event.
    let of_events = events.iter().enumerate().filter_map(|(id, known)| {
        if event.as_ref().is_some_and(|event| *event != known.name) {
            return None;
        }
        let number = |name: &String| known.bots.iter().position(|bot| bot.name == *name);
        let mut all = vec![format!("g.event = {id}")];
        if let Some(bot) = bot {
            let mut own = format!("s.game = g.id AND s.bot = {}", number(bot)?);
            if let Some(seat) = seat {
                own += &format!(" AND s.seat = {seat}");
            }
            own += match result {
                Some(GameResult::Won) => " AND s.rank = 1 AND g.outcome = 0",
                Some(GameResult::Drawn) => " AND s.rank = 1 AND g.outcome = 1",
                Some(GameResult::Lost) => " AND s.rank > 1",
                None => "",
            };
            if fault.is_some() {
                own +=
                    " AND EXISTS (SELECT 1 FROM faults f WHERE f.game = s.game AND f.seat = s.seat";
                own += &of_kind(*fault);
                own.push(')');
            }
            all.push(format!("EXISTS (SELECT 1 FROM seats s WHERE {own})"));
        }
        if let Some(opponent) = opponent {
            let number = number(opponent)?;
            all.push(format!(
                "EXISTS (SELECT 1 FROM seats o WHERE o.game = g.id AND o.bot = {number})"
            ));
        }
        Some(format!("({})", all.join(" AND ")))
    });
    let of_events: Vec<String> = of_events.collect();
    conditions.push(match of_events.is_empty() {
        true => "0".to_owned(),
        false => format!("({})", of_events.join(" OR ")),
    });
    if bot.is_none() {
        match result {
            Some(GameResult::Won | GameResult::Lost) => conditions.push("g.outcome = 0".to_owned()),
            Some(GameResult::Drawn) => conditions.push("g.outcome = 1".to_owned()),
            None => {}
        }
        if fault.is_some() {
            let kind = of_kind(*fault);
            conditions.push(format!("g.id IN (SELECT f.game FROM faults f WHERE 1{kind})"));
        }
    }
    conditions.join(" AND ")
}

/// The condition that a fault is of the kind that is meant.
fn of_kind(fault: Option<FaultFilter>) -> String {
    match fault {
        Some(FaultFilter::Kind(kind)) => format!(" AND f.kind = '{}'", kind.name()),
        Some(FaultFilter::Any) | None => String::new(),
    }
}

#[cfg(test)]
mod tests;
