//! A worker: one thread that plays matches, one at a time, and everything it does between two
//! waits.

pub(crate) mod bot_input;
pub(crate) mod bot_output;
pub(crate) mod bot_stderr;
pub(crate) mod built_in;
pub(crate) mod connection;
pub(crate) mod cpu_meter;
pub(crate) mod current_match;
pub(crate) mod fast_path;
pub(crate) mod io_events;
pub(crate) mod lines;
pub(crate) mod match_loop;
pub(crate) mod pacing;
pub(crate) mod people;
pub(crate) mod poller;
pub(crate) mod prestart;
pub(crate) mod seating;
pub(crate) mod shutdown;
pub(crate) mod slow_writes;
pub(crate) mod stopping;
pub(crate) mod table_outputs;
