//! Processes that do not play: idle ones, those that have been told to go, and their end.

use std::time::{Duration, Instant};

use crate::play::{Worker, until};
use crate::seats::{Place, Role};
use crate::sys::interrupted;
use crate::waiting::Source;

impl Worker<'_> {
    pub(crate) fn next_departure(&self) -> Option<Duration> {
        if self.leaving == 0 {
            return None;
        }
        let kills = self.places.iter().flatten().filter_map(|place| match place.role {
            Role::Leaving(kill_at) => Some(until(kill_at)),
            Role::Seated(_) | Role::Idle { .. } => None,
        });
        kills.min()
    }

    pub(crate) fn drop_idle(&mut self, place: u32) {
        if let Some(there) = &self.places[place as usize] {
            if let Some(idle) = self.idle.get_mut(&there.bot) {
                idle.retain(|&other| other != place);
            }
            if let Role::Leaving(_) = there.role {
                self.leaving -= 1;
            }
            self.vacate(place);
        }
    }

    pub(crate) fn departed(&mut self, place: u32) {
        self.vacate(place);
        self.leaving -= 1;
    }

    /// Ends the process in a place, if it lives, and everything it has started.
    pub(crate) fn vacate(&mut self, place: u32) {
        if let Some(there) = self.places[place as usize].take() {
            there.unlisten(&self.waiting);
        }
    }

    /// Kills those whose grace is over.
    pub(crate) fn see_off(&mut self) {
        if self.leaving == 0 {
            return;
        }
        let now = Instant::now();
        for index in 0..self.places.len() {
            if let Some(Place { role: Role::Leaving(kill_at), .. }) = &self.places[index]
                && (*kill_at <= now || interrupted())
            {
                self.departed(index as u32);
            }
        }
    }

    /// Parts with every process, after the last match.
    pub(crate) fn disperse(&mut self) {
        for index in 0..self.places.len() {
            let Some(there) = &mut self.places[index] else { continue };
            if let Role::Idle { farewell, grace } = &mut there.role {
                let (farewell, grace) = (std::mem::take(farewell), *grace);
                there.send_off(&farewell, grace, &self.waiting);
                self.leaving += 1;
            }
        }
        self.idle.clear();
        let mut found = Vec::new();
        while self.leaving > 0 {
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
    }
}
