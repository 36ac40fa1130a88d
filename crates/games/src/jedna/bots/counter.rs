//! A strong bot: it counts cards, guesses hands and plays games to their end in its head.

use std::cmp::Reverse;
use std::time::Duration;

use game::{Bot, Budget, Seed};

use crate::jedna::cards::{Card, Colour};
use crate::jedna::ending::Ending;
use crate::jedna::event::{Deaf, DrawReason, Event};
use crate::jedna::hand::{CardSet, DECK, Hand, Pile};
use crate::jedna::rules::{Action, Config, Top, War, answers};
use crate::jedna::seats::{Direction, MOST_SEATS, Seat, Seats};
use crate::jedna::state::{Drawn, Jedna};
use crate::jedna::view::View;

/// Games played in the head for one answer. This bounds the thinking, so that equal games are
/// played equally on every machine; time only ends it early.
const PLAYOUTS: usize = 2_000;
/// The longest it thinks about one answer, where the host measures time.
const MOST_TIME: Duration = Duration::from_millis(20);
/// Games in the head that last longer than this many turns count as drawn.
const PLAYOUT_TURNS: u32 = 150;
/// One guess in this many ignores what players seemed to lack: not everybody plays what it can.
const OPEN_MIND: u32 = 6;

/// Monte-Carlo search over guesses of the hidden cards.
///
/// A guess deals the cards it has not seen to the others and the draw pile. Each of its own
/// actions is tried on the same guesses, the worse half is dropped again and again, and
/// the action that won most is played.
#[derive(Clone, Debug)]
pub struct Counter {
    dice: Dice,
    playouts: usize,
    /// What is known of each seat's cards, one entry per card.
    cards: [Vec<Unknown>; MOST_SEATS],
    /// The table as it was last known.
    table: Option<(Config, Top, War)>,
}

/// A card in somebody's hand: not one of these, for its owner could have played them.
#[derive(Clone, Copy, Debug, Default)]
struct Unknown {
    not: CardSet,
}

impl Counter {
    /// A bot whose guesses come from `seed`.
    pub fn new(seed: Seed) -> Counter {
        Counter::with_playouts(seed, PLAYOUTS)
    }

    /// A bot that thinks this much: the number of games in its head for one answer.
    pub fn with_playouts(seed: Seed, playouts: usize) -> Counter {
        Counter {
            dice: Dice(seed.rng("counter bot").next_u64() | 1),
            playouts,
            cards: Default::default(),
            table: None,
        }
    }

    /// Everything that could have been played just now was not: `seat` does not hold it.
    fn lacks(&mut self, seat: Seat) {
        if let Some((rules, top, war)) = self.table {
            let could = answers(rules.war, war, top);
            self.cards[seat.index()].iter_mut().for_each(|card| card.not |= could);
        }
    }

    fn played(&mut self, seat: Seat, card: Card) {
        let cards = &mut self.cards[seat.index()];
        // The newest first: who has just drawn plays the drawn card.
        let place = cards.iter().rposition(|unknown| !unknown.not.contains(card));
        if let Some(place) = place.or(cards.len().checked_sub(1)) {
            cards.remove(place);
        }
    }

    /// Brings what was gathered from events into line with what is seen.
    fn look(&mut self, view: &View) {
        self.table = Some((view.rules, view.top, view.war));
        for other in &view.others {
            let cards = &mut self.cards[other.seat.index()];
            cards.resize(usize::from(other.cards), Unknown::default());
        }
    }

    /// The table after its own action, about which no event comes.
    fn remember(&mut self, view: &View, action: Action) {
        let Some((_, top, war)) = &mut self.table else { return };
        match action {
            Action::Play { card, colour, .. } => {
                *top = Top { card, colour: card.colour().or(colour) };
                *war = war_after(*war, card);
            }
            Action::Pass if view.war != War::None => *war = War::None,
            Action::Pass | Action::Draw => {}
        }
    }

    /// Tries the candidates on guess after guess and returns the best.
    fn search(&mut self, view: &View, mut open: Vec<Action>, budget: &dyn Budget) -> Action {
        let Some(guess) = Guess::new(view) else { return Action::Pass };
        let patience = Patience::new(budget);
        // As many rounds as it takes to halve the field down to one, all of the same length.
        let rounds = usize::BITS - (open.len() - 1).leading_zeros();
        let each = self.playouts / rounds.max(1) as usize;
        let mut wins = vec![0.0_f64; open.len()];
        while open.len() > 1 {
            for _ in 0..(each / open.len()).max(1) {
                let start = guess.deal(&self.cards, &mut self.dice);
                for (action, wins) in open.iter().zip(&mut wins) {
                    *wins += playout(start.clone(), *action, guess.own);
                }
                if patience.is_over() {
                    return best(&open, &wins)[0].0;
                }
            }
            let ranked = best(&open, &wins);
            let keep = ranked.len().div_ceil(2);
            open = ranked[..keep].iter().map(|(action, _)| *action).collect();
            wins = ranked[..keep].iter().map(|(_, wins)| *wins).collect();
        }
        open[0]
    }
}

/// The actions by wins, most first; equal ones stay in order.
fn best(open: &[Action], wins: &[f64]) -> Vec<(Action, f64)> {
    let mut ranked: Vec<(Action, f64)> = open.iter().copied().zip(wins.iter().copied()).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}

impl Bot<Jedna> for Counter {
    fn notice(&mut self, event: &Event) {
        match event {
            Event::Played { by, card, colour, copies } => {
                for _ in 0..copies.count() {
                    self.played(*by, *card);
                }
                if let Some((_, top, war)) = &mut self.table {
                    *top = Top { card: *card, colour: Some(*colour) };
                    *war = war_after(*war, *card);
                }
            }
            Event::Drew { by, count, why } => {
                self.lacks(*by);
                let cards = &mut self.cards[by.index()];
                cards.resize(cards.len() + usize::from(*count), Unknown::default());
                if let (DrawReason::Stack, Some((_, _, war))) = (why, &mut self.table) {
                    *war = War::None;
                }
            }
            Event::Passed { by } => self.lacks(*by),
            Event::Forfeited { seat, .. } => self.cards[seat.index()].clear(),
            Event::Took { .. }
            | Event::OneCardLeft { .. }
            | Event::Turned { .. }
            | Event::Skipped { .. }
            | Event::Reshuffled { .. } => {}
        }
    }

    fn act(&mut self, view: &View, budget: &dyn Budget) -> Action {
        self.look(view);
        let open = sensible(view);
        let action = match open[..] {
            [] => Action::Pass,
            [only] => only,
            [_, ..] => self.search(view, open, budget),
        };
        self.remember(view, action);
        action
    }
}

fn war_after(war: War, card: Card) -> War {
    match card.penalty() {
        0 => war,
        2 => War::Two,
        _ => War::Four,
    }
}

/// Whether the game in this bot's head allows everything that is offered to it.
pub(in crate::jedna) fn allows_what_is_offered(view: &View) -> bool {
    let game = Guess::new(view).map(|guess| guess.base);
    game.is_some_and(|game| view.actions().iter().all(|action| game.allows(*action).is_ok()))
}

/// The part of every guess that is certain.
struct Guess {
    own: Seat,
    seats: Vec<Seat>,
    unseen: Vec<Card>,
    base: Jedna,
}

impl Guess {
    fn new(view: &View) -> Option<Guess> {
        let own = view.own.as_ref()?;
        let seats: Vec<Seat> = view.others.iter().map(|other| other.seat).collect();
        let mut hands = [Hand::EMPTY; MOST_SEATS];
        hands[own.seat.index()] = own.hand;
        let max_turns = view.rules.max_turns.min(view.turn + PLAYOUT_TURNS);
        let base = Jedna {
            config: Config { max_turns, ..view.rules },
            seed: Seed(0),
            shuffles: 0,
            hands,
            // Turn order from the own seat on is the same game as the real circle.
            circle: std::iter::once(own.seat).chain(seats.iter().copied()).collect(),
            at: 0,
            direction: Direction::Clockwise,
            draw_pile: Pile::EMPTY,
            discard: in_order(&view.discard, view.top.card),
            top: view.top,
            war: view.war,
            stack: view.stack,
            drawn: match (view.already_picked, own.picked) {
                (false, _) => Drawn::No,
                (true, Some(card)) => Drawn::Card(card),
                (true, None) => Drawn::Nothing,
            },
            turn: view.turn,
            gone: Seats::EMPTY,
            gone_points: [0; MOST_SEATS],
            gone_for: Vec::new(),
            ending: None,
        };
        let unseen = Hand::DECK.without(&own.hand).without(&view.discard).iter().collect();
        Some(Guess { own: own.seat, seats, unseen, base })
    }

    /// Deals the unseen cards to the others and the draw pile.
    fn deal(&self, known: &[Vec<Unknown>; MOST_SEATS], dice: &mut Dice) -> Jedna {
        let mut game = self.base.clone();
        let mut cards = [Card::WILD; DECK];
        let mut left = self.unseen.len();
        cards[..left].copy_from_slice(&self.unseen);
        let open = dice.below(OPEN_MIND) == 0;
        for seat in &self.seats {
            for unknown in &known[seat.index()] {
                let mut place = dice.index(left);
                let mut tries = if open { 0 } else { 12 };
                while tries > 0 && unknown.not.contains(cards[place]) {
                    place = dice.index(left);
                    tries -= 1;
                }
                game.hands[seat.index()].add(cards[place]);
                left -= 1;
                cards[place] = cards[left];
            }
        }
        for last in (1..left).rev() {
            cards.swap(last, dice.index(last + 1));
        }
        game.draw_pile = cards[..left].iter().copied().collect();
        game.seed = Seed(dice.next());
        game
    }
}

/// The discard pile in some order, with the top card on top.
fn in_order(discard: &Hand, top: Card) -> Pile {
    let mut rest = *discard;
    rest.remove(top);
    rest.iter().chain(std::iter::once(top)).collect()
}

/// Plays one game to its end and says what it was worth: 1 for a win, 0 for a defeat, and a little
/// more or less by the cards that were left, which tells near misses from others.
fn playout(mut game: Jedna, first: Action, own: Seat) -> f64 {
    game.act(first, &mut Deaf);
    loop {
        match game.ending() {
            None => game.act(likely(&game), &mut Deaf),
            Some(Ending::Shed(seat)) if seat == own => {
                let left: u32 = game.circle().iter().map(|seat| game.hand(*seat).len()).sum();
                return 1.0 + 0.02 * f64::from(left.min(10));
            }
            Some(Ending::Shed(_)) => return -0.02 * f64::from(game.hand(own).len().min(10)),
            Some(Ending::LastLeft(_) | Ending::Cap) => return 0.5,
        }
    }
}

/// What a sensible player would do: play if possible, first the card that the fewest others of
/// its hand could follow, and keep wild cards.
#[inline]
fn likely(game: &Jedna) -> Action {
    let playable = game.playable();
    let (Some(first), Some(mover)) = (playable.first(), game.mover()) else {
        return game.fallback();
    };
    let hand = game.hand(mover);
    let coloured = playable & !CardSet::WILDS;
    if coloured.is_empty() {
        return Action::wild(first, hand.favourite());
    }
    let mut loneliest = (first, u32::MAX);
    for card in coloured.iter() {
        let followers = Top { card, colour: card.colour() }.followers();
        let company = (hand.kinds() & followers).len() + (hand.pairs() & followers).len();
        if company < loneliest.1 {
            loneliest = (card, company);
        }
    }
    Action::play(loneliest.0)
}

/// The actions worth a thought: no draw while a coloured card can be played, and only the two
/// commonest colours of the hand for a wild card.
fn sensible(view: &View) -> Vec<Action> {
    let mut open = view.actions();
    let Some(own) = &view.own else { return open };
    let coloured = !(own.playable.kinds() & !CardSet::WILDS).is_empty();
    let mut colours = Colour::ALL;
    colours.sort_by_key(|colour| Reverse(own.hand.of_colour(*colour)));
    open.retain(|action| match action {
        Action::Play { colour: Some(colour), .. } => colours[..2].contains(colour),
        Action::Play { colour: None, .. } | Action::Pass => true,
        Action::Draw => !coloured,
    });
    open
}

/// Fast chance for playouts; what really happens in a game never comes from here.
#[derive(Clone, Copy, Debug)]
struct Dice(u64);

impl Dice {
    #[inline]
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    #[inline]
    fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    #[inline]
    fn index(&mut self, len: usize) -> usize {
        self.below(len as u32) as usize
    }
}

/// How long it may go on thinking.
struct Patience<'a> {
    budget: &'a dyn Budget,
    /// Stop when no more than this is left.
    reserve: Option<Duration>,
}

impl Patience<'_> {
    fn new(budget: &dyn Budget) -> Patience<'_> {
        // Never more than half of what there is: the answer still has to be delivered.
        let reserve = budget.left().map(|left| left - (left / 2).min(MOST_TIME));
        Patience { budget, reserve }
    }

    fn is_over(&self) -> bool {
        self.budget.stopped()
            || matches!((self.budget.left(), self.reserve), (Some(left), Some(keep)) if left <= keep)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use game::{Eye, Game, Moves, Turn};
    use testkit::LookBudget;

    use super::*;
    use crate::jedna::bots::Simple;
    use crate::jedna::{View, WarRules};

    struct Unlimited;

    impl Budget for Unlimited {
        fn left(&self) -> Option<Duration> {
            None
        }
        fn stopped(&self) -> bool {
            false
        }
    }

    /// Lets the bots play a game to its end; every action must be legal.
    pub(crate) fn finish(game: &mut Jedna, bots: &mut [Box<dyn Bot<Jedna>>]) {
        let mut told = Vec::new();
        while let Turn::One(actor) = game.turn() {
            let view: View = game.view(Eye::Actor(actor));
            let action = bots[actor.0 as usize].act(&view, &Unlimited);
            assert_eq!(game.check(actor, &action), Ok(()));
            told.clear();
            game.step(&Moves::one(actor, action), &mut told);
            for told in &told {
                for seat in game.circle() {
                    if told.to.includes(seat.actor()) {
                        bots[seat.index()].notice(&told.event);
                    }
                }
            }
        }
    }

    #[test]
    fn counter_beats_simple_from_either_seat() {
        // At a tenth of its usual strength, to be quick; the seeds are fixed, so that chance has
        // no say. At full strength it wins about two games in three.
        for war in [WarRules::Seed, WarRules::House] {
            let config = Config { war, ..Config::default() };
            let mut wins = 0;
            for index in 0..200_u64 {
                let seat = (index % 2) as usize;
                let mut bots: Vec<Box<dyn Bot<Jedna>>> = vec![Box::new(Simple), Box::new(Simple)];
                bots[seat] = Box::new(Counter::with_playouts(Seed(index), 200));
                let mut game = Jedna::deal(config, 2, Seed(index / 2)).expect("valid");
                finish(&mut game, &mut bots);
                wins += u32::from(game.outcome().and_then(|end| end.winner()) == Some(seat));
            }
            assert!(wins > 110, "{wins} of 200 under {war:?}");
        }
    }

    #[test]
    fn guesses_are_whole_decks_that_agree_with_the_view() {
        for index in 0..200 {
            let mut game =
                Jedna::deal(Config::default(), 2 + index % 9, Seed(index.into())).expect("valid");
            let mut dice = Dice(u64::from(index) + 1);
            for _ in 0..40 {
                let Some(mover) = game.mover() else { break };
                let view = game.view(Eye::Actor(mover.actor()));
                let mut bot = Counter::new(Seed(1));
                bot.look(&view);
                let guess = Guess::new(&view).expect("the mover plays").deal(&bot.cards, &mut dice);
                assert!(guess.conserves_cards());
                let mut seen = guess.view(Eye::Actor(mover.actor()));
                // Guesses sit round the table clockwise and do not last as long.
                seen.direction = view.direction;
                seen.rules = view.rules;
                seen.gone = view.gone.clone();
                assert_eq!(seen, view);
                game.act(Simple::choose(&game), &mut Deaf);
            }
        }
    }

    #[test]
    fn a_short_budget_ends_the_thinking() {
        let game = Jedna::deal(Config::default(), 4, Seed(9)).expect("valid");
        let mover = game.mover().expect("it has just begun").actor();
        let looks = LookBudget::new(8);
        let action = Counter::new(Seed(1)).act(&game.view(Eye::Actor(mover)), &looks);
        assert_eq!(game.check(mover, &action), Ok(()));
        // It never uses more than half of the time.
        assert!(looks.looks_left() >= 3, "{} left", looks.looks_left());
    }

    #[test]
    fn equal_seeds_think_equally() {
        let game = Jedna::deal(Config::default(), 3, Seed(4)).expect("valid");
        let view = game.view(Eye::Actor(game.mover().expect("it has just begun").actor()));
        let think = || Counter::new(Seed(5)).act(&view, &Unlimited);
        assert_eq!(think(), think());
    }
}
