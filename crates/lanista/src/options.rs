//! What options of several commands mean: set-ups, bots, clocks, cages, cores, given ratings.

pub(crate) mod anchors;
pub(crate) mod cage;
pub(crate) mod plan;
pub(crate) mod pondering;
pub(crate) mod setup;
