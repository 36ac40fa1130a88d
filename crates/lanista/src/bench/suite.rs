//! The whole table: every figure beside the least that it could be.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use games::GAMES;
use host::Reuse;
use serde_json::{Value, json};
use table::AnyGame;

use super::facts::Facts;
use super::floor::Dummies;
use super::hosted::{Manner, PLAIN, Playing, verify, write};
use super::rounds::{Figure, Measure, rounds};
use crate::Ending;
use crate::cli::Bench;
use crate::terminal::{remark, say};

/// How much is measured.
struct Size {
    trips: u32,
    games: u64,
    ticks: u32,
    worlds: &'static [u32],
    least: u32,
    most: u32,
}

const WHOLE: Size =
    Size { trips: 20_000, games: 100, ticks: 20, worlds: &[10, 100, 1000], least: 5, most: 15 };
const QUICK: Size = Size { trips: 500, games: 4, ticks: 5, worlds: &[10], least: 1, most: 1 };

/// Some figures that belong together.
struct Group {
    title: String,
    figures: Vec<Figure>,
}

pub(super) fn bench(args: &Bench) -> Result<Ending> {
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
    for make in [plies, rates, worlds, in_process, replays, start_up] {
        for mut group in make(&size)? {
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
        say(&report(&facts, &groups, stable).to_string())?;
    } else if !stable {
        say("~ marks figures that did not settle: this machine is busy, and they are no result.")?;
    }
    Ok(Ending::Done)
}

/// Measures that are taken in turn.
struct Plan {
    title: String,
    measures: Vec<Measure<'static>>,
}

/// The game whose bots move one after another, and that can be measured.
fn alternating() -> Result<&'static dyn AnyGame> {
    let found = GAMES.iter().find(|game| game.card().alternating && game.dummy().is_some());
    found.copied().context("no game whose bots move in turn has a dummy")
}

/// The game in which there can be any number of processes.
fn crowded() -> Option<&'static dyn AnyGame> {
    let fits = |game: &&&'static dyn AnyGame| {
        game.dummy().is_some_and(|dummy| (dummy.setup)(1000).is_some())
    };
    GAMES.iter().find(fits).copied()
}

fn plies(size: &Size) -> Result<Vec<Plan>> {
    let game = alternating()?;
    let (trips, games) = (size.trips, size.games);
    let bare = |processes| {
        let dummies = Dummies::new(game.card().id, game.dummy().expect("it was found by it"));
        move || dummies.in_turn(processes, trips)
    };
    let ply = |manner| -> Result<_> {
        let mut playing = Playing::dummies(game, 2, manner)?;
        Ok(move || {
            let taken = playing.play(games)?;
            Ok(taken.time.as_secs_f64() * 1e6 / taken.turns as f64)
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

fn rates(size: &Size) -> Result<Vec<Plan>> {
    let game = alternating()?;
    let games = size.games;
    let cores = host::cores().len();
    let plies = |concurrency| -> Result<_> {
        let mut playing = Playing::dummies(game, 2, Manner { concurrency, ..PLAIN })?;
        Ok(move || {
            let taken = playing.play(games * concurrency as u64)?;
            Ok(taken.turns as f64 / taken.time.as_secs_f64())
        })
    };
    let rate = |manner| -> Result<_> {
        let mut playing = Playing::dummies(game, 2, manner)?;
        Ok(move || {
            let taken = playing.play(games)?;
            Ok(taken.games as f64 / taken.whole.as_secs_f64())
        })
    };
    let all = Manner { concurrency: cores, ..PLAIN };
    Ok(vec![
        Plan {
            title: "plies a second".to_owned(),
            measures: vec![
                Measure::new("one game at a time", "1/s", plies(1)?),
                Measure::new(format!("{cores} games at a time"), "1/s", plies(cores)?).beside(0),
            ],
        },
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

fn worlds(size: &Size) -> Result<Vec<Plan>> {
    let Some(game) = crowded() else { return Ok(Vec::new()) };
    let ticks = size.ticks;
    let mut plans = Vec::new();
    for &actors in size.worlds {
        let dummies = Dummies::new(game.card().id, game.dummy().expect("it was found by it"));
        let mut playing = Playing::dummies(game, actors, PLAIN)?;
        let bare = move || dummies.at_once(actors as usize, ticks);
        plans.push(Plan {
            title: format!("{actors} processes asked at once, {}: processor time", game.card().id),
            measures: vec![
                Measure::new("bare poll loop", "µs", bare),
                Measure::new("through the host", "µs", move || playing.world(actors)).beside(0),
            ],
        });
    }
    Ok(plans)
}

fn in_process(size: &Size) -> Result<Vec<Plan>> {
    let games = size.games;
    let measure = |game: &&'static dyn AnyGame| -> Result<Measure<'static>> {
        let mut playing = Playing::built_in(*game)?;
        Ok(Measure::new(game.card().id, "1/s", move || {
            let taken = playing.play(games)?;
            Ok(taken.games as f64 / taken.whole.as_secs_f64())
        }))
    };
    let measures = GAMES.iter().map(measure).collect::<Result<_>>()?;
    Ok(vec![Plan { title: "games a second, weakest built-in bots".to_owned(), measures }])
}

fn replays(size: &Size) -> Result<Vec<Plan>> {
    let game = alternating()?;
    let manner = Manner { record: true, ..PLAIN };
    let taken = Playing::dummies(game, 2, manner)?.play(size.games)?;
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

fn start_up(_: &Size) -> Result<Vec<Plan>> {
    let exe = std::env::current_exe().context("cannot find this very program")?;
    let game = alternating()?.card().id;
    let run = |args: Vec<String>| {
        let exe = exe.clone();
        move || {
            let began = Instant::now();
            let mut child = Command::new(&exe);
            child.args(&args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let ended = child.status().context("cannot start this very program")?;
            ensure!(ended.success(), "{args:?} failed");
            Ok(began.elapsed().as_secs_f64() * 1e3)
        }
    };
    let version = run(vec!["--version".to_owned()]);
    let folder = StampFolder::new(game, &exe)?;
    let first_byte = {
        let exe = exe.clone();
        move || {
            let stamp = folder.0.join(STAMP);
            let _ = std::fs::remove_file(&stamp);
            let bot = folder.0.display().to_string();
            let began = crate::dummy::monotonic();
            let mut child = Command::new(&exe);
            child.args(["play", game, &bot, &bot, "--no-replay", "--quiet"]);
            child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            child.status().context("cannot start this very program")?;
            let stamped = std::fs::read_to_string(&stamp).context("no bot was asked")?;
            let stamped: f64 = stamped.trim().parse().context("a bot cannot tell the time")?;
            Ok((stamped - began.as_secs_f64()) * 1e3)
        }
    };
    Ok(vec![Plan {
        title: "start-up".to_owned(),
        measures: vec![
            Measure::new("lanista --version", "ms", version),
            Measure::new("play, until a bot reads its first byte", "ms", first_byte),
        ],
    }])
}

/// The file in which a bot writes down when it was first asked.
const STAMP: &str = "stamp";

/// A bot that may write down the time in its folder; gone when dropped.
struct StampFolder(std::path::PathBuf);

impl StampFolder {
    fn new(game: &str, exe: &std::path::Path) -> Result<StampFolder> {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = std::env::temp_dir().join(format!("lanista-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).context("cannot make a folder for a bot")?;
        // Started by root, bots are other users.
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777))?;
        let stamp = folder.join(STAMP);
        let command = json!([exe, crate::dummy::DUMMY_COMMAND, game, stamp]);
        let manifest = format!("command = {command}\n[cage]\nwrite = [{}]\n", json!(folder));
        std::fs::write(folder.join("bot.toml"), manifest).context("cannot write a manifest")?;
        Ok(StampFolder(folder))
    }
}

impl Drop for StampFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
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
