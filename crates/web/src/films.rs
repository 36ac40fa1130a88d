//! Films of games, gzipped: made while they are sent, and kept for whoever asks next.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use game::PlayerId;
use hyper::header;
use tokio::sync::oneshot;

use crate::games::{GameId, check_eyes};
use crate::growing::{Growing, Growth, Maker};
use crate::refusal::Refusal;
use crate::reply::{Body, Reply};
use crate::site::{Site, locked};

/// Films of so many bytes together, gzipped, are kept.
const KEPT: usize = 64 << 20;
/// A longer one is cut off: nobody could watch it.
const LONGEST: usize = 64 << 20;
/// So much is sent at once.
const PART: usize = 32 << 10;

/// The films that were asked for last.
#[derive(Default)]
pub(crate) struct Films(Mutex<VecDeque<(String, Growing)>>);

impl Films {
    /// A film, if it is kept; it becomes the last that would be forgotten.
    fn get(&self, key: &str) -> Option<Growing> {
        let mut films = locked(&self.0);
        let place = films.iter().position(|(known, _)| known == key)?;
        let film = films.remove(place)?;
        let found = film.1.clone();
        if found.state() == Growth::Broken {
            return None;
        }
        films.push_back(film);
        Some(found)
    }

    fn put(&self, key: String, film: Growing) {
        locked(&self.0).push_back((key, film));
    }

    /// Forgets those that were not asked for for longest, if there is too much of it.
    fn shrink(&self) {
        let mut films = locked(&self.0);
        let mut bytes: usize = films.iter().map(|(_, film)| film.len()).sum();
        while bytes > KEPT
            && let Some((_, film)) = films.pop_front()
        {
            bytes -= film.len();
        }
    }
}

/// A film of a game, through one player's eyes or everybody's.
pub(crate) async fn film(
    site: &Arc<Site>,
    game: GameId,
    eyes: Option<PlayerId>,
) -> Result<Reply, Refusal> {
    let key = format!("{} {}", game.key(), eyes.map_or("-".to_owned(), |eyes| eyes.0.to_string()));
    let film = match site.films.get(&key) {
        Some(film) => film,
        None => make(site, key, game, eyes).await?,
    };
    let reply = Reply::of("application/x-ndjson; charset=utf-8", Body::Growing(film.reader()));
    Ok(reply.header(header::CONTENT_ENCODING, "gzip"))
}

/// Begins a film; it is there as soon as the replay could be read, and grows on.
async fn make(
    site: &Arc<Site>,
    key: String,
    game: GameId,
    eyes: Option<PlayerId>,
) -> Result<Growing, Refusal> {
    let (begun, wait) = oneshot::channel();
    let owner = site.clone();
    let job = async move {
        owner
            .job(move |site| {
                let opened = site.ready(&game).and_then(|replay| {
                    check_eyes(&**locked(&replay), eyes)?;
                    Ok(replay)
                });
                let replay = match opened {
                    Ok(replay) => replay,
                    Err(refusal) => {
                        let _ = begun.send(Err(refusal));
                        return Ok(());
                    }
                };
                let film = Growing::default();
                let maker = film.maker();
                site.films.put(key, film.clone());
                let _ = begun.send(Ok(film));
                let mut file =
                    GzEncoder::new(Parts { maker, ready: Vec::new() }, Compression::new(3));
                let replay = locked(&replay);
                for line in replay.film(eyes) {
                    let written =
                        file.write_all(line.as_bytes()).and_then(|()| file.write_all(b"\n"));
                    written.map_err(|error| Refusal::failed(error.to_string()))?;
                }
                let parts = file.finish().map_err(|error| Refusal::failed(error.to_string()))?;
                parts.finish();
                site.films.shrink();
                Ok(())
            })
            .await
    };
    tokio::spawn(job);
    let fault = || {
        Refusal::failed(
            "the film could not be made, which is a fault of the server; its terminal says where",
        )
    };
    wait.await.unwrap_or_else(|_| Err(fault()))
}

/// What is written, in parts that are worth sending.
struct Parts {
    maker: Maker,
    ready: Vec<u8>,
}

impl Parts {
    fn finish(self) {
        self.maker.add(self.ready);
        self.maker.finish();
    }
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.ready.extend_from_slice(bytes);
        if self.ready.len() >= PART {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.maker.made() > LONGEST {
            return Err(io::Error::other("the film is too long"));
        }
        self.maker.add(std::mem::take(&mut self.ready));
        Ok(())
    }
}
