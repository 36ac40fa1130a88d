//! The loop: one worker thread plays whole matches, one at a time.

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::{Duration, Instant};

use game::{PlayerId, Tick};
use table::{AnyTable, Input, Output, Outputs, Parting, SeatId};

use crate::os::placement::Cores;
use crate::os::sys::{interrupt_waker, interrupted, prefer_short_slices};
use crate::process::private_file::PrivateFileOnDisk;
use crate::process::reaper;
use crate::process::spawner::Spawner;
use crate::run::{Shared, Watcher};
use crate::worker::bot_input::{ClockStart, Queued};
use crate::worker::built_in::{BotThreads, Decision, think};
use crate::worker::connection::{Connection, ConnectionState};
use crate::worker::cpu_meter::Metered;
use crate::worker::fast_path::ReadTimer;
use crate::worker::io_events::decided;
use crate::worker::poller::{PollSource, Poller};
use crate::worker::prestart::Prestarted;
use crate::worker::seating::{Crowding, SeatRequest, Seats, Starter};
use crate::worker::stopping::Looks;

/// A worker: its processes, and what it waits for.
pub(crate) struct Worker<'r> {
    pub(crate) shared: &'r Shared<'r>,
    pub(crate) cores: Cores,
    /// Processes for the next match, where there are cores to start them on.
    pub(crate) prestarted: Option<Prestarted>,
    /// Starts processes while others play.
    pub(crate) spawner: Option<Spawner<SeatRequest>>,
    /// How many processes it has not started yet.
    pub(crate) coming: usize,
    pub(crate) poller: Poller,
    pub(crate) connections: Vec<Option<Connection>>,
    /// Places that nobody sits in.
    pub(crate) free: Vec<u32>,
    pub(crate) idle: HashMap<usize, Vec<u32>>,
    /// Bots whose idle processes could not be used again: theirs are not kept.
    pub(crate) leavers: HashSet<usize>,
    /// Connections whose processes are on their way out.
    pub(crate) going: Vec<u32>,
    pub(crate) leftovers: Leftovers,
    pub(crate) bot_threads: BotThreads,
    pub(crate) read_timer: Option<ReadTimer>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) games: u64,
}

/// What follows when the host has stood still while a bot was on move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stalls {
    /// The match is void.
    Void,
    /// What the clock says stands.
    Stand,
}

impl Stalls {
    /// Whether a match is void after the host has come so much too late.
    fn void_after(self, late: Duration) -> bool {
        match self {
            Stalls::Void => late > STALL,
            Stalls::Stand => false,
        }
    }
}

/// Where a built-in bot thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThinksOn {
    /// On the worker's thread, which does nothing else meanwhile.
    Worker,
    /// On another thread: the answers of programs must be read when they come, not when this bot is
    /// done.
    OwnThread,
}

/// What a built-in bot thinks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThinksAbout {
    /// Its move.
    Move,
    /// The game to come, while programs shake hands.
    Preparation,
}

impl ThinksOn {
    /// `awaited` programs have been asked, and `seated` ones are there.
    fn new(what: ThinksAbout, awaited: usize, seated: usize) -> ThinksOn {
        let waiting = match what {
            ThinksAbout::Move => awaited,
            ThinksAbout::Preparation => awaited + seated,
        };
        if waiting > 0 { ThinksOn::OwnThread } else { ThinksOn::Worker }
    }
}

/// Whether processes have been left behind for which nobody has looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leftovers {
    None,
    /// Processes have ended that may have left others behind.
    Possible,
}

impl Leftovers {
    /// Whether to look for them after so many games. Orphans of bots that stay are looked for now
    /// and then.
    fn are_due(self, games: u64) -> bool {
        self == Leftovers::Possible || games.is_multiple_of(TIDY_AFTER)
    }
}

/// Coming so much later than wanted is a stall.
const STALL: Duration = Duration::from_millis(50);

/// The system tells when a first question has been read to its end. Whether it has been begun is
/// looked at so often.
const TAKING: Duration = Duration::from_millis(5);

/// After so many games orphans of bots that stay are looked for.
const TIDY_AFTER: u64 = 64;

/// The match at hand.
pub(crate) struct CurrentMatch<'t> {
    pub(crate) table: &'t mut dyn AnyTable,
    /// Whose processor time is read: that of all processes where it is charged.
    pub(crate) metered: Metered,
    /// The bots of the roster that play, by player.
    pub(crate) bots: &'t [usize],
    pub(crate) began: Instant,
    pub(crate) out: Outputs,
    /// The list of wishes being carried out; swapped with `out` to keep its memory.
    pub(crate) list: Vec<Output>,
    pub(crate) seats: Seats,
    /// Connections that have something queued.
    pub(crate) dirty: Vec<u32>,
    /// Connections whose output has ended.
    pub(crate) ended: Vec<u32>,
    pub(crate) crowding: Crowding,
    pub(crate) thinkers: Vec<SeatId>,
    /// The connection that was asked last, and when.
    pub(crate) asked: u32,
    pub(crate) asked_at: Tick,
    /// Nobody but the one on move has been listened to for a while.
    pub(crate) on_fast_path: bool,
    pub(crate) looks: Looks,
    /// Connections whose first question has been sent and has not been taken.
    pub(crate) taking: Vec<u32>,
    pub(crate) watched: u32,
    /// When the worker was last woken: answers that were there by then came no later.
    pub(crate) woke: Tick,
    /// The last time the clock was looked at. Looking costs, so it is not done for its own sake.
    pub(crate) latest: Tick,
    stalls: Stalls,
}

impl CurrentMatch<'_> {
    pub(crate) fn now(&self) -> Tick {
        Tick(self.began.elapsed())
    }

    pub(crate) fn feed(&mut self, input: Input<'_>) {
        let now = self.now();
        self.table.feed(now, input, &mut self.out);
    }

    pub(crate) fn wake(&mut self) {
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
        if self.metered == Metered::Process {
            let at = Tick(decision.at.saturating_duration_since(self.began));
            self.stood_still(at, decision.wall.saturating_sub(decision.cpu));
        }
    }

    /// The host has stood still for so long.
    fn stood_still(&mut self, now: Tick, late: Duration) {
        if self.stalls.void_after(late) {
            self.table.feed(now, Input::Stalled { late }, &mut self.out);
        }
    }
}

impl<'r> Worker<'r> {
    pub(crate) fn new(shared: &'r Shared<'r>, cores: Cores) -> io::Result<Worker<'r>> {
        // It must see who takes the processor from whom, however many do.
        prefer_short_slices();
        let poller = Poller::new()?;
        let bot_threads = BotThreads::new()?;
        let prestarted = match cores.spare.is_empty() {
            true => None,
            false => Some(Prestarted::new(shared, cores.spare.clone())?),
        };
        poller.readable(bot_threads.waker(), PollSource::Thought)?;
        poller.readable(interrupt_waker(), PollSource::Interrupt)?;
        Ok(Worker {
            shared,
            prestarted,
            cores,
            spawner: None,
            coming: 0,
            poller,
            connections: Vec::new(),
            free: Vec::new(),
            idle: HashMap::new(),
            leavers: HashSet::new(),
            going: Vec::new(),
            leftovers: Leftovers::None,
            bot_threads,
            read_timer: ReadTimer::new(),
            buffer: vec![0; 64 * 1024],
            games: 0,
        })
    }

    /// Whether it helps to know the next match before this one is played.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.prestarted.as_ref().is_some_and(Prestarted::is_useful)
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
        let mut game = CurrentMatch {
            metered: if table.charges_cpu() { Metered::Everything } else { Metered::Process },
            table,
            bots,
            began: Instant::now(),
            out: Outputs::default(),
            list: Vec::new(),
            seats: Seats::default(),
            dirty: Vec::new(),
            ended: Vec::new(),
            crowding: Crowding::default(),
            thinkers: Vec::new(),
            asked: 0,
            asked_at: Tick::ZERO,
            on_fast_path: false,
            looks: Looks::default(),
            taking: Vec::new(),
            watched: 0,
            woke: Tick::ZERO,
            latest: Tick::ZERO,
            stalls,
        };
        let mut found = Vec::new();
        self.bot_threads.next_match();
        game.table.open(Tick::ZERO, &mut game.out);
        self.carry_out(&mut game, watcher.as_deref_mut());
        // Not before this match has all its processes.
        if let Some(prestarted) = &mut self.prestarted {
            prestarted.expect(self.shared, then);
        }
        let mut aborted = false;
        loop {
            self.carry_out(&mut game, watcher.as_deref_mut());
            // Nothing that a bot has started outlives its match.
            if game.table.closed() && self.all_dead() {
                let seated = |there: &Connection| there.seat().is_some();
                debug_assert!(
                    !self.connections.iter().flatten().any(seated),
                    "nobody stays behind"
                );
                self.let_leave();
                self.games += 1;
                // Those that come too late end when they are dropped.
                while self.coming > 0 && self.spawner.as_ref().and_then(Spawner::next).is_some() {
                    self.coming -= 1;
                }
                if self.leftovers.are_due(self.games) {
                    reaper::sweep();
                    self.leftovers = Leftovers::None;
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
                self.poller.wait(timeout, &mut found);
                game.on_fast_path = false;
                // It interrupts this wait as well, for nothing.
                if let Some(read_timer) = self.read_timer.as_mut().filter(|_| found.is_empty()) {
                    read_timer.stop();
                }
            }
            game.wake();
            game.notice_stall();
            if let Some(heard) = heard {
                let connection = game.asked;
                self.heard(&mut game, connection, heard);
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
    fn timeout(&self, game: &CurrentMatch<'_>) -> Option<Duration> {
        let ticks = game.table.next_tick().into_iter().chain(self.next_look(game));
        let ends =
            game.ended.iter().filter_map(|&connection| self.at(connection)?.output.exit_by());
        let others = ends.map(until).chain(self.next_departure());
        earliest(game.latest, ticks, others, game.taking.len())
    }

    pub(crate) fn at(&self, connection: u32) -> Option<&Connection> {
        self.connections.get(connection as usize)?.as_ref()
    }

    // ---- what the table wants ----

    fn carry_out(
        &mut self,
        game: &mut CurrentMatch<'_>,
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
                let starter = Starter::new(game.table.turns(), opens);
                if game.seats.filled() + self.coming + opens > self.cores.bots.len() {
                    game.crowding = Crowding::Crowded;
                }
                for output in list.drain(..) {
                    let opened = matches!(output, Output::Open { .. });
                    self.obey(game, output, starter);
                    if opened && starter == Starter::Worker {
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
    fn greet(&mut self, game: &mut CurrentMatch<'_>) {
        for output in std::mem::take(&mut game.out.list) {
            self.obey(game, output, Starter::Threads);
        }
        self.flush(game);
    }

    fn obey(&mut self, game: &mut CurrentMatch<'_>, output: Output, starter: Starter) {
        match output {
            // Given up before it was filled, because another one could not be.
            Output::Open { seat, .. } if game.table.gone(seat) => {}
            Output::Open { seat, player, part, fresh, private_file } => {
                let bot = game.bots[player.index()];
                if fresh && game.table.turns() == 0 {
                    self.leavers.insert(bot);
                }
                if fresh || !self.seat_idle(game, seat, bot) {
                    let start = self.shared.start(bot, part, private_file.as_deref());
                    // Only the first program of a bot is started ahead.
                    let starter = if part == 0 { starter } else { Starter::Threads };
                    self.start(game, seat, bot, start, starter);
                }
            }
            Output::Write { seat, bytes, starts_clock } => {
                if let Some(connection) = game.seats.connection(seat)
                    && let Some(there) = &mut self.connections[connection as usize]
                {
                    let kind = if starts_clock { Queued::Question } else { Queued::Message };
                    if there.input.queue(&game.out.bytes[bytes], kind) == Queued::Nothing {
                        game.dirty.push(connection);
                    }
                }
            }
            Output::Cold { seat } => {
                if let Some(connection) = game.seats.connection(seat)
                    && let Some(there) = &mut self.connections[connection as usize]
                {
                    there.input.expect_cold_start();
                }
            }
            Output::Think { seat } => game.thinkers.push(seat),
            Output::Close { seat, parting } => self.close(game, seat, parting),
        }
    }

    fn close(&mut self, game: &mut CurrentMatch<'_>, seat: SeatId, parting: Parting) {
        let Some(connection) = game.seats.empty(seat) else { return };
        let Some(there) = &mut self.connections[connection as usize] else { return };
        if let Parting::Keep { .. } = &parting
            && let Some(player) = game.bots.iter().position(|bot| *bot == there.bot)
        {
            there.about = game.table.about(PlayerId(player as u16));
        }
        if let (Parting::Leave { .. }, Some(prestarted)) = (&parting, &mut self.prestarted) {
            prestarted.leaves(there.bot);
        }
        let cpu = there.read_cpu();
        if let Some(content) =
            there.child.private_file.as_ref().and_then(PrivateFileOnDisk::content)
        {
            game.feed(Input::Kept { seat, content: &content });
        }
        // In a quick exchange nobody has listened to it for a moment.
        there.hear_stderr(&mut self.buffer, &self.poller, |bytes| {
            let input = Input::Stderr { seat, bytes };
            game.table.feed(Tick(game.began.elapsed()), input, &mut game.out);
        });
        game.table.feed(game.latest, Input::Used { seat, cpu }, &mut game.out);
        there.thaw();
        // What was said before the goodbye goes out before it.
        let _ = there.flush(&self.poller, connection);
        match parting {
            Parting::Keep { farewell, grace }
                if there.fit() && !self.leavers.contains(&there.bot) =>
            {
                there.output.listen_again(&self.poller, connection);
                there.state = ConnectionState::Idle { farewell, grace };
                self.idle.entry(there.bot).or_default().push(connection);
            }
            Parting::Keep { farewell, grace } | Parting::Leave { farewell, grace } => {
                there.send_off(&farewell, grace, &self.poller);
                self.goes(connection);
            }
            Parting::Kill => self.vacate(connection),
        }
    }

    /// Sends what has been queued. The clock of a question starts just before its first byte.
    ///
    /// Where many are asked at once the writes follow one another as fast as they can: an idle
    /// core falls asleep in the shortest pause, and to wake it costs the host as much as all the
    /// rest. Whatever can be done before or after them is.
    fn flush(&mut self, game: &mut CurrentMatch<'_>) {
        let dirty = std::mem::take(&mut game.dirty);
        for &connection in &dirty {
            self.get_ready(game, connection);
        }
        let mut faults = Vec::new();
        for &connection in &dirty {
            let Some(there) = &mut self.connections[connection as usize] else { continue };
            let Some(seat) = there.seat() else { continue };
            if there.input.queued() == Queued::Question {
                there.meter.asked_at = Tick(game.began.elapsed());
            }
            if let Err(fault) = there.flush(&self.poller, connection) {
                faults.push((seat, fault));
            }
        }
        for &connection in &dirty {
            let Some(there) = &mut self.connections[connection as usize] else { continue };
            let sent = there.input.take_queued();
            let Some(seat) = there.seat() else { continue };
            game.asked = connection;
            match sent {
                Queued::Question => {
                    let at = there.meter.asked_at;
                    game.latest = at;
                    game.asked_at = at;
                    game.looks.asked(at);
                    game.table.clock_started(seat, at, there.meter.known());
                }
                Queued::Message | Queued::Nothing => {}
            }
        }
        game.dirty = dirty;
        game.dirty.clear();
        for (seat, fault) in faults {
            game.feed(Input::Lost { seat, fault });
        }
    }

    /// What comes before a bot is written to.
    fn get_ready(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = &mut self.connections[connection as usize] else { return };
        let Some(seat) = there.seat() else { return };
        let asks = there.input.queued() == Queued::Question;
        if asks || !game.table.plays(seat) || game.table.on_move(seat) {
            there.thaw();
        }
        if asks && (game.on_fast_path || there.output.is_put_off()) {
            // Before the question: it cannot be the answer.
            self.hear_out(game, connection);
        }
        let Some(there) = &mut self.connections[connection as usize] else { return };
        there.output.listen_again(&self.poller, connection);
        if asks {
            there.begin_answer();
            match there.input.begin_question() {
                ClockStart::FirstByte => {}
                ClockStart::FirstRead => game.taking.push(connection),
            }
            there.note_cpu();
        }
    }

    fn think(&mut self, game: &mut CurrentMatch<'_>, seat: SeatId) {
        let Some(thinker) = game.table.thinker(seat) else { return };
        let granted = game.table.time(seat);
        game.table.clock_started(seat, game.now(), Duration::ZERO);
        let what = match game.table.awaits(seat) {
            true => ThinksAbout::Move,
            false => ThinksAbout::Preparation,
        };
        let (awaited, seated) = (game.table.programs_awaited(), game.seats.filled());
        if ThinksOn::new(what, awaited, seated) == ThinksOn::OwnThread {
            let core = self.core_of(seat);
            if let Err(error) = self.bot_threads.think(seat, thinker, granted, core) {
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
            if seated > 0 {
                let mut found = Vec::new();
                self.poller.wait(Some(Duration::ZERO), &mut found);
                game.wake();
                self.take_in(game, &mut found);
            }
            decided(game, decision);
        }
    }
}

/// How long to wait at most: until the first of `ticks`, or as long as the shortest of `others`. Bots
/// that are `taking` their first question are looked at often.
fn earliest(
    now: Tick,
    ticks: impl Iterator<Item = Tick>,
    others: impl Iterator<Item = Duration>,
    taking: usize,
) -> Option<Duration> {
    let takers = (taking > 0).then_some(TAKING);
    ticks.map(|tick| tick.since(now)).chain(others).chain(takers).min()
}

pub(crate) fn until(moment: Instant) -> Duration {
    moment.saturating_duration_since(Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn the_loop_wakes_at_the_earliest_deadline() {
        let ticks = [Tick(ms(90)), Tick(ms(40))];
        let wait = |now, others: &[Duration], taking| {
            earliest(Tick(now), ticks.into_iter(), others.iter().copied(), taking)
        };
        assert_eq!(wait(ms(10), &[], 0), Some(ms(30)));
        assert_eq!(wait(ms(10), &[ms(20), ms(50)], 0), Some(ms(20)));
        assert_eq!(wait(ms(10), &[ms(20)], 1), Some(TAKING));
        assert_eq!(wait(ms(60), &[], 0), Some(Duration::ZERO), "one is overdue");
    }

    #[test]
    fn without_a_deadline_the_loop_waits_for_events_alone() {
        let none = earliest(Tick::ZERO, std::iter::empty(), std::iter::empty(), 0);
        assert_eq!(none, None);
    }

    #[test]
    fn a_stall_voids_a_match_until_it_has_been_begun_anew_too_often() {
        assert!(!Stalls::Void.void_after(STALL));
        assert!(Stalls::Void.void_after(STALL + ms(1)));
        assert!(!Stalls::Stand.void_after(STALL + ms(1)));
    }

    #[test]
    fn a_built_in_bot_does_not_keep_the_worker_from_reading_answers() {
        assert_eq!(ThinksOn::new(ThinksAbout::Move, 1, 1), ThinksOn::OwnThread);
        assert_eq!(ThinksOn::new(ThinksAbout::Move, 0, 1), ThinksOn::Worker);
        assert_eq!(ThinksOn::new(ThinksAbout::Preparation, 0, 1), ThinksOn::OwnThread);
        assert_eq!(ThinksOn::new(ThinksAbout::Preparation, 0, 0), ThinksOn::Worker);
    }

    #[test]
    fn leftovers_are_looked_for_when_there_may_be_some_and_now_and_then() {
        assert!(Leftovers::Possible.are_due(1));
        assert!(!Leftovers::None.are_due(1));
        assert!(Leftovers::None.are_due(TIDY_AFTER));
    }
}
