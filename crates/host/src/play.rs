//! The loop: one worker thread plays whole matches, one at a time.

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::{Duration, Instant};

use game::{Fault, FaultKind, Tick};
use table::{AnyTable, Input, Output, Outputs, Parting, SeatId};

use crate::ahead::Ahead;
use crate::child::Child;
use crate::keepsake::Kept;
use crate::metronome::Metronome;
use crate::placement::{Cores, place_process};
use crate::reaper;
use crate::run::{Pondering, Shared, Watcher};
use crate::seats::{Heard, Place, Role};
use crate::spawner::Spawner;
use crate::sys::{interrupt_waker, interrupted};
use crate::thinking::{Beside, Decision, think};
use crate::waiting::{Source, Waiting};

/// A worker: its processes, and what it waits for.
pub(crate) struct Worker<'r> {
    shared: &'r Shared<'r>,
    cores: Cores,
    /// Processes for the next match, where there are cores to start them on.
    ahead: Option<Ahead>,
    /// Starts processes while others play.
    spawner: Option<Spawner<Errand>>,
    /// How many processes it has not started yet.
    coming: usize,
    pub(crate) waiting: Waiting,
    pub(crate) places: Vec<Option<Place>>,
    /// Places that nobody sits in.
    pub(crate) free: Vec<u32>,
    pub(crate) idle: HashMap<usize, Vec<u32>>,
    /// Bots whose idle processes could not be used again: theirs are not kept.
    leavers: HashSet<usize>,
    /// Places whose processes are on their way out.
    pub(crate) going: Vec<u32>,
    /// Processes have ended that may have left others behind.
    pub(crate) unswept: bool,
    beside: Beside,
    metronome: Option<Metronome>,
    buffer: Vec<u8>,
    games: u64,
}

/// What a process is started for.
struct Errand {
    bot: usize,
    seat: SeatId,
}

/// So many processes are started at once by the worker itself; more are started by all cores.
const FEW: usize = 4;

/// What follows when the host has stood still while a bot was on move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stalls {
    /// The match is void.
    Void,
    /// What the clock says stands.
    Stand,
}

/// Coming so much later than wanted is a stall.
const STALL: Duration = Duration::from_millis(50);

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
    /// Places whose output has ended.
    ended: Vec<u32>,
    /// How many seats have a process.
    seated: usize,
    thinkers: Vec<SeatId>,
    /// The place that was asked last, and when.
    asked: u32,
    asked_at: Tick,
    /// Nobody but the one on move has been listened to for a while.
    one_eared: bool,
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

    /// The table is always woken when somebody's time is up. If that has been missed by much, the
    /// host was stopped, or got no processor.
    fn notice_stall(&mut self) {
        let due = self.table.next_tick().unwrap_or(self.woke);
        let late = self.woke.since(due);
        if late > STALL {
            self.table.feed(self.woke, Input::Stalled { late }, &mut self.out);
        }
    }

    /// A process sits in a seat from now on.
    fn sits(&mut self, seat: SeatId, place: u32) {
        let index = seat.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        self.places[index] = Some(place);
        self.seated += 1;
    }

    fn place(&self, seat: SeatId) -> Option<u32> {
        self.places.get(seat.0 as usize).copied().flatten()
    }
}

impl<'r> Worker<'r> {
    pub(crate) fn new(shared: &'r Shared<'r>, cores: Cores) -> io::Result<Worker<'r>> {
        let waiting = Waiting::new()?;
        let beside = Beside::new()?;
        let ahead = match cores.spare.is_empty() {
            true => None,
            false => Some(Ahead::new(shared, cores.spare.clone())?),
        };
        waiting.readable(beside.waker(), Source::Thought)?;
        waiting.readable(interrupt_waker(), Source::Interrupt)?;
        Ok(Worker {
            shared,
            ahead,
            cores,
            spawner: None,
            coming: 0,
            waiting,
            places: Vec::new(),
            free: Vec::new(),
            idle: HashMap::new(),
            leavers: HashSet::new(),
            going: Vec::new(),
            unswept: false,
            beside,
            metronome: Metronome::new(),
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
        stalls: Stalls,
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
            ended: Vec::new(),
            seated: 0,
            thinkers: Vec::new(),
            asked: 0,
            asked_at: Tick::ZERO,
            one_eared: false,
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
            // Nothing that a bot has started outlives its match.
            if game.table.closed() && self.all_dead() {
                self.games += 1;
                // Those that come too late end when they are dropped.
                while self.coming > 0 && self.spawner.as_ref().and_then(Spawner::next).is_some() {
                    self.coming -= 1;
                }
                if self.unswept || self.games.is_multiple_of(TIDY_AFTER) {
                    reaper::sweep();
                    self.unswept = false;
                }
                return;
            }
            if interrupted() && !aborted {
                aborted = true;
                game.feed(Input::Abort { reason: "interrupted" });
                continue;
            }
            let heard = self.quick_answer(&mut game, &mut found);
            if heard.is_none() && found.is_empty() {
                let timeout = self.timeout(&game);
                self.waiting.wait(timeout, &mut found);
                game.one_eared = false;
                // It interrupts this wait as well, for nothing.
                if let Some(metronome) = self.metronome.as_mut().filter(|_| found.is_empty()) {
                    metronome.stop();
                }
            }
            game.wake();
            if stalls == Stalls::Void {
                game.notice_stall();
            }
            if let Some(heard) = heard {
                let place = game.asked;
                self.heard(&mut game, place, heard);
            }
            self.take_in(&mut game, &mut found);
            self.believe_ends(&mut game);
            if game.table.next_tick().is_some_and(|tick| tick <= game.woke) {
                if game.table.charges_cpu() {
                    self.tell_used(&mut game);
                }
                game.feed(Input::Tick);
            }
            self.see_off();
            self.sweep_up();
        }
    }

    /// In a quick exchange of moves, waits for the one on move alone. Everything else gets a look
    /// at every beat of the metronome; what has happened there is put into `found`.
    fn quick_answer(&mut self, game: &mut Game<'_>, found: &mut Vec<Source>) -> Option<Heard> {
        let metronome = self.metronome.as_mut().filter(|metronome| metronome.runs())?;
        let there = self.places.get_mut(game.asked as usize).and_then(Option::as_mut);
        let alone = game.table.programs_awaited() == 1
            && self.coming == 0
            && self.going.is_empty()
            && game.ended.is_empty()
            && !self.beside.is_busy();
        let there = there.filter(|there| {
            let asked = there.seat().is_some_and(|seat| game.table.awaits(seat));
            alone && asked && there.all_sent() && there.ended.is_none()
        })?;
        game.one_eared = true;
        match there.await_answer(&mut self.buffer) {
            Heard::Nothing => {}
            heard => return Some(heard),
        }
        self.waiting.wait(Some(Duration::ZERO), found);
        game.one_eared = false;
        game.wake();
        let due = game.table.next_tick().is_some_and(|tick| tick <= game.woke);
        if !found.is_empty() || due || interrupted() {
            return None;
        }
        match there.await_answer(&mut self.buffer) {
            // Two beats without an answer: this is no quick exchange.
            Heard::Nothing => {
                metronome.stop();
                None
            }
            heard => {
                game.one_eared = true;
                Some(heard)
            }
        }
    }

    /// An answer has come. If it came soon, a quick exchange begins.
    fn quicken(&mut self, game: &Game<'_>, place: u32) {
        const QUICK: Duration = Duration::from_micros(500);
        if let Some(metronome) = &mut self.metronome
            && !metronome.runs()
            && place == game.asked
            && game.woke.since(game.asked_at) < QUICK
        {
            metronome.start();
        }
    }

    /// How long to wait at most: until the table, a dying process or a leaving one is due.
    fn timeout(&self, game: &Game<'_>) -> Option<Duration> {
        let tick = game.table.next_tick().map(|tick| tick.since(game.latest));
        let ends = game.ended.iter().filter_map(|&place| self.at(place)?.ended);
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
                let opens =
                    list.iter().filter(|output| matches!(output, Output::Open { .. })).count();
                let by_itself = game.table.turns() == 0 && opens <= FEW;
                for output in list.drain(..) {
                    match output {
                        Output::Open { seat, player, part, fresh, keepsake } => {
                            let bot = game.bots[player.index()];
                            if fresh && game.table.turns() == 0 {
                                self.leavers.insert(bot);
                            }
                            if fresh || !self.seat_idle(game, seat, bot) {
                                let start = self.shared.start(bot, part, keepsake.as_deref());
                                self.start(game, seat, bot, start, by_itself && part == 0);
                            }
                        }
                        Output::Write { seat, bytes, starts_clock } => {
                            if let Some(place) = game.place(seat)
                                && let Some(there) = &mut self.places[place as usize]
                            {
                                there.queue(&game.out.bytes[bytes], starts_clock);
                                if !std::mem::replace(&mut there.dirty, true) {
                                    game.dirty.push(place);
                                }
                            }
                        }
                        Output::Cold { seat } => {
                            if let Some(place) = game.place(seat)
                                && let Some(there) = &mut self.places[place as usize]
                            {
                                there.cold = true;
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

    /// Seats a process that has played before, if there is one.
    fn seat_idle(&mut self, game: &mut Game<'_>, seat: SeatId, bot: usize) -> bool {
        let Some(place) = self.idle.get_mut(&bot).and_then(Vec::pop) else { return false };
        let there = self.places[place as usize].as_mut().expect("idle places are filled");
        there.seat_again(seat);
        game.sits(seat, place);
        game.feed(Input::Seated { seat, reused: true });
        true
    }

    /// Starts a process here, or has it started while others play.
    fn start(
        &mut self,
        game: &mut Game<'_>,
        seat: SeatId,
        bot: usize,
        start: impl FnOnce() -> io::Result<Child> + Send + 'static,
        by_itself: bool,
    ) {
        let cores = self.cores_for(bot, seat);
        let ahead = match by_itself {
            true => self.ahead.as_mut().and_then(|ahead| ahead.take(bot)),
            false => None,
        };
        if let Some(child) = ahead {
            place_process(child.pid, &cores);
            return self.seat(game, seat, bot, Ok(child));
        }
        if by_itself && cores == self.cores.home {
            return self.seat(game, seat, bot, start());
        }
        match self.spawner() {
            Ok(spawner) => {
                spawner.order(Errand { bot, seat }, cores, start);
                self.coming += 1;
            }
            Err(error) => self.seat(game, seat, bot, Err(error)),
        }
    }

    fn spawner(&mut self) -> io::Result<&Spawner<Errand>> {
        if self.spawner.is_none() {
            let spawner = Spawner::new(self.cores.all.len())?;
            self.waiting.readable(spawner.waker(), Source::Started)?;
            self.spawner = Some(spawner);
        }
        Ok(self.spawner.as_ref().expect("it has just been made"))
    }

    /// Where the process in a seat is to run.
    fn cores_for(&self, bot: usize, seat: SeatId) -> Vec<usize> {
        match (self.shared.roster[bot].limits.cores as usize, self.core_of(seat)) {
            (0 | 1, Some(core)) => vec![core],
            (0 | 1, None) => self.cores.home.clone(),
            (several, _) => self.cores.all[..several.min(self.cores.all.len())].to_vec(),
        }
    }

    /// A process has been started for a seat, or could not be.
    fn seat(&mut self, game: &mut Game<'_>, seat: SeatId, bot: usize, child: io::Result<Child>) {
        match child.and_then(|child| self.settle(child, bot, seat)) {
            Ok(place) => {
                game.sits(seat, place);
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

    /// Gives a process a place and listens to it.
    fn settle(&mut self, child: Child, bot: usize, seat: SeatId) -> io::Result<u32> {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() as u32 - 1
        });
        let mut place = Place::new(child, bot, Role::Seated(seat));
        if let Err(error) = place.listen(&self.waiting, index) {
            place.unlisten(&self.waiting);
            self.free.push(index);
            return Err(error);
        }
        self.places[index as usize] = Some(place);
        Ok(index)
    }

    /// Seats the processes that have been started on other threads.
    fn take_in_started(&mut self, game: &mut Game<'_>) {
        while let Some((errand, child)) = self.spawner.as_ref().and_then(Spawner::started) {
            self.coming -= 1;
            // One that nobody waits for any more ends when it is dropped.
            if !game.table.gone(errand.seat) {
                self.seat(game, errand.seat, errand.bot, child);
            }
        }
    }

    /// The core of a seat's own, when bots do not share the worker's.
    fn core_of(&self, seat: SeatId) -> Option<usize> {
        let count = self.cores.bots.len().max(1);
        self.cores.bots.get(seat.0 as usize % count).copied()
    }

    fn close(&mut self, game: &mut Game<'_>, seat: SeatId, parting: Parting) {
        let Some(place) = game.place(seat) else { return };
        game.places[seat.0 as usize] = None;
        game.seated -= 1;
        let Some(there) = &mut self.places[place as usize] else { return };
        if let (Parting::Leave { .. }, Some(ahead)) = (&parting, &mut self.ahead) {
            ahead.leaves(there.bot);
        }
        if let Some(content) = there.child.keepsake.as_ref().and_then(Kept::content) {
            game.feed(Input::Kept { seat, content: &content });
        }
        // In a quick exchange nobody has listened to it for a moment.
        there.hear_stderr(&mut self.buffer, &self.waiting, |bytes| {
            let input = Input::Stderr { seat, bytes };
            game.table.feed(Tick(game.began.elapsed()), input, &mut game.out);
        });
        there.thaw();
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
                self.goes(place);
            }
            Parting::Kill => self.vacate(place),
        }
    }

    /// Sends what has been queued. The clock of a question starts just before its first byte.
    fn flush(&mut self, game: &mut Game<'_>) {
        for index in 0..game.dirty.len() {
            let place = game.dirty[index];
            let Some(there) = &mut self.places[place as usize] else { continue };
            there.dirty = false;
            let Some(seat) = there.seat() else { continue };
            if there.starts_clock || !game.table.plays(seat) {
                there.thaw();
            }
            if there.starts_clock && game.one_eared && there.unheard() > 0 {
                // Before the question: it cannot be the answer.
                self.stdout(game, place);
            }
            let Some(there) = &mut self.places[place as usize] else { continue };
            game.asked = place;
            if std::mem::take(&mut there.starts_clock) && !there.waits_to_be_taken() {
                // The processor clock is read first: nothing may come between the clock's start
                // and the first byte.
                let cpu = there.cpu_before(game.latest);
                game.latest = Tick(game.began.elapsed());
                game.asked_at = game.latest;
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
        let programs_wait = game.table.programs_awaited() > 0 || (prepares && game.seated > 0);
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
            if game.seated > 0 {
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
            found.sort_by_cached_key(|source| match source {
                Source::Stderr(_) | Source::Interrupt => 0,
                Source::Stdout(place) => {
                    let seat = self.at(*place).and_then(Place::seat);
                    if seat.is_some_and(|seat| game.table.awaits(seat)) { 2 } else { 1 }
                }
                Source::Thought => 2,
                Source::Stdin(_) | Source::Started => 3,
                Source::Exit(_) => 4,
            });
        }
        for source in found.drain(..) {
            match source {
                Source::Stdout(place) => {
                    // All there is, before anybody is asked anything. What is written meanwhile has
                    // to wait: a bot that floods must not keep us from looking at the clock.
                    let there = self.places.get(place as usize).and_then(Option::as_ref);
                    let bytes = there.map_or(0, Place::unheard);
                    let rounds = bytes.div_ceil(self.buffer.len()).max(1);
                    for _ in 0..rounds {
                        if !self.stdout(game, place) {
                            break;
                        }
                    }
                }
                Source::Stderr(place) => self.stderr(game, place),
                Source::Exit(place) => self.exit(game, place),
                Source::Stdin(place) => self.room(game, place),
                Source::Started => self.take_in_started(game),
                Source::Thought => {
                    for decision in self.beside.decisions() {
                        decided(game, decision);
                    }
                }
                Source::Interrupt => {}
            }
        }
    }

    /// A bot can be written to again, or has taken its first question.
    fn room(&mut self, game: &mut Game<'_>, place: u32) {
        self.note_taken(game, place);
        if let Some(there) = &mut self.places[place as usize] {
            let _ = there.flush(&self.waiting, place);
        }
    }

    /// Tells the table if a bot has just taken its first question.
    fn note_taken(&mut self, game: &mut Game<'_>, place: u32) {
        let Some(there) = &mut self.places[place as usize] else { return };
        if let Some(seat) = there.seat()
            && there.has_taken()
        {
            let cpu = there.cpu(game.woke);
            game.table.feed(game.woke, Input::Taken { seat, cpu }, &mut game.out);
        }
    }

    /// Tells the table how much processor time the bots that are asked have used.
    fn tell_used(&mut self, game: &mut Game<'_>) {
        for index in 0..game.places.len() {
            let seat = SeatId(index as u32);
            if let Some(place) = game.places[index]
                && game.table.awaits(seat)
                && let Some(there) = &mut self.places[place as usize]
            {
                let cpu = there.cpu(game.woke);
                game.feed(Input::Used { seat, cpu });
            }
        }
    }

    /// Reads once. True if there may be more.
    fn stdout(&mut self, game: &mut Game<'_>, place: u32) -> bool {
        let Some(there) = self.places.get_mut(place as usize).and_then(Option::as_mut) else {
            return false;
        };
        let heard = there.hear(&mut self.buffer);
        self.heard(game, place, heard)
    }

    /// What a look at a bot's output has shown. True if there may be more.
    fn heard(&mut self, game: &mut Game<'_>, place: u32, heard: Heard) -> bool {
        if let Heard::Nothing = heard {
            return false;
        }
        let Some(there) = &mut self.places[place as usize] else { return false };
        let Some(seat) = there.seat() else {
            // An idle process has nothing to say; one that ends or talks is of no use.
            self.drop_idle(place);
            return false;
        };
        let count = match heard {
            Heard::Nothing => return false,
            Heard::End => {
                there.output_ended(&self.waiting);
                game.ended.push(place);
                return false;
            }
            Heard::Bytes(count) => count,
        };
        self.said(game, place, seat, count);
        count == self.buffer.len()
    }

    /// The bot in a seat has said what is in the buffer.
    fn said(&mut self, game: &mut Game<'_>, place: u32, seat: SeatId, count: usize) {
        self.note_taken(game, place);
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
        if awaited {
            self.quicken(game, place);
        }
        let Some(there) = &mut self.places[place as usize] else { return };
        if self.shared.pondering == Pondering::Frozen
            && game.table.plays(seat)
            && !game.table.awaits(seat)
        {
            there.freeze();
        }
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
                Role::Leaving(_) | Role::Dying(_) => self.departed(place),
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
        if game.ended.is_empty() {
            return;
        }
        let now = Instant::now();
        for place in std::mem::take(&mut game.ended) {
            match self.at(place).and_then(|there| there.ended) {
                Some(by) if by <= now => self.gone(game, place),
                Some(_) => game.ended.push(place),
                None => {}
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
