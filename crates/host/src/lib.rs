//! Matches with real processes: seats, the poll loop, worker threads.
//!
//! The only crate that touches the operating system, and the only one with unsafe code
//! (processor clocks and signal handlers, in `sys.rs`).

mod ahead;
mod bot;
mod child;
mod guard;
mod leaving;
mod lines;
mod placement;
mod play;
mod reaper;
mod run;
mod seats;
mod starting;
mod sys;
mod thinking;
mod waiting;

pub use bot::{BotError, BotSpec, Limits, Program, Reuse, unique_names};
pub use guard::{GUARD_COMMAND, guard};
pub use placement::{Placement, cores};
pub use run::{Finished, Job, Run, RunError, Scratch, Source, TIER, Watcher};
pub use sys::{catch_interrupts, interrupted};
