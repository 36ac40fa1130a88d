//! Tournaments: who meets whom, what is kept, and what it says.
//!
//! [`schedule`] is pure. A [`Cup`] is the file, a [`Store`] the folder with the results;
//! [`admit()`] brings them together, a [`Drive`] plays what is left, [`Standings`] says how it
//! stands.

#[cfg(test)]
extern crate self as league;

mod abouts;
mod admit;
mod audit;
mod control;
mod course;
#[cfg(test)]
mod crafted;
mod cup;
mod drive;
mod entrants;
mod feed;
mod file;
mod files;
mod folder;
mod forbid;
mod identity;
mod import;
mod journal;
mod keeping;
mod known;
mod labels;
mod lock;
mod merge;
mod outlook;
mod overall;
mod pace;
mod pack;
mod pool;
mod ranking;
mod rebuild;
mod rehearsal;
mod rows;
pub mod schedule;
mod schema;
pub mod setup;
mod standings;
mod steward;
mod store;
mod sums;
mod terms_copy;
mod trial;
mod verify;

pub use admit::{AdmitError, Admitted, Changes, admit, preview};
pub use control::{Control, ControlError, Order, ask, follow};
pub use course::{Counts, Course, Offer};
pub use cup::{ANCHORS, Cup, CupError, Entry, Event, Games, MOST_AT_A_TIME, Manner, Stop};
pub use drive::{Drive, DriveError, Ended, How, Live, Means, Mode, Status};
pub use entrants::entrants;
pub use files::BotFiles;
pub use folder::Folder;
pub use import::{ForeignResult, ImportError, Imported, import};
pub use journal::{Decision, JournalEntry, concurrency};
pub use known::{Arrival, EventTerms, KnownBot, KnownEvent};
pub use lock::Lock;
pub use merge::{MergeError, merge};
pub use outlook::{Ahead, Meeting, Outlook};
pub use overall::OverallRow;
pub use pool::{Changed, Filter, Forfeits, OtherGame, Pool, PoolRow, PoolTable};
pub use rebuild::{RebuildError, Rebuilt, rebuild};
pub use rows::Since;
pub use standings::{
    Anchors, Crossing, Decided, EventStandings, Row, SeatShare, Standings, TierGap, Times,
};
pub use steward::{RestError, add_at_rest, order_at_rest};
pub use store::{Played, Store, StoreError};
pub use trial::{Correction, Hypotheses, Model, Trial};
pub use verify::{Verified, WrongGame, verify};
