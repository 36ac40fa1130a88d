//! The state of a game and how actions change it.

use game::{Audience, Forfeit, Forfeited, PlayerId, Seed, SetupError};
use serde::{Deserialize, Serialize};

use super::cards::{Card, Figure, KINDS};
use super::ending::Ending;
use super::event::{DrawReason, Ears, Event};
use super::hand::{CardSet, DECK, Hand, Pile};
use super::rules::{Action, Config, Copies, Refusal, Top, Verb, War, answers, plays};
use super::seats::{Direction, MOST_SEATS, SEATS, Seat, Seats};

const FIRST_HAND: usize = 7;

/// A game of Jedna.
///
/// *Seats are drawn from the seed*: players keep their names (`player1` is the first one entered),
/// and the seed draws the order in which they sit round the table. The first of that
/// order begins, and the turned-up card counts as played by the last. A host that moves bots
/// from seat to seat over games with one seed thus gives each of them every hand and every
/// place once, with changing neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jedna {
    pub(super) config: Config,
    /// Chance comes from here; `shuffles` says how much of it is used.
    pub(super) seed: Seed,
    pub(super) shuffles: u32,
    /// By seat, empty where nobody sits.
    pub(super) hands: [Hand; MOST_SEATS],
    /// Those still playing, clockwise.
    pub(super) circle: Seats,
    /// The mover's place in `circle`.
    pub(super) at: u8,
    pub(super) direction: Direction,
    pub(super) draw_pile: Pile,
    /// Never empty: its last card is the top card.
    pub(super) discard: Pile,
    pub(super) top: Top,
    pub(super) war: War,
    /// Cards that the one who does not answer must draw.
    pub(super) stack: u8,
    pub(super) drawn: Drawn,
    /// Number of this turn; the first is 1.
    pub(super) turn: u32,
    /// Those who left, in the order they did.
    pub(super) gone: Seats,
    /// By seat: what the hand of one who left was worth.
    pub(super) gone_points: [u16; MOST_SEATS],
    /// Why they left, in the order they did.
    pub(super) gone_for: Vec<Forfeited>,
    pub(super) ending: Option<Ending>,
}

/// What the mover has drawn in this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Drawn {
    /// Not drawn yet.
    No,
    /// This card.
    Card(Card),
    /// There was no card left to draw.
    Nothing,
}

impl Jedna {
    /// Shuffles and deals for 2 to 10 players.
    pub fn deal(config: Config, players: u16, seed: Seed) -> Result<Jedna, SetupError> {
        if !SEATS.contains(&players) {
            let (fewest, most) = (SEATS.start(), SEATS.end());
            let text = format!("jedna is for {fewest} to {most} players, not {players}");
            return Err(SetupError::new(text));
        }
        if let Some(complaint) = config.complaint() {
            return Err(SetupError::new(complaint));
        }
        let mut circle: Seats = (0..players as u8).map(Seat).collect();
        seed.rng("seats").shuffle(circle.list_mut());
        let mut draw_pile = Pile::DECK;
        let mut rng = seed.rng("deck");
        // "Shuffle until the first card is neither +2 nor wild draw four."
        let first = loop {
            rng.shuffle(draw_pile.cards_mut());
            match draw_pile.top() {
                Some(card) if card.penalty() == 0 => break card,
                Some(_) | None => {}
            }
        };
        draw_pile.take(1);
        let mut hands = [Hand::EMPTY; MOST_SEATS];
        for seat in circle.list() {
            hands[seat.index()] = draw_pile.take(FIRST_HAND).iter().copied().collect();
        }
        let mut game = Jedna {
            config,
            seed,
            shuffles: 0,
            hands,
            at: circle.len() as u8 - 1,
            circle,
            direction: Direction::Clockwise,
            draw_pile,
            discard: [first].into_iter().collect(),
            top: Top { card: first, colour: first.colour() },
            war: War::None,
            stack: 0,
            drawn: Drawn::No,
            turn: 1,
            gone: Seats::EMPTY,
            gone_points: [0; MOST_SEATS],
            gone_for: Vec::new(),
            ending: None,
        };
        let steps = game.steps_after(first, Copies::One);
        game.at = game.place(steps);
        Ok(game)
    }

    /// Who must act, unless the game is over.
    #[inline]
    pub fn mover(&self) -> Option<Seat> {
        match self.ending {
            None => Some(self.circle.at(self.at)),
            Some(_) => None,
        }
    }

    /// How it ended, if it has.
    #[inline]
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The set-up.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The cards a seat holds; nothing for one who has left.
    #[inline]
    pub fn hand(&self, seat: Seat) -> &Hand {
        &self.hands[seat.index()]
    }

    /// The card on the discard pile.
    #[inline]
    pub fn top(&self) -> Top {
        self.top
    }

    /// Whether there is a war, and how many cards its loser draws.
    #[inline]
    pub fn war(&self) -> (War, u8) {
        (self.war, self.stack)
    }

    /// Number of the current turn, from 1.
    #[inline]
    pub fn turn_number(&self) -> u32 {
        self.turn
    }

    /// The different cards the mover may play now.
    #[inline]
    pub fn playable(&self) -> CardSet {
        let Some(mover) = self.mover() else { return CardSet::EMPTY };
        let held = match self.drawn {
            Drawn::No => self.hand(mover).kinds(),
            Drawn::Card(card) => CardSet::one(card),
            Drawn::Nothing => CardSet::EMPTY,
        };
        held & answers(self.config.war, self.war, self.top)
    }

    /// The different cards the mover may play two of.
    pub fn playable_pairs(&self) -> CardSet {
        match (self.mover(), self.drawn) {
            (Some(mover), Drawn::No) if self.config.double_play => {
                self.playable() & self.hand(mover).pairs()
            }
            (_, Drawn::No | Drawn::Card(_) | Drawn::Nothing) => CardSet::EMPTY,
        }
    }

    /// Whether the mover may draw a card.
    #[inline]
    pub fn may_draw(&self) -> bool {
        self.ending.is_none() && self.war == War::None && self.drawn == Drawn::No
    }

    /// Whether the mover may pass: after drawing, or in a war.
    #[inline]
    pub fn may_pass(&self) -> bool {
        self.ending.is_none() && !self.may_draw()
    }

    /// What would be accepted now: `play` if something is playable, and either `draw` or `pass`.
    pub fn available(&self) -> Vec<Verb> {
        let offers = [
            (Verb::Play, !self.playable().is_empty()),
            (Verb::Draw, self.may_draw()),
            (Verb::Pass, self.may_pass()),
        ];
        offers.into_iter().filter(|(_, offered)| *offered).map(|(verb, _)| verb).collect()
    }

    /// Lists every action of the mover. Wild cards are listed with each colour.
    pub fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        plays(self.playable(), self.playable_pairs(), &mut actions);
        actions.extend(self.may_draw().then_some(Action::Draw));
        actions.extend(self.may_pass().then_some(Action::Pass));
        actions
    }

    /// What the host does for a mover that gives no valid answer.
    #[inline]
    pub fn fallback(&self) -> Action {
        if self.may_draw() { Action::Draw } else { Action::Pass }
    }

    /// Whether the mover may do this now.
    pub fn allows(&self, action: Action) -> Result<(), Refusal> {
        let Some(mover) = self.mover() else { return Err(Refusal::Over) };
        match action {
            Action::Play { card, colour, copies } => {
                self.allows_play(mover, card, copies).and(if colour.is_some() && !card.is_wild() {
                    Err(Refusal::NeedlessColour(card))
                } else {
                    Ok(())
                })
            }
            Action::Draw if self.war != War::None => Err(Refusal::DrawInWar),
            Action::Draw if self.drawn != Drawn::No => Err(Refusal::DrawnAlready),
            Action::Pass if self.may_draw() => Err(Refusal::PassBeforeDraw),
            Action::Draw | Action::Pass => Ok(()),
        }
    }

    fn allows_play(&self, mover: Seat, card: Card, copies: Copies) -> Result<(), Refusal> {
        let held = self.hand(mover).count(card);
        if held == 0 {
            return Err(Refusal::NotInHand(card));
        }
        if self.drawn != Drawn::No && self.drawn != Drawn::Card(card) {
            return Err(Refusal::NotTheDrawn(card));
        }
        if !self.playable().contains(card) {
            return Err(match self.war {
                War::None => Refusal::NoMatch(card, self.top),
                War::Two | War::Four => Refusal::NoAnswer(card, self.war),
            });
        }
        match copies {
            Copies::One => Ok(()),
            Copies::Two if !self.config.double_play => Err(Refusal::DoubleOff),
            Copies::Two if self.drawn != Drawn::No => Err(Refusal::DoubleAfterDraw),
            Copies::Two if held < 2 => Err(Refusal::NoPair(card)),
            Copies::Two => Ok(()),
        }
    }

    /// The mover does this, which [`Jedna::allows`]. Nothing happens once the game is over.
    pub fn act(&mut self, action: Action, ears: &mut impl Ears) {
        debug_assert_eq!(self.allows(action), Ok(()), "actions are checked before");
        let Some(mover) = self.mover() else { return };
        match action {
            Action::Play { card, colour, copies } => {
                let colour = card.colour().or(colour);
                let colour = colour.unwrap_or_else(|| self.hand(mover).favourite());
                self.top = Top { card, colour: Some(colour) };
                let others = Audience::Except(mover.actor());
                ears.hear(others, || Event::Played { by: mover, card, colour, copies });
                self.lay(mover, card, copies, ears);
            }
            Action::Draw => {
                self.drawn = Drawn::Nothing;
                let cards = self.give(mover, 1, DrawReason::Choice, ears);
                if let Some(&card) = cards.first() {
                    self.drawn = Drawn::Card(card);
                }
            }
            Action::Pass => {
                if self.war == War::None {
                    ears.hear(Audience::Except(mover.actor()), || Event::Passed { by: mover });
                } else {
                    self.give(mover, self.stack, DrawReason::Stack, ears);
                    self.make_peace();
                }
                self.end_turn(1);
            }
        }
    }

    /// Moves the played cards to the discard pile and does what they say.
    fn lay(&mut self, mover: Seat, card: Card, copies: Copies, ears: &mut impl Ears) {
        let others = Audience::Except(mover.actor());
        for _ in 0..copies.count() {
            self.hands[mover.index()].remove(card);
            self.discard.push(card);
        }
        match card.figure() {
            Figure::DrawTwo => self.war = War::Two,
            Figure::WildFour => self.war = War::Four,
            Figure::Number(_) | Figure::Reverse | Figure::Skip | Figure::Wild => {}
        }
        self.stack += card.penalty() * copies.count();
        let before = self.direction;
        let steps = self.steps_after(card, copies);
        let left = self.hand(mover).len();
        if self.direction != before {
            let direction = self.direction;
            ears.hear(others, || Event::Turned { by: mover, direction });
        }
        if left == 0 {
            // "If that card was a +2/wd4, the next player draws the stack first." Of a reverse
            // that ends a game in the middle of a house war nothing is said: nobody draws.
            if card.penalty() > 0 {
                let next = self.circle.at(self.place(1));
                self.give(next, self.stack, DrawReason::Stack, ears);
            }
            self.make_peace();
            self.ending = Some(Ending::Shed(mover));
            return;
        }
        for step in 1..steps {
            let seat = self.circle.at(self.place(step));
            // Two skips among three or fewer come round to the mover.
            if seat != mover {
                ears.hear(others, || Event::Skipped { seat });
            }
        }
        if left == 1 {
            ears.hear(others, || Event::OneCardLeft { seat: mover });
        }
        self.end_turn(steps);
    }

    /// How many places further the next mover sits once `card` is played. Turns the direction.
    #[inline]
    fn steps_after(&mut self, card: Card, copies: Copies) -> u8 {
        match (card.figure(), copies) {
            (Figure::Skip, _) => 1 + copies.count(),
            // Two reverses turn the order round and back, so that nobody else is next. The
            // original program plays it so.
            (Figure::Reverse, Copies::Two) => 0,
            (Figure::Reverse, Copies::One) => {
                // "With two players a reverse is an ordinary card (the opponent moves)."
                if self.circle.len() > 2 {
                    self.direction = self.direction.reversed();
                }
                1
            }
            (Figure::Number(_) | Figure::DrawTwo | Figure::Wild | Figure::WildFour, _) => 1,
        }
    }

    /// The place in the circle that is `steps` further in the direction of play.
    #[inline]
    pub(super) fn place(&self, steps: u8) -> u8 {
        let len = self.circle.len() as u8;
        let steps = steps % len;
        let place = match self.direction {
            Direction::Clockwise => self.at + steps,
            Direction::Counterclockwise => self.at + len - steps,
        };
        if place >= len { place - len } else { place }
    }

    #[inline]
    fn end_turn(&mut self, steps: u8) {
        self.at = self.place(steps);
        self.drawn = Drawn::No;
        self.count_turn();
    }

    #[inline]
    fn count_turn(&mut self) {
        if self.turn >= self.config.max_turns {
            self.ending = Some(Ending::Cap);
        } else {
            self.turn += 1;
        }
    }

    #[inline]
    fn make_peace(&mut self) {
        self.war = War::None;
        self.stack = 0;
    }

    /// Moves up to `count` cards from the draw pile to a hand and says which.
    fn give(&mut self, to: Seat, count: u8, why: DrawReason, ears: &mut impl Ears) -> &[Card] {
        if self.draw_pile.len() < usize::from(count) && self.discard.len() > 1 {
            self.reshuffle();
            let cards = self.draw_pile.len() as u8;
            ears.hear(Audience::All, || Event::Reshuffled { cards });
        }
        let cards = self.draw_pile.take(usize::from(count));
        for &card in cards {
            self.hands[to.index()].add(card);
        }
        let count = cards.len() as u8;
        ears.hear(Audience::Except(to.actor()), || Event::Drew { by: to, count, why });
        ears.hear(Audience::Only(to.actor()), || Event::Took {
            by: to,
            cards: cards.iter().rev().copied().collect(),
        });
        cards
    }

    /// "Shuffle the discard pile except its top card back in."
    fn reshuffle(&mut self) {
        let top = self.top.card;
        self.discard.take(1);
        for &card in self.discard.cards() {
            self.draw_pile.push(card);
        }
        self.discard = [top].into_iter().collect();
        self.shuffle_draw_pile();
    }

    fn shuffle_draw_pile(&mut self) {
        // A stream of its own for each shuffle, so that the state needs only their number.
        self.shuffles += 1;
        let mut rng = self.seed.rng(&format!("shuffle {}", self.shuffles));
        rng.shuffle(self.draw_pile.cards_mut());
    }

    /// A player leaves, whether it is on move or not. Nothing happens if it has left already or
    /// the game is over.
    pub fn forfeit(&mut self, seat: Seat, why: &Forfeit, ears: &mut impl Ears) {
        let Some(mover) = self.mover() else { return };
        let Some(place) = self.circle.position(seat) else { return };
        ears.hear(Audience::All, || Event::Forfeited { seat, reason: why.to_string() });
        self.gone_points[seat.index()] = self.hand(seat).points() as u16;
        self.gone.push(seat);
        self.gone_for.push(why.of(PlayerId(seat.index() as u16)));
        self.circle.remove(place);
        // The places behind the one who left have moved up by one.
        let place = place as u8;
        if seat != mover {
            self.at -= u8::from(place < self.at);
        } else {
            let len = self.circle.len() as u8;
            self.at = match self.direction {
                Direction::Clockwise => place % len,
                Direction::Counterclockwise => (place + len - 1) % len,
            };
        }
        if self.circle.len() == 1 {
            self.ending = Some(Ending::LastLeft(self.circle.at(0)));
            return;
        }
        // "The hand is shuffled back into the draw pile, the others play on."
        let hand = std::mem::take(&mut self.hands[seat.index()]);
        hand.iter().for_each(|card| self.draw_pile.push(card));
        self.shuffle_draw_pile();
        if seat == mover {
            // The stack it owed would have come back with its hand: nobody else draws it.
            self.make_peace();
            self.drawn = Drawn::No;
            self.count_turn();
        }
    }

    /// Everybody who was dealt in.
    pub fn players(&self) -> usize {
        self.circle.len() + self.gone.len()
    }

    /// Those still playing, in the order they sit, clockwise.
    pub fn circle(&self) -> &[Seat] {
        self.circle.list()
    }

    /// The law of conservation: piles and hands together are the deck, and the top card is
    /// the last of the discard pile.
    pub fn conserves_cards(&self) -> bool {
        let piles = self.draw_pile.cards().iter().chain(self.discard.cards()).copied();
        let mut counts = [0; KINDS];
        for card in piles.chain(self.hands.iter().flat_map(Hand::iter)) {
            counts[card.number()] += 1;
        }
        counts.iter().sum::<u32>() as usize == DECK
            && Card::all().all(|card| counts[card.number()] == card.copies())
            && self.discard.top() == Some(self.top.card)
    }
}
