//! The WebSocket over which a browser is told of games under way, and of those it watches.
//!
//! To the page: `{"live":[…]}` when the list has changed, `{"game":ID,"eyes":N?,"at":LINE,"film":{…}}` for every line of a film,
//! `{"game":ID,"eyes":N?,"end":"over"|"again"|"gone"}` or `…,"error":"…"` at its end. From the page: `{"watch":ID,"from":STEPS?,"eyes":N?}`
//! and `{"forget":ID,"eyes":N?}`.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use futures_util::future::{Either, select};
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use game::PlayerId;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use super::NotWatched;
use super::film::{FilmEnd, FilmPosition};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::site::Site;

/// A page says nothing longer.
const LONGEST: usize = 4096;
/// A page may watch so many games.
const MOST_WATCHED: usize = 64;
/// So often a browser is asked whether it is there, …
const ASK: Duration = Duration::from_secs(20);
/// … and one that has not answered for so long is not.
const SILENT: Duration = Duration::from_secs(60);

const KEY: HeaderName = header::SEC_WEBSOCKET_KEY;
const VERSION: HeaderName = header::SEC_WEBSOCKET_VERSION;

/// Opens the socket that a request asks for.
pub(crate) fn open(site: &Arc<Site>, request: &mut Request<Incoming>) -> Result<Reply, Refusal> {
    let accept = accept(request.method(), request.headers())?;
    let place = site.live.place_for_socket()?;
    let upgrade = hyper::upgrade::on(request);
    let site = site.clone();
    tokio::spawn(async move {
        let Ok(stream) = upgrade.await else { return };
        let config = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let stream = TokioIo::new(stream);
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        let mut page =
            PageSocket { site, socket, list: 0, watched: BTreeMap::new(), heard: Instant::now() };
        let _ = page.serve().await;
        let _ = page.socket.close(None).await;
        drop(place);
    });
    let reply = Reply::new("text/plain", "").status(StatusCode::SWITCHING_PROTOCOLS);
    let reply = reply.header(header::CONNECTION, "Upgrade").header(header::UPGRADE, "websocket");
    Ok(reply.header(header::SEC_WEBSOCKET_ACCEPT, &accept))
}

/// The answer to the key of a request that asks for a WebSocket.
pub(crate) fn accept(method: &Method, headers: &HeaderMap) -> Result<String, Refusal> {
    let has = |name: &HeaderName, word: &str| {
        let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
        lines.flat_map(|line| line.split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
    };
    let key = headers
        .get(KEY)
        .filter(|key| BASE64.decode(key.as_bytes()).is_ok_and(|bytes| bytes.len() == 16));
    let asked = *method == Method::GET
        && has(&header::UPGRADE, "websocket")
        && has(&header::CONNECTION, "upgrade")
        && has(&VERSION, "13");
    match key {
        Some(key) if asked => Ok(derive_accept_key(key.as_bytes())),
        Some(_) | None => Err(Refusal::new(
            StatusCode::UPGRADE_REQUIRED,
            "live games come over a WebSocket of version 13",
        )),
    }
}

/// What a page says.
#[derive(Deserialize)]
#[serde(untagged)]
enum FromPage {
    Watch {
        watch: String,
        #[serde(default)]
        from: usize,
        #[serde(default)]
        eyes: Option<u16>,
    },
    Forget {
        forget: String,
        #[serde(default)]
        eyes: Option<u16>,
    },
}

/// A browser that is connected.
struct PageSocket {
    site: Arc<Site>,
    socket: WebSocketStream<TokioIo<Upgraded>>,
    /// How often the list had changed that it was sent last.
    list: u64,
    /// What it watches, and through whose eyes.
    watched: BTreeMap<(String, Option<u16>), FilmPosition>,
    /// When it has last said anything.
    heard: Instant,
}

/// Whether all was sent that there was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    All,
    Part,
}

impl PageSocket {
    /// Serves it until it leaves, or says what nobody understands.
    async fn serve(&mut self) -> Result<(), Error> {
        let mut news: watch::Receiver<()> = self.site.live.news.subscribe();
        let looked = self.site.job(|site| {
            site.look_for_live();
            Ok(())
        });
        let _ = looked.await;
        let mut ask = Instant::now() + ASK;
        loop {
            news.mark_unchanged();
            if self.send().await? == Sent::Part {
                // It may have changed its mind.
                if let Some(message) = self.socket.next().now_or_never() {
                    self.hear(message.unwrap_or(Err(Error::ConnectionClosed))?).await?;
                }
                continue;
            }
            match timeout_at(ask, select(self.socket.next(), pin!(news.changed()))).await {
                Ok(Either::Left((message, _))) => {
                    self.hear(message.unwrap_or(Err(Error::ConnectionClosed))?).await?;
                }
                Ok(Either::Right(_)) => {}
                Err(_) if self.heard.elapsed() > SILENT => return Err(Error::ConnectionClosed),
                Err(_) => {
                    ask = Instant::now() + ASK;
                    self.socket.send(Message::Ping(Bytes::new())).await?;
                }
            }
        }
    }

    /// Sends what is new: a part of every film in turn.
    async fn send(&mut self) -> Result<Sent, Error> {
        let (changes, list) = self.site.live.list_message();
        if changes != self.list {
            self.list = changes;
            self.socket.feed(text(list.to_string())).await?;
        }
        let mut sent = Sent::All;
        for ((game, eyes), position) in &mut self.watched {
            let read = position.read();
            if read.more {
                sent = Sent::Part;
            }
            let about = about(game, *eyes);
            for (at, line) in read.lines {
                let message = format!("{about},\"at\":{at},\"film\":{line}}}");
                self.socket.feed(text(message)).await?;
            }
            if let Some(end) = read.end {
                let (key, value) = match end {
                    FilmEnd::Over => ("end", "over".to_owned()),
                    FilmEnd::Again => ("end", "again".to_owned()),
                    FilmEnd::Gone => ("end", "gone".to_owned()),
                    FilmEnd::Failed(why) => ("error", why),
                };
                self.socket.feed(text(format!("{about},\"{key}\":{}}}", json!(value)))).await?;
            }
        }
        self.socket.flush().await?;
        Ok(sent)
    }

    async fn hear(&mut self, message: Message) -> Result<(), Error> {
        self.heard = Instant::now();
        match message {
            Message::Text(words) => match serde_json::from_str(&words) {
                Ok(FromPage::Watch { watch, from, eyes }) => self.watch(watch, from, eyes).await,
                Ok(FromPage::Forget { forget, eyes }) => {
                    self.watched.remove(&(forget, eyes));
                    Ok(())
                }
                Err(_) => Err(Error::ConnectionClosed),
            },
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Binary(_) | Message::Close(_) | Message::Frame(_) => {
                Err(Error::ConnectionClosed)
            }
        }
    }

    async fn watch(&mut self, id: String, from: usize, eyes: Option<u16>) -> Result<(), Error> {
        let key = (id.clone(), eyes);
        let refused = match self.watched.len() < MOST_WATCHED || self.watched.contains_key(&key) {
            false => NotWatched::Refused("a page cannot watch more games".to_owned()),
            true => {
                let asked = id.clone();
                let work = move |site: &Arc<Site>| Ok(site.watch_live(&asked, eyes.map(PlayerId)));
                match self.site.job(work).await {
                    Ok(Ok(film)) => {
                        self.watched.insert(key, FilmPosition::new(film, from));
                        return Ok(());
                    }
                    Ok(Err(refused)) => refused,
                    Err(refusal) => NotWatched::Refused(refusal.why),
                }
            }
        };
        let (key, value): (&str, Value) = match refused {
            NotWatched::Gone => ("end", "gone".into()),
            NotWatched::Refused(why) => ("error", why.into()),
        };
        let message = format!("{},\"{key}\":{value}}}", about(&id, eyes));
        self.socket.send(text(message)).await
    }
}

/// The beginning of a message about a game.
fn about(game: &str, eyes: Option<u16>) -> String {
    let game = json!(game);
    match eyes {
        Some(eyes) => format!("{{\"game\":{game},\"eyes\":{eyes}"),
        None => format!("{{\"game\":{game}"),
    }
}

fn text(words: String) -> Message {
    Message::Text(Utf8Bytes::from(words))
}
