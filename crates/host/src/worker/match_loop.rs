//! The loop: one worker thread plays whole matches, one at a time.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::Tick;
use rustix::event::{EventfdFlags, eventfd};
use table::{AnyTable, Input};

use crate::live::Tap;
use crate::os::placement::Cores;
use crate::os::sys::{Slices, ask_for, fetch_soon, interrupt_waker, interrupted};
use crate::process::spawner::Spawner;
use crate::run::{Shared, Watcher};
use crate::worker::built_in::BotThreads;
use crate::worker::connection::Connection;
use crate::worker::current_match::{CurrentMatch, Stalls};
use crate::worker::fast_path::ReadTimer;
use crate::worker::people::Voices;
use crate::worker::poller::{PollSource, Poller};
use crate::worker::prestart::Prestarted;
use crate::worker::seating::SeatRequest;

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
    /// Numbers of connections that are free.
    pub(crate) free: Vec<u32>,
    pub(crate) idle: HashMap<usize, Vec<u32>>,
    /// Bots whose idle processes could not be used again: theirs are not kept.
    pub(crate) leavers: HashSet<usize>,
    /// Connections whose processes are on their way out.
    pub(crate) going: Vec<u32>,
    pub(crate) leftovers: Leftovers,
    pub(crate) bot_threads: BotThreads,
    pub(crate) voices: Voices,
    pub(crate) read_timer: Option<ReadTimer>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) games: u64,
    /// What wakes it when somebody wants to watch, where that is possible.
    watch_waker: Option<Arc<OwnedFd>>,
}

/// Whether processes may have been left behind since the last sweep.
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

/// The system tells when a first question has been read to its end. Whether it has been begun is
/// looked at so often.
const TAKING: Duration = Duration::from_millis(5);

/// While one connection is served, the record of the one so many places later is fetched.
pub(crate) const AHEAD: usize = 2;

/// After so many games orphans of bots that stay are looked for.
const TIDY_AFTER: u64 = 64;

impl<'r> Worker<'r> {
    pub(crate) fn new(shared: &'r Shared<'r>, cores: Cores) -> io::Result<Worker<'r>> {
        // It must see who takes the processor from whom, however many do.
        ask_for(Slices::Short);
        let poller = Poller::new()?;
        let bot_threads = BotThreads::new()?;
        let voices = Voices::new()?;
        let prestarted = match cores.spare.is_empty() {
            true => None,
            false => Some(Prestarted::new(shared, cores.spare.clone())?),
        };
        poller.readable(bot_threads.waker(), PollSource::Thought)?;
        poller.readable(voices.waker(), PollSource::Person)?;
        poller.readable(interrupt_waker(), PollSource::Interrupt)?;
        let watch_waker = match &shared.live {
            Some(_) => {
                let waker = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
                poller.readable(waker.as_fd(), PollSource::Watched)?;
                Some(Arc::new(waker))
            }
            None => None,
        };
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
            voices,
            read_timer: ReadTimer::new(),
            buffer: vec![0; 64 * 1024],
            games: 0,
            watch_waker,
        })
    }

    /// Whether it helps to know the next match before this one is played.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.prestarted.as_ref().is_some_and(Prestarted::is_useful)
    }

    /// Offers a match, the one of this number of the run, to those who want to watch.
    pub(crate) fn offer(&self, index: u64, table: &dyn AnyTable) -> Option<Tap> {
        let (live, waker) = (self.shared.live.as_ref()?, self.watch_waker.as_ref()?);
        Some(live.begin(index, table.log(), waker))
    }

    /// Somebody wants to watch: the loop looks at that by itself.
    pub(crate) fn hear_watchers(&self) {
        if let Some(waker) = &self.watch_waker {
            let _ = rustix::io::read(&**waker, &mut [0_u8; 8]);
        }
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
        mut tap: Option<&mut Tap>,
    ) {
        let mut game = CurrentMatch::new(table, bots, stalls);
        let mut found = Vec::new();
        self.bot_threads.next_match();
        self.voices.next_match();
        game.table.open(Tick::ZERO, &mut game.out);
        self.carry_out(&mut game, watcher.as_deref_mut());
        // Not before this match has all its processes.
        if let Some(prestarted) = &mut self.prestarted {
            prestarted.expect(self.shared, then);
        }
        let mut aborted = false;
        loop {
            self.carry_out(&mut game, watcher.as_deref_mut());
            if let Some(tap) = &mut tap {
                tap.look(game.table);
            }
            // Nothing that a bot has started outlives its match.
            if game.table.closed() && self.none_dying() {
                let seated = |there: &Connection| there.seat().is_some();
                debug_assert!(
                    !self.connections.iter().flatten().any(seated),
                    "nobody stays behind"
                );
                self.resume_leaving();
                self.games += 1;
                // Those that come too late end when they are dropped.
                while self.coming > 0 && self.spawner.as_ref().and_then(Spawner::next).is_some() {
                    self.coming -= 1;
                }
                if self.leftovers.are_due(self.games) {
                    self.shared.processes.sweep();
                    self.leftovers = Leftovers::None;
                }
                return;
            }
            if interrupted() && !aborted {
                aborted = true;
                game.feed(Input::Abort { reason: "interrupted" });
                continue;
            }
            let heard = self.read_fast(&mut game, &mut found);
            if heard.is_none() && found.is_empty() {
                let timeout = self.timeout(&game);
                if let Some(read_timer) = &mut self.read_timer {
                    read_timer.hold_place();
                }
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
                self.handle_read(&mut game, connection, heard);
            }
            self.handle_events(&mut game, &mut found);
            self.report_silent_bots(&mut game);
            self.check_first_reads(&mut game);
            self.check_starvation(&mut game);
            if game.table.next_tick().is_some_and(|tick| tick <= game.woke) {
                self.report_cpu(&mut game);
                game.feed(Input::Tick);
            }
            self.kill_overdue();
            self.sweep_leftovers();
        }
    }

    /// How long to wait at most: until the table, a dying process or a leaving one is due.
    fn timeout(&self, game: &CurrentMatch<'_>) -> Option<Duration> {
        let ticks = game.table.next_tick().into_iter().chain(self.next_look(game));
        let ends =
            game.ended.iter().filter_map(|&connection| self.at(connection)?.output.exit_by());
        let others = ends.map(until).chain(self.next_departure());
        earliest(game.latest, ticks, others, game.unread_questions.len())
    }

    pub(crate) fn at(&self, connection: u32) -> Option<&Connection> {
        self.connections.get(connection as usize)?.as_ref()
    }

    /// Begins to fetch the record of a connection that is served soon: among very many processes
    /// none is in the cache.
    pub(crate) fn fetch_soon(&self, connection: Option<u32>) {
        if let Some(there) = connection.and_then(|next| self.connections.get(next as usize)) {
            fetch_soon(there, Connection::NEEDED_OFTEN);
        }
    }
}

/// How long to wait at most: until the first of `ticks`, or as long as the shortest of `others`.
/// Bots that are `taking` their first question are looked at often.
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
    fn leftovers_are_looked_for_when_there_may_be_some_and_now_and_then() {
        assert!(Leftovers::Possible.are_due(1));
        assert!(!Leftovers::None.are_due(1));
        assert!(Leftovers::None.are_due(TIDY_AFTER));
    }
}
