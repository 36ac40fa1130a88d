//! What each command does, a file a command.

pub(crate) mod analyse;
pub(crate) mod bench;
pub(crate) mod bot;
pub(crate) mod bots;
pub(crate) mod check;
#[cfg_attr(not(feature = "cluster"), path = "commands/no_cluster.rs")]
pub(crate) mod cluster;
pub(crate) mod completions;
pub(crate) mod ctl;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod games;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod play;
pub(crate) mod ratings;
pub(crate) mod rebuild;
pub(crate) mod replay;
pub(crate) mod results;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod standings;
pub(crate) mod stats;
pub(crate) mod test;
pub(crate) mod verify;
