//! The first processes of cages that have been ended, until the system has taken them down.
//!
//! Taking a cage down takes the kernel a moment. Nobody waits for it while games are played.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};

use super::cgroup::Group;
use super::init::{OUT_OF_DISK, OUT_OF_MEMORY};

struct Grave {
    init: Pid,
    /// Removed when the processes are gone.
    _group: Option<Group>,
}

static GRAVES: Mutex<VecDeque<Grave>> = Mutex::new(VecDeque::new());

fn graves() -> MutexGuard<'static, VecDeque<Grave>> {
    GRAVES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many cages with namespaces there are, those included that are being built or taken down.
static STANDING: AtomicUsize = AtomicUsize::new(0);

/// A cage is about to be built.
pub(crate) fn raise() {
    STANDING.fetch_add(1, Ordering::SeqCst);
}

/// A cage is gone, or has not come about.
pub(crate) fn raze() {
    STANDING.fetch_sub(1, Ordering::SeqCst);
}

/// Whether there is any cage with namespaces.
pub(crate) fn any_standing() -> bool {
    STANDING.load(Ordering::SeqCst) > 0
}

/// Takes over a cage whose bot has been buried.
pub(crate) fn lay(init: Pid, group: Option<Group>) {
    let mut graves = graves();
    graves.push_back(Grave { init, _group: group });
    // The oldest are the likeliest to be gone.
    const AT_ONCE: usize = 4;
    for _ in 0..AT_ONCE {
        let gone = |grave: &Grave| match waitpid(Some(grave.init), WaitOptions::NOHANG) {
            Ok(status) => status.is_some(),
            Err(_) => true,
        };
        if graves.front().is_none_or(|grave| !gone(grave)) {
            return;
        }
        graves.pop_front();
        raze();
    }
}

/// Why the first process of a cage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All processes together used too much memory.
    Memory,
    /// There was too much in the bot's folder.
    Disk,
    /// We ended it.
    Killed,
}

/// Why the first process of a cage ended, which has been killed at the latest by now and whose bot
/// has been buried.
pub(crate) fn why_ended(init: Pid) -> Ended {
    // Only looked at; it is buried later, as always.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    // The metronome interrupts the waits of the thread it beats for.
    let status = retry_on_intr(|| waitid(WaitId::Pid(init), options)).ok().flatten();
    match status.and_then(|status| status.exit_status()) {
        Some(OUT_OF_MEMORY) => Ended::Memory,
        Some(OUT_OF_DISK) => Ended::Disk,
        Some(_) | None => Ended::Killed,
    }
}

/// Waits until all are gone.
pub(crate) fn close() {
    let all = std::mem::take(&mut *graves());
    for grave in all {
        // It has been killed, and so has everything that could hold it up.
        let _ = retry_on_intr(|| waitpid(Some(grave.init), WaitOptions::empty()));
        raze();
    }
}
