//! Matches with real processes: seats, the poll loop, worker threads.
//!
//! The only crate that touches the operating system, and the only one with unsafe code
//! (processor clocks and signal handlers in `sys.rs`, the cage's system calls in `cage/raw.rs`).

mod access;
mod ahead;
mod bot;
mod building;
mod cage;
mod child;
mod fit;
mod fork_limit;
mod guard;
mod hearing;
mod keepsake;
mod leaving;
mod limits;
mod lines;
mod litter;
mod manifest;
mod memory_pressure;
mod metronome;
mod missing;
mod no_links;
mod pacing;
mod panics;
mod placement;
mod play;
mod reaper;
mod room;
mod run;
mod script;
mod seating;
mod seats;
mod spawner;
mod starting;
mod stopping;
mod sys;
mod thinking;
mod usage;
mod waiting;
mod watch;

pub use bot::{BotError, BotSpec, Grants, Keeps, Program, Reuse, unique_names};
pub use building::Build;
pub use cage::{
    Check, Found, LAUNCH_COMMAND, OwnDir, Refusal, Terms, Tier, found, launch, prepare, understands,
};
pub use limits::{AskedLimits, Limits};
pub use panics::{Panic, catch};
pub use placement::{Placement, cores};
pub use room::{NoRoom, check_room};
pub use run::{Finished, Job, Pondering, Run, RunError, Scratch, Source, Watcher};
pub use sys::{catch_interrupts, interrupt_waker, interrupted, random_seed, resize_waker};
