//! Petri: agents on a grid live on energy, attack, rest and replicate.
//!
//! A player is a program; an agent is one organism, and every living agent is a process of its
//! player's program. In reading order: the cells (`grid`), names (`tag`), the set-up (`setup`),
//! what agents do (`action`), the world (`state`, `ending`), what they see of it (`view`), how they
//! are spoken to (`wire`, `protocol`), pictures (`draw`, `catalogue`), and bots (`bots`, `colony`).

mod action;
pub mod bots;
mod catalogue;
mod checks;
mod desk;
mod draw;
mod ending;
mod grid;
mod program;
mod protocol;
mod scene;
mod setup;
mod state;
mod tag;
mod view;
mod wire;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use action::{Action, Cause, Event};
pub use bots::colony::Colony;
pub use grid::{Cell, Direction, Size};
pub use setup::{Config, Order, PLAYERS};
pub use state::{Agent, Petri, Species};
pub use tag::Tag;
pub use view::{Neighbour, Own, View};

use game::{
    ActorId, EarlyLeave, Ending, Eye, Fault, FaultKind, Game, Illegal, Moves, Outcome, Past, Role,
    Ruling, Seed, SetupError, Told, Turn,
};

impl Game for Petri {
    const ID: &'static str = "petri";
    const EARLY_LEAVE: EarlyLeave = EarlyLeave::InFirstTurn;
    type Config = Config;
    type Action = Action;
    type View = View;
    type Event = Event;

    fn start(config: &Config, players: u16, seed: Seed) -> Result<Petri, SetupError> {
        Petri::new(config.clone(), players, seed)
    }

    fn cast(&self, roles: &mut Vec<Role>) {
        let role = |agent: &Agent| Role { actor: agent.id, player: agent.player };
        roles.extend(self.agents().iter().map(role));
    }

    fn turn(&self) -> Turn {
        match self.is_over() {
            true => Turn::Over(self.outcome().expect("what is over has an outcome")),
            false => Turn::All(self.agents().iter().map(|agent| agent.id).collect()),
        }
    }

    /// By who lives, and the energy so far.
    fn standing(&self) -> Option<Outcome> {
        let so_far = || self.ended(Ending::default(), "energy so far".to_owned());
        Some(self.outcome().unwrap_or_else(so_far))
    }

    fn view(&self, eye: Eye) -> View {
        self.seen_from(eye)
    }

    /// Every action is allowed to the living. One that cannot be done has no effect.
    fn check(&self, actor: ActorId, _: &Action) -> Result<(), Illegal> {
        match self.agent(actor) {
            Some(_) => Ok(()),
            None => Err(Illegal::new(format!("{} does not live", Tag::of(self.seed, actor)))),
        }
    }

    fn step(&mut self, moves: &Moves<Action>, told: &mut Vec<Told<Event>>) {
        self.advance(moves, told);
    }

    fn rule(&self, _: ActorId, fault: &Fault, _: Past) -> Ruling<Action> {
        match fault.kind {
            // "Agent gets default "rest" action."
            FaultKind::Timeout | FaultKind::BadInput | FaultKind::Illegal => {
                Ruling::Play(Action::Rest)
            }
            // "Process crash: Agent is removed from simulation." All others here end the process
            // or mean that there is none.
            FaultKind::NotStarted
            | FaultKind::NotReady
            | FaultKind::Refused
            | FaultKind::Crash
            | FaultKind::EndOfOutput
            | FaultKind::LineTooLong
            | FaultKind::Flood
            | FaultKind::Memory
            | FaultKind::Processes
            | FaultKind::Cpu
            | FaultKind::Disk => Ruling::Forfeit,
            FaultKind::Early | FaultKind::Extra | FaultKind::BadOption => Ruling::Overlook,
        }
    }

    fn digest(&self) -> u64 {
        self.digest_of_state()
    }
}
