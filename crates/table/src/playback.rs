//! Playing a recorded match again, entry by entry, and comparing it with the rules.

use game::{ActorId, Choice, EarlyLeave, Ending, Moves, Outcome, Told, Turn};

use crate::adjudication::Umpire;
use crate::fault_streaks::FaultStreaks;
use crate::happening::in_words;
use crate::hosted::Hosted;
use crate::log::{Entry, Header, VERSION};
use crate::record::same_outcome;

/// Where a replay and the rules disagree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step}: {what}")]
pub struct Mismatch {
    /// The step, counted from 1.
    pub step: u32,
    /// What does not agree.
    pub what: String,
}

/// A recorded match that is being played again. Entries come one by one: the log may still grow.
pub(crate) struct Playback<G: Hosted> {
    state: G,
    told: Vec<Told<G::Event>>,
    steps: u32,
    umpire: Umpire,
    fault_streaks: FaultStreaks,
    /// How the terms ended the match before its rules did.
    called: Option<Outcome>,
    /// How the record says that it ended.
    recorded: Recorded,
    mismatch: Option<Mismatch>,
    /// A step that the rules do not allow has come: the game cannot go on from there.
    stuck: bool,
    /// The format of the record.
    format: u32,
}

/// How a match ended, as the record says.
enum Recorded {
    Nothing,
    Void,
    Outcome(Box<Outcome>),
}

impl<G: Hosted> Playback<G> {
    pub(crate) fn new(header: &Header, first: G) -> Playback<G> {
        Playback {
            state: first,
            told: Vec::new(),
            steps: 0,
            umpire: Umpire::new(header.adjudication, header.players.len()),
            fault_streaks: FaultStreaks::new(header.adjudication.max_faults()),
            called: None,
            recorded: Recorded::Nothing,
            mismatch: None,
            stuck: false,
            format: header.v,
        }
    }

    /// The state after the last step that the rules allow.
    pub(crate) fn state(&self) -> &G {
        &self.state
    }

    /// What happened in that step.
    pub(crate) fn told(&self) -> &[Told<G::Event>] {
        &self.told
    }

    /// How many steps have been played.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// Takes what happened next. Whether it was a step and the game has moved on.
    pub(crate) fn entry(&mut self, entry: &Entry<G::Action>) -> bool {
        match entry {
            Entry::Faulted { actor, turn: 1.., ruling, .. } if ruling.replaces_answer() => {
                self.fault_streaks.failed(*actor);
                false
            }
            Entry::Stepped { turn, moves, digest, .. } => self.step(*turn, moves, *digest),
            Entry::Over { outcome, .. } => {
                self.recorded = match outcome {
                    Some(outcome) => Recorded::Outcome(Box::new(outcome.clone())),
                    None => Recorded::Void,
                };
                false
            }
            Entry::Seated { .. }
            | Entry::Sent { .. }
            | Entry::Got { .. }
            | Entry::Stderr { .. }
            | Entry::Answered { .. }
            | Entry::Noted { .. }
            | Entry::Faulted { .. }
            | Entry::Left { .. }
            | Entry::Truncated
            | Entry::Unfinished { .. }
            | Entry::Kept { .. }
            | Entry::Cut { .. } => false,
        }
    }

    fn step(&mut self, turn: u32, moves: &Moves<G::Action>, digest: u64) -> bool {
        if self.stuck {
            return false;
        }
        if let Err(why) = self.fault_streaks.settle(moves) {
            self.wrong(turn, why);
        }
        if let Some(Outcome { reason, .. }) = &self.called {
            let why = format!("the match was over ({reason}), but the record continues");
            self.wrong(turn, why);
        }
        if self.format < VERSION && takes_back::<G>(moves) {
            self.wrong(turn, "a move is taken back, which this format does not have".to_owned());
        }
        if let Some(why) = illegal(&self.state, moves) {
            self.wrong(turn, why);
            self.stuck = true;
            return false;
        }
        self.told.clear();
        self.state.step(moves, &mut self.told);
        self.steps += 1;
        let found = self.state.digest();
        if found != digest {
            let why = format!("the state has digest {found:016x}, the record says {digest:016x}");
            self.wrong(turn, why);
        }
        if turn > 0 && self.called.is_none() {
            self.called = self.umpire.look(&self.state, turn);
        }
        true
    }

    /// What is found first counts.
    fn wrong(&mut self, step: u32, what: String) {
        self.mismatch.get_or_insert(Mismatch { step, what });
    }

    /// How the match ended by its rules or terms, if it has and nothing was wrong.
    pub(crate) fn ended(&self) -> Option<Outcome> {
        if self.mismatch.is_some() {
            return None;
        }
        self.called.clone().or_else(|| match self.state.turn() {
            Turn::Over(outcome) => Some(outcome),
            Turn::One(_) | Turn::All(_) => None,
        })
    }

    /// Whether the rules and the record agree on everything, its end included.
    pub(crate) fn verdict(&self) -> Result<(), Mismatch> {
        if let Some(mismatch) = &self.mismatch {
            return Err(mismatch.clone());
        }
        let wrong = |what: &str| Err(Mismatch { step: self.steps, what: what.to_owned() });
        match (self.ended(), &self.recorded) {
            (_, Recorded::Void) => Ok(()),
            (_, Recorded::Nothing) => wrong("the log ends before the match"),
            (None, Recorded::Outcome(_)) => {
                wrong("the record has an outcome, but the game is not over")
            }
            (Some(outcome), Recorded::Outcome(recorded)) => {
                if same_outcome(&outcome, recorded) {
                    return Ok(());
                }
                let words = |outcome: &Outcome| {
                    let Ending { by, why, .. } = &outcome.ending;
                    let by = in_words(by);
                    format!("{} ({by}, {}) {:?}", outcome.reason, why.as_str(), outcome.ranks)
                };
                let (found, said) = (words(&outcome), words(recorded));
                wrong(&format!("the outcome is \"{found}\", the record says \"{said}\""))
            }
        }
    }
}

/// Whether a step takes a move back.
fn takes_back<G: Hosted>(moves: &Moves<G::Action>) -> bool {
    moves.0.iter().any(|(_, choice)| match choice {
        Choice::Act(action) => G::is_take_back(action),
        Choice::Forfeit(_) => false,
    })
}

/// Why the rules do not allow this step, if they do not.
pub(crate) fn illegal<G: Hosted>(state: &G, moves: &Moves<G::Action>) -> Option<String> {
    let on_turn = match state.turn() {
        Turn::Over(outcome) => {
            return Some(format!(
                "the game was over ({}), but the record continues",
                outcome.reason
            ));
        }
        Turn::One(actor) => vec![actor],
        Turn::All(actors) => actors,
    };
    let mut cast = Vec::new();
    state.cast(&mut cast);
    // Both come in order, and a world may be large.
    let is_on_turn = |actor: &ActorId| on_turn.binary_search(actor).is_ok();
    let mut acted = 0;
    for (actor, choice) in &moves.0 {
        match choice {
            Choice::Act(action) => {
                if !is_on_turn(actor) {
                    return Some(format!("{actor} acts out of turn"));
                }
                if let Err(illegal) = state.check(*actor, action) {
                    return Some(format!("an illegal action: {illegal}"));
                }
                acted += 1;
            }
            Choice::Forfeit(_) => {
                if actor.place_in(&cast, |role| role.actor).is_none() {
                    return Some(format!("{actor} forfeits but does not play"));
                }
                acted += usize::from(is_on_turn(actor));
            }
        }
    }
    let sorted = moves.0.is_sorted_by(|a, b| a.0 < b.0);
    let only_forfeits = moves.0.iter().all(|(_, choice)| matches!(choice, Choice::Forfeit(_)));
    let early_leave = G::EARLY_LEAVE == EarlyLeave::AtOnce && only_forfeits && !moves.0.is_empty();
    match sorted && (acted == on_turn.len() || early_leave) {
        true => None,
        false => Some("the moves are not those of the actors on turn".to_owned()),
    }
}
