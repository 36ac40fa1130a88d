//! The [`Game`] trait: the pure rules of one game.

use std::fmt::Debug;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use thiserror::Error;

use crate::{ActorId, Fault, Forfeit, Outcome, PlayerId, Seed};

/// The rules of one game as a state machine. The state is `self`.
///
/// A game never does I/O, never reads a clock and takes chance only from its seed, so that
/// the same configuration, seed and moves give the same states on every machine.
pub trait Game: Clone + Debug + PartialEq + Send + Serialize + DeserializeOwned + 'static {
    /// The name on the command line and in files.
    const ID: &'static str;

    /// When an actor leaves whose program ends before the first turn.
    const EARLY_LEAVE: EarlyLeave = EarlyLeave::AtOnce;

    /// The set-up: everything that can be chosen before the game.
    type Config: Clone
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + Serialize
        + DeserializeOwned
        + 'static;
    /// What an actor may do when asked.
    type Action: Clone + Debug + PartialEq + Send + Serialize + DeserializeOwned + 'static;
    /// What one pair of eyes sees of the state.
    type View: Clone + Debug + PartialEq + Send + Serialize + DeserializeOwned + 'static;
    /// What happened in a step.
    type Event: Clone + Debug + PartialEq + Send + Serialize + DeserializeOwned + 'static;

    /// The first state.
    fn start(config: &Self::Config, players: u16, seed: Seed) -> Result<Self, SetupError>;

    /// Appends the living actors and the player each belongs to, in the order of their ids.
    fn cast(&self, roles: &mut Vec<Role>);

    /// Who must act now, or how it ended.
    fn turn(&self) -> Turn;

    /// The number of this turn, from 1, in a game in which a turn may take several steps; in others
    /// every step is a turn.
    fn turn_number(&self) -> Option<u32> {
        None
    }

    /// How it would end were it ended now, in a game that counts something on the way: then
    /// always, otherwise never. The reason may say anything; who ends it says why.
    fn standing(&self) -> Option<Outcome> {
        None
    }

    /// What can be seen from a place. An actor's view holds nothing that is hidden from it.
    fn view(&self, eye: Eye) -> Self::View;

    /// Whether `action` would be legal for `actor` now.
    fn check(&self, actor: ActorId, action: &Self::Action) -> Result<(), Illegal>;

    /// Applies the choices of everybody in [`Game::turn`], all of them already checked.
    /// What happened is appended to `told`.
    ///
    /// A [`Choice::Forfeit`] may also come from an actor that is not on turn, and then alone:
    /// a program that cannot even start leaves before anybody has moved, unless
    /// [`Game::EARLY_LEAVE`] says otherwise.
    fn step(&mut self, moves: &Moves<Self::Action>, told: &mut Vec<Told<Self::Event>>);

    /// What a fault of `actor` costs, given what it has already done wrong.
    fn rule(&self, actor: ActorId, fault: &Fault, past: Past) -> Ruling<Self::Action>;

    /// A hash of the whole state: equal states, equal digests.
    fn digest(&self) -> u64;
}

/// When an actor leaves whose program ends before the first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyLeave {
    /// Before anybody has moved.
    AtOnce,
    /// In the first turn, in which all others move: the order in which programs fail must not
    /// decide the game.
    InFirstTurn,
}

/// An actor and the player it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// The one who acts.
    pub actor: ActorId,
    /// Whose program it is.
    pub player: PlayerId,
}

/// Whose turn it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// One actor alone is to act.
    One(ActorId),
    /// All of these act at the same time, in ascending order of id.
    All(Vec<ActorId>),
    /// The game has ended.
    Over(Outcome),
}

/// A place from which a game can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eye {
    /// What this actor may know.
    Actor(ActorId),
    /// What everybody may know.
    Public,
    /// Everything.
    All,
}

/// What was decided for one actor in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Choice<A> {
    /// It does this.
    Act(A),
    /// It leaves the game, for this reason.
    Forfeit(Forfeit),
}

/// The choices of one step, by actor, in ascending order of id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moves<A>(pub Vec<(ActorId, Choice<A>)>);

impl<A> Moves<A> {
    /// A step in which one actor acts alone.
    pub fn one(actor: ActorId, action: A) -> Moves<A> {
        Moves(vec![(actor, Choice::Act(action))])
    }

    /// The choice of one actor, if it had one.
    pub fn of(&self, actor: ActorId) -> Option<&Choice<A>> {
        self.0.iter().find(|(who, _)| *who == actor).map(|(_, choice)| choice)
    }
}

/// An event and who learns of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Told<E> {
    /// Who may know.
    pub to: Audience,
    /// What happened.
    pub event: E,
}

/// Who learns of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    /// Everybody.
    All,
    /// Everybody but this actor.
    Except(ActorId),
    /// This actor alone.
    Only(ActorId),
    /// No actor: only viewers, and the replay.
    Watchers,
}

impl Audience {
    /// Whether `actor` learns of it.
    pub fn includes(self, actor: ActorId) -> bool {
        match self {
            Audience::All => true,
            Audience::Except(other) => actor != other,
            Audience::Only(one) => actor == one,
            Audience::Watchers => false,
        }
    }
}

/// What the table remembers of an actor's misbehaviour, so that games need not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// How often the actor has been asked again in this very turn.
    pub tries: u32,
    /// How often its program has been started anew in this game.
    pub restarts: u32,
}

/// What a fault costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling<A> {
    /// Nothing: it is only recorded.
    Overlook,
    /// The answer due is replaced by this one.
    Play(A),
    /// The actor is told why and asked once more, within the same time.
    AskAgain,
    /// The answer due is replaced, and the program is started anew.
    Reseat(A),
    /// The actor leaves the game.
    Forfeit,
}

/// Why an action is not allowed, in words that name the action.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// Why a game cannot be set up like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SetupError(pub String);

impl Illegal {
    /// An action refused for this reason.
    pub fn new(reason: impl Into<String>) -> Illegal {
        Illegal(reason.into())
    }
}

impl SetupError {
    /// A set-up refused for this reason.
    pub fn new(reason: impl Into<String>) -> SetupError {
        SetupError(reason.into())
    }
}
