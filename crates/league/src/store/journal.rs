//! The journal of a run: what was decided while it went on, in numbered entries.
//!
//! What is played and what counts is a function of the file, the results and the journal. An entry
//! is never changed or removed.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::schedule::{Amendments, BotId, GameKey, Leaving, Left, OpenGames, Replayed};
use crate::store::game_rows::by_bucket;
use crate::store::schema::HAS_JOURNAL;
use crate::store::{Store, StoreError, sums};

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its number, from 1.
    pub number: u64,
    /// When it was made, as `2026-03-01T12:00:00Z`.
    pub made: String,
    /// What was decided.
    pub what: Decision,
    /// Why, in the words of whoever decided it.
    pub reason: String,
}

/// What can be decided while a run goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Decision {
    /// A bot takes part no longer; the games that it has played stay.
    Withdraw {
        /// In which event.
        event: String,
        /// The bot's name.
        bot: String,
        /// The first stage without it.
        since: u32,
    },
    /// A bot takes part no longer; the games that it has played are annulled.
    Disqualify {
        /// In which event.
        event: String,
        /// The bot's name.
        bot: String,
        /// The first stage without it.
        since: u32,
    },
    /// The same because of `[stop] faults`.
    Forbid {
        /// In which event.
        event: String,
        /// The bot's name.
        bot: String,
        /// The first stage without it.
        since: u32,
        /// In how many games it had failed.
        games: u64,
    },
    /// A bot that had left takes part again, as if it had not.
    Reinstate {
        /// In which event.
        event: String,
        /// The bot's name.
        bot: String,
    },
    /// The result of a game counts no longer, and it is played once more.
    Void {
        /// In which event.
        event: String,
        /// The game's number in the schedule, from 1.
        game: u64,
        /// Which game that is.
        key: String,
        /// What its result was.
        ranks: Vec<u16>,
        /// The first stage that is drawn up without that.
        since: u32,
    },
    /// So many games are played at a time.
    Concurrency {
        /// How many.
        games: u16,
    },
    /// Games of an event with a higher priority are played first.
    Priority {
        /// Which event.
        event: String,
        /// How high; 0 unless somebody says otherwise.
        priority: i32,
    },
    /// Another bot takes part.
    Add {
        /// In which event.
        event: String,
        /// The bot's name.
        bot: String,
    },
    /// A bot has changed and plays on.
    Accept {
        /// In which event.
        event: String,
        /// The bot's name.
        bot: String,
    },
}

impl Decision {
    /// In a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Decision::Withdraw { event, bot, .. } => format!("{event}: {bot} is withdrawn"),
            Decision::Disqualify { event, bot, .. } => format!("{event}: {bot} is disqualified"),
            Decision::Forbid { event, bot, games, .. } => {
                let games = game::count(*games, "game");
                format!("{event}: {bot} is disqualified, it failed in {games}")
            }
            Decision::Reinstate { event, bot } => format!("{event}: {bot} takes part again"),
            Decision::Void { event, game, .. } => {
                format!("{event}: game {game} is void and played again")
            }
            Decision::Concurrency { games } => {
                format!("{} at a time", game::count(u64::from(*games), "game"))
            }
            Decision::Priority { event, priority } => format!("{event}: priority {priority}"),
            Decision::Add { event, bot } => format!("{event}: {bot} is added"),
            Decision::Accept { event, bot } => format!("{event}: {bot} has changed and plays on"),
        }
    }

    /// Who takes part no longer, in which event, and how.
    pub fn leaver(&self) -> Option<(&str, &str, Left)> {
        match self {
            Decision::Withdraw { event, bot, since } => {
                Some((event, bot, Left { since: *since, how: Leaving::Withdrawn }))
            }
            Decision::Disqualify { event, bot, since }
            | Decision::Forbid { event, bot, since, .. } => {
                Some((event, bot, Left { since: *since, how: Leaving::Disqualified }))
            }
            Decision::Reinstate { .. }
            | Decision::Void { .. }
            | Decision::Concurrency { .. }
            | Decision::Priority { .. }
            | Decision::Add { .. }
            | Decision::Accept { .. } => None,
        }
    }
}

/// What the journal says about an event with these bots.
pub(crate) fn amendments(
    journal: &[JournalEntry],
    event: &str,
    bots: &[&str],
    open_games: OpenGames,
) -> Amendments {
    let mut amendments = Amendments { open_games, ..Amendments::default() };
    for entry in journal {
        if let Some((of, bot, left)) = entry.what.leaver()
            && of == event
            && let Some(bot) = bots.iter().position(|name| *name == bot)
        {
            // Who has left cannot leave.
            amendments.left.entry(BotId(bot as u32)).or_insert(left);
        }
        if let Decision::Reinstate { event: of, bot } = &entry.what
            && of == event
            && let Some(bot) = bots.iter().position(|name| name == bot)
        {
            amendments.left.remove(&BotId(bot as u32));
        }
        if let Decision::Void { event: of, key, since, ranks, .. } = &entry.what
            && of == event
        {
            let (key, since, ranks) = (GameKey(key.clone()), *since, ranks.clone());
            amendments.replayed.push(Replayed { key, since, ranks });
        }
    }
    amendments
}

/// How many games at a time the journal asks for, if it does.
pub fn concurrency(journal: &[JournalEntry]) -> Option<u16> {
    journal.iter().rev().find_map(|entry| match entry.what {
        Decision::Concurrency { games } => Some(games),
        Decision::Withdraw { .. }
        | Decision::Disqualify { .. }
        | Decision::Forbid { .. }
        | Decision::Reinstate { .. }
        | Decision::Void { .. }
        | Decision::Priority { .. }
        | Decision::Add { .. }
        | Decision::Accept { .. } => None,
    })
}

/// The priority that the journal gives an event, if it does.
pub(crate) fn priority(journal: &[JournalEntry], event: &str) -> Option<i32> {
    journal.iter().rev().find_map(|entry| match &entry.what {
        Decision::Priority { event: of, priority } if of == event => Some(*priority),
        Decision::Priority { .. }
        | Decision::Concurrency { .. }
        | Decision::Withdraw { .. }
        | Decision::Disqualify { .. }
        | Decision::Forbid { .. }
        | Decision::Reinstate { .. }
        | Decision::Void { .. }
        | Decision::Add { .. }
        | Decision::Accept { .. } => None,
    })
}

impl Store {
    /// The journal, in order.
    pub fn journal(&self) -> Result<Vec<JournalEntry>, StoreError> {
        if self.version()? < HAS_JOURNAL {
            return Ok(Vec::new());
        }
        let read = || -> rusqlite::Result<Vec<(u64, String, String, String)>> {
            let sql =
                "SELECT number, strftime('%Y-%m-%dT%H:%M:%SZ', made, 'unixepoch'), what, reason
                       FROM journal ORDER BY number";
            let mut rows = self.db.prepare(sql)?;
            let row =
                |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            rows.query_map([], row)?.collect()
        };
        let entry = |(number, made, what, reason): (u64, String, String, String)| {
            let what = serde_json::from_str(&what);
            let odd = |_| self.damaged("the table \"journal\" holds an impossible value");
            Ok(JournalEntry { number, made, what: what.map_err(odd)?, reason })
        };
        self.with_path(read())?.into_iter().map(entry).collect()
    }

    /// Enters decisions, and takes back the results of games that are to be played again: all of it
    /// or, with an error, nothing.
    pub(crate) fn decide(
        &mut self,
        decisions: &[Decision],
        reason: &str,
    ) -> Result<(), StoreError> {
        if decisions.is_empty() {
            return Ok(());
        }
        let answers: Vec<Paces> = decisions.iter().map(|one| self.paces_of(one)).collect();
        let write = |db: &mut Connection| -> rusqlite::Result<()> {
            let all = db.transaction()?;
            for (decision, answers) in decisions.iter().zip(&answers) {
                enter(&all, decision, reason)?;
                for (event, bot, bucket, count) in answers {
                    let sql = "UPDATE paces SET answers = max(0, answers - ?4)
                               WHERE event = ?1 AND bot = ?2 AND bucket = ?3";
                    all.execute(sql, params![event, bot.0, bucket, count])?;
                }
            }
            all.commit()
        };
        let written = write(&mut self.db);
        self.with_path(written)?;
        // A game that was taken back is not there any more.
        self.seen = None;
        self.write_run_copy_if_possible();
        Ok(())
    }

    /// How long the answers took that go with a game which is taken back. Nothing if its replay
    /// cannot be read: figures of time then have some too many.
    fn paces_of(&self, decision: &Decision) -> Paces {
        let Decision::Void { event, key, .. } = decision else { return Vec::new() };
        let read = || -> Option<Paces> {
            let known = self.events().ok()?;
            let id = known.iter().position(|known| known.name == *event)?;
            let report = self.report(id, &GameKey(key.clone())).ok()??;
            let record = table::Record::read(&self.replay(&report.id).ok()?).ok()?;
            let bots = &known[id].bots;
            let number = |name: &str| bots.iter().position(|bot| bot.name == name);
            let seating: Option<Vec<BotId>> = report
                .players
                .iter()
                .map(|player| Some(BotId(number(&player.name)? as u32)))
                .collect();
            let counts = by_bucket(&seating?, &record.answers());
            let line =
                |((bot, bucket), count): ((BotId, u32), u64)| (id, bot, bucket, count as i64);
            Some(counts.into_iter().map(line).collect())
        };
        read().unwrap_or_default()
    }
}

/// Answers by event, bot and bucket.
type Paces = Vec<(usize, BotId, u32, i64)>;

/// Enters a decision.
pub(crate) fn enter(db: &Connection, decision: &Decision, reason: &str) -> rusqlite::Result<()> {
    if let Decision::Void { event, key, .. } = decision {
        take_back(db, event, key, reason)?;
    }
    let what = serde_json::to_string(decision).expect("names and numbers serialise");
    db.execute(
        "INSERT INTO journal (made, what, reason) VALUES (unixepoch(), ?1, ?2)",
        params![what, reason],
    )?;
    Ok(())
}

/// Makes a game that was kept one that was void.
fn take_back(db: &Connection, event: &str, key: &str, reason: &str) -> rusqlite::Result<()> {
    let sql = "SELECT g.id, g.event, g.attempt FROM games g JOIN events e ON e.id = g.event
               WHERE e.name = ?1 AND g.key = ?2";
    let (id, event, attempt): (i64, usize, i64) =
        db.query_row(sql, [event, key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut seats = db.prepare("SELECT bot FROM seats WHERE game = ?1 ORDER BY seat")?;
    let seating =
        seats.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<Vec<u32>>>()?;
    db.execute("DELETE FROM faults WHERE game = ?1", [id])?;
    db.execute("DELETE FROM seats WHERE game = ?1", [id])?;
    db.execute("DELETE FROM games WHERE id = ?1", [id])?;
    sums::renew(db, event, &seating)?;
    db.execute(
        "INSERT OR IGNORE INTO voids VALUES (?1, ?2, ?3, ?4)",
        params![event, key, attempt, reason],
    )?;
    Ok(())
}
