//! Replays of recorded matches: stepping, verifying, exporting.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use game::{ActorId, Choice, Moves, Outcome, PlayerId, text};
use serde_json::{Value, json};

use crate::caption::owners;
use crate::film::{AnyFilm as _, FilmMaker};
use crate::happening::{Eyes, Happening, entries_of, happenings, in_words};
use crate::hosted::{Hosted, Knowledge};
use crate::log::{Entry, Header};
use crate::named::with_names;
use crate::parts::Entrant;
use crate::picture::{Picture, Room};
use crate::playback::{Mismatch, Playback, illegal};
use crate::question::{BotQuestion, players_due, question};
use crate::record::{ReadError, Record, memory_for};
use crate::seat::SeatId;
use crate::shown::{FinishedGame, Measure};
use crate::talk::Talk;

/// A recorded match of any game.
pub trait AnyReplay: Send {
    /// What was played.
    fn header(&self) -> &Header;
    /// Whether the players of its game see everything.
    fn knowledge(&self) -> Knowledge;
    /// The number of steps; states are numbered from 0 (before the first) to this.
    fn len(&self) -> usize;
    /// Whether nothing was played.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Plays everything again and compares.
    fn verify(&self) -> Result<(), Mismatch>;
    /// Whose the faults were where a player has several agents: one for each fault that the record
    /// holds, in their order.
    fn fault_agents(&self) -> Vec<Option<String>>;
    /// How it ended, as the record says; none of a match that was void.
    fn result(&self) -> Option<&Outcome>;
    /// The picture after so many steps.
    fn draw(&mut self, step: usize, room: Room) -> Picture;
    /// The picture after so many steps through one player's eyes, where the game can draw one.
    fn draw_for(&mut self, step: usize, player: PlayerId, room: Room) -> Option<Picture>;
    /// What led to that picture: what bots were told and said, their times and faults, the moves.
    /// Through one player's eyes, what its own bots did and heard, and nothing of the others.
    fn happenings(&mut self, step: usize, eyes: Option<PlayerId>) -> Vec<Happening>;
    /// The steps in which bots of this player misbehaved, or those of any; in ascending order, each
    /// once.
    fn faulty_steps(&self, eyes: Option<PlayerId>) -> Vec<usize>;
    /// A JSON object for each step, then one for the outcome. Made one by one: all of them together
    /// hold the whole state as often as there are steps.
    fn steps(&self) -> Box<dyn Iterator<Item = Value> + '_>;
    /// The match as a film, line by line, through one player's eyes or everybody's.
    fn film(&self, eyes: Option<PlayerId>) -> Box<dyn Iterator<Item = String> + '_>;
    /// A page of what bots were told and said in these steps, all bots or one player's.
    fn talk(&self, steps: RangeInclusive<usize>, eyes: Option<PlayerId>) -> Talk;
    /// The questions to a bot what it would do after so many steps, in the place of everybody who has to act there, or of
    /// one player; or why it cannot be asked.
    fn questions(
        &mut self,
        step: usize,
        eyes: Option<PlayerId>,
        bot: &Entrant,
        think: Duration,
    ) -> Result<Vec<BotQuestion>, String>;
    /// What the game counts, in every state from the first to the last; empty if it counts nothing.
    fn measures(&self) -> Vec<Vec<Measure>>;
    /// Everything that went over the pipes, in words.
    fn lines(&self) -> Vec<String>;
    /// Writes the match in another program's format.
    fn export(&self, format: &str) -> Result<String, String>;
}

/// A recorded match of one game.
pub struct Replay<G: Hosted> {
    header: Header,
    config: G::Config,
    first: G,
    entries: Vec<Entry<G::Action>>,
    /// Where in `entries` the steps are, as far as they are legal: a file may say anything.
    steps: Vec<usize>,
    /// Whose seats they were.
    owners: HashMap<SeatId, PlayerId>,
    /// The last state that was asked for, so that going on is cheap.
    shown: (usize, G),
}

impl<G: Hosted> Replay<G> {
    /// Unpacks a record and sets its game up again.
    pub fn new(record: &Record) -> Result<Replay<G>, ReadError> {
        let setup = |error: String| ReadError::Setup(error);
        let config: G::Config = serde_json::from_value(record.header.config.clone())
            .map_err(|error| setup(error.to_string()))?;
        let players = u16::try_from(record.header.players.len())
            .map_err(|_| setup("too many players".to_owned()))?;
        let first = G::start(&config, players, record.header.seed)
            .map_err(|error| setup(error.to_string()))?;
        let mut entries = Vec::new();
        let mut room = memory_for(record.packed.len());
        for entry in record.entries() {
            let entry: Entry<G::Action> = entry?;
            room = room.checked_sub(entry.memory()).ok_or_else(|| {
                ReadError::Broken("its entries take more memory than any replay's".to_owned())
            })?;
            entries.push(entry);
        }
        let steps = legal_steps(&first, &entries);
        let shown = (0, first.clone());
        let header = record.header.clone();
        let owners = owners(&entries);
        let mut replay = Replay { header, config, first, entries, steps, owners, shown };
        replay.complete();
        Ok(replay)
    }

    /// Replays of the first format do not say how a match ended, only why in words. The rules and
    /// the terms do.
    fn complete(&mut self) {
        if self.header.v > 1 {
            return;
        }
        let ending = self.played().ended().map(|outcome| outcome.ending);
        for entry in &mut self.entries {
            if let (Entry::Over { outcome: Some(outcome), .. }, Some(ending)) = (entry, &ending) {
                outcome.ending = ending.clone();
            }
        }
    }

    /// Plays everything again.
    fn played(&self) -> Playback<G> {
        let mut playback = Playback::new(&self.header, self.first.clone());
        for entry in &self.entries {
            playback.entry(entry);
        }
        playback
    }

    fn moves(&self, step: usize) -> &Moves<G::Action> {
        match &self.entries[self.steps[step - 1]] {
            Entry::Stepped { moves, .. } => moves,
            other => unreachable!("{other:?} is not a step"),
        }
    }

    /// The state after so many steps.
    fn state(&mut self, step: usize) -> &G {
        if step < self.shown.0 {
            self.shown = (0, self.first.clone());
        }
        while self.shown.0 < step {
            let moves = self.moves(self.shown.0 + 1).clone();
            self.shown.1.step(&moves, &mut Vec::new());
            self.shown.0 += 1;
        }
        &self.shown.1
    }

    fn outcome(&self) -> (Option<&Outcome>, Option<&str>) {
        let over = self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Over { outcome, void, .. } => Some((outcome.as_ref(), void.as_deref())),
            _ => None,
        });
        over.unwrap_or((None, Some("the log ends before the match")))
    }

    fn names(&self) -> Vec<String> {
        self.header.players.iter().map(|player| player.name.clone()).collect()
    }

    fn moves_in_words(state: &G, moves: &Moves<G::Action>) -> Value {
        let words = moves.0.iter().map(|(actor, choice)| {
            let choice = match choice {
                Choice::Act(action) => serde_json::to_value(action).unwrap_or(Value::Null),
                Choice::Forfeit(why) => json!({
                    "forfeit": why.to_string(),
                    "fault": why.fault.kind,
                    "by": why.by,
                }),
            };
            (state.actor_name(*actor).text(), choice)
        });
        Value::Object(words.collect())
    }

    fn actions(&self) -> Vec<(ActorId, G::Action, Duration)> {
        let mut actors: HashMap<SeatId, ActorId> = HashMap::new();
        let mut times: HashMap<ActorId, Duration> = HashMap::new();
        let mut actions = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::Seated { seat, actor, .. } => {
                    actors.insert(*seat, *actor);
                }
                Entry::Answered { seat, wall, .. } => {
                    if let Some(actor) = actors.get(seat) {
                        times.insert(*actor, *wall);
                    }
                }
                Entry::Stepped { moves, .. } => {
                    for (actor, choice) in &moves.0 {
                        if let Choice::Act(action) = choice {
                            let time = times.remove(actor).unwrap_or_default();
                            actions.push((*actor, action.clone(), time));
                        }
                    }
                }
                _ => {}
            }
        }
        actions
    }
}

/// The format that every game can be exported to.
pub const TEXT: &str = "text";

/// The formats that games can be exported to.
pub(crate) fn formats<G: Hosted>() -> Vec<&'static str> {
    G::exports().iter().map(|export| export.name).chain([TEXT]).collect()
}

impl<G: Hosted> Replay<G> {
    /// The match as plain text: what was played, every step with who did what and what came of it,
    /// and the end.
    fn text(&self) -> String {
        let Header { game, id, lanista, seed, players, config, .. } = &self.header;
        let mut lines = vec![
            format!("game: {game}"),
            format!("match: {id}"),
            format!("lanista: {lanista}"),
            format!("seed: {}", seed.0),
            format!("set-up: {config}"),
        ];
        for (player, number) in players.iter().zip(1..) {
            lines.push(format!("player {number}: {} ({})", player.name, player.bot));
        }
        lines.extend([format!("start: {}", self.first.plain()), String::new()]);
        let mut state = self.first.clone();
        let mut told = Vec::new();
        for step in 1..=self.steps.len() {
            let moves = self.moves(step);
            let words = moves.0.iter().map(|(actor, choice)| {
                let choice = match choice {
                    Choice::Act(action) => in_words(action),
                    Choice::Forfeit(reason) => format!("forfeits ({reason})"),
                };
                format!("{} {choice}", state.actor_name(*actor).text())
            });
            lines.push(format!("{step}. {}", words.collect::<Vec<_>>().join(", ")));
            told.clear();
            state.step(moves, &mut told);
            lines.extend(told.iter().map(|news| format!("    {}", in_words(&news.event))));
        }
        lines.push(String::new());
        match self.outcome() {
            (Some(outcome), _) => {
                let ranks: Vec<String> = outcome.ranks.iter().map(ToString::to_string).collect();
                let scores: Vec<String> = outcome.scores.iter().map(ToString::to_string).collect();
                lines.push(format!("result: {}", with_names(&outcome.reason, &self.names())));
                lines.push(format!("ranks: {}", ranks.join(", ")));
                lines.push(format!("scores: {}", scores.join(", ")));
            }
            (None, void) => lines.push(format!("void: {}", void.unwrap_or("unknown"))),
        }
        // Names and reasons come from outside; a line is a line.
        lines.iter().map(|line| text::one_line(line).into_owned() + "\n").collect()
    }
}

/// What a player did in a step.
fn played<G: Hosted>(before: &G, moves: &Moves<G::Action>, player: PlayerId) -> Vec<String> {
    let mut roles = Vec::new();
    before.cast(&mut roles);
    let own =
        |actor: ActorId| roles.iter().any(|role| role.actor == actor && role.player == player);
    let words = |(actor, choice): &(ActorId, Choice<G::Action>)| {
        let words = match choice {
            Choice::Act(action) => in_words(action),
            Choice::Forfeit(_) => "left the game".to_owned(),
        };
        let name = before.actor_name(*actor).one_of_many();
        name.map_or(words.clone(), |name| format!("{name}: {words}"))
    };
    moves.0.iter().filter(|(actor, _)| own(*actor)).map(words).collect()
}

/// The places of all steps up to the first that the rules do not allow.
fn legal_steps<G: Hosted>(first: &G, entries: &[Entry<G::Action>]) -> Vec<usize> {
    let mut state = first.clone();
    let mut steps = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Entry::Stepped { moves, .. } = entry else { continue };
        if illegal(&state, moves).is_some() {
            break;
        }
        state.step(moves, &mut Vec::new());
        steps.push(index);
    }
    steps
}

impl<G: Hosted> AnyReplay for Replay<G> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn knowledge(&self) -> Knowledge {
        G::card().knowledge
    }

    fn len(&self) -> usize {
        self.steps.len()
    }

    fn verify(&self) -> Result<(), Mismatch> {
        self.played().verdict()
    }

    fn fault_agents(&self) -> Vec<Option<String>> {
        let mut agents = Vec::new();
        if !self.entries.iter().any(|entry| matches!(entry, Entry::Faulted { .. })) {
            return agents;
        }
        let mut playback = Playback::new(&self.header, self.first.clone());
        for entry in &self.entries {
            if let Entry::Faulted { actor, .. } = entry {
                agents.push(playback.state().actor_name(*actor).one_of_many());
            }
            playback.entry(entry);
        }
        agents
    }

    fn result(&self) -> Option<&Outcome> {
        self.outcome().0
    }

    fn draw(&mut self, step: usize, room: Room) -> Picture {
        let names = self.names();
        self.state(step.min(self.len())).draw(&names, room)
    }

    fn draw_for(&mut self, step: usize, player: PlayerId, room: Room) -> Option<Picture> {
        let names = self.names();
        self.state(step.min(self.len())).draw_for(player, &names, room)
    }

    fn happenings(&mut self, step: usize, eyes: Option<PlayerId>) -> Vec<Happening> {
        let step = step.min(self.len());
        let before = self.state(step.saturating_sub(1)).clone();
        let entries = entries_of(&self.steps, step, self.entries.len());
        let mut roles = Vec::new();
        before.cast(&mut roles);
        let own = roles.iter().filter(|role| Some(role.player) == eyes).map(|role| role.actor);
        let (own, mut told): (Vec<ActorId>, _) = (own.collect(), Vec::new());
        let eyes = match eyes {
            None => Eyes::All,
            Some(player) => {
                if step > 0 {
                    before.clone().step(self.moves(step), &mut told);
                }
                Eyes::Of { player, actors: &own, told: &told }
            }
        };
        happenings(&self.header, &before, &self.entries[entries], &self.owners, &eyes)
    }

    fn faulty_steps(&self, eyes: Option<PlayerId>) -> Vec<usize> {
        let (mut steps, mut step) = (Vec::new(), 1);
        for (index, entry) in self.entries.iter().enumerate() {
            // What comes after the last step belongs to it.
            while step < self.steps.len() && self.steps[step - 1] < index {
                step += 1;
            }
            if let Entry::Faulted { player, .. } = entry
                && eyes.is_none_or(|eyes| eyes == *player)
                && steps.last() != Some(&step)
            {
                steps.push(step);
            }
        }
        steps.iter().map(|step| (*step).min(self.steps.len())).collect()
    }

    fn steps(&self) -> Box<dyn Iterator<Item = Value> + '_> {
        let mut state = self.first.clone();
        let mut told = Vec::new();
        let steps = self.steps.iter().map(move |&index| {
            let Entry::Stepped { turn, moves, .. } = &self.entries[index] else {
                unreachable!("only steps are listed")
            };
            let words = Self::moves_in_words(&state, moves);
            told.clear();
            state.step(moves, &mut told);
            let told: Vec<Value> =
                told.iter().map(|news| json!({ "to": news.to, "event": news.event })).collect();
            json!({ "turn": turn, "moves": words, "state": state.plain(), "told": told })
        });
        let (outcome, void) = self.outcome();
        let last = match outcome {
            Some(outcome) => json!({
                "outcome": outcome.verdict(),
                "reason": with_names(&outcome.reason, &self.names()),
                "ending": outcome.ending,
                "ranks": outcome.ranks,
                "scores": outcome.scores,
            }),
            None => json!({ "outcome": "void", "reason": void, "ending": null }),
        };
        Box::new(steps.chain(std::iter::once(last)))
    }

    fn film(&self, eyes: Option<PlayerId>) -> Box<dyn Iterator<Item = String> + '_> {
        let mut film = FilmMaker::of(&self.header, self.first.clone(), eyes);
        let head = film.head();
        let mut entries = self.entries.iter();
        let lines = std::iter::from_fn(move || {
            entries.find_map(|entry| film.entry(entry)).or_else(|| film.end())
        });
        Box::new(std::iter::once(head).chain(lines))
    }

    fn talk(&self, steps: RangeInclusive<usize>, eyes: Option<PlayerId>) -> Talk {
        crate::talk::talk(&self.first, &self.entries, &self.steps, steps, eyes)
    }

    fn questions(
        &mut self,
        step: usize,
        eyes: Option<PlayerId>,
        bot: &Entrant,
        think: Duration,
    ) -> Result<Vec<BotQuestion>, String> {
        let (players, config) = (self.header.players.len(), self.config.clone());
        let state = self.state(step.min(self.len())).clone();
        let due = players_due(&state, players);
        let asked = due.into_iter().filter(|player| eyes.is_none_or(|eyes| eyes == *player));
        let mut questions = Vec::new();
        for player in asked {
            let mut question = question(&state, &config, players, player, bot, think)?;
            if step < self.len() {
                question.played = played(&state, self.moves(step + 1), player);
            }
            questions.push(question);
        }
        Ok(questions)
    }

    fn measures(&self) -> Vec<Vec<Measure>> {
        let mut state = self.first.clone();
        if state.measures().is_empty() {
            return Vec::new();
        }
        let mut samples = vec![state.measures()];
        let mut told = Vec::new();
        for step in 1..=self.steps.len() {
            told.clear();
            state.step(self.moves(step), &mut told);
            samples.push(state.measures());
        }
        samples
    }

    fn lines(&self) -> Vec<String> {
        crate::caption::lines(&self.header, &self.first, &self.entries)
    }

    fn export(&self, format: &str) -> Result<String, String> {
        if format == TEXT {
            return Ok(self.text());
        }
        let export = G::exports().iter().find(|export| export.name == format);
        let Some(export) = export else {
            return Err(format!("no format \"{format}\"; there are {}", formats::<G>().join(", ")));
        };
        let mut last = self.first.clone();
        for step in 1..=self.steps.len() {
            last.step(self.moves(step), &mut Vec::new());
        }
        (export.write)(&FinishedGame {
            config: self.config.clone(),
            last,
            names: self.names(),
            actions: self.actions(),
            outcome: self.outcome().0.cloned(),
        })
    }
}
