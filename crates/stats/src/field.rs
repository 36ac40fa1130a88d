//! A field of players and the results of their games.

use std::collections::BTreeMap;
use std::fmt;

use crate::ratings::Ratings;

/// A player, by its index in the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Player(pub usize);

/// The results of a field. Equal results are kept once, with their count.
#[derive(Clone, Debug)]
pub struct Field {
    players: usize,
    results: BTreeMap<Finish, u64>,
    anchors: BTreeMap<Player, f64>,
}

/// How a game ended: who sat where, and the place of each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finish {
    pub(crate) seating: Vec<Player>,
    /// Places without gaps from 0, the best, in the order of the seats.
    pub(crate) places: Vec<usize>,
}

/// Counts of the games in which one player sat first and another second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairResults {
    /// Won by the player in the first seat.
    pub first_wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by the player in the second seat.
    pub second_wins: u64,
}

/// Why something is not a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// The field has no such player.
    Unknown {
        /// Who is not there.
        player: Player,
        /// How many there are.
        players: usize,
    },
    /// One player in two seats.
    Twice(Player),
    /// A game of fewer than two.
    TooFew,
    /// Not one rank for each seat.
    Ranks {
        /// How many seats there are.
        seats: usize,
        /// How many ranks were given.
        ranks: usize,
    },
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldError::Unknown { player, players } => {
                write!(f, "there is no player {} in a field of {players}", player.0)
            }
            FieldError::Twice(player) => write!(f, "player {} sits in two seats", player.0),
            FieldError::TooFew => f.write_str("a result needs at least two seats"),
            FieldError::Ranks { seats, ranks } => write!(f, "{ranks} ranks for {seats} seats"),
        }
    }
}

impl std::error::Error for FieldError {}

impl Finish {
    /// Checks a result and closes the gaps between its ranks.
    pub(crate) fn new(
        players: usize,
        seating: &[Player],
        ranks: &[u32],
    ) -> Result<Finish, FieldError> {
        if seating.len() != ranks.len() {
            return Err(FieldError::Ranks { seats: seating.len(), ranks: ranks.len() });
        }
        if seating.len() < 2 {
            return Err(FieldError::TooFew);
        }
        for (seat, &player) in seating.iter().enumerate() {
            if player.0 >= players {
                return Err(FieldError::Unknown { player, players });
            }
            if seating[..seat].contains(&player) {
                return Err(FieldError::Twice(player));
            }
        }
        let mut distinct = ranks.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let place = |rank| distinct.partition_point(|&other| other < rank);
        let places = ranks.iter().map(|&rank| place(rank)).collect();
        Ok(Finish { seating: seating.to_vec(), places })
    }
}

impl Field {
    /// A field of so many players, without results.
    pub fn new(players: usize) -> Field {
        Field { players, results: BTreeMap::new(), anchors: BTreeMap::new() }
    }

    /// Adds `count` games that ended alike: `seating[0]` sat first, `ranks[i]` is the rank of
    /// `seating[i]`. Lower is better, equal is a tie, gaps do not matter.
    pub fn add(&mut self, seating: &[Player], ranks: &[u32], count: u64) -> Result<(), FieldError> {
        let finish = Finish::new(self.players, seating, ranks)?;
        if count > 0 {
            let total = self.results.entry(finish).or_default();
            *total = total.saturating_add(count);
        }
        Ok(())
    }

    /// Adds games of two seats.
    pub fn add_pair(
        &mut self,
        first: Player,
        second: Player,
        results: PairResults,
    ) -> Result<(), FieldError> {
        let PairResults { first_wins, draws, second_wins } = results;
        for (ranks, count) in [([1, 2], first_wins), ([1, 1], draws), ([2, 1], second_wins)] {
            self.add(&[first, second], &ranks, count)?;
        }
        Ok(())
    }

    /// Fixes the rating of a player, in Elo; all who are linked with it by games are rated relative
    /// to that.
    pub fn anchor(&mut self, player: Player, elo: f64) -> Result<(), FieldError> {
        if player.0 >= self.players {
            return Err(FieldError::Unknown { player, players: self.players });
        }
        self.anchors.insert(player, elo);
        Ok(())
    }

    pub(crate) fn anchors(&self) -> &BTreeMap<Player, f64> {
        &self.anchors
    }

    /// How many players there are.
    pub fn players(&self) -> usize {
        self.players
    }

    /// How many games were added.
    pub fn games(&self) -> u64 {
        self.results.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Ratings of all players, fitted together.
    pub fn rate(&self) -> Ratings {
        Ratings::of(self)
    }

    pub(crate) fn results(&self) -> impl Iterator<Item = (&Finish, u64)> {
        self.results.iter().map(|(finish, count)| (finish, *count))
    }
}
