//! Progress of long work on standard error: a few lines that change on a terminal, otherwise a line
//! now and then. A thread of its own draws them, so that time goes on while nothing else happens.

use std::io::{Write as _, stderr};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use table::{Ink, Line, Room};

use crate::output::text::count;
use crate::terminal::{is_live, room};

/// How often lines are drawn again on a terminal, and written anew elsewhere.
const REDRAWN: Duration = Duration::from_millis(100);
const REWRITTEN: Duration = Duration::from_secs(10);

/// Whether progress is shown at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Yes,
    /// Only where it can be drawn over.
    OnTerminals,
    No,
}

/// Shows how far something is until it is dropped.
pub(crate) struct Progress(Option<ProgressThread>);

struct ProgressThread {
    drawing: Arc<Drawing>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Drawing {
    state: Mutex<DrawingState>,
    over: Condvar,
}

struct DrawingState {
    over: bool,
    drawn: bool,
    /// The desktop has been told how far it is.
    told: bool,
}

impl Drawing {
    fn lock(&self) -> MutexGuard<'_, DrawingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    /// Shows what `lines` says for the room there is: all of it on a terminal, elsewhere the first
    /// line.
    pub(crate) fn new(
        wanted: Wanted,
        lines: impl FnMut(Room) -> Vec<Line> + Send + 'static,
    ) -> Progress {
        Progress::with_share(wanted, lines, || None)
    }

    /// The same, and terminals that show it on the desktop are told how large a share of it is
    /// done, if that is known.
    pub(crate) fn with_share(
        wanted: Wanted,
        mut lines: impl FnMut(Room) -> Vec<Line> + Send + 'static,
        mut share: impl FnMut() -> Option<f64> + Send + 'static,
    ) -> Progress {
        let live = is_live(&stderr());
        if wanted == Wanted::No || (wanted == Wanted::OnTerminals && !live) {
            return Progress(None);
        }
        let state = Mutex::new(DrawingState { over: false, drawn: false, told: false });
        let drawing = Arc::new(Drawing { state, over: Condvar::new() });
        let shared = drawing.clone();
        let desktop = live && shows_on_desktop(|name| std::env::var(name).ok());
        let draw = move || {
            let pause = if live { REDRAWN } else { REWRITTEN };
            let mut state = shared.lock();
            loop {
                let waited = shared.over.wait_timeout_while(state, pause, |state| !state.over);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                if state.over {
                    return;
                }
                let room = room(&stderr());
                let shown = lines(room);
                let mut text = if live { block(shown, room) } else { written(&shown) };
                state.drawn |= live;
                if desktop {
                    text.push_str(&desktop_progress(share()));
                    state.told = true;
                }
                // If nobody can be told, nobody is.
                let _ = stderr().lock().write_all(text.as_bytes());
            }
        };
        // Without a thread there is no progress to be seen, and everything else goes on.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(draw).ok();
        Progress(Some(ProgressThread { drawing, thread }))
    }

    /// Takes the changing lines away while something else is printed.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        let Some(shown) = &self.0 else { return print() };
        let mut state = shown.drawing.lock();
        erase(&mut state);
        print()
    }

    /// Takes the changing lines away for good.
    pub(crate) fn end(&mut self) {
        let Some(mut shown) = self.0.take() else { return };
        let mut state = shown.drawing.lock();
        state.over = true;
        erase(&mut state);
        if std::mem::take(&mut state.told) {
            let _ = write!(stderr(), "{NO_DESKTOP_PROGRESS}");
        }
        drop(state);
        shown.drawing.over.notify_all();
        if let Some(thread) = shown.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// Takes the progress from the desktop.
const NO_DESKTOP_PROGRESS: &str = "\x1b]9;4;0;\x1b\\";

/// Tells a terminal how far it is, for the tab and the taskbar (`OSC 9;4`): a share, or only that
/// it is busy.
fn desktop_progress(share: Option<f64>) -> String {
    match share {
        Some(share) => format!("\x1b]9;4;1;{:.0}\x1b\\", (100.0 * share).clamp(0.0, 100.0)),
        None => "\x1b]9;4;3;\x1b\\".to_owned(),
    }
}

/// Whether a terminal is known to show progress on the desktop. Others may print what they do not
/// know, or take it for a notice. One that runs inside of another passes on what that has set.
fn shows_on_desktop(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    !is_set("TMUX")
        && !is_set("STY")
        && (is_set("WT_SESSION")
            || variable("ConEmuANSI").is_some_and(|value| value == "ON")
            || ["ghostty", "WezTerm"].contains(&program.as_str()))
}

fn erase(state: &mut DrawingState) {
    if std::mem::take(&mut state.drawn) {
        let _ = write!(stderr(), "\r\x1b[J");
    }
}

/// Lines that replace those before, with the cursor back on the first of them. None is as wide as
/// the terminal, where some go on to the next line.
fn block(mut lines: Vec<Line>, room: Room) -> String {
    lines.truncate(room.rows.saturating_sub(1).max(1));
    let count = lines.len();
    let fitted = lines.into_iter().map(|line| line.fit(room.columns.saturating_sub(1)));
    let fitted: Vec<String> = fitted.map(|line| line.text(Ink::Plain)).collect();
    let back = match count {
        0 | 1 => String::new(),
        more => format!("\x1b[{}A", more - 1),
    };
    format!("\r\x1b[J{}{back}\r", fitted.join("\n"))
}

fn written(lines: &[Line]) -> String {
    lines.first().map_or(String::new(), |line| line.text(Ink::Plain) + "\n")
}

/// Counts finished games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// How many were finished when we began to count.
    before: u64,
    began: Instant,
}

impl Pace {
    /// Counts from here.
    pub(crate) fn new(before: u64) -> Pace {
        Pace { before, began: Instant::now() }
    }

    /// How far it is. `remark` is what is unusual: that it is paused, say.
    pub(crate) fn line(&self, done: u64, total: Option<u64>, remark: &str, room: Room) -> Line {
        let seconds = self.began.elapsed().as_secs_f64();
        let rate = done.saturating_sub(self.before) as f64 / seconds.max(1e-9);
        let mut line = Line::plain(&remark_first(remark));
        line.push(&match total {
            Some(total) => {
                let left = total.saturating_sub(done) as f64 / rate;
                let left =
                    if left.is_finite() { format!(", {} left", span(left)) } else { String::new() };
                let bar = bar(done as f64 / total.max(1) as f64, room);
                format!("{bar} {done}/{}, {rate:.1} a second{left}", count(total, "game"))
            }
            None => format!("{}, {rate:.1} a second", count(done, "game")),
        });
        line
    }
}

fn remark_first(remark: &str) -> String {
    if remark.is_empty() { String::new() } else { format!("{remark}  ") }
}

/// A bar that is filled to this share; a short one where words need the room.
fn bar(share: f64, room: Room) -> String {
    let width = if room.columns < 80 { 8 } else { 20 };
    let filled = ((share * width as f64) as usize).min(width);
    format!("{}{}", "█".repeat(filled), "░".repeat(width - filled))
}

/// A time in words.
pub(crate) fn span(seconds: f64) -> String {
    match seconds as u64 {
        0..=89 => format!("{seconds:.0} s"),
        90..=5399 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_reaches_the_edge_and_the_cursor_comes_back() {
        let lines = vec![Line::plain(&"日本".repeat(50)), Line::plain(&"x".repeat(200))];
        for columns in [1, 20, 60, 80] {
            let text = block(lines.clone(), Room { columns, rows: 24 });
            let inside = text.strip_prefix("\r\x1b[J").and_then(|t| t.strip_suffix("\x1b[1A\r"));
            for line in inside.expect("it begins and ends there").lines() {
                assert!(table::picture::width(line) < columns, "{columns}: {line}");
            }
        }
        let text = block(lines, Room { columns: 80, rows: 2 });
        assert_eq!(text.matches('\n').count(), 0, "it does not scroll: {text:?}");
    }

    #[test]
    fn what_is_unusual_comes_first_so_that_it_is_never_cut_off() {
        let line = Pace::new(0).line(3, Some(10), "paused", Room { columns: 60, rows: 20 });
        assert!(line.clone().fit(60).text(Ink::Plain).starts_with("paused  ██░"), "{line:?}");
        assert!(line.text(Ink::Plain).contains(" 3/10 games"), "{line:?}");
    }

    #[test]
    fn only_terminals_that_show_progress_on_the_desktop_are_told() {
        let with = |set: &[(&str, &str)]| {
            let value = |name: &str| {
                let found = set.iter().find(|(other, _)| *other == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            shows_on_desktop(value)
        };
        assert!(!with(&[]) && !with(&[("TERM_PROGRAM", "Apple_Terminal")]));
        assert!(with(&[("WT_SESSION", "1")]) && with(&[("TERM_PROGRAM", "ghostty")]));
        assert!(!with(&[("WT_SESSION", "1"), ("TMUX", "/tmp/x")]), "tmux does not pass it on");
        assert_eq!(desktop_progress(Some(0.426)), "\x1b]9;4;1;43\x1b\\");
        assert_eq!(desktop_progress(Some(7.0)), "\x1b]9;4;1;100\x1b\\");
    }
}
