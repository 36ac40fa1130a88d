//! Which processor cores workers and bots run on.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};

/// Where the processes of a match run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// As the game suggests: together when players move in turn, apart when all move at once.
    #[default]
    Auto,
    /// The host's thread and all bots of a match share one core: the fastest way to talk.
    Together,
    /// Every bot has a core of its own if there are enough; otherwise all share all of them.
    Apart,
    /// The operating system decides.
    None,
}

/// How the bots of one match share cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// They share the worker's core.
    Together,
    /// Each has a core of its own, if there are enough.
    Apart,
}

/// Where a worker's processes run.
pub(crate) struct Cores {
    /// Those that it and its bots share; bots inherit them when they are started.
    pub(crate) home: Vec<usize>,
    /// Cores for bots of their own, when they are not to share the worker's.
    pub(crate) bots: Vec<usize>,
    /// Cores on which no match is played.
    pub(crate) spare: Vec<usize>,
    /// All there are, the worker's own first: for bots that ask for several.
    pub(crate) all: Vec<usize>,
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

/// How many cores this process may use, whatever the calling thread is bound to.
pub(crate) fn count_cores() -> usize {
    of_process().map_or(1, |all| all.count() as usize)
}

/// The cores of the first thread, whose number is that of the process, and which is never bound.
fn of_process() -> Option<CpuSet> {
    sched_getaffinity(Some(rustix::process::getpid())).ok()
}

/// Binds the calling thread, and what it starts from now on, to one core.
pub(crate) fn pin_this_thread(core: usize) {
    pin(None, core);
}

/// Binds the calling thread, and what it starts from now on, to these cores.
pub(crate) fn place_this_thread(cores: &[usize]) {
    place(None, cores);
}

/// Lets the calling thread run wherever this process may: those that start threads may be bound to
/// one core.
pub(crate) fn place_this_thread_anywhere() {
    if let Some(all) = of_process() {
        let _ = sched_setaffinity(None, &all);
    }
}

/// Binds a process that has been running for a while, with all its threads, to these cores.
pub(crate) fn place_process(pid: Pid, cores: &[usize]) {
    let tasks = format!("/proc/{}/task", pid.as_raw_nonzero());
    let Ok(threads) = std::fs::read_dir(tasks) else { return };
    for thread in threads.flatten() {
        let id = thread.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(id) = id.and_then(Pid::from_raw) {
            place(Some(id), cores);
        }
    }
}

fn pin(pid: Option<Pid>, core: usize) {
    place(pid, &[core]);
}

fn place(pid: Option<Pid>, cores: &[usize]) {
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    // A refusal costs speed, not correctness.
    let _ = sched_setaffinity(pid, &set);
}
