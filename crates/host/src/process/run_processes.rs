//! What a run knows of its processes. Two runs in one process share none of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::Pid;

use crate::cage::{EndedCages, FreeCages};
use crate::process::guard::GuardLine;
use crate::process::reaper::{Owner, our_prefix};
use crate::process::resource_watch::ResourceWatch;
use crate::process_wide::{CHILDREN, NAMES, RUNS};

/// The processes of one run: what they are called, and what is still to be done with those that have ended.
#[derive(Debug)]
pub(crate) struct RunProcesses {
    /// What the marks of its processes begin with.
    name: String,
    /// How many runs there were before it in this process.
    number: u32,
    /// How many marks have been given out.
    marks: AtomicU64,
    /// Cages that no bot is in.
    pub(crate) free_cages: Arc<FreeCages>,
    /// Cages that the system is taking down.
    pub(crate) ended_cages: Arc<EndedCages>,
    /// Bots that are looked after because the kernel does not limit them.
    pub(crate) watch: ResourceWatch,
    /// What its guard is told on.
    pub(crate) guard: GuardLine,
}

impl RunProcesses {
    /// Those of a run that begins now.
    pub(crate) fn new() -> RunProcesses {
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let name = unique_name();
        CHILDREN.begin_run(&name);
        RunProcesses {
            name,
            number,
            marks: AtomicU64::new(0),
            free_cages: Arc::default(),
            ended_cages: Arc::default(),
            watch: ResourceWatch::default(),
            guard: GuardLine::default(),
        }
    }

    /// A name that no other run on this machine has.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How many runs there were before it in this process.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// A mark for a new process, different from all others on this machine.
    pub(crate) fn next_mark(&self) -> String {
        format!("{}-{}", self.name, self.marks.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs `start` and remembers the process it made, which carries the mark.
    pub(crate) fn register<P, E>(
        &self,
        mark: &str,
        number: impl FnOnce(&P) -> Pid,
        start: impl FnOnce() -> Result<P, E>,
    ) -> Result<P, E> {
        CHILDREN.register(Owner::Seat(mark), number, start)
    }

    /// A seat's process has been reaped. Whatever it left behind is to be swept.
    pub(crate) fn forget(&self, pid: Pid, mark: &str) {
        CHILDREN.forget(pid, Owner::Seat(mark));
    }

    /// Takes down all cages that no bot is in, and waits until they are gone: something else needs the
    /// room. Says whether there were any.
    pub(crate) fn give_up_free_cages(&self) -> bool {
        let any = self.free_cages.give_up() > 0;
        self.ended_cages.wait();
        any
    }

    /// Ends whatever its seats have left behind.
    pub(crate) fn sweep(&self) {
        CHILDREN.sweep(&self.name);
    }

    /// The same, unless a process is just being started somewhere. Says whether it was done.
    pub(crate) fn sweep_if_free(&self) -> bool {
        CHILDREN.sweep_if_free(&self.name)
    }
}

impl Drop for RunProcesses {
    fn drop(&mut self) {
        self.ended_cages.wait();
        CHILDREN.end_run(&self.name);
    }
}

/// A name that nothing else on this machine has. It begins with [`our_prefix`].
pub(crate) fn unique_name() -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    format!("{}{now:x}.{:x}", our_prefix(), NAMES.fetch_add(1, Ordering::Relaxed))
}
