//! The page beside a program that plays: `--web`.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{Folder, lanista, run, stderr, stdout, wait_until};

/// A program that shows itself.
struct Shown {
    child: Child,
    stderr: BufReader<ChildStderr>,
    host: String,
    cookie: String,
    /// The part of its address from the #.
    view: String,
}

impl Shown {
    fn new(folder: &Folder, args: &[&str]) -> Shown {
        let mut command = lanista(folder);
        command.env("XDG_RUNTIME_DIR", folder.path()).args(args).args(["--web", "--no-open"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it can be started");
        let mut stderr = BufReader::new(child.stderr.take().expect("asked for"));
        let line = line_with(&mut stderr, "watch at http://");
        let (host, rest) = line[16..].trim().split_once("/?").expect("an address with a token");
        let (query, view) = rest.split_once('#').expect("it begins somewhere");
        let (host, view) = (host.to_owned(), view.to_owned());
        let mut shown = Shown { child, stderr, host, cookie: String::new(), view };
        let reply = shown.ask(&format!("/?{query}"));
        let cookie = reply.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.expect("the token is exchanged").split(';').next().expect("a pair");
        shown.cookie = cookie.to_owned();
        shown
    }

    fn ask(&self, path: &str) -> String {
        self.ask_as(&self.host, path)
    }

    /// A request of a browser that knows the server by this name.
    fn ask_as(&self, host: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it can be set");
        let cookie = &self.cookie;
        let head = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n");
        write!(stream, "{head}connection: close\r\n\r\n").expect("it listens");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        reply
    }

    fn json(&self, path: &str) -> Value {
        let reply = self.ask(path);
        let (head, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {reply}");
        serde_json::from_str(body).expect("JSON")
    }

    /// Waits until it says that only the page is left.
    fn wait_for_end(&mut self) {
        line_with(&mut self.stderr, "Enter or Ctrl-C");
    }

    /// Presses Enter. Gives the exit code.
    fn enter(mut self) -> Option<i32> {
        let mut input = self.child.stdin.take().expect("a pipe");
        input.write_all(b"\n").expect("it listens");
        let code = self.child.wait().expect("it ends").code();
        assert!(TcpStream::connect(&self.host).is_err(), "the page has ended, too");
        code
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line_with(lines: &mut impl std::io::BufRead, words: &str) -> String {
    loop {
        let mut line = String::new();
        assert_ne!(lines.read_line(&mut line).expect("text"), 0, "\"{words}\" is not said");
        if line.contains(words) {
            return line;
        }
    }
}

/// A bot that makes a move for every byte, and the pipe for them.
fn gated(folder: &Folder) -> (String, File) {
    let pipe = folder.path().join("gate");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    // Open at both ends: nobody waits for the other.
    let gate = OpenOptions::new().read(true).write(true).open(&pipe).expect("it is there");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/gated.py");
    (format!("slow=python3 {script} {}", pipe.display()), gate)
}

const SLOW: [&str; 8] =
    ["--timeout-ms", "600000", "--start-ms", "600000", "--set", "max_moves=6", "--tier", "e"];

#[test]
fn a_game_shows_itself_while_it_is_played_and_when_it_is_over() {
    let folder = Folder::new("web-play");
    let (bot, mut gate) = gated(&folder);
    let args = [&["play", "gomoku", &bot, "builtin:random"][..], &SLOW].concat();
    let mut shown = Shown::new(&folder, &args);
    let pid = shown.child.id();
    let id = format!("{pid}-0");
    let view = shown.view.clone();
    let (live, game) = view.split_once("?match=").expect("a game and its match");
    assert_eq!(live, format!("/live/{id}"));
    let about = format!("/api/live/{id}?match={game}");
    wait_until("it is live", || shown.json("/api/index")["live"][0]["id"] == *id);
    assert_eq!(shown.json("/api/index")["live"][0]["match"], game);
    assert_eq!(shown.json(&about)["under_way"], true);
    gate.write_all(&[b'x'; 20]).expect("a pipe has room");
    shown.wait_for_end();
    // Somebody who comes only now is led to its replay.
    wait_until("it is kept", || shown.json(&about)["replay"].is_string());
    let replay = shown.json(&about)["replay"].as_str().expect("an address").to_owned();
    assert_eq!(shown.json(&format!("/api/{replay}/about"))["match"], game);
    assert_eq!(shown.enter(), Some(0));
}

#[test]
fn a_page_listens_where_it_is_told_to_and_answers_to_the_names_that_it_is_given() {
    let folder = Folder::new("web-bind");
    let bots = ["play", "gomoku", "builtin:random", "builtin:random", "--set", "max_moves=4"];
    let place = ["--no-replay", "--bind", "127.0.0.2", "--host", "arena.test"];
    let mut shown = Shown::new(&folder, &[&bots[..], &place].concat());
    let (address, port) = shown.host.split_once(':').expect("an address and a port");
    assert_eq!(address, "127.0.0.2");
    assert!(TcpStream::connect(format!("127.0.0.1:{port}")).is_err(), "and nowhere else");
    let by_name = shown.ask_as(&format!("arena.test:{port}"), "/api/index");
    assert!(by_name.starts_with("HTTP/1.1 200 "), "{by_name}");
    let strange = shown.ask_as(&format!("elsewhere.test:{port}"), "/api/index");
    assert!(strange.starts_with("HTTP/1.1 421 "), "{strange}");
    assert!(strange.contains("start it with --host elsewhere.test"), "{strange}");
    shown.wait_for_end();
    assert_eq!(shown.enter(), Some(0));
}

#[test]
fn a_game_that_is_not_kept_is_shown_too() {
    let folder = Folder::new("web-unkept");
    let (bot, mut gate) = gated(&folder);
    let args = [&["play", "gomoku", &bot, "builtin:random", "--no-replay", "--json"][..], &SLOW];
    let mut shown = Shown::new(&folder, &args.concat());
    wait_until("it is live", || shown.json("/api/index")["live"][0].is_object());
    gate.write_all(&[b'x'; 20]).expect("a pipe has room");
    shown.wait_for_end();
    let mut output = BufReader::new(shown.child.stdout.take().expect("asked for"));
    let line = line_with(&mut output, "{");
    assert!(serde_json::from_str::<Value>(&line).is_ok(), "nothing but JSON: {line}");
    assert!(!folder.path().join("replays").exists());
    assert_eq!(shown.enter(), Some(0));
}

#[test]
fn tournaments_and_tests_show_themselves_and_end_as_they_do_without_a_page() {
    let folder = Folder::new("web-run");
    let cup = "game = \"gomoku\"\nrounds = 2\nseed = 1\nbots = [{ bot = \"builtin:random\" }, \
               { bot = \"a=builtin:random\" }]\n[setup]\nmax_moves = 4\n";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    let mut shown = Shown::new(&folder, &["run", "cup.toml", "--quiet"]);
    shown.wait_for_end();
    let id = shown.view.strip_prefix("/run/").expect("a tournament").to_owned();
    let data = shown.json(&format!("/api/run/{id}"));
    assert_eq!((&data["state"], &data["schedule"]["played"]), (&"finished".into(), &2.into()));
    assert_eq!(shown.enter(), Some(0));
    // Undecided is undecided.
    let test = ["test", "gomoku", "builtin:random", "builtin:random", "--max-games", "2"];
    let test = [&test[..], &["--set", "max_moves=4", "--no-keep", "--quiet"]].concat();
    let mut shown = Shown::new(&folder, &test);
    shown.wait_for_end();
    assert_eq!(shown.enter(), Some(1));
    // Where nobody can press a key, the page ends with the games.
    let args = ["play", "gomoku", "false", "builtin:random", "--tier", "e", "--web", "--no-open"];
    let output = run(&folder, &args);
    assert_eq!(output.status.code(), run(&folder, &args[..6]).status.code());
    assert!(stderr(&output).contains("watch at http://127.0.0.1:"), "{}", stderr(&output));
}

#[test]
fn whoever_interrupts_the_games_wants_no_page() {
    let folder = Folder::new("web-interrupt");
    let (bot, _gate) = gated(&folder);
    let args = [&["play", "gomoku", &bot, "builtin:random"][..], &SLOW].concat();
    let mut shown = Shown::new(&folder, &args);
    wait_until("it is live", || shown.json("/api/index")["live"][0].is_object());
    let pid = rustix::process::Pid::from_raw(shown.child.id() as i32).expect("a number");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    assert_eq!(shown.child.wait().expect("it ends").code(), Some(130));
    assert!(TcpStream::connect(&shown.host).is_err(), "the page has ended, too");
}

#[test]
fn options_of_the_page_need_the_page() {
    let folder = Folder::new("web-usage");
    for args in [
        &["demo", "--open"][..],
        &["play", "gomoku", "builtin:random", "builtin:random", "--no-open"],
        &["run", "cup.toml", "--web", "--dry-run"],
        &["demo", "--web", "--open", "--no-open"],
    ] {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
        assert!(
            stderr(&output).contains("--web") || args.contains(&"--web"),
            "{}",
            stderr(&output)
        );
    }
}
