//! A server of its own for every test, and a browser that says exactly what the test wants.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use web::{Options, Server, ServerLimits};

/// A folder of its own, removed at the end.
pub(crate) struct Own(pub(crate) PathBuf);

impl Own {
    pub(crate) fn new(name: &str) -> Own {
        let path =
            std::env::temp_dir().join(format!("lanista-serve-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("writable");
        Own(path)
    }

    /// Puts a replay of an earlier version there.
    pub(crate) fn with_replay(self, name: &str) -> Own {
        std::fs::copy(sample(), self.0.join(name)).expect("writable");
        self
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The first recorded game of the project, by name.
pub(crate) fn sample() -> PathBuf {
    samples().remove(0)
}

/// All of them that were played to their end.
pub(crate) fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/tests-data/replays");
    let files = std::fs::read_dir(folder).expect("it is there").flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.sort();
    files.retain(|file| !file.to_string_lossy().contains("forfeit"));
    files
}

/// A server and what is needed to talk to it.
pub(crate) struct Served {
    pub(crate) server: Server,
    pub(crate) host: String,
    pub(crate) cookie: String,
}

impl Served {
    pub(crate) fn new(folder: &Path) -> Served {
        Served::limited(folder, ServerLimits::default())
    }

    pub(crate) fn limited(folder: &Path, limits: ServerLimits) -> Served {
        Served::playing(folder, limits, games::GAMES)
    }

    /// A server that knows other games.
    pub(crate) fn playing(
        folder: &Path,
        limits: ServerLimits,
        games: &'static [&'static dyn table::AnyGame],
    ) -> Served {
        let mut options = Options::new(folder.to_owned(), games);
        options.limits = limits;
        // What else the user plays is no business of a test.
        options.plays = Vec::new;
        let server = Server::start(&options).expect("it can listen");
        let host = server.address().to_string();
        let mut served = Served { server, host, cookie: String::new() };
        let query = served.server.url();
        let query = query.split_once('?').expect("it has a token").1;
        let reply = served.say(&format!("GET /?{query} HTTP/1.1\r\nhost: {}\r\n\r\n", served.host));
        let cookie = reply.header("set-cookie").expect("a token is exchanged");
        served.cookie = cookie.split(';').next().expect("a pair").to_owned();
        served
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server.address()).expect("it listens");
        // A test that hangs is to fail.
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it can be set");
        stream
    }

    /// Sends a request as it stands, and reads one reply.
    pub(crate) fn say(&self, request: &str) -> Reply {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("it listens");
        Reply::read(&mut stream).expect("it answers")
    }

    /// Asks with the cookie and these other headers.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[&str]) -> Reply {
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        self.say(&format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n{headers}\r\n",
            self.host, self.cookie
        ))
    }

    /// Reads data.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[])
    }

    /// Reads data that has to be there.
    pub(crate) fn json(&self, path: &str) -> serde_json::Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_eq!(reply.header("content-type"), Some("application/json"), "{path}");
        serde_json::from_slice(&reply.body).expect("it is JSON")
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn read(stream: &mut TcpStream) -> std::io::Result<Reply> {
        let cut = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let mut bytes = Vec::new();
        let mut one = [0];
        while !bytes.ends_with(b"\r\n\r\n") {
            match stream.read(&mut one)? {
                0 => return Err(cut()),
                _ => bytes.push(one[0]),
            }
        }
        let head = String::from_utf8_lossy(&bytes).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
        let pair = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_lowercase(), value.to_owned()))
        };
        let headers = lines.filter_map(pair).collect();
        let mut reply =
            Reply { status: status.parse().expect("a number"), headers, body: Vec::new() };
        if reply.header("transfer-encoding") == Some("chunked") {
            loop {
                let mut line = Vec::new();
                while !line.ends_with(b"\r\n") {
                    stream.read_exact(&mut one)?;
                    line.push(one[0]);
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                let length = usize::from_str_radix(&text, 16).expect("a length");
                let mut chunk = vec![0; length + 2];
                stream.read_exact(&mut chunk)?;
                reply.body.extend_from_slice(&chunk[..length]);
                if length == 0 {
                    return Ok(reply);
                }
            }
        }
        let length =
            reply.header("content-length").map_or(0, |text| text.parse().expect("a number"));
        reply.body = vec![0; length];
        stream.read_exact(&mut reply.body)?;
        Ok(reply)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
