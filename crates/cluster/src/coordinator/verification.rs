//! Threads that look at results: replays are unpacked and played again there, so that the
//! coordinator goes on speaking to workers meanwhile.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use league::LentGame;
use table::{Record, Report};

use crate::leases::WorkerId;
use crate::verify::{ExpectedGame, Scrutiny};
use crate::wire::GamePlace;

/// Replays that wait to be looked at take no more memory than this; who sends more is told to wait.
const MOST_WAITING: usize = 64 << 20;
/// More threads would take cores from bots and the store.
const MOST_THREADS: usize = 8;
/// Longer replays are looked at one after another: unpacked they may be two hundred times as long.
const LONG: usize = 256 << 10;
static LONG_REPLAY: Mutex<()> = Mutex::new(());

/// Results of a worker that belong together.
pub(super) struct ReceivedBatch {
    pub(super) worker: WorkerId,
    /// Where the worker waits for an answer.
    pub(super) reply: Option<String>,
    pub(super) games: Vec<ReceivedGame>,
}

/// A result as it came.
pub(super) struct ReceivedGame {
    pub(super) place: GamePlace,
    pub(super) took: Duration,
    pub(super) game: LentGame,
    pub(super) expected: ExpectedGame,
    pub(super) scrutiny: Scrutiny,
    pub(super) report: Report,
    pub(super) replay: Vec<u8>,
}

/// Results that have been looked at: all of them, or what is wrong with the first that is none.
pub(super) struct ExaminedBatch {
    pub(super) worker: WorkerId,
    pub(super) reply: Option<String>,
    pub(super) games: Result<Vec<ExaminedGame>, (GamePlace, String)>,
    places: Vec<GamePlace>,
    bytes: usize,
}

/// A result that is one.
pub(super) struct ExaminedGame {
    pub(super) place: GamePlace,
    pub(super) took: Duration,
    pub(super) game: LentGame,
    pub(super) report: Report,
    pub(super) record: Record,
}

/// The threads. They end with it.
pub(super) struct Verifier {
    to_threads: Sender<ReceivedBatch>,
    /// What they have and have not given back.
    places: HashSet<GamePlace>,
    bytes: usize,
}

impl Verifier {
    /// Starts the threads; `done` takes what they have looked at.
    pub(super) fn start(
        done: impl Fn(ExaminedBatch) + Clone + Send + 'static,
    ) -> std::io::Result<Verifier> {
        let (to_threads, batches) = channel();
        let batches = Arc::new(Mutex::new(batches));
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..cores.min(MOST_THREADS) {
            let (batches, done) = (batches.clone(), done.clone());
            let verify = move || {
                while let Some(batch) = next(&batches) {
                    done(batch.examine());
                }
            };
            std::thread::Builder::new().name("verify".to_owned()).spawn(verify)?;
        }
        Ok(Verifier { to_threads, places: HashSet::new(), bytes: 0 })
    }

    /// Whether results of so many bytes are taken now.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.bytes == 0 || self.bytes + bytes <= MOST_WAITING
    }

    /// Whether a result of this game is being looked at.
    pub(super) fn has(&self, place: &GamePlace) -> bool {
        self.places.contains(place)
    }

    /// Whether nothing is being looked at.
    pub(super) fn is_idle(&self) -> bool {
        self.places.is_empty()
    }

    pub(super) fn examine(&mut self, batch: ReceivedBatch) {
        self.bytes += batch.bytes();
        self.places.extend(batch.games.iter().map(|game| game.place.clone()));
        self.to_threads.send(batch).expect("the threads stay as long as it does");
    }

    /// Something has come back.
    pub(super) fn returned(&mut self, batch: &ExaminedBatch) {
        self.bytes -= batch.bytes;
        for place in &batch.places {
            self.places.remove(place);
        }
    }
}

/// One thread at a time waits for something to do.
fn next(batches: &Mutex<Receiver<ReceivedBatch>>) -> Option<ReceivedBatch> {
    batches.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

impl ReceivedBatch {
    fn bytes(&self) -> usize {
        self.games.iter().map(|game| game.replay.len()).sum()
    }

    fn examine(self) -> ExaminedBatch {
        let bytes = self.bytes();
        let places = self.games.iter().map(|game| game.place.clone()).collect();
        let games = self.games.into_iter().map(ReceivedGame::examine).collect();
        ExaminedBatch { worker: self.worker, reply: self.reply, games, places, bytes }
    }
}

impl ReceivedGame {
    fn examine(self) -> Result<ExaminedGame, (GamePlace, String)> {
        let ReceivedGame { place, took, game, expected, scrutiny, report, replay } = self;
        let _alone = (replay.len() > LONG)
            .then(|| LONG_REPLAY.lock().unwrap_or_else(PoisonError::into_inner));
        // Rules that panic have not been followed.
        let looked = host::catch(|| expected.accept(report, &replay, scrutiny));
        match looked.unwrap_or_else(|panic| Err(panic.to_string())) {
            Ok((report, record)) => Ok(ExaminedGame { place, took, game, report, record }),
            Err(why) => Err((place, why)),
        }
    }
}
