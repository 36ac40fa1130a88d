//! Writes to bots that take the host long. A bot can bring that about: thousands of its processes' `epoll`
//! sets wait for its pipe, and the kernel goes through all of them in every write.
//!
//! Who was asked before such a write is not heard before it is over: its clock starts later by as much. A
//! bot to which one write after another is slow has lost.

use std::time::Duration;

use game::{Fault, FaultKind, Tick};

/// A write that takes so long is slow. An ordinary one takes microseconds.
const SLOW: Duration = Duration::from_millis(2);

/// So many in a row are the bot's doing, whatever else the machine does.
const MOST_IN_A_ROW: u32 = 8;

/// A write whose end has not been seen.
#[derive(Clone, Copy, Debug)]
struct BegunWrite {
    connection: u32,
    bot: usize,
    at: Tick,
    /// Processor time the host's thread had used by then, if that is looked at.
    cpu: Option<Duration>,
}

/// A write of which the processor time is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndedWrite {
    pub(crate) connection: u32,
    /// How much it was, if the write was slow.
    pub(crate) slow: Option<Duration>,
}

/// A write that took the host's thread so much processor time.
#[derive(Clone, Copy, Debug)]
struct SlowWrite {
    bot: usize,
    at: Tick,
    took: Duration,
}

/// The slow writes among those that follow one another.
#[derive(Debug, Default)]
pub(crate) struct SlowWrites {
    /// Somebody's was slow in this match, perhaps because the host's thread had no processor: since then
    /// the processor time of each is looked at.
    looks_at_cpu: bool,
    begun: Option<BegunWrite>,
    slow: Vec<SlowWrite>,
}

impl SlowWrites {
    /// A write to a process of a bot of the roster begins, and the one before is over. `cpu` reads the
    /// processor time of the host's thread.
    pub(crate) fn begin(
        &mut self,
        (connection, bot): (u32, usize),
        at: Tick,
        cpu: impl FnOnce() -> Duration,
    ) -> Option<EndedWrite> {
        let cpu = self.looks_at_cpu.then(cpu);
        let before = self.begun.replace(BegunWrite { connection, bot, at, cpu });
        self.note(before?, at, cpu)
    }

    /// The last one is over.
    pub(crate) fn end(&mut self, at: Tick, cpu: impl FnOnce() -> Duration) -> Option<EndedWrite> {
        let before = self.begun.take()?;
        self.note(before, at, self.looks_at_cpu.then(cpu))
    }

    fn note(&mut self, write: BegunWrite, end: Tick, cpu: Option<Duration>) -> Option<EndedWrite> {
        let BegunWrite { connection, bot, at, cpu: before } = write;
        self.looks_at_cpu |= end.since(at) >= SLOW;
        let took = cpu?.saturating_sub(before?);
        let slow = (took >= SLOW).then_some(took);
        self.slow.extend(slow.map(|took| SlowWrite { bot, at, took }));
        Some(EndedWrite { connection, slow })
    }

    /// How much later the clock of a bot starts that was asked at this moment: by what was slow after that
    /// and not its own doing.
    pub(crate) fn credit(&self, bot: usize, asked: Tick) -> Duration {
        let later = self.slow.iter().filter(|write| write.bot != bot && write.at >= asked);
        later.map(|write| write.took).sum()
    }

    /// Everybody has been credited.
    pub(crate) fn forget(&mut self) {
        self.slow.clear();
    }
}

/// How many of the last writes to a bot were slow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlowInARow(u32);

impl SlowInARow {
    /// One is over, which took so long if it was slow. Too many are a fault.
    pub(crate) fn note(&mut self, slow: Option<Duration>) -> Result<(), Fault> {
        let Some(took) = slow else {
            self.0 = 0;
            return Ok(());
        };
        self.0 += 1;
        if self.0 < MOST_IN_A_ROW {
            return Ok(());
        }
        let ms = took.as_millis();
        let words = format!("every line to it takes the host long, at last {ms} ms");
        Err(Fault::new(FaultKind::Flood, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn at(count: u64) -> Tick {
        Tick(ms(count))
    }

    fn ended(connection: u32, slow: Option<Duration>) -> Option<EndedWrite> {
        Some(EndedWrite { connection, slow })
    }

    #[test]
    fn who_was_asked_before_a_slow_write_is_credited_with_it() {
        let mut writes = SlowWrites { looks_at_cpu: true, ..SlowWrites::default() };
        assert_eq!(writes.begin((10, 0), at(0), || ms(0)), None);
        assert_eq!(writes.begin((11, 1), at(0), || ms(0)), ended(10, None));
        assert_eq!(writes.begin((12, 2), at(30), || ms(28)), ended(11, Some(ms(28))));
        assert_eq!(writes.end(at(31), || ms(29)), ended(12, None));
        assert_eq!(writes.credit(0, at(0)), ms(28));
        assert_eq!(writes.credit(1, at(0)), Duration::ZERO, "its own doing");
        assert_eq!(writes.credit(2, at(30)), Duration::ZERO, "asked afterwards");
        writes.forget();
        assert_eq!(writes.credit(0, at(0)), Duration::ZERO);
    }

    #[test]
    fn only_after_a_long_write_processor_time_is_looked_at() {
        let mut writes = SlowWrites::default();
        let never = || panic!("nothing was slow");
        writes.begin((10, 0), at(0), never);
        assert_eq!(writes.begin((11, 1), at(1), never), None);
        assert_eq!(writes.end(at(9), never), None, "how much of it was its own is not known");
        writes.begin((10, 0), at(10), || ms(1));
        let alone = writes.end(at(19), || ms(2));
        assert_eq!(alone, ended(10, None), "the thread had no processor");
        writes.begin((10, 0), at(20), || ms(2));
        assert_eq!(writes.end(at(29), || ms(11)), ended(10, Some(ms(9))));
    }

    #[test]
    fn a_bot_to_which_every_write_is_slow_has_lost() {
        let mut row = SlowInARow::default();
        for _ in 1..MOST_IN_A_ROW {
            assert!(row.note(Some(ms(5))).is_ok());
        }
        assert!(row.note(None).is_ok());
        for _ in 1..MOST_IN_A_ROW {
            assert!(row.note(Some(ms(5))).is_ok());
        }
        let fault = row.note(Some(ms(28))).expect_err("one after another");
        assert_eq!(fault.kind, FaultKind::Flood);
        assert_eq!(fault.detail, "every line to it takes the host long, at last 28 ms");
    }
}
