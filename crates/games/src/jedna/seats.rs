//! Who sits at the table, and the way round it.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use game::{ActorId, PlayerId};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Fewest and most players of a game.
pub const SEATS: RangeInclusive<u16> = 2..=10;

/// Room for the largest table.
pub(super) const MOST_SEATS: usize = *SEATS.end() as usize;

/// A player of the game, numbered as it was entered in the match. Written `player1`, `player2`, …
///
/// The number says nothing about the order of play, which is drawn from the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(pub(super) u8);

impl Seat {
    /// This seat's place in lists by seat.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The actor in this seat. Every player has one actor, and their numbers agree.
    pub fn actor(self) -> ActorId {
        ActorId(u32::from(self.0))
    }

    /// The player in this seat.
    pub fn player(self) -> PlayerId {
        PlayerId(u16::from(self.0))
    }

    /// The seat of an actor, if an actor of this number can exist.
    pub fn of(actor: ActorId) -> Option<Seat> {
        u8::try_from(actor.0).ok().filter(|number| usize::from(*number) < MOST_SEATS).map(Seat)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player{}", self.0 + 1)
    }
}

impl FromStr for Seat {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Seat, &'static str> {
        let number = name.strip_prefix("player").and_then(|number| number.parse::<u8>().ok());
        match number {
            Some(number @ 1..=10) => Ok(Seat(number - 1)),
            Some(_) | None => Err("players are called player1 to player10"),
        }
    }
}

impl Serialize for Seat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Seat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seat, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The way round the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// In the order drawn from the seed.
    Clockwise,
    /// Against it.
    Counterclockwise,
}

impl Direction {
    /// The other way round.
    pub fn reversed(self) -> Direction {
        match self {
            Direction::Clockwise => Direction::Counterclockwise,
            Direction::Counterclockwise => Direction::Clockwise,
        }
    }
}

/// A short list of seats.
#[derive(Clone, Copy)]
pub(super) struct Seats {
    list: [Seat; MOST_SEATS],
    len: u8,
}

impl Seats {
    pub(super) const EMPTY: Seats = Seats { list: [Seat(0); MOST_SEATS], len: 0 };

    pub(super) fn list(&self) -> &[Seat] {
        &self.list[..usize::from(self.len)]
    }

    pub(super) fn list_mut(&mut self) -> &mut [Seat] {
        &mut self.list[..usize::from(self.len)]
    }

    /// The seat at this place of the list.
    #[inline]
    pub(super) fn at(&self, place: u8) -> Seat {
        self.list()[usize::from(place)]
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    pub(super) fn position(&self, seat: Seat) -> Option<usize> {
        self.list().iter().position(|other| *other == seat)
    }

    pub(super) fn push(&mut self, seat: Seat) {
        self.list[usize::from(self.len)] = seat;
        self.len += 1;
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.list_mut()[place..].rotate_left(1);
        self.len -= 1;
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Seats {
        let mut list = Seats::EMPTY;
        seats.into_iter().for_each(|seat| list.push(seat));
        list
    }
}

impl PartialEq for Seats {
    fn eq(&self, other: &Seats) -> bool {
        self.list() == other.list()
    }
}

impl fmt::Debug for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list().fmt(f)
    }
}

impl Serialize for Seats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.list())
    }
}

impl<'de> Deserialize<'de> for Seats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seats, D::Error> {
        let seats = Vec::<Seat>::deserialize(deserializer)?;
        if seats.len() > MOST_SEATS {
            return Err(D::Error::custom("more than ten seats"));
        }
        Ok(seats.into_iter().collect())
    }
}
