//! A ply while nobody watches, and while readers do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread::JoinHandle;

use anyhow::{Context as _, Result};
use host::{LivePlace, LiveServer};
use league::GameList;
use table::Recording;
use table::live::{FromReader, ToReader};

use crate::parts::{MeasureGroup, alternating};
use crate::rounds::Measurement;
use crate::through_host::{HostedGames, HostedOptions, PLAIN};

/// So many readers watch at a time.
const READERS: usize = 10;

/// Whether anybody is there who watches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Viewers {
    /// Games are not offered.
    None,
    /// They are offered, and nobody watches.
    Absent,
    /// Readers watch every game.
    Present,
    /// Readers ask for the first game that they hear of, and then never read on.
    Stuck,
}

pub(crate) fn groups(games: u64, list: GameList) -> Result<Vec<MeasureGroup>> {
    let game = alternating(list)?;
    let ply = |audience| -> Result<_> {
        let recorded = HostedOptions { recording: Recording::On, ..PLAIN };
        let mut playing = HostedGames::dummies(game, 2, 1, recorded)?;
        Ok(move || {
            let server = match audience {
                Viewers::None => None,
                Viewers::Absent | Viewers::Present | Viewers::Stuck => {
                    let server = LiveServer::start(&LivePlace::User, "bench");
                    Some(server.context("games cannot be offered to readers")?)
                }
            };
            let readers = match audience {
                Viewers::None | Viewers::Absent => Vec::new(),
                Viewers::Present => (0..READERS).map(|_| reader(watch)).collect::<Result<_>>()?,
                Viewers::Stuck => (0..READERS).map(|_| reader(get_stuck)).collect::<Result<_>>()?,
            };
            playing.offer(server.as_ref().map(|server| server.games().clone()));
            let taken = playing.play(games)?;
            drop(server);
            for reader in readers {
                // The server is gone: those that are stuck are, too.
                drop(reader.join().expect("readers do not panic")?);
            }
            Ok(taken.turns_us / taken.turns as f64)
        })
    };
    let watched = format!("watched by {READERS} readers");
    let stuck = format!("watched by {READERS} that never read on");
    Ok(vec![MeasureGroup {
        title: format!("a recorded ply, {}, one core", game.card().id),
        measures: vec![
            Measurement::new("not offered to readers", "µs", ply(Viewers::None)?),
            Measurement::new("offered, nobody watches", "µs", ply(Viewers::Absent)?).beside(0),
            Measurement::new(&watched, "µs", ply(Viewers::Present)?).beside(0),
            Measurement::new(&stuck, "µs", ply(Viewers::Stuck)?).beside(0),
        ],
    }])
}

/// What a reader does with its connection. It gives it back if it holds it to the end.
type Habit = fn(UnixStream) -> Result<Option<UnixStream>>;

/// Somebody who is connected, on a thread of its own.
fn reader(habit: Habit) -> Result<JoinHandle<Result<Option<UnixStream>>>> {
    let own = format!("{}.sock", std::process::id());
    let socket: PathBuf = host::sockets_of_user()
        .into_iter()
        .find(|path| path.ends_with(&own))
        .context("the socket is gone")?;
    let stream = host::connect(&socket)?;
    Ok(std::thread::spawn(move || habit(stream)))
}

/// Asks for the first game that it hears of, and never reads on.
fn get_stuck(stream: UnixStream) -> Result<Option<UnixStream>> {
    let mut out = stream.try_clone()?;
    for line in BufReader::new(&stream).lines() {
        let Ok(line) = line else { break };
        let Ok(ToReader::Games { games }) = serde_json::from_str(&line) else { continue };
        if let Some(game) = games.first() {
            let word = serde_json::to_string(&FromReader::Watch { watch: game.id, from: 0 })?;
            let _ = writeln!(out, "{word}");
            break;
        }
    }
    Ok(Some(stream))
}

/// Watches every game from the moment it hears of it, until there are no more.
fn watch(stream: UnixStream) -> Result<Option<UnixStream>> {
    let mut out = stream.try_clone()?;
    let mut watched = 0;
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { return Ok(None) };
        // Logs are taken and not looked at.
        if !line.starts_with("{\"games\"") {
            continue;
        }
        let ToReader::Games { games } = serde_json::from_str(&line)? else { continue };
        for game in games.iter().filter(|game| game.id >= watched) {
            let word = serde_json::to_string(&FromReader::Watch { watch: game.id, from: 0 })?;
            if writeln!(out, "{word}").is_err() {
                return Ok(None);
            }
        }
        watched = games.iter().map(|game| game.id + 1).max().unwrap_or(watched).max(watched);
    }
    Ok(None)
}
