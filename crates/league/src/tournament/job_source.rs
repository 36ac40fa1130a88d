//! The source of jobs: gives workers the next game to play.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use host::{Job, JobSource};
use serde_json::{Map, Value};
use table::{AnyGame, Entrant, Occasion, Recording, Terms};

use crate::schedule::Fixture;
use crate::series::job;
use crate::tournament::backlog::Backlog;
use crate::tournament::event_progress::Attempt;
use crate::tournament::remote::GameToKeep;
use crate::tournament::{Mode, RunningEvent, Tournament, TournamentState};

/// The games of a tournament as workers ask for them.
pub(crate) struct TournamentJobs<'d> {
    pub(crate) tournament: &'d Tournament,
    /// Where the bots of each event begin in the roster.
    pub(crate) places: Vec<usize>,
    pub(crate) entrants: Vec<Entrant>,
    /// The rest of the set that is being played here, if other sets are played elsewhere.
    pub(crate) sets: Option<Mutex<VecDeque<(usize, Fixture, u32)>>>,
    /// Games that are over and not kept yet.
    pub(crate) backlog: &'d Backlog<GameToKeep>,
}

/// Somebody who waits for a result looks up so often, in case of a signal.
const GLANCE: Duration = Duration::from_millis(100);

impl JobSource for TournamentJobs<'_> {
    fn next(&self) -> Option<Job> {
        let mut state = self.tournament.state();
        loop {
            if host::interrupted() || state.is_ending() || state.gave_up {
                self.release_rest(&mut state);
                return None;
            }
            if state.time_is_up() {
                state.stopping = true;
            }
            match state.mode() {
                Mode::Changing | Mode::Stopping => {
                    self.release_rest(&mut state);
                    return None;
                }
                Mode::Paused => {}
                Mode::Playing => match self.next_game(&mut state) {
                    Some(game) => return self.job(&mut state, game),
                    None if state.nothing_under_way() => return None,
                    None => {}
                },
            }
            // The result that it waits for may be among those that are not kept yet.
            self.backlog.hurry();
            let waited = self.tournament.changed.wait_timeout(state, GLANCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn at_hand(&self) -> Option<Job> {
        let mut state = self.tournament.state();
        if state.mode() != Mode::Playing || state.is_ending() || state.time_is_up() {
            return None;
        }
        let game = self.next_game(&mut state)?;
        self.job(&mut state, game)
    }

    fn begins(&self) {
        self.tournament.playing.fetch_add(1, Ordering::Relaxed);
    }

    fn ends(&self) {
        self.tournament.to_keep.fetch_add(1, Ordering::Relaxed);
        self.tournament.playing.fetch_sub(1, Ordering::Relaxed);
    }

    fn give_up(&self) {
        self.tournament.state().gave_up = true;
        self.tournament.wake();
    }
}

impl TournamentJobs<'_> {
    /// A game as workers play it; none if a bot of it has changed, which ends the run.
    fn job(
        &self,
        state: &mut TournamentState,
        (event, fixture, attempt): (usize, Fixture, u32),
    ) -> Option<Job> {
        if let Some(changed) = state.changed(event, &fixture) {
            state.last_word.get_or_insert(changed);
            state.events[event].progress.release(fixture, Attempt::Unused);
            return None;
        }
        let index = state.next_job;
        state.next_job += 1;
        let first = self.places[event];
        let bots: Vec<usize> = fixture.seating.iter().map(|bot| first + bot.index()).collect();
        let (game, setup, terms) = self.terms(&state.events[event], event, &fixture);
        state.jobs.insert(index, (event, fixture, attempt));
        Some(job(index, bots, game, setup, terms))
    }

    /// What a game is played for and by whom.
    pub(crate) fn terms(
        &self,
        running: &RunningEvent,
        event: usize,
        fixture: &Fixture,
    ) -> (&'static dyn AnyGame, Arc<Map<String, Value>>, Terms) {
        let first = self.places[event];
        let seated = fixture.seating.iter().map(|bot| Entrant {
            clock: running.bots[bot.index()].clock,
            ..self.entrants[first + bot.index()].clone()
        });
        let setup = running.setups[fixture.variant].clone();
        let terms = Terms {
            id: String::new(),
            seed: fixture.seed(),
            entrants: seated.collect(),
            clock: running.clock,
            adjudication: running.adjudication,
            occasion: Occasion::Tournament,
            recording: Recording::On,
        };
        let (game, place) = (running.game, format!("{} {}", running.name, fixture.key()));
        let terms = terms.identified(game.card().id, &setup, &place);
        (game, setup, terms)
    }

    /// The next game. If others are played elsewhere, all games of a set are played here.
    fn next_game(&self, state: &mut TournamentState) -> Option<(usize, Fixture, u32)> {
        let Some(sets) = &self.sets else { return state.next_game() };
        let mut rest = sets.lock().unwrap_or_else(PoisonError::into_inner);
        if rest.is_empty() {
            rest.extend(state.next_set());
        }
        rest.pop_front()
    }

    /// Gives back the rest of a set that will not be played here.
    fn release_rest(&self, state: &mut TournamentState) {
        let Some(sets) = &self.sets else { return };
        let mut rest = sets.lock().unwrap_or_else(PoisonError::into_inner);
        for (event, fixture, _) in rest.drain(..) {
            state.events[event].progress.release(fixture, Attempt::Unused);
        }
    }
}
