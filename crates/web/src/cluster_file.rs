//! What the workers of a cluster play, from the file that its coordinator leaves in the run's folder.
//! Anybody may have written it: it is shown, and nothing else.

use std::io::Read as _;

use league::{Folder, Standings};
use serde::Deserialize;
use serde_json::{Value, json};

/// A longer file is not looked at.
const LONGEST: u64 = 64 << 20;
/// So many workers, and so many games of each, are shown.
const MOST_WORKERS: usize = 1000;
const MOST_GAMES: usize = 64;

#[derive(Deserialize)]
struct ClusterFile {
    leases: Vec<ClusterLease>,
}

#[derive(Deserialize)]
struct ClusterLease {
    worker: String,
    games: Vec<ClusterGame>,
    #[serde(default)]
    playing: Vec<ClusterGame>,
}

#[derive(Deserialize)]
struct ClusterGame {
    event: usize,
    key: String,
}

/// The workers of a run that is being played; empty if no cluster plays it.
pub(crate) fn workers(folder: &Folder, all: &Standings) -> Vec<Value> {
    let mut text = String::new();
    let read = folder.read("cluster.json");
    let read = read.and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    let file: Option<ClusterFile> = read.ok().and_then(|_| serde_json::from_str(&text).ok());
    let worker = |lease: ClusterLease| {
        let playing = lease.playing.iter().take(MOST_GAMES).filter_map(|game| game.json(all));
        json!({
            "name": lease.worker,
            "games": lease.games.len(),
            "playing": playing.collect::<Vec<Value>>(),
        })
    };
    let leases = file.map_or_else(Vec::new, |file| file.leases);
    leases.into_iter().take(MOST_WORKERS).map(worker).collect()
}

impl ClusterGame {
    /// Who plays: a key ends with the numbers of the bots.
    fn json(&self, all: &Standings) -> Option<Value> {
        let event = all.events.get(self.event)?;
        let (_, bots) = self.key.split_once(':')?;
        let name = |number: &str| event.entered.get(number.parse::<usize>().ok()?);
        let bots: Option<Vec<&String>> = bots.split('-').map(name).collect();
        Some(json!({ "event": event.name, "bots": bots? }))
    }
}
