//! Bots that are not on move and take the processor from the one that is are stopped until they are
//! asked again.
//!
//! A bot that waits for its next question uses no processor time and is left alone. Only if an
//! answer takes a while, the host checks whether the bot on move gets the processor. If it does
//! not, all other bots of this worker are stopped: that works whichever of them used it, however
//! many processes it has, and where their time cannot be read. A bot that used it is stopped at
//! once after each of its further answers.

use std::time::{Duration, Instant};

use game::Tick;
use table::SeatStatus;

use crate::os::sys::WakeUps;
use crate::run::Pondering;
use crate::worker::connection::{Connection, ConnectionState};
use crate::worker::current_match::CurrentMatch;
use crate::worker::match_loop::Worker;

/// An answer may take so long before the first look, and looks are at least so far apart.
const SOON: Duration = Duration::from_millis(1);
/// Looks are at most so far apart.
const SELDOM: Duration = Duration::from_millis(10);
/// Between a stop and the look whether it helped.
const SHORTLY: Duration = Duration::from_micros(500);
/// So many looks at a bot that goes on tell it so once more.
const REMINDERS: u8 = 8;
/// Matches of more processes than this are not checked: there all bots move at once, and one that
/// waits for a core usually waits for another one on move.
const CROWD: usize = 16;

/// When the bots on move are looked at.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// The first question that has not been answered was sent then.
    since: Tick,
    next: Option<Tick>,
    last: LookResult,
}

/// What a look at the bots on move has led to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LookResult {
    /// Nobody was stopped.
    #[default]
    Nothing,
    /// Bots that were not on move were stopped.
    Stopped,
}

/// What a look at the bots on move has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StarvationFinding {
    /// They get the processor.
    Fine,
    /// One of them does not.
    Starved,
    /// They get it since others were stopped.
    Recovered,
}

impl StarvationFinding {
    fn new(last: LookResult, on_move: CpuShare) -> StarvationFinding {
        match (last, on_move) {
            (LookResult::Nothing | LookResult::Stopped, CpuShare::Starved) => {
                StarvationFinding::Starved
            }
            (LookResult::Stopped, CpuShare::Enough) => StarvationFinding::Recovered,
            (LookResult::Nothing, CpuShare::Enough) => StarvationFinding::Fine,
        }
    }
}

/// Whether somebody has had about as much of the processor as it could have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CpuShare {
    Enough,
    /// Much less.
    Starved,
}

impl CpuShare {
    fn new(wall: Duration, cpu: Duration) -> CpuShare {
        if cpu < wall * 3 / 4 { CpuShare::Starved } else { CpuShare::Enough }
    }
}

/// What becomes of a bot that is not on move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterLook {
    LeaveAlone,
    Stop,
    /// It was one of those that used the processor.
    Blame,
}

impl AfterLook {
    fn new(finding: StarvationFinding, process: Activity) -> AfterLook {
        match (finding, process) {
            (StarvationFinding::Starved, Activity::Runs) => AfterLook::Stop,
            (StarvationFinding::Recovered, Activity::Stopped) => AfterLook::Blame,
            (StarvationFinding::Fine | StarvationFinding::Recovered, Activity::Runs)
            | (StarvationFinding::Fine | StarvationFinding::Starved, Activity::Stopped) => {
                AfterLook::LeaveAlone
            }
        }
    }
}

/// Whether a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    Runs,
    /// Because it is not on move.
    Stopped,
}

/// How a bot behaves while it is not on move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Conduct {
    /// It has taken the processor from nobody.
    #[default]
    Quiet,
    /// It has, and is stopped at once when it has answered.
    Restless,
}

/// When a process is stopped, how it is woken, and what is known of its use of the processor.
#[derive(Debug, Default)]
pub(crate) struct Scheduling {
    /// Since when it is stopped, because it is not on move.
    stopped_since: Option<Instant>,
    /// It is told so often once more that it goes on. A child that it was just making when it was stopped
    /// may have been told the one and not the other.
    reminders: u8,
    conduct: Conduct,
    /// What the host has made of it; a class that somebody else chose is not known here.
    wake_ups: WakeUps,
    /// Processor time it had used when it was on move and was last looked at.
    looked: Option<(Tick, Duration)>,
}

impl Scheduling {
    /// It is about to be asked: looks begin with its question.
    pub(crate) fn begin_answer(&mut self) {
        self.looked = None;
    }

    /// Another match begins, in which it has taken nothing from anybody.
    pub(crate) fn next_match(&mut self) {
        self.conduct = Conduct::Quiet;
    }

    /// Whether it is stopped as soon as it has answered.
    pub(crate) fn stops_after_answer(&self, pondering: Pondering) -> bool {
        match pondering {
            Pondering::Frozen => true,
            Pondering::Stopped => self.conduct == Conduct::Restless,
            Pondering::Allowed => false,
        }
    }

    /// Whether it runs.
    pub(crate) fn activity(&self) -> Activity {
        if self.stopped_since.is_some() { Activity::Stopped } else { Activity::Runs }
    }
}

/// Whether one of so many processes may take the processor from another of this match.
fn can_disturb(processes: usize, seated: usize) -> bool {
    processes > 1 && seated <= CROWD
}

/// How long to wait for the next look, if the answer has taken so long until now.
fn pause(last: LookResult, waited: Duration) -> Duration {
    match last {
        LookResult::Stopped => SHORTLY,
        LookResult::Nothing => (waited / 2).clamp(SOON, SELDOM),
    }
}

impl Looks {
    /// A question has been sent.
    pub(crate) fn asked(&mut self, at: Tick) {
        *self = Looks { since: at, next: Some(at + SOON), last: LookResult::Nothing };
    }
}

impl Worker<'_> {
    /// When the bots on move are to be looked at, if ever.
    pub(crate) fn next_look(&self, game: &CurrentMatch<'_>) -> Option<Tick> {
        let needed = || {
            let processes = self.connections.len() - self.free.len();
            game.table.programs_awaited() > 0 && can_disturb(processes, game.seats.filled())
        };
        game.looks.next.filter(|_| self.shared.pondering != Pondering::Allowed && needed())
    }

    /// Looks whether the bots on move get the processor, if it is time to.
    pub(crate) fn check_starvation(&mut self, game: &mut CurrentMatch<'_>) {
        if self.next_look(game).is_none_or(|next| game.woke < next) {
            return;
        }
        let now = game.woke;
        let mut on_move = CpuShare::Enough;
        for there in self.connections.iter_mut().flatten() {
            if there.seat().is_none_or(|seat| game.table.seat(seat) != SeatStatus::Awaited) {
                continue;
            }
            there.remind();
            // The clock of one that has not read its first question does not run.
            if !there.input.question_is_unread() {
                on_move = on_move.max(there.share(now));
            }
        }
        let finding = StarvationFinding::new(game.looks.last, on_move);
        let mut result = LookResult::Nothing;
        for there in self.connections.iter_mut().flatten() {
            let rests = match there.state {
                ConnectionState::Seated(seat) => game.table.seat(seat) == SeatStatus::Waiting,
                ConnectionState::Idle { .. } | ConnectionState::Leaving(_) => true,
                ConnectionState::Dying(_) => false,
            };
            if !rests {
                continue;
            }
            match AfterLook::new(finding, there.scheduling.activity()) {
                AfterLook::LeaveAlone => {}
                AfterLook::Stop => {
                    there.stop();
                    result = LookResult::Stopped;
                }
                AfterLook::Blame => there.scheduling.conduct = Conduct::Restless,
            }
        }
        game.looks.last = result;
        let pause = pause(result, now.since(game.looks.since));
        // To stop somebody takes a moment.
        game.wake();
        game.looks.next = Some(game.woke + pause);
        if result == LookResult::Stopped {
            self.connections.iter_mut().flatten().for_each(|there| there.look_from(game.woke));
        }
    }

    /// The same for a built-in bot that has thought on this thread, where no check was possible.
    pub(crate) fn check_starvation_after(&mut self, wall: Duration, cpu: Duration) {
        if self.shared.pondering == Pondering::Stopped
            && wall >= SOON
            && CpuShare::new(wall, cpu) == CpuShare::Starved
        {
            for there in self.connections.iter_mut().flatten() {
                there.scheduling.conduct = Conduct::Restless;
            }
        }
    }

    /// Lets stopped processes that were told to leave go on. No bot is on move any more.
    pub(crate) fn resume_leaving(&mut self) {
        for there in self.connections.iter_mut().flatten() {
            if let ConnectionState::Leaving(_) = there.state {
                there.resume();
            }
        }
    }
}

impl Connection {
    /// How much of the processor the bot in it, which is on move, has had since the last look or
    /// its question.
    fn share(&mut self, now: Tick) -> CpuShare {
        let asked = (self.meter.asked_at, self.meter.known());
        let (from, before) = self.scheduling.looked.unwrap_or(asked);
        let cpu = self.child.cpu();
        self.scheduling.looked = Some((now, cpu));
        CpuShare::new(now.since(from), cpu.saturating_sub(before))
    }

    /// The next look counts from now.
    fn look_from(&mut self, now: Tick) {
        if let Some((at, cpu)) = &mut self.scheduling.looked {
            (*at, *cpu) = (now, self.child.cpu());
        }
    }

    /// Says whether the process may interrupt others when it is woken.
    pub(crate) fn set_wake_ups(&mut self, wake_ups: WakeUps) {
        if self.scheduling.wake_ups != wake_ups && self.child.set_wake_ups(wake_ups) {
            self.scheduling.wake_ups = wake_ups;
        }
    }

    /// Stops the process and everything it has started, because it is not on move.
    pub(crate) fn stop(&mut self) {
        if self.scheduling.stopped_since.is_none() {
            self.scheduling.stopped_since = Some(Instant::now());
            self.scheduling.reminders = 0;
            self.child.stop();
        }
    }

    /// Tells it once more that it goes on, if it was stopped not long ago.
    fn remind(&mut self) {
        if let Some(left) = self.scheduling.reminders.checked_sub(1) {
            self.scheduling.reminders = left;
            self.child.resume();
        }
    }

    /// Lets it go on, if it was stopped.
    pub(crate) fn resume(&mut self) {
        if let Some(since) = self.scheduling.stopped_since.take() {
            self.child.resume();
            self.scheduling.reminders = REMINDERS;
            // It could not leave meanwhile.
            if let ConnectionState::Leaving(by) = &mut self.state {
                *by += since.elapsed();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_bot_on_move_starves_below_three_quarters_of_the_processor() {
        assert_eq!(CpuShare::new(ms(100), ms(75)), CpuShare::Enough);
        assert_eq!(CpuShare::new(ms(100), ms(74)), CpuShare::Starved);
        assert_eq!(
            CpuShare::Enough.max(CpuShare::Starved),
            CpuShare::Starved,
            "one that starves counts"
        );
    }

    #[test]
    fn everybody_who_runs_is_stopped_while_one_on_move_starves() {
        for last in [LookResult::Nothing, LookResult::Stopped] {
            let finding = StarvationFinding::new(last, CpuShare::Starved);
            assert_eq!(AfterLook::new(finding, Activity::Runs), AfterLook::Stop);
            assert_eq!(AfterLook::new(finding, Activity::Stopped), AfterLook::LeaveAlone);
        }
    }

    #[test]
    fn those_whose_stop_has_helped_are_to_blame() {
        let finding = StarvationFinding::new(LookResult::Stopped, CpuShare::Enough);
        assert_eq!(AfterLook::new(finding, Activity::Stopped), AfterLook::Blame);
        assert_eq!(AfterLook::new(finding, Activity::Runs), AfterLook::LeaveAlone);
    }

    #[test]
    fn nobody_is_to_blame_for_an_earlier_stop() {
        let finding = StarvationFinding::new(LookResult::Nothing, CpuShare::Enough);
        assert_eq!(finding, StarvationFinding::Fine);
        for process in [Activity::Runs, Activity::Stopped] {
            assert_eq!(AfterLook::new(finding, process), AfterLook::LeaveAlone);
        }
    }

    #[test]
    fn looks_are_the_further_apart_the_longer_an_answer_takes() {
        assert_eq!(pause(LookResult::Nothing, ms(0)), SOON);
        assert_eq!(pause(LookResult::Nothing, ms(8)), ms(4));
        assert_eq!(pause(LookResult::Nothing, ms(900)), SELDOM);
        assert_eq!(pause(LookResult::Stopped, ms(900)), SHORTLY);
    }

    #[test]
    fn a_process_alone_and_a_crowd_are_not_looked_at() {
        assert!(!can_disturb(1, 1));
        assert!(can_disturb(2, 1), "idle ones count");
        assert!(can_disturb(CROWD, CROWD));
        assert!(!can_disturb(CROWD + 1, CROWD + 1));
    }

    #[test]
    fn a_question_begins_new_looks() {
        let mut looks = Looks { last: LookResult::Stopped, ..Looks::default() };
        looks.asked(Tick(ms(7)));
        assert_eq!(looks.next, Some(Tick(ms(8))));
        assert_eq!(looks.last, LookResult::Nothing);
    }

    #[test]
    fn only_restless_bots_are_stopped_at_once_unless_all_are() {
        let mut scheduling = Scheduling::default();
        assert!(!scheduling.stops_after_answer(Pondering::Stopped));
        assert!(scheduling.stops_after_answer(Pondering::Frozen));
        scheduling.conduct = Conduct::Restless;
        assert!(scheduling.stops_after_answer(Pondering::Stopped));
        assert!(!scheduling.stops_after_answer(Pondering::Allowed));
        scheduling.next_match();
        assert!(!scheduling.stops_after_answer(Pondering::Stopped));
    }
}
