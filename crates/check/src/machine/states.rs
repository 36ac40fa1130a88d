//! What the machine of a script waits for, and what it wants done.

use std::time::Duration;

/// A bot that has used no more than so much of the processor for so long will not answer. Who waits
/// for the processor gets more than that, unless more than a hundred share a core.
pub(super) const RESTING: Duration = Duration::from_millis(15);
pub(super) const REST: Duration = Duration::from_secs(2);
/// The same for one that may still be starting.
pub(super) const START_REST: Duration = Duration::from_secs(5);
/// A bot that works has so long for an answer, whatever it was told.
pub(super) const LONGEST: Duration = Duration::from_secs(10);
/// So many lines that were no answers are remembered.
pub(super) const ASIDES_KEPT: usize = 2000;

/// What the machine wants done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Write bytes.
    Write(Vec<u8>),
    /// Write bytes and say when the bot has read them.
    WriteAndTell(Vec<u8>),
    /// Close the bot's input.
    CloseInput,
    /// End the process: the script is over.
    End,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The process.
    Start,
    /// That it has read a piece.
    Read,
    /// A line.
    Line,
    /// That its time is up.
    TimeUp,
    /// Its end.
    End,
    /// Nothing: the script is over.
    Nothing,
}

/// Whether what was written last has left the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Queued,
    Sent,
}
