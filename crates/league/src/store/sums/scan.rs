//! Every game of a database once, as its rows say.

use rusqlite::{Connection, Row, Rows};

use crate::store::sums::{AddedGame, TimeSum};

/// Says all games in the order in which they were kept. Rows of nothing are left out.
pub(super) fn scan(db: &Connection, mut each: impl FnMut(&AddedGame)) -> rusqlite::Result<()> {
    // Three scans side by side: several times as fast as to let the database join them.
    let mut games = db.prepare(
        "SELECT id, event, tier, kept, turns, digest, worker, speed FROM games ORDER BY id",
    )?;
    let mut seats = db.prepare(
        "SELECT game, bot, rank, moves, wall_ms, cpu_ms, slowest_ms FROM seats ORDER BY game, seat",
    )?;
    let mut faults =
        db.prepare("SELECT game, seat, kind, count FROM faults ORDER BY game, seat, number")?;
    let mut games = games.query([])?;
    let mut seats = OfGame::new(seats.query([])?, seat)?;
    let mut faults = OfGame::new(faults.query([])?, fault)?;
    let mut game = AddedGame::default();
    while let Some(row) = games.next()? {
        let id: i64 = row.get(0)?;
        (game.event, game.kept, game.turns) = (row.get(1)?, row.get(3)?, row.get(4)?);
        row.get_ref(2)?.as_str()?.clone_into(&mut game.tier);
        row.get_ref(5)?.as_str()?.clone_into(&mut game.digest);
        game.worker = match row.get(6)? {
            Some(name) => Some((name, row.get(7)?)),
            None => None,
        };
        game.seating.clear();
        game.ranks.clear();
        game.times.clear();
        game.faults.clear();
        seats.of(id, |(bot, rank, time)| {
            game.seating.push(bot);
            game.ranks.push(rank);
            game.times.push(time);
        })?;
        faults.of(id, |fault| game.faults.push(fault))?;
        each(&game);
    }
    Ok(())
}

/// Rows that belong to games, in the order of these.
struct OfGame<'s, T> {
    rows: Rows<'s>,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
    /// The game of the next row, and the row.
    next: Option<(i64, T)>,
}

impl<'s, T> OfGame<'s, T> {
    fn new(
        rows: Rows<'s>,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<OfGame<'s, T>> {
        let mut all = OfGame { rows, read, next: None };
        all.advance()?;
        Ok(all)
    }

    /// The rows of this game.
    fn of(&mut self, game: i64, mut each: impl FnMut(T)) -> rusqlite::Result<()> {
        while let Some((of, row)) = self.next.take_if(|(of, _)| *of <= game) {
            if of == game {
                each(row);
            }
            self.advance()?;
        }
        Ok(())
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        self.next = match self.rows.next()? {
            Some(row) => Some((row.get(0)?, (self.read)(row)?)),
            None => None,
        };
        Ok(())
    }
}

fn seat(row: &Row<'_>) -> rusqlite::Result<(u32, u16, TimeSum)> {
    let time = TimeSum {
        moves: row.get(3)?,
        wall_ms: row.get(4)?,
        cpu_ms: row.get(5)?,
        slowest_ms: row.get(6)?,
    };
    Ok((row.get(1)?, row.get(2)?, time))
}

fn fault(row: &Row<'_>) -> rusqlite::Result<(usize, String, u64)> {
    Ok((row.get(1)?, row.get(2)?, row.get(3)?))
}
