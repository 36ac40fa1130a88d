//! `lanista standings`: how a tournament stands.

use anyhow::Result;
use league::{OverallRow, StandingsRow, Store};

use crate::Exit;
use crate::cli::StandingsArgs;
use crate::finished_games;
use crate::options::anchors;
use crate::output::csv::Csv;
use crate::output::number::fixed;
use crate::output::{standings_page, standings_text};
use crate::terminal::{json, say};
use crate::user_files;

pub(crate) fn standings(args: &StandingsArgs) -> Result<Exit> {
    let store = Store::open_to_read(&args.run)?;
    let anchors = anchors::read(&args.anchor)?;
    let mut all = league::Standings::anchored(&store, &anchors)?;
    let names = all.events.iter().flat_map(|event| &event.rows).map(|row| row.name.as_str());
    anchors::refuse_strangers(&anchors, names)?;
    if let Some(name) = &args.event {
        let chosen = finished_games::chosen(&store, Some(name))?;
        all.events = chosen.into_iter().map(|event| all.events.swap_remove(event)).collect();
    }
    let text = if args.json {
        json(&all.to_json())?
    } else if args.csv {
        csv(&all)
    } else if args.html {
        standings_page::page(&all)
    } else {
        let events = all.events.iter().map(standings_text::in_full);
        let parts =
            events.chain(standings_text::overall(&all)).chain(standings_text::decisions(&all));
        parts.collect::<Vec<String>>().join("\n\n")
    };
    let text = text.trim_end();
    match &args.out {
        Some(path) => user_files::write(path, format!("{text}\n"))?,
        None => say(text)?,
    }
    Ok(Exit::Done)
}

/// Prints the tables alone. True if all games have been played.
pub(crate) fn print(store: &Store) -> Result<bool> {
    let all = league::Standings::of(store)?;
    let events = all.events.iter().map(|event| {
        let table = standings_text::heading(event) + &standings_text::table(event);
        match league::repeats_note(event.games, event.different) {
            Some(note) => format!("{}\n{note}", table.trim_end()),
            None => table,
        }
    });
    let tables: Vec<String> = events.chain(standings_text::overall(&all)).collect();
    say(&tables.join("\n\n"))?;
    Ok(all.events.iter().all(|event| event.scheduled.is_none_or(|games| event.games >= games)))
}

/// All tables under one line of names. Rows of all events together say so in the place of the
/// event, and leave empty what cannot be added up.
fn csv(all: &league::Standings) -> String {
    let mut csv = Csv::new(TITLES);
    for event in &all.events {
        event.rows.iter().for_each(|row| csv.row(event_row(&event.name, row)));
    }
    for row in all.overall().unwrap_or_default() {
        let OverallRow { rank, name, games, wins, draws, losses, points, .. } = row;
        let mut fields = vec!["overall".to_owned(), rank.to_string(), name];
        fields.extend([games, wins, draws, losses].map(|count| count.to_string()));
        fields.push(format!("{points:.6}"));
        fields.resize(TITLES.len(), String::new());
        csv.row(fields);
    }
    csv.finish()
}

const TITLES: [&str; 18] = [
    "event",
    "rank",
    "name",
    "games",
    "wins",
    "draws",
    "losses",
    "points",
    "byes",
    "rating",
    "rating_error",
    "faults",
    "moves",
    "mean_ms",
    "p99_ms",
    "slowest_ms",
    "tie_break",
    "reached",
];

/// A row of an event's table, in the order of the titles.
fn event_row(event: &str, row: &StandingsRow) -> [String; 18] {
    let StandingsRow { rank, games, wins, draws, losses, points, byes, times, .. } = row;
    [
        event.to_owned(),
        rank.to_string(),
        row.name.clone(),
        games.to_string(),
        wins.to_string(),
        draws.to_string(),
        losses.to_string(),
        points.to_string(),
        byes.to_string(),
        fixed(row.rating, 2),
        format!("{:.2}", row.rating_error),
        row.faults.values().sum::<u64>().to_string(),
        times.moves.to_string(),
        format!("{:.3}", times.mean_ms),
        format!("{:.3}", times.p99_ms),
        format!("{:.3}", times.slowest_ms),
        row.tie_breaks.first().map_or(String::new(), |value| format!("{value:.4}")),
        row.reached.map_or(String::new(), |reached| reached.to_string()),
    ]
}
