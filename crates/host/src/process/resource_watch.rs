//! Watches bots that are caged without namespaces: how much memory all processes of one use
//! together, and how much they keep in their folder.
//!
//! In a cage with namespaces the kernel does it, or the first process inside. Here nobody says when
//! it is too much, so that a thread of the host takes a look: often when much is used or a bot is
//! new, seldom otherwise, and never when there is no such bot.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, Once, PoisonError};
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

#[derive(Debug, Default)]
struct WatchList {
    /// By their process groups, which they cannot leave.
    bots: HashMap<i32, WatchedBot>,
    begun: u64,
}

static WATCHED: LazyLock<Mutex<WatchList>> = LazyLock::new(Mutex::default);
static BEGUN: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, WatchList> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks after a bot from now on. It leads its process group.
pub(crate) fn begin(leader: Pid, limits: &Limits, folders: Vec<PathBuf>) {
    static THREAD: Once = Once::new();
    THREAD.call_once(|| {
        // Without it single processes are limited all the same.
        let _ = std::thread::Builder::new().name("watch".to_owned()).spawn(look_on);
    });
    let mut watched = lock();
    watched.begun += 1;
    let bot = WatchedBot { serial: watched.begun, limits: *limits, folders, found: None };
    watched.bots.insert(leader.as_raw_nonzero().get(), bot);
    BEGUN.notify_one();
}

/// A bot has ended but has not been reaped: says why, if that was our doing.
pub(crate) fn end(leader: Pid) -> Option<CageEnd> {
    lock().bots.remove(&leader.as_raw_nonzero().get())?.found
}

fn look_on() {
    place_this_thread_anywhere();
    let mut pause = OFTEN;
    let mut begun = 0;
    loop {
        let bots = next_look(pause, begun);
        let newest = bots.values().map(|bot| bot.serial).max().unwrap_or(begun);
        let (over, much) = look(&bots);
        pause = if newest > begun || much { OFTEN } else { (pause * 2).min(SELDOM) };
        begun = newest.max(begun);
        let mut watched = lock();
        for (group, why) in over {
            // As long as it is here it has not been reaped, and its number is its own.
            if let (Some(bot), Some(leader)) = (watched.bots.get_mut(&group), Pid::from_raw(group))
                && bot.serial == bots[&group].serial
            {
                bot.found = Some(why);
                let _ = kill_process_group(leader, Signal::KILL);
            }
        }
    }
}

/// Waits for the next look, and says at whom. A bot that is newer than `begun` cuts a long pause
/// short.
fn next_look(pause: Duration, begun: u64) -> HashMap<i32, WatchedBot> {
    let there = BEGUN.wait_while(lock(), |watched| watched.bots.is_empty());
    let there = there.unwrap_or_else(PoisonError::into_inner);
    let none_new = |watched: &mut WatchList| watched.begun <= begun;
    let there = BEGUN.wait_timeout_while(there, pause - OFTEN, none_new);
    let (there, _) = there.unwrap_or_else(PoisonError::into_inner);
    let there = BEGUN.wait_timeout_while(there, OFTEN, |_| true);
    there.unwrap_or_else(PoisonError::into_inner).0.bots.clone()
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
