//! The log of a game that somebody watches, as far as it was fetched.

use std::sync::Arc;

use table::live::LiveEnd;
use table::{Header, LogPart};

use super::{LiveGames, WatchableGame};

/// The log of a game that somebody watches. When it is dropped, nobody watches the game any more.
///
/// A game has one of them at a time: what is fetched for one is not there for another.
#[derive(Debug)]
pub struct WatchedLog {
    game: Arc<WatchableGame>,
    pub(super) header: Arc<Header>,
    /// Each with how many bytes came before it.
    parts: Vec<(u64, LogPart)>,
    length: u64,
    /// Nothing more comes.
    pub(super) end: Option<LiveEnd>,
}

impl LiveGames {
    /// Watches the game of this id from its beginning; `None` if it is over or has no log.
    pub fn watch(&self, id: u64) -> Option<WatchedLog> {
        let (games, _) = self.under_way();
        WatchedLog::begin(games.into_iter().find(|game| game.id == id)?)
    }
}

impl WatchedLog {
    pub(super) fn begin(game: Arc<WatchableGame>) -> Option<WatchedLog> {
        if !game.watch() {
            return None;
        }
        let header = game.header();
        Some(WatchedLog { game, header, parts: Vec::new(), length: 0, end: None })
    }

    pub(super) fn id(&self) -> u64 {
        self.game.id
    }

    /// Fetches what is new.
    pub fn fetch(&mut self) {
        let fetched = self.game.fetch();
        self.header = fetched.header;
        // The end is known no sooner than the last part.
        self.end = fetched.end;
        fetched.parts.into_iter().for_each(|part| self.add(part));
    }

    pub(super) fn add(&mut self, part: LogPart) {
        let count = part.bytes().len() as u64;
        match (self.parts.last_mut(), part) {
            (Some((_, LogPart::Copied(before))), LogPart::Copied(bytes)) => {
                before.extend_from_slice(&bytes);
            }
            (_, part) => self.parts.push((self.length, part)),
        }
        self.length += count;
    }

    /// What the game is, as far as is known.
    pub fn header(&self) -> &Arc<Header> {
        &self.header
    }

    /// Some of what follows so many bytes; empty if nothing does.
    pub fn after(&self, at: u64) -> &[u8] {
        let index = self.parts.partition_point(|(start, _)| *start <= at);
        let Some((start, part)) = index.checked_sub(1).and_then(|index| self.parts.get(index))
        else {
            return &[];
        };
        usize::try_from(at - start).ok().and_then(|from| part.bytes().get(from..)).unwrap_or(&[])
    }

    /// How the game ended, if it has. Nothing is fetched after that.
    pub fn end(&self) -> Option<LiveEnd> {
        self.end
    }
}

impl Drop for WatchedLog {
    fn drop(&mut self) {
        self.game.forget();
    }
}
