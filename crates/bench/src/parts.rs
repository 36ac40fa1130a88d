//! What is measured, part by part.

use anyhow::{Context as _, Result};
use host::Reuse;
use league::{GameList, Recording};
use table::AnyGame;

use crate::bare_pipes::Dummies;
use crate::contention;
use crate::rounds::Measure;
use crate::starts;
use crate::through_host::{Caged, HostedGames, HostedOptions, PLAIN, verify, write};

/// A part of the table, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A ply beside bare pipes.
    Ply,
    /// Plies and games a second.
    Rates,
    /// Many processes asked at once.
    Worlds,
    /// Processes started bare and caged.
    Launch,
    /// Games between built-in bots.
    Games,
    /// Replays written and verified.
    Replays,
    /// Until a bot reads its first byte.
    Start,
    /// A move beside bots that want its core.
    Burn,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 8] = [
        Part::Ply,
        Part::Rates,
        Part::Worlds,
        Part::Launch,
        Part::Games,
        Part::Replays,
        Part::Start,
        Part::Burn,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Part::Ply => "ply",
            Part::Rates => "rates",
            Part::Worlds => "worlds",
            Part::Launch => "launch",
            Part::Games => "games",
            Part::Replays => "replays",
            Part::Start => "start",
            Part::Burn => "burn",
        }
    }

    /// What it measures.
    pub fn about(self) -> &'static str {
        match self {
            Part::Ply => "A ply beside bare pipes",
            Part::Rates => "Plies and games a second",
            Part::Worlds => "Many processes asked at once beside a bare poll loop",
            Part::Launch => "Processes started bare and caged, one and a thousand",
            Part::Games => "Games between built-in bots",
            Part::Replays => "Replays written and verified",
            Part::Start => "Until a bot reads its first byte",
            Part::Burn => "A move beside bots that want its core",
        }
    }
}

/// How much is measured.
pub(crate) struct Size {
    trips: u32,
    games: u64,
    runs: &'static [u64],
    ticks: u32,
    worlds: &'static [u16],
    pub(crate) crowd: usize,
    /// Turns of a game in which somebody wants the other's core.
    burnt: u32,
    pub(crate) least: u32,
    pub(crate) most: u32,
}

pub(crate) const WHOLE: Size = Size {
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

pub(crate) const QUICK: Size = Size {
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
pub(crate) struct MeasureGroup {
    pub(crate) title: String,
    pub(crate) measures: Vec<Measure<'static>>,
}

/// The game whose bots move one after another, and that can be measured.
pub(crate) fn alternating(games: GameList) -> Result<&'static dyn AnyGame> {
    let found = games.iter().find(|game| game.card().alternating && game.card().dummy.is_some());
    found.copied().context("no game whose bots move in turn has a dummy")
}

/// The game in which there can be any number of processes.
fn crowded(games: GameList) -> Option<&'static dyn AnyGame> {
    let fits = |game: &&&'static dyn AnyGame| {
        game.card().dummy.is_some_and(|dummy| {
            (dummy.setup)(1, 1000).is_some() && (dummy.setup)(1000, 1).is_some()
        })
    };
    games.iter().find(fits).copied()
}

/// The measures of a part of the table.
pub(crate) fn measures(part: Part, size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    match part {
        Part::Ply => plies(size, games),
        Part::Rates => rates(size, games),
        Part::Worlds => worlds(size, games),
        Part::Games => in_process(size, games),
        Part::Replays => replays(size, games),
        Part::Launch => starts::launch(size),
        Part::Start => starts::start_up(games),
        Part::Burn => contention::groups(size.burnt, games),
    }
}

fn plies(size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    let game = alternating(games)?;
    let (trips, games) = (size.trips, size.games);
    let bare = |processes| {
        let dummies = Dummies::new(game.card().id, game.card().dummy.expect("it was found by it"));
        move || dummies.in_turn(processes, trips)
    };
    let ply = |options| -> Result<_> {
        let mut playing = HostedGames::dummies(game, 2, 1, options)?;
        Ok(move || {
            let taken = playing.play(games)?;
            Ok(taken.turns_us / taken.turns as f64)
        })
    };
    Ok(vec![MeasureGroup {
        title: format!("a ply, {}, one core", game.card().id),
        measures: vec![
            Measure::new("bare pipes, two bots in turn", "µs", bare(2)),
            Measure::new("bare pipes, one bot", "µs", bare(1)),
            Measure::new("through the host", "µs", ply(PLAIN)?).beside(0),
            Measure::new(
                "and recorded",
                "µs",
                ply(HostedOptions { recording: Recording::On, ..PLAIN })?,
            )
            .beside(0),
            Measure::new(
                "and caged",
                "µs",
                ply(HostedOptions { recording: Recording::On, caged: Caged::Yes, ..PLAIN })?,
            )
            .beside(0),
        ],
    }])
}

fn rates(size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    let game = alternating(games)?;
    let games = size.games;
    let cores = host::cores().len();
    let plies = |concurrency| -> Result<_> {
        let mut playing = HostedGames::dummies(game, 2, 1, HostedOptions { concurrency, ..PLAIN })?;
        Ok(move || {
            let taken = playing.play(games * concurrency as u64)?;
            Ok(taken.turns as f64 / taken.time.as_secs_f64())
        })
    };
    let rate = |options| -> Result<_> {
        let mut playing = HostedGames::dummies(game, 2, 1, options)?;
        Ok(move || {
            let taken = playing.play(games)?;
            Ok(taken.games as f64 / taken.whole.as_secs_f64())
        })
    };
    let all = HostedOptions { concurrency: cores, ..PLAIN };
    let grown = |games: u64| -> Result<_> {
        let mut playing = HostedGames::dummies(game, 2, 1, PLAIN)?;
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
        MeasureGroup {
            title: "plies a second".to_owned(),
            measures: vec![
                Measure::new("one game at a time", "1/s", plies(1)?),
                Measure::new(format!("{cores} games at a time"), "1/s", plies(cores)?).beside(0),
            ],
        },
        MeasureGroup { title: "a game, in a run of".to_owned(), measures: growth },
        MeasureGroup {
            title: format!("games a second, {cores} at a time"),
            measures: vec![
                Measure::new("processes used again", "1/s", rate(all)?),
                Measure::new(
                    "and recorded",
                    "1/s",
                    rate(HostedOptions { recording: Recording::On, ..all })?,
                )
                .beside(0),
                Measure::new(
                    "started for every game",
                    "1/s",
                    rate(HostedOptions { reuse: Reuse::Never, ..all })?,
                )
                .beside(0),
                Measure::new(
                    "started for every game, caged",
                    "1/s",
                    rate(HostedOptions { reuse: Reuse::Never, caged: Caged::Yes, ..all })?,
                )
                .beside(0),
            ],
        },
    ])
}

fn worlds(size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    let Some(game) = crowded(games) else { return Ok(Vec::new()) };
    let (name, ticks) = (game.card().id, size.ticks);
    let mut groups = Vec::new();
    for &count in size.worlds {
        let dummies = Dummies::new(name, game.card().dummy.expect("it was found by it"));
        let all = u32::from(count);
        let host = |players, each| -> Result<_> {
            let mut playing = HostedGames::dummies(game, players, each, PLAIN)?;
            Ok(move || playing.world(all))
        };
        groups.push(MeasureGroup {
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
    Ok(groups)
}

fn in_process(size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    let count = size.games;
    let measure = |game: &&'static dyn AnyGame| -> Result<Measure<'static>> {
        let mut playing = HostedGames::built_in(*game)?;
        Ok(Measure::new(game.card().id, "1/s", move || {
            let taken = playing.play(count)?;
            Ok(taken.games as f64 / taken.whole.as_secs_f64())
        }))
    };
    let measures = games.iter().map(measure).collect::<Result<_>>()?;
    Ok(vec![MeasureGroup { title: "games a second, weakest built-in bots".to_owned(), measures }])
}

fn replays(size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    let game = alternating(games)?;
    let options = HostedOptions { recording: Recording::On, ..PLAIN };
    let taken = HostedGames::dummies(game, 2, 1, options)?.play(size.games)?;
    let files = write(&taken.logs)?.1;
    let (games, logs) = (taken.games as f64, taken.logs);
    Ok(vec![MeasureGroup {
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
