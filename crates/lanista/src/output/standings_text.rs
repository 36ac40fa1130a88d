//! How a tournament stands, in tables for people.

use std::collections::BTreeMap;
use std::fmt::Display;

use league::schedule::Leaving;
use league::{CrossTableEntry, EventStandings, JournalEntry, OverallRow, WorkerTotals};

use crate::output::number::{error, fixed, probability, signed};
use crate::output::test_summary;
use crate::output::text::{count, wrapped};
use crate::output::text_table::{Align, Columns, in_blocks, short};
use crate::terminal;

/// An event with everything there is to say about it.
pub(crate) fn in_full(event: &EventStandings) -> String {
    let mut text = heading(event) + &table(event);
    if event.rows.len() > 2 {
        let cross = matrix(event, |a, b| match against(event, a, b) {
            Some(score) => score.map(|games| games.to_string()).join("–"),
            None => "".to_owned(),
        });
        text += &format!("\n\nwon–drawn–lost by the row against the column\n{cross}");
        let superiority = matrix(event, |a, b| {
            let share = superiority(event, a, b);
            share.map_or(String::new(), |share| probability(share, 0))
        });
        text += &format!(
            "\n\nprobability that the row is stronger than the column, in %\n{superiority}"
        );
    }
    text += &format!("\n\ntime an answer, in ms\n{}", times(event));
    let described = event.rows.iter().filter_map(|row| Some((row, row.about.as_ref()?)));
    let described: Vec<String> = described
        .map(|(row, about)| wrapped(&format!("{}: {about}", row.name), 2, terminal::columns()))
        .collect();
    if !described.is_empty() {
        text += &format!("\n\nwhat bots say of themselves\n{}", described.join("\n"));
    }
    let remarks: Vec<String> =
        remarks(event).iter().map(|line| wrapped(line, 2, terminal::columns())).collect();
    text + &format!("\n\n{}", remarks.join("\n"))
}

/// The probability that one bot is stronger than another. Nothing is known of one that has not
/// played.
pub(crate) fn superiority(event: &EventStandings, a: usize, b: usize) -> Option<f64> {
    let played = [a, b].iter().all(|row| event.rows[*row].games > 0);
    played.then(|| event.superiority[a][b])
}

/// What is played, and how far it is.
pub(crate) fn heading(event: &EventStandings) -> String {
    let name = match event.name == event.game {
        true => event.game.clone(),
        false => format!("{} ({})", event.name, event.game),
    };
    format!("{name}, {}\n", progress(event))
}

/// The format, and how many rounds and games have been played.
pub(crate) fn progress(event: &EventStandings) -> String {
    let games = match event.scheduled {
        Some(all) if all != event.games => format!("{} of {}", event.games, count(all, "game")),
        Some(_) | None => count(event.games, "game"),
    };
    let rounds = match event.rounds {
        Some((played, all)) if played == all => format!(", {}", count(all.into(), "round")),
        Some((played, all)) => format!(", {played} of {}", count(all.into(), "round")),
        None => String::new(),
    };
    format!("{}{rounds}: {games}", event.format_name())
}

/// The table alone, and what is wrong with whom.
pub(crate) fn table(event: &EventStandings) -> String {
    let byes = event.rows.iter().any(|row| row.byes > 0);
    let reached = event.rows.iter().any(|row| row.reached.is_some());
    // There is room for one; the others are on the page and in JSON.
    let tie_break = event.tie_breaks.first();
    let right = |title| (title, Align::Right);
    let mut titles = vec![right("#"), ("name", Align::Left)];
    titles.extend(["games", "won", "drawn", "lost"].map(right));
    titles.extend(byes.then_some(right("byes")));
    titles.push(right("points"));
    titles.extend(tie_break.map(|name| right(name.short())));
    titles.extend(reached.then_some(("reached", Align::Left)));
    titles.extend(["rating", "faults"].map(right));
    let mut columns = Columns::new(titles);
    for row in &event.rows {
        let rating = match row.games {
            0 => "–".to_owned(),
            _ if row.anchored => format!("{} given", fixed(row.rating, 0)),
            _ => format!("{} ± {}", fixed(row.rating, 0), error(row.rating_error)),
        };
        let rank = match row.left {
            Some(Leaving::Disqualified) => "–".to_owned(),
            Some(Leaving::Withdrawn) | None => row.rank.to_string(),
        };
        let mut cells = vec![rank, short(&row.name)];
        cells.extend([row.games, row.wins, row.draws, row.losses].map(|games| games.to_string()));
        cells.extend(byes.then(|| row.byes.to_string()));
        cells.push(format!("{:.1}", row.points));
        cells.extend(
            tie_break.map(|_| {
                row.tie_breaks.first().map_or(String::new(), |value| format!("{value:.2}"))
            }),
        );
        cells.extend(reached.then(|| row.reached.map_or("".to_owned(), |how| how.to_string())));
        cells.extend([rating, row.faults.values().sum::<u64>().to_string()]);
        columns.row(cells);
    }
    let mut text = columns.text();
    for decided in by_order(event) {
        text += &format!("\n{}", wrapped(&decided, 2, terminal::columns()));
    }
    for (how, words) in LEAVINGS {
        let those = event.rows.iter().filter(|row| row.left == Some(how));
        let names: Vec<String> = those.map(|row| short(&row.name)).collect();
        if !names.is_empty() {
            text += &format!("\n{words}: {}", names.join(", "));
        }
    }
    for row in event.rows.iter().filter(|row| row.walkovers > 0) {
        let games = count(row.walkovers, "game");
        text += &format!("\n{} has the points of {games} without playing", short(&row.name));
    }
    for row in event.rows.iter().filter(|row| !row.faults.is_empty()) {
        text += &faults_of(&row.name, &row.faults);
    }
    if let (Some(trial), Some([new, old])) = (&event.trial, event.tested()) {
        let (words, bar) = test_summary::line(trial);
        let mut verdict = test_summary::verdict(trial, &short(new), &short(old));
        let counted: u64 = trial.games().iter().sum();
        if trial.is_over() && event.games > counted {
            let more = count(event.games - counted, "more game");
            verdict += &format!("; {more} had begun before that was known");
        }
        text += &format!("\n\n{words}\n{bar}\n{}", wrapped(&verdict, 2, terminal::columns()));
    }
    text
}

/// What a bot has done wrong, in a line below a table.
pub(crate) fn faults_of<K: Display>(name: &str, faults: &BTreeMap<K, u64>) -> String {
    let faults: Vec<String> =
        faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    format!("\nfaults of {}: {}", short(name), faults.join(", "))
}

/// Ways to leave, as they are printed.
pub(crate) const LEAVINGS: [(Leaving, &str); 2] =
    [(Leaving::Withdrawn, "withdrawn"), (Leaving::Disqualified, "disqualified")];

/// What was decided while the tournament went on, if anything was.
pub(crate) fn decisions(all: &league::Standings) -> Option<String> {
    let line = |entry: &JournalEntry| {
        let reason = match entry.reason.as_str() {
            "" => String::new(),
            reason => format!(" ({reason})"),
        };
        let text = format!("{}. {}{reason}", entry.number, entry.what.sentence());
        wrapped(&text, 2, terminal::columns())
    };
    let lines: Vec<String> = all.journal.iter().map(line).collect();
    (!lines.is_empty()).then(|| format!("entries of the journal\n{}", lines.join("\n")))
}

/// The table of all events together, if there are several.
pub(crate) fn overall(all: &league::Standings) -> Option<String> {
    let rows = all.overall()?;
    let cells = |cell: &dyn Fn(&OverallRow) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let left = [
        ("#", Align::Right, cells(&|row| row.rank.to_string())),
        ("name", Align::Left, cells(&|row| short(&row.name))),
        ("points", Align::Right, cells(&|row| format!("{:.2}", row.points))),
        ("firsts", Align::Right, cells(&|row| row.firsts.to_string())),
    ];
    let place = |event: usize| {
        cells(&move |row| row.places[event].map_or("–".to_owned(), |place| place.to_string()))
    };
    let events: Vec<(String, Vec<String>)> = all
        .events
        .iter()
        .enumerate()
        .map(|(number, event)| (short(&event.name), place(number)))
        .collect();
    let table = in_blocks(&left, &events, terminal::columns());
    Some(format!("overall: the share of the others left behind in each event, added up\n{table}"))
}

/// A table with a column for every row, which has its number; the cells come from the two rows.
/// Rows have numbers of their own here: those who share a place would share a column otherwise.
fn matrix(event: &EventStandings, cell: impl Fn(usize, usize) -> String) -> String {
    let numbers: Vec<String> = (1..=event.rows.len()).map(|number| number.to_string()).collect();
    let names: Vec<String> = event.rows.iter().map(|row| short(&row.name)).collect();
    let column = |b: usize| {
        let cells = (0..event.rows.len()).map(|a| if a == b { "·".to_owned() } else { cell(a, b) });
        (numbers[b].clone(), cells.collect())
    };
    let columns: Vec<(String, Vec<String>)> = (0..event.rows.len()).map(column).collect();
    let left = [("row", Align::Right, numbers.clone()), ("name", Align::Left, names)];
    in_blocks(&left, &columns, terminal::columns())
}

/// Wins, draws and losses of one row against another.
pub(crate) fn against(event: &EventStandings, a: usize, b: usize) -> Option<[u64; 3]> {
    let (high, low) = (a.min(b), a.max(b));
    let found =
        event.cross_table.binary_search_by_key(&(high, low), |pair| (pair.a, pair.b)).ok()?;
    let CrossTableEntry { wins, draws, losses, .. } = event.cross_table[found];
    Some(if a < b { [wins, draws, losses] } else { [losses, draws, wins] })
}

fn times(event: &EventStandings) -> String {
    let titles = ["answers", "mean", "p99", "slowest", "processor"];
    let titles = titles.map(|title| (title, Align::Right));
    let mut columns =
        Columns::new([("#", Align::Right), ("name", Align::Left)].into_iter().chain(titles));
    for row in &event.rows {
        let time = row.times;
        let mut cells = vec![row.rank.to_string(), short(&row.name), time.moves.to_string()];
        let figures = [time.mean_ms, time.p99_ms, time.slowest_ms, time.cpu_ms];
        cells.extend(figures.map(|ms| format!("{ms:.2}")));
        columns.row(cells);
    }
    columns.text()
}

/// Meetings that the order of the file decided, in sentences.
pub(crate) fn by_order(event: &EventStandings) -> Vec<String> {
    event.decided_by_order(short)
}

/// So many workers are named.
const MOST_WORKERS: usize = 12;

/// What the workers of a cluster have played.
fn workers(event: &EventStandings) -> Vec<String> {
    let workers = &event.workers.workers;
    let line = |worker: &WorkerTotals| {
        let tiers: Vec<&str> = worker.tiers.keys().map(String::as_str).collect();
        format!(
            "{} on worker {} (tier {}, speed {:.0})",
            count(worker.games, "game"),
            short(&worker.name),
            tiers.join(" and "),
            worker.speed
        )
    };
    let mut lines: Vec<String> = workers.iter().take(MOST_WORKERS).map(line).collect();
    if let Some(more) = workers.get(MOST_WORKERS..).filter(|more| !more.is_empty()) {
        let games = more.iter().map(|worker| worker.games).sum();
        let (games, workers) = (count(games, "game"), count(more.len() as u64, "more worker"));
        lines.push(format!("{games} on {workers}"));
    }
    lines
}

/// What else there is to say.
pub(crate) fn remarks(event: &EventStandings) -> Vec<String> {
    let mut lines = event.remarks();
    let others = if event.seats.len() == 2 { "the other" } else { "the mean of the seats" };
    for seat in &event.seats {
        let elo = match seat.elo {
            Some((elo, error)) => {
                // Plus zero: what is a trace below it is 0, not -0.
                format!(", {} ± {error:.0} Elo compared with {others}", signed(elo, 0))
            }
            None => String::new(),
        };
        let number = seat.seat + 1;
        lines.push(format!("seat {number} scored {:.1} %{elo}", 100.0 * seat.score));
    }
    if let Some(rate) = event.draw_rate {
        lines.push(format!("draws between equal bots: {:.0} %", 100.0 * rate));
    }
    for (tier, games) in &event.tiers {
        lines.push(format!("{} under protection tier {tier}", count(*games, "game")));
    }
    lines.extend(workers(event));
    lines
}
