//! An agent's side of the protocol: a built-in bot for any host.

use std::time::Duration;

use game::{Bot, Budget, Seed};
use serde::Deserialize;
use serde_json::json;
use table::{BotProgram, ProgramReply};

use super::bots;
use super::cards::{Card, Colour, WildCode};
use super::event::{DrawReason, Event};
use super::hand::{DECK, Hand};
use super::rules::{Action, Config, Copies, Top, Verb, War, WarRules, answers};
use super::seats::{Direction, SEATS, Seat};
use super::state::Jedna;
use super::view::{Other, Own, View};

/// The document: "Agents should respond within 5 seconds".
const TIME: Duration = Duration::from_secs(5);

/// The program of one player.
pub(super) struct AgentProgram {
    bot: Box<dyn Bot<Jedna>>,
    /// Plays where the host's numbers cannot be those of a game, which the others would trust.
    simple: bots::Simple,
    /// What players are called; their places are their seats.
    names: Vec<String>,
    wild: WildCode,
    /// Messages do not say which rules are played; what is offered in wars does.
    war_rules: WarRules,
    direction: Direction,
    /// Cards that everybody has seen since the last shuffle.
    discard: Hand,
    gone: Vec<Seat>,
    turn: u32,
    view: Option<View>,
}

/// A message of the host; fields and types that are not known are ignored.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Message {
    RequestAction {
        state: State,
    },
    Notification {
        message: String,
    },
    GameEnd,
    #[serde(other)]
    Other,
}

/// What is asked about. What a bot could do without need not be there.
#[derive(Deserialize)]
struct State {
    #[serde(default)]
    your_id: String,
    hand: Vec<String>,
    top_card: String,
    #[serde(default)]
    top_color: Option<Colour>,
    #[serde(default)]
    game_state: Option<War>,
    #[serde(default)]
    stacked_cards: u8,
    #[serde(default)]
    already_picked: bool,
    #[serde(default)]
    picked_card: Option<String>,
    #[serde(default)]
    other_players: Vec<OtherPlayer>,
    #[serde(default)]
    available_actions: Vec<Verb>,
    #[serde(default)]
    playable_cards: Vec<String>,
}

#[derive(Deserialize)]
struct OtherPlayer {
    id: String,
    /// The document's name of the number, and that of the original program; our host says both.
    #[serde(default)]
    cards: Option<u8>,
    #[serde(default)]
    card_count: Option<u8>,
}

impl AgentProgram {
    /// The built-in bot of this name, if there is one.
    pub(super) fn new(name: &str, seed: Seed) -> Option<AgentProgram> {
        Some(AgentProgram {
            bot: bots::bot(name, seed)?,
            simple: bots::Simple,
            names: Vec::new(),
            wild: WildCode::default(),
            war_rules: WarRules::default(),
            direction: Direction::Clockwise,
            discard: Hand::EMPTY,
            gone: Vec::new(),
            turn: 0,
            view: None,
        })
    }

    /// The seat of a player. Our own names say it; others get one in the order they are met.
    fn seat(&mut self, name: &str) -> Option<Seat> {
        if let Ok(seat) = name.parse() {
            return Some(seat);
        }
        let known = self.names.iter().position(|other| other == name);
        let place = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        (place < usize::from(*SEATS.end())).then_some(Seat(place as u8))
    }

    fn request(&mut self, state: &State) -> Option<View> {
        let codes = || state.hand.iter().chain(&state.playable_cards).chain([&state.top_card]);
        if codes().any(|code| code.starts_with('w') && !code.starts_with("wd")) {
            self.wild = WildCode::W;
        }
        let top = top(&state.top_card, state.top_color)?;
        if self.discard.count(top.card) == 0 {
            self.discard.add(top.card);
        }
        self.turn += 1;
        let seat = self.seat(&state.your_id)?;
        let others: Vec<Other> = state
            .other_players
            .iter()
            .filter_map(|other| {
                let cards = other.cards.or(other.card_count)?;
                Some(Other { seat: self.seat(&other.id)?, cards })
            })
            .collect();
        let hand = cards(&state.hand);
        let in_hands: u32 =
            hand.len() + others.iter().map(|other| u32::from(other.cards)).sum::<u32>();
        let own = Own {
            seat,
            hand,
            picked: state.picked_card.as_ref().and_then(|code| code.parse().ok()),
            playable: cards(&state.playable_cards),
            available: state.available_actions.clone(),
        };
        let war = state.game_state.unwrap_or(War::None);
        let explains = |rules| hand.kinds() & answers(rules, war, top) == own.playable.kinds();
        let possible = [self.war_rules, WarRules::Seed, WarRules::House];
        self.war_rules = possible.into_iter().find(|r| explains(*r)).unwrap_or(self.war_rules);
        Some(View {
            rules: Config { war: self.war_rules, wild_code: self.wild, ..Config::default() },
            turn: self.turn,
            mover: Some(seat),
            top,
            war,
            stack: state.stacked_cards,
            already_picked: state.already_picked,
            direction: self.direction,
            draw_pile: (DECK as u32).saturating_sub(in_hands + self.discard.len()) as u8,
            discard: self.discard,
            others,
            gone: self.gone.clone(),
            own: Some(own),
            hidden: None,
        })
    }

    /// What a notification of our own host tells; other words mean nothing.
    fn heard(&mut self, text: &str) {
        if let Some(direction) = text.strip_prefix("the direction is now ") {
            self.direction = match direction {
                "counterclockwise" => Direction::Counterclockwise,
                _ => Direction::Clockwise,
            };
        } else if text.starts_with("the discard pile was shuffled") {
            self.discard = Hand::EMPTY;
        } else if let Some(event) = self.event(text) {
            self.bot.notice(&event);
        }
    }

    fn event(&mut self, text: &str) -> Option<Event> {
        let mut words = text.split_ascii_whitespace();
        let by = self.seat(words.next()?)?;
        match (words.next()?, words.next(), words.next()) {
            ("played", Some(code), second) => {
                let Top { card, colour } = top(code, None)?;
                let copies = if second == Some(code) { Copies::Two } else { Copies::One };
                for _ in 0..copies.count() {
                    add(&mut self.discard, card);
                }
                Some(Event::Played { by, card, colour: colour?, copies })
            }
            ("drew", Some(count), _) => {
                let count = count.parse().ok()?;
                // One card is drawn by choice, and a stack has two at least.
                let why = if count > 1 { DrawReason::Stack } else { DrawReason::Choice };
                Some(Event::Drew { by, count, why })
            }
            ("passed", None, _) => Some(Event::Passed { by }),
            ("forfeited", None, _) => {
                self.gone.push(by);
                Some(Event::Forfeited { seat: by, reason: String::new() })
            }
            (_, _, _) => None,
        }
    }
}

/// Adds a card, unless there are as many of it as the deck has.
fn add(hand: &mut Hand, card: Card) {
    if hand.count(card) < card.copies() {
        hand.add(card);
    }
}

fn cards(codes: &[String]) -> Hand {
    let mut hand = Hand::EMPTY;
    codes.iter().filter_map(|code| code.parse().ok()).for_each(|card| add(&mut hand, card));
    hand
}

/// The top card: a wild one has the letter of its colour behind it.
fn top(code: &str, colour: Option<Colour>) -> Option<Top> {
    let of_letter = |letter| Colour::ALL.into_iter().find(|colour| colour.letter() == letter);
    if let Ok(card) = code.parse::<Card>() {
        return Some(Top { card, colour: card.colour().or(colour) });
    }
    let letter = code.chars().next_back()?;
    let card: Card = code[..code.len() - letter.len_utf8()].parse().ok()?;
    Some(Top { card, colour: colour.or(of_letter(letter)) })
}

/// Whether this can be a game: nobody holds cards that others hold, too, and what is offered is
/// allowed.
fn is_possible(view: &View) -> bool {
    let Some(own) = &view.own else { return false };
    let others: u32 = view.others.iter().map(|other| u32::from(other.cards)).sum();
    let seen = |card: Card| own.hand.count(card) + view.discard.count(card);
    let fits = Card::all().all(|card| seen(card) <= card.copies());
    fits && !view.others.is_empty()
        && usize::from(view.stack) <= DECK
        && own.hand.len() + view.discard.len() + others <= DECK as u32
        && bots::counter::allows_what_is_offered(view)
}

impl BotProgram for AgentProgram {
    fn line(&mut self, line: &[u8]) -> ProgramReply {
        match serde_json::from_slice(line) {
            Ok(Message::RequestAction { state }) => {
                self.view = self.request(&state);
                ProgramReply::Think
            }
            Ok(Message::Notification { message }) => {
                self.heard(&message);
                ProgramReply::Silent
            }
            Ok(Message::GameEnd) => ProgramReply::Leave,
            Ok(Message::Other) | Err(_) => ProgramReply::Silent,
        }
    }

    fn think(&mut self, budget: &dyn Budget) -> String {
        let action = match &self.view {
            Some(view) if is_possible(view) => self.bot.act(view, budget),
            Some(view) => self.simple.act(view, budget),
            None => Action::Draw,
        };
        let said = match action {
            Action::Play { card, colour, copies } => {
                add(&mut self.discard, card);
                let mut said = json!({"action": "play", "card": card.code(self.wild)});
                if let Some(colour) = colour {
                    said["wild_color"] = json!(colour.name());
                }
                if copies == Copies::Two {
                    said["double_play"] = json!(true);
                }
                said
            }
            Action::Draw => json!({"action": "draw"}),
            Action::Pass => json!({"action": "pass"}),
        };
        said.to_string()
    }

    fn time(&self) -> Option<Duration> {
        Some(TIME)
    }
}

#[cfg(test)]
mod tests {
    use testkit::AtOnce;

    use super::*;

    /// An object with these fields as well.
    fn with(mut object: serde_json::Value, fields: &serde_json::Value) -> serde_json::Value {
        let fields = fields.as_object().expect("it is one").clone();
        object.as_object_mut().expect("it is one").extend(fields);
        object
    }

    /// What the bot says to a request with these fields besides those that never change.
    fn answer(program: &mut AgentProgram, fields: serde_json::Value) -> serde_json::Value {
        let others = json!([{"id": "player2", "cards": 5}]);
        let state = with(json!({"your_id": "player1", "other_players": others}), &fields);
        let line = json!({"type": "request_action", "state": state}).to_string();
        assert!(matches!(program.line(line.as_bytes()), ProgramReply::Think));
        serde_json::from_str(&program.think(&AtOnce)).expect("it says an object")
    }

    #[test]
    fn wars_by_house_rules_are_understood_from_what_is_offered() {
        let mut program = AgentProgram::new("counter", Seed(1)).expect("there is such a bot");
        let said = answer(
            &mut program,
            json!({
                "hand": ["b5", "rr"], "top_card": "r+2", "top_color": "red",
                "game_state": "war_+2", "stacked_cards": 2,
                "available_actions": ["play", "pass"], "playable_cards": ["rr"],
            }),
        );
        assert_eq!(said["card"], "rr");
        assert_eq!(program.war_rules, WarRules::House);
        answer(
            &mut program,
            json!({
                "hand": ["b5", "y5", "r+2"], "top_card": "b+2", "top_color": "blue",
                "game_state": "war_+2", "stacked_cards": 2,
                "available_actions": ["play", "pass"], "playable_cards": ["r+2"],
            }),
        );
        assert_eq!(program.war_rules, WarRules::House, "both rules explain it");
        answer(
            &mut program,
            json!({
                "hand": ["b5", "wd4"], "top_card": "b+2", "top_color": "blue",
                "game_state": "war_+2", "stacked_cards": 2,
                "available_actions": ["pass"], "playable_cards": [],
            }),
        );
        assert_eq!(program.war_rules, WarRules::Seed);
    }

    #[test]
    fn offers_that_no_rule_allows_are_taken_all_the_same() {
        for (offer, expected) in [
            (json!({"playable_cards": ["g7"]}), "g7"),
            (json!({"playable_cards": ["b5", "r3"], "already_picked": true}), "b5"),
            (json!({"playable_cards": ["y9"], "game_state": "war_wd4", "stacked_cards": 4}), "y9"),
        ] {
            let state = json!({
                "hand": ["b5", "g7", "r3", "y9"], "top_card": "r5", "top_color": "red",
                "available_actions": ["play", "draw"],
            });
            let state = with(state, &offer);
            let mut program = AgentProgram::new("counter", Seed(1)).expect("there is such a bot");
            assert_eq!(answer(&mut program, state)["card"], expected);
        }
    }
}
