//! Playing a tournament: games go out to workers, results come in and are kept.

pub(crate) mod admission;
mod backlog;
pub(crate) mod control;
mod decisions;
pub(crate) mod event_progress;
mod failing_bots;
pub(crate) mod forecast;
mod job_source;
mod keeping;
pub(crate) mod remote;
pub(crate) mod requests;
pub(crate) mod sequential_test;
mod setup_check;
mod status;
mod write_access;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use host::{BotSpec, Finished, Program, Run, Scratch, catch};
use serde_json::{Map, Value};
use table::{Adjudication, AnyGame, WorkerLine};

use crate::bots::entrants::entrants;
use crate::bots::identity::Census;
use crate::file::{BotEntry, ProcessOptions, Stop};
use crate::schedule::{Fixture, points};
use crate::store::Store;
use crate::tournament::admission::{Admitted, newcomer};
use crate::tournament::backlog::Backlog;
use crate::tournament::event_progress::{EventProgress, NextGame};
use crate::tournament::failing_bots::Failures;
use crate::tournament::job_source::TournamentJobs;
use crate::tournament::remote::{GameToKeep, RemoteGames, RemotePlayers};
use crate::tournament::setup_check::{check_setups, setup_checks};
use crate::tournament::write_access::WriteAccess;

pub use status::{EndReason, LiveTable, Mode, Status, TournamentEnd, TournamentError};

/// A tournament while it is played. Shared with the control socket.
pub struct Tournament {
    state: Mutex<TournamentState>,
    /// Who may write to the store at the moment.
    pub(crate) write_access: WriteAccess,
    pub(crate) changed: Condvar,
    /// Games that are being played at this moment.
    pub(crate) playing: AtomicU64,
    /// Games that are over, but not kept yet. For the schedule these are under way too.
    pub(crate) to_keep: AtomicU64,
}

pub(crate) struct TournamentState {
    pub(crate) events: Vec<RunningEvent>,
    pub(crate) paused: bool,
    /// Games under way are finished, then it goes on with what has been changed.
    pub(crate) changing: bool,
    /// Games under way are finished, then it ends.
    pub(crate) stopping: bool,
    pub(crate) concurrency: usize,
    pub(crate) cage: host::CageTerms,
    pub(crate) newcomers: Vec<Newcomer>,
    began: Instant,
    stop: Stop,
    /// Games kept since this process began.
    kept: u64,
    pub(crate) jobs: HashMap<u64, (usize, Fixture, u32)>,
    pub(crate) next_job: u64,
    pub(crate) failure: Option<TournamentError>,
    /// Games under way are finished, then it ends with this.
    pub(crate) last_word: Option<TournamentError>,
    /// Games under way may never be finished: nobody waits for them.
    pub(crate) gave_up: bool,
    not_started: Option<String>,
    voids: u64,
}

/// An event while it is played.
pub(crate) struct RunningEvent {
    pub(crate) name: String,
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) setups: Vec<Arc<Map<String, Value>>>,
    pub(crate) clock: game::Clock,
    pub(crate) adjudication: Adjudication,
    pub(crate) limits: host::AskedLimits,
    pub(crate) priority: i32,
    pub(crate) bots: Vec<BotEntry>,
    pub(crate) progress: EventProgress,
    /// How many games have ended before their first turn, until one has not.
    not_begun: Option<u64>,
    /// Games in which bots have failed, if that is counted.
    failures: Failures,
}

/// A bot that is to join when the games under way are finished.
pub(crate) struct Newcomer {
    pub(crate) event: usize,
    pub(crate) entry: BotEntry,
    pub(crate) base: PathBuf,
}

/// What a run needs beside the tournament.
pub struct RunOptions {
    /// The path of this program, which is also the guard of its bots.
    pub exe: PathBuf,
    /// How many games at a time; none are played here only if others play them elsewhere.
    pub concurrency: usize,
    /// When to stop.
    pub stop: Stop,
    /// How bots are shut in.
    pub cage: host::CageTerms,
    /// Where games are offered to those who want to watch, if they are.
    pub live: Option<Arc<host::LiveGames>>,
    /// How the processes of bots are kept and placed.
    pub manner: ProcessOptions,
    /// Who plays games elsewhere, if anybody does.
    pub remote: Option<Arc<dyn RemotePlayers>>,
}

impl Tournament {
    /// A tournament that is about to begin.
    pub fn new(events: Vec<Admitted>, means: &RunOptions) -> Tournament {
        let running = |admitted: Admitted| RunningEvent {
            name: admitted.event.name,
            game: admitted.event.game,
            setups: admitted.event.setups.into_iter().map(Arc::new).collect(),
            clock: admitted.event.clock,
            adjudication: admitted.adjudication,
            limits: admitted.event.limits,
            priority: admitted.event.priority,
            bots: admitted.bots,
            progress: admitted.progress,
            not_begun: Some(0),
            failures: Failures::default(),
        };
        let state = TournamentState {
            events: events.into_iter().map(running).collect(),
            paused: false,
            changing: false,
            stopping: false,
            concurrency: means.concurrency,
            cage: means.cage.clone(),
            newcomers: Vec::new(),
            began: Instant::now(),
            stop: means.stop,
            kept: 0,
            jobs: HashMap::new(),
            next_job: 0,
            failure: None,
            last_word: None,
            gave_up: false,
            not_started: None,
            voids: 0,
        };
        Tournament {
            state: Mutex::new(state),
            write_access: WriteAccess::default(),
            changed: Condvar::new(),
            playing: AtomicU64::new(0),
            to_keep: AtomicU64::new(0),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, TournamentState> {
        // A thread that panicked while it held the lock has set `failure`, or left no change half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until more games have been kept than so many, and says how many; at once without a
    /// number.
    pub(crate) fn wait_for_more(&self, known: Option<u64>) -> u64 {
        let more = |state: &mut TournamentState| known.is_some_and(|known| state.kept <= known);
        let waited = self.changed.wait_while(self.state(), more);
        waited.unwrap_or_else(PoisonError::into_inner).kept
    }

    /// Wakes those who wait, when something has been changed.
    pub(crate) fn wake(&self) {
        self.changed.notify_all();
    }

    /// Lets the games under way be finished and then ends.
    pub fn stop(&self) {
        self.state().stopping = true;
        self.wake();
    }

    /// How far it is.
    pub fn status(&self) -> Status {
        let state = self.state();
        let progresses = || state.events.iter().map(|event| &event.progress);
        Status {
            mode: state.mode(),
            games: progresses().map(EventProgress::done).sum(),
            scheduled: progresses().map(EventProgress::total).sum(),
            under_way: self.playing.load(Ordering::Relaxed),
            to_keep: self.to_keep.load(Ordering::Relaxed),
            concurrency: state.concurrency,
            kept: state.kept,
            elapsed: state.began.elapsed(),
        }
    }

    /// The tables so far.
    pub fn live(&self) -> Vec<LiveTable> {
        let state = self.state();
        let table = |event: &RunningEvent| {
            let tally = event.progress.tally();
            let byes =
                event.progress.plan().byes(event.progress.stages(), event.progress.results());
            let (bye, seats) = (event.progress.plan().bye_halves(), event.progress.plan().seats);
            let row = |(index, bot): (usize, &BotEntry)| {
                let halves = tally.halves[index] + u64::from(byes[index]) * bye;
                (bot.spec.name.clone(), points(halves, seats), tally.games[index])
            };
            let mut rows: Vec<_> = event.bots.iter().enumerate().map(row).collect();
            rows.sort_by(|a, b| b.1.total_cmp(&a.1));
            LiveTable { event: event.name.clone(), rows, trial: event.progress.trial().cloned() }
        };
        state.events.iter().map(table).collect()
    }

    /// Plays until the end. `news` is called whenever games have been kept.
    pub fn play(
        &self,
        store: &mut Store,
        means: &RunOptions,
        news: &mut (dyn FnMut(&Tournament) + Send),
    ) -> Result<TournamentEnd, TournamentError> {
        self.count_failures(store)?;
        loop {
            self.slice(store, means, news)?;
            let _no_orders = self.write_access.for_results();
            let mut state = self.state();
            if let Some(failure) = state.failure.take().or(state.last_word.take()) {
                return Err(failure);
            }
            if host::interrupted() || state.stopping || !state.changing {
                return Ok(self.ended(&state));
            }
            let mut census = state.census();
            for Newcomer { event: number, mut entry, base } in std::mem::take(&mut state.newcomers)
            {
                census.add(&entry.spec);
                let event = &mut state.events[number];
                let bot = newcomer(&mut entry, event.progress.join(), &base, &mut census);
                let added = store.add_bot(number, event.bots.len(), &bot);
                added.map_err(TournamentError::NotKept)?;
                event.bots.push(entry);
            }
            state.changing = false;
        }
    }

    fn ended(&self, state: &TournamentState) -> TournamentEnd {
        let how = match (host::interrupted(), state.stopping) {
            (true, _) => EndReason::Interrupted,
            (false, true) => EndReason::Stopped,
            (false, false) => EndReason::Complete,
        };
        TournamentEnd { how, voids: state.voids, not_started: state.not_started.clone() }
    }

    /// Plays with the bots there are now, until the end or until something is changed.
    fn slice(
        &self,
        store: &mut Store,
        means: &RunOptions,
        news: &mut (dyn FnMut(&Tournament) + Send),
    ) -> Result<(), TournamentError> {
        let (roster, places, concurrency) = self.roster();
        let programs = roster.iter().any(|bot| matches!(bot.program, Program::Command { .. }));
        let run = Run {
            concurrency,
            placement: means.manner.placement,
            exe: Some(means.exe.clone()),
            scratch: if programs { Some(Scratch::new()?) } else { None },
            pondering: means.manner.pondering,
            cage: means.cage.clone(),
            roster,
            live: means.live.clone(),
            people: None,
        };
        let entrants = entrants(&run.roster, run.scratch.as_ref(), means.manner.reuse)?;
        if run.concurrency > 0 {
            let doubtful = setup_checks(&self.state().events, &places, &entrants);
            check_setups(&run, doubtful)?;
        }
        let sets = means.remote.as_ref().map(|_| Mutex::default());
        let is_shared = run.concurrency > 0;
        let own_line = means.remote.as_ref().filter(|_| is_shared).map(|remote| remote.own_line());
        let backlog = Backlog::new();
        let games = TournamentJobs { tournament: self, places, entrants, sets, backlog: &backlog };
        std::thread::scope(|scope| {
            // Games are kept beside those that are played: a disk must not hold up a clock.
            scope.spawn(|| self.keep(store, &backlog, news));
            let _last = backlog.closed_when_dropped();
            let remote = means.remote.as_ref().map(|players| {
                let lent = RemoteGames::new(&games);
                scope.spawn(move || {
                    let played = catch(|| players.play(&lent));
                    let played = played.unwrap_or_else(|panic| Err(TournamentError::Panic(panic)));
                    if let Err(failure) = played {
                        self.state().failure.get_or_insert(failure);
                        self.wake();
                    }
                })
            });
            let played = match run.concurrency {
                0 => Ok(()),
                _ => run.play_from(&games, None, |finished| {
                    self.finished(finished, own_line.as_ref()).wait_in(&backlog);
                    match self.state().failure {
                        Some(_) => ControlFlow::Break(()),
                        None => ControlFlow::Continue(()),
                    }
                }),
            };
            if let Some(remote) = remote {
                remote.join().expect("panics of it are caught");
            }
            played
        })?;
        Ok(())
    }

    /// A game that was played here, with its place in the schedule.
    fn finished(&self, mut finished: Finished, own_line: Option<&WorkerLine>) -> GameToKeep {
        if let Ok((report, _)) = &mut finished.result {
            report.worker = own_line.cloned();
        }
        let job = self.state().jobs.remove(&finished.index);
        let (event, fixture, attempt) = job.expect("only games that were given out come back");
        GameToKeep { event, fixture, attempt, result: finished.result, then: None }
    }

    /// All bots of all events, and where those of each event begin.
    fn roster(&self) -> (Vec<BotSpec>, Vec<usize>, usize) {
        let state = self.state();
        let mut roster = Vec::new();
        let mut places = Vec::new();
        for event in &state.events {
            places.push(roster.len());
            roster.extend(event.bots.iter().map(|entry| entry.spec.clone()));
        }
        (roster, places, state.concurrency)
    }
}

impl TournamentState {
    /// The next game of any event.
    pub(crate) fn next_game(&mut self) -> Option<(usize, Fixture, u32)> {
        for event in self.event_order() {
            if let NextGame::Game(fixture, attempt) = self.events[event].progress.next_game() {
                return Some((event, fixture, attempt));
            }
        }
        None
    }

    /// The next game of any event with the others of its set; empty if there is none now.
    pub(crate) fn next_set(&mut self) -> Vec<(usize, Fixture, u32)> {
        for event in self.event_order() {
            let set = self.events[event].progress.next_set();
            if !set.is_empty() {
                let game = |(fixture, attempt)| (event, fixture, attempt);
                return set.into_iter().map(game).collect();
            }
        }
        Vec::new()
    }

    /// The events in the order in which games are looked for. Those whose games are known come
    /// first, then tests, then what has no end. Of several tests it is that of which the smallest
    /// part is played.
    fn event_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.events.len()).collect();
        order.sort_by_key(|&event| {
            let RunningEvent { progress, priority, .. } = &self.events[event];
            let begun = progress.done() + progress.under_way();
            let (kind, next) = match (progress.total(), progress.share_of_test()) {
                (Some(_), _) => (0, event as u64),
                (None, Some(share)) => (1, (share * 1e9) as u64),
                (None, None) => (2, begun),
            };
            (Reverse(*priority), kind, next, begun)
        });
        order
    }

    /// Everybody who takes part.
    fn census(&self) -> Census {
        let bots = self.events.iter().flat_map(|event| &event.bots);
        // What is noted of the tournament file is not looked at later.
        Census::new(Path::new(""), bots.map(|entry| &entry.spec))
    }

    pub(crate) fn mode(&self) -> Mode {
        match (self.stopping, self.changing, self.paused) {
            (true, _, _) => Mode::Stopping,
            (false, true, _) => Mode::Changing,
            (false, false, true) => Mode::Paused,
            (false, false, false) => Mode::Playing,
        }
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.failure.is_some() || self.last_word.is_some()
    }

    pub(crate) fn nothing_under_way(&self) -> bool {
        self.events.iter().all(|event| event.progress.under_way() == 0)
    }

    pub(crate) fn time_is_up(&self) -> bool {
        let minutes = self.stop.minutes.unwrap_or(f64::INFINITY);
        self.began.elapsed().as_secs_f64() >= minutes * 60.0
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use table::Erased;
    use testkit::fragile::Fragile;

    use super::*;
    use crate::file::TournamentFile;
    use crate::tournament::admission::{Changes, admit};

    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// Plays a cup between three built-in bots, in which so much is wrong.
    fn play(name: &str, weak: &str, news: &mut (dyn FnMut(&Tournament) + Send)) -> Played {
        const GAMES: crate::file::GameList = &[&Erased::<Fragile>::new()];
        let path = std::env::temp_dir().join(format!("lanista-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        let folder = Folder(path);
        let bot = "{ bot = 'builtin:counter' }";
        let text = format!(
            "game = 'fragile'\nseed = 0\nbots = [{bot}, {bot}, {bot}]\nsetup = {{ weak = '{weak}' }}"
        );
        let cup = TournamentFile::parse(text, Path::new("cup.toml"), GAMES).expect("a tournament");
        let means = RunOptions {
            exe: PathBuf::from("/nowhere"),
            concurrency: 3,
            stop: cup.stop,
            cage: host::CageTerms::none(),
            live: None,
            manner: ProcessOptions::default(),
            remote: None,
        };
        let mut store = Store::open(&folder.0).expect("a store");
        let events = admit(cup, &mut store, Changes::Refused).expect("it is new");
        let tournament = Tournament::new(events, &means);
        let ended = tournament.play(&mut store, &means, news);
        let kept = store.results(0).expect("it can be read").len();
        Played { ended, kept, playing: tournament.status().under_way }
    }

    struct Played {
        ended: Result<TournamentEnd, TournamentError>,
        kept: usize,
        playing: u64,
    }

    #[test]
    fn a_game_that_panics_whenever_it_is_tried_ends_the_tournament_with_the_reason() {
        let Played { ended, kept, playing } = play("void", "rules-always", &mut |_| {});
        let error = ended.expect_err("it cannot be played").to_string();
        assert!(error.contains("the rules broke") && error.contains("fragile.rs:"), "{error}");
        assert_eq!((kept, playing), (0, 0));
    }

    #[test]
    fn a_panic_of_whoever_keeps_the_games_or_looks_on_ends_the_tournament() {
        let Played { ended, .. } = play("news", "nothing", &mut |_| panic!("no news"));
        let error = ended.expect_err("somebody panicked").to_string();
        assert!(
            error.contains("not of a bot: panicked at") && error.contains("no news"),
            "{error}"
        );
        let whole = play("whole", "nothing", &mut |_| {});
        assert_eq!(whole.ended.expect("nothing is wrong").how, EndReason::Complete);
        assert_eq!(whole.kept, 6);
    }
}
