//! The loop: one worker thread plays whole matches, one at a time.

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::{Duration, Instant};

use game::{Fault, FaultKind, PlayerId, Tick};
use table::{AnyTable, Input, Output, Outputs, Parting, SeatId};

use crate::ahead::Ahead;
use crate::child::{Child, Start};
use crate::placement::{Cores, pin_process, place_process};
use crate::reaper;
use crate::run::{Shared, Watcher};
use crate::seats::{Heard, Place, Role};
use crate::sys::{interrupt_waker, interrupted};
use crate::thinking::{Beside, Decision, think};
use crate::waiting::{Source, Waiting};

/// A worker: its processes, and what it waits for.
pub(crate) struct Worker<'r> {
    shared: &'r Shared<'r>,
    cores: Cores,
    /// Processes for the next match, where there are cores to start them on.
    ahead: Option<Ahead>,
    pub(crate) waiting: Waiting,
    pub(crate) places: Vec<Option<Place>>,
    pub(crate) idle: HashMap<usize, Vec<u32>>,
    /// Bots whose idle processes could not be used again: theirs are not kept.
    leavers: HashSet<usize>,
    pub(crate) leaving: usize,
    beside: Beside,
    buffer: Vec<u8>,
    games: u64,
}

/// After so many games orphans of bots that stay are looked for.
const TIDY_AFTER: u64 = 64;

/// The match at hand.
struct Game<'t> {
    table: &'t mut dyn AnyTable,
    /// The bots of the roster that play, by player.
    bots: &'t [usize],
    began: Instant,
    out: Outputs,
    /// The list of wishes being carried out; swapped with `out` to keep its memory.
    list: Vec<Output>,
    /// Where each seat's process is.
    places: Vec<Option<u32>>,
    dirty: Vec<u32>,
    thinkers: Vec<SeatId>,
    watched: u32,
    /// When the worker was last woken: answers that were there by then came no later.
    woke: Tick,
    /// The last time the clock was looked at. Looking costs, so it is not done for its own sake.
    latest: Tick,
}

impl Game<'_> {
    fn now(&self) -> Tick {
        Tick(self.began.elapsed())
    }

    fn feed(&mut self, input: Input<'_>) {
        let now = self.now();
        self.table.feed(now, input, &mut self.out);
    }

    fn wake(&mut self) {
        self.woke = self.now();
        self.latest = self.woke;
    }

    fn place(&self, seat: SeatId) -> Option<u32> {
        self.places.get(seat.0 as usize).copied().flatten()
    }
}

impl<'r> Worker<'r> {
    pub(crate) fn new(shared: &'r Shared<'r>, cores: Cores) -> io::Result<Worker<'r>> {
        let waiting = Waiting::new()?;
        let beside = Beside::new()?;
        waiting.readable(beside.waker(), Source::Thought)?;
        waiting.readable(interrupt_waker(), Source::Interrupt)?;
        Ok(Worker {
            shared,
            ahead: (!cores.spare.is_empty()).then(|| Ahead::new(shared, cores.spare.clone())),
            cores,
            waiting,
            places: Vec::new(),
            idle: HashMap::new(),
            leavers: HashSet::new(),
            leaving: 0,
            beside,
            buffer: vec![0; 64 * 1024],
            games: 0,
        })
    }

    /// Whether it helps to know the next match before this one is played.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.ahead.as_ref().is_some_and(Ahead::is_useful)
    }

    /// Plays a match from the first handshake to the last goodbye. The bots of the next one are
    /// known as `then`.
    pub(crate) fn play(
        &mut self,
        table: &mut dyn AnyTable,
        bots: &[usize],
        then: &[usize],
        mut watcher: Option<&mut (dyn Watcher + 'static)>,
    ) {
        let mut game = Game {
            table,
            bots,
            began: Instant::now(),
            out: Outputs::default(),
            list: Vec::new(),
            places: Vec::new(),
            dirty: Vec::new(),
            thinkers: Vec::new(),
            watched: 0,
            woke: Tick::ZERO,
            latest: Tick::ZERO,
        };
        let mut found = Vec::new();
        self.beside.next_match();
        game.table.open(Tick::ZERO, &mut game.out);
        self.carry_out(&mut game, watcher.as_deref_mut());
        // Not before this match has all its processes.
        if let Some(ahead) = &mut self.ahead {
            ahead.expect(self.shared, then);
        }
        let mut aborted = false;
        loop {
            self.carry_out(&mut game, watcher.as_deref_mut());
            if game.table.closed() {
                self.games += 1;
                if self.games.is_multiple_of(TIDY_AFTER) {
                    reaper::tidy();
                }
                return;
            }
            if interrupted() && !aborted {
                aborted = true;
                game.feed(Input::Abort { reason: "interrupted" });
                continue;
            }
            let timeout = self.timeout(&game);
            self.waiting.wait(timeout, &mut found);
            game.wake();
            self.take_in(&mut game, &mut found);
            self.believe_ends(&mut game);
            if game.table.next_tick().is_some_and(|tick| tick <= game.woke) {
                game.feed(Input::Tick);
            }
            self.see_off();
        }
    }

    /// How long to wait at most: until the table, a dying process or a leaving one is due.
    fn timeout(&self, game: &Game<'_>) -> Option<Duration> {
        let tick = game.table.next_tick().map(|tick| tick.since(game.latest));
        let ends = game.places.iter().flatten().filter_map(|&place| self.at(place)?.ended);
        tick.into_iter().chain(ends.map(until)).chain(self.next_departure()).min()
    }

    pub(crate) fn at(&self, place: u32) -> Option<&Place> {
        self.places.get(place as usize)?.as_ref()
    }

    // ---- what the table wants ----

    fn carry_out(
        &mut self,
        game: &mut Game<'_>,
        mut watcher: Option<&mut (dyn Watcher + 'static)>,
    ) {
        loop {
            // Before the next question goes out: whoever looks on may take their time.
            if let Some(watcher) = watcher.as_deref_mut()
                && game.watched != game.table.turns()
            {
                game.watched = game.table.turns();
                watcher.stepped(game.table);
                game.latest = game.now();
            }
            while !game.out.list.is_empty() {
                std::mem::swap(&mut game.out.list, &mut game.list);
                let mut list = std::mem::take(&mut game.list);
                for output in list.drain(..) {
                    match output {
                        Output::Open { seat, player, fresh, .. } => {
                            self.open(game, seat, player, fresh);
                        }
                        Output::Write { seat, bytes, starts_clock } => {
                            if let Some(place) = game.place(seat)
                                && let Some(there) = &mut self.places[place as usize]
                            {
                                there.queue(&game.out.bytes[bytes], starts_clock);
                                if !game.dirty.contains(&place) {
                                    game.dirty.push(place);
                                }
                            }
                        }
                        Output::Think { seat } => game.thinkers.push(seat),
                        Output::Close { seat, parting } => self.close(game, seat, parting),
                    }
                }
                game.list = list;
                if game.out.list.is_empty() {
                    game.out.bytes.clear();
                }
                self.flush(game);
            }
            // After an interruption nobody is asked to think any more: the match is void.
            if interrupted() {
                game.thinkers.clear();
            }
            match game.thinkers.pop() {
                Some(seat) => self.think(game, seat),
                None => return,
            }
        }
    }

    fn open(&mut self, game: &mut Game<'_>, seat: SeatId, player: PlayerId, fresh: bool) {
        let bot = game.bots[player.index()];
        let index = seat.0 as usize;
        if game.places.len() <= index {
            game.places.resize(index + 1, None);
        }
        if fresh && game.table.turns() == 0 {
            self.leavers.insert(bot);
        }
        if !fresh && let Some(place) = self.idle.get_mut(&bot).and_then(Vec::pop) {
            let there = self.places[place as usize].as_mut().expect("idle places are filled");
            there.seat_again(seat);
            game.places[index] = Some(place);
            game.feed(Input::Seated { seat, reused: true });
            return;
        }
        match self.start(bot, seat) {
            Ok(place) => {
                game.places[index] = Some(place);
                game.feed(Input::Seated { seat, reused: false });
            }
            Err(error) => {
                let shown = self.shared.roster[bot].shown();
                let detail = format!("cannot start \"{shown}\": {error}");
                if ours(&error) {
                    // Not the bot's fault: the game is void.
                    game.feed(Input::Abort { reason: &detail });
                } else {
                    let fault = Fault::new(FaultKind::NotStarted, detail);
                    game.feed(Input::Lost { seat, fault });
                }
            }
        }
    }

    fn start(&mut self, bot: usize, seat: SeatId) -> io::Result<u32> {
        let child = match self.ahead.as_mut().and_then(|ahead| ahead.take(bot)) {
            Some(child) => {
                place_process(child.pid, &self.cores.home);
                child
            }
            None => {
                let (plan, mark) = (self.shared.plan(bot), self.shared.next_mark());
                Child::start(&Start { plan, mark, binds: &[] })?
            }
        };
        match (self.shared.roster[bot].limits.cores as usize, self.core_of(seat)) {
            (0 | 1, Some(core)) => pin_process(child.pid, core),
            (0 | 1, None) => {}
            (several, _) => {
                let most = several.min(self.cores.all.len());
                place_process(child.pid, &self.cores.all[..most]);
            }
        }
        let index = self.places.iter().position(Option::is_none).unwrap_or(self.places.len());
        if index == self.places.len() {
            self.places.push(None);
        }
        let place = Place::new(child, bot, Role::Seated(seat));
        if let Err(error) = place.listen(&self.waiting, index as u32) {
            place.unlisten(&self.waiting);
            return Err(error);
        }
        self.places[index] = Some(place);
        Ok(index as u32)
    }

    /// The core of a seat's own, when bots do not share the worker's.
    fn core_of(&self, seat: SeatId) -> Option<usize> {
        let count = self.cores.bots.len().max(1);
        self.cores.bots.get(seat.0 as usize % count).copied()
    }

    fn close(&mut self, game: &mut Game<'_>, seat: SeatId, parting: Parting) {
        let Some(place) = game.place(seat) else { return };
        game.places[seat.0 as usize] = None;
        let Some(there) = &mut self.places[place as usize] else { return };
        if let (Parting::Leave { .. }, Some(ahead)) = (&parting, &mut self.ahead) {
            ahead.leaves(there.bot);
        }
        // What was said before the goodbye goes out before it.
        let _ = there.flush(&self.waiting, place);
        match parting {
            Parting::Keep { farewell, grace }
                if there.fit() && !self.leavers.contains(&there.bot) =>
            {
                there.role = Role::Idle { farewell, grace };
                self.idle.entry(there.bot).or_default().push(place);
            }
            Parting::Keep { farewell, grace } | Parting::Leave { farewell, grace } => {
                there.send_off(&farewell, grace, &self.waiting);
                self.leaving += 1;
            }
            Parting::Kill => {
                let waiting = &self.waiting;
                there.hear_stderr(&mut self.buffer, waiting, |bytes| {
                    let input = Input::Stderr { seat, bytes };
                    game.table.feed(Tick(game.began.elapsed()), input, &mut game.out);
                });
                self.vacate(place);
            }
        }
    }

    /// Sends what has been queued. The clock of a question starts just before its first byte.
    fn flush(&mut self, game: &mut Game<'_>) {
        for index in 0..game.dirty.len() {
            let place = game.dirty[index];
            let Some(there) = &mut self.places[place as usize] else { continue };
            let Some(seat) = there.seat() else { continue };
            if std::mem::take(&mut there.starts_clock) {
                // The processor clock is read first: nothing may come between the clock's start
                // and the first byte.
                let cpu = there.cpu_before(game.latest);
                game.latest = Tick(game.began.elapsed());
                game.table.clock_started(seat, game.latest, cpu);
            }
            if let Err(fault) = there.flush(&self.waiting, place) {
                game.feed(Input::Lost { seat, fault });
            }
        }
        game.dirty.clear();
    }

    fn think(&mut self, game: &mut Game<'_>, seat: SeatId) {
        let Some(thinker) = game.table.thinker(seat) else { return };
        let granted = game.table.time(seat);
        game.table.clock_started(seat, game.now(), Duration::ZERO);
        // A bot that is not asked prepares, while programs shake hands.
        let prepares = !game.table.awaits(seat);
        let programs_wait = game.places.iter().enumerate().any(|(index, place)| {
            place.is_some() && (prepares || game.table.awaits(SeatId(index as u32)))
        });
        if programs_wait {
            // Their answers must be read when they come, not when this bot is done.
            let core = self.core_of(seat);
            self.beside.think(seat, thinker, granted, core);
        } else {
            let decision = think(seat, thinker, granted);
            game.latest = game.now();
            if interrupted() {
                return;
            }
            // Meanwhile nobody listened: what programs have said out of turn comes first.
            if game.places.iter().any(Option::is_some) {
                let mut found = Vec::new();
                self.waiting.wait(Some(Duration::ZERO), &mut found);
                game.wake();
                self.take_in(game, &mut found);
            }
            decided(game, decision);
        }
    }

    // ---- what has happened ----

    fn take_in(&mut self, game: &mut Game<'_>, found: &mut Vec<Source>) {
        // What a bot says out of turn is heard before an answer leads to the next question, so
        // that it is never taken for the answer to that.
        if found.len() > 1 {
            found.sort_by_key(|source| match source {
                Source::Stderr(_) | Source::Interrupt => 0,
                Source::Stdout(place) => {
                    let seat = self.at(*place).and_then(Place::seat);
                    if seat.is_some_and(|seat| game.table.awaits(seat)) { 2 } else { 1 }
                }
                Source::Thought => 2,
                Source::Stdin(_) => 3,
                Source::Exit(_) => 4,
            });
        }
        for source in found.drain(..) {
            match source {
                Source::Stdout(place) => {
                    // All there is, before anybody is asked anything. A pipe does not hold more.
                    let mut rounds = 0;
                    while self.stdout(game, place) && rounds < 32 {
                        rounds += 1;
                    }
                }
                Source::Stderr(place) => self.stderr(game, place),
                Source::Exit(place) => self.exit(game, place),
                Source::Stdin(place) => {
                    if let Some(there) = &mut self.places[place as usize] {
                        let _ = there.flush(&self.waiting, place);
                    }
                }
                Source::Thought => {
                    for decision in self.beside.decisions() {
                        decided(game, decision);
                    }
                }
                Source::Interrupt => {}
            }
        }
    }

    /// Reads once. True if there may be more.
    fn stdout(&mut self, game: &mut Game<'_>, place: u32) -> bool {
        let Some(there) = self.places.get_mut(place as usize).and_then(Option::as_mut) else {
            return false;
        };
        let heard = there.hear(&mut self.buffer);
        if let Heard::Nothing = heard {
            return false;
        }
        let Some(seat) = there.seat() else {
            // An idle process has nothing to say; one that ends or talks is of no use.
            self.drop_idle(place);
            return false;
        };
        let count = match heard {
            Heard::Nothing => return false,
            Heard::End => {
                there.output_ended(&self.waiting);
                return false;
            }
            Heard::Bytes(count) => count,
        };
        self.said(game, place, seat, count);
        count == self.buffer.len()
    }

    /// The bot in a seat has said what is in the buffer.
    fn said(&mut self, game: &mut Game<'_>, place: u32, seat: SeatId, count: usize) {
        let Some(there) = &mut self.places[place as usize] else { return };
        let now = game.woke;
        let cpu = there.cpu(now);
        let awaited = game.table.awaits(seat);
        let (table, out) = (&mut *game.table, &mut game.out);
        let read = there.lines.take(&self.buffer[..count], |line| {
            table.feed(now, Input::Line { seat, line, cpu }, out);
        });
        let fault = match read {
            Ok(()) => there.count(count, awaited).err(),
            Err(too_long) => Some(Fault::new(FaultKind::LineTooLong, too_long.0)),
        };
        if let Some(fault) = fault {
            game.feed(Input::Lost { seat, fault });
        }
    }

    fn stderr(&mut self, game: &mut Game<'_>, place: u32) {
        let Some(there) = self.places.get_mut(place as usize).and_then(Option::as_mut) else {
            return;
        };
        let seat = there.seat();
        let now = game.now();
        there.hear_stderr(&mut self.buffer, &self.waiting, |bytes| {
            if let Some(seat) = seat {
                game.table.feed(now, Input::Stderr { seat, bytes }, &mut game.out);
            }
        });
    }

    /// A process has ended. What it said before is heard first.
    fn exit(&mut self, game: &mut Game<'_>, place: u32) {
        let Some(there) = self.at(place) else { return };
        if there.seat().is_none() {
            match there.role {
                Role::Idle { .. } => self.drop_idle(place),
                Role::Leaving(_) => self.departed(place),
                Role::Seated(_) => unreachable!("it has no seat"),
            }
            return;
        }
        // To its end, or as much as a pipe can hold: a process left behind may go on writing.
        game.wake();
        for _ in 0..32 {
            self.stdout(game, place);
            if self.at(place).is_none_or(|there| there.ended.is_some()) {
                break;
            }
        }
        self.gone(game, place);
    }

    /// Reports a process that has ended or will never speak again.
    fn gone(&mut self, game: &mut Game<'_>, place: u32) {
        self.stderr(game, place);
        let Some(there) = &mut self.places[place as usize] else { return };
        let Some(seat) = there.seat() else { return };
        let fault = there.farewell_fault();
        there.ended = None;
        game.feed(Input::Lost { seat, fault });
    }

    /// Output that has ended without an exit following soon.
    fn believe_ends(&mut self, game: &mut Game<'_>) {
        for index in 0..game.places.len() {
            let Some(place) = game.places[index] else { continue };
            let ended = self.at(place).and_then(|there| there.ended);
            if ended.is_some_and(|by| by <= Instant::now()) {
                self.gone(game, place);
            }
        }
    }
}

fn decided(game: &mut Game<'_>, decision: Decision) {
    let now = Tick(decision.at.saturating_duration_since(game.began));
    let Decision { seat, thought, cpu, .. } = decision;
    let input = match thought {
        Some(thought) => Input::Thought { seat, thought, cpu },
        None => {
            let fault = Fault::new(FaultKind::Crash, "the built-in bot panicked");
            Input::Lost { seat, fault }
        }
    };
    game.table.feed(now, input, &mut game.out);
}

/// Whether starting a process failed for want of something that the host should have had.
fn ours(error: &io::Error) -> bool {
    let shortages = [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM, libc::ENOSPC];
    error.raw_os_error().is_some_and(|number| shortages.contains(&number))
}

pub(crate) fn until(moment: Instant) -> Duration {
    moment.saturating_duration_since(Instant::now())
}
