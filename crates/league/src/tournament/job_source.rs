//! The source of jobs: gives workers the next game to play.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use game::Seed;
use host::{Job, JobSource};
use table::{Entrant, Occasion, Recording, Terms};

use crate::schedule::Fixture;
use crate::series::job;
use crate::tournament::event_progress::Attempt;
use crate::tournament::{Mode, Tournament, TournamentState};

/// The games of a tournament as workers ask for them.
pub(crate) struct TournamentJobs<'d> {
    pub(crate) tournament: &'d Tournament,
    /// Where the bots of each event begin in the roster.
    pub(crate) places: Vec<usize>,
    pub(crate) entrants: Vec<Entrant>,
}

/// Somebody who waits for a result looks up so often, in case of a signal.
const GLANCE: Duration = Duration::from_millis(100);

impl JobSource for TournamentJobs<'_> {
    fn next(&self) -> Option<Job> {
        let mut state = self.tournament.state();
        loop {
            if host::interrupted() || state.is_ending() || state.gave_up {
                return None;
            }
            if state.time_is_up() {
                state.stopping = true;
            }
            match state.mode() {
                Mode::Changing | Mode::Stopping => return None,
                Mode::Paused => {}
                Mode::Playing => match state.next_game() {
                    Some(game) => return self.job(&mut state, game),
                    None if state.nothing_under_way() => return None,
                    None => {}
                },
            }
            let waited = self.tournament.changed.wait_timeout(state, GLANCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn at_hand(&self) -> Option<Job> {
        let mut state = self.tournament.state();
        if state.mode() != Mode::Playing || state.is_ending() || state.time_is_up() {
            return None;
        }
        let game = state.next_game()?;
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
        let running = &state.events[event];
        let first = self.places[event];
        let bots: Vec<usize> = fixture.seating.iter().map(|bot| first + bot.index()).collect();
        let seated = bots.iter().zip(&fixture.seating).map(|(&entrant, bot)| Entrant {
            clock: running.bots[bot.index()].clock,
            ..self.entrants[entrant].clone()
        });
        let entrants: Vec<Entrant> = seated.collect();
        let config = running.setups[fixture.variant].clone();
        let terms = Terms {
            id: String::new(),
            seed: Seed(fixture.seed),
            entrants,
            clock: running.clock,
            adjudication: running.adjudication,
            occasion: Occasion::Tournament,
            recording: Recording::On,
        };
        let (game, place) = (running.game, format!("{} {}", running.name, fixture.key()));
        let terms = terms.identified(game.card().id, &config, &place);
        state.jobs.insert(index, (event, fixture, attempt));
        Some(job(index, bots, game, config, terms))
    }
}
