//! One tournament on many machines: a coordinator gives games to workers and keeps their results.
//!
//! [`wire`] is what they say to each other, [`Leases`] who plays what until when (pure, time is an
//! argument). A [`Link`] is a connection to a NATS server, on threads of its own: the only place
//! with an async runtime. The [`Coordinator`] plays for `lanista run --cluster`, [`work`] for
//! `lanista worker`. The run's store stays the only truth: everything else can be lost.

mod archive;
mod bots;
mod coordinator;
mod lease_file;
mod leases;
mod link;
mod observe;
mod speed;
mod verify;
pub mod wire;
mod worker;

pub use archive::{Archive, ArchiveError};
pub use coordinator::{Coordinator, CoordinatorOptions};
pub use leases::{Leases, WorkerId};
pub use link::{Link, LinkError, LinkOptions, new_key};
pub use observe::{metrics, run_statuses};
pub use speed::measure as measure_speed;
pub use worker::{WorkEnd, WorkerOptions, work};
