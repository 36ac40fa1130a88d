//! Watches bots that are caged without control groups: how much memory all processes of one use
//! together, and how much they keep in their folder.
//!
//! Where there are control groups, the kernel says when it is too much. Here a thread of the host takes
//! a look: often at a bot that uses much or is new, seldom at others, and never when there is no such
//! bot. Folders of bots that have namespaces are looked at by the first process of the cage.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::bot::limits::Limits;
use crate::cage::{self, CageEnd, Use};
use crate::os::placement::place_this_thread_anywhere;
use crate::process::reaper;
use crate::process::usage::{HostChildren, family, processes_of};

const OFTEN: Duration = Duration::from_millis(125);
const SELDOM: Duration = Duration::from_secs(2);

/// Who is to be looked at that soon is looked at now.
const TOGETHER: Duration = Duration::from_millis(62);

/// A bot that is looked after.
#[derive(Clone, Debug)]
struct WatchedBot {
    /// Numbers of processes come again; this one does not.
    serial: u64,
    /// The first process of its cage, if it has one of its own.
    init: Option<Pid>,
    limits: Limits,
    /// The folders it may keep files in.
    folders: Vec<PathBuf>,
    found: Option<CageEnd>,
    /// The time from one look to the next.
    pause: Duration,
    due: Instant,
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
    /// When the thread wakes, if it is not woken earlier.
    wakes: Option<Instant>,
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
    /// Looks after a bot from now on. It leads its process group; `init` is the first process of its cage.
    pub(crate) fn begin(
        &self,
        leader: Pid,
        init: Option<Pid>,
        limits: &Limits,
        folders: Vec<PathBuf>,
    ) {
        self.thread.get_or_init(|| {
            let list = self.list.clone();
            let thread = std::thread::Builder::new().name("watch".to_owned());
            // Without it single processes are limited all the same.
            let _ = thread.spawn(move || list.look_on());
        });
        let mut watched = self.list.lock();
        watched.begun += 1;
        let (serial, limits, due) = (watched.begun, *limits, Instant::now() + OFTEN);
        let bot = WatchedBot { serial, init, limits, folders, found: None, pause: OFTEN, due };
        watched.bots.insert(leader.as_raw_nonzero().get(), bot);
        if watched.wakes.is_none_or(|wakes| due < wakes) {
            self.list.changed.notify_one();
        }
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
        while let Some(bots) = self.wait_for_due() {
            let host = HostChildren::default();
            for (leader, bot) in bots {
                let seen = look(leader, &bot, &host);
                self.note(leader, bot.serial, seen);
            }
        }
    }

    /// Waits until somebody is to be looked at, and says who; `None` when the run is over.
    fn wait_for_due(&self) -> Option<Vec<(Pid, WatchedBot)>> {
        let mut watched = self.lock();
        loop {
            if watched.stage == WatchStage::Closed {
                return None;
            }
            let now = Instant::now();
            watched.wakes = watched.bots.values().map(|bot| bot.due).min();
            let left = watched.wakes.map(|due| due.saturating_duration_since(now));
            watched = match left {
                None => self.changed.wait(watched).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    let due = watched.bots.iter().filter(|(_, bot)| bot.due <= now + TOGETHER);
                    let due =
                        due.filter_map(|(pid, bot)| Some((Pid::from_raw(*pid)?, bot.clone())));
                    return Some(due.collect());
                }
                Some(left) => {
                    let (watched, _) = self
                        .changed
                        .wait_timeout(watched, left)
                        .unwrap_or_else(PoisonError::into_inner);
                    watched
                }
            };
        }
    }

    /// What a look at a bot has shown: it is ended, or looked at again.
    fn note(&self, leader: Pid, serial: u64, seen: Seen) {
        let mut watched = self.lock();
        // As long as it is here it has not been reaped, and its number is its own.
        let bot = watched.bots.get_mut(&leader.as_raw_nonzero().get());
        let Some(bot) = bot.filter(|bot| bot.serial == serial) else { return };
        bot.pause = match seen {
            Seen::Little => (bot.pause * 2).min(SELDOM),
            Seen::Much | Seen::TooMuch(_) => OFTEN,
        };
        bot.due = Instant::now() + bot.pause;
        if let Seen::TooMuch(why) = seen {
            bot.found = Some(why);
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// What a look at a bot has shown.
#[derive(Clone, Copy, Debug)]
enum Seen {
    Little,
    /// More than half of what is allowed.
    Much,
    TooMuch(CageEnd),
}

fn look(leader: Pid, bot: &WatchedBot, host: &HostChildren) -> Seen {
    let all = processes_of(leader, bot.init, host);
    let all: Vec<i32> = all.into_iter().map(|process| process.pid).collect();
    let used = Use::of(&all, bot.limits.memory()).confirmed(&all);
    if used.is_too_much() {
        Seen::TooMuch(CageEnd::Memory)
    } else if bot.folders.iter().any(|folder| cage::holds_too_much(folder, &all, &bot.limits)) {
        Seen::TooMuch(CageEnd::Disk)
    } else if used.is_much() {
        Seen::Much
    } else {
        Seen::Little
    }
}

/// How many processes and threads there are in a group.
pub(crate) fn count_processes(group: i32) -> u64 {
    let all = reaper::children().into_iter().flat_map(family);
    all.filter(|process| process.group == group).map(|process| process.threads).sum()
}
