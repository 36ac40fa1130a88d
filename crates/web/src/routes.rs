//! Which request is answered by what.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode, header};
use serde_json::json;

use crate::access_control::{Credential, Purpose, check_body};
use crate::address::{Query, segments};
use crate::analysis;
use crate::games::{self, GameId};
use crate::live;
use crate::play::body_of;
use crate::refusal::{Refusal, RefusalFormat};
use crate::reply::{Body, Reply};
use crate::run_data;
use crate::seat;
use crate::site::Site;

/// No change needs more bytes.
const LONGEST_CHANGE: u64 = 64 << 10;
/// So many replays are on a page of the list.
const REPLAYS: usize = 200;

/// Answers a request, whatever it is.
pub(crate) async fn answer(site: Arc<Site>, request: Request<Incoming>) -> Response<Body> {
    let form = form(&request);
    let host = site.access.host(request.headers()).map(str::to_owned);
    let host = match host {
        Ok(host) => host,
        Err(refusal) => return refusal.finish(form, None),
    };
    // A panic costs one answer.
    let work = tokio::spawn({
        let host = host.clone();
        async move { respond(&site, &host, request).await }
    });
    let fault = || {
        Refusal::failed(
            "the server failed at this, which is a fault of its own; its terminal says where",
        )
    };
    match work.await.unwrap_or_else(|_| Err(fault())) {
        Ok(reply) => reply.finish(Some(&host), None),
        Err(refusal) => refusal.finish(form, Some(&host)),
    }
}

/// Whether a person or a program asks.
fn form<B>(request: &Request<B>) -> RefusalFormat {
    let accepts = request.headers().get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok());
    match accepts.is_some_and(|kinds| kinds.contains("text/html")) {
        true => RefusalFormat::Page,
        false => RefusalFormat::Json,
    }
}

async fn respond(
    site: &Arc<Site>,
    host: &str,
    mut request: Request<Incoming>,
) -> Result<Reply, Refusal> {
    let path = segments(request.uri().path())?;
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let query = Query::parse(request.uri().query().unwrap_or_default())?;
    let purpose = purpose(request.method(), &path);
    site.access.check_origin(host, request.headers(), purpose)?;
    // Whoever has the token of a seat need not be admitted to anything else.
    match (purpose, &path[..]) {
        (Purpose::Page, ["seat", token]) => {
            return seat::page(site, token, request.headers()).await;
        }
        (Purpose::Socket, ["api", "seat", token]) => {
            return seat::open(site, token, &mut request).await;
        }
        (Purpose::Page, ["page", name @ ..]) if site.access.is_guest(request.headers()) => {
            return site.page.reply(&name.join("/"), request.headers());
        }
        _ => {}
    }
    let entry = site.access.admit(request.method(), request.headers(), &query)?;
    if let Credential::Token(cookie) = entry {
        let there = Reply::new("text/plain; charset=utf-8", "").status(StatusCode::SEE_OTHER);
        return Ok(there.header(header::SET_COOKIE, &cookie).header(header::LOCATION, "/"));
    }
    match purpose {
        Purpose::Change => {
            check_body(request.headers(), LONGEST_CHANGE)?;
            if path == ["api", "play"] {
                let wish = body_of(request.into_body()).await?;
                return site.job(move |site| site.begin_play(&wish)).await;
            }
            if path == ["api", "analyse"] {
                let wish = body_of(request.into_body()).await?;
                return analysis::analyse(site, &wish).await;
            }
            Err(Refusal::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "nothing can be changed here, only read",
            ))
        }
        Purpose::Socket => live::open(site, &mut request),
        Purpose::Page | Purpose::Read => read(site, request.headers(), &path, &query).await,
    }
}

fn purpose(method: &Method, path: &[&str]) -> Purpose {
    match path {
        _ if *method != Method::GET && *method != Method::HEAD => Purpose::Change,
        ["api", "live"] | ["api", "seat", _] => Purpose::Socket,
        ["api", ..] => Purpose::Read,
        _ => Purpose::Page,
    }
}

async fn read(
    site: &Arc<Site>,
    headers: &HeaderMap,
    path: &[&str],
    query: &Query,
) -> Result<Reply, Refusal> {
    match path {
        [] => site.page.reply("index.html", headers),
        ["page", name @ ..] => site.page.reply(&name.join("/"), headers),
        ["api", "index"] => {
            let from = query.number("replays_from")?.unwrap_or(0);
            site.job(move |site| index(site, from)).await
        }
        ["api", "play"] => site.job(Site::play_choices).await,
        ["api", "live", id, what @ ..] => live::answer(site, id, what, query).await,
        ["api", "run", id, what @ ..] => run_data::answer(site, id, what, query).await,
        ["api", "f", id, what @ ..] => games::answer(site, ["f", id, ""], what, query).await,
        ["api", "r", run, number, what @ ..] => {
            games::answer(site, ["r", run, number], what, query).await
        }
        ["api", "diff"] => {
            let (a, b) = (named(site, query, "a").await?, named(site, query, "b").await?);
            site.job(move |site| Ok(Reply::json(&site.difference(&a, &b)?))).await
        }
        ["api", ..] => Err(Refusal::absent("the server has no such data")),
        _ => Err(Refusal::absent("there is no such page; begin at the first one, /")),
    }
}

/// The game that a query names, as `f/FILE` or `r/RUN/N`.
async fn named(site: &Arc<Site>, query: &Query, name: &str) -> Result<GameId, Refusal> {
    let text = query.text(name).unwrap_or_default();
    let parts: Vec<&str> = text.split('/').collect();
    match parts[..] {
        ["f", id] => games::game_id(site, ["f", id, ""]).await,
        ["r", run, number] => games::game_id(site, ["r", run, number]).await,
        _ => Err(Refusal::wrong(format!("{name} names no game: \"{text}\""))),
    }
}

/// What there is, for the first page.
fn index(site: &Arc<Site>, replays_from: usize) -> Result<Reply, Refusal> {
    site.look_for_live();
    let found = site.found()?;
    let runs: Vec<_> = found.runs.iter().map(|place| site.run_summary(place)).collect();
    let replays = found.replays.iter().skip(replays_from).take(REPLAYS);
    let replays: Vec<_> = replays.map(|place| site.replay_summary(place)).collect();
    Ok(Reply::json(&json!({
        "folder": site.folder.path().display().to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "runs": runs,
        "replays": replays,
        "replays_total": found.replays.len(),
        "live": site.live.list(),
        "left_out": found.left_out,
    })))
}
