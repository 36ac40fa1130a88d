//! The bots of a tournament: as players of matches, and whether they are still the same programs.

pub(crate) mod entrants;
pub(crate) mod identity;
pub(crate) mod program_files;
