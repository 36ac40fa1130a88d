//! A script in the place of a match: the host seats the process, writes and reads as always.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game::{About, Clock, Note, PlayerId, Seed, Tick, Verdict};
use serde_json::Value;
use table::check::Script;
use table::{
    Adjudication, AnyTable, FaultLine, Fresh, Header, Input, LineEnd, Log, Measure, Output,
    Outputs, Parting, Picture, PlayerLine, Report, Room, SeatId, SeatStatus, Snapshot, Thinker,
    ViewedMatch, Void,
};

use crate::load::Load;
use crate::machine::{Machine, Wish};
use crate::trial::Trial;

/// The only seat.
const SEAT: SeatId = SeatId(0);

/// One process that a script speaks to.
pub(crate) struct ScriptTable {
    script: Arc<Script>,
    machine: Machine,
    status: SeatStatus,
    void: Option<Void>,
    log: Log,
    /// Where the result is put.
    result: Arc<Mutex<Option<Trial>>>,
}

impl ScriptTable {
    /// A table for a script with a bot of this name. What comes of it is put into `result`.
    pub(crate) fn new(
        name: &str,
        script: Arc<Script>,
        line_end: LineEnd,
        clock: Clock,
        load: Load,
        result: Arc<Mutex<Option<Trial>>>,
    ) -> ScriptTable {
        let player =
            PlayerLine { name: name.to_owned(), bot: name.to_owned(), about: None, clock: None };
        let header = Header {
            v: 0,
            game: String::new(),
            lanista: String::new(),
            id: String::new(),
            config: Value::Null,
            seed: Seed(0),
            players: vec![player],
            clock,
            adjudication: Adjudication::NONE,
        };
        ScriptTable {
            machine: Machine::new(script.clone(), line_end, clock.start, load),
            script,
            status: SeatStatus::Opening,
            void: None,
            log: Log::unrecorded(header),
            result,
        }
    }

    fn carry_out(&mut self, wishes: Vec<Wish>, out: &mut Outputs) {
        if self.status == SeatStatus::Closed {
            return;
        }
        let mut over = false;
        for wish in wishes {
            match wish {
                Wish::Write(bytes) => write(bytes, out),
                Wish::WriteAndTell(bytes) => {
                    // As it is told of a first question that it has been read.
                    out.list.push(Output::Cold { seat: SEAT });
                    write(bytes, out);
                }
                Wish::CloseInput => out.list.push(Output::CloseInput { seat: SEAT }),
                Wish::End => over = true,
            }
        }
        if over {
            self.close(out);
        }
    }

    fn close(&mut self, out: &mut Outputs) {
        self.status = SeatStatus::Closed;
        out.list.push(Output::Close { seat: SEAT, parting: Parting::Kill });
        let trial = std::mem::take(&mut self.machine.trial);
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(trial);
    }

    fn give_up(&mut self, void: Void, out: &mut Outputs) {
        if self.status != SeatStatus::Closed {
            self.void = Some(void);
            self.close(out);
        }
    }
}

fn write(bytes: Vec<u8>, out: &mut Outputs) {
    let from = out.bytes.len();
    out.bytes.extend(bytes);
    let bytes = from..out.bytes.len();
    out.list.push(Output::Write { seat: SEAT, bytes, starts_clock: true });
}

impl AnyTable for ScriptTable {
    fn open(&mut self, _: Tick, out: &mut Outputs) {
        let process = Box::new(self.script.process.clone());
        out.list.push(Output::Open { seat: SEAT, player: PlayerId(0), process, fresh: Fresh::Yes });
    }

    fn feed(&mut self, now: Tick, input: Input<'_>, out: &mut Outputs) {
        if self.status == SeatStatus::Closed {
            return;
        }
        let machine = &mut self.machine;
        let wishes = match input {
            Input::Seated { known, .. } => {
                self.status = SeatStatus::Awaited;
                machine.seated(now, known.folder)
            }
            Input::Taken { cpu, .. } => {
                machine.used(cpu);
                machine.read(now)
            }
            Input::Line { line, cpu, .. } => {
                machine.used(cpu);
                machine.line(now, line)
            }
            Input::Unfinished { bytes, .. } => {
                machine.begun(bytes);
                Vec::new()
            }
            Input::Stderr { bytes, .. } => {
                machine.stderr(now, bytes);
                Vec::new()
            }
            Input::Lost { fault, .. } => machine.lost(now, &fault),
            Input::Used { cpu, .. } => {
                machine.used(cpu);
                Vec::new()
            }
            Input::Stalled { .. } => {
                machine.stalled(now);
                Vec::new()
            }
            Input::Tick => machine.tick(now),
            Input::Abort { reason } => {
                self.give_up(Void::GivenUp(reason.to_owned()), out);
                return;
            }
            // There is neither a built-in bot nor a person, and no file is looked at.
            Input::Thought { .. } | Input::Person { .. } | Input::Kept { .. } => Vec::new(),
        };
        self.carry_out(wishes, out);
    }

    fn clock_started(&mut self, _: SeatId, at: Tick, cpu: Duration) {
        self.machine.asked(at, cpu);
    }

    fn next_tick(&self) -> Option<Tick> {
        self.machine.next_tick()
    }

    fn thinker(&mut self, _: SeatId) -> Option<Thinker> {
        None
    }

    fn seat(&self, _: SeatId) -> SeatStatus {
        self.status
    }

    fn programs_awaited(&self) -> usize {
        usize::from(self.status == SeatStatus::Awaited)
    }

    fn closed(&self) -> bool {
        self.status == SeatStatus::Closed
    }

    fn charges_cpu(&self) -> bool {
        // Time that other threads and processes of the bot use shows that it works, too.
        true
    }

    fn about(&self, _: PlayerId) -> Option<About> {
        None
    }

    fn abandon(&mut self, _: Tick, reason: &str) {
        self.give_up(Void::GivenUp(reason.to_owned()), &mut Outputs::default());
    }

    fn void(&self) -> Option<&Void> {
        self.void.as_ref()
    }

    fn report(&self, index: u64) -> Option<Report> {
        self.closed().then(|| Report {
            v: 1,
            game: String::new(),
            id: String::new(),
            index,
            seed: 0,
            run_seed: None,
            outcome: if self.void.is_some() { Verdict::Void } else { Verdict::Draw },
            reason: self.void.as_ref().map_or("", Void::reason).to_owned(),
            ending: None,
            turns: 0,
            players: Vec::new(),
            host_delay_ms: 0.0,
            restarts: 0,
            tier: String::new(),
            worker: None,
            digest: String::new(),
            replay: None,
        })
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn take_log(self: Box<Self>) -> Log {
        self.log
    }
}

/// Nobody watches a script.
impl ViewedMatch for ScriptTable {
    fn watch(&mut self) {}
    fn names(&self) -> Vec<String> {
        self.log.header().players.iter().map(|player| player.name.clone()).collect()
    }
    fn turns(&self) -> u32 {
        0
    }
    fn happened(&self) -> Vec<(Option<PlayerId>, String)> {
        Vec::new()
    }
    fn faults(&self) -> Vec<Vec<FaultLine>> {
        Vec::new()
    }
    fn notes(&self) -> Vec<Vec<Note>> {
        Vec::new()
    }
    fn standing(&self) -> Option<Vec<f64>> {
        None
    }
    fn measures(&self) -> Vec<Measure> {
        Vec::new()
    }
    fn snapshot(&self) -> Box<dyn Snapshot> {
        Box::new(Nothing)
    }
}

struct Nothing;

impl Snapshot for Nothing {
    fn draw(&self, _: Room) -> Picture {
        Picture::default()
    }
    fn draw_for(&self, _: PlayerId, _: Room) -> Option<Picture> {
        None
    }
}
