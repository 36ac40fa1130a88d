//! Newtypes for the two kinds of participant, so that they cannot be mixed up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One program entered in a match, by its seat number: 0 is the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlayerId(pub u16);

/// One living thing in a game that is asked for actions.
///
/// Usually there is one per player and the numbers agree; in a world with births and
/// deaths a player owns many actors, and an id is never used twice in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ActorId(pub u32);

impl PlayerId {
    /// This player's place in per-player lists.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", self.0 + 1)
    }
}

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "actor {}", self.0)
    }
}
