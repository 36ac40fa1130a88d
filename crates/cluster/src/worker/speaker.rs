//! The thread of a worker that speaks to the coordinator: says what it holds, sends results, asks for
//! games.

use std::ops::ControlFlow;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use table::Raw;

use crate::link::NoAnswer;
use crate::wire::{CoordinatorAnswer, GamePlace, PIECE, ReplayLine, ResultLine, WorkerRequest};
use crate::worker::playing::{LATER, SHORTLY, SetId, SharedGames, Visit, VisitEnd, WorkerJob};

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

/// When results are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// Several together.
    Together,
    /// As soon as they are there: nothing more is begun.
    Now,
}

/// The thread that speaks to the coordinator.
pub(super) struct Speaker<'s, 'w, 'b> {
    visit: &'s mut Visit<'w>,
    shared: &'s SharedGames<'b>,
    brief: &'s str,
    /// When it was last said what is held, and when games were wanted.
    held: Instant,
    wanted: Instant,
    /// Not before this moment are results sent: the coordinator has too many.
    results_after: Instant,
    /// When the coordinator last answered, and when there was last something to do.
    heard: Instant,
    busy: Instant,
    /// Which process coordinates the run.
    epoch: Option<u64>,
    /// Games of other terms, to be played next.
    changed: Option<WorkerJob>,
}

impl<'s, 'w, 'b> Speaker<'s, 'w, 'b> {
    pub(super) fn new(
        visit: &'s mut Visit<'w>,
        shared: &'s SharedGames<'b>,
        brief: &'s str,
    ) -> Speaker<'s, 'w, 'b> {
        let now = Instant::now();
        let (held, wanted, results_after, heard, busy) = (now, now, now, now, now);
        let (epoch, changed) = (None, None);
        Speaker { visit, shared, brief, held, wanted, results_after, heard, busy, epoch, changed }
    }

    /// Speaks until there is nothing left to say.
    pub(super) fn speak(&mut self) -> VisitEnd {
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
            if is_empty && let Some(job) = self.changed.take() {
                return VisitEnd::Changed(job);
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
                Ok(CoordinatorAnswer::Games { brief, time_scale, games }) => {
                    let job = WorkerJob { brief, time_scale, games };
                    match job.brief == self.brief {
                        true => self.shared.add(job),
                        false => self.changed = Some(job),
                    }
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
        let playing;
        {
            let games = self.shared.games();
            places.extend(games.playing.values().map(|(queued, _)| queued.game.place.clone()));
            places.sort_unstable();
            playing = places.len() as u32;
            places.extend(games.queue.iter().map(|queued| queued.game.place.clone()));
            places.extend(games.done.iter().map(|(_, line)| line.place.clone()));
            places.extend(games.refused.iter().map(|(place, _)| place.clone()));
        }
        let next = self.changed.iter().flat_map(|job| &job.games);
        places.extend(next.map(|game| game.place.clone()));
        let answer = self.visit.talk.ask(WorkerRequest::Hold { games: places, playing });
        if let Ok(CoordinatorAnswer::Held { lost }) = &answer {
            // What is played or finished already may be the first all the same.
            let mut games = self.shared.games();
            games.queue.retain(|queued| !lost.contains(&queued.game.place));
            games.refused.retain(|(place, _)| !lost.contains(place));
            if let Some(job) = &mut self.changed {
                job.games.retain(|game| !lost.contains(&game.place));
            }
        }
        answer
    }

    /// Sends the results of finished sets, as many sets as fit into a message, and forgets those that
    /// are kept.
    fn send_results(&mut self, sending: Sending) -> ControlFlow<VisitEnd> {
        if Instant::now() < self.results_after {
            return ControlFlow::Continue(());
        }
        let batch = {
            let games = self.shared.games();
            let all: usize = games.done.iter().map(|(_, line)| size(line)).sum();
            let is_due = sending == Sending::Now
                || all > PIECE
                || games.queue.is_empty()
                || games.since.is_some_and(|since| since.elapsed() > GATHER);
            let sets = if is_due { games.finished_sets() } else { Vec::new() };
            if sets.is_empty() {
                return ControlFlow::Continue(());
            }
            // A set that is too long for a message goes alone, and in parts.
            let mut room = PIECE + PIECE / 2;
            let mut batch: Vec<ResultLine> = Vec::new();
            for set in sets {
                let left = room.checked_sub(set.iter().map(|line| size(line)).sum());
                if left.is_none() && !batch.is_empty() {
                    break;
                }
                room = left.unwrap_or(0);
                batch.extend(set.into_iter().cloned());
            }
            batch
        };
        let places: Vec<GamePlace> = batch.iter().map(|line| line.place.clone()).collect();
        let Some(batch) = self.upload(batch) else { return ControlFlow::Continue(()) };
        let answer = self.visit.talk.ask(WorkerRequest::Done(batch));
        self.hear(&answer)?;
        match answer {
            Ok(CoordinatorAnswer::Kept) => {
                let mut games = self.shared.games();
                games.done.retain(|(_, line)| !places.contains(&line.place));
                games.since = if games.done.is_empty() { None } else { Some(Instant::now()) };
            }
            Ok(CoordinatorAnswer::Wait(ms)) => {
                let pause = Duration::from_millis(ms.into()).min(LATER);
                self.results_after = Instant::now() + pause;
            }
            Ok(_) | Err(_) => {}
        }
        ControlFlow::Continue(())
    }

    /// Uploads replays that are too long for a message, also together. None if that has failed.
    fn upload(&mut self, mut batch: Vec<ResultLine>) -> Option<Vec<ResultLine>> {
        let part = PIECE.min(self.visit.talk.longest() / 2);
        let is_long = batch.iter().map(size).sum::<usize>() > self.visit.talk.longest() / 2;
        for line in &mut batch {
            let ReplayLine::Here(Raw(bytes)) = &line.replay else { continue };
            if bytes.len() <= part && !is_long {
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
        let next = self.changed.take().into_iter().flat_map(|job| job.games);
        games.refused.extend(next.map(|game| (game.place, None)));
        let sets: Vec<SetId> = games.queue.iter().map(|queued| queued.set).collect();
        sets.into_iter().for_each(|set| games.drop_set(set));
    }
}

/// How long a result is in a message, about.
fn size(line: &ResultLine) -> usize {
    match &line.replay {
        ReplayLine::Here(bytes) => bytes.0.len() + 2000,
        ReplayLine::Uploaded(_) => 2000,
    }
}
