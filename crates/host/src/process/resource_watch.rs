//! Watches bots that are caged without control groups: how much memory all processes of one use
//! together, and how much they keep in their folder.
//!
//! Where there are control groups, the kernel says when it is too much. Here a thread of the host takes
//! a look: often when much is used or a bot is new, seldom otherwise, and never when there is no such
//! bot. Folders of bots that have namespaces are looked at by the first process of the cage.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::bot::limits::Limits;
use crate::cage::{self, CageEnd, Use};
use crate::os::placement::place_this_thread_anywhere;
use crate::process::reaper;
use crate::process::usage::family;

const OFTEN: Duration = Duration::from_millis(125);
const SELDOM: Duration = Duration::from_secs(2);

/// A bot that is looked after.
#[derive(Clone, Debug)]
struct WatchedBot {
    /// Numbers of processes come again; this one does not.
    serial: u64,
    limits: Limits,
    /// The folders it may keep files in.
    folders: Vec<PathBuf>,
    found: Option<CageEnd>,
}

/// Those of a run that are looked after, and the thread that does it. The thread ends with it.
#[derive(Debug, Default)]
pub(crate) struct ResourceWatch {
    list: Arc<WatchList>,
    thread: OnceLock<()>,
}

#[derive(Debug, Default)]
struct WatchList {
    watched: Mutex<WatchedBots>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WatchedBots {
    /// By their process groups, which they cannot leave.
    bots: HashMap<i32, WatchedBot>,
    begun: u64,
    stage: WatchStage,
}

/// Whether anybody may still be looked after.
#[derive(Debug, Default, PartialEq, Eq)]
enum WatchStage {
    #[default]
    Open,
    /// The run is over.
    Closed,
}

impl ResourceWatch {
    /// Looks after a bot from now on. It leads its process group.
    pub(crate) fn begin(&self, leader: Pid, limits: &Limits, folders: Vec<PathBuf>) {
        self.thread.get_or_init(|| {
            let list = self.list.clone();
            let thread = std::thread::Builder::new().name("watch".to_owned());
            // Without it single processes are limited all the same.
            let _ = thread.spawn(move || list.look_on());
        });
        let mut watched = self.list.lock();
        watched.begun += 1;
        let bot = WatchedBot { serial: watched.begun, limits: *limits, folders, found: None };
        watched.bots.insert(leader.as_raw_nonzero().get(), bot);
        self.list.changed.notify_one();
    }

    /// A bot has ended but has not been reaped: says why, if that was our doing.
    pub(crate) fn end(&self, leader: Pid) -> Option<CageEnd> {
        self.list.lock().bots.remove(&leader.as_raw_nonzero().get())?.found
    }
}

impl Drop for ResourceWatch {
    fn drop(&mut self) {
        self.list.lock().stage = WatchStage::Closed;
        self.list.changed.notify_one();
    }
}

impl WatchList {
    fn lock(&self) -> MutexGuard<'_, WatchedBots> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_on(&self) {
        place_this_thread_anywhere();
        let mut pause = OFTEN;
        let mut begun = 0;
        while let Some(bots) = self.next_look(pause, begun) {
            let newest = bots.values().map(|bot| bot.serial).max().unwrap_or(begun);
            let (over, much) = look(&bots);
            pause = if newest > begun || much { OFTEN } else { (pause * 2).min(SELDOM) };
            begun = newest.max(begun);
            let mut watched = self.lock();
            for (group, why) in over {
                // As long as it is here it has not been reaped, and its number is its own.
                if let (Some(bot), Some(leader)) =
                    (watched.bots.get_mut(&group), Pid::from_raw(group))
                    && bot.serial == bots[&group].serial
                {
                    bot.found = Some(why);
                    let _ = kill_process_group(leader, Signal::KILL);
                }
            }
        }
    }

    /// Waits for the next look, and says at whom; `None` when the run is over. A bot that is newer than
    /// `begun` cuts a long pause short.
    fn next_look(&self, pause: Duration, begun: u64) -> Option<HashMap<i32, WatchedBot>> {
        let open = |watched: &WatchedBots| watched.stage == WatchStage::Open;
        let there = self.changed.wait_while(self.lock(), |it| open(it) && it.bots.is_empty());
        let there = there.unwrap_or_else(PoisonError::into_inner);
        let none_new = |it: &mut WatchedBots| open(it) && it.begun <= begun;
        let there = self.changed.wait_timeout_while(there, pause - OFTEN, none_new);
        let (there, _) = there.unwrap_or_else(PoisonError::into_inner);
        let there = self.changed.wait_timeout_while(there, OFTEN, |it| open(it));
        let (there, _) = there.unwrap_or_else(PoisonError::into_inner);
        open(&there).then(|| there.bots.clone())
    }
}

/// Which groups have too much of something, and whether any has much.
fn look(bots: &HashMap<i32, WatchedBot>) -> (Vec<(i32, CageEnd)>, bool) {
    let mut processes: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in reaper::children().into_iter().flat_map(family) {
        processes.entry(process.group).or_default().push(process.pid);
    }
    let mut over = Vec::new();
    let mut much = false;
    for (group, bot) in bots {
        let all = processes.get(group).map_or(&[][..], Vec::as_slice);
        let used = Use::of(all, bot.limits.memory()).confirmed(all);
        much |= used.is_much();
        if used.is_too_much() {
            over.push((*group, CageEnd::Memory));
        } else if bot.folders.iter().any(|folder| cage::holds_too_much(folder, all, &bot.limits)) {
            over.push((*group, CageEnd::Disk));
        }
    }
    (over, much)
}

/// How many processes and threads there are in a group.
pub(crate) fn count_processes(group: i32) -> u64 {
    let all = reaper::children().into_iter().flat_map(family);
    all.filter(|process| process.group == group).map(|process| process.threads).sum()
}
