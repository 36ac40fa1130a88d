//! `lanista standings`: how a tournament stands.

use anyhow::Result;
use league::{EventStandings, OverallRow, StandingsRow, Store};

use crate::Exit;
use crate::cli::StandingsArgs;
use crate::finished_games;
use crate::options::anchors;
use crate::output::csv;
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

/// Prints the tables alone.
/// True if all games have been played.
pub(crate) fn print(store: &Store) -> Result<bool> {
    let all = league::Standings::of(store)?;
    let events = all
        .events
        .iter()
        .map(|event| standings_text::heading(event) + &standings_text::table(event));
    let tables: Vec<String> = events.chain(standings_text::overall(&all)).collect();
    say(&tables.join("\n\n"))?;
    Ok(all.events.iter().all(|event| event.scheduled.is_none_or(|games| event.games >= games)))
}

/// All tables under one line of names. Rows of all events together say so in the place of the
/// event, and leave empty what cannot be added up.
fn csv(all: &league::Standings) -> String {
    let mut text = "event,rank,name,games,wins,draws,losses,points,byes,rating,rating_error,\
                    faults,moves,mean_ms,p99_ms,slowest_ms,tie_break,reached\n"
        .to_owned();
    text.extend(all.events.iter().map(csv_rows));
    for row in all.overall().unwrap_or_default() {
        let OverallRow { rank, games, wins, draws, losses, points, .. } = row;
        let name = csv::field(&row.name);
        text.push_str(&format!(
            "overall,{rank},{name},{games},{wins},{draws},{losses},{points:.6},,,,,,,,,,\n"
        ));
    }
    text
}

fn csv_rows(event: &EventStandings) -> String {
    let mut text = String::new();
    for row in &event.rows {
        let StandingsRow { rank, games, wins, draws, losses, points, byes, times, .. } = row;
        let (name, event) = (csv::field(&row.name), csv::field(&event.name));
        let faults: u64 = row.faults.values().sum();
        text.push_str(&format!(
            "{event},{rank},{name},{games},{wins},{draws},{losses},{points},{byes},{},{:.2},\
             {faults},{},{:.3},{:.3},{:.3},{},{}\n",
            fixed(row.rating, 2),
            row.rating_error,
            times.moves,
            times.mean_ms,
            times.p99_ms,
            times.slowest_ms,
            row.tie_breaks.first().map_or(String::new(), |value| format!("{value:.4}")),
            row.reached.map_or(String::new(), |reached| reached.to_string()),
        ));
    }
    text
}
