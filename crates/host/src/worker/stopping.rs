//! Bots that are not on move and take the processor from the one that is are stopped until they are
//! asked again.
//!
//! A bot that waits for its next question costs nobody anything, and is left alone. Only if an
//! answer takes a while the host looks whether the bot on move gets the processor. If it does not,
//! everybody else of this worker is stopped: that does not depend on who of them is to blame, on how
//! many processes it has, or on whether anybody could count their time. One that is found to have
//! been to blame is stopped with every further answer at once.

use std::time::{Duration, Instant};

use game::Tick;

use crate::run::Pondering;
use crate::worker::connection::{Connection, ConnectionState};
use crate::worker::match_loop::{CurrentMatch, Worker};

/// An answer may take so long before the first look, and looks are at least so far apart.
const SOON: Duration = Duration::from_millis(1);
/// Looks are at most so far apart.
const SELDOM: Duration = Duration::from_millis(10);
/// Between a stop and the look whether it helped.
const SHORTLY: Duration = Duration::from_micros(500);
/// In worlds of more processes than this nobody is looked at: there all move at once, and whoever
/// waits for a core usually waits for another one on move.
const CROWD: usize = 16;

/// When the bots on move are looked at.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// The first question that has not been answered was sent then.
    since: Tick,
    next: Option<Tick>,
    /// At the last look somebody was stopped.
    stopped: bool,
}

impl Looks {
    /// A question has been sent.
    pub(crate) fn asked(&mut self, at: Tick) {
        *self = Looks { since: at, next: Some(at + SOON), stopped: false };
    }
}

impl Worker<'_> {
    /// When the bots on move are to be looked at, if ever.
    pub(crate) fn next_look(&self, game: &CurrentMatch<'_>) -> Option<Tick> {
        let needed = self.shared.pondering == Pondering::Stopped
            && game.table.programs_awaited() > 0
            && self.connections.len() - self.free.len() > 1
            && game.seated <= CROWD;
        game.looks.next.filter(|_| needed)
    }

    /// Looks whether the bots on move get the processor, if it is time to.
    pub(crate) fn look(&mut self, game: &mut CurrentMatch<'_>) {
        if self.next_look(game).is_none_or(|next| game.woke < next) {
            return;
        }
        let now = game.woke;
        let mut starves = false;
        for there in self.connections.iter_mut().flatten() {
            // The clock of one that has not taken its first question does not run.
            let on_move = there.seat().is_some_and(|seat| game.table.awaits(seat));
            starves |= on_move && !there.taking && there.starves(now);
        }
        let helped = std::mem::take(&mut game.looks.stopped) && !starves;
        let mut stopped = false;
        for there in self.connections.iter_mut().flatten() {
            let rests = match there.state {
                ConnectionState::Seated(seat) => {
                    game.table.plays(seat) && !game.table.on_move(seat)
                }
                ConnectionState::Idle { .. } | ConnectionState::Leaving(_) => true,
                ConnectionState::Dying(_) => false,
            };
            if !rests {
                continue;
            }
            if helped && there.is_frozen() {
                there.restless = true;
            } else if starves && !there.is_frozen() {
                there.freeze();
                stopped = true;
            }
        }
        game.looks.stopped = stopped;
        let pause = match stopped {
            true => SHORTLY,
            false => (now.since(game.looks.since) / 2).clamp(SOON, SELDOM),
        };
        // To stop somebody takes a moment.
        game.wake();
        game.looks.next = Some(game.woke + pause);
        if stopped {
            self.connections.iter_mut().flatten().for_each(|there| there.look_from(game.woke));
        }
    }

    /// A built-in bot has thought on this thread, when nobody could look.
    pub(crate) fn look_back(&mut self, wall: Duration, cpu: Duration) {
        if self.shared.pondering != Pondering::Stopped || wall < SOON || !starved(wall, cpu) {
            return;
        }
        for there in self.connections.iter_mut().flatten() {
            there.restless = true;
        }
    }

    /// Those that were told to go may do so in their own time, now that nobody is on move.
    pub(crate) fn let_leave(&mut self) {
        for there in self.connections.iter_mut().flatten() {
            if let ConnectionState::Leaving(_) = there.state {
                there.thaw();
            }
        }
    }
}

/// Whether somebody had much less of the processor than it could have had.
fn starved(wall: Duration, cpu: Duration) -> bool {
    cpu < wall * 3 / 4
}

impl Connection {
    /// Whether the bot in it, which is on move, has had much less of the processor than it could
    /// have had since the last look or its question.
    fn starves(&mut self, now: Tick) -> bool {
        let (from, before) = self.looked.unwrap_or((self.asked_at, self.cpu));
        let cpu = self.child.cpu();
        self.looked = Some((now, cpu));
        starved(now.since(from), cpu.saturating_sub(before))
    }

    /// The next look counts from now.
    fn look_from(&mut self, now: Tick) {
        if let Some((at, cpu)) = &mut self.looked {
            (*at, *cpu) = (now, self.child.cpu());
        }
    }

    /// Stops the process and everything it has started, because it is not on move.
    pub(crate) fn freeze(&mut self) {
        if self.frozen.is_none() {
            self.frozen = Some(Instant::now());
            self.child.freeze();
        }
    }

    /// Lets it go on, if it was stopped.
    pub(crate) fn thaw(&mut self) {
        if let Some(since) = self.frozen.take() {
            self.child.thaw();
            // It could not leave meanwhile.
            if let ConnectionState::Leaving(by) = &mut self.state {
                *by += since.elapsed();
            }
        }
    }

    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }
}
