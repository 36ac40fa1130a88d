//! The fast path: while bots exchange moves quickly, the worker reads from the one on move alone.
//!
//! It reads as plainly as a bare loop would: one blocking `read`, no set of descriptors to wait
//! for. A timer interrupts the read every few milliseconds, and then everything else is checked
//! (deadlines, exits, standard error). Setting a timer for every read would cost more than the
//! read.
//!
//! And the worker gives way: a bot that is asked on its core runs at once, while the worker is
//! still in its `write`, so that it need not fall asleep and be woken again. The same wish makes it
//! come late where others want the core, so it does so only as long as every answer is quick.

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

/// How soon an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerPace {
    /// So soon that it is part of a quick exchange.
    Quick,
    Slow,
}

impl AnswerPace {
    fn new(after: Duration) -> AnswerPace {
        if after < QUICK { AnswerPace::Quick } else { AnswerPace::Slow }
    }
}

/// When the worker gives way: after many quick answers in a row, during which anybody else who wants
/// its core would have had it. A slow answer while it gives way may have come late by that, so that
/// many more are needed the next time: a bot that computes now and then gains nothing.
#[derive(Debug)]
struct GivingWay {
    /// Quick answers in a row.
    quick: u32,
    /// After so many of them the worker gives way.
    needed: u32,
}

impl GivingWay {
    /// Some ten milliseconds of a quick exchange.
    const LEAST: u32 = 1024;
    /// After so many times what was needed, only half of it is needed.
    const RELENTS: u32 = 16;

    fn new() -> GivingWay {
        GivingWay { quick: 0, needed: GivingWay::LEAST }
    }

    /// What the worker is to ask for after an answer that came while it had these `slices`.
    fn after(&mut self, pace: AnswerPace, slices: Slices) -> Slices {
        match (pace, slices) {
            (AnswerPace::Quick, _) => self.quick = self.quick.saturating_add(1),
            (AnswerPace::Slow, Slices::Short) => self.quick = 0,
            (AnswerPace::Slow, Slices::Long) => {
                self.quick = 0;
                self.needed = self.needed.saturating_mul(2);
            }
        }
        if self.quick / GivingWay::RELENTS >= self.needed {
            self.needed = (self.needed / 2).max(GivingWay::LEAST);
            self.quick = self.needed;
        }
        if self.quick >= self.needed { Slices::Long } else { Slices::Short }
    }
}

/// Interrupts the reads of the thread that made it, while it runs.
#[derive(Debug)]
pub(crate) struct ReadTimer {
    timer: IntervalTimer,
    runs: bool,
    /// Long ones only while it runs.
    slices: Slices,
    giving_way: GivingWay,
}

impl ReadTimer {
    /// A timer for the calling thread, not running yet. `None` where the system lacks what
    /// it needs: then everything is waited for in the ordinary way.
    pub(crate) fn new() -> Option<ReadTimer> {
        let usable = sys::reads_without_waiting();
        let timer = usable.then(IntervalTimer::new).and_then(io::Result::ok)?;
        let (slices, giving_way) = (Slices::Short, GivingWay::new());
        Some(ReadTimer { timer, runs: false, slices, giving_way })
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

    /// An answer that was waited for alone has come, or will be slow.
    fn note_answer(&mut self, pace: AnswerPace) {
        let slices = self.giving_way.after(pace, self.slices);
        if self.runs {
            self.ask_for(slices);
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
        // Perhaps the answer is there, and others had the core meanwhile.
        read_timer.note_answer(AnswerPace::Slow);
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
        let pace = AnswerPace::new(game.woke.since(game.asked_at));
        if pace == AnswerPace::Quick {
            read_timer.start();
        }
        if game.on_fast_path || pace == AnswerPace::Slow {
            read_timer.note_answer(pace);
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
        assert_eq!(AnswerPace::new(QUICK - Duration::from_nanos(1)), AnswerPace::Quick);
        assert_eq!(AnswerPace::new(QUICK), AnswerPace::Slow);
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

    /// Tells of so many quick answers. Returns what the worker asks for after the last of them.
    fn quick(giving_way: &mut GivingWay, answers: u32) -> Slices {
        let each = (0..answers).map(|_| giving_way.after(AnswerPace::Quick, Slices::Short));
        each.last().expect("there are some")
    }

    #[test]
    fn the_worker_gives_way_after_many_quick_answers_in_a_row() {
        let mut giving_way = GivingWay::new();
        assert_eq!(quick(&mut giving_way, GivingWay::LEAST - 1), Slices::Short);
        assert_eq!(giving_way.after(AnswerPace::Slow, Slices::Short), Slices::Short);
        assert_eq!(quick(&mut giving_way, GivingWay::LEAST - 1), Slices::Short);
        assert_eq!(quick(&mut giving_way, 1), Slices::Long);
    }

    #[test]
    fn whoever_makes_it_late_makes_it_wary_for_long() {
        let mut giving_way = GivingWay::new();
        for needed in [1, 2, 4, 8].map(|times| times * GivingWay::LEAST) {
            assert_eq!(quick(&mut giving_way, needed - 1), Slices::Short);
            assert_eq!(quick(&mut giving_way, 1), Slices::Long);
            assert_eq!(giving_way.after(AnswerPace::Slow, Slices::Long), Slices::Short);
        }
        assert_eq!(giving_way.needed, 16 * GivingWay::LEAST);
        // It relents step by step, and goes on to give way meanwhile.
        assert_eq!(
            quick(&mut giving_way, 16 * GivingWay::RELENTS * GivingWay::LEAST),
            Slices::Long
        );
        assert_eq!(giving_way.needed, 8 * GivingWay::LEAST);
        quick(&mut giving_way, 16 * GivingWay::RELENTS * GivingWay::LEAST);
        assert_eq!(giving_way.needed, GivingWay::LEAST);
    }

    #[test]
    fn a_thread_gives_way_only_while_its_timer_runs() {
        // As above.
        let Some(mut timer) = ReadTimer::new() else { return };
        timer.giving_way.quick = GivingWay::LEAST;
        timer.note_answer(AnswerPace::Quick);
        assert_eq!(timer.slices, Slices::Short);
        timer.start();
        timer.note_answer(AnswerPace::Quick);
        assert_eq!(timer.slices, Slices::Long);
        timer.stop();
        assert_eq!(timer.slices, Slices::Short);
    }
}
