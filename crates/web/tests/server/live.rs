//! Live games over a WebSocket.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use game::PlayerId;
use serde_json::{Value, json};
use table::live::{Bytes, FromReader, LiveEnd, ToReader};
use table::{AnyGame, Knowledge, Record};
use web::ServerLimits;

use crate::common::{Own, Served, samples};
use crate::watching::{
    GAME, KEY, LONG, Page, Panicking, Program, ask, asked, head, log, own_lines, say,
};

fn game_of(record: &Record) -> &'static dyn AnyGame {
    let game = games::GAMES.iter().find(|game| game.card().id == record.header.game);
    *game.expect("it is known")
}

/// A recorded match of a game of this kind.
fn record(knowledge: Knowledge) -> Record {
    let read =
        |file: PathBuf| Record::read(&std::fs::read(file).expect("it is there")).expect("a replay");
    let mut all = samples().into_iter().map(read);
    all.find(|record| game_of(record).card().knowledge == knowledge).expect("there is one")
}

/// The lines of its film, as they are made of a log that grows. (These are replays of the first format, which do not say
/// all of how a match ended; what is live is of the latest.)
fn film(record: &Record, eyes: Option<PlayerId>) -> Vec<Value> {
    let mut film = game_of(record).film(&record.header, eyes).expect("it can be read");
    let mut lines = vec![film.head()];
    film.feed(record.packed(), &mut lines).expect("it can be read");
    assert!(film.is_over());
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_live_game_is_the_film_of_its_replay_and_is_asked_for_once() {
    let own = Own::new("live-film");
    let record = record(Knowledge::Open);
    let program = Program::new(&own, "cup", &record);
    // A link to a socket is not followed.
    std::fs::create_dir(own.0.join("linked")).expect("writable");
    std::fs::write(own.0.join("linked/run.db"), "").expect("writable");
    let link = own.0.join("linked/live.sock");
    std::os::unix::fs::symlink(own.0.join("cup/live.sock"), link).expect("writable");
    let served = Served::new(&own.0);
    let index = served.json("/api/index");
    assert_eq!(index["live"].as_array().map(Vec::len), Some(1), "{index}");
    let mut server = program.server();
    let film = film(&record, None);
    let last = film.len() - 1;
    let mut early = Page::open(&served);
    let id = early.game();
    assert_eq!(id, index["live"][0]["id"]);
    early.say(&json!({ "watch": id }));
    assert_eq!(asked(&mut server), FromReader::Watch { watch: GAME, from: 0 });
    head(&server, &record);
    let all = record.packed().len();
    // Cut in the middle of an entry.
    log(&server, &record, 0..all / 2 + 1);
    let mut begun = early.lines(2);
    assert!(begun == film[..3], "{begun:?}");
    // What was said so far, although the game goes on.
    let talk = served.json(&format!("/api/live/{id}/talk?from=0&to=2"));
    assert!(!talk["steps"].as_array().expect("a list").is_empty(), "{talk}");
    let state = served.json(&format!("/api/live/{id}"));
    assert_eq!(state, json!({ "under_way": true, "replay": null }));
    let mut late = Page::open(&served);
    late.game();
    late.say(&json!({ "watch": id, "from": 0 }));
    assert!(late.lines(2) == film[..3]);
    // A bot has described itself.
    let mut other = record.clone();
    other.header.players[0].name = "<b>".to_owned();
    head(&server, &other);
    log(&server, &record, all / 2 + 1..all);
    say(&server, &ToReader::End { game: GAME, end: LiveEnd::Over });
    loop {
        let message = early.about_game();
        match (message["at"].as_u64(), message.get("end")) {
            (Some(0), _) => assert_eq!(message["film"]["players"][0]["name"], "<b>"),
            (Some(at), _) => {
                assert_eq!(at as usize, begun.len(), "in order, each once");
                begun.push(message["film"].clone());
            }
            (None, Some(end)) => {
                assert_eq!(end, "over");
                break;
            }
            (None, None) => panic!("{message}"),
        }
    }
    let same = begun.iter().zip(&film).take_while(|(a, b)| a == b).count();
    assert_eq!((same, begun.len()), (film.len(), film.len()));
    // Somebody who was here before goes on where it was; it comes after the end, even.
    let mut again = Page::open(&served);
    again.game();
    again.say(&json!({ "watch": id, "from": last - 1 }));
    let rest = again.lines(last);
    assert_eq!((rest.len(), &rest[1]), (2, &film[last]), "the head and what is missing");
    assert_eq!(again.about_game()["end"], "over");
    // All that from one question.
    server.get_ref().set_nonblocking(true).expect("a socket");
    let more = server.read(&mut [0]);
    assert!(more.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock));
}

#[test]
fn a_hidden_game_is_seen_through_one_pair_of_eyes_or_all() {
    let own = Own::new("live-eyes");
    let record = record(Knowledge::Hidden);
    let program = Program::new(&own, "cup", &record);
    let served = Served::new(&own.0);
    let mut page = Page::open(&served);
    let mut server = program.server();
    let id = page.game();
    page.say(&json!({ "watch": id, "eyes": 1 }));
    asked(&mut server);
    head(&server, &record);
    let all = record.packed().len();
    log(&server, &record, 0..all);
    let own_film = film(&record, Some(PlayerId(1)));
    let whole = film(&record, None);
    assert!(page.lines(own_film.len() - 1) == own_film);
    let talk = served.json(&format!("/api/live/{id}/talk?from=0&to=99&eyes=1"));
    let lines = talk["steps"].as_array().expect("a list").iter();
    let mut lines = lines.flat_map(|step| step["lines"].as_array().expect("a list"));
    assert!(lines.all(|line| line["seat"] == 1), "{talk}");
    // On the same socket, each line says for whose eyes it is.
    page.say(&json!({ "watch": id }));
    for line in &whole {
        let message = page.about_game();
        assert!(message.get("eyes").is_none() && message["film"] == *line, "{message}");
    }
    page.say(&json!({ "watch": id, "eyes": 99 }));
    assert!(page.about_game()["error"].is_string());
}

#[test]
fn a_hidden_game_in_which_a_person_plays_is_shown_to_nobody_before_its_end() {
    let own = Own::new("live-person");
    let mut record = record(Knowledge::Hidden);
    record.header.players[1].bot = "human".to_owned();
    let program = Program::new(&own, "cup", &record);
    let served = Served::new(&own.0);
    let mut page = Page::open(&served);
    let mut server = program.server();
    let id = page.game();
    for wish in [
        json!({ "watch": id }),
        json!({ "watch": id, "eyes": 0 }),
        json!({ "watch": id, "eyes": 1 }),
    ] {
        page.say(&wish);
        let answer = page.about_game();
        assert!(
            answer["error"].as_str().is_some_and(|why| why.contains("when it is over")),
            "{answer}"
        );
    }
    let talk = served.get(&format!("/api/live/{id}/talk?from=0&to=99&eyes=1"));
    assert_eq!(talk.status, 404);
    assert_eq!(served.json(&format!("/api/live/{id}"))["replay"], Value::Null);
    // The program has not been asked for anything.
    server.get_ref().set_nonblocking(true).expect("a socket");
    let more = server.read(&mut [0]);
    assert!(more.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock));
}

#[test]
fn games_that_are_gone_begun_anew_or_not_to_be_seen_so_are_told_apart() {
    let own = Own::new("live-ends");
    let record = record(Knowledge::Open);
    let program = Program::new(&own, "cup", &record);
    let served = Served::new(&own.0);
    let mut page = Page::open(&served);
    let mut server = program.server();
    let id = page.game();
    for wrong in ["nothing", "1-2-3", "", "-", "99999999999999999999-0"] {
        page.say(&json!({ "watch": wrong }));
        assert_eq!(page.about_game(), json!({ "game": wrong, "end": "gone" }));
    }
    page.say(&json!({ "watch": id, "eyes": 0 }));
    let answer = page.about_game();
    assert!(answer["error"].as_str().is_some_and(|why| why.contains("hides nothing")), "{answer}");
    assert_eq!(answer["eyes"], 0);
    page.say(&json!({ "watch": id }));
    assert_eq!(asked(&mut server), FromReader::Watch { watch: GAME, from: 0 });
    say(&server, &ToReader::End { game: GAME, end: LiveEnd::Again });
    assert_eq!(page.about_game(), json!({ "game": id, "end": "again" }));
    // A program that dies takes its games along.
    std::fs::remove_file(own.0.join("cup/live.sock")).expect("it is there");
    drop(server);
    loop {
        let message = page.next().expect("it is told");
        if message["live"].as_array().is_some_and(Vec::is_empty) {
            break;
        }
    }
    assert_eq!(served.json("/api/index")["live"], json!([]));
}

#[test]
fn a_log_with_a_hole_or_of_nonsense_ends_one_film_and_nothing_else() {
    let own = Own::new("live-broken");
    let record = record(Knowledge::Open);
    for (run, hole) in [("hole", true), ("nonsense", false)] {
        let program = Program::new(&own, run, &record);
        let served = Served::new(&own.0.join(run));
        let mut page = Page::open(&served);
        let mut server = program.server();
        let id = page.game();
        page.say(&json!({ "watch": id }));
        asked(&mut server);
        head(&server, &record);
        match hole {
            true => log(&server, &record, 9..10),
            false => {
                let log = Bytes(vec![0xc1; 100]);
                say(&server, &ToReader::Log { game: GAME, at: 0, log });
            }
        }
        page.lines(0);
        let end = page.about_game();
        assert!(end["error"].is_string(), "{end}");
        assert_eq!(served.json("/api/index")["live"][0]["id"], *id);
    }
}

#[test]
fn only_our_own_pages_open_a_socket_and_only_so_many() {
    let own = Own::new("live-door");
    let served = Served::limited(&own.0, ServerLimits { sockets: 2, ..ServerLimits::default() });
    let (host, cookie) = (&served.host, &served.cookie);
    let refused = [
        (403, format!("cookie: {cookie}\r\norigin: http://evil.example\r\n")),
        (403, format!("cookie: {cookie}\r\norigin: null\r\n")),
        (403, format!("cookie: {cookie}\r\n")),
        (403, format!("{}sec-fetch-site: cross-site\r\n", own_lines(&served))),
        (401, format!("origin: http://{host}\r\n")),
        (401, format!("origin: http://{host}\r\ncookie: {}0\r\n", cookie)),
    ];
    for (status, lines) in refused {
        let reply = ask(&served, &mut served.connect(), &lines);
        assert_eq!(reply.status, status, "{lines}");
    }
    let own_host = format!("host: {host}");
    let plain = format!("GET /api/live HTTP/1.1\r\n{own_host}\r\n{}", own_lines(&served));
    let foreign = plain.replace(&own_host, "host: evil.example");
    for (status, request) in [
        (426, format!("{plain}\r\n")),
        (
            426,
            format!(
                "{plain}upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 12\r\n\r\n"
            ),
        ),
        (426, format!("{plain}upgrade: websocket\r\n{KEY}\r\n")),
        (421, format!("{foreign}upgrade: websocket\r\nconnection: upgrade\r\n{KEY}\r\n")),
    ] {
        assert_eq!(served.say(&request).status, status, "{request}");
    }
    let (_first, second) = (Page::open(&served), Page::open(&served));
    let third = ask(&served, &mut served.connect(), &own_lines(&served));
    assert_eq!(third.status, 503);
    drop(second);
    opens(&served);
}

/// A place becomes free.
fn opens(served: &Served) {
    let began = Instant::now();
    loop {
        let mut stream = served.connect();
        if ask(served, &mut stream, &own_lines(served)).status == 101 {
            return;
        }
        assert!(began.elapsed() < LONG, "nobody was dropped");
    }
}

#[test]
fn whoever_says_too_much_or_nonsense_is_left_and_others_are_not() {
    let own = Own::new("live-rude");
    let served = Served::new(&own.0);
    let mut polite = Page::open(&served);
    assert_eq!(polite.next(), Some(json!({ "live": [] })));
    let masked = |start: &[u8], rest: &[u8]| [start, &[0; 4], rest].concat();
    let frames = [
        // A billion bytes are announced.
        masked(&[0x81, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0], b"{"),
        masked(&[0x81, 0xfe, 0xff, 0xff], &[b' '; 65535]),
        masked(&[0x81, 0x82], b"{}"),
        masked(&[0x81, 0x82], &[0xff; 2]),
        masked(&[0x82, 0x82], b"{}"),
        // A part that never ends, and a frame without a mask.
        (0..9000).flat_map(|part| masked(&[if part == 0 { 1 } else { 0 }, 0x81], b" ")).collect(),
        vec![0x81, 2, b'{', b'}'],
    ];
    for frame in frames {
        let mut rude = Page::open(&served);
        // It may be left before all is said.
        let _ = rude.0.write_all(&frame);
        while rude.next().is_some() {}
    }
    polite.say(&json!({ "watch": "x-1" }));
    assert_eq!(polite.about_game()["end"], "gone");
}

#[test]
fn a_page_that_does_not_read_is_dropped_and_others_are_not() {
    let own = Own::new("live-slow");
    let record = record(Knowledge::Open);
    let program = Program::new(&own, "cup", &record);
    let limits = ServerLimits {
        sockets: 2,
        read_time: Duration::from_millis(200),
        ..ServerLimits::default()
    };
    let served = Served::limited(&own.0, limits);
    let mut slow = Page::open(&served);
    let mut server = program.server();
    let id = slow.game();
    slow.say(&json!({ "watch": id }));
    asked(&mut server);
    head(&server, &record);
    log(&server, &record, 0..record.packed().len());
    let steps = film(&record, None).len() - 1;
    slow.lines(steps);
    // It wants all of it again and again, and takes nothing.
    slow.0.set_nonblocking(true).expect("a socket");
    let words = json!({ "watch": id }).to_string();
    let mut frame = vec![0x81, 0x80 | words.len() as u8, 0, 0, 0, 0];
    frame.extend_from_slice(words.as_bytes());
    let frames = frame.repeat(2000);
    let _ = slow.0.write(&frames);
    let mut quick = Page::open(&served);
    quick.game();
    quick.say(&json!({ "watch": id }));
    assert_eq!(quick.lines(steps).len(), steps + 1);
    opens(&served);
}

#[test]
fn a_panic_costs_one_film_or_one_answer() {
    let own = Own::new("live-panic");
    let record = record(Knowledge::Open);
    let is_it = |file: &PathBuf| {
        let bytes = std::fs::read(file).expect("it is there");
        Record::read(&bytes).is_ok_and(|other| other.header.id == record.header.id)
    };
    let file = samples().into_iter().find(is_it).expect("it is there");
    std::fs::copy(file, own.0.join("one.lrz")).expect("writable");
    let game: &'static dyn AnyGame = Box::leak(Box::new(Panicking(game_of(&record))));
    let games: &'static [&'static dyn AnyGame] = Box::leak(Box::new([game]));
    let program = Program::new(&own, "cup", &record);
    let served = Served::playing(&own.0, ServerLimits::default(), games);
    let mut page = Page::open(&served);
    let mut server = program.server();
    let id = page.game();
    page.say(&json!({ "watch": id }));
    asked(&mut server);
    head(&server, &record);
    let end = page.about_game();
    assert!(end["error"].as_str().is_some_and(|why| why.contains("fault of the server")), "{end}");
    let index = served.json("/api/index");
    assert_eq!(index["live"][0]["id"], *id, "the program is still listened to");
    let replay = index["replays"][0]["id"].as_str().expect("an id").to_owned();
    for what in ["about", "film", "talk", "download/json"] {
        let reply = served.get(&format!("/api/f/{replay}/{what}"));
        assert_eq!(reply.status, 500, "{what}");
    }
    page.say(&json!({ "watch": "x-1" }));
    assert_eq!(page.about_game()["end"], "gone");
    assert_eq!(served.get("/").status, 200);
}
