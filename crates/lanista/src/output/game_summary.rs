//! Finished games in words: one by one, and added up.

use std::collections::BTreeMap;

use game::{FaultKind, Verdict};
use stats::{Counts, Summary};
use table::{FaultLine, PlayerReport, Report, Scoring, WorkerLine, agents_in_words, with_names};

use crate::catalogue::Catalogue;
use crate::output::number::probability;
use crate::output::standings_text;
use crate::output::statistics::elo_words;
use crate::output::text::count;
use crate::output::text_table::{Align, Columns, short};

/// So many faults of a player are spelled out.
const FAULTS: usize = 5;

/// One finished game in a few lines, the best player first. Games are counted from 1.
pub(crate) fn one(report: &Report, catalogue: Catalogue) -> String {
    let mut lines = vec![headline(report)];
    let score = catalogue.card(&report.game).map_or(Scoring::Result, |card| card.score);
    let mut players: Vec<&PlayerReport> = report.players.iter().collect();
    players.sort_by_key(|player| player.rank);
    for player in players {
        lines.push(format!("  {}", player_line(player, score)));
        lines.extend(fault_lines(player));
    }
    let replay = report.replay.as_ref().map(|replay| format!(", replay: {replay}"));
    lines.push(format!("  game seed {}{}", report.seed, replay.unwrap_or_default()));
    if let Some(worker) = &report.worker {
        let scale = match worker.time_scale {
            1.0 => String::new(),
            scale => format!(", time limits times {scale}"),
        };
        let WorkerLine { name, speed, .. } = worker;
        lines.push(format!("  worker {name}, tier {}, speed {speed:.0}{scale}", report.tier));
    }
    lines.join("\n")
}

/// The first faults of a player, and how many more there are.
fn fault_lines(player: &PlayerReport) -> Vec<String> {
    let groups = grouped(&player.faults);
    let line = |group: &FaultGroup<'_>| {
        let FaultGroup { first, agents, count } = group;
        let turn = match first.turn {
            0 => "before the first turn".to_owned(),
            turn => format!("turn {turn}"),
        };
        let agents = agents_in_words(agents).map_or(String::new(), |agents| format!(", {agents}"));
        let times = match count {
            1 => String::new(),
            count => format!(" ({count} times)"),
        };
        format!("    ! {turn}{agents}: {}: {}{times}", first.kind, first.detail)
    };
    let mut lines: Vec<String> = groups.iter().take(FAULTS).map(line).collect();
    let more: u64 = groups.iter().skip(FAULTS).map(|group| group.count).sum();
    if more > 0 {
        lines.push(format!("    ! and {more} more; see the replay"));
    }
    lines
}

/// Faults that say the same but for their figures, the first of them in full.
struct FaultGroup<'a> {
    first: &'a FaultLine,
    agents: Vec<String>,
    count: u64,
}

fn grouped(faults: &[FaultLine]) -> Vec<FaultGroup<'_>> {
    let words = |fault: &FaultLine| -> String {
        fault.detail.chars().filter(|letter| !letter.is_ascii_digit()).collect()
    };
    let mut groups: Vec<FaultGroup<'_>> = Vec::new();
    for fault in faults {
        let same = |group: &&mut FaultGroup<'_>| {
            group.first.kind == fault.kind && words(group.first) == words(fault)
        };
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.count += fault.count;
                if let Some(agent) = fault.agent.as_ref().filter(|one| !group.agents.contains(one))
                {
                    group.agents.push(agent.clone());
                }
            }
            None => {
                let agents = fault.agent.iter().cloned().collect();
                groups.push(FaultGroup { first: fault, agents, count: fault.count });
            }
        }
    }
    groups
}

/// Who won against whom, and why.
fn headline(report: &Report) -> String {
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
        "game {} ({}): {result} after {}: {}",
        report.index + 1,
        names.join(" – "),
        count(report.turns.into(), "turn"),
        with_names(&report.reason, &names),
    )
}

fn player_line(player: &PlayerReport, score: Scoring) -> String {
    let ms = |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.1} ms"));
    let mean = ms(player.mean_ms());
    let slowest = ms((player.moves > 0).then_some(player.slowest_ms));
    let score = score.of(player.score).map_or(String::new(), |score| format!("{score}, "));
    let rank = match player.rank {
        0 => "–".to_owned(),
        rank => format!("{rank}."),
    };
    format!(
        "{rank} {}: {score}{}, mean {mean}, slowest {slowest}, processor {:.0} ms",
        player.name,
        count(player.moves.into(), "move"),
        player.cpu_ms
    )
}

/// The games of a run added up by player.
#[derive(Default)]
pub(crate) struct Sum {
    rows: BTreeMap<String, Row>,
    pub(crate) void: u64,
    pub(crate) games: u64,
    duel: Option<Duel>,
}

/// What two players have done to each other.
struct Duel {
    /// As they sat in the first game.
    names: [String; 2],
    /// Games in which the first scored so many half points.
    games: [u64; 3],
    /// Pairs of games, the same seed with seats changed, in which it scored so many.
    pairs: [u64; 5],
    /// Games whose other half is not there yet, by the number of the pair.
    halves: BTreeMap<u64, usize>,
}

impl Duel {
    fn new(report: &Report) -> Option<Duel> {
        let [first, second] = &report.players[..] else { return None };
        let names = [first.name.clone(), second.name.clone()];
        Some(Duel { names, games: [0; 3], pairs: [0; 5], halves: BTreeMap::new() })
    }

    fn add(&mut self, report: &Report) {
        let won = report.players.iter().find(|player| player.rank == 1);
        let result = match (report.outcome, won) {
            (Verdict::Win, Some(winner)) if winner.name == self.names[0] => 2,
            (Verdict::Win, Some(_)) => 0,
            (Verdict::Win | Verdict::Draw | Verdict::Void, _) => 1,
        };
        self.games[result] += 1;
        let pair = report.index / 2;
        match self.halves.remove(&pair) {
            Some(other) => self.pairs[result + other] += 1,
            None => drop(self.halves.insert(pair, result)),
        }
    }

    /// Elo, its error and the likelihood of superiority: from pairs if all games are in pairs,
    /// which is more exact, otherwise from single games.
    fn strength(&self) -> Option<String> {
        let (counts, what) = match self.halves.is_empty() {
            true => (Counts::new(&self.pairs), count(self.pairs.iter().sum(), "pair")),
            false => (Counts::new(&self.games), count(self.games.iter().sum(), "game")),
        };
        let summary = Summary::of(&counts.ok()?);
        let [first, second] = &self.names;
        Some(format!(
            "{first} against {second}: Elo {} (95 %), likelihood of superiority {} %, from {what}",
            elo_words(&summary, 1),
            probability(summary.los, 1)
        ))
    }
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
    faults: BTreeMap<FaultKind, u64>,
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
        if self.duel.is_none() {
            self.duel = Duel::new(report);
        }
        if let Some(duel) = &mut self.duel {
            duel.add(report);
        }
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
                *row.faults.entry(fault.kind).or_default() += fault.count;
            }
        }
    }

    /// How much stronger the first of two players is, if there are two.
    pub(crate) fn strength(&self) -> Option<String> {
        self.duel.as_ref()?.strength()
    }

    /// A table, the best first.
    pub(crate) fn table(&self) -> String {
        let mut rows: Vec<(&String, &Row)> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.1.points().total_cmp(&a.1.points()));
        let titles = ["games", "won", "drawn", "lost", "points", "mean ms", "slowest", "faults"];
        let titles = titles.map(|title| (title, Align::Right));
        let first = [("#", Align::Right), ("name", Align::Left)];
        let mut columns = Columns::new(first.into_iter().chain(titles));
        for (name, row) in &rows {
            let better = rows.iter().filter(|(_, other)| other.points() > row.points()).count();
            let mean = table::mean_ms(row.wall_ms, row.moves, row.slowest_ms);
            let mut cells = vec![(1 + better).to_string(), short(name)];
            cells.extend([row.games, row.first, row.shared, row.lower].map(|it| it.to_string()));
            cells.push(format!("{:.1}", row.points()));
            cells.push(mean.map_or("–".to_owned(), |mean| format!("{mean:.2}")));
            cells.push(format!("{:.1}", row.slowest_ms));
            cells.push(row.faults.values().sum::<u64>().to_string());
            columns.row(cells);
        }
        let mut text = columns.text();
        for (name, row) in rows.iter().filter(|(_, row)| !row.faults.is_empty()) {
            text += &standings_text::faults_of(name, &row.faults);
        }
        if self.void > 0 {
            let (games, are) =
                (count(self.void, "game"), if self.void == 1 { "is" } else { "are" });
            text.push_str(&format!("\n{games} void, which {are} not counted"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str, seat: u16, rank: u16, score: f64, moves: u32) -> PlayerReport {
        PlayerReport {
            name: name.to_owned(),
            seat,
            rank,
            score,
            moves,
            wall_ms: 2.0,
            cpu_ms: 1.0,
            slowest_ms: 2.0,
            faults: Vec::new(),
            about: None,
        }
    }

    fn sample() -> Report {
        Report {
            v: 1,
            game: String::new(),
            id: "1f0c".to_owned(),
            index: 0,
            seed: 7,
            run_seed: None,
            outcome: Verdict::Win,
            reason: "it is over".to_owned(),
            ending: None,
            turns: 1,
            players: vec![player("ann", 0, 2, 3.0, 1), player("bob", 1, 1, 1.0, 0)],
            host_delay_ms: 0.0,
            restarts: 0,
            tier: "E".to_owned(),
            worker: None,
            digest: String::new(),
            replay: Some("a.lrz".to_owned()),
        }
    }

    #[test]
    fn a_game_is_told_from_the_winner_down_with_what_its_score_counts() {
        for game in games::GAMES {
            let card = game.card();
            let reason = "player 2 is left".to_owned();
            let report = Report { game: card.id.to_owned(), reason, ..sample() };
            let [one, many] = match card.score {
                Scoring::Result => [String::new(), String::new()],
                Scoring::Count { one, many, .. } => [format!("1 {one}, "), format!("3 {many}, ")],
            };
            assert_eq!(report.named().reason, "bob is left");
            let text = super::one(&report, Catalogue::new(games::GAMES));
            assert_eq!(
                text,
                format!(
                    "game 1 (ann – bob): bob wins after 1 turn: bob is left\n  \
                     1. bob: {one}0 moves, mean –, slowest –, processor 1 ms\n  \
                     2. ann: {many}1 move, mean 2.0 ms, slowest 2.0 ms, processor 1 ms\n  \
                     game seed 7, replay: a.lrz"
                )
            );
        }
    }

    #[test]
    fn two_players_are_compared_by_pairs_where_every_game_has_its_other_half() {
        let report = |index: u64, winner: Option<&str>| {
            let names = if index.is_multiple_of(2) { ["ann", "bob"] } else { ["bob", "ann"] };
            let rank = |name: &str| u16::from(winner.is_some_and(|winner| winner != name)) + 1;
            let players = names.iter().zip(0..);
            let players = players.map(|(name, seat)| player(name, seat, rank(name), 0.0, 1));
            let outcome = if winner.is_some() { Verdict::Win } else { Verdict::Draw };
            Report { index, outcome, players: players.collect(), ..sample() }
        };
        let mut sum = Sum::default();
        assert_eq!(sum.strength(), None);
        let winners = [Some("ann"), Some("ann"), Some("bob"), Some("ann")];
        for (index, winner) in (0..).zip(winners) {
            sum.add(&report(index, winner));
        }
        let pairs = Summary::of(&Counts::new(&[0, 0, 1, 0, 1]).expect("counts"));
        let text = sum.strength().expect("there are two");
        assert!(text.starts_with(&format!("ann against bob: Elo {:+.1}", pairs.elo)), "{text}");
        assert!(text.ends_with("from 2 pairs"), "{text}");
        sum.add(&report(4, None));
        let games = Summary::of(&Counts::new(&[1, 1, 3]).expect("counts"));
        let text = sum.strength().expect("there are two");
        assert!(
            text.contains(&format!("Elo {:+.1} ± {:.1}", games.elo, games.elo_error)),
            "{text}"
        );
        assert!(text.ends_with("from 5 games"), "{text}");
    }

    #[test]
    fn faults_that_stand_for_many_are_counted_once() {
        let fault = |(letter, count): (char, &u64)| FaultLine {
            turn: 1,
            kind: FaultKind::Extra,
            agent: None,
            detail: format!("a line of {letter}"),
            count: *count,
        };
        let text = |counts: &[u64]| {
            let faults = ('a'..).zip(counts).map(fault).collect();
            let player = PlayerReport { faults, ..player("a", 0, 1, 0.0, 1) };
            fault_lines(&player).join("\n")
        };
        assert_eq!(text(&[1, 51]).lines().count(), 2);
        assert!(text(&[1, 51]).ends_with("a line of b (51 times)"), "{}", text(&[1, 51]));
        assert_eq!(text(&[1; 5]).lines().count(), 5);
        assert!(text(&[1, 1, 40, 1, 1, 7, 3]).ends_with("! and 10 more; see the replay"));
    }

    #[test]
    fn what_is_said_of_several_agents_is_said_once() {
        let fault = |agent: &str, ms: u32| FaultLine {
            turn: 3,
            kind: FaultKind::Timeout,
            agent: Some(agent.to_owned()),
            detail: format!("no answer after {ms} ms"),
            count: 1,
        };
        let text = |agents: &[&str]| {
            let faults = agents.iter().zip(1020..).map(|(agent, ms)| fault(agent, ms)).collect();
            fault_lines(&PlayerReport { faults, ..player("a", 0, 1, 0.0, 1) }).join("\n")
        };
        assert_eq!(text(&["x1"]), "    ! turn 3, agent x1: timeout: no answer after 1020 ms");
        assert_eq!(
            text(&["x1", "x2", "x1", "x3", "x4"]),
            "    ! turn 3, agents x1, x2, x3 and 1 more: timeout: no answer after 1020 ms (5 times)"
        );
    }
}
