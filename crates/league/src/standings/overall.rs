//! Several events of a tournament together.
//!
//! Events differ in games, formats and numbers of games, so that neither their points nor their
//! ratings can be added up. Their tables can: an event counts like one game between all who took
//! part in it.

use std::collections::HashMap;

use crate::standings::{EventStandings, Standings};

/// A bot in the table of all events. Bots of the same name are the same bot.
#[derive(Clone, Debug, PartialEq)]
pub struct OverallRow {
    /// Its place; equal ones share it.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// The share of the others that it is ahead of in an event's table, level ones half, added up.
    pub points: f64,
    /// How many events it is first in, alone or not.
    pub firsts: u32,
    /// Its place in each event, in the order of the events; none where it did not take part or
    /// nothing has been played.
    pub places: Vec<Option<u32>>,
    /// Its games in all events.
    pub games: u64,
    /// Those it won.
    pub wins: u64,
    /// Those it drew.
    pub draws: u64,
    /// Those it lost.
    pub losses: u64,
}

impl Standings {
    /// The table of all events together; none if there is only one.
    pub fn overall(&self) -> Option<Vec<OverallRow>> {
        // A test answers a question; its bots compete for nothing.
        if self.events.iter().any(|event| event.trial.is_some()) {
            return None;
        }
        let tables: Vec<EventTable<'_>> = self.events.iter().map(EventTable::of).collect();
        (tables.len() > 1).then(|| overall(&tables))
    }
}

/// What counts of an event.
struct EventTable<'a> {
    /// Name, place, and games won, drawn and lost.
    rows: Vec<(&'a str, u32, [u64; 3])>,
}

impl<'a> EventTable<'a> {
    /// The table of an event, in which nobody stands anywhere before the first game.
    fn of(event: &'a EventStandings) -> EventTable<'a> {
        let rows = event.rows.iter().filter(|_| event.games > 0);
        let rows = rows.map(|row| (row.name.as_str(), row.rank, [row.wins, row.draws, row.losses]));
        EventTable { rows: rows.collect() }
    }

    /// How many halves one is: two for each other bot.
    fn whole(&self) -> u128 {
        2 * (self.rows.len().max(2) as u128 - 1)
    }

    /// How many others a place is ahead of, in halves: level ones are one, others two.
    fn halves(&self, rank: u32) -> u128 {
        let count = |held: &dyn Fn(u32) -> bool| {
            self.rows.iter().filter(|(_, other, _)| held(*other)).count() as u128
        };
        let (behind, level) = (count(&|other| other > rank), count(&|other| other == rank) - 1);
        2 * behind + level
    }
}

/// Shares of all tables are whole multiples of this part of one, so that equal sums are equal.
/// Fields of up to 88 bots, however many different ones, have one that can be counted in.
fn common_parts(tables: &[EventTable<'_>]) -> u128 {
    let divisor = |mut a: u128, mut b: u128| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let most = u128::MAX >> 16;
    tables.iter().map(EventTable::whole).fold(1, |parts, whole| {
        let both = parts.checked_mul(whole / divisor(parts, whole));
        // Beyond that, shares are rounded down, to more digits than anybody needs.
        both.filter(|both| *both <= most).unwrap_or(parts)
    })
}

fn overall(tables: &[EventTable<'_>]) -> Vec<OverallRow> {
    let parts = common_parts(tables);
    let mut totals: HashMap<&str, u128> = HashMap::new();
    let mut rows: Vec<OverallRow> = Vec::new();
    for (event, table) in tables.iter().enumerate() {
        for &(name, place, [wins, draws, losses]) in &table.rows {
            let known = rows.iter().position(|row| row.name == name);
            let row = known.unwrap_or_else(|| {
                rows.push(OverallRow::new(name, tables.len()));
                rows.len() - 1
            });
            let row = &mut rows[row];
            *totals.entry(name).or_default() += table.halves(place) * parts / table.whole();
            row.firsts += u32::from(place == 1);
            row.places[event] = Some(place);
            row.wins += wins;
            row.draws += draws;
            row.losses += losses;
            row.games += wins + draws + losses;
        }
    }
    let standing = |row: &OverallRow| (totals[row.name.as_str()], row.firsts);
    rows.sort_by_key(|row| std::cmp::Reverse(standing(row)));
    for place in 0..rows.len() {
        rows[place].rank = match place.checked_sub(1) {
            Some(before) if standing(&rows[before]) == standing(&rows[place]) => rows[before].rank,
            Some(_) | None => place as u32 + 1,
        };
        rows[place].points = totals[rows[place].name.as_str()] as f64 / parts as f64;
    }
    rows
}

impl OverallRow {
    fn new(name: &str, events: usize) -> OverallRow {
        OverallRow {
            rank: 0,
            name: name.to_owned(),
            points: 0.0,
            firsts: 0,
            places: vec![None; events],
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table<'a>(rows: &[(&'a str, u32)]) -> EventTable<'a> {
        EventTable { rows: rows.iter().map(|&(name, rank)| (name, rank, [2, 1, 0])).collect() }
    }

    fn found(rows: &[OverallRow]) -> Vec<(u32, &str, f64, u32)> {
        rows.iter().map(|row| (row.rank, row.name.as_str(), row.points, row.firsts)).collect()
    }

    #[test]
    fn an_event_counts_like_a_game_between_all_who_took_part() {
        let rows = overall(&[
            table(&[("a", 1), ("b", 2), ("c", 3)]),
            table(&[("c", 1), ("a", 2), ("b", 2), ("d", 4)]),
        ]);
        let wanted = [(1, "a", 1.5, 1), (2, "c", 1.0, 1), (3, "b", 1.0, 0), (4, "d", 0.0, 0)];
        assert_eq!(found(&rows), wanted);
        assert_eq!(rows[0].places, [Some(1), Some(2)]);
        assert_eq!(rows[3].places, [None, Some(4)], "one of them it did not take part in");
        assert_eq!((rows[0].games, rows[0].wins, rows[0].draws, rows[3].games), (6, 4, 2, 3));
    }

    #[test]
    fn equals_share_a_place_in_whatever_order_their_points_came() {
        let of = |order: [&'static str; 4]| {
            table(&[(order[0], 1), (order[1], 2), (order[2], 3), (order[3], 4)])
        };
        let rows = overall(&[
            of(["a", "b", "c", "d"]),
            of(["b", "c", "a", "d"]),
            of(["c", "a", "b", "d"]),
        ]);
        let ranks: Vec<u32> = rows.iter().map(|row| row.rank).collect();
        assert_eq!(ranks, [1, 1, 1, 4]);
    }

    #[test]
    fn an_event_in_which_nothing_was_played_counts_nothing() {
        let rows = overall(&[table(&[("a", 1), ("b", 2)]), table(&[])]);
        assert_eq!(found(&rows), [(1, "a", 1.0, 1), (2, "b", 0.0, 0)]);
        assert_eq!(rows[0].places, [Some(1), None]);
    }
}
