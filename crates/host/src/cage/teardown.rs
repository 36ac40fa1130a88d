//! Teardown of cages: waits until the kernel has removed what is left of them.
//!
//! Taking a cage down takes the kernel a moment. Nobody waits for it while games are played.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::retry_on_intr;
use rustix::process::{
    Pid, PidfdFlags, WaitId, WaitIdOptions, WaitOptions, pidfd_open, waitid, waitpid,
};

use super::cgroup::LentGroup;
use super::init::{OUT_OF_DISK, OUT_OF_MEMORY};
use crate::process::reaper::see_end;
use crate::process_wide::CHILDREN;

#[derive(Debug)]
struct EndedCage {
    init: Pid,
    /// Free when the processes are gone.
    group: Option<LentGroup>,
}

impl EndedCage {
    /// Whether its first process has been reaped: then there is nobody left.
    fn is_gone(&self) -> bool {
        match waitpid(Some(self.init), WaitOptions::NOHANG) {
            Ok(status) => status.is_some(),
            Err(_) => true,
        }
    }

    /// It is gone.
    fn end(self) {
        if let Some(group) = self.group {
            group.give_back();
        }
        CHILDREN.end_cage();
    }
}

/// The cages of a run that have been ended. The system is taking them down.
#[derive(Debug, Default)]
pub(crate) struct EndedCages(Mutex<VecDeque<EndedCage>>);

impl EndedCages {
    fn lock(&self) -> MutexGuard<'_, VecDeque<EndedCage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over a cage whose bot has been reaped.
    pub(crate) fn take_down(&self, init: Pid, group: Option<LentGroup>) {
        let mut ended = self.lock();
        ended.push_back(EndedCage { init, group });
        // The oldest are the likeliest to be gone. One that is not must not be in the way of others.
        const AT_ONCE: usize = 4;
        for _ in 0..AT_ONCE {
            match ended.pop_front() {
                Some(cage) if cage.is_gone() => cage.end(),
                Some(cage) => return ended.push_back(cage),
                None => return,
            }
        }
    }

    /// Waits until all are gone, but not for ever: one whose bot nobody knows, because it was killed
    /// before anybody had heard of it, stays until this program ends, as a cage in which somebody is.
    pub(crate) fn wait(&self) {
        let all = std::mem::take(&mut *self.lock());
        for cage in all {
            if let Ok(handle) = pidfd_open(cage.init, PidfdFlags::empty()) {
                see_end(&handle);
            }
            if cage.is_gone() {
                cage.end();
            }
        }
    }
}

impl Drop for EndedCages {
    fn drop(&mut self) {
        self.wait();
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
