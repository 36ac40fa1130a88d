//! Ants: colonies look for food on a map of which each sees only what is near its own ants.
//!
//! In reading order: the ground (`land`), the set-up (`setup`), maps (`layout`, `generate`), what
//! ants are told to do (`orders`), colonies and what they know (`colony`), the game itself
//! (`state`, `event`), what programs are told (`view`), how they are spoken to (`wire`,
//! `protocol`), pictures (`draw`, `catalogue`), and bots (`bots`).

mod bots;
mod catalogue;
mod checks;
mod colony;
mod desk;
mod draw;
mod event;
mod generate;
mod land;
mod layout;
mod orders;
mod program;
mod protocol;
mod scene;
mod setup;
mod state;
mod view;
mod wire;

#[cfg(test)]
mod conversations;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod maps;
#[cfg(test)]
mod tests;

pub use colony::{Ant, Colony};
pub use event::{Event, Who};
pub use land::{Content, Direction, Food, Land, Point};
pub use orders::{NoOrder, Order, Orders, STRENGTH};
pub use setup::{Config, LONGEST_SIDE, MOST_ANTS, MOST_PLAYERS, Programs, Rules, Version};
pub use state::Ants;
pub use view::{Foreign, Known, Sight, View};

use game::{
    ActorId, Audience, Choice, Digest, EarlyLeave, Ending, Eye, Fault, FaultKind, Forfeit, Game,
    Illegal, Moves, Outcome, Past, Role, Ruling, Seed, SetupError, Told, Turn,
};

impl Game for Ants {
    const ID: &'static str = "ants";
    const EARLY_LEAVE: EarlyLeave = EarlyLeave::InFirstTurn;
    type Config = Config;
    type Action = Orders;
    type View = View;
    type Event = Event;

    fn start(config: &Config, players: u16, seed: Seed) -> Result<Ants, SetupError> {
        Ants::new(config, players, seed)
    }

    fn cast(&self, roles: &mut Vec<Role>) {
        roles.extend(self.present().map(|(actor, player)| Role { actor, player }));
    }

    fn turn(&self) -> Turn {
        match self.outcome() {
            Some(outcome) => Turn::Over(outcome),
            None => Turn::All(self.present().map(|(actor, _)| actor).collect()),
        }
    }

    /// By energy and food so far.
    fn standing(&self) -> Option<Outcome> {
        let so_far = || self.ended(Ending::default(), "energy and food so far".to_owned());
        Some(self.outcome().unwrap_or_else(so_far))
    }

    fn view(&self, eye: Eye) -> View {
        self.seen_from(eye)
    }

    fn check(&self, actor: ActorId, orders: &Orders) -> Result<(), Illegal> {
        let post = self
            .post(actor)
            .filter(|(player, block)| self.colonies[player.index()].gone[*block].is_none());
        let Some((player, block)) = post else {
            return Err(Illegal::new(format!("{actor} is not there to give orders")));
        };
        for &(ant, order) in orders.list() {
            if !self.blocks[block].contains(&ant) {
                return Err(Illegal::new(format!("{actor} does not command ant {ant}")));
            }
            if !self.colonies[player.index()].ants[usize::from(ant)].alive() {
                return Err(Illegal::new(format!("ant {ant} is dead")));
            }
            if let Order::Attack(acid) = order
                && !STRENGTH.contains(&acid)
            {
                return Err(Illegal::new(format!("{order}: the acid is 1 to 1000")));
            }
        }
        Ok(())
    }

    /// The ants of a program that leaves rest from then on. When nobody is left to be asked, the
    /// rest of the game is played without a wait.
    fn step(&mut self, moves: &Moves<Orders>, told: &mut Vec<Told<Event>>) {
        let mut orders = Vec::new();
        for (actor, choice) in &moves.0 {
            match (choice, self.post(*actor)) {
                (Choice::Forfeit(why), Some((player, block))) => {
                    self.colonies[player.index()].gone[block] = Some(why.clone());
                }
                (Choice::Act(given), _) => orders.push((*actor, given)),
                (Choice::Forfeit(_), None) => {}
            }
        }
        let deeds = self.deeds(orders.into_iter());
        self.play(&deeds, &mut |event| told.push(Told { to: Audience::Watchers, event }));
    }

    fn rule(&self, _: ActorId, fault: &Fault, past: Past) -> Ruling<Orders> {
        match fault.kind {
            FaultKind::Timeout | FaultKind::BadInput | FaultKind::Illegal => {
                Ruling::Play(Orders::REST)
            }
            FaultKind::Crash
            | FaultKind::EndOfOutput
            | FaultKind::LineTooLong
            | FaultKind::Flood
            | FaultKind::Memory
            | FaultKind::Processes
            | FaultKind::Cpu
            | FaultKind::Disk => {
                if past.restarts < self.restarts {
                    Ruling::Reseat(Orders::REST)
                } else {
                    Ruling::Forfeit
                }
            }
            FaultKind::NotStarted
            | FaultKind::NotReady
            | FaultKind::Refused
            | FaultKind::BadOption => Ruling::Forfeit,
            FaultKind::Early | FaultKind::Extra => Ruling::Overlook,
        }
    }

    fn digest(&self) -> u64 {
        // Every field by name, so that a new one cannot be forgotten.
        let Ants { rules, blocks, restarts, turn, land, colonies, chance, owed } = self;
        let Rules { max_turns, energy, acid, sight, upkeep, stride, recovery, worth } = rules;
        let mut digest = Digest::new(Self::ID);
        for number in [max_turns, energy, acid, upkeep, stride, recovery, restarts, turn] {
            digest.word((*number).into());
        }
        digest.word((*sight).into());
        for one in worth {
            digest.word((*one).into());
        }
        digest.bytes(&blocks.iter().map(|block| block.end).collect::<Vec<u8>>());
        digest.word(u64::from(land.width()) << 16 | u64::from(land.height()));
        digest.bytes(&land.cells().iter().map(|cell| cell.letter() as u8).collect::<Vec<u8>>());
        for Colony { ants, eaten, extinct, gone, knowledge } in colonies {
            for ant in ants {
                let Ant { at, facing, energy, acid } = ant;
                digest.word(u64::from(at.x) << 32 | u64::from(at.y) << 8 | *facing as u64);
                digest.word(u64::from(*energy) << 32 | u64::from(*acid));
            }
            digest.word(u64::from(*eaten) << 32 | extinct.map_or(0, |turn| u64::from(turn) + 1));
            for why in gone {
                let why = why.as_ref().map_or_else(String::new, Forfeit::to_string);
                digest.bytes(why.as_bytes());
            }
            digest.bytes(knowledge.cells());
            for point in knowledge.visible() {
                digest.word(u64::from(point.x) << 16 | u64::from(point.y));
            }
        }
        digest.word(chance.clone().next_u64());
        digest.bytes(&owed.iter().map(|food| *food as u8).collect::<Vec<u8>>()).finish()
    }
}
