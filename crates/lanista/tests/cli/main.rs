//! The program as people use it: real processes, real files, exit codes.

mod adjudication;
mod analyse;
mod ants;
mod arena;
mod attack;
mod attack_greed;
mod attack_host;
mod attack_noise;
mod attack_worlds;
mod benchmark;
mod build;
mod cage;
mod check;
mod check_bots;
mod check_flaws;
mod clocks;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "cluster")]
mod cluster_commands;
#[cfg(feature = "cluster")]
mod cluster_keys;
#[cfg(feature = "cluster")]
mod cluster_live;
mod common;
mod crafted;
mod dry_run;
mod economy;
mod export;
mod fairness;
mod film;
mod gomoku;
mod interruption;
mod killed_runs;
mod kits;
mod layout;
mod league;
mod lists;
mod live;
mod new_game;
mod organiser;
mod output;
mod pages;
mod people;
mod petri;
mod pyrat;
mod ratings;
mod run_folders;
mod samples;
mod sequential;
mod serve;
mod simulated_bots;
mod standings;
mod stranger;
mod taking_back;
mod tiers;
mod web_page;
