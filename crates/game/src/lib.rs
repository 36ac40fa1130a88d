//! The vocabulary of the arena: what a game is, how a bot is spoken to, what can go wrong.
//!
//! Nothing in this crate does I/O, starts a thread or reads a clock. Time is always an
//! argument ([`Tick`]), chance always comes from a [`Seed`].

mod about;
mod asked_clock;
mod bot;
mod digest;
mod ending;
mod fault;
mod ids;
mod outcome;
mod protocol;
mod rules;
mod seed;
pub mod text;
mod time;
mod wanted;
mod words;

pub use about::About;
pub use asked_clock::{AskedClock, NoTimeError, OwnClock};
pub use bot::{Bot, Budget};
pub use digest::Digest;
pub use ending::{EndedBy, Ending, Forfeit, ForfeitBy, Forfeited, Word};
pub use fault::{Fault, FaultKind};
pub use ids::{ActorId, PlayerId};
pub use outcome::{Outcome, Verdict};
pub use protocol::{
    Afterwards, Command, Farewell, Note, Out, ProcessHistory, Protocol, Said, Seen, Topic,
};
pub use rules::{
    Audience, Choice, EarlyLeave, Eye, Game, Illegal, Moves, Past, Role, Ruling, SetupError, Told,
    Turn,
};
pub use seed::{Rng, Seed};
pub use text::{printable, quote};
pub use time::{Charge, Clock, PATIENCE, Tick, TimeLeft};
pub use wanted::wanted;
pub use words::{count, did_you_mean, nearest};
