//! Progress of long work on standard error: one line that changes on a terminal, otherwise a
//! line now and then.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// Counts finished games.
pub(crate) struct Progress {
    /// How many there will be, if that is known.
    total: Option<u64>,
    done: u64,
    /// How many were finished when we began to count.
    before: u64,
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
        Progress::from(0, Some(total), quiet || total < 2)
    }

    /// Progress of games of which some are finished.
    pub(crate) fn from(done: u64, total: Option<u64>, quiet: bool) -> Progress {
        let style = match (quiet, stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Bar,
            (false, false) => Style::Lines,
        };
        let now = Instant::now();
        Progress { total, done, before: done, began: now, shown: now, style }
    }

    /// One more game is finished.
    pub(crate) fn step(&mut self) {
        self.set(self.done + 1, self.total, Vec::new);
    }

    /// So many games are finished. What `below` says is shown under the bar on a terminal.
    pub(crate) fn set(
        &mut self,
        done: u64,
        total: Option<u64>,
        below: impl FnOnce() -> Vec<String>,
    ) {
        (self.done, self.total) = (done, total);
        let pause = match self.style {
            Style::Silent => return,
            Style::Lines => Duration::from_secs(10),
            Style::Bar => Duration::from_millis(100),
        };
        if self.shown.elapsed() >= pause {
            self.shown = Instant::now();
            self.show(below);
        }
    }

    fn show(&self, below: impl FnOnce() -> Vec<String>) {
        let seconds = self.began.elapsed().as_secs_f64();
        let rate = (self.done - self.before) as f64 / seconds.max(1e-9);
        let text = match self.total {
            Some(total) => {
                let left = total.saturating_sub(self.done) as f64 / rate.max(1e-9);
                format!("{}/{total} games, {rate:.1} a second, {} left", self.done, span(left))
            }
            None => format!("{} games, {rate:.1} a second", self.done),
        };
        let _ = match self.style {
            Style::Silent => Ok(()),
            Style::Lines => writeln!(stderr(), "{text}"),
            Style::Bar => {
                let bar = match self.total {
                    Some(total) => bar(self.done as f64 / total.max(1) as f64) + " ",
                    None => String::new(),
                };
                let below = below();
                let lines: String = below.iter().map(|line| format!("\n\x1b[K{line}")).collect();
                let back = match below.len() {
                    0 => String::new(),
                    lines => format!("\x1b[{lines}A"),
                };
                write!(stderr(), "\r\x1b[J{bar}{text}{lines}{back}\r")
            }
        };
    }

    /// Takes the changing lines away, so that something else can be printed.
    pub(crate) fn clear(&self) {
        if self.style == Style::Bar {
            let _ = write!(stderr(), "\r\x1b[J");
        }
    }
}

/// A bar that is filled to this share.
fn bar(share: f64) -> String {
    const WIDTH: usize = 24;
    let filled = ((share * WIDTH as f64) as usize).min(WIDTH);
    format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH - filled))
}

fn span(seconds: f64) -> String {
    match seconds as u64 {
        0..=89 => format!("{seconds:.0} s"),
        90..=5399 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}
