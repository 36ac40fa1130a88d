//! Conversations with bots as text, time included, without a process.
//!
//! ```text
//! # lines before the first message set the match up
//! setup {"size": 15}
//! seats wire wire            or builtin:NAME
//! clock move=1000 match=5000 start=10000 margin=20
//! clock2 move=100                                        the second player's own
//! adjudication {"turns": 5}
//! starts - 300               player 1 has a start limit of its own
//! seed 1
//! options 0 {"Depth": "4"}   of player 0's manifest
//! unstarted 0                no process can be started for seat 0
//!
//! 0> START 15                the table says this to seat 0
//! 0< OK                      the bot in seat 0 answers
//! 0<< OK                     … and has said more by the time anybody can react
//! @1000ms                    so much time passes
//! @1000ms stalled            … while the host stalls; what bots said meanwhile comes after
//! 0 used 400ms               the process in seat 0 has used so much processor time so far
//! 0! crash: exited           the process in seat 0 is lost, by this fault
//! 0 killed                   the seat is closed: killed, kept or let go (left)
//! 0 opens                    a seat is filled (the first ones are filled silently)
//! 0 opens reused             … with a process that has played before
//! fault 0 timeout            the report has this fault of player 0
//! fault 0 timeout: no …      … with this detail
//! faults 0 none              the report has no fault of player 0
//! note 0 depth 3             among the last things that player 0 said beside its answers
//! = win 1: White has …       the outcome: `win PLAYER`, `draw` or `void`, and the reason
//! ```
//!
//! Everything a table says must be in the transcript, in the order of each seat.

mod settings;

use std::collections::VecDeque;
use std::time::Duration;

use game::{Fault, FaultKind, ProcessHistory, Tick, Verdict};
use table::{AnyGame, AnyTable, Fresh, Input, Known, Output, Outputs, Parting, Report, SeatId};

use crate::AtOnce;
pub(crate) use settings::after_match;

/// Plays a transcript and panics at the first line that does not agree.
///
/// # Panics
/// If the game does something else than the transcript says.
pub fn run(game: &dyn AnyGame, text: &str) -> Report {
    let mut script = ScriptedTranscript::new(game, text);
    for (index, line) in text.lines().enumerate() {
        script.line_number = index + 1;
        let line = line.split("  #").next().unwrap_or("").trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        script.line(line);
    }
    script.finish()
}

/// Makes a test of every file in a game's folder of transcripts: `transcripts! { Type, "folder";
/// name_of_the_test: "file.txt", … }`. A file that is not listed fails another test.
#[macro_export]
macro_rules! transcripts {
    ($game:ty, $folder:literal; $($name:ident: $file:literal,)*) => {$(
        #[test]
        fn $name() {
            let text = include_str!(
                concat!(env!("CARGO_MANIFEST_DIR"), "/transcripts/", $folder, "/", $file)
            );
            $crate::transcript::run(&table::Erased::<$game>::new(), text);
        }
    )*
    #[test]
    fn every_transcript_is_tested() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/transcripts/", $folder);
        let files = std::fs::read_dir(folder).expect("the folder is there").count();
        assert_eq!(files, [$($file),*].len());
    }};
}

/// A table under a script.
struct ScriptedTranscript {
    table: Box<dyn AnyTable>,
    out: Outputs,
    now: Tick,
    line_number: usize,
    /// What each seat has been told and the transcript has not mentioned yet.
    told: Vec<VecDeque<String>>,
    /// Seats waiting for a process, in mid-game.
    opening: Vec<SeatId>,
    /// Seats whose clock starts when they have taken their first question.
    cold: Vec<SeatId>,
    reuse: Vec<SeatId>,
    unstarted: Vec<SeatId>,
    closed: Vec<(SeatId, &'static str)>,
    begun: bool,
}

impl ScriptedTranscript {
    fn new(game: &dyn AnyGame, text: &str) -> ScriptedTranscript {
        ScriptedTranscript {
            table: settings::table(game, text),
            out: Outputs::default(),
            now: Tick::ZERO,
            line_number: 0,
            told: Vec::new(),
            opening: Vec::new(),
            cold: Vec::new(),
            reuse: settings::seats(text, "reused"),
            unstarted: settings::seats(text, "unstarted"),
            closed: Vec::new(),
            begun: false,
        }
    }

    fn fail(&self, what: &str) -> ! {
        let waiting: Vec<String> = (0_usize..)
            .zip(&self.told)
            .flat_map(|(seat, lines)| lines.iter().map(move |line| format!("{seat}> {line}")))
            .collect();
        panic!(
            "line {}: {what}\nsaid, and not in the transcript:\n{}\nclosed: {:?}",
            self.line_number,
            waiting.join("\n"),
            self.closed
        )
    }

    fn line(&mut self, line: &str) {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        if settings::NAMES.contains(&first) {
            return;
        }
        if !self.begun {
            self.begun = true;
            self.table.open(self.now, &mut self.out);
            self.carry_out();
        }
        if !first.ends_with("<<") {
            self.carry_out();
        }
        if let Some(time) = line.strip_prefix('@') {
            self.all_told();
            return match time.strip_suffix(" stalled") {
                Some(time) => self.stall(time),
                None => self.pass(time),
            };
        }
        if let Some(wanted) = line.strip_prefix("= ") {
            return self.outcome(wanted);
        }
        if first == "fault" || first == "faults" {
            return self.faults(rest);
        }
        if first == "note" {
            return self.notes(rest);
        }
        let seat = |text: &str| SeatId(text.parse().unwrap_or_else(|_| self.fail("no such line")));
        if let Some(from) = first.strip_suffix('>') {
            let (place, rest) = (seat(from).0 as usize, rest.trim());
            let said = self.told.get_mut(place).and_then(VecDeque::pop_front);
            if said.as_deref() != Some(rest) {
                self.fail(&format!("expected {rest:?}, but seat {place} was told {said:?}"));
            }
        } else if let Some(from) = first.strip_suffix("<<") {
            let seat = seat(from);
            let line = unescape(rest);
            let input = Input::Line { seat, line: &line, cpu: Duration::ZERO };
            self.table.feed(self.now, input, &mut self.out);
        } else if let Some(from) = first.strip_suffix('<') {
            let seat = seat(from);
            self.seat_told(seat);
            let line = unescape(rest);
            self.feed(Input::Line { seat, line: &line, cpu: Duration::ZERO });
        } else if let Some(from) = first.strip_suffix('!') {
            let seat = seat(from);
            let (kind, detail) = rest.split_once(": ").unwrap_or((rest, ""));
            let kind = FaultKind::ALL.into_iter().find(|other| other.name() == kind);
            let kind = kind.unwrap_or_else(|| self.fail("no such fault"));
            self.feed(Input::Lost { seat, fault: Fault::new(kind, detail) });
        } else {
            let seat = seat(first);
            self.seat_told(seat);
            match rest {
                "opens" | "opens reused" => {
                    let Some(at) = self.opening.iter().position(|other| *other == seat) else {
                        self.fail("this seat does not wait for a process")
                    };
                    self.opening.remove(at);
                    self.feed(Input::Seated {
                        seat,
                        process: match rest {
                            "opens reused" => ProcessHistory::Reused,
                            _ => ProcessHistory::Fresh,
                        },
                        known: Known::default(),
                    });
                }
                used if used.starts_with("used ") => {
                    let cpu = self.duration(&used["used ".len()..]);
                    self.feed(Input::Used { seat, cpu });
                }
                how => match self
                    .closed
                    .iter()
                    .position(|(other, done)| *other == seat && *done == how)
                {
                    Some(at) => drop(self.closed.remove(at)),
                    None => self.fail(&format!("seat {} was not {how}", seat.0)),
                },
            }
        }
    }

    fn feed(&mut self, input: Input<'_>) {
        self.table.feed(self.now, input, &mut self.out);
        self.carry_out();
    }

    /// Does for the table what a host would do.
    fn carry_out(&mut self) {
        while !self.out.list.is_empty() {
            let list = std::mem::take(&mut self.out.list);
            let bytes = std::mem::take(&mut self.out.bytes);
            for output in list {
                match output {
                    Output::Open { seat, fresh, .. } => {
                        if self.told.len() <= seat.0 as usize {
                            self.told.resize(seat.0 as usize + 1, VecDeque::new());
                        }
                        if self.unstarted.contains(&seat) {
                            let fault = Fault::new(FaultKind::NotStarted, "cannot start");
                            let input = Input::Lost { seat, fault };
                            self.table.feed(self.now, input, &mut self.out);
                        } else if self.table.turns() == 0 && fresh == Fresh::No {
                            let process = match self.reuse.contains(&seat) {
                                true => ProcessHistory::Reused,
                                false => ProcessHistory::Fresh,
                            };
                            let input = Input::Seated { seat, process, known: Known::default() };
                            self.table.feed(self.now, input, &mut self.out);
                        } else {
                            self.opening.push(seat);
                        }
                    }
                    Output::Cold { seat } => self.cold.push(seat),
                    Output::Write { seat, bytes: range, starts_clock } => {
                        let cold = self.cold.iter().position(|other| *other == seat);
                        match (starts_clock, cold) {
                            // In a transcript every bot takes its question at once.
                            (true, Some(at)) => {
                                self.cold.remove(at);
                                let input = Input::Taken { seat, cpu: Duration::ZERO };
                                self.table.feed(self.now, input, &mut self.out);
                            }
                            (true, None) => {
                                self.table.clock_started(seat, self.now, Duration::ZERO);
                            }
                            (false, _) => {}
                        }
                        let text = String::from_utf8_lossy(&bytes[range]).into_owned();
                        self.told[seat.0 as usize].extend(text.lines().map(str::to_owned));
                    }
                    Output::CloseInput { seat } => {
                        unreachable!("no match closes the input of {seat:?} before its end");
                    }
                    Output::Show { .. } => unreachable!("no person is at this table"),
                    Output::Think { seat } => {
                        self.table.clock_started(seat, self.now, Duration::ZERO);
                        let thinker = self.table.thinker(seat).expect("a built-in bot sits there");
                        let thought = thinker.think(&AtOnce);
                        let input = Input::Thought { seat, thought, cpu: Duration::ZERO };
                        self.table.feed(self.now, input, &mut self.out);
                    }
                    Output::Close { seat, parting } => {
                        let how = match &parting {
                            Parting::Keep { .. } => "kept",
                            Parting::Leave { .. } => "left",
                            Parting::Kill => "killed",
                        };
                        if let Parting::Leave { farewell, .. } = &parting {
                            let text = String::from_utf8_lossy(farewell).into_owned();
                            self.told[seat.0 as usize].extend(text.lines().map(str::to_owned));
                        }
                        self.closed.push((seat, how));
                    }
                }
            }
        }
    }

    /// Lets time pass in which the host stalls.
    fn stall(&mut self, time: &str) {
        self.now = self.after(time);
        let late = self.now.since(self.table.next_tick().unwrap_or(self.now));
        self.feed(Input::Stalled { late });
    }

    /// So much later than now.
    fn after(&self, time: &str) -> Tick {
        self.now + self.duration(time)
    }

    fn duration(&self, text: &str) -> Duration {
        let ms = text.strip_suffix("ms").and_then(|ms| ms.parse().ok());
        Duration::from_millis(ms.unwrap_or_else(|| self.fail("no time")))
    }

    /// Lets time pass, with a tick whenever the table wants one.
    fn pass(&mut self, time: &str) {
        let until = self.after(time);
        while let Some(tick) = self.table.next_tick().filter(|tick| *tick <= until) {
            self.now = self.now.max(tick);
            self.feed(Input::Tick);
            if self.table.next_tick() == Some(tick) {
                self.fail("a tick has come and is wanted again");
            }
        }
        self.now = until;
    }

    fn seat_told(&self, seat: SeatId) {
        if self.told.get(seat.0 as usize).is_some_and(|lines| !lines.is_empty()) {
            self.fail("the bot has been told more");
        }
    }

    fn all_told(&self) {
        for seat in 0..self.told.len() {
            self.seat_told(SeatId(seat as u32));
        }
    }

    fn report(&self) -> Report {
        self.table.report(0).unwrap_or_else(|| self.fail("the game goes on"))
    }

    fn outcome(&self, wanted: &str) {
        let report = self.report();
        let winner = report.players.iter().position(|player| player.rank == 1).unwrap_or(0);
        let result = match report.outcome {
            Verdict::Win => format!("win {winner}: {}", report.reason),
            Verdict::Draw => format!("draw: {}", report.reason),
            Verdict::Void => format!("void: {}", report.reason),
        };
        if result != wanted {
            self.fail(&format!("the outcome is {result:?}"));
        }
    }

    fn faults(&self, wanted: &str) {
        let (player, kind) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let player: usize = player.parse().unwrap_or_else(|_| self.fail("no player"));
        let faults = &self.table.faults()[player];
        let agrees = match kind {
            "none" => faults.is_empty(),
            kind => faults.iter().any(|fault| {
                fault.kind.name() == kind || format!("{}: {}", fault.kind, fault.detail) == kind
            }),
        };
        if !agrees {
            self.fail(&format!("the faults are {faults:?}"));
        }
    }

    fn notes(&self, wanted: &str) {
        let (player, text) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let player: usize = player.parse().unwrap_or_else(|_| self.fail("no player"));
        let notes = &self.table.notes()[player];
        if notes.iter().all(|note| note.text != text) {
            self.fail(&format!("the notes are {notes:?}"));
        }
    }

    fn finish(self) -> Report {
        self.all_told();
        if !self.table.closed() {
            self.fail("the transcript is over, the match is not");
        }
        self.report()
    }
}

/// `\xff` and `\t` as the bytes they stand for.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = || {
            let digits = std::str::from_utf8(rest.get(2..4)?).ok()?;
            u8::from_str_radix(digits, 16).ok()
        };
        match (first, after.first(), hex()) {
            (b'\\', Some(b'x'), Some(byte)) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            (b'\\', Some(b't'), _) => {
                bytes.push(b'\t');
                rest = &rest[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    bytes
}
