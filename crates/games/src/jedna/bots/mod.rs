//! Simple built-in bots, and all of them by name.

pub(super) mod counter;

use game::{Bot, Budget, Rng, Seed};

use self::counter::Counter;
use crate::jedna::cards::Colour;
use crate::jedna::hand::{CardSet, Hand};
use crate::jedna::rules::{Action, Verb};
use crate::jedna::state::Jedna;
use crate::jedna::view::View;

/// The built-in bot with this name. Bots of the same seed play the same.
pub fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Jedna>>> {
    match name {
        "random" => Some(Box::new(Random::new(seed))),
        "simple" => Some(Box::new(Simple)),
        "counter" => Some(Box::new(Counter::new(seed))),
        _ => None,
    }
}

/// Plays any legal action.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// A bot whose choices come from `seed`.
    pub fn new(seed: Seed) -> Random {
        Random { rng: seed.rng("random bot") }
    }
}

impl Bot<Jedna> for Random {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Action {
        // A mover always has an action: it may draw, or else pass.
        self.rng.pick(&view.actions()).copied().unwrap_or(Action::Pass)
    }
}

/// Plays as the example agent of the protocol's document: the first playable card, the most
/// frequent colour.
#[derive(Clone, Copy, Debug)]
pub struct Simple;

impl Simple {
    /// The choice for these cards; `None` if nothing is playable. Needs no view, for fast games.
    #[inline]
    pub fn play(hand: &Hand, playable: CardSet) -> Option<Action> {
        let card = playable.first()?;
        Some(if card.is_wild() {
            Action::wild(card, Simple::colour(hand))
        } else {
            Action::play(card)
        })
    }

    /// The most frequent colour. The document's agents take the first they meet in the hand where
    /// several are equal, and hands are sorted by code.
    #[inline]
    fn colour(hand: &Hand) -> Colour {
        let mut best = (Colour::Red, 0);
        for colour in [Colour::Blue, Colour::Green, Colour::Red, Colour::Yellow] {
            let count = hand.of_colour(colour);
            if count > best.1 {
                best = (colour, count);
            }
        }
        best.0
    }

    /// The choice for the mover of a game.
    #[inline]
    pub fn choose(game: &Jedna) -> Action {
        game.mover()
            .and_then(|mover| Simple::play(game.hand(mover), game.playable()))
            .unwrap_or_else(|| game.fallback())
    }
}

impl Bot<Jedna> for Simple {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Action {
        let Some(own) = &view.own else { return Action::Pass };
        let play = Simple::play(&own.hand, own.playable.kinds());
        play.unwrap_or(if own.available.contains(&Verb::Draw) {
            Action::Draw
        } else {
            Action::Pass
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jedna::tests::cards;

    #[test]
    fn simple_plays_the_first_playable_card_and_names_its_commonest_colour() {
        for (hand, playable, expected) in [
            ("b1 r1", "r1", "r1"),
            ("b1 r1 wd", "b1 wd", "b1"),
            ("wd y1 y2 b1", "wd y1", "wd yellow"),
            ("wd4 r1 b1", "wd4", "wd4 blue"),
            ("wd wd4", "wd wd4", "wd red"),
        ] {
            let hand: Hand = cards(hand).into_iter().collect();
            let playable: Hand = cards(playable).into_iter().collect();
            let text = match Simple::play(&hand, playable.kinds()) {
                Some(Action::Play { card, colour: Some(colour), .. }) => format!("{card} {colour}"),
                Some(Action::Play { card, .. }) => card.to_string(),
                Some(Action::Draw | Action::Pass) | None => "nothing".to_owned(),
            };
            assert_eq!(text, expected);
        }
        assert_eq!(Simple::play(&Hand::EMPTY, CardSet::EMPTY), None);
    }

    #[test]
    fn every_listed_bot_exists() {
        for listed in <Jedna as table::Hosted>::card().bots {
            assert!(bot(listed.name, Seed(1)).is_some(), "{}", listed.name);
        }
        assert!(bot("nobody", Seed(1)).is_none());
    }
}
