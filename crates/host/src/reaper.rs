//! Finds and ends processes that a bot left behind outside its process group.
//!
//! The host is a "subreaper": a process whose parent has ended becomes a child of the host
//! instead of the system's first process. A child of ours that is in no living seat's process
//! group and carries no living seat's mark has been left behind.

use std::collections::HashMap;
use std::io;
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

use rustix::process::{
    Pid, Signal, WaitOptions, getpgid, kill_process, kill_process_group, set_child_subreaper,
    waitpid,
};

use crate::child::MARK;

/// Living seats: the process (which leads its group) and its mark.
static LIVING: LazyLock<Mutex<HashMap<i32, String>>> = LazyLock::new(Mutex::default);

fn living() -> MutexGuard<'static, HashMap<i32, String>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `start` and remembers the process it made. Nothing is swept in between: a process that
/// is not remembered yet would look left behind.
pub(crate) fn register<T>(start: impl FnOnce() -> io::Result<(Pid, String, T)>) -> io::Result<T> {
    static SUBREAPER: Once = Once::new();
    SUBREAPER.call_once(|| {
        // If the system refuses, only processes outside their group could escape.
        let _ = set_child_subreaper(Some(Pid::INIT));
    });
    let mut living = living();
    let (pid, mark, value) = start()?;
    living.insert(pid.as_raw_nonzero().get(), mark);
    Ok(value)
}

/// A seat's process has been reaped: ends whatever it left behind.
pub(crate) fn forget(pid: Pid) {
    let mut living = living();
    if living.remove(&pid.as_raw_nonzero().get()).is_none() {
        return;
    }
    // The dead may have left children that become ours only when they are killed in turn.
    while sweep(&living) {}
}

/// Ends every child of ours that belongs to no living seat. True if there was one.
fn sweep(living: &HashMap<i32, String>) -> bool {
    let mut found = false;
    for child in children() {
        let raw = child.as_raw_nonzero().get();
        let group = getpgid(Some(child)).map_or(raw, |group| group.as_raw_nonzero().get());
        if living.contains_key(&raw) || living.contains_key(&group) {
            continue;
        }
        match mark_of(raw) {
            Mark::Theirs(mark) if living.values().any(|other| *other == mark) => continue,
            // Not a bot's: the guard, or a program the host's user started.
            Mark::None => continue,
            Mark::Theirs(_) | Mark::Unreadable => {}
        }
        found = true;
        if group == raw {
            let _ = kill_process_group(child, Signal::KILL);
        }
        let _ = kill_process(child, Signal::KILL);
        let _ = waitpid(Some(child), WaitOptions::empty());
    }
    found
}

/// The children of all our threads.
fn children() -> Vec<Pid> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists = threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let mut pids = Vec::new();
    for list in lists {
        let raw = list.split_whitespace().filter_map(|word| word.parse().ok());
        pids.extend(raw.filter_map(Pid::from_raw));
    }
    pids
}

/// Whose process something is, by its environment.
pub(crate) enum Mark {
    /// A seat's.
    Theirs(String),
    /// It has an environment without a mark.
    None,
    /// It has ended, or hides its environment.
    Unreadable,
}

/// Reads the mark a process was started with.
pub(crate) fn mark_of(pid: i32) -> Mark {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else {
        return Mark::Unreadable;
    };
    if environment.is_empty() {
        return Mark::Unreadable;
    }
    let prefix = format!("{MARK}=");
    let found = environment
        .split(|&byte| byte == 0)
        .find_map(|variable| variable.strip_prefix(prefix.as_bytes()));
    match found {
        Some(mark) => Mark::Theirs(String::from_utf8_lossy(mark).into_owned()),
        None => Mark::None,
    }
}
