//! What a running program and those who watch its games say to each other (docs/live.md): one JSON object a line.
//!
//! Only the words. The host listens; a reader needs nothing of it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::log::{Header, PlayerLine};

/// The version of what is said here.
pub const VERSION: u32 = 1;

/// What a reader is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToReader {
    /// The first line.
    Hello(Hello),
    /// All games under way, after every change.
    Games {
        /// They.
        games: Vec<LiveGame>,
    },
    /// What a game is; again if a bot has described itself since.
    Head {
        /// Its id.
        game: u64,
        /// The first line of its replay.
        head: Box<Header>,
    },
    /// A part of a game's log.
    Log {
        /// Its id.
        game: u64,
        /// How many bytes came before.
        at: u64,
        /// What follows them. It may begin and end in the middle of an entry.
        log: Bytes,
    },
    /// Nothing more comes of a game.
    End {
        /// Its id.
        game: u64,
        /// Why.
        end: LiveEnd,
    },
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of what is said: [`VERSION`].
    pub live: u32,
    /// The version of the program.
    pub lanista: String,
    /// The number of its process.
    pub pid: u32,
    /// What it does: `play`, `run`, `test`, `demo`.
    pub command: String,
    /// The folder of the run, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// A game under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveGame {
    /// No other game of this process has it.
    pub id: u64,
    /// Its number in the run.
    pub index: u64,
    /// The game's name.
    pub game: String,
    /// The match's own id.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The players, by seat.
    pub players: Vec<PlayerLine>,
    /// The set-up, whole.
    pub setup: serde_json::Value,
    /// When it was begun, in milliseconds since 1970.
    pub began_ms: u64,
    /// Whether there is a log of it. Without one it cannot be watched.
    pub recorded: bool,
    /// The worker that plays it, if another machine does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

/// Why nothing more comes of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LiveEnd {
    /// It is over, and all of it has been sent.
    Over,
    /// The match was begun anew, under another id.
    Again,
    /// There is no such game, or no log of it.
    Gone,
}

/// What a reader says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FromReader {
    /// It wants the log of a game.
    Watch {
        /// The game's id.
        watch: u64,
        /// How many bytes of it the reader has.
        #[serde(default)]
        from: u64,
    },
    /// It wants no more of a game.
    Forget {
        /// The game's id.
        forget: u64,
    },
}

/// Bytes, in JSON as Base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Bytes {
    fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.0.len().div_ceil(3) * 4);
        for three in self.0.chunks(3) {
            let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
            let bits = bits << (8 * (3 - three.len()));
            for letter in 0..4 {
                let index = bits >> (18 - 6 * letter) & 63;
                text.push(if letter <= three.len() { LETTERS[index as usize].into() } else { '=' });
            }
        }
        text
    }

    fn from_text(text: &str) -> Option<Bytes> {
        let value = |letter: u8| LETTERS.iter().position(|other| *other == letter);
        let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
        let whole = text.as_bytes();
        for (number, four) in whole.chunks(4).enumerate() {
            let there = four.iter().position(|letter| *letter == b'=').unwrap_or(4);
            let last = (number + 1) * 4 == whole.len();
            if four.len() < 4 || there < 2 || (there < 4 && !last) {
                return None;
            }
            let mut bits = 0_u32;
            for letter in &four[..there] {
                bits = bits << 6 | value(*letter)? as u32;
            }
            if four[there..].iter().any(|letter| *letter != b'=') {
                return None;
            }
            bits <<= 6 * (4 - there);
            bytes.extend_from_slice(&bits.to_be_bytes()[1..there]);
        }
        Some(Bytes(bytes))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || serde::de::Error::custom("these bytes are not in Base64");
        Bytes::from_text(&text).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_through_as_base64() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            let bytes = Bytes(bytes.as_bytes().to_vec());
            assert_eq!(bytes.to_text(), text);
            assert_eq!(Bytes::from_text(text), Some(bytes));
        }
        let all = Bytes((0..=255).collect());
        assert_eq!(Bytes::from_text(&all.to_text()), Some(all));
        for wrong in ["Z", "Zg=", "Zg==Zg==", "Z===", "Zm9\u{e4}", "Zm =", "Zg=v"] {
            assert_eq!(Bytes::from_text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn words_are_told_apart_by_their_fields() {
        let words = [
            r#"{"live":1,"lanista":"0.1.0","pid":7,"command":"play"}"#,
            r#"{"games":[]}"#,
            r#"{"game":7,"at":3,"log":"Zm9v"}"#,
            r#"{"game":7,"end":"over"}"#,
        ];
        for word in words {
            let read: ToReader = serde_json::from_str(word).expect("it is understood");
            assert_eq!(serde_json::to_string(&read).expect("it can be written"), word);
        }
        for (word, wanted) in [
            (r#"{"watch":7}"#, FromReader::Watch { watch: 7, from: 0 }),
            (r#"{"watch":7,"from":9}"#, FromReader::Watch { watch: 7, from: 9 }),
            (r#"{"forget":7}"#, FromReader::Forget { forget: 7 }),
        ] {
            assert_eq!(serde_json::from_str::<FromReader>(word).expect("understood"), wanted);
        }
        assert!(serde_json::from_str::<FromReader>(r#"{"watch":-1}"#).is_err());
    }
}
