//! Tournaments: who meets whom, what is kept, and what it says.

pub mod schedule;
