//! The match that a worker plays: its table, its seats, and what the worker has to do for it.

use std::time::{Duration, Instant};

use game::{PlayerId, Tick};
use table::{AnyTable, Input, Output, Outputs, SeatId};

use crate::worker::built_in::ThoughtResult;
use crate::worker::cpu_meter::Metered;
use crate::worker::seating::{Crowding, Seats};
use crate::worker::slow_writes::SlowWrites;
use crate::worker::stopping::Looks;

/// What follows when the host has stalled while a bot was on move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stalls {
    /// The match is void.
    Void,
    /// What the clock says stands.
    Stand,
}

impl Stalls {
    /// Whether a match is void after the host has come so much too late.
    fn void_after(self, late: Duration) -> bool {
        match self {
            Stalls::Void => late > STALL,
            Stalls::Stand => false,
        }
    }
}

/// Coming so much later than wanted is a stall.
const STALL: Duration = Duration::from_millis(50);

/// The match at hand.
pub(crate) struct CurrentMatch<'t> {
    pub(crate) table: &'t mut dyn AnyTable,
    /// Whose processor time is read: that of all processes where it is charged.
    pub(crate) metered: Metered,
    /// The bots of the roster that play, by player.
    pub(crate) bots: &'t [usize],
    pub(crate) began: Instant,
    pub(crate) out: Outputs,
    /// The list of wishes being carried out; swapped with `out` to keep its memory.
    pub(crate) list: Vec<Output>,
    pub(crate) seats: Seats,
    /// Connections that have something queued.
    pub(crate) dirty: Vec<u32>,
    /// Connections whose output has ended.
    pub(crate) ended: Vec<u32>,
    pub(crate) crowding: Crowding,
    pub(crate) thinkers: Vec<SeatId>,
    /// People that are to be shown how things stand.
    pub(crate) unshown: Vec<PlayerId>,
    /// The connection that was asked last, and when.
    pub(crate) asked: u32,
    pub(crate) asked_at: Tick,
    /// Nobody but the one on move has been listened to for a while.
    pub(crate) on_fast_path: bool,
    pub(crate) looks: Looks,
    /// Connections whose first question has been sent and has not been taken.
    pub(crate) unread_questions: Vec<u32>,
    pub(crate) watched: u32,
    /// When the worker was last woken: answers that were there by then came no later.
    pub(crate) woke: Tick,
    /// The last time the clock was looked at. Looking costs, so it is not done for its own sake.
    pub(crate) latest: Tick,
    pub(crate) slow_writes: SlowWrites,
    stalls: Stalls,
}

impl<'t> CurrentMatch<'t> {
    /// A match that begins now.
    pub(crate) fn new(
        table: &'t mut dyn AnyTable,
        bots: &'t [usize],
        stalls: Stalls,
    ) -> CurrentMatch<'t> {
        CurrentMatch {
            metered: if table.charges_cpu() { Metered::Everything } else { Metered::Process },
            table,
            bots,
            began: Instant::now(),
            out: Outputs::default(),
            list: Vec::new(),
            seats: Seats::default(),
            dirty: Vec::new(),
            ended: Vec::new(),
            crowding: Crowding::default(),
            thinkers: Vec::new(),
            unshown: Vec::new(),
            asked: 0,
            asked_at: Tick::ZERO,
            on_fast_path: false,
            looks: Looks::default(),
            unread_questions: Vec::new(),
            watched: 0,
            woke: Tick::ZERO,
            latest: Tick::ZERO,
            slow_writes: SlowWrites::default(),
            stalls,
        }
    }

    pub(crate) fn now(&self) -> Tick {
        Tick(self.began.elapsed())
    }

    pub(crate) fn feed(&mut self, input: Input<'_>) {
        let now = self.now();
        self.table.feed(now, input, &mut self.out);
    }

    pub(crate) fn wake(&mut self) {
        self.woke = self.now();
        self.latest = self.woke;
    }

    /// The table is always woken when somebody's time is up. If that has been missed by much, the
    /// host was stopped, or got no processor.
    pub(crate) fn notice_stall(&mut self) {
        let due = self.table.next_tick().unwrap_or(self.woke);
        self.stood_still(self.woke, self.woke.since(due));
    }

    /// A built-in bot thinks on the worker's own thread, which then waits for no deadline. It
    /// never sleeps, so that time without a processor is time in which the host was stopped or
    /// got none.
    pub(crate) fn notice_stall_of(&mut self, decision: &ThoughtResult) {
        // Where processor time is charged such time costs nothing.
        if self.metered == Metered::Process {
            let at = Tick(decision.at.saturating_duration_since(self.began));
            self.stood_still(at, decision.wall.saturating_sub(decision.cpu));
        }
    }

    /// The host has stalled for so long.
    fn stood_still(&mut self, now: Tick, late: Duration) {
        if self.stalls.void_after(late) {
            self.table.feed(now, Input::Stalled { late }, &mut self.out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_voids_a_match_until_it_has_been_begun_anew_too_often() {
        let longer = STALL + Duration::from_millis(1);
        assert!(!Stalls::Void.void_after(STALL));
        assert!(Stalls::Void.void_after(longer));
        assert!(!Stalls::Stand.void_after(longer));
    }
}
