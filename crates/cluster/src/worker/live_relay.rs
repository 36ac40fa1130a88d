//! Lets the games of this worker be watched: says which are played and sends parts of their logs, as
//! long as the coordinator wants that. Those who play never wait for it. At most one message is on its
//! way: the next one is sent when the coordinator has said what it has.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use host::{LiveGames, WatchedLog};
use table::Raw;
use table::live::LiveEnd;

use crate::link::{Link, LinkError, Message};
use crate::wire::{self, Attention, LiveLine, LiveNews, LivePart, MOST_LIVE, PIECE};
use crate::worker::playing::SharedGames;

/// What is new is looked for so often while somebody watches.
const BEAT: Duration = Duration::from_millis(50);
/// What the coordinator wants is forgotten if it does not say so again.
const FORGOTTEN: Duration = Duration::from_secs(5);
/// The list is said again so often, in case it was lost.
const LIST_AGAIN: Duration = Duration::from_secs(2);

/// The games of this worker, for those who watch.
pub(super) struct LiveRelay<'l> {
    link: &'l Link,
    name: String,
    session: u64,
    pub(super) live: Arc<LiveGames>,
    attention: Mutex<Receiver<Message>>,
}

/// What the coordinator wants.
struct WatchRequest {
    heard: Instant,
    list: Duration,
    /// How often the list had changed that was said last, and when that was.
    listed: Option<(u64, Instant)>,
    logs: BTreeMap<u64, WantedGame>,
    /// Games that are wanted and that there are no more.
    gone: Vec<u64>,
    /// The game after which the next message begins.
    last: u64,
}

/// A game of which the log is wanted.
struct WantedGame {
    log: WatchedLog,
    from: u64,
    /// Whether a part was sent since the coordinator said what it has.
    is_sent: bool,
}

impl<'l> LiveRelay<'l> {
    pub(super) fn new(link: &'l Link, name: &str, session: u64) -> Result<Self, LinkError> {
        let attention = Mutex::new(link.subscribe(&wire::attention(None, name))?);
        Ok(LiveRelay { link, name: name.to_owned(), session, live: Arc::default(), attention })
    }

    /// Passes on what happens in the games of a run until no more are played.
    pub(super) fn pass_on(&self, run: &str, shared: &SharedGames<'_>) {
        let attention = self.attention.lock().unwrap_or_else(PoisonError::into_inner);
        let subject = wire::attention(Some(run), &self.name);
        let mut wanted: Option<WatchRequest> = None;
        while !shared.is_over() {
            let patience = if wanted.is_some() { BEAT } else { super::GLANCE };
            let first = match attention.recv_timeout(patience) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::park_timeout(patience);
                    None
                }
            };
            for message in first.into_iter().chain(attention.try_iter()) {
                let said = wire::unpack::<Attention>(&message.payload);
                if let Ok(said) = said
                    && message.subject == subject
                    && said.session == self.session
                {
                    wanted.get_or_insert_with(WatchRequest::new).hear(said, &self.live);
                }
            }
            if wanted.as_ref().is_some_and(|wanted| wanted.heard.elapsed() > FORGOTTEN) {
                wanted = None;
            }
            let Some(wanted) = &mut wanted else { continue };
            let games = wanted.list(&self.live, shared);
            let parts = wanted.parts(PIECE.min(self.link.longest() / 2));
            if games.is_some() || !parts.is_empty() {
                let news = LiveNews { session: self.session, games, parts };
                self.link.publish(&wire::live_news(run, &self.name), wire::pack(&news));
            }
        }
    }
}

impl WatchRequest {
    fn new() -> WatchRequest {
        let (heard, list) = (Instant::now(), Duration::ZERO);
        WatchRequest { heard, list, listed: None, logs: BTreeMap::new(), gone: Vec::new(), last: 0 }
    }

    /// The coordinator says what it wants, and what it has.
    fn hear(&mut self, said: Attention, live: &LiveGames) {
        self.heard = Instant::now();
        self.list = Duration::from_millis(said.list_ms.into());
        self.gone.clear();
        self.logs.retain(|game, _| said.games.iter().any(|wanted| wanted.game == *game));
        for wanted in said.games.into_iter().take(MOST_LIVE) {
            match self.logs.get_mut(&wanted.game) {
                Some(known) => (known.from, known.is_sent) = (wanted.from, false),
                None => match live.watch(wanted.game) {
                    Some(log) => {
                        let new = WantedGame { log, from: wanted.from, is_sent: false };
                        self.logs.insert(wanted.game, new);
                    }
                    None => self.gone.push(wanted.game),
                },
            }
        }
    }

    /// All games that are played, if that is to be said now.
    fn list(&mut self, live: &LiveGames, shared: &SharedGames<'_>) -> Option<Vec<LiveLine>> {
        let changes = live.changes();
        if let Some((before, when)) = self.listed {
            let pause = if before == changes { LIST_AGAIN.max(self.list) } else { self.list };
            if when.elapsed() < pause {
                return None;
            }
        }
        self.listed = Some((changes, Instant::now()));
        let now = SystemTime::now();
        let line = |game: host::LiveListing| {
            let played = now.duration_since(game.began).unwrap_or_default();
            let place = shared.place_of(game.index)?;
            Some(LiveLine { game: game.id, place, for_ms: played.as_millis() as u64 })
        };
        Some(live.listed().into_iter().filter_map(line).take(MOST_LIVE).collect())
    }

    /// What is new in the logs that are wanted, so many bytes of all together.
    fn parts(&mut self, most: usize) -> Vec<LivePart> {
        let gone = |game| LivePart {
            game,
            at: 0,
            log: Raw(Vec::new()),
            about: Vec::new(),
            end: Some(LiveEnd::Gone),
        };
        let mut parts: Vec<LivePart> = self.gone.drain(..).map(gone).collect();
        let mut room = most;
        // Each in turn: a long log does not keep others from being sent.
        let order: Vec<u64> = {
            let after = self.logs.range(self.last + 1..).map(|(game, _)| *game);
            after.chain(self.logs.range(..=self.last).map(|(game, _)| *game)).collect()
        };
        for game in order {
            let Some(wanted) = self.logs.get_mut(&game).filter(|wanted| !wanted.is_sent) else {
                continue;
            };
            if room == 0 {
                break;
            }
            if let Some(part) = wanted.part(game, room) {
                room -= part.log.0.len();
                self.last = game;
                parts.push(part);
            }
        }
        parts
    }
}

impl WantedGame {
    fn part(&mut self, game: u64, room: usize) -> Option<LivePart> {
        self.log.fetch();
        let mut bytes = Vec::new();
        while bytes.len() < room {
            let more = self.log.after(self.from + bytes.len() as u64);
            if more.is_empty() {
                break;
            }
            bytes.extend_from_slice(&more[..more.len().min(room - bytes.len())]);
        }
        let is_all = self.log.after(self.from + bytes.len() as u64).is_empty();
        let end = self.log.end().filter(|_| is_all);
        if bytes.is_empty() && end.is_none() {
            return None;
        }
        self.is_sent = true;
        let players = &self.log.header().players;
        let about = players.iter().map(|player| player.about.clone()).collect();
        Some(LivePart { game, at: self.from, log: Raw(bytes), about, end })
    }
}
