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
use crate::process::usage::{HostChildren, processes_of};

const OFTEN: Duration = Duration::from_millis(125);
const SELDOM: Duration = Duration::from_secs(2);

/// After a look that took long, which a bot can bring about, the next one is so many times as far away, but
/// no further than the others.
const REST: u32 = 8;

/// So many looks are tried before a bot is held for one.
const IN_PASSING: usize = 3;

/// So many looks are tried while it is held. Whoever is about to end needs a moment for that.
const WHILE_HELD: usize = 100;

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
    /// The worker wants it to be stopped.
    stopped: bool,
    /// It is stopped for a look, whatever the worker wants.
    held: bool,
    /// It was for the last one.
    was_held: bool,
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
        self.list.add(leader, init, limits, folders);
    }

    /// A bot has ended but has not been reaped: says why, if that was our doing.
    pub(crate) fn end(&self, leader: Pid) -> Option<CageEnd> {
        self.list.lock().bots.remove(&leader.as_raw_nonzero().get())?.found
    }

    /// Stops a process group, whether or not it is looked after.
    pub(crate) fn stop(&self, leader: Pid) {
        self.list.signal(leader, Signal::STOP);
    }

    /// Lets it go on. One that is held for a look goes on after that.
    pub(crate) fn resume(&self, leader: Pid) {
        self.list.signal(leader, Signal::CONT);
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

    /// Somebody new, who is looked at soon. The others are looked at when they would have been.
    fn add(&self, leader: Pid, init: Option<Pid>, limits: &Limits, folders: Vec<PathBuf>) {
        let mut watched = self.lock();
        watched.begun += 1;
        let (serial, limits, due) = (watched.begun, *limits, Instant::now() + OFTEN);
        let bot = WatchedBot {
            serial,
            init,
            limits,
            folders,
            found: None,
            stopped: false,
            held: false,
            was_held: false,
            pause: OFTEN,
            due,
        };
        watched.bots.insert(leader.as_raw_nonzero().get(), bot);
        if watched.wakes.is_none_or(|wakes| due < wakes) {
            self.changed.notify_one();
        }
    }

    fn look_on(&self) {
        place_this_thread_anywhere();
        while let Some(bots) = self.wait_for_due() {
            let host = HostChildren::default();
            for (leader, bot) in bots {
                let began = Instant::now();
                let seen = self.look_at(leader, &bot, &host);
                self.note(leader, bot.serial, seen, began.elapsed());
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
                    // Who is to be looked at soon, too: a look at many costs less than many looks.
                    let is_near = |bot: &WatchedBot| bot.due <= now + bot.pause / 2;
                    let due = watched.bots.iter().filter(|(_, bot)| is_near(bot));
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

    /// A look at a bot that shows all it has. If its processes hand that on from one to the next faster
    /// than they can be looked at, they are stopped meanwhile.
    fn look_at(&self, leader: Pid, bot: &WatchedBot, host: &HostChildren) -> UsageFinding {
        if bot.was_held {
            self.remind(leader, bot.serial);
        }
        if let Some(seen) = look(leader, bot, host, Hold::InPassing) {
            return seen;
        }
        let again = |hold| look(leader, bot, &HostChildren::default(), hold);
        if let Some(seen) = (1..IN_PASSING).find_map(|_| again(Hold::InPassing)) {
            return seen;
        }
        let Some(_held) = self.hold(leader, bot.serial) else { return UsageFinding::Little };
        let patiently = |_| {
            std::thread::yield_now();
            again(Hold::Held)
        };
        (0..WHILE_HELD).find_map(patiently).unwrap_or(UsageFinding::Much)
    }

    /// Stops a bot for a look, if it is still there.
    fn hold(&self, leader: Pid, serial: u64) -> Option<HeldBot<'_>> {
        let mut watched = self.lock();
        watched.get(leader, serial)?.held = true;
        let _ = kill_process_group(leader, Signal::STOP);
        Some(HeldBot { list: self, leader, serial })
    }

    /// Tells a bot that was held once more that it goes on: a child that it was just making when it was
    /// stopped may have been told the one and not the other.
    fn remind(&self, leader: Pid, serial: u64) {
        let mut watched = self.lock();
        if let Some(bot) = watched.get(leader, serial) {
            bot.was_held = false;
            if !bot.stopped {
                let _ = kill_process_group(leader, Signal::CONT);
            }
        }
    }

    /// Stops a group, or lets it go on.
    fn signal(&self, leader: Pid, signal: Signal) {
        let mut watched = self.lock();
        if let Some(bot) = watched.bots.get_mut(&leader.as_raw_nonzero().get()) {
            bot.stopped = signal == Signal::STOP;
            if bot.held {
                return;
            }
        }
        let _ = kill_process_group(leader, signal);
    }

    /// What a look at a bot has shown, which took so long: it is ended, or looked at again.
    fn note(&self, leader: Pid, serial: u64, seen: UsageFinding, took: Duration) {
        let mut watched = self.lock();
        let Some(bot) = watched.get(leader, serial) else { return };
        bot.pause = match seen {
            UsageFinding::Little => (bot.pause * 2).min(SELDOM),
            UsageFinding::Much | UsageFinding::TooMuch(_) => OFTEN,
        };
        bot.due = Instant::now() + bot.pause.max((took * REST).min(SELDOM));
        if let UsageFinding::TooMuch(why) = seen {
            bot.found = Some(why);
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl WatchedBots {
    /// A bot, if it is still there. As long as it is it has not been reaped, and its number is its own.
    fn get(&mut self, leader: Pid, serial: u64) -> Option<&mut WatchedBot> {
        let bot = self.bots.get_mut(&leader.as_raw_nonzero().get());
        bot.filter(|bot| bot.serial == serial)
    }
}

/// What a look at a bot has shown.
#[derive(Clone, Copy, Debug)]
enum UsageFinding {
    Little,
    /// More than half of what is allowed.
    Much,
    TooMuch(CageEnd),
}

/// Whether a bot is held while it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    InPassing,
    Held,
}

/// A look at a bot. Nothing if it may have more than was seen: one of its processes has ended meanwhile
/// and may have handed on what it had. Nothing either before all of it has stopped that is to be held.
fn look(leader: Pid, bot: &WatchedBot, host: &HostChildren, hold: Hold) -> Option<UsageFinding> {
    let found = processes_of(leader, bot.init, host);
    if hold == Hold::Held && !found.all_have_stopped() {
        return None;
    }
    let all = found.living();
    let used = Use::of(&all, bot.limits.memory()).confirmed(&all);
    if used.is_too_much() {
        Some(UsageFinding::TooMuch(CageEnd::Memory))
    } else if bot.folders.iter().any(|folder| cage::holds_too_much(folder, &all, &bot.limits)) {
        Some(UsageFinding::TooMuch(CageEnd::Disk))
    } else if found.misses_any || used.misses_any {
        None
    } else if used.is_much() {
        Some(UsageFinding::Much)
    } else {
        Some(UsageFinding::Little)
    }
}

/// A bot that is stopped for a look. It goes on when this is dropped, if it was not to be stopped
/// anyway.
struct HeldBot<'w> {
    list: &'w WatchList,
    leader: Pid,
    serial: u64,
}

impl Drop for HeldBot<'_> {
    fn drop(&mut self) {
        let mut watched = self.list.lock();
        if let Some(bot) = watched.get(self.leader, self.serial) {
            bot.held = false;
            bot.was_held = true;
            if !bot.stopped {
                let _ = kill_process_group(self.leader, Signal::CONT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn pid(raw: i32) -> Pid {
        Pid::from_raw(raw).expect("a number of a process")
    }

    fn add(list: &WatchList, raw: i32) {
        list.add(pid(raw), None, &Limits::default(), Vec::new());
    }

    /// Changes what is known of a bot.
    fn set(list: &WatchList, raw: i32, change: impl FnOnce(&mut WatchedBot)) {
        change(list.lock().bots.get_mut(&raw).expect("it is looked after"));
    }

    fn leaders(due: Option<Vec<(Pid, WatchedBot)>>) -> Vec<i32> {
        due.into_iter().flatten().map(|(leader, _)| leader.as_raw_nonzero().get()).collect()
    }

    #[test]
    fn who_uses_little_is_looked_at_ever_more_seldom_and_who_uses_much_often() {
        let list = WatchList::default();
        add(&list, 7);
        let mut pause_after = |seen| {
            list.note(pid(7), 1, seen, Duration::ZERO);
            list.lock().bots[&7].pause.as_millis()
        };
        assert_eq!(
            [UsageFinding::Little; 6].map(&mut pause_after),
            [250, 500, 1000, 2000, 2000, 2000]
        );
        assert_eq!([UsageFinding::Much, UsageFinding::Little].map(&mut pause_after), [125, 250]);
    }

    #[test]
    fn a_bot_at_which_a_look_takes_long_is_looked_at_seldom_but_is() {
        let list = WatchList::default();
        add(&list, 7);
        for (took, pause) in [(100, 800), (60_000, 2000)] {
            let before = Instant::now();
            list.note(pid(7), 1, UsageFinding::Much, Duration::from_millis(took));
            let due = list.lock().bots[&7].due;
            assert!(due >= before + Duration::from_millis(pause), "{took}");
            assert!(due <= Instant::now() + SELDOM, "{took}");
        }
    }

    #[test]
    fn a_look_at_a_bot_that_is_gone_says_nothing_of_another_with_its_number() {
        let list = WatchList::default();
        add(&list, 7);
        add(&list, 7);
        list.note(pid(7), 1, UsageFinding::Little, Duration::ZERO);
        assert_eq!(list.lock().bots[&7].pause, OFTEN);
    }

    #[test]
    fn only_those_are_looked_at_whose_time_it_is() {
        let list = WatchList::default();
        let now = Instant::now();
        for (raw, due) in [(7, now), (8, now + LONG)] {
            add(&list, raw);
            set(&list, raw, |bot| bot.due = due);
        }
        assert_eq!(leaders(list.wait_for_due()), [7]);
    }

    #[test]
    fn a_new_bot_is_looked_at_though_all_others_have_time() {
        let list = WatchList::default();
        add(&list, 7);
        set(&list, 7, |bot| bot.due = Instant::now() + LONG);
        let found = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| leaders(list.wait_for_due()));
            // It waits from the moment that its lock is free again.
            while list.lock().wakes.is_none() {
                std::thread::yield_now();
            }
            add(&list, 8);
            waiting.join().expect("it ends")
        });
        assert_eq!(found, [8]);
        assert!(list.lock().bots[&7].due > Instant::now() + LONG / 2);
    }
}
