//! A log in words: every line that was said.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use game::text::visible;
use game::{ActorId, Choice, PlayerId, Tick, Topic, quote};

use crate::happening::in_words;
use crate::hosted::Hosted;
use crate::log::{Entry, Header};
use crate::named::with_names;
use crate::seat::SeatId;

/// Every line that went over every pipe, with its time.
pub(crate) fn lines<G: Hosted>(
    header: &Header,
    game: &G,
    entries: &[Entry<G::Action>],
) -> Vec<String> {
    let owners = owners(entries);
    let who = |seat: &SeatId| match owners.get(seat) {
        Some(player) => format!("{}#{}", name_of(header, *player), seat.0),
        None => format!("#{}", seat.0),
    };
    let built_in = built_in(header, entries);
    let mut lines = introductions(header);
    let mut stderr = StderrLines::default();
    for entry in entries {
        match entry {
            Entry::Sent { at, seat, bytes } => {
                for line in bytes.0.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                    lines.push(format!("{} {} > {}", time(*at), who(seat), shown(line)));
                }
            }
            Entry::Got { at, seat, line } => {
                lines.push(format!("{} {} < {}", time(*at), who(seat), shown(&line.0)));
            }
            Entry::Unfinished { at, seat, bytes } => {
                let text = quote(&bytes.0);
                lines.push(format!("{} {} < unfinished: {text}", time(*at), who(seat)));
            }
            Entry::Stderr { at, seat, bytes } => {
                for line in stderr.read(*seat, *at, &bytes.0) {
                    lines.push(format!("{} {} ! {}", time(*at), who(seat), shown(&line)));
                }
            }
            Entry::Answered { seat, wall, cpu, delay } => {
                let figures =
                    format!("wall {} ms, cpu {} ms, host {} ms", ms(*wall), ms(*cpu), ms(*delay));
                lines.push(format!("{:>11} {} = {figures}", "", who(seat)));
            }
            Entry::Faulted { at, actor, player, turn, fault, ruling } => {
                let (at, name) = (time(*at), name_of(header, *player));
                let agent = in_brackets(game.actor_name(*actor).one_of_many());
                lines.push(format!("{at} {name}{agent} * turn {turn}: {fault} — {ruling}"));
            }
            // Built-in bots speak no protocol: what they play is said here alone.
            Entry::Stepped { at, moves, .. } => {
                for (actor, choice) in &moves.0 {
                    if let (Some(player), Choice::Act(action)) = (built_in.get(actor), choice) {
                        let (at, name) = (time(*at), name_of(header, *player));
                        let agent = in_brackets(game.actor_name(*actor).one_of_many());
                        lines.push(format!("{at} {name}{agent} * plays {}", in_words(action)));
                    }
                }
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
            Entry::Seated { .. } | Entry::Noted { .. } => {}
        }
    }
    for (seat, at, line) in stderr.unfinished() {
        lines.push(format!("{} {} ! {}", time(at), who(&seat), shown(&line)));
    }
    lines
}

/// How the players describe themselves, those who do.
fn introductions(header: &Header) -> Vec<String> {
    let described =
        header.players.iter().filter_map(|player| Some((player, player.about.as_ref()?)));
    described.map(|(player, about)| format!("{}: {about}", player.name)).collect()
}

/// Standard error, which comes in pieces, as the lines it consists of.
#[derive(Default)]
pub(crate) struct StderrLines {
    begun: BTreeMap<SeatId, (Tick, Vec<u8>)>,
}

impl StderrLines {
    /// The lines that a piece completes, blank ones left out.
    pub(crate) fn read(&mut self, seat: SeatId, at: Tick, piece: &[u8]) -> Vec<Vec<u8>> {
        let (mut lines, mut rest) = (Vec::new(), piece);
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let mut line = self.begun.remove(&seat).map_or_else(Vec::new, |(_, begun)| begun);
            line.extend_from_slice(&rest[..end]);
            if !line.is_empty() {
                lines.push(line);
            }
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.begun.entry(seat).or_insert((at, Vec::new())).1.extend_from_slice(rest);
        }
        lines
    }

    /// Lines without an end.
    pub(crate) fn unfinished(self) -> impl Iterator<Item = (SeatId, Tick, Vec<u8>)> {
        self.begun.into_iter().map(|(seat, (at, line))| (seat, at, line))
    }
}

/// A player's name; a file may speak of players that it does not name.
fn name_of(header: &Header, player: PlayerId) -> &str {
    header.players.get(player.index()).map_or("?", |line| line.name.as_str())
}

fn names(header: &Header) -> Vec<&str> {
    header.players.iter().map(|line| line.name.as_str()).collect()
}

fn in_brackets(agent: Option<String>) -> String {
    agent.map_or(String::new(), |name| format!(" ({name})"))
}

/// The agents that a fault is about; a few of them by name.
pub fn agents_in_words(agents: &[String]) -> Option<String> {
    const NAMED: usize = 3;
    let named = agents[..agents.len().min(NAMED)].join(", ");
    match agents.len() {
        0 => None,
        1 => Some(format!("agent {named}")),
        2..=NAMED => Some(format!("agents {named}")),
        all => Some(format!("agents {named} and {} more", all - NAMED)),
    }
}

/// The actors that built-in bots play, and whose they are.
fn built_in<A>(header: &Header, entries: &[Entry<A>]) -> HashMap<ActorId, PlayerId> {
    let is_built_in = |player: &PlayerId| {
        let line = header.players.get(player.index());
        line.is_some_and(|line| line.bot.starts_with("builtin:"))
    };
    let seated = entries.iter().filter_map(|entry| match entry {
        Entry::Seated { actor, player, .. } if is_built_in(player) => Some((*actor, *player)),
        _ => None,
    });
    seated.collect()
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
    let (line, end) = match line.strip_suffix(b"\r") {
        Some(line) => (line, "\\r"),
        None => (line, ""),
    };
    let text = visible(line);
    if text.as_bytes() == line { text + end } else { format!("\"{text}{end}\"") }
}
