//! What a process has written besides its answers, so that a fault can say what caused it.

use game::{Fault, FaultKind, Tick, printable, quote};

use crate::Hosted;
use crate::log::{Entry, Raw};
use crate::parts::Mind;
use crate::seat::SeatId;
use crate::table::Table;

/// How many bytes of the end of its standard error are kept.
const STDERR_KEPT: usize = 2000;

/// How many bytes of a line are kept.
const LINE_KEPT: usize = 81;

/// How many bytes of the last line of its standard error a fault shows.
const STDERR_SHOWN: usize = 200;

/// What has been heard of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// It has written to its standard output.
    pub(crate) spoke: bool,
    /// It has been asked for an answer.
    asked: bool,
    /// It has written a line after it was asked for an answer, however wrong.
    pub(crate) replied: bool,
    /// The last line since it was asked that was no answer, as far as it is kept; empty if there
    /// was none.
    said: Vec<u8>,
    /// The beginning of a line whose end has not come.
    unfinished: Vec<u8>,
    /// The end of its standard error.
    stderr: Vec<u8>,
    /// It has written to its standard error since it was asked.
    erred: bool,
}

impl Heard {
    /// It is asked something.
    pub(crate) fn asked(&mut self) {
        self.asked = true;
        self.erred = false;
        self.said.clear();
    }

    /// It said a line.
    pub(crate) fn line(&mut self) {
        self.spoke = true;
        self.replied |= self.asked;
        self.unfinished.clear();
    }

    /// The line was no answer.
    pub(crate) fn no_answer(&mut self, line: &[u8]) {
        self.said.clear();
        self.said.extend_from_slice(&line[..line.len().min(LINE_KEPT)]);
    }

    /// It has begun a line.
    pub(crate) fn unfinished(&mut self, bytes: &[u8]) {
        self.spoke = true;
        self.unfinished.clear();
        self.unfinished.extend_from_slice(&bytes[..bytes.len().min(LINE_KEPT)]);
    }

    /// The line that it has begun, to be told of once.
    pub(crate) fn take_unfinished(&mut self) -> Option<Vec<u8>> {
        (!self.unfinished.is_empty()).then(|| std::mem::take(&mut self.unfinished))
    }

    /// It wrote to its standard error.
    pub(crate) fn stderr(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(STDERR_KEPT)..];
        let over = (self.stderr.len() + kept.len()).saturating_sub(STDERR_KEPT);
        self.stderr.drain(..over.min(self.stderr.len()));
        self.stderr.extend_from_slice(kept);
        self.erred = true;
    }

    /// Whether it has said nothing since it was asked, but has written to its standard error.
    fn silent_but_erred(&self) -> bool {
        self.erred && self.said.is_empty()
    }

    /// The fault with what is known of how it came about.
    pub(crate) fn explain(&self, fault: Fault) -> Fault {
        let Fault { kind, mut detail } = fault;
        let mut add = |text: String| {
            detail.push_str("; ");
            detail.push_str(&text);
        };
        match kind {
            FaultKind::Crash | FaultKind::EndOfOutput => {
                if !self.unfinished.is_empty() {
                    add(format!("unfinished: {}", quote(&self.unfinished)));
                }
                if let Some(line) = last_words(&self.stderr) {
                    add(stderr_line(line));
                }
            }
            FaultKind::Timeout | FaultKind::NotReady => {
                if !self.unfinished.is_empty() {
                    let line = quote(&self.unfinished);
                    add(format!("unfinished: {line}, the end of the line is missing"));
                } else if let (Some(line), true) =
                    (last_words(&self.stderr), self.silent_but_erred())
                {
                    // A thread may have died while the process lives on.
                    add(stderr_line(line));
                } else if !self.spoke {
                    add("it has written nothing at all: does it flush its output?".to_owned());
                } else if kind == FaultKind::Timeout && !self.said.is_empty() {
                    add(format!("it said {}, which is not an answer", quote(&self.said)));
                } else if kind == FaultKind::Timeout && !self.replied {
                    // Who has replied before knows how to flush, and is only slow.
                    let hint = "it has written nothing since it was asked";
                    add(format!("{hint}: is it still thinking, or does it not flush its output?"));
                }
            }
            FaultKind::NotStarted
            | FaultKind::Refused
            | FaultKind::BadInput
            | FaultKind::Illegal
            | FaultKind::LineTooLong
            | FaultKind::Flood
            | FaultKind::Early
            | FaultKind::Extra
            | FaultKind::BadOption
            | FaultKind::Memory
            | FaultKind::Processes
            | FaultKind::Cpu
            | FaultKind::Disk => {}
        }
        Fault::new(kind, detail)
    }
}

impl<G: Hosted> Table<G> {
    /// A fault with what the bot in a seat has written, where that may explain it.
    pub(crate) fn explain(&mut self, now: Tick, id: SeatId, fault: Fault) -> Fault {
        let seat = &mut self.seats[id];
        if !matches!(seat.mind, Mind::Wire(_)) {
            return fault;
        }
        let player = seat.player;
        let fault = seat.heard.explain(fault);
        if let Some(bytes) = seat.heard.take_unfinished() {
            let entry = || Entry::Unfinished { at: now, seat: id, bytes: Raw(bytes.clone()) };
            self.log.heard(now, player, bytes.len(), entry);
        }
        fault
    }
}

fn stderr_line(line: &[u8]) -> String {
    let more = if line.len() > STDERR_SHOWN { "…" } else { "" };
    format!("stderr: {}{more}", printable(line, STDERR_SHOWN))
}

/// The line of a standard error that says what went wrong: the last one, unless it is a part of a
/// stack that is written below, or what an interpreter always writes last.
fn last_words(stderr: &[u8]) -> Option<&[u8]> {
    let lines = || stderr.split(|byte| matches!(byte, b'\n' | b'\r')).rev();
    let telling = |line: &&[u8]| {
        !line.first().is_none_or(u8::is_ascii_whitespace)
            && !line.starts_with(b"note: run with `RUST_BACKTRACE")
            && !line.starts_with(b"Node.js v")
    };
    let any = |line: &&[u8]| !line.trim_ascii().is_empty();
    lines().find(telling).or_else(|| lines().find(any)).map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(kind: FaultKind, heard: impl FnOnce(&mut Heard)) -> String {
        let mut known = Heard::default();
        heard(&mut known);
        known.explain(Fault::new(kind, "x")).detail
    }

    #[test]
    fn a_crash_says_what_the_process_said_last_about_it() {
        let crash = |stderr: &[u8]| explained(FaultKind::Crash, |heard| heard.stderr(stderr));
        let python =
            b"Traceback (most recent call last):\n  File \"b.py\", line 1\nKeyError: 'x'\n";
        assert_eq!(crash(python), "x; stderr: KeyError: 'x'");
        let rust = b"thread 'main' panicked at src/main.rs:2:5:\nno luck\nnote: run with \
            `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        assert_eq!(crash(rust), "x; stderr: no luck");
        let node =
            b"TypeError: x is no function\n    at a.js:1:1\n    at b.js:2:2\n\nNode.js v20.1.0\n";
        assert_eq!(crash(node), "x; stderr: TypeError: x is no function");
        assert_eq!(crash(b"\x1b[31mred\x1b[0m\n"), "x; stderr: \\x1b[31mred\\x1b[0m");
        assert_eq!(crash(b"  only this\n\n"), "x; stderr: only this");
        assert_eq!(crash(b" \n"), "x");
        assert!(crash(&[b'y'; 100_000]).len() < 300);
    }

    #[test]
    fn a_line_without_its_end_is_shown_with_every_fault_that_it_may_explain() {
        for kind in [FaultKind::Crash, FaultKind::Timeout, FaultKind::NotReady] {
            let text = explained(kind, |heard| heard.unfinished(b"OK"));
            assert!(text.starts_with("x; unfinished: \"OK\""), "{text}");
            let ended = explained(kind, |heard| {
                heard.unfinished(b"OK");
                heard.line();
                heard.asked();
            });
            assert!(!ended.contains("unfinished"), "{ended}");
        }
    }

    #[test]
    fn who_is_too_late_and_has_never_replied_may_have_forgotten_to_flush() {
        let silent = explained(FaultKind::Timeout, |_| {});
        assert!(silent.contains("does it flush its output?"), "{silent}");
        let first = explained(FaultKind::Timeout, |heard| {
            heard.line();
            heard.asked();
        });
        assert!(first.contains("nothing since it was asked"), "{first}");
        let slow = explained(FaultKind::Timeout, |heard| {
            heard.asked();
            heard.line();
            heard.asked();
        });
        assert_eq!(slow, "x", "who has replied before is only slow");
        let dead_thread = explained(FaultKind::Timeout, |heard| {
            heard.asked();
            heard.stderr(b"AttributeError: no clock\n");
        });
        assert_eq!(dead_thread, "x; stderr: AttributeError: no clock");
        let wrong = explained(FaultKind::Timeout, |heard| {
            heard.line();
            heard.no_answer(b"RIGHT");
        });
        assert_eq!(wrong, "x; it said \"RIGHT\", which is not an answer");
    }

    #[test]
    fn no_more_of_the_standard_error_is_kept_than_its_end() {
        let mut heard = Heard::default();
        for number in 0..1000 {
            heard.stderr(format!("line {number}\n").as_bytes());
        }
        assert!(heard.stderr.len() <= STDERR_KEPT);
        assert_eq!(last_words(&heard.stderr), Some(&b"line 999"[..]));
    }
}
