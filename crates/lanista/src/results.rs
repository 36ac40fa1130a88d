//! Finished games in words: one by one, and added up.

use std::collections::BTreeMap;

use game::Verdict;
use table::{PlayerReport, Report};

/// One finished game of a run in a few lines; games are counted from 1.
pub(crate) fn one(report: &Report) -> String {
    numbered(report, report.index + 1)
}

/// One finished game in a few lines, called by this number.
pub(crate) fn numbered(report: &Report, number: u64) -> String {
    let mut lines = vec![headline(report, number)];
    for player in &report.players {
        lines.push(format!("  {}", player_line(player)));
        lines.extend(player.faults.iter().take(5).map(|fault| {
            let turn = match fault.turn {
                0 => "before the first move".to_owned(),
                turn => format!("move {turn}"),
            };
            format!("    ! {turn}: {}: {}", fault.kind, fault.detail)
        }));
        let all: u64 = player.faults.iter().map(|fault| fault.count).sum();
        if all > 5 {
            lines.push(format!("    ! and {} more; see the replay", all - 5));
        }
    }
    if let Some(replay) = &report.replay {
        lines.push(format!("  replay: {replay}"));
    }
    lines.join("\n")
}

/// Who won against whom, and why.
fn headline(report: &Report, number: u64) -> String {
    let names: Vec<&str> = report.players.iter().map(|player| player.name.as_str()).collect();
    let first = report.players.iter().find(|player| player.rank == 1);
    let result = match (report.outcome, first) {
        // Whoever plays alone wins nothing.
        (Verdict::Win, Some(_)) if report.players.len() == 1 => "over".to_owned(),
        (Verdict::Win, Some(winner)) => format!("{} wins", winner.name),
        (Verdict::Win | Verdict::Draw, _) => "draw".to_owned(),
        (Verdict::Void, _) => "void".to_owned(),
    };
    format!(
        "game {number} ({}), seed {}: {result} — {} ({} turns)",
        names.join(" – "),
        report.seed,
        report.reason,
        report.turns
    )
}

fn player_line(player: &PlayerReport) -> String {
    let mean = match player.moves {
        0 => "–".to_owned(),
        moves => format!("{:.1} ms", player.wall_ms / f64::from(moves)),
    };
    format!(
        "{}. {}: score {}, {} moves, mean {mean}, slowest {:.1} ms, processor {:.0} ms",
        player.rank, player.name, player.score, player.moves, player.slowest_ms, player.cpu_ms
    )
}

/// The games of a run added up by player.
#[derive(Default)]
pub(crate) struct Sum {
    rows: BTreeMap<String, Row>,
    pub(crate) void: u64,
    pub(crate) games: u64,
}

#[derive(Default)]
struct Row {
    games: u64,
    first: u64,
    shared: u64,
    lower: u64,
    moves: u64,
    wall_ms: f64,
    slowest_ms: f64,
    faults: BTreeMap<String, u64>,
}

impl Row {
    fn points(&self) -> f64 {
        self.first as f64 + self.shared as f64 / 2.0
    }
}

impl Sum {
    /// Adds a game.
    pub(crate) fn add(&mut self, report: &Report) {
        if report.outcome == Verdict::Void {
            self.void += 1;
            return;
        }
        self.games += 1;
        for player in &report.players {
            let row = self.rows.entry(player.name.clone()).or_default();
            row.games += 1;
            match (player.rank, report.outcome) {
                (1, Verdict::Win) => row.first += 1,
                (1, _) => row.shared += 1,
                _ => row.lower += 1,
            }
            row.moves += u64::from(player.moves);
            row.wall_ms += player.wall_ms;
            row.slowest_ms = row.slowest_ms.max(player.slowest_ms);
            for fault in &player.faults {
                *row.faults.entry(fault.kind.clone()).or_default() += fault.count;
            }
        }
    }

    /// A table, the best first.
    pub(crate) fn table(&self) -> String {
        let mut rows: Vec<(&String, &Row)> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.1.points().total_cmp(&a.1.points()));
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(4);
        let mut text = format!(
            "{:<width$}  games   wins  draws losses  points  ms/move  slowest  faults",
            "name"
        );
        for (name, row) in rows {
            let faults: Vec<String> =
                row.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let faults = if faults.is_empty() { "–".to_owned() } else { faults.join(", ") };
            let mean = match row.moves {
                0 => "–".to_owned(),
                moves => format!("{:.2}", row.wall_ms / moves as f64),
            };
            text.push_str(&format!(
                "\n{name:<width$}  {:>5}  {:>5}  {:>5}  {:>5}  {:>6.1}  {mean:>7}  {:>7.1}  {faults}",
                row.games,
                row.first,
                row.shared,
                row.lower,
                row.points(),
                row.slowest_ms,
            ));
        }
        if self.void > 0 {
            text.push_str(&format!("\n{} games were void and are not counted", self.void));
        }
        text
    }
}
