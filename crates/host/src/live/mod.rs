//! Games that are watched while they are played.
//!
//! A worker never waits for anybody who looks on, and never wakes anybody. It looks at one flag after every event. If
//! somebody watches, it appends what is new in the log to a buffer, unless that is just being emptied; then next time. One thread that is
//! no worker (`server.rs`) empties the buffers and speaks to readers through a socket (`place.rs`). What a reader makes of a log
//! is its own business.

mod offered;
mod place;
mod reader_connection;
mod server;
mod watched_log;

pub use offered::OfferedGame;
pub(crate) use place::Bound;
pub use place::{LivePlace, SeatToken, connect, connect_seat, sockets_of_user};
pub use server::LiveServer;
pub use watched_log::WatchedLog;

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use table::live::LiveEnd;
use table::{AnyTable, Header, Log, LogPart, LogPosition};

/// So many bytes wait to be fetched at most. Nothing is lost then: the rest follows when there is room.
const MOST_WAITING: usize = 4 << 20;

/// The games under way in this process, for those who want to watch.
#[derive(Debug, Default)]
pub struct LiveGames {
    list: Mutex<WatchableGames>,
    next: AtomicU64,
    readers: AtomicUsize,
}

/// A game of this process that can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveListing {
    /// No other game of this process has it.
    pub id: u64,
    /// Its number in the run.
    pub index: u64,
    /// When it was begun.
    pub began: SystemTime,
}

/// What is said of a game when it is listed.
struct NewListing {
    index: u64,
    header: Arc<Header>,
    began: SystemTime,
    recorded: bool,
    waker: Option<Arc<OwnedFd>>,
    worker: Option<String>,
}

#[derive(Debug, Default)]
struct WatchableGames {
    games: Vec<Arc<WatchableGame>>,
    /// How often it has changed.
    changes: u64,
}

/// A game that can be watched.
#[derive(Debug)]
pub(crate) struct WatchableGame {
    pub(crate) id: u64,
    pub(crate) index: u64,
    pub(crate) began: SystemTime,
    /// Whether there is a log.
    pub(crate) recorded: bool,
    /// Whether anybody watches.
    watched: AtomicBool,
    waiting: Mutex<Waiting>,
    /// Wakes the worker, which may wait for a bot for long. None if it is played elsewhere.
    waker: Option<Arc<OwnedFd>>,
    /// Who plays it, if it is played elsewhere.
    pub(crate) worker: Option<String>,
}

/// A game that is in the list until this is dropped.
#[derive(Debug)]
struct OfferedListing {
    all: Arc<LiveGames>,
    game: Arc<WatchableGame>,
}

/// What has not been fetched yet.
#[derive(Debug)]
struct Waiting {
    header: Arc<Header>,
    parts: Vec<LogPart>,
    /// From where the worker has to begin.
    from: From,
    end: Option<LiveEnd>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Beginning,
    WhereItIs,
}

/// What was fetched of a game.
pub(crate) struct Fetched {
    pub(crate) header: Arc<Header>,
    pub(crate) parts: Vec<LogPart>,
    pub(crate) end: Option<LiveEnd>,
}

impl LiveGames {
    fn list(&self) -> MutexGuard<'_, WatchableGames> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any reader is connected.
    pub fn has_readers(&self) -> bool {
        self.readers.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn set_readers(&self, count: usize) {
        self.readers.store(count, Ordering::Relaxed);
    }

    /// A match begins, the one of this number of the run.
    pub(crate) fn begin(self: &Arc<Self>, index: u64, log: &Log, waker: &Arc<OwnedFd>) -> Tap {
        let header = log.shared_header().clone();
        let listed = self.list_game(NewListing {
            index,
            header: header.clone(),
            began: SystemTime::now(),
            recorded: log.recording(),
            waker: Some(waker.clone()),
            worker: None,
        });
        Tap { listed, header, position: LogPosition::default() }
    }

    fn list_game(self: &Arc<Self>, new: NewListing) -> OfferedListing {
        let NewListing { index, header, began, recorded, waker, worker } = new;
        let waiting = Waiting { header, parts: Vec::new(), from: From::Beginning, end: None };
        let game = Arc::new(WatchableGame {
            id: self.next.fetch_add(1, Ordering::Relaxed),
            index,
            began,
            recorded,
            watched: AtomicBool::new(false),
            waiting: Mutex::new(waiting),
            waker,
            worker,
        });
        let mut list = self.list();
        list.games.push(game.clone());
        list.changes += 1;
        OfferedListing { all: self.clone(), game }
    }

    /// The games under way, the oldest first.
    pub fn listed(&self) -> Vec<LiveListing> {
        let listing = |game: &Arc<WatchableGame>| LiveListing {
            id: game.id,
            index: game.index,
            began: game.began,
        };
        self.list().games.iter().filter(|game| game.recorded).map(listing).collect()
    }

    /// How often the list has changed.
    pub fn changes(&self) -> u64 {
        self.list().changes
    }

    /// The games under way, and how often the list has changed.
    pub(crate) fn under_way(&self) -> (Vec<Arc<WatchableGame>>, u64) {
        let list = self.list();
        (list.games.clone(), list.changes)
    }
}

impl WatchableGame {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn header(&self) -> Arc<Header> {
        self.waiting().header.clone()
    }

    /// Somebody watches from now on, from the beginning. Says whether that is possible: not if it is over.
    pub(crate) fn watch(&self) -> bool {
        let mut waiting = self.waiting();
        if waiting.end.is_some() || !self.recorded {
            return false;
        }
        waiting.from = From::Beginning;
        waiting.parts.clear();
        self.watched.store(true, Ordering::Relaxed);
        drop(waiting);
        if let Some(waker) = &self.waker {
            let _ = rustix::io::write(&**waker, &1_u64.to_ne_bytes());
        }
        true
    }

    /// Nobody watches any more.
    pub(crate) fn forget(&self) {
        let mut waiting = self.waiting();
        self.watched.store(false, Ordering::Relaxed);
        waiting.parts = Vec::new();
    }

    /// What is new.
    pub(crate) fn fetch(&self) -> Fetched {
        let mut waiting = self.waiting();
        Fetched {
            header: waiting.header.clone(),
            parts: std::mem::take(&mut waiting.parts),
            end: waiting.end,
        }
    }
}

/// A worker's end of a game that can be watched. The game leaves the list when it is dropped.
#[derive(Debug)]
pub(crate) struct Tap {
    listed: OfferedListing,
    header: Arc<Header>,
    position: LogPosition,
}

impl Tap {
    /// Something has happened. Costs one load while nobody watches.
    #[inline]
    pub(crate) fn look(&mut self, table: &dyn AnyTable) {
        if self.listed.game.watched.load(Ordering::Relaxed) {
            self.hand_over(table.log());
        }
    }

    fn hand_over(&mut self, log: &Log) {
        // The thread that empties it holds the lock only briefly, and this can wait for the next event.
        if let Ok(mut waiting) = self.listed.game.waiting.try_lock() {
            add(&mut waiting, log, &mut self.position, &mut self.header);
        }
    }

    /// The match is over. Whoever watches gets the rest.
    pub(crate) fn end(mut self, log: &Log, why: LiveEnd) {
        let mut waiting = self.listed.game.waiting();
        if self.listed.game.watched.load(Ordering::Relaxed) {
            // No clock runs now.
            add_all(&mut waiting, log, &mut self.position, &mut self.header);
        }
        waiting.end = Some(why);
    }
}

fn add(waiting: &mut Waiting, log: &Log, position: &mut LogPosition, header: &mut Arc<Header>) {
    let bytes: usize = waiting.parts.iter().map(|part| part.bytes().len()).sum();
    if bytes <= MOST_WAITING {
        add_all(waiting, log, position, header);
    }
}

fn add_all(waiting: &mut Waiting, log: &Log, position: &mut LogPosition, header: &mut Arc<Header>) {
    if std::mem::replace(&mut waiting.from, From::WhereItIs) == From::Beginning {
        *position = LogPosition::default();
    }
    if !Arc::ptr_eq(header, log.shared_header()) {
        *header = log.shared_header().clone();
        waiting.header = header.clone();
    }
    log.since(position, &mut waiting.parts);
}

impl Drop for OfferedListing {
    fn drop(&mut self) {
        // A match that a panic has ended has said nothing.
        self.game.waiting().end.get_or_insert(LiveEnd::Gone);
        let mut list = self.all.list();
        list.games.retain(|game| game.id != self.game.id);
        list.changes += 1;
    }
}
