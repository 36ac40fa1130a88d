//! What ended a match and who left it, as types. Words are only printed: they may hold a bot's own.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::{Fault, FaultKind, PlayerId};

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// What ended it.
    pub by: EndedBy,
    /// More exactly, in a word of a closed list: the game's own for an end by the rules, the kind
    /// of the fault for a forfeit, `turns` or `lead` for an adjudication.
    pub why: Word,
    /// The players who left the game, in this order, whether or not that ended it.
    pub forfeits: Vec<Forfeited>,
}

/// What ended a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndedBy {
    /// The rules: somebody has won, or nothing is left to play.
    Rules,
    /// Too few players were left.
    Forfeit,
    /// The terms of the match, before its rules did.
    Adjudication,
    /// Nobody has said.
    Unknown,
}

impl Ending {
    /// By the rules; the word is the game's own for it.
    pub fn rules(why: &'static str) -> Ending {
        Ending { by: EndedBy::Rules, why: Word::new(why), forfeits: Vec::new() }
    }

    /// Because these players left; the last of them was one too many.
    pub fn forfeit(forfeits: Vec<Forfeited>) -> Ending {
        let why = match forfeits.last() {
            Some(Forfeited { by: ForfeitBy::MaxFaults, .. }) => "max-faults",
            Some(Forfeited { by: ForfeitBy::Rule, fault, .. }) => fault.name(),
            None => "nobody",
        };
        Ending { by: EndedBy::Forfeit, why: Word::new(why), forfeits }
    }

    /// By the terms of the match, in this word.
    pub fn adjudication(why: &'static str) -> Ending {
        Ending { by: EndedBy::Adjudication, why: Word::new(why), forfeits: Vec::new() }
    }

    /// The same after these players had left.
    pub fn after(mut self, forfeits: impl IntoIterator<Item = Forfeited>) -> Ending {
        self.forfeits.extend(forfeits);
        self
    }

    /// Why this player left the game, if it did.
    pub fn forfeit_of(&self, player: PlayerId) -> Option<Forfeited> {
        self.forfeits.iter().copied().find(|one| one.seat == player)
    }
}

/// That of a record which does not say.
impl Default for Ending {
    fn default() -> Ending {
        Ending { by: EndedBy::Unknown, why: Word::new("unknown"), forfeits: Vec::new() }
    }
}

/// A word of this program's own, never a bot's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word(Cow<'static, str>);

impl Word {
    /// A word that is written in the source.
    pub const fn new(word: &'static str) -> Word {
        Word(Cow::Borrowed(word))
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A player who left a game, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forfeited {
    /// Who.
    pub seat: PlayerId,
    /// What it did wrong last.
    pub fault: FaultKind,
    /// What made that the end.
    pub by: ForfeitBy,
}

/// What makes a fault cost the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForfeitBy {
    /// The rule of the game.
    Rule,
    /// The terms of the match: it was one fault too many in a row.
    MaxFaults,
}

/// Why an actor leaves a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forfeit {
    /// What it did wrong last.
    pub fault: Fault,
    /// What made that the end.
    pub by: ForfeitBy,
}

impl Forfeit {
    /// It leaves because the rule of the game says so.
    pub fn by_rule(fault: Fault) -> Forfeit {
        Forfeit { fault, by: ForfeitBy::Rule }
    }

    /// The same as a fact about a player.
    pub fn of(&self, seat: PlayerId) -> Forfeited {
        Forfeited { seat, fault: self.fault.kind, by: self.by }
    }
}

impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by {
            ForfeitBy::Rule => write!(f, "{}", self.fault),
            ForfeitBy::MaxFaults => write!(f, "given up, {}", self.fault),
        }
    }
}

/// Replays of the first format hold a text: the fault's kind, a colon and its detail, all of them
/// written by the table.
impl<'de> Deserialize<'de> for Forfeit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Forfeit, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            fault: Fault,
            by: ForfeitBy,
        }
        impl From<Fields> for Forfeit {
            fn from(Fields { fault, by }: Fields) -> Forfeit {
                Forfeit { fault, by }
            }
        }
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Forfeit;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("why an actor leaves")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Forfeit, E> {
                let known = text
                    .split_once(": ")
                    .and_then(|(name, detail)| FaultKind::of_name(name).map(|kind| (kind, detail)));
                let (kind, detail) = known.unwrap_or((FaultKind::Crash, text));
                Ok(Forfeit::by_rule(Fault { kind, detail: detail.to_owned() }))
            }
            fn visit_seq<S: de::SeqAccess<'de>>(self, seq: S) -> Result<Forfeit, S::Error> {
                Fields::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(Forfeit::from)
            }
            fn visit_map<M: de::MapAccess<'de>>(self, map: M) -> Result<Forfeit, M::Error> {
                Fields::deserialize(de::value::MapAccessDeserializer::new(map)).map(Forfeit::from)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer as _;

    #[test]
    fn a_forfeit_of_the_first_format_is_read_by_what_the_table_wrote_alone() {
        let read = |text: &str| {
            let text: de::value::StrDeserializer<'_, de::value::Error> = text.into_deserializer();
            Forfeit::deserialize(text).expect("it is read")
        };
        let refused = read("refused: \"ERROR forfeits: timeout: 5\"");
        assert_eq!(refused.fault.kind, FaultKind::Refused);
        assert_eq!(refused.to_string(), "refused: \"ERROR forfeits: timeout: 5\"");
        assert_eq!(read("timeout: no answer").fault.kind, FaultKind::Timeout);
    }

    #[test]
    fn the_last_who_left_says_why_a_game_ended() {
        let left = |seat, fault, by| Forfeited { seat: PlayerId(seat), fault, by };
        let first = left(2, FaultKind::Crash, ForfeitBy::Rule);
        let ending = Ending::forfeit(vec![first, left(0, FaultKind::Timeout, ForfeitBy::Rule)]);
        assert_eq!(ending.why.as_str(), "timeout");
        assert_eq!(ending.forfeit_of(PlayerId(2)), Some(first));
        let given_up = left(1, FaultKind::Timeout, ForfeitBy::MaxFaults);
        assert_eq!(Ending::forfeit(vec![given_up]).why.as_str(), "max-faults");
    }
}
