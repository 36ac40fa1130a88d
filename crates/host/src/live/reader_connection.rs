//! One reader: what it watches, what it has been sent, what it has yet to take.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use table::Header;
use table::live::{Bytes, FromReader, Hello, LiveEnd, LiveGame, ToReader};

use super::WatchableGame;
use super::watched_log::WatchedLog;

/// A longer line is not a valid request of a reader.
const LONGEST_LINE: usize = 4096;

/// A reader may watch so many games at a time.
const MOST_GAMES: usize = 1024;

/// So many bytes of a log go into one line.
const LINE: usize = 48 << 10;

/// What is being written to a reader is not more than this and one line.
const AHEAD: usize = 128 << 10;

/// Whether a game can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watching {
    Possible,
    Impossible,
}

pub(super) struct ReaderConnection {
    stream: UnixStream,
    /// The beginning of a line of which the end has not come.
    begun: Vec<u8>,
    out: Vec<u8>,
    /// So much of it is written.
    written: usize,
    /// When it last took something, or had nothing to take.
    took: Instant,
    /// The list that it has been sent, by how often that had changed.
    list: Option<u64>,
    watched: BTreeMap<u64, SentSoFar>,
}

fn write_line(out: &mut Vec<u8>, word: &ToReader) {
    serde_json::to_writer(&mut *out, word).expect("words serialise and memory takes them");
    out.push(b'\n');
}

/// The list of games as readers are told it: made once for all of them.
#[derive(Default)]
pub(super) struct ListLine {
    /// How often the list had changed.
    pub(super) changes: u64,
    line: Vec<u8>,
}

impl ListLine {
    pub(super) fn new(games: &[Arc<WatchableGame>], changes: u64) -> ListLine {
        let about = |game: &Arc<WatchableGame>| {
            let header = game.header();
            let began = game.began.duration_since(UNIX_EPOCH).unwrap_or_default();
            LiveGame {
                id: game.id,
                index: game.index,
                game: header.game.clone(),
                match_id: header.id.clone(),
                players: header.players.clone(),
                setup: header.config.clone(),
                began_ms: began.as_millis() as u64,
                recorded: game.recorded,
                worker: game.worker.clone(),
            }
        };
        let mut line = Vec::new();
        write_line(&mut line, &ToReader::Games { games: games.iter().map(about).collect() });
        ListLine { changes, line }
    }
}

/// How much a reader has of a game.
struct SentSoFar {
    header: Option<Arc<Header>>,
    at: u64,
}

impl ReaderConnection {
    pub(super) fn new(stream: UnixStream, hello: &Hello) -> ReaderConnection {
        let mut connection = ReaderConnection {
            stream,
            begun: Vec::new(),
            out: Vec::new(),
            written: 0,
            took: Instant::now(),
            list: None,
            watched: BTreeMap::new(),
        };
        connection.say(&ToReader::Hello(hello.clone()));
        connection
    }

    pub(super) fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Whether there is something that it has not taken.
    pub(super) fn is_behind(&self) -> bool {
        self.written < self.out.len()
    }

    /// How much waits to be taken.
    #[cfg(test)]
    pub(super) fn waiting_bytes(&self) -> usize {
        self.out.len() - self.written
    }

    pub(super) fn watches(&self, game: u64) -> bool {
        self.watched.contains_key(&game)
    }

    pub(super) fn watches_nothing(&self) -> bool {
        self.watched.is_empty()
    }

    /// Sends the list of games, unless it is known.
    pub(super) fn send_list(&mut self, list: &ListLine) {
        // One that is slow gets the list as it is when it has taken the rest.
        if !self.is_behind() && self.list != Some(list.changes) {
            self.list = Some(list.changes);
            self.out.extend_from_slice(&list.line);
        }
    }

    fn say(&mut self, word: &ToReader) {
        write_line(&mut self.out, word);
    }

    /// Hears what it wants; `watch` is asked whether a game can be watched. Says whether it is still there.
    pub(super) fn read(&mut self, mut watch: impl FnMut(u64) -> Watching) -> bool {
        let mut buffer = [0; LONGEST_LINE];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return false,
                Ok(count) => self.begun.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
            while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.begun.drain(..=end).collect();
                match serde_json::from_slice(&line) {
                    Ok(FromReader::Watch { watch: game, from }) => {
                        let room = self.watched.len() < MOST_GAMES;
                        if room && watch(game) == Watching::Possible {
                            self.watched.insert(game, SentSoFar { header: None, at: from });
                        } else {
                            self.say(&ToReader::End { game, end: LiveEnd::Gone });
                        }
                    }
                    Ok(FromReader::Forget { forget }) => {
                        self.watched.remove(&forget);
                    }
                    // Somebody who speaks another language.
                    Err(_) => return false,
                }
            }
            // Nor is more said here than is taken.
            if self.begun.len() > LONGEST_LINE || self.out.len() > 2 * AHEAD {
                return false;
            }
        }
    }

    /// Writes as much as it takes without waiting. Says whether it is still there.
    pub(super) fn write(
        &mut self,
        logs: &BTreeMap<u64, WatchedLog>,
        now: Instant,
        patience: Duration,
    ) -> bool {
        loop {
            if !self.is_behind() {
                self.out.clear();
                self.written = 0;
                self.took = now;
                self.fill(logs);
                if self.out.is_empty() {
                    return true;
                }
            }
            match self.stream.write(&self.out[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    self.took = now;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    return now.duration_since(self.took) < patience;
                }
                Err(_) => return false,
            }
        }
    }

    /// Makes the next lines: some of every game in turn, until there is enough.
    fn fill(&mut self, logs: &BTreeMap<u64, WatchedLog>) {
        let mut done = Vec::new();
        let mut words = Vec::new();
        let mut bytes = 0;
        for (id, progress) in &mut self.watched {
            let Some(log) = logs.get(id) else { continue };
            if progress.header.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &log.header)) {
                progress.header = Some(log.header.clone());
                words.push(ToReader::Head { game: *id, head: Box::new((*log.header).clone()) });
            }
            let new = log.after(progress.at);
            let new = &new[..new.len().min(LINE)];
            if !new.is_empty() && bytes < AHEAD {
                words.push(ToReader::Log { game: *id, at: progress.at, log: Bytes(new.to_vec()) });
                progress.at += new.len() as u64;
                bytes += new.len();
            }
            if let Some(end) = log.end
                && log.after(progress.at).is_empty()
            {
                words.push(ToReader::End { game: *id, end });
                done.push(*id);
            }
        }
        words.iter().for_each(|word| self.say(word));
        done.iter().for_each(|id| drop(self.watched.remove(id)));
    }
}
