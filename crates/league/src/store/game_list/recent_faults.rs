//! What bots did wrong last.

use game::FaultKind;

use super::COLUMNS;
use crate::store::reports::fault_kind;
use crate::store::{GameTables, Store, StoreError};

/// What a bot did wrong in a game, faults of one kind together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFault {
    /// The game ([`ListedGame::id`](super::ListedGame::id)).
    pub game: u64,
    /// Its number in the schedule of its event.
    pub number: Option<u64>,
    /// Its event.
    pub event: String,
    /// The bot's name.
    pub bot: String,
    /// What sort of misbehaviour it was.
    pub kind: FaultKind,
    /// The turn of the first one, from 1; 0 before the first turn.
    pub turn: u32,
    /// The facts of the first one. They may quote the bot.
    pub detail: String,
    /// How many there were.
    pub count: u64,
    /// When the game was kept, in seconds since 1970, if that is known.
    pub kept: Option<u64>,
}

/// A fault with its game and seat, before their names are known.
struct FaultRow {
    game: u64,
    seat: usize,
    kind: FaultKind,
    turn: u32,
    detail: String,
    count: u64,
}

impl Store {
    /// What went wrong in the last so many games in which anything did, the last game first.
    pub fn recent_faults(&self, games: u32) -> Result<Vec<ListedFault>, StoreError> {
        self.check_games(GameTables::Pages)?;
        let _moment = self.with_path(self.db.unchecked_transaction())?;
        let rows = self.with_path(self.last_fault_rows(games))?;
        let mut ids: Vec<String> = rows.iter().map(|row| row.game.to_string()).collect();
        ids.dedup();
        let events = self.events()?;
        let sql = format!("SELECT {COLUMNS} FROM games g WHERE g.id IN ({})", ids.join(", "));
        let mut listed = self.listed(&sql, &events)?;
        self.complete(&mut listed, &events)?;
        let fault = |row: FaultRow| {
            let game = listed.iter().find(|game| game.id == row.game)?;
            Some(ListedFault {
                game: game.id,
                number: game.number,
                event: game.event.clone(),
                bot: game.players.get(row.seat)?.name.clone(),
                kind: row.kind,
                turn: row.turn,
                detail: row.detail,
                count: row.count,
                kept: game.kept,
            })
        };
        Ok(rows.into_iter().filter_map(fault).collect())
    }

    fn last_fault_rows(&self, games: u32) -> rusqlite::Result<Vec<FaultRow>> {
        // Beside `min`, other columns are those of the row that has it.
        let sql = "SELECT game, seat, kind, turn, detail, SUM(count), MIN(number) FROM faults
                   WHERE game IN (SELECT DISTINCT game FROM faults ORDER BY game DESC LIMIT ?1)
                   GROUP BY game, seat, kind ORDER BY game DESC, seat, MIN(number)";
        let mut query = self.db.prepare_cached(sql)?;
        let rows = query.query_map([games], |row| {
            let kind: String = row.get(2)?;
            Ok(FaultRow {
                game: row.get(0)?,
                seat: row.get(1)?,
                kind: fault_kind(2, &kind)?,
                turn: row.get(3)?,
                detail: row.get(4)?,
                count: row.get(5)?,
            })
        })?;
        rows.collect()
    }
}
