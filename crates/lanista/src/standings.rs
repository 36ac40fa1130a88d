//! `lanista standings`: how a tournament stands, for people and scripts.

use anyhow::{Context as _, Result};
use league::{Crossing, EventStandings, OverallRow, Row, Store};
use serde_json::{Value, json};

use crate::cli::Standings;
use crate::terminal::{csv_field, json, say};
use crate::words::count;
use crate::{Ending, page};

pub(crate) fn standings(args: &Standings) -> Result<Ending> {
    let store = Store::look(&args.run)?;
    let all = league::Standings::of(&store)?;
    let text = if args.json {
        json(&as_json(&all))?
    } else if args.csv {
        csv(&all)
    } else if args.html {
        page::page(&all)
    } else {
        let events = all.events.iter().map(in_full);
        events.chain(overall(&all)).collect::<Vec<String>>().join("\n\n")
    };
    let text = text.trim_end();
    match &args.out {
        Some(path) => std::fs::write(path, format!("{text}\n"))
            .with_context(|| format!("cannot write {}", path.display()))?,
        None => say(text)?,
    }
    Ok(Ending::Done)
}

/// Prints the tables alone.
/// True if all games have been played.
pub(crate) fn print(store: &Store) -> Result<bool> {
    let all = league::Standings::of(store)?;
    let events = all.events.iter().map(|event| heading(event) + &table(event));
    let tables: Vec<String> = events.chain(overall(&all)).collect();
    say(&tables.join("\n\n"))?;
    Ok(all.events.iter().all(|event| event.scheduled.is_none_or(|games| event.games >= games)))
}

// ---- for scripts ----

fn as_json(all: &league::Standings) -> Value {
    match &all.events[..] {
        [event] => event_json(all, event),
        several => {
            let events: Vec<Value> = several.iter().map(|event| event_json(all, event)).collect();
            let overall = all.overall().unwrap_or_default();
            let overall: Vec<Value> = overall.iter().map(|row| overall_json(all, row)).collect();
            json!({ "v": 1, "name": all.name, "events": events, "overall": overall })
        }
    }
}

/// To a fixed number of digits: the same results then read the same everywhere.
fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    // Plus zero: what is a trace below it is 0, not -0.
    (number * scale).round() / scale + 0.0
}

fn event_json(all: &league::Standings, event: &EventStandings) -> Value {
    let names = |row: usize| event.rows[row].name.as_str();
    let pair = |crossing: &Crossing| {
        let Crossing { a, b, wins, draws, losses } = crossing;
        json!({
            "a": names(*a), "b": names(*b), "games": wins + draws + losses, "wins": wins,
            "draws": draws, "losses": losses,
            "score": rounded((*wins as f64 + *draws as f64 / 2.0) / (wins + draws + losses) as f64, 6),
            "superiority": rounded(event.superiority[*a][*b], 6),
        })
    };
    let seat = |seat: &league::SeatShare| {
        json!({
            "seat": seat.seat, "score": rounded(seat.score, 6),
            "elo": seat.elo.map(|(elo, _)| rounded(elo, 2)),
            "elo_error": seat.elo.map(|(_, error)| rounded(error, 2)),
        })
    };
    let gap = |gap: &league::TierGap| {
        json!({
            "name": gap.name, "tier": gap.usual.0, "score": rounded(gap.usual.1, 6),
            "other_tier": gap.other.0, "other_score": rounded(gap.other.1, 6),
            "chance": rounded(gap.chance, 6),
        })
    };
    let tiers: serde_json::Map<String, Value> =
        event.tiers.iter().map(|(tier, games)| (tier.clone(), json!(games))).collect();
    json!({
        "v": 1,
        "event": event.name,
        "game": event.game,
        "format": event.format.name(),
        "games": event.games,
        "scheduled": event.scheduled,
        "rows": event.rows.iter().map(row_json).collect::<Vec<_>>(),
        "pairs": event.crossings.iter().map(pair).collect::<Vec<_>>(),
        "seats": event.seats.iter().map(seat).collect::<Vec<_>>(),
        "draw_rate": event.draw_rate.map(|rate| rounded(rate, 6)),
        "tiers": tiers,
        "tier_gaps": event.gaps.iter().map(gap).collect::<Vec<_>>(),
        "voids": event.voids,
        "notes": event.notes,
        "name": all.name,
    })
}

fn overall_json(all: &league::Standings, row: &OverallRow) -> Value {
    let places = all.events.iter().zip(&row.places);
    let places: serde_json::Map<String, Value> =
        places.map(|(event, place)| (event.name.clone(), json!(place))).collect();
    json!({
        "rank": row.rank,
        "name": row.name,
        "points": rounded(row.points, 6),
        "firsts": row.firsts,
        "places": places,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
    })
}

fn row_json(row: &Row) -> Value {
    let times = row.times;
    json!({
        "rank": row.rank,
        "name": row.name,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "points": rounded(row.points, 6),
        "rating": rounded(row.rating, 2),
        "rating_error": rounded(row.rating_error, 2),
        "faults": row.faults,
        "bot": row.bot,
        "byes": row.byes,
        "tie_break": rounded(row.tie_break, 4),
        "moves": times.moves,
        "time": {
            "mean_ms": rounded(times.mean_ms, 3), "p99_ms": rounded(times.p99_ms, 3),
            "slowest_ms": rounded(times.slowest_ms, 3), "cpu_ms": rounded(times.cpu_ms, 3),
        },
    })
}

/// All tables under one line of names. Rows of all events together say so in the place of the
/// event, and leave empty what cannot be added up.
fn csv(all: &league::Standings) -> String {
    let mut text = "event,rank,name,games,wins,draws,losses,points,byes,rating,rating_error,\
                    faults,moves,mean_ms,p99_ms,slowest_ms\n"
        .to_owned();
    text.extend(all.events.iter().map(csv_rows));
    for row in all.overall().unwrap_or_default() {
        let OverallRow { rank, games, wins, draws, losses, points, .. } = row;
        let name = csv_field(&row.name);
        text.push_str(&format!(
            "overall,{rank},{name},{games},{wins},{draws},{losses},{points:.6},,,,,,,,\n"
        ));
    }
    text
}

fn csv_rows(event: &EventStandings) -> String {
    let mut text = String::new();
    for row in &event.rows {
        let Row { rank, games, wins, draws, losses, points, byes, times, .. } = row;
        let (name, event) = (csv_field(&row.name), csv_field(&event.name));
        let faults: u64 = row.faults.values().sum();
        text.push_str(&format!(
            "{event},{rank},{name},{games},{wins},{draws},{losses},{points},{byes},{:.2},{:.2},\
             {faults},{},{:.3},{:.3},{:.3}\n",
            row.rating,
            row.rating_error,
            times.moves,
            times.mean_ms,
            times.p99_ms,
            times.slowest_ms
        ));
    }
    text
}

// ---- for people ----

fn in_full(event: &EventStandings) -> String {
    let mut text = heading(event) + &table(event);
    if event.rows.len() > 2 {
        text.push_str(&format!("\n\nscore of the row against the column, in %\n{}", cross(event)));
        text.push_str(&format!(
            "\n\nprobability that the row is stronger than the column, in %\n{}",
            superiority(event)
        ));
    }
    text.push_str(&format!("\n\ntime an answer, in ms\n{}", times(event)));
    text.push_str(&format!("\n\n{}", remarks(event).join("\n")));
    text
}

/// The table of all events together, if there are several.
fn overall(all: &league::Standings) -> Option<String> {
    let rows = all.overall()?;
    let name = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(4);
    let events: Vec<&str> = all.events.iter().map(|event| event.name.as_str()).collect();
    let width = |event: &str| event.chars().count().max(4);
    let mut text = format!(
        "overall: the share of the others left behind in each event, added up\n  #  {:<name$}  points  firsts",
        "name"
    );
    for event in &events {
        text.push_str(&format!("  {event:>0$}", width(event)));
    }
    for row in &rows {
        let OverallRow { rank, points, firsts, .. } = row;
        text.push_str(&format!("\n{rank:>3}  {:<name$}  {points:>6.2}  {firsts:>6}", row.name));
        for (event, place) in events.iter().zip(&row.places) {
            let place = place.map_or("–".to_owned(), |place| place.to_string());
            text.push_str(&format!("  {place:>0$}", width(event)));
        }
    }
    Some(text)
}

fn heading(event: &EventStandings) -> String {
    let of = match event.scheduled {
        Some(all) if all != event.games => format!(" of {all}"),
        Some(_) | None => String::new(),
    };
    let name = match event.name == event.game {
        true => event.game.clone(),
        false => format!("{} ({})", event.name, event.game),
    };
    format!("{name}, {}: {}{of} games\n", event.format.name(), event.games)
}

fn width(event: &EventStandings) -> usize {
    event.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(4)
}

fn table(event: &EventStandings) -> String {
    let width = width(event);
    let byes = event.rows.iter().any(|row| row.byes > 0);
    let bye = |text: String| if byes { format!("{text:>5}") } else { String::new() };
    let mut text = format!(
        "  #  {:<width$}  games   wins  draws losses{}  points          rating  faults",
        "name",
        bye("byes".to_owned())
    );
    for row in &event.rows {
        let faults: Vec<String> =
            row.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let faults = if faults.is_empty() { "–".to_owned() } else { faults.join(", ") };
        let rating = match row.games {
            0 => "–".to_owned(),
            _ => format!("{:.0} ± {:.0}", row.rating, row.rating_error),
        };
        text.push_str(&format!(
            "\n{:>3}  {:<width$}  {:>5}  {:>5}  {:>5}  {:>5}{}  {:>6.1}  {rating:>14}  {faults}",
            row.rank,
            row.name,
            row.games,
            row.wins,
            row.draws,
            row.losses,
            bye(row.byes.to_string()),
            row.points,
        ));
    }
    text
}

/// A table with a column for every row; the cells come from the two rows.
fn matrix(event: &EventStandings, cell: impl Fn(usize, usize) -> String) -> String {
    let width = width(event);
    let mut text = format!("  #  {:<width$}", "name");
    for row in &event.rows {
        text.push_str(&format!(" {:>4}", row.rank));
    }
    for (a, row) in event.rows.iter().enumerate() {
        text.push_str(&format!("\n{:>3}  {:<width$}", row.rank, row.name));
        for b in 0..event.rows.len() {
            let cell = if a == b { "·".to_owned() } else { cell(a, b) };
            text.push_str(&format!(" {cell:>4}"));
        }
    }
    text
}

/// Wins, draws and losses of one row against another.
pub(crate) fn against(event: &EventStandings, a: usize, b: usize) -> Option<[u64; 3]> {
    let (high, low) = (a.min(b), a.max(b));
    let found = event.crossings.binary_search_by_key(&(high, low), |pair| (pair.a, pair.b)).ok()?;
    let Crossing { wins, draws, losses, .. } = event.crossings[found];
    Some(if a < b { [wins, draws, losses] } else { [losses, draws, wins] })
}

/// The share of points of one row against another, in percent.
pub(crate) fn percent(event: &EventStandings, a: usize, b: usize) -> Option<f64> {
    let [wins, draws, losses] = against(event, a, b)?;
    Some(100.0 * (wins as f64 + draws as f64 / 2.0) / (wins + draws + losses) as f64)
}

fn cross(event: &EventStandings) -> String {
    matrix(event, |a, b| {
        percent(event, a, b).map_or("–".to_owned(), |score| format!("{score:.0}"))
    })
}

fn superiority(event: &EventStandings) -> String {
    matrix(event, |a, b| format!("{:.0}", 100.0 * event.superiority[a][b]))
}

fn times(event: &EventStandings) -> String {
    let width = width(event);
    let mut text =
        format!("     {:<width$}   answers      mean       p99   slowest  processor", "name");
    for row in &event.rows {
        let time = row.times;
        text.push_str(&format!(
            "\n{:>3}  {:<width$}  {:>8}  {:>8.2}  {:>8.2}  {:>8.2}  {:>9.2}",
            row.rank, row.name, time.moves, time.mean_ms, time.p99_ms, time.slowest_ms, time.cpu_ms
        ));
    }
    text
}

/// What else there is to say.
pub(crate) fn remarks(event: &EventStandings) -> Vec<String> {
    let mut lines = Vec::new();
    let others = if event.seats.len() == 2 { "the other" } else { "the mean of the seats" };
    for seat in &event.seats {
        let elo = match seat.elo {
            Some((elo, error)) => format!(", {elo:+.0} ± {error:.0} Elo above {others}"),
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
    for gap in &event.gaps {
        lines.push(format!(
            "{} scored {:.1} % under tier {} but {:.1} % under tier {}: chance explains that once \
             in {:.0} times",
            gap.name,
            100.0 * gap.usual.1,
            gap.usual.0,
            100.0 * gap.other.1,
            gap.other.0,
            1.0 / gap.chance.max(1e-9)
        ));
    }
    if event.voids > 0 {
        lines.push(format!("{} void and played again", count(event.voids, "game")));
    }
    lines.extend(event.notes.iter().cloned());
    lines
}
