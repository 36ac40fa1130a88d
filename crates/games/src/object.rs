//! JSON objects from bots, read strictly: for games whose bots answer in JSON.

use std::collections::BTreeSet;
use std::fmt;

use game::quote;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// As much of a JSON value as answers need.
///
/// Values are read in full, ignored ones too: a key that comes twice or nesting without end makes
/// the line unreadable wherever it is.
#[derive(Debug, Default)]
pub(crate) enum Field {
    #[default]
    Missing,
    Null,
    True,
    Text(String),
    Other,
}

/// Reads an object and refuses a key that comes twice: readers differ on which one counts.
pub(crate) fn each_field<'de, A: MapAccess<'de>>(
    mut map: A,
    mut take: impl FnMut(&str, Field),
) -> Result<(), A::Error> {
    let mut keys = BTreeSet::new();
    while let Some(key) = map.next_key::<String>()? {
        take(&key, map.next_value()?);
        if let Some(twice) = keys.replace(key) {
            let key = quote(twice.as_bytes());
            return Err(de::Error::custom(format_args!("the key {key} comes twice")));
        }
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Field, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Field;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON value")
            }
            fn visit_unit<E>(self) -> Result<Field, E> {
                Ok(Field::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Field, E> {
                Ok(if value { Field::True } else { Field::Other })
            }
            fn visit_i64<E>(self, _: i64) -> Result<Field, E> {
                Ok(Field::Other)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Field, E> {
                Ok(Field::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Field, E> {
                Ok(Field::Other)
            }
            fn visit_str<E>(self, text: &str) -> Result<Field, E> {
                Ok(Field::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Field, A::Error> {
                while list.next_element::<Field>()?.is_some() {}
                Ok(Field::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Field, A::Error> {
                each_field(map, |_, _| {})?;
                Ok(Field::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}
