//! Games that are watched while they are played, by another process.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use table::live::{FromReader, LiveEnd, LiveGame, ToReader};

use crate::common::{Folder, lanista, run, stdout, wait_until};

/// A game in which one bot moves when it is told to.
struct Gated {
    folder: Folder,
    gate: File,
    host: Child,
    socket: PathBuf,
}

const MOVES: usize = 12;

impl Gated {
    /// A game that is kept in the folder `replays`.
    fn new(name: &str) -> Gated {
        let folder = Folder::new(name);
        let pipe = folder.path().join("gate");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/gated.py");
        let bot = format!("slow=python3 {script} {}", pipe.display());
        let runtime = folder.path().join("runtime");
        std::fs::create_dir(&runtime).expect("it can be made");
        let host = lanista(&folder)
            .env("XDG_RUNTIME_DIR", &runtime)
            .args(["play", "gomoku", &bot, "builtin:random", "--timeout-ms", "600000"])
            .args(["--set", "size=15", "--set", &format!("max_moves={MOVES}"), "--tier", "e"])
            .args(["--seed", "7", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        // Open at both ends: nobody waits for the other.
        let gate = OpenOptions::new().read(true).write(true).open(pipe).expect("it is there");
        let socket = runtime.join("lanista").join(format!("{}.sock", host.id()));
        wait_until("it listens", || host::connect(&socket).is_ok());
        Gated { folder, gate, host, socket }
    }

    fn moves(&mut self, count: usize) {
        self.gate.write_all(&vec![b'x'; count]).expect("a pipe has room");
    }

    fn reader(&self) -> Reader {
        Reader::new(&self.socket, "play")
    }

    /// The bytes of the replay, unpacked.
    fn replay(&mut self) -> Vec<u8> {
        assert!(self.host.wait().expect("it ends").success());
        let replays = std::fs::read_dir(self.folder.path().join("replays")).expect("they are kept");
        let file = replays.flatten().next().expect("there is one").path();
        zstd::decode_all(File::open(file).expect("it is there")).expect("it is a replay")
    }
}

impl Drop for Gated {
    fn drop(&mut self) {
        let _ = self.host.kill();
        let _ = self.host.wait();
    }
}

pub(crate) struct Reader {
    lines: BufReader<UnixStream>,
}

impl Reader {
    pub(crate) fn new(socket: &Path, command: &str) -> Reader {
        let stream = host::connect(socket).expect("somebody listens");
        // Only bounds a failing test.
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a socket");
        let mut reader = Reader { lines: BufReader::new(stream) };
        let ToReader::Hello(hello) = reader.next() else { panic!("it says who it is first") };
        assert_eq!((hello.live, &*hello.command), (table::live::VERSION, command));
        reader
    }

    pub(crate) fn next(&mut self) -> ToReader {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("it is told something");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub(crate) fn say(&mut self, word: &FromReader) {
        let line = serde_json::to_string(word).expect("it serialises");
        writeln!(self.lines.get_mut(), "{line}").expect("it is heard");
    }

    /// The one game under way.
    fn game(&mut self) -> LiveGame {
        loop {
            match self.next() {
                ToReader::Games { games } if games.len() == 1 => return games[0].clone(),
                ToReader::Games { .. } => {}
                other => panic!("nothing else was asked for: {other:?}"),
            }
        }
    }

    fn watch(&mut self, from: u64) -> u64 {
        let id = self.game().id;
        self.say(&FromReader::Watch { watch: id, from });
        id
    }

    /// Reads a log to its end, in the form of a replay.
    fn replay(&mut self, log: &mut Vec<u8>) -> (Value, LiveEnd) {
        let mut header = Value::Null;
        loop {
            match self.next() {
                ToReader::Head { head, .. } => header = json!(*head),
                ToReader::Log { at, log: part, .. } => {
                    assert_eq!(at, log.len() as u64, "nothing is missing");
                    log.extend_from_slice(&part.0);
                }
                ToReader::End { end, .. } => return (header, end),
                ToReader::Games { .. } => {}
                ToReader::Hello(_) => panic!("it has said who it is"),
            }
        }
    }

    /// Reads until so many bytes have come.
    fn some(&mut self, count: usize) -> Vec<u8> {
        let mut log = Vec::new();
        while log.len() < count {
            if let ToReader::Log { log: part, .. } = self.next() {
                log.extend_from_slice(&part.0);
            }
        }
        log
    }
}

/// A replay's first line and the rest.
fn split(replay: &[u8]) -> (Value, &[u8]) {
    let end = replay.iter().position(|byte| *byte == b'\n').expect("it has a first line");
    (serde_json::from_slice(&replay[..end]).expect("it is a header"), &replay[end + 1..])
}

#[test]
fn a_game_watched_from_its_beginning_or_joined_later_is_its_replay() {
    let mut game = Gated::new("live-whole");
    let mut early = game.reader();
    early.watch(0);
    game.moves(3);
    let begun = early.some(200);
    let mut late = game.reader();
    late.watch(0);
    // It comes at once, though the bot thinks as long as it likes.
    let joined = late.some(begun.len());
    assert_eq!(joined[..begun.len()], begun, "what was before is there, too");
    // One that was there before goes on where it was.
    let mut again = game.reader();
    again.watch(joined.len() as u64);
    game.moves(MOVES);
    let readers = [(&mut early, begun), (&mut late, joined.clone()), (&mut again, joined)];
    let logs = readers.map(|(reader, mut log)| {
        let (header, end) = reader.replay(&mut log);
        assert_eq!(end, LiveEnd::Over);
        (header, log)
    });
    let replay = game.replay();
    let (header, entries) = split(&replay);
    for (index, (of_reader, log)) in logs.into_iter().enumerate() {
        assert!(log == entries, "reader {index} has {} of {} bytes", log.len(), entries.len());
        if index == 2 {
            assert_eq!(of_reader, header);
        }
    }
}

#[test]
fn readers_that_are_killed_or_never_read_cost_nothing() {
    let mut game = Gated::new("live-stuck");
    let mut stuck: Vec<Reader> = (0..10).map(|_| game.reader()).collect();
    for reader in &mut stuck {
        reader.watch(0);
    }
    let mut killed = Command::new("python3");
    killed.args(["-c", KILLED]).arg(&game.socket).stdout(Stdio::piped());
    let mut killed = killed.spawn().expect("it can be started");
    let mut line = String::new();
    let output = killed.stdout.take().expect("asked for");
    BufReader::new(output).read_line(&mut line).expect("it says that it watches");
    assert_eq!(line, "watching\n");
    game.moves(3);
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    game.moves(MOVES);
    let replay = game.replay();
    let (_, entries) = split(&replay);
    assert!(!entries.is_empty(), "it was played to its end");
    assert!(!game.socket.exists(), "nothing is left");
    // What fits into a socket is there for those who read after all.
    let mut log = Vec::new();
    let (_, end) = stuck[0].replay(&mut log);
    assert_eq!((end, log == entries), (LiveEnd::Over, true));
}

const KILLED: &str = r#"
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
lines = s.makefile("rw")
while True:
    word = json.loads(lines.readline())
    if word.get("games"):
        break
lines.write(json.dumps({"watch": word["games"][0]["id"]}) + "\n")
lines.flush()
while "head" not in json.loads(lines.readline()):
    pass
print("watching", flush=True)
for line in lines:
    pass
"#;

#[test]
fn only_the_user_may_connect_and_only_to_a_real_socket() {
    let mut game = Gated::new("live-private");
    let about = std::fs::symlink_metadata(&game.socket).expect("it is there");
    assert!(about.file_type().is_socket());
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    let folder = game.socket.parent().expect("it has a folder");
    let about = std::fs::symlink_metadata(folder).expect("it is there");
    assert_eq!((about.permissions().mode() & 0o777, about.uid()), (0o700, own_user()));
    let link = game.folder.path().join("link.sock");
    std::os::unix::fs::symlink(&game.socket, &link).expect("it can be made");
    assert!(host::connect(&link).is_err(), "links are not followed");
    // Somebody who speaks nonsense is left, and others are not.
    let mut rude = game.reader();
    rude.lines.get_mut().write_all(b"GET / HTTP/1.1\n\n").expect("it can be written");
    let mut polite = game.reader();
    let id = polite.game().id;
    polite.say(&FromReader::Watch { watch: id + 1000, from: 0 });
    let end = loop {
        if let ToReader::End { game, end } = polite.next() {
            break (game, end);
        }
    };
    assert_eq!(end, (id + 1000, LiveEnd::Gone));
    let mut rest = Vec::new();
    let _ = std::io::Read::read_to_end(&mut rude.lines, &mut rest);
    game.moves(2 * MOVES);
    game.replay();
}

fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// A folder of a run in which something else lies in the place of the socket: it stays, and the run goes on.
#[test]
fn what_is_not_a_socket_is_neither_followed_nor_removed() {
    let folder = Folder::new("live-link");
    let cup = "game = \"gomoku\"\nrounds = 1\nseed = 1\nbots = [{ bot = \"builtin:random\" }, \
               { bot = \"a=builtin:random\" }]\n[setup]\nmax_moves = 4\n";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    let runs = folder.path().join("runs/cup");
    std::fs::create_dir_all(&runs).expect("writable");
    let target = folder.path().join("precious");
    std::fs::write(&target, "precious").expect("writable");
    std::os::unix::fs::symlink(&target, runs.join("live.sock")).expect("writable");
    let output = run(&folder, &["run", "cup.toml"]);
    assert!(output.status.success(), "{}", stdout(&output));
    assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "precious");
    assert!(runs.join("live.sock").symlink_metadata().expect("it is there").is_symlink());
}
