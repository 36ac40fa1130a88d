//! Standings as a page: one file that needs nothing else, in light and in dark.

use game::Clock;
use league::schedule::{Leaving, TieBreak};
use league::{EventStandings, OverallRow, Standings, StandingsRow};
use serde_json::{Map, Value};
use table::Adjudication;

use crate::output::html::escaped;
use crate::output::number::{error, fixed};
use crate::output::standings_text::{LEAVINGS, against, by_order, progress, remarks, superiority};
use crate::output::test_summary;

const STYLE: &str = "
:root{--ground:#fff;--panel:#f6f7f9;--ink:#1c2430;--soft:#667085;--line:#dfe3e8;--accent:#2f6fde;
--good:47,111,222;--bad:217,95,58}
@media(prefers-color-scheme:dark){:root{--ground:#11151b;--panel:#1a2028;--ink:#e6eaf0;
--soft:#94a0b0;--line:#2c3540;--accent:#6ea2ff;--good:90,145,255;--bad:240,130,90}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
main{max-width:68rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.9rem;margin:0 0 .25rem;letter-spacing:-.01em}
h2{font-size:1.3rem;margin:3rem 0 .25rem}
h3{font-size:.85rem;margin:2rem 0 .6rem;color:var(--soft);font-weight:600;
text-transform:uppercase;letter-spacing:.06em}
p.sub{color:var(--soft);margin:0 0 .5rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:0 0 1rem;
color:var(--soft);font-size:.9rem}
dt{font-weight:600}
dd{margin:0}
small{opacity:.75}
.card{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:1rem;
overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:600;color:var(--soft);font-size:.82rem;text-align:right;padding:.3rem .6rem;
border-bottom:1px solid var(--line);white-space:nowrap}
td{text-align:right;padding:.35rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}
tr:last-child td{border-bottom:0}
th.l,td.l{text-align:left}
td.name{font-weight:600}
.about{font-weight:400;font-size:.85em}
.error,.soft{color:var(--soft)}
table.matrix td{text-align:center;min-width:3.1rem;border:2px solid var(--panel);border-radius:6px}
table.matrix td.l{text-align:left;border:0}
table.matrix th{border:0;text-align:center}
table.matrix th.l{text-align:left}
ul{margin:.25rem 0;padding-left:1.2rem;color:var(--soft)}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--ink);font:13px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
svg text.soft{fill:var(--soft);font-size:11px}
svg .grid{stroke:var(--line)}
svg .span{stroke:var(--accent);stroke-width:3;stroke-linecap:round;opacity:.45}
svg .dot{fill:var(--accent)}
svg .bar{fill:var(--accent);opacity:.85}
svg .far{fill:var(--accent);opacity:.35}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
";

/// The whole page.
pub(crate) fn page(all: &Standings) -> String {
    let events: String = all.events.iter().map(|event| section(event, all.events.len())).collect();
    let events = overall(all) + &events + &journal(all);
    let name = escaped(&all.name);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{name}</title>\
         <style>{STYLE}</style></head><body><main>\n<h1>{name}</h1>\n{events}\
         <footer>Ratings by maximum likelihood with a weak prior; intervals are those of 95 %. \
         Made by lanista {}.</footer>\n</main></body></html>",
        env!("CARGO_PKG_VERSION")
    )
}

/// What was decided while it went on.
fn journal(all: &Standings) -> String {
    if all.journal.is_empty() {
        return String::new();
    }
    let mut text = "<table><thead><tr><th>#</th><th class=\"l\">when</th><th class=\"l\">what</th>\
                    <th class=\"l\">why</th></tr></thead><tbody>"
        .to_owned();
    for entry in &all.journal {
        text += &format!(
            "<tr><td>{}</td><td class=\"l soft\">{}</td><td class=\"l\">{}</td><td class=\"l\">{}</td></tr>",
            entry.number,
            escaped(&entry.made),
            escaped(&entry.what.sentence()),
            escaped(&entry.reason)
        );
    }
    format!("<h3>Entries of the journal</h3>\n{}", card(&(text + "</tbody></table>")))
}

/// The table of all events together, if there are several.
fn overall(all: &Standings) -> String {
    let Some(rows) = all.overall() else { return String::new() };
    let mut text = "<table><thead><tr><th>#</th><th class=\"l\">bot</th><th>points</th>\
                    <th>firsts</th>"
        .to_owned();
    for event in &all.events {
        text += &format!("<th>{}</th>", escaped(&event.name));
    }
    text += "</tr></thead><tbody>";
    for row in &rows {
        let OverallRow { rank, points, firsts, .. } = row;
        text += &format!(
            "<tr><td>{rank}</td><td class=\"l name\">{}</td><td>{points:.2}</td><td>{firsts}</td>",
            escaped(&row.name)
        );
        for place in &row.places {
            let place = place.map_or("–".to_owned(), |place| place.to_string());
            text += &format!("<td class=\"soft\">{place}</td>");
        }
        text += "</tr>";
    }
    let sub = "<p class=\"sub\">The share of the others left behind in each event, added up</p>\n";
    format!("<h2>Overall</h2>\n{sub}{}", card(&(text + "</tbody></table>")))
}

fn section(event: &EventStandings, events: usize) -> String {
    let title = match events {
        1 => String::new(),
        _ => format!("<h2>{}</h2>\n", escaped(&event.name)),
    };
    let sub =
        format!("<p class=\"sub\">{}, {}</p>\n", escaped(&event.game), escaped(&progress(event)));
    let mut text = title + &sub + &terms(event) + &card(&table(event));
    if let (Some(trial), Some([new, old])) = (&event.trial, event.tested()) {
        let ((words, _), verdict) =
            (test_summary::line(trial), test_summary::verdict(trial, new, old));
        text +=
            &format!("<p>{}</p>\n<p class=\"sub\">{}</p>\n", escaped(&verdict), escaped(&words));
    }
    text += &format!("<h3>Ratings with their intervals</h3>\n{}", card(&ratings(event)));
    if event.rows.len() > 2 {
        let score = matrix(event, |a, b| {
            let [wins, draws, losses] = against(event, a, b)?;
            let games = (wins + draws + losses) as f64;
            let percent = 100.0 * (wins as f64 + draws as f64 / 2.0) / games;
            let small = format!("{wins}–{draws}–{losses}");
            Some(Cell { percent, small, title: format!("{percent:.1} %") })
        });
        text += &format!(
            "<h3>Score of the row against the column: %, won–drawn–lost</h3>\n{}",
            card(&score)
        );
        let superior = matrix(event, |a, b| {
            let percent = 100.0 * superiority(event, a, b)?;
            Some(Cell { percent, small: String::new(), title: format!("{percent:.2} %") })
        });
        text += &format!(
            "<h3>Probability that the row is stronger than the column, %</h3>\n{}",
            card(&superior)
        );
    }
    text += &format!("<h3>Time of an answer</h3>\n{}", card(&times(event)));
    let remarks: String = by_order(event)
        .iter()
        .chain(&remarks(event))
        .map(|line| format!("<li>{}</li>", escaped(line)))
        .collect();
    text + &format!("<h3>Remarks</h3>\n<ul>{remarks}</ul>\n")
}

/// Set-up, clock and the rest of what was agreed.
fn terms(event: &EventStandings) -> String {
    let terms = &event.terms;
    let mut lines: Vec<(&str, String)> = Vec::new();
    let setups: Vec<String> = terms.setups.iter().map(setup).collect();
    lines.push(("set-up", setups.join(" / ")));
    lines.extend(terms.clock.map(|clock| ("clock", clock.to_string())));
    let own = terms.clocks.iter().map(|(name, clock)| ("clock", own_clock(name, *clock)));
    lines.extend(own);
    lines.extend(adjudication_in_words(terms.adjudication).map(|words| ("adjudication", words)));
    lines.push(("seed", terms.seed.to_string()));
    lines.extend(event.played.as_ref().map(|played| ("played", span(played))));
    let lines = lines.iter().map(|(what, how)| format!("<dt>{what}</dt><dd>{}</dd>", escaped(how)));
    format!("<dl>{}</dl>\n", lines.collect::<String>())
}

/// From one moment to another, to the minute; the day once if it is the same.
fn span([from, to]: &[String; 2]) -> String {
    let minute = |moment: &str| moment.get(..16).unwrap_or(moment).replace('T', " ");
    let (from, to) = (minute(from), minute(to));
    match (from.split_once(' '), to.split_once(' ')) {
        _ if from == to => format!("{from} UTC"),
        (Some((day, _)), Some((same, time))) if day == same => format!("{from} to {time} UTC"),
        (Some(_) | None, Some(_) | None) => format!("{from} to {to} UTC"),
    }
}

/// What a set-up says, the texts of files left out.
pub(crate) fn setup(setup: &Map<String, Value>) -> String {
    const WIDEST: usize = 60;
    let pair = |(key, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match value.contains('\n') || value.chars().count() > WIDEST {
            true => format!("{key} as given"),
            false => format!("{key} = {value}"),
        }
    };
    match setup.is_empty() {
        true => "as usual".to_owned(),
        false => setup.iter().map(pair).collect::<Vec<_>>().join(", "),
    }
}

/// The time control of a bot that has one of its own.
pub(crate) fn own_clock(name: &str, clock: Clock) -> String {
    let words = match clock.turn {
        Some(turn) => format!("{name}: {} ms a move", turn.as_millis()),
        None => format!("{name}: no limit for a move"),
    };
    match clock.bank {
        Some(bank) => format!("{words}, {} ms for all moves", bank.as_millis()),
        None => words,
    }
}

fn adjudication_in_words(adjudication: Adjudication) -> Option<String> {
    let words = serde_json::to_value(adjudication).ok()?;
    let set = |(key, value): (&String, &Value)| {
        (!value.is_null()).then(|| format!("{} {value}", key.replace('_', " ")))
    };
    let words: Vec<String> = words.as_object()?.iter().filter_map(set).collect();
    (!adjudication.is_none()).then(|| words.join(", "))
}

fn card(inside: &str) -> String {
    format!("<div class=\"card\">{inside}</div>\n")
}

fn table(event: &EventStandings) -> String {
    let byes = event.rows.iter().any(|row| row.byes > 0);
    let mut text = "<table><thead><tr><th>#</th><th class=\"l\">bot</th><th>games</th><th>won</th>\
                    <th>drawn</th><th>lost</th>"
        .to_owned();
    if byes {
        text += "<th>byes</th>";
    }
    let reached = event.rows.iter().any(|row| row.reached.is_some());
    text += "<th>points</th>";
    // How often one was first alone stands in the table already.
    let shown = |by: &&TieBreak| **by != TieBreak::Wins;
    for by in event.tie_breaks.iter().filter(shown) {
        text += &format!("<th title=\"{}\">{}</th>", escaped(by.about()), by.name());
    }
    if reached {
        text += "<th class=\"l\">reached</th>";
    }
    text += "<th>rating</th><th class=\"l\">faults</th></tr></thead><tbody>";
    for row in &event.rows {
        let StandingsRow { rank, games, wins, draws, losses, points, .. } = row;
        let faults: Vec<String> =
            row.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let bye = if byes { format!("<td>{}</td>", row.byes) } else { String::new() };
        let values = event.tie_breaks.iter().zip(&row.tie_breaks).filter(|(by, _)| shown(by));
        let mut more: String = values.map(|(_, value)| format!("<td>{value:.2}</td>")).collect();
        if reached {
            let how = row.reached.map_or(String::new(), |how| how.to_string());
            more += &format!("<td class=\"l\">{how}</td>");
        }
        let about = row.about.as_ref().map(|about| escaped(&about.to_string()));
        let about = about.map(|about| format!("<div class=\"about soft\">{about}</div>"));
        let left = LEAVINGS.iter().find(|(how, _)| row.left == Some(*how));
        let left = left.map_or(String::new(), |(_, word)| format!(" <small>{word}</small>"));
        let place = match row.left {
            Some(Leaving::Disqualified) => "–".to_owned(),
            Some(Leaving::Withdrawn) | None => rank.to_string(),
        };
        let rating = match games {
            0 => "–".to_owned(),
            _ => {
                let error = match row.anchored {
                    true => "given".to_owned(),
                    false => format!("± {}", error(row.rating_error)),
                };
                format!("{} <span class=\"error\">{error}</span>", fixed(row.rating, 0))
            }
        };
        text += &format!(
            "<tr><td>{place}</td><td class=\"l name\" title=\"{}\">{}{left}{}</td><td>{games}</td>\
             <td>{wins}</td><td>{draws}</td><td>{losses}</td>{bye}<td>{points:.1}</td>{more}\
             <td>{rating}</td><td class=\"l soft\">{}</td></tr>",
            escaped(&row.bot),
            escaped(&row.name),
            about.unwrap_or_default(),
            if faults.is_empty() { "–".to_owned() } else { escaped(&faults.join(", ")) }
        );
    }
    text + "</tbody></table>"
}

/// A cell of a matrix.
struct Cell {
    /// What is shown, and coloured from one end over nothing to the other.
    percent: f64,
    /// What is shown below it, if anything.
    small: String,
    /// What is shown under the pointer.
    title: String,
}

/// A column for every row, which has its number. Those who share a place have numbers of their own.
fn matrix(event: &EventStandings, cell: impl Fn(usize, usize) -> Option<Cell>) -> String {
    let mut text = "<table class=\"matrix\"><thead><tr><th class=\"l\"></th>".to_owned();
    for (number, row) in (1..).zip(&event.rows) {
        text += &format!("<th title=\"{}\">{number}</th>", escaped(&row.name));
    }
    text += "</tr></thead><tbody>";
    for (a, row) in event.rows.iter().enumerate() {
        let name = escaped(&row.name);
        text += &format!("<tr><td class=\"l\"><span class=\"soft\">{}</span> {name}</td>", a + 1);
        for b in 0..event.rows.len() {
            text += &match cell(a, b) {
                _ if a == b => "<td class=\"soft\">·</td>".to_owned(),
                None => "<td class=\"soft\">–</td>".to_owned(),
                Some(Cell { percent, small, title }) => {
                    let colour = if percent >= 50.0 { "good" } else { "bad" };
                    let depth = (percent - 50.0).abs() / 50.0 * 0.6;
                    let small = match small.is_empty() {
                        true => String::new(),
                        false => format!("<br><small>{small}</small>"),
                    };
                    format!(
                        "<td style=\"background:rgba(var(--{colour}),{depth:.2})\" \
                         title=\"{title}\">{percent:.0}{small}</td>"
                    )
                }
            };
        }
        text += "</tr>";
    }
    text + "</tbody></table>"
}

/// Where names end and figures begin in a picture.
const NAMES: f64 = 190.0;
const WIDTH: f64 = 900.0;
const ROW: f64 = 26.0;

fn name_label(row: &StandingsRow, y: f64) -> String {
    let name: String = row.name.chars().take(26).collect();
    format!(
        "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        NAMES - 14.0,
        y + 4.5,
        escaped(&name)
    )
}

/// A dot and its interval for every bot.
fn ratings(event: &EventStandings) -> String {
    let mut rows: Vec<&StandingsRow> = event.rows.iter().filter(|row| row.games > 0).collect();
    rows.sort_by(|a, b| b.rating.total_cmp(&a.rating));
    let low = rows.iter().map(|row| row.rating - row.rating_error).fold(f64::INFINITY, f64::min);
    let high = rows.iter().map(|row| row.rating + row.rating_error);
    let high = high.fold(f64::NEG_INFINITY, f64::max);
    if rows.is_empty() || low >= high {
        return "<p class=\"soft\">no games yet</p>".to_owned();
    }
    let x = |rating: f64| NAMES + (rating - low) / (high - low) * (WIDTH - NAMES - 20.0);
    let height = ROW * rows.len() as f64 + 30.0;
    let mut text =
        format!("<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"ratings\">");
    let step = nice_step((high - low) / 8.0);
    let mut mark = (low / step).ceil() * step;
    while mark <= high {
        let at = x(mark);
        text += &format!(
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"4\" y2=\"{:.1}\"/>\
             <text class=\"soft\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            height - 24.0,
            height - 8.0,
            fixed(mark, 0)
        );
        mark += step;
    }
    for (index, row) in rows.iter().enumerate() {
        let y = ROW * (index as f64 + 0.5) + 4.0;
        let (from, to) = (x(row.rating - row.rating_error), x(row.rating + row.rating_error));
        text += &name_label(row, y);
        text += &format!(
            "<line class=\"span\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <circle class=\"dot\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\"><title>{} ± {}</title>\
             </circle>",
            x(row.rating),
            fixed(row.rating, 0),
            error(row.rating_error)
        );
    }
    text + "</svg>"
}

/// A round distance between marks, no smaller than this.
fn nice_step(least: f64) -> f64 {
    let scale = 10_f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|by| by * scale)
        .find(|step| *step >= least)
        .unwrap_or(least)
}

/// Mean, 99th percentile and slowest answer of every bot, on a logarithmic scale.
fn times(event: &EventStandings) -> String {
    let rows: Vec<&StandingsRow> = event.rows.iter().filter(|row| row.times.moves > 0).collect();
    let most = rows.iter().map(|row| row.times.slowest_ms).fold(0.0, f64::max).max(1e-3);
    let least = rows.iter().map(|row| row.times.mean_ms).fold(f64::INFINITY, f64::min).max(1e-4);
    if rows.is_empty() {
        return "<p class=\"soft\">no games yet</p>".to_owned();
    }
    let (low, high) = ((least / 2.0).log10(), (most * 1.5).log10());
    let x = |ms: f64| {
        let share = ((ms.max(1e-6).log10() - low) / (high - low)).clamp(0.0, 1.0);
        NAMES + share * (WIDTH - NAMES - 20.0)
    };
    let height = ROW * rows.len() as f64 + 30.0;
    let mut text =
        format!("<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"times\">");
    for power in low.ceil() as i32..=high.floor() as i32 {
        let at = x(10_f64.powi(power));
        text += &format!(
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"4\" y2=\"{:.1}\"/>\
             <text class=\"soft\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} ms</text>",
            height - 24.0,
            height - 8.0,
            10_f64.powi(power)
        );
    }
    for (index, row) in rows.iter().enumerate() {
        let y = ROW * (index as f64 + 0.5) + 4.0;
        let time = row.times;
        let title = format!(
            "mean {:.2} ms, 99 of 100 within {:.2} ms, slowest {:.2} ms",
            time.mean_ms, time.p99_ms, time.slowest_ms
        );
        let (mean, p99, slowest) = (x(time.mean_ms), x(time.p99_ms), x(time.slowest_ms));
        text += &name_label(row, y);
        text += &format!(
            "<g><title>{title}</title>\
             <rect class=\"far\" x=\"{NAMES}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" rx=\"3\"/>\
             <rect class=\"bar\" x=\"{NAMES}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" rx=\"3\"/>\
             <circle class=\"dot\" cx=\"{slowest:.1}\" cy=\"{y:.1}\" r=\"4\"/></g>",
            y - 6.0,
            (p99 - NAMES).max(1.0),
            y - 6.0,
            (mean - NAMES).max(1.0)
        );
    }
    text + "</svg><p class=\"soft\">bar: mean; pale: 99 of 100 answers; dot: the slowest</p>"
}
