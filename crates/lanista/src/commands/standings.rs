//! `lanista standings`: how a tournament stands, and what scripts are told of it.

use anyhow::Result;
use league::{CrossTableEntry, EventStandings, OverallRow, StandingsRow, Store};
use serde_json::{Value, json};

use crate::Exit;
use crate::cli::StandingsArgs;
use crate::commands::ctl;
use crate::finished_games;
use crate::options::anchors;
use crate::output::csv;
use crate::output::number::{fixed, rounded};
use crate::output::{standings_page, standings_text, test_summary};
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
        json(&as_json(&all))?
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

// ---- for scripts ----

pub(crate) fn as_json(all: &league::Standings) -> Value {
    match &all.events[..] {
        [event] => {
            let mut only = event_json(all, event);
            only["entries"] = entries(all);
            only
        }
        several => {
            let events: Vec<Value> = several.iter().map(|event| event_json(all, event)).collect();
            let overall = all.overall().unwrap_or_default();
            let overall: Vec<Value> = overall.iter().map(|row| overall_json(all, row)).collect();
            json!({
                "v": 1, "name": all.name, "events": events, "overall": overall,
                "entries": entries(all),
            })
        }
    }
}

fn entries(all: &league::Standings) -> Value {
    all.journal.iter().map(ctl::entry_json).collect()
}

fn event_json(all: &league::Standings, event: &EventStandings) -> Value {
    let names = |row: usize| event.rows[row].name.as_str();
    let pair = |crossing: &CrossTableEntry| {
        let CrossTableEntry { a, b, wins, draws, losses } = crossing;
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
        "format": event.format_name(),
        "seed": event.seed,
        "games": event.games,
        "scheduled": event.scheduled,
        "rounds": event.rounds.map(|(played, of)| json!({ "played": played, "of": of })),
        "rows": event.rows.iter().map(row_json).collect::<Vec<_>>(),
        "pairs": event.cross_table.iter().map(pair).collect::<Vec<_>>(),
        "seats": event.seats.iter().map(seat).collect::<Vec<_>>(),
        "draw_rate": event.draw_rate.map(|rate| rounded(rate, 6)),
        "tiers": tiers,
        "tier_gaps": event.gaps.iter().map(gap).collect::<Vec<_>>(),
        "voids": event.voids,
        "notes": event.notes,
        "test": event.trial.as_ref().map(test_summary::as_json),
        "tie_break_name": event.tie_breaks.first().map(|tie_break| tie_break.name()),
        "tie_breaks": event.tie_breaks,
        "by_order": event.by_order.iter().map(decided_json).collect::<Vec<_>>(),
        "setups": event.terms.setups,
        "clock": event.terms.clock,
        "clocks": event.terms.clocks,
        "adjudication": event.terms.adjudication,
        "seed": event.terms.seed,
        "played": event.played.as_ref().map(|[from, to]| json!({ "from": from, "to": to })),
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

/// A meeting that the order of the file decided; rounds count from 1.
fn decided_json(league::Decided { round, winner, loser }: &league::Decided) -> Value {
    json!({ "round": round + 1, "winner": winner, "loser": loser })
}

fn row_json(row: &StandingsRow) -> Value {
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
        "anchored": row.anchored,
        "faults": row.faults,
        "bot": row.bot,
        "about": row.about,
        "byes": row.byes,
        "walkovers": row.walkovers,
        "left": row.left,
        "tie_break": row.tie_breaks.first().map(|value| rounded(*value, 4)),
        "tie_breaks": row.tie_breaks.iter().map(|value| rounded(*value, 4)).collect::<Vec<_>>(),
        "reached": row.reached.map(|reached| reached.to_string()),
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
