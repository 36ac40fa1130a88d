//! Bots that use the processor of others, and the one that needs it: this program, started with a
//! hidden first argument.

use std::ffi::OsStr;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use league::GameList;

use crate::dummy_bot;

/// The hidden first argument with which the program becomes one of them.
pub(crate) const COMMAND: &str = "__burn";

/// What one of them does beside playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BusyWith {
    /// A piece of work, always the same, for every answer.
    Work,
    /// Nothing.
    Rest,
    /// So many processes compute all the time.
    Spin(u32),
    /// The same, each in a session of its own if it can have one.
    Sessions(u32),
    /// Processes are born and end all the time.
    Churn,
}

impl BusyWith {
    pub(crate) fn word(self) -> String {
        match self {
            BusyWith::Work => "work".to_owned(),
            BusyWith::Rest => "rest".to_owned(),
            BusyWith::Spin(count) => format!("spin-{count}"),
            BusyWith::Sessions(count) => format!("sessions-{count}"),
            BusyWith::Churn => "churn".to_owned(),
        }
    }

    fn from_word(word: &str) -> Option<BusyWith> {
        match word.split_once('-') {
            None if word == "work" => Some(BusyWith::Work),
            None if word == "rest" => Some(BusyWith::Rest),
            None if word == "churn" => Some(BusyWith::Churn),
            Some(("spin", count)) => count.parse().ok().map(BusyWith::Spin),
            Some(("sessions", count)) => count.parse().ok().map(BusyWith::Sessions),
            Some(_) | None => None,
        }
    }
}

/// What the processes of such a bot are told.
const SPIN: &str = "only-spin";
const SPIN_APART: &str = "only-spin-apart";
const CHURN: &str = "only-churn";
const BLINK: &str = "only-blink";
const SPIN_BESIDE: &str = "only-spin-beside";

/// Nobody measures for longer than this at a time.
const LONGEST_BESIDE: Duration = Duration::from_secs(60);

/// Plays a game with an activity, or is one of the processes of such a bot.
pub(crate) fn play(games: GameList, word: &OsStr, game: &OsStr) {
    match word.to_str() {
        Some(SPIN) => spin(),
        Some(SPIN_APART) => {
            let _ = rustix::process::setsid();
            spin()
        }
        Some(SPIN_BESIDE) => {
            let _ = rustix::process::setsid();
            // Whoever measures may be killed.
            let ends = rustix::process::Signal::KILL;
            let _ = rustix::process::set_parent_process_death_signal(Some(ends));
            let began = Instant::now();
            while began.elapsed() < LONGEST_BESIDE {
                black_box(work(STEPS));
            }
        }
        Some(CHURN) => loop {
            match start(BLINK) {
                Ok(mut child) => _ = child.wait(),
                Err(_) => _ = work(STEPS / 100),
            }
        },
        Some(BLINK) => _ = work(STEPS / 100),
        Some(word) => match BusyWith::from_word(word) {
            Some(BusyWith::Work) => dummy_bot::play(games, game, None, || _ = work(STEPS)),
            Some(BusyWith::Rest) => dummy_bot::play(games, game, None, || ()),
            Some(BusyWith::Spin(count)) => accompanied(games, game, count, SPIN),
            Some(BusyWith::Sessions(count)) => accompanied(games, game, count, SPIN_APART),
            Some(BusyWith::Churn) => accompanied(games, game, 8, CHURN),
            None => {}
        },
        None => {}
    }
}

/// Plays while so many processes do something else. They end with the cage, or the process group.
fn accompanied(games: GameList, game: &OsStr, count: u32, what: &str) {
    let _children: Vec<_> = (0..count).map(|_| start(what)).collect();
    dummy_bot::play(games, game, None, || ());
}

/// A process that computes in a session of its own: for a while, or until it is killed.
pub(crate) fn start_beside() -> std::io::Result<std::process::Child> {
    start(SPIN_BESIDE)
}

fn start(what: &str) -> std::io::Result<std::process::Child> {
    let exe = std::env::current_exe()?;
    let mut command = Command::new(exe);
    command.args([COMMAND, what]).stdin(Stdio::null()).stdout(Stdio::null()).spawn()
}

/// Some 20 ms of work on a machine of today, in a release build.
const STEPS: u64 = 24_000_000;

fn work(steps: u64) -> u64 {
    (0..steps).fold(1, |x: u64, _| black_box(x.wrapping_mul(31).wrapping_add(7)))
}

fn spin() {
    loop {
        black_box(work(STEPS));
    }
}
