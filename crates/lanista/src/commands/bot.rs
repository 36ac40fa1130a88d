//! `lanista bot`: a built-in bot as a program on standard input and output.

use std::collections::VecDeque;
use std::io::{BufRead, ErrorKind, Write as _, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use game::{Budget, Seed, did_you_mean};
use table::{BotProgram, LineEnd, Meanwhile, ProgramReply};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::BotArgs;

pub(crate) fn bot(args: &BotArgs, catalogue: Catalogue) -> Result<Exit> {
    run(&args.game, &args.name, Seed(args.seed), catalogue)
}

/// Plays as the built-in bot of this name until the bot leaves, the input ends or nobody reads.
pub(crate) fn run(game: &str, name: &str, seed: Seed, catalogue: Catalogue) -> Result<Exit> {
    let game = catalogue.find(game)?;
    let card = game.card();
    let Some(mut program) = game.program(name, seed) else {
        let names: Vec<&str> = card.bots.iter().map(|bot| bot.name).collect();
        if names.contains(&name) {
            bail!("the built-in bots of {} only live inside the program", card.id);
        }
        let near = did_you_mean(name, names.iter().copied());
        bail!("{} has no built-in bot \"{name}\"{near}; it has {}", card.id, names.join(", "));
    };
    let inbox = Arc::new(Inbox::new(program.meanwhile(), program.line_end()));
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
            ProgramReply::Say(text) => say(&text, inbox.line_end),
            ProgramReply::Think => {
                // Some is left for the way through the pipes.
                let time = program.time().map(|time| time - time / 10);
                inbox.begin_to_think();
                let text = program.think(&Thinking { until: time.map(after), inbox });
                match inbox.end_of_thought() {
                    Interest::Lost => continue,
                    Interest::Kept => say(&text, inbox.line_end),
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

fn say(text: &str, line_end: LineEnd) -> std::io::Result<()> {
    let mut bytes = format!("{text}\n").into_bytes();
    line_end.apply(&mut bytes);
    let mut output = stdout().lock();
    output.write_all(&bytes)?;
    output.flush()
}

/// Lines that have been read and not been taken.
struct Inbox {
    meanwhile: fn(&[u8]) -> Meanwhile,
    /// How the lines end that are said.
    line_end: LineEnd,
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
    fn new(meanwhile: fn(&[u8]) -> Meanwhile, line_end: LineEnd) -> Inbox {
        let (lines, changed, hurry) = Default::default();
        Inbox { meanwhile, line_end, lines, changed, hurry }
    }

    fn lines(&self) -> MutexGuard<'_, ReadLines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines to the end of the input. They end in LF, CR LF or, as some managers have it, in CR
    /// alone.
    fn read(&self, mut input: impl BufRead) {
        let (mut line, mut after_cr) = (Vec::new(), false);
        loop {
            let count = match input.fill_buf() {
                Ok(bytes) => {
                    for &byte in bytes {
                        match byte {
                            b'\n' if after_cr => {}
                            b'\n' | b'\r' => self.take(std::mem::take(&mut line)),
                            _ => line.push(byte),
                        }
                        after_cr = byte == b'\r';
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
            self.take(line);
        }
        self.lines().at_end = true;
        self.changed.notify_one();
    }

    /// Takes a line that has been read.
    fn take(&self, line: Vec<u8>) {
        let mut lines = self.lines();
        match lines.thinking {
            true => self.arrived(&mut lines, line),
            false => lines.queue.push_back(line),
        }
        self.changed.notify_one();
    }

    /// A line that comes, or has come, while the bot thinks.
    fn arrived(&self, lines: &mut ReadLines, line: Vec<u8>) {
        match (self.meanwhile)(&line) {
            // Who does not read any more is noticed at the next answer.
            Meanwhile::Say(text) => return drop(say(text, self.line_end)),
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
    fn lines_end_in_lf_cr_lf_or_cr_and_the_last_one_may_have_no_end() {
        let inbox = Inbox::new(meanwhile, LineEnd::Lf);
        inbox.read(&b"one\r\n\ntwo\nthree\rfour"[..]);
        let lines: Vec<Vec<u8>> = std::iter::from_fn(|| inbox.next()).collect();
        assert_eq!(lines, [&b"one"[..], b"", b"two", b"three", b"four"]);
    }

    #[test]
    fn what_waits_in_the_queue_hurries_the_thought_that_comes_before_it() {
        let inbox = Inbox::new(meanwhile, LineEnd::Lf);
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
        let inbox = Inbox::new(meanwhile, LineEnd::Lf);
        inbox.read(&b"ping\ngo\n"[..]);
        // Nobody thinks: it is taken in its turn.
        assert_eq!(inbox.next().as_deref(), Some(&b"ping"[..]));
        inbox.lines().queue.push_back(b"ping".to_vec());
        inbox.begin_to_think();
        assert_eq!(inbox.next().as_deref(), Some(&b"go"[..]));
        assert_eq!(inbox.next(), None);
    }
}
