//! Cards: colours, figures, the codes bots read and write, and points.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize, Serializer};

/// Number of different cards. The 108 cards of the deck are copies of these.
pub const KINDS: usize = 54;

/// A colour. The order is the one in which ties between colours are broken.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeriveDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// `r`
    Red,
    /// `b`
    Blue,
    /// `g`
    Green,
    /// `y`
    Yellow,
}

impl Colour {
    /// Every colour, in the order of tie-breaks.
    pub const ALL: [Colour; 4] = [Colour::Red, Colour::Blue, Colour::Green, Colour::Yellow];

    /// The letter in card codes.
    pub const fn letter(self) -> char {
        match self {
            Colour::Red => 'r',
            Colour::Blue => 'b',
            Colour::Green => 'g',
            Colour::Yellow => 'y',
        }
    }

    /// The word in `wild_color` and `top_color`.
    pub const fn name(self) -> &'static str {
        match self {
            Colour::Red => "red",
            Colour::Blue => "blue",
            Colour::Green => "green",
            Colour::Yellow => "yellow",
        }
    }

    /// The colour with this name, as in `wild_color`.
    pub fn from_name(name: &str) -> Option<Colour> {
        Colour::ALL.into_iter().find(|colour| colour.name() == name)
    }

    /// Number of the first card of this colour.
    pub(super) const fn first(self) -> u8 {
        match self {
            Colour::Blue => 0,
            Colour::Green => 13,
            Colour::Red => 26,
            Colour::Yellow => 41,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is on a card beside its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A number from 0 to 9.
    Number(u8),
    /// `+2`: the next player draws two.
    DrawTwo,
    /// `r`: the direction of play changes.
    Reverse,
    /// `s`: the next player is skipped.
    Skip,
    /// The mover names the colour.
    Wild,
    /// The mover names the colour and the next player draws four.
    WildFour,
}

/// How a wild card is written. Both are always understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, DeriveDeserialize)]
pub enum WildCode {
    /// `wd`, as in the protocol's document.
    #[default]
    #[serde(rename = "wd")]
    Wd,
    /// `w`, as the original program writes it.
    #[serde(rename = "w")]
    W,
}

/// One of the 54 different cards.
///
/// Cards are numbered in the order of their codes, so that a hand listed by number is
/// sorted by code: `b+2 b0 … b9 br bs g+2 … rs wd wd4 y+2 … ys`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

const CODES: [&str; KINDS] = [
    "b+2", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "br", "bs", //
    "g+2", "g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "gr", "gs", //
    "r+2", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "rr", "rs", //
    "wd", "wd4", //
    "y+2", "y0", "y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8", "y9", "yr", "ys",
];

impl Card {
    /// The wild card.
    pub const WILD: Card = Card(39);
    /// The wild draw four.
    pub const WILD_FOUR: Card = Card(40);

    /// Every card once, in the order of codes.
    pub fn all() -> impl Iterator<Item = Card> {
        (0..KINDS as u8).map(Card)
    }

    /// The card with this number, which must be below [`KINDS`].
    #[inline]
    pub(super) const fn numbered(number: u32) -> Card {
        debug_assert!((number as usize) < KINDS, "there are 54 different cards");
        Card(number as u8)
    }

    /// The place of this card in the order of codes.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The colour printed on the card; wild cards have none.
    #[inline]
    pub const fn colour(self) -> Option<Colour> {
        match self.0 {
            0..13 => Some(Colour::Blue),
            13..26 => Some(Colour::Green),
            26..39 => Some(Colour::Red),
            39..41 => None,
            _ => Some(Colour::Yellow),
        }
    }

    /// What is on the card beside its colour.
    #[inline]
    pub const fn figure(self) -> Figure {
        let Some(colour) = self.colour() else {
            return if self.0 == Card::WILD.0 { Figure::Wild } else { Figure::WildFour };
        };
        match self.0 - colour.first() {
            0 => Figure::DrawTwo,
            11 => Figure::Reverse,
            12 => Figure::Skip,
            place => Figure::Number(place - 1),
        }
    }

    /// Whether the player of this card names a colour.
    #[inline]
    pub const fn is_wild(self) -> bool {
        self.0 == Card::WILD.0 || self.0 == Card::WILD_FOUR.0
    }

    /// How many of this card are in the deck.
    pub const fn copies(self) -> u32 {
        match self.figure() {
            Figure::Number(0) => 1,
            Figure::Number(_) | Figure::DrawTwo | Figure::Reverse | Figure::Skip => 2,
            Figure::Wild | Figure::WildFour => 4,
        }
    }

    /// What the card costs a player who still holds it at the end.
    pub const fn points(self) -> u32 {
        match self.figure() {
            Figure::Number(number) => number as u32,
            Figure::DrawTwo | Figure::Reverse | Figure::Skip => 20,
            Figure::Wild | Figure::WildFour => 50,
        }
    }

    /// How many cards this one adds to the stack of a war.
    #[inline]
    pub const fn penalty(self) -> u8 {
        match self.figure() {
            Figure::DrawTwo => 2,
            Figure::WildFour => 4,
            Figure::Number(_) | Figure::Reverse | Figure::Skip | Figure::Wild => 0,
        }
    }

    /// The code of the card in a hand, such as `r5` or `wd4`.
    pub const fn code(self, wild: WildCode) -> &'static str {
        match wild {
            WildCode::W if self.0 == Card::WILD.0 => "w",
            WildCode::W | WildCode::Wd => CODES[self.0 as usize],
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code(WildCode::Wd))
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code(WildCode::Wd))
    }
}

/// A text that is not the code of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACard;

impl fmt::Display for NotACard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a card; cards are written like r5, bs, gr, y+2, wd or wd4")
    }
}

impl std::error::Error for NotACard {}

impl FromStr for Card {
    type Err = NotACard;

    fn from_str(code: &str) -> Result<Card, NotACard> {
        if code == "w" {
            return Ok(Card::WILD);
        }
        // The codes are in ascending order, see `Card`.
        let number = CODES.binary_search(&code).map_err(|_| NotACard)?;
        Ok(Card::numbered(number as u32))
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code(WildCode::Wd))
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Card, D::Error> {
        struct Code;
        impl Visitor<'_> for Code {
            type Value = Card;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the code of a card, such as \"r5\"")
            }
            fn visit_str<E: de::Error>(self, code: &str) -> Result<Card, E> {
                code.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(code), &self))
            }
        }
        deserializer.deserialize_str(Code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_order_of_codes_with_either_wild_code() {
        for wild in [WildCode::Wd, WildCode::W] {
            let codes: Vec<&str> = Card::all().map(|card| card.code(wild)).collect();
            assert!(codes.is_sorted());
        }
    }

    #[test]
    fn every_code_is_understood_and_both_codes_of_the_wild() {
        for card in Card::all() {
            for wild in [WildCode::Wd, WildCode::W] {
                assert_eq!(card.code(wild).parse(), Ok(card));
            }
        }
        for text in ["", "r", "r10", "R5", "x5", "wd5", "wdr", "r5 ", "5r", "+2", "ü"] {
            assert_eq!(text.parse::<Card>(), Err(NotACard), "{text}");
        }
    }

    #[test]
    fn codes_say_colour_and_figure() {
        for card in Card::all() {
            let code = card.code(WildCode::Wd);
            let letter = card.colour().map_or('w', Colour::letter);
            let rest = match card.figure() {
                Figure::Number(number) => number.to_string(),
                Figure::DrawTwo => "+2".into(),
                Figure::Reverse => "r".into(),
                Figure::Skip => "s".into(),
                Figure::Wild => "d".into(),
                Figure::WildFour => "d4".into(),
            };
            assert_eq!(code, format!("{letter}{rest}"));
        }
    }

    #[test]
    fn number_cards_count_their_value_actions_20_and_wilds_50() {
        let points = |code: &str| code.parse::<Card>().map(Card::points);
        assert_eq!(points("r0"), Ok(0));
        assert_eq!(points("g7"), Ok(7));
        for code in ["y+2", "br", "gs"] {
            assert_eq!(points(code), Ok(20));
        }
        for code in ["w", "wd", "wd4"] {
            assert_eq!(points(code), Ok(50));
        }
    }

    #[test]
    fn the_deck_has_108_cards() {
        assert_eq!(Card::all().map(Card::copies).sum::<u32>(), 108);
    }
}
