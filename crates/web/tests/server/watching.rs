//! A program that plays, played by the test, and a page that watches over a WebSocket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use game::PlayerId;
use serde_json::{Map, Value, json};
use table::live::{Bytes, FromReader, ToReader};
use table::{AnyGame, Record};

use crate::common::{Own, Reply, Served};

/// A program that plays one game, as the test says.
pub(crate) struct Program {
    connections: Receiver<UnixStream>,
}

/// The number that the game has.
pub(crate) const GAME: u64 = 7;

impl Program {
    /// Listens in the folder of a tournament.
    pub(crate) fn new(own: &Own, run: &str, record: &Record) -> Program {
        let folder = own.0.join(run);
        std::fs::create_dir_all(&folder).expect("writable");
        std::fs::write(folder.join("run.db"), "").expect("writable");
        let listener = UnixListener::bind(folder.join("live.sock")).expect("writable");
        let hello = json!({ "live": 1, "lanista": "0", "pid": 99, "command": "run" });
        let list = json!({ "games": [listed(record)] });
        let (send, connections) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = writeln!(&stream, "{hello}\n{list}");
                let _ = send.send(stream);
            }
        });
        Program { connections }
    }

    /// The server, which has connected.
    pub(crate) fn server(&self) -> BufReader<UnixStream> {
        let stream = self.connections.recv_timeout(LONG).expect("the server connects");
        stream.set_read_timeout(Some(LONG)).expect("a socket");
        BufReader::new(stream)
    }
}

/// Only bounds a failing test.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A game as a program lists it.
fn listed(record: &Record) -> Value {
    let head = &record.header;
    json!({
        "id": GAME, "index": 0, "game": head.game, "match": head.id, "players": head.players,
        "setup": {}, "began_ms": 1, "recorded": true,
    })
}

pub(crate) fn say(server: &BufReader<UnixStream>, word: &ToReader) {
    let line = serde_json::to_string(word).expect("it serialises");
    writeln!(server.get_ref(), "{line}").expect("it is heard");
}

pub(crate) fn head(server: &BufReader<UnixStream>, record: &Record) {
    say(server, &ToReader::Head { game: GAME, head: Box::new(record.header.clone()) });
}

pub(crate) fn log(server: &BufReader<UnixStream>, record: &Record, part: std::ops::Range<usize>) {
    let log = Bytes(record.packed()[part.clone()].to_vec());
    say(server, &ToReader::Log { game: GAME, at: part.start as u64, log });
}

pub(crate) fn asked(server: &mut BufReader<UnixStream>) -> FromReader {
    let mut line = String::new();
    server.read_line(&mut line).expect("it says something");
    serde_json::from_str(&line).expect("a word")
}

/// A page that watches.
pub(crate) struct Page(pub(crate) TcpStream);

pub(crate) const KEY: &str =
    "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

/// Asks for a WebSocket as a browser does, with these other lines.
pub(crate) fn ask(served: &Served, stream: &mut TcpStream, lines: &str) -> Reply {
    let request = format!(
        "GET /api/live HTTP/1.1\r\nhost: {}\r\nupgrade: websocket\r\nconnection: keep-alive, Upgrade\r\n{KEY}{lines}\r\n",
        served.host
    );
    stream.write_all(request.as_bytes()).expect("it listens");
    Reply::read(stream).expect("it answers")
}

pub(crate) fn own_lines(served: &Served) -> String {
    format!("cookie: {}\r\norigin: http://{}\r\n", served.cookie, served.host)
}

impl Page {
    pub(crate) fn open(served: &Served) -> Page {
        let mut stream = served.connect();
        let reply = ask(served, &mut stream, &own_lines(served));
        assert_eq!(reply.status, 101, "{}", reply.text());
        // RFC 6455, for this key.
        let accept = reply.header("sec-websocket-accept");
        assert_eq!(accept, Some("ICX+Yqv66kxgM0FcWaLWlFLwTAI="));
        Page(stream)
    }

    pub(crate) fn say(&mut self, words: &Value) {
        let words = words.to_string();
        let length = u8::try_from(words.len()).ok().filter(|length| *length < 126);
        // A mask of zeros changes nothing.
        let mut frame = vec![0x81, 0x80 | length.expect("it is short"), 0, 0, 0, 0];
        frame.extend_from_slice(words.as_bytes());
        self.0.write_all(&frame).expect("it listens");
    }

    /// The next message; none when the server has closed.
    pub(crate) fn next(&mut self) -> Option<Value> {
        loop {
            let mut start = [0; 2];
            self.0.read_exact(&mut start).ok()?;
            let mut length = [0; 8];
            let length = match start[1] {
                126 => {
                    self.0.read_exact(&mut length[6..]).ok()?;
                    u64::from_be_bytes(length)
                }
                127 => {
                    self.0.read_exact(&mut length).ok()?;
                    u64::from_be_bytes(length)
                }
                short => u64::from(short),
            };
            let mut bytes = vec![0; usize::try_from(length).expect("it fits")];
            self.0.read_exact(&mut bytes).ok()?;
            match start[0] & 15 {
                1 => return Some(serde_json::from_slice(&bytes).expect("JSON")),
                8 => return None,
                _ => {}
            }
        }
    }

    /// The one game of the list.
    pub(crate) fn game(&mut self) -> String {
        loop {
            let message = self.next().expect("it is told");
            if let Some(game) = message["live"].get(0) {
                return game["id"].as_str().expect("an id").to_owned();
            }
        }
    }

    /// The next message about a game.
    pub(crate) fn about_game(&mut self) -> Value {
        loop {
            let message = self.next().expect("it is told");
            if message.get("game").is_some() {
                return message;
            }
        }
    }

    /// The lines of a film as they come, until so many steps are there.
    pub(crate) fn lines(&mut self, until: usize) -> Vec<Value> {
        let mut lines = Vec::new();
        loop {
            let message = self.about_game();
            assert!(message["film"].is_object(), "{message}");
            lines.push(message["film"].clone());
            if message["at"] == until {
                return lines;
            }
        }
    }
}

/// A game that cannot be shown.
pub(crate) struct Panicking(pub(crate) &'static dyn AnyGame);

impl AnyGame for Panicking {
    fn card(&self) -> table::Card {
        self.0.card()
    }
    fn defaults(&self) -> Map<String, Value> {
        self.0.defaults()
    }
    fn check(&self, setup: &Map<String, Value>, players: u16) -> Result<(), game::SetupError> {
        self.0.check(setup, players)
    }
    fn check_adjudication(
        &self,
        adjudication: table::Adjudication,
        setup: &Map<String, Value>,
        players: u16,
    ) -> Result<(), game::SetupError> {
        self.0.check_adjudication(adjudication, setup, players)
    }
    fn table(
        &self,
        setup: &Map<String, Value>,
        terms: table::Terms,
    ) -> Result<Box<dyn table::AnyTable>, game::SetupError> {
        self.0.table(setup, terms)
    }
    fn needs(
        &self,
        setup: &Map<String, Value>,
        players: u16,
    ) -> Result<table::Needs, game::SetupError> {
        self.0.needs(setup, players)
    }
    fn has_desk(&self, setup: &Map<String, Value>, players: u16) -> Result<bool, game::SetupError> {
        self.0.has_desk(setup, players)
    }
    fn exports(&self) -> Vec<&'static str> {
        self.0.exports()
    }
    fn replay(&self, _: &Record) -> Result<Box<dyn table::AnyReplay>, table::ReadError> {
        panic!("a replay that cannot be shown, on purpose")
    }
    fn film(
        &self,
        _: &table::Header,
        _: Option<PlayerId>,
    ) -> Result<Box<dyn table::film::AnyFilm>, table::ReadError> {
        panic!("a film that cannot be made, on purpose")
    }
}
