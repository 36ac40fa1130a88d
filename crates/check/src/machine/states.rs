//! What the machine of a script waits for, and what it wants done.

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
