//! What is measured, part by part.

use anyhow::{Context as _, Result};
use host::Reuse;
use table::AnyGame;

use super::burn;
use super::floor::Dummies;
use super::hosted::{Manner, PLAIN, Playing, verify, write};
use super::rounds::Measure;
use super::starts;
use crate::catalogue::Catalogue;
use crate::cli::BenchPart;

/// How much is measured.
pub(super) struct Size {
    trips: u32,
    games: u64,
    runs: &'static [u64],
    ticks: u32,
    worlds: &'static [u16],
    pub(super) crowd: usize,
    /// Turns of a game in which somebody wants the other's core.
    burnt: u32,
    pub(super) least: u32,
    pub(super) most: u32,
}

pub(super) const WHOLE: Size = Size {
    trips: 20_000,
    games: 100,
    runs: &[10, 100, 1000],
    ticks: 20,
    worlds: &[10, 100, 1000],
    crowd: 1000,
    burnt: 40,
    least: 5,
    most: 15,
};

pub(super) const QUICK: Size = Size {
    trips: 500,
    games: 4,
    runs: &[4, 8],
    ticks: 5,
    worlds: &[10],
    crowd: 10,
    burnt: 4,
    least: 1,
    most: 1,
};

/// Measures that are taken in turn.
pub(super) struct Plan {
    pub(super) title: String,
    pub(super) measures: Vec<Measure<'static>>,
}

/// The game whose bots move one after another, and that can be measured.
pub(super) fn alternating(catalogue: Catalogue) -> Result<&'static dyn AnyGame> {
    let found = catalogue
        .games()
        .iter()
        .find(|game| game.card().alternating && game.card().dummy.is_some());
    found.copied().context("no game whose bots move in turn has a dummy")
}

/// The game in which there can be any number of processes.
fn crowded(catalogue: Catalogue) -> Option<&'static dyn AnyGame> {
    let fits = |game: &&&'static dyn AnyGame| {
        game.card().dummy.is_some_and(|dummy| {
            (dummy.setup)(1, 1000).is_some() && (dummy.setup)(1000, 1).is_some()
        })
    };
    catalogue.games().iter().find(fits).copied()
}

/// The measures of a part of the table.
pub(super) fn measures(part: BenchPart, size: &Size, catalogue: Catalogue) -> Result<Vec<Plan>> {
    match part {
        BenchPart::Ply => plies(size, catalogue),
        BenchPart::Rates => rates(size, catalogue),
        BenchPart::Worlds => worlds(size, catalogue),
        BenchPart::Games => in_process(size, catalogue),
        BenchPart::Replays => replays(size, catalogue),
        BenchPart::Launch => starts::launch(size),
        BenchPart::Start => starts::start_up(catalogue),
        BenchPart::Burn => burn::burns(size.burnt, catalogue),
    }
}

fn plies(size: &Size, catalogue: Catalogue) -> Result<Vec<Plan>> {
    let game = alternating(catalogue)?;
    let (trips, games) = (size.trips, size.games);
    let bare = |processes| {
        let dummies = Dummies::new(game.card().id, game.card().dummy.expect("it was found by it"));
        move || dummies.in_turn(processes, trips)
    };
    let ply = |manner| -> Result<_> {
        let mut playing = Playing::dummies(game, 2, 1, manner)?;
        Ok(move || {
            let taken = playing.play(games)?;
            Ok(taken.turns_us / taken.turns as f64)
        })
    };
    Ok(vec![Plan {
        title: format!("a ply, {}, one core", game.card().id),
        measures: vec![
            Measure::new("bare pipes, two bots in turn", "µs", bare(2)),
            Measure::new("bare pipes, one bot", "µs", bare(1)),
            Measure::new("through the host", "µs", ply(PLAIN)?).beside(0),
            Measure::new("and recorded", "µs", ply(Manner { record: true, ..PLAIN })?).beside(0),
            Measure::new("and caged", "µs", ply(Manner { record: true, caged: true, ..PLAIN })?)
                .beside(0),
        ],
    }])
}

fn rates(size: &Size, catalogue: Catalogue) -> Result<Vec<Plan>> {
    let game = alternating(catalogue)?;
    let games = size.games;
    let cores = host::cores().len();
    let plies = |concurrency| -> Result<_> {
        let mut playing = Playing::dummies(game, 2, 1, Manner { concurrency, ..PLAIN })?;
        Ok(move || {
            let taken = playing.play(games * concurrency as u64)?;
            Ok(taken.turns as f64 / taken.time.as_secs_f64())
        })
    };
    let rate = |manner| -> Result<_> {
        let mut playing = Playing::dummies(game, 2, 1, manner)?;
        Ok(move || {
            let taken = playing.play(games)?;
            Ok(taken.games as f64 / taken.whole.as_secs_f64())
        })
    };
    let all = Manner { concurrency: cores, ..PLAIN };
    let grown = |games: u64| -> Result<_> {
        let mut playing = Playing::dummies(game, 2, 1, PLAIN)?;
        let take = move || {
            // The first game pays for the start.
            let taken = playing.play(games + 1)?;
            Ok(taken.time.as_secs_f64() * 1e6 / games as f64)
        };
        Ok(Measure::new(format!("{games} games"), "µs", take))
    };
    let mut growth = size.runs.iter().map(|&games| grown(games)).collect::<Result<Vec<_>>>()?;
    growth.iter_mut().skip(1).for_each(|measure| measure.beside = Some(0));
    Ok(vec![
        Plan {
            title: "plies a second".to_owned(),
            measures: vec![
                Measure::new("one game at a time", "1/s", plies(1)?),
                Measure::new(format!("{cores} games at a time"), "1/s", plies(cores)?).beside(0),
            ],
        },
        Plan { title: "a game, in a run of".to_owned(), measures: growth },
        Plan {
            title: format!("games a second, {cores} at a time"),
            measures: vec![
                Measure::new("processes used again", "1/s", rate(all)?),
                Measure::new("and recorded", "1/s", rate(Manner { record: true, ..all })?)
                    .beside(0),
                Measure::new(
                    "started for every game",
                    "1/s",
                    rate(Manner { reuse: Reuse::Never, ..all })?,
                )
                .beside(0),
                Measure::new(
                    "started for every game, caged",
                    "1/s",
                    rate(Manner { reuse: Reuse::Never, caged: true, ..all })?,
                )
                .beside(0),
            ],
        },
    ])
}

fn worlds(size: &Size, catalogue: Catalogue) -> Result<Vec<Plan>> {
    let Some(game) = crowded(catalogue) else { return Ok(Vec::new()) };
    let (name, ticks) = (game.card().id, size.ticks);
    let mut plans = Vec::new();
    for &count in size.worlds {
        let dummies = Dummies::new(name, game.card().dummy.expect("it was found by it"));
        let all = u32::from(count);
        let host = |players, each| -> Result<_> {
            let mut playing = Playing::dummies(game, players, each, PLAIN)?;
            Ok(move || playing.world(all))
        };
        plans.push(Plan {
            title: format!("{count} processes asked at once, {name}: processor time an answer"),
            measures: vec![
                Measure::new("bare poll loop", "µs", move || dummies.at_once(count.into(), ticks)),
                Measure::new(format!("host, 1 player, {count} agents"), "µs", host(1, all)?)
                    .beside(0),
                Measure::new(format!("host, {count} players, 1 agent each"), "µs", host(count, 1)?)
                    .beside(0),
            ],
        });
    }
    Ok(plans)
}

fn in_process(size: &Size, catalogue: Catalogue) -> Result<Vec<Plan>> {
    let games = size.games;
    let measure = |game: &&'static dyn AnyGame| -> Result<Measure<'static>> {
        let mut playing = Playing::built_in(*game)?;
        Ok(Measure::new(game.card().id, "1/s", move || {
            let taken = playing.play(games)?;
            Ok(taken.games as f64 / taken.whole.as_secs_f64())
        }))
    };
    let measures = catalogue.games().iter().map(measure).collect::<Result<_>>()?;
    Ok(vec![Plan { title: "games a second, weakest built-in bots".to_owned(), measures }])
}

fn replays(size: &Size, catalogue: Catalogue) -> Result<Vec<Plan>> {
    let game = alternating(catalogue)?;
    let manner = Manner { record: true, ..PLAIN };
    let taken = Playing::dummies(game, 2, 1, manner)?.play(size.games)?;
    let files = write(&taken.logs)?.1;
    let (games, logs) = (taken.games as f64, taken.logs);
    Ok(vec![Plan {
        title: format!("replays a second, {}", game.card().id),
        measures: vec![
            Measure::new("written", "1/s", move || Ok(games / write(&logs)?.0.as_secs_f64())),
            Measure::new(
                "verified",
                "1/s",
                move || Ok(games / verify(game, &files)?.as_secs_f64()),
            ),
        ],
    }])
}
