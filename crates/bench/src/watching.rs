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
    /// As many readers as there may be watch every game.
    Present,
}

pub(crate) fn groups(games: u64, list: GameList) -> Result<Vec<MeasureGroup>> {
    let game = alternating(list)?;
    let ply = |audience| -> Result<_> {
        let recorded = HostedOptions { recording: Recording::On, ..PLAIN };
        let mut playing = HostedGames::dummies(game, 2, 1, recorded)?;
        Ok(move || {
            let server = match audience {
                Viewers::None => None,
                Viewers::Absent | Viewers::Present => {
                    let server = LiveServer::start(&LivePlace::User, "bench");
                    Some(server.context("games cannot be offered to readers")?)
                }
            };
            let readers = match audience {
                Viewers::None | Viewers::Absent => Vec::new(),
                Viewers::Present => (0..READERS).map(|_| reader()).collect::<Result<_>>()?,
            };
            playing.offer(server.as_ref().map(|server| server.games().clone()));
            let taken = playing.play(games)?;
            drop(server);
            for reader in readers {
                reader.join().expect("readers do not panic")?;
            }
            Ok(taken.turns_us / taken.turns as f64)
        })
    };
    let watched = format!("watched by {READERS} readers");
    Ok(vec![MeasureGroup {
        title: format!("a recorded ply, {}, one core", game.card().id),
        measures: vec![
            Measurement::new("not offered to readers", "µs", ply(Viewers::None)?),
            Measurement::new("offered, nobody watches", "µs", ply(Viewers::Absent)?).beside(0),
            Measurement::new(&watched, "µs", ply(Viewers::Present)?).beside(0),
        ],
    }])
}

/// Somebody who watches every game from the moment it hears of it, until there are no more.
fn reader() -> Result<JoinHandle<Result<()>>> {
    let own = format!("{}.sock", std::process::id());
    let socket: PathBuf = host::sockets_of_user()
        .into_iter()
        .find(|path| path.ends_with(&own))
        .context("the socket is gone")?;
    let stream = host::connect(&socket)?;
    Ok(std::thread::spawn(move || watch(stream)))
}

fn watch(stream: UnixStream) -> Result<()> {
    let mut out = stream.try_clone()?;
    let mut watched = 0;
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { return Ok(()) };
        // Logs are taken and not looked at.
        if !line.starts_with("{\"games\"") {
            continue;
        }
        let ToReader::Games { games } = serde_json::from_str(&line)? else { continue };
        for game in games.iter().filter(|game| game.id >= watched) {
            let word = serde_json::to_string(&FromReader::Watch { watch: game.id, from: 0 })?;
            if writeln!(out, "{word}").is_err() {
                return Ok(());
            }
        }
        watched = games.iter().map(|game| game.id + 1).max().unwrap_or(watched).max(watched);
    }
    Ok(())
}
