//! Processes that do not play: idle ones, those that have been told to go, and their end.

use std::time::{Duration, Instant};

use crate::play::{Worker, until};
use crate::reaper;
use crate::seats::{Place, Role};
use crate::sys::interrupted;
use crate::waiting::Source;

/// How long a killed process may take to disappear.
const DYING: Duration = Duration::from_secs(5);

impl Worker<'_> {
    /// When the next process is to be killed or given up.
    pub(crate) fn next_departure(&self) -> Option<Duration> {
        let going = self.going.iter().filter_map(|&place| match self.at(place)?.role {
            // Those that are stopped cannot go.
            Role::Leaving(_) if self.at(place)?.is_frozen() => None,
            Role::Leaving(by) | Role::Dying(by) => Some(until(by)),
            Role::Seated(_) | Role::Idle { .. } => None,
        });
        going.min()
    }

    /// An idle process is of no use any more.
    pub(crate) fn drop_idle(&mut self, place: u32) {
        if let Some(there) = &self.places[place as usize] {
            if let Some(idle) = self.idle.get_mut(&there.bot) {
                idle.retain(|&other| other != place);
            }
            self.vacate(place);
        }
    }

    /// Kills the process in a place. Its place is free when it is gone.
    pub(crate) fn vacate(&mut self, place: u32) {
        let Some(there) = &mut self.places[place as usize] else { return };
        there.ignore(&self.waiting);
        there.child.strike();
        there.role = Role::Dying(Instant::now() + DYING);
        self.goes(place);
    }

    /// The process in a place is on its way out.
    pub(crate) fn goes(&mut self, place: u32) {
        if !self.going.contains(&place) {
            self.going.push(place);
        }
    }

    /// The process in a place has ended. Whatever it has started ends with it.
    pub(crate) fn departed(&mut self, place: u32) {
        let Some(mut there) = self.places[place as usize].take() else { return };
        there.unlisten(&self.waiting);
        if there.child.exit().is_none() {
            // It is still there: one that we may not kill, or that the kernel holds.
            there.child.abandon();
        }
        self.free.push(place);
        self.going.retain(|&other| other != place);
        self.unswept |= there.child.may_leave_others();
    }

    /// Kills those whose grace is over, and gives up those that cannot be killed.
    pub(crate) fn see_off(&mut self) {
        if self.going.is_empty() {
            return;
        }
        let now = Instant::now();
        for index in (0..self.going.len()).rev() {
            let place = self.going[index];
            let frozen = self.at(place).is_some_and(Place::is_frozen);
            match self.at(place).map(|there| &there.role) {
                Some(Role::Leaving(_)) if interrupted() => self.vacate(place),
                Some(Role::Leaving(by)) if *by <= now && !frozen => self.vacate(place),
                Some(Role::Dying(by)) if *by <= now => self.departed(place),
                Some(Role::Seated(_) | Role::Idle { .. } | Role::Leaving(_) | Role::Dying(_))
                | None => {}
            }
        }
    }

    /// Whether nobody is left who has been killed but may still be there.
    pub(crate) fn all_dead(&self) -> bool {
        let dying =
            |place: &u32| matches!(self.at(*place), Some(Place { role: Role::Dying(_), .. }));
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
        for index in 0..self.places.len() {
            let Some(there) = &mut self.places[index] else { continue };
            if let Role::Idle { farewell, grace } = &mut there.role {
                let (farewell, grace) = (std::mem::take(farewell), *grace);
                there.send_off(&farewell, grace, &self.waiting);
                self.goes(index as u32);
            }
        }
        self.idle.clear();
        self.let_leave();
        let mut found = Vec::new();
        while !self.going.is_empty() {
            self.waiting.wait(self.next_departure(), &mut found);
            for source in found.drain(..) {
                if let Source::Exit(place) = source
                    && self.at(place).is_some()
                {
                    self.departed(place);
                }
            }
            self.see_off();
        }
        reaper::sweep();
    }
}
