//! `lanista standings`: how a tournament stands.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use league::{OverallRow, Standings, StandingsRow, Store};
use web::share::{SharedTournament, WatchedGames};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::StandingsArgs;
use crate::commands::replay;
use crate::finished_games;
use crate::options::anchors;
use crate::output::csv::Csv;
use crate::output::number::fixed;
use crate::output::standings_text;
use crate::output::text::count;
use crate::terminal::{json, remark, say};
use crate::user_files;

pub(crate) fn standings(args: &StandingsArgs, catalogue: Catalogue) -> Result<Exit> {
    let store = Store::open_to_read(&args.run)?;
    let anchors = anchors::read(&args.anchor)?;
    let mut all = Standings::anchored(&store, &anchors)?;
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
        return share(args, &store, &all, catalogue);
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

/// Writes the pages of the tournament as one file.
fn share(
    args: &StandingsArgs,
    store: &Store,
    all: &Standings,
    catalogue: Catalogue,
) -> Result<Exit> {
    store.check_every_game()?;
    let path = match &args.out {
        Some(path) => path.clone(),
        None => own_name(&args.run),
    };
    if args.out.is_none() && path.exists() {
        bail!("{} is there already; name another file with --out FILE", path.display());
    }
    let open = |bytes: &[u8]| replay::open(bytes, catalogue).map_err(|error| format!("{error:#}"));
    let watched = args.with_games.unwrap_or(WatchedGames::Last(0));
    let SharedTournament { html, watched, left_out } =
        web::share::tournament(store, all, watched, &open)?;
    user_files::write(&path, &html)?;
    for what in &left_out {
        remark(&format!("left out: {what}"));
    }
    let games = match watched {
        0 => "no game can be watched in it, see --with-games".to_owned(),
        games => format!("{} can be watched in it", count(games as u64, "game")),
    };
    let kilobytes = html.len().div_ceil(1000);
    say(&format!(
        "{}: the tournament as a page, {kilobytes} kB; {games}; open it in a browser, or send it to somebody",
        path.display()
    ))?;
    Ok(Exit::Done)
}

/// The file that is called like the folder of a run.
fn own_name(run: &Path) -> PathBuf {
    let whole = run.canonicalize();
    let name = whole.as_deref().unwrap_or(run).file_name().unwrap_or_default();
    let mut name = name.to_owned();
    name.push(".html");
    name.into()
}

/// Prints the tables alone. True if all games have been played.
pub(crate) fn print(store: &Store) -> Result<bool> {
    let all = Standings::of(store)?;
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
fn csv(all: &Standings) -> String {
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
