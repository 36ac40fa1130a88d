//! Plies a second while other processes of this machine compute.

use std::process::Child;

use anyhow::{Context as _, Result};
use league::GameList;

use crate::busy_bot;
use crate::parts::{MeasureGroup, alternating};
use crate::rounds::Measurement;
use crate::through_host::{HostedGames, HostedOptions, PLAIN};

/// As many games at a time as there are cores: alone, and beside as many and twice as many
/// processes that never rest, as when something is compiled in another terminal.
pub(crate) fn groups(games: u64, list: GameList) -> Result<Vec<MeasureGroup>> {
    let game = alternating(list)?;
    let cores = host::cores().len();
    let plies = |others: usize| -> Result<_> {
        let options = HostedOptions { concurrency: cores, ..PLAIN };
        let mut playing = HostedGames::dummies(game, 2, 1, options)?;
        Ok(move || {
            let _others = BusyProcesses::start(others)?;
            let taken = playing.play(games * cores as u64)?;
            Ok(taken.turns as f64 / taken.time.as_secs_f64())
        })
    };
    let mut measures = vec![Measurement::new("alone", "1/s", plies(0)?)];
    for others in [cores, 2 * cores] {
        let name = format!("beside {others} busy processes");
        measures.push(Measurement::new(name, "1/s", plies(others)?).beside(0));
    }
    let title = format!("plies a second, {cores} games at a time, {}", game.card().id);
    Ok(vec![MeasureGroup { title, measures }])
}

/// Processes that compute, each in a session of its own, until this is dropped.
struct BusyProcesses(Vec<Child>);

impl BusyProcesses {
    fn start(count: usize) -> Result<BusyProcesses> {
        let mut all = BusyProcesses(Vec::new());
        for _ in 0..count {
            all.0.push(busy_bot::start_beside().context("cannot start a busy process")?);
        }
        Ok(all)
    }
}

impl Drop for BusyProcesses {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
