//! The whole table: every figure beside the least that it could be.

use anyhow::Result;
use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::facts::Facts;
use super::parts::{QUICK, WHOLE, measures};
use super::rounds::{Figure, rounds};
use crate::Ending;
use crate::catalogue::Catalogue;
use crate::cli::{Bench, BenchPart};
use crate::terminal::{remark, say, say_json};

/// Some figures that belong together.
struct Group {
    title: String,
    figures: Vec<Figure>,
}

pub(super) fn bench(args: &Bench, catalogue: Catalogue) -> Result<Ending> {
    let mut size = if args.quick { QUICK } else { WHOLE };
    if let Some(rounds) = args.rounds {
        (size.least, size.most) = (rounds, rounds);
    }
    host::catch_interrupts();
    let facts = Facts::here();
    if !args.json {
        say(&facts.to_string())?;
    }
    let mut groups = Vec::new();
    let wanted = |part: &&BenchPart| args.only.is_empty() || args.only.contains(part);
    for part in BenchPart::value_variants().iter().filter(wanted) {
        for mut group in measures(*part, &size, catalogue)? {
            let title = group.title.clone();
            let told = |name: &str, round| {
                if !args.json {
                    remark(&format!("{title}: {name}, round {round}"));
                }
            };
            let figures = rounds(&mut group.measures, size.least, size.most, told)?;
            if host::interrupted() {
                return Ok(Ending::Interrupted);
            }
            let group = Group { title: group.title, figures };
            if !args.json {
                say(&table(&group))?;
            }
            groups.push(group);
        }
    }
    let stable = groups.iter().flat_map(|group| &group.figures).all(Figure::is_stable);
    if args.json {
        say_json(&report(&facts, &groups, stable))?;
    } else if !stable {
        say("~ marks figures that did not settle: this machine is busy, and they are no result.")?;
    }
    Ok(Ending::Done)
}

fn table(group: &Group) -> String {
    let mut lines = vec![format!("\n{}", group.title)];
    for figure in &group.figures {
        let Figure { name, unit, median, least, most, .. } = figure;
        let ratio = figure.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2} ×"));
        let noisy = if figure.is_stable() { ' ' } else { '~' };
        let (median, least, most) = (short(*median), short(*least), short(*most));
        lines.push(format!(
            "  {name:<40} {noisy}{median:>9} {unit:<3} {ratio:>8}   [{least} – {most}]"
        ));
    }
    lines.join("\n")
}

/// Three digits that matter.
fn short(figure: f64) -> String {
    match figure {
        0.0..10.0 => format!("{figure:.2}"),
        10.0..100.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}

fn report(facts: &Facts, groups: &[Group], stable: bool) -> Value {
    let figure = |figure: &Figure| {
        json!({
            "name": figure.name, "unit": figure.unit, "median": figure.median,
            "least": figure.least, "most": figure.most, "spread": figure.spread,
            "ratio": figure.ratio, "stable": figure.is_stable(),
        })
    };
    let group = |group: &Group| {
        let figures: Vec<Value> = group.figures.iter().map(figure).collect();
        json!({ "title": group.title, "figures": figures })
    };
    let groups: Vec<Value> = groups.iter().map(group).collect();
    json!({ "v": 1, "machine": facts.json(), "stable": stable, "groups": groups })
}
