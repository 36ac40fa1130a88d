//! The fast path: while bots exchange moves quickly, the worker reads from the one on move alone.
//!
//! It reads as plainly as a bare loop would: one blocking `read`, no set of descriptors to wait
//! for. A timer interrupts the read every few milliseconds, and then everything else is checked
//! (deadlines, exits, standard error). Setting a timer for every read would cost more than the
//! read.
//!
//! And the worker gives way: a bot that is asked on its core runs at once, while the worker is
//! still in its `write`, so that it need not fall asleep and be woken again. The same wish makes it
//! come late where others want the core, so it ends with the first answer that was not quick.

use std::io;
use std::time::Duration;

use table::SeatStatus;

use crate::os::sys::{self, IntervalTimer, Slices, ask_for, interrupted};
use crate::worker::bot_output::ReadOutcome;
use crate::worker::current_match::CurrentMatch;
use crate::worker::match_loop::Worker;
use crate::worker::poller::PollSource;

/// How long everything else may wait.
const INTERVAL: Duration = Duration::from_millis(5);

/// An answer that comes sooner than this is part of a quick exchange.
const QUICK: Duration = Duration::from_micros(500);

/// How much a worker waits for.
#[derive(Clone, Copy, Debug)]
struct AwaitedAnswer {
    /// Answers of programs.
    answers: usize,
    /// Processes that are being started.
    starts: usize,
    /// Processes that are on their way out.
    departures: usize,
    /// Exits of processes whose output has ended.
    exits: usize,
    /// Decisions of built-in bots on other threads.
    thoughts: usize,
}

impl AwaitedAnswer {
    /// Whether one answer is all there is to wait for.
    fn is_one_answer(self) -> bool {
        matches!(
            self,
            AwaitedAnswer { answers: 1, starts: 0, departures: 0, exits: 0, thoughts: 0 }
        )
    }
}

/// Whether an answer after this time is part of a quick exchange.
fn is_quick(after: Duration) -> bool {
    after < QUICK
}

/// Whether the worker gives way to the bots of a match in a quick exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GivingWay {
    #[default]
    Allowed,
    /// Not any more: meanwhile an answer was not quick, perhaps because others want its core.
    Over,
}

/// Interrupts the reads of the thread that made it, while it runs.
#[derive(Debug)]
pub(crate) struct ReadTimer {
    timer: IntervalTimer,
    runs: bool,
    /// Long ones only while it runs.
    slices: Slices,
}

impl ReadTimer {
    /// A timer for the calling thread, not running yet. `None` where the system lacks what
    /// it needs: then everything is waited for in the ordinary way.
    pub(crate) fn new() -> Option<ReadTimer> {
        let usable = sys::reads_without_waiting();
        let timer = usable.then(IntervalTimer::new).and_then(io::Result::ok)?;
        Some(ReadTimer { timer, runs: false, slices: Slices::Short })
    }

    /// Whether it runs.
    pub(crate) fn runs(&self) -> bool {
        self.runs
    }

    /// Starts it.
    pub(crate) fn start(&mut self) {
        if !self.runs {
            self.runs = self.timer.set(INTERVAL).is_ok();
        }
    }

    /// Stops it. The thread gives way no longer.
    pub(crate) fn stop(&mut self) {
        self.hold_place();
        if std::mem::take(&mut self.runs) {
            // Interruptions that nobody needs do no harm.
            let _ = self.timer.set(Duration::ZERO);
        }
    }

    /// Gives way to those whom the thread wakes, while the timer runs.
    fn give_way(&mut self) {
        if self.runs {
            self.ask_for(Slices::Long);
        }
    }

    /// Gives way no longer: the thread wants the processor soon after it is woken.
    pub(crate) fn hold_place(&mut self) {
        self.ask_for(Slices::Short);
    }

    fn ask_for(&mut self, slices: Slices) {
        if std::mem::replace(&mut self.slices, slices) != slices {
            ask_for(slices);
        }
    }
}

impl Worker<'_> {
    /// In a quick exchange of moves, reads from the bot on move alone. Everything else is checked
    /// when the timer interrupts the read; what has happened there is put into `found`.
    pub(crate) fn read_fast(
        &mut self,
        game: &mut CurrentMatch<'_>,
        found: &mut Vec<PollSource>,
    ) -> Option<ReadOutcome> {
        self.read_timer.as_ref().filter(|read_timer| read_timer.runs())?;
        let there = self.connections.get_mut(game.asked as usize).and_then(Option::as_mut);
        let awaited = AwaitedAnswer {
            answers: game.table.programs_awaited(),
            starts: self.coming,
            departures: self.going.len(),
            exits: game.ended.len(),
            thoughts: self.bot_threads.awaited(),
        };
        let there = there.filter(|there| {
            let asked =
                there.seat().is_some_and(|seat| game.table.seat(seat) == SeatStatus::Awaited);
            awaited.is_one_answer() && asked && there.input.all_sent() && !there.output.has_ended()
        })?;
        game.on_fast_path = true;
        match there.output.wait_and_read(&mut self.buffer) {
            ReadOutcome::Nothing => {}
            heard => return Some(heard),
        }
        self.poller.wait(Some(Duration::ZERO), found);
        game.on_fast_path = false;
        game.wake();
        let due = game.table.next_tick().is_some_and(|tick| tick <= game.woke);
        if !found.is_empty() || due || interrupted() {
            return None;
        }
        self.check_starvation(game);
        let read_timer = self.read_timer.as_mut()?;
        // This is not quick, perhaps because others want the core.
        read_timer.hold_place();
        let there = self.connections.get_mut(game.asked as usize).and_then(Option::as_mut)?;
        match there.output.wait_and_read(&mut self.buffer) {
            // Two interruptions without an answer: this is no quick exchange.
            ReadOutcome::Nothing => {
                read_timer.stop();
                None
            }
            heard => {
                game.on_fast_path = true;
                Some(heard)
            }
        }
    }

    /// An answer has come. If it came soon, a quick exchange begins or goes on.
    pub(crate) fn note_answer(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(read_timer) = self.read_timer.as_mut().filter(|_| connection == game.asked) else {
            return;
        };
        let quick = is_quick(game.woke.since(game.asked_at));
        if quick {
            read_timer.start();
        } else if read_timer.slices == Slices::Long {
            game.giving_way = GivingWay::Over;
        }
        match game.giving_way {
            GivingWay::Allowed if quick && game.on_fast_path => read_timer.give_way(),
            GivingWay::Allowed | GivingWay::Over => read_timer.hold_place(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_path_is_for_one_answer_and_nothing_else() {
        let one = AwaitedAnswer { answers: 1, starts: 0, departures: 0, exits: 0, thoughts: 0 };
        assert!(one.is_one_answer());
        let others = [
            AwaitedAnswer { answers: 0, ..one },
            AwaitedAnswer { answers: 2, ..one },
            AwaitedAnswer { starts: 1, ..one },
            AwaitedAnswer { departures: 1, ..one },
            AwaitedAnswer { exits: 1, ..one },
            AwaitedAnswer { thoughts: 1, ..one },
        ];
        for other in others {
            assert!(!other.is_one_answer(), "{other:?}");
        }
    }

    #[test]
    fn an_exchange_is_quick_below_half_a_millisecond() {
        assert!(is_quick(QUICK - Duration::from_nanos(1)));
        assert!(!is_quick(QUICK));
    }

    #[test]
    fn the_read_timer_runs_from_start_to_stop() {
        // Where the system lacks what it needs there is none, and nothing to check.
        let Some(mut timer) = ReadTimer::new() else { return };
        assert!(!timer.runs());
        timer.start();
        timer.start();
        assert!(timer.runs());
        timer.stop();
        assert!(!timer.runs());
    }

    #[test]
    fn a_thread_gives_way_only_while_its_timer_runs() {
        // As above.
        let Some(mut timer) = ReadTimer::new() else { return };
        timer.give_way();
        assert_eq!(timer.slices, Slices::Short);
        timer.start();
        assert_eq!(timer.slices, Slices::Short);
        timer.give_way();
        assert_eq!(timer.slices, Slices::Long);
        timer.stop();
        assert_eq!(timer.slices, Slices::Short);
    }
}
