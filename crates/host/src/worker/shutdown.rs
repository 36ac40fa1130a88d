//! Processes that do not play: idle ones, those that have been told to go, and their end.

use std::time::{Duration, Instant};

use crate::os::sys::interrupted;
use crate::process::reaper;
use crate::worker::connection::{Connection, ConnectionState};
use crate::worker::match_loop::{Worker, until};
use crate::worker::poller::PollSource;

/// How long a killed process may take to disappear.
const DYING: Duration = Duration::from_secs(5);

impl Worker<'_> {
    /// When the next process is to be killed or given up.
    pub(crate) fn next_departure(&self) -> Option<Duration> {
        let going = self.going.iter().filter_map(|&connection| match self.at(connection)?.state {
            // Those that are stopped cannot go.
            ConnectionState::Leaving(_) if self.at(connection)?.is_frozen() => None,
            ConnectionState::Leaving(by) | ConnectionState::Dying(by) => Some(until(by)),
            ConnectionState::Seated(_) | ConnectionState::Idle { .. } => None,
        });
        going.min()
    }

    /// An idle process is of no use any more.
    pub(crate) fn drop_idle(&mut self, connection: u32) {
        if let Some(there) = &self.connections[connection as usize] {
            if let Some(idle) = self.idle.get_mut(&there.bot) {
                idle.retain(|&other| other != connection);
            }
            self.vacate(connection);
        }
    }

    /// Kills the process of a connection, whose number is free when it is gone.
    pub(crate) fn vacate(&mut self, connection: u32) {
        let Some(there) = &mut self.connections[connection as usize] else { return };
        there.ignore(&self.poller);
        there.child.strike();
        there.state = ConnectionState::Dying(Instant::now() + DYING);
        self.goes(connection);
    }

    /// The process of a connection is on its way out.
    pub(crate) fn goes(&mut self, connection: u32) {
        if !self.going.contains(&connection) {
            self.going.push(connection);
        }
    }

    /// The process of a connection has ended. Whatever it has started ends with it.
    pub(crate) fn departed(&mut self, connection: u32) {
        let Some(mut there) = self.connections[connection as usize].take() else { return };
        there.unlisten(&self.poller);
        if there.child.exit().is_none() {
            // It is still there: one that we may not kill, or that the kernel holds.
            there.child.abandon();
        }
        self.free.push(connection);
        self.going.retain(|&other| other != connection);
        self.unswept |= there.child.may_leave_others();
    }

    /// Kills those whose grace is over, and gives up those that cannot be killed.
    pub(crate) fn see_off(&mut self) {
        if self.going.is_empty() {
            return;
        }
        let now = Instant::now();
        for index in (0..self.going.len()).rev() {
            let connection = self.going[index];
            let frozen = self.at(connection).is_some_and(Connection::is_frozen);
            match self.at(connection).map(|there| &there.state) {
                Some(ConnectionState::Leaving(_)) if interrupted() => self.vacate(connection),
                Some(ConnectionState::Leaving(by)) if *by <= now && !frozen => {
                    self.vacate(connection)
                }
                Some(ConnectionState::Dying(by)) if *by <= now => self.departed(connection),
                Some(
                    ConnectionState::Seated(_)
                    | ConnectionState::Idle { .. }
                    | ConnectionState::Leaving(_)
                    | ConnectionState::Dying(_),
                )
                | None => {}
            }
        }
    }

    /// Whether nobody is left who has been killed but may still be there.
    pub(crate) fn all_dead(&self) -> bool {
        let dying = |connection: &u32| {
            matches!(
                self.at(*connection),
                Some(Connection { state: ConnectionState::Dying(_), .. })
            )
        };
        !self.going.iter().any(dying)
    }

    /// Ends what processes have left behind, now or as soon as nobody is being started.
    pub(crate) fn sweep_up(&mut self) {
        if self.unswept {
            self.unswept = !reaper::sweep_if_free();
        }
    }

    /// Parts with every process, after the last match.
    pub(crate) fn disperse(&mut self) {
        for index in 0..self.connections.len() {
            let Some(there) = &mut self.connections[index] else { continue };
            if let ConnectionState::Idle { farewell, grace } = &mut there.state {
                let (farewell, grace) = (std::mem::take(farewell), *grace);
                there.send_off(&farewell, grace, &self.poller);
                self.goes(index as u32);
            }
        }
        self.idle.clear();
        self.let_leave();
        let mut found = Vec::new();
        while !self.going.is_empty() {
            self.poller.wait(self.next_departure(), &mut found);
            for source in found.drain(..) {
                if let PollSource::Exit(connection) = source
                    && self.at(connection).is_some()
                {
                    self.departed(connection);
                }
            }
            self.see_off();
        }
        reaper::sweep();
    }
}
