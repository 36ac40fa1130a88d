//! The control socket of a running tournament, for `lanista ctl`.
//!
//! A socket in the run's folder takes one order a line, as JSON, and answers each with a line.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use crate::file::{MOST_AT_A_TIME, enter};
use crate::schedule::Format;
use crate::store::Store;
use crate::store::event_rows::Arrival;
use crate::store::folder::Folder;
use crate::store::journal::Decision;
use crate::tournament::requests::{decisions, meant};
use crate::tournament::{Newcomer, Tournament};

/// What can be asked of a running tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// Start no more games until `resume`.
    Pause,
    /// Go on.
    Resume,
    /// Play so many games at a time.
    Concurrency {
        /// How many.
        games: u16,
        /// Why.
        reason: String,
    },
    /// Play the games of an event before those of a lower priority.
    Priority {
        /// Which event.
        event: String,
        /// How high; 0 unless somebody says otherwise.
        priority: i32,
        /// Why.
        reason: String,
    },
    /// A bot takes part no longer; the games that it has played stay.
    Withdraw {
        /// Its name.
        bot: String,
        /// In which event, if not in all.
        event: Option<String>,
        /// Why.
        reason: String,
    },
    /// A bot takes part no longer; the games that it has played are annulled.
    Disqualify {
        /// Its name.
        bot: String,
        /// In which event, if not in all.
        event: Option<String>,
        /// Why.
        reason: String,
    },
    /// A bot that has left takes part again, as if it had not.
    Reinstate {
        /// Its name.
        bot: String,
        /// In which event, if not in all that it has left.
        event: Option<String>,
        /// Why.
        reason: String,
    },
    /// Take back the result of a game and play it once more.
    Void {
        /// Its number, from 1.
        game: u64,
        /// Of which event, if there are several.
        event: Option<String>,
        /// Why.
        reason: String,
    },
    /// Another bot takes part.
    Add {
        /// As on the command line.
        bot: String,
        /// The folder its paths start from.
        base: PathBuf,
        /// In which event, if there are several.
        event: Option<String>,
    },
    /// Finish the games under way, then stop.
    Stop,
    /// Say how far it is.
    Status,
    /// Say how far it is whenever games have been kept, until the end.
    Follow,
}

impl Request {
    /// Why it is given, as far as that is asked for.
    pub fn reason(&self) -> &str {
        match self {
            Request::Concurrency { reason, .. }
            | Request::Priority { reason, .. }
            | Request::Withdraw { reason, .. }
            | Request::Disqualify { reason, .. }
            | Request::Reinstate { reason, .. }
            | Request::Void { reason, .. } => reason,
            Request::Pause
            | Request::Resume
            | Request::Add { .. }
            | Request::Stop
            | Request::Status
            | Request::Follow => "",
        }
    }
}

/// Why a tournament cannot be steered.
#[derive(Debug, Error)]
pub enum ControlError {
    /// Nobody listens.
    #[error("nothing is running in {0}; `lanista run` starts or continues it")]
    Nobody(String),
    /// The connection failed.
    #[error("cannot talk to the run in {path}: {error}")]
    Talk {
        /// The run's folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// It said no.
    #[error("{0}")]
    Refused(String),
}

const NAME: &str = "control.sock";
/// No answer is longer.
const LONGEST: u64 = 1 << 20;
/// Nobody keeps a terminal waiting longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// When a caller could not be let in, so much later it is tried again.
const AFTER_FAILURE: Duration = Duration::from_millis(200);

/// The socket of a running tournament; gone when dropped.
pub struct Control(Folder);

impl Control {
    /// Listens for orders until the process ends. The caller has the right to play in `dir`.
    pub fn listen(dir: &Path, tournament: Arc<Tournament>) -> io::Result<Control> {
        let folder = Folder::open(dir)?;
        // Left behind by somebody who was killed: nobody else plays here.
        let _ = folder.remove(NAME);
        let listener = UnixListener::bind(folder.short_path(NAME))?;
        let dir = dir.to_owned();
        std::thread::Builder::new().name("control".to_owned()).spawn(move || {
            let pause = || std::thread::sleep(AFTER_FAILURE);
            answer(listener.incoming(), pause, |stream| {
                let (tournament, dir) = (tournament.clone(), dir.clone());
                let serve = move || {
                    let _ = serve(&stream, &tournament, &dir);
                };
                // Without a thread for it the caller hears nothing and may try again.
                let _ = std::thread::Builder::new().name("order".to_owned()).spawn(serve);
            });
        })?;
        Ok(Control(folder))
    }
}

/// Lets callers in, one after another. One who cannot be let in, because descriptors or memory have
/// run out, stays in the queue: trying again at once would only keep a core busy.
fn answer(
    callers: impl Iterator<Item = io::Result<UnixStream>>,
    pause: impl Fn(),
    mut serve: impl FnMut(UnixStream),
) {
    for caller in callers {
        match caller {
            Ok(stream) => serve(stream),
            Err(_) => pause(),
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = self.0.remove(NAME);
    }
}

/// Connects to the socket of a run. A socket's path must be short, a folder's may be long: we go by
/// its handle, and by that of the socket, so that no link is followed.
fn connect(dir: &Path) -> io::Result<UnixStream> {
    let socket = Folder::open(dir)?.socket(NAME)?;
    UnixStream::connect(format!("/proc/self/fd/{}", socket.as_raw_fd()))
}

/// Gives an order to the tournament that runs in a folder, and hears the answer.
pub fn ask(dir: &Path, order: &Request) -> Result<Value, ControlError> {
    let shown = dir.display().to_string();
    let talk = |error| ControlError::Talk { path: shown.clone(), error };
    let stream = connect(dir);
    let stream = stream.map_err(|_| ControlError::Nobody(shown.clone()))?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(talk)?;
    let line = serde_json::to_string(order).map_err(|error| talk(error.into()))?;
    (&stream).write_all(format!("{line}\n").as_bytes()).map_err(talk)?;
    let mut answer = String::new();
    // Whoever listens there may be anybody.
    BufReader::new((&stream).take(LONGEST)).read_line(&mut answer).map_err(talk)?;
    let answer: Value = serde_json::from_str(&answer).map_err(|error| talk(error.into()))?;
    match answer["error"].as_str() {
        Some(error) => Err(ControlError::Refused(error.to_owned())),
        None => Ok(answer),
    }
}

/// Calls `kept` at once and whenever games have been kept in a run, until nobody plays there any
/// more. At once alone if nobody does.
pub fn follow<E>(dir: &Path, mut kept: impl FnMut() -> Result<(), E>) -> Result<(), E> {
    let line = serde_json::to_string(&Request::Follow).expect("a word serialises");
    let stream = connect(dir).ok();
    let mut news = stream.and_then(|stream| {
        (&stream).write_all(format!("{line}\n").as_bytes()).ok()?;
        Some(BufReader::new(stream))
    });
    loop {
        kept()?;
        let mut heard = Vec::new();
        // Whoever listens there may be anybody.
        let told = news.as_mut().map(|news| news.take(LONGEST).read_until(b'\n', &mut heard));
        match told {
            Some(Ok(1..)) => {}
            // It has ended, and what it kept last is looked at once more.
            Some(Ok(0) | Err(_)) => return kept(),
            None => return Ok(()),
        }
    }
}

/// Says how far it is whenever games have been kept.
fn tell(mut stream: &UnixStream, tournament: &Tournament) -> io::Result<()> {
    // A client that does not read is not waited for.
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut told = None;
    loop {
        let kept = tournament.wait_for_more(told);
        told = Some(kept);
        stream.write_all(format!("{}\n", status(tournament)).as_bytes())?;
    }
}

fn serve(stream: &UnixStream, tournament: &Tournament, dir: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    for line in BufReader::new(stream).lines() {
        let answer = match serde_json::from_str::<Request>(&line?) {
            Ok(Request::Follow) => return tell(stream, tournament),
            Ok(order) => carry_out(order, tournament, dir),
            Err(error) => Err(format!("no such order: {error}")),
        };
        let answer = answer.unwrap_or_else(|error| json!({ "error": error }));
        let mut stream = stream;
        stream.write_all(format!("{answer}\n").as_bytes())?;
    }
    Ok(())
}

fn carry_out(order: Request, tournament: &Tournament, dir: &Path) -> Result<Value, String> {
    match &order {
        Request::Pause => tournament.state().paused = true,
        Request::Resume => tournament.state().paused = false,
        Request::Stop => tournament.stop(),
        Request::Concurrency { games, .. } if !(1..=MOST_AT_A_TIME).contains(games) => {
            return Err(format!("1 to {MOST_AT_A_TIME} games at a time"));
        }
        Request::Concurrency { .. }
        | Request::Priority { .. }
        | Request::Withdraw { .. }
        | Request::Disqualify { .. }
        | Request::Reinstate { .. }
        | Request::Void { .. } => decide(tournament, dir, &order)?,
        Request::Add { bot, base, event } => {
            add(tournament, dir, bot, base.clone(), event.as_deref())?
        }
        Request::Status | Request::Follow => {}
    }
    tournament.wake();
    Ok(status(tournament))
}

/// Enters an order in the journal, and then does what it says.
fn decide(tournament: &Tournament, dir: &Path, order: &Request) -> Result<(), String> {
    // Nothing is kept meanwhile: a game that is kept was kept before the entry or never.
    let _nothing_is_kept = tournament.write_access.for_decision();
    let mut state = tournament.state();
    let decisions = decisions(order, &state.subjects())?;
    // The program of a bot that has left may be gone.
    for decision in &decisions {
        if let Decision::Reinstate { event, bot } = decision {
            let events = state.events.iter().filter(|running| running.name == *event);
            let mut bots = events.flat_map(|running| &running.bots);
            if let Some(entry) = bots.find(|entry| entry.spec.name == *bot) {
                entry.spec.check_programs().map_err(|error| error.to_string())?;
            }
        }
    }
    let kept =
        Store::open_again(dir).and_then(|mut store| store.decide(&decisions, order.reason()));
    kept.map_err(|error| format!("it cannot be entered: {error}"))?;
    for decision in &decisions {
        state.apply(decision);
    }
    Ok(())
}

fn add(
    tournament: &Tournament,
    dir: &Path,
    bot: &str,
    base: PathBuf,
    event: Option<&str>,
) -> Result<(), String> {
    // One writer at a time.
    let _nothing_is_kept = tournament.write_access.for_decision();
    let mut state = tournament.state();
    let names: Vec<&str> = state.events.iter().map(|event| event.name.as_str()).collect();
    let number = meant(event, &names)?;
    let running = &state.events[number];
    if let Format::Knockout { .. } = running.progress.plan().format {
        return Err("bots cannot join a knockout that has begun".to_owned());
    }
    let entry = enter(bot, None, &base, &running.game.card(), &running.limits)?;
    entry.spec.check_grants(&state.cage).map_err(|error| error.to_string())?;
    entry.spec.check_programs().map_err(|error| error.to_string())?;
    if let Ok(exe) = std::env::current_exe() {
        entry.spec.check_access(&state.cage, &exe).map_err(|error| error.to_string())?;
    }
    let waiting = state.newcomers.iter().filter(|newcomer| newcomer.event == number);
    let there = running.bots.iter().chain(waiting.map(|newcomer| &newcomer.entry));
    if there.into_iter().any(|other| other.spec.name == entry.spec.name) {
        let name = &entry.spec.name;
        return Err(format!("a bot \"{name}\" takes part already; rename the new one: NAME={bot}"));
    }
    // Whoever hears that a bot was added can rely on it, even if we are killed this moment. The
    // games under way may take long, and what is known of them here would be gone.
    let arrival = Arrival {
        event: running.name.clone(),
        text: entry.text.clone(),
        base: base.display().to_string(),
    };
    let kept =
        Store::open_again(dir).and_then(|mut store| store.add_arrival(&arrival, &entry.spec.name));
    kept.map_err(|error| format!("it cannot be added: {error}"))?;
    state.newcomers.push(Newcomer { event: number, entry, base });
    state.changing = true;
    Ok(())
}

fn status(tournament: &Tournament) -> Value {
    let status = tournament.status();
    json!({
        "v": 1, "state": status.mode.name(), "games": status.games,
        "scheduled": status.scheduled, "under_way": status.under_way,
        "to_keep": status.to_keep,
        "concurrency": status.concurrency, "games_per_second": status.rate(),
        "seconds_left": status.left(), "process": std::process::id(),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_caller_who_cannot_be_let_in_is_not_tried_again_at_once() {
        let (stream, _other) = UnixStream::pair().expect("a pair of sockets");
        let full = || Err(io::Error::from_raw_os_error(24));
        let callers = [full(), full(), Ok(stream), full()];
        let (pauses, served) = (Cell::new(0), Cell::new(0));
        let pause = || pauses.set(pauses.get() + 1);
        answer(callers.into_iter(), pause, |_| served.set(served.get() + 1));
        assert_eq!((pauses.get(), served.get()), (3, 1));
    }
}
