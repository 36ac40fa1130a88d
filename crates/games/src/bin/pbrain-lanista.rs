//! Our engine as a brain that any gomoku manager can run.

use std::io::{BufRead as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use game::Budget;
use games::gomoku::brain::{Brain, Reaction};

struct Time {
    until: Instant,
    leave: Arc<AtomicBool>,
}

impl Budget for Time {
    fn left(&self) -> Option<Duration> {
        Some(self.until.saturating_duration_since(Instant::now()))
    }
    fn stopped(&self) -> bool {
        self.leave.load(Ordering::Relaxed)
    }
}

fn main() {
    let leave = Arc::new(AtomicBool::new(false));
    let (to_brain, lines) = channel::<Vec<u8>>();
    let told_to_leave = leave.clone();
    // Input is read while the brain thinks, so that END is obeyed at once.
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            // Some managers end lines with CR alone.
            for part in line.split(|byte| *byte == b'\r' || *byte == b'\n') {
                if part.trim_ascii().eq_ignore_ascii_case(b"END") {
                    told_to_leave.store(true, Ordering::Relaxed);
                }
                if to_brain.send(part.to_vec()).is_err() {
                    return;
                }
            }
            line.clear();
        }
    });
    let mut brain = Brain::default();
    for line in lines {
        let answer = match brain.line(&line) {
            Reaction::Silent => continue,
            Reaction::Say(answer) => answer,
            Reaction::Think(task) => {
                let until = Instant::now() + brain.time();
                brain.think(task, &Time { until, leave: leave.clone() })
            }
            Reaction::Quit => return,
        };
        // Nothing may be written after END.
        if leave.load(Ordering::Relaxed) {
            return;
        }
        let mut output = std::io::stdout().lock();
        if write!(output, "{answer}\r\n").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
