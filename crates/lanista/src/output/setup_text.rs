//! A set-up in one line, for people.

use serde_json::{Map, Value};

/// What a set-up says, the texts of files left out.
pub(crate) fn setup(setup: &Map<String, Value>) -> String {
    const WIDEST: usize = 60;
    let pair = |(key, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match value.contains('\n') || value.chars().count() > WIDEST {
            true => format!("{key} as given"),
            false => format!("{key} = {value}"),
        }
    };
    match setup.is_empty() {
        true => "as usual".to_owned(),
        false => setup.iter().map(pair).collect::<Vec<_>>().join(", "),
    }
}
