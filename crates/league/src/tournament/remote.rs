//! Games that are played elsewhere: lent in whole sets, and kept like all others when their results
//! come back. Who plays them, and how they get there, is none of the tournament's business.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use game::{Clock, SetupError};
use serde_json::{Map, Value};
use table::{Adjudication, AnyGame, Log, Report, Terms, WorkerLine};

use crate::file::BotEntry;
use crate::schedule::{Fixture, GameKey};
use crate::store::Store;
use crate::store::journal::Decision;
use crate::tournament::backlog::Backlog;
use crate::tournament::event_progress::Attempt;
use crate::tournament::job_source::TournamentJobs;
use crate::tournament::requests::void;
use crate::tournament::{Mode, TournamentError};

/// Those who play games elsewhere.
pub trait RemotePlayers: Send + Sync {
    /// Has games played until [`RemoteGames::is_over`], or until it cannot go on.
    fn play(&self, games: &RemoteGames<'_>) -> Result<(), TournamentError>;

    /// What results of games say that are played here, beside those elsewhere.
    fn own_line(&self) -> WorkerLine;
}

/// A finished game on its way to the store.
pub(crate) struct GameToKeep {
    pub(crate) event: usize,
    pub(crate) fixture: Fixture,
    pub(crate) attempt: u32,
    pub(crate) result: Result<(Report, Log), SetupError>,
    /// Done when it is kept, or known not to be wanted.
    pub(crate) then: Option<Box<dyn FnOnce() + Send>>,
}

impl GameToKeep {
    /// Goes to the store with others that have come.
    pub(crate) fn wait_in(self, backlog: &Backlog<GameToKeep>) {
        let bytes = self.result.as_ref().map_or(0, |(_, log)| log.bytes());
        backlog.add(self, bytes);
    }
}

/// A game that is lent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LentGame {
    /// Which event.
    pub event: usize,
    /// Its place in the schedule.
    pub fixture: Fixture,
    /// Which try; earlier ones were void.
    pub attempt: u32,
}

/// What there is to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextSet {
    /// These games, all of one set.
    Games(Vec<LentGame>),
    /// Nothing now.
    Wait,
}

/// How a game stands of which somebody says that it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteStanding {
    /// Its result is wanted.
    Open(LentGame),
    /// There is a result, or nobody wants one.
    Settled,
}

/// What all games of an event have in common.
pub struct RemoteEvent {
    /// Its name.
    pub name: String,
    /// The game.
    pub game: &'static dyn AnyGame,
    /// The set-ups that take turns.
    pub setups: Vec<Arc<Map<String, Value>>>,
    /// The time control.
    pub clock: Clock,
    /// When matches are ended before their rules do.
    pub adjudication: Adjudication,
    /// Those who take part.
    pub bots: Vec<BotEntry>,
}

/// The games of a tournament for those who play elsewhere.
pub struct RemoteGames<'t> {
    jobs: &'t TournamentJobs<'t>,
}

impl<'t> RemoteGames<'t> {
    pub(crate) fn new(jobs: &'t TournamentJobs<'t>) -> RemoteGames<'t> {
        RemoteGames { jobs }
    }

    /// What is played.
    pub fn events(&self) -> Vec<RemoteEvent> {
        let state = self.jobs.tournament.state();
        let event = |running: &super::RunningEvent| RemoteEvent {
            name: running.name.clone(),
            game: running.game,
            setups: running.setups.clone(),
            clock: running.clock,
            adjudication: running.adjudication,
            bots: running.bots.clone(),
        };
        state.events.iter().map(event).collect()
    }

    /// Whether no more games are lent and none that is lent is waited for.
    pub fn is_over(&self) -> bool {
        let mut state = self.jobs.tournament.state();
        if host::interrupted() || state.is_ending() || state.gave_up {
            return true;
        }
        if state.time_is_up() {
            state.stopping = true;
        }
        let idle = state.nothing_under_way();
        match state.mode() {
            Mode::Changing | Mode::Stopping => idle,
            Mode::Paused => false,
            Mode::Playing if idle => match state.next_set() {
                set if set.is_empty() => true,
                set => {
                    for (event, fixture, _) in set {
                        state.events[event].progress.release(fixture, Attempt::Unused);
                    }
                    false
                }
            },
            Mode::Playing => false,
        }
    }

    /// How many games are left that nobody plays, if that can be told.
    pub fn left(&self) -> Option<u64> {
        let state = self.jobs.tournament.state();
        let left = |event: &super::RunningEvent| {
            let progress = &event.progress;
            Some(progress.total()?.saturating_sub(progress.done() + progress.under_way()))
        };
        state.events.iter().map(left).sum()
    }

    /// The next set. The borrower plays its games and says [`RemoteGames::keep`] or
    /// [`RemoteGames::give_back`] of each.
    pub fn next_set(&self) -> NextSet {
        let mut state = self.jobs.tournament.state();
        if state.is_ending() || state.time_is_up() || state.mode() != Mode::Playing {
            return NextSet::Wait;
        }
        let set = state.next_set();
        for (event, fixture, _) in set.iter().take(1) {
            if let Some(changed) = state.changed(*event, fixture) {
                state.last_word.get_or_insert(changed);
                for (event, fixture, _) in set {
                    state.events[event].progress.release(fixture, Attempt::Unused);
                }
                return NextSet::Wait;
            }
        }
        if set.is_empty() {
            self.jobs.backlog.hurry();
            return NextSet::Wait;
        }
        self.jobs.tournament.playing.fetch_add(set.len() as u64, Ordering::Relaxed);
        let lent = |(event, fixture, attempt)| LentGame { event, fixture, attempt };
        NextSet::Games(set.into_iter().map(lent).collect())
    }

    /// Whether the result of a game is wanted.
    pub fn standing(&self, event: usize, key: &GameKey, attempt: u32) -> RemoteStanding {
        let state = self.jobs.tournament.state();
        let progress = state.events.get(event).map(|running| &running.progress);
        let open = progress.filter(|progress| progress.attempt(key) == attempt);
        match open.and_then(|progress| progress.open_game(key)) {
            Some(fixture) => RemoteStanding::Open(LentGame { event, fixture, attempt }),
            None => RemoteStanding::Settled,
        }
    }

    /// Lends a game again that was lent before this process began. False if it is under way.
    pub fn lend_again(&self, game: &LentGame) -> bool {
        let mut state = self.jobs.tournament.state();
        let new = state.events[game.event].progress.resume(&game.fixture);
        if new {
            self.jobs.tournament.playing.fetch_add(1, Ordering::Relaxed);
        }
        new
    }

    /// Nobody plays a game that was lent any more.
    pub fn give_back(&self, game: LentGame) {
        self.jobs.tournament.playing.fetch_sub(1, Ordering::Relaxed);
        let mut state = self.jobs.tournament.state();
        let progress = &mut state.events[game.event].progress;
        let key = game.fixture.key();
        let is_open = progress.open_game(&key).is_some() && progress.attempt(&key) == game.attempt;
        match is_open {
            true => progress.release(game.fixture, Attempt::Unused),
            false => progress.drop_game(&game.fixture),
        }
        drop(state);
        self.jobs.tournament.wake();
    }

    /// Whether all has been played, and nobody wants it to end otherwise.
    pub fn is_complete(&self) -> bool {
        let state = self.jobs.tournament.state();
        !host::interrupted()
            && !state.is_ending()
            && !state.gave_up
            && state.mode() == Mode::Playing
    }

    /// Takes the results of these games back, so that they are played again. How many could not be:
    /// later rounds depend on them.
    pub fn annul(
        &self,
        dir: &Path,
        games: &[(usize, GameKey)],
        reason: &str,
    ) -> Result<usize, TournamentError> {
        let tournament = self.jobs.tournament;
        // Nothing is kept meanwhile: a game that is kept was kept before the entry or never.
        let _nothing_is_kept = tournament.write_access.for_decision();
        let mut state = tournament.state();
        let subjects = state.subjects();
        let decision = |(event, key): &(usize, GameKey)| {
            let subject = subjects.get(*event)?;
            let game = subject.progress.finished_game(key)?;
            void(subject.progress.number(&game), Some(subject.event), &subjects).ok()
        };
        let decisions: Vec<Decision> = games.iter().filter_map(decision).collect();
        let kept = Store::open_again(dir).and_then(|mut store| store.decide(&decisions, reason));
        kept.map_err(TournamentError::NotKept)?;
        for decision in &decisions {
            state.apply(decision);
        }
        drop(state);
        tournament.wake();
        Ok(games.len() - decisions.len())
    }

    /// A game that was lent is over: its result is on its way.
    pub fn arrived(&self) {
        self.jobs.tournament.playing.fetch_sub(1, Ordering::Relaxed);
    }

    /// Keeps a result. `then` is called when it is in the store, or known not to be wanted; not if
    /// the store fails, which ends the tournament.
    pub fn keep(
        &self,
        game: LentGame,
        report: Report,
        log: Log,
        then: impl FnOnce() + Send + 'static,
    ) {
        self.jobs.tournament.to_keep.fetch_add(1, Ordering::Relaxed);
        let LentGame { event, fixture, attempt } = game;
        let (result, then): (_, Box<dyn FnOnce() + Send>) = (Ok((report, log)), Box::new(then));
        let finished = GameToKeep { event, fixture, attempt, result, then: Some(then) };
        finished.wait_in(self.jobs.backlog);
    }

    /// What a lent game is played for and by whom, and what is played.
    pub fn terms(&self, game: &LentGame) -> (&'static dyn AnyGame, Arc<Map<String, Value>>, Terms) {
        let state = self.jobs.tournament.state();
        self.jobs.terms(&state.events[game.event], game.event, &game.fixture)
    }
}
