//! Matches with real processes: workers, their connections to bots, processes and cages.
//!
//! The only crate that touches the operating system, and the only one with unsafe code (processor
//! clocks and signal handlers in `os/sys.rs`, the cage's system calls in `cage/raw.rs`, and their
//! callers in the processes that the launcher forks).
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

mod advice;
mod bot;
mod cage;
mod live;
mod os;
mod panics;
mod process;
mod process_wide;
mod run;
mod scratch;
mod seats;
mod start_cost;
mod worker;

pub use advice::Advisers;
pub use bot::{
    AskedLimits, BotError, BotSpec, Build, Grants, Keeps, Limits, Program, Reuse, split,
    unique_names,
};
pub use cage::{
    AccessRefusal, CageCheck, CageTerms, CagesFound, LAUNCH_COMMAND, OwnDir, Tier, found, launch,
    prepare, understands,
};
pub use live::{
    LiveGames, LiveListing, LivePlace, LiveServer, OfferedGame, SeatToken, WatchedLog, connect,
    connect_seat, sockets_of_user,
};
pub use os::os_limits::{NoRoom, check_room};
pub use os::placement::{Placement, cores};
pub use os::sys::{catch_interrupts, interrupt_waker, interrupted, random_seed, resize_waker};
pub use panics::{Panic, catch};
pub use process::reaper::OwnProcess;
pub use run::{Finished, Job, JobSource, MOST_RESTARTS, Pondering, Run, RunError, Watcher};
pub use scratch::Scratch;
pub use seats::SeatServer;
pub use worker::people::{People, Voice};
