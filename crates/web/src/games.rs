//! One game: what it is, what was said in it, what can be downloaded of it, whether it verifies.

use std::sync::{Arc, Mutex};

use game::PlayerId;
use hyper::body::Bytes;
use hyper::header;
use serde_json::{Value, json};
use table::{AnyReplay, Knowledge, Record};

use crate::address::Query;
use crate::films;
use crate::finding::Place;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::site::{Recent, Site, locked};

/// So many games are kept ready to be looked at, if they take no more than so many bytes unpacked.
const READY: usize = 4;
const SMALL: usize = 16 << 20;
/// Whether they verify is kept of so many.
const VERIFIED: usize = 10_000;
/// A game with more bytes is verified while the page is shown.
const QUICK: usize = 1 << 20;

/// The replay as it is, every line that went over the pipes, every step for scripts, and the film.
const FORMATS: [&str; 4] = ["lrz", "lines", "json", "film"];

/// A game that is ready to be looked at.
pub(crate) type Ready = Arc<Mutex<Box<dyn AnyReplay>>>;

/// What is remembered of games.
pub(crate) struct Games {
    ready: Mutex<Recent<Ready>>,
    verified: Mutex<Recent<Result<(), String>>>,
}

impl Default for Games {
    fn default() -> Games {
        let (ready, verified) = (Recent::new(READY), Recent::new(VERIFIED));
        Games { ready: Mutex::new(ready), verified: Mutex::new(verified) }
    }
}

/// Which game is meant.
#[derive(Clone, Debug)]
pub(crate) enum GameId {
    /// A replay that is a file of its own.
    File(Place),
    /// A game of a tournament, by its match.
    OfRun {
        /// The tournament.
        run: Place,
        /// The match.
        id: String,
    },
}

impl GameId {
    /// What it is remembered by. Another file in the same place is another game.
    pub(crate) fn key(&self) -> String {
        match self {
            GameId::File(place) => format!("f {} {} {}", place.id, place.changed, place.size),
            GameId::OfRun { run, id } => format!("r {} {id}", run.id),
        }
    }
}

/// Answers what is asked about one game.
pub(crate) async fn answer(
    site: &Arc<Site>,
    game: [&str; 3],
    what: &[&str],
    query: &Query,
) -> Result<Reply, Refusal> {
    let game = game_id(site, game).await?;
    let eyes = query.number("eyes")?.map(PlayerId);
    match what {
        ["film"] => films::film(site, game, eyes).await,
        ["about"] => about(site, game).await,
        ["talk"] => {
            let from = query.number("from")?.unwrap_or(0);
            let to = query.number("to")?.unwrap_or(from);
            site.job(move |site| {
                let replay = site.ready(&game)?;
                let replay = locked(&replay);
                check_eyes(&**replay, eyes)?;
                Ok(Reply::json(&replay.talk(from..=to, eyes)))
            })
            .await
        }
        ["download", format] => {
            let format = (*format).to_owned();
            site.job(move |site| site.download(&game, &format)).await
        }
        _ => Err(Refusal::absent("the server has no such data of a game")),
    }
}

/// The game that an address names: `f/FILE` or `r/RUN/N`.
pub(crate) async fn game_id(site: &Arc<Site>, game: [&str; 3]) -> Result<GameId, Refusal> {
    match game {
        ["f", id, _] => Ok(GameId::File(site.replay(id)?)),
        ["r", run, number] => {
            let (run, number) = (site.run(run)?, number.to_owned());
            site.job(move |site| {
                let id = site.match_of(&run, &number)?;
                Ok(GameId::OfRun { run, id })
            })
            .await
        }
        _ => Err(Refusal::absent("there is no such game")),
    }
}

/// Refuses to look through eyes where that makes no sense.
pub(crate) fn check_eyes(replay: &dyn AnyReplay, eyes: Option<PlayerId>) -> Result<(), Refusal> {
    let Some(eyes) = eyes else { return Ok(()) };
    if replay.header().players.get(eyes.index()).is_none() {
        return Err(Refusal::wrong(format!("no player sits at seat {}", eyes.0)));
    }
    match replay.knowledge() {
        Knowledge::Hidden => Ok(()),
        Knowledge::Open => {
            Err(Refusal::wrong("this game hides nothing: everybody sees everything"))
        }
    }
}

/// What a game is, with whether it verifies. That of a long one is found out meanwhile.
async fn about(site: &Arc<Site>, game: GameId) -> Result<Reply, Refusal> {
    let (mut about, long) = site
        .job({
            let game = game.clone();
            move |site| site.about_game(&game)
        })
        .await?;
    let known = site.verified(&game);
    let known = match (known, long) {
        (None, false) => Some(verify(site, game).await?),
        (None, true) => {
            tokio::spawn({
                let site = site.clone();
                async move { verify(&site, game).await.map(drop) }
            });
            None
        }
        (known, _) => known,
    };
    about["verified"] = match known {
        Some(Ok(())) => json!({ "state": "yes", "why": null }),
        Some(Err(why)) => json!({ "state": "no", "why": why }),
        None => json!({ "state": "unknown", "why": "it is being played again; ask once more" }),
    };
    Ok(Reply::json(&about))
}

/// Plays a game again, and remembers whether it comes out the same.
async fn verify(site: &Arc<Site>, game: GameId) -> Result<Result<(), String>, Refusal> {
    site.job(move |site| {
        let replay = site.ready(&game)?;
        let verified = locked(&replay).verify().map_err(|mismatch| mismatch.to_string());
        locked(&site.games_seen.verified).put(game.key(), verified.clone());
        Ok(verified)
    })
    .await
}

impl Site {
    fn verified(&self, game: &GameId) -> Option<Result<(), String>> {
        locked(&self.games_seen.verified).get(&game.key()).cloned()
    }

    /// The bytes of the replay of a game.
    pub(crate) fn bytes(&self, game: &GameId) -> Result<Vec<u8>, Refusal> {
        match game {
            GameId::File(place) => self.replay_bytes(place),
            GameId::OfRun { run, id } => self.with_run(run, |run| {
                run.store.replay(id).map_err(|error| Refusal::failed(error.to_string()))
            }),
        }
    }

    fn record(&self, game: &GameId) -> Result<Record, Refusal> {
        Record::read(&self.bytes(game)?).map_err(broken)
    }

    /// A game, ready to be looked at.
    pub(crate) fn ready(&self, game: &GameId) -> Result<Ready, Refusal> {
        let key = game.key();
        if let Some(ready) = locked(&self.games_seen.ready).get(&key) {
            return Ok(ready.clone());
        }
        let record = self.record(game)?;
        let name = &record.header.game;
        let known = self.game(name).ok_or_else(|| {
            Refusal::failed(format!("it is a game of \"{name}\", which this version does not know"))
        })?;
        let ready = Arc::new(Mutex::new(known.replay(&record).map_err(broken)?));
        if record.packed().len() <= SMALL {
            locked(&self.games_seen.ready).put(key, ready.clone());
        }
        Ok(ready)
    }

    /// What a game is: who played what under which terms, and what there is of it; and whether it is long.
    fn about_game(&self, game: &GameId) -> Result<(Value, bool), Refusal> {
        let long = self.record(game)?.packed().len() > QUICK;
        let replay = self.ready(game)?;
        let replay = locked(&replay);
        let head = replay.header();
        let mut about = serde_json::to_value(head).unwrap_or_default();
        let exports = self.game(&head.game).map(|game| game.exports()).unwrap_or_default();
        let formats: Vec<&str> = FORMATS.into_iter().chain(exports).collect();
        about["steps"] = replay.len().into();
        about["bots"] = head.players.iter().map(|player| player.name.clone()).collect();
        about["hidden"] = (replay.knowledge() == Knowledge::Hidden).into();
        about["downloads"] = formats.into();
        about["faults"] = replay.faulty_steps(None).into();
        // Numbers of 64 bits are not safe in a browser.
        about["seed"] = head.seed.0.to_string().into();
        Ok((about, long))
    }

    /// A game as a file to keep.
    fn download(&self, game: &GameId, format: &str) -> Result<Reply, Refusal> {
        let replay = self.ready(game)?;
        let replay = locked(&replay);
        let id = &replay.header().id;
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let name: String = id.chars().take(64).map(plain).collect();
        let (file, ending) = match format {
            "lrz" => (self.bytes(game)?, "lrz"),
            "lines" => {
                let line = |line: String| game::text::one_line(&line).into_owned() + "\n";
                (replay.lines().into_iter().map(line).collect::<String>().into_bytes(), "lines.txt")
            }
            "json" => {
                let mut file = serde_json::to_vec(replay.header()).unwrap_or_default();
                for step in replay.steps() {
                    file.push(b'\n');
                    file.extend(serde_json::to_vec(&step).unwrap_or_default());
                }
                file.push(b'\n');
                (file, "ndjson")
            }
            "film" => {
                let lines = replay.film(None).map(|line| line + "\n");
                (lines.collect::<String>().into_bytes(), "film.ndjson")
            }
            table::TEXT => (export(&**replay, table::TEXT)?, "txt"),
            other => (export(&**replay, other)?, other),
        };
        let kept = format!("attachment; filename=\"{name}.{ending}\"");
        let reply = Reply::new("application/octet-stream", Bytes::from(file));
        Ok(reply.header(header::CONTENT_DISPOSITION, &kept))
    }

    /// The first step after which two games are different.
    pub(crate) fn difference(&self, a: &GameId, b: &GameId) -> Result<Value, Refusal> {
        let (a, b) = (self.record(a)?, self.record(b)?);
        let found = |first: usize, why: String| Ok(json!({ "first": first, "why": why }));
        let (head, other) = (&a.header, &b.header);
        if head.game != other.game {
            return found(
                0,
                format!("one is a game of {}, the other of {}", head.game, other.game),
            );
        }
        if head.players.len() != other.players.len() {
            return found(0, "they have not as many players".to_owned());
        }
        let (states, others) = (a.digests(), b.digests());
        if let Some(first) = states.iter().zip(&others).position(|(a, b)| a != b) {
            let same = head.config == other.config && head.seed == other.seed;
            let why = match (first, same) {
                (0, false) => "they have another set-up or another seed".to_owned(),
                (first, _) => format!("step {} leads to different states", first + 1),
            };
            return found(first + 1, why);
        }
        match states.len().cmp(&others.len()) {
            std::cmp::Ordering::Equal => {
                Ok(json!({ "first": null, "why": "both went the same way to the end" }))
            }
            std::cmp::Ordering::Less | std::cmp::Ordering::Greater => {
                let end = states.len().min(others.len());
                found(end + 1, format!("one of them ends after step {end}"))
            }
        }
    }
}

fn broken(error: table::ReadError) -> Refusal {
    Refusal::failed(format!("the replay cannot be read: {error}"))
}

fn export(replay: &dyn AnyReplay, format: &str) -> Result<Vec<u8>, Refusal> {
    replay.export(format).map(String::into_bytes).map_err(Refusal::absent)
}
