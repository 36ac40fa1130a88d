//! The words of the protocol, in both directions. Nowhere else are they spelled.
//!
//! Every message is one JSON object on one line.

use std::fmt;
use std::time::Duration;

use game::quote;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::action::Action;
use super::grid::Direction;
use super::view::{Own, View};
use crate::digits::digits;
use crate::json_object::{self, JsonField, each_field};

/// What `timeout_ms` says when there is no limit: the largest number that fits everywhere.
pub(super) const NO_LIMIT_MS: u32 = i32::MAX as u32;

/// What a message is kept of: "bounded to 1 KiB".
pub(super) const MOST_OF_A_MESSAGE: usize = 1024;

/// Writes the message of a turn, with the keys in the document's order.
///
/// By hand: with a thousand agents this is done a thousand times a tick.
pub(super) fn write(view: &View, own: &Own, limit: Option<Duration>, bytes: &mut Vec<u8>) {
    let limit = limit.map_or(NO_LIMIT_MS, |limit| {
        u32::try_from(limit.as_millis()).unwrap_or(NO_LIMIT_MS).min(NO_LIMIT_MS)
    });
    bytes.reserve(768);
    bytes.extend(b"{\"tick\":");
    digits(bytes, view.tick.into());
    bytes.extend(b",\"agent_id\":\"");
    own.tag.write(bytes);
    bytes.extend(b"\",\"position\":[");
    pair(bytes, own.at.x, own.at.y);
    bytes.extend(b"],\"energy\":");
    digits(bytes, own.energy.into());
    bytes.extend(b",\"world_size\":[");
    pair(bytes, view.size.width, view.size.height);
    bytes.extend(b"],\"neighbors\":{");
    for (way, who) in Direction::ALL.into_iter().zip(own.around) {
        if way != Direction::ALL[0] {
            bytes.push(b',');
        }
        bytes.push(b'"');
        bytes.extend(way.name().as_bytes());
        bytes.extend(b"\":{\"energy\":");
        match who {
            Some(other) => {
                digits(bytes, other.energy.into());
                bytes.extend(b",\"agent_id\":\"");
                other.tag.write(bytes);
                bytes.extend(b"\"}");
            }
            None => bytes.extend(b"0,\"agent_id\":null}"),
        }
    }
    bytes.extend(b"},\"generation\":");
    digits(bytes, own.generation.into());
    bytes.extend(b",\"timeout_ms\":");
    digits(bytes, limit.into());
    bytes.extend(b"}\n");
}

fn pair(bytes: &mut Vec<u8>, x: u16, y: u16) {
    digits(bytes, x.into());
    bytes.push(b',');
    digits(bytes, y.into());
}

/// What a bot says to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FromBot {
    /// Nothing but blanks.
    Blank,
    /// An answer.
    Answer {
        /// What the agent does.
        action: Action,
        /// What it says to viewers.
        message: Option<String>,
    },
    /// Something else, and why it is not an answer.
    Unreadable(String),
}

impl FromBot {
    /// Reads a line. Every line has a meaning, if only [`FromBot::Unreadable`].
    pub(super) fn parse(line: &[u8]) -> FromBot {
        if line.trim_ascii().is_empty() {
            return FromBot::Blank;
        }
        if let Some(action) = plain(line) {
            return FromBot::Answer { action, message: None };
        }
        match json_object::read::<Reply<'_>>(line, &mut Vec::new()) {
            Ok(reply) => match reply.action() {
                Ok(action) => FromBot::Answer { action, message: message(reply.message) },
                Err(why) => FromBot::Unreadable(why),
            },
            Err(error) => FromBot::Unreadable(json_object::complaint(line, &error, EXAMPLE)),
        }
    }
}

/// An answer with nothing but what it needs, as most programs write JSON. Among a thousand agents
/// the code that reads JSON has left the caches before the next answer comes: a look saves it.
fn plain(line: &[u8]) -> Option<Action> {
    fn after<'l>(line: &'l [u8], start: &str) -> Option<&'l [u8]> {
        let rest = line.strip_prefix(start.as_bytes())?;
        Some(rest.strip_prefix(b" ").unwrap_or(rest))
    }
    let word = after(line, "{\"action\":")?;
    match word {
        b"\"rest\"}" => Some(Action::Rest),
        b"\"replicate\"}" => Some(Action::Replicate),
        b"\"die\"}" => Some(Action::Die),
        _ => {
            let target = after(after(word, "\"attack\",")?, "\"target\":")?;
            let way = target.strip_prefix(b"\"")?.strip_suffix(b"\"}")?;
            std::str::from_utf8(way).ok()?.parse().ok().map(Action::Attack)
        }
    }
}

/// What an answer looks like.
const EXAMPLE: &str = "{\"action\":\"rest\"}";

/// The fields of an answer; others are ignored.
#[derive(Debug, Default)]
struct Reply<'l> {
    action: JsonField<'l>,
    target: JsonField<'l>,
    message: JsonField<'l>,
}

impl Reply<'_> {
    fn action(&self) -> Result<Action, String> {
        let word = match &self.action {
            JsonField::Text(word) => word.as_ref(),
            JsonField::Missing => return Err("there is no \"action\" in the answer".to_owned()),
            JsonField::Null | JsonField::True | JsonField::Other => {
                return Err("\"action\" is not a text such as \"rest\"".to_owned());
            }
        };
        match word {
            "attack" => self.target().map(Action::Attack),
            "rest" => Ok(Action::Rest),
            "replicate" => Ok(Action::Replicate),
            "die" => Ok(Action::Die),
            other => Err(format!(
                "{} is not an action; there are \"attack\", \"rest\", \"replicate\" and \"die\"",
                quote(other.as_bytes())
            )),
        }
    }

    fn target(&self) -> Result<Direction, String> {
        match &self.target {
            JsonField::Text(word) => word
                .parse()
                .map_err(|why| format!("{} is not a target: {why}", quote(word.as_bytes()))),
            JsonField::Missing => Err("\"attack\" needs a \"target\"".to_owned()),
            JsonField::Null | JsonField::True | JsonField::Other => {
                Err("\"target\" is not a text such as \"north\"".to_owned())
            }
        }
    }
}

/// The text of a message, cut where it becomes too long, between two letters.
fn message(field: JsonField<'_>) -> Option<String> {
    match field {
        JsonField::Text(text) => {
            let mut end = text.len().min(MOST_OF_A_MESSAGE);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            Some(text[..end].to_owned())
        }
        JsonField::Missing | JsonField::Null | JsonField::True | JsonField::Other => None,
    }
}

impl<'de> Deserialize<'de> for Reply<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Reply<'de>, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Reply<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object such as {\"action\":\"rest\"}")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Reply<'de>, A::Error> {
                let mut reply = Reply::default();
                each_field(map, |key, value| match key {
                    "action" => reply.action = value,
                    "target" => reply.target = value,
                    "message" => reply.message = value,
                    _ => {}
                })?;
                Ok(reply)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Cell, Size};
    use super::super::tag::Tag;
    use super::super::view::Neighbour;
    use super::*;

    /// The example of the document: the world state of `abc123`.
    fn example() -> (View, Own) {
        let tag = |name: &str| name.parse::<Tag>().expect("a name");
        let other = |energy, name| Some(Neighbour { tag: tag(name), energy });
        let own = Own {
            tag: tag("abc123"),
            at: Cell { x: 5, y: 3 },
            energy: 8,
            generation: 15,
            around: [
                None,
                other(5, "def456"),
                None,
                None,
                other(12, "ghi789"),
                None,
                None,
                other(3, "jkl012"),
            ],
        };
        let size = Size { width: 20, height: 15 };
        (View { tick: 42, size, own: Some(own), agents: Vec::new() }, own)
    }

    fn written(view: &View, own: &Own, limit: Option<Duration>) -> String {
        let mut bytes = Vec::new();
        write(view, own, limit, &mut bytes);
        String::from_utf8(bytes).expect("it is ASCII")
    }

    #[test]
    fn the_documents_example_is_written_byte_by_byte() {
        let document = r#"{
  "tick": 42,
  "agent_id": "abc123",
  "position": [5, 3],
  "energy": 8,
  "world_size": [20, 15],
  "neighbors": {
    "north_west": {"energy": 0, "agent_id": null},
    "north": {"energy": 5, "agent_id": "def456"},
    "north_east": {"energy": 0, "agent_id": null},
    "west": {"energy": 0, "agent_id": null},
    "east": {"energy": 12, "agent_id": "ghi789"},
    "south_west": {"energy": 0, "agent_id": null},
    "south": {"energy": 0, "agent_id": null},
    "south_east": {"energy": 3, "agent_id": "jkl012"}
  },
  "generation": 15,
  "timeout_ms": 1000
}"#;
        let compact = document.replace(['\n', ' '], "") + "\n";
        let (view, own) = example();
        assert_eq!(written(&view, &own, Some(Duration::from_secs(1))), compact);
    }

    #[test]
    fn the_longest_message_is_far_below_two_thousand_bytes() {
        let longest = game::ActorId(u32::MAX);
        let tag = Tag::of(game::Seed(1), longest);
        let own = Own {
            tag,
            at: Cell { x: u16::MAX, y: u16::MAX },
            energy: i32::MIN,
            generation: u32::MAX,
            around: [Some(Neighbour { tag, energy: i32::MIN }); 8],
        };
        let size = Size { width: u16::MAX, height: u16::MAX };
        let view = View { tick: u32::MAX, size, own: Some(own), agents: Vec::new() };
        let text = written(&view, &own, None);
        assert!(text.len() < 800, "{} bytes", text.len());
        assert!(text.ends_with(",\"timeout_ms\":2147483647}\n"), "{text}");
        assert_eq!(text.matches('\n').count(), 1);
    }

    fn answer(line: &str) -> Option<(Action, Option<String>)> {
        match FromBot::parse(line.as_bytes()) {
            FromBot::Answer { action, message } => Some((action, message)),
            FromBot::Blank | FromBot::Unreadable(_) => None,
        }
    }

    #[test]
    fn answers_are_read_as_the_document_has_them() {
        let document =
            r#"{"action":"attack","target":"north","message":"Taking energy from weak neighbor"}"#;
        let message = "Taking energy from weak neighbor".to_owned();
        assert_eq!(answer(document), Some((Action::Attack(Direction::North), Some(message))));
        for way in Direction::ALL {
            let line = format!(r#"{{"action":"attack","target":"{way}"}}"#);
            assert_eq!(answer(&line), Some((Action::Attack(way), None)));
        }
        for (line, action) in [
            (r#"{"action":"rest"}"#, Action::Rest),
            (r#" { "x": [1, {"y": null}], "action" : "replicate" } "#, Action::Replicate),
            (r#"{"action":"die","target":7,"message":null}"#, Action::Die),
            (r#"{"action":"\u0072est","target":"up"}"#, Action::Rest),
        ] {
            assert_eq!(answer(line), Some((action, None)), "{line}");
        }
        let cut = (Action::Rest, Some("\u{fffd}".to_owned()));
        assert_eq!(answer(r#"{"action":"rest","message":"\ud800"}"#), Some(cut));
        assert_eq!(FromBot::parse(b" \t\r"), FromBot::Blank);
    }

    #[test]
    fn plain_answers_mean_what_they_mean_in_json() {
        let attacks = Direction::ALL.map(|way| format!("\"attack\",\"target\":\"{way}\""));
        let others = ["rest", "replicate", "die"].map(|word| format!("\"{word}\""));
        let mut plain_ones = 0;
        for words in attacks.iter().chain(&others) {
            let compact = format!("{{\"action\":{words}}}");
            let spaced = compact.replace(':', ": ").replace(',', ", ");
            for line in [compact, spaced] {
                let reply: Reply<'_> = serde_json::from_str(&line).expect("it is JSON");
                assert_eq!(plain(line.as_bytes()), reply.action().ok(), "{line}");
                plain_ones += 1;
                // Anything else is left to the reader.
                let long = line.len();
                let cut = (0..long).map(|end| line[..end].to_owned());
                let doubled = (0..long).map(|at| format!("{}{}", &line[..=at], &line[at..]));
                for other in cut.chain(doubled) {
                    let read = serde_json::from_str::<Reply<'_>>(&other).ok();
                    let meant = read.and_then(|reply| reply.action().ok());
                    assert!(plain(other.as_bytes()).is_none_or(|it| Some(it) == meant), "{other}");
                }
            }
        }
        assert_eq!(plain_ones, 22);
    }

    #[test]
    fn what_is_no_answer_is_named() {
        for (line, why) in [
            (
                "hello",
                "\"hello\" is not an answer: it is not a JSON object such as {\"action\":\"rest\"}",
            ),
            ("{", "the JSON object has no end"),
            ("rest", "is not an answer"),
            ("\"rest\"", "it is not a JSON object such as"),
            ("[]", "it is not a JSON object"),
            ("null", "it is not a JSON object"),
            ("7", "it is not a JSON object"),
            ("{}", "there is no \"action\" in the answer"),
            (r#"{"Action":"rest"}"#, "there is no \"action\""),
            (r#"{"action":"sleep"}"#, "\"sleep\" is not an action; there are \"attack\", \"rest\""),
            (r#"{"action":"Rest"}"#, "\"Rest\" is not an action"),
            (r#"{"action":null}"#, "\"action\" is not a text"),
            (r#"{"action":["rest"]}"#, "\"action\" is not a text"),
            (r#"{"action":"attack"}"#, "\"attack\" needs a \"target\""),
            (r#"{"action":"attack","target":"up"}"#, "\"up\" is not a target: the directions are"),
            (r#"{"action":"attack","target":0}"#, "\"target\" is not a text"),
            (r#"{"action":"rest","action":"die"}"#, "the key \"action\" comes twice"),
            (r#"{"action":"rest","x":{"y":1,"y":2}}"#, "the key \"y\" comes twice"),
            (r#"{"action":"rest","x":NaN}"#, "it is not JSON at \"NaN}\""),
            ("{'action':'rest'}", "JSON has double quotation marks"),
            (r#"{"action":"rest"} {}"#, "something follows after the JSON object"),
            ("\u{feff}{\"action\":\"rest\"}", "it begins with a byte order mark"),
        ] {
            match FromBot::parse(line.as_bytes()) {
                FromBot::Unreadable(text) => assert!(text.contains(why), "{line}: {text}"),
                other => panic!("{line}: {other:?}"),
            }
        }
        let deep =
            format!(r#"{{"action":"rest","x":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(answer(&deep), None);
        assert_eq!(answer(&"[".repeat(60_000)), None);
        let bytes = b"{\"action\":\"rest\",\"message\":\"\xff\"}";
        assert!(matches!(FromBot::parse(bytes), FromBot::Unreadable(_)));
    }

    #[test]
    fn long_messages_are_cut_between_two_letters() {
        let long = format!(r#"{{"action":"rest","message":"x{}"}}"#, "é".repeat(2000));
        let (_, message) = answer(&long).expect("it is an answer");
        let message = message.expect("it has a message");
        assert_eq!((message.len(), message.chars().last()), (1023, Some('é')));
    }
}
