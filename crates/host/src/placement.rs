//! Which processor cores workers and bots run on.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Where the processes of a match run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// As the game suggests: together when players move in turn, apart when all move at once.
    #[default]
    Auto,
    /// The host's thread and all bots of a match share one core: the fastest way to talk.
    Together,
    /// Every bot has a core of its own while there are enough.
    Apart,
    /// The operating system decides.
    None,
}

/// The cores this process may use.
pub fn cores() -> Vec<usize> {
    match sched_getaffinity(None) {
        Ok(set) => {
            let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect();
            if cores.is_empty() { vec![0] } else { cores }
        }
        Err(_) => vec![0],
    }
}

/// Binds the calling thread, and what it starts from now on, to one core.
pub(crate) fn pin_this_thread(core: usize) {
    pin(None, core);
}

/// Binds a process to one core.
pub(crate) fn pin_process(pid: Pid, core: usize) {
    pin(Some(pid), core);
}

fn pin(pid: Option<Pid>, core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    // A refusal costs speed, not correctness.
    let _ = sched_setaffinity(pid, &set);
}
