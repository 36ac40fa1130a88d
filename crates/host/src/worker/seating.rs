//! Processes for the seats of a match: started here or elsewhere, given a connection.

use std::io;

use game::{Fault, FaultKind};
use table::{Input, SeatId, SeatStatus};

use crate::cage::is_launchers_fault;
use crate::os::os_limits::is_shortage;
use crate::os::placement::{Cores, place_process};
use crate::os::sys::WakeUps;
use crate::panics::Panic;
use crate::process::child::Spawned;
use crate::process::spawner::Spawner;
use crate::worker::connection::Connection;
use crate::worker::cpu_meter::Metered;
use crate::worker::current_match::CurrentMatch;
use crate::worker::match_loop::Worker;
use crate::worker::poller::PollSource;

/// What a process is started for.
pub(crate) struct SeatRequest {
    pub(crate) bot: usize,
    pub(crate) seat: SeatId,
}

/// So many processes are started at once by the worker itself; more are started by all cores.
const FEW: usize = 4;

/// Where the process of each seat is.
#[derive(Debug, Default)]
pub(crate) struct Seats {
    connections: Vec<Option<u32>>,
    filled: usize,
}

impl Seats {
    /// A process sits in a seat from now on.
    pub(crate) fn fill(&mut self, seat: SeatId, connection: u32) {
        let index = seat.0 as usize;
        if self.connections.len() <= index {
            self.connections.resize(index + 1, None);
        }
        if self.connections[index].replace(connection).is_none() {
            self.filled += 1;
        }
    }

    /// A seat is given up. Returns the connection of its process.
    pub(crate) fn empty(&mut self, seat: SeatId) -> Option<u32> {
        let connection = self.connections.get_mut(seat.0 as usize)?.take()?;
        self.filled -= 1;
        Some(connection)
    }

    /// The connection of a seat's process.
    pub(crate) fn connection(&self, seat: SeatId) -> Option<u32> {
        self.connections.get(seat.0 as usize).copied().flatten()
    }

    /// How many seats have a process.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// The connections of all seats that have a process.
    fn filled_by(&self) -> impl Iterator<Item = u32> {
        self.connections.iter().copied().flatten()
    }

    /// All seats that had a process so far.
    pub(crate) fn ids(&self) -> impl Iterator<Item = SeatId> + use<> {
        (0..self.connections.len() as u32).map(SeatId)
    }
}

/// With so many processes nobody interrupts anybody. With fewer, beside other programs that
/// compute, everybody would wait for them too long.
const VAST: usize = 256;

/// How many processes a match has or had, compared with what there is for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Crowding {
    #[default]
    CoreEach,
    /// More than there are cores.
    Crowded,
    /// So many that a bot that is woken has to wait: to interrupt the worker, which is about to
    /// wake the others, or another bot takes more time than it saves.
    Vast,
}

impl Crowding {
    /// The same after so many seats have been filled.
    fn after(self, filled: usize) -> Crowding {
        if filled >= VAST { Crowding::Vast } else { self }
    }

    /// What holds for all bots of the match alike.
    fn wake_ups(self) -> WakeUps {
        match self {
            Crowding::CoreEach | Crowding::Crowded => WakeUps::Ordinary,
            Crowding::Vast => WakeUps::Patient,
        }
    }
}

/// Who starts a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starter {
    /// The worker itself, which does nothing else meanwhile.
    Worker,
    /// Threads of their own, while the worker listens to its bots.
    Threads,
}

impl Starter {
    /// Who starts so many processes after so many turns. Before the first turn no clock runs.
    pub(crate) fn new(turns: u32, processes: usize) -> Starter {
        match turns {
            0 if processes <= FEW => Starter::Worker,
            _ => Starter::Threads,
        }
    }
}

impl Worker<'_> {
    /// Seats a process that has played before, if there is one.
    pub(crate) fn seat_idle(
        &mut self,
        game: &mut CurrentMatch<'_>,
        seat: SeatId,
        bot: usize,
    ) -> bool {
        let Some(connection) = self.idle.get_mut(&bot).and_then(Vec::pop) else { return false };
        let there =
            self.connections[connection as usize].as_mut().expect("idle connections are filled");
        there.seat_again(seat, game.metered);
        let known = there.known();
        self.fill(game, seat, connection);
        game.feed(Input::Seated { seat, process: game::ProcessHistory::Reused, known });
        true
    }

    /// Starts a process here, or has it started while others play.
    pub(crate) fn start(
        &mut self,
        game: &mut CurrentMatch<'_>,
        seat: SeatId,
        bot: usize,
        start: impl FnOnce() -> io::Result<Spawned> + Send + 'static,
        starter: Starter,
    ) {
        let cores = self.cores_for(game, bot, seat);
        let prestarted = match starter {
            Starter::Worker => self.prestarted.as_mut().and_then(|ahead| ahead.take(bot)),
            Starter::Threads => None,
        };
        if let Some(process) = prestarted {
            place_process(process.child.pid, &cores);
            return self.seat(game, seat, bot, Ok(process));
        }
        if starter == Starter::Worker && cores == self.cores.home {
            return self.seat(game, seat, bot, start());
        }
        match self.spawner() {
            Ok(spawner) => {
                spawner.order(SeatRequest { bot, seat }, cores, start);
                self.coming += 1;
            }
            Err(error) => self.seat(game, seat, bot, Err(error)),
        }
    }

    pub(crate) fn spawner(&mut self) -> io::Result<&Spawner<SeatRequest>> {
        if self.spawner.is_none() {
            let spawner = Spawner::new(self.cores.all.len())?;
            self.poller.readable(spawner.waker(), PollSource::Started)?;
            self.spawner = Some(spawner);
        }
        Ok(self.spawner.as_ref().expect("it has just been made"))
    }

    /// Where the process in a seat is to run.
    pub(crate) fn cores_for(
        &self,
        game: &CurrentMatch<'_>,
        bot: usize,
        seat: SeatId,
    ) -> Vec<usize> {
        let wanted = self.shared.roster[bot].limits.cores as usize;
        cores_for(wanted, seat, game.crowding, &self.cores)
    }

    /// A process has been started for a seat, or could not be.
    pub(crate) fn seat(
        &mut self,
        game: &mut CurrentMatch<'_>,
        seat: SeatId,
        bot: usize,
        process: io::Result<Spawned>,
    ) {
        match process.and_then(|process| self.connect(process, bot, seat, game.metered)) {
            Ok(connection) => {
                self.fill(game, seat, connection);
                let known = self.at(connection).map(Connection::known).unwrap_or_default();
                game.feed(Input::Seated { seat, process: game::ProcessHistory::Fresh, known });
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

    /// A process sits in a seat from now on.
    fn fill(&mut self, game: &mut CurrentMatch<'_>, seat: SeatId, connection: u32) {
        game.seats.fill(seat, connection);
        let before = game.crowding;
        game.crowding = before.after(game.seats.filled());
        let wake_ups = game.crowding.wake_ups();
        // All of them, if this one makes the difference.
        let seated = (wake_ups != before.wake_ups()).then(|| game.seats.filled_by());
        for connection in seated.into_iter().flatten().chain([connection]) {
            if let Some(there) = &mut self.connections[connection as usize] {
                there.set_wake_ups(wake_ups);
            }
        }
    }

    /// Gives a process a connection and listens to it.
    pub(crate) fn connect(
        &mut self,
        process: Spawned,
        bot: usize,
        seat: SeatId,
        metered: Metered,
    ) -> io::Result<u32> {
        let index = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() as u32 - 1
        });
        let mut connection = Connection::new(process, bot, seat, metered);
        if let Err(error) = connection.listen(&self.poller, index) {
            connection.unlisten(&self.poller);
            self.free.push(index);
            return Err(error);
        }
        self.connections[index as usize] = Some(connection);
        Ok(index)
    }

    /// Seats the processes that have been started on other threads.
    pub(crate) fn seat_started(&mut self, game: &mut CurrentMatch<'_>) {
        while let Some((errand, process)) = self.spawner.as_ref().and_then(Spawner::started) {
            self.coming -= 1;
            // One that nobody waits for any more ends when it is dropped.
            if game.table.seat(errand.seat) != SeatStatus::Closed {
                self.seat(game, errand.seat, errand.bot, process);
            }
        }
    }

    /// The core of a seat's own, when bots do not share the worker's.
    pub(crate) fn core_of(&self, seat: SeatId) -> Option<usize> {
        core_of(seat, &self.cores)
    }
}

/// The core of a seat's own, when bots do not share the worker's.
fn core_of(seat: SeatId, cores: &Cores) -> Option<usize> {
    let count = cores.bots.len().max(1);
    cores.bots.get(seat.0 as usize % count).copied()
}

/// Where a process that wants so many cores is to run.
fn cores_for(wanted: usize, seat: SeatId, crowding: Crowding, cores: &Cores) -> Vec<usize> {
    match (wanted, core_of(seat, cores), crowding) {
        // Bound processes must be woken where they are, idle cores included, which costs the
        // host twice as much as letting the system choose.
        (0 | 1, Some(_), Crowding::Crowded | Crowding::Vast) => cores.all.clone(),
        (0 | 1, Some(core), Crowding::CoreEach) => vec![core],
        (0 | 1, None, _) => cores.home.clone(),
        (several, ..) => cores.all[..several.min(cores.all.len())].to_vec(),
    }
}

/// Whether starting a process failed by a fault of the host, or for want of something that it
/// should have had, or because somebody has killed what starts it.
fn ours(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Panic>())
        || is_shortage(error)
        || is_launchers_fault(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panics::catch;

    fn apart() -> Cores {
        Cores { home: vec![2], bots: vec![4, 5, 6], spare: Vec::new(), all: vec![2, 4, 5, 6] }
    }

    fn together() -> Cores {
        Cores { bots: Vec::new(), ..apart() }
    }

    #[test]
    fn a_few_processes_are_started_by_the_worker_before_the_first_turn() {
        assert_eq!(Starter::new(0, FEW), Starter::Worker);
        assert_eq!(Starter::new(0, FEW + 1), Starter::Threads);
        assert_eq!(Starter::new(1, 1), Starter::Threads, "somebody's clock may run");
    }

    #[test]
    fn a_seat_is_counted_once_however_often_it_is_filled_or_emptied() {
        let mut seats = Seats::default();
        seats.fill(SeatId(2), 7);
        seats.fill(SeatId(2), 8);
        assert_eq!((seats.filled(), seats.connection(SeatId(2))), (1, Some(8)));
        assert_eq!(seats.connection(SeatId(0)), None);
        assert_eq!(seats.ids().count(), 3);
        assert_eq!(seats.empty(SeatId(2)), Some(8));
        assert_eq!(seats.empty(SeatId(2)), None);
        assert_eq!(seats.empty(SeatId(9)), None);
        assert_eq!(seats.filled(), 0);
    }

    #[test]
    fn a_match_that_was_vast_stays_so() {
        assert_eq!(Crowding::CoreEach.after(VAST - 1), Crowding::CoreEach);
        assert_eq!(Crowding::Crowded.after(VAST - 1), Crowding::Crowded);
        for before in [Crowding::CoreEach, Crowding::Crowded] {
            assert_eq!(before.after(VAST), Crowding::Vast);
        }
        assert_eq!(Crowding::Vast.after(1), Crowding::Vast);
        assert_eq!(Crowding::Vast.max(Crowding::Crowded), Crowding::Vast);
    }

    #[test]
    fn bots_apart_have_a_core_each_until_there_are_too_many() {
        let cores = |seat, crowding| cores_for(1, SeatId(seat), crowding, &apart());
        assert_eq!(cores(1, Crowding::CoreEach), [5]);
        assert_eq!(cores(3, Crowding::CoreEach), [4], "the fourth begins anew");
        assert_eq!(cores(1, Crowding::Crowded), [2, 4, 5, 6]);
        assert_eq!(cores(1, Crowding::Vast), [2, 4, 5, 6]);
    }

    #[test]
    fn bots_together_share_the_core_of_the_worker() {
        for crowding in [Crowding::CoreEach, Crowding::Crowded] {
            assert_eq!(cores_for(1, SeatId(1), crowding, &together()), [2]);
        }
        assert_eq!(core_of(SeatId(1), &together()), None);
    }

    #[test]
    fn a_bot_that_may_use_several_cores_gets_as_many_as_there_are() {
        for cores in [apart(), together()] {
            assert_eq!(cores_for(3, SeatId(0), Crowding::CoreEach, &cores), [2, 4, 5]);
            assert_eq!(cores_for(9, SeatId(0), Crowding::Crowded, &cores), [2, 4, 5, 6]);
        }
    }

    #[test]
    fn a_shortage_of_the_machine_is_not_the_fault_of_the_bot() {
        for number in [libc::EMFILE, libc::EAGAIN, libc::ENOMEM, libc::ENOSPC] {
            assert!(ours(&io::Error::from_raw_os_error(number)), "{number}");
        }
        for number in [libc::ENOENT, libc::EACCES, libc::ENOEXEC] {
            assert!(!ours(&io::Error::from_raw_os_error(number)), "{number}");
        }
        let panic = catch(|| panic!("of the host")).expect_err("it panics");
        assert!(ours(&io::Error::other(panic)));
        assert!(!ours(&io::Error::other("it is not a program")));
    }
}
