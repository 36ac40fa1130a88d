//! A log in words: what people read beside a picture, and every line that was said.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use game::{ActorId, Choice, PlayerId, Tick, Topic, quote};
use serde::Serialize;

use crate::hosted::Hosted;
use crate::log::{Entry, Header};
use crate::seat::SeatId;

/// How many things said by bots a caption shows.
const NOTES_SHOWN: usize = 3;

/// With more actors than this a caption counts instead of listing.
const ACTORS_SHOWN: usize = 8;

/// What led to the state after `step`: the moves, their times, faults, and what bots said.
pub(crate) fn caption<G: Hosted>(
    header: &Header,
    game: &G,
    entries: &[Entry<G::Action>],
    steps: &[usize],
    step: usize,
) -> Vec<String> {
    let name = |player: PlayerId| name_of(header, player);
    let from = if step < 2 { 0 } else { steps[step - 2] + 1 };
    let to = match step {
        0 => 0,
        _ if step == steps.len() => entries.len(),
        _ => steps[step - 1] + 1,
    };
    let owners = owners(entries);
    let mut said = Vec::new();
    let mut lines = Vec::new();
    let (mut answers, mut faults, mut end) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &entries[from..to] {
        match entry {
            Entry::Stepped { moves, .. } if moves.0.len() > ACTORS_SHOWN => {
                lines.push(summary(&moves.0));
            }
            Entry::Stepped { moves, .. } => {
                for (actor, choice) in &moves.0 {
                    let who = game.actor_name(*actor);
                    lines.push(match choice {
                        Choice::Act(action) => format!("{who}: {}", in_words(action)),
                        Choice::Forfeit(why) => format!("{who} leaves the game: {why}"),
                    });
                }
            }
            Entry::Answered { seat, wall, cpu, .. } => {
                let who = owners.get(seat).map_or("?", |player| name(*player));
                answers.push(format!("{who} took {} ms ({} ms processor)", ms(*wall), ms(*cpu)));
            }
            Entry::Faulted { player, fault, ruling, .. } => {
                faults.push(format!("! {} {fault} — {ruling}", name(*player)));
            }
            Entry::Noted { seat, note, .. } => {
                let who = owners.get(seat).map_or("?", |player| name(*player));
                said.push(format!("{who} says: {}", note.text));
            }
            Entry::Stderr { seat, bytes, .. } => {
                let who = owners.get(seat).map_or("?", |player| name(*player));
                let text = String::from_utf8_lossy(&bytes.0);
                said.extend(text.lines().map(|l| format!("{who} stderr: {}", quote(l.as_bytes()))));
            }
            Entry::Over { outcome: Some(outcome), .. } => end.push(match outcome.winner() {
                Some(_) if header.players.len() == 1 => format!("over: {}", outcome.reason),
                Some(winner) => {
                    format!("{} wins: {}", name(PlayerId(winner as u16)), outcome.reason)
                }
                None => format!("draw: {}", outcome.reason),
            }),
            Entry::Over { void, .. } => {
                end.push(format!("void: {}", void.as_deref().unwrap_or("unknown")));
            }
            Entry::Seated { .. }
            | Entry::Sent { .. }
            | Entry::Got { .. }
            | Entry::Left { .. }
            | Entry::Kept { .. }
            | Entry::Cut { .. }
            | Entry::Truncated => {}
        }
    }
    // With a crowd of actors the picture must not be pushed off the screen.
    if answers.len() <= ACTORS_SHOWN {
        lines.splice(0..0, answers);
    }
    let more = faults.len().saturating_sub(ACTORS_SHOWN);
    lines.extend(faults.into_iter().take(ACTORS_SHOWN));
    if more > 0 {
        lines.push(format!("! and {more} more"));
    }
    lines.extend(end);
    let hidden = said.len().saturating_sub(NOTES_SHOWN);
    lines.extend(said.into_iter().skip(hidden));
    lines
}

/// What a crowd did: every choice once, with its number, the commonest first.
fn summary<A: Serialize>(moves: &[(ActorId, Choice<A>)]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, choice) in moves {
        let words = match choice {
            Choice::Act(action) => in_words(action),
            Choice::Forfeit(_) => "left the game".to_owned(),
        };
        *counts.entry(words).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let more = counts.len().saturating_sub(ACTORS_SHOWN);
    let shown = counts.iter().take(ACTORS_SHOWN).map(|(words, count)| format!("{count} {words}"));
    let mut text = format!("{} acted: {}", moves.len(), shown.collect::<Vec<_>>().join(", "));
    if more > 0 {
        text.push_str(&format!(" and {more} other things"));
    }
    text
}

/// An action as a person would write it: its JSON without quotation marks.
pub(crate) fn in_words<A: Serialize>(action: &A) -> String {
    match serde_json::to_value(action) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(value) => value.to_string(),
        Err(_) => "?".to_owned(),
    }
}

/// Every line that went over every pipe, with its time.
pub(crate) fn lines<A>(header: &Header, entries: &[Entry<A>]) -> Vec<String> {
    let owners = owners(entries);
    let who = |seat: &SeatId| match owners.get(seat) {
        Some(player) => format!("{}#{}", name_of(header, *player), seat.0),
        None => format!("#{}", seat.0),
    };
    let mut lines = Vec::new();
    for entry in entries {
        match entry {
            Entry::Sent { at, seat, bytes } => {
                for line in bytes.0.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    lines.push(format!("{} {} > {}", time(*at), who(seat), shown(line)));
                }
            }
            Entry::Got { at, seat, line } => {
                lines.push(format!("{} {} < {}", time(*at), who(seat), shown(&line.0)));
            }
            Entry::Stderr { at, seat, bytes } => {
                for line in bytes.0.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                    lines.push(format!("{} {} ! {}", time(*at), who(seat), shown(line)));
                }
            }
            Entry::Answered { seat, wall, cpu, delay } => {
                let figures =
                    format!("wall {} ms, cpu {} ms, host {} ms", ms(*wall), ms(*cpu), ms(*delay));
                lines.push(format!("{:>11} {} = {figures}", "", who(seat)));
            }
            Entry::Faulted { at, player, turn, fault, ruling, .. } => {
                let name = name_of(header, *player);
                lines.push(format!("{} {name} * turn {turn}: {fault} — {ruling}", time(*at)));
            }
            Entry::Left { at, seat, how } => {
                lines.push(format!("{} {} * left: {how}", time(*at), who(seat)));
            }
            Entry::Over { at, outcome, void } => {
                let why = outcome.as_ref().map(|o| o.reason.as_str()).or(void.as_deref());
                lines.push(format!("{} * over: {}", time(*at), why.unwrap_or("unknown")));
            }
            Entry::Kept { at, seat, bytes } => {
                lines.push(format!("{} {} * its file: {}", time(*at), who(seat), shown(&bytes.0)));
            }
            Entry::Truncated => lines.push("* more was said than a replay keeps".to_owned()),
            Entry::Cut { at, player } => {
                let name = name_of(header, *player);
                let what = "has said more than a replay keeps of one player; the rest is not here";
                lines.push(format!("{} {name} * {what}", time(*at)));
            }
            // Our own words; what bots said is in their lines.
            Entry::Noted { at, seat, note } if note.topic == Topic::Remark => {
                lines.push(format!("{} {} * {}", time(*at), who(seat), note.text));
            }
            Entry::Seated { .. } | Entry::Noted { .. } | Entry::Stepped { .. } => {}
        }
    }
    lines
}

/// A player's name; a file may speak of players that it does not name.
fn name_of(header: &Header, player: PlayerId) -> &str {
    header.players.get(player.index()).map_or("?", |line| line.name.as_str())
}

fn owners<A>(entries: &[Entry<A>]) -> HashMap<SeatId, PlayerId> {
    let seated = entries.iter().filter_map(|entry| match entry {
        Entry::Seated { seat, player, .. } => Some((*seat, *player)),
        _ => None,
    });
    seated.collect()
}

fn time(at: Tick) -> String {
    format!("{:>11.6}", at.0.as_secs_f64())
}

fn ms(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e3)
}

/// A line as it is if it is plain text, otherwise quoted and escaped.
fn shown(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => {
            let escaped: Vec<String> = line.chunks(80).map(quote).collect();
            escaped.join("")
        }
    }
}
