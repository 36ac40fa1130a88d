//! Collections of cards: sets of kinds, hands, and ordered piles.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cards::{Card, Colour, Figure, KINDS};

/// Number of cards in the deck.
pub const DECK: usize = 108;

/// A set of different cards, without counting copies.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CardSet(u64);

impl CardSet {
    /// No card at all.
    pub const EMPTY: CardSet = CardSet(0);
    /// Every card.
    pub const ALL: CardSet = CardSet((1 << KINDS) - 1);
    /// Wilds and wild draw fours.
    pub const WILDS: CardSet = CardSet::one(Card::WILD).or(CardSet::one(Card::WILD_FOUR));
    /// The `+2` of every colour.
    pub const DRAW_TWOS: CardSet = CardSet::in_colours(0);
    /// The reverses of every colour.
    pub const REVERSES: CardSet = CardSet::in_colours(11);
    /// The skips of every colour.
    pub const SKIPS: CardSet = CardSet::in_colours(12);
    const ZEROS: CardSet = CardSet::in_colours(1);

    /// The set of one card.
    #[inline]
    pub const fn one(card: Card) -> CardSet {
        CardSet(1 << card.number())
    }

    /// The thirteen cards of a colour.
    #[inline]
    pub const fn of_colour(colour: Colour) -> CardSet {
        CardSet(0x1fff << colour.first())
    }

    /// The cards at this place within each colour.
    const fn in_colours(place: u8) -> CardSet {
        CardSet(
            1 << (Colour::Red.first() + place)
                | 1 << (Colour::Blue.first() + place)
                | 1 << (Colour::Green.first() + place)
                | 1 << (Colour::Yellow.first() + place),
        )
    }

    /// The coloured cards with the figure of `card`, in every colour; none for a wild card.
    pub(super) const fn of_figure(card: Card) -> CardSet {
        match card.figure() {
            Figure::Number(number) => CardSet::in_colours(number + 1),
            Figure::DrawTwo => CardSet::DRAW_TWOS,
            Figure::Reverse => CardSet::REVERSES,
            Figure::Skip => CardSet::SKIPS,
            Figure::Wild | Figure::WildFour => CardSet::EMPTY,
        }
    }

    /// Union, usable in constants.
    pub(super) const fn or(self, other: CardSet) -> CardSet {
        CardSet(self.0 | other.0)
    }

    /// Whether `card` is in the set.
    #[inline]
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.number() & 1 == 1
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of different cards.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The first card in the order of codes.
    #[inline]
    pub fn first(self) -> Option<Card> {
        if self.0 == 0 { None } else { Some(Card::numbered(self.0.trailing_zeros())) }
    }

    /// The card that has `place` others of the set before it in the order of codes.
    #[inline]
    pub fn nth(self, place: u32) -> Option<Card> {
        let mut rest = self.0;
        for _ in 0..place {
            rest &= rest.wrapping_sub(1);
        }
        CardSet(rest).first()
    }

    /// The cards in the order of codes.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let card = rest.first()?;
            rest.0 &= rest.0 - 1;
            Some(card)
        })
    }
}

impl BitAnd for CardSet {
    type Output = CardSet;
    #[inline]
    fn bitand(self, other: CardSet) -> CardSet {
        CardSet(self.0 & other.0)
    }
}

impl BitOr for CardSet {
    type Output = CardSet;
    #[inline]
    fn bitor(self, other: CardSet) -> CardSet {
        CardSet(self.0 | other.0)
    }
}

impl BitOrAssign for CardSet {
    #[inline]
    fn bitor_assign(&mut self, other: CardSet) {
        self.0 |= other.0;
    }
}

impl Not for CardSet {
    type Output = CardSet;
    #[inline]
    fn not(self) -> CardSet {
        CardSet(!self.0 & CardSet::ALL.0)
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Cards without an order, copies counted. In files a list of codes, sorted.
///
/// The first set holds what is there at least once, the second what is there at least
/// twice, and so on: adding, removing, counting and matching are a few word operations.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand([CardSet; 4]);

impl Hand {
    /// No cards.
    pub const EMPTY: Hand = Hand([CardSet::EMPTY; 4]);
    /// All 108 cards.
    pub const DECK: Hand = Hand([
        CardSet::ALL,
        CardSet(CardSet::ALL.0 & !CardSet::ZEROS.0),
        CardSet::WILDS,
        CardSet::WILDS,
    ]);

    /// Adds a card. More than four copies of one card cannot be held.
    #[inline]
    pub fn add(&mut self, card: Card) {
        let [one, two, three, four] = &mut self.0;
        let bit = CardSet::one(card).0;
        debug_assert!(four.0 & bit == 0, "no card has more than four copies");
        four.0 |= three.0 & bit;
        three.0 |= two.0 & bit;
        two.0 |= one.0 & bit;
        one.0 |= bit;
    }

    /// Removes one copy of a card; nothing happens if there is none.
    #[inline]
    pub fn remove(&mut self, card: Card) {
        let [one, two, three, four] = &mut self.0;
        let bit = CardSet::one(card).0;
        one.0 &= !(bit & !two.0);
        two.0 &= !(bit & !three.0);
        three.0 &= !(bit & !four.0);
        four.0 &= !bit;
    }

    /// How many copies of `card` there are.
    pub fn count(&self, card: Card) -> u32 {
        self.0.iter().map(|set| u32::from(set.contains(card))).sum()
    }

    /// Number of cards.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|set| set.len()).sum()
    }

    /// Whether there are no cards.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0[0].is_empty()
    }

    /// The different cards.
    #[inline]
    pub fn kinds(&self) -> CardSet {
        self.0[0]
    }

    /// The cards that are there at least twice.
    #[inline]
    pub fn pairs(&self) -> CardSet {
        self.0[1]
    }

    /// The part of the hand that is in `set`, copies included.
    pub fn within(&self, set: CardSet) -> Hand {
        Hand(self.0.map(|own| own & set))
    }

    /// What is left when `other` is taken away.
    pub fn without(&self, other: &Hand) -> Hand {
        let mut rest = *self;
        other.iter().for_each(|card| rest.remove(card));
        rest
    }

    /// Number of cards of a colour.
    #[inline]
    pub fn of_colour(&self, colour: Colour) -> u32 {
        // No coloured card has a third copy.
        let set = CardSet::of_colour(colour);
        (self.0[0] & set).len() + (self.0[1] & set).len()
    }

    /// The most frequent colour; ties and a hand without colours go to the first of red, blue,
    /// green, yellow.
    #[inline]
    pub fn favourite(&self) -> Colour {
        let mut best = Colour::Red;
        let mut most = self.of_colour(best);
        for colour in [Colour::Blue, Colour::Green, Colour::Yellow] {
            let count = self.of_colour(colour);
            if count > most {
                (best, most) = (colour, count);
            }
        }
        best
    }

    /// What the cards cost at the end of the game.
    pub fn points(&self) -> u32 {
        self.iter().map(Card::points).sum()
    }

    /// The cards in the order of codes, copies one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Card> {
        let hand = *self;
        hand.kinds()
            .iter()
            .flat_map(move |card| std::iter::repeat_n(card, hand.count(card) as usize))
    }

    /// The whole hand as four words, for digests.
    pub(super) fn words(&self) -> [u64; 4] {
        self.0.map(|set| set.0)
    }
}

impl FromIterator<Card> for Hand {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Hand {
        let mut hand = Hand::EMPTY;
        cards.into_iter().for_each(|card| hand.add(card));
        hand
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Hand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Hand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hand, D::Error> {
        let mut hand = Hand::EMPTY;
        for card in Vec::<Card>::deserialize(deserializer)? {
            if hand.count(card) == card.copies() {
                return Err(D::Error::custom(format!("too many copies of {card}")));
            }
            hand.add(card);
        }
        Ok(hand)
    }
}

/// Cards in an order, the last one on top.
#[derive(Clone, Copy)]
pub struct Pile {
    // What lies behind `len` is left over and means nothing.
    cards: [Card; DECK],
    len: u8,
}

impl Pile {
    /// A pile without cards.
    pub const EMPTY: Pile = Pile { cards: [Card::WILD; DECK], len: 0 };

    /// All 108 cards, sorted.
    pub const DECK: Pile = {
        let mut pile = Pile::EMPTY;
        let mut number = 0;
        while number < KINDS as u32 {
            let card = Card::numbered(number);
            let end = pile.len as u32 + card.copies();
            while (pile.len as u32) < end {
                pile.cards[pile.len as usize] = card;
                pile.len += 1;
            }
            number += 1;
        }
        pile
    };

    /// The cards, the top one last.
    #[inline]
    pub fn cards(&self) -> &[Card] {
        &self.cards[..usize::from(self.len)]
    }

    /// The cards, to be put into another order.
    #[inline]
    pub(super) fn cards_mut(&mut self) -> &mut [Card] {
        &mut self.cards[..usize::from(self.len)]
    }

    /// Number of cards.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether there are no cards.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The card on top.
    #[inline]
    pub fn top(&self) -> Option<Card> {
        self.cards().last().copied()
    }

    /// Lays a card on top.
    ///
    /// # Panics
    /// If all 108 cards are in the pile already.
    #[inline]
    pub fn push(&mut self, card: Card) {
        self.cards[usize::from(self.len)] = card;
        self.len += 1;
    }

    /// Takes up to `count` cards from the top; the last one listed was on top.
    #[inline]
    pub fn take(&mut self, count: usize) -> &[Card] {
        let before = self.len();
        let after = before - count.min(before);
        self.len = after as u8;
        &self.cards[after..before]
    }
}

impl FromIterator<Card> for Pile {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Pile {
        let mut pile = Pile::EMPTY;
        cards.into_iter().for_each(|card| pile.push(card));
        pile
    }
}

impl PartialEq for Pile {
    fn eq(&self, other: &Pile) -> bool {
        self.cards() == other.cards()
    }
}
impl Eq for Pile {}

impl fmt::Debug for Pile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cards().fmt(f)
    }
}

impl Serialize for Pile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.cards())
    }
}

impl<'de> Deserialize<'de> for Pile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pile, D::Error> {
        let cards = Vec::<Card>::deserialize(deserializer)?;
        if cards.len() > DECK {
            return Err(D::Error::custom("a pile of more than 108 cards"));
        }
        Ok(cards.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hand(codes: &str) -> Hand {
        codes.split_whitespace().map(|code| code.parse::<Card>().expect("a card")).collect()
    }

    #[test]
    fn the_deck_is_one_zero_two_of_the_rest_and_four_of_each_wild() {
        assert_eq!(Hand::DECK.len(), 108);
        for card in Card::all() {
            assert_eq!(Hand::DECK.count(card), card.copies(), "{card}");
        }
        assert_eq!(Pile::DECK, Hand::DECK.iter().collect());
    }

    #[test]
    fn a_hand_counts_copies_and_lists_them_by_code() {
        let mut own = hand("y1 wd4 r5 b+2 r5 wd wd wd wd");
        let listed: Vec<String> = own.iter().map(|card| card.to_string()).collect();
        assert_eq!(listed.join(" "), "b+2 r5 r5 wd wd wd wd wd4 y1");
        assert_eq!(own.len(), 9);
        assert_eq!(own.pairs(), hand("r5 wd").kinds());
        for left in (0..4).rev() {
            own.remove(Card::WILD);
            assert_eq!(own.count(Card::WILD), left);
        }
        own.remove(Card::WILD);
        assert_eq!(own, hand("b+2 r5 r5 wd4 y1"));
        assert_eq!(own.points(), 20 + 5 + 5 + 50 + 1);
    }

    #[test]
    fn the_favourite_colour_breaks_ties_red_blue_green_yellow() {
        for (cards, favourite) in [
            ("", Colour::Red),
            ("wd wd4", Colour::Red),
            ("y1 g1", Colour::Green),
            ("y1 g1 b2", Colour::Blue),
            ("y1 g1 b2 r3", Colour::Red),
            ("y1 y1 r3", Colour::Yellow),
            ("gs gr b1 b2 y7", Colour::Blue),
        ] {
            assert_eq!(hand(cards).favourite(), favourite, "{cards}");
        }
    }

    #[test]
    fn hands_and_piles_survive_serde_and_impossible_ones_are_refused() {
        let own = hand("r5 r5 b+2 wd");
        let text = serde_json::to_string(&own).expect("a hand is plain data");
        assert_eq!(text, r#"["b+2","r5","r5","wd"]"#);
        assert_eq!(serde_json::from_str::<Hand>(&text).expect("it was written so"), own);
        assert!(serde_json::from_str::<Hand>(r#"["r0","r0"]"#).is_err());
        assert!(serde_json::from_str::<Hand>(r#"["r55"]"#).is_err());
        let pile = Pile::DECK;
        let text = serde_json::to_string(&pile).expect("a pile is plain data");
        assert_eq!(serde_json::from_str::<Pile>(&text).expect("it was written so"), pile);
        let most = format!("[{}\"r5\"]", "\"r5\",".repeat(108));
        assert!(serde_json::from_str::<Pile>(&most).is_err());
    }

    #[test]
    fn what_is_taken_from_a_pile_was_on_top() {
        let mut pile: Pile = hand("b1 b2 b3").iter().collect();
        assert_eq!(pile.take(2), ["b2".parse().expect("a card"), "b3".parse().expect("a card")]);
        assert_eq!(pile.take(5).len(), 1);
        assert_eq!(pile.take(1), []);
    }

    #[test]
    fn sets_list_their_cards_by_place() {
        let set = hand("b1 r5 y9").kinds();
        assert_eq!(set.nth(0), set.first());
        assert_eq!(set.nth(2).map(|card| card.to_string()), Some("y9".into()));
        assert_eq!(set.nth(3), None);
    }
}
