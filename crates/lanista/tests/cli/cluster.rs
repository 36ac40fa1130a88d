//! One tournament on many machines: with a real server, real workers, and whatever can be killed.
//! `./test` installs nats-server or says that this was not run.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{Folder, brain, json_lines, lanista, run, stderr, wait_until};
use crate::league::{FIVE, SHORT, cup, play, results, same, standings, timeless};

/// Whether there is a server to be started.
pub(crate) fn is_installed() -> bool {
    Command::new("nats-server").arg("--version").output().is_ok()
}

/// A process that ends with the test.
pub(crate) struct Started(pub(crate) Child);

impl Started {
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.0), signal);
    }

    fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.0.wait().expect("it ends");
    }

    fn is_running(&mut self) -> bool {
        self.0.try_wait().expect("it can be asked").is_none()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that nobody listens at.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    listener.local_addr().expect("it has an address").port()
}

pub(crate) fn server(port: u16) -> Started {
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    Started(child)
}

pub(crate) fn worker(folder: &Folder, port: u16, name: &str, more: &[&str]) -> Started {
    let url = format!("nats://127.0.0.1:{port}");
    let mut command = lanista(folder);
    command.args(["worker", &url, "--name", name, "--concurrency", "2", "--cache", "cache"]);
    // What it says is looked at when a test has failed.
    command.args(more).stdout(Stdio::null()).stderr(log_file(folder, name));
    Started(command.spawn().expect("it starts"))
}

pub(crate) fn coordinator(folder: &Folder, port: u16, more: &[&str]) -> Started {
    let url = format!("nats://127.0.0.1:{port}");
    let mut command = lanista(folder);
    command.args(["run", "cup.toml", "--dir", "run", "--quiet", "--cluster", &url]).args(more);
    command.stdout(Stdio::null()).stderr(log_file(folder, "run"));
    Started(command.spawn().expect("it starts"))
}

pub(crate) fn log_file(folder: &Folder, name: &str) -> std::fs::File {
    let path = folder.path().join(format!("{name}.log"));
    std::fs::File::options().create(true).append(true).open(path).expect("writable")
}

pub(crate) fn log(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(format!("{name}.log"))).unwrap_or_default()
}

/// Waits until the coordinator has ended, however long that takes.
pub(crate) fn ended(folder: &Folder, coordinator: &mut Started) {
    let status = coordinator.0.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "{}", log(folder, "run"));
}

pub(crate) fn verify(folder: &Folder) -> Output {
    let output = run(folder, &["verify", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

#[test]
fn workers_play_the_same_tournament_as_one_machine() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster");
    // A program travels: its script lies in a folder of its own.
    let good = brain("good");
    let good = good.split_once('=').expect("it is renamed").1;
    let bots = [FIVE, &[("py", good)]].concat();
    cup(&folder, "cup", &format!("rounds = 4\nseed = 5\n{SHORT}"), &bots);
    play(&folder, &["cup.toml", "--dir", "whole", "--quiet"]);
    let port = free_port();
    let _server = server(port);
    let mut run = coordinator(&folder, port, &["--local", "1"]);
    let _first = worker(&folder, port, "one", &[]);
    let mut second = worker(&folder, port, "two", &["--exit-when-idle", "1"]);
    ended(&folder, &mut run);
    same(&folder, "whole", "run");
    verify(&folder);
    // Every result says who played it, and standings add that up.
    let games = results(&folder, "run");
    let speed = |game: &Value| game["worker"]["speed"].as_f64();
    assert!(games.iter().all(|game| speed(game).is_some_and(|speed| speed > 0.0)), "{}", games[0]);
    let table = standings(&folder, "run");
    for worker in table["workers"].as_array().expect("a list") {
        let own = games.iter().filter(|game| game["worker"]["name"] == worker["name"]).count();
        assert_eq!(worker["games"], own, "{worker}");
        assert!(["one", "two", "coordinator"].contains(&worker["name"].as_str().expect("a name")));
    }
    let counted = table["workers"].as_array().into_iter().flatten();
    let counted: u64 = counted.filter_map(|worker| worker["games"].as_u64()).sum();
    assert_eq!(counted, games.len() as u64);
    let idle = second.0.wait().expect("it ends");
    assert_eq!(idle.code(), Some(0), "{}", log(&folder, "two"));
}

#[test]
fn a_worker_that_is_told_to_stop_gives_back_what_it_has() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-stop");
    // A game that never ends by itself.
    let silent = brain("stop");
    let silent = silent.split_once('=').expect("it is renamed").1;
    let bots = [("silent", silent), ("a", "builtin:random")];
    cup(&folder, "cup", "rounds = 2\nclock = { move_ms = 0 }", &bots);
    let port = free_port();
    let _server = server(port);
    // Nothing is heard of a lost worker for as long as the test takes.
    let _run = coordinator(&folder, port, &["--lease", "600"]);
    let mut first = worker(&folder, port, "one", &[]);
    let url = format!("nats://127.0.0.1:{port}");
    let held_by = |name: &str| {
        let status = run(&folder, &["cluster", "status", &url, "--json"]);
        let runs = json_lines(&status);
        let workers = runs.first().and_then(|run| run["workers"].as_array().cloned());
        let workers = workers.unwrap_or_default();
        workers.iter().find(|worker| worker["name"] == name).map(|worker| worker["held"].clone())
    };
    wait_until("it plays", || held_by("one").is_some_and(|held| held == 2));
    let metrics = run(&folder, &["cluster", "status", &url, "--metrics"]);
    let metrics = String::from_utf8_lossy(&metrics.stdout).into_owned();
    assert!(metrics.contains("worker=\"one\",tier="), "{metrics}");
    first.signal(Signal::TERM);
    let status = first.0.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "{}", log(&folder, "one"));
    let _second = worker(&folder, port, "two", &[]);
    wait_until("the other plays", || held_by("two").is_some_and(|held| held == 2));
    assert_eq!(held_by("one"), None, "it has left");
}

#[test]
fn a_bot_that_a_worker_cannot_run_is_named_and_waits_for_one_that_can() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-cannot");
    // An interpreter that the worker does not have.
    let bin = folder.path().join("bin");
    std::fs::create_dir_all(&bin).expect("writable");
    std::os::unix::fs::symlink("/usr/bin/python3", bin.join("rare-python")).expect("writable");
    let good = brain("good");
    let good = good.split_once('=').expect("it is renamed").1.replace("python3", "rare-python");
    cup(&folder, "cup", &format!("seed = 1\n{SHORT}"), &[("rare", &good), FIVE[0], FIVE[1]]);
    let port = free_port();
    let _server = server(port);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("there is one"));
    let url = format!("nats://127.0.0.1:{port}");
    let mut command = lanista(&folder);
    command.args(["run", "cup.toml", "--dir", "run", "--cluster", &url]).env("PATH", &path);
    let started = command.stdout(Stdio::null()).stderr(log_file(&folder, "run")).spawn();
    let mut run = Started(started.expect("it starts"));
    let _poor = worker(&folder, port, "poor", &[]);
    wait_until("it is said which bot and why", || {
        log(&folder, "run").contains("no worker can run \"rare\": ")
    });
    let said = log(&folder, "run");
    assert!(said.contains("poor cannot run \"rare\": a worker needs rare-python"), "{said}");
    let mut command = lanista(&folder);
    command.args(["worker", &url, "--name", "rich", "--cache", "cache"]).env("PATH", &path);
    let rich = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let _rich = Started(rich.expect("it starts"));
    ended(&folder, &mut run);
    assert_eq!(results(&folder, "run").len(), 6);
}

/// Passes everything on between workers and a server, until it is cut.
struct Proxy {
    port: u16,
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    fn new(to: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let port = listener.local_addr().expect("it has an address").port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let open: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let (cut, streams) = (is_cut.clone(), open.clone());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if cut.load(Ordering::Relaxed) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                let mut streams = streams.lock().expect("nobody panics with it");
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (mut from, mut to) = (
                        from.try_clone().expect("descriptors"),
                        to.try_clone().expect("descriptors"),
                    );
                    streams.push(from.try_clone().expect("descriptors"));
                    std::thread::spawn(move || {
                        let mut buffer = [0; 16 << 10];
                        while let Ok(count @ 1..) = from.read(&mut buffer) {
                            if to.write_all(&buffer[..count]).is_err() {
                                break;
                            }
                        }
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Proxy { port, is_cut, open }
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
        for stream in self.open.lock().expect("nobody panics with it").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::Relaxed);
    }
}

/// Waits until so many more games are kept, or the run is over.
fn more_games(folder: &Folder, coordinator: &mut Started, wanted: u64) -> u64 {
    let mut kept = 0;
    wait_until("games are played", || {
        kept = std::fs::metadata(folder.path().join("run/replays/0001.pack"))
            .map_or(0, |pack| pack.len());
        kept >= wanted || !coordinator.is_running()
    });
    kept
}

#[test]
fn whatever_is_killed_cut_off_or_stopped_every_game_is_played_and_counted_once() {
    if !is_installed() {
        return;
    }
    let kills: u64 = std::env::var("LANISTA_CLUSTER_KILLS")
        .map_or(10, |kills| kills.parse().expect("LANISTA_CLUSTER_KILLS is a number"));
    let folder = Folder::new("cluster-kills");
    // The more is killed, the longer games have to take: a process needs a moment to start.
    let unhurried = brain("unhurried");
    let unhurried = unhurried.split_once('=').expect("it is renamed").1;
    let unhurried = format!("{unhurried} {}", (kills / 5).max(2));
    let bots = [FIVE[0], FIVE[1], FIVE[2], ("slow", &unhurried), ("slower", &unhurried)];
    // Twelve at a time on a busy machine: nobody is to run out of time.
    let head = "rounds = 40\nseed = 9\nconcurrency = 12\nclock = { move_ms = 60000 }\n\
                setup = { size = 15, max_moves = 40 }";
    cup(&folder, "cup", head, &bots);
    play(&folder, &["cup.toml", "--dir", "whole", "--quiet"]);
    assert_eq!(results(&folder, "whole").len(), 400);
    let size = std::fs::metadata(folder.path().join("whole/replays/0001.pack"));
    let size = size.expect("it is there").len();
    let port = free_port();
    let mut nats = server(port);
    let proxy = Proxy::new(port);
    let lease = ["--lease", "2"];
    let mut run = coordinator(&folder, port, &lease);
    let names = ["one", "two", "three"];
    let ports = [port, port, proxy.port];
    let mut workers: Vec<Started> =
        (0..3).map(|number| worker(&folder, ports[number], names[number], &[])).collect();
    let mut rng = game::Seed(kills).rng("kills");
    let mut while_playing = 0;
    for kill in 1..=kills {
        more_games(&folder, &mut run, size * kill / (kills + 2));
        let victim = rng.index(3);
        match rng.index(10) {
            0..=2 => {
                workers[victim].kill();
                workers[victim] = worker(&folder, ports[victim], names[victim], &[]);
            }
            3..=5 => {
                run.kill();
                run = coordinator(&folder, port, &lease);
            }
            6..=7 => {
                nats.kill();
                nats = server(port);
            }
            8 => {
                // Cut off until somebody else has played on.
                proxy.cut();
                more_games(&folder, &mut run, size * kill / (kills + 2) + 2000);
                proxy.mend();
            }
            _ => {
                // Stopped until its games have gone to others.
                workers[victim].signal(Signal::STOP);
                let before = log(&folder, "run").matches("nothing is heard of").count();
                wait_until("its lease runs out", || {
                    let now = log(&folder, "run").matches("nothing is heard of").count();
                    now > before || !run.is_running()
                });
                workers[victim].signal(Signal::CONT);
            }
        }
        match run.is_running() {
            true => while_playing += 1,
            // It was quicker than we.
            false => run = coordinator(&folder, port, &lease),
        }
    }
    assert!(2 * while_playing >= kills, "only {while_playing} of {kills} came in time");
    ended(&folder, &mut run);
    // A worker that was stopped has begun its games anew, and says so.
    let games = |dir: &str| -> Vec<Value> {
        let game = |mut game: Value| {
            game["restarts"] = Value::Null;
            timeless(game)
        };
        results(&folder, dir).into_iter().map(game).collect()
    };
    for (one, other) in games("whole").into_iter().zip(games("run")) {
        assert_eq!(one, other);
    }
    let tables = ["whole", "run"].map(|dir| timeless(standings(&folder, dir)));
    assert_eq!(tables[0], tables[1]);
    let games = games("run");
    let mut ids: Vec<&str> = games.iter().filter_map(|game| game["match"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((games.len(), ids.len()), (400, 400), "none is there twice");
    let output = verify(&folder);
    assert!(String::from_utf8_lossy(&output.stdout).contains("400 games verified"));
}
