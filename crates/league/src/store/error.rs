//! What can be wrong with a store.

use std::io;

use thiserror::Error;

use crate::store::schema::VERSION;

/// What is wrong with a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database refused.
    #[error("the database {path}: {error}")]
    Database {
        /// Where it is.
        path: String,
        /// What it said.
        error: rusqlite::Error,
    },
    /// A file could not be written or read.
    #[error("cannot {what} {path}: {error}")]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// The folder is not a run.
    #[error("\"{0}\" is not a run: no run.db in it; `lanista run cup.toml` makes one")]
    NoRun(String),
    /// There are replays, and nothing that says what they are.
    #[error(
        "{0} holds replays of finished games, but its database run.db is lost. Nothing was changed; \
         `lanista rebuild {0}` makes it anew from the replays, or start anew with another --dir"
    )]
    Lost(String),
    /// The database holds what no run of ours leaves there.
    #[error(
        "{path} is damaged, or was not made by lanista: {what}. Nothing was changed; put a copy in \
         its place, let `lanista rebuild` make it anew from the replays, or start anew with \
         another --dir"
    )]
    Damaged {
        /// Where it is.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// Written by a later version.
    #[error("{path} was written by a later version (format {found}; this one reads {VERSION})")]
    Later {
        /// Where it is.
        path: String,
        /// Its version.
        found: i64,
    },
    /// The files of a run that is under way are no longer where they were.
    #[error(
        "{0} was removed or replaced while the run was under way: what is played from now on could not be \
         kept. The run has stopped; put the folder back, or start anew with another --dir"
    )]
    Removed(String),
    /// Somebody else plays there.
    #[error(
        "{path} is being played by another process{by}; use `lanista ctl {path} status`, or wait"
    )]
    Locked {
        /// The run's folder.
        path: String,
        /// Who, as far as is known.
        by: String,
    },
}
