//! What a coordinator knows of its workers: what they are, what they cannot, how fast they play.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use league::{LentGame, RemoteEvent};

use crate::leases::WorkerId;
use crate::wire::{GamePlace, Inability, WorkerCard};

/// One worker.
#[derive(Clone, Debug)]
pub(super) struct KnownWorker {
    pub(super) card: WorkerCard,
    /// Games that it has finished, and since when.
    pub(super) games: u64,
    pub(super) since: Instant,
    /// The games that it played when it last said so.
    playing: Vec<GamePlace>,
    /// The bots that it cannot run, by event and number, and why.
    cannot: BTreeMap<(u32, u32), String>,
}

/// All workers.
#[derive(Default)]
pub(super) struct Workers {
    known: HashMap<WorkerId, KnownWorker>,
    excluded: BTreeMap<String, String>,
    /// How long a game takes, about.
    mean: Option<f64>,
    /// Games that have been finished.
    kept: u64,
    /// How many games in a row were void, by the name of the worker, and why the last one was.
    voids: HashMap<String, (u32, String)>,
    /// Bots that nobody can run, with a sentence about each.
    said: HashSet<(u32, u32)>,
    unplayable: Vec<String>,
}

/// A worker whose games were void so often in a row gets no more.
const MOST_VOID: u32 = 4;
/// How often all workers together may ask in vain, in a millisecond.
const IN_VAIN: u32 = 2;

impl Workers {
    /// A worker says what it is. True if nobody of its name is known.
    pub(super) fn introduce(&mut self, worker: &WorkerId, card: WorkerCard) -> bool {
        match self.known.get_mut(worker) {
            Some(known) => {
                known.card = card;
                false
            }
            None => {
                let since = Instant::now();
                let (playing, cannot) = (Vec::new(), BTreeMap::new());
                let new = KnownWorker { card, games: 0, since, playing, cannot };
                let is_new = self.known.keys().all(|known| known.name != worker.name);
                self.known.insert(worker.clone(), new);
                is_new
            }
        }
    }

    pub(super) fn remove(&mut self, worker: &WorkerId) -> bool {
        self.known.remove(worker).is_some()
    }

    pub(super) fn exclude(&mut self, name: &str, why: &str) {
        self.excluded.insert(name.to_owned(), why.to_owned());
    }

    /// Why nothing of a worker is believed, if nothing is.
    pub(super) fn exclusion(&self, name: &str) -> Option<&str> {
        self.excluded.get(name).map(String::as_str)
    }

    pub(super) fn excluded(&self) -> &BTreeMap<String, String> {
        &self.excluded
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&WorkerId, &KnownWorker)> {
        self.known.iter()
    }

    /// A worker says what it plays. True if that has changed.
    pub(super) fn plays(&mut self, worker: &WorkerId, games: Vec<GamePlace>) -> bool {
        match self.known.get_mut(worker) {
            Some(known) if known.playing != games => {
                known.playing = games;
                true
            }
            Some(_) | None => false,
        }
    }

    /// What a worker played when it last said so.
    pub(super) fn playing(&self, worker: &WorkerId) -> &[GamePlace] {
        self.known.get(worker).map_or(&[], |known| &known.playing)
    }

    /// The speed that a worker has said it has.
    pub(super) fn speed(&self, worker: &WorkerId) -> Option<f64> {
        self.known.get(worker).map(|known| known.card.speed)
    }

    /// The tier that a worker has said it has.
    pub(super) fn tier(&self, worker: &WorkerId) -> Option<&str> {
        self.known.get(worker).map(|known| known.card.tier.as_str())
    }

    /// The games at a time of a worker that is there.
    pub(super) fn slots_of(&self, worker: &WorkerId) -> Option<u32> {
        self.known.get(worker).map(|known| known.card.slots)
    }

    /// The workers in the order of their names, with their games at a time.
    pub(super) fn by_name(&self) -> Vec<(&WorkerId, u32)> {
        let mut workers: Vec<_> =
            self.known.iter().map(|(worker, known)| (worker, known.card.slots)).collect();
        workers.sort_unstable();
        workers
    }

    pub(super) fn slots(&self) -> u32 {
        self.known.values().map(|worker| worker.card.slots).sum()
    }

    /// A worker cannot run a bot. The bot's name, if that is new.
    pub(super) fn cannot(
        &mut self,
        worker: &WorkerId,
        inability: &Inability,
        events: &[RemoteEvent],
    ) -> Option<String> {
        let Inability { event, bot, why } = inability;
        let name = name_of(events, *event, *bot)?;
        let known = self.known.get_mut(worker)?;
        let new = known.cannot.insert((*event, *bot), why.clone()).is_none();
        new.then_some(name)
    }

    /// Whether a worker can run a bot, as far as is known.
    pub(super) fn can(&self, worker: &WorkerId, event: u32, bot: u32) -> bool {
        self.known.get(worker).is_none_or(|known| !known.cannot.contains_key(&(event, bot)))
    }

    /// A game of a worker was void.
    pub(super) fn void(&mut self, name: &str, why: &str) {
        let (count, last) = self.voids.entry(name.to_owned()).or_default();
        *count += 1;
        *last = game::printable(why.as_bytes(), 200);
    }

    /// Why a worker gets no more games, if its games are void again and again: others may do better, and
    /// the run is not given up because of one machine.
    pub(super) fn void_again(&self, name: &str) -> Option<String> {
        let (count, why) = self.voids.get(name).filter(|(count, _)| *count >= MOST_VOID)?;
        Some(format!("its last {count} games were void: {why}"))
    }

    /// A worker has finished a game.
    pub(super) fn played(&mut self, worker: &WorkerId, took: Duration) {
        self.voids.remove(&worker.name);
        if let Some(known) = self.known.get_mut(worker) {
            known.games += 1;
        }
        self.kept += 1;
        // A worker may say anything.
        let took = took.as_secs_f64().clamp(1e-4, 3600.0);
        self.mean = Some(self.mean.map_or(took, |mean| mean + (took - mean) / 32.0));
    }

    /// How many games a worker with so many free places gets: enough for a while, but no more than
    /// its share of what is left, so that all come to an end together.
    pub(super) fn job_size(&self, free: u32, job: Duration, left: Option<u64>) -> usize {
        let free = u64::from(free.max(1));
        let each = self.mean.map_or(1.0, |mean| (job.as_secs_f64() / mean).clamp(1.0, 200.0));
        let enough = (free as f64 * each) as u64;
        let slots = u64::from(self.slots().max(1));
        let share = left.map_or(enough, |left| left * free / (2 * slots));
        enough.min(share).max(1) as usize
    }

    /// After how many milliseconds a worker may ask again.
    pub(super) fn pause(&self) -> u32 {
        (self.known.len() as u32 / IN_VAIN).max(100)
    }

    /// Games that have been finished.
    pub(super) fn kept(&self) -> u64 {
        self.kept
    }

    /// Sentences about the bots that no worker can run.
    pub(super) fn unplayable_bots(&self) -> &[String] {
        &self.unplayable
    }

    /// Bots in these sets that no worker can run: sentences, each once.
    pub(super) fn unplayable(
        &mut self,
        pool: &VecDeque<Vec<LentGame>>,
        events: &[RemoteEvent],
    ) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.known.is_empty() {
            return sentences;
        }
        for game in pool.iter().flatten() {
            for bot in &game.fixture.group {
                let bot = (game.event as u32, bot.0);
                let whys = || self.known.values().filter_map(|worker| worker.cannot.get(&bot));
                if whys().count() < self.known.len() || self.said.contains(&bot) {
                    continue;
                }
                let (Some(name), Some(why)) = (name_of(events, bot.0, bot.1), whys().next()) else {
                    continue;
                };
                let why = game::printable(why.as_bytes(), 500);
                sentences.push(format!("no worker can run \"{name}\": {why}"));
                self.said.insert(bot);
            }
        }
        self.unplayable.extend(sentences.iter().cloned());
        sentences
    }
}

fn name_of(events: &[RemoteEvent], event: u32, bot: u32) -> Option<String> {
    Some(events.get(event as usize)?.bots.get(bot as usize)?.spec.name.clone())
}
