//! Messages for scripts.

use serde_json::{Map, Value, json};

use super::super::grid::Direction;

/// The agent in scripts.
pub(super) const AGENT: &str = "abc123";

/// What an agent is told.
#[derive(Clone)]
pub(super) struct Tick {
    message: Map<String, Value>,
}

impl Tick {
    /// A tick of an agent without neighbours, in the middle of the usual world.
    pub(super) fn new(number: u32) -> Tick {
        let nobody = |way: Direction| (way.name().to_owned(), json!({"energy":0,"agent_id":null}));
        let neighbours: Map<String, Value> = Direction::ALL.into_iter().map(nobody).collect();
        let fields = [
            ("tick", json!(number)),
            ("agent_id", json!(AGENT)),
            ("position", json!([5, 3])),
            ("energy", json!(8)),
            ("world_size", json!([20, 15])),
            ("neighbors", Value::Object(neighbours)),
            ("generation", json!(0)),
            ("timeout_ms", json!(1000)),
        ];
        Tick { message: fields.map(|(key, value)| (key.to_owned(), value)).into_iter().collect() }
    }

    fn with(mut self, key: &str, value: Value) -> Tick {
        self.message[key] = value;
        self
    }

    pub(super) fn at(self, x: u16, y: u16) -> Tick {
        self.with("position", json!([x, y]))
    }

    pub(super) fn sized(self, width: u16, height: u16) -> Tick {
        self.with("world_size", json!([width, height]))
    }

    pub(super) fn energy(self, energy: u32) -> Tick {
        self.with("energy", json!(energy))
    }

    pub(super) fn generation(self, generation: u32) -> Tick {
        self.with("generation", json!(generation))
    }

    pub(super) fn timeout(self, ms: u32) -> Tick {
        self.with("timeout_ms", json!(ms))
    }

    /// Neighbours on all sides, of about this energy.
    pub(super) fn crowded(mut self, energy: u32) -> Tick {
        for (number, way) in Direction::ALL.into_iter().enumerate() {
            let other =
                json!({"energy": energy + number as u32, "agent_id": format!("def{number}56")});
            self.message["neighbors"][way.name()] = other;
        }
        self
    }

    /// The message.
    pub(super) fn line(&self) -> String {
        Value::Object(self.message.clone()).to_string()
    }

    /// The message with its fields in another order.
    pub(super) fn shuffled(&self) -> String {
        let fields = self.message.iter().rev().map(|(key, value)| (key.clone(), value.clone()));
        Value::Object(fields.collect()).to_string()
    }

    /// The message with fields that are not in the document.
    pub(super) fn with_others(&self) -> String {
        let mut message = Map::from_iter([("weather".to_owned(), json!({"rain": [1, null]}))]);
        message.extend(self.message.clone());
        message.insert("season".to_owned(), json!("winter"));
        Value::Object(message).to_string()
    }

    /// The message without these fields.
    pub(super) fn without(&self, fields: &[&str]) -> String {
        let kept = self.message.iter().filter(|(key, _)| !fields.contains(&key.as_str()));
        Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_documents_form() {
        let line = Tick::new(42).at(5, 3).line();
        let begins = r#"{"tick":42,"agent_id":"abc123","position":[5,3],"energy":8,"world_size":[20,15],"neighbors":{"north_west":{"energy":0,"agent_id":null},"north":"#;
        assert!(line.starts_with(begins), "{line}");
        assert!(line.ends_with(
            r#""south_east":{"energy":0,"agent_id":null}},"generation":0,"timeout_ms":1000}"#
        ));
        assert!(!Tick::new(1).without(&["generation"]).contains("generation"));
    }
}
