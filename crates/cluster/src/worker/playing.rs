//! Playing for one run: one thread speaks to the coordinator (`speaker`) while others play.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use game::{FaultKind, Seed, Verdict};
use host::{Finished, Job, JobSource};
use table::{Entrant, Occasion, Raw, Recording, Terms};

use crate::wire::{
    CoordinatorAnswer, GamePlace, Inability, RemoteGame, ReplayLine, ResultLine, WorkerCard,
    WorkerRequest,
};
use crate::worker::bot_preparation::{PrepareError, PreparedRun};
use crate::worker::live_relay::LiveRelay;
use crate::worker::speaker::Speaker;
use crate::worker::talk::Conversation;
use crate::worker::{AnnouncedRuns, WorkerOptions};

/// A worker at a run.
pub(crate) struct Visit<'w> {
    pub(crate) options: &'w WorkerOptions,
    pub(crate) card: &'w WorkerCard,
    pub(crate) talk: Conversation<'w>,
    pub(crate) runs: &'w mut AnnouncedRuns,
    pub(super) relay: &'w LiveRelay<'w>,
    /// The tournament's name, and the run for which people were last told that it is played.
    pub(super) name: String,
    pub(super) said: &'w mut Option<String>,
}

/// When a run is asked again that had no games, or that did not answer.
pub(super) const SHORTLY: Duration = Duration::from_millis(500);
/// When a run is asked again that does not want us.
pub(super) const LATER: Duration = Duration::from_secs(30);
/// Games of a run and what has become of them. Those who play and the one who speaks share it.
#[derive(Default)]
pub(super) struct WorkerGames {
    pub(super) queue: VecDeque<QueuedGame>,
    pub(super) playing: HashMap<u64, (QueuedGame, Instant)>,
    next: u64,
    /// Results that are not known to be kept.
    pub(super) done: Vec<(SetId, ResultLine)>,
    /// When the first of them came.
    pub(super) since: Option<Instant>,
    /// Games that are not played after all, and the bot that cannot be run.
    pub(super) refused: Vec<(GamePlace, Option<Inability>)>,
    /// Bots that cannot be run, by event and number.
    cannot: Vec<(u32, u32)>,
    sets: u64,
    /// Nothing more is played.
    is_over: bool,
}

/// Which of the sets that were played here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SetId(u64);

/// A game that is to be played.
pub(super) struct QueuedGame {
    pub(super) game: RemoteGame,
    /// The set that it belongs to: results of a set are sent together.
    pub(super) set: SetId,
    /// What its time limits are multiplied by.
    time_scale: f64,
}

impl WorkerGames {
    /// The results of sets of which nothing more is to be played, a set after another.
    pub(super) fn finished_sets(&self) -> Vec<Vec<&ResultLine>> {
        let queued = self.queue.iter().map(|game| game.set);
        let open: HashSet<SetId> =
            queued.chain(self.playing.values().map(|(game, _)| game.set)).collect();
        let mut sets: BTreeMap<SetId, Vec<&ResultLine>> = BTreeMap::new();
        for (set, line) in self.done.iter().filter(|(set, _)| !open.contains(set)) {
            sets.entry(*set).or_default().push(line);
        }
        sets.into_values().collect()
    }

    /// A set is not finished here: what has been played of it goes back as well, so that somebody
    /// else plays all of it.
    pub(super) fn drop_set(&mut self, set: SetId) {
        let (gone, done) = self.done.drain(..).partition(|(of, _)| *of == set);
        self.done = done;
        let gone: Vec<(SetId, ResultLine)> = gone;
        self.refused.extend(gone.into_iter().map(|(_, line)| (line.place, None)));
        let (gone, queue): (VecDeque<QueuedGame>, _) =
            self.queue.drain(..).partition(|game| game.set == set);
        self.queue = queue;
        self.refused.extend(gone.into_iter().map(|game| (game.game.place, None)));
    }
}

/// What the players share with the speaker.
pub(super) struct SharedGames<'b> {
    prepared: &'b PreparedRun,
    /// The worker's speed.
    speed: f64,
    games: Mutex<WorkerGames>,
    pub(super) changed: Condvar,
}

impl SharedGames<'_> {
    pub(super) fn games(&self) -> MutexGuard<'_, WorkerGames> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing more is played.
    pub(super) fn is_over(&self) -> bool {
        self.games().is_over
    }

    /// The place in the schedule of a game that is being played, by its number here.
    pub(super) fn place_of(&self, index: u64) -> Option<GamePlace> {
        self.games().playing.get(&index).map(|(queued, _)| queued.game.place.clone())
    }
}

/// Why somebody stops playing for a run.
pub(super) enum VisitEnd {
    /// There is nothing to do; to be asked again after a while.
    Nothing(Duration),
    /// The run is played with other bots or terms from now on: these games are to be played next.
    Changed(WorkerJob),
}

/// Games as they come from the coordinator.
pub(super) struct WorkerJob {
    /// The description of the run that they belong to.
    pub(super) brief: String,
    pub(super) time_scale: f64,
    pub(super) games: Vec<RemoteGame>,
}

impl Visit<'_> {
    /// Plays for a run as long as there is something to do. When to ask it again.
    pub(crate) fn play(&mut self, idle_since: &mut Instant) -> Duration {
        let free = self.options.slots as u32;
        let want = WorkerRequest::Want { free, card: self.card.clone() };
        let mut next = match self.talk.ask(want) {
            Ok(CoordinatorAnswer::Games { brief, time_scale, games }) => {
                VisitEnd::Changed(WorkerJob { brief, time_scale, games })
            }
            Ok(CoordinatorAnswer::Wait(ms)) => return Duration::from_millis(ms.into()).min(LATER),
            Ok(CoordinatorAnswer::Refused(why)) => {
                let why = game::printable(why.as_bytes(), 300);
                (self.options.notes)(&format!("{} refuses this worker: {why}", self.talk.run));
                return LATER;
            }
            Ok(_) | Err(_) => return SHORTLY,
        };
        if self.said.as_deref() != Some(&*self.talk.run) {
            let name = game::printable(self.name.as_bytes(), 60);
            (self.options.notes)(&format!("playing for \"{name}\""));
            *self.said = Some(self.talk.run.clone());
        }
        loop {
            match next {
                VisitEnd::Nothing(pause) => return pause,
                VisitEnd::Changed(job) => {
                    *idle_since = Instant::now();
                    next = match self.prepare(&job) {
                        Ok(prepared) => self.play_games(&prepared, job),
                        Err(error) => {
                            let text = format!("cannot play for {}: {error}", self.talk.run);
                            (self.options.notes)(&text);
                            self.give_back(job.games);
                            return LATER;
                        }
                    };
                    *idle_since = Instant::now();
                }
            }
        }
    }

    /// Prepares the bots, and holds the games meanwhile.
    fn prepare(&mut self, job: &WorkerJob) -> Result<PreparedRun, PrepareError> {
        let places: Vec<GamePlace> = job.games.iter().map(|game| game.place.clone()).collect();
        let mut held = Instant::now();
        let live = self.relay.live.clone();
        PreparedRun::new(self.options, &mut self.talk, &job.brief, live, |talk| {
            if held.elapsed() >= talk.lease / 4 {
                held = Instant::now();
                let _ = talk.ask(WorkerRequest::Hold { games: places.clone(), playing: 0 });
            }
        })
    }

    fn give_back(&mut self, games: Vec<RemoteGame>) {
        let games = games.into_iter().map(|game| game.place).collect();
        let _ = self.talk.ask(WorkerRequest::GiveBack { games, cannot: None });
    }

    /// Plays games until there are no more, or others are to be played.
    fn play_games(&mut self, prepared: &PreparedRun, first: WorkerJob) -> VisitEnd {
        let brief = first.brief.clone();
        let mut games = WorkerGames::default();
        for inability in &prepared.cannot {
            games.cannot.push((inability.event, inability.bot));
        }
        let (games, changed) = (Mutex::new(games), Condvar::new());
        let shared = SharedGames { prepared, speed: self.card.speed, games, changed };
        shared.add(first);
        let (relay, run) = (self.relay, self.talk.run.clone());
        std::thread::scope(|scope| {
            let mut speaker = Speaker::new(self, &shared, &brief);
            let ended = &shared;
            scope.spawn(move || host::catch(|| relay.pass_on(&run, ended)));
            let speaking = scope.spawn(move || {
                let leaving = host::catch(|| speaker.speak());
                // Whatever happens, nobody waits for games any more.
                ended.games().is_over = true;
                ended.changed.notify_all();
                leaving.unwrap_or(VisitEnd::Nothing(LATER))
            });
            let source = Source(&shared);
            let played = prepared.run.play_from(&source, None, |finished| {
                shared.finished(finished);
                ControlFlow::Continue(())
            });
            if played.is_err() {
                source.give_up();
            }
            speaking.join().expect("panics of it are caught")
        })
    }
}

/// Where the players get their games from.
struct Source<'s, 'b>(&'s SharedGames<'b>);

impl JobSource for Source<'_, '_> {
    fn next(&self) -> Option<Job> {
        let mut games = self.0.games();
        loop {
            if games.is_over || host::interrupted() {
                return None;
            }
            if let Some(job) = self.0.job(&mut games) {
                return Some(job);
            }
            let waited = self.0.changed.wait_timeout(games, super::GLANCE);
            games = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn at_hand(&self) -> Option<Job> {
        let mut games = self.0.games();
        if games.is_over { None } else { self.0.job(&mut games) }
    }

    fn give_up(&self) {
        self.0.games().is_over = true;
        self.0.changed.notify_all();
    }
}

impl SharedGames<'_> {
    /// Games to be played. Those that cannot be are given back.
    pub(super) fn add(&self, job: WorkerJob) {
        let mut games = self.games();
        let first = games.sets;
        for game in job.games {
            let set = SetId(first + u64::from(game.set));
            games.sets = games.sets.max(set.0 + 1);
            games.queue.push_back(QueuedGame { game, set, time_scale: job.time_scale });
        }
        self.sort_out(&mut games);
        drop(games);
        self.changed.notify_all();
    }

    /// Takes out of the queue what cannot be played here.
    fn sort_out(&self, games: &mut WorkerGames) {
        let queue = std::mem::take(&mut games.queue);
        for queued in queue {
            let game = &queued.game;
            let event = game.place.event;
            let unable = game.bots.iter().find(|bot| games.cannot.contains(&(event, **bot)));
            match unable {
                Some(bot) => {
                    let known = self.prepared.cannot.iter();
                    let mut known = known.filter(|known| (known.event, known.bot) == (event, *bot));
                    games.refused.push((game.place.clone(), known.next().cloned()));
                }
                None => games.queue.push_back(queued),
            }
        }
    }

    /// The next game of the queue as it is played.
    fn job(&self, games: &mut WorkerGames) -> Option<Job> {
        while let Some(queued) = games.queue.pop_front() {
            match self.table(&queued, games.next) {
                Ok(job) => {
                    games.playing.insert(games.next, (queued, Instant::now()));
                    games.next += 1;
                    return Some(job);
                }
                Err(why) => {
                    let game = queued.game;
                    let (event, bot) = (game.place.event, game.bots.first().copied().unwrap_or(0));
                    let why = Inability { event, bot, why };
                    games.refused.push((game.place, Some(why)));
                    games.drop_set(queued.set);
                }
            }
        }
        None
    }

    fn table(&self, queued: &QueuedGame, index: u64) -> Result<Job, String> {
        let QueuedGame { game, time_scale, .. } = queued;
        let event = self.prepared.events.get(game.place.event as usize);
        let event = event.ok_or("it belongs to no event of its run")?;
        let rules = event.game.ok_or("its game is not known here")?;
        let setup = event.setups.get(game.variant as usize).ok_or("its set-up is not known")?;
        let (mut bots, mut entrants) = (Vec::new(), Vec::new());
        for bot in &game.bots {
            let bot = event.bots.get(*bot as usize).and_then(Option::as_ref);
            let (place, entrant) = bot.ok_or("one of its bots cannot be run here")?;
            bots.push(*place);
            let clock = entrant.clock.map(|clock| clock.scaled(*time_scale));
            entrants.push(Entrant { clock, ..entrant.clone() });
        }
        let terms = Terms {
            id: game.id.clone(),
            seed: Seed(game.seed),
            entrants,
            clock: event.clock.scaled(*time_scale),
            adjudication: event.adjudication,
            occasion: Occasion::Tournament,
            recording: Recording::On,
        };
        Ok(league::job(index, bots, rules, setup.clone(), terms))
    }

    /// A game is over.
    fn finished(&self, finished: Finished) {
        let taken = self.games().playing.remove(&finished.index);
        let (queued, began) = taken.expect("only games that were given out come back");
        let QueuedGame { game, set, time_scale } = queued;
        let event = game.place.event;
        let refuse = |bot: u32, why: String| Some(Inability { event, bot, why });
        let first = game.bots.first().copied().unwrap_or(0);
        let (report, log) = match finished.result {
            Ok(played) => played,
            Err(error) => {
                let why = refuse(first, error.to_string());
                return self.refuse(set, game.place, why);
            }
        };
        // A game that was broken off has had no fair try.
        if report.outcome == Verdict::Void && host::interrupted() {
            return self.refuse(set, game.place, None);
        }
        for (player, bot) in report.players.iter().zip(&game.bots) {
            let not_started = |fault: &&table::FaultLine| fault.kind == FaultKind::NotStarted;
            if let Some(fault) = player.faults.iter().find(not_started) {
                let why = refuse(*bot, fault.detail.clone());
                return self.refuse(set, game.place, why);
            }
        }
        // Slow: it compresses, and nobody waits for the lock meanwhile.
        let replay = match log.to_file() {
            Ok(bytes) => ReplayLine::Here(Raw(bytes)),
            Err(error) => return self.refuse(set, game.place, refuse(first, error.to_string())),
        };
        let took_ms = began.elapsed().as_millis() as u64;
        let mut games = self.games();
        games.since.get_or_insert_with(Instant::now);
        let speed = self.speed;
        let place = game.place;
        games.done.push((set, ResultLine { place, took_ms, speed, time_scale, report, replay }));
        self.changed.notify_all();
    }

    /// A game is not played after all; neither are others of its set, or of a bot that cannot be run.
    fn refuse(&self, set: SetId, place: GamePlace, why: Option<Inability>) {
        let mut games = self.games();
        if let Some(why) = &why {
            games.cannot.push((why.event, why.bot));
        }
        games.refused.push((place, why));
        games.drop_set(set);
        self.sort_out(&mut games);
        self.changed.notify_all();
    }
}
