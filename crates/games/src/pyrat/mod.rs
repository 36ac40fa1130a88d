//! PyRat: a rat and a python race through a maze for the most cheese.
//!
//! In reading order: [`Maze`], the rules ([`State`]), the set-up ([`Config`]), what is seen
//! ([`View`]), the game as the table plays it ([`Pyrat`]), built-in bots and a picture; then the
//! protocol: its words (`wire`), options of bots, and the engine's side of a conversation.

mod bots;
mod catalogue;
mod checks;
mod desk;
mod draw;
mod generate;
mod maze;
mod options;
mod program;
mod protocol;
mod protocol_state;
mod scene;
mod setup;
mod state;
mod talk;
mod view;
mod wire;

pub use bots::tourer::Tourer;
pub use bots::{Greedy, Random};
pub use draw::draw;
pub use maze::{Cell, Exit, Maze, Point};
pub use setup::{Config, Preset};
pub use state::{End, Move, Player, Score, Side, State, Taken};
pub use view::{Deed, Event, PlayerView, View};

use game::{
    ActorId, Audience, Choice, Digest, Ending, Eye, Fault, FaultKind, Forfeit, Forfeited, Game,
    Illegal, Moves, Outcome, Past, PlayerId, Role, Ruling, Seed, SetupError, Told, Turn,
};
use serde::{Deserialize, Serialize};

/// A game of PyRat. Actor 0 is the rat, actor 1 the python.
///
/// A player whose program has left stays where it is for the rest of the game and is not
/// asked any more: the other may still be kept from the cheese by its own mistakes, and the
/// score says how the game went. When both have left, the game is over; a program that leaves
/// before the first turn loses at once, because there has been no game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pyrat {
    state: State,
    /// Why a program has left, by [`Side::index`].
    gone: [Option<Forfeit>; 2],
    restarts: u32,
    /// The moves of every turn so far, by [`Side::index`]: a bot that is started anew is told.
    history: Vec<[Move; 2]>,
}

impl Pyrat {
    /// The game that is seen. Who has left it is not.
    fn of_view(view: &View) -> Result<Pyrat, SetupError> {
        let (state, history) = (view.state()?, view.history.clone());
        Ok(Pyrat { state, gone: [None, None], restarts: 0, history })
    }

    /// The board and the score.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether a player's program has left the game.
    pub fn is_gone(&self, side: Side) -> bool {
        self.gone[side.index()].is_some()
    }

    /// How often the program of each player may be started anew.
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// The moves of every turn so far, by [`Side::index`].
    pub fn history(&self) -> &[[Move; 2]] {
        &self.history
    }

    /// Everything but the history, to look at.
    fn board(&self) -> View {
        View::of(&self.state, None)
    }

    /// The sides that are still played by a program.
    fn present(&self) -> impl Iterator<Item = Side> + '_ {
        Side::BOTH.into_iter().filter(|&side| !self.is_gone(side))
    }

    /// Those whose programs have left the game.
    fn forfeits(&self) -> impl Iterator<Item = Forfeited> + '_ {
        let left = |side: Side| {
            let player = PlayerId(side.index() as u16);
            self.gone[side.index()].as_ref().map(|why| why.of(player))
        };
        Side::BOTH.into_iter().filter_map(left)
    }

    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome> {
        let scores = self.points();
        let over = |end: End, reason: String| {
            let ending = Ending::rules(end.word()).after(self.forfeits());
            Some(Outcome::by_score(scores.clone(), ending, reason))
        };
        let nobody = || Ending::forfeit(self.forfeits().collect());
        match (self.state.end(), &self.gone) {
            (Some(end), [None, None]) => over(end, end.reason().to_owned()),
            (_, [Some(_), Some(_)]) => {
                Some(Outcome::by_score(scores, nobody(), "both players have left"))
            }
            (Some(end), [Some(_), None]) => {
                over(end, format!("{} after the rat had left", end.reason()))
            }
            (Some(end), [None, Some(_)]) => {
                over(end, format!("{} after the python had left", end.reason()))
            }
            (None, [Some(why), None]) if self.state.turn() == 0 => {
                let reason = format!("the rat could not play: {why}");
                Some(Outcome { ranks: vec![2, 1], scores, reason, ending: nobody() })
            }
            (None, [None, Some(why)]) if self.state.turn() == 0 => {
                let reason = format!("the python could not play: {why}");
                Some(Outcome { ranks: vec![1, 2], scores, reason, ending: nobody() })
            }
            (None, _) => None,
        }
    }

    fn points(&self) -> Vec<f64> {
        Side::BOTH.map(|side| self.state.player(side).score.points()).into()
    }
}

impl Side {
    /// The actor that plays this side.
    pub const fn actor(self) -> ActorId {
        ActorId(self as u32)
    }

    /// The side that an actor plays, if it plays in this game at all.
    pub const fn of(actor: ActorId) -> Option<Side> {
        match actor {
            ActorId(0) => Some(Side::Rat),
            ActorId(1) => Some(Side::Python),
            ActorId(_) => None,
        }
    }
}

impl Game for Pyrat {
    const ID: &'static str = "pyrat";

    type Config = Config;
    type Action = Move;
    type View = View;
    type Event = Event;

    fn start(config: &Config, players: u16, seed: Seed) -> Result<Pyrat, SetupError> {
        if players != 2 {
            return Err(SetupError::new(format!("pyrat is for 2 players, not {players}")));
        }
        let state = config.start(seed)?;
        Ok(Pyrat { state, gone: [None, None], restarts: config.restarts, history: Vec::new() })
    }

    fn cast(&self, roles: &mut Vec<Role>) {
        roles.extend(
            self.present()
                .map(|side| Role { actor: side.actor(), player: PlayerId(side.index() as u16) }),
        );
    }

    fn turn(&self) -> Turn {
        match self.outcome() {
            Some(outcome) => Turn::Over(outcome),
            None => Turn::All(self.present().map(Side::actor).collect()),
        }
    }

    /// By the cheese so far.
    fn standing(&self) -> Option<Outcome> {
        let so_far = || {
            let ending = Ending::default().after(self.forfeits());
            Outcome::by_score(self.points(), ending, "cheese so far")
        };
        Some(self.outcome().unwrap_or_else(so_far))
    }

    fn view(&self, eye: Eye) -> View {
        let you = match eye {
            Eye::Actor(actor) => Side::of(actor),
            Eye::Public | Eye::All => None,
        };
        View { you, history: self.history.clone(), ..self.board() }
    }

    fn check(&self, actor: ActorId, action: &Move) -> Result<(), Illegal> {
        // A bump is a STAY and a move in mud is lost, so that nothing is forbidden.
        match Side::of(actor) {
            Some(side) if !self.is_gone(side) => Ok(()),
            Some(_) | None => Err(Illegal::new(format!("{actor} is not there to play {action}"))),
        }
    }

    fn step(&mut self, moves: &Moves<Move>, told: &mut Vec<Told<Event>>) {
        let executed = Side::BOTH.map(|side| match moves.of(side.actor()) {
            Some(Choice::Act(by)) => *by,
            Some(Choice::Forfeit(why)) => {
                self.gone[side.index()] = Some(why.clone());
                Move::Stay
            }
            None => Move::Stay,
        });
        // A program that cannot start leaves alone, before anybody has moved: no turn is played.
        if !moves.0.iter().any(|(_, choice)| matches!(choice, Choice::Act(_))) {
            return;
        }
        self.history.push(executed);
        let taken = self.state.step(executed[0], executed[1]);
        let event = Event::of(&self.state, executed, taken);
        told.push(Told { to: Audience::All, event });
    }

    fn rule(&self, _: ActorId, fault: &Fault, past: Past) -> Ruling<Move> {
        match fault.kind {
            FaultKind::Timeout | FaultKind::BadInput | FaultKind::Illegal => {
                Ruling::Play(Move::Stay)
            }
            // Before the first turn only the handshake can have failed. Trying it again would
            // keep everybody waiting for the whole limit once more.
            FaultKind::NotReady if self.state.turn() == 0 => Ruling::Forfeit,
            FaultKind::Crash
            | FaultKind::EndOfOutput
            | FaultKind::NotReady
            | FaultKind::LineTooLong
            | FaultKind::Flood
            | FaultKind::Memory
            | FaultKind::Processes
            | FaultKind::Cpu
            | FaultKind::Disk => {
                if past.restarts < self.restarts {
                    Ruling::Reseat(Move::Stay)
                } else {
                    Ruling::Forfeit
                }
            }
            FaultKind::Early | FaultKind::Extra => Ruling::Overlook,
            FaultKind::NotStarted | FaultKind::Refused | FaultKind::BadOption => Ruling::Forfeit,
        }
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest::new(Pyrat::ID);
        self.state.digest(&mut digest);
        for &[rat, python] in &self.history {
            digest.word((rat as u64) << 8 | python as u64);
        }
        for why in &self.gone {
            let why = why.as_ref().map_or_else(String::new, Forfeit::to_string);
            digest.bytes(why.as_bytes());
        }
        digest.word(self.restarts.into()).finish()
    }
}

#[cfg(test)]
mod tests;
