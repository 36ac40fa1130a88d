//! A log in words: every line that was said.

use std::collections::HashMap;
use std::time::Duration;

use game::{PlayerId, Tick, Topic, quote};

use crate::log::{Entry, Header};
use crate::named::with_names;
use crate::seat::SeatId;

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
                let why = with_names(why.unwrap_or("unknown"), &names(header));
                lines.push(format!("{} * over: {why}", time(*at)));
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

fn names(header: &Header) -> Vec<&str> {
    header.players.iter().map(|line| line.name.as_str()).collect()
}

pub(crate) fn owners<A>(entries: &[Entry<A>]) -> HashMap<SeatId, PlayerId> {
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
