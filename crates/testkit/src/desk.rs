//! Desks of every game: whatever is offered can be picked and ends in something that the rules accept, and nothing
//! hidden is on them.

use std::collections::HashSet;

use game::{ActorId, PlayerId, Rng, Turn};
use table::desk::{Answer, AnyDesk, Desk, DeskView, Offer, OwnViews, Picked, views};
use table::{AnyGame as _, Erased, Hosted};

use crate::scene::is_sound;

/// No answer takes more picks than this, if they are picked at random.
const MOST_PICKS: usize = 2000;

/// Picks that nobody offers.
const NONSENSE: [&str; 9] = ["", " ", "go", "0", "999,999", "-1,4294967296", "swap", "§", "wdx2"];

/// The player's desk after these picks.
fn desk<G: Hosted>(game: &G, player: PlayerId, players: u16, picks: &[String]) -> Desk<G::Action> {
    let (views, public) = views(game, player);
    let due = due(game, player);
    let own = OwnViews { player, players, views: &views, due: &due, public: &public };
    G::desk(&own, picks).expect("people can play every game")
}

/// The player's actors that have to act.
fn due<G: Hosted>(game: &G, player: PlayerId) -> Vec<ActorId> {
    let on_turn = match game.turn() {
        Turn::One(actor) => vec![actor],
        Turn::All(actors) => actors,
        Turn::Over(_) => Vec::new(),
    };
    let mut roles = Vec::new();
    game.cast(&mut roles);
    let own = roles.iter().filter(|role| role.player == player).map(|role| role.actor);
    own.filter(|actor| on_turn.contains(actor)).collect()
}

/// The desks of all players in a state, with one random answer of each who has to act.
pub(crate) fn desks_are_sound<G: Hosted>(game: &G, players: u16, rng: &mut Rng) {
    for player in (0..players).map(PlayerId) {
        let first = desk(game, player, players, &[]);
        shown::<G>(&first.view);
        for nonsense in NONSENSE {
            desk(game, player, players, &[nonsense.to_owned(), nonsense.to_owned()]);
        }
        if !due(game, player).is_empty() {
            bars_only_what_is_refused(game, player, players, &first.view.offers);
            answers_somehow(game, player, players, rng);
        }
    }
}

/// Random picks make an answer for every actor due that the rules accept.
fn answers_somehow<G: Hosted>(game: &G, player: PlayerId, players: u16, rng: &mut Rng) {
    let mut picks: Vec<String> = Vec::new();
    while picks.len() < MOST_PICKS {
        let Desk { view, answers } = desk(game, player, players, &picks);
        shown::<G>(&view);
        if let Some(answers) = answers {
            assert!(view.offers.is_empty(), "nothing is offered after {picks:?}");
            let actors: Vec<ActorId> = answers.iter().map(|(actor, _)| *actor).collect();
            assert_eq!(actors, due(game, player), "{picks:?} is an answer of everybody due");
            for (actor, action) in &answers {
                assert_eq!(game.check(*actor, action), Ok(()), "{action:?} after {picks:?}");
            }
            return;
        }
        let open: Vec<&Offer> = view.offers.iter().filter(|offer| offer.is_open()).collect();
        let offer = rng.pick(&open).unwrap_or_else(|| panic!("nothing is offered after {picks:?}"));
        picks.push(offer.pick.clone());
    }
    panic!("{player} has picked for ever: {:?}", &picks[..20]);
}

/// What is barred is never accepted, and what is not never refused.
fn bars_only_what_is_refused<G: Hosted>(
    game: &G,
    player: PlayerId,
    players: u16,
    offers: &[Offer],
) {
    for offer in offers {
        let picked = desk(game, player, players, std::slice::from_ref(&offer.pick));
        let Some(answers) = picked.answers else { continue };
        let refused = answers.iter().any(|(actor, action)| game.check(*actor, action).is_err());
        assert_eq!(refused, !offer.is_open(), "{offer:?}");
    }
}

/// Picks and keys are unique, everything has words, and places lie in the scene.
fn shown<G: Hosted>(view: &DeskView) {
    is_sound(&view.scene, G::sprites());
    assert!(!view.prompt.is_empty() && view.rules.iter().all(|line| !line.is_empty()));
    let (mut picks, mut keys) = (HashSet::new(), HashSet::new());
    let [width, height] = view.scene.size;
    for offer in &view.offers {
        assert!(picks.insert(&offer.pick), "{:?} is offered twice", offer.pick);
        let blank = offer.pick.is_empty() || offer.pick.contains(char::is_whitespace);
        assert!(!blank && !offer.label.is_empty(), "{offer:?}");
        assert!(offer.key.is_none_or(|key| keys.insert(key)), "{:?} is there twice", offer.key);
        if let Some(place) = offer.place {
            let ([x, y], [wide, high]) = (place.at, place.size);
            let inside = x >= wide / 2 && y >= high / 2 && x + wide / 2 <= width;
            assert!(inside && y + high / 2 <= height && wide > 0 && high > 0, "{offer:?}");
        }
    }
}

/// The desks of two states that look the same to a player are the same.
pub(crate) fn hides_it_too<G: Hosted>(game: &G, disguised: &G, player: PlayerId, players: u16) {
    let (real, other) = (desk(game, player, players, &[]), desk(disguised, player, players, &[]));
    assert_eq!(real, other, "the desk of {player} shows what is hidden");
    for pick in real.view.offers.iter().take(4).map(|offer| &offer.pick) {
        let after = |game| desk(game, player, players, std::slice::from_ref(pick));
        assert_eq!(after(game), after(disguised), "{pick} shows what is hidden from {player}");
    }
}

/// An answer of a person who picks at random.
pub(crate) fn answer(mut desk: Box<dyn AnyDesk>, rng: &mut Rng) -> Answer {
    loop {
        let offers = desk.view().offers.iter();
        if let Some(barred) = offers.clone().find(|offer| !offer.is_open()) {
            let pick = barred.pick.clone();
            assert!(desk.pick(&pick).is_err(), "{pick} is barred");
        }
        let open: Vec<&Offer> = desk.view().offers.iter().filter(|offer| offer.is_open()).collect();
        let pick = rng.pick(&open).expect("something is offered").pick.clone();
        match desk.pick(&pick).expect("it is offered") {
            Picked::More => {}
            Picked::Answer(answer) => return answer,
        }
    }
}

/// The catalogue knows that people can play it.
pub(crate) fn is_known<G: Hosted>(setup: &serde_json::Map<String, serde_json::Value>) {
    let known = Erased::<G>::new().has_desk(setup, G::card().usual_players);
    assert_eq!(known, Ok(true));
}
