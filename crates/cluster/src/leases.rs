//! Who plays which games until when. Pure: time is an argument, and games come from and go back to
//! whoever calls.
//!
//! A worker holds games as long as it says so often enough. A game is held by at most one worker.
//! What a worker says is numbered, because a network may bring it late: an answer that was lost
//! must not leave games with somebody who has never heard of them.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::wire::GamePlace;

/// A worker: the name that it may speak under, and which of the processes of that name it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId {
    /// Its name, the last part of its subject.
    pub name: String,
    /// Drawn when it started.
    pub session: u64,
}

/// Processes of one name that are known at a time: one, and those that it has followed.
const MOST_SESSIONS: usize = 16;

/// What is known of a worker.
#[derive(Clone, Debug)]
struct Holder {
    /// When its games go back unless it is heard of before.
    until: Duration,
    /// The number of the last thing it said.
    last: u64,
    /// What it holds, and the number of the question by which it got that.
    games: HashMap<GamePlace, u64>,
}

/// Who plays which games until when.
#[derive(Clone, Debug)]
pub struct Leases {
    lease: Duration,
    holders: BTreeMap<WorkerId, Holder>,
    holder_of: HashMap<GamePlace, WorkerId>,
    /// Leases that ran out.
    pub expired: u64,
}

/// What became of a claim to games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Those that the worker says it holds and nobody else does: to be lent to it, if they are
    /// still to be played.
    pub unknown: Vec<GamePlace>,
    /// Those that somebody else plays.
    pub lost: Vec<GamePlace>,
    /// Those that it was given and does not know of: they are free again.
    pub dropped: Vec<GamePlace>,
}

impl Leases {
    /// Without workers; games go back if nothing is heard of a worker for so long.
    pub fn new(lease: Duration) -> Leases {
        Leases { lease, holders: BTreeMap::new(), holder_of: HashMap::new(), expired: 0 }
    }

    /// How long a worker may be silent.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// A worker has said something. False if it said something later before: then this came too
    /// late and is not to be acted upon.
    pub fn heard(&mut self, now: Duration, worker: &WorkerId, number: u64) -> bool {
        let until = now + self.lease;
        let new = || Holder { until, last: 0, games: HashMap::new() };
        let holder = self.holders.entry(worker.clone()).or_insert_with(new);
        if number <= holder.last {
            return false;
        }
        (holder.last, holder.until) = (number, until);
        true
    }

    /// Forgets processes of a name beyond the few that one name can have, those that were silent for
    /// longest. What they held is free again.
    pub fn surplus(&mut self, name: &str) -> Vec<(WorkerId, Vec<GamePlace>)> {
        let session = |session| WorkerId { name: name.to_owned(), session };
        let own = self.holders.range(session(0)..=session(u64::MAX));
        let mut own: Vec<(Duration, WorkerId)> =
            own.map(|(worker, holder)| (holder.until, worker.clone())).collect();
        let Some(more) = own.len().checked_sub(MOST_SESSIONS).filter(|more| *more > 0) else {
            return Vec::new();
        };
        own.sort_unstable();
        let old = own.into_iter().take(more).map(|(_, worker)| worker);
        old.map(|worker| (worker.clone(), self.remove(&worker))).collect()
    }

    /// How many games a worker holds.
    pub fn held_of(&self, worker: &WorkerId) -> usize {
        self.holders.get(worker).map_or(0, |holder| holder.games.len())
    }

    /// Gives a worker games that nobody holds, in answer to what it said last.
    pub fn grant(&mut self, worker: &WorkerId, games: impl IntoIterator<Item = GamePlace>) {
        let holder = self.holders.get_mut(worker).expect("it has just been heard of");
        for game in games {
            let before = self.holder_of.insert(game.clone(), worker.clone());
            assert_eq!(before, None, "a game is held once");
            holder.games.insert(game, holder.last);
        }
    }

    /// A worker that has just been heard of says that it holds exactly these games.
    pub fn holds(&mut self, worker: &WorkerId, games: &[GamePlace]) -> Held {
        let mut held = Held::default();
        for game in games {
            match self.holder_of.get(game) {
                Some(holder) if holder == worker => {}
                Some(_) => held.lost.push(game.clone()),
                None => held.unknown.push(game.clone()),
            }
        }
        let Some(holder) = self.holders.get_mut(worker) else { return held };
        let listed: std::collections::HashSet<&GamePlace> = games.iter().collect();
        let last = holder.last;
        let forgotten =
            |(game, since): &(&GamePlace, &u64)| **since < last && !listed.contains(game);
        held.dropped =
            holder.games.iter().filter(forgotten).map(|(game, _)| game.clone()).collect();
        for game in &held.dropped {
            holder.games.remove(game);
            self.holder_of.remove(game);
        }
        held
    }

    /// Who holds a game.
    pub fn holder(&self, game: &GamePlace) -> Option<&WorkerId> {
        self.holder_of.get(game)
    }

    /// Nobody holds a game any more: its result has come, or it is not wanted. True if somebody
    /// held it.
    pub fn settle(&mut self, game: &GamePlace) -> bool {
        let Some(worker) = self.holder_of.remove(game) else { return false };
        if let Some(holder) = self.holders.get_mut(&worker) {
            holder.games.remove(game);
        }
        true
    }

    /// A worker gives games back. Those that it held are free again.
    pub fn give_back(&mut self, worker: &WorkerId, games: &[GamePlace]) -> Vec<GamePlace> {
        let own = |game: &&GamePlace| self.holder_of.get(game) == Some(worker);
        let own: Vec<GamePlace> = games.iter().filter(own).cloned().collect();
        own.into_iter().filter(|game| self.settle(game)).collect()
    }

    /// Forgets a worker. What it held is free again.
    pub fn remove(&mut self, worker: &WorkerId) -> Vec<GamePlace> {
        let Some(holder) = self.holders.remove(worker) else { return Vec::new() };
        let games: Vec<GamePlace> = holder.games.into_keys().collect();
        for game in &games {
            self.holder_of.remove(game);
        }
        games
    }

    /// Forgets the workers of which nothing was heard for too long. What they held is free again.
    pub fn expire(&mut self, now: Duration) -> Vec<(WorkerId, Vec<GamePlace>)> {
        let silent = |(_, holder): &(&WorkerId, &Holder)| holder.until <= now;
        let silent: Vec<WorkerId> =
            self.holders.iter().filter(silent).map(|(worker, _)| worker.clone()).collect();
        let mut gone = Vec::new();
        for worker in silent {
            let games = self.remove(&worker);
            self.expired += games.len() as u64;
            gone.push((worker, games));
        }
        gone
    }

    /// The workers, with how many games each holds.
    pub fn workers(&self) -> impl Iterator<Item = (&WorkerId, usize)> {
        self.holders.iter().map(|(worker, holder)| (worker, holder.games.len()))
    }

    /// How many games are held.
    pub fn held(&self) -> usize {
        self.holder_of.len()
    }

    /// All games that are held, by worker, with how long they still are.
    pub fn held_by(&self, now: Duration) -> Vec<(WorkerId, Duration, Vec<GamePlace>)> {
        let lease = |(worker, holder): (&WorkerId, &Holder)| {
            let left = holder.until.saturating_sub(now);
            (worker.clone(), left, holder.games.keys().cloned().collect())
        };
        let busy = self.holders.iter().filter(|(_, holder)| !holder.games.is_empty());
        busy.map(lease).collect()
    }

    /// A lease of an earlier process: what the worker says next decides.
    pub fn restore(&mut self, now: Duration, worker: &WorkerId, games: Vec<GamePlace>) {
        let until = now + self.lease;
        let new = || Holder { until, last: 0, games: HashMap::new() };
        self.holders.entry(worker.clone()).or_insert_with(new);
        self.grant(worker, games);
    }
}

#[cfg(test)]
mod tests;
