//! `lanista ratings`: one table over several tournaments and results from elsewhere, or over a part
//! of their games.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use league::{Filter, Forfeits, Pool, PoolRow, PoolTable, Store};
use serde_json::{Value, json};

use crate::Exit;
use crate::cli::RatingsArgs;
use crate::options::anchors;
use crate::output::csv::Csv;
use crate::output::number::{error, fixed, rounded};
use crate::output::text::count;
use crate::output::text_table::{Align, Columns, short};
use crate::terminal::{json, remark, say};
use crate::user_files;

/// A longer file is no list of results.
const LONGEST: u64 = 1 << 30;

pub(crate) fn ratings(args: &RatingsArgs) -> Result<Exit> {
    let filter = filter(args)?;
    let mut pool = Pool::default();
    for source in &args.sources {
        add(&mut pool, source, &filter)?;
    }
    refuse_strangers(&pool, args)?;
    if let [first, ..] = pool.changed()
        && !args.accept_changes
    {
        let more = pool.changed().len() - 1;
        let others = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        bail!(
            "\"{}\"{others} is not the same bot in {} and in {}; --accept-changes counts them as one",
            first.name,
            first.one,
            first.other
        );
    }
    let anchors = anchors::read(&args.anchor)?;
    anchors::refuse_strangers(&anchors, pool.names().iter().map(String::as_str))?;
    let table = pool.table(&anchors);
    let text = if args.json {
        json(&as_json(&table))?
    } else if args.csv {
        csv(&table)
    } else {
        as_text(&table)
    };
    say(text.trim_end())?;
    if table.left_out > 0 && !args.json && !args.csv {
        remark(&format!("{} left out", count(table.left_out, "game")));
    }
    Ok(Exit::Done)
}

fn filter(args: &RatingsArgs) -> Result<Filter> {
    let moment = |text: &Option<String>| text.as_deref().map(seconds).transpose();
    Ok(Filter {
        event: args.event.clone(),
        game: args.game.clone(),
        among: args.among.clone(),
        with: args.with.clone(),
        tier: args.tier.clone(),
        since: moment(&args.since)?,
        before: moment(&args.before)?,
        forfeits: if args.no_forfeits { Forfeits::LeaveOut } else { Forfeits::Count },
    })
}

fn add(pool: &mut Pool, source: &Path, filter: &Filter) -> Result<()> {
    let shown = source.display().to_string();
    if source.is_dir() {
        let added = pool.add_run(&Store::open_to_read(source)?, &shown, filter)?;
        return added.map_err(|error| {
            anyhow!(
                "{shown} has games of {}, the others are of {}: results of different games cannot be \
                 compared; choose with --game or --event",
                error.other,
                error.game
            )
        });
    }
    if filter.needs_a_run() {
        bail!(
            "{shown} does not say when, in which event and how its games were played: --event, --game, \
             --tier, --since, --before and --no-forfeits are for the folders of tournaments"
        );
    }
    let file = File::open(source).with_context(|| format!("cannot open {shown}"))?;
    let bytes = user_files::read(file, LONGEST).with_context(|| format!("cannot read {shown}"))?;
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("{shown} is not a text in UTF-8"))?;
    let imported = league::import(&text).map_err(|error| anyhow!("{shown}, {error}"))?;
    pool.add_results(&imported.results, imported.unfinished, filter);
    Ok(())
}

/// A name that nobody has is a mistake, not an empty table.
fn refuse_strangers(pool: &Pool, args: &RatingsArgs) -> Result<()> {
    for name in args.among.iter().chain(&args.with) {
        if !pool.names().contains(name) {
            let near = game::did_you_mean(name, pool.names().iter().map(String::as_str));
            bail!("no game that counts was played by \"{name}\"{near}");
        }
    }
    if pool.names().is_empty() {
        bail!("no game is left to count");
    }
    Ok(())
}

/// A day, or a moment, in UTC, as seconds since 1970.
fn seconds(text: &str) -> Result<i64> {
    let wrong =
        || anyhow!("\"{text}\" is not a day as 2026-03-01 or a moment as 2026-03-01T18:30 (UTC)");
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let numbers = |text: &str, between: char| -> Option<Vec<i64>> {
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        text.split(between).map(|part| digits(part).then(|| part.parse().ok())?).collect()
    };
    let day = numbers(day, '-').ok_or_else(wrong)?;
    let time = numbers(time.trim_end_matches('Z'), ':').ok_or_else(wrong)?;
    let (
        [year @ 1970..=9999, month @ 1..=12, day @ 1..=31],
        [hour @ 0..24, minute @ 0..60, rest @ ..],
    ) = (&day[..], &time[..])
    else {
        return Err(wrong());
    };
    let second = match rest {
        [] => 0,
        [second @ 0..60] => *second,
        _ => return Err(wrong()),
    };
    // Years begin in March: then the odd day is the last one of a year.
    let (year, month) = if *month > 2 { (*year, month - 3) } else { (year - 1, month + 9) };
    let days =
        year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469;
    Ok(((days * 24 + hour) * 60 + minute) * 60 + second)
}

fn as_text(table: &PoolTable) -> String {
    let right = |title| (title, Align::Right);
    let mut titles = vec![right("#"), ("name", Align::Left)];
    titles.extend(["games", "won", "drawn", "lost", "score", "rating"].map(right));
    let mut columns = Columns::new(titles);
    for row in &table.rows {
        let PoolRow { games, wins, draws, losses, .. } = row;
        let mut cells = vec![row.rank.to_string(), short(&row.name)];
        cells.extend([games, wins, draws, losses].map(|games| games.to_string()));
        cells.push(format!("{:.1} %", row.score * 100.0));
        cells.push(match row.anchored {
            true => format!("{} given", fixed(row.rating, 0)),
            false => format!("{} ± {}", fixed(row.rating, 0), error(row.rating_error)),
        });
        columns.row(cells);
    }
    let mut text = format!("{}\n{}", count(table.games, "game"), columns.text());
    for note in &table.notes {
        text += &format!("\n{note}");
    }
    text
}

fn as_json(table: &PoolTable) -> Value {
    let row = |row: &PoolRow| {
        json!({
            "rank": row.rank, "name": row.name, "games": row.games, "wins": row.wins,
            "draws": row.draws, "losses": row.losses, "score": rounded(row.score, 6),
            "rating": rounded(row.rating, 2), "rating_error": rounded(row.rating_error, 2),
            "anchored": row.anchored,
        })
    };
    json!({
        "v": 1, "games": table.games, "different": table.different, "left_out": table.left_out,
        "rows": table.rows.iter().map(row).collect::<Vec<_>>(), "notes": table.notes,
    })
}

fn csv(table: &PoolTable) -> String {
    let titles =
        ["rank", "name", "games", "wins", "draws", "losses", "score", "rating", "rating_error"];
    let mut csv = Csv::new(titles);
    for row in &table.rows {
        let PoolRow { rank, games, wins, draws, losses, .. } = row;
        csv.row([
            rank.to_string(),
            row.name.clone(),
            games.to_string(),
            wins.to_string(),
            draws.to_string(),
            losses.to_string(),
            format!("{:.6}", row.score),
            fixed(row.rating, 2),
            format!("{:.2}", row.rating_error),
        ]);
    }
    csv.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_moments_are_seconds_since_1970() {
        for (text, wanted) in [
            ("1970-01-01", Some(0)),
            ("2000-02-29", Some(951_782_400)),
            ("2000-03-01T00:00:01Z", Some(951_868_801)),
            ("2026-11-15 21:27", Some(1_794_778_020)),
            ("9999-12-31T23:59:59", Some(253_402_300_799)),
            ("2026-13-01", None),
            ("2026-1", None),
            ("2026-01-01T24:00", None),
            ("yesterday", None),
            ("2026-01-+1", None),
        ] {
            assert_eq!(seconds(text).ok(), wanted, "{text}");
        }
    }
}
