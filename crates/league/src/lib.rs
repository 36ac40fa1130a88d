//! Tournaments: schedules, the store of results, playing, and standings.
//!
//! [`schedule`] is pure. A [`TournamentFile`] is the file, a [`Store`] the folder with the results;
//! [`admit()`] brings them together, a [`Tournament`] plays what is left, [`Standings`] says how it
//! stands.

#[cfg(test)]
extern crate self as league;

mod bots;
mod file;
pub mod schedule;
mod series;
mod standings;
mod store;
mod tournament;

pub use bots::entrants::entrants;
pub use bots::program_files::BotFiles;
pub use file::cluster::{ClusterTerms, SpeedRule, VerifiedShare};
pub use file::{
    ANCHORS, BotEntry, EventSpec, GameList, MOST_AT_A_TIME, ProcessOptions, Stop, TournamentFile,
    TournamentFileError, setup,
};
pub use series::{SeedSource, Series, check_room, job, scratch_for};
pub use standings::import::{ForeignResult, ImportError, Imported, import};
pub use standings::json::{rounded, unsigned_zero, verdict_name};
pub use standings::overall::OverallRow;
pub use standings::pool::{Changed, Filter, Forfeits, OtherGame, Pool, PoolRow, PoolTable};
pub use standings::remarks::own_clock;
pub use standings::summary::{EventSummary, RunSummary};
pub use standings::totals::repeats_note;
pub use standings::workers::{WorkerComparison, WorkerGap, WorkerTotals};
pub use standings::{
    Anchors, CrossTableEntry, Decided, EventStandings, SeatShare, Standings, StandingsRow, TierGap,
    Times,
};
pub use store::bot_history::{BotVersion, SetupRecord};
pub use store::event_rows::{Arrival, EventTerms, StoredBot, StoredEvent};
pub use store::folder::{EntryKind, Folder};
pub use store::game_list::{
    AnswerBucket, FaultFilter, GameFilter, GameOrder, GamePage, GameResult, GameStanding,
    ListedFault, ListedGame, ListedPlayer, PageRequest, SeatRecord,
};
pub use store::journal::{Decision, JournalEntry, concurrency};
pub use store::lock::Lock;
pub use store::merge::{MergeError, merge};
pub use store::rebuild::{RebuildError, Rebuilt, rebuild};
pub use store::reports::{ReadPosition, ReportsInOrder};
pub use store::round_list::{ListedMeeting, ListedPlace, ListedRound};
pub use store::verify::{Verified, WrongGame, verify, verify_worker};
pub use store::{Played, Store, StoreError};
pub use tournament::admission::{AdmitError, Admitted, Changes, admit, preview};
pub use tournament::control::{Control, ControlError, Request, ask, follow};
pub use tournament::event_progress::{Attempt, EventProgress, NextGame};
pub use tournament::forecast::{BotForecast, Forecast, Meeting};
pub use tournament::remote::{
    LentGame, NextSet, RemoteEvent, RemoteGames, RemotePlayers, RemoteStanding,
};
pub use tournament::requests::{StoppedRunError, add_to_stopped_run, request_to_stopped_run};
pub use tournament::sequential_test::{Correction, Hypotheses, TestModel, TestPoint, TestProgress};
pub use tournament::{
    EndReason, LiveTable, Mode, RunOptions, Status, Tournament, TournamentEnd, TournamentError,
};
