//! Games that are over and wait to be kept.
//!
//! Whoever keeps them takes all that there are, and gives the disk a rest before the next ones: as
//! many games share a flush as are played meanwhile, however slow the disk is. Nothing rests while
//! somebody waits for a result.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// So many games may wait, or so many bytes. Those who play wait if there are more.
const MOST_GAMES: usize = 1024;
const MOST_BYTES: usize = 64 << 20;

/// Games on their way to the store.
pub(crate) struct Backlog<G> {
    waiting: Mutex<WaitingGames<G>>,
    /// There is something to take.
    due: Condvar,
    /// There is room again.
    taken: Condvar,
}

struct WaitingGames<G> {
    games: Vec<G>,
    bytes: usize,
    urgency: Urgency,
}

/// When games are to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Urgency {
    /// When the disk has rested.
    None,
    /// At once: somebody waits for a result.
    Wanted,
    /// At once: no more will come.
    Closed,
}

impl<G> WaitingGames<G> {
    fn is_full(&self) -> bool {
        self.games.len() >= MOST_GAMES || self.bytes >= MOST_BYTES
    }
}

impl<G> Backlog<G> {
    pub(crate) fn new() -> Backlog<G> {
        let waiting = WaitingGames { games: Vec::new(), bytes: 0, urgency: Urgency::None };
        Backlog { waiting: Mutex::new(waiting), due: Condvar::new(), taken: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, WaitingGames<G>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a game that takes so many bytes, as soon as there is room.
    pub(crate) fn add(&self, game: G, bytes: usize) {
        let no_room =
            |waiting: &mut WaitingGames<G>| waiting.is_full() && waiting.urgency != Urgency::Closed;
        let waited = self.taken.wait_while(self.lock(), no_room);
        let mut waiting = waited.unwrap_or_else(PoisonError::into_inner);
        waiting.games.push(game);
        waiting.bytes += bytes;
        // In between the one who takes them sleeps until the disk has rested.
        if waiting.games.len() == 1 || waiting.is_full() {
            self.due.notify_one();
        }
    }

    /// Somebody waits for the result of a game: what there is, or the next one to come, is taken at
    /// once.
    pub(crate) fn hurry(&self) {
        let mut waiting = self.lock();
        if waiting.urgency == Urgency::None {
            waiting.urgency = Urgency::Wanted;
            self.due.notify_one();
        }
    }

    /// All games that wait, at least one: not before this moment, unless they are wanted or too
    /// many. None if no more will come.
    pub(crate) fn take(&self, not_before: Instant) -> Option<Vec<G>> {
        let mut waiting = self.lock();
        loop {
            let rest = not_before.saturating_duration_since(Instant::now());
            let at_once = waiting.is_full() || waiting.urgency != Urgency::None || rest.is_zero();
            match (waiting.games.is_empty(), waiting.urgency) {
                (true, Urgency::Closed) => return None,
                (true, Urgency::None | Urgency::Wanted) => {
                    let waited = self.due.wait(waiting);
                    waiting = waited.unwrap_or_else(PoisonError::into_inner);
                }
                (false, _) if at_once => break,
                (false, _) => {
                    let waited = self.due.wait_timeout(waiting, rest);
                    waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        if waiting.urgency == Urgency::Wanted {
            waiting.urgency = Urgency::None;
        }
        waiting.bytes = 0;
        self.taken.notify_all();
        Some(std::mem::take(&mut waiting.games))
    }

    /// No more games come when what this returns is dropped.
    pub(crate) fn closed_when_dropped(&self) -> impl Drop + '_ {
        Closes(self)
    }
}

struct Closes<'b, G>(&'b Backlog<G>);

impl<G> Drop for Closes<'_, G> {
    fn drop(&mut self) {
        self.0.lock().urgency = Urgency::Closed;
        self.0.due.notify_all();
        self.0.taken.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn never() -> Instant {
        Instant::now() + Duration::from_secs(3600)
    }

    #[test]
    fn all_that_wait_are_taken_together_when_the_disk_has_rested() {
        let backlog = Backlog::new();
        (0..5).for_each(|game| backlog.add(game, 10));
        assert_eq!(backlog.take(Instant::now()), Some(vec![0, 1, 2, 3, 4]));
        backlog.add(5, 10);
        assert_eq!(backlog.take(Instant::now() + Duration::from_millis(1)), Some(vec![5]));
    }

    #[test]
    fn what_somebody_waits_for_is_taken_at_once_and_only_that() {
        let backlog = Backlog::new();
        std::thread::scope(|scope| {
            let taking = scope.spawn(|| backlog.take(never()));
            backlog.add(0, 10);
            backlog.hurry();
            assert_eq!(taking.join().expect("it has not panicked"), Some(vec![0]));
            // Who asks before there is anything gets the next one.
            backlog.hurry();
            let taking = scope.spawn(|| backlog.take(never()));
            backlog.add(1, 10);
            assert_eq!(taking.join().expect("it has not panicked"), Some(vec![1]));
        });
        assert_eq!(backlog.lock().urgency, Urgency::None);
    }

    #[test]
    fn too_many_games_or_bytes_are_taken_at_once_and_others_wait_for_room() {
        let backlog = Backlog::new();
        for (games, bytes) in [(MOST_GAMES, 1), (1, MOST_BYTES)] {
            std::thread::scope(|scope| {
                // The last of them waits until the first are taken.
                scope.spawn(|| (0..=games).for_each(|game| backlog.add(game, bytes)));
                assert_eq!(backlog.take(never()).map(|taken| taken.len()), Some(games));
                assert_eq!(backlog.take(Instant::now()), Some(vec![games]));
            });
        }
    }

    #[test]
    fn after_the_last_game_nobody_waits() {
        let backlog = Backlog::new();
        let closes = backlog.closed_when_dropped();
        backlog.add(0, MOST_BYTES);
        drop(closes);
        // Somebody may have been about to add another one.
        backlog.add(1, 10);
        assert_eq!(backlog.take(never()), Some(vec![0, 1]));
        assert_eq!(backlog.take(never()), None);
    }
}
