//! A program that plays, at the other end of its socket (docs/live.md): what it plays, and the games that are watched.
//!
//! A thread of its own reads what it says. Whatever it says is bounded: a socket in a stranger's folder may say anything.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use host::BotSpec;
use table::live::{FromReader, Hello, LiveEnd, LiveGame, ToReader, VERSION};

use super::film::FilmEnd;
use super::watched::{KeptBytes, WatchedGame};
use crate::site::locked;

/// No line is longer.
const LONGEST_LINE: u64 = 32 << 20;
/// A program that does not say at once what it plays is left.
const FIRST_WORDS: Duration = Duration::from_millis(500);
/// So many of its games are listed.
const MOST_LISTED: usize = 1024;

/// A program that plays.
pub(super) struct LiveProgram {
    /// What its games are called here begins with this.
    pub(super) id: String,
    /// The tournament that it plays, if it is one of those that are served.
    pub(super) run: Option<String>,
    stream: UnixStream,
    games: Mutex<Vec<ListedLive>>,
    watched: Mutex<HashMap<u64, Arc<WatchedGame>>>,
    /// Games that nobody read when that was looked at the last time.
    unread: Mutex<HashSet<u64>>,
}

/// A game under way.
#[derive(Clone, Debug)]
pub(super) struct ListedLive {
    pub(super) number: u64,
    pub(super) index: u64,
    pub(super) game: String,
    pub(super) match_id: String,
    pub(super) names: Vec<String>,
    /// Whether a person plays.
    pub(super) has_people: bool,
    pub(super) began_ms: u64,
    /// The worker that plays it, if another machine does.
    pub(super) worker: Option<String>,
}

/// The lines that a program says.
pub(super) struct ProgramLines(BufReader<UnixStream>);

impl ProgramLines {
    fn next(&mut self) -> io::Result<ToReader> {
        let mut line = Vec::new();
        (&mut self.0).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        match line.last() {
            Some(b'\n') => Ok(serde_json::from_slice(&line)?),
            Some(_) | None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl LiveProgram {
    /// Connects to the program at a socket, and hears what it plays. `id` makes a name from the number of its process.
    pub(super) fn connect(
        socket: &Path,
        id: impl FnOnce(u32) -> String,
        run: Option<String>,
    ) -> io::Result<(LiveProgram, ProgramLines)> {
        let stream = host::connect(socket)?;
        stream.set_read_timeout(Some(FIRST_WORDS))?;
        stream.set_write_timeout(Some(FIRST_WORDS))?;
        let mut lines = ProgramLines(BufReader::new(stream.try_clone()?));
        let other = || io::Error::other("it speaks another language");
        let ToReader::Hello(Hello { live: VERSION, pid, .. }) = lines.next()? else {
            return Err(other());
        };
        let ToReader::Games { games } = lines.next()? else { return Err(other()) };
        stream.set_read_timeout(None)?;
        let program = LiveProgram {
            id: id(pid),
            run,
            stream,
            games: Mutex::new(listed(games)),
            watched: Mutex::default(),
            unread: Mutex::default(),
        };
        Ok((program, lines))
    }

    /// The games under way.
    pub(super) fn games(&self) -> Vec<ListedLive> {
        locked(&self.games).clone()
    }

    /// A game that is watched.
    pub(super) fn watched(&self, number: u64) -> Option<Arc<WatchedGame>> {
        locked(&self.watched).get(&number).cloned()
    }

    /// Begins to watch a game, unless that is done.
    pub(super) fn watch(
        &self,
        number: u64,
        game: &'static dyn table::AnyGame,
        kept: &KeptBytes,
    ) -> Arc<WatchedGame> {
        let mut watched = locked(&self.watched);
        let new = || {
            self.say(&FromReader::Watch { watch: number, from: 0 });
            Arc::new(WatchedGame::new(game, kept.clone()))
        };
        watched.entry(number).or_insert_with(new).clone()
    }

    /// Forgets games that nobody reads now, nor did when this was done the last time.
    pub(super) fn sweep(&self) {
        let mut unread = locked(&self.unread);
        let before = std::mem::take(&mut *unread);
        locked(&self.watched).retain(|number, game| {
            if !game.is_unread() {
                return true;
            }
            if before.contains(number) {
                self.say(&FromReader::Forget { forget: *number });
                return false;
            }
            unread.insert(*number);
            true
        });
    }

    /// One that does not listen is noticed by the thread that reads.
    fn say(&self, word: &FromReader) {
        let mut line = serde_json::to_vec(word).unwrap_or_default();
        line.push(b'\n');
        if (&self.stream).write_all(&line).is_err() {
            self.leave();
        }
    }

    /// Ends the connection; the thread that reads notices it.
    pub(super) fn leave(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Hears what the program says until it ends. `tell` is called after every word.
    pub(super) fn hear(&self, mut lines: ProgramLines, tell: impl Fn(ProgramNews)) {
        while let Ok(word) = lines.next() {
            let heard = match word {
                ToReader::Hello(_) => break,
                ToReader::Games { games } => {
                    *locked(&self.games) = listed(games);
                    ProgramNews::List
                }
                ToReader::Head { game, head } => {
                    self.tell_game(game, |game| game.set_header(*head))
                }
                ToReader::Log { game, at, log } => {
                    self.tell_game(game, |game| game.add(at, &log.0))
                }
                ToReader::End { game, end } => self.tell_game(game, |game| {
                    game.end(match end {
                        LiveEnd::Over => FilmEnd::Over,
                        LiveEnd::Again => FilmEnd::Again,
                        LiveEnd::Gone => FilmEnd::Gone,
                    });
                }),
            };
            tell(heard);
        }
        locked(&self.games).clear();
        locked(&self.watched).values().for_each(|game| game.end(FilmEnd::Gone));
        tell(ProgramNews::List);
    }

    fn tell_game(&self, number: u64, work: impl FnOnce(&WatchedGame)) -> ProgramNews {
        // Not under the lock: a film may take a while.
        if let Some(game) = self.watched(number) {
            work(&game);
        }
        ProgramNews::Game
    }
}

/// What a word of a program was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramNews {
    /// The list of games.
    List,
    /// A game that is watched.
    Game,
}

/// The games that can be watched, without what is not shown.
fn listed(games: Vec<LiveGame>) -> Vec<ListedLive> {
    let recorded = games.into_iter().filter(|game| game.recorded).take(MOST_LISTED);
    let listed = recorded.map(|game| ListedLive {
        number: game.id,
        index: game.index,
        game: game.game,
        match_id: game.match_id,
        has_people: game.players.iter().any(|player| BotSpec::person(&player.bot).is_some()),
        names: game.players.into_iter().map(|player| player.name).collect(),
        began_ms: game.began_ms,
        worker: game.worker,
    });
    listed.collect()
}
