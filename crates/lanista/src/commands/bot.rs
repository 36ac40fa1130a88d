//! `lanista bot`: a built-in bot as a program on standard input and output.

use std::collections::VecDeque;
use std::io::{BufRead, Write as _, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use game::{Budget, Seed, did_you_mean};
use table::{BotProgram, Meanwhile, ProgramReply};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::BotArgs;

pub(crate) fn bot(args: &BotArgs, catalogue: Catalogue) -> Result<Exit> {
    let game = catalogue.find(&args.game)?;
    let card = game.card();
    let Some(mut program) = game.program(&args.name, Seed(args.seed)) else {
        let names: Vec<&str> = card.bots.iter().map(|bot| bot.name).collect();
        if names.contains(&&*args.name) {
            bail!("the built-in bots of {} only live inside the program", card.id);
        }
        let near = did_you_mean(&args.name, names.iter().copied());
        bail!(
            "{} has no built-in bot \"{}\"{near}; it has {}",
            card.id,
            args.name,
            names.join(", ")
        );
    };
    let inbox = Arc::new(Inbox::new(program.meanwhile()));
    let filled = inbox.clone();
    // Input is read while the bot thinks: whoever is told to hurry has to hear it. The thread ends
    // with the process.
    std::thread::spawn(move || filled.read(stdin().lock()));
    speak(program.as_mut(), &inbox);
    Ok(Exit::Done)
}

/// Takes lines and answers them until the bot leaves, the input ends or nobody reads.
fn speak(program: &mut dyn BotProgram, inbox: &Inbox) {
    while let Some(line) = inbox.next() {
        let said = match program.line(&line) {
            ProgramReply::Silent => continue,
            ProgramReply::Say(text) => say(&text),
            ProgramReply::Think => {
                // Some is left for the way through the pipes.
                let time = program.time().map(|time| time - time / 10);
                inbox.begin_to_think();
                let text = program.think(&Thinking { until: time.map(after), inbox });
                match inbox.end_of_thought() {
                    Interest::Lost => continue,
                    Interest::Kept => say(&text),
                }
            }
            ProgramReply::Leave => return,
        };
        if said.is_err() {
            return;
        }
    }
}

fn after(time: Duration) -> Instant {
    Instant::now() + time
}

fn say(text: &str) -> std::io::Result<()> {
    let mut output = stdout().lock();
    output.write_all(text.as_bytes())?;
    output.write_all(b"\n")?;
    output.flush()
}

/// Lines that have been read and not been taken.
struct Inbox {
    meanwhile: fn(&[u8]) -> Meanwhile,
    lines: Mutex<ReadLines>,
    changed: Condvar,
    /// Whether a bot that thinks is to answer at once.
    hurry: AtomicBool,
}

#[derive(Default)]
struct ReadLines {
    queue: VecDeque<Vec<u8>>,
    at_end: bool,
    thinking: bool,
    forget: bool,
}

/// Whether anybody waits for an answer.
enum Interest {
    Kept,
    Lost,
}

impl Inbox {
    fn new(meanwhile: fn(&[u8]) -> Meanwhile) -> Inbox {
        let (lines, changed, hurry) = Default::default();
        Inbox { meanwhile, lines, changed, hurry }
    }

    fn lines(&self) -> MutexGuard<'_, ReadLines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines to the end of the input.
    fn read(&self, mut input: impl BufRead) {
        let mut line = Vec::new();
        while matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
            let plain = line.strip_suffix(b"\n").unwrap_or(&line);
            let plain = plain.strip_suffix(b"\r").unwrap_or(plain).to_vec();
            line.clear();
            let mut lines = self.lines();
            match lines.thinking {
                true => self.arrived(&mut lines, plain),
                false => lines.queue.push_back(plain),
            }
            self.changed.notify_one();
        }
        let mut lines = self.lines();
        lines.at_end = true;
        self.changed.notify_one();
    }

    /// A line that comes, or has come, while the bot thinks.
    fn arrived(&self, lines: &mut ReadLines, line: Vec<u8>) {
        match (self.meanwhile)(&line) {
            // Who does not read any more is noticed at the next answer.
            Meanwhile::Say(text) => return drop(say(text)),
            Meanwhile::Wait => {}
            Meanwhile::Hurry => self.hurry.store(true, Ordering::Relaxed),
            Meanwhile::Forget => {
                self.hurry.store(true, Ordering::Relaxed);
                lines.forget = true;
            }
        }
        lines.queue.push_back(line);
    }

    /// The next line; `None` when there are no more.
    fn next(&self) -> Option<Vec<u8>> {
        let mut lines = self.lines();
        loop {
            if let Some(line) = lines.queue.pop_front() {
                return Some(line);
            }
            if lines.at_end {
                return None;
            }
            lines = self.changed.wait(lines).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn begin_to_think(&self) {
        let mut lines = self.lines();
        lines.thinking = true;
        self.hurry.store(false, Ordering::Relaxed);
        for line in std::mem::take(&mut lines.queue) {
            self.arrived(&mut lines, line);
        }
    }

    fn end_of_thought(&self) -> Interest {
        let mut lines = self.lines();
        lines.thinking = false;
        if std::mem::take(&mut lines.forget) { Interest::Lost } else { Interest::Kept }
    }
}

/// The time of a bot that thinks.
struct Thinking<'a> {
    until: Option<Instant>,
    inbox: &'a Inbox,
}

impl Budget for Thinking<'_> {
    fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    fn stopped(&self) -> bool {
        self.inbox.hurry.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanwhile(line: &[u8]) -> Meanwhile {
        match line {
            b"ping" => Meanwhile::Say("pong"),
            b"stop" => Meanwhile::Hurry,
            b"END" => Meanwhile::Forget,
            _ => Meanwhile::Wait,
        }
    }

    #[test]
    fn lines_end_in_lf_or_cr_lf_and_the_last_one_may_have_no_end() {
        let inbox = Inbox::new(meanwhile);
        inbox.read(&b"one\r\n\ntwo\nthree"[..]);
        let lines: Vec<Vec<u8>> = std::iter::from_fn(|| inbox.next()).collect();
        assert_eq!(lines, [&b"one"[..], b"", b"two", b"three"]);
    }

    #[test]
    fn what_waits_in_the_queue_hurries_the_thought_that_comes_before_it() {
        let inbox = Inbox::new(meanwhile);
        inbox.read(&b"go\nstop\ngo\nEND\n"[..]);
        let thought = || {
            inbox.begin_to_think();
            let stopped = Thinking { until: None, inbox: &inbox }.stopped();
            (stopped, matches!(inbox.end_of_thought(), Interest::Kept))
        };
        assert_eq!(inbox.next().as_deref(), Some(&b"go"[..]));
        // END is in the queue, too: nobody will read the answer.
        assert_eq!(thought(), (true, false));
        assert_eq!(inbox.next().as_deref(), Some(&b"stop"[..]));
        assert_eq!(inbox.next().as_deref(), Some(&b"go"[..]));
        assert_eq!(thought(), (true, false));
        assert_eq!(inbox.next().as_deref(), Some(&b"END"[..]));
        assert_eq!(thought(), (false, true));
        assert_eq!(inbox.next(), None);
    }

    #[test]
    fn a_question_that_needs_no_thought_is_not_kept_for_later() {
        let inbox = Inbox::new(meanwhile);
        inbox.read(&b"ping\ngo\n"[..]);
        // Nobody thinks: it is taken in its turn.
        assert_eq!(inbox.next().as_deref(), Some(&b"ping"[..]));
        inbox.lines().queue.push_back(b"ping".to_vec());
        inbox.begin_to_think();
        assert_eq!(inbox.next().as_deref(), Some(&b"go"[..]));
        assert_eq!(inbox.next(), None);
    }
}
