//! Processes of bots: started, watched and ended. Nothing here knows what they say.

pub(crate) mod child;
pub(crate) mod fork_limit;
pub(crate) mod guard;
pub(crate) mod memory_pressure;
pub(crate) mod own_folders;
pub(crate) mod private_file;
pub(crate) mod reaper;
pub(crate) mod resource_watch;
pub(crate) mod run_processes;
pub(crate) mod spawner;
pub(crate) mod usage;
