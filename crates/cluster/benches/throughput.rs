//! What a cluster costs, beside the same games on one machine: with a real nats-server on this machine,
//! a coordinator and workers in processes of their own. `cargo bench -p lanista-cluster`; it needs
//! nats-server.
//!
//! `GAMES=100000 cargo bench -p lanista-cluster -- memory` measures how much memory the coordinator of so
//! many games takes.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use cluster::{Coordinator, CoordinatorOptions, LinkOptions, WorkerOptions, work};
use league::{Changes, RunOptions, Store, Tournament, TournamentFile, admit};
use serde_json::{Value, json};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["tournament", url, dir, games, turns] => tournament(url, Path::new(dir), games, turns),
        ["workers", url, count, dir] => workers(url, count.parse().expect("a number"), dir),
        ["memory"] => memory(),
        _ => side_by_side(),
    }
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn link(url: &str) -> LinkOptions {
    LinkOptions { url: url.to_owned(), ..LinkOptions::default() }
}

/// Games of two built-in bots that last so many turns.
fn cup(games: &str, turns: &str) -> TournamentFile {
    let card = games::GAMES[0].card();
    let text = format!(
        "game = '{}'\nrounds = {games}\nseed = 1\nadjudication = {{ turns = {turns} }}\n
         bots = [{{ bot = 'builtin:{}', name = 'a' }}, {{ bot = 'builtin:{}', name = 'b' }}]",
        card.id, card.bots[0].name, card.bots[1].name
    );
    TournamentFile::parse(text, Path::new("cup.toml"), games::GAMES).expect("a tournament")
}

/// A process of its own: plays here (without a URL) or coordinates, and says what it took.
fn tournament(url: &str, dir: &Path, games: &str, turns: &str) {
    let cup = cup(games, turns);
    let remote = (!url.is_empty()).then(|| {
        let options = CoordinatorOptions {
            link: link(url),
            name: cup.name.clone(),
            games: games::GAMES,
            manner: cup.manner,
            terms: cup.cluster,
            lease: Duration::from_secs(30),
            local: 0,
            least_tier: None,
            live: None,
            notes: Arc::new(|_| {}),
        };
        Arc::new(Coordinator::new(options, dir).expect("it can connect"))
    });
    let concurrency = if remote.is_some() { 0 } else { host::cores().len() };
    let means = RunOptions {
        exe: std::env::current_exe().expect("it is known"),
        concurrency,
        stop: cup.stop,
        cage: host::CageTerms::none(),
        live: None,
        manner: cup.manner,
        remote: remote.clone().map(|remote| remote as Arc<dyn league::RemotePlayers>),
    };
    let mut store = Store::open(dir).expect("a store");
    let events = admit(cup, &mut store, Changes::Refused).expect("it is new");
    let tournament = Tournament::new(events, &means);
    // Workers need a moment to find the run: time counts from the first results on.
    let first: OnceLock<(Instant, u64, f64)> = OnceLock::new();
    let ended = tournament.play(&mut store, &means, &mut |tournament| {
        first
            .get_or_init(|| (Instant::now(), tournament.status().games, processor_seconds("self")));
    });
    ended.expect("it is played");
    let (began, before, used) = first.get().copied().expect("games were kept");
    let (seconds, all) = (began.elapsed().as_secs_f64(), tournament.status().games);
    if let Some(remote) = remote {
        remote.finish();
    }
    say(&json!({
        "games": all - before,
        "seconds": seconds,
        "processor_s": processor_seconds("self") - used,
        "memory_mb": memory_mb(),
    })
    .to_string());
}

/// A process of its own: so many workers, each with one game at a time.
fn workers(url: &str, count: usize, dir: &str) {
    std::thread::scope(|scope| {
        for number in 0..count {
            scope.spawn(move || {
                let options = WorkerOptions {
                    link: link(url),
                    name: format!("w{number}"),
                    slots: 1,
                    speed: 100.0,
                    cage: host::CageTerms::none(),
                    exe: std::env::current_exe().expect("it is known"),
                    cache: PathBuf::from(dir),
                    games: games::GAMES,
                    exit_when_idle: None,
                    notes: Arc::new(|_| {}),
                };
                work(&options).expect("it can connect");
            });
        }
    });
}

/// Processor time of a process so far, in seconds.
fn processor_seconds(process: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let rest = text.rsplit(')').next().unwrap_or_default();
    let ticks = |field: usize| -> f64 {
        rest.split_whitespace().nth(field - 3).and_then(|word| word.parse().ok()).unwrap_or(0.0)
    };
    (ticks(14) + ticks(15)) / 100.0
}

/// The most memory that this process has used, in megabytes.
fn memory_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kb.unwrap_or(0.0) / 1000.0
}

/// A process that ends with the measurement.
struct Process(Child);

impl Process {
    fn this(args: &[&str]) -> Process {
        let mut command = Command::new(std::env::current_exe().expect("it is known"));
        Process(command.args(args).stdout(Stdio::piped()).spawn().expect("it starts"))
    }

    fn seconds(&self) -> f64 {
        processor_seconds(&self.0.id().to_string())
    }

    /// What it says at its end.
    fn said(&mut self) -> Value {
        let mut text = String::new();
        let output = self.0.stdout.as_mut().expect("it is a pipe");
        output.read_to_string(&mut text).expect("it can be read");
        serde_json::from_str(&text).expect("it says what it took")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Server(Process, String);

fn server() -> Server {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let port = listener.local_addr().expect("it has an address").port();
    drop(listener);
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let server = Process(child.expect("nats-server is installed"));
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::yield_now();
    }
    Server(server, format!("nats://127.0.0.1:{port}"))
}

/// A folder of this measurement, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path =
            std::env::temp_dir().join(format!("lanista-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("writable");
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a plain name")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a tournament took, by everybody who took part.
struct Cost {
    rate: f64,
    /// Processor time a game in microseconds: of the tournament, of the server, of the workers.
    micros: [f64; 3],
    memory_mb: f64,
}

fn local(games: &str, turns: &str) -> Cost {
    let dir = Scratch::new("local");
    let said = Process::this(&["tournament", "", dir.path(), games, turns]).said();
    cost(&said, 0.0, 0.0)
}

fn clustered(count: usize, games: &str, turns: &str) -> Cost {
    let (server, dir, cache) = (server(), Scratch::new("cluster"), Scratch::new("cache"));
    let Server(process, url) = &server;
    let workers = Process::this(&["workers", url, &count.to_string(), cache.path()]);
    let mut tournament = Process::this(&["tournament", url, dir.path(), games, turns]);
    let said = tournament.said();
    cost(&said, process.seconds(), workers.seconds())
}

fn cost(said: &Value, server: f64, workers: f64) -> Cost {
    let of = |key: &str| said[key].as_f64().unwrap_or(0.0);
    let micros = [of("processor_s"), server, workers].map(|seconds| 1e6 * seconds / of("games"));
    Cost { rate: of("games") / of("seconds"), micros, memory_mb: of("memory_mb") }
}

fn row(name: &str, cost: &Cost, local: &Cost) -> String {
    let [run, server, workers] = cost.micros;
    let more = run + server + workers - local.micros.iter().sum::<f64>();
    format!(
        "{name:<24} {:>8.0} {run:>10.0} {server:>8.0} {workers:>8.0} {more:>9.0} {:>8.0}",
        cost.rate, cost.memory_mb
    )
}

/// The same games here and by workers, one after the other.
fn side_by_side() {
    say(
        "processor time in microseconds a game; \"more\" is what the cluster adds to one machine\n",
    );
    for (about, games, turns) in [("short games", "20000", "4"), ("longer games", "6000", "60")] {
        say(&format!(
            "{about:<24} {:>8} {:>10} {:>8} {:>8} {:>9} {:>8}",
            "games/s", "run", "server", "workers", "more", "MB"
        ));
        let here = local(games, turns);
        say(&row("one machine", &here, &here));
        for count in [1, 10, 100] {
            let there = clustered(count, games, turns);
            let name = if count == 1 { "1 worker".to_owned() } else { format!("{count} workers") };
            say(&row(&name, &there, &here));
        }
        say("");
    }
}

/// How much memory the coordinator of so many games takes.
fn memory() {
    let games = std::env::var("GAMES").unwrap_or_else(|_| "100000".to_owned());
    let there = clustered(2, &games, "1");
    say(&format!("{games} games: {:.0} MB, {:.0} games/s", there.memory_mb, there.rate));
}
