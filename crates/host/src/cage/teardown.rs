//! Teardown of cages: waits until the kernel has removed what is left of them.
//!
//! Taking a cage down takes the kernel a moment. Nobody waits for it while games are played.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};

use super::cgroup::Group;
use super::init::{OUT_OF_DISK, OUT_OF_MEMORY};

struct EndedCage {
    init: Pid,
    /// Removed when the processes are gone.
    _group: Option<Group>,
}

static ENDED: Mutex<VecDeque<EndedCage>> = Mutex::new(VecDeque::new());

fn ended() -> MutexGuard<'static, VecDeque<EndedCage>> {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many cages with namespaces there are, those included that are being built or taken down.
static STANDING: AtomicUsize = AtomicUsize::new(0);

/// A cage is about to be built.
pub(crate) fn begin_cage() {
    STANDING.fetch_add(1, Ordering::SeqCst);
}

/// A cage is gone, or has not come about.
pub(crate) fn end_cage() {
    STANDING.fetch_sub(1, Ordering::SeqCst);
}

/// Whether there is any cage with namespaces.
pub(crate) fn any_standing() -> bool {
    STANDING.load(Ordering::SeqCst) > 0
}

/// Takes over a cage whose bot has been reaped.
pub(crate) fn take_down(init: Pid, group: Option<Group>) {
    let mut ended = ended();
    ended.push_back(EndedCage { init, _group: group });
    // The oldest are the likeliest to be gone.
    const AT_ONCE: usize = 4;
    for _ in 0..AT_ONCE {
        let gone = |cage: &EndedCage| match waitpid(Some(cage.init), WaitOptions::NOHANG) {
            Ok(status) => status.is_some(),
            Err(_) => true,
        };
        if ended.front().is_none_or(|cage| !gone(cage)) {
            return;
        }
        ended.pop_front();
        end_cage();
    }
}

/// Why the first process of a cage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CageEnd {
    /// All processes together used too much memory.
    Memory,
    /// There was too much in the bot's folder.
    Disk,
    /// We ended it.
    Killed,
}

/// Why the first process of a cage ended, which has been killed at the latest by now and whose bot
/// has been reaped.
pub(crate) fn why_ended(init: Pid) -> CageEnd {
    // Only looked at; it is reaped later, as always.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    // The timer of the fast path interrupts waits of its thread.
    let status = retry_on_intr(|| waitid(WaitId::Pid(init), options)).ok().flatten();
    match status.and_then(|status| status.exit_status()) {
        Some(OUT_OF_MEMORY) => CageEnd::Memory,
        Some(OUT_OF_DISK) => CageEnd::Disk,
        Some(_) | None => CageEnd::Killed,
    }
}

/// Waits until all are gone.
pub(crate) fn close() {
    let all = std::mem::take(&mut *ended());
    for cage in all {
        // It has been killed, and so has everything that could hold it up.
        let _ = retry_on_intr(|| waitpid(Some(cage.init), WaitOptions::empty()));
        end_cage();
    }
}
