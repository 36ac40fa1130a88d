//! Limits the processes and threads of each bot that is caged without namespaces.
//!
//! The kernel counts processes by user, and without namespaces all bots of an ordinary user are the
//! same user: one bot could use up what another needs. Instead, every `clone` of such a bot waits
//! until this module has counted (a seccomp notification) and is refused when the bot has as many
//! processes as it may.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::epoll;
use rustix::io::Errno;
use rustix::process::Pid;

use crate::cage::{self, ForkVerdict};
use crate::os::placement::place_this_thread_anywhere;
use crate::process::usage;
use crate::process_wide::FORK_COUNTER;

/// Counting takes a while. A bot that asks over and over hears the same answer for so long.
const COUNT_AT_MOST_EVERY: Duration = Duration::from_millis(20);

/// A bot whose processes are counted, until this is dropped.
#[derive(Debug)]
pub(crate) struct CountedForks {
    serial: u64,
    refused: Arc<AtomicBool>,
}

impl CountedForks {
    /// Whether it was refused a process.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }
}

impl Drop for CountedForks {
    fn drop(&mut self) {
        if let Some(Ok(counter)) = FORK_COUNTER.get() {
            counter.bots().remove(&self.serial);
        }
    }
}

/// Counts the processes of a bot from now on. `listener` is where its process has announced what
/// it is about to do.
pub(crate) fn begin(leader: Pid, most: u32, listener: OwnedFd) -> io::Result<CountedForks> {
    let counter = FORK_COUNTER.get_or_init(ForkCounter::start).as_ref().map_err(|errno| *errno)?;
    counter.add(leader, most, listener)
}

/// What counts all bots: one thread, started with the first of them.
pub(crate) struct ForkCounter {
    epoll: OwnedFd,
    bots: Mutex<HashMap<u64, CountedBot>>,
    /// The number of the next bot.
    next: AtomicU64,
}

struct CountedBot {
    leader: Pid,
    listener: OwnedFd,
    most: u64,
    /// Its processes and threads when they were last counted, and all it was allowed since.
    count: u64,
    counted_at: Option<Instant>,
    refused: Arc<AtomicBool>,
}

impl ForkCounter {
    fn start() -> Result<ForkCounter, Errno> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let thread = std::thread::Builder::new().name("fork-limit".to_owned());
        thread.spawn(serve).map_err(|_| Errno::AGAIN)?;
        Ok(ForkCounter { epoll, bots: Mutex::default(), next: AtomicU64::new(0) })
    }

    fn bots(&self) -> MutexGuard<'_, HashMap<u64, CountedBot>> {
        self.bots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, leader: Pid, most: u32, listener: OwnedFd) -> io::Result<CountedForks> {
        let mut bots = self.bots();
        let serial = self.next.fetch_add(1, Ordering::Relaxed);
        let refused = Arc::<AtomicBool>::default();
        let data = epoll::EventData::new_u64(serial);
        epoll::add(&self.epoll, &listener, data, epoll::EventFlags::IN)?;
        let most = u64::from(most);
        let bot = CountedBot {
            leader,
            listener,
            most,
            count: 1,
            counted_at: None,
            refused: refused.clone(),
        };
        bots.insert(serial, bot);
        Ok(CountedForks { serial, refused })
    }

    fn wait(&self) -> Vec<(u64, epoll::EventFlags)> {
        let mut events = [epoll::Event {
            flags: epoll::EventFlags::empty(),
            data: epoll::EventData::new_u64(0),
        }; 16];
        let count = epoll::wait(&self.epoll, &mut events[..], None).unwrap_or(0);
        events[..count].iter().map(|event| (event.data.u64(), event.flags)).collect()
    }
}

fn serve() {
    place_this_thread_anywhere();
    let Ok(counter) = FORK_COUNTER.wait() else { return };
    loop {
        for (serial, flags) in counter.wait() {
            let mut bots = counter.bots();
            let Some(bot) = bots.get_mut(&serial) else { continue };
            if flags.contains(epoll::EventFlags::IN) {
                bot.answer();
            } else {
                // All its processes have ended.
                let _ = epoll::delete(&counter.epoll, &bot.listener);
            }
        }
    }
}

impl CountedBot {
    /// Answers one process that wants to make another.
    fn answer(&mut self) {
        // Whoever has asked may be gone by now, or have been woken by a signal.
        let Ok(asks) = cage::next_notification(self.listener.as_fd()) else { return };
        let verdict = self.judge(Instant::now(), usage::count_tasks);
        if verdict == ForkVerdict::Refuse {
            self.refused.store(true, Ordering::Relaxed);
        }
        let _ = cage::answer_notification(self.listener.as_fd(), asks, verdict);
    }

    fn judge(&mut self, now: Instant, count: impl FnOnce(Pid) -> u64) -> ForkVerdict {
        let recently = |at: Instant| now.duration_since(at) < COUNT_AT_MOST_EVERY;
        if self.count >= self.most && !self.counted_at.is_some_and(recently) {
            self.count = count(self.leader);
            self.counted_at = Some(now);
        }
        if self.count >= self.most {
            return ForkVerdict::Refuse;
        }
        self.count += 1;
        ForkVerdict::Allow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot(most: u64) -> CountedBot {
        let listener = rustix::event::eventfd(0, rustix::event::EventfdFlags::empty());
        let listener = listener.expect("it can be made");
        let leader = Pid::INIT;
        CountedBot { leader, listener, most, count: 1, counted_at: None, refused: Arc::default() }
    }

    #[test]
    fn no_more_than_allowed_and_what_has_ended_makes_room() {
        let mut bot = bot(4);
        let start = Instant::now();
        let never = |_| panic!("nobody has to count yet");
        for _ in 0..3 {
            assert_eq!(bot.judge(start, never), ForkVerdict::Allow);
        }
        assert_eq!(bot.judge(start, |_| 4), ForkVerdict::Refuse);
        // Not counted again at once, whatever has ended meanwhile.
        assert_eq!(bot.judge(start, never), ForkVerdict::Refuse);
        let later = start + COUNT_AT_MOST_EVERY;
        assert_eq!(bot.judge(later, |_| 3), ForkVerdict::Allow);
        assert_eq!(bot.judge(later, never), ForkVerdict::Refuse);
    }
}
