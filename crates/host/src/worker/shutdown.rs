//! Processes that do not play: idle ones, those that have been told to leave, and killing them.

use std::time::{Duration, Instant};

use crate::os::sys::interrupted;
use crate::worker::connection::{Connection, ConnectionState};
use crate::worker::match_loop::{Leftovers, Worker, until};
use crate::worker::poller::PollSource;
use crate::worker::stopping::Activity;

/// How long a killed process may take to disappear.
const DYING: Duration = Duration::from_secs(5);

/// What is to be done with a process that does not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DepartureStep {
    Wait,
    /// Its grace is over.
    Kill,
    /// It was killed and is still there.
    GiveUp,
}

/// Whether those that leave may take their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeaveGrace {
    Granted,
    /// The program is to stop.
    Refused,
}

/// When something is to be done with a process that does not play.
fn due(state: &ConnectionState, activity: Activity) -> Option<Instant> {
    match (state, activity) {
        // Those that are stopped cannot go.
        (ConnectionState::Leaving(_), Activity::Stopped) => None,
        (ConnectionState::Leaving(by), Activity::Runs) | (ConnectionState::Dying(by), _) => {
            Some(*by)
        }
        (ConnectionState::Seated(_) | ConnectionState::Idle { .. }, _) => None,
    }
}

/// What is to be done with it now.
fn step(
    state: &ConnectionState,
    activity: Activity,
    grace: LeaveGrace,
    now: Instant,
) -> DepartureStep {
    let is_due = due(state, activity).is_some_and(|by| by <= now);
    match state {
        ConnectionState::Leaving(_) if is_due || grace == LeaveGrace::Refused => {
            DepartureStep::Kill
        }
        ConnectionState::Dying(_) if is_due => DepartureStep::GiveUp,
        ConnectionState::Seated(_)
        | ConnectionState::Idle { .. }
        | ConnectionState::Leaving(_)
        | ConnectionState::Dying(_) => DepartureStep::Wait,
    }
}

impl Worker<'_> {
    /// When the next process is to be killed or given up.
    pub(crate) fn next_departure(&self) -> Option<Duration> {
        let going = self.going.iter().filter_map(|&connection| {
            let there = self.at(connection)?;
            due(&there.state, there.scheduling.activity()).map(until)
        });
        going.min()
    }

    /// Kills an idle process that cannot play again.
    pub(crate) fn drop_idle(&mut self, connection: u32) {
        if let Some(there) = &self.connections[connection as usize] {
            if let Some(idle) = self.idle.get_mut(&there.bot) {
                idle.retain(|&other| other != connection);
            }
            self.kill_connection(connection);
        }
    }

    /// Kills the process of a connection. The connection's number is free when the process has
    /// ended.
    pub(crate) fn kill_connection(&mut self, connection: u32) {
        let Some(there) = &mut self.connections[connection as usize] else { return };
        there.ignore(&self.poller);
        there.child.kill();
        there.state = ConnectionState::Dying(Instant::now() + DYING);
        self.add_going(connection);
    }

    /// Adds a connection to those whose processes are ending.
    pub(crate) fn add_going(&mut self, connection: u32) {
        if !self.going.contains(&connection) {
            self.going.push(connection);
        }
    }

    /// Removes a connection whose process has ended or is given up. What the process has started
    /// ends with it.
    pub(crate) fn remove_connection(&mut self, connection: u32) {
        let Some(mut there) = self.connections[connection as usize].take() else { return };
        there.unlisten(&self.poller);
        if there.child.exit().is_none() {
            // It is still there: one that we may not kill, or that the kernel holds.
            there.child.abandon();
        }
        self.free.push(connection);
        self.going.retain(|&other| other != connection);
        if there.child.may_leave_others() {
            self.leftovers = Leftovers::Possible;
        }
    }

    /// Kills processes whose grace is over, and gives up those that cannot be killed.
    pub(crate) fn kill_overdue(&mut self) {
        if self.going.is_empty() {
            return;
        }
        let now = Instant::now();
        let grace = if interrupted() { LeaveGrace::Refused } else { LeaveGrace::Granted };
        for index in (0..self.going.len()).rev() {
            let connection = self.going[index];
            let Some(there) = self.at(connection) else { continue };
            match step(&there.state, there.scheduling.activity(), grace, now) {
                DepartureStep::Wait => {}
                DepartureStep::Kill => self.kill_connection(connection),
                DepartureStep::GiveUp => self.remove_connection(connection),
            }
        }
    }

    /// Whether every process that was killed has ended.
    pub(crate) fn none_dying(&self) -> bool {
        let dying = |connection: &u32| {
            matches!(
                self.at(*connection),
                Some(Connection { state: ConnectionState::Dying(_), .. })
            )
        };
        !self.going.iter().any(dying)
    }

    /// Kills what processes have left behind. If a process is being started, the next call tries
    /// again.
    pub(crate) fn sweep_leftovers(&mut self) {
        if self.leftovers == Leftovers::Possible && self.shared.processes.sweep_if_free() {
            self.leftovers = Leftovers::None;
        }
    }

    /// Ends every process, after the last match.
    pub(crate) fn end_all(&mut self) {
        for index in 0..self.connections.len() {
            let Some(there) = &mut self.connections[index] else { continue };
            if let ConnectionState::Idle { farewell, grace } = &mut there.state {
                let (farewell, grace) = (std::mem::take(farewell), *grace);
                there.send_farewell(&farewell, grace, &self.poller);
                self.add_going(index as u32);
            }
        }
        self.idle.clear();
        self.resume_leaving();
        // Nobody watches what is over.
        self.hear_watchers();
        let mut found = Vec::new();
        while !self.going.is_empty() {
            self.poller.wait(self.next_departure(), &mut found);
            for source in found.drain(..) {
                if let PollSource::Exit(connection) = source
                    && self.at(connection).is_some()
                {
                    self.remove_connection(connection);
                }
            }
            self.kill_overdue();
        }
        self.shared.processes.sweep();
    }
}

#[cfg(test)]
mod tests {
    use table::SeatId;

    use super::*;

    const EARLIER: Duration = Duration::from_secs(1);

    #[test]
    fn a_leaving_process_is_killed_when_its_grace_is_over() {
        let now = Instant::now();
        let state = ConnectionState::Leaving(now);
        assert_eq!(step(&state, Activity::Runs, LeaveGrace::Granted, now), DepartureStep::Kill);
        assert_eq!(
            step(&state, Activity::Runs, LeaveGrace::Granted, now - EARLIER),
            DepartureStep::Wait
        );
        assert_eq!(due(&state, Activity::Runs), Some(now));
    }

    #[test]
    fn the_grace_of_a_stopped_process_does_not_run() {
        let now = Instant::now();
        let state = ConnectionState::Leaving(now);
        assert_eq!(step(&state, Activity::Stopped, LeaveGrace::Granted, now), DepartureStep::Wait);
        assert_eq!(due(&state, Activity::Stopped), None);
    }

    #[test]
    fn after_an_interruption_nobody_waits_for_those_that_leave() {
        let now = Instant::now();
        let state = ConnectionState::Leaving(now + EARLIER);
        for activity in [Activity::Runs, Activity::Stopped] {
            assert_eq!(step(&state, activity, LeaveGrace::Refused, now), DepartureStep::Kill);
        }
        let dying = ConnectionState::Dying(now + EARLIER);
        assert_eq!(step(&dying, Activity::Runs, LeaveGrace::Refused, now), DepartureStep::Wait);
    }

    #[test]
    fn a_killed_process_that_does_not_end_is_given_up() {
        let now = Instant::now();
        let state = ConnectionState::Dying(now);
        for activity in [Activity::Runs, Activity::Stopped] {
            assert_eq!(step(&state, activity, LeaveGrace::Granted, now), DepartureStep::GiveUp);
            assert_eq!(
                step(&state, activity, LeaveGrace::Granted, now - EARLIER),
                DepartureStep::Wait
            );
            assert_eq!(due(&state, activity), Some(now));
        }
    }

    #[test]
    fn those_that_play_or_may_play_again_are_left_alone() {
        let idle = ConnectionState::Idle { farewell: Vec::new(), grace: EARLIER };
        for state in [ConnectionState::Seated(SeatId(0)), idle] {
            let now = Instant::now();
            assert_eq!(step(&state, Activity::Runs, LeaveGrace::Refused, now), DepartureStep::Wait);
            assert_eq!(due(&state, Activity::Runs), None);
        }
    }
}
