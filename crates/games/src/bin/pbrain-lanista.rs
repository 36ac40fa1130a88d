//! Our engine as a brain that any gomoku manager can run.

use std::io::{BufRead, ErrorKind, Write as _};
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
        read_lines(std::io::stdin().lock(), |line| {
            if line.trim_ascii().eq_ignore_ascii_case(b"END") {
                told_to_leave.store(true, Ordering::Relaxed);
            }
            to_brain.send(line).is_ok()
        });
    });
    let mut brain = Brain::default();
    for line in lines {
        let answer = match brain.line(&line) {
            Reaction::Silent => continue,
            Reaction::Say(answer) => answer,
            Reaction::Think(task) => {
                let until = Instant::now() + brain.time();
                let answer = brain.think(task, &Time { until, leave: leave.clone() });
                // END came while it thought: nobody wants to know any more. What needs no
                // thought is still said, in the order it was asked.
                if leave.load(Ordering::Relaxed) {
                    continue;
                }
                answer
            }
            // Nothing is written after END.
            Reaction::Quit => return,
        };
        let mut output = std::io::stdout().lock();
        if write!(output, "{answer}\r\n").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines that end in LF, CR LF or, as some managers have it, CR alone, until the input ends
/// or `take` has enough. Empty lines say nothing and are left out.
fn read_lines(mut input: impl BufRead, mut take: impl FnMut(Vec<u8>) -> bool) {
    let mut line = Vec::new();
    loop {
        let count = match input.fill_buf() {
            Ok(bytes) => {
                for &byte in bytes {
                    if byte != b'\r' && byte != b'\n' {
                        line.push(byte);
                    } else if !line.is_empty() && !take(std::mem::take(&mut line)) {
                        return;
                    }
                }
                bytes.len()
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => 0,
        };
        if count == 0 {
            break;
        }
        input.consume(count);
    }
    if !line.is_empty() {
        take(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_lf_cr_or_both() {
        let mut lines = Vec::new();
        read_lines(&b"START 20\rABOUT\r\n\nBEGIN\nEND"[..], |line| {
            lines.push(String::from_utf8(line).expect("text"));
            true
        });
        assert_eq!(lines, ["START 20", "ABOUT", "BEGIN", "END"]);
    }
}
