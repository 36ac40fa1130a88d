//! JSON objects from bots, read strictly: for games whose bots answer in JSON.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use game::quote;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// As much of a JSON value as answers need.
///
/// Values are read in full, ignored ones too: a key that comes twice or nesting without end makes
/// the line unreadable wherever it is.
#[derive(Debug, Default)]
pub(crate) enum JsonField<'l> {
    #[default]
    Missing,
    Null,
    True,
    Text(Cow<'l, str>),
    Other,
}

/// Reads a line of JSON. One that has to be mended before is put into `room`.
pub(crate) fn read<'l, T: Deserialize<'l>>(
    line: &'l [u8],
    room: &'l mut Vec<u8>,
) -> Result<T, serde_json::Error> {
    match serde_json::from_slice(line) {
        Err(error) => match mended(line) {
            Cow::Borrowed(_) => Err(error),
            Cow::Owned(line) => {
                *room = line;
                serde_json::from_slice(room).map_err(|_| error)
            }
        },
        read => read,
    }
}

/// Why a line is not an answer such as `example`, in words for whoever wrote the bot.
pub(crate) fn complaint(line: &[u8], error: &serde_json::Error, example: &str) -> String {
    let text = error.to_string();
    let text = text.split(" at line 1 column ").next().unwrap_or(&text);
    let begins = line.trim_ascii_start();
    let why = if line.starts_with("\u{feff}".as_bytes()) {
        "it begins with a byte order mark".to_owned()
    } else if !begins.starts_with(b"{") {
        format!("it is not a JSON object such as {example}")
    } else if std::str::from_utf8(line).is_err() {
        "it is not UTF-8".to_owned()
    } else if error.is_eof() {
        "the JSON object has no end".to_owned()
    } else if error.is_data() {
        // Those are our own words.
        text.to_owned()
    } else if text == "trailing characters" {
        "something follows after the JSON object".to_owned()
    } else if text == "recursion limit exceeded" {
        "it is nested too deeply".to_owned()
    } else {
        let at = error.column().saturating_sub(1).min(line.len());
        let quotes = match line[at..].first() {
            Some(b'\'') => ", JSON has double quotation marks",
            _ => "",
        };
        format!("it is not JSON at {}{quotes}", quote(&line[at..line.len().min(at + 20)]))
    };
    format!("{} is not an answer: {why}", quote(line))
}

/// JavaScript and Python write a letter that was cut in two as half of a pair of escapes. That is
/// JSON, though no text: it becomes the sign for what cannot be read.
fn mended(line: &[u8]) -> Cow<'_, [u8]> {
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut mended = Cow::Borrowed(line);
    let mut at = 0;
    while at < line.len() {
        let (high, low) = (0xd800..0xdc00, 0xdc00..0xe000);
        at += match unit(at) {
            Some(first) if high.contains(&first) => match unit(at + 6) {
                Some(second) if low.contains(&second) => 12,
                _ => {
                    mended.to_mut()[at + 2..at + 6].copy_from_slice(b"fffd");
                    6
                }
            },
            Some(alone) if low.contains(&alone) => {
                mended.to_mut()[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            Some(_) => 6,
            // What is escaped is no escape itself.
            None if line[at] == b'\\' => 2,
            None => 1,
        };
    }
    mended
}

/// Reads an object and refuses a key that comes twice: readers differ on which one counts.
pub(crate) fn each_field<'de, A: MapAccess<'de>>(
    mut map: A,
    mut take: impl FnMut(&str, JsonField<'de>),
) -> Result<(), A::Error> {
    // Answers have few keys. A search through very many would take long.
    const FEW: usize = 8;
    let (mut few, mut others) = (Vec::new(), BTreeSet::new());
    while let Some(JsonKey(key)) = map.next_key()? {
        take(&key, map.next_value()?);
        if few.contains(&key) || others.contains(&key) {
            let key = quote(key.as_bytes());
            return Err(de::Error::custom(format_args!("the key {key} comes twice")));
        }
        if few.len() < FEW {
            few.push(key);
        } else {
            others.insert(key);
        }
    }
    Ok(())
}

/// A key, copied only if it is written with escapes.
struct JsonKey<'l>(Cow<'l, str>);

impl<'de> Deserialize<'de> for JsonKey<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonKey<'de>, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = JsonKey<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<JsonKey<'de>, E> {
                Ok(JsonKey(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<JsonKey<'de>, E> {
                Ok(JsonKey(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl<'de> Deserialize<'de> for JsonField<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonField<'de>, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = JsonField<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON value")
            }
            fn visit_unit<E>(self) -> Result<JsonField<'de>, E> {
                Ok(JsonField::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<JsonField<'de>, E> {
                Ok(if value { JsonField::True } else { JsonField::Other })
            }
            fn visit_i64<E>(self, _: i64) -> Result<JsonField<'de>, E> {
                Ok(JsonField::Other)
            }
            fn visit_u64<E>(self, _: u64) -> Result<JsonField<'de>, E> {
                Ok(JsonField::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<JsonField<'de>, E> {
                Ok(JsonField::Other)
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<JsonField<'de>, E> {
                Ok(JsonField::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<JsonField<'de>, E> {
                Ok(JsonField::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<JsonField<'de>, A::Error> {
                while list.next_element::<JsonField<'_>>()?.is_some() {}
                Ok(JsonField::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JsonField<'de>, A::Error> {
                each_field(map, |_, _| {})?;
                Ok(JsonField::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn half_a_letter_is_json() {
        let text = |line: &str| {
            let value: Value = read(line.as_bytes(), &mut Vec::new()).ok()?;
            value.as_str().map(str::to_owned)
        };
        let reads = |line: &str, wanted: &str| assert_eq!(text(line).as_deref(), Some(wanted));
        reads(r#""a\ud83d""#, "a\u{fffd}");
        reads(r#""\ude00\ud83d\ud83d\ude00b""#, "\u{fffd}\u{fffd}\u{1f600}b");
        reads(r#""\\ud83d \ud83D""#, "\\ud83d \u{fffd}");
        for wrong in [r#""\ud83""#, r#""\ud83d"#, r#""\u+12d \ud83d""#, "\"\\"] {
            assert_eq!(text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_key_that_comes_twice_is_found_among_few_and_among_many() {
        let reads = |keys: &[String]| {
            let line = format!("{{{}}}", keys.join(","));
            read::<JsonField<'_>>(line.as_bytes(), &mut Vec::new()).is_ok()
        };
        for count in [1, 2, 8, 9, 10, 3000] {
            let mut keys: Vec<String> = (0..count).map(|key| format!("\"{key}\":0")).collect();
            assert!(reads(&keys), "{count} different keys");
            for again in [0, count / 2, count - 1] {
                keys.push(keys[again].replace(':', " :"));
                assert!(!reads(&keys), "key {again} of {count} comes twice");
                keys.pop();
            }
        }
        assert!(
            !reads(&["\"a\":0".to_owned(), "\"\\u0061\":1".to_owned()]),
            "whatever its spelling"
        );
    }
}
