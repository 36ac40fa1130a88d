//! A script as a pure machine: lines and moments go in, wishes come out. It does no I/O and keeps
//! no time.
//!
//! Silence is proven by order: a line that comes where the answer to the next question is due, and
//! is not that answer, was said out of turn. Only a bot that says nothing at all is waited for, and
//! no longer than until it rests.

mod states;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use game::{Fault, FaultKind, Tick, quote};
use table::LineEnd;
use table::check::{Reading, Script, ScriptSoFar, ScriptStep, Text};

use crate::causes;
use crate::load::Load;
use crate::trial::{BYTES_KEPT, Finding, Harm, Side, Trial, advice_on_end, late};
pub(crate) use states::Wish;
use states::{ASIDES_KEPT, Awaited, LONGEST, Question, REST, RESTING, START_REST};

/// A script that is under way.
pub(crate) struct Machine {
    script: Arc<Script>,
    line_end: LineEnd,
    /// The time until the first answer.
    start: Duration,
    /// How much longer everything may take.
    load: Load,
    /// The next step.
    next: usize,
    so_far: ScriptSoFar,
    awaited: Awaited,
    question: Question,
    pieces: VecDeque<Vec<u8>>,
    /// When what is waited for was asked for.
    since: Tick,
    /// Processor time that the process had used then, and by now.
    cpu_then: Duration,
    cpu: Duration,
    /// How many lines that were no answers had come then.
    asides_then: usize,
    /// The end of the time in which it must do something, and what it had used at its beginning.
    look: Tick,
    cpu_at_look: Duration,
    /// The beginning of a line whose end has not come.
    unfinished: Vec<u8>,
    pub(crate) trial: Trial,
}

impl Machine {
    /// A script at its beginning. The bot has `start` until its first answer, and is told lines that
    /// end like this.
    pub(crate) fn new(
        script: Arc<Script>,
        line_end: LineEnd,
        start: Duration,
        load: Load,
    ) -> Machine {
        let (since, look) = (Tick::ZERO, Tick::ZERO);
        let [cpu_then, cpu, cpu_at_look] = [Duration::ZERO; 3];
        let (next, awaited, trial) = (0, Awaited::Start, Trial::default());
        let (pieces, so_far, unfinished) = (VecDeque::new(), Default::default(), Vec::new());
        Machine {
            script,
            line_end,
            start,
            load,
            next,
            so_far,
            awaited,
            question: Question::Sent,
            pieces,
            since,
            cpu_then,
            cpu,
            asides_then: 0,
            look,
            cpu_at_look,
            unfinished,
            trial,
        }
    }

    /// Whether the script is over.
    pub(crate) fn is_over(&self) -> bool {
        self.awaited == Awaited::Nothing
    }

    /// When something has to be looked at, if it has not happened by then.
    pub(crate) fn next_tick(&self) -> Option<Tick> {
        match self.awaited {
            Awaited::Start | Awaited::Nothing => None,
            Awaited::Read | Awaited::Line | Awaited::End => Some(self.look.min(self.latest())),
            Awaited::TimeUp => match self.step() {
                Some(ScriptStep::Wait { time, .. }) => Some(self.since + *time),
                Some(_) | None => Some(self.since),
            },
        }
    }

    /// The process is there; it sees its folder here.
    pub(crate) fn seated(&mut self, now: Tick, folder: Option<String>) -> Vec<Wish> {
        self.so_far.folder = folder;
        self.go_on(now)
    }

    /// What was written has just begun to leave.
    pub(crate) fn asked(&mut self, now: Tick, cpu: Duration) {
        self.question = Question::Sent;
        self.used(cpu);
        self.wait_from(now);
    }

    /// The bot has used so much of the processor.
    pub(crate) fn used(&mut self, cpu: Duration) {
        self.cpu = self.cpu.max(cpu);
    }

    /// The bot has read the piece.
    pub(crate) fn read(&mut self, now: Tick) -> Vec<Wish> {
        if self.awaited != Awaited::Read {
            return Vec::new();
        }
        self.go_on(now)
    }

    /// The bot has said a line, which may end with a CR.
    pub(crate) fn line(&mut self, now: Tick, line: &[u8]) -> Vec<Wish> {
        self.unfinished.clear();
        self.trial.say(now, Side::Bot, line);
        let plain = line.strip_suffix(b"\r").unwrap_or(line);
        if (self.script.is_aside)(plain) {
            return self.aside(plain);
        }
        match self.awaited {
            Awaited::Line => self.answer(now, line, plain),
            Awaited::TimeUp => self.while_waiting(line, plain),
            // A banner, say.
            Awaited::Read | Awaited::Start if self.reads_as_aside(plain) => self.aside(plain),
            Awaited::Read | Awaited::Start => {
                self.fail(format!("it said {} before the question was complete", quote(line)), line)
            }
            // In a match nobody hears it.
            Awaited::End => {
                let text = format!("it said {} although nothing was asked any more", quote(line));
                let line = Some(line.to_vec());
                self.end(Finding { line, ..Finding::new(Harm::Harmless, text) })
            }
            Awaited::Nothing => Vec::new(),
        }
    }

    /// The bot has begun a line.
    pub(crate) fn begun(&mut self, bytes: &[u8]) {
        self.unfinished = bytes[..bytes.len().min(BYTES_KEPT)].to_vec();
    }

    /// The bot has written to its standard error.
    pub(crate) fn stderr(&mut self, now: Tick, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            self.trial.say(now, Side::Stderr, line);
        }
    }

    /// The process has ended, or has to be ended.
    pub(crate) fn lost(&mut self, now: Tick, fault: &Fault) -> Vec<Wish> {
        if self.is_over() {
            return Vec::new();
        }
        self.keep_unfinished(now);
        self.trial.say(now, Side::Fact, fault.detail.as_bytes());
        let within = match self.step() {
            Some(ScriptStep::Leaves { within }) if self.awaited == Awaited::End => Some(*within),
            Some(_) | None => None,
        };
        match (within, fault.kind) {
            (Some(within), FaultKind::Crash) => {
                self.left(now, within, &fault.detail);
                self.next += 1;
                self.go_on(now)
            }
            (Some(_) | None, _) => {
                let advice = advice_on_end(&fault.detail);
                let mut finding = Finding::new(Harm::Broken, format!("{fault}{advice}"))
                    .because(causes::of_end(fault.kind, &fault.detail));
                finding.expected = self.expected();
                self.end(finding)
            }
        }
    }

    /// The host came late: what the bot did meanwhile is not known yet.
    pub(crate) fn stalled(&mut self, now: Tick) {
        if self.awaited != Awaited::TimeUp {
            self.since = self.since.max(Tick(now.0.saturating_sub(LONGEST / 2)));
        }
        self.look_again(now);
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, now: Tick) -> Vec<Wish> {
        if self.next_tick().is_none_or(|tick| tick > now) {
            return Vec::new();
        }
        if self.awaited == Awaited::TimeUp {
            self.next += 1;
            return self.go_on(now);
        }
        let works = self.cpu.saturating_sub(self.cpu_at_look) > RESTING;
        if now < self.latest() && works {
            self.look_again(now);
            return Vec::new();
        }
        let waited = now.since(self.since).as_millis();
        let busy = if works { ", although it used the processor" } else { "" };
        let instead = match self.so_far.asides.get(self.asides_then..).and_then(<[_]>::last) {
            Some(aside) => format!("; it said {}, which is none", quote(aside)),
            None => String::new(),
        };
        // A process that stays is killed, and nothing else follows.
        let harm = if self.awaited == Awaited::End { Harm::Harmless } else { Harm::Broken };
        let text = match self.awaited {
            Awaited::Start | Awaited::Nothing | Awaited::TimeUp => return Vec::new(),
            Awaited::Read => format!("it has not read its input after {waited} ms"),
            Awaited::Line if !self.unfinished.is_empty() => {
                format!(
                    "nothing but {} after {waited} ms: the end of the line is missing",
                    quote(&self.unfinished)
                )
            }
            Awaited::Line => format!("no answer after {waited} ms{busy}{instead}"),
            Awaited::End => {
                format!("it was still there after {waited} ms{busy}; in a match it is killed")
            }
        };
        let silent = (self.awaited == Awaited::Line)
            .then(|| causes::of_silence(&self.unfinished, &self.trial, &self.so_far));
        self.keep_unfinished(now);
        let mut finding = Finding::new(harm, text).because(silent.flatten());
        finding.expected = self.expected();
        if !self.unfinished.is_empty() {
            finding.line = Some(std::mem::take(&mut self.unfinished));
        }
        self.end(finding)
    }

    // ---- inside ----

    fn step(&self) -> Option<&ScriptStep> {
        self.script.steps.get(self.next)
    }

    /// Does what can be done without waiting.
    fn go_on(&mut self, now: Tick) -> Vec<Wish> {
        let mut wishes = Vec::new();
        let mut text = Vec::new();
        if let Some(piece) = self.pieces.pop_front() {
            wishes.extend(self.write(now, piece));
            if self.awaited == Awaited::Read && !self.pieces.is_empty() {
                return wishes;
            }
        }
        let script = self.script.clone();
        loop {
            match script.steps.get(self.next) {
                Some(ScriptStep::Lines(lines)) => {
                    let lines = match lines {
                        Text::Fixed(lines) => lines.clone(),
                        Text::Made(make) => make(&self.so_far),
                    };
                    let mut bytes = lines.into_bytes();
                    self.line_end.apply(&mut bytes);
                    text.extend(bytes);
                    self.next += 1;
                    continue;
                }
                Some(ScriptStep::Pieces(_) | ScriptStep::Answer { .. })
                | Some(ScriptStep::CloseInput | ScriptStep::Leaves { .. })
                | Some(ScriptStep::Wait { .. })
                | None => {}
            }
            if !text.is_empty() {
                self.trial.say_sent(now, &text);
                self.question = Question::Queued;
                wishes.push(Wish::Write(std::mem::take(&mut text)));
            }
            match script.steps.get(self.next) {
                Some(ScriptStep::Pieces(pieces)) => {
                    self.next += 1;
                    self.pieces = pieces.iter().cloned().collect();
                    if let Some(first) = self.pieces.pop_front() {
                        self.awaited = Awaited::Read;
                        self.wait_from(now);
                        wishes.extend(self.write(now, first));
                    }
                    if !self.pieces.is_empty() {
                        return wishes;
                    }
                }
                Some(ScriptStep::CloseInput) => {
                    self.next += 1;
                    self.trial.say(now, Side::Fact, b"the input is closed");
                    wishes.push(Wish::CloseInput);
                }
                Some(ScriptStep::Answer { .. }) => {
                    self.awaited = Awaited::Line;
                    self.wait_from(now);
                    return wishes;
                }
                Some(ScriptStep::Leaves { .. }) => {
                    self.awaited = Awaited::End;
                    self.wait_from(now);
                    return wishes;
                }
                Some(ScriptStep::Wait { .. }) => {
                    self.awaited = Awaited::TimeUp;
                    self.wait_from(now);
                    return wishes;
                }
                Some(ScriptStep::Lines(_)) => {}
                None => {
                    self.awaited = Awaited::Nothing;
                    wishes.push(Wish::End);
                    return wishes;
                }
            }
        }
    }

    /// Writes a piece. When the last one is read need not be known.
    fn write(&mut self, now: Tick, piece: Vec<u8>) -> Option<Wish> {
        self.trial.say_sent(now, &piece);
        self.wait_from(now);
        Some(match self.pieces.is_empty() {
            true => {
                self.question = Question::Queued;
                Wish::Write(piece)
            }
            false => Wish::WriteAndTell(piece),
        })
    }

    fn answer(&mut self, now: Tick, line: &[u8], plain: &[u8]) -> Vec<Wish> {
        let script = self.script.clone();
        let Some(ScriptStep::Answer { read, .. }) = script.steps.get(self.next) else {
            return Vec::new();
        };
        let (wall, cpu) = (now.since(self.since), self.cpu.saturating_sub(self.cpu_then));
        // What a process needs to start is not part of its first answer.
        let timed = !self.so_far.answers.is_empty();
        let reading = read(&self.so_far, plain);
        if self.question == Question::Queued && reading != Reading::Aside {
            let text = format!("it said {} as well, before the next question left", quote(line));
            return self.fail(text, line);
        }
        match reading {
            Reading::Answer => {}
            Reading::Odd(why) => {
                let finding = Finding::new(Harm::Harmless, why);
                self.add(Finding { line: Some(line.to_vec()), ..finding });
            }
            Reading::Wrong(why) => return self.fail(why, line),
            Reading::Aside => return self.aside(plain),
            Reading::Last => {
                self.awaited = Awaited::Nothing;
                return vec![Wish::End];
            }
            Reading::Skip(why) => {
                self.trial.skipped = Some(why);
                self.awaited = Awaited::Nothing;
                return vec![Wish::End];
            }
        }
        if timed {
            self.trial.slowest = self.trial.slowest.max(Some(wall));
            let load = self.load;
            if let Some(finding) = script.turn.and_then(|turn| late(turn, wall, cpu, load)) {
                self.add(finding);
            }
        }
        self.so_far.answers.push(plain.to_vec());
        self.next += 1;
        self.go_on(now)
    }

    /// A line that came before the time was up.
    fn while_waiting(&mut self, line: &[u8], plain: &[u8]) -> Vec<Wish> {
        let script = self.script.clone();
        let Some(ScriptStep::Wait { read, .. }) = script.steps.get(self.next) else {
            return Vec::new();
        };
        match read(&self.so_far, plain) {
            Reading::Aside => self.aside(plain),
            Reading::Wrong(why) => self.fail(why, line),
            Reading::Answer | Reading::Odd(_) | Reading::Last | Reading::Skip(_) => {
                self.fail(format!("it said {} before it was asked", quote(line)), line)
            }
        }
    }

    /// Whether a line says nothing that counts for the answer that comes next.
    fn reads_as_aside(&self, plain: &[u8]) -> bool {
        match self.step() {
            Some(ScriptStep::Answer { read, .. }) => read(&self.so_far, plain) == Reading::Aside,
            Some(_) | None => false,
        }
    }

    fn aside(&mut self, plain: &[u8]) -> Vec<Wish> {
        if self.so_far.asides.len() < ASIDES_KEPT {
            self.so_far.asides.push(plain.to_vec());
        }
        Vec::new()
    }

    /// The process has ended where it should.
    fn left(&mut self, now: Tick, within: Duration, how: &str) {
        let took = now.since(self.since);
        if took > within {
            let [took, within] = [took, within].map(|time| time.as_millis());
            let text =
                format!("it left after {took} ms; in a match it is killed after {within} ms");
            self.add(Finding::of_time(Harm::Slow, text));
        }
        if !how.contains("exited with code 0") {
            self.add(Finding::new(Harm::Harmless, how).because(Some(causes::FAILED_AT_END)));
        }
    }

    fn fail(&mut self, why: String, line: &[u8]) -> Vec<Wish> {
        let cause = causes::of_words(line, &self.so_far);
        let (expected, line) = (self.expected(), Some(line.to_vec()));
        self.end(Finding { expected, line, cause, ..Finding::new(Harm::Broken, why) })
    }

    fn end(&mut self, finding: Finding) -> Vec<Wish> {
        self.add(finding);
        self.awaited = Awaited::Nothing;
        vec![Wish::End]
    }

    fn add(&mut self, finding: Finding) {
        // The same oddity in every answer is one.
        if !self.trial.findings.iter().any(|before| before.text == finding.text) {
            self.trial.findings.push(finding);
        }
    }

    fn expected(&self) -> Option<String> {
        match self.step()? {
            ScriptStep::Answer { what, .. } => Some((*what).to_owned()),
            ScriptStep::Leaves { within } => {
                Some(format!("that it leaves within {} ms, in silence", within.as_millis()))
            }
            ScriptStep::Lines(_) | ScriptStep::Pieces(_) => None,
            ScriptStep::Wait { .. } | ScriptStep::CloseInput => None,
        }
    }

    /// What is waited for was asked for at this moment.
    fn wait_from(&mut self, now: Tick) {
        (self.since, self.cpu_then) = (now, self.cpu);
        self.asides_then = self.so_far.asides.len();
        self.look_again(now);
    }

    fn look_again(&mut self, now: Tick) {
        let first = self.so_far.answers.is_empty();
        let rest = if first { START_REST.min(self.start) } else { REST };
        (self.look, self.cpu_at_look) = (now + rest, self.cpu);
    }

    /// No longer than until then.
    fn latest(&self) -> Tick {
        let first = self.so_far.answers.is_empty();
        let longest = if first { self.start.max(LONGEST) } else { LONGEST };
        self.since + self.load.stretch(longest)
    }

    fn keep_unfinished(&mut self, now: Tick) {
        if !self.unfinished.is_empty() {
            let bytes = self.unfinished.clone();
            self.trial.say(now, Side::Unfinished, &bytes);
        }
    }
}

#[cfg(test)]
mod tests;
