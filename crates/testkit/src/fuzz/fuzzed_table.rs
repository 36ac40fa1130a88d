//! A table that is fed with arbitrary input, and what must hold all the same.

use std::collections::BTreeSet;
use std::time::Duration;

use game::{Fault, FaultKind, ProcessHistory, Tick, Verdict};
use table::{
    AnyGame, AnyTable, Input, Known, Output, Outputs, Report, SeatId, SeatStatus, Thought,
};

use crate::AtOnce;

/// A table whose bots, processes and clocks are played by somebody without manners.
pub struct FuzzedTable {
    table: Box<dyn AnyTable>,
    out: Outputs,
    now: Tick,
    /// Every seat that was ever asked for.
    seats: Vec<SeatId>,
    /// Seats that wait for a process.
    waiting: Vec<SeatId>,
    /// Seats whose clock is to start when they have taken their first question.
    cold: BTreeSet<SeatId>,
    /// What built-in bots have decided and nobody has been told.
    thoughts: Vec<(SeatId, Thought)>,
    /// Whether the host has given up on the match.
    aborted: bool,
}

/// So many ticks in a row may lead to nothing, for each seat and at least.
const IDLE_TICKS: (usize, usize) = (8, 64);

/// A match that is left to itself is given up after so many ticks: some set-ups play for hours.
const PATIENCE: usize = 3000;

/// More notes and faults of one player than this are a leak, unless by each an actor forfeits.
const MOST_TOLD: usize = 1000;

impl FuzzedTable {
    /// Opens a table.
    pub fn new(table: Box<dyn AnyTable>) -> FuzzedTable {
        let mut fuzzed = FuzzedTable {
            table,
            out: Outputs::default(),
            now: Tick::ZERO,
            seats: Vec::new(),
            waiting: Vec::new(),
            cold: BTreeSet::new(),
            thoughts: Vec::new(),
            aborted: false,
        };
        fuzzed.table.open(fuzzed.now, &mut fuzzed.out);
        fuzzed.carry_out();
        fuzzed
    }

    /// Whether everything is over.
    pub fn closed(&self) -> bool {
        self.table.closed()
    }

    /// Some seat there is or was.
    pub fn seat(&self, number: usize) -> Option<SeatId> {
        (!self.seats.is_empty()).then(|| self.seats[number % self.seats.len()])
    }

    /// Some seat that is not closed; any other if all are.
    pub fn living(&self, number: usize) -> Option<SeatId> {
        let living: Vec<SeatId> = self
            .seats
            .iter()
            .copied()
            .filter(|seat| self.table.seat(*seat) != SeatStatus::Closed)
            .collect();
        match living.is_empty() {
            true => self.seat(number),
            false => Some(living[number % living.len()]),
        }
    }

    /// Lets time pass, without a word to the table.
    pub fn pass(&mut self, time: Duration) {
        self.now = self.now + time;
    }

    /// The next moment the table asked for has come, or whatever moment it is.
    pub fn tick(&mut self) {
        self.now = self.table.next_tick().unwrap_or(self.now).max(self.now);
        self.feed(Input::Tick);
    }

    /// Whether a seat waits for a process.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Puts a process into one of the seats that wait for one.
    pub fn fill(&mut self, number: usize, process: ProcessHistory) {
        if !self.waiting.is_empty() {
            let seat = self.waiting.remove(number % self.waiting.len());
            self.feed(Input::Seated { seat, process, known: Known::default() });
        }
    }

    /// Tells the table what one of its built-in bots has decided.
    pub fn deliver(&mut self, number: usize) {
        if !self.thoughts.is_empty() {
            let (seat, thought) = self.thoughts.remove(number % self.thoughts.len());
            self.feed(Input::Thought { seat, thought, cpu: Duration::ZERO });
        }
    }

    /// Tells the table something and does what it wants.
    pub fn feed(&mut self, input: Input<'_>) {
        if let Input::Abort { .. } | Input::Stalled { .. } = input {
            self.aborted = true;
        }
        if let Input::Taken { seat, .. } = input {
            self.cold.remove(&seat);
        }
        self.table.feed(self.now, input, &mut self.out);
        self.carry_out();
    }

    fn carry_out(&mut self) {
        while !self.out.list.is_empty() {
            for output in std::mem::take(&mut self.out.list) {
                match output {
                    Output::Open { seat, .. } => {
                        self.seats.push(seat);
                        self.waiting.push(seat);
                    }
                    Output::Cold { seat } => {
                        self.cold.insert(seat);
                    }
                    Output::Write { seat, starts_clock, bytes } => {
                        assert!(self.out.bytes.get(bytes).is_some(), "the bytes are there");
                        if starts_clock && !self.cold.contains(&seat) {
                            self.table.clock_started(seat, self.now, Duration::ZERO);
                        }
                    }
                    Output::Close { seat, .. } => {
                        assert_eq!(
                            self.table.seat(seat),
                            SeatStatus::Closed,
                            "what is closed is gone"
                        );
                        self.waiting.retain(|other| *other != seat);
                        self.cold.remove(&seat);
                    }
                    Output::CloseInput { seat } => {
                        unreachable!("no match closes the input of {seat:?} before its end");
                    }
                    Output::Think { seat } => self.think(seat),
                    Output::Show { .. } => unreachable!("no person is at this table"),
                }
            }
            self.out.bytes.clear();
        }
    }

    fn think(&mut self, seat: SeatId) {
        if !self.seats.contains(&seat) {
            self.seats.push(seat);
        }
        self.table.clock_started(seat, self.now, Duration::ZERO);
        if let Some(thinker) = self.table.thinker(seat) {
            self.thoughts.push((seat, thinker.think(&AtOnce)));
        }
    }

    /// Leaves the match to itself until it has ended, and looks at what is left.
    ///
    /// # Panics
    /// If it does not end, its report is not sound or its log does not verify.
    pub fn end(mut self, game: &dyn AnyGame) {
        let (mut turns, mut idle) = (0, 0);
        for round in 0.. {
            while self.waits() {
                self.fill(0, ProcessHistory::Fresh);
            }
            // Built-in bots may play a whole game among themselves.
            for _ in 0..PATIENCE.min(self.thoughts.len()) {
                self.deliver(0);
            }
            if self.closed() {
                break;
            }
            match self.table.next_tick() {
                _ if round >= PATIENCE => {
                    self.feed(Input::Abort { reason: "patience is at its end" })
                }
                Some(_) => self.tick(),
                None => self.leave(),
            }
            idle = if turns == self.table.turns() { idle + 1 } else { 0 };
            turns = self.table.turns();
            let most = self.seats.len() * IDLE_TICKS.0 + IDLE_TICKS.1;
            assert!(idle < most, "after turn {turns} time passes and nothing comes of it");
        }
        self.look_back(game);
    }

    /// Nobody is pressed for time, so nothing happens unless somebody leaves.
    fn leave(&mut self) {
        for seat in self.seats.clone() {
            if self.table.seat(seat) != SeatStatus::Closed {
                let fault = Fault::new(FaultKind::Crash, "left");
                self.feed(Input::Lost { seat, fault });
            }
        }
    }

    fn look_back(self, game: &dyn AnyGame) {
        let report = self.table.report(0).expect("a closed table has a result");
        sound(&report);
        assert!(self.aborted || report.outcome != Verdict::Void, "only a host makes a match void");
        for notes in self.table.notes() {
            assert!(notes.len() <= MOST_TOLD, "{} notes", notes.len());
        }
        for faults in self.table.faults() {
            assert!(faults.len() <= MOST_TOLD + self.seats.len(), "{} faults", faults.len());
        }
        let void = report.outcome == Verdict::Void;
        let file = self.table.take_log().to_file().expect("memory can be written to");
        let record = table::Record::read(&file).expect("what was written can be read");
        let mut replay = game.replay(&record).expect("what was written can be replayed");
        assert_eq!(replay.verify(), Ok(()), "void: {void}");
        assert_eq!(crate::law::last_turn(&*replay), report.turns);
        super::look_at(game, &mut *replay);
    }
}

/// Whether a report makes sense.
///
/// # Panics
/// If it does not.
pub fn sound(report: &Report) {
    let ranks: Vec<u16> = report.players.iter().map(|player| player.rank).collect();
    for (rank, player) in ranks.iter().zip(&report.players) {
        let better = ranks.iter().filter(|other| *other < rank).count();
        match report.outcome {
            Verdict::Void => assert_eq!(*rank, 0, "nobody is first in a void match"),
            Verdict::Win | Verdict::Draw => {
                assert_eq!(usize::from(*rank), better + 1, "{ranks:?}: {}", report.reason);
            }
        }
        assert!(player.score.is_finite() && player.wall_ms.is_finite(), "{player:?}");
        // All figures are of the same answers. They are rounded to microseconds.
        let most = player.slowest_ms * f64::from(player.moves) + 1e-3 * f64::from(player.moves + 1);
        assert!(player.slowest_ms <= player.wall_ms && player.wall_ms <= most, "{player:?}");
        assert!(player.moves > 0 || player.cpu_ms == 0.0, "{player:?}");
    }
    assert!(!report.reason.is_empty());
    let json = serde_json::to_string(report).expect("a report serialises");
    let back: Report =
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(&back, report, "through JSON");
}
