//! Which games a worker gets: whole sets that it can play, and repetitions of what others played.

use std::time::Duration;

use league::schedule::GameKey;
use league::{LentGame, NextSet, RemoteGames, RemoteStanding};

use super::workers::Workers;
use super::{Coordinator, CoordinatorState, place_of};
use crate::leases::WorkerId;
use crate::wire::{CoordinatorAnswer, GamePlace, PlayedFor, RemoteGame};

/// Sets that are looked through for one that a worker can play.
const LOOK_AHEAD: usize = 64;
/// How long a worker should play what it gets at once, and how many games that is at most.
const JOB: Duration = Duration::from_secs(10);
const MOST_GAMES: usize = 2000;
/// A worker holds no more, however often it asks.
const MOST_HELD: usize = 2 * MOST_GAMES;

impl Coordinator {
    /// Lends again what an earlier process had lent: its workers may still play it.
    pub(super) fn restore(&self, state: &mut CoordinatorState, games: &RemoteGames<'_>) {
        if std::mem::replace(&mut state.is_restored, true) {
            return;
        }
        let now = state.began.elapsed();
        for line in std::mem::take(&mut state.file.leases) {
            let worker = WorkerId { name: line.worker, session: line.session };
            if state.workers.exclusion(&worker.name).is_some() {
                continue;
            }
            let mut own = Vec::new();
            for place in line.games {
                if let Some(game) = lend_again(games, &place)
                    && state.lent.insert(place.clone(), game).is_none()
                {
                    own.push(place);
                }
            }
            if !own.is_empty() {
                state.leases.restore(now, &worker, own);
            }
        }
    }

    /// A worker says what it holds. What it may forget.
    pub(super) fn held(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        places: &[GamePlace],
    ) -> Vec<GamePlace> {
        let held = state.leases.holds(worker, places);
        let mut lost = held.lost;
        for place in held.unknown {
            let has_room = state.leases.held_of(worker) < MOST_HELD;
            match has_room.then(|| lend_again(games, &place)).flatten() {
                Some(game) => {
                    state.lent.insert(place.clone(), game);
                    state.leases.grant(worker, [place]);
                    state.is_dirty = true;
                }
                None => lost.push(place),
            }
        }
        give_back(state, games, held.dropped);
        lost
    }

    /// Games for a worker that has room for so many at a time.
    pub(super) fn lend(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        free: u32,
    ) -> CoordinatorAnswer {
        // One that asks again and again gets no more than it could play.
        let free = free.min(state.workers.slots_of(worker).unwrap_or(0)).max(1);
        let room = MOST_HELD.saturating_sub(state.leases.held_of(worker));
        let wanted = state.workers.job_size(free, JOB, games.left()).min(MOST_GAMES).min(room);
        let (mut lent, mut sets) = (Vec::new(), 0);
        while lent.len() < room.min(free as usize) {
            let workers = &state.workers;
            let can = |game: &LentGame| can_play(workers, worker, game);
            let Some((place, game)) = state.repeats.lend(&worker.name, can) else { break };
            lent.push(remote_game(games, place.clone(), sets, &game));
            sets += 1;
            state.leases.grant(worker, [place]);
        }
        while lent.len() < wanted
            && let Some(set) = suitable(state, games, worker)
        {
            for game in set {
                let place = place_of(&game);
                lent.push(remote_game(games, place.clone(), sets, &game));
                state.leases.grant(worker, [place.clone()]);
                state.lent.insert(place, game);
            }
            sets += 1;
        }
        let speed = state.workers.speed(worker);
        match (lent.is_empty(), speed) {
            (true, _) | (false, None) => CoordinatorAnswer::Wait(state.workers.pause()),
            (false, Some(speed)) => {
                state.is_dirty = true;
                let time_scale = state.speeds.scale(speed);
                CoordinatorAnswer::Games { brief: state.brief.clone(), time_scale, games: lent }
            }
        }
    }
}

fn remote_game(games: &RemoteGames<'_>, place: GamePlace, set: u32, game: &LentGame) -> RemoteGame {
    let (_, _, terms) = games.terms(game);
    RemoteGame {
        place,
        set,
        id: terms.id,
        seed: game.fixture.seed().0,
        variant: game.fixture.variant as u32,
        bots: game.fixture.seating.iter().map(|bot| bot.0).collect(),
    }
}

pub(super) fn can_play(workers: &Workers, worker: &WorkerId, game: &LentGame) -> bool {
    game.fixture.group.iter().all(|bot| workers.can(worker, game.event as u32, bot.0))
}

/// Lends a game again of which somebody says that it has been lent; `None` if nobody wants it, or
/// somebody else plays it.
fn lend_again(games: &RemoteGames<'_>, place: &GamePlace) -> Option<LentGame> {
    // What was repeated for an earlier process is compared with nothing any more.
    if place.purpose == PlayedFor::Repeat {
        return None;
    }
    let key = GameKey(place.key.clone());
    match games.standing(place.event as usize, &key, place.attempt) {
        RemoteStanding::Open(game) => games.lend_again(&game).then_some(game),
        RemoteStanding::Settled => None,
    }
}

/// Nobody plays these games any more: others may.
pub(super) fn give_back(
    state: &mut CoordinatorState,
    games: &RemoteGames<'_>,
    places: Vec<GamePlace>,
) {
    for place in places {
        state.is_dirty = true;
        match (place.purpose, state.lent.remove(&place)) {
            (PlayedFor::Repeat, _) => state.repeats.give_back(&place),
            (PlayedFor::Result, Some(game)) => games.give_back(game),
            (PlayedFor::Result, None) => {}
        }
    }
}

/// The next set that a worker can play.
fn suitable(
    state: &mut CoordinatorState,
    games: &RemoteGames<'_>,
    worker: &WorkerId,
) -> Option<Vec<LentGame>> {
    let can = |set: &Vec<LentGame>, workers: &Workers| {
        can_play(workers, worker, set.first().expect("a set has games"))
    };
    while let Some(place) = state.pool.iter().position(|set| can(set, &state.workers)) {
        let set = state.pool.remove(place).expect("it was found there");
        // A result may have come meanwhile.
        let is_open = |game: &LentGame| {
            games.standing(game.event, &game.fixture.key(), game.attempt) != RemoteStanding::Settled
        };
        let (open, settled): (Vec<LentGame>, Vec<LentGame>) = set.into_iter().partition(is_open);
        settled.into_iter().for_each(|game| games.give_back(game));
        if !open.is_empty() {
            return Some(open);
        }
    }
    while state.pool.len() < LOOK_AHEAD {
        match games.next_set() {
            NextSet::Games(set) if can(&set, &state.workers) => return Some(set),
            NextSet::Games(set) => state.pool.push_back(set),
            NextSet::Wait => break,
        }
    }
    None
}
