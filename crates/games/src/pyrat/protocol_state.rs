//! How far a conversation with a bot is.

use game::{Afterwards, Tick, TimeLeft};

use super::View;

/// What is going on between the two.
#[derive(Debug)]
pub(super) enum ProtocolState {
    /// Nothing is due from the bot.
    Waiting,
    /// It introduces itself, and is then told of the game; of none if it joins in mid-game.
    Handshake { by: Tick, game: Option<Box<View>> },
    /// It has played before and has to show that it is idle.
    Proving { by: Tick, game: Box<View> },
    /// It looks at the maze.
    Preprocessing { by: Tick },
    /// It was late, and has to say that it is ready.
    ReadyCheck { by: Tick, time: TimeLeft },
    /// Its move is due.
    Asked { stop_at: Option<Tick> },
    /// It looks back.
    Postprocessing { by: Tick, then: Afterwards },
    /// It may stay for another game if it is idle.
    Parting { by: Tick },
    /// There is nothing more to say.
    Over,
}

/// What a bot has to be told before it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// The moves of a turn that was none: "moves rat:STAY python:STAY" comes before the first
    /// question, so that all questions look alike.
    FirstTurn,
    /// The whole game so far.
    Recover,
    /// Nothing: it has heard of every turn.
    InStep,
}

impl ProtocolState {
    /// When this state ends at the latest, or the bot is told to stop.
    pub(super) fn next_tick(&self) -> Option<Tick> {
        match self {
            ProtocolState::Handshake { by, .. }
            | ProtocolState::Proving { by, .. }
            | ProtocolState::Preprocessing { by }
            | ProtocolState::ReadyCheck { by, .. }
            | ProtocolState::Postprocessing { by, .. }
            | ProtocolState::Parting { by } => Some(*by),
            ProtocolState::Asked { stop_at } => *stop_at,
            ProtocolState::Waiting | ProtocolState::Over => None,
        }
    }
}
