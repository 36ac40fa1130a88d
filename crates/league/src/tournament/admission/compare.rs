//! What a tournament file says otherwise than the results, in words that stay short.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::terms::{SettledTerms, terms};
use super::{Admission, Changes};
use crate::file::{BotEntry, EventSpec};
use crate::schedule::{Format, Results};
use crate::store::event_rows::{StoredBot, StoredEvent};
use crate::store::journal::Decision;

impl Admission {
    pub(super) fn compare_terms(
        &mut self,
        event: &EventSpec,
        played: SettledTerms,
        before: &StoredEvent,
    ) {
        let name = &event.name;
        let game = event.game.card().id;
        if before.game != game {
            self.what.push(format!("- {name}: the game was {}, and is {game} now", before.game));
        }
        let mut now = terms(event, played);
        // Who is new may have a clock of its own.
        if let Some(Value::Object(clocks)) = now.get_mut("clocks") {
            clocks.retain(|name, _| before.bots.iter().any(|bot| bot.name == *name));
            if clocks.is_empty() {
                now.remove("clocks");
            }
        }
        let then: Map<String, Value> = serde_json::from_str(&before.terms).unwrap_or_default();
        let keys: HashSet<&String> = now.keys().chain(then.keys()).collect();
        let mut keys: Vec<&String> = keys.into_iter().collect();
        keys.sort();
        for key in keys {
            let mut different = Vec::new();
            differences(key, then.get(key), now.get(key), &mut different);
            self.what.extend(different.iter().map(|line| format!("- {name}: {line}")));
        }
        self.compare_order(event, before);
    }

    /// Where the order of the file says who meets whom, it must stay: bots have kept their numbers.
    fn compare_order(&mut self, event: &EventSpec, before: &StoredEvent) {
        let names: Vec<&str> = event.bots.iter().map(|entry| entry.spec.name.as_str()).collect();
        let known: Vec<&str> = before.bots.iter().map(|bot| bot.name.as_str()).collect();
        let (old, new): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|name| known.contains(name));
        let mut wanted: Vec<&str> = known.into_iter().filter(|name| names.contains(name)).collect();
        debug_assert_eq!(old.len(), wanted.len());
        wanted.extend(new);
        let (first, why) = match event.format {
            Format::RoundRobin { .. } | Format::Ladder { .. } => return,
            Format::Gauntlet { challengers, .. } => {
                (challengers as usize, "the first of the file are the challengers")
            }
            Format::Swiss { .. } => (names.len(), "it decides who meets in the first round"),
            Format::Knockout { .. } => (names.len(), "it is the seeding"),
        };
        let first = first.min(names.len());
        if names[..first] != wanted[..first] {
            self.what.push(format!(
                "- {}: the order of the bots was {}, and is {} now; {why}, and new ones come last",
                event.name,
                short(&wanted[..first].join(", ")),
                short(&names[..first].join(", ")),
            ));
        }
    }

    pub(super) fn compare_bot(
        &mut self,
        event: &EventSpec,
        entry: &BotEntry,
        before: &StoredBot,
        now: &StoredBot,
    ) {
        if before.identity == now.identity {
            return;
        }
        if self.changes == Changes::Accepted {
            let (event, bot) = (event.name.clone(), now.name.clone());
            self.accepted.push(Decision::Accept { event, bot });
            return;
        }
        let (event, name, shown) = (&event.name, &now.name, &now.shown);
        if before.shown != now.shown {
            let (before, shown) = (short(&before.shown), short(shown));
            self.changed = true;
            self.what
                .push(format!("- {event}: the bot \"{name}\" was {before}, and is {shown} now"));
            return;
        }
        let different = self.census.differences(&entry.spec, &before.identity, &now.identity);
        if !different.is_empty() {
            self.changed = true;
            self.what.push(format!(
                "- {event}: the bot \"{name}\" ({shown}) is not the same as before: {}",
                different.join(", ")
            ));
        }
    }

    /// Every game that was played must be part of what is to be played.
    pub(super) fn compare_games(
        &mut self,
        event: &EventSpec,
        seed: u64,
        bots: &[(BotEntry, StoredBot)],
        results: &Results,
    ) {
        let stages = self.plan(event, seed, bots).stages(results);
        // Most of a long schedule lies behind the last finished game.
        let mut missing = results.len();
        for game in stages.iter().flatten() {
            if missing == 0 {
                break;
            }
            missing -= usize::from(results.has(&game));
        }
        if missing > 0 {
            self.what.push(format!(
                "- {}: {} that {} played {} not part of its schedule any more (fewer rounds?)",
                event.name,
                game::count(missing as u64, "game"),
                if missing == 1 { "was" } else { "were" },
                if missing == 1 { "is" } else { "are" },
            ));
        }
    }
}

/// A longer value is not printed whole.
const LONGEST_SHOWN: usize = 100;

/// A value as it is printed.
fn short(value: &str) -> String {
    let length = value.chars().count();
    match length > LONGEST_SHOWN {
        true => {
            let start: String = value.chars().take(LONGEST_SHOWN / 2).collect();
            format!("{start}… ({length} characters)")
        }
        false => value.to_owned(),
    }
}

/// What is different between two values, key by key.
fn differences(key: &str, then: Option<&Value>, now: Option<&Value>, lines: &mut Vec<String>) {
    if then == now {
        return;
    }
    if let (Some(Value::Object(then)), Some(Value::Object(now))) = (then, now) {
        let mut keys: Vec<&String> = then.keys().chain(now.keys()).collect();
        keys.sort();
        keys.dedup();
        for inner in keys {
            differences(&format!("{key}.{inner}"), then.get(inner), now.get(inner), lines);
        }
        return;
    }
    let shown = |value: Option<&Value>| match value {
        Some(value) => short(&value.to_string()),
        None => "not set".to_owned(),
    };
    let (before, after) = (shown(then), shown(now));
    lines.push(match before == after {
        // Only what is not printed is different.
        true => format!("{key} has changed ({before})"),
        false => format!("{key} was {before}, and is {after} now"),
    });
}

/// So many differences are named.
const MOST_LINES: usize = 20;

/// The first of many lines, and how many more there are.
pub(super) fn first_lines(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("- and {more} more"));
    }
    lines
}
