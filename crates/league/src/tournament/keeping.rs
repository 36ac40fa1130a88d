//! Finished games are kept: one thread writes them to the store, and then they are results.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use game::{FaultKind, Verdict};
use host::catch;

use super::{RunningEvent, Tournament, TournamentError};
use crate::schedule::Fixture;
use crate::store::{Played, Store};
use crate::tournament::backlog::Backlog;
use crate::tournament::event_progress::Attempt;
use crate::tournament::remote::GameToKeep;

/// A void game is tried so often.
const TRIES: u32 = 5;

/// If none of so many games of a test has begun, there is nothing to test: who lost such games says
/// nothing about who is stronger.
const GAMES_WITHOUT_A_TURN: u64 = 8;

/// The disk rests so many times as long as it took for the last games, but not longer than anybody
/// would notice.
const REST: u32 = 8;
const LONGEST_REST: Duration = Duration::from_millis(100);

impl Tournament {
    /// Keeps what is finished, as much as has come at a time.
    pub(super) fn keep(
        &self,
        store: &mut Store,
        finished: &Backlog<GameToKeep>,
        news: &mut (dyn FnMut(&Tournament) + Send),
    ) {
        let rest = |flush: Duration| Instant::now() + LONGEST_REST.min(flush * REST);
        while let Some(mut batch) = finished.take(rest(store.last_flush())) {
            let games = batch.len() as u64;
            let waiting: Vec<_> = batch.iter_mut().filter_map(|game| game.then.take()).collect();
            // A thread that panicked would be waited for by all the others.
            let kept = catch(|| {
                let _no_orders = self.write_access.for_results();
                self.keep_batch(store, batch)
            });
            match kept.unwrap_or_else(|panic| Err(TournamentError::Panic(panic))) {
                // Whoever played one of them may forget it now.
                Ok(()) => waiting.into_iter().for_each(|then| then()),
                Err(failure) => {
                    self.state().failure.get_or_insert(failure);
                }
            }
            self.to_keep.fetch_sub(games, Ordering::Relaxed);
            self.changed.notify_all();
            if let Err(panic) = catch(|| news(self)) {
                self.state().failure.get_or_insert(TournamentError::Panic(panic));
            }
        }
    }

    fn keep_batch(&self, store: &mut Store, batch: Vec<GameToKeep>) -> Result<(), TournamentError> {
        let mut good: Vec<Played> = Vec::new();
        let mut fixtures = Vec::new();
        let mut known = HashSet::new();
        let mut failure = None;
        for GameToKeep { event, fixture, attempt, result, .. } in batch {
            let key = fixture.key();
            let mut state = self.state();
            let progress = &mut state.events[event].progress;
            if !progress.is_wanted(&fixture) {
                progress.drop_game(&fixture);
                continue;
            }
            // Games that are played elsewhere may come twice, and after they were annulled.
            let is_known =
                progress.results().has(&fixture) || known.contains(&(event, key.clone()));
            if is_known || progress.attempt(&key) != attempt {
                continue;
            }
            drop(state);
            match result {
                Err(error) => {
                    let running = &self.state().events[event];
                    let (event, number) = (running.name.clone(), running.progress.number(&fixture));
                    let reason = error.to_string();
                    failure = Some(TournamentError::Setup { event, number, reason });
                }
                Ok((report, _)) if report.outcome == Verdict::Void => {
                    let again = self.again(store, event, fixture, attempt, report.reason);
                    failure = again.err().or(failure);
                }
                Ok((report, log)) => {
                    known.insert((event, key.clone()));
                    let seating = fixture.seating.clone();
                    good.push(Played { event, key, attempt, seating, report, log });
                    fixtures.push(fixture);
                }
            }
        }
        // What is wrong with one game does not touch the others.
        store.save(&good).map_err(TournamentError::NotKept)?;
        let mut state = self.state();
        for (played, fixture) in good.iter().zip(&fixtures) {
            let players = &played.report.players;
            let ranks = players.iter().map(|player| player.rank).collect();
            let counts_faults = state.stop.faults.is_some();
            let running = &mut state.events[played.event];
            running.progress.finish(fixture, ranks);
            if counts_faults {
                running.failures.add(fixture.key(), &fixture.seating, &played.report);
            }
            state.kept += 1;
            let faults = players.iter().flat_map(|player| &player.faults);
            let not_started = FaultKind::NotStarted;
            if let Some(fault) = faults.into_iter().find(|fault| fault.kind == not_started) {
                state.not_started.get_or_insert_with(|| fault.detail.clone());
            }
            failure = state.events[played.event].nothing_to_test(&played.report).or(failure);
        }
        state.forbid(store)?;
        failure.map_or(Ok(()), Err)
    }

    /// A game was void: it is played again, unless that has been tried often enough.
    fn again(
        &self,
        store: &mut Store,
        event: usize,
        fixture: Fixture,
        attempt: u32,
        reason: String,
    ) -> Result<(), TournamentError> {
        let key = fixture.key();
        let mut state = self.state();
        let running = &state.events[event];
        let (name, number) = (running.name.clone(), running.progress.number(&fixture));
        // Games under way when we are interrupted have had no fair try.
        if host::interrupted() {
            state.events[event].progress.release(fixture, Attempt::Unused);
            return Ok(());
        }
        state.events[event].progress.release(fixture, Attempt::Used);
        state.voids += 1;
        drop(state);
        store.save_void(event, &key, attempt, &reason).map_err(TournamentError::NotKept)?;
        let tries = attempt + 1;
        // Tries of earlier sittings do not count against this one: five, ten, fifteen.
        match tries.is_multiple_of(TRIES) {
            true => Err(TournamentError::Void { event: name, number, tries, reason }),
            false => Ok(()),
        }
    }
}

impl RunningEvent {
    /// Why a test makes no sense after this game, if it does not.
    fn nothing_to_test(&mut self, report: &table::Report) -> Option<TournamentError> {
        let trial = self.progress.trial()?;
        let faults = || report.players.iter().flat_map(|player| &player.faults);
        let cannot_start = faults().find(|fault| fault.kind == FaultKind::NotStarted);
        if let Some(fault) = cannot_start {
            let (event, reason) = (self.name.clone(), fault.detail.clone());
            return Some(TournamentError::NotBegun { event, games: 1, reason });
        }
        if report.turns > 0 {
            self.not_begun = None;
        }
        let games = self.not_begun? + 1;
        self.not_begun = Some(games);
        if games < GAMES_WITHOUT_A_TURN && !trial.is_over() {
            return None;
        }
        let said = report.players.iter().filter_map(|player| {
            let fault = player.faults.first()?;
            Some(format!("{}: {}: {}", player.name, fault.kind.name(), fault.detail))
        });
        let reason = said.collect::<Vec<String>>().join("; ");
        Some(TournamentError::NotBegun { event: self.name.clone(), games, reason })
    }
}
