//! Finds and ends processes that a bot left behind outside its process group.
//!
//! The host is a "subreaper": a process whose parent has ended becomes a child of the host
//! instead of the system's first process. A child of ours that carries the mark of a seat that
//! is no longer filled has been left behind; so has, when no seat is filled, one without a mark.

use std::collections::HashMap;
use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError, TryLockError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, waitpid,
};

use crate::cage;
use crate::process::child::{DYING, MARK};

/// Our own children: seats (which lead their groups) with their marks, and others without.
static KNOWN: LazyLock<Mutex<HashMap<i32, String>>> = LazyLock::new(Mutex::default);

/// Whether we had no children when we started the first one: then all that become ours later come
/// from bots. A shell may have become this program and left its own children with it.
static ALONE: AtomicBool = AtomicBool::new(false);

fn alone() -> bool {
    ALONE.load(Ordering::Relaxed)
}

fn known() -> MutexGuard<'static, HashMap<i32, String>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the marks of all our seats begin with.
pub(crate) fn our_prefix() -> String {
    format!("{:x}.", std::process::id())
}

/// Runs `start` and remembers the process it made, of this number. Nothing is swept in between: a
/// process that is not remembered yet would look left behind.
pub(crate) fn register<P>(
    mark: &str,
    number: impl FnOnce(&P) -> Pid,
    start: impl FnOnce() -> io::Result<P>,
) -> io::Result<P> {
    static SUBREAPER: Once = Once::new();
    SUBREAPER.call_once(|| {
        ALONE.store(children().is_empty(), Ordering::Relaxed);
        // If the system refuses, only processes outside their group could escape.
        let _ = set_child_subreaper(Some(Pid::INIT));
    });
    let mut known = known();
    let process = start()?;
    known.insert(number(&process).as_raw_nonzero().get(), mark.to_owned());
    Ok(process)
}

/// A seat's process has been reaped. Whatever it left behind is to be swept.
pub(crate) fn forget(pid: Pid, mark: &str) {
    let mut known = known();
    // Its number may already belong to another process of ours.
    let raw = pid.as_raw_nonzero().get();
    if known.get(&raw).is_some_and(|other| other == mark) {
        known.remove(&raw);
    }
}

/// A process that the user asked for, such as a hook. A sweep must not take it for a process that a
/// bot left behind.
pub struct OwnProcess(Child);

impl OwnProcess {
    /// Starts it.
    pub fn spawn(command: &mut Command) -> io::Result<OwnProcess> {
        register("", Pid::from_child, || command.spawn()).map(OwnProcess)
    }

    /// The process. It is waited for when it is dropped.
    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for OwnProcess {
    fn drop(&mut self) {
        let pid = Pid::from_child(&self.0);
        let _ = self.0.wait();
        forget(pid, "");
    }
}

/// Ends whatever processes of seats have left behind.
pub(crate) fn sweep() {
    sweep_all(&known());
}

/// The same, unless a process is just being started somewhere, which takes a while. Says
/// whether it was done.
pub(crate) fn sweep_if_free() -> bool {
    let known = match KNOWN.try_lock() {
        Ok(known) => known,
        Err(TryLockError::Poisoned(error)) => error.into_inner(),
        Err(TryLockError::WouldBlock) => return false,
    };
    sweep_all(&known);
    true
}

/// Whether no process of a seat is there.
fn nobody_seated(known: &HashMap<i32, String>) -> bool {
    known.values().all(String::is_empty)
}

/// The dead may have left children that become ours only when they are killed in turn.
fn sweep_all(known: &HashMap<i32, String>) {
    // A thread that ends hands its children to another one, whose list may have been read already.
    // When no seat is filled, there will be no other sweep to find them.
    let enough = if nobody_seated(known) { 2 } else { 1 };
    let mut in_vain = 0;
    for _ in 0..ROUNDS {
        in_vain = if sweep_once(known) == 0 { in_vain + 1 } else { 0 };
        if in_vain == enough {
            return;
        }
    }
}

/// Whether a process may be one of a cage: then whoever started that looks after it. Without a
/// cage, a bot may make itself a PID namespace of its own; where there are others, its mark tells
/// it from them.
fn in_a_cage(pid: i32) -> bool {
    if !cage::any_standing() {
        return false;
    }
    if matches!(mark_of(pid), Mark::Theirs(mark) if mark.starts_with(&our_prefix())) {
        return false;
    }
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    numbers.is_some_and(|numbers| numbers.split_whitespace().count() > 1)
}

/// More rounds than this only a process that cannot be killed would need.
const ROUNDS: usize = 50;

/// Ends every child of ours that belongs to a seat no longer filled. Says how many there were.
fn sweep_once(known: &HashMap<i32, String>) -> usize {
    let mut found = 0;
    for child in children() {
        let raw = child.as_raw_nonzero().get();
        if known.contains_key(&raw) {
            continue;
        }
        if in_a_cage(raw) {
            continue;
        }
        let reaped =
            || waitpid(Some(child), WaitOptions::NOHANG).is_ok_and(|status| status.is_some());
        if reaped() {
            continue;
        }
        let left_behind = match mark_of(raw) {
            Mark::Theirs(mark) if mark.starts_with(&our_prefix()) => {
                !known.values().any(|other| *other == mark)
            }
            // It has thrown its mark away, or wears another. Whose it was cannot be told any more,
            // so that it goes with the last seat.
            Mark::Theirs(_) | Mark::None => alone() && nobody_seated(known),
        };
        if !left_behind {
            continue;
        }
        // Only it can have made a group of its number; there may be none.
        let _ = kill_process_group(child, Signal::KILL);
        // One that we may not kill would be found for ever.
        if kill_process(child, Signal::KILL).is_ok() {
            found += 1;
            if nobody_seated(known) {
                see_end(child);
            }
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
        }
    }
    found
}

/// Waits until a process that has been killed is gone; no game is played.
fn see_end(child: Pid) {
    if let Ok(handle) = pidfd_open(child, PidfdFlags::empty()) {
        let mut ended = [PollFd::new(&handle, PollFlags::IN)];
        let _ = retry_on_intr(|| poll(&mut ended, Some(&DYING)));
    }
}

/// The children of all our threads.
pub(crate) fn children() -> Vec<Pid> {
    children_of(std::process::id() as i32)
}

/// The children of all threads of a process.
pub(crate) fn children_of(parent: i32) -> Vec<Pid> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
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
    /// It has no mark, has ended, or hides its environment.
    None,
}

/// Reads the mark a process was started with.
pub(crate) fn mark_of(pid: i32) -> Mark {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return Mark::None };
    let prefix = format!("{MARK}=");
    let found = environment
        .split(|&byte| byte == 0)
        .find_map(|variable| variable.strip_prefix(prefix.as_bytes()));
    match found {
        Some(mark) => Mark::Theirs(String::from_utf8_lossy(mark).into_owned()),
        None => Mark::None,
    }
}
