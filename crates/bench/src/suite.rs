//! The whole table: every figure beside the least that it could be.

use std::fmt;

use anyhow::Result;
use league::GameList;
use serde_json::{Value, json};

use crate::machine::MachineInfo;
use crate::parts::{QUICK, SuitePart, WHOLE, measures};
use crate::rounds::{Figure, rounds};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Until the figures are stable.
    Whole,
    /// A short look, too short for figures to be trusted.
    Quick,
}

/// What is to be measured.
pub struct Suite {
    /// How much.
    pub extent: Extent,
    /// So many rounds, instead of as many as it takes.
    pub rounds: Option<u32>,
    /// Which parts.
    pub parts: Vec<SuitePart>,
}

/// What has been found so far.
pub enum News<'a> {
    /// The machine on which it is measured.
    Machine(&'a MachineInfo),
    /// A measure is about to be taken, in a round that is counted from 1.
    Round {
        /// The group of the measure.
        title: &'a str,
        /// Its name.
        name: &'a str,
        /// Which round.
        round: u32,
    },
    /// A group of figures is finished.
    Group(&'a FigureGroup),
}

/// Some figures that belong together.
pub struct FigureGroup {
    title: String,
    figures: Vec<Figure>,
}

/// All figures.
pub struct SuiteReport {
    machine: MachineInfo,
    groups: Vec<FigureGroup>,
}

impl Suite {
    /// Measures; none if it is interrupted.
    pub fn measure(
        &self,
        games: GameList,
        mut told: impl FnMut(News<'_>) -> Result<()>,
    ) -> Result<Option<SuiteReport>> {
        let mut size = match self.extent {
            Extent::Whole => WHOLE,
            Extent::Quick => QUICK,
        };
        if let Some(rounds) = self.rounds {
            (size.least, size.most) = (rounds, rounds);
        }
        let machine = MachineInfo::here();
        told(News::Machine(&machine))?;
        let mut groups = Vec::new();
        for part in &self.parts {
            for mut group in measures(*part, &size, games)? {
                let title = group.title.clone();
                let round = |name: &str, round| told(News::Round { title: &title, name, round });
                let figures = rounds(&mut group.measures, size.least, size.most, round)?;
                if host::interrupted() {
                    return Ok(None);
                }
                let group = FigureGroup { title: group.title, figures };
                told(News::Group(&group))?;
                groups.push(group);
            }
        }
        Ok(Some(SuiteReport { machine, groups }))
    }
}

impl fmt::Display for FigureGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.title)?;
        for figure in &self.figures {
            let Figure { name, unit, median, least, most, .. } = figure;
            let ratio = figure.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2} ×"));
            let noisy = if figure.is_stable() { ' ' } else { '~' };
            let (median, least, most) = (short(*median), short(*least), short(*most));
            write!(
                f,
                "\n  {name:<34} {noisy}{median:>8} {unit:<3} {ratio:>7}  [{least} – {most}]"
            )?;
        }
        Ok(())
    }
}

/// Three digits that matter.
fn short(figure: f64) -> String {
    match figure {
        0.0..10.0 => format!("{figure:.2}"),
        10.0..100.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}

impl SuiteReport {
    /// Whether all figures have settled.
    pub fn is_stable(&self) -> bool {
        self.groups.iter().flat_map(|group| &group.figures).all(Figure::is_stable)
    }

    /// For scripts.
    pub fn json(&self) -> Value {
        let figure = |figure: &Figure| {
            json!({
                "name": figure.name, "unit": figure.unit, "median": figure.median,
                "least": figure.least, "most": figure.most, "spread": figure.spread,
                "ratio": figure.ratio, "stable": figure.is_stable(),
            })
        };
        let group = |group: &FigureGroup| {
            let figures: Vec<Value> = group.figures.iter().map(figure).collect();
            json!({ "title": group.title, "figures": figures })
        };
        let groups: Vec<Value> = self.groups.iter().map(group).collect();
        json!({
            "v": 1, "machine": self.machine.json(), "stable": self.is_stable(), "groups": groups,
        })
    }
}
