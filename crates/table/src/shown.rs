//! What a game offers to those who look at it: names, pictures, counts, exports.

use std::time::Duration;

use game::{ActorId, Game, Outcome, PlayerId, Told};
use serde_json::Value;

use crate::picture::{Line, Picture, Room};
use crate::scene::{Scene, Sprite};

/// A game that can be shown, measured and exported. Nothing here decides how it is played.
pub trait Shown: Game {
    /// The name of an actor in replays and faults.
    fn actor_name(&self, actor: ActorId) -> ActorName;

    /// The whole state in plain words.
    fn plain(&self) -> Value;

    /// A picture of the whole state for a terminal, drawn for the room there is: smaller or around
    /// what moves where it does not fit. `names` are the players' by seat.
    fn draw(&self, names: &[String], room: Room) -> Picture;

    /// The picture that one player could draw; `None` in games without hidden information, or
    /// where nobody has drawn it yet.
    fn draw_for(&self, player: PlayerId, names: &[String], room: Room) -> Option<Picture> {
        let _ = (player, names, room);
        None
    }

    /// The picture of the whole state for a person who plays: where it does not fit, what is around this player is
    /// shown. Only in games without hidden information.
    fn draw_around(&self, player: PlayerId, names: &[String], room: Room) -> Picture {
        let _ = player;
        self.draw(names, room)
    }

    /// The state as one player may know it, or all of it, for any program to draw; `news` is what led to it, as
    /// far as these eyes learned of it. The same thing has the same key from state to state. Without a scene of its
    /// own a game is shown as a terminal shows it.
    fn scene(&self, eyes: Option<PlayerId>, news: &[Told<Self::Event>]) -> Scene {
        let _ = news;
        let picture = match eyes {
            None => Some(self.draw(&[], Scene::TERMINAL)),
            Some(player) => self.draw_for(player, &[], Scene::TERMINAL),
        };
        let nothing =
            || Picture { head: vec![Line::plain("nothing to see")], ..Picture::default() };
        Scene::of_picture(picture.unwrap_or_else(nothing))
    }

    /// The pictures that its scenes use beside plain forms.
    fn sprites() -> &'static [Sprite] {
        &[]
    }

    /// What is worth counting over time, each with a value for every player; nothing in most games.
    fn measures(&self) -> Vec<Measure> {
        Vec::new()
    }

    /// Formats of other programs that a finished game can be written in.
    fn exports() -> &'static [Export<Self>] {
        &[]
    }
}

/// The name of an actor, and whether its player has others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActorName {
    /// The player has only this one: whoever knows the player knows the actor.
    Only(String),
    /// The player may have several, so that a fault has to say whose it was.
    OneOfMany(String),
}

impl ActorName {
    /// The name.
    pub fn text(self) -> String {
        match self {
            ActorName::Only(name) | ActorName::OneOfMany(name) => name,
        }
    }

    /// The name, if the player's does not say as much.
    pub fn one_of_many(self) -> Option<String> {
        match self {
            ActorName::Only(_) => None,
            ActorName::OneOfMany(name) => Some(name),
        }
    }
}

/// Something that can be counted in every state of a game: population, energy.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What is counted, in one word.
    pub name: &'static str,
    /// How much of it each player has, by seat.
    pub values: Vec<f64>,
}

/// A file format that a finished game can be exported to.
pub struct Export<G: Game> {
    /// Its name after `--export`.
    pub name: &'static str,
    /// Writes the game.
    pub write: fn(&FinishedGame<G>) -> Result<String, String>,
}

/// A finished game as exports see it.
pub struct FinishedGame<G: Game> {
    /// The set-up it was played with.
    pub config: G::Config,
    /// The last state.
    pub last: G,
    /// The names of the players, by seat.
    pub names: Vec<String>,
    /// Every action, who did it and how long the decision took.
    pub actions: Vec<(ActorId, G::Action, Duration)>,
    /// How it ended; `None` if it was never finished.
    pub outcome: Option<Outcome>,
}
