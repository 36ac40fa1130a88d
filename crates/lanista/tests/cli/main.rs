//! The program as people use it: real processes, real files, exit codes.

mod cage;
mod common;
mod gomoku;
mod interruption;
mod layout;
mod lists;
mod pyrat;
mod samples;
