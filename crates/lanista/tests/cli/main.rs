//! The program as people use it: real processes, real files, exit codes.

mod adjudication;
mod ants;
mod arena;
mod attack;
mod attack_greed;
mod attack_noise;
mod attack_worlds;
mod benchmark;
mod build;
mod cage;
mod clocks;
mod common;
mod crafted;
mod economy;
mod export;
mod fairness;
mod gomoku;
mod interruption;
mod layout;
mod league;
mod lists;
mod output;
mod petri;
mod pyrat;
mod samples;
mod stranger;
