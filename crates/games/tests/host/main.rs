//! Games through the host with real processes, as a library's user would play them.

mod ahead;
mod allocations;
mod panics;
