//! Playing for one run: one thread speaks to the coordinator while others play.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use game::{FaultKind, Seed, Verdict};
use host::{Finished, Job, JobSource};
use table::{Occasion, Raw, Recording, Terms};

use crate::link::NoAnswer;
use crate::wire::{
    CoordinatorAnswer, GamePlace, Inability, PIECE, RemoteGame, ReplayLine, ResultLine, WorkerCard,
    WorkerRequest,
};
use crate::worker::bot_preparation::{PrepareError, PreparedRun};
use crate::worker::talk::Conversation;
use crate::worker::{AnnouncedRuns, WorkerOptions};

/// A worker at a run.
pub(crate) struct Visit<'w> {
    pub(crate) options: &'w WorkerOptions,
    pub(crate) card: &'w WorkerCard,
    pub(crate) talk: Conversation<'w>,
    pub(crate) runs: &'w mut AnnouncedRuns,
}

/// When a run is asked again that had no games, or that did not answer.
const SHORTLY: Duration = Duration::from_millis(500);
/// When a run is asked again that does not want us.
const LATER: Duration = Duration::from_secs(30);
/// A run without a game for so long is left, for others that may have some.
const NOTHING: Duration = Duration::from_secs(2);
/// Results are sent together, those of so long.
const GATHER: Duration = Duration::from_millis(300);
/// Between two looks at what there is to say.
const GLANCE: Duration = Duration::from_millis(20);
/// How long results are kept for a coordinator that is not there.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long is tried to send what there is when the worker is told to stop.
const FAREWELL: Duration = Duration::from_secs(5);

/// Games of a run and what has become of them. Those who play and the one who speaks share it.
#[derive(Default)]
struct WorkerGames {
    queue: VecDeque<RemoteGame>,
    playing: HashMap<u64, (RemoteGame, Instant)>,
    next: u64,
    /// Results that are not known to be kept.
    done: Vec<ResultLine>,
    /// When the first of them came.
    since: Option<Instant>,
    /// Games that are not played after all, and the bot that cannot be run.
    refused: Vec<(GamePlace, Option<Inability>)>,
    /// Bots that cannot be run, by event and number.
    cannot: Vec<(u32, u32)>,
    /// Nothing more is played.
    is_over: bool,
}

/// What the players share with the speaker.
struct SharedGames<'b> {
    prepared: &'b PreparedRun,
    /// The worker's speed.
    speed: f64,
    games: Mutex<WorkerGames>,
    changed: Condvar,
}

impl SharedGames<'_> {
    fn games(&self) -> MutexGuard<'_, WorkerGames> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why somebody stops playing for a run.
enum VisitEnd {
    /// There is nothing to do; to be asked again after a while.
    Nothing(Duration),
    /// The run is played with other bots or terms from now on: these games are to be played next.
    Changed { brief: String, games: Vec<RemoteGame> },
}

impl Visit<'_> {
    /// Plays for a run as long as there is something to do. When to ask it again.
    pub(crate) fn play(&mut self, idle_since: &mut Instant) -> Duration {
        let free = self.options.slots as u32;
        let want = WorkerRequest::Want { free, card: self.card.clone() };
        let mut next = match self.talk.ask(want) {
            Ok(CoordinatorAnswer::Games { brief, games }) => VisitEnd::Changed { brief, games },
            Ok(CoordinatorAnswer::Wait(ms)) => return Duration::from_millis(ms.into()).min(LATER),
            Ok(CoordinatorAnswer::Refused(why)) => {
                let why = game::printable(why.as_bytes(), 300);
                (self.options.notes)(&format!("{} refuses this worker: {why}", self.talk.run));
                return LATER;
            }
            Ok(_) | Err(_) => return SHORTLY,
        };
        loop {
            match next {
                VisitEnd::Nothing(pause) => return pause,
                VisitEnd::Changed { brief, games } => {
                    *idle_since = Instant::now();
                    next = match self.prepare(&brief, &games) {
                        Ok(prepared) => self.play_games(&prepared, &brief, games),
                        Err(error) => {
                            let text = format!("cannot play for {}: {error}", self.talk.run);
                            (self.options.notes)(&text);
                            self.give_back(games);
                            return LATER;
                        }
                    };
                    *idle_since = Instant::now();
                }
            }
        }
    }

    /// Prepares the bots, and holds the games meanwhile.
    fn prepare(&mut self, brief: &str, games: &[RemoteGame]) -> Result<PreparedRun, PrepareError> {
        let places: Vec<GamePlace> = games.iter().map(|game| game.place.clone()).collect();
        let mut held = Instant::now();
        PreparedRun::new(self.options, &mut self.talk, brief, |talk| {
            if held.elapsed() >= talk.lease / 4 {
                held = Instant::now();
                let _ = talk.ask(WorkerRequest::Hold(places.clone()));
            }
        })
    }

    fn give_back(&mut self, games: Vec<RemoteGame>) {
        let games = games.into_iter().map(|game| game.place).collect();
        let _ = self.talk.ask(WorkerRequest::GiveBack { games, cannot: None });
    }

    /// Plays games until there are no more, or others are to be played.
    fn play_games(
        &mut self,
        prepared: &PreparedRun,
        brief: &str,
        first: Vec<RemoteGame>,
    ) -> VisitEnd {
        let mut games = WorkerGames::default();
        for inability in &prepared.cannot {
            games.cannot.push((inability.event, inability.bot));
        }
        let (games, changed) = (Mutex::new(games), Condvar::new());
        let shared = SharedGames { prepared, speed: self.card.speed, games, changed };
        shared.add_games(first);
        std::thread::scope(|scope| {
            let mut speaker = Speaker {
                visit: self,
                shared: &shared,
                brief,
                held: Instant::now(),
                wanted: Instant::now(),
                heard: Instant::now(),
                busy: Instant::now(),
                epoch: None,
                changed: None,
            };
            let speaking = scope.spawn(move || {
                let leaving = host::catch(|| speaker.speak());
                // Whatever happens, nobody waits for games any more.
                speaker.shared.games().is_over = true;
                speaker.shared.changed.notify_all();
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
    fn add_games(&self, new: Vec<RemoteGame>) {
        let mut games = self.games();
        games.queue.extend(new);
        self.sort_out(&mut games);
        drop(games);
        self.changed.notify_all();
    }

    /// Takes out of the queue what cannot be played here.
    fn sort_out(&self, games: &mut WorkerGames) {
        let queue = std::mem::take(&mut games.queue);
        for game in queue {
            let event = game.place.event;
            let unable = game.bots.iter().find(|bot| games.cannot.contains(&(event, **bot)));
            match unable {
                Some(bot) => {
                    let known = self.prepared.cannot.iter();
                    let mut known = known.filter(|known| (known.event, known.bot) == (event, *bot));
                    games.refused.push((game.place, known.next().cloned()));
                }
                None => games.queue.push_back(game),
            }
        }
    }

    /// The next game of the queue as it is played.
    fn job(&self, games: &mut WorkerGames) -> Option<Job> {
        while let Some(game) = games.queue.pop_front() {
            match self.table(&game, games.next) {
                Ok(job) => {
                    games.playing.insert(games.next, (game, Instant::now()));
                    games.next += 1;
                    return Some(job);
                }
                Err(why) => {
                    let (event, bot) = (game.place.event, game.bots.first().copied().unwrap_or(0));
                    let why = Inability { event, bot, why };
                    games.refused.push((game.place, Some(why)));
                }
            }
        }
        None
    }

    fn table(&self, game: &RemoteGame, index: u64) -> Result<Job, String> {
        let event = self.prepared.events.get(game.place.event as usize);
        let event = event.ok_or("it belongs to no event of its run")?;
        let rules = event.game.ok_or("its game is not known here")?;
        let setup = event.setups.get(game.variant as usize).ok_or("its set-up is not known")?;
        let (mut bots, mut entrants) = (Vec::new(), Vec::new());
        for bot in &game.bots {
            let bot = event.bots.get(*bot as usize).and_then(Option::as_ref);
            let (place, entrant) = bot.ok_or("one of its bots cannot be run here")?;
            bots.push(*place);
            entrants.push(entrant.clone());
        }
        let terms = Terms {
            id: game.id.clone(),
            seed: Seed(game.seed),
            entrants,
            clock: event.clock,
            adjudication: event.adjudication,
            occasion: Occasion::Tournament,
            recording: Recording::On,
        };
        Ok(league::job(index, bots, rules, setup.clone(), terms))
    }

    /// A game is over.
    fn finished(&self, finished: Finished) {
        let taken = self.games().playing.remove(&finished.index);
        let (game, began) = taken.expect("only games that were given out come back");
        let event = game.place.event;
        let refuse = |bot: u32, why: String| Some(Inability { event, bot, why });
        let first = game.bots.first().copied().unwrap_or(0);
        let (report, log) = match finished.result {
            Ok(played) => played,
            Err(error) => {
                let why = refuse(first, error.to_string());
                return self.refuse(game.place, why);
            }
        };
        // A game that was broken off has had no fair try.
        if report.outcome == Verdict::Void && host::interrupted() {
            return self.refuse(game.place, None);
        }
        for (player, bot) in report.players.iter().zip(&game.bots) {
            let not_started = |fault: &&table::FaultLine| fault.kind == FaultKind::NotStarted;
            if let Some(fault) = player.faults.iter().find(not_started) {
                let why = refuse(*bot, fault.detail.clone());
                return self.refuse(game.place, why);
            }
        }
        // Slow: it compresses, and nobody waits for the lock meanwhile.
        let replay = match log.to_file() {
            Ok(bytes) => ReplayLine::Here(Raw(bytes)),
            Err(error) => return self.refuse(game.place, refuse(first, error.to_string())),
        };
        let took_ms = began.elapsed().as_millis() as u64;
        let mut games = self.games();
        games.since.get_or_insert_with(Instant::now);
        let speed = self.speed;
        games.done.push(ResultLine { place: game.place, took_ms, speed, report, replay });
        self.changed.notify_all();
    }

    /// A game is not played after all; neither are others of a bot that cannot be run.
    fn refuse(&self, place: GamePlace, why: Option<Inability>) {
        let mut games = self.games();
        if let Some(why) = &why {
            games.cannot.push((why.event, why.bot));
        }
        games.refused.push((place, why));
        self.sort_out(&mut games);
        self.changed.notify_all();
    }
}

/// When results are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// Several together.
    Together,
    /// As soon as they are there: nothing more is begun.
    Now,
}

/// The thread that speaks to the coordinator.
struct Speaker<'s, 'w, 'b> {
    visit: &'s mut Visit<'w>,
    shared: &'s SharedGames<'b>,
    brief: &'s str,
    /// When it was last said what is held, and when games were wanted.
    held: Instant,
    wanted: Instant,
    /// When the coordinator last answered, and when there was last something to do.
    heard: Instant,
    busy: Instant,
    /// Which process coordinates the run.
    epoch: Option<u64>,
    /// Games of other terms, to be played next.
    changed: Option<(String, Vec<RemoteGame>)>,
}

impl Speaker<'_, '_, '_> {
    /// Speaks until there is nothing left to say.
    fn speak(&mut self) -> VisitEnd {
        let mut pause = Duration::ZERO;
        let mut stopping: Option<Instant> = None;
        loop {
            self.visit.runs.listen(Duration::ZERO);
            if host::interrupted() && stopping.is_none() {
                stopping = Some(Instant::now());
                self.drop_queue();
            }
            let (is_idle, is_empty, queued) = {
                let games = self.shared.games();
                let is_idle = games.queue.is_empty() && games.playing.is_empty();
                let is_empty = is_idle && games.done.is_empty() && games.refused.is_empty();
                (is_idle, is_empty, games.queue.len())
            };
            if !is_empty {
                self.busy = Instant::now();
            }
            if let Some(since) = stopping
                && (is_empty || (is_idle && since.elapsed() > FAREWELL))
            {
                let _ = self.visit.talk.ask(WorkerRequest::Bye);
                return VisitEnd::Nothing(LATER);
            }
            if is_empty && let Some((brief, games)) = self.changed.take() {
                return VisitEnd::Changed { brief, games };
            }
            if is_empty && self.busy.elapsed() > NOTHING {
                return VisitEnd::Nothing(pause);
            }
            if self.heard.elapsed() > PATIENCE {
                self.drop_queue();
                if is_idle {
                    (self.visit.options.notes)("results are given up: nobody takes them");
                    return VisitEnd::Nothing(SHORTLY);
                }
            }
            let sending = if stopping.is_some() { Sending::Now } else { Sending::Together };
            let said = self.say_what_is_due(queued, sending, &mut pause);
            if let ControlFlow::Break(leaving) = said {
                return leaving;
            }
            let games = self.shared.games();
            let waited = self.shared.changed.wait_timeout(games, GLANCE);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Says what has to be said now, the most urgent first.
    fn say_what_is_due(
        &mut self,
        queued: usize,
        sending: Sending,
        pause: &mut Duration,
    ) -> ControlFlow<VisitEnd> {
        let epoch = self.visit.runs.epoch(&self.visit.talk.run);
        let is_new = epoch.is_some() && epoch != self.epoch;
        if is_new || self.held.elapsed() >= self.visit.talk.lease / 4 {
            let answer = self.hold();
            if answer.is_ok() && epoch.is_some() {
                self.epoch = epoch;
            }
            self.hear(&answer)?;
        }
        self.send_results(sending)?;
        self.send_refused()?;
        let slots = self.visit.options.slots;
        let is_changing = self.changed.is_some();
        if sending == Sending::Together
            && !is_changing
            && queued < slots
            && self.wanted.elapsed() >= *pause
        {
            self.wanted = Instant::now();
            let playing = self.shared.games().playing.len();
            let free = (slots.saturating_sub(playing)).max(1) as u32;
            let want = WorkerRequest::Want { free, card: self.visit.card.clone() };
            let answer = self.visit.talk.ask(want);
            self.hear(&answer)?;
            *pause = match answer {
                Ok(CoordinatorAnswer::Games { brief, games }) if brief == self.brief => {
                    self.shared.add_games(games);
                    Duration::ZERO
                }
                Ok(CoordinatorAnswer::Games { brief, games }) => {
                    self.changed = Some((brief, games));
                    Duration::ZERO
                }
                Ok(CoordinatorAnswer::Wait(ms)) => Duration::from_millis(ms.into()).min(LATER),
                Ok(_) | Err(_) => SHORTLY,
            };
        }
        ControlFlow::Continue(())
    }

    /// What every answer may say.
    fn hear(&mut self, answer: &Result<CoordinatorAnswer, NoAnswer>) -> ControlFlow<VisitEnd> {
        match answer {
            Ok(CoordinatorAnswer::Refused(why)) => {
                let why = game::printable(why.as_bytes(), 300);
                let run = &self.visit.talk.run;
                (self.visit.options.notes)(&format!("{run} refuses this worker: {why}"));
                let mut games = self.shared.games();
                games.queue.clear();
                games.done.clear();
                games.refused.clear();
                ControlFlow::Break(VisitEnd::Nothing(LATER))
            }
            Ok(_) => {
                self.heard = Instant::now();
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Continue(()),
        }
    }

    /// Says what is held, and forgets what others play.
    fn hold(&mut self) -> Result<CoordinatorAnswer, NoAnswer> {
        self.held = Instant::now();
        let mut places: Vec<GamePlace> = Vec::new();
        {
            let games = self.shared.games();
            places.extend(games.queue.iter().map(|game| game.place.clone()));
            places.extend(games.playing.values().map(|(game, _)| game.place.clone()));
            places.extend(games.done.iter().map(|line| line.place.clone()));
            places.extend(games.refused.iter().map(|(place, _)| place.clone()));
        }
        let next = self.changed.iter().flat_map(|(_, games)| games);
        places.extend(next.map(|game| game.place.clone()));
        let answer = self.visit.talk.ask(WorkerRequest::Hold(places));
        if let Ok(CoordinatorAnswer::Held { lost }) = &answer {
            // What is played or finished already may be the first all the same.
            let mut games = self.shared.games();
            games.queue.retain(|game| !lost.contains(&game.place));
            games.refused.retain(|(place, _)| !lost.contains(place));
            if let Some((_, games)) = &mut self.changed {
                games.retain(|game| !lost.contains(&game.place));
            }
        }
        answer
    }

    /// Sends results, as many as fit into a message, and forgets those that are kept.
    fn send_results(&mut self, sending: Sending) -> ControlFlow<VisitEnd> {
        let batch = {
            let games = self.shared.games();
            let size = |line: &ResultLine| match &line.replay {
                ReplayLine::Here(bytes) => bytes.0.len() + 2000,
                ReplayLine::Uploaded(_) => 2000,
            };
            let all: usize = games.done.iter().map(size).sum();
            let is_due = sending == Sending::Now
                || all > PIECE
                || games.queue.is_empty()
                || games.since.is_some_and(|since| since.elapsed() > GATHER);
            if !is_due || games.done.is_empty() {
                return ControlFlow::Continue(());
            }
            let mut room = PIECE + PIECE / 2;
            let fits = |line: &&ResultLine| {
                let left = room.checked_sub(size(line));
                room = left.unwrap_or(0);
                left.is_some()
            };
            let batch: Vec<ResultLine> = games.done.iter().take_while(fits).cloned().collect();
            // One that is too long for a message goes in parts.
            if batch.is_empty() { vec![games.done[0].clone()] } else { batch }
        };
        let places: Vec<GamePlace> = batch.iter().map(|line| line.place.clone()).collect();
        let Some(batch) = self.upload(batch) else { return ControlFlow::Continue(()) };
        let answer = self.visit.talk.ask(WorkerRequest::Done(batch));
        self.hear(&answer)?;
        if let Ok(CoordinatorAnswer::Kept) = answer {
            let mut games = self.shared.games();
            games.done.retain(|line| !places.contains(&line.place));
            games.since = if games.done.is_empty() { None } else { Some(Instant::now()) };
        }
        ControlFlow::Continue(())
    }

    /// Uploads replays that are too long for a message. None if that has failed.
    fn upload(&mut self, mut batch: Vec<ResultLine>) -> Option<Vec<ResultLine>> {
        let part = PIECE.min(self.visit.talk.longest() / 2);
        for line in &mut batch {
            let ReplayLine::Here(Raw(bytes)) = &line.replay else { continue };
            if bytes.len() <= part {
                continue;
            }
            let digest = crate::wire::digest(bytes);
            for (number, piece) in bytes.chunks(part).enumerate() {
                let at = (number * part) as u64;
                let (digest, bytes) = (digest.clone(), Raw(piece.to_vec()));
                self.visit.talk.ask(WorkerRequest::Upload { digest, at, bytes }).ok()?;
            }
            line.replay = ReplayLine::Uploaded(digest);
        }
        Some(batch)
    }

    /// Gives back what is not played after all.
    fn send_refused(&mut self) -> ControlFlow<VisitEnd> {
        let first = self.shared.games().refused.first().map(|(_, why)| why.clone());
        let Some(why) = first else { return ControlFlow::Continue(()) };
        let places: Vec<GamePlace> = {
            let games = self.shared.games();
            let alike = games.refused.iter().filter(|(_, other)| *other == why);
            alike.map(|(place, _)| place.clone()).collect()
        };
        let games = places.clone();
        let answer = self.visit.talk.ask(WorkerRequest::GiveBack { games, cannot: why });
        self.hear(&answer)?;
        if answer.is_ok() {
            self.shared.games().refused.retain(|(place, _)| !places.contains(place));
        }
        ControlFlow::Continue(())
    }

    /// What has not been begun is given back.
    fn drop_queue(&mut self) {
        let mut games = self.shared.games();
        let next = self.changed.take().into_iter().flat_map(|(_, games)| games);
        let unplayed: Vec<GamePlace> =
            games.queue.drain(..).chain(next).map(|game| game.place).collect();
        games.refused.extend(unplayed.into_iter().map(|place| (place, None)));
    }
}
