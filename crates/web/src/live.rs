//! Games that are being played: found through the sockets of the programs that play them, watched over a WebSocket.
//!
//! A program is asked for a game's log once, however many browsers watch it, and waits for nobody. Films are made here,
//! on a thread for each program. Every browser reads them at its own pace. All that is kept is bounded.

mod film;
mod program;
mod socket;
mod watched;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use game::PlayerId;
use hyper::StatusCode;
use serde_json::{Value, json};
use table::Knowledge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::Options;
use crate::address::Query;
use crate::finding::{LIVE, Place, folder_at};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::site::{Recent, Site, locked};
use film::LiveFilm;
use program::{ListedLive, LiveProgram, ProgramNews};
pub(crate) use socket::{accept, open};
use watched::KeptBytes;

/// So many programs are listened to at a time.
const MOST_PROGRAMS: usize = 32;
/// While browsers are connected, new programs are looked for so often.
const LOOK: Duration = Duration::from_secs(1);
/// Games that nobody reads any more are looked for so often; one is forgotten the second time.
const SWEEP: Duration = Duration::from_secs(10);
/// Programs are left when nobody has wanted to know of them for so long.
const LEAVE: Duration = Duration::from_secs(30);
/// A socket at which nobody says anything is tried again after so long.
const SILENT: Duration = Duration::from_secs(10);
/// Where the replay of a game will be is remembered of so many games.
const REMEMBERED: usize = 1000;

/// All that is known of games under way.
pub(crate) struct LiveSite {
    plays: fn() -> Vec<PathBuf>,
    /// By what their sockets are called.
    programs: Mutex<BTreeMap<String, Arc<LiveProgram>>>,
    /// Sockets at which nobody says anything.
    silent: Mutex<BTreeMap<String, Instant>>,
    /// Held by whoever looks for programs.
    looking: Mutex<()>,
    /// When somebody last wanted to know.
    asked: Mutex<Instant>,
    /// Games that are or were under way, by their names here.
    remembered: Mutex<Recent<Remembered>>,
    kept: KeptBytes,
    /// Wakes those who wait for anything new.
    news: watch::Sender<()>,
    /// How often the list has changed, and the list as it was sent last.
    changes: AtomicU64,
    list: Mutex<(u64, Arc<str>)>,
    /// Places for browsers.
    sockets: Arc<Semaphore>,
    most_sockets: usize,
}

/// A game under way.
pub(crate) struct UnderWay {
    /// What it is called here.
    pub(crate) live: String,
    pub(crate) game: String,
    pub(crate) bots: Vec<String>,
    /// The worker that plays it, if another machine does.
    pub(crate) worker: Option<String>,
}

/// What is needed to find the replay of a game.
#[derive(Clone)]
struct Remembered {
    run: Option<String>,
    match_id: String,
    began_ms: u64,
}

/// Why a game cannot be watched.
enum NotWatched {
    /// It is over, or never was.
    Gone,
    /// For this reason.
    Refused(String),
}

impl LiveSite {
    pub(crate) fn new(options: &Options) -> LiveSite {
        LiveSite {
            plays: options.plays,
            programs: Mutex::default(),
            silent: Mutex::default(),
            looking: Mutex::default(),
            asked: Mutex::new(Instant::now()),
            remembered: Mutex::new(Recent::new(REMEMBERED)),
            kept: KeptBytes::default(),
            news: watch::Sender::new(()),
            changes: AtomicU64::new(1),
            list: Mutex::new((0, "".into())),
            sockets: Arc::new(Semaphore::new(options.limits.sockets)),
            most_sockets: options.limits.sockets,
        }
    }

    /// A place for one more WebSocket.
    pub(crate) fn place_for_socket(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        self.sockets.clone().try_acquire_owned().map_err(|_| {
            Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many pages are connected already; close some, and try again",
            )
        })
    }

    /// Whether any browser is connected.
    fn is_watched(&self) -> bool {
        self.sockets.available_permits() < self.most_sockets
    }

    fn tell(&self, heard: ProgramNews) {
        if heard == ProgramNews::List {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        self.news.send_replace(());
    }

    fn programs(&self) -> Vec<Arc<LiveProgram>> {
        locked(&self.programs).values().cloned().collect()
    }

    /// The games under way as pages are told of them, the oldest first.
    pub(crate) fn list(&self) -> Vec<Value> {
        let mut all: Vec<(u64, Value)> = Vec::new();
        let mut remembered = locked(&self.remembered);
        for program in self.programs() {
            for game in program.games() {
                let id = format!("{}-{}", program.id, game.number);
                let ListedLive { match_id, began_ms, .. } = &game;
                if remembered.get(&id).is_none() {
                    let (run, match_id) = (program.run.clone(), match_id.clone());
                    remembered.put(id.clone(), Remembered { run, match_id, began_ms: *began_ms });
                }
                let mut entry = json!({
                    "id": id, "game": game.game, "bots": game.names, "match": match_id,
                    "index": game.index, "began": began_ms,
                });
                if let Some(run) = &program.run {
                    entry["run"] = run.as_str().into();
                }
                if let Some(worker) = &game.worker {
                    entry["worker"] = worker.as_str().into();
                }
                all.push((*began_ms, entry));
            }
        }
        all.sort_by_key(|(began, _)| *began);
        all.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The list as a message, and how often it had changed.
    fn list_message(&self) -> (u64, Arc<str>) {
        let changes = self.changes.load(Ordering::Relaxed);
        let known = locked(&self.list).clone();
        if known.0 == changes {
            return known;
        }
        let made: (u64, Arc<str>) = (changes, json!({ "live": self.list() }).to_string().into());
        *locked(&self.list) = made.clone();
        made
    }

    /// The program of a game and the game's number there.
    fn find(&self, id: &str) -> Option<(Arc<LiveProgram>, u64)> {
        let (program, number) = id.rsplit_once('-')?;
        let found = self.programs().into_iter().find(|known| known.id == program)?;
        Some((found, number.parse().ok()?))
    }
}

impl Site {
    /// Looks for programs that play, and listens to new ones.
    pub(crate) fn look_for_live(self: &Arc<Site>) {
        let _looking = locked(&self.live.looking);
        *locked(&self.live.asked) = Instant::now();
        let mut known: Vec<String> = locked(&self.live.programs).keys().cloned().collect();
        let mut meet = |key: String, connect: &dyn Fn() -> io::Result<_>| {
            let silent = locked(&self.live.silent).get(&key).copied();
            let tried = silent.is_some_and(|when| when.elapsed() < SILENT);
            if known.len() >= MOST_PROGRAMS || known.contains(&key) || tried {
                return;
            }
            match connect() {
                Ok((program, lines)) => {
                    known.push(key.clone());
                    self.listen(key, program, lines);
                }
                // Somebody has left it.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(_) => {
                    let mut silent = locked(&self.live.silent);
                    silent.retain(|_, when| when.elapsed() < SILENT);
                    silent.insert(key, Instant::now());
                }
            }
        };
        let found = self.found();
        for place in found.iter().flat_map(|found| &found.live) {
            meet(format!("run {}", place.id), &|| {
                // By the handle of the folder: no link leads there.
                let folder = folder_at(&self.folder, &place.path)?;
                let (socket, run) = (folder.short_path(LIVE), Some(place.id.clone()));
                LiveProgram::connect(&socket, |pid| format!("{}-{pid}", place.id), run)
            });
        }
        for socket in (self.live.plays)() {
            let name = socket.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            meet(format!("play {name}"), &|| LiveProgram::connect(&socket, |_| name.clone(), None));
        }
    }

    fn listen(self: &Arc<Site>, key: String, program: LiveProgram, lines: program::ProgramLines) {
        let program = Arc::new(program);
        locked(&self.live.programs).insert(key.clone(), program.clone());
        let site = Arc::downgrade(self);
        let hear = {
            let (program, site, key) = (program.clone(), site.clone(), key.clone());
            move || {
                program.hear(lines, |heard| {
                    if let Some(site) = site.upgrade() {
                        site.live.tell(heard);
                    }
                });
                if let Some(site) = site.upgrade() {
                    site.live.forget(&key, &program);
                }
            }
        };
        match std::thread::Builder::new().name("live".to_owned()).spawn(hear) {
            Ok(_) => self.live.tell(ProgramNews::List),
            Err(_) => self.live.forget(&key, &program),
        }
    }

    /// Begins to watch a game, through one player's eyes or everybody's.
    fn watch_live(
        self: &Arc<Site>,
        id: &str,
        eyes: Option<PlayerId>,
    ) -> Result<Arc<LiveFilm>, NotWatched> {
        let listed = |(program, number): &(Arc<LiveProgram>, u64)| {
            program.games().into_iter().find(|game| game.number == *number)
        };
        let mut found = self.live.find(id);
        if found.as_ref().and_then(listed).is_none() {
            self.look_for_live();
            found = self.live.find(id);
        }
        let Some((program, number)) = found else { return Err(NotWatched::Gone) };
        let Some(game) = listed(&(program.clone(), number)) else {
            // It may have ended a moment ago, while somebody watched it.
            return program.watched(number).map(|game| game.film(eyes)).ok_or(NotWatched::Gone);
        };
        let known = self.game(&game.game).ok_or_else(|| {
            NotWatched::Refused(format!("the game \"{}\" is not known here", game.game))
        })?;
        let hides = known.card().knowledge == Knowledge::Hidden;
        match eyes {
            // Whoever plays can look here, too.
            _ if hides && game.has_people => Err(NotWatched::Refused(
                "people play a game in which something is hidden; it can be seen when it is over"
                    .to_owned(),
            )),
            Some(_) if !hides => Err(NotWatched::Refused(
                "this game hides nothing: everybody sees everything".to_owned(),
            )),
            Some(eyes) if eyes.index() >= game.names.len() => {
                Err(NotWatched::Refused(format!("no player sits at seat {}", eyes.0)))
            }
            Some(_) | None => Ok(program.watch(number, known, &self.live.kept).film(eyes)),
        }
    }

    /// The games of a tournament that are under way.
    pub(crate) fn under_way(&self, run: &str) -> Vec<UnderWay> {
        let programs = self.live.programs();
        let own = programs.iter().filter(|program| program.run.as_deref() == Some(run));
        let games = own.flat_map(|program| {
            let named = |game: ListedLive| UnderWay {
                live: format!("{}-{}", program.id, game.number),
                game: game.game,
                bots: game.names,
                worker: game.worker,
            };
            program.games().into_iter().map(named)
        });
        games.collect()
    }

    /// Where the replay of a game is that was under way, once it is kept. `match_id` helps where the game was over before
    /// anybody could see it.
    fn replay_of_live(&self, id: &str, match_id: Option<&str>) -> Result<Option<String>, Refusal> {
        let known = locked(&self.live.remembered).get(id).cloned();
        let (run, match_id, began_ms) = match (known, match_id) {
            (Some(known), _) => (known.run, known.match_id, known.began_ms),
            (None, Some(match_id)) => (None, match_id.to_owned(), 0),
            (None, None) => return Ok(None),
        };
        if let Some(run) = run {
            let place = self.run(&run)?;
            let failed = |error: league::StoreError| Refusal::failed(error.to_string());
            let number =
                self.with_run(&place, |run| run.store.game_of_match(&match_id).map_err(failed))?;
            return Ok(number.map(|number| format!("r/{}/{number}", place.id)));
        }
        let is_it = |place: &&Place| {
            let name = place.path.file_stem().unwrap_or_default().to_string_lossy();
            let rest = name.strip_prefix(&*match_id);
            let numbered = |rest: &str| {
                rest.strip_prefix('-').is_some_and(|number| number.parse::<u64>().is_ok())
            };
            // Another that was played before has the same name, if it had the same seed.
            let new = u64::try_from(place.changed).is_ok_and(|changed| changed >= began_ms / 1000);
            new && rest.is_some_and(|rest| rest.is_empty() || numbered(rest))
        };
        // The latest is the first.
        let found = self.found()?;
        Ok(found.replays.iter().find(is_it).map(|place| format!("f/{}", place.id)))
    }
}

impl LiveSite {
    fn forget(&self, key: &str, program: &Arc<LiveProgram>) {
        let mut programs = locked(&self.programs);
        if programs.get(key).is_some_and(|known| Arc::ptr_eq(known, program)) {
            programs.remove(key);
        }
        drop(programs);
        self.tell(ProgramNews::List);
    }
}

/// Answers what is asked about one live game beside its film.
pub(crate) async fn answer(
    site: &Arc<Site>,
    id: &str,
    what: &[&str],
    query: &Query,
) -> Result<Reply, Refusal> {
    let id = id.to_owned();
    match what {
        [] => {
            let match_id = query.text("match").map(str::to_owned);
            site.job(move |site| {
                let under_way = site.live.find(&id).is_some_and(|(program, number)| {
                    program.games().iter().any(|game| game.number == number)
                });
                let replay = match under_way {
                    true => None,
                    false => site.replay_of_live(&id, match_id.as_deref())?,
                };
                Ok(Reply::json(&json!({ "under_way": under_way, "replay": replay })))
            })
            .await
        }
        ["talk"] => {
            let eyes = query.number("eyes")?.map(PlayerId);
            let from = query.number("from")?.unwrap_or(0);
            let to = query.number("to")?.unwrap_or(from);
            site.job(move |site| {
                let found = site.live.find(&id);
                let game = found.and_then(|(program, number)| program.watched(number));
                let gone = || Refusal::absent("this game is over, or nobody watches it");
                Ok(Reply::json(&game.ok_or_else(gone)?.talk(from..=to, eyes)?))
            })
            .await
        }
        _ => Err(Refusal::absent("the server has no such data of a live game")),
    }
}

/// Looks for programs while browsers are connected, forgets what nobody reads, and leaves programs that nobody wants to know of.
pub(crate) async fn tend(site: Weak<Site>) {
    let mut swept = Instant::now();
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(site) = site.upgrade() else { return };
        let sweep = swept.elapsed() >= SWEEP;
        if sweep {
            swept = Instant::now();
        }
        let _ = site
            .job(move |site| {
                if sweep {
                    site.live.programs().iter().for_each(|program| program.sweep());
                }
                if site.live.is_watched() {
                    site.look_for_live();
                } else if locked(&site.live.asked).elapsed() > LEAVE {
                    site.live.programs().iter().for_each(|program| program.leave());
                }
                Ok(())
            })
            .await;
    }
}
