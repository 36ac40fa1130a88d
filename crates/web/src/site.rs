//! What a server shows, and what it remembers meanwhile: all of it bounded.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use league::Folder;
use table::AnyGame;
use tokio::sync::Semaphore;

use crate::Options;
use crate::access_control::AccessControl;
use crate::films::Films;
use crate::finding::{Found, Place, Reach, find};
use crate::games::Games;
use crate::live::LiveSite;
use crate::page_files::PageFiles;
use crate::play::PeoplesGames;
use crate::refusal::Refusal;
use crate::replays::Heads;
use crate::runs::Runs;

/// The folder is looked through at most so often, …
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// … and not for more than this part of the time, where there is much to look through.
const PART_OF_TIME: u32 = 10;
/// So much work is done at a time; the rest waits for its turn.
const JOBS: usize = 3;

/// What is served.
pub(crate) struct Site {
    pub(crate) folder: Folder,
    pub(crate) games: &'static [&'static dyn AnyGame],
    pub(crate) access: AccessControl,
    pub(crate) page: PageFiles,
    pub(crate) runs: Runs,
    pub(crate) heads: Heads,
    pub(crate) games_seen: Games,
    pub(crate) films: Films,
    pub(crate) live: LiveSite,
    pub(crate) peoples_games: PeoplesGames,
    reach: Reach,
    /// What there is below the folder, and when that has to be looked at again.
    found: Mutex<Option<(Instant, Arc<Found>)>>,
    jobs: Arc<Semaphore>,
    /// Places for bots that are asked about replays.
    pub(crate) analyses: Arc<Semaphore>,
}

impl Site {
    pub(crate) fn new(options: &Options, port: u16) -> io::Result<Site> {
        Ok(Site {
            folder: Folder::open(&options.folder)?,
            games: options.games,
            access: AccessControl::new(port, options.hosts.clone())?,
            page: options.page.clone(),
            runs: Runs::default(),
            heads: Heads::default(),
            games_seen: Games::default(),
            films: Films::default(),
            live: LiveSite::new(options),
            peoples_games: PeoplesGames::new(options.program.clone()),
            reach: options.reach,
            found: Mutex::new(None),
            jobs: Arc::new(Semaphore::new(JOBS)),
            analyses: Arc::new(Semaphore::new(crate::analysis::MOST)),
        })
    }

    /// Does something that takes a while on a thread that may wait. A panic there is an error here.
    pub(crate) async fn job<T: Send + 'static>(
        self: &Arc<Site>,
        work: impl FnOnce(&Arc<Site>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = self.jobs.clone().acquire_owned().await;
        let permit = permit.map_err(|_| Refusal::failed("the server is being stopped"))?;
        let site = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&site)
        });
        done.await.unwrap_or_else(|_| {
            Err(Refusal::failed(
                "the server failed at this, which is a fault of its own; its terminal says where",
            ))
        })
    }

    /// What there is below the folder.
    pub(crate) fn found(&self) -> Result<Arc<Found>, Refusal> {
        let mut known = locked(&self.found);
        if let Some((again, found)) = &*known
            && Instant::now() < *again
        {
            return Ok(found.clone());
        }
        let path = self.folder.path().display();
        let began = Instant::now();
        let found = find(&self.folder, self.reach);
        let found = Arc::new(
            found.map_err(|error| Refusal::failed(format!("cannot read {path}: {error}")))?,
        );
        let rest = LOOK_AGAIN.max(began.elapsed() * PART_OF_TIME);
        *known = Some((Instant::now() + rest, found.clone()));
        Ok(found)
    }

    /// The tournament of an id.
    pub(crate) fn run(&self, id: &str) -> Result<Place, Refusal> {
        self.place(id, |found| &found.runs).ok_or_else(|| {
            Refusal::absent(
                "there is no such tournament below this folder (any more); see the first page",
            )
        })
    }

    /// The replay of an id.
    pub(crate) fn replay(&self, id: &str) -> Result<Place, Refusal> {
        self.place(id, |found| &found.replays).ok_or_else(|| {
            Refusal::absent(
                "there is no such replay below this folder (any more); see the first page",
            )
        })
    }

    fn place(&self, id: &str, list: impl Fn(&Found) -> &Vec<Place>) -> Option<Place> {
        let known = locked(&self.found).as_ref().map(|(_, found)| found.clone());
        let among = |found: &Found| list(found).iter().find(|place| place.id == id).cloned();
        known.and_then(|found| among(&found)).or_else(|| among(&*self.found().ok()?))
    }

    /// The game of this name.
    pub(crate) fn game(&self, name: &str) -> Option<&'static dyn AnyGame> {
        self.games.iter().copied().find(|game| game.card().id == name)
    }

    /// Where something is, from the root of all folders.
    pub(crate) fn path(&self, below: &Path) -> std::path::PathBuf {
        self.folder.path().join(below)
    }
}

/// Takes a lock, also one whose holder has panicked: what is kept here is whole at any moment.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A few values, the ones used last: when there are too many, the one that was not used for longest goes.
pub(crate) struct Recent<V> {
    most: usize,
    clock: u64,
    values: HashMap<String, (u64, V)>,
}

impl<V> Recent<V> {
    pub(crate) fn new(most: usize) -> Recent<V> {
        Recent { most, clock: 0, values: HashMap::new() }
    }

    pub(crate) fn get(&mut self, key: &str) -> Option<&V> {
        self.clock += 1;
        let (used, value) = self.values.get_mut(key)?;
        *used = self.clock;
        Some(value)
    }

    pub(crate) fn put(&mut self, key: String, value: V) {
        self.clock += 1;
        self.values.insert(key, (self.clock, value));
        while self.values.len() > self.most {
            let oldest = self.values.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { break };
            self.values.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_is_forgotten() {
        let mut recent = Recent::new(2);
        recent.put("a".to_owned(), 1);
        recent.put("b".to_owned(), 2);
        assert_eq!(recent.get("a"), Some(&1));
        recent.put("c".to_owned(), 3);
        let left = ["a", "b", "c"].map(|key| recent.get(key).copied());
        assert_eq!(left, [Some(1), None, Some(3)]);
    }
}
