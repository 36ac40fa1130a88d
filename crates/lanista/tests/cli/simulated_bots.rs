//! Programs that exist only in this process: built-in bots behind somebody who spoils what they say.
//! Time is simulated, so that thousands of them can be seated where others start processes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use check::CheckError;
use game::{Fault, FaultKind, ProcessHistory, Rng, Tick};
use host::Job;
use table::{
    AnyGame, AnyTable, BotProgram, Fresh, Input, Known, Log, Output, Outputs, Parting,
    ProgramReply, Record, Report, SeatId,
};
use testkit::AtOnce;

/// What is wrong with a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    None,
    /// Every line from this one on is changed.
    Words(usize, Change),
    /// One line is changed.
    Word(usize, Change),
    /// From this line on it says nothing.
    Silent(usize),
    /// One line is never said.
    Missing(usize),
    /// Every line comes a second time.
    Twice,
    /// It says this when it starts.
    Banner(&'static str),
    /// Every line comes only after the next line of the host.
    OneBehind,
    /// Every line comes so late.
    Late(Duration),
    /// It ends in place of saying this line.
    Exits(usize, i32),
    /// It ends when its second game begins: when the first thing that it heard comes again.
    ExitsInSecondGame,
    /// The end of this line never comes.
    Unfinished(usize),
}

/// A change of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Garbage,
    Empty,
    Half,
    UpperCase,
    LowerCase,
    /// Its first number is larger by so much.
    Larger(i64),
    /// Its first number has a fraction.
    Fraction,
    /// What stands before the first comma and after it change places.
    Swapped,
    /// One of its bytes is another one.
    Byte(usize, u8),
    /// It stands in brackets.
    Brackets,
    /// Blanks stand around it.
    Blanks,
    /// A CR stands before its end.
    Cr,
    /// A word stands before it.
    Prefixed,
}

impl Flaw {
    /// Any flaw.
    pub fn drawn(rng: &mut Rng) -> Flaw {
        let line = rng.index(6);
        match rng.below(16) {
            0..=3 => Flaw::Words(line.min(3), Change::drawn(rng)),
            4..=7 => Flaw::Word(line, Change::drawn(rng)),
            8 => Flaw::Silent(line),
            9 => Flaw::Missing(line),
            10 => Flaw::Twice,
            11 => Flaw::Banner(["Welcome", "OK", "7,7", "{}", "move UP"][rng.index(5)]),
            12 => Flaw::OneBehind,
            13 => Flaw::Late(Duration::from_millis([5, 60_000][rng.index(2)])),
            14 => Flaw::Exits(line, [0, 1][rng.index(2)]),
            _ => [Flaw::ExitsInSecondGame, Flaw::Unfinished(line)][rng.index(2)].clone(),
        }
    }
}

impl Change {
    fn drawn(rng: &mut Rng) -> Change {
        match rng.below(14) {
            0 => Change::Garbage,
            1 => Change::Empty,
            2 => Change::Half,
            3 => Change::UpperCase,
            4 => Change::LowerCase,
            5 => Change::Larger(1),
            6 => Change::Larger(1000),
            7 => Change::Fraction,
            8 => Change::Swapped,
            9 => Change::Byte(rng.index(12), b"x0,:{\" "[rng.index(7)]),
            10 => Change::Brackets,
            11 => Change::Blanks,
            12 => Change::Cr,
            _ => Change::Prefixed,
        }
    }

    fn apply(&self, line: &str) -> String {
        let number = |by: &dyn Fn(&str) -> String| {
            let Some(from) = line.find(|letter: char| letter.is_ascii_digit()) else {
                return line.to_owned();
            };
            let rest = &line[from..];
            let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            format!("{}{}{}", &line[..from], by(&rest[..length]), &rest[length..])
        };
        match self {
            Change::Garbage => "\x1b[31mgarbage".to_owned(),
            Change::Empty => String::new(),
            Change::Half => line.chars().take(line.chars().count() / 2).collect(),
            Change::UpperCase => line.to_uppercase(),
            Change::LowerCase => line.to_lowercase(),
            Change::Larger(by) => {
                number(&|digits| (digits.parse::<i64>().unwrap_or(0) + by).to_string())
            }
            Change::Fraction => number(&|digits| format!("{digits}.5")),
            Change::Swapped => match line.split_once(',') {
                Some((first, rest)) => format!("{rest},{first}"),
                None => line.to_owned(),
            },
            Change::Byte(at, byte) => {
                let mut bytes = line.as_bytes().to_vec();
                if let Some(place) = bytes.get_mut(*at) {
                    *place = *byte;
                }
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Change::Brackets => format!("({line})"),
            Change::Blanks => format!("  {line}  "),
            Change::Cr => format!("{line}\r"),
            Change::Prefixed => format!("answer: {line}"),
        }
    }
}

/// The questions whose answers a flaw has spoiled. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct Spoiled(Arc<Mutex<BTreeSet<String>>>);

impl Spoiled {
    fn add(&self, question: &str) {
        self.0.lock().expect("nobody panics here").insert(question.to_owned());
    }

    /// Takes them out.
    pub fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.0.lock().expect("nobody panics here"))
    }
}

/// What kind of question a line of the host is: its first word, or what its JSON calls its type.
fn question(line: &[u8]) -> String {
    if let Ok(object) = serde_json::from_slice::<serde_json::Value>(line) {
        return object["type"].as_str().unwrap_or_default().to_owned();
    }
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    String::from_utf8_lossy(word).into_owned()
}

/// A process that exists only here.
struct Simulated {
    program: Box<dyn BotProgram>,
    flaw: Flaw,
    spoiled: Spoiled,
    /// What it was asked last.
    asked: String,
    /// A line of the host whose end has not come.
    heard: Vec<u8>,
    /// The first line that it heard.
    first: Option<Vec<u8>>,
    /// How many lines it wanted to say.
    count: usize,
    /// Lines that wait for the next one of the host.
    held_back: Vec<String>,
}

/// What a process does, and when.
enum Deed {
    Line(String),
    Unfinished(String),
    Exit(i32),
    /// It has its seat.
    Seated(ProcessHistory),
    /// It has read what it was told.
    Taken,
}

/// How long an answer takes.
const THOUGHT: Duration = Duration::from_millis(1);

impl Simulated {
    fn new(program: Box<dyn BotProgram>, flaw: Flaw, spoiled: Spoiled) -> Simulated {
        let (asked, heard, first, count, held_back) = Default::default();
        Simulated { program, flaw, spoiled, asked, heard, first, count, held_back }
    }

    fn hear(&mut self, bytes: &[u8]) -> Vec<Deed> {
        let mut deeds = Vec::new();
        self.heard.extend(bytes);
        while let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.heard.drain(..=end).collect();
            let line = line.trim_ascii_end();
            self.asked = question(line);
            deeds.extend(std::mem::take(&mut self.held_back).into_iter().map(Deed::Line));
            if self.flaw == Flaw::ExitsInSecondGame && self.first.as_deref() == Some(line) {
                self.spoiled.add(&self.asked);
                deeds.push(Deed::Exit(1));
                return deeds;
            }
            self.first.get_or_insert_with(|| line.to_vec());
            let said = match self.program.line(line) {
                ProgramReply::Silent => continue,
                ProgramReply::Say(text) => text,
                ProgramReply::Think => self.program.think(&AtOnce),
                ProgramReply::Leave => {
                    deeds.push(Deed::Exit(0));
                    return deeds;
                }
            };
            for line in said.split('\n') {
                self.say(line, &mut deeds);
            }
        }
        deeds
    }

    fn say(&mut self, line: &str, deeds: &mut Vec<Deed>) {
        let number = self.count;
        self.count += 1;
        let plain = || Deed::Line(line.to_owned());
        match &self.flaw {
            Flaw::Words(from, change) if number >= *from && change.apply(line) != line => {
                deeds.push(Deed::Line(change.apply(line)));
            }
            Flaw::Word(at, change) if number == *at && change.apply(line) != line => {
                deeds.push(Deed::Line(change.apply(line)));
            }
            Flaw::Silent(from) if number >= *from => {}
            Flaw::Missing(at) if number == *at => {}
            Flaw::Twice => deeds.extend([plain(), plain()]),
            Flaw::OneBehind => self.held_back.push(line.to_owned()),
            Flaw::Late(_) => deeds.push(plain()),
            Flaw::Exits(at, code) if number == *at => deeds.push(Deed::Exit(*code)),
            Flaw::Unfinished(at) if number >= *at => deeds.push(Deed::Unfinished(line.to_owned())),
            Flaw::None
            | Flaw::Words(..)
            | Flaw::Word(..)
            | Flaw::Silent(_)
            | Flaw::Missing(_)
            | Flaw::Banner(_)
            | Flaw::Exits(..)
            | Flaw::ExitsInSecondGame
            | Flaw::Unfinished(_) => return deeds.push(plain()),
        }
        self.spoiled.add(&self.asked);
    }
}

/// Plays jobs as a host does, with simulated processes in all seats of programs.
pub fn play(
    game: &dyn AnyGame,
    bot: &str,
    flaw: &Flaw,
    spoiled: &Spoiled,
    jobs: Vec<Job>,
) -> Result<Vec<(Report, Record)>, CheckError> {
    let mut idle = Vec::new();
    let mut played = Vec::new();
    for job in jobs {
        let make = || {
            let program = game.program(bot, game::Seed(1)).expect("it can be a program");
            Simulated::new(program, flaw.clone(), spoiled.clone())
        };
        let (report, log) = Match::new((job.table)()?, &make, &mut idle).play(job.index);
        played.push((report, log.into_record()));
    }
    Ok(played)
}

/// A match under way.
struct Match<'a> {
    table: Box<dyn AnyTable>,
    out: Outputs,
    now: Tick,
    make: &'a dyn Fn() -> Simulated,
    /// Processes that stayed after their last game.
    idle: &'a mut Vec<Simulated>,
    seated: HashMap<SeatId, Simulated>,
    /// Seats whose clock is to start when they have taken their first question.
    cold: HashSet<SeatId>,
    /// What will happen, in order.
    due: BTreeMap<(Tick, u64), (SeatId, Deed)>,
    count: u64,
}

impl<'a> Match<'a> {
    fn new(
        table: Box<dyn AnyTable>,
        make: &'a dyn Fn() -> Simulated,
        idle: &'a mut Vec<Simulated>,
    ) -> Match<'a> {
        let (out, seated, cold, due) = Default::default();
        Match { table, out, now: Tick::ZERO, make, idle, seated, cold, due, count: 0 }
    }

    fn play(mut self, index: u64) -> (Report, Log) {
        self.table.open(self.now, &mut self.out);
        self.carry_out();
        while !self.table.closed() {
            let deed = self.due.first_key_value().map(|((at, _), _)| *at);
            let tick = self.table.next_tick();
            match (deed, tick) {
                (Some(deed), tick) if tick.is_none_or(|tick| deed <= tick) => {
                    let ((at, _), (seat, deed)) = self.due.pop_first().expect("it was there");
                    self.now = self.now.max(at);
                    self.happen(seat, deed);
                }
                (_, Some(tick)) => {
                    self.now = self.now.max(tick);
                    self.table.feed(self.now, Input::Tick, &mut self.out);
                }
                (Some(_) | None, None) => panic!("nobody does anything, yet it is not over"),
            }
            self.carry_out();
        }
        (self.table.report(index).expect("it is over"), self.table.take_log())
    }

    fn happen(&mut self, seat: SeatId, deed: Deed) {
        let (cpu, code);
        let input = match &deed {
            Deed::Line(line) => {
                cpu = THOUGHT * self.seated.get(&seat).map_or(0, |it| it.count as u32);
                Input::Line { seat, line: line.as_bytes(), cpu }
            }
            Deed::Unfinished(line) => Input::Unfinished { seat, bytes: line.as_bytes() },
            Deed::Exit(with) => {
                code = format!("its process exited with code {with}");
                self.due.retain(|_, (other, _)| *other != seat);
                self.seated.remove(&seat);
                Input::Lost { seat, fault: Fault::new(FaultKind::Crash, code) }
            }
            Deed::Seated(history) => {
                let (process, known) = (*history, Known::default());
                Input::Seated { seat, process, known }
            }
            Deed::Taken => {
                self.cold.remove(&seat);
                Input::Taken { seat, cpu: Duration::ZERO }
            }
        };
        self.table.feed(self.now, input, &mut self.out);
    }

    fn later(&mut self, time: Duration, seat: SeatId, deed: Deed) {
        self.count += 1;
        self.due.insert((self.now + time, self.count), (seat, deed));
    }

    /// Does what the table wants.
    fn carry_out(&mut self) {
        while !self.out.list.is_empty() {
            let Outputs { list, bytes } = std::mem::take(&mut self.out);
            for output in list {
                match output {
                    Output::Open { seat, fresh, .. } => self.open(seat, fresh),
                    Output::Cold { seat } => drop(self.cold.insert(seat)),
                    Output::Write { seat, bytes: place, starts_clock } => {
                        self.write(seat, &bytes[place], starts_clock);
                    }
                    Output::Think { seat } => {
                        let thinker = self.table.thinker(seat).expect("it sits there");
                        let (thought, cpu) = (thinker.think(&AtOnce), Duration::ZERO);
                        let input = Input::Thought { seat, thought, cpu };
                        self.table.feed(self.now, input, &mut self.out);
                    }
                    Output::CloseInput { seat } => self.later(THOUGHT, seat, Deed::Exit(0)),
                    Output::Close { seat, parting } => {
                        self.due.retain(|_, (other, _)| *other != seat);
                        let process = self.seated.remove(&seat);
                        if let Parting::Keep { .. } = parting {
                            self.idle.extend(process);
                        }
                    }
                    Output::Show { .. } => unreachable!("no person is at this table"),
                }
            }
        }
    }

    fn open(&mut self, seat: SeatId, fresh: Fresh) {
        let kept = if fresh == Fresh::Yes { None } else { self.idle.pop() };
        let history = if kept.is_some() { ProcessHistory::Reused } else { ProcessHistory::Fresh };
        let process = kept.unwrap_or_else(self.make);
        self.later(Duration::ZERO, seat, Deed::Seated(history));
        if let (Flaw::Banner(text), ProcessHistory::Fresh) = (&process.flaw, history) {
            process.spoiled.add("its start");
            self.later(THOUGHT, seat, Deed::Line((*text).to_owned()));
        }
        self.seated.insert(seat, process);
    }

    fn write(&mut self, seat: SeatId, bytes: &[u8], starts_clock: bool) {
        match (self.cold.contains(&seat), starts_clock) {
            (true, _) => self.later(Duration::ZERO, seat, Deed::Taken),
            (false, true) => self.table.clock_started(seat, self.now, Duration::ZERO),
            (false, false) => {}
        }
        let Some(process) = self.seated.get_mut(&seat) else { return };
        let wait = match process.flaw {
            Flaw::Late(late) => late,
            _ => THOUGHT,
        };
        for deed in process.hear(bytes) {
            self.later(wait, seat, deed);
        }
    }
}
