//! Laws that hold in every state of every game, tried on thousands of random games.

use game::{ActorId, Eye, Game, Moves, Rng, Seed, Told, Turn};
use testkit::law::{self, Lawful};

use super::bots::{Random, Simple};
use super::event::Deaf;
use super::*;

/// Every option at least once.
pub(super) fn set_ups() -> [Config; 3] {
    let seed = Config::default();
    let house = Config { war: WarRules::House, ..seed };
    [seed, house, Config { double_play: true, wild_code: WildCode::W, ..house }]
}

/// The set-up of the game with this number: every option, with and without a low turn cap.
pub(super) fn set_up(index: u64) -> Config {
    let config = set_ups()[index as usize % 3];
    if index % 6 < 3 { config } else { Config { max_turns: 60, ..config } }
}

/// Plays random games of all sizes and set-ups and shows every state but the last.
fn random_games(count: u64, mut look: impl FnMut(&Jedna, &mut Rng)) {
    for index in 0..count {
        let config = set_up(index);
        let players = 2 + (index / 6 % 9) as u16;
        let mut rng = Seed(index).rng("law");
        let mut game = Jedna::deal(config, players, Seed(index)).expect("a valid set-up");
        // Some games are played by drawing a lot, so that the piles run out, some with desertions.
        let (lazy, unsteady) = (index % 5 == 0, index % 7 == 0);
        let mut steps = 0;
        while game.mover().is_some() {
            look(&game, &mut rng);
            if unsteady && rng.chance(1, 60) {
                let leaver = *rng.pick(game.circle()).expect("somebody plays");
                game.forfeit(leaver, &testkit::crash(), &mut Deaf);
                continue;
            }
            let actions = game.actions();
            let action = match lazy && rng.chance(4, 5) {
                true => game.fallback(),
                false => *rng.pick(&actions).expect("a mover can always do something"),
            };
            game.act(action, &mut Deaf);
            steps += 1;
            assert!(steps <= 2 * config.max_turns, "every turn has one or two steps");
        }
        assert!(game.conserves_cards());
        let outcome = game.outcome().expect("a game without a mover has ended");
        assert_eq!(outcome.ranks.len(), usize::from(players));
        assert!(outcome.ranks.contains(&1));
    }
}

#[test]
fn cards_are_conserved_and_every_game_ends() {
    random_games(3000, |game, _| assert!(game.conserves_cards()));
}

#[test]
fn what_is_offered_is_accepted_and_what_is_not_is_refused() {
    let colours = [None].into_iter().chain(Colour::ALL.map(Some));
    let every: Vec<Action> = Card::all()
        .flat_map(|card| colours.clone().map(move |colour| (card, colour)))
        .flat_map(|(card, colour)| {
            [Copies::One, Copies::Two].map(|copies| Action::Play { card, colour, copies })
        })
        .chain([Action::Draw, Action::Pass])
        .collect();
    random_games(1000, |game, rng| {
        if !rng.chance(1, 40) {
            return;
        }
        let mover = game.mover().expect("the game goes on").actor();
        let view = game.view(Eye::Actor(mover));
        let offered = game.actions();
        assert_eq!(view.actions(), offered);
        for action in &every {
            // The one thing accepted beyond the list is a wild that leaves its colour to the host.
            let listed = match *action {
                Action::Play { card, colour: None, copies } if card.is_wild() => {
                    offered.contains(&Action::Play { card, colour: Some(Colour::Red), copies })
                }
                Action::Play { .. } | Action::Draw | Action::Pass => offered.contains(action),
            };
            assert_eq!(game.check(mover, action).is_ok(), listed, "{action:?} in {game:?}");
        }
        let own = view.own.expect("the mover plays");
        let verbs = [
            (Verb::Play, offered.iter().any(|action| matches!(action, Action::Play { .. }))),
            (Verb::Draw, offered.contains(&Action::Draw)),
            (Verb::Pass, offered.contains(&Action::Pass)),
        ];
        for (verb, open) in verbs {
            assert_eq!(own.available.contains(&verb), open);
        }
        let not_on_move = game.circle().iter().find(|seat| seat.actor() != mover);
        let other = not_on_move.expect("two play at least").actor();
        assert!(every.iter().all(|action| game.check(other, action).is_err()));
        assert!(game.view(Eye::Actor(other)).actions().is_empty());
    });
}

/// The same game for `viewer`, with all that is hidden from it dealt anew. If somebody else is on
/// move, it holds the cards of `play` in the new deal too.
pub(super) fn with_other_secrets(
    game: &Jedna,
    viewer: Seat,
    play: Option<(Card, Copies)>,
    rng: &mut Rng,
) -> Jedna {
    let mut other = game.clone();
    let mover = game.mover().filter(|mover| *mover != viewer);
    let mut hidden: Vec<Card> = game.draw_pile.cards().to_vec();
    let seats = game.circle().iter().filter(|seat| **seat != viewer);
    hidden.extend(seats.clone().flat_map(|seat| game.hand(*seat).iter()));
    rng.shuffle(&mut hidden);
    let kept = play.filter(|_| mover.is_some()).map_or(Vec::new(), |(card, copies)| {
        let kept = vec![card; copies.count().into()];
        for card in &kept {
            let place = hidden.iter().position(|other| other == card).expect("the mover has it");
            hidden.remove(place);
        }
        kept
    });
    for seat in seats {
        let known: &[Card] = if Some(*seat) == mover { &kept } else { &[] };
        let unknown = game.hand(*seat).len() as usize - known.len();
        let dealt = hidden.split_off(hidden.len() - unknown);
        other.hands[seat.index()] = dealt.into_iter().chain(known.iter().copied()).collect();
    }
    other.draw_pile = hidden.into_iter().collect();
    other.seed = Seed(rng.next_u64());
    if let (state::Drawn::Card(_), Some(mover)) = (game.drawn, mover) {
        let drawn = kept.first().copied().or_else(|| other.hand(mover).kinds().first());
        other.drawn = state::Drawn::Card(drawn.expect("it has drawn"));
    }
    assert!(other.conserves_cards());
    other
}

impl Lawful for Jedna {
    fn setups() -> Vec<(Config, u16)> {
        let short = |config: Config| Config { max_turns: 80, ..config };
        let sizes = [2, 3, 4, 7, 10].into_iter();
        sizes.flat_map(|players| set_ups().map(|config| (short(config), players))).collect()
    }

    fn legal(&self, _: ActorId) -> Vec<Action> {
        self.actions()
    }

    fn illegal(&self, actor: ActorId) -> Vec<Action> {
        let seat = Seat::of(actor).expect("an actor of this game");
        let mut illegal: Vec<Action> = Card::all()
            .filter(|card| !self.playable().contains(*card) || self.hand(seat).count(*card) == 0)
            .map(Action::play)
            .collect();
        illegal.push(if self.may_draw() { Action::Pass } else { Action::Draw });
        illegal
    }

    fn disguised(&self, actor: ActorId, rng: &mut Rng) -> Option<Jedna> {
        Some(with_other_secrets(self, Seat::of(actor)?, None, rng))
    }

    fn longest(config: &Config) -> usize {
        2 * config.max_turns as usize
    }
}

#[test]
fn jedna_obeys_the_laws() {
    law::all::<Jedna>();
}

#[test]
fn no_view_and_no_event_tells_of_another_players_cards() {
    let mut events = 0;
    random_games(1000, |game, rng| {
        if !rng.chance(1, 20) {
            return;
        }
        for viewer in game.circle() {
            let other = with_other_secrets(game, *viewer, None, rng);
            let eye = Eye::Actor(viewer.actor());
            let text = |game: &Jedna| serde_json::to_string(&game.view(eye)).expect("plain data");
            assert_eq!(text(game), text(&other));
            assert_eq!(game.view(Eye::Public), other.view(Eye::Public));
            // What the others hear when the mover draws or passes.
            let mover = game.mover().expect("the game goes on");
            if mover != *viewer {
                let heard = |game: &Jedna| {
                    let (mut game, mut told) = (game.clone(), Vec::<Told<Event>>::new());
                    game.act(game.fallback(), &mut told);
                    told.retain(|told| told.to.includes(viewer.actor()));
                    (told, serde_json::to_string(&game.view(eye)).expect("plain data"))
                };
                assert_eq!(heard(game), heard(&other));
                events += 1;
            }
        }
    });
    assert!(events > 10_000);
}

#[test]
fn a_state_survives_serde_and_equal_states_have_equal_digests() {
    random_games(400, |game, rng| {
        if rng.chance(1, 40) {
            let text = serde_json::to_string(game).expect("plain data");
            let copy: Jedna = serde_json::from_str(&text).expect("it was written so");
            assert_eq!(&copy, game);
            assert_eq!(copy.digest(), game.digest());
            for eye in [Eye::All, Eye::Public, Eye::Actor(ActorId(0))] {
                let text = serde_json::to_string(&game.view(eye)).expect("plain data");
                let view: View = serde_json::from_str(&text).expect("it was written so");
                assert_eq!(view, game.view(eye));
            }
        }
    });
}

#[test]
fn every_step_changes_the_digest_and_so_does_every_hidden_card() {
    random_games(300, |game, rng| {
        if !rng.chance(1, 10) {
            return;
        }
        for action in game.actions() {
            let mut next = game.clone();
            next.act(action, &mut Deaf);
            assert_ne!(next.digest(), game.digest(), "{action:?}");
        }
        let viewer = game.mover().expect("the game goes on");
        let mut other = with_other_secrets(game, viewer, None, rng);
        other.seed = game.seed;
        assert_eq!(other == *game, other.digest() == game.digest());
    });
}

#[test]
fn the_same_seed_and_moves_give_the_same_game_and_the_fast_path_agrees() {
    for index in 0..200 {
        let config = set_up(index.into());
        let start = || Jedna::start(&config, 2 + index % 9, Seed(index.into())).expect("valid");
        let (mut slow, mut fast) = (start(), start());
        let mut told = Vec::new();
        while let Turn::One(actor) = slow.turn() {
            let action = Simple::choose(&fast);
            assert_eq!(slow.check(actor, &action), Ok(()));
            slow.step(&Moves::one(actor, action), &mut told);
            fast.act(action, &mut Deaf);
            assert_eq!(slow.digest(), fast.digest());
        }
        assert_eq!(fast.mover(), None);
    }
}

#[test]
fn bots_only_do_what_is_allowed() {
    use game::Bot;
    for index in 0..60_u64 {
        let config = set_up(index);
        let players = 2 + (index % 9) as u16;
        let mut bots: Vec<Box<dyn Bot<Jedna>>> = Vec::new();
        for player in 0..u64::from(players) {
            bots.push(match (index + player) % 3 {
                0 => Box::new(Random::new(Seed(player))),
                1 => Box::new(Simple),
                _ => Box::new(bots::counter::Counter::with_playouts(Seed(player), 12)),
            });
        }
        let mut game = Jedna::start(&config, players, Seed(index)).expect("valid");
        bots::counter::tests::finish(&mut game, &mut bots);
    }
}
