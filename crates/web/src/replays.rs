//! Replays that are files of their own: what the first page says of them.

use std::io::Read as _;
use std::sync::Mutex;

use serde_json::{Value, json};
use table::Record;

use crate::finding::{Place, file_at};
use crate::refusal::Refusal;
use crate::site::{Recent, Site, locked};

/// What is known of so many replays is kept.
const KNOWN: usize = 10_000;
/// How a longer one ended is found out only when it is looked at.
const SHORT: u64 = 256 << 10;

/// What is known of replays, by their ids.
pub(crate) struct Heads(Mutex<Recent<(i64, u64, Value)>>);

impl Default for Heads {
    fn default() -> Heads {
        Heads(Mutex::new(Recent::new(KNOWN)))
    }
}

impl Site {
    /// The bytes of a replay that is a file.
    pub(crate) fn replay_bytes(&self, place: &Place) -> Result<Vec<u8>, Refusal> {
        let failed =
            |error: std::io::Error| Refusal::failed(format!("{}: {error}", place.path.display()));
        let file = file_at(&self.folder, &place.path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(Record::LONGEST_FILE).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// What the first page says of a replay.
    pub(crate) fn replay_summary(&self, place: &Place) -> Value {
        if let Some((changed, size, head)) = locked(&self.heads.0).get(&place.id)
            && (*changed, *size) == (place.changed, place.size)
        {
            return head.clone();
        }
        let mut head = match self.read_head(place) {
            Ok(head) => head,
            Err(refusal) => {
                json!({ "game": null, "bots": [], "result": null, "error": refusal.why })
            }
        };
        head["id"] = place.id.as_str().into();
        head["path"] = place.path.display().to_string().into();
        head["changed"] = place.changed.into();
        let known = (place.changed, place.size, head.clone());
        locked(&self.heads.0).put(place.id.clone(), known);
        head
    }

    fn read_head(&self, place: &Place) -> Result<Value, Refusal> {
        if place.size > SHORT {
            return Ok(json!({ "game": null, "bots": [], "result": null }));
        }
        let record = Record::read(&self.replay_bytes(place)?);
        let record = record.map_err(|error| Refusal::failed(error.to_string()))?;
        let names: Vec<&str> =
            record.header.players.iter().map(|line| line.name.as_str()).collect();
        Ok(json!({ "game": record.header.game, "bots": names, "result": result(&record, &names) }))
    }
}

/// How a match ended, in words.
fn result(record: &Record, names: &[&str]) -> Option<String> {
    match record.ending()? {
        (Some(outcome), _) => {
            let reason = table::with_names(&outcome.reason, names);
            Some(match outcome.winner().and_then(|winner| names.get(winner)) {
                Some(winner) if names.len() > 1 => format!("{winner} wins: {reason}"),
                Some(_) => reason,
                None => format!("draw: {reason}"),
            })
        }
        (None, void) => Some(format!("void: {}", void.as_deref().unwrap_or("unknown"))),
    }
}
