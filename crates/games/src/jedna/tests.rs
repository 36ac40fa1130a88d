//! The rules, one small table after the other.

use game::{ActorId, Audience, Choice, Eye, Game, Moves, Past, Ruling, Seed};
use game::{Told, Turn, Verdict};

use super::event::Deaf;
use super::hand::Pile;
use super::seats::{MOST_SEATS, Seats};
use super::state::Drawn;
use super::*;

const HOUSE: Config = Config {
    war: WarRules::House,
    double_play: false,
    max_turns: 1000,
    tries: 3,
    wild_code: WildCode::Wd,
};
const DOUBLE: Config = Config { double_play: true, ..HOUSE };

pub(super) fn cards(codes: &str) -> Vec<Card> {
    codes.split_whitespace().map(|code| code.parse().expect("a card")).collect()
}

fn card(code: &str) -> Card {
    code.parse().expect("a card")
}

fn seat(number: u8) -> Seat {
    Seat(number - 1)
}

/// `r5`, `wd:red`, `2*r5`, `draw` or `pass`.
pub(super) fn action(text: &str) -> Action {
    let (copies, rest) = match text.strip_prefix("2*") {
        Some(rest) => (Copies::Two, rest),
        None => (Copies::One, text),
    };
    match rest.split_once(':') {
        _ if text == "draw" => Action::Draw,
        _ if text == "pass" => Action::Pass,
        Some((code, colour)) => {
            Action::Play { card: card(code), colour: Colour::from_name(colour), copies }
        }
        None => Action::Play { card: card(rest), colour: None, copies },
    }
}

/// A table at which player1 is on move and play goes player1, player2, …. `draw` lists
/// the next cards of the draw pile; the rest of the deck lies under them.
pub(super) fn table(config: Config, top: &str, hands: &[&str], draw: &str) -> Jedna {
    let mut game = Jedna::deal(config, hands.len() as u16, Seed(1)).expect("a valid set-up");
    let top = card(top);
    let mut rest = Hand::DECK;
    rest.remove(top);
    game.hands = [Hand::EMPTY; MOST_SEATS];
    for (place, codes) in hands.iter().enumerate() {
        game.hands[place] = cards(codes).into_iter().collect();
        rest = rest.without(&game.hands[place]);
    }
    let next = cards(draw);
    rest = rest.without(&next.iter().copied().collect());
    game.draw_pile = rest.iter().chain(next.into_iter().rev()).collect();
    game.discard = [top].into_iter().collect();
    game.top = Top { card: top, colour: top.colour() };
    game.circle = (0..hands.len() as u8).map(Seat).collect::<Seats>();
    game.at = 0;
    game.direction = Direction::Clockwise;
    assert!(game.conserves_cards(), "a table has the whole deck");
    game
}

/// Moves all but `keep` cards of the draw pile under the top card.
fn wear_down(game: &mut Jedna, keep: usize) {
    let spare = game.draw_pile.len() - keep;
    let cards = game.draw_pile.cards().to_vec();
    game.draw_pile = cards[spare..].iter().copied().collect();
    let top = game.top.card;
    game.discard = cards[..spare].iter().copied().chain([top]).collect();
}

/// Plays the actions, each of which must be legal, and returns who heard what.
fn play(game: &mut Jedna, actions: &str) -> Vec<String> {
    let mut told = Vec::new();
    for text in actions.split_whitespace() {
        let mover = game.mover().expect("the game goes on");
        let action = action(text);
        assert_eq!(game.check(mover.actor(), &action), Ok(()), "{text}");
        game.step(&Moves::one(mover.actor(), action), &mut told);
        assert!(game.conserves_cards(), "after {text}");
    }
    told.iter().map(heard).collect()
}

fn heard(told: &Told<Event>) -> String {
    let to = match told.to {
        Audience::All => "all".to_owned(),
        Audience::Except(actor) => format!("not {}", actor.0 + 1),
        Audience::Only(actor) => format!("only {}", actor.0 + 1),
        Audience::Watchers => "watchers".to_owned(),
    };
    let what = match &told.event {
        Event::Played { by, card, colour, copies } => {
            format!("{by} played {}*{card} {colour}", copies.count())
        }
        Event::Drew { by, count, why } => format!("{by} drew {count} {why:?}"),
        Event::Took { by, cards } => format!("{by} took {cards:?}"),
        Event::Passed { by } => format!("{by} passed"),
        Event::OneCardLeft { seat } => format!("{seat} has one"),
        Event::Turned { direction, .. } => format!("{direction:?}"),
        Event::Skipped { seat } => format!("{seat} skipped"),
        Event::Reshuffled { cards } => format!("reshuffled {cards}"),
        Event::Forfeited { seat, reason } => format!("{seat} left: {reason}"),
    };
    format!("{to}: {what}")
}

fn refused(game: &Jedna, text: &str) -> String {
    let mover = game.mover().expect("the game goes on");
    game.check(mover.actor(), &action(text)).expect_err(text).0
}

fn offered(game: &Jedna) -> String {
    let mover = game.mover().expect("the game goes on");
    let own = game.view(Eye::Actor(mover.actor())).own.expect("the mover plays");
    let verbs: Vec<&str> = own.available.iter().map(|verb| verb.name()).collect();
    let cards: Vec<String> = own.playable.iter().map(|card| card.to_string()).collect();
    format!("{}: {}", verbs.join(" "), cards.join(" ")).trim_end().to_owned()
}

fn deals(players: u16) -> impl Iterator<Item = Jedna> {
    (0..2000).map(move |seed| {
        Jedna::deal(Config::default(), players, Seed(seed)).expect("a valid set-up")
    })
}

#[test]
fn the_first_card_is_no_penalty_and_everybody_gets_seven() {
    for players in 2..=10 {
        for game in deals(players).take(200) {
            assert_eq!(game.top.card.penalty(), 0);
            assert_eq!(game.players(), usize::from(players));
            assert!(game.circle().iter().all(|seat| game.hand(*seat).len() == 7));
            assert!(game.conserves_cards());
        }
    }
    for wrong in [0, 1, 11, 1000] {
        assert!(Jedna::start(&Config::default(), wrong, Seed(1)).is_err());
    }
}

#[test]
fn seats_are_drawn_from_the_seed() {
    let mut orders: Vec<Vec<Seat>> = deals(3).map(|game| game.circle().to_vec()).collect();
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 6);
    let again: Vec<Jedna> = deals(3).take(20).collect();
    assert!(deals(3).zip(again).all(|(one, two)| one == two));
}

#[test]
fn the_first_card_takes_effect_as_if_the_last_player_had_laid_it() {
    for players in [2, 3, 5] {
        let mut seen = [0; 3];
        for game in deals(players) {
            let circle = game.circle();
            let count = circle.len();
            let (place, direction) = match game.top.card.figure() {
                Figure::Skip => (1, Direction::Clockwise),
                Figure::Reverse if count > 2 => (count - 2, Direction::Counterclockwise),
                Figure::Reverse | Figure::Number(_) => (0, Direction::Clockwise),
                Figure::Wild => {
                    assert_eq!(game.playable(), game.hand(circle[0]).kinds());
                    (0, Direction::Clockwise)
                }
                Figure::DrawTwo | Figure::WildFour => unreachable!("tested above"),
            };
            seen[0] += u32::from(game.top.card.figure() == Figure::Skip);
            seen[1] += u32::from(game.top.card.figure() == Figure::Reverse);
            seen[2] += u32::from(game.top.card.figure() == Figure::Wild);
            assert_eq!(game.mover(), Some(circle[place]), "{:?}", game.top);
            assert_eq!(game.direction, direction);
        }
        assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
    }
}

#[test]
fn a_turn_is_a_play_or_a_draw_even_when_something_is_playable() {
    let mut game = table(Config::default(), "r5", &["r1 b5 g7 wd", "r9 y1"], "g5 y2");
    assert_eq!(offered(&game), "play draw: b5 r1 wd");
    assert_eq!(refused(&game, "g7"), "g7 does not match r5");
    assert_eq!(refused(&game, "y9"), "y9 is not in your hand");
    assert_eq!(refused(&game, "pass"), "pass: draw a card first");
    let told = play(&mut game, "draw");
    assert_eq!(told, ["not 1: player1 drew 1 Choice", "only 1: player1 took [g5]"]);
    // Only the drawn card may be played now.
    assert_eq!(game.mover(), Some(seat(1)));
    assert_eq!(offered(&game), "play pass: g5");
    assert_eq!(refused(&game, "r1"), "r1 is not the card drawn in this turn");
    assert_eq!(refused(&game, "draw"), "draw: a card was drawn in this turn already");
    assert_eq!(game.turn_number(), 1);
    assert_eq!(play(&mut game, "g5"), ["not 1: player1 played 1*g5 green"]);
    assert_eq!((game.mover(), game.turn_number()), (Some(seat(2)), 2));
    assert_eq!(offered(&game), "draw:");
    assert_eq!(play(&mut game, "draw pass").last().expect("events"), "not 2: player2 passed");
    assert_eq!((game.mover(), game.turn_number()), (Some(seat(1)), 3));
}

#[test]
fn a_drawn_card_is_offered_once_though_the_hand_holds_its_twin() {
    let mut game = table(DOUBLE, "r5", &["r1 b5", "r9 y1"], "r1");
    play(&mut game, "draw");
    assert_eq!(offered(&game), "play pass: r1");
    assert_eq!(refused(&game, "2*r1"), "a drawn card is played alone");
}

#[test]
fn a_wild_takes_the_named_colour_or_else_the_favourite_one() {
    let mut game = table(Config::default(), "r5", &["wd g1 y2 y3", "r9 b7 g4"], "");
    let told = play(&mut game.clone(), "wd:blue");
    assert_eq!(told, ["not 1: player1 played 1*wd blue"]);
    assert_eq!(play(&mut game, "wd"), ["not 1: player1 played 1*wd yellow"]);
    assert_eq!(game.top.code(WildCode::Wd), "wdy");
    assert_eq!(refused(&game, "g4"), "g4 does not match wdy");
}

#[test]
fn a_protocol_can_mend_an_answer_from_the_view() {
    let game = table(Config::default(), "r5", &["wd g1 y2 y3 r1", "r9 b7 g4"], "");
    let view = game.view(Eye::Actor(ActorId(0)));
    let mend = |text| view.mend(action(text));
    let yellow = Some(Mended::ColourMissing(Colour::Yellow));
    assert_eq!(mend("wd"), (action("wd:yellow"), yellow));
    assert_eq!(mend("wd:red"), (action("wd:red"), None));
    assert_eq!(mend("r1:blue"), (action("r1"), Some(Mended::ColourNeedless)));
    assert_eq!(mend("2*r1"), (action("r1"), Some(Mended::DoubleIgnored)));
    assert_eq!(mend("draw"), (Action::Draw, None));
    assert_eq!(refused(&game, "r1:blue"), "r1 has its own colour, none can be named");
}

#[test]
fn with_two_players_a_reverse_is_an_ordinary_card_and_a_skip_plays_again() {
    let mut game = table(Config::default(), "r5", &["rr rs r1 r2", "r9 b7"], "");
    assert_eq!(play(&mut game, "rr"), ["not 1: player1 played 1*rr red"]);
    assert_eq!((game.mover(), game.direction), (Some(seat(2)), Direction::Clockwise));
    let mut game = table(Config::default(), "r5", &["rr rs r1 r2", "r9 b7"], "");
    let told = play(&mut game, "rs");
    assert_eq!(told, ["not 1: player1 played 1*rs red", "not 1: player2 skipped"]);
    assert_eq!(game.mover(), Some(seat(1)));
}

#[test]
fn with_more_players_a_reverse_turns_and_a_skip_leaves_out_the_next() {
    let hands = ["rr r1 r2", "r9 b7 b8", "rs g1 g2", "r3 y1 y2"];
    let mut game = table(Config::default(), "r5", &hands, "");
    let told = play(&mut game, "rr");
    assert_eq!(told, ["not 1: player1 played 1*rr red", "not 1: Counterclockwise"]);
    assert_eq!(game.mover(), Some(seat(4)));
    play(&mut game, "r3");
    let told = play(&mut game, "rs");
    assert_eq!(told, ["not 3: player3 played 1*rs red", "not 3: player2 skipped"]);
    assert_eq!(game.mover(), Some(seat(1)));
}

#[test]
fn seed_war_only_the_same_card_answers_and_the_loser_takes_the_stack() {
    let hands = ["r+2 b1", "b+2 r1 rr wd4 y1", "wd4 g+2 wd b1"];
    let mut game = table(Config::default(), "r5", &hands, "y1 y2 y3 y4 y5");
    play(&mut game, "r+2");
    assert_eq!(game.war(), (War::Two, 2));
    assert_eq!(offered(&game), "play pass: b+2");
    assert_eq!(refused(&game, "wd4:red"), "wd4 is not an answer in war_+2");
    assert_eq!(refused(&game, "draw"), "draw: in a war, play an answer or pass and take the stack");
    play(&mut game, "b+2");
    assert_eq!((game.war(), game.mover()), ((War::Two, 4), Some(seat(3))));
    let told = play(&mut game, "pass");
    assert_eq!(told, ["not 3: player3 drew 4 Stack", "only 3: player3 took [y1, y2, y3, y4]"]);
    // The turn passes without a play, and the war is over.
    assert_eq!((game.war(), game.mover()), ((War::None, 0), Some(seat(1))));
    assert_eq!(offered(&game), "play draw: b1");
}

#[test]
fn seed_war_of_wild_draw_fours_stacks_by_four() {
    let mut game = table(Config::default(), "r5", &["wd4 b1 b1", "wd4 r+2 g1", "r1 r2 r3"], "");
    play(&mut game, "wd4:red");
    assert_eq!(offered(&game), "play pass: wd4");
    play(&mut game, "wd4:green");
    assert_eq!(game.war(), (War::Four, 8));
    assert_eq!(offered(&game), "pass:");
    play(&mut game, "pass");
    assert_eq!(game.hand(seat(3)).len(), 11);
}

#[test]
fn house_war_a_reverse_hands_the_unchanged_stack_to_the_new_next_player() {
    let hands = ["r+2 gr b1 b2", "rr r1 y9", "wd4 g1 g2"];
    let mut game = table(HOUSE, "r5", &hands, "");
    play(&mut game, "r+2");
    assert_eq!(offered(&game), "play pass: rr");
    let told = play(&mut game, "rr");
    assert_eq!(told, ["not 2: player2 played 1*rr red", "not 2: Counterclockwise"]);
    assert_eq!((game.war(), game.mover()), ((War::Two, 2), Some(seat(1))));
    assert_eq!(offered(&game), "play pass: gr");
    play(&mut game, "gr");
    assert_eq!((game.war(), game.mover()), ((War::Two, 2), Some(seat(2))));
    play(&mut game, "pass");
    assert_eq!(game.hand(seat(2)).len(), 4);
    assert_eq!((game.war(), game.mover()), ((War::None, 0), Some(seat(3))));
}

#[test]
fn house_war_a_wild_draw_four_on_a_draw_two_makes_it_a_wd4_war() {
    let mut game = table(HOUSE, "r5", &["r+2 b+2 b1", "wd4 r1 b+2", "g1 g2 g3"], "");
    play(&mut game, "r+2 wd4:blue");
    assert_eq!((game.war(), offered(&game)), ((War::Four, 6), "pass:".into()));
    play(&mut game, "pass");
    assert_eq!(game.hand(seat(3)).len(), 9);
}

#[test]
fn house_war_of_two_a_reverse_sends_the_stack_back() {
    let mut game = table(HOUSE, "r5", &["wd4 b1 b2", "gr y1 y2"], "");
    play(&mut game, "wd4:green gr");
    assert_eq!((game.war(), game.mover()), ((War::Four, 4), Some(seat(1))));
    play(&mut game, "pass");
    assert_eq!((game.hand(seat(1)).len(), game.mover()), (6, Some(seat(2))));
}

#[test]
fn double_play_needs_the_option_and_two_copies() {
    let hands = ["r1 r1 r2", "b1 b2 b3"];
    let game = table(HOUSE, "r5", &hands, "");
    assert_eq!(refused(&game, "2*r1"), "two cards at once are not allowed in this game");
    let mut game = table(DOUBLE, "r5", &hands, "");
    assert_eq!(refused(&game, "2*r2"), "there is only one r2 in your hand");
    assert!(game.actions().contains(&action("2*r1")));
    let told = play(&mut game, "2*r1");
    assert_eq!(told, ["not 1: player1 played 2*r1 red", "not 1: player1 has one"]);
    let alone = Config { double_play: true, ..Config::default() };
    assert!(Jedna::start(&alone, 2, Seed(1)).is_err());
}

#[test]
fn two_action_cards_at_once_count_twice() {
    let hands = ["r+2 r+2 rs rs rr rr b1", "r9 r8", "g1 g2", "y1 y2"];
    let mut game = table(DOUBLE, "r5", &hands, "");
    play(&mut game, "2*r+2");
    assert_eq!(game.war(), (War::Two, 4));
    let mut game = table(DOUBLE, "r5", &hands, "");
    let told = play(&mut game, "2*rs");
    assert_eq!(told[1..], ["not 1: player2 skipped", "not 1: player3 skipped"]);
    assert_eq!(game.mover(), Some(seat(4)));
    // Round and back again: the same player moves.
    let mut game = table(DOUBLE, "r5", &hands, "");
    play(&mut game, "2*rr");
    assert_eq!((game.mover(), game.direction), (Some(seat(1)), Direction::Clockwise));
}

#[test]
fn the_last_card_wins_and_the_others_count_their_points() {
    let mut game = table(Config::default(), "r5", &["r1", "wd4 bs b7", "r0", "y9"], "");
    play(&mut game, "r1");
    let Turn::Over(outcome) = game.turn() else { panic!("the game is over") };
    assert_eq!(outcome.scores, [0.0, 77.0, 0.0, 9.0]);
    // Points of zero do not make player3 a winner.
    assert_eq!(outcome.ranks, [1, 4, 2, 3]);
    assert_eq!(outcome.reason, "player1 shed the last card");
    assert_eq!(game.check(ActorId(0), &Action::Draw).expect_err("over").0, "the game is over");
}

#[test]
fn a_last_draw_two_makes_the_next_player_draw_first() {
    let mut game = table(Config::default(), "r5", &["r+2 b3", "r+2", "r1 r2"], "y9 y8 y7 y6 y5");
    let told = play(&mut game, "r+2 r+2");
    assert_eq!(
        told[2..],
        [
            "not 2: player2 played 1*r+2 red",
            "not 3: player3 drew 4 Stack",
            "only 3: player3 took [y9, y8, y7, y6]"
        ]
    );
    let outcome = game.outcome().expect("over");
    assert_eq!(outcome.scores, [3.0, 0.0, 33.0]);
    assert_eq!(outcome.ranks, [2, 1, 3]);
}

#[test]
fn house_war_after_a_last_reverse_nobody_draws_the_stack() {
    let mut game = table(HOUSE, "r5", &["r+2 b3", "rr", "r1 r2"], "y9 y8 y7");
    let told = play(&mut game, "r+2 rr");
    assert_eq!(told.last().map(String::as_str), Some("not 2: Counterclockwise"));
    assert_eq!(game.outcome().expect("over").scores, [3.0, 0.0, 3.0]);
    let mut game = table(HOUSE, "r5", &["r+2 b3", "rr"], "y9 y8 y7");
    play(&mut game, "r+2 rr");
    assert_eq!(game.outcome().expect("over").scores, [3.0, 0.0]);
}

#[test]
fn the_direction_is_told_after_a_last_reverse_too() {
    let mut game = table(Config::default(), "r5", &["rr", "r9 b7", "g1 g2"], "");
    let told = play(&mut game, "rr");
    assert_eq!(told, ["not 1: player1 played 1*rr red", "not 1: Counterclockwise"]);
    let mut game = table(Config::default(), "r5", &["rr", "r9 b7"], "");
    assert_eq!(play(&mut game, "rr"), ["not 1: player1 played 1*rr red"]);
}

#[test]
fn a_short_draw_pile_takes_the_discards_but_for_the_top_card() {
    let mut game = table(Config::default(), "r5", &["r+2 b3", "g1 g2"], "y1");
    wear_down(&mut game, 1);
    play(&mut game, "r+2");
    let before = game.discard.len();
    let told = play(&mut game, "pass");
    assert_eq!(told[0], format!("all: reshuffled {}", before));
    assert_eq!((game.discard.cards(), game.draw_pile.len()), (&[card("r+2")][..], before - 2));
    assert_eq!(game.hand(seat(2)).len(), 4);
}

#[test]
fn without_cards_to_draw_fewer_are_drawn() {
    // Player2 holds all that is not on the table.
    let mut game = table(Config::default(), "r5", &["b+2 b3 y1", "g1"], "");
    while let [last] = *game.draw_pile.take(1) {
        game.hands[1].add(last);
    }
    let told = play(&mut game, "draw");
    assert_eq!(told, ["not 1: player1 drew 0 Choice", "only 1: player1 took []"]);
    assert_eq!((game.drawn, offered(&game)), (Drawn::Nothing, "pass:".into()));
    assert!(game.view(Eye::Public).already_picked);
    play(&mut game, "pass");
    assert_eq!(game.mover(), Some(seat(2)));
    play(&mut game, "b5");
    game.draw_pile = Pile::EMPTY;
    play(&mut game, "b+2");
    let told = play(&mut game, "pass");
    assert_eq!(told[..2], ["all: reshuffled 2", "not 2: player2 drew 2 Stack"]);
}

#[test]
fn the_turn_cap_ends_the_game_for_fewest_points() {
    let config = Config { max_turns: 2, ..Config::default() };
    let mut game = table(config, "r5", &["b1 b2", "g9 g9"], "y4 y7");
    play(&mut game, "draw pass");
    assert_eq!(game.ending(), None);
    play(&mut game, "draw pass");
    let outcome = game.outcome().expect("the cap is reached");
    assert_eq!(
        (outcome.ranks.as_slice(), outcome.scores.as_slice()),
        (&[1, 2][..], &[7.0, 25.0][..])
    );
    let mut game = table(config, "r5", &["b1 b2", "g1 g2"], "y4 b4");
    play(&mut game, "draw pass draw pass");
    assert_eq!(game.outcome().expect("the cap is reached").verdict(), Verdict::Draw);
}

#[test]
fn of_two_the_other_wins_when_one_leaves() {
    let mut game = table(Config::default(), "r5", &["b1 b2", "wd wd"], "");
    let mut told = Vec::new();
    let leave = Moves(vec![(ActorId(0), Choice::Forfeit(testkit::crash()))]);
    game.step(&leave, &mut told);
    assert_eq!(heard(&told[0]), "all: player1 left: crash: a test");
    let outcome = game.outcome().expect("over");
    assert_eq!(
        (outcome.ranks.as_slice(), outcome.scores.as_slice()),
        (&[2, 1][..], &[3.0, 0.0][..])
    );
    assert_eq!(outcome.reason, "player2 is the last one left");
    assert!(game.conserves_cards());
}

#[test]
fn of_more_the_hand_goes_back_and_the_others_play_on() {
    let hands = ["r+2 b1 b2", "r1 r2", "r3 r4", "r6 r7"];
    let mut game = table(Config::default(), "r5", &hands, "");
    play(&mut game, "r+2");
    let pile = game.draw_pile.len();
    // On move in a war: the stack leaves with the one who owed it.
    game.forfeit(seat(2), &testkit::crash(), &mut Deaf);
    assert!(game.conserves_cards());
    assert_eq!((game.draw_pile.len(), game.hand(seat(2)).len()), (pile + 2, 0));
    assert_eq!((game.war(), game.mover()), ((War::None, 0), Some(seat(3))));
    // Not on move: the one on move stays so.
    game.forfeit(seat(1), &testkit::crash(), &mut Deaf);
    game.forfeit(seat(1), &testkit::crash(), &mut Deaf);
    assert_eq!((game.mover(), game.circle()), (Some(seat(3)), &[seat(3), seat(4)][..]));
    let mut roles = Vec::new();
    game.cast(&mut roles);
    assert_eq!(roles.iter().map(|role| role.actor.0).collect::<Vec<_>>(), [2, 3]);
    play(&mut game, "r3 r6 r4");
    // The first to leave is last.
    let outcome = game.outcome().expect("over");
    assert_eq!((outcome.ranks, outcome.scores), (vec![3, 4, 1, 2], vec![3.0, 3.0, 0.0, 7.0]));
}

#[test]
fn the_next_in_the_direction_of_play_follows_one_who_leaves() {
    for (first, order) in [("r9", [2, 3, 4]), ("rr", [4, 3, 2])] {
        let hands = ["r9 rr b1", "r1 r2", "r3 r4", "r6 r7"];
        let mut game = table(Config::default(), "r5", &hands, "");
        play(&mut game, first);
        for number in order {
            assert_eq!(game.mover(), Some(seat(number)), "after {first}");
            game.forfeit(seat(number), &testkit::crash(), &mut Deaf);
        }
        assert_eq!(game.outcome().and_then(|end| end.winner()), Some(0));
    }
}

#[test]
fn a_move_and_a_departure_can_be_settled_in_one_step() {
    let mut game = table(Config::default(), "r5", &["r1 b1", "r2 b2", "r3 b3"], "");
    let moves = Moves(vec![
        (ActorId(0), Choice::Act(action("r1"))),
        (ActorId(1), Choice::Forfeit(testkit::crash())),
    ]);
    game.step(&moves, &mut Vec::new());
    assert_eq!((game.mover(), game.turn_number()), (Some(seat(3)), 3));
}

#[test]
fn time_out_and_crash_forfeit_and_wrong_answers_get_three_tries() {
    let mut game = table(Config::default(), "r5", &["r+2 b1", "r2 b2", "r3 b3"], "g8");
    let rule = |game: &Jedna, actor: u32, kind, tries| {
        game.rule(ActorId(actor), &Fault::new(kind, ""), Past { tries, ..Past::default() })
    };
    for kind in FaultKind::ALL {
        let expected = match kind {
            FaultKind::BadInput | FaultKind::Illegal => Ruling::AskAgain,
            FaultKind::Early | FaultKind::Extra | FaultKind::BadOption => Ruling::Overlook,
            _ => Ruling::Forfeit,
        };
        assert_eq!(rule(&game, 0, kind, 0), expected, "{kind}");
    }
    assert_eq!(rule(&game, 2, FaultKind::Crash, 0), Ruling::Forfeit);
    assert_eq!(rule(&game, 2, FaultKind::BadInput, 0), Ruling::Overlook);
    assert_eq!(rule(&game, 0, FaultKind::Illegal, 1), Ruling::AskAgain);
    assert_eq!(rule(&game, 0, FaultKind::Illegal, 2), Ruling::Play(Action::Draw));
    let drawn = {
        let mut game = game.clone();
        play(&mut game, "draw");
        game
    };
    assert_eq!(rule(&drawn, 0, FaultKind::Illegal, 2), Ruling::Play(Action::Pass));
    play(&mut game, "r+2");
    assert_eq!(rule(&game, 1, FaultKind::Illegal, 2), Ruling::Play(Action::Pass));
    game.forfeit(seat(3), &testkit::crash(), &mut Deaf);
    assert_eq!(rule(&game, 2, FaultKind::Crash, 0), Ruling::Overlook);
}

#[test]
fn others_are_listed_in_turn_order_next_player_first() {
    let hands = ["rr r1 b1", "r2", "r3 b3 b4", "r4 b4"];
    let mut game = table(Config::default(), "r5", &hands, "");
    let seen = |game: &Jedna, actor| {
        let others = game.view(Eye::Actor(ActorId(actor))).others;
        others.iter().map(|other| (other.seat.0 + 1, other.cards)).collect::<Vec<_>>()
    };
    assert_eq!(seen(&game, 1), [(3, 3), (4, 2), (1, 3)]);
    play(&mut game, "rr");
    assert_eq!(seen(&game, 1), [(1, 2), (4, 2), (3, 3)]);
    assert_eq!(seen(&game, 0), [(4, 2), (3, 3), (2, 1)]);
    let public = game.view(Eye::Public);
    assert_eq!(public.others[0].seat, seat(4));
    assert_eq!((public.others.len(), public.own, public.hidden), (4, None, None));
}

#[test]
fn the_drawn_card_is_seen_by_its_owner_only_and_in_that_turn_only() {
    let mut game = table(Config::default(), "r5", &["b1 b2", "r2 b2"], "r8 y1");
    play(&mut game, "draw");
    let picked = |game: &Jedna, actor| {
        let view = game.view(Eye::Actor(ActorId(actor)));
        (view.already_picked, view.own.and_then(|own| own.picked))
    };
    assert_eq!(picked(&game, 0), (true, Some(card("r8"))));
    assert_eq!(picked(&game, 1), (true, None));
    play(&mut game, "pass");
    assert_eq!((picked(&game, 0), picked(&game, 1)), ((false, None), (false, None)));
}

#[test]
fn a_view_reads_in_plain_words() {
    let game = table(Config::default(), "r5", &["wd4 r1 b5", "r2 b2"], "");
    let view = serde_json::to_value(game.view(Eye::Actor(ActorId(0)))).expect("plain data");
    assert_eq!(view["own"]["hand"], serde_json::json!(["b5", "r1", "wd4"]));
    assert_eq!(view["own"]["available"], serde_json::json!(["play", "draw"]));
    assert_eq!(view["top"], serde_json::json!({"card": "r5", "colour": "red"}));
    assert_eq!(view["war"], "normal");
    assert_eq!(view["others"], serde_json::json!([{"seat": "player2", "cards": 2}]));
    let all = serde_json::to_value(game.view(Eye::All)).expect("plain data");
    assert_eq!(all["hidden"]["hands"][1], serde_json::json!(["b2", "r2"]));
}
