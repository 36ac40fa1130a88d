//! What a process has once, however many runs it plays. Everything else that is known of processes
//! belongs to a run ([`RunProcesses`](crate::process::run_processes::RunProcesses)).
//!
//! Here is what the system itself keeps by process or by machine:
//!
//! | what | why there is one |
//! | --- | --- |
//! | [`CHILDREN`] | A process has one list of children, and it is the "subreaper" of all its descendants. Every child is entered with the run it belongs to, and a run ends its own. |
//! | [`LAUNCHER`] | One more process with a session of its own. It keeps nothing from order to order, so that runs can share it. |
//! | [`MEMORY_BOTS`] | Memory is the machine's. The kernel ends the process that is the likeliest of all, so that the bot that uses most is looked for among those of all runs. |
//! | [`MEMORY_KILLS`] | The kernel counts for the whole machine whom it has ended. To read it takes a while. |
//! | [`FORK_COUNTER`] | One thread that answers the system's questions. Every bot has a listener and a count of its own. |
//! | [`RUNS`], [`NAMES`] | They count, so that no two runs have one name or one range of users. |
//!
//! Elsewhere: signals and what they wake (`os/sys.rs`), the hook for panics (`panics.rs`), the thread that looks at
//! memory (`process/memory_pressure.rs`), and what was
//! found out once about the machine and the user, and does not change (`os/sys.rs`, `cage/tier.rs`, `cage/cgroup.rs`,
//! `cage/view.rs`, `cage/places.rs`). A test checks that there is no other.

use std::collections::HashSet;
use std::sync::atomic::AtomicU32;
use std::sync::{LazyLock, Mutex, OnceLock};

use rustix::io::Errno;

use crate::cage::Launcher;
use crate::process::fork_limit::ForkCounter;
use crate::process::memory_pressure::RecentKills;
use crate::process::reaper::Children;

/// The children of this process, with the runs they belong to.
pub(crate) static CHILDREN: Children = Children::new();

/// The launcher, once it has been started.
pub(crate) static LAUNCHER: Mutex<Option<Launcher>> = Mutex::new(None);

/// The bots in cages, of all runs. Each leads its process group, which its processes cannot leave.
pub(crate) static MEMORY_BOTS: LazyLock<Mutex<HashSet<i32>>> = LazyLock::new(Mutex::default);

/// How many processes the kernel had ended for want of memory when it was last asked.
pub(crate) static MEMORY_KILLS: Mutex<Option<RecentKills>> = Mutex::new(None);

/// What counts the processes of bots that are caged without namespaces.
pub(crate) static FORK_COUNTER: OnceLock<Result<ForkCounter, Errno>> = OnceLock::new();

/// How many runs there have been.
pub(crate) static RUNS: AtomicU32 = AtomicU32::new(0);

/// How many names have been given out that nothing else on this machine has.
pub(crate) static NAMES: AtomicU32 = AtomicU32::new(0);
