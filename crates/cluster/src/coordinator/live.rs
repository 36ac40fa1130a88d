//! The games of workers, for those who watch on this machine: they are offered like games that are
//! played here. Logs are asked for only while somebody watches, and what a worker sends is bounded.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use game::About;
use host::{LiveGames, OfferedGame};
use league::RemoteGames;
use table::live::LiveEnd;
use table::{Header, Record};

use super::results::expected;
use super::{Coordinator, CoordinatorState};
use crate::leases::WorkerId;
use crate::link::{InboxLimits, Message};
use crate::wire::{
    self, Attention, GamePlace, LiveLine, LiveNews, LivePart, MOST_LIVE, PIECE, WantedLog,
};

/// What may wait here of what workers say of their games; more of it is dropped, and asked for again.
pub(super) const LIMITS: InboxLimits =
    InboxLimits { messages: 4, longest: PIECE + (64 << 10), bytes: 64 << 20 };

/// Games that are offered, at most.
const MOST_OFFERED: usize = 1024;
/// Bytes of one log that is watched, and of all together.
const MOST_OF_ONE: u64 = 64 << 20;
const MOST_OF_ALL: u64 = 256 << 20;
/// Workers are told what is wanted so often, if it has changed, and if it has not.
const SOON: Duration = Duration::from_millis(40);
const AGAIN: Duration = Duration::from_secs(1);
/// How often a worker may say what it plays, where there are few; and how many of them are few.
const LIST: Duration = Duration::from_millis(200);
const FEW: usize = 16;
/// A game that a worker does not play any more is waited for so long by those who watch it.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The games of workers that can be watched.
pub(super) struct WorkersGames {
    live: Option<Arc<LiveGames>>,
    offered: BTreeMap<(WorkerId, u64), WorkersGame>,
    /// What workers were told, and when.
    told: HashMap<WorkerId, ToldWorker>,
    /// Games that have been offered.
    count: u64,
    list: Duration,
}

struct ToldWorker {
    when: Duration,
    games: Vec<WantedLog>,
    /// When the worker last said what it plays.
    listed: Option<Duration>,
}

struct WorkersGame {
    place: GamePlace,
    header: Arc<Header>,
    /// None if nothing more comes of it.
    game: Option<OfferedGame>,
    /// When the worker said that it does not play it any more.
    gone: Option<Duration>,
}

impl WorkersGames {
    pub(super) fn new(live: Option<Arc<LiveGames>>) -> WorkersGames {
        let (offered, told) = (BTreeMap::new(), HashMap::new());
        WorkersGames { live, offered, told, count: 0, list: LIST }
    }

    /// How much is here of all logs.
    fn bytes(&self) -> u64 {
        let games = self.offered.values().filter_map(|one| one.game.as_ref());
        games.filter(|game| game.is_watched()).map(OfferedGame::length).sum()
    }

    /// What somebody wants of a worker's games.
    fn wanted(&mut self, worker: &WorkerId) -> Vec<WantedLog> {
        let own = self.offered.range_mut((worker.clone(), 0)..=(worker.clone(), u64::MAX));
        let wanted = own.filter_map(|((_, game), one)| {
            let from = one.game.as_mut()?.wanted()?;
            Some(WantedLog { game: *game, from })
        });
        wanted.collect()
    }

    /// A worker has sent a part of a log.
    fn add(&mut self, worker: &WorkerId, part: LivePart) {
        let all = self.bytes();
        let Some(one) = self.offered.get_mut(&(worker.clone(), part.game)) else { return };
        if one.game.as_mut().is_some_and(|game| game.wanted().is_some()) {
            one.add(part.at, &part.log.0, part.about, all);
            part.end.into_iter().for_each(|end| one.end(end));
        }
    }

    /// The result of a game has come, and with it all of its log. Whoever watches need not wait until
    /// the worker has sent the rest: that may be after the end of the run.
    pub(super) fn complete(&mut self, worker: &WorkerId, place: &GamePlace, record: &Record) {
        let all = self.bytes();
        let mut own = self.offered.range_mut((worker.clone(), 0)..=(worker.clone(), u64::MAX));
        // A match that was begun anew has a higher number than before.
        let Some((_, one)) = own.rfind(|(_, one)| one.place == *place) else { return };
        let Some(game) = one.game.as_mut().filter(|game| game.is_watched()) else { return };
        // Whoever has just come is given it from its beginning.
        game.wanted();
        let about = record.header.players.iter().map(|player| player.about.clone()).collect();
        one.add(0, record.packed(), about, all);
        one.end(LiveEnd::Over);
    }
}

impl WorkersGame {
    /// A part of its log has come, and there is so much of all logs.
    fn add(&mut self, at: u64, log: &[u8], about: Vec<Option<About>>, all: u64) {
        let Some(game) = &mut self.game else { return };
        let length = at.saturating_add(log.len() as u64);
        let more = length.saturating_sub(game.length());
        if length > MOST_OF_ONE || all + more > MOST_OF_ALL {
            return self.end(LiveEnd::Gone);
        }
        game.add(at, log);
        self.describe(about);
    }

    fn end(&mut self, end: LiveEnd) {
        if let Some(game) = self.game.take() {
            game.end(end);
        }
    }

    /// Bots have described themselves.
    fn describe(&mut self, about: Vec<Option<About>>) {
        let text = |text: Option<String>| text.and_then(|text| About::text(text.as_bytes()));
        let plain = |about: About| About {
            name: text(about.name),
            version: text(about.version),
            author: text(about.author),
            country: text(about.country),
        };
        let about = about.into_iter().map(|about| about.map(plain));
        let mut header = (*self.header).clone();
        header.players.iter_mut().zip(about).for_each(|(player, about)| player.about = about);
        if header != *self.header
            && let Some(game) = &self.game
        {
            self.header = Arc::new(header);
            game.set_header(self.header.clone());
        }
    }
}

impl Coordinator {
    /// A worker says something of the games that it plays. It may say anything: what is not expected
    /// is ignored.
    pub(super) fn live_news(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        message: &Message,
    ) {
        let Some(name) = message.subject.rsplit('.').next() else { return };
        let Ok(news) = wire::unpack::<LiveNews>(&message.payload) else { return };
        let worker = WorkerId { name: name.to_owned(), session: news.session };
        let now = state.began.elapsed();
        let list = state.live.list;
        // Nobody is listened to who was not asked.
        let Some(told) = state.live.told.get_mut(&worker) else { return };
        if let Some(lines) = news.games
            && told.listed.is_none_or(|then| now >= then + list / 2)
        {
            told.listed = Some(now);
            self.plays(state, games, &worker, &lines[..lines.len().min(MOST_LIVE)], now);
        }
        for part in news.parts.into_iter().take(MOST_LIVE) {
            state.live.add(&worker, part);
        }
    }

    /// A worker says which games it plays.
    fn plays(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        worker: &WorkerId,
        lines: &[LiveLine],
        now: Duration,
    ) {
        let Some(live) = state.live.live.clone() else { return };
        for line in lines {
            let key = (worker.clone(), line.game);
            if state.live.offered.contains_key(&key)
                || state.live.offered.len() >= MOST_OFFERED
                || state.leases.holder(&line.place) != Some(worker)
            {
                continue;
            }
            let Some(speed) = state.workers.speed(worker) else { return };
            let scale = state.speeds.scale(speed);
            let Some((_, expected)) = expected(state, games, &line.place, scale) else { continue };
            let Some(header) = expected.header() else { continue };
            let played = Duration::from_millis(line.for_ms);
            let began = SystemTime::now();
            let began = began.checked_sub(played).unwrap_or(began);
            let game = live.offer(state.live.count, header.clone(), began, &worker.name);
            state.live.count += 1;
            let place = line.place.clone();
            let new = WorkersGame { place, header, game: Some(game), gone: None };
            state.live.offered.insert(key, new);
        }
        let own = (worker.clone(), 0)..=(worker.clone(), u64::MAX);
        for ((_, game), one) in state.live.offered.range_mut(own) {
            if !lines.iter().any(|line| line.game == *game) {
                one.gone.get_or_insert(now);
            }
        }
    }

    /// Tells workers what is wanted of them, and forgets games that are over.
    pub(super) fn look_after_live(&self, state: &mut CoordinatorState) {
        let Some(live) = &state.live.live else { return };
        if !live.has_readers() {
            state.live.offered.clear();
            state.live.told.clear();
            return;
        }
        let now = state.began.elapsed();
        let workers = &state.workers;
        state.live.told.retain(|worker, _| workers.slots_of(worker).is_some());
        let told = &state.live.told;
        state.live.offered.retain(|(worker, _), one| {
            let is_watched = one.game.as_ref().is_some_and(OfferedGame::is_watched);
            let patience = if is_watched { LAST_WORDS } else { Duration::ZERO };
            let is_over = one.gone.is_some_and(|then| now >= then + patience);
            told.contains_key(worker) && !is_over
        });
        // No more are asked than there is room for their games.
        let mut room = MOST_OFFERED;
        let mut asked: Vec<WorkerId> = Vec::new();
        for (worker, slots) in workers.by_name() {
            let is_known = told.contains_key(worker);
            if room > 0 || is_known {
                asked.push(worker.clone());
                room = room.saturating_sub(slots as usize);
            }
        }
        state.live.list = LIST * (asked.len() / FEW).max(1) as u32;
        for worker in asked {
            let games = state.live.wanted(&worker);
            let list_ms = state.live.list.as_millis() as u32;
            let before = state.live.told.get(&worker);
            let is_due = before.is_none_or(|told| {
                let pause = if told.games == games { AGAIN } else { SOON };
                now >= told.when + pause
            });
            if is_due {
                let attention = Attention { session: worker.session, list_ms, games };
                let subject = wire::attention(Some(&state.file.run), &worker.name);
                self.link.publish(&subject, wire::pack(&attention));
                let listed = before.and_then(|told| told.listed);
                let told = ToldWorker { when: now, games: attention.games, listed };
                state.live.told.insert(worker, told);
            }
        }
    }
}
