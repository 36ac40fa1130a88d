//! What one pair of eyes sees of a game.

use game::Eye;
use serde::{Deserialize, Serialize};

use super::cards::{Card, Colour};
use super::hand::{CardSet, Hand, Pile};
use super::rules::{Action, Config, Copies, Top, Verb, War, plays};
use super::seats::{Direction, Seat};
use super::state::{Drawn, Jedna};

/// The state as somebody may know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// The set-up.
    pub rules: Config,
    /// Number of the current turn, from 1.
    pub turn: u32,
    /// Who is to act; `None` when the game is over.
    pub mover: Option<Seat>,
    /// The top card and the colour to follow.
    pub top: Top,
    /// `game_state`: whether there is a war.
    pub war: War,
    /// `stacked_cards`: what the loser of the war draws.
    pub stack: u8,
    /// Whether the mover has drawn in this turn.
    pub already_picked: bool,
    /// The way round the table.
    pub direction: Direction,
    /// Number of cards in the draw pile.
    pub draw_pile: u8,
    /// The discard pile, top card included. Everybody has seen these cards.
    pub discard: Hand,
    /// The players still in the game in turn order: after one's own seat, or from the mover on for
    /// eyes without a seat.
    pub others: Vec<Other>,
    /// Those who have left the game, the first one first.
    pub gone: Vec<Seat>,
    /// What only this actor knows.
    pub own: Option<Own>,
    /// What is hidden from the players, for [`Eye::All`].
    pub hidden: Option<Hidden>,
}

/// Another player, as everybody sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Other {
    /// Who.
    pub seat: Seat,
    /// Number of cards in the hand.
    pub cards: u8,
}

/// What an actor knows of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Own {
    /// Whose eyes these are.
    pub seat: Seat,
    /// The cards in the hand.
    pub hand: Hand,
    /// The card this actor has drawn in this very turn.
    pub picked: Option<Card>,
    /// The cards in the hand that may be played now, copies included; none unless on move. After
    /// drawing it is the drawn card alone.
    pub playable: Hand,
    /// What would be accepted now; nothing unless on move.
    pub available: Vec<Verb>,
}

/// Everything that nobody at the table sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hidden {
    /// The hands by seat; empty for those who have left.
    pub hands: Vec<Hand>,
    /// The draw pile, the next card last.
    pub draw_pile: Pile,
    /// The discard pile, the top card last.
    pub discard: Pile,
}

/// A harmless slip in an answer that [`View::mend`] made good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mended {
    /// A wild card was played without a colour; this one was taken.
    ColourMissing(Colour),
    /// A colour was named for a card that has one.
    ColourNeedless,
    /// Two cards at once were asked for where the set-up has no such thing.
    DoubleIgnored,
}

impl View {
    /// Lists every action open to the viewer, wild cards with each colour.
    pub fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        let Some(own) = &self.own else { return actions };
        plays(own.playable.kinds(), self.playable_pairs(), &mut actions);
        for verb in &own.available {
            match verb {
                Verb::Play => {}
                Verb::Draw => actions.push(Action::Draw),
                Verb::Pass => actions.push(Action::Pass),
            }
        }
        actions
    }

    /// The cards of which the viewer may play two at once.
    pub fn playable_pairs(&self) -> CardSet {
        match &self.own {
            Some(own) if self.rules.double_play && !self.already_picked => own.playable.pairs(),
            Some(_) | None => CardSet::EMPTY,
        }
    }

    /// Makes good what real bots get wrong without harm, and says what it was.
    ///
    /// "Missing or null `wild_color`: the host picks the colour most frequent in that hand (ties:
    /// red, blue, green, yellow) and records a warning." Fields that mean nothing are dropped.
    pub fn mend(&self, action: Action) -> (Action, Option<Mended>) {
        let Action::Play { card, colour, copies } = action else { return (action, None) };
        let favourite = || self.own.as_ref().map_or(Colour::Red, |own| own.hand.favourite());
        let (copies, double) = match copies {
            Copies::Two if !self.rules.double_play => (Copies::One, Some(Mended::DoubleIgnored)),
            Copies::One | Copies::Two => (copies, None),
        };
        let (colour, mended) = match (card.is_wild(), colour) {
            (true, None) => (Some(favourite()), Some(Mended::ColourMissing(favourite()))),
            (false, Some(_)) => (None, Some(Mended::ColourNeedless)),
            (true, Some(_)) | (false, None) => (colour, None),
        };
        (Action::Play { card, colour, copies }, mended.or(double))
    }
}

impl Jedna {
    /// The state as seen from a place. An actor who has left sees what everybody sees.
    pub(super) fn seen_from(&self, eye: Eye) -> View {
        let viewer = match eye {
            Eye::Actor(actor) => Seat::of(actor).filter(|seat| self.is_playing(*seat)),
            Eye::Public | Eye::All => None,
        };
        View {
            rules: self.config,
            turn: self.turn,
            mover: self.mover(),
            top: self.top,
            war: self.war,
            stack: self.stack,
            already_picked: self.drawn != Drawn::No,
            direction: self.direction,
            draw_pile: self.draw_pile.len() as u8,
            discard: self.discard.cards().iter().copied().collect(),
            others: self.others(viewer),
            gone: self.gone.list().to_vec(),
            own: viewer.map(|seat| self.own(seat)),
            hidden: (eye == Eye::All).then(|| Hidden {
                hands: self.hands[..self.players()].to_vec(),
                draw_pile: self.draw_pile,
                discard: self.discard,
            }),
        }
    }

    fn is_playing(&self, seat: Seat) -> bool {
        self.circle.position(seat).is_some()
    }

    fn others(&self, viewer: Option<Seat>) -> Vec<Other> {
        let seats = self.circle.list();
        let start = viewer.and_then(|seat| self.circle.position(seat));
        let first = start.unwrap_or(usize::from(self.at));
        let count = seats.len();
        (usize::from(start.is_some())..count)
            .map(|step| {
                let place = match self.direction {
                    Direction::Clockwise => first + step,
                    Direction::Counterclockwise => first + count - step,
                };
                let seat = seats[place % count];
                Other { seat, cards: self.hand(seat).len() as u8 }
            })
            .collect()
    }

    fn own(&self, seat: Seat) -> Own {
        let hand = *self.hand(seat);
        if self.mover() != Some(seat) {
            let (playable, available) = (Hand::EMPTY, Vec::new());
            return Own { seat, hand, picked: None, playable, available };
        }
        let playable = hand.within(self.playable());
        let (picked, playable) = match self.drawn {
            Drawn::No => (None, playable),
            // "Only the drawn card may be played": one, whatever else is like it.
            Drawn::Card(card) => (Some(card), playable.kinds().iter().collect()),
            Drawn::Nothing => (None, playable),
        };
        Own { seat, hand, picked, playable, available: self.available() }
    }
}
