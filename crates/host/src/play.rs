//! The loop: one worker thread plays whole matches, one at a time.

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::{Duration, Instant};

use game::{PlayerId, Tick};
use table::{AnyTable, Input, Output, Outputs, Parting, SeatId};

use crate::ahead::Ahead;
use crate::hearing::decided;
use crate::keepsake::Kept;
use crate::metronome::Metronome;
use crate::placement::Cores;
use crate::reaper;
use crate::run::{Shared, Watcher};
use crate::seating::{Errand, FEW};
use crate::seats::{Place, Role};
use crate::spawner::Spawner;
use crate::stopping::Looks;
use crate::sys::{interrupt_waker, interrupted, prefer_short_slices};
use crate::thinking::{Beside, Decision, think};
use crate::waiting::{Source, Waiting};

/// A worker: its processes, and what it waits for.
pub(crate) struct Worker<'r> {
    pub(super) shared: &'r Shared<'r>,
    pub(super) cores: Cores,
    /// Processes for the next match, where there are cores to start them on.
    pub(super) ahead: Option<Ahead>,
    /// Starts processes while others play.
    pub(super) spawner: Option<Spawner<Errand>>,
    /// How many processes it has not started yet.
    pub(super) coming: usize,
    pub(crate) waiting: Waiting,
    pub(crate) places: Vec<Option<Place>>,
    /// Places that nobody sits in.
    pub(crate) free: Vec<u32>,
    pub(crate) idle: HashMap<usize, Vec<u32>>,
    /// Bots whose idle processes could not be used again: theirs are not kept.
    pub(super) leavers: HashSet<usize>,
    /// Places whose processes are on their way out.
    pub(crate) going: Vec<u32>,
    /// Processes have ended that may have left others behind.
    pub(crate) unswept: bool,
    pub(super) beside: Beside,
    pub(super) metronome: Option<Metronome>,
    pub(super) buffer: Vec<u8>,
    pub(super) games: u64,
}

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

/// The system tells when a first question has been read to its end. Whether it has been begun is
/// looked at so often.
const TAKING: Duration = Duration::from_millis(5);

/// After so many games orphans of bots that stay are looked for.
const TIDY_AFTER: u64 = 64;

/// The match at hand.
pub(super) struct Game<'t> {
    pub(super) table: &'t mut dyn AnyTable,
    pub(super) charges_cpu: bool,
    /// The bots of the roster that play, by player.
    pub(super) bots: &'t [usize],
    pub(super) began: Instant,
    pub(super) out: Outputs,
    /// The list of wishes being carried out; swapped with `out` to keep its memory.
    pub(super) list: Vec<Output>,
    /// Where each seat's process is.
    pub(super) places: Vec<Option<u32>>,
    pub(super) dirty: Vec<u32>,
    /// Places whose output has ended.
    pub(super) ended: Vec<u32>,
    /// How many seats have a process.
    pub(super) seated: usize,
    /// There have been too many processes for a core each.
    pub(super) crowded: bool,
    pub(super) thinkers: Vec<SeatId>,
    /// The place that was asked last, and when.
    pub(super) asked: u32,
    pub(super) asked_at: Tick,
    /// Nobody but the one on move has been listened to for a while.
    pub(super) one_eared: bool,
    pub(super) looks: Looks,
    /// Places whose first question has been sent and has not been taken.
    pub(super) taking: Vec<u32>,
    pub(super) watched: u32,
    /// When the worker was last woken: answers that were there by then came no later.
    pub(super) woke: Tick,
    /// The last time the clock was looked at. Looking costs, so it is not done for its own sake.
    pub(super) latest: Tick,
    stalls: Stalls,
}

impl Game<'_> {
    pub(super) fn now(&self) -> Tick {
        Tick(self.began.elapsed())
    }

    pub(super) fn feed(&mut self, input: Input<'_>) {
        let now = self.now();
        self.table.feed(now, input, &mut self.out);
    }

    pub(super) fn wake(&mut self) {
        self.woke = self.now();
        self.latest = self.woke;
    }

    /// The table is always woken when somebody's time is up. If that has been missed by much, the
    /// host was stopped, or got no processor.
    fn notice_stall(&mut self) {
        let due = self.table.next_tick().unwrap_or(self.woke);
        self.stood_still(self.woke, self.woke.since(due));
    }

    /// A built-in bot thinks on the worker's own thread, which then waits for no deadline. It
    /// never sleeps, so that time without a processor is time in which the host was stopped or
    /// got none.
    fn notice_stall_of(&mut self, decision: &Decision) {
        // Where processor time is charged such time costs nothing.
        if !self.charges_cpu {
            let at = Tick(decision.at.saturating_duration_since(self.began));
            self.stood_still(at, decision.wall.saturating_sub(decision.cpu));
        }
    }

    /// The host has stood still for so long.
    fn stood_still(&mut self, now: Tick, late: Duration) {
        if late > STALL && self.stalls == Stalls::Void {
            self.table.feed(now, Input::Stalled { late }, &mut self.out);
        }
    }

    /// A process sits in a seat from now on.
    pub(super) fn sits(&mut self, seat: SeatId, place: u32) {
        let index = seat.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        self.places[index] = Some(place);
        self.seated += 1;
    }

    pub(super) fn place(&self, seat: SeatId) -> Option<u32> {
        self.places.get(seat.0 as usize).copied().flatten()
    }
}

impl<'r> Worker<'r> {
    pub(crate) fn new(shared: &'r Shared<'r>, cores: Cores) -> io::Result<Worker<'r>> {
        // It must see who takes the processor from whom, however many do.
        prefer_short_slices();
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
            charges_cpu: table.charges_cpu(),
            table,
            bots,
            began: Instant::now(),
            out: Outputs::default(),
            list: Vec::new(),
            places: Vec::new(),
            dirty: Vec::new(),
            ended: Vec::new(),
            seated: 0,
            crowded: false,
            thinkers: Vec::new(),
            asked: 0,
            asked_at: Tick::ZERO,
            one_eared: false,
            looks: Looks::default(),
            taking: Vec::new(),
            watched: 0,
            woke: Tick::ZERO,
            latest: Tick::ZERO,
            stalls,
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
                let seated = |there: &Place| there.seat().is_some();
                debug_assert!(!self.places.iter().flatten().any(seated), "nobody stays behind");
                self.let_leave();
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
            game.notice_stall();
            if let Some(heard) = heard {
                let place = game.asked;
                self.heard(&mut game, place, heard);
            }
            self.take_in(&mut game, &mut found);
            self.believe_ends(&mut game);
            self.look_for_takers(&mut game);
            self.look(&mut game);
            if game.table.next_tick().is_some_and(|tick| tick <= game.woke) {
                self.tell_used(&mut game);
                game.feed(Input::Tick);
            }
            self.see_off();
            self.sweep_up();
        }
    }

    /// How long to wait at most: until the table, a dying process or a leaving one is due.
    fn timeout(&self, game: &Game<'_>) -> Option<Duration> {
        let tick = game.table.next_tick().into_iter().chain(self.next_look(game)).min();
        let tick = tick.map(|tick| tick.since(game.latest));
        let ends = game.ended.iter().filter_map(|&place| self.at(place)?.ended);
        let taking = (!game.taking.is_empty()).then_some(TAKING);
        let due = tick.into_iter().chain(ends.map(until)).chain(self.next_departure());
        due.chain(taking).min()
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
                let all = game.seated + self.coming + opens;
                game.crowded |= all > self.cores.bots.len();
                for output in list.drain(..) {
                    let opened = matches!(output, Output::Open { .. });
                    self.obey(game, output, by_itself);
                    if opened && by_itself {
                        self.greet(game);
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

    /// The process that has just been started starts up while the next one is being started.
    fn greet(&mut self, game: &mut Game<'_>) {
        for output in std::mem::take(&mut game.out.list) {
            self.obey(game, output, false);
        }
        self.flush(game);
    }

    fn obey(&mut self, game: &mut Game<'_>, output: Output, by_itself: bool) {
        match output {
            // Given up before it was filled, because another one could not be.
            Output::Open { seat, .. } if game.table.gone(seat) => {}
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

    fn close(&mut self, game: &mut Game<'_>, seat: SeatId, parting: Parting) {
        let Some(place) = game.place(seat) else { return };
        game.places[seat.0 as usize] = None;
        game.seated -= 1;
        let Some(there) = &mut self.places[place as usize] else { return };
        if let Parting::Keep { .. } = &parting
            && let Some(player) = game.bots.iter().position(|bot| *bot == there.bot)
        {
            there.about = game.table.about(PlayerId(player as u16));
        }
        if let (Parting::Leave { .. }, Some(ahead)) = (&parting, &mut self.ahead) {
            ahead.leaves(there.bot);
        }
        let cpu = there.read_cpu();
        if let Some(content) = there.child.keepsake.as_ref().and_then(Kept::content) {
            game.feed(Input::Kept { seat, content: &content });
        }
        // In a quick exchange nobody has listened to it for a moment.
        there.hear_stderr(&mut self.buffer, &self.waiting, |bytes| {
            let input = Input::Stderr { seat, bytes };
            game.table.feed(Tick(game.began.elapsed()), input, &mut game.out);
        });
        game.table.feed(game.latest, Input::Used { seat, cpu }, &mut game.out);
        there.thaw();
        // What was said before the goodbye goes out before it.
        let _ = there.flush(&self.waiting, place);
        match parting {
            Parting::Keep { farewell, grace }
                if there.fit() && !self.leavers.contains(&there.bot) =>
            {
                there.listen_again(&self.waiting, place);
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
    ///
    /// Where many are asked at once the writes follow one another as fast as they can: an idle
    /// core falls asleep in the shortest pause, and to wake it costs the host as much as all the
    /// rest. Whatever can be done before or after them is.
    fn flush(&mut self, game: &mut Game<'_>) {
        let dirty = std::mem::take(&mut game.dirty);
        for &place in &dirty {
            self.get_ready(game, place);
        }
        let mut faults = Vec::new();
        for &place in &dirty {
            let Some(there) = &mut self.places[place as usize] else { continue };
            let Some(seat) = there.seat() else { continue };
            if there.starts_clock {
                there.asked_at = Tick(game.began.elapsed());
            }
            if let Err(fault) = there.flush(&self.waiting, place) {
                faults.push((seat, fault));
            }
        }
        for &place in &dirty {
            let Some(there) = &mut self.places[place as usize] else { continue };
            let Some(seat) = there.seat() else { continue };
            game.asked = place;
            if std::mem::take(&mut there.starts_clock) {
                game.latest = there.asked_at;
                game.asked_at = there.asked_at;
                game.looks.asked(there.asked_at);
                game.table.clock_started(seat, there.asked_at, there.cpu);
            }
        }
        game.dirty = dirty;
        game.dirty.clear();
        for (seat, fault) in faults {
            game.feed(Input::Lost { seat, fault });
        }
    }

    /// What comes before a bot is written to.
    fn get_ready(&mut self, game: &mut Game<'_>, place: u32) {
        let Some(there) = &mut self.places[place as usize] else { return };
        there.dirty = false;
        let Some(seat) = there.seat() else { return };
        if there.starts_clock || !game.table.plays(seat) || game.table.on_move(seat) {
            there.thaw();
        }
        if there.starts_clock && (game.one_eared || there.is_put_off()) {
            // Before the question: it cannot be the answer.
            self.hear_out(game, place);
        }
        let Some(there) = &mut self.places[place as usize] else { return };
        there.listen_again(&self.waiting, place);
        if there.starts_clock {
            there.begin_answer();
            there.starts_clock = !there.waits_to_be_taken();
            if there.taking {
                game.taking.push(place);
            }
            there.note_cpu(game.charges_cpu);
        }
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
            if let Err(error) = self.beside.think(seat, thinker, granted, core) {
                let reason = format!("cannot start a thread for a built-in bot: {error}");
                game.feed(Input::Abort { reason: &reason });
            }
        } else {
            let began = game.now();
            let decision = think(seat, thinker, granted);
            game.latest = game.now();
            self.look_back(game.latest.since(began), decision.cpu);
            if interrupted() {
                return;
            }
            game.notice_stall_of(&decision);
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
}

pub(crate) fn until(moment: Instant) -> Duration {
    moment.saturating_duration_since(Instant::now())
}
