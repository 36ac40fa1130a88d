//! Whom the server answers, and what it survives.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::time::Duration;

use web::ServerLimits;

use crate::common::{Own, Reply, Served};

#[test]
fn nothing_is_answered_without_the_token() {
    let own = Own::new("token").with_replay("one.lrz");
    let served = Served::new(&own.0);
    let host = &served.host;
    for path in [
        "/",
        "/page/index.html",
        "/api/index",
        "/api/nothing",
        "/nothing",
        "/?token=00",
        "/?once=00",
    ] {
        let reply = served.say(&format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n"));
        assert_eq!(reply.status, 401, "{path}");
        assert!(reply.text().contains("token") && reply.header("set-cookie").is_none(), "{path}");
        let guess = served.cookie.replace('a', "b").replace('1', "2");
        let cookie = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {guess}\r\n\r\n");
        assert_eq!(served.say(&cookie).status, 401, "{path}");
    }
}

#[test]
fn the_token_is_exchanged_for_a_cookie_and_a_clean_address() {
    let own = Own::new("exchange");
    let served = Served::new(&own.0);
    let once = served.server.url_once().expect("there is chance");
    for url in [served.server.url(), once.clone()] {
        let path = url.strip_prefix(&format!("http://{}", served.host)).expect("its own address");
        let reply = served.say(&format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", served.host));
        assert_eq!((reply.status, reply.header("location")), (303, Some("/")));
        let cookie = reply.header("set-cookie").expect("a cookie");
        assert!(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"), "{cookie}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
    }
    let path = once.strip_prefix(&format!("http://{}", served.host)).expect("its own address");
    let again = served.say(&format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", served.host));
    assert_eq!(again.status, 401, "it was good once");
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn a_strangers_name_does_not_lead_here() {
    let own = Own::new("rebinding");
    let served = Served::new(&own.0);
    for host in ["evil.example", "evil.example:80", "localhost.evil.example", ""] {
        let cookie = &served.cookie;
        let request =
            format!("GET /api/index HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n\r\n");
        assert_eq!(served.say(&request).status, 421, "{host}");
    }
    let none = format!("GET /api/index HTTP/1.1\r\ncookie: {}\r\n\r\n", served.cookie);
    assert_eq!(served.say(&none).status, 421);
    let port = served.server.address().port();
    let local = format!(
        "GET /api/index HTTP/1.1\r\nhost: localhost:{port}\r\ncookie: {}\r\n\r\n",
        served.cookie
    );
    assert_eq!(served.say(&local).status, 200);
}

#[test]
fn pages_of_strangers_cannot_ask() {
    let own = Own::new("origin");
    let served = Served::new(&own.0);
    let ours = format!("origin: http://{}", served.host);
    let status =
        |method: &str, path: &str, headers: &[&str]| served.ask(method, path, headers).status;
    for foreign in [
        "origin: http://evil.example",
        "origin: null",
        "sec-fetch-site: cross-site",
        "sec-fetch-site: same-site",
    ] {
        assert_eq!(status("GET", "/api/index", &[foreign]), 403, "{foreign}");
        assert_eq!(status("GET", "/api/live", &[foreign]), 403, "{foreign}");
        assert_eq!(status("POST", "/api/index", &[foreign]), 403, "{foreign}");
    }
    assert_eq!(status("GET", "/api/index", &[&ours, "sec-fetch-site: same-origin"]), 200);
    // A link elsewhere may lead to the page, but a stranger's script tag may not load parts of it.
    let link = ["sec-fetch-site: cross-site", "sec-fetch-mode: navigate"];
    assert_eq!(status("GET", "/", &link), 200);
    assert_eq!(status("GET", "/", &["sec-fetch-site: cross-site", "sec-fetch-mode: no-cors"]), 403);
    assert_eq!(status("GET", "/api/index", &link), 403);
    assert_eq!(status("GET", "/api/live", &[]), 403, "a WebSocket says where it comes from");
}

#[test]
fn changes_have_to_be_short_json_of_our_own_page() {
    let own = Own::new("changes");
    let served = Served::new(&own.0);
    let ours = format!("origin: http://{}", served.host);
    let json = "content-type: application/json";
    let status = |headers: &[&str]| served.ask("POST", "/api/index", headers).status;
    assert_eq!(status(&[json, "content-length: 0"]), 403, "it does not say where it comes from");
    assert_eq!(status(&[&ours, "content-type: text/plain", "content-length: 0"]), 415);
    assert_eq!(status(&[&ours, json, "transfer-encoding: chunked"]), 411);
    assert_eq!(status(&[&ours, json, "content-length: 99999999"]), 413);
    assert_eq!(status(&[&ours, json, "content-length: 0"]), 405, "there is nothing to change");
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
        let reply = served.ask(method, "/api/index", &[&ours, json, "content-length: 0"]);
        assert_eq!(reply.status, 405, "{method}");
    }
}

#[test]
fn every_reply_says_what_a_browser_must_not_do() {
    let own = Own::new("headers").with_replay("one.lrz");
    let served = Served::new(&own.0);
    let replies = [
        served.get("/"),
        served.get("/api/index"),
        served.get("/nothing"),
        served.ask("GET", "/nothing", &["accept: text/html"]),
        served.say(&format!("GET / HTTP/1.1\r\nhost: {}\r\n\r\n", served.host)),
        served.say("GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n"),
    ];
    for reply in replies {
        let policy = reply.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(reply.header("cross-origin-opener-policy"), Some("same-origin"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert!(reply.header("access-control-allow-origin").is_none());
    }
    assert_eq!(served.get("/api/index").header("cache-control"), Some("no-store"));
    assert_eq!(served.get("/").header("cache-control"), Some("no-cache"));
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let own = Own::new("paths");
    let secret = own.0.join("secret.lrz");
    std::fs::write(&secret, "top secret").expect("writable");
    let inside = own.0.join("served");
    std::fs::create_dir(&inside).expect("writable");
    symlink(&secret, inside.join("link.lrz")).expect("writable");
    symlink(&own.0, inside.join("out")).expect("writable");
    let served = Served::new(&inside);
    assert_eq!(served.json("/api/index")["replays"], serde_json::json!([]));
    let tricks = [
        "/../secret.lrz",
        "/%2e%2e/secret.lrz",
        "/page/../../Cargo.toml",
        "/page/%2e%2e/%2e%2e/Cargo.toml",
        "/page/..%2f..%2fCargo.toml",
        "/page/%2fetc%2fpasswd",
        "/page//etc/passwd",
        "/page/index.html%00",
        "/page/",
        "/page/index.html%00.js",
        "/api/f/..%2fsecret.lrz/about",
        "/api/f/out%2fsecret.lrz/about",
        "/api/f/link.lrz/download/lrz",
        "/api/f/%00/about",
        "/api/f//about",
        "/api/run/..",
        "/api/run/%2e%2e%2f",
        "/page/..\\..\\Cargo.toml",
        "//etc/passwd",
        "/page/index.html/..",
    ];
    for path in tricks {
        let reply = served.get(path);
        assert_eq!(reply.status, 404, "{path}: {}", reply.text());
        assert!(
            !reply.text().contains("top secret") && !reply.text().contains("[package]"),
            "{path}"
        );
    }
    for path in ["/%", "/%zz", "/page/%ff", "/?a=%"] {
        assert_eq!(served.get(path).status, 400, "{path}");
    }
}

#[test]
fn an_error_is_a_page_for_a_person_and_json_for_a_program() {
    let own = Own::new("errors");
    let served = Served::new(&own.0);
    let page = served.ask("GET", "/%3Cscript%3E", &["accept: text/html,*/*"]);
    assert_eq!((page.status, page.header("content-type")), (404, Some("text/html; charset=utf-8")));
    let name = served.ask("GET", "/page/%3Cscript%3E.js", &["accept: text/html"]);
    assert!(
        name.text().contains("&lt;script&gt;") && !name.text().contains("<script"),
        "{}",
        name.text()
    );
    let json = served.get("/api/run/none");
    let why: serde_json::Value = serde_json::from_slice(&json.body).expect("it is JSON");
    assert!(why["error"].as_str().is_some_and(|why| why.contains("tournament")), "{why}");
}

#[test]
fn whoever_never_finishes_a_request_is_dropped_and_others_are_served() {
    let own = Own::new("slowloris");
    let limits =
        ServerLimits { header_time: Duration::from_millis(300), ..ServerLimits::default() };
    let served = Served::limited(&own.0, limits);
    let mut silent = served.connect();
    let mut begun = served.connect();
    begun.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n").expect("it listens");
    let mut idle = served.connect();
    let request =
        format!("GET / HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", served.host, served.cookie);
    idle.write_all(request.as_bytes()).expect("it listens");
    assert_eq!(Reply::read(&mut idle).expect("it answers").status, 200);
    for stream in [&mut silent, &mut begun, &mut idle] {
        let mut rest = Vec::new();
        // What counts is that it ends.
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&rest));
    }
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn there_are_only_so_many_connections_and_the_next_is_told() {
    let own = Own::new("crowd");
    let limits = ServerLimits {
        connections: 2,
        header_time: Duration::from_secs(30),
        ..ServerLimits::default()
    };
    let served = Served::limited(&own.0, limits);
    // The one that fetched the cookie may not have been counted off yet.
    let mut held = Vec::new();
    let refused = loop {
        let mut stream = served.connect();
        let request =
            format!("GET / HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", served.host, served.cookie);
        stream.write_all(request.as_bytes()).expect("it listens");
        match Reply::read(&mut stream) {
            Ok(reply) if reply.status == 200 => held.push(stream),
            Ok(reply) => break Some(reply),
            // It was closed before all of the request had been sent.
            Err(_) => break None,
        }
        assert!(held.len() < 4, "there is a limit");
    };
    assert!(refused.is_none_or(|reply| reply.status == 503 && reply.text().contains("too many")));
    drop(held);
    // Places become free again.
    let mut last = None;
    for _ in 0..1000 {
        let mut stream = served.connect();
        let request =
            format!("GET / HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", served.host, served.cookie);
        let _ = stream.write_all(request.as_bytes());
        last = Reply::read(&mut stream).ok().map(|reply| reply.status);
        if last == Some(200) {
            break;
        }
    }
    assert_eq!(last, Some(200));
}

#[test]
fn what_is_no_request_ends_a_connection_and_nothing_else() {
    let own = Own::new("noise");
    let served = Served::new(&own.0);
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(1000));
    let noise: [&[u8]; 6] = [
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        long.as_bytes(),
        many.as_bytes(),
        b"GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
    ];
    for bytes in noise {
        let mut stream = served.connect();
        let _ = stream.write_all(bytes);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        assert!(!reply.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&reply));
    }
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn the_token_of_a_seat_leads_to_that_seat_and_to_nothing_else() {
    let own = Own::new("seat").with_replay("one.lrz");
    let served = Served::new(&own.0);
    let host = &served.host;
    let advisers = std::sync::Arc::new(NobodyToAsk);
    let seats = host::SeatServer::start([0].into_iter(), advisers).expect("a seat can be opened");
    let (_, token) = seats.tokens().next().expect("there is one");
    let token = token.words();
    let get = |path: &str, headers: &str| {
        served.say(&format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{headers}\r\n"))
    };
    let page = get(&format!("/seat/{token}"), "");
    assert_eq!(page.status, 200);
    let cookie = page.header("set-cookie").expect("it lets the files of the page through");
    assert!(cookie.contains("; Path=/page; HttpOnly; SameSite=Strict"), "{cookie}");
    let guest = format!("cookie: {}\r\n", cookie.split(';').next().expect("a pair"));
    assert_eq!(get("/page/js/app.js", &guest).status, 200);
    for path in ["/", "/api/index", "/api/play", "/api/live/x", "/api/f/x/film"] {
        assert_eq!(get(path, &guest).status, 401, "{path}");
    }
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let ours = format!("origin: http://{host}\r\n{upgrade}");
    assert_eq!(get(&format!("/api/seat/{token}"), upgrade).status, 403, "from nowhere");
    let foreign = format!("origin: http://evil.example\r\n{upgrade}");
    assert_eq!(get(&format!("/api/seat/{token}"), &foreign).status, 403);
    let wrong =
        ["0".repeat(32), token.to_uppercase() + "0", "../x".to_owned(), token[1..].to_owned()];
    for wrong in &wrong {
        let wrong = wrong.replace('/', "%2f");
        assert_eq!(get(&format!("/seat/{wrong}"), "").status, 404, "{wrong}");
        assert_eq!(get(&format!("/api/seat/{wrong}"), &ours).status, 404, "{wrong}");
    }
    let path = format!("/seat/{token}");
    drop(seats);
    assert_eq!(get(&path, "").status, 404, "nobody plays there any more");
}

#[test]
fn games_are_begun_only_where_that_is_wanted_and_only_with_known_bots() {
    let own = Own::new("begin");
    let served = Served::new(&own.0);
    assert_eq!(served.get("/api/play").status, 404, "there is no program to play with");
    let ours = format!("origin: http://{}", served.host);
    let json = "content-type: application/json";
    let reply = served.ask("POST", "/api/play", &[&ours, json, "content-length: 0"]);
    assert_eq!(reply.status, 400, "{}", reply.text());
}

/// A table at which no bot can be asked.
struct NobodyToAsk;

impl host::Advisers for NobodyToAsk {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
    fn question(
        &self,
        _: &str,
        _: &dyn table::desk::AnyDesk,
    ) -> Result<table::BotQuestion, String> {
        Err("nobody can be asked".to_owned())
    }
    fn ask(&self, _: &str, _: table::BotQuestion) -> String {
        String::new()
    }
}
