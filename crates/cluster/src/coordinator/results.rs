//! Results come in: they are looked at, kept, or the worker that sent them is excluded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use game::Verdict;
use league::schedule::GameKey;
use league::{LentGame, RemoteGames, RemoteStanding, Store, TournamentError, VerifiedShare};
use table::WorkerLine;

use super::lending::give_back;
use super::repeats::chance;
use super::speeds::scaled;
use super::verification::{ExaminedBatch, ExaminedGame, ReceivedBatch, ReceivedGame};
use super::{Coordinator, CoordinatorEvent, CoordinatorState};
use crate::lease_file::{Audit, ExcludedWorker};
use crate::leases::WorkerId;
use crate::verify::{ExpectedGame, Scrutiny};
use crate::wire::{CoordinatorAnswer, GamePlace, PlayedFor, ReplayLine, ResultLine};

/// When a worker may send results again that could not be taken in, in milliseconds.
const BUSY: u32 = 200;

impl Coordinator {
    /// Results have come. They go to the threads that look at them.
    pub(super) fn done(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        lines: Vec<ResultLine>,
        reply: Option<String>,
    ) {
        let size = |line: &ResultLine| match &line.replay {
            ReplayLine::Here(bytes) => bytes.0.len(),
            ReplayLine::Uploaded(digest) => state.blobs.size_of_upload(worker, digest),
        };
        let bytes = lines.iter().map(size).sum();
        let is_there = lines.iter().any(|line| state.verifier.has(&line.place));
        if is_there || !state.verifier.has_room(bytes) {
            return self.answer(reply.as_deref(), &CoordinatorAnswer::Wait(BUSY));
        }
        let (mut missing, mut received) = (Vec::new(), Vec::new());
        for line in lines {
            let ResultLine { place, took_ms, speed, time_scale, mut report, replay } = line;
            let known = state.workers.speed(worker).unwrap_or(speed);
            if state.speeds.refusal(speed).is_some()
                || known != speed
                || state.speeds.scale(speed) != time_scale
            {
                let why =
                    format!("it was played at speed {speed} with time limits times {time_scale}");
                return self.exclude(state, games, worker, &place, &why, reply.as_deref());
            }
            if let Some(tier) = state.workers.tier(worker).filter(|tier| *tier != report.tier) {
                let said = game::printable(report.tier.as_bytes(), 4);
                let why = format!("it was played on tier {said}, and the worker's is {tier}");
                return self.exclude(state, games, worker, &place, &why, reply.as_deref());
            }
            let Some((game, expected)) = expected(state, games, &place, time_scale) else {
                self.settled(state, games, &place);
                continue;
            };
            // Only who is to play a game can say that it could not be played, and only who was lent it
            // that it was.
            let is_holder = state.leases.holder(&place) == Some(worker);
            if !is_holder && (report.outcome == Verdict::Void || !was_lent(state, &place, worker)) {
                continue;
            }
            let replay = match replay {
                ReplayLine::Here(bytes) => bytes.0,
                ReplayLine::Uploaded(digest) => match state.blobs.uploaded(worker, &digest) {
                    Some(bytes) => bytes,
                    None => {
                        missing.push(digest);
                        continue;
                    }
                },
            };
            report.worker = Some(WorkerLine { name: worker.name.clone(), speed, time_scale });
            // Drawn now, so that nobody who plays a game can know.
            let scrutiny = match self.options.terms.verify {
                VerifiedShare::All => Scrutiny::Full,
                VerifiedShare::Some(share) if chance() < share => Scrutiny::Full,
                VerifiedShare::Some(_) => Scrutiny::Report,
            };
            let took = Duration::from_millis(took_ms);
            received.push(ReceivedGame { place, took, game, expected, scrutiny, report, replay });
        }
        if !missing.is_empty() {
            return self.answer(reply.as_deref(), &CoordinatorAnswer::Missing(missing));
        }
        match received.is_empty() {
            true => self.answer(reply.as_deref(), &CoordinatorAnswer::Kept),
            false => {
                let (worker, games) = (worker.clone(), received);
                state.verifier.examine(ReceivedBatch { worker, reply, games });
            }
        }
    }

    /// Results have been looked at. All of them are kept, or none.
    pub(super) fn examined(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        batch: ExaminedBatch,
    ) {
        state.verifier.returned(&batch);
        let ExaminedBatch { worker, reply, games: found, .. } = batch;
        if let Some(why) = state.workers.exclusion(&worker.name) {
            let why = why.to_owned();
            return self.answer(reply.as_deref(), &CoordinatorAnswer::Refused(why));
        }
        let found = match found {
            Ok(found) => found,
            Err((place, why)) => {
                return self.exclude(state, games, &worker, &place, &why, reply.as_deref());
            }
        };
        let is_void = |one: &ExaminedGame| one.report.outcome == Verdict::Void;
        let void: Vec<LentGame> =
            found.iter().filter(|one| is_void(one)).map(|one| one.game.clone()).collect();
        let (mut wanted, mut together) = (Vec::new(), Vec::new());
        for one in found {
            state.live.complete(&worker, &one.place, &one.record);
            if one.place.purpose == PlayedFor::Repeat {
                state.leases.settle(&one.place);
                let said = state.repeats.compare(&one.place, &one.report, &one.record);
                said.into_iter().for_each(|text| self.note(&text));
                state.is_dirty = true;
                continue;
            }
            let LentGame { event, fixture, attempt } = &one.game;
            if games.standing(*event, &fixture.key(), *attempt) == RemoteStanding::Settled {
                self.settled(state, games, &one.place);
                continue;
            }
            // All games of a set are played on one machine: if one has to be played again, all are.
            let shares_set = |void: &LentGame| {
                void.event == one.game.event && void.fixture.shares_set(&one.game.fixture)
            };
            if !is_void(&one) && void.iter().any(shares_set) {
                state.leases.settle(&one.place);
                together.push(one.place);
                continue;
            }
            wanted.push(one);
        }
        self.keep(state, games, &worker, wanted, together, reply);
    }

    /// Has results kept, and the worker told when they are. Then games go back that are played again
    /// together with void ones: nobody gets a part of a set before.
    fn keep(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        wanted: Vec<ExaminedGame>,
        together: Vec<GamePlace>,
        reply: Option<String>,
    ) {
        if wanted.is_empty() {
            give_back(state, games, together);
            return self.answer(reply.as_deref(), &CoordinatorAnswer::Kept);
        }
        let reply = reply.unwrap_or_default();
        *state.unanswered.entry(worker.name.clone()).or_default() += 1;
        let left = Arc::new(AtomicUsize::new(wanted.len()));
        let together = Arc::new(together);
        for ExaminedGame { place, took, game, report, record } in wanted {
            match report.outcome {
                Verdict::Void => state.workers.void(&worker.name, &report.reason),
                Verdict::Win | Verdict::Draw => state.workers.played(worker, took),
            }
            self.settled(state, games, &place);
            if report.outcome != Verdict::Void && state.repeats.draws() {
                let event = games.events().swap_remove(game.event).name;
                let (rules, setup, terms) = games.terms(&game);
                let expected = ExpectedGame { game: rules, setup, terms };
                state.repeats.add(game.clone(), event, expected, report.clone(), &record);
            }
            let (left, to_inbox) = (left.clone(), state.to_inbox.clone());
            let (worker, reply, together) = (worker.name.clone(), reply.clone(), together.clone());
            games.keep(game, report, record.into_log(), move || {
                if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                    let together = together.to_vec();
                    let _ = to_inbox.send(CoordinatorEvent::Kept { worker, reply, together });
                }
            });
        }
    }

    /// Nobody holds a game any more.
    fn settled(&self, state: &mut CoordinatorState, games: &RemoteGames<'_>, place: &GamePlace) {
        state.leases.settle(place);
        state.expired.remove(place);
        if state.lent.remove(place).is_some() {
            state.is_dirty = true;
            games.arrived();
        }
    }

    /// A worker has sent something that is not a result: nothing of it is believed from now on.
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
        let text = format!("what it sent for game {} is not a result: {why}", place.key);
        self.note(&format!("{} is excluded: {text}", worker.name));
        let sessions: Vec<WorkerId> = state.leases.workers().map(|(id, _)| id.clone()).collect();
        for session in sessions.into_iter().filter(|id| id.name == worker.name) {
            let free = state.leases.remove(&session);
            give_back(state, games, free);
            state.workers.remove(&session);
            state.blobs.forget(&session);
        }
        state.workers.exclude(&worker.name, &text);
        let audit = match self.options.terms.verify {
            VerifiedShare::All => Audit::Done,
            VerifiedShare::Some(_) => Audit::Due,
        };
        let name = worker.name.clone();
        state.file.excluded.push(ExcludedWorker { name, why: text.clone(), audit });
        // It stays excluded whatever happens next.
        self.write_leases(state);
        self.answer(reply, &CoordinatorAnswer::Refused(text));
    }

    /// Looks at the games of excluded workers that were kept without a full look, as soon as all of
    /// them are in the store.
    pub(super) fn begin_audits(&self, state: &mut CoordinatorState) -> Result<(), TournamentError> {
        for excluded in state.file.excluded.iter().filter(|one| one.audit == Audit::Due) {
            let name = &excluded.name;
            if state.audits.contains(name) || state.unanswered.contains_key(name) {
                continue;
            }
            state.audits.push(name.clone());
            let (name, to_inbox) = (name.clone(), state.to_inbox.clone());
            let (dir, games) = (self.folder.path().to_owned(), self.options.games);
            let audit = move || {
                let looked = Store::open_to_read(&dir)
                    .and_then(|store| league::verify_worker(&store, &name, games));
                let wrong = looked
                    .map(|wrong| wrong.into_iter().map(|(event, key, _)| (event, key)).collect());
                let wrong = wrong.map_err(|error| error.to_string());
                let _ = to_inbox.send(CoordinatorEvent::Audited(name, wrong));
            };
            let started = std::thread::Builder::new().name("audit".to_owned()).spawn(audit);
            started.map_err(|error| TournamentError::Remote(error.to_string()))?;
        }
        Ok(())
    }

    /// The games of an excluded worker have been looked at. Those that are not results are void.
    pub(super) fn audited(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &str,
        found: Result<Vec<(usize, GameKey)>, String>,
    ) {
        let reason = format!("{worker} was excluded, and its replay does not verify");
        let annulled = found.and_then(|wrong| {
            let left = games.annul(self.folder.path(), &wrong, &reason);
            left.map(|left| (wrong.len(), left)).map_err(|error| error.to_string())
        });
        match annulled {
            Ok((0, _)) => self.note(&format!("all games of {worker} that are kept verify")),
            Ok((wrong, 0)) => self.note(&format!(
                "{} of {worker} did not verify and will be played again",
                game::count(wrong as u64, "game")
            )),
            Ok((wrong, left)) => self.note(&format!(
                "{} of {worker} did not verify; {left} of them cannot be played again, because \
                 later rounds depend on them",
                game::count(wrong as u64, "game")
            )),
            Err(error) => self.note(&format!("the games of {worker} cannot be looked at: {error}")),
        }
        state.audits.retain(|name| name != worker);
        for excluded in state.file.excluded.iter_mut().filter(|one| one.name == worker) {
            excluded.audit = Audit::Done;
        }
        state.is_dirty = true;
    }
}

/// Whether a worker was lent a game that it does not hold any more. What an earlier process has lent
/// just before its end is not known: then workers are believed, until they had time to say what they hold.
fn was_lent(state: &CoordinatorState, place: &GamePlace, worker: &WorkerId) -> bool {
    let has_held = |workers: &Vec<String>| workers.contains(&worker.name);
    state.expired.get(place).is_some_and(has_held)
        || (state.is_continued && state.began.elapsed() < state.leases.lease())
}

/// What a result of this place has to be, if one is wanted.
pub(super) fn expected(
    state: &CoordinatorState,
    games: &RemoteGames<'_>,
    place: &GamePlace,
    time_scale: f64,
) -> Option<(LentGame, ExpectedGame)> {
    match place.purpose {
        PlayedFor::Repeat => {
            let (game, expected) = state.repeats.expected(place)?;
            Some((game.clone(), expected.clone()))
        }
        PlayedFor::Result => {
            let key = GameKey(place.key.clone());
            let standing = games.standing(place.event as usize, &key, place.attempt);
            let RemoteStanding::Open(game) = standing else { return None };
            let (rules, setup, terms) = games.terms(&game);
            Some((game, ExpectedGame { game: rules, setup, terms }))
        }
    }
    .map(|(game, expected)| {
        let terms = scaled(expected.terms.clone(), time_scale);
        (game, ExpectedGame { terms, ..expected })
    })
}
