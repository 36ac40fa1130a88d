//! What a person at the card table is shown and offered.

use table::desk::{Desk, DeskView, Offer, OwnViews};
use table::scene::{Key, Mark, Scene, Shape, ShapeForm};

use super::cards::{Card, Colour};
use super::rules::{Action, Copies, Refusal, Verb, War, WarRules};
use super::scene::{card_key, scene_of, words};
use super::state::Jedna;
use super::view::{Own, View};

/// After the code of a card: two of them at once.
const TWICE: &str = "x2";

pub(super) fn desk(own: &OwnViews<'_, Jedna>, picks: &[String]) -> Desk<Action> {
    let seen = own.views.first();
    let view = seen.map_or(own.public, |(_, view)| view);
    let mut scene = scene_of(view, own.player, own.players);
    let rules = rules(view);
    let (Some((actor, _)), Some(hand)) = (seen, &view.own) else {
        let prompt = "you are out of the game".to_owned();
        return Desk { view: DeskView { scene, rules, prompt, offers: Vec::new() }, answers: None };
    };
    let chosen = Chosen::of(view, picks);
    if let Chosen::Colour(card) = chosen {
        for shape in cards_of(&mut scene, hand, card) {
            shape.mark = Some(Mark::Held);
        }
    }
    let prompt = prompt(view, hand, &chosen);
    let offers = match chosen {
        Chosen::Nothing => offers(view, hand, &mut scene),
        Chosen::Colour(card) => colours(card),
        Chosen::All(_) => Vec::new(),
    };
    let answers = match chosen {
        Chosen::All(action) => Some(vec![(*actor, action)]),
        Chosen::Nothing | Chosen::Colour(_) => None,
    };
    Desk { view: DeskView { scene, rules, prompt, offers }, answers }
}

/// How much has been picked.
#[derive(Clone, Copy)]
enum Chosen {
    Nothing,
    /// A wild card, and its colour is missing.
    Colour(Card),
    All(Action),
}

impl Chosen {
    fn of(view: &View, picks: &[String]) -> Chosen {
        let Some(first) = picks.first() else { return Chosen::Nothing };
        match first.as_str() {
            "draw" => return Chosen::All(Action::Draw),
            "pass" => return Chosen::All(Action::Pass),
            _ => {}
        }
        let (code, copies) = match first.strip_suffix(TWICE) {
            Some(code) => (code, Copies::Two),
            None => (first.as_str(), Copies::One),
        };
        let wild = view.rules.wild_code;
        let Some(card) = Card::all().find(|card| card.code(wild) == code) else {
            return Chosen::Nothing;
        };
        let colour = picks.get(1).and_then(|name| Colour::from_name(name));
        match (card.is_wild(), colour) {
            (true, None) => Chosen::Colour(card),
            (true, Some(_)) => Chosen::All(Action::Play { card, colour, copies }),
            (false, _) => Chosen::All(Action::Play { card, colour: None, copies }),
        }
    }
}

fn prompt(view: &View, own: &Own, chosen: &Chosen) -> String {
    match (chosen, view.war, view.mover == Some(own.seat)) {
        (Chosen::Colour(card), ..) => format!("{}: which colour is to follow?", words(*card)),
        (_, _, false) => "it is the turn of another".to_owned(),
        (_, War::Two | War::Four, true) => {
            format!("answer with a card that fits the war, or pass and take {} cards", view.stack)
        }
        (_, War::None, true) if view.already_picked => match own.playable.is_empty() {
            true => "what you drew does not fit: pass".to_owned(),
            false => "play the card that you drew, or pass".to_owned(),
        },
        (_, War::None, true) => {
            let top = words(view.top.card);
            let colour = match view.top.colour.filter(|_| view.top.card.is_wild()) {
                Some(colour) => format!(" for {colour}"),
                None => String::new(),
            };
            format!("play a card that fits {top}{colour}, or draw one")
        }
    }
}

/// The shapes of a card in the hand, with its twins.
fn cards_of<'s>(
    scene: &'s mut Scene,
    own: &Own,
    card: Card,
) -> impl Iterator<Item = &'s mut Shape> {
    let keys: Vec<Key> =
        (0..own.hand.count(card)).map(|copy| card_key(own.seat, card, copy)).collect();
    scene.shapes.iter_mut().filter(move |shape| keys.contains(&shape.key))
}

fn offers(view: &View, own: &Own, scene: &mut Scene) -> Vec<Offer> {
    let wild = view.rules.wild_code;
    let kinds: Vec<Card> = own.hand.kinds().iter().collect();
    // Each card covers the one to its left.
    let lefts: Vec<i32> = kinds
        .iter()
        .map(|card| cards_of(scene, own, *card).map(|shape| left(shape)).min().unwrap_or(0))
        .collect();
    let mut offers = Vec::new();
    for (number, card) in kinds.iter().enumerate() {
        let Some(last) = cards_of(scene, own, *card).last() else { continue };
        let ShapeForm::Card(high) = last.form else { continue };
        let right = lefts.get(number + 1).copied().unwrap_or(left(last) + 2 * high / 3);
        let (from, y) = (lefts[number], last.at[1]);
        let offer = Offer::new(card.code(wild), format!("play {}", words(*card)));
        let offer = offer.place([(from + right) / 2, y], [right - from, high]);
        offers.push(match own.playable.count(*card) {
            0 => offer.barred(refusal(view, own, *card).text(wild)),
            _ => offer,
        });
    }
    for card in view.playable_pairs().iter() {
        let pick = format!("{}{TWICE}", card.code(wild));
        offers.push(Offer::new(pick, format!("play {} twice", words(card))));
    }
    for verb in &own.available {
        match verb {
            Verb::Play => {}
            Verb::Draw => {
                let offer = Offer::new("draw", "draw a card").key("d");
                let pile = scene.shapes.iter().find(|shape| shape.key == Key::from("pile"));
                offers.push(match pile.map(|pile| (pile.at, &pile.form)) {
                    Some((at, ShapeForm::Back(high))) => offer.place(at, [2 * high / 3, *high]),
                    Some(_) | None => offer,
                });
            }
            Verb::Pass => offers.push(Offer::new("pass", "pass").key("p")),
        }
    }
    offers
}

fn left(shape: &Shape) -> i32 {
    match shape.form {
        ShapeForm::Card(high) => shape.at[0] - high / 3,
        _ => shape.at[0],
    }
}

/// Why a card of the hand cannot be played.
fn refusal(view: &View, own: &Own, card: Card) -> Refusal {
    match (view.already_picked && own.picked != Some(card), view.war) {
        (true, _) => Refusal::NotTheDrawn(card),
        (false, War::None) => Refusal::NoMatch(card, view.top),
        (false, War::Two | War::Four) => Refusal::NoAnswer(card, view.war),
    }
}

fn colours(card: Card) -> Vec<Offer> {
    let key = |colour: Colour| match colour {
        Colour::Red => "r",
        Colour::Blue => "b",
        Colour::Green => "g",
        Colour::Yellow => "y",
    };
    let offer = |colour: Colour| {
        Offer::new(colour.name(), format!("{} for {colour}", words(card))).key(key(colour))
    };
    Colour::ALL.map(offer).into()
}

fn rules(view: &View) -> [String; 3] {
    let war = match view.rules.war {
        WarRules::Seed => "the same card",
        WarRules::House => "such a card or a reverse",
    };
    [
        "Play a card of the same colour or figure as the top card. A wild card always fits, and you name the colour."
            .to_owned(),
        format!(
            "After +2 or +4 the next player answers with {war}, or passes and takes all those cards. ⊘ skips the next player, ⇄ changes the direction."
        ),
        "If nothing fits, draw a card, then play it or pass. The first player without cards wins.".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use game::{Game as _, PlayerId, Seed};
    use table::desk::{Advice, views};

    use super::super::event::Deaf;
    use super::super::rules::Config;
    use super::*;

    fn desk_of(game: &Jedna, picks: &[&str]) -> Desk<Action> {
        let actor = game.mover().expect("it goes on").actor();
        let player = PlayerId(actor.0 as u16);
        let (views, public) = views(game, player);
        let picks: Vec<String> = picks.iter().map(|pick| (*pick).to_owned()).collect();
        let due = [actor];
        desk(&OwnViews { player, players: 2, views: &views, due: &due, public: &public }, &picks)
    }

    /// A game in which the mover has a wild card to play.
    fn with_a_wild_card() -> Jedna {
        for seed in 0.. {
            let mut game = Jedna::deal(Config::default(), 2, Seed(seed)).expect("a sound set-up");
            for _ in 0..40 {
                let Some(mover) = game.mover() else { break };
                let view = game.view(game::Eye::Actor(mover.actor()));
                if view.own.is_some_and(|own| own.playable.count(Card::WILD) > 0) {
                    return game;
                }
                let action = game.actions()[0];
                game.act(action, &mut Deaf);
            }
        }
        unreachable!("there are many seeds")
    }

    #[test]
    fn a_wild_card_asks_for_its_colour() {
        let game = with_a_wild_card();
        let first = desk_of(&game, &["wd"]);
        assert_eq!(first.answers, None);
        let names: Vec<&str> = first.view.offers.iter().map(|one| one.pick.as_str()).collect();
        assert_eq!(names, ["red", "blue", "green", "yellow"]);
        let all = desk_of(&game, &["wd", "green"]).answers.expect("it is complete");
        assert_eq!(all[0].1, Action::wild(Card::WILD, Colour::Green));
    }

    #[test]
    fn cards_that_do_not_fit_say_why_and_those_that_do_lie_side_by_side() {
        let game = Jedna::deal(Config::default(), 2, Seed(1)).expect("a sound set-up");
        let desk = desk_of(&game, &[]);
        let mut right = 0;
        for offer in desk.view.offers.iter().filter(|offer| offer.label.starts_with("play")) {
            let place = offer.place.expect("a card has a place");
            assert!(place.at[0] - place.size[0] / 2 >= right - 1, "{offer:?}");
            right = place.at[0] + place.size[0] / 2;
            if let Advice::Barred(why) = &offer.advice {
                assert!(why.starts_with(&format!("{} does not match", offer.pick)), "{why}");
            }
        }
        assert!(right > 0);
    }
}
