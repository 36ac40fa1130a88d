//! A game that somebody watches: its log so far, and the films that are made of it as it grows.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use game::PlayerId;
use table::film::AnyFilm;
use table::talk::Talk;
use table::{AnyGame, Header, Record};

use super::film::{FilmEnd, LiveFilm};
use crate::games::Ready;
use crate::refusal::Refusal;
use crate::site::locked;

/// No more than so many bytes are kept of one game, its log and its films together, …
const MOST_OF_ONE: usize = 64 << 20;
/// … nor of all.
const MOST: usize = 256 << 20;
/// What a line takes beside its letters.
const LINE: usize = 48;
/// What was said in a game with a longer log is shown only when it is over.
const TALK: usize = 16 << 20;

/// How many bytes are kept of all games that are watched.
pub(super) type KeptBytes = Arc<AtomicUsize>;

/// A game that somebody watches.
pub(super) struct WatchedGame {
    game: &'static dyn AnyGame,
    made: Mutex<GameSoFar>,
    /// The game as it was after so many bytes of its log, for what was said in it.
    said: Mutex<Option<(usize, Ready)>>,
    kept: KeptBytes,
}

struct GameSoFar {
    header: Option<Header>,
    log: Vec<u8>,
    films: HashMap<Option<PlayerId>, Making>,
    end: Option<FilmEnd>,
    /// How much of what is kept is this game's.
    bytes: usize,
}

/// A film in the making.
struct Making {
    film: Arc<LiveFilm>,
    /// None before there is a header, and after something has failed.
    maker: Option<Box<dyn AnyFilm>>,
}

impl WatchedGame {
    pub(super) fn new(game: &'static dyn AnyGame, kept: KeptBytes) -> WatchedGame {
        let made =
            GameSoFar { header: None, log: Vec::new(), films: HashMap::new(), end: None, bytes: 0 };
        WatchedGame { game, made: Mutex::new(made), said: Mutex::new(None), kept }
    }

    /// The film through these eyes; made now if there is none.
    pub(super) fn film(&self, eyes: Option<PlayerId>) -> Arc<LiveFilm> {
        let mut made = locked(&self.made);
        if let Some(known) = made.films.get(&eyes) {
            return known.film.clone();
        }
        let mut making = Making { film: Arc::default(), maker: None };
        let film = making.film.clone();
        let mut bytes = 0;
        if let Some(header) = &made.header {
            bytes = making.begin(self.game, header, eyes, &made.log);
        }
        if let Some(end) = &made.end {
            bytes += making.end(end);
        }
        made.films.insert(eyes, making);
        self.keep(&mut made, bytes);
        film
    }

    /// Whether nobody reads any film of it.
    pub(super) fn is_unread(&self) -> bool {
        locked(&self.made).films.values().all(|making| Arc::strong_count(&making.film) == 1)
    }

    /// What is played. It comes again when a bot has described itself: then only heads are different.
    pub(super) fn set_header(&self, header: Header) {
        let mut made = locked(&self.made);
        if header.game != self.game.card().id {
            return self.stop(&mut made, FilmEnd::Failed("it is another game now".to_owned()));
        }
        let begun = made.header.is_some();
        let GameSoFar { films, log, .. } = &mut *made;
        let mut bytes = 0;
        for (eyes, making) in films.iter_mut() {
            match (begun, &making.maker) {
                (true, Some(_)) => {
                    let head = careful(|| Ok(self.game.film(&header, *eyes)?.head()));
                    bytes += head.as_ref().map_or(0, String::len);
                    match head {
                        Ok(head) => making.film.set_head(head),
                        Err(why) => making.fail(why),
                    }
                }
                (true, None) => {}
                (false, _) => bytes += making.begin(self.game, &header, *eyes, log),
            }
        }
        made.header = Some(header);
        self.keep(&mut made, bytes);
    }

    /// More of the log: what follows so many bytes.
    pub(super) fn add(&self, at: u64, bytes: &[u8]) {
        let mut made = locked(&self.made);
        if made.end.is_some() {
            return;
        }
        let known = (made.log.len() as u64).checked_sub(at);
        let new = known.and_then(|known| bytes.get(usize::try_from(known).ok()?..));
        let Some(new) = new else {
            let why = "a part of its log is missing".to_owned();
            return self.stop(&mut made, FilmEnd::Failed(why));
        };
        made.log.extend_from_slice(new);
        let lines: usize = made.films.values_mut().map(|making| making.feed(new)).sum();
        self.keep(&mut made, new.len() + lines);
    }

    /// Nothing more comes.
    pub(super) fn end(&self, end: FilmEnd) {
        self.stop(&mut locked(&self.made), end);
    }

    fn stop(&self, made: &mut GameSoFar, end: FilmEnd) {
        if made.end.is_none() {
            let bytes = made.films.values_mut().map(|making| making.end(&end)).sum();
            made.end = Some(end);
            self.keep(made, bytes);
        }
    }

    /// Counts what is kept, and keeps no more when it is too much.
    fn keep(&self, made: &mut GameSoFar, bytes: usize) {
        made.bytes += bytes;
        let all = self.kept.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if (made.bytes > MOST_OF_ONE || all > MOST) && made.end.is_none() {
            let why = match made.bytes > MOST_OF_ONE {
                true => "the game is too long to be watched; its replay is there when it is over",
                false => "so much is being watched that there is no room for more of this game",
            };
            let end = FilmEnd::Failed(why.to_owned());
            for making in made.films.values_mut() {
                making.end(&end);
            }
            made.end = Some(end);
        }
    }

    /// What was said in these steps, so far.
    pub(super) fn talk(
        &self,
        steps: std::ops::RangeInclusive<usize>,
        eyes: Option<PlayerId>,
    ) -> Result<Talk, Refusal> {
        let mut said = locked(&self.said);
        let made = locked(&self.made);
        let bytes = made.log.len();
        let is_new =
            |(then, replay): &(usize, Ready)| *then == bytes || locked(replay).len() > *steps.end();
        let replay = match &*said {
            Some(known) if is_new(known) => known.1.clone(),
            Some(_) | None => {
                let Some(header) = made.header.clone() else { return Ok(Talk::default()) };
                if bytes > TALK {
                    return Err(Refusal::failed(
                        "so much was said in this game that it is shown only when it is over",
                    ));
                }
                let record = Record::so_far(header, &made.log);
                drop(made);
                let replay = self.game.replay(&record);
                let replay = replay.map_err(|error| Refusal::failed(error.to_string()))?;
                let replay: Ready = Arc::new(Mutex::new(replay));
                *said = Some((bytes, replay.clone()));
                replay
            }
        };
        let replay = locked(&replay);
        crate::games::check_eyes(&**replay, eyes)?;
        Ok(replay.talk(steps, eyes))
    }
}

impl Drop for WatchedGame {
    fn drop(&mut self) {
        self.kept.fetch_sub(locked(&self.made).bytes, Ordering::Relaxed);
    }
}

impl Making {
    /// Begins the film of a game with this header and a log so far. Says how many bytes that made.
    fn begin(
        &mut self,
        game: &dyn AnyGame,
        header: &Header,
        eyes: Option<PlayerId>,
        log: &[u8],
    ) -> usize {
        let begun = careful(|| {
            let maker = game.film(header, eyes)?;
            let head = maker.head();
            Ok((maker, head))
        });
        match begun {
            Ok((maker, head)) => {
                let bytes = head.len() + LINE;
                self.film.set_head(head);
                self.maker = Some(maker);
                bytes + self.feed(log)
            }
            Err(why) => {
                self.fail(why);
                0
            }
        }
    }

    /// Takes more of the log. Says how many bytes of the film that made.
    fn feed(&mut self, log: &[u8]) -> usize {
        let Some(maker) = &mut self.maker else { return 0 };
        let mut lines = Vec::new();
        let fed = careful(|| maker.feed(log, &mut lines));
        let bytes = lines.iter().map(|line| line.len() + LINE).sum();
        self.film.add(lines);
        if let Err(why) = fed {
            self.fail(why);
        }
        bytes
    }

    fn end(&mut self, end: &FilmEnd) -> usize {
        let mut last = None;
        if let (FilmEnd::Over, Some(maker)) = (end, &mut self.maker) {
            last = careful(|| Ok(maker.end())).unwrap_or_default();
        }
        let bytes = last.as_ref().map_or(0, |line| line.len() + LINE);
        self.film.add(last.into_iter().collect());
        self.film.end(end.clone());
        self.maker = None;
        bytes
    }

    fn fail(&mut self, why: String) {
        self.maker = None;
        self.film.end(FilmEnd::Failed(why));
    }
}

/// Runs what belongs to a game: a panic there costs one film.
fn careful<T>(work: impl FnOnce() -> Result<T, table::ReadError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err("the film could not be made, which is a fault of the server; its terminal \
                       says where"
            .to_owned()),
    }
}
