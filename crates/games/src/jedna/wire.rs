//! The words of the protocol, in both directions. Nowhere else are they spelled.
//!
//! Every message is one JSON object on one line. Fields stand in the order of the document.

use std::fmt;

use game::quote;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::cards::{Card, Colour, WildCode};
use super::event::Event;
use super::hand::Hand;
use super::rules::{Copies, Top, Verb};
use super::seats::{Direction, Seat};
use super::view::{Other, View};
use crate::json_object::{self, JsonField, each_field};

/// "Current protocol version: 1.0".
const VERSION: &str = "1.0";

/// What the host says to a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ToBot<'a> {
    /// It is the bot's turn.
    RequestAction { protocol_version: &'static str, state: State },
    /// Something happened.
    Notification { message: &'a str },
    /// The answer was not accepted; the request follows once more.
    Error { message: &'a str },
    /// The game is over. Without a single winner, `winner` is null.
    GameEnd { winner: Option<Seat>, scores: Scores<'a> },
}

/// What a bot is told when it is asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct State {
    your_id: Seat,
    hand: Vec<&'static str>,
    top_card: String,
    top_color: Option<Colour>,
    game_state: &'static str,
    stacked_cards: u8,
    already_picked: bool,
    picked_card: Option<&'static str>,
    other_players: Vec<OtherPlayer>,
    available_actions: Vec<Verb>,
    playable_cards: Vec<&'static str>,
}

/// Another player. The document calls the number `cards`, newer bots read `card_count`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct OtherPlayer {
    id: Seat,
    cards: u8,
    card_count: u8,
}

/// The points of all players, by seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scores<'a>(pub(super) &'a [f64]);

impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (seat, points) in (0..).map(Seat).zip(self.0) {
            // Points are whole numbers, and the document writes them so.
            map.serialize_entry(&seat, &(*points as i64))?;
        }
        map.end()
    }
}

impl ToBot<'_> {
    /// The question for a viewer who is on move; `None` if the viewer does not play.
    pub(super) fn request(view: &View) -> Option<ToBot<'static>> {
        let own = view.own.as_ref()?;
        let wild = view.rules.wild_code;
        let codes = |cards: &Hand| cards.iter().map(|card| card.code(wild)).collect();
        let other = |other: &Other| OtherPlayer {
            id: other.seat,
            cards: other.cards,
            card_count: other.cards,
        };
        let state = State {
            your_id: own.seat,
            hand: codes(&own.hand),
            top_card: view.top.code(wild),
            top_color: view.top.colour,
            game_state: view.war.name(),
            stacked_cards: view.stack,
            already_picked: view.already_picked,
            picked_card: own.picked.map(|card| card.code(wild)),
            other_players: view.others.iter().map(other).collect(),
            available_actions: own.available.clone(),
            playable_cards: codes(&own.playable),
        };
        Some(ToBot::RequestAction { protocol_version: VERSION, state })
    }

    /// Appends the message and the end of its line.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        serde_json::to_writer(&mut *bytes, self).expect("writing to memory does not fail");
        bytes.push(b'\n');
    }
}

/// An event in the words of the document; `None` if bots are not told of it.
pub(super) fn news(event: &Event, wild: WildCode) -> Option<String> {
    Some(match event {
        Event::Played { by, card, colour, copies } => {
            let code = Top { card: *card, colour: Some(*colour) }.code(wild);
            match copies {
                Copies::One => format!("{by} played {code}"),
                Copies::Two => format!("{by} played {code} {code}"),
            }
        }
        Event::Drew { by, count: 1, .. } => format!("{by} drew 1 card"),
        Event::Drew { by, count, .. } => format!("{by} drew {count} cards"),
        Event::Passed { by } => format!("{by} passed"),
        Event::OneCardLeft { seat } => format!("{seat} has one card left"),
        Event::Turned { direction: Direction::Clockwise, .. } => {
            "the direction is now clockwise".to_owned()
        }
        Event::Turned { direction: Direction::Counterclockwise, .. } => {
            "the direction is now counterclockwise".to_owned()
        }
        Event::Reshuffled { .. } => {
            "the discard pile was shuffled back into the draw pile".to_owned()
        }
        // The reason may quote what the bot said, and so its cards.
        Event::Forfeited { seat, .. } => format!("{seat} forfeited"),
        // The skip itself has been told, and the drawer sees its cards with the next request.
        Event::Skipped { .. } | Event::Took { .. } => return None,
    })
}

/// What a bot says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FromBot {
    /// `{"action":"play","card":…,"wild_color":…}`
    Play { card: Card, colour: Named, copies: Copies },
    /// `{"action":"draw"}`
    Draw,
    /// `{"action":"pass"}`
    Pass,
    /// Anything else, and what is wrong with it.
    Unreadable(String),
}

/// What stands in `wild_color`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Nothing, or null.
    Nothing,
    /// A colour.
    Colour(Colour),
    /// Something that is no colour, quoted.
    Wrong(String),
}

impl FromBot {
    /// Reads a line. Every line has a meaning, if only [`FromBot::Unreadable`].
    pub(super) fn parse(line: &[u8]) -> FromBot {
        match json_object::read::<Answer<'_>>(line, &mut Vec::new()) {
            Ok(answer) => answer.meaning().unwrap_or_else(FromBot::Unreadable),
            Err(error) => FromBot::Unreadable(json_object::complaint(line, &error, EXAMPLE)),
        }
    }
}

/// What an answer looks like.
const EXAMPLE: &str = "{\"action\":\"draw\"}";

/// The fields of an answer; others are ignored.
#[derive(Debug, Default)]
struct Answer<'l> {
    action: JsonField<'l>,
    card: JsonField<'l>,
    wild_color: JsonField<'l>,
    double_play: JsonField<'l>,
}

impl Answer<'_> {
    fn meaning(self) -> Result<FromBot, String> {
        match self.action {
            JsonField::Text(word) => match word.as_ref() {
                "play" => Ok(FromBot::Play {
                    card: card(self.card)?,
                    colour: named(self.wild_color),
                    copies: match self.double_play {
                        JsonField::True => Copies::Two,
                        JsonField::Missing
                        | JsonField::Null
                        | JsonField::Text(_)
                        | JsonField::Other => Copies::One,
                    },
                }),
                "draw" => Ok(FromBot::Draw),
                "pass" => Ok(FromBot::Pass),
                other => Err(format!(
                    "{} is not an action; there are \"play\", \"draw\" and \"pass\"",
                    quote(other.as_bytes())
                )),
            },
            JsonField::Missing => Err("there is no \"action\" in the answer".to_owned()),
            JsonField::Null | JsonField::True | JsonField::Other => {
                Err("\"action\" is not a text such as \"play\"".to_owned())
            }
        }
    }
}

fn card(field: JsonField<'_>) -> Result<Card, String> {
    match field {
        JsonField::Text(code) => {
            code.parse().map_err(|error| format!("{} is {error}", quote(code.as_bytes())))
        }
        JsonField::Missing => Err("\"play\" needs a \"card\"".to_owned()),
        JsonField::Null | JsonField::True | JsonField::Other => {
            Err("\"card\" is not a text such as \"r5\"".to_owned())
        }
    }
}

fn named(field: JsonField<'_>) -> Named {
    match field {
        JsonField::Missing | JsonField::Null => Named::Nothing,
        JsonField::Text(word) => match Colour::from_name(&word) {
            Some(colour) => Named::Colour(colour),
            None => Named::Wrong(quote(word.as_bytes())),
        },
        JsonField::True | JsonField::Other => Named::Wrong("a value that is not text".to_owned()),
    }
}

impl<'de> Deserialize<'de> for Answer<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Answer<'de>, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Answer<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object such as {\"action\":\"draw\"}")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Answer<'de>, A::Error> {
                let mut answer = Answer::default();
                each_field(map, |key, value| match key {
                    "action" => answer.action = value,
                    "card" => answer.card = value,
                    "wild_color" => answer.wild_color = value,
                    "double_play" => answer.double_play = value,
                    _ => {}
                })?;
                Ok(answer)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::DrawReason;
    use super::*;

    fn unreadable(line: impl AsRef<[u8]>) -> String {
        match FromBot::parse(line.as_ref()) {
            FromBot::Unreadable(why) => why,
            other => panic!("{other:?}"),
        }
    }

    fn play(code: &str, colour: Named, copies: Copies) -> FromBot {
        FromBot::Play { card: code.parse().expect("a card"), colour, copies }
    }

    #[test]
    fn the_three_answers_of_the_document() {
        let parse = |line: &str| FromBot::parse(line.as_bytes());
        assert_eq!(
            parse(r#"{"action": "play", "card": "r2", "wild_color": "blue"}"#),
            play("r2", Named::Colour(Colour::Blue), Copies::One)
        );
        assert_eq!(parse(r#"{"action":"draw"}"#), FromBot::Draw);
        assert_eq!(parse("  {\t\"action\" : \"pass\" } \r"), FromBot::Pass);
    }

    #[test]
    fn both_codes_of_the_wild_are_understood() {
        for code in ["w", "wd"] {
            let line = format!(r#"{{"action":"play","card":"{code}","wild_color":"red"}}"#);
            let wild = play("wd", Named::Colour(Colour::Red), Copies::One);
            assert_eq!(FromBot::parse(line.as_bytes()), wild);
        }
    }

    #[test]
    fn a_colour_may_be_missing_or_null_and_a_wrong_word_is_kept_apart() {
        for (field, expected) in [
            ("", Named::Nothing),
            (r#","wild_color":null"#, Named::Nothing),
            (r#","wild_color":"green""#, Named::Colour(Colour::Green)),
            (r#","wild_color":"purple""#, Named::Wrong("\"purple\"".to_owned())),
            (r#","wild_color":"Red""#, Named::Wrong("\"Red\"".to_owned())),
            (r#","wild_color":1"#, Named::Wrong("a value that is not text".to_owned())),
        ] {
            let line = format!(r#"{{"action":"play","card":"wd4"{field}}}"#);
            assert_eq!(FromBot::parse(line.as_bytes()), play("wd4", expected, Copies::One));
        }
    }

    #[test]
    fn extra_fields_are_ignored_and_double_play_is_true_or_nothing() {
        for (field, copies) in [
            (r#""note":{"a":[1,{"b":null}],"c":1e300}"#, Copies::One),
            (r#""seen":99999999999999999999"#, Copies::One),
            (r#""double_play":false"#, Copies::One),
            (r#""double_play":"yes""#, Copies::One),
            (r#""double_play":true"#, Copies::Two),
        ] {
            let line = format!(r#"{{{field},"card":"b5","action":"play"}}"#);
            assert_eq!(FromBot::parse(line.as_bytes()), play("b5", Named::Nothing, copies));
        }
    }

    #[test]
    fn what_is_no_object_is_unreadable() {
        for line in [
            "",
            " \t ",
            "draw",
            "7",
            "null",
            "\"draw\"",
            "[\"draw\"]",
            "NaN",
            "{\"action\":NaN}",
            "{\"action\":\"draw\"",
            "{\"action\":\"draw\"}{\"action\":\"draw\"}",
            "{'action':'draw'}",
            "{\"action\":\"draw\",\"x\":1e999}",
            "{\"action\":\"draw\",}",
            "\u{feff}{\"action\":\"draw\"}",
            "{\"action\":\"draw\u{0}\"}",
        ] {
            assert!(unreadable(line).contains(" is not an answer: "), "{line}");
        }
        assert!(unreadable(b"{\"action\":\"dr\xffaw\"}").contains("\\xff"));
        assert!(unreadable(" ".repeat(60_000)).len() < 300);
    }

    #[test]
    fn keys_that_come_twice_are_refused_wherever_they_are() {
        for line in [
            r#"{"action":"draw","action":"pass"}"#,
            r#"{"action":"draw","x":1,"x":1}"#,
            r#"{"action":"draw","x":[{"y":1,"y":2}]}"#,
            r#"{"action":"draw","\u0061ction":"pass"}"#,
        ] {
            assert!(unreadable(line).contains("comes twice"), "{line}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_even_in_fields_that_are_ignored() {
        for depth in [200, 10_000] {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            let line = format!(r#"{{"action":"draw","x":{open}{close}}}"#);
            assert!(unreadable(line).contains("nested too deeply"));
        }
    }

    #[test]
    fn what_is_missing_or_wrong_in_an_answer_is_named() {
        for (line, why) in [
            ("{}", "there is no \"action\" in the answer"),
            (r#"{"action":null}"#, "\"action\" is not a text such as \"play\""),
            (r#"{"action":["play"]}"#, "\"action\" is not a text such as \"play\""),
            (r#"{"action":"play"}"#, "\"play\" needs a \"card\""),
            (r#"{"action":"play","card":5}"#, "\"card\" is not a text such as \"r5\""),
        ] {
            assert_eq!(unreadable(line), why);
        }
        assert!(unreadable(r#"{"action":"fly"}"#).starts_with("\"fly\" is not an action"));
        assert!(unreadable(r#"{"action":"play","card":"r10"}"#).starts_with("\"r10\" is not a "));
    }

    #[test]
    fn events_are_told_in_the_words_of_the_document() {
        let by: Seat = "player2".parse().expect("a seat");
        let played = |code: &str, copies| Event::Played {
            by,
            card: code.parse().expect("a card"),
            colour: Colour::Blue,
            copies,
        };
        let drew = |count| Event::Drew { by, count, why: DrawReason::Stack };
        for (event, words) in [
            (played("b5", Copies::One), "player2 played b5"),
            (played("wd", Copies::One), "player2 played wdb"),
            (played("wd4", Copies::Two), "player2 played wd4b wd4b"),
            (drew(0), "player2 drew 0 cards"),
            (drew(1), "player2 drew 1 card"),
            (drew(4), "player2 drew 4 cards"),
            (Event::Passed { by }, "player2 passed"),
            (Event::OneCardLeft { seat: by }, "player2 has one card left"),
            (
                Event::Turned { by, direction: Direction::Clockwise },
                "the direction is now clockwise",
            ),
            (
                Event::Reshuffled { cards: 9 },
                "the discard pile was shuffled back into the draw pile",
            ),
            (Event::Forfeited { seat: by, reason: "b5".into() }, "player2 forfeited"),
        ] {
            assert_eq!(news(&event, WildCode::Wd).as_deref(), Some(words));
        }
        assert_eq!(
            news(&played("wd", Copies::One), WildCode::W).as_deref(),
            Some("player2 played wb")
        );
        assert_eq!(news(&Event::Skipped { seat: by }, WildCode::Wd), None);
        assert_eq!(news(&Event::Took { by, cards: Vec::new() }, WildCode::Wd), None);
    }

    #[test]
    fn every_message_is_one_line_with_the_fields_of_the_document_in_order() {
        let mut bytes = Vec::new();
        ToBot::Notification { message: "player2 played b5" }.write(&mut bytes);
        ToBot::Error { message: "a \"b\"\n" }.write(&mut bytes);
        ToBot::GameEnd { winner: "player3".parse().ok(), scores: Scores(&[15.0, 23.0, 0.0]) }
            .write(&mut bytes);
        ToBot::GameEnd { winner: None, scores: Scores(&[7.0, 7.0]) }.write(&mut bytes);
        assert_eq!(
            String::from_utf8(bytes).expect("JSON is text"),
            "{\"type\":\"notification\",\"message\":\"player2 played b5\"}\n\
             {\"type\":\"error\",\"message\":\"a \\\"b\\\"\\n\"}\n\
             {\"type\":\"game_end\",\"winner\":\"player3\",\
             \"scores\":{\"player1\":15,\"player2\":23,\"player3\":0}}\n\
             {\"type\":\"game_end\",\"winner\":null,\"scores\":{\"player1\":7,\"player2\":7}}\n"
        );
    }
}
