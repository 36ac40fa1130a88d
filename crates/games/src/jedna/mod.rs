//! Jedna, a game of shedding cards in the manner of UNO, for two to ten players.
//!
//! In reading order: the cards (`cards`, `hand`), what may be laid on what (`rules`), the game
//! itself (`seats`, `state`, `ending`), what players learn of it (`event`, `view`), how bots are
//! spoken to (`wire`, `protocol`), its pictures (`draw`, `catalogue`), and bots that play it
//! (`bots`, `counter`).

pub mod bots;
mod cards;
mod catalogue;
mod checks;
mod desk;
mod draw;
mod ending;
mod event;
mod hand;
mod program;
mod protocol;
mod rules;
mod scene;
mod seats;
mod state;
mod view;
mod wire;

#[cfg(test)]
mod conversations;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use cards::{Card, Colour, Figure, WildCode};
pub use ending::Ending;
pub use event::{Deaf, DrawReason, Ears, Event};
pub use hand::{CardSet, Hand, Pile};
pub use rules::{Action, Config, Copies, Top, Verb, War, WarRules};
pub use seats::{Direction, Seat};
pub use state::Jedna;
pub use view::{Mended, View};

use game::{
    ActorId, Choice, Digest, Eye, Fault, FaultKind, Game, Illegal, Moves, Outcome, Past, Role,
    Ruling, Seed, SetupError, Told, Turn,
};

impl Game for Jedna {
    const ID: &'static str = "jedna";
    type Config = Config;
    type Action = Action;
    type View = View;
    type Event = Event;

    fn start(config: &Config, players: u16, seed: Seed) -> Result<Jedna, SetupError> {
        Jedna::deal(*config, players, seed)
    }

    fn cast(&self, roles: &mut Vec<Role>) {
        let mut seats = self.circle().to_vec();
        seats.sort_unstable();
        roles.extend(seats.iter().map(|seat| Role { actor: seat.actor(), player: seat.player() }));
    }

    fn turn(&self) -> Turn {
        match (self.mover(), self.outcome()) {
            (Some(mover), _) => Turn::One(mover.actor()),
            (None, outcome) => Turn::Over(outcome.expect("a game without a mover has ended")),
        }
    }

    /// Drawing and what follows it are one turn.
    fn turn_number(&self) -> Option<u32> {
        Some(self.turn)
    }

    /// As when the turn cap is reached: the fewest points in hand are best.
    fn standing(&self) -> Option<Outcome> {
        let so_far = || self.ended(Ending::Cap, "points in hand so far".to_owned());
        Some(self.outcome().unwrap_or_else(so_far))
    }

    fn view(&self, eye: Eye) -> View {
        self.seen_from(eye)
    }

    fn check(&self, actor: ActorId, action: &Action) -> Result<(), Illegal> {
        if let Some(mover) = self.mover()
            && mover.actor() != actor
        {
            return Err(Illegal::new(format!("it is the turn of {mover}")));
        }
        self.allows(*action).map_err(|refusal| Illegal(refusal.text(self.config.wild_code)))
    }

    /// The mover's choice comes first, then those who leave although they are not on move.
    fn step(&mut self, moves: &Moves<Action>, told: &mut Vec<Told<Event>>) {
        let mover = self.mover().map(Seat::actor);
        for (actor, choice) in &moves.0 {
            if let Choice::Act(action) = choice
                && Some(*actor) == mover
            {
                self.act(*action, told);
            }
        }
        for (actor, choice) in &moves.0 {
            if let (Choice::Forfeit(why), Some(seat)) = (choice, Seat::of(*actor)) {
                self.forfeit(seat, why, told);
            }
        }
    }

    /// `past.tries` are the wrong answers given in this turn before this one.
    fn rule(&self, actor: ActorId, fault: &Fault, past: Past) -> Ruling<Action> {
        if !self.circle().iter().any(|seat| seat.actor() == actor) || self.mover().is_none() {
            return Ruling::Overlook;
        }
        match fault.kind {
            // "Agents that timeout or crash forfeit the game." All others here end the process
            // or make it useless, which comes to the same.
            FaultKind::NotStarted
            | FaultKind::NotReady
            | FaultKind::Refused
            | FaultKind::Timeout
            | FaultKind::Crash
            | FaultKind::EndOfOutput
            | FaultKind::LineTooLong
            | FaultKind::Flood
            | FaultKind::Memory
            | FaultKind::Processes
            | FaultKind::Cpu
            | FaultKind::Disk => Ruling::Forfeit,
            FaultKind::BadInput | FaultKind::Illegal => {
                if self.mover().map(Seat::actor) != Some(actor) {
                    Ruling::Overlook
                } else if past.tries.saturating_add(1) < self.config.tries {
                    Ruling::AskAgain
                } else {
                    Ruling::Play(self.fallback())
                }
            }
            FaultKind::Early | FaultKind::Extra | FaultKind::BadOption => Ruling::Overlook,
        }
    }

    fn digest(&self) -> u64 {
        self.digest_of_state()
    }
}

impl Jedna {
    fn digest_of_state(&self) -> u64 {
        // Every field by name, so that a new one cannot be forgotten.
        let Jedna {
            config,
            seed,
            shuffles,
            hands,
            circle,
            at,
            direction,
            draw_pile,
            discard,
            top,
            war,
            stack,
            drawn,
            turn,
            gone,
            gone_points,
            // A part of the result. Older replays have digests without it.
            gone_for: _,
            ending,
        } = self;
        let Config { war: war_rules, double_play, max_turns, tries, wild_code } = config;
        let colour = |colour: Option<Colour>| colour.map_or(0, |colour| 1 + colour as u64);
        let mut digest = Digest::new(Self::ID);
        digest.word(u64::from(*max_turns) << 32 | u64::from(*tries));
        digest.word(*war_rules as u64 | u64::from(*double_play) << 8 | (*wild_code as u64) << 16);
        digest.word(seed.0).word(u64::from(*shuffles) << 32 | u64::from(*turn));
        digest.word(u64::from(*at) | (*direction as u64) << 8 | (*war as u64) << 16);
        digest.word(u64::from(*stack) | (top.card.number() as u64) << 8 | colour(top.colour) << 16);
        digest.word(match drawn {
            state::Drawn::No => 100,
            state::Drawn::Nothing => 101,
            state::Drawn::Card(card) => card.number() as u64,
        });
        digest.word(match ending {
            None => 0,
            Some(Ending::Cap) => 1,
            Some(Ending::Shed(seat)) => 0x100 | seat.index() as u64,
            Some(Ending::LastLeft(seat)) => 0x200 | seat.index() as u64,
        });
        for seats in [circle, gone] {
            digest.word(packed(seats.list().iter().map(|seat| seat.index())));
        }
        for points in gone_points.chunks(4) {
            digest.word(points.iter().fold(0, |word, one| word << 16 | u64::from(*one)));
        }
        for hand in &hands[..self.players()] {
            hand.words().into_iter().for_each(|word| {
                digest.word(word);
            });
        }
        for pile in [draw_pile, discard] {
            for cards in pile.cards().chunks(10) {
                digest.word(packed(cards.iter().map(|card| card.number())));
            }
            digest.word(pile.len() as u64);
        }
        digest.finish()
    }
}

/// Up to ten numbers below 63 in one word, their count included.
fn packed(numbers: impl Iterator<Item = usize>) -> u64 {
    numbers.fold(1, |word, number| word << 6 | number as u64)
}
