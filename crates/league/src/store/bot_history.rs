//! How a bot did with each set-up of an event, and what the journal knows of its versions.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::schedule::{Plan, Results, Stage};
use crate::store::journal::Decision;
use crate::store::schema::HAS_JOURNAL;
use crate::store::{GameTables, Store, StoreError};

/// How a bot did with one set-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetupRecord {
    /// Which of the set-ups of the event, from 0.
    pub setup: usize,
    /// First alone.
    pub wins: u64,
    /// First together with others.
    pub draws: u64,
    /// All others.
    pub losses: u64,
}

/// A bot as it was from one change of its files to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BotVersion {
    /// When the change was accepted, in seconds since 1970; as the bot was entered without it.
    pub from: Option<u64>,
    /// When the next one was.
    pub before: Option<u64>,
    /// What whoever accepted it said.
    pub reason: String,
    /// How many games it played.
    pub games: u64,
    /// The last of them, by its match.
    pub last: Option<String>,
}

/// Which game of a meeting this is: what a key begins with.
pub(super) const MEETING_PART: &str = "substr(g.key, 1, instr(g.key, ':') - 1)";

/// The set-up of every game of a schedule, by the part of its key that says which one of a meeting
/// it is. All meetings of a round have the same.
pub(super) fn setups_by_part(plan: &Plan, results: &Results) -> BTreeMap<String, usize> {
    let games = |stage: &Stage| {
        let of_meeting = 0..u64::from(stage.games_a_meeting());
        of_meeting.filter_map(|game| stage.get(game)).collect::<Vec<_>>()
    };
    let parts = plan.stages(results).iter().flat_map(games).collect::<Vec<_>>();
    let part = |game: &crate::schedule::Fixture| {
        (format!("{}.{}.{}", game.round, game.set, game.rotation), game.variant)
    };
    parts.iter().map(part).collect()
}

impl Store {
    /// How a bot did with each set-up of an event; empty if there is only one.
    pub fn setup_records(&self, event: usize, bot: &str) -> Result<Vec<SetupRecord>, StoreError> {
        self.check_games(GameTables::Pages)?;
        let _moment = self.with_path(self.db.unchecked_transaction())?;
        let events = self.events()?;
        let Some(known) = events.get(event).filter(|known| known.plan.variants > 1) else {
            return Ok(Vec::new());
        };
        let setups = self.setups_of(event, known)?;
        let mut records: Vec<SetupRecord> = (0..known.plan.variants)
            .map(|setup| SetupRecord { setup, ..SetupRecord::default() })
            .collect();
        let sql = format!(
            "SELECT {MEETING_PART}, SUM(s.rank = 1 AND g.outcome = 0),
                    SUM(s.rank = 1 AND g.outcome = 1), SUM(s.rank > 1)
             FROM games g JOIN seats s ON s.game = g.id
             JOIN bots b ON b.event = g.event AND b.id = s.bot
             WHERE g.event = ?1 AND b.name = ?2 GROUP BY 1"
        );
        let read = || -> rusqlite::Result<Vec<(String, u64, u64, u64)>> {
            let mut query = self.db.prepare(&sql)?;
            let rows = query.query_map(params![event, bot], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            rows.collect()
        };
        for (part, wins, draws, losses) in self.with_path(read())? {
            let Some(record) = setups.get(&part).and_then(|setup| records.get_mut(*setup)) else {
                continue;
            };
            record.wins += wins;
            record.draws += draws;
            record.losses += losses;
        }
        Ok(records)
    }

    /// The versions of a bot in an event: as it was entered, and after each change of its files that
    /// was accepted. The journal knows of no others.
    pub fn bot_versions(&self, event: &str, bot: &str) -> Result<Vec<BotVersion>, StoreError> {
        self.check_games(GameTables::Pages)?;
        let _moment = self.with_path(self.db.unchecked_transaction())?;
        let mut versions = vec![BotVersion::default()];
        for (made, reason) in self.accepted_changes(event, bot)? {
            if let Some(last) = versions.last_mut() {
                last.before = Some(made);
            }
            versions.push(BotVersion { from: Some(made), reason, ..BotVersion::default() });
        }
        // Beside `max`, the other column is that of the row that has it.
        let sql = "SELECT COUNT(*), g.match, MAX(g.id) FROM games g
                   JOIN seats s ON s.game = g.id
                   JOIN bots b ON b.event = g.event AND b.id = s.bot
                   JOIN events e ON e.id = g.event
                   WHERE e.name = ?1 AND b.name = ?2
                   AND (?3 IS NULL OR g.kept >= ?3) AND (?4 IS NULL OR g.kept < ?4)";
        for version in &mut versions {
            let parameters = params![event, bot, version.from, version.before];
            let row = self.db.query_row(sql, parameters, |row| Ok((row.get(0)?, row.get(1)?)));
            (version.games, version.last) = self.with_path(row)?;
        }
        Ok(versions)
    }

    /// When changes of a bot's files were accepted, and why.
    fn accepted_changes(&self, event: &str, bot: &str) -> Result<Vec<(u64, String)>, StoreError> {
        if self.version()? < HAS_JOURNAL {
            return Ok(Vec::new());
        }
        let read = || -> rusqlite::Result<Vec<(u64, String, String)>> {
            let mut query =
                self.db.prepare("SELECT made, what, reason FROM journal ORDER BY number")?;
            let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        };
        let wanted = Decision::Accept { event: event.to_owned(), bot: bot.to_owned() };
        let rows = self.with_path(read())?.into_iter();
        let accepted = rows.filter(|(_, what, _)| {
            serde_json::from_str::<Decision>(what).is_ok_and(|what| what == wanted)
        });
        Ok(accepted.map(|(made, _, reason)| (made, reason)).collect())
    }
}
