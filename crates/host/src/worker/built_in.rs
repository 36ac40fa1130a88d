//! Runs built-in bots: on the worker's own thread, or on threads beside it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::{Budget, TimeLeft};
use rustix::event::{EventfdFlags, eventfd};
use table::{SeatId, Thinker, Thought};

use crate::os::placement::pin_this_thread;
use crate::os::sys::{interrupted, thread_cpu};
use crate::panics::{Panic, catch};

/// A decision, or the panic of the bot, and the time it took.
pub(crate) struct ThoughtResult {
    pub(crate) seat: SeatId,
    pub(crate) thought: Result<Thought, Panic>,
    pub(crate) at: Instant,
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

/// The time a bot has, by the host's clock.
struct ThinkingTime {
    began: Instant,
    granted: TimeLeft,
    stop: Arc<AtomicBool>,
}

impl ThinkingTime {
    fn rest(&self, granted: Option<Duration>) -> Option<Duration> {
        granted.map(|granted| granted.saturating_sub(self.began.elapsed()))
    }
}

impl Budget for ThinkingTime {
    fn left(&self) -> Option<Duration> {
        self.rest(self.granted.limit())
    }
    fn bank(&self) -> Option<Duration> {
        self.rest(self.granted.bank)
    }
    fn stopped(&self) -> bool {
        interrupted() || self.stop.load(Ordering::Relaxed)
    }
}

/// Thinks here and now.
pub(crate) fn think(seat: SeatId, thinker: Thinker, granted: TimeLeft) -> ThoughtResult {
    think_until_stopped(seat, thinker, granted, Arc::default())
}

fn think_until_stopped(
    seat: SeatId,
    thinker: Thinker,
    granted: TimeLeft,
    stop: Arc<AtomicBool>,
) -> ThoughtResult {
    let before = thread_cpu();
    let time = ThinkingTime { began: Instant::now(), granted, stop };
    let thought = catch(|| thinker.think(&time));
    let cpu = thread_cpu().saturating_sub(before);
    let at = Instant::now();
    ThoughtResult { seat, thought, at, wall: at.duration_since(time.began), cpu }
}

/// Built-in bots that think on threads of their own, while the worker listens to programs.
pub(crate) struct BotThreads {
    waker: Arc<OwnedFd>,
    /// Tells the bots of this match to stop.
    stop: Arc<AtomicBool>,
    /// Which match of the worker it is: decisions of an earlier one are of no interest.
    game: u64,
    jobs: Sender<ThinkingTask>,
    taken: Arc<Mutex<Receiver<ThinkingTask>>>,
    /// Bots that think or wait for a thread.
    busy: Arc<AtomicUsize>,
    threads: usize,
    /// Decisions that have not been taken yet.
    awaited: usize,
    to_here: Sender<(u64, ThoughtResult)>,
    here: Receiver<(u64, ThoughtResult)>,
}

/// A decision to be made.
struct ThinkingTask {
    game: u64,
    seat: SeatId,
    thinker: Thinker,
    granted: TimeLeft,
    core: Option<usize>,
    stop: Arc<AtomicBool>,
}

/// So many bots think at the same time; more have to wait for each other.
const THREADS: usize = 32;

/// Whether one more bot needs one more thread, if so many bots are busy on so many threads.
fn needs_thread(busy: usize, threads: usize) -> bool {
    busy >= threads && threads < THREADS
}

impl BotThreads {
    pub(crate) fn new() -> io::Result<BotThreads> {
        let waker = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let (to_here, here) = channel();
        let (jobs, taken) = channel();
        Ok(BotThreads {
            waker: Arc::new(waker),
            stop: Arc::default(),
            game: 0,
            jobs,
            taken: Arc::new(Mutex::new(taken)),
            busy: Arc::default(),
            threads: 0,
            awaited: 0,
            to_here,
            here,
        })
    }

    /// A new match begins: bots that still think about the last one may stop.
    pub(crate) fn next_match(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
        self.game += 1;
    }

    /// How many decisions have not been taken by [`BotThreads::decisions`] yet.
    pub(crate) fn awaited(&self) -> usize {
        self.awaited
    }

    /// Becomes readable when a decision has been made.
    pub(crate) fn waker(&self) -> BorrowedFd<'_> {
        self.waker.as_fd()
    }

    /// Lets a bot think on another thread. Fails if there is none and none can be started.
    pub(crate) fn think(
        &mut self,
        seat: SeatId,
        thinker: Thinker,
        granted: TimeLeft,
        core: Option<usize>,
    ) -> io::Result<()> {
        let busy = self.busy.load(Ordering::Relaxed);
        if needs_thread(busy, self.threads) {
            match self.hire() {
                Ok(()) => self.threads += 1,
                // Nobody would ever take it up, and its clock may have no limit.
                Err(error) if self.threads == 0 => return Err(error),
                Err(_) => {}
            }
        }
        self.awaited += 1;
        self.busy.fetch_add(1, Ordering::Relaxed);
        let (game, stop) = (self.game, self.stop.clone());
        let task = ThinkingTask { game, seat, thinker, granted, core, stop };
        self.jobs.send(task).expect("the end that takes is kept here as well");
        Ok(())
    }

    /// One more thread, which ends with this.
    fn hire(&self) -> io::Result<()> {
        let (taken, busy) = (self.taken.clone(), self.busy.clone());
        let (to_here, waker) = (self.to_here.clone(), self.waker.clone());
        let work = move || {
            loop {
                let task = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(ThinkingTask { game, seat, thinker, granted, core, stop }) = task else {
                    return;
                };
                if let Some(core) = core {
                    pin_this_thread(core);
                }
                let decision = think_until_stopped(seat, thinker, granted, stop);
                busy.fetch_sub(1, Ordering::Relaxed);
                // The match may be over; then nobody waits for this any more.
                let _ = to_here.send((game, decision));
                let _ = rustix::io::write(&*waker, &1_u64.to_ne_bytes());
            }
        };
        std::thread::Builder::new().name("bot".to_owned()).spawn(work).map(drop)
    }

    /// The decisions that have been made.
    pub(crate) fn decisions(&mut self) -> Vec<ThoughtResult> {
        let _ = rustix::io::read(&*self.waker, &mut [0_u8; 8]);
        let made: Vec<_> = self.here.try_iter().collect();
        self.awaited -= made.len();
        let current = made.into_iter().filter(|(game, _)| *game == self.game);
        current.map(|(_, decision)| decision).collect()
    }
}

impl Drop for BotThreads {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(granted: TimeLeft) -> ThinkingTime {
        ThinkingTime { began: Instant::now(), granted, stop: Arc::default() }
    }

    fn decision(seat: u32) -> ThoughtResult {
        let thought = Err(catch(|| panic!("no move")).expect_err("it panics"));
        let (at, wall, cpu) = (Instant::now(), Duration::ZERO, Duration::ZERO);
        ThoughtResult { seat: SeatId(seat), thought, at, wall, cpu }
    }

    #[test]
    fn threads_are_hired_while_all_are_busy_up_to_a_limit() {
        assert!(needs_thread(0, 0));
        assert!(!needs_thread(0, 1));
        assert!(needs_thread(1, 1));
        assert!(!needs_thread(THREADS, THREADS));
    }

    #[test]
    fn a_decision_of_an_earlier_match_is_not_handed_on() {
        let mut threads = BotThreads::new().expect("an eventfd can be made");
        threads.next_match();
        for (game, seat) in [(threads.game - 1, 0), (threads.game, 1)] {
            threads.awaited += 1;
            threads.to_here.send((game, decision(seat))).expect("this end is open");
        }
        let seats: Vec<_> = threads.decisions().iter().map(|decision| decision.seat).collect();
        assert_eq!(seats, [SeatId(1)]);
        assert_eq!(threads.awaited(), 0, "nobody waits for the other one either");
    }

    #[test]
    fn the_next_match_stops_the_bots_of_this_one() {
        let mut threads = BotThreads::new().expect("an eventfd can be made");
        let before = ThinkingTime { stop: threads.stop.clone(), ..time(TimeLeft::default()) };
        assert!(!before.stopped());
        threads.next_match();
        assert!(before.stopped());
        let after = ThinkingTime { stop: threads.stop.clone(), ..time(TimeLeft::default()) };
        assert!(!after.stopped());
    }

    #[test]
    fn time_that_is_used_up_is_zero_and_no_limit_stays_none() {
        let none = time(TimeLeft { turn: None, bank: None });
        assert_eq!((none.left(), none.bank()), (None, None));
        let over = time(TimeLeft { turn: Some(Duration::ZERO), bank: Some(Duration::ZERO) });
        assert_eq!((over.left(), over.bank()), (Some(Duration::ZERO), Some(Duration::ZERO)));
    }
}
