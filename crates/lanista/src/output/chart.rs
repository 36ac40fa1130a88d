//! What a game counts over time: as a small chart for people, as CSV for other programs.

use std::path::Path;

use anyhow::{Result, anyhow};
use game::PlayerId;
use table::{AnyReplay, Measure};

use crate::output::csv::Csv;
use crate::user_files;

/// The widest chart.
const COLUMNS: usize = 60;

/// Bars from nothing to most.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The samples of a game; an error if it counts nothing.
pub(crate) fn samples(replay: &dyn AnyReplay) -> Result<Vec<Vec<Measure>>> {
    let samples = replay.measures();
    match samples.is_empty() {
        true => Err(anyhow!("{} counts nothing that a chart could show", replay.header().game)),
        false => Ok(samples),
    }
}

/// A player whose figures are shown: its seat and its name.
pub(crate) type Counted = (usize, String);

/// The players whose figures may be seen: one player knows its own alone.
pub(crate) fn players(replay: &dyn AnyReplay, eyes: Option<PlayerId>) -> Vec<Counted> {
    let all = replay.header().players.iter().map(|player| player.name.clone()).enumerate();
    all.filter(|(seat, _)| eyes.is_none_or(|eyes| eyes.index() == *seat)).collect()
}

/// A line of bars for each measure and player, all of a measure to the same scale.
pub(crate) fn chart(samples: &[Vec<Measure>], players: &[Counted]) -> String {
    let width = players.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let first = samples.first().map_or(&[][..], Vec::as_slice);
    for (index, measure) in first.iter().enumerate() {
        let value = |at: usize, player: usize| samples[at][index].values[player];
        let all =
            players.iter().flat_map(|(seat, _)| (0..samples.len()).map(|at| value(at, *seat)));
        let most = all.fold(0.0, f64::max);
        text.push_str(&format!("{} (up to {most})\n", measure.name));
        for &(player, ref name) in players {
            let columns = samples.len().min(COLUMNS);
            let line: String = (0..columns)
                .map(|column| {
                    // The first and the last sample are always among them.
                    let at = column * (samples.len() - 1) / (columns - 1).max(1);
                    bar(value(at, player), most)
                })
                .collect();
            let (from, to) = (value(0, player), value(samples.len() - 1, player));
            text.push_str(&format!("  {name:<width$} {line:<COLUMNS$} {from} to {to}\n"));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Only nothing at all looks like nothing.
fn bar(value: f64, most: f64) -> char {
    match value > 0.0 && most > 0.0 {
        true => BARS[((value / most * 8.0).ceil() as usize).clamp(1, 8)],
        false => BARS[0],
    }
}

/// A row for every state and player.
pub(crate) fn csv(samples: &[Vec<Measure>], players: &[Counted]) -> String {
    let titles = samples.first().into_iter().flatten().map(|measure| measure.name);
    let mut csv = Csv::new(["tick", "player", "name"].into_iter().chain(titles));
    for (tick, sample) in samples.iter().enumerate() {
        for &(player, ref name) in players {
            let values = sample.iter().map(|measure| measure.values[player].to_string());
            let whose = [tick.to_string(), player.to_string(), name.clone()];
            csv.row(whose.into_iter().chain(values));
        }
    }
    csv.finish()
}

/// Writes the CSV to a file.
pub(crate) fn write_csv(path: &Path, samples: &[Vec<Measure>], players: &[Counted]) -> Result<()> {
    user_files::write(path, csv(samples, players))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown() -> Vec<Vec<Measure>> {
        let sample = |tick: u32| {
            let values = vec![f64::from(tick * 2), f64::from(4 - tick.min(4))];
            vec![Measure { name: "population", values }]
        };
        (0..=8).map(sample).collect()
    }

    #[test]
    fn bars_grow_and_shrink_to_one_scale() {
        let players = [(0, "up".to_owned()), (1, "down".to_owned())];
        let text = chart(&grown(), &players);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "population (up to 16)");
        assert!(lines[1].starts_with("  up    ▁▂▃▄▅▆▇█ "), "{text}");
        assert!(lines[1].ends_with(" 0 to 16"), "{text}");
        assert!(lines[2].starts_with("  down ▂▂▁▁     "), "{text}");
        // Who sees only one of them learns nothing from the scale either.
        let one = chart(&grown(), &players[1..]);
        assert!(one.starts_with("population (up to 4)\n  down ") && !one.contains("up  "), "{one}");
    }

    #[test]
    fn long_games_are_thinned_out_but_keep_their_ends() {
        let long: Vec<Vec<Measure>> = (0..1000)
            .map(|tick| {
                let value = if tick == 0 || tick == 999 { 1.0 } else { 0.0 };
                vec![Measure { name: "energy", values: vec![value] }]
            })
            .collect();
        let text = chart(&long, &[(0, "x".to_owned())]);
        assert_eq!(text.matches('█').count(), 2, "{text}");
        let one = chart(&long[..1], &[(0, "x".to_owned())]);
        assert!(one.contains('█'), "{one}");
    }

    #[test]
    fn a_row_for_every_tick_and_player() {
        let players = [(0, "a,b".to_owned()), (1, "say \"c\"".to_owned())];
        let text = csv(&grown()[..2], &players);
        assert_eq!(
            text,
            "tick,player,name,population\n0,0,\"a,b\",0\n0,1,\"say \"\"c\"\"\",4\n\
             1,0,\"a,b\",2\n1,1,\"say \"\"c\"\"\",3\n"
        );
    }
}
