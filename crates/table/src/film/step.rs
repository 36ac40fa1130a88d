//! What happened between two states, as a film tells it: moves with their times, faults, notes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use game::{ActorId, Choice, Fault, FaultKind, Note, PlayerId, Role, Told, Topic};
use serde::Serialize;

use crate::caption::agents_in_words;
use crate::happening::{in_words, summary};
use crate::hosted::Hosted;
use crate::log::Cost;
use crate::named::with_names;

/// With more actors than this, what a player's actors did is counted instead of listed.
const ACTORS_LISTED: usize = 8;
/// So many notes of a player in one step are told; the others are in the talk.
const NOTES_TOLD: usize = 4;
/// So many letters of a note are told.
const NOTE_LETTERS: usize = 400;
/// So many events of a step are told to one player's eyes.
const EVENTS_TOLD: usize = 12;

/// What happened, ready to be written.
#[derive(Debug, Default)]
pub(super) struct Happened {
    pub(super) moves: Vec<MoveWords>,
    pub(super) faults: Vec<FaultWords>,
    pub(super) notes: Vec<NoteWords>,
}

/// What somebody did, and how long that took.
#[derive(Debug, Serialize)]
pub(super) struct MoveWords {
    seat: u16,
    /// Which of the player's actors it was, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
    /// How many actors it sums up.
    #[serde(skip_serializing_if = "Option::is_none")]
    actors: Option<usize>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_us: Option<u64>,
    /// No answer came in time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    late: bool,
    /// It left the game.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    left: bool,
}

/// What somebody did wrong, and what followed.
#[derive(Debug, Serialize)]
pub(super) struct FaultWords {
    seat: u16,
    kind: FaultKind,
    words: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
}

/// What somebody said beside its answers.
#[derive(Debug, Serialize)]
pub(super) struct NoteWords {
    seat: u16,
    topic: Topic,
    text: String,
}

/// What has happened since the last step.
#[derive(Default)]
pub(super) struct StepCollector {
    times: HashMap<ActorId, AnswerTimes>,
    late: HashSet<ActorId>,
    moves: Vec<MoveWords>,
    /// Faults that differ, with the agents whose they are.
    faults: Vec<(FaultWords, Vec<String>)>,
    notes: Vec<NoteWords>,
}

/// How long an answer took on the wall, on the processor, and how long the host was late to ask.
type AnswerTimes = [Duration; 3];

impl StepCollector {
    pub(super) fn answered(&mut self, actor: ActorId, times: AnswerTimes) {
        self.times.insert(actor, times);
    }

    pub(super) fn noted(&mut self, PlayerId(seat): PlayerId, note: &Note) {
        match note.topic {
            Topic::About | Topic::Message | Topic::Remark => {}
            // Progress of thinking and notes for the author: talk.
            Topic::Debug | Topic::Info => return,
        }
        if self.notes.iter().filter(|known| known.seat == seat).count() < NOTES_TOLD {
            let mut text: String = note.text.chars().take(NOTE_LETTERS).collect();
            if text.len() < note.text.len() {
                text.push('…');
            }
            self.notes.push(NoteWords { seat, topic: note.topic, text });
        }
    }

    /// What is the same for several agents of a player is told once.
    pub(super) fn faulted(
        &mut self,
        (actor, PlayerId(seat)): (ActorId, PlayerId),
        agent: Option<String>,
        fault: &Fault,
        ruling: Cost,
    ) {
        if fault.kind == FaultKind::Timeout {
            self.late.insert(actor);
        }
        let words = format!("{} — {ruling}", fault.detail);
        let same = |(known, _): &&mut (FaultWords, Vec<String>)| {
            known.seat == seat && known.kind == fault.kind && known.words == words
        };
        match self.faults.iter_mut().find(same) {
            Some((_, agents)) if agent.is_some() => agents.extend(agent),
            Some(_) | None => {
                let fault = FaultWords { seat, kind: fault.kind, words, actor: None };
                self.faults.push((fault, agent.into_iter().collect()));
            }
        }
    }

    /// The choices of a step that is about to be played in `before`, as far as these eyes see them.
    pub(super) fn moved<G: Hosted>(
        &mut self,
        before: &G,
        moves: &[(ActorId, Choice<G::Action>)],
        eyes: Option<PlayerId>,
    ) {
        let mut roles = Vec::new();
        before.cast(&mut roles);
        let owner = |actor: ActorId| {
            let place = actor.place_in(&roles, |role: &Role| role.actor)?;
            Some(roles[place].player)
        };
        let mut by_player: BTreeMap<PlayerId, Vec<&(ActorId, Choice<G::Action>)>> = BTreeMap::new();
        for choice in moves {
            if let Some(player) = owner(choice.0)
                && eyes.is_none_or(|eyes| eyes == player)
            {
                by_player.entry(player).or_default().push(choice);
            }
        }
        for (player, choices) in by_player {
            match choices.len() > ACTORS_LISTED {
                true => {
                    let all = self.together(player, &choices);
                    self.moves.push(all);
                }
                false => {
                    for (actor, choice) in choices {
                        let one = self.alone(before, player, *actor, choice);
                        self.moves.push(one);
                    }
                }
            }
        }
    }

    fn alone<G: Hosted>(
        &self,
        before: &G,
        PlayerId(seat): PlayerId,
        actor: ActorId,
        choice: &Choice<G::Action>,
    ) -> MoveWords {
        let (text, left) = match choice {
            Choice::Act(action) => (in_words(action), false),
            Choice::Forfeit(why) => (format!("leaves the game: {why}"), true),
        };
        MoveWords {
            actor: before.actor_name(actor).one_of_many(),
            left,
            late: self.late.contains(&actor),
            ..MoveWords::new(seat, text, self.times.get(&actor).copied())
        }
    }

    /// What a crowd did: the longest time of an answer, and the processor time of all together.
    fn together<A: Serialize>(
        &self,
        PlayerId(seat): PlayerId,
        choices: &[&(ActorId, Choice<A>)],
    ) -> MoveWords {
        let times = choices.iter().filter_map(|(actor, _)| self.times.get(actor).copied());
        let times = times.reduce(|[wall, cpu, host], [more_wall, more_cpu, more_host]| {
            [wall.max(more_wall), cpu + more_cpu, host.max(more_host)]
        });
        let late = choices.iter().any(|(actor, _)| self.late.contains(actor));
        let text = summary(choices.iter().map(|(_, choice)| choice));
        MoveWords { actors: Some(choices.len()), late, ..MoveWords::new(seat, text, times) }
    }

    /// Everything so far; what follows belongs to the next step.
    pub(super) fn take(&mut self) -> Happened {
        let StepCollector { moves, faults, notes, .. } = std::mem::take(self);
        let named = |(fault, agents): (FaultWords, Vec<String>)| FaultWords {
            actor: agents_in_words(&agents),
            ..fault
        };
        Happened { moves, faults: faults.into_iter().map(named).collect(), notes }
    }
}

impl MoveWords {
    fn new(seat: u16, text: String, times: Option<AnswerTimes>) -> MoveWords {
        let us = |time: Duration| time.as_micros() as u64;
        // What took no time was not measured, but an answer that came at once is one that came.
        let some = |time: Duration| (us(time) > 0).then(|| us(time));
        MoveWords {
            seat,
            actor: None,
            actors: None,
            text,
            wall_us: times.map(|[wall, ..]| us(wall)),
            cpu_us: times.and_then(|[_, cpu, _]| some(cpu)),
            host_us: times.and_then(|[_, _, host]| some(host)),
            late: false,
            left: false,
        }
    }
}

/// What one player's actors were told, in words.
pub(super) fn events_in_words<E: Serialize>(told: &[Told<E>], names: &[String]) -> Vec<String> {
    let words = |news: &Told<E>| with_names(&in_words(&news.event), names);
    let mut events: Vec<String> = told.iter().take(EVENTS_TOLD).map(words).collect();
    if told.len() > EVENTS_TOLD {
        events.push(format!("and {} more events", told.len() - EVENTS_TOLD));
    }
    events
}
