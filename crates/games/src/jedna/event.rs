//! What happens at the table, and who hears of it.

use game::{Audience, Told};
use serde::{Deserialize, Serialize};

use super::cards::{Card, Colour};
use super::rules::Copies;
use super::seats::{Direction, Seat};

/// Something that happened in a step.
///
/// What a mover does is told to everyone but the mover, who knows it. Only
/// [`Event::Took`] says which cards were drawn, and only to the one who drew them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A card was played. Told to everyone but the mover.
    Played {
        /// Who played.
        by: Seat,
        /// The card.
        card: Card,
        /// The colour to follow from now on.
        colour: Colour,
        /// Whether one or two of it.
        copies: Copies,
    },
    /// Cards were drawn; fewer than owed if there were no more. Told to everyone but the one who
    /// drew.
    Drew {
        /// Who drew.
        by: Seat,
        /// How many cards.
        count: u8,
        /// Whether one card by choice, or the stack of a war.
        why: DrawReason,
    },
    /// The cards behind [`Event::Drew`], in the order they came. Told only to the one who drew.
    Took {
        /// Who drew.
        by: Seat,
        /// The cards.
        cards: Vec<Card>,
    },
    /// The turn was ended after drawing. Told to everyone but the mover. (Who passes in a war draws
    /// the stack, and that is told instead.)
    Passed {
        /// Who passed.
        by: Seat,
    },
    /// A player is down to the last card. Told to everyone but that player.
    OneCardLeft {
        /// Who.
        seat: Seat,
    },
    /// Play goes round the other way. Told to everyone but the mover; never with two players,
    /// where a reverse is an ordinary card.
    Turned {
        /// Who played the reverse.
        by: Seat,
        /// The new direction.
        direction: Direction,
    },
    /// A player's turn is left out. Told to everyone but the one who played the skip.
    Skipped {
        /// Who is left out.
        seat: Seat,
    },
    /// The discard pile was shuffled back into the draw pile, except its top card. Told to all.
    Reshuffled {
        /// Number of cards in the draw pile afterwards.
        cards: u8,
    },
    /// A player left the game. Told to all.
    Forfeited {
        /// Who.
        seat: Seat,
        /// Why, for people.
        reason: String,
    },
}

/// Why cards were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DrawReason {
    /// The one card of a turn.
    Choice,
    /// The stack of a war.
    Stack,
}

/// Where a step reports to. Events are only made if somebody listens.
pub trait Ears {
    /// Something happened; `event` says what.
    fn hear(&mut self, to: Audience, event: impl FnOnce() -> Event);
}

impl Ears for Vec<Told<Event>> {
    fn hear(&mut self, to: Audience, event: impl FnOnce() -> Event) {
        self.push(Told { to, event: event() });
    }
}

/// Ears for those who only want the next state.
#[derive(Clone, Copy, Debug)]
pub struct Deaf;

impl Ears for Deaf {
    #[inline]
    fn hear(&mut self, _: Audience, _: impl FnOnce() -> Event) {}
}
