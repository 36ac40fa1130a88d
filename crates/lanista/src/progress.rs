//! Progress of long work on standard error: one line that changes on a terminal, otherwise a
//! line now and then.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// Counts finished games.
pub(crate) struct Progress {
    total: u64,
    done: u64,
    began: Instant,
    shown: Instant,
    style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Silent,
    Lines,
    Bar,
}

impl Progress {
    /// Progress of `total` games.
    pub(crate) fn new(total: u64, quiet: bool) -> Progress {
        let style = match (quiet || total < 2, stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Bar,
            (false, false) => Style::Lines,
        };
        let now = Instant::now();
        Progress { total, done: 0, began: now, shown: now, style }
    }

    /// One more game is finished.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        let pause = match self.style {
            Style::Silent => return,
            Style::Lines => Duration::from_secs(10),
            Style::Bar => Duration::from_millis(100),
        };
        if self.shown.elapsed() >= pause {
            self.shown = Instant::now();
            self.show();
        }
    }

    fn show(&self) {
        let seconds = self.began.elapsed().as_secs_f64();
        let rate = self.done as f64 / seconds.max(1e-9);
        let left = (self.total - self.done) as f64 / rate.max(1e-9);
        let text =
            format!("{}/{} games, {rate:.1} a second, {} left", self.done, self.total, span(left));
        let _ = match self.style {
            Style::Silent => Ok(()),
            Style::Lines => writeln!(stderr(), "{text}"),
            Style::Bar => {
                let filled = (self.done * 24 / self.total) as usize;
                let bar = format!("{}{}", "█".repeat(filled), "░".repeat(24 - filled));
                write!(stderr(), "\r\x1b[K{bar} {text}")
            }
        };
    }

    /// Takes the changing line away, so that something else can be printed.
    pub(crate) fn clear(&self) {
        if self.style == Style::Bar {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn span(seconds: f64) -> String {
    match seconds as u64 {
        0..=89 => format!("{seconds:.0} s"),
        90..=5399 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}
