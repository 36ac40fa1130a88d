//! Tournaments: who meets whom, what is kept, and what it says.
//!
//! [`schedule`] is pure. A [`Cup`] is the file, a [`Store`] the folder with the results;
//! [`admit()`] brings them together, a [`Drive`] plays what is left, [`Standings`] says how it
//! stands.

#[cfg(test)]
extern crate self as league;

mod bots;
mod file;
pub mod schedule;
mod standings;
mod store;
mod tournament;

pub use bots::entrants::entrants;
pub use bots::program_files::BotFiles;
pub use file::{ANCHORS, Cup, CupError, Entry, Event, Games, MOST_AT_A_TIME, Manner, Stop, setup};
pub use standings::import::{ForeignResult, ImportError, Imported, import};
pub use standings::overall::OverallRow;
pub use standings::pool::{Changed, Filter, Forfeits, OtherGame, Pool, PoolRow, PoolTable};
pub use standings::{
    Anchors, Crossing, Decided, EventStandings, Row, SeatShare, Standings, TierGap, Times,
};
pub use store::event_rows::{Arrival, EventTerms, KnownBot, KnownEvent};
pub use store::folder::Folder;
pub use store::game_rows::Since;
pub use store::journal::{Decision, JournalEntry, concurrency};
pub use store::lock::Lock;
pub use store::merge::{MergeError, merge};
pub use store::rebuild::{RebuildError, Rebuilt, rebuild};
pub use store::verify::{Verified, WrongGame, verify};
pub use store::{Played, Store, StoreError};
pub use tournament::admission::{AdmitError, Admitted, Changes, admit, preview};
pub use tournament::control::{Control, ControlError, Order, ask, follow};
pub use tournament::event_progress::{Counts, Course, Offer};
pub use tournament::forecast::{Ahead, Meeting, Outlook};
pub use tournament::requests::{RestError, add_at_rest, order_at_rest};
pub use tournament::sequential_test::{Correction, Hypotheses, Model, Trial};
pub use tournament::{Drive, DriveError, Ended, How, Live, Means, Mode, Status};
