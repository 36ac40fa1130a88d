//! What a ply costs through the whole host, beside bare pipe round trips to the same bot on the
//! same core: to one process, and to two in turn, as in a match. `cargo bench -p lanista-bench`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Afterwards, Seed, Tick};
use host::{BotSpec, Job, Placement, Run};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::{Map, Value, json};
use table::{
    AnyGame, Contestant, Entrant, Input, Known, Occasion, Outputs, Recording, SeatId, Terms,
};

const ROUNDS: usize = 7;
const ROUND_TRIPS: u32 = 20_000;
const GAMES: u64 = 200;

fn main() {
    let bot = build_bot();
    let core = host::cores()[0];
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).expect("this thread can be bound to a core");
    println!("bot {}, core {core}, {ROUNDS} rounds, median [lowest – highest]", bot.display());
    let ways: [(&str, Box<dyn Fn() -> f64>); 6] = [
        ("bare, in turn", Box::new(|| bare(&bot, 2))),
        ("bare, one bot", Box::new(|| bare(&bot, 1))),
        ("table alone", Box::new(|| table_alone(Recording::Off))),
        ("and recorded", Box::new(|| table_alone(Recording::On))),
        ("ply, no replay", Box::new(|| through_host(&bot, Recording::Off))),
        ("ply, recorded", Box::new(|| through_host(&bot, Recording::On))),
    ];
    // `cargo bench -- table` measures only what has the word in its name.
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let ways: Vec<_> = ways
        .into_iter()
        .filter(|(name, _)| words.is_empty() || words.iter().any(|word| name.contains(word)))
        .collect();
    // One after another in every round, so that a slow moment of the machine hits all of them.
    let mut times = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for (way, times) in ways.iter().zip(&mut times) {
            times.push((way.1)());
        }
    }
    let median = |times: &[f64]| {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        (sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1])
    };
    let floor = median(&times[0]).1;
    for ((name, _), times) in ways.iter().zip(&times) {
        let (lowest, middle, highest) = median(times);
        println!(
            "{name:<16} {middle:6.2} µs [{lowest:.2} – {highest:.2}]  {:.2} × bare",
            middle / floor
        );
    }
}

/// Compiles the instant brain.
fn build_bot() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = root.join("examples/bots/gomoku/instant.c");
    let bot = std::env::temp_dir().join("lanista-bench-instant");
    let built = Command::new("cc").arg("-O2").arg("-o").arg(&bot).arg(&source).status();
    assert!(built.is_ok_and(|status| status.success()), "cc cannot build {}", source.display());
    bot
}

/// A process with the bot, ready to be asked.
fn ready(bot: &Path) -> Child {
    let mut child = Command::new(bot)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the bot can be started");
    exchange(&mut child, b"START 15\r\n");
    child
}

fn exchange(child: &mut Child, question: &[u8]) {
    let mut answer = [0; 256];
    child.stdin.as_mut().expect("piped").write_all(question).expect("it listens");
    let count = child.stdout.as_mut().expect("piped").read(&mut answer).expect("it speaks");
    assert!(count > 0 && answer[count - 1] == b'\n', "one read is one answer");
}

/// Microseconds for a question and its answer, with nothing in between but two pipes. As in a
/// match, several processes may be asked in turn: each finds the caches full of the others.
fn bare(bot: &Path, count: usize) -> f64 {
    let mut children: Vec<Child> = (0..count).map(|_| ready(bot)).collect();
    let mut spent = Duration::ZERO;
    let mut asked = 0;
    while asked < ROUND_TRIPS {
        for child in &mut children {
            exchange(child, b"RESTART\r\n");
        }
        let began = Instant::now();
        for turn in 0..100 {
            let (x, y) = (turn % 15, turn / 15);
            let question = format!("INFO time_left 2147483647\r\nTURN {x},{y}\r\n");
            exchange(&mut children[turn % count], question.as_bytes());
        }
        spent += began.elapsed();
        asked += 100;
    }
    for mut child in children {
        let _ = child.kill();
        let _ = child.wait();
    }
    spent.as_secs_f64() * 1e6 / f64::from(ROUND_TRIPS)
}

/// Microseconds for a ply of whole games between two of the bots.
fn through_host(bot: &Path, recording: Recording) -> f64 {
    let spec = BotSpec::parse(&bot.display().to_string(), Path::new(".")).expect("it is there");
    let run = Run {
        roster: vec![spec.clone(), spec],
        concurrency: 1,
        placement: Placement::Together,
        exe: None,
        scratch: None,
        pondering: host::Pondering::Stopped,
        cage: host::CageTerms::none(),
        live: None,
        people: None,
    };
    let setup = json!({ "size": 15, "rule": "standard" });
    let Value::Object(setup) = setup else { unreachable!("it is an object") };
    let setup: Arc<Map<String, Value>> = Arc::new(setup);
    let jobs = (0..GAMES).map(|index| job(index, &setup, recording));
    let (mut plies, mut began) = (0, None);
    let mut ended = Instant::now();
    run.play(jobs, None, |finished| {
        let (report, _) = finished.result.expect("the set-up is sound");
        // The first game pays for starting the processes and is not counted.
        match began {
            None => began = Some(Instant::now()),
            Some(_) => plies += report.turns,
        }
        ended = Instant::now();
        ControlFlow::Continue(())
    })
    .expect("matches can be played");
    let began = began.expect("games were played");
    (ended - began).as_secs_f64() * 1e6 / f64::from(plies)
}

/// Microseconds for a ply of the pure match, with lines handed over in memory.
fn table_alone(recording: Recording) -> f64 {
    let setup = json!({ "size": 15, "rule": "standard" });
    let Value::Object(setup) = setup else { unreachable!("it is an object") };
    let setup = Arc::new(setup);
    let (mut plies, mut spent) = (0, Duration::ZERO);
    for index in 0..GAMES {
        let mut table = (job(index, &setup, recording).table)().expect("the set-up is sound");
        let mut out = Outputs::default();
        let now = Tick::ZERO;
        let cpu = Duration::ZERO;
        table.open(now, &mut out);
        for seat in [SeatId(0), SeatId(1)] {
            table.feed(
                now,
                Input::Seated {
                    seat,
                    process: game::ProcessHistory::Reused,
                    known: Known::default(),
                },
                &mut out,
            );
            table.feed(now, Input::Line { seat, line: b"OK", cpu }, &mut out);
        }
        let answers: Vec<String> = (0..225)
            .map(|turn| turn * 97 % 225)
            .map(|cell| format!("{},{}", cell % 15, cell / 15))
            .collect();
        let began = Instant::now();
        for (turn, answer) in answers.iter().enumerate() {
            let seat = SeatId(turn as u32 % 2);
            out.clear();
            table.clock_started(seat, now, cpu);
            table.feed(now, Input::Line { seat, line: answer.as_bytes(), cpu }, &mut out);
            if table.closed() {
                break;
            }
            std::hint::black_box(table.next_tick());
        }
        spent += began.elapsed();
        plies += table.turns();
    }
    spent.as_secs_f64() * 1e6 / f64::from(plies)
}

fn job(index: u64, setup: &Arc<Map<String, Value>>, recording: Recording) -> Job {
    let game: &'static dyn AnyGame = games::GAMES[0];
    let entrant = |name: &str| {
        Entrant::new(name.to_owned(), Contestant::Program { then: Afterwards::MayStay })
    };
    let terms = Terms {
        id: index.to_string(),
        seed: Seed(index),
        entrants: vec![entrant("a"), entrant("b")],
        clock: game.card().clock,
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording,
    };
    league::job(index, vec![0, 1], game, setup.clone(), terms)
}
