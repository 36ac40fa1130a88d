//! Who is let in: the address a request was sent to, where it comes from, and the token.
//!
//! Other users of this machine reach its loopback address, and so do pages of strangers in the user's own browser.
//! Nothing is answered but to somebody who has the token, and only under a name that is ours.

use std::io;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use hyper::header::{HeaderMap, HeaderName};
use hyper::{Method, StatusCode, header};

use crate::address::Query;
use crate::refusal::Refusal;
use crate::secret::Secret;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// The name of the token in the address that is printed.
pub(crate) const TOKEN: &str = "token";
/// The name of a token that is good once: others can read the arguments of a browser that is started.
pub(crate) const ONCE: &str = "once";

/// What decides who is let in.
pub(crate) struct AccessControl {
    token: Secret,
    once: Mutex<Option<Secret>>,
    session: Secret,
    cookie: String,
    /// Whoever knows it may load the files of the page, and nothing else.
    guest: Secret,
    names: Vec<String>,
}

/// What a request is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Look at a page of ours, or at a file of it.
    Page,
    /// Read data.
    Read,
    /// Open a WebSocket.
    Socket,
    /// Change something.
    Change,
}

/// How somebody was let in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    /// With a cookie.
    Session,
    /// With a token, which is to be exchanged for this cookie.
    Token(String),
}

impl AccessControl {
    /// The access control of a server at this port, which may also be reached by these names.
    pub(crate) fn new(port: u16, names: Vec<String>) -> io::Result<AccessControl> {
        Ok(AccessControl {
            token: Secret::new()?,
            once: Mutex::new(None),
            session: Secret::new()?,
            // A host's servers share their cookies, whatever their ports are.
            cookie: format!("lanista-{port}"),
            guest: Secret::new()?,
            names,
        })
    }

    /// The query of the address that is printed.
    pub(crate) fn token(&self) -> String {
        format!("{TOKEN}={}", self.token.words())
    }

    /// The query of an address that is good once; an earlier one is good no longer.
    pub(crate) fn once(&self) -> io::Result<String> {
        let secret = Secret::new()?;
        let query = format!("{ONCE}={}", secret.words());
        *self.once.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret);
        Ok(query)
    }

    /// What the browser calls this server, if it may. A name of a stranger may lead here, too (DNS rebinding); numbers may
    /// not.
    pub(crate) fn host<'r>(&self, headers: &'r HeaderMap) -> Result<&'r str, Refusal> {
        let wrong = |why: String| Refusal::new(StatusCode::MISDIRECTED_REQUEST, why);
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(wrong("the request does not say once which host it is for".to_owned()));
        };
        let host = host.to_str().unwrap_or_default();
        let name = without_port(host);
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let is_address = address.unwrap_or(name).parse::<IpAddr>().is_ok();
        let ours = self.names.iter().map(String::as_str).chain(["localhost"]);
        match is_address || ours.into_iter().any(|own| own.eq_ignore_ascii_case(name)) {
            true => Ok(host),
            false => Err(wrong(format!(
                "this server is not called \"{name}\"; use its address in numbers, or start it with --host {name}"
            ))),
        }
    }

    /// Refuses what comes from somebody else's page.
    pub(crate) fn check_origin(
        &self,
        host: &str,
        headers: &HeaderMap,
        purpose: Purpose,
    ) -> Result<(), Refusal> {
        let foreign = |what: &str| {
            Err(Refusal::new(
                StatusCode::FORBIDDEN,
                format!("{what}; only pages of this server may ask it"),
            ))
        };
        let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let origin = text(&header::ORIGIN);
        if origin.is_some_and(|origin| origin != format!("http://{host}")) {
            return foreign("the request comes from another origin");
        }
        let (site, mode) = (text(&SITE), text(&MODE));
        let own = match purpose {
            Purpose::Page => {
                matches!(site, None | Some("same-origin" | "none")) || mode == Some("navigate")
            }
            Purpose::Read => matches!(site, None | Some("same-origin" | "none")),
            Purpose::Socket | Purpose::Change => matches!(site, None | Some("same-origin")),
        };
        if !own {
            return foreign("the request comes from another site");
        }
        match purpose {
            Purpose::Socket | Purpose::Change if origin.is_none() => {
                foreign("the request does not say from which origin it comes")
            }
            Purpose::Page | Purpose::Read | Purpose::Socket | Purpose::Change => Ok(()),
        }
    }

    /// Lets somebody in who has the cookie, or a token.
    pub(crate) fn admit(
        &self,
        method: &Method,
        headers: &HeaderMap,
        query: &Query,
    ) -> Result<Credential, Refusal> {
        if *method == Method::GET && (query.text(TOKEN).is_some() || query.text(ONCE).is_some()) {
            let known = query.text(TOKEN).is_some_and(|guess| self.token.is(guess));
            if known || query.text(ONCE).is_some_and(|guess| self.use_up(guess)) {
                let (name, value) = (&self.cookie, self.session.words());
                let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict");
                return Ok(Credential::Token(cookie));
            }
        }
        if self.has_cookie(headers) {
            return Ok(Credential::Session);
        }
        Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "this server answers only to those who have its token, and every start has a new one; open the \
             address that `lanista serve` has printed",
        ))
    }

    /// A cookie for somebody who has the token of a seat: with it, the files of the page are loaded.
    pub(crate) fn guest_cookie(&self) -> String {
        let (name, value) = (self.guest_name(), self.guest.words());
        format!("{name}={value}; Path=/page; HttpOnly; SameSite=Strict")
    }

    fn guest_name(&self) -> String {
        format!("{}-guest", self.cookie)
    }

    /// Whether somebody has been let in as a guest.
    pub(crate) fn is_guest(&self, headers: &HeaderMap) -> bool {
        cookies(headers).any(|(name, value)| name == self.guest_name() && self.guest.is(value))
    }

    fn use_up(&self, guess: &str) -> bool {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let known = once.as_ref().is_some_and(|secret| secret.is(guess));
        if known {
            *once = None;
        }
        known
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        cookies(headers).any(|(name, value)| name == self.cookie && self.session.is(value))
    }
}

/// The cookies of a request.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim(), value.trim()))
}

/// A host without its port. The port is of no use to a stranger, and whoever forwards a port (`ssh -L`) has another.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => match name {
            // The colons of an address, and no port.
            name if name.contains(':') && !name.ends_with(']') => host,
            name => name,
        },
        Some(_) | None => host,
    }
}

/// Refuses a change that is not told in JSON, or in too much of it. A page of a stranger can send forms
/// and plain text without asking anybody.
pub(crate) fn check_body(headers: &HeaderMap, longest: u64) -> Result<(), Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let why = "only application/json is taken";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    match length.and_then(|length| length.parse::<u64>().ok()) {
        None => {
            Err(Refusal::new(StatusCode::LENGTH_REQUIRED, "the request must say how long it is"))
        }
        Some(length) if length > longest => {
            let why = format!("the request is longer than {longest} bytes");
            Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).expect("a header"));
        }
        headers
    }

    #[test]
    fn a_server_is_called_by_numbers_or_by_names_it_was_given() {
        let access =
            AccessControl::new(8000, vec!["arena.example".to_owned()]).expect("there is chance");
        let good = [
            "127.0.0.1:8000",
            "127.0.0.1",
            "[::1]:8000",
            "localhost:9",
            "LOCALHOST",
            "arena.example:8000",
        ];
        for host in good {
            assert_eq!(access.host(&headers(&[("host", host)])).expect("ours"), host);
        }
        let bad = [
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "",
            ":8000",
            "[evil]:80",
            "::1]",
            "localhost:x",
            "localhost\u{e9}",
        ];
        for host in bad {
            assert!(access.host(&headers(&[("host", host)])).is_err(), "{host}");
        }
        assert!(access.host(&headers(&[])).is_err());
        assert!(access.host(&headers(&[("host", "localhost"), ("host", "localhost")])).is_err());
    }

    #[test]
    fn only_own_pages_may_ask() {
        use Purpose::{Change, Page, Read, Socket};
        let access = AccessControl::new(8000, Vec::new()).expect("there is chance");
        let may = |purpose: Purpose, lines: &[(&'static str, &str)]| {
            access.check_origin("localhost:8000", &headers(lines), purpose).is_ok()
        };
        let own = ("origin", "http://localhost:8000");
        for purpose in [Page, Read, Socket, Change] {
            assert!(may(purpose, &[own, ("sec-fetch-site", "same-origin")]), "{purpose:?}");
            for foreign in
                ["http://localhost:9000", "https://localhost:8000", "http://evil.example", "null"]
            {
                assert!(!may(purpose, &[("origin", foreign)]), "{purpose:?} {foreign}");
            }
            for site in ["cross-site", "same-site", "?"] {
                assert!(!may(purpose, &[own, ("sec-fetch-site", site)]), "{purpose:?} {site}");
            }
        }
        // A link elsewhere leads to the page, and to nothing else.
        let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert!(
            may(Page, &link) && !may(Read, &link) && !may(Socket, &link) && !may(Change, &link)
        );
        assert!(may(Page, &[]) && may(Read, &[]) && !may(Socket, &[]) && !may(Change, &[]));
    }

    #[test]
    fn a_token_is_exchanged_and_one_of_them_only_once() {
        let access = AccessControl::new(8000, Vec::new()).expect("there is chance");
        let admit = |query: &str, cookie: &str| {
            let query = Query::parse(query).expect("a query");
            access.admit(&Method::GET, &headers(&[("cookie", cookie)]), &query)
        };
        let Ok(Credential::Token(cookie)) = admit(&access.token(), "") else {
            panic!("the token is right")
        };
        assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
        let pair = cookie.split(';').next().expect("a pair");
        assert!(pair.starts_with("lanista-8000="), "{pair}");
        assert_eq!(
            admit("", &format!("other=1; {pair}")).expect("it has the cookie"),
            Credential::Session
        );
        for wrong in [
            "",
            "lanista-8000=",
            "lanista-8000=00",
            &pair.replace("8000", "8001"),
            &pair[..pair.len() - 1],
        ] {
            assert!(admit("", wrong).is_err(), "{wrong}");
        }
        assert!(admit("token=0", "").is_err());
        let once = access.once().expect("there is chance");
        assert!(admit(&once, "").is_ok());
        assert!(admit(&once, "").is_err(), "it has been used");
        assert!(admit(&once.replace(ONCE, TOKEN), "").is_err());
    }

    #[test]
    fn a_change_is_short_and_json() {
        let status = |kind: &str, length: Option<&str>| {
            let mut lines = vec![("content-type", kind)];
            lines.extend(length.map(|length| ("content-length", length)));
            check_body(&headers(&lines), 10).map_err(|refusal| refusal.status.as_u16())
        };
        assert_eq!(status("application/json", Some("10")), Ok(()));
        assert_eq!(status("Application/JSON; charset=utf-8", Some("0")), Ok(()));
        assert_eq!(status("application/json", Some("11")), Err(413));
        assert_eq!(status("application/json", None), Err(411));
        for kind in ["text/plain", "", "application/jsonx", "application/x-www-form-urlencoded"] {
            assert_eq!(status(kind, Some("1")), Err(415), "{kind}");
        }
    }
}
