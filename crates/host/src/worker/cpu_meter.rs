//! Processor time of a bot: when it is read, and when it is estimated.

use std::time::Duration;

use game::Tick;

/// Answering time that may go by before the clock of a process is read again.
const ESTIMATED: Duration = Duration::from_micros(100);
/// Among very many bots, every so many answers of one its clock is read.
const CROWD_ANSWERS: u32 = 8;

/// Whose processor time is read for a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metered {
    /// That of its own process, which is cheap.
    Process,
    /// That of all its processes, where it is charged.
    Everything,
}

/// Processor time that a bot has used, as far as is known. What `read` returns is asked of the
/// system, which costs a tenth of a ply.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    metered: Metered,
    /// When the bot was last asked, or heard of since.
    pub(crate) asked_at: Tick,
    known: Duration,
    /// Answering time since it was last read.
    unread: Duration,
    answers: u32,
}

impl CpuMeter {
    pub(crate) fn new(metered: Metered) -> CpuMeter {
        CpuMeter {
            metered,
            asked_at: Tick::ZERO,
            known: Duration::ZERO,
            unread: Duration::ZERO,
            answers: 0,
        }
    }

    /// Another match begins, in which this is metered.
    pub(crate) fn next_match(&mut self, metered: Metered) {
        self.metered = metered;
        (self.known, self.unread) = (Duration::ZERO, Duration::ZERO);
        self.answers = 0;
    }

    /// Processor time used, without asking the system.
    pub(crate) fn known(&self) -> Duration {
        self.known
    }

    /// Reads it now.
    pub(crate) fn read(&mut self, read: impl FnOnce(Metered) -> Duration) -> Duration {
        self.unread = Duration::ZERO;
        let used = read(self.metered);
        self.known = match self.metered {
            Metered::Process => used,
            // What ended processes had used may be lost to it.
            Metered::Everything => self.known.max(used),
        };
        self.known
    }

    /// The bot is about to be asked. What it uses between answers belongs to the next one, so that
    /// the last reading serves, unless processor time is charged.
    pub(crate) fn before_question(&mut self, read: impl FnOnce(Metered) -> Duration) {
        if self.metered == Metered::Everything || self.known.is_zero() {
            self.read(read);
        }
    }

    /// The bot has answered. In a quick exchange it is taken to have worked since it was asked, so
    /// that what is estimated stays small.
    pub(crate) fn after_answer(
        &mut self,
        now: Tick,
        read: impl FnOnce(Metered) -> Duration,
    ) -> Duration {
        // An answer may come in several parts.
        let wall = now.since(std::mem::replace(&mut self.asked_at, now));
        self.unread += wall;
        if self.unread >= ESTIMATED {
            return self.read(read);
        }
        self.known += wall;
        self.known
    }

    /// The bot has answered among very many. The next reading makes up for those that are left out;
    /// the first ones come sooner, so that a short game has some.
    pub(crate) fn after_answer_in_crowd(
        &mut self,
        read: impl FnOnce(Metered) -> Duration,
    ) -> Duration {
        self.answers += 1;
        match self.answers {
            1 | 2 | 4 => self.read(read),
            later if later.is_multiple_of(CROWD_ANSWERS) => self.read(read),
            _ => self.known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    fn never(_: Metered) -> Duration {
        panic!("the system is not asked")
    }

    #[test]
    fn quick_answers_are_estimated_and_slow_ones_are_read() {
        let mut meter = CpuMeter::new(Metered::Process);
        assert_eq!(meter.after_answer(Tick(micros(40)), never), micros(40));
        assert_eq!(meter.after_answer(Tick(micros(90)), never), micros(90));
        assert_eq!(meter.after_answer(Tick(micros(100)), |_| micros(33)), micros(33));
        assert_eq!(meter.after_answer(Tick(micros(150)), never), micros(83));
    }

    #[test]
    fn a_question_is_preceded_by_one_reading_unless_time_is_charged() {
        let mut meter = CpuMeter::new(Metered::Process);
        meter.before_question(|_| micros(5));
        meter.before_question(never);
        assert_eq!(meter.known(), micros(5));
        meter.next_match(Metered::Everything);
        meter.before_question(|_| micros(7));
        meter.before_question(|_| micros(9));
        assert_eq!(meter.known(), micros(9));
    }

    #[test]
    fn the_time_of_all_processes_never_goes_back() {
        let mut meter = CpuMeter::new(Metered::Process);
        meter.next_match(Metered::Everything);
        meter.read(|_| micros(50));
        assert_eq!(
            meter.read(|metered| match metered {
                Metered::Everything => micros(20),
                Metered::Process => micros(70),
            }),
            micros(50)
        );
    }

    #[test]
    fn in_a_crowd_the_first_answers_and_every_eighth_one_are_read() {
        let mut meter = CpuMeter::new(Metered::Process);
        for match_number in 0..2 {
            let mut read = Vec::new();
            for answer in 1..=24 {
                meter.after_answer_in_crowd(|_| {
                    read.push(answer);
                    micros(4)
                });
            }
            assert_eq!(read, [1, 2, 4, 8, 16, 24], "match {match_number}");
            assert_eq!(meter.known(), micros(4));
            meter.next_match(Metered::Process);
        }
    }
}
