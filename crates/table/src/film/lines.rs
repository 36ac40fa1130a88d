//! The lines of a film as they are written.

use game::{PlayerId, Verdict};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use super::step::{FaultWords, Happened, NoteWords};
use crate::scene::{Delta, Scene, Sprite, number};
use crate::shown::Measure;

/// The first line.
#[derive(Serialize)]
pub(super) struct FilmHead<'a> {
    pub(super) film: u32,
    pub(super) game: &'a str,
    pub(super) players: Vec<PlayerHead>,
    pub(super) eyes: Option<u16>,
    pub(super) hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) setup: Option<&'a Value>,
    pub(super) clock: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit_us: Option<u64>,
    pub(super) sprites: &'a [Sprite],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) measures: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) values: Vec<Vec<Option<Number>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<String>,
    pub(super) scene: &'a Scene,
    pub(super) lanista: &'a str,
}

/// A player in the first line.
#[derive(Serialize)]
pub(super) struct PlayerHead {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) about: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clock: Option<String>,
}

/// The line of a step.
pub(super) struct StepLine<'a> {
    pub(super) delta: &'a Delta,
    pub(super) happened: &'a Happened,
    pub(super) told: Vec<String>,
    pub(super) measures: Vec<Vec<Option<Number>>>,
    pub(super) at_us: Option<u64>,
}

impl Serialize for StepLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.delta.write(&mut map)?;
        let Happened { moves, faults, notes } = self.happened;
        if !moves.is_empty() {
            map.serialize_entry("moves", moves)?;
        }
        if !faults.is_empty() {
            map.serialize_entry("faults", faults)?;
        }
        if !notes.is_empty() {
            map.serialize_entry("notes", notes)?;
        }
        if !self.told.is_empty() {
            map.serialize_entry("told", &self.told)?;
        }
        if !self.measures.is_empty() {
            map.serialize_entry("measures", &self.measures)?;
        }
        if let Some(at) = self.at_us {
            map.serialize_entry("at_us", &at)?;
        }
        map.end()
    }
}

/// The last line, with what happened after the last step.
#[derive(Serialize)]
pub(super) struct LastLine<'a> {
    pub(super) over: Over<'a>,
    pub(super) verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) faults: &'a [FaultWords],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) notes: &'a [NoteWords],
}

/// How it ended.
#[derive(Serialize)]
pub(super) struct Over<'a> {
    pub(super) result: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scores: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ranks: Option<&'a [u16]>,
    pub(super) reason: String,
    pub(super) steps: u32,
}

/// The values of every measure, one of every player; what these eyes do not see is null.
pub(super) fn rows(measures: &[Measure], eyes: Option<PlayerId>) -> Vec<Vec<Option<Number>>> {
    let known = |(seat, value): (u16, &f64)| match eyes {
        Some(PlayerId(own)) if own != seat => None,
        Some(_) | None => number(*value),
    };
    let row = |measure: &Measure| (0..).zip(&measure.values).map(known).collect();
    measures.iter().map(row).collect()
}
