//! Jobs: matches to be played, where they come from, and what comes of them.

use std::sync::{Mutex, PoisonError};

use game::SetupError;
use table::{AnyTable, Log, Report, TurnOrder};

/// One match to be played.
pub struct Job {
    /// Its number.
    pub index: u64,
    /// Which bots of the roster play, by seat.
    pub bots: Vec<usize>,
    /// Whether they think one after another; otherwise all at once.
    pub turn_order: TurnOrder,
    /// Sets the match up; again, if it has to be begun anew.
    pub table: Box<dyn Fn() -> Result<Box<dyn AnyTable>, SetupError> + Send>,
}

/// Where matches come from. Workers ask it at any time, several at once.
pub trait JobSource: Sync {
    /// The next match; may wait until it is known. None when there is nothing left to play.
    fn next(&self) -> Option<Job>;
    /// The next match if it is known already; never waits. For workers that prepare it while they
    /// play another one.
    fn at_hand(&self) -> Option<Job>;
    /// A match is begun.
    fn begins(&self) {}
    /// A match is over; its result may still be on its way.
    fn ends(&self) {}
    /// A worker has failed, and matches under way may never be finished: from now on
    /// [`JobSource::next`] does not wait for them.
    fn give_up(&self) {}
}

/// Matches that are known from the beginning.
pub(super) struct Listed<I>(pub(super) Mutex<I>);

impl<I: Iterator<Item = Job> + Send> JobSource for Listed<I> {
    fn next(&self) -> Option<Job> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
    fn at_hand(&self) -> Option<Job> {
        self.next()
    }
}

/// A match that has been played.
pub struct Finished {
    /// Its number.
    pub index: u64,
    /// The result and the log, or why it could not be set up.
    pub result: Result<(Report, Log), SetupError>,
}
