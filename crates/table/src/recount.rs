//! Whether a report says of turns, faults and times what the replay of the match says. A replay holds
//! every answer with its times, every fault that has a line in the report, and every step.

use std::collections::HashMap;
use std::time::Duration;

use game::FaultKind;
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
    /// Turn, kind, facts, and how many are known to belong to the line.
    faults: Vec<(u32, FaultKind, String, u64)>,
}

impl Record {
    /// What a report of this match says differently, if anything.
    pub fn contradiction(&self, report: &Report) -> Option<String> {
        let mut players: Vec<PlayerRecount> = Vec::new();
        players.resize_with(self.header.players.len(), PlayerRecount::default);
        if players.len() != report.players.len() {
            return Some("it has other players".to_owned());
        }
        let mut turns = 0;
        let mut seats = HashMap::new();
        for entry in self.entries::<IgnoredAny>().map_while(Result::ok) {
            match entry {
                Entry::Seated { seat, player, .. } => drop(seats.insert(seat, player.index())),
                Entry::Answered { seat, wall, cpu, .. } => {
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
                    let last = player.faults.iter_mut().rfind(|line| line.1 == fault.kind);
                    match last.filter(|_| is_full) {
                        Some(line) => line.3 += 1,
                        None => player.faults.push((turn, fault.kind, fault.detail, 1)),
                    }
                }
                Entry::Stepped { turn, .. } => turns = turn,
                Entry::Sent { .. }
                | Entry::Got { .. }
                | Entry::Unfinished { .. }
                | Entry::Stderr { .. }
                | Entry::Noted { .. }
                | Entry::Left { .. }
                | Entry::Over { .. }
                | Entry::Truncated
                | Entry::Cut { .. }
                | Entry::Kept { .. } => {}
            }
        }
        if report.turns != turns {
            return Some(format!("{} turns, and {turns} in the replay", report.turns));
        }
        let found = report.players.iter().zip(&players);
        found.into_iter().find_map(|(said, player)| player.contradiction(said))
    }
}

impl PlayerRecount {
    fn contradiction(&self, said: &crate::PlayerReport) -> Option<String> {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
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
        let is_same = said.faults.len() == self.faults.len()
            && said.faults.iter().zip(&self.faults).all(|(line, (turn, kind, detail, count))| {
                // Faults that are only counted need no entry of their own.
                let is_counted = line.count == *count
                    || (line.count > *count && self.faults.len() >= crate::judging::FAULTS_KEPT);
                line.turn == *turn && line.kind == *kind && line.detail == *detail && is_counted
            });
        (!is_same).then(|| format!("the faults of {name} differ in the replay"))
    }
}
