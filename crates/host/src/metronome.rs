//! A signal that interrupts a worker's blocking read every few milliseconds.
//!
//! While two bots exchange moves quickly, the worker reads from the one on move as plainly as a
//! bare loop would: one blocking `read`, no set of descriptors to be waited for. A look at
//! everything else (deadlines, exits, standard error) is taken whenever the metronome interrupts
//! the read. One near timer for every read would cost more than the read.

use std::io;
use std::time::Duration;

use crate::sys::{self, BeatTimer};

/// How long everything else may wait.
const BEAT: Duration = Duration::from_millis(5);

/// Beats for the thread that made it, while it runs.
#[derive(Debug)]
pub(crate) struct Metronome {
    timer: BeatTimer,
    runs: bool,
}

impl Metronome {
    /// A metronome for the calling thread, not running yet. `None` where the system lacks what
    /// it needs: then everything is waited for in the ordinary way.
    pub(crate) fn new() -> Option<Metronome> {
        let usable = sys::reads_without_waiting();
        let timer = usable.then(BeatTimer::new).and_then(io::Result::ok)?;
        Some(Metronome { timer, runs: false })
    }

    /// Whether it beats.
    pub(crate) fn runs(&self) -> bool {
        self.runs
    }

    /// Lets it beat.
    pub(crate) fn start(&mut self) {
        if !self.runs {
            self.runs = self.timer.set(BEAT).is_ok();
        }
    }

    /// Stops it.
    pub(crate) fn stop(&mut self) {
        if std::mem::take(&mut self.runs) {
            // Beats that nobody needs do no harm.
            let _ = self.timer.set(Duration::ZERO);
        }
    }
}
