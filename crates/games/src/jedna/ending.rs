//! How a game ends: points, ranks and the outcome.

use game::{Outcome, count};
use serde::{Deserialize, Serialize};

use super::seats::Seat;
use super::state::Jedna;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A player shed the last card.
    Shed(Seat),
    /// All others have left.
    LastLeft(Seat),
    /// The turn cap was reached.
    Cap,
}

impl Jedna {
    /// The points of a seat: what is left in the hand, or was when it left the game. The last
    /// one left has none.
    pub fn points(&self, seat: Seat) -> u32 {
        if self.ending == Some(Ending::LastLeft(seat)) {
            0
        } else if self.gone.position(seat).is_some() {
            u32::from(self.gone_points[seat.index()])
        } else {
            self.hand(seat).points()
        }
    }

    /// Rank of a seat if the game ended like this, 1 the best. Fewer points are better; who left
    /// the game is behind everybody who stayed longer.
    fn rank(&self, seat: Seat, ending: Ending) -> u16 {
        if let Some(place) = self.gone.position(seat) {
            return (self.players() - place) as u16;
        }
        // The last card of a loser may be worth nothing, and it has lost all the same.
        let worth = |seat| (ending != Ending::Shed(seat), self.points(seat));
        let own = worth(seat);
        1 + self.circle.list().iter().filter(|other| worth(**other) < own).count() as u16
    }

    /// Ranks and points of all, once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        let ending = self.ending?;
        let rules = |why| game::Ending::rules(why).after(self.gone_for.iter().copied());
        let (how, reason) = match ending {
            Ending::Shed(seat) => (rules("shed"), format!("{seat} shed the last card")),
            Ending::LastLeft(seat) => (
                game::Ending::forfeit(self.gone_for.clone()),
                format!("{seat} is the last one left"),
            ),
            Ending::Cap => (
                rules("max-turns"),
                format!("the cap of {} was reached", count(self.config.max_turns.into(), "turn")),
            ),
        };
        Some(Outcome { ending: how, ..self.ended(ending, reason) })
    }

    /// How it would end now, like this and for this reason.
    pub(super) fn ended(&self, ending: Ending, reason: String) -> Outcome {
        let seats = || (0..self.players() as u8).map(Seat);
        Outcome {
            ranks: seats().map(|seat| self.rank(seat, ending)).collect(),
            scores: seats().map(|seat| f64::from(self.points(seat))).collect(),
            reason,
            ending: game::Ending::default().after(self.gone_for.iter().copied()),
        }
    }
}
