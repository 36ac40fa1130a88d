//! What happened in one step of a recorded match, for people to read beside its picture: what bots
//! were told and said, their times, their faults, what they did.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use game::{ActorId, Choice, PlayerId, Told};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::caption::agents_in_words;
use crate::hosted::Hosted;
use crate::log::{Entry, Header};
use crate::named::with_names;
use crate::seat::SeatId;

/// With more actors than this they are counted instead of listed.
const ACTORS_SHOWN: usize = 8;
/// So many lines of talk in one step are kept; nobody reads more.
const TALK_SHOWN: usize = 500;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// What sort of thing.
    pub kind: HappeningKind,
    /// Whose doing it was; nobody's for what all did or how it ended.
    pub who: Option<PlayerId>,
    /// In words. What came from a bot is as it came: it is made safe where it is shown.
    pub text: String,
}

/// What sort of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HappeningKind {
    /// A bot was told a line.
    Told,
    /// A bot said a line.
    Said,
    /// A bot wrote a line to its standard error.
    Stderr,
    /// A bot said something for people to read.
    Note,
    /// How long an answer took.
    Time,
    /// Somebody did something, or all did.
    Move,
    /// A bot misbehaved.
    Fault,
    /// The match is over.
    End,
}

/// Entries of the log by steps: those that led from one state to the next.
pub(crate) fn entries_of(steps: &[usize], step: usize, all: usize) -> std::ops::Range<usize> {
    let from = if step < 2 { 0 } else { steps[step - 2] + 1 };
    let to = match step {
        0 => 0,
        _ if step == steps.len() => all,
        _ => steps[step - 1] + 1,
    };
    from..to
}

/// What one pair of eyes may know of a step: everything, or what its own bots did and heard.
pub(crate) enum Eyes<'a, E> {
    All,
    Of { player: PlayerId, actors: &'a [ActorId], told: &'a [Told<E>] },
}

/// What led to the state after `step`.
pub(crate) fn happenings<G: Hosted>(
    header: &Header,
    before: &G,
    entries: &[Entry<G::Action>],
    owners: &HashMap<SeatId, PlayerId>,
    eyes: &Eyes<'_, G::Event>,
) -> Vec<Happening> {
    let mut found = HappeningCollector::default();
    let name = |player: PlayerId| header.players.get(player.index()).map_or("?", |p| &p.name);
    let hides = |player: Option<PlayerId>| match eyes {
        Eyes::All => false,
        Eyes::Of { player: own, .. } => player != Some(*own),
    };
    let answers = entries.iter().filter(|entry| matches!(entry, Entry::Answered { .. })).count();
    for entry in entries {
        match entry {
            Entry::Sent { seat, bytes, .. } if !hides(owners.get(seat).copied()) => {
                for line in bytes.0.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                    found.talk(HappeningKind::Told, owners.get(seat), line);
                }
            }
            Entry::Got { seat, line, .. } if !hides(owners.get(seat).copied()) => {
                found.talk(HappeningKind::Said, owners.get(seat), &line.0);
            }
            Entry::Stderr { seat, bytes, .. } if !hides(owners.get(seat).copied()) => {
                found.stderr(*seat, owners.get(seat), &bytes.0);
            }
            Entry::Noted { seat, note, .. } if !hides(owners.get(seat).copied()) => {
                found.talk(HappeningKind::Note, owners.get(seat), note.text.as_bytes());
            }
            Entry::Answered { seat, wall, cpu, .. } if !hides(owners.get(seat).copied()) => {
                // A crowd's times are no use one by one.
                if answers <= ACTORS_SHOWN {
                    let text = format!("{} ms ({} ms processor)", ms(*wall), ms(*cpu));
                    found.add(HappeningKind::Time, owners.get(seat).copied(), text);
                }
            }
            Entry::Faulted { actor, player, fault, ruling, .. } if !hides(Some(*player)) => {
                let words = format!("{fault} — {ruling}");
                found.fault(*player, before.actor_name(*actor).one_of_many(), words);
            }
            Entry::Stepped { moves, .. } => moved(before, &moves.0, eyes, &mut found),
            Entry::Over { outcome: Some(outcome), .. } => {
                let names: Vec<&str> =
                    header.players.iter().map(|line| line.name.as_str()).collect();
                let reason = with_names(&outcome.reason, &names);
                let text = match outcome.winner() {
                    Some(_) if header.players.len() == 1 => format!("over: {reason}"),
                    Some(winner) => format!("{} wins: {reason}", name(PlayerId(winner as u16))),
                    None => format!("draw: {reason}"),
                };
                found.add(HappeningKind::End, None, text);
            }
            Entry::Over { void, .. } => {
                let why = void.as_deref().unwrap_or("unknown");
                found.add(HappeningKind::End, None, format!("void: {why}"));
            }
            Entry::Sent { .. }
            | Entry::Got { .. }
            | Entry::Unfinished { .. }
            | Entry::Stderr { .. }
            | Entry::Noted { .. }
            | Entry::Answered { .. }
            | Entry::Faulted { .. }
            | Entry::Seated { .. }
            | Entry::Left { .. }
            | Entry::Kept { .. }
            | Entry::Cut { .. }
            | Entry::Truncated => {}
        }
    }
    found.finish(owners)
}

/// The choices of a step: all of them, or one's own and what one was told of the others'.
fn moved<G: Hosted>(
    before: &G,
    moves: &[(ActorId, Choice<G::Action>)],
    eyes: &Eyes<'_, G::Event>,
    found: &mut HappeningCollector,
) {
    let mut roles = Vec::new();
    before.cast(&mut roles);
    let owner = |actor: ActorId| {
        let role = actor.place_in(&roles, |role| role.actor)?;
        Some(roles[role].player)
    };
    match eyes {
        Eyes::All => {
            let listed = listed(before, moves);
            for (actor, text) in listed {
                found.add(HappeningKind::Move, actor.and_then(owner), text);
            }
        }
        Eyes::Of { player, actors, told } => {
            let own: Vec<_> =
                moves.iter().filter(|(actor, _)| owner(*actor) == Some(*player)).cloned().collect();
            if !own.is_empty() {
                for (_, text) in listed(before, &own) {
                    found.add(HappeningKind::Move, Some(*player), text);
                }
            }
            let heard =
                |news: &&Told<G::Event>| actors.iter().any(|actor| news.to.includes(*actor));
            for news in told.iter().filter(heard).take(ACTORS_SHOWN) {
                found.add(HappeningKind::Move, None, in_words(&news.event));
            }
        }
    }
}

/// Choices in words, each with its actor; those of a crowd counted.
pub(crate) fn listed<G: Hosted>(
    game: &G,
    moves: &[(ActorId, Choice<G::Action>)],
) -> Vec<(Option<ActorId>, String)> {
    listed_as(moves, |actor| game.actor_name(actor).text())
}

/// The same with other names of the actors.
pub(crate) fn listed_as<A: Serialize>(
    moves: &[(ActorId, Choice<A>)],
    name: impl Fn(ActorId) -> String,
) -> Vec<(Option<ActorId>, String)> {
    if moves.len() > ACTORS_SHOWN {
        return vec![(None, summary(moves.iter().map(|(_, choice)| choice)))];
    }
    let words = |(actor, choice): &(ActorId, Choice<A>)| {
        let who = name(*actor);
        let text = match choice {
            Choice::Act(action) => format!("{who}: {}", in_words(action)),
            Choice::Forfeit(why) => format!("{who} leaves the game: {why}"),
        };
        (Some(*actor), text)
    };
    moves.iter().map(words).collect()
}

/// What a crowd did: every choice once, with its number, the commonest first.
pub(crate) fn summary<'a, A: Serialize + 'a>(
    choices: impl ExactSizeIterator<Item = &'a Choice<A>>,
) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let all = choices.len();
    for choice in choices {
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
    let mut text = format!("{all} acted: {}", shown.collect::<Vec<_>>().join(", "));
    if more > 0 {
        text.push_str(&format!(" and {more} other things"));
    }
    text
}

/// An action or an event as a person would write it: its JSON without the punctuation.
pub(crate) fn in_words<A: Serialize>(what: &A) -> String {
    fn words(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Object(fields) => {
                let field = |(key, value): (&String, &Value)| format!("{key} {}", words(value));
                fields.iter().map(field).collect::<Vec<_>>().join(", ")
            }
            Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join(" "),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        }
    }
    // `{"played": {"by": …, "card": …}}` is "… played: card …".
    fn done(what: &str, value: Value) -> String {
        let Value::Object(fields) = value else { return format!("{what}: {}", words(&value)) };
        let by = fields.get("by").map_or(String::new(), |by| format!("{} ", words(by)));
        let rest: Map<String, Value> = fields.into_iter().filter(|(key, _)| key != "by").collect();
        match rest.is_empty() {
            true => format!("{by}{what}"),
            false => format!("{by}{what}: {}", words(&Value::Object(rest))),
        }
    }
    match serde_json::to_value(what) {
        Ok(Value::Object(fields)) if fields.len() == 1 => {
            let (key, value) = fields.into_iter().next().expect("there is one");
            done(&key, value)
        }
        Ok(value) => words(&value),
        Err(_) => "?".to_owned(),
    }
}

#[derive(Default)]
struct HappeningCollector {
    list: Vec<Happening>,
    /// Faults by their place in the list, with the agents whose they are.
    faults: Vec<(usize, Vec<String>)>,
    talk: usize,
    /// What has been written to standard error, as far as no line end has come.
    stderr: HashMap<SeatId, Vec<u8>>,
}

impl HappeningCollector {
    fn add(&mut self, kind: HappeningKind, who: Option<PlayerId>, text: String) {
        self.list.push(Happening { kind, who, text });
    }

    /// What is the same for several agents of a player is said once.
    fn fault(&mut self, who: PlayerId, agent: Option<String>, words: String) {
        let same = |(place, _): &&mut (usize, Vec<String>)| {
            let known = &self.list[*place];
            known.who == Some(who) && known.text == words
        };
        match self.faults.iter_mut().find(same) {
            Some((_, agents)) if agent.is_some() => agents.extend(agent),
            Some(_) | None => {
                self.faults.push((self.list.len(), agent.into_iter().collect()));
                self.add(HappeningKind::Fault, Some(who), words);
            }
        }
    }

    fn talk(&mut self, kind: HappeningKind, who: Option<&PlayerId>, line: &[u8]) {
        self.talk += 1;
        if self.talk <= TALK_SHOWN {
            self.add(kind, who.copied(), game::text::visible(line));
        }
    }

    /// Lines end where the bot ended them, not where the host happened to read.
    fn stderr(&mut self, seat: SeatId, who: Option<&PlayerId>, bytes: &[u8]) {
        let mut begun = self.stderr.remove(&seat).unwrap_or_default();
        begun.extend_from_slice(bytes);
        while let Some(end) = begun.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = begun.drain(..=end).collect();
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            self.talk(HappeningKind::Stderr, who, line.strip_suffix(b"\r").unwrap_or(line));
        }
        if !begun.is_empty() {
            self.stderr.insert(seat, begun);
        }
    }

    fn finish(mut self, owners: &HashMap<SeatId, PlayerId>) -> Vec<Happening> {
        let mut unfinished: Vec<_> = std::mem::take(&mut self.stderr).into_iter().collect();
        unfinished.sort_by_key(|(seat, _)| seat.0);
        for (seat, line) in unfinished {
            self.talk(HappeningKind::Stderr, owners.get(&seat), &line);
        }
        for (place, agents) in &self.faults {
            if let Some(agents) = agents_in_words(agents) {
                let text = &mut self.list[*place].text;
                *text = format!("{agents}: {text}");
            }
        }
        self.list
    }
}

fn ms(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_aloud() {
        assert_eq!(in_words(&"7,7"), "7,7");
        let event = serde_json::json!({ "played": { "by": 2, "card": "r5" } });
        assert_eq!(in_words(&event), "2 played: card r5");
        let event = serde_json::json!({ "drew": { "by": "ann", "count": 1, "why": "choice" } });
        assert_eq!(in_words(&event), "ann drew: count 1, why choice");
        assert_eq!(in_words(&serde_json::json!({ "passed": { "by": "ann" } })), "ann passed");
        assert_eq!(in_words(&serde_json::json!({ "attack": "north" })), "attack: north");
        assert_eq!(in_words(&serde_json::json!([1, "x"])), "1 x");
    }

    #[test]
    fn standard_error_is_shown_by_its_own_lines() {
        let mut found = HappeningCollector::default();
        for part in ["Key", "Error: 'x'\r\nand", " so on"] {
            found.stderr(SeatId(0), None, part.as_bytes());
        }
        let lines: Vec<String> =
            found.finish(&HashMap::new()).into_iter().map(|happening| happening.text).collect();
        assert_eq!(lines, ["KeyError: 'x'", "and so on"]);
    }
}
