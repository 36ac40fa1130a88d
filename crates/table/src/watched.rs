//! What viewers may know of a match. Nothing here changes it.

use game::{Note, PlayerId};

use crate::hosted::Hosted;
use crate::picture::{Picture, Room};
use crate::report::FaultLine;
use crate::shown::Measure;
use crate::table::Table;

/// A match as viewers see it.
pub trait ViewedMatch {
    /// From now on there is a viewer: [`ViewedMatch::happened`] is used.
    fn watch(&mut self);
    /// The names of the players, by seat.
    fn names(&self) -> Vec<String>;
    /// Turns of the game so far.
    fn turns(&self) -> u32;
    /// What everybody did in the last step, in words, and who it was; nothing without a viewer.
    fn happened(&self) -> Vec<(Option<PlayerId>, String)>;
    /// What each player has done wrong so far.
    fn faults(&self) -> Vec<Vec<FaultLine>>;
    /// The last things that each player's bots said beside their answers, oldest first.
    fn notes(&self) -> Vec<Vec<Note>>;
    /// The points of the players as it stands, in a game that counts any on the way.
    fn standing(&self) -> Option<Vec<f64>>;
    /// What the game counts, as it stands; empty if it counts nothing.
    fn measures(&self) -> Vec<Measure>;
    /// The state of the game as it is now, to be drawn later.
    fn snapshot(&self) -> Box<dyn Snapshot>;
}

impl<G: Hosted> ViewedMatch for Table<G> {
    fn watch(&mut self) {
        self.happened.get_or_insert_default();
    }
    fn names(&self) -> Vec<String> {
        self.terms.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }
    fn turns(&self) -> u32 {
        self.turns
    }
    fn happened(&self) -> Vec<(Option<PlayerId>, String)> {
        self.happened.clone().unwrap_or_default()
    }
    fn faults(&self) -> Vec<Vec<FaultLine>> {
        self.players.iter().map(|player| player.faults.clone()).collect()
    }
    fn notes(&self) -> Vec<Vec<Note>> {
        self.players.iter().map(|player| player.notes.iter().cloned().collect()).collect()
    }
    fn standing(&self) -> Option<Vec<f64>> {
        Some(self.game.standing()?.scores)
    }
    fn measures(&self) -> Vec<Measure> {
        self.game.measures()
    }
    fn snapshot(&self) -> Box<dyn Snapshot> {
        Box::new(NamedState { game: self.game.clone(), names: self.names() })
    }
}

/// A state of any game that can be drawn, for any room and as often as need be.
pub trait Snapshot: Send {
    /// A picture of the game for a terminal.
    fn draw(&self, room: Room) -> Picture;
    /// The picture through one player's eyes, where the game can draw one.
    fn draw_for(&self, player: PlayerId, room: Room) -> Option<Picture>;
}

struct NamedState<G> {
    game: G,
    names: Vec<String>,
}

impl<G: Hosted> Snapshot for NamedState<G> {
    fn draw(&self, room: Room) -> Picture {
        self.game.draw(&self.names, room)
    }
    fn draw_for(&self, player: PlayerId, room: Room) -> Option<Picture> {
        self.game.draw_for(player, &self.names, room)
    }
}
