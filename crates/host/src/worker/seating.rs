//! Processes for the seats of a match: started here or elsewhere, given a connection.

use std::io;

use game::{Fault, FaultKind};
use table::{Input, SeatId};

use crate::os::placement::place_process;
use crate::panics::Panic;
use crate::process::child::Spawned;
use crate::process::spawner::Spawner;
use crate::worker::connection::Connection;
use crate::worker::cpu_meter::Metered;
use crate::worker::match_loop::{CurrentMatch, Worker};
use crate::worker::poller::PollSource;

/// What a process is started for.
pub(crate) struct SeatRequest {
    pub(crate) bot: usize,
    pub(crate) seat: SeatId,
}

/// So many processes are started at once by the worker itself; more are started by all cores.
const FEW: usize = 4;

/// Who starts a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starter {
    /// The worker itself, which does nothing else meanwhile.
    Worker,
    /// Threads of their own, while the worker listens to its bots.
    Threads,
}

impl Starter {
    /// Who starts so many processes after so many turns. Before the first turn nobody's clock runs.
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
        game.sits(seat, connection);
        game.feed(Input::Seated { seat, reused: true, known });
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
        match (self.shared.roster[bot].limits.cores as usize, self.core_of(seat)) {
            // Bound processes must be woken where they are, idle cores included, which costs the
            // host twice as much as letting the system choose.
            (0 | 1, Some(_)) if game.crowded => self.cores.all.clone(),
            (0 | 1, Some(core)) => vec![core],
            (0 | 1, None) => self.cores.home.clone(),
            (several, _) => self.cores.all[..several.min(self.cores.all.len())].to_vec(),
        }
    }

    /// A process has been started for a seat, or could not be.
    pub(crate) fn seat(
        &mut self,
        game: &mut CurrentMatch<'_>,
        seat: SeatId,
        bot: usize,
        process: io::Result<Spawned>,
    ) {
        match process.and_then(|process| self.settle(process, bot, seat, game.metered)) {
            Ok(connection) => {
                game.sits(seat, connection);
                let known = self.at(connection).map(Connection::known).unwrap_or_default();
                game.feed(Input::Seated { seat, reused: false, known });
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

    /// Gives a process a connection and listens to it.
    pub(crate) fn settle(
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
    pub(crate) fn take_in_started(&mut self, game: &mut CurrentMatch<'_>) {
        while let Some((errand, process)) = self.spawner.as_ref().and_then(Spawner::started) {
            self.coming -= 1;
            // One that nobody waits for any more ends when it is dropped.
            if !game.table.gone(errand.seat) {
                self.seat(game, errand.seat, errand.bot, process);
            }
        }
    }

    /// The core of a seat's own, when bots do not share the worker's.
    pub(crate) fn core_of(&self, seat: SeatId) -> Option<usize> {
        let count = self.cores.bots.len().max(1);
        self.cores.bots.get(seat.0 as usize % count).copied()
    }
}

/// Whether starting a process failed by a fault of the host, or for want of something that it
/// should have had.
fn ours(error: &io::Error) -> bool {
    if error.get_ref().is_some_and(|inner| inner.is::<Panic>()) {
        return true;
    }
    let shortages = [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM, libc::ENOSPC];
    error.raw_os_error().is_some_and(|number| shortages.contains(&number))
}
