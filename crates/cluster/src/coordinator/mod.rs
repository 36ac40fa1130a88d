//! The coordinator: lends the games of a tournament to workers, takes their results in, and has
//! them kept in the run's store. It holds nothing that may not be lost.
//!
//! One thread does all of that in turns; others look at replays (`verification`) and keep results.

mod blobs;
mod lending;
mod live;
mod repeats;
mod requests;
mod results;
mod speeds;
mod status;
mod verification;
mod workers;

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use league::schedule::GameKey;
use league::{
    ClusterTerms, Folder, GameList, LentGame, ProcessOptions, RemoteGames, RemotePlayers,
    TournamentError,
};
use table::WorkerLine;

use crate::coordinator::blobs::Blobs;
use crate::coordinator::live::WorkersGames;
use crate::coordinator::repeats::RepeatedGames;
use crate::coordinator::speeds::Speeds;
use crate::coordinator::verification::{ExaminedBatch, Verifier};
use crate::coordinator::workers::Workers;
use crate::lease_file::{LeaseFile, LeaseLine};
use crate::leases::{Leases, WorkerId};
use crate::link::{InboxLimits, Link, LinkError, LinkEvent, LinkOptions, Message};
use crate::wire::{self, Announcement, CoordinatorAnswer, GamePlace, PlayedFor, RunStage};

pub(crate) use repeats::RepeatSummary;
pub use status::ClusterStatus;

/// What a coordinator needs to know.
pub struct CoordinatorOptions {
    /// The server.
    pub link: LinkOptions,
    /// The tournament's name.
    pub name: String,
    /// The games that can be played.
    pub games: GameList,
    /// How the processes of bots are kept and placed.
    pub manner: ProcessOptions,
    /// How far workers are trusted, and which may play.
    pub terms: ClusterTerms,
    /// How long a worker may be silent before its games go to others.
    pub lease: Duration,
    /// Games at a time that are played here, too.
    pub local: usize,
    /// Workers that shut bots in less well play nothing.
    pub least_tier: Option<host::Tier>,
    /// Where games can be watched.
    pub live: Option<Arc<host::LiveGames>>,
    /// Hears what people should know, a sentence at a time.
    pub notes: Arc<dyn Fn(&str) + Send + Sync>,
}

/// Plays a tournament with workers.
pub struct Coordinator {
    link: Arc<Link>,
    folder: Folder,
    options: CoordinatorOptions,
    state: Mutex<CoordinatorState>,
    status: Arc<Mutex<ClusterStatus>>,
    /// How fast the coordinator's machine is, if it plays as well.
    own_speed: OnceLock<f64>,
}

/// The name of the coordinator in results of games that it has played itself.
const OWN_NAME: &str = "coordinator";

/// Something that has happened.
enum CoordinatorEvent {
    /// Somebody said something to us.
    Said(Message),
    /// A worker says something of the games that it plays.
    Live(Message),
    /// Results have been looked at.
    Examined(Box<ExaminedBatch>),
    /// Everything that a worker of this name has sent in one message is kept.
    Kept {
        worker: String,
        /// Where it waits.
        reply: String,
        /// Games that are played again because others of their sets were void.
        together: Vec<GamePlace>,
    },
    /// The games of an excluded worker have been looked at: those that are not results.
    Audited(String, Result<Vec<(usize, GameKey)>, String>),
}

/// Everything that changes.
struct CoordinatorState {
    inbox: Receiver<CoordinatorEvent>,
    to_inbox: Sender<CoordinatorEvent>,
    began: Instant,
    epoch: u64,
    file: LeaseFile,
    /// Whether leases have changed since they were written down, and when that was.
    is_dirty: bool,
    written: Duration,
    announced: Option<Duration>,
    /// When it was last looked at what has to be done from time to time.
    looked: Option<Duration>,
    /// Whether what an earlier process had lent is known.
    is_restored: bool,
    leases: Leases,
    workers: Workers,
    speeds: Speeds,
    blobs: Blobs,
    verifier: Verifier,
    repeats: RepeatedGames,
    live: WorkersGames,
    /// Sets that are taken from the schedule and lent to nobody.
    pool: VecDeque<Vec<LentGame>>,
    /// All games that workers hold.
    lent: HashMap<GamePlace, LentGame>,
    /// The workers whose leases of a game have run out: its result may still come from them.
    expired: HashMap<GamePlace, Vec<String>>,
    /// Whether an earlier process has lent games.
    is_continued: bool,
    /// Messages with results that are not answered yet, by the name of the worker.
    unanswered: HashMap<String, usize>,
    /// Workers whose games are being looked at.
    audits: Vec<String>,
    brief: String,
}

/// How often is looked whether leases have run out.
const TICK: Duration = Duration::from_millis(50);
/// How often leases are written down, at most.
const WRITE: Duration = Duration::from_millis(200);
/// What may wait of what workers say. A worker that is heard says one thing at a time.
const QUESTIONS: InboxLimits = InboxLimits { messages: 16, longest: 8 << 20, bytes: 256 << 20 };
/// So many messages are read before anything is lent.
const MESSAGES: usize = 1000;
/// How long is waited at the end until workers know that their results are kept.
const FAREWELL: Duration = Duration::from_secs(3);

impl Coordinator {
    /// Connects, for the run in this folder.
    pub fn new(options: CoordinatorOptions, dir: &Path) -> Result<Coordinator, LinkError> {
        let failed = |error| LinkError::File { path: dir.display().to_string(), error };
        let folder = Folder::open(dir).map_err(failed)?;
        let file = LeaseFile::open(&folder, &options.name);
        let status = Arc::new(Mutex::new(ClusterStatus::new(&file.run, &options.name)));
        let (shown, notes) = (status.clone(), options.notes.clone());
        let link = Link::connect(&options.link, &file.run, move |event| {
            let mut status = shown.lock().unwrap_or_else(PoisonError::into_inner);
            match event {
                LinkEvent::Connected => status.is_connected = true,
                LinkEvent::Lost => status.is_connected = false,
                LinkEvent::Trouble(what) => notes(&format!("the server says: {what}")),
            }
        })?;
        let (to_inbox, inbox) = channel();
        let subjects = [
            (wire::questions(&file.run, "*"), QUESTIONS, CoordinatorEvent::Said as fn(_) -> _),
            (wire::STATUS.to_owned(), QUESTIONS, CoordinatorEvent::Said),
            (wire::live_news(&file.run, "*"), live::LIMITS, CoordinatorEvent::Live),
        ];
        for (subject, limits, event) in subjects {
            link.subscribe_to(&subject, limits, to_inbox.clone(), event)?;
        }
        let examined = to_inbox.clone();
        let verifier = Verifier::start(move |batch| {
            // Nobody listens any more if the run is over.
            let _ = examined.send(CoordinatorEvent::Examined(Box::new(batch)));
        });
        let mut workers = Workers::default();
        for excluded in &file.excluded {
            workers.exclude(&excluded.name, &excluded.why);
        }
        let state = CoordinatorState {
            inbox,
            to_inbox,
            began: Instant::now(),
            epoch: host::random_seed(),
            is_dirty: false,
            written: Duration::ZERO,
            announced: None,
            looked: None,
            is_restored: false,
            is_continued: file.is_continued(),
            leases: Leases::new(options.lease),
            workers,
            speeds: Speeds::new(options.terms.speed, file.reference),
            blobs: Blobs::default(),
            verifier: verifier.map_err(LinkError::Thread)?,
            repeats: RepeatedGames::new(options.terms.repeat, file.repeats.clone()),
            live: WorkersGames::new(options.live.clone()),
            file,
            pool: VecDeque::new(),
            lent: HashMap::new(),
            expired: HashMap::new(),
            unanswered: HashMap::new(),
            audits: Vec::new(),
            brief: String::new(),
        };
        let (link, state) = (Arc::new(link), Mutex::new(state));
        Ok(Coordinator { link, folder, options, state, status, own_speed: OnceLock::new() })
    }

    /// How it goes.
    pub fn status(&self) -> ClusterStatus {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells workers that the run has come to its end.
    pub fn finish(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.announce(&state, RunStage::Over);
        self.link.flush(FAREWELL);
    }

    fn announce(&self, state: &CoordinatorState, stage: RunStage) {
        let announcement = Announcement {
            name: self.options.name.clone(),
            lanista: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: state.epoch,
            stage,
            lease_ms: self.options.lease.as_millis() as u64,
        };
        self.link.publish(&wire::announcements(Some(&state.file.run)), wire::pack(&announcement));
    }

    fn answer(&self, reply: Option<&str>, answer: &CoordinatorAnswer) {
        if let Some(reply) = reply {
            self.link.publish(reply, wire::pack(answer));
        }
    }

    fn note(&self, text: &str) {
        (self.options.notes)(text);
    }

    fn own_speed(&self) -> f64 {
        *self.own_speed.get_or_init(|| crate::speed::measure(self.options.local))
    }
}

impl RemotePlayers for Coordinator {
    fn own_line(&self) -> WorkerLine {
        WorkerLine { name: OWN_NAME.to_owned(), speed: self.own_speed(), time_scale: 1.0 }
    }

    fn play(&self, games: &RemoteGames<'_>) -> Result<(), TournamentError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        if self.options.local > 0 && state.speeds.plays(self.own_speed()) {
            state.file.reference = state.speeds.reference();
        }
        state.brief = self.brief(state, games)?;
        self.restore(state, games);
        while !games.is_over() || self.is_open(state, games) {
            self.turn(state, games, TICK);
            self.look_after(state, games)?;
        }
        for game in state.pool.drain(..).flatten() {
            games.give_back(game);
        }
        let until = Instant::now() + FAREWELL;
        while (!state.unanswered.is_empty() || !state.verifier.is_idle())
            && Instant::now() < until
            && !host::interrupted()
        {
            self.turn(state, games, TICK);
        }
        self.write_leases(state);
        self.show(state, games);
        Ok(())
    }
}

impl Coordinator {
    /// Whether something is still to be found out of games that are played: whether those of an
    /// excluded worker are results, and how repetitions go.
    fn is_open(&self, state: &CoordinatorState, games: &RemoteGames<'_>) -> bool {
        let could = |first: &str, game: &LentGame| {
            let others = state.workers.iter().filter(|(worker, _)| worker.name != first);
            others.into_iter().any(|(worker, _)| lending::can_play(&state.workers, worker, game))
        };
        games.is_complete()
            && (!state.audits.is_empty()
                || state.file.audit_is_due()
                || state.repeats.are_open(could))
    }

    /// Deals with everything that has happened, and waits a little if that is nothing. Results come
    /// first: what is known need not be lent.
    fn turn(&self, state: &mut CoordinatorState, games: &RemoteGames<'_>, patience: Duration) {
        let mut wants = Vec::new();
        match state.inbox.recv_timeout(patience) {
            Ok(first) => self.happened(state, games, first, &mut wants),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
        }
        for _ in 0..MESSAGES {
            match state.inbox.try_recv() {
                Ok(next) => self.happened(state, games, next, &mut wants),
                Err(_) => break,
            }
        }
        for (worker, free, reply) in wants {
            // It may have left or been excluded since it asked.
            if state.workers.slots_of(&worker).is_some() {
                let answer = self.lend(state, games, &worker, free);
                self.answer(reply.as_deref(), &answer);
            }
        }
    }

    fn happened(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        event: CoordinatorEvent,
        wants: &mut Vec<(WorkerId, u32, Option<String>)>,
    ) {
        match event {
            CoordinatorEvent::Said(message) => self.said(state, games, message, wants),
            CoordinatorEvent::Live(message) => self.live_news(state, games, &message),
            CoordinatorEvent::Examined(batch) => self.examined(state, games, *batch),
            CoordinatorEvent::Kept { worker, reply, together } => {
                lending::give_back(state, games, together);
                if let Some(left) = state.unanswered.get_mut(&worker) {
                    *left -= 1;
                    if *left == 0 {
                        state.unanswered.remove(&worker);
                    }
                }
                self.answer(Some(&reply), &CoordinatorAnswer::Kept);
            }
            CoordinatorEvent::Audited(worker, found) => self.audited(state, games, &worker, found),
        }
    }

    /// What has to be done from time to time.
    fn look_after(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
    ) -> Result<(), TournamentError> {
        let now = state.began.elapsed();
        if state.looked.is_some_and(|then| now < then + TICK / 2) {
            return Ok(());
        }
        state.looked = Some(now);
        self.look_after_live(state);
        for (worker, free) in state.leases.expire(now) {
            let count = free.len();
            for place in &free {
                let workers = state.expired.entry(place.clone()).or_default();
                if !workers.contains(&worker.name) {
                    workers.push(worker.name.clone());
                }
            }
            lending::give_back(state, games, free);
            state.blobs.forget(&worker);
            if state.workers.remove(&worker) {
                let name = &worker.name;
                self.note(&match count {
                    0 => format!("nothing is heard of {name} any more"),
                    1 => format!("nothing is heard of {name} any more; others play its game"),
                    _ => format!(
                        "nothing is heard of {name} any more; others play its {count} games"
                    ),
                });
            }
        }
        self.begin_audits(state)?;
        if state.announced.is_none_or(|then| now >= then + wire::ANNOUNCE) {
            state.announced = Some(now);
            self.announce(state, RunStage::Playing);
            for text in state.workers.unplayable(&state.pool, &games.events()) {
                self.note(&text);
            }
        }
        if state.is_dirty && now >= state.written + WRITE {
            self.write_leases(state);
        }
        self.show(state, games);
        Ok(())
    }

    /// Lets others see how it goes.
    fn show(&self, state: &CoordinatorState, games: &RemoteGames<'_>) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.update(state);
        status.left = games.left();
    }

    fn write_leases(&self, state: &mut CoordinatorState) {
        let now = state.began.elapsed();
        let held = state.leases.held_by(now);
        let line = |(worker, _, games): (WorkerId, Duration, Vec<GamePlace>)| LeaseLine {
            playing: state.workers.playing(&worker).to_vec(),
            worker: worker.name,
            session: worker.session,
            games,
        };
        let leases = held.into_iter().map(line).collect();
        state.file.repeats.clone_from(&state.repeats.summary);
        state.file.write(&self.folder, leases);
        (state.is_dirty, state.written) = (false, now);
    }
}

/// The place of a game as workers name it.
fn place_of(game: &LentGame) -> GamePlace {
    let (event, key) = (game.event as u32, game.fixture.key().0);
    GamePlace { event, key, attempt: game.attempt, purpose: PlayedFor::Result }
}

#[cfg(test)]
mod tests;
