//! What happened in a turn, for viewers. Programs learn of it only by what they see.

use game::PlayerId;
use serde::{Deserialize, Serialize};

use super::land::{Food, Point};

/// One ant of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    /// Whose it is.
    pub player: PlayerId,
    /// Its id.
    pub ant: u8,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// An ant was sprayed with acid.
    Hit {
        /// Who did it.
        by: Who,
        /// To whom.
        victim: Who,
        /// How much.
        acid: u32,
    },
    /// An ant died and became meat.
    Died {
        /// Which.
        who: Who,
        /// Where.
        at: Point,
    },
    /// An ant ate.
    Ate {
        /// Which.
        who: Who,
        /// What.
        food: Food,
    },
    /// New food appeared.
    Grew {
        /// What.
        food: Food,
        /// Where.
        at: Point,
    },
}
