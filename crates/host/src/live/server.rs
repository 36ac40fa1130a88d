//! The thread that talks to readers of live games. It is not a worker, and no worker waits for it.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::net::sockopt::socket_peercred;
use table::live::{Hello, VERSION};

use super::LiveGames;
use super::place::{Bound, LivePlace};
use super::reader_connection::{ListLine, ReaderConnection, Watching};
use super::watched_log::WatchedLog;
use crate::os::placement::place_this_thread_anywhere;

/// So often what is new is fetched while somebody watches, and the list is looked at while somebody is connected.
const BEAT: Duration = Duration::from_millis(30);

/// The list of games is made no more often than this.
const LIST_BEAT: Duration = Duration::from_millis(150);

/// So many readers are served at a time.
const MOST_READERS: usize = 64;

/// A reader that takes nothing for so long is left.
const PATIENCE: Duration = Duration::from_secs(30);

/// At the end of the program one that takes nothing for so long gets no more, and nobody after so long.
const GOODBYE: Duration = Duration::from_millis(100);
const LONGEST_GOODBYE: Duration = Duration::from_secs(5);

/// Serves readers until it is dropped.
#[derive(Debug)]
pub struct LiveServer {
    games: Arc<LiveGames>,
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl LiveServer {
    /// Begins to serve. `command` is what the program does.
    pub fn start(place: &LivePlace, command: &str) -> io::Result<LiveServer> {
        let bound = place.bind()?;
        let games = Arc::<LiveGames>::default();
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let run = match place {
            LivePlace::Run(folder) => Some(std::path::absolute(folder)?.display().to_string()),
            LivePlace::User | LivePlace::Seat(_) => None,
        };
        let hello = Hello {
            live: VERSION,
            lanista: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            command: command.to_owned(),
            run,
        };
        let (own, ended) = (games.clone(), stop.clone());
        let serve = move || {
            place_this_thread_anywhere();
            let (list, logs) = (ListLine::default(), BTreeMap::new());
            let readers = Vec::new();
            Serving { games: own, bound, hello, readers, list, listed: None, logs }.serve(&ended);
        };
        let thread = std::thread::Builder::new().name("live".to_owned()).spawn(serve)?;
        Ok(LiveServer { games, stop, thread: Some(thread) })
    }

    /// The games that are offered.
    pub fn games(&self) -> &Arc<LiveGames> {
        &self.games
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Serving {
    games: Arc<LiveGames>,
    bound: Bound,
    hello: Hello,
    readers: Vec<ReaderConnection>,
    list: ListLine,
    /// When that was made.
    listed: Option<Instant>,
    /// Games that somebody watches.
    logs: BTreeMap<u64, WatchedLog>,
}

impl Serving {
    fn serve(&mut self, stop: &OwnedFd) {
        let mut beat = Instant::now();
        loop {
            let timeout = match self.readers.is_empty() {
                true => None,
                false => Timespec::try_from(beat.saturating_duration_since(Instant::now())).ok(),
            };
            let mut ready = vec![
                PollFd::new(stop, PollFlags::IN),
                PollFd::new(&self.bound.listener, PollFlags::IN),
            ];
            ready.extend(self.readers.iter().map(|reader| {
                let room = if reader.is_behind() { PollFlags::OUT } else { PollFlags::empty() };
                PollFd::new(reader.stream(), PollFlags::IN | room)
            }));
            if poll(&mut ready, timeout.as_ref()).is_err() {
                continue;
            }
            let came: Vec<bool> = ready.iter().map(|one| !one.revents().is_empty()).collect();
            drop(ready);
            let readers = std::mem::take(&mut self.readers);
            for (mut reader, came) in readers.into_iter().zip(&came[2..]) {
                let there = !came || self.hear(&mut reader);
                if there {
                    self.readers.push(reader);
                }
            }
            if came[1] {
                self.welcome();
            }
            let now = Instant::now();
            let last = came[0];
            if now >= beat || last {
                beat = now + BEAT;
                self.logs.values_mut().for_each(WatchedLog::fetch);
            }
            self.tell(now);
            self.forget_unwatched();
            self.games.set_readers(self.readers.len());
            if last {
                return self.leave();
            }
        }
    }

    fn welcome(&mut self) {
        while let Ok((stream, _)) = self.bound.listener.accept() {
            // The socket's own rights say the same.
            let user = socket_peercred(stream.as_fd()).map(|peer| peer.uid);
            let own = rustix::process::geteuid();
            let known = user.is_ok_and(|user| user == own || user.is_root());
            if known && self.readers.len() < MOST_READERS && stream.set_nonblocking(true).is_ok() {
                self.readers.push(ReaderConnection::new(stream, &self.hello));
            }
        }
    }

    /// Hears what a reader wants. Says whether it is still there.
    fn hear(&mut self, reader: &mut ReaderConnection) -> bool {
        reader.read(|game| match self.logs.get(&game) {
            Some(_) => Watching::Possible,
            None => {
                let (games, _) = self.games.under_way();
                let Some(game) = games.into_iter().find(|other| other.id == game) else {
                    return Watching::Impossible;
                };
                let Some(log) = WatchedLog::begin(game) else { return Watching::Impossible };
                self.logs.insert(log.id(), log);
                Watching::Possible
            }
        })
    }

    /// Writes what there is to say to whoever can take it.
    fn tell(&mut self, now: Instant) {
        if self.readers.is_empty() {
            return;
        }
        let old = self.listed.is_none_or(|at| now.duration_since(at) >= LIST_BEAT);
        if old && (self.listed.is_none() || self.games.changes() != self.list.changes) {
            let (games, changes) = self.games.under_way();
            self.list = ListLine::new(&games, changes);
            self.listed = Some(now);
        }
        let (list, logs) = (&self.list, &self.logs);
        self.readers.retain_mut(|reader| {
            reader.send_list(list);
            reader.write(logs, now, PATIENCE)
        });
    }

    /// The program is about to end. Whoever still reads gets the rest; nobody waits for one that does not.
    fn leave(&mut self) {
        let until = Instant::now() + LONGEST_GOODBYE;
        loop {
            self.readers.retain(|reader| reader.is_behind() || !reader.watches_nothing());
            let now = Instant::now();
            if self.readers.is_empty() || now >= until {
                return;
            }
            let room = |reader| {
                PollFd::from_borrowed_fd(ReaderConnection::stream(reader).as_fd(), PollFlags::OUT)
            };
            let mut ready: Vec<PollFd<'_>> = self.readers.iter().map(room).collect();
            let _ = poll(&mut ready, Timespec::try_from(GOODBYE).ok().as_ref());
            drop(ready);
            let logs = &self.logs;
            self.readers.retain_mut(|reader| reader.write(logs, Instant::now(), GOODBYE));
        }
    }

    fn forget_unwatched(&mut self) {
        let readers = &self.readers;
        self.logs.retain(|id, _| readers.iter().any(|reader| reader.watches(*id)));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;

    use game::{Afterwards, Clock, Seed};
    use table::live::{LiveEnd, ToReader};
    use table::{Adjudication, AnyTable, Contestant, Entrant, LogPart, Occasion, Recording, Terms};

    use super::*;
    use crate::live::{Tap, WatchableGame};

    fn table() -> Box<dyn AnyTable> {
        let game = games::GAMES[0];
        let entrant =
            |name: &str| Entrant::new(name, Contestant::Program { then: Afterwards::MayStay });
        let terms = Terms {
            id: "1".to_owned(),
            seed: Seed(1),
            entrants: vec![entrant("a"), entrant("b")],
            clock: Clock::per_turn(Duration::from_secs(60)),
            adjudication: Adjudication::NONE,
            occasion: Occasion::SingleMatch,
            recording: Recording::On,
        };
        game.table(&serde_json::Map::new(), terms).expect("the set-up is sound")
    }

    fn offered(table: &dyn AnyTable) -> (Arc<LiveGames>, Tap) {
        let games = Arc::<LiveGames>::default();
        let waker = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).expect("it is made");
        let tap = games.begin(5, table.log(), &Arc::new(waker));
        (games, tap)
    }

    /// A game with a log of so many bytes, of which somebody watches.
    fn watched(games: &LiveGames, bytes: usize) -> BTreeMap<u64, WatchedLog> {
        let game = games.under_way().0.remove(0);
        let mut log = WatchedLog::begin(game).expect("it is under way");
        log.add(LogPart::Copied((0..bytes).map(|byte| byte as u8).collect()));
        BTreeMap::from([(0, log)])
    }

    fn connected() -> (ReaderConnection, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("it is made");
        ours.set_nonblocking(true).expect("a socket");
        let hello = Hello {
            live: VERSION,
            lanista: String::new(),
            pid: 1,
            command: String::new(),
            run: None,
        };
        (ReaderConnection::new(ours, &hello), theirs)
    }

    #[test]
    fn a_reader_that_never_reads_is_left_after_a_while() {
        const LONG: usize = 8 << 20;
        let table = table();
        let (games, _tap) = offered(&*table);
        let logs = watched(&games, LONG);
        let (mut reader, mut theirs) = connected();
        io::Write::write_all(&mut theirs, b"{\"watch\":0}\n").expect("it is heard");
        assert!(reader.read(|_| Watching::Possible));
        let now = Instant::now();
        assert!(reader.write(&logs, now, PATIENCE), "there is time");
        assert!(reader.is_behind(), "so much does not fit into a socket");
        assert!(reader.waiting_bytes() < 1 << 20, "nor does it wait anywhere else");
        assert!(reader.write(&logs, now + PATIENCE / 2, PATIENCE));
        assert!(!reader.write(&logs, now + PATIENCE, PATIENCE), "that was long enough");
    }

    #[test]
    fn a_slow_reader_gets_everything_in_the_end() {
        const LONG: usize = 3 << 20;
        let table = table();
        let (games, tap) = offered(&*table);
        let mut logs = watched(&games, LONG);
        logs.values_mut().for_each(|log| log.end = Some(LiveEnd::Over));
        let (mut reader, mut theirs) = connected();
        io::Write::write_all(&mut theirs, b"{\"watch\":0,\"from\":7}\n").expect("heard");
        assert!(reader.read(|_| Watching::Possible));
        let taken = std::thread::spawn(move || {
            let mut all = String::new();
            theirs.read_to_string(&mut all).expect("it is text");
            all
        });
        while !reader.watches_nothing() || reader.is_behind() {
            assert!(reader.write(&logs, Instant::now(), PATIENCE));
            let mut room = [PollFd::new(reader.stream(), PollFlags::OUT)];
            poll(&mut room, None).expect("it can be waited for");
        }
        drop((reader, tap));
        let mut at = 7;
        let mut ended = None;
        for line in taken.join().expect("no panic").lines() {
            match serde_json::from_str(line).expect("it is understood") {
                ToReader::Log { at: start, log, .. } => {
                    assert_eq!((start, log.0[0]), (at, at as u8));
                    at += log.0.len() as u64;
                }
                ToReader::End { end, .. } => ended = Some(end),
                ToReader::Hello(_) | ToReader::Head { .. } | ToReader::Games { .. } => {}
            }
        }
        assert_eq!((at, ended), (LONG as u64, Some(LiveEnd::Over)));
    }

    #[test]
    fn a_worker_hands_over_what_there_is_and_does_not_wait() {
        let mut table = table();
        table.open(game::Tick::ZERO, &mut table::Outputs::default());
        let (games, mut tap) = offered(&*table);
        let game = games.under_way().0.remove(0);
        let whole = |game: &WatchableGame| -> usize {
            game.fetch().parts.iter().map(|part| part.bytes().len()).sum()
        };
        tap.look(&*table);
        assert_eq!(whole(&game), 0, "nobody watches");
        assert!(game.watch());
        table.abandon(game::Tick::ZERO, "a reason");
        let waiting = game.waiting.lock().expect("no panic");
        tap.look(&*table);
        assert!(waiting.parts.is_empty(), "it was being emptied");
        drop(waiting);
        tap.look(&*table);
        let all = whole(&game);
        assert!(all > 0);
        tap.look(&*table);
        assert_eq!(whole(&game), 0, "nothing is new");
        // Whoever comes next begins at the beginning.
        game.forget();
        assert!(game.watch());
        tap.end(table.log(), LiveEnd::Over);
        assert_eq!(whole(&game), all);
        assert!(!game.watch(), "it is over");
        assert!(games.under_way().0.is_empty());
    }
}
