//! What options of several commands mean: set-ups, bots, clocks, cages, cores, given ratings.

pub(crate) mod adjudication;
pub(crate) mod anchors;
pub(crate) mod bots;
pub(crate) mod cage;
pub(crate) mod clock;
pub(crate) mod people;
pub(crate) mod processes;
pub(crate) mod setup;
