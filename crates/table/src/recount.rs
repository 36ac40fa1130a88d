//! Whether a report says of turns, faults and times what the replay of the match says. A replay holds
//! every answer with its times, every fault that has a line in the report, and every step. How long the
//! game waited for the host can only be bounded: questions that were not answered leave no time behind.

use std::collections::HashMap;
use std::time::Duration;

use game::{FaultKind, Tick};
use serde::de::IgnoredAny;

use crate::judging::lines_kept;
use crate::log::Entry;
use crate::record::Record;
use crate::report::Report;

/// What a replay says of one player.
#[derive(Default)]
struct PlayerRecount {
    moves: u32,
    wall: Duration,
    cpu: Duration,
    slowest: Duration,
    faults: Vec<FaultRecount>,
}

/// What a replay says of one line of faults.
struct FaultRecount {
    turn: u32,
    kind: FaultKind,
    detail: String,
    /// How many are known to belong to it.
    count: u64,
    /// Which of all faults of the match it begins with.
    first: usize,
}

impl Record {
    /// What a report of this match says differently, if anything. Whose the faults were is known where
    /// the match was played again ([`crate::AnyReplay::fault_agents`]).
    pub fn contradiction(
        &self,
        report: &Report,
        agents: Option<&[Option<String>]>,
    ) -> Option<String> {
        let mut players: Vec<PlayerRecount> = Vec::new();
        players.resize_with(self.header.players.len(), PlayerRecount::default);
        if players.len() != report.players.len() {
            return Some("it has other players".to_owned());
        }
        let (mut turns, mut faults) = (0, 0);
        let mut seats = HashMap::new();
        let mut delay = Duration::ZERO;
        let mut end = Tick::ZERO;
        for entry in self.entries::<IgnoredAny>().map_while(Result::ok) {
            match entry {
                Entry::Seated { seat, player, .. } => drop(seats.insert(seat, player.index())),
                Entry::Answered { seat, wall, cpu, delay: waited } => {
                    delay = delay.saturating_add(waited);
                    let Some(player) = seats.get(&seat).and_then(|at| players.get_mut(*at)) else {
                        return Some("somebody answered who has no seat".to_owned());
                    };
                    player.moves += 1;
                    player.wall = player.wall.saturating_add(wall);
                    player.cpu = player.cpu.saturating_add(cpu);
                    player.slowest = player.slowest.max(wall);
                }
                Entry::Faulted { player, turn, fault, ruling, .. } => {
                    let Some(player) = players.get_mut(player.index()) else {
                        return Some("a fault is of nobody who plays".to_owned());
                    };
                    let is_full = player.faults.len() >= lines_kept(ruling);
                    let last = player.faults.iter_mut().rfind(|line| line.kind == fault.kind);
                    match last.filter(|_| is_full) {
                        Some(line) => line.count += 1,
                        None => {
                            let (kind, detail) = (fault.kind, fault.detail);
                            let line = FaultRecount { turn, kind, detail, count: 1, first: faults };
                            player.faults.push(line);
                        }
                    }
                    faults += 1;
                }
                Entry::Over { at, .. } => end = at,
                Entry::Stepped { turn, .. } => turns = turn,
                Entry::Sent { .. }
                | Entry::Got { .. }
                | Entry::Unfinished { .. }
                | Entry::Stderr { .. }
                | Entry::Noted { .. }
                | Entry::Left { .. }
                | Entry::Truncated
                | Entry::Cut { .. }
                | Entry::Kept { .. } => {}
            }
        }
        if report.turns != turns {
            return Some(format!("{} turns, and {turns} in the replay", report.turns));
        }
        let longest = end.0.saturating_mul(seats.len() as u32);
        if !(ms(delay)..=ms(longest)).contains(&report.host_delay_ms) {
            return Some("how long the game waited for the host differs in the replay".to_owned());
        }
        let lines = self.header.players.iter();
        if !lines.map(|line| &line.about).eq(report.players.iter().map(|said| &said.about)) {
            return Some("bots describe themselves differently in the replay".to_owned());
        }
        let found = report.players.iter().zip(&players);
        found.into_iter().find_map(|(said, player)| player.contradiction(said, agents))
    }
}

/// As a report rounds it.
fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

impl PlayerRecount {
    fn contradiction(
        &self,
        said: &crate::PlayerReport,
        agents: Option<&[Option<String>]>,
    ) -> Option<String> {
        let name = &said.name;
        if said.moves != self.moves {
            return Some(format!(
                "{} answers of {name}, and {} in the replay",
                said.moves, self.moves
            ));
        }
        let times = [ms(self.wall), ms(self.cpu), ms(self.slowest)];
        if [said.wall_ms, said.cpu_ms, said.slowest_ms] != times {
            return Some(format!("the times of {name} differ in the replay"));
        }
        let is_same = |(line, found): (&crate::FaultLine, &FaultRecount)| {
            // Faults that are only counted need no entry of their own.
            let is_counted = line.count == found.count
                || (line.count > found.count && self.faults.len() >= crate::judging::FAULTS_KEPT);
            let is_own = agents.is_none_or(|agents| agents.get(found.first) == Some(&line.agent));
            line.turn == found.turn
                && line.kind == found.kind
                && line.detail == found.detail
                && is_counted
                && is_own
        };
        let is_same = said.faults.len() == self.faults.len()
            && said.faults.iter().zip(&self.faults).all(is_same);
        (!is_same).then(|| format!("the faults of {name} differ in the replay"))
    }
}
