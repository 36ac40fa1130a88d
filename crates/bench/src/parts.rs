//! What is measured, part by part.

use anyhow::{Context as _, Result};
use host::Reuse;
use league::GameList;
use table::{AnyGame, Recording, TurnOrder};

use crate::bare_pipes::Dummies;
use crate::births;
use crate::contention;
use crate::other_work;
use crate::rounds::Measurement;
use crate::starts;
use crate::storing;
use crate::through_host::{CageUse, HostedGames, HostedOptions, PLAIN, verify, write};
use crate::watching;

/// A part of the table, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuitePart {
    /// A ply beside bare pipes.
    Ply,
    /// Plies and games a second.
    Rates,
    /// Many processes asked at once.
    Worlds,
    /// Processes that are born in a running world.
    Births,
    /// Processes started bare and caged.
    Launch,
    /// Games between built-in bots.
    Games,
    /// Replays written and verified.
    Replays,
    /// Games of a tournament that are kept.
    Store,
    /// Until a bot reads its first byte.
    Start,
    /// A move beside bots that want its core.
    Burn,
    /// Plies beside other work of the machine.
    Busy,
    /// A ply while readers watch.
    Watched,
}

impl SuitePart {
    /// All parts.
    pub const ALL: [SuitePart; 12] = [
        SuitePart::Ply,
        SuitePart::Rates,
        SuitePart::Worlds,
        SuitePart::Births,
        SuitePart::Launch,
        SuitePart::Games,
        SuitePart::Replays,
        SuitePart::Store,
        SuitePart::Start,
        SuitePart::Burn,
        SuitePart::Busy,
        SuitePart::Watched,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SuitePart::Ply => "ply",
            SuitePart::Rates => "rates",
            SuitePart::Worlds => "worlds",
            SuitePart::Births => "births",
            SuitePart::Launch => "launch",
            SuitePart::Games => "games",
            SuitePart::Replays => "replays",
            SuitePart::Store => "store",
            SuitePart::Start => "start",
            SuitePart::Burn => "burn",
            SuitePart::Busy => "busy",
            SuitePart::Watched => "watched",
        }
    }

    /// What it measures.
    pub fn about(self) -> &'static str {
        match self {
            SuitePart::Ply => "A ply beside bare pipes",
            SuitePart::Rates => "Plies and games a second",
            SuitePart::Worlds => "Many processes asked at once beside a bare poll loop",
            SuitePart::Births => "Processes born in a running world beside bare ones",
            SuitePart::Launch => {
                "Processes started bare and caged on every tier, and a thousand at once"
            }
            SuitePart::Games => "Games between built-in bots",
            SuitePart::Replays => "Replays written and verified",
            SuitePart::Store => "Games of a tournament kept, in memory and on this disk",
            SuitePart::Start => "Until a bot reads its first byte",
            SuitePart::Burn => "A move beside bots that want its core",
            SuitePart::Busy => "Plies a second while other processes compute",
            SuitePart::Watched => "A ply while nobody watches and while ten readers do",
        }
    }
}

/// How much is measured.
pub(crate) struct Size {
    trips: u32,
    games: u64,
    /// Games whose processes are started for each. So many that what a run itself needs is little.
    fresh: u64,
    runs: &'static [u64],
    /// Games of a tournament that are kept.
    kept: u64,
    ticks: u32,
    worlds: &'static [u16],
    /// Processes that are born in a turn, and the turns of such a world.
    births: u32,
    generations: u32,
    pub(crate) crowd: usize,
    /// Turns of a game in which somebody wants the other's core.
    burnt: u32,
    pub(crate) least: u32,
    pub(crate) most: u32,
}

pub(crate) const WHOLE: Size = Size {
    trips: 20_000,
    games: 100,
    fresh: 1000,
    runs: &[10, 100, 1000],
    kept: 12_000,
    ticks: 20,
    worlds: &[10, 100, 1000],
    births: 100,
    generations: 21,
    crowd: 1000,
    burnt: 40,
    least: 5,
    most: 15,
};

pub(crate) const QUICK: Size = Size {
    trips: 500,
    games: 4,
    fresh: 4,
    runs: &[4, 8],
    kept: 120,
    ticks: 5,
    worlds: &[10],
    births: 4,
    generations: 4,
    crowd: 10,
    burnt: 4,
    least: 1,
    most: 1,
};

/// Measures that are taken in turn.
pub(crate) struct MeasureGroup {
    pub(crate) title: String,
    pub(crate) measures: Vec<Measurement<'static>>,
}

/// The game whose bots move one after another, and that can be measured.
pub(crate) fn alternating(games: GameList) -> Result<&'static dyn AnyGame> {
    let found = games.iter().find(|game| {
        game.card().turn_order == TurnOrder::Alternating && game.card().dummy.is_some()
    });
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
pub(crate) fn measures(part: SuitePart, size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    match part {
        SuitePart::Ply => plies(size, games),
        SuitePart::Rates => rates(size, games),
        SuitePart::Worlds => worlds(size, games),
        SuitePart::Births => births::groups(size.births, size.generations, games),
        SuitePart::Games => in_process(size, games),
        SuitePart::Replays => replays(size, games),
        SuitePart::Store => storing::groups(size.kept, games),
        SuitePart::Launch => starts::launch(size),
        SuitePart::Start => starts::start_up(games),
        SuitePart::Burn => contention::groups(size.burnt, games),
        SuitePart::Busy => other_work::groups(size.games, games),
        SuitePart::Watched => watching::groups(size.games, games),
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
            Measurement::new("bare pipes, two bots in turn", "µs", bare(2)),
            Measurement::new("bare pipes, one bot", "µs", bare(1)),
            Measurement::new("through the host", "µs", ply(PLAIN)?).beside(0),
            Measurement::new(
                "and recorded",
                "µs",
                ply(HostedOptions { recording: Recording::On, ..PLAIN })?,
            )
            .beside(0),
            Measurement::new(
                "and caged",
                "µs",
                ply(HostedOptions { recording: Recording::On, caged: CageUse::Yes, ..PLAIN })?,
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
    let rate = |options: HostedOptions| -> Result<_> {
        let games = if options.reuse == Reuse::Never { size.fresh } else { games };
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
        Ok(Measurement::new(format!("{games} games"), "µs", take))
    };
    let mut growth = size.runs.iter().map(|&games| grown(games)).collect::<Result<Vec<_>>>()?;
    growth.iter_mut().skip(1).for_each(|measure| measure.beside = Some(0));
    Ok(vec![
        MeasureGroup {
            title: "plies a second".to_owned(),
            measures: vec![
                Measurement::new("one game at a time", "1/s", plies(1)?),
                Measurement::new(format!("{cores} games at a time"), "1/s", plies(cores)?)
                    .beside(0),
            ],
        },
        MeasureGroup { title: "a game, in a run of".to_owned(), measures: growth },
        MeasureGroup {
            title: format!("games a second, {cores} at a time"),
            measures: vec![
                Measurement::new("processes used again", "1/s", rate(all)?),
                Measurement::new(
                    "and recorded",
                    "1/s",
                    rate(HostedOptions { recording: Recording::On, ..all })?,
                )
                .beside(0),
                Measurement::new(
                    "started for every game",
                    "1/s",
                    rate(HostedOptions { reuse: Reuse::Never, ..all })?,
                )
                .beside(0),
                Measurement::new(
                    "started for every game, caged",
                    "1/s",
                    rate(HostedOptions { reuse: Reuse::Never, caged: CageUse::Yes, ..all })?,
                )
                .beside(2),
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
                Measurement::new("bare poll loop", "µs", move || {
                    dummies.at_once(count.into(), ticks)
                }),
                Measurement::new(format!("host, 1 player, {count} agents"), "µs", host(1, all)?)
                    .beside(0),
                Measurement::new(
                    format!("host, {count} players, 1 agent each"),
                    "µs",
                    host(count, 1)?,
                )
                .beside(0),
            ],
        });
    }
    Ok(groups)
}

fn in_process(size: &Size, games: GameList) -> Result<Vec<MeasureGroup>> {
    let count = size.games;
    let measure = |game: &&'static dyn AnyGame| -> Result<Measurement<'static>> {
        let mut playing = HostedGames::built_in(*game)?;
        Ok(Measurement::new(game.card().id, "1/s", move || {
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
            Measurement::new("written", "1/s", move || Ok(games / write(&logs)?.0.as_secs_f64())),
            Measurement::new("verified", "1/s", move || {
                Ok(games / verify(game, &files)?.as_secs_f64())
            }),
        ],
    }])
}
