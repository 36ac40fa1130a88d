//! The children of this process, and the end of those that a bot left behind outside its process group.
//!
//! The host is a "subreaper": a process whose parent has ended becomes a child of the host
//! instead of the system's first process. The system keeps one list of children for a process, not one
//! for a run. [`Children`] says of each child what it belongs to, so that a run finds what its own bots left
//! behind and leaves the processes of other runs alone.
//!
//! A child has been left behind when it carries the mark of a seat that is no longer filled. One without a
//! mark could be of any run: it has been left behind when no seat of any run is filled.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{
    LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard, TryLockError,
};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, waitpid,
};

use crate::process::child::{DYING, MARK};
use crate::process_wide::CHILDREN;

/// What a child belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner<'a> {
    /// The program itself: the launcher, a guard, a hook, a cage that is only tried.
    Program,
    /// A seat of a run, by its mark. The process leads its group.
    Seat(&'a str),
}

impl<'a> Owner<'a> {
    fn mark(self) -> Option<&'a str> {
        match self {
            Owner::Program => None,
            Owner::Seat(mark) => Some(mark),
        }
    }
}

/// The children of this process that somebody looks after, and the runs there are.
pub(crate) struct Children {
    ledger: LazyLock<Mutex<Ledger>>,
    /// Held by everybody who starts a process until that is entered, at the same time, and by a sweep
    /// alone: a process that has not been entered would look left behind.
    starts: RwLock<()>,
    /// How many cages with namespaces there are, those included that are being built or taken down.
    cages: AtomicUsize,
    /// Where a child comes from that was never entered.
    unknown: OnceLock<Unknown>,
}

#[derive(Debug, Default)]
struct Ledger {
    /// By process: the mark of a seat, or none for a process of the program itself.
    children: HashMap<i32, Option<String>>,
    /// The names of the runs under way.
    runs: HashSet<String>,
}

/// Where a child comes from that was never entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unknown {
    /// From a bot: we had no children when we started the first one.
    Bots,
    /// A shell may have become this program and left its own children with it.
    Anybody,
}

/// What the marks of all seats of this process begin with.
pub(crate) fn our_prefix() -> String {
    format!("{:x}.", std::process::id())
}

/// The name of the run that a mark belongs to.
fn run_of(mark: &str) -> &str {
    mark.rsplit_once('-').map_or(mark, |(run, _)| run)
}

impl Ledger {
    fn is_filled(&self, mark: &str) -> bool {
        self.children.values().any(|other| other.as_deref() == Some(mark))
    }

    /// Whether no process of a seat is there, of this run or of any.
    fn nobody_seated(&self, of: Option<&str>) -> bool {
        let seated = |mark: &String| of.is_none_or(|run| run_of(mark) == run);
        !self.children.values().flatten().any(seated)
    }

    /// Whether a sweep for this run ends a child that was never entered.
    fn left_behind(&self, mark: &ProcessMark, run: &str, unknown: Unknown) -> bool {
        match mark {
            ProcessMark::Theirs(mark) if mark.starts_with(&our_prefix()) => {
                let of = run_of(mark);
                // Those of another run are that run's, as long as there is one.
                (of == run || !self.runs.contains(of)) && !self.is_filled(mark)
            }
            // It has thrown its mark away, or carries a strange one. Whose it was cannot be told any
            // more, so that it goes with the last seat of all runs.
            ProcessMark::Theirs(_) | ProcessMark::None => {
                unknown == Unknown::Bots && self.nobody_seated(None)
            }
        }
    }
}

impl Children {
    pub(crate) const fn new() -> Children {
        Children {
            ledger: LazyLock::new(Mutex::default),
            starts: RwLock::new(()),
            cages: AtomicUsize::new(0),
            unknown: OnceLock::new(),
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unknown(&self) -> Unknown {
        self.unknown.get().copied().unwrap_or(Unknown::Anybody)
    }

    /// A run begins.
    pub(crate) fn begin_run(&self, run: &str) {
        self.ledger().runs.insert(run.to_owned());
    }

    /// A run is over.
    pub(crate) fn end_run(&self, run: &str) {
        self.ledger().runs.remove(run);
    }

    /// A cage is about to be built.
    pub(crate) fn begin_cage(&self) {
        self.cages.fetch_add(1, Ordering::SeqCst);
    }

    /// A cage is gone, or has not come about.
    pub(crate) fn end_cage(&self) {
        self.cages.fetch_sub(1, Ordering::SeqCst);
    }

    /// Runs `start` and enters the process it made, of this number. Nothing is swept in between, by no
    /// run.
    pub(crate) fn register<P, E>(
        &self,
        owner: Owner<'_>,
        number: impl FnOnce(&P) -> Pid,
        start: impl FnOnce() -> Result<P, E>,
    ) -> Result<P, E> {
        self.unknown.get_or_init(|| {
            let unknown = if children().is_empty() { Unknown::Bots } else { Unknown::Anybody };
            // If the system refuses, only processes outside their group could escape.
            let _ = set_child_subreaper(Some(Pid::INIT));
            unknown
        });
        let _starting = self.starts.read().unwrap_or_else(PoisonError::into_inner);
        let process = start()?;
        let number = number(&process).as_raw_nonzero().get();
        self.ledger().children.insert(number, owner.mark().map(str::to_owned));
        Ok(process)
    }

    /// A process has been reaped, or is given up. Whatever a seat's left behind is to be swept.
    pub(crate) fn forget(&self, pid: Pid, owner: Owner<'_>) {
        let mut ledger = self.ledger();
        // Its number may already belong to another process of ours.
        let raw = pid.as_raw_nonzero().get();
        if ledger.children.get(&raw).is_some_and(|other| other.as_deref() == owner.mark()) {
            ledger.children.remove(&raw);
        }
    }

    /// Ends whatever processes of this run's seats have left behind.
    pub(crate) fn sweep(&self, run: &str) {
        self.sweep_with(run, || Some(self.starts.write().unwrap_or_else(PoisonError::into_inner)));
    }

    /// The same, unless a process is just being started somewhere, which takes a while. Says
    /// whether it was done.
    pub(crate) fn sweep_if_free(&self, run: &str) -> bool {
        self.sweep_with(run, || match self.starts.try_write() {
            Ok(alone) => Some(alone),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        })
    }

    /// The dead may have left children that become ours only when they are killed in turn.
    fn sweep_with<'l>(
        &self,
        run: &str,
        mut alone: impl FnMut() -> Option<RwLockWriteGuard<'l, ()>>,
    ) -> bool {
        let mut in_vain = 0;
        for _ in 0..ROUNDS {
            let Some(alone) = alone() else { return false };
            let ledger = self.ledger();
            let idle = ledger.nobody_seated(Some(run));
            let killed = self.sweep_once(&ledger, run);
            // Other runs may start processes while we wait.
            drop((ledger, alone));
            in_vain = if killed.is_empty() { in_vain + 1 } else { 0 };
            // A thread that ends hands its children to another one, whose list may have been read already.
            // When no seat is filled, there will be no other sweep to find them.
            let enough = if idle { 2 } else { 1 };
            if in_vain == enough {
                return true;
            }
            if idle {
                killed.iter().flatten().for_each(see_end);
            }
        }
        true
    }

    /// Kills every child that belongs to a seat no longer filled. Each comes with its handle, if it has one.
    fn sweep_once(&self, ledger: &Ledger, run: &str) -> Vec<Option<OwnedFd>> {
        let mut killed = Vec::new();
        for child in children() {
            let raw = child.as_raw_nonzero().get();
            if ledger.children.contains_key(&raw) || self.in_a_cage(raw) {
                continue;
            }
            let status = waitpid(Some(child), WaitOptions::NOHANG);
            if status.is_ok_and(|status| status.is_some()) {
                continue;
            }
            if !ledger.left_behind(&mark_of(raw), run, self.unknown()) {
                continue;
            }
            // Nobody reaps it while the ledger is locked: the number is its own.
            let handle = pidfd_open(child, PidfdFlags::empty()).ok();
            // Only it can have made a group of its number; there may be none.
            let _ = kill_process_group(child, Signal::KILL);
            // One that we may not kill would be found for ever.
            if kill_process(child, Signal::KILL).is_ok() {
                killed.push(handle);
                let _ = waitpid(Some(child), WaitOptions::NOHANG);
            }
        }
        killed
    }

    /// Whether a process may be one of a cage: then whoever started that looks after it. Without a
    /// cage, a bot may make itself a PID namespace of its own; where there are others, its mark tells
    /// it from them.
    fn in_a_cage(&self, pid: i32) -> bool {
        if self.cages.load(Ordering::SeqCst) == 0 {
            return false;
        }
        if matches!(mark_of(pid), ProcessMark::Theirs(mark) if mark.starts_with(&our_prefix())) {
            return false;
        }
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        numbers.is_some_and(|numbers| numbers.split_whitespace().count() > 1)
    }
}

/// More rounds than this only a process that cannot be killed would need.
const ROUNDS: usize = 50;

/// Waits until a process that has been killed is gone, unless it takes too long.
pub(crate) fn see_end(handle: &OwnedFd) {
    let by = Instant::now() + DYING;
    loop {
        let left = Timespec::try_from(by.saturating_duration_since(Instant::now())).ok();
        // The timer of the fast path interrupts waits of its thread.
        if poll(&mut [PollFd::new(handle, PollFlags::IN)], left.as_ref()) != Err(Errno::INTR) {
            return;
        }
    }
}

/// A process that the user asked for, such as a hook. A sweep must not take it for a process that a
/// bot left behind.
pub struct OwnProcess(Child);

impl OwnProcess {
    /// Starts it.
    pub fn spawn(command: &mut Command) -> io::Result<OwnProcess> {
        let started = CHILDREN.register(Owner::Program, Pid::from_child, || command.spawn());
        started.map(OwnProcess)
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
        CHILDREN.forget(pid, Owner::Program);
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProcessMark {
    /// A seat's.
    Theirs(String),
    /// It has no mark, has ended, or hides its environment.
    None,
}

/// Reads the mark a process was started with.
pub(crate) fn mark_of(pid: i32) -> ProcessMark {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else {
        return ProcessMark::None;
    };
    let prefix = format!("{MARK}=");
    let found = environment
        .split(|&byte| byte == 0)
        .find_map(|variable| variable.strip_prefix(prefix.as_bytes()));
    match found {
        Some(mark) => ProcessMark::Theirs(String::from_utf8_lossy(mark).into_owned()),
        None => ProcessMark::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(children: &[(i32, &str)], runs: &[&str]) -> Ledger {
        let own = |text: &str| format!("{}{text}", our_prefix());
        let children = children.iter().map(|(pid, mark)| (*pid, Some(own(mark)))).collect();
        Ledger { children, runs: runs.iter().map(|run| own(run)).collect() }
    }

    fn mark(text: &str) -> ProcessMark {
        ProcessMark::Theirs(format!("{}{text}", our_prefix()))
    }

    fn swept(ledger: &Ledger, mark: &ProcessMark, unknown: Unknown) -> bool {
        ledger.left_behind(mark, &format!("{}a", our_prefix()), unknown)
    }

    #[test]
    fn a_sweep_ends_what_its_own_run_has_left_behind() {
        let there = ledger(&[(7, "a-0"), (8, "b-1")], &["a", "b"]);
        assert!(!swept(&there, &mark("a-0"), Unknown::Bots), "its seat is filled");
        assert!(swept(&there, &mark("a-1"), Unknown::Bots));
        assert!(!swept(&there, &mark("b-0"), Unknown::Bots), "the other run's to find");
        assert!(swept(&there, &mark("c-0"), Unknown::Bots), "a run that is over");
        // One run's name may be the beginning of another's.
        assert!(swept(&there, &mark("a1-0"), Unknown::Bots), "a run that is over");
        let there = ledger(&[], &["a", "a1"]);
        assert!(!swept(&there, &mark("a1-0"), Unknown::Bots));
    }

    #[test]
    fn a_process_without_a_mark_goes_with_the_last_seat_of_all_runs() {
        let there = ledger(&[(8, "b-1")], &["a", "b"]);
        let strange = ProcessMark::Theirs("1.2-3".to_owned());
        for unmarked in [&ProcessMark::None, &strange] {
            assert!(!swept(&there, unmarked, Unknown::Bots), "the other run has a seat filled");
            let empty = ledger(&[], &["a", "b"]);
            assert!(swept(&empty, unmarked, Unknown::Bots));
            assert!(!swept(&empty, unmarked, Unknown::Anybody), "it may be somebody else's");
        }
    }

    #[test]
    fn processes_are_started_at_the_same_time_and_nothing_is_swept_meanwhile() {
        let children = Children::new();
        let both = std::sync::Barrier::new(2);
        let start = |number: i32| {
            let start = || -> io::Result<Pid> {
                both.wait();
                assert!(!children.sweep_if_free("a"), "one of them would look left behind");
                both.wait();
                Ok(Pid::from_raw(number).expect("a number"))
            };
            children.register(Owner::Seat("a-0"), |pid| *pid, start).expect("it is started");
        };
        std::thread::scope(|scope| {
            scope.spawn(|| start(i32::MAX));
            scope.spawn(|| start(i32::MAX - 1));
        });
        assert_eq!(children.ledger().children.len(), 2);
    }

    #[test]
    fn a_run_is_idle_when_its_own_seats_are_empty() {
        let there = ledger(&[(8, "b-1")], &["a", "b"]);
        assert!(there.nobody_seated(Some(&format!("{}a", our_prefix()))));
        assert!(!there.nobody_seated(Some(&format!("{}b", our_prefix()))));
        assert!(!there.nobody_seated(None));
    }
}
