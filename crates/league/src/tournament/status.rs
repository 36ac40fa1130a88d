//! The status of a tournament while it is played, and how it ended.

use std::time::Duration;

use host::{Panic, RunError};
use thiserror::Error;

use crate::store::StoreError;
use crate::tournament::sequential_test::TestProgress;

/// What a tournament is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Games are played.
    Playing,
    /// No game is begun.
    Paused,
    /// Games under way are finished, then it goes on with other terms.
    Changing,
    /// Games under way are finished, then it ends.
    Stopping,
}

impl Mode {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Playing => "playing",
            Mode::Paused => "paused",
            Mode::Changing => "changing",
            Mode::Stopping => "stopping",
        }
    }
}

/// How far a tournament is.
#[derive(Clone, Debug)]
pub struct Status {
    /// What it is doing.
    pub mode: Mode,
    /// Games finished.
    pub games: u64,
    /// Games there will be, if that can be told.
    pub scheduled: Option<u64>,
    /// Games that are being played.
    pub under_way: u64,
    /// Games that are over and whose results are on their way to the disk.
    pub to_keep: u64,
    /// Games at a time.
    pub concurrency: usize,
    /// Games kept since this process began, and how long ago that is.
    pub kept: u64,
    /// The time since then.
    pub elapsed: Duration,
}

impl Status {
    /// Games a second.
    pub fn rate(&self) -> f64 {
        self.kept as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Seconds until the end at this rate.
    pub fn left(&self) -> Option<f64> {
        let left = self.scheduled?.saturating_sub(self.games) as f64;
        (self.kept > 0).then(|| left / self.rate())
    }
}

/// The table of an event while it is played: name, points, games, the best first.
pub struct LiveTable {
    /// The event.
    pub event: String,
    /// Name, points and games of each bot.
    pub rows: Vec<(String, f64, u32)>,
    /// How its question stands, if it is a test.
    pub trial: Option<TestProgress>,
}

/// How a tournament came to its end, for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentEnd {
    /// Why.
    pub how: EndReason,
    /// How many games were void and played again.
    pub voids: u64,
    /// A bot could not be started, and why.
    pub not_started: Option<String>,
}

/// Why no more games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// All games are played, or a stop rule holds.
    Complete,
    /// Somebody said so, or the time is up.
    Stopped,
    /// By a signal.
    Interrupted,
}

/// Why a tournament could not go on.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// A game could not be kept.
    #[error("a finished game could not be kept and is not counted: {0}")]
    NotKept(StoreError),
    /// No games can be played at all.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The program itself is at fault.
    #[error("a fault of this program, not of a bot: {0}")]
    Panic(Panic),
    /// A game is void whenever it is tried.
    #[error("game {number} of {event} was void {tries} times, the last time because of: {reason}")]
    Void {
        /// The event.
        event: String,
        /// The game, from 1.
        number: u64,
        /// How often it was tried.
        tries: u32,
        /// The last reason.
        reason: String,
    },
    /// A bot cannot be set up as its manifest says.
    #[error("a bot of {event} cannot be set up: {reason}")]
    Options {
        /// The event.
        event: String,
        /// The bot and the reason.
        reason: String,
    },
    /// There is nothing to test.
    #[error("{event}: {}", match games {
        0 | 1 => reason.clone(),
        games => format!("none of {games} games reached a first turn: {reason}"),
    })]
    NotBegun {
        /// The event.
        event: String,
        /// How many games were tried.
        games: u64,
        /// What the bots did wrong.
        reason: String,
    },
    /// A bot is not what it was when the run began.
    #[error(
        "the bot \"{bot}\" of {event} has changed since the run began: {what}. Undo this, or go on \
         with --accept-changes"
    )]
    Changed {
        /// The event.
        event: String,
        /// The bot.
        bot: String,
        /// What is different.
        what: String,
    },
    /// Those who play elsewhere cannot go on.
    #[error("{0}")]
    Remote(String),
    /// A game cannot be set up.
    #[error("game {number} of {event} cannot be set up: {reason}")]
    Setup {
        /// The event.
        event: String,
        /// The game, from 1.
        number: u64,
        /// The reason.
        reason: String,
    },
}
