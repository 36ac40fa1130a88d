//! The program as people use it: real processes, real files, exit codes.

mod common;
mod gomoku;
mod interruption;
mod layout;
mod league;
mod lists;
mod pyrat;
mod samples;
