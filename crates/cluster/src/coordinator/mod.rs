//! The coordinator: lends the games of a tournament to workers, takes their results in, and has
//! them kept in the run's store. It holds nothing that may not be lost.

mod blobs;
mod status;
mod workers;

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use game::Verdict;
use table::WorkerLine;

use league::schedule::GameKey;
use league::{
    Folder, LentGame, NextSet, ProcessOptions, RemoteGames, RemotePlayers, RemoteStanding,
    TournamentError,
};

use crate::coordinator::blobs::Blobs;
use crate::coordinator::workers::Workers;
use crate::lease_file::LeaseFile;
use crate::leases::{Leases, WorkerId};
use crate::link::{Link, LinkError, LinkEvent, LinkOptions, Message};
use crate::verify::ExpectedGame;
use crate::wire::{
    self, Announcement, Ask, CoordinatorAnswer, GamePlace, RemoteGame, ReplayLine, ResultLine,
    RunStage, WorkerRequest,
};

pub use status::ClusterStatus;

/// What a coordinator needs to know.
pub struct CoordinatorOptions {
    /// The server.
    pub link: LinkOptions,
    /// The tournament's name.
    pub name: String,
    /// How the processes of bots are kept and placed.
    pub manner: ProcessOptions,
    /// How long a worker may be silent before its games go to others.
    pub lease: Duration,
    /// Games at a time that are played here, too.
    pub local: usize,
    /// Workers that shut bots in less well play nothing.
    pub least_tier: Option<host::Tier>,
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
    /// Everything of a `Done` is kept.
    Kept(String),
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
    /// Whether what an earlier process had lent is known.
    is_restored: bool,
    leases: Leases,
    workers: Workers,
    blobs: Blobs,
    /// Sets that are taken from the schedule and lent to nobody.
    pool: VecDeque<Vec<LentGame>>,
    /// All games that workers hold.
    lent: HashMap<GamePlace, LentGame>,
    /// `Done`s that are not answered yet.
    unanswered: usize,
    brief: String,
}

/// How often is looked whether leases have run out.
const TICK: Duration = Duration::from_millis(50);
/// How often a run says that it is there.
const ANNOUNCE: Duration = Duration::from_millis(1000);
/// How often leases are written down, at most.
const WRITE: Duration = Duration::from_millis(200);
/// So many messages are read before anything is lent.
const MESSAGES: usize = 1000;
/// Sets that are looked through for one that a worker can play.
const LOOK_AHEAD: usize = 64;
/// How long a worker should play what it gets at once, and how many games that is at most.
const JOB: Duration = Duration::from_secs(10);
const MOST_GAMES: usize = 2000;
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
        link.subscribe_to(
            &wire::questions(&file.run, "*"),
            to_inbox.clone(),
            CoordinatorEvent::Said,
        )?;
        link.subscribe_to(wire::STATUS, to_inbox.clone(), CoordinatorEvent::Said)?;
        let state = CoordinatorState {
            inbox,
            to_inbox,
            began: Instant::now(),
            epoch: host::random_seed(),
            file,
            is_dirty: false,
            written: Duration::ZERO,
            announced: None,
            is_restored: false,
            leases: Leases::new(options.lease),
            workers: Workers::default(),
            blobs: Blobs::default(),
            pool: VecDeque::new(),
            lent: HashMap::new(),
            unanswered: 0,
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
}

impl RemotePlayers for Coordinator {
    fn own_line(&self) -> WorkerLine {
        let speed = *self.own_speed.get_or_init(|| crate::speed::measure(self.options.local));
        WorkerLine { name: OWN_NAME.to_owned(), speed, time_scale: 1.0 }
    }

    fn play(&self, games: &RemoteGames<'_>) -> Result<(), TournamentError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        state.brief = self.brief(state, games)?;
        self.restore(state, games);
        while !games.is_over() {
            self.turn(state, games, TICK);
            self.look_after(state, games);
        }
        for game in state.pool.drain(..).flatten() {
            games.give_back(game);
        }
        let until = Instant::now() + FAREWELL;
        while state.unanswered > 0 && Instant::now() < until && !host::interrupted() {
            self.turn(state, games, TICK);
        }
        self.write_leases(state);
        Ok(())
    }
}

impl Coordinator {
    /// Lends again what an earlier process had lent: its workers may still play it.
    fn restore(&self, state: &mut CoordinatorState, games: &RemoteGames<'_>) {
        if std::mem::replace(&mut state.is_restored, true) {
            return;
        }
        let now = state.began.elapsed();
        for line in std::mem::take(&mut state.file.leases) {
            let worker = WorkerId { name: line.worker, session: line.session };
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
            let answer = self.lend(state, games, &worker, free);
            self.answer(reply.as_deref(), &answer);
        }
    }

    fn happened(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        event: CoordinatorEvent,
        wants: &mut Vec<(WorkerId, u32, Option<String>)>,
    ) {
        let message = match event {
            CoordinatorEvent::Said(message) => message,
            CoordinatorEvent::Kept(reply) => {
                state.unanswered -= 1;
                return self.answer(Some(&reply), &CoordinatorAnswer::Kept);
            }
        };
        if message.subject == wire::STATUS {
            if let Some(reply) = &message.reply {
                let text = self.status().to_json().to_string();
                self.link.publish(reply, text.into_bytes());
            }
            return;
        }
        let Some(name) = message.subject.rsplit('.').next() else { return };
        let reply = message.reply.as_deref();
        let ask: Ask = match wire::unpack(&message.payload) {
            Ok(ask) => ask,
            Err(error) => {
                return self.answer(reply, &CoordinatorAnswer::Refused(error.to_string()));
            }
        };
        let worker = WorkerId { name: name.to_owned(), session: ask.session };
        if let Some(why) = state.workers.exclusion(&worker.name) {
            return self.answer(reply, &CoordinatorAnswer::Refused(why.to_owned()));
        }
        // A result counts whenever it comes; everything else only in its order.
        let now = state.began.elapsed();
        let in_order = state.leases.heard(now, &worker, ask.number);
        match ask.what {
            WorkerRequest::Done(lines) => {
                self.done(state, games, &worker, lines, message.reply);
            }
            WorkerRequest::Blob { digest, piece } => {
                let answer = state.blobs.piece(&digest, piece);
                self.answer(reply, &answer);
            }
            WorkerRequest::Upload { digest, at, bytes } => {
                state.blobs.upload(&worker, &digest, at, &bytes.0);
                self.answer(reply, &CoordinatorAnswer::Heard);
            }
            _ if !in_order => {}
            WorkerRequest::Want { free, card } => match self.refusal(&worker, &card) {
                Some(why) => self.answer(reply, &CoordinatorAnswer::Refused(why)),
                None => {
                    if state.workers.introduce(&worker, card) {
                        self.note(&format!("{} has come", worker.name));
                    }
                    wants.push((worker, free, message.reply));
                }
            },
            WorkerRequest::Hold(places) => {
                let lost = self.held(state, games, &worker, &places);
                self.answer(reply, &CoordinatorAnswer::Held { lost });
            }
            WorkerRequest::GiveBack { games: places, cannot } => {
                let free = state.leases.give_back(&worker, &places);
                give_back(state, games, free);
                if let Some(inability) = cannot {
                    let why = game::printable(inability.why.as_bytes(), 500);
                    let bot = state.workers.cannot(&worker, &inability, &games.events());
                    if let Some(bot) = bot {
                        self.note(&format!("{} cannot run \"{bot}\": {why}", worker.name));
                    }
                }
                self.answer(reply, &CoordinatorAnswer::Heard);
            }
            WorkerRequest::Bye => {
                let free = state.leases.remove(&worker);
                give_back(state, games, free);
                if state.workers.remove(&worker) {
                    self.note(&format!("{} has left", worker.name));
                }
                self.answer(reply, &CoordinatorAnswer::Heard);
            }
        }
    }

    /// Why a worker cannot be used, if it cannot.
    fn refusal(&self, worker: &WorkerId, card: &wire::WorkerCard) -> Option<String> {
        if worker.name == OWN_NAME {
            return Some(format!("\"{OWN_NAME}\" is the name of games that the coordinator plays"));
        }
        if !is_speed(card.speed) {
            return Some("its speed cannot be".to_owned());
        }
        let own = env!("CARGO_PKG_VERSION");
        if card.lanista != own {
            let theirs = game::printable(card.lanista.as_bytes(), 40);
            return Some(format!("it is lanista {theirs}, and this run is played with {own}"));
        }
        let least = self.options.least_tier?;
        // Better tiers have earlier letters.
        let is_enough = card.tier.len() == 1 && card.tier.as_str() <= least.name();
        (!is_enough).then(|| {
            let tier = game::printable(card.tier.as_bytes(), 4);
            format!("its bots would run on tier {tier}, and tier {} is required", least.name())
        })
    }

    /// A worker says what it holds. What it may forget.
    fn held(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        places: &[GamePlace],
    ) -> Vec<GamePlace> {
        let held = state.leases.holds(worker, places);
        let mut lost = held.lost;
        for place in held.unknown {
            match lend_again(games, &place) {
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
    fn lend(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        free: u32,
    ) -> CoordinatorAnswer {
        let wanted = state.workers.job_size(free, JOB, games.left()).min(MOST_GAMES);
        let mut lent = Vec::new();
        while lent.len() < wanted
            && let Some(set) = suitable(state, games, worker)
        {
            for game in set {
                let (_, _, terms) = games.terms(&game);
                let place = place_of(&game);
                lent.push(RemoteGame {
                    place: place.clone(),
                    id: terms.id,
                    seed: game.fixture.seed().0,
                    variant: game.fixture.variant as u32,
                    bots: game.fixture.seating.iter().map(|bot| bot.0).collect(),
                });
                state.leases.grant(worker, [place.clone()]);
                state.lent.insert(place, game);
            }
        }
        if lent.is_empty() {
            return CoordinatorAnswer::Wait(state.workers.pause());
        }
        state.is_dirty = true;
        CoordinatorAnswer::Games { brief: state.brief.clone(), games: lent }
    }

    /// Results have come. All of them are looked at before any is kept.
    fn done(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        lines: Vec<ResultLine>,
        reply: Option<String>,
    ) {
        let mut missing = Vec::new();
        let mut accepted = Vec::new();
        for line in lines {
            let ResultLine { place, took_ms, speed, mut report, replay } = line;
            let name = worker.name.clone();
            report.worker = Some(WorkerLine { name, speed, time_scale: 1.0 });
            let key = GameKey(place.key.clone());
            let standing = games.standing(place.event as usize, &key, place.attempt);
            let RemoteStanding::Open(game) = standing else {
                self.settled(state, games, &place);
                continue;
            };
            // Only who was to play a game can say that it could not be played.
            if report.outcome == Verdict::Void && state.leases.holder(&place) != Some(worker) {
                continue;
            }
            let bytes = match replay {
                ReplayLine::Here(bytes) => bytes.0,
                ReplayLine::Uploaded(digest) => match state.blobs.uploaded(&digest) {
                    Some(bytes) => bytes,
                    None => {
                        missing.push(digest);
                        continue;
                    }
                },
            };
            let (rules, setup, terms) = games.terms(&game);
            let expected = ExpectedGame { game: rules, setup, terms };
            // Rules that panic have not been followed.
            let looked = host::catch(|| expected.accept(report, &bytes));
            match looked.unwrap_or_else(|panic| Err(panic.to_string())) {
                Ok((report, log)) => accepted.push((place, took_ms, game, report, log)),
                Err(why) => {
                    return self.exclude(state, games, worker, &place, &why, reply.as_deref());
                }
            }
        }
        if !missing.is_empty() {
            return self.answer(reply.as_deref(), &CoordinatorAnswer::Missing(missing));
        }
        let Some(reply) = reply else { return };
        if accepted.is_empty() {
            return self.answer(Some(&reply), &CoordinatorAnswer::Kept);
        }
        state.unanswered += 1;
        let left = Arc::new(AtomicUsize::new(accepted.len()));
        for (place, took_ms, game, report, log) in accepted {
            state.workers.played(worker, Duration::from_millis(took_ms));
            self.settled(state, games, &place);
            let (left, reply, to_inbox) = (left.clone(), reply.clone(), state.to_inbox.clone());
            games.keep(game, report, log, move || {
                if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                    let _ = to_inbox.send(CoordinatorEvent::Kept(reply));
                }
            });
        }
    }

    /// Nobody holds a game any more.
    fn settled(&self, state: &mut CoordinatorState, games: &RemoteGames<'_>, place: &GamePlace) {
        state.leases.settle(place);
        if state.lent.remove(place).is_some() {
            state.is_dirty = true;
            games.arrived();
        }
    }

    /// A worker has sent something that is no result: nothing of it is believed from now on.
    fn exclude(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        place: &GamePlace,
        why: &str,
        reply: Option<&str>,
    ) {
        let why = game::printable(why.as_bytes(), 300);
        let text = format!("what it sent for game {} is no result: {why}", place.key);
        self.note(&format!("{} is excluded: {text}", worker.name));
        let sessions: Vec<WorkerId> = state.leases.workers().map(|(id, _)| id.clone()).collect();
        for session in sessions.into_iter().filter(|id| id.name == worker.name) {
            let free = state.leases.remove(&session);
            give_back(state, games, free);
            state.workers.remove(&session);
        }
        state.workers.exclude(&worker.name, &text);
        self.answer(reply, &CoordinatorAnswer::Refused(text));
    }

    /// What has to be done from time to time.
    fn look_after(&self, state: &mut CoordinatorState, games: &RemoteGames<'_>) {
        let now = state.began.elapsed();
        for (worker, free) in state.leases.expire(now) {
            let count = free.len();
            give_back(state, games, free);
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
        if state.announced.is_none_or(|then| now >= then + ANNOUNCE) {
            state.announced = Some(now);
            self.announce(state, RunStage::Playing);
            for text in state.workers.unplayable(&state.pool, &games.events()) {
                self.note(&text);
            }
        }
        if state.is_dirty && now >= state.written + WRITE {
            self.write_leases(state);
        }
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.update(&state.workers, &state.leases, state.pool.len());
        status.left = games.left();
    }

    fn write_leases(&self, state: &mut CoordinatorState) {
        let now = state.began.elapsed();
        let held = state.leases.held_by(now);
        let leases = held.into_iter().map(|(worker, _, games)| (worker, games)).collect();
        state.file.write(&self.folder, leases);
        (state.is_dirty, state.written) = (false, now);
    }
}

/// Whether a machine can be so fast.
fn is_speed(speed: f64) -> bool {
    (1e-6..1e9).contains(&speed)
}

/// The place of a game as workers name it.
fn place_of(game: &LentGame) -> GamePlace {
    let (event, key) = (game.event as u32, game.fixture.key().0);
    GamePlace { event, key, attempt: game.attempt }
}

/// Lends a game again of which somebody says that it has been lent; `None` if nobody wants it, or
/// somebody else plays it.
fn lend_again(games: &RemoteGames<'_>, place: &GamePlace) -> Option<LentGame> {
    let key = GameKey(place.key.clone());
    match games.standing(place.event as usize, &key, place.attempt) {
        RemoteStanding::Open(game) => games.lend_again(&game).then_some(game),
        RemoteStanding::Settled => None,
    }
}

/// Nobody plays these games any more: others may.
fn give_back(state: &mut CoordinatorState, games: &RemoteGames<'_>, places: Vec<GamePlace>) {
    for place in places {
        state.is_dirty = true;
        if let Some(game) = state.lent.remove(&place) {
            games.give_back(game);
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
        let first = set.first().expect("a set has games");
        first.fixture.group.iter().all(|bot| workers.can(worker, first.event as u32, bot.0))
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

#[cfg(test)]
mod tests;
