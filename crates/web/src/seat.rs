//! The seat of a person who plays: a page for it, and a WebSocket that hands on what the seat and the page say to each
//! other. Whoever knows the token of a seat has that seat, and nothing else of this server.

use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use futures_util::future::select;
use futures_util::{SinkExt as _, StreamExt as _};
use host::SeatToken;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::upgrade::Upgraded;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::time::{Duration, Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message, Utf8Bytes};

use crate::live::accept;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::site::{Site, locked};

/// A page says nothing longer.
const LONGEST: usize = 4000;
/// No desk is longer.
const LONGEST_DESK: u64 = 32 << 20;
/// So often a browser is asked whether it is there, …
const ASK: Duration = Duration::from_secs(20);
/// … and one that has not answered for so long is not.
const SILENT: Duration = Duration::from_secs(60);

fn gone() -> Refusal {
    Refusal::absent("nobody plays at this seat any more, or the address is not whole")
}

/// Connects to a seat. It may take a moment.
async fn connect(site: &Arc<Site>, token: &str) -> Result<std::os::unix::net::UnixStream, Refusal> {
    let token = SeatToken::read(token).ok_or_else(gone)?;
    site.job(move |_| host::connect_seat(&token).map_err(|_| gone())).await
}

/// The page of a seat, for somebody who may have nothing but its token.
pub(crate) async fn page(
    site: &Arc<Site>,
    token: &str,
    headers: &HeaderMap,
) -> Result<Reply, Refusal> {
    connect(site, token).await?;
    let page = site.page.reply("index.html", headers)?;
    Ok(page.header(header::SET_COOKIE, &site.access.guest_cookie()))
}

/// Opens the WebSocket of a seat.
pub(crate) async fn open(
    site: &Arc<Site>,
    token: &str,
    request: &mut Request<Incoming>,
) -> Result<Reply, Refusal> {
    let answer = accept(request.method(), request.headers())?;
    let seat = connect(site, token).await?;
    let failed = |error: io::Error| Refusal::failed(error.to_string());
    seat.set_nonblocking(true).map_err(failed)?;
    let seat = UnixStream::from_std(seat).map_err(failed)?;
    let place = site.live.place_for_socket()?;
    let upgrade = hyper::upgrade::on(request);
    tokio::spawn(async move {
        let Ok(stream) = upgrade.await else { return };
        let config = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let stream = TokioIo::new(stream);
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        relay(socket, seat).await;
        drop(place);
    });
    let reply = Reply::new("text/plain", "").status(StatusCode::SWITCHING_PROTOCOLS);
    let reply = reply.header(header::CONNECTION, "Upgrade").header(header::UPGRADE, "websocket");
    Ok(reply.header(header::SEC_WEBSOCKET_ACCEPT, &answer))
}

/// Hands on every line of the seat and every word of the page, until one of them leaves.
async fn relay(page: WebSocketStream<TokioIo<Upgraded>>, seat: UnixStream) {
    let (from_seat, mut to_seat) = seat.into_split();
    let (mut to_page, mut from_page) = page.split();
    let heard = Mutex::new(Instant::now());
    let to_page = async {
        let mut from_seat = BufReader::new(from_seat);
        let mut line = Vec::new();
        loop {
            let mut limited = (&mut from_seat).take(LONGEST_DESK - line.len() as u64);
            // A part of a line stays in `line` when the time is up.
            let message = match timeout(ASK, limited.read_until(b'\n', &mut line)).await {
                Err(_) if locked(&heard).elapsed() > SILENT => break,
                Err(_) => Message::Ping(Bytes::new()),
                Ok(read) => {
                    let whole = read.is_ok() && line.pop() == Some(b'\n');
                    match Utf8Bytes::try_from(std::mem::take(&mut line)) {
                        Ok(words) if whole => Message::Text(words),
                        Ok(_) | Err(_) => break,
                    }
                }
            };
            if to_page.send(message).await.is_err() {
                break;
            }
        }
        let _ = to_page.close().await;
    };
    let to_seat = async {
        while let Some(Ok(message)) = from_page.next().await {
            *locked(&heard) = Instant::now();
            match message {
                Message::Text(words) if !words.contains('\n') => {
                    let line = format!("{words}\n");
                    if to_seat.write_all(line.as_bytes()).await.is_err() {
                        break;
                    }
                }
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Text(_) | Message::Binary(_) | Message::Close(_) | Message::Frame(_) => {
                    break;
                }
            }
        }
    };
    select(pin!(to_page), pin!(to_seat)).await;
}
