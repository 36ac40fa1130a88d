//! What an event is played with and must not change once games have been played.

use host::{Pondering, Reuse};
use serde_json::{Map, Value, json};
use table::Adjudication;

use crate::file::EventSpec;
use crate::schedule::{Format, System};
use crate::store::event_rows::StoredEvent;

/// What an event is played with that its file may leave open: a run settles it when it begins, and
/// keeps to it.
#[derive(Clone, Copy)]
pub(super) struct SettledTerms {
    pub(super) seed: u64,
    pub(super) adjudication: Adjudication,
}

/// When the matches of an event are ended early. Where the file does not say when a bot is given
/// up, a run that has begun keeps to what it began with: defaults are other ones in other versions.
pub(super) fn adjudication(event: &EventSpec, before: Option<&StoredEvent>) -> Adjudication {
    let usual = match before {
        Some(before) => before.event_terms().adjudication.max_faults(),
        None => event.game.card().max_faults,
    };
    let settled = event.adjudication.settle(usual);
    settled.expect("what a file asks for has been checked")
}

/// What must not change once games have been played. The number of rounds may.
pub(super) fn terms(event: &EventSpec, played: SettledTerms) -> Map<String, Value> {
    let mut terms = Map::new();
    match event.format {
        Format::RoundRobin { .. } => {}
        Format::Gauntlet { challengers, .. } => {
            terms.insert("challengers".to_owned(), json!(challengers));
        }
        Format::Swiss { games, .. } | Format::Ladder { games } => {
            terms.insert("games".to_owned(), json!(games));
        }
        Format::Knockout { games, extra, third_place, system } => {
            if system != System::Single {
                terms.insert("system".to_owned(), json!(system));
                // They decide who comes out of a group.
                let tie_breaks = event.tiebreaks.as_ref().map(|given| json!(given));
                terms.extend(tie_breaks.map(|given| ("tiebreaks".to_owned(), given)));
            }
            terms.insert("games".to_owned(), json!(games));
            terms.insert("extra_pairs".to_owned(), json!(extra));
            terms.insert("third_place".to_owned(), json!(third_place));
        }
    }
    terms.insert("format".to_owned(), json!(event.format.name()));
    terms.insert("seats".to_owned(), json!(event.seats));
    terms.insert("seed".to_owned(), json!(played.seed));
    terms.insert("clock".to_owned(), json!(event.clock));
    let clocks =
        event.bots.iter().filter_map(|bot| Some((bot.spec.name.clone(), json!(bot.clock?))));
    let clocks: Map<String, Value> = clocks.collect();
    if !event.weights.is_empty() {
        terms.insert("weights".to_owned(), json!(event.weights));
    }
    // Runs that were begun when there was no such key go on.
    if !clocks.is_empty() {
        terms.insert("clocks".to_owned(), Value::Object(clocks));
    }
    if let Some(open_games) = event.open_games {
        terms.insert("open_games".to_owned(), json!(open_games));
    }
    if !played.adjudication.is_none() {
        terms.insert("adjudication".to_owned(), json!(played.adjudication));
    }
    if let Some(test) = event.test {
        terms.insert("test".to_owned(), json!(test));
    }
    if event.manner.pondering == Pondering::Frozen {
        terms.insert("freeze".to_owned(), json!(true));
    }
    if event.manner.reuse == Reuse::Never {
        terms.insert("fresh".to_owned(), json!(true));
    }
    match &event.setups[..] {
        [only] => terms.insert("setup".to_owned(), json!(only)),
        several => terms.insert("variants".to_owned(), json!(several)),
    };
    terms
}
