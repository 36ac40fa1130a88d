//! The same bots through the whole host.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use game::{Clock, Verdict};
use host::{
    BotSpec, CageTerms, LiveGames, Placement, Pondering, Reuse, Run, Tier, Watcher, unique_names,
};
use league::{SeedSource, Series};
use serde_json::{Map, Value};
use table::{AnyGame, AnyTable, Log, Record, Recording, Report, TurnOrder};

use crate::bare_pipes::cpu;
use crate::busy_bot::{self, BusyWith};
use crate::dummy_bot;
use crate::rounds::Disturbed;

/// How games are to be played.
#[derive(Clone, Copy)]
pub(crate) struct HostedOptions {
    pub(crate) concurrency: usize,
    pub(crate) recording: Recording,
    pub(crate) reuse: Reuse,
    pub(crate) caged: CageUse,
}

/// Whether bots are shut in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CageUse {
    /// As well as this machine can.
    Yes,
    /// Not at all.
    No,
}

/// One match after another on one core, nothing recorded: the plainest options.
pub(crate) const PLAIN: HostedOptions = HostedOptions {
    concurrency: 1,
    recording: Recording::Off,
    reuse: Reuse::Auto,
    caged: CageUse::No,
};

/// Games that can be played again and again.
pub(crate) struct HostedGames {
    run: Run,
    series: Series,
}

/// What games took.
pub(crate) struct Taken {
    pub(crate) games: u64,
    pub(crate) turns: u64,
    /// Answers of all bots, in all games.
    answers: u64,
    /// Microseconds from answer to answer in these turns: bots and host, but not what lies between
    /// games.
    pub(crate) turns_us: f64,
    /// From the end of the first game to the end of the last: what it took to start is left out.
    pub(crate) time: Duration,
    /// From the beginning to the end.
    pub(crate) whole: Duration,
    pub(crate) logs: Vec<Log>,
}

/// This program as a bot of a game, by one of its hidden commands.
fn this_program(command: &str, game: &'static dyn AnyGame) -> Result<BotSpec> {
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let command = format!("{} {command} {}", exe.display(), game.card().id);
    Ok(BotSpec::parse(&command, Path::new("."))?)
}

impl HostedGames {
    /// Games between so many of a game's dummies, and so many actors each.
    pub(crate) fn dummies(
        game: &'static dyn AnyGame,
        players: u16,
        each: u32,
        options: HostedOptions,
    ) -> Result<HostedGames> {
        let dummy = game.card().dummy.context("the game has no dummy")?;
        let setup = (dummy.setup)(players, each).context("there cannot be so many dummies")?;
        let bot = BotSpec { reuse: options.reuse, ..this_program(dummy_bot::COMMAND, game)? };
        HostedGames::new(game, vec![bot; players.into()], setup, options)
    }

    /// Games of one player, of whose dummies so many are born in each of so many turns.
    pub(crate) fn parents(
        game: &'static dyn AnyGame,
        births: u32,
        turns: u32,
        options: HostedOptions,
    ) -> Result<HostedGames> {
        let parent = game.card().dummy.and_then(|dummy| dummy.parent);
        let setup = parent.and_then(|parent| (parent.setup)(births, turns));
        let setup = setup.context("there cannot be so many births")?;
        let bot = this_program(dummy_bot::PARENT, game)?;
        HostedGames::new(game, vec![bot], setup, options)
    }

    /// Games between a game's weakest built-in bots.
    pub(crate) fn built_in(game: &'static dyn AnyGame) -> Result<HostedGames> {
        let card = game.card();
        let weakest = card.bots.first().context("the game has no bots")?;
        let bot = BotSpec::parse(&format!("builtin:{}", weakest.name), Path::new("."))?;
        let nothing = Value::Object(Map::new());
        HostedGames::new(game, vec![bot; card.usual_players.into()], nothing, PLAIN)
    }

    /// Games of so many turns between a bot with an activity and one that works for every move.
    pub(crate) fn busy_bots(
        game: &'static dyn AnyGame,
        activity: BusyWith,
        tier: Tier,
        turns: u32,
    ) -> Result<HostedGames> {
        let dummy = game.card().dummy.context("the game has no dummy")?;
        let setup = (dummy.setup)(2, 1).context("there cannot be so many dummies")?;
        let exe = std::env::current_exe().context("cannot find the file of this program")?;
        let bot = |activity: BusyWith| -> Result<BotSpec> {
            let (exe, word, game) = (exe.display(), activity.word(), game.card().id);
            let command = format!("{exe} {} {word} {game}", busy_bot::COMMAND);
            Ok(BotSpec { reuse: Reuse::Never, ..BotSpec::parse(&command, Path::new("."))? })
        };
        let roster = vec![bot(activity)?, bot(BusyWith::Work)?];
        let recorded = HostedOptions { recording: Recording::On, ..PLAIN };
        let mut playing = HostedGames::new(game, roster, setup, recorded)?;
        playing.run.cage = CageTerms { at_most: tier, ..CageTerms::none() };
        playing.series.adjudication = table::Adjudication::new(Some(turns), None, None)?;
        Ok(playing)
    }

    /// Milliseconds of each move of the second bot in a game.
    pub(crate) fn moves_of_second(&mut self) -> Result<Vec<f64>> {
        let mut moves = Vec::new();
        let mut wrong = None;
        self.series.games = 1;
        self.run.play(self.series.jobs(), None, |finished| {
            match finished.result {
                Ok((report, log)) => {
                    wrong = fit_to_measure(&report).err();
                    let second = log.answers().into_iter().filter(|(who, _)| who.index() == 1);
                    moves.extend(second.map(|(_, wall)| wall.as_secs_f64() * 1000.0));
                }
                Err(error) => wrong = Some(error.into()),
            }
            ControlFlow::Continue(())
        })?;
        match wrong.filter(|_| !host::interrupted()) {
            Some(wrong) => Err(wrong.context(NOT_MEASURED)),
            None => Ok(moves),
        }
    }

    fn new(
        game: &'static dyn AnyGame,
        mut roster: Vec<BotSpec>,
        setup: Value,
        options: HostedOptions,
    ) -> Result<HostedGames> {
        unique_names(&mut roster);
        let Value::Object(config) = setup else { bail!("a set-up is an object") };
        let placement = match game.card().turn_order {
            TurnOrder::Alternating => Placement::Together,
            TurnOrder::Simultaneous => Placement::Auto,
        };
        let exe = std::env::current_exe().context("cannot find the file of this program")?;
        let run = Run {
            concurrency: options.concurrency,
            placement,
            cage: match options.caged {
                CageUse::Yes => CageTerms { at_most: Tier::A, ..CageTerms::none() },
                CageUse::No => CageTerms::none(),
            },
            exe: Some(exe),
            scratch: league::scratch_for(&roster)?,
            pondering: Pondering::Stopped,
            roster,
            live: None,
            people: None,
        };
        let needs = game.needs(&config, run.roster.len() as u16)?;
        league::check_room(&run, needs.most_actors)?;
        let series = Series {
            adjudication: table::Adjudication::NONE,
            game,
            setup: Arc::new(config),
            seeds: SeedSource::Run(1),
            clock: Clock::per_turn(Duration::from_secs(60)),
            games: 1,
            recording: options.recording,
            entrants: league::entrants(&run.roster, run.scratch.as_ref(), options.reuse)?,
            circumstances: String::new(),
        };
        Ok(HostedGames { run, series })
    }

    /// Offers the games that follow to readers.
    pub(crate) fn offer(&mut self, live: Option<Arc<LiveGames>>) {
        self.run.live = live;
    }

    pub(crate) fn play(&mut self, games: u64) -> Result<Taken> {
        self.watched(games, None)
    }

    fn watched(&mut self, games: u64, watcher: Option<Box<dyn Watcher>>) -> Result<Taken> {
        self.series.games = games;
        let began = Instant::now();
        let (mut first, mut last) = (None, began);
        let (mut turns, mut turns_us, mut logs, mut wrong) = (0, 0.0, Vec::new(), None);
        let mut answers = 0;
        self.run.play(self.series.jobs(), watcher, |finished| {
            let (report, log) = match finished.result {
                Ok(played) => played,
                Err(error) => {
                    wrong = Some(error.into());
                    return ControlFlow::Break(());
                }
            };
            wrong = wrong.take().or(fit_to_measure(&report).err());
            last = Instant::now();
            answers += report.players.iter().map(|player| u64::from(player.moves)).sum::<u64>();
            match first {
                None => first = Some(last),
                Some(_) => {
                    turns += u64::from(report.turns);
                    let bots: f64 = report.players.iter().map(|player| player.wall_ms).sum();
                    turns_us += (bots + report.host_delay_ms) * 1e3;
                }
            }
            if self.series.recording == Recording::On {
                logs.push(log);
            }
            ControlFlow::Continue(())
        })?;
        if let Some(wrong) = wrong.filter(|_| !host::interrupted()) {
            return Err(wrong.context(NOT_MEASURED));
        }
        let time = last - first.unwrap_or(began);
        Ok(Taken { games, turns, answers, turns_us, time, whole: began.elapsed(), logs })
    }

    /// Microseconds of the host's processor time for an answer, in a world of so many actors that
    /// is played for so many turns.
    pub(crate) fn world(&mut self, actors: u32) -> Result<f64> {
        let (readings, _) = self.turn_by_turn()?;
        // The first turn pays for the start of the processes.
        let [_, (_, first), others @ ..] = &readings[..] else { bail!(TOO_SHORT) };
        let Some((_, last)) = others.last() else { bail!(TOO_SHORT) };
        let spent = last.saturating_sub(*first).as_secs_f64() * 1e6;
        Ok(spent / others.len() as f64 / f64::from(actors))
    }

    /// Births a second in a world where so many are born in every turn: from the end of the first
    /// turn on, until the last of them have answered.
    pub(crate) fn births(&mut self, a_turn: u32) -> Result<f64> {
        let (readings, answers) = self.turn_by_turn()?;
        let [(first, _), others @ ..] = &readings[..] else { bail!(TOO_SHORT) };
        let Some((last, _)) = others.last() else { bail!(TOO_SHORT) };
        let expected = u64::from(a_turn) * (2 * others.len() as u64 + 1);
        ensure!(answers == expected, "not all were born: {answers} answers, not {expected}");
        Ok(others.len() as f64 * f64::from(a_turn) / (*last - *first).as_secs_f64())
    }

    /// Plays a game. Returns the time after every turn and the host's processor time, and how many
    /// answers were given.
    fn turn_by_turn(&mut self) -> Result<(Vec<(Instant, Duration)>, u64)> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let watcher = Box::new(Meter { seen: seen.clone() });
        let taken = self.watched(1, Some(watcher))?;
        let readings = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((readings, taken.answers))
    }
}

/// Why a game is no measure of anything, if it is none.
fn fit_to_measure(report: &Report) -> Result<()> {
    if report.outcome == Verdict::Void {
        bail!(Disturbed(report.reason.clone()));
    }
    let mut faults = report.players.iter().flat_map(|player| &player.faults);
    match faults.next() {
        Some(fault) => bail!("{}: {}", fault.kind, fault.detail),
        None => Ok(()),
    }
}

/// What every such error begins with.
const NOT_MEASURED: &str = "a game could not be measured";

/// What is said of a world that has no turn to be measured.
const TOO_SHORT: &str = "the world was too short to be measured";

/// Reads the clocks after every turn.
struct Meter {
    seen: Arc<Mutex<Vec<(Instant, Duration)>>>,
}

impl Watcher for Meter {
    fn stepped(&mut self, _: &dyn AnyTable) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push((Instant::now(), cpu()));
    }
}

/// Milliseconds to write a replay of every log.
pub(crate) fn write(logs: &[Log]) -> Result<(Duration, Vec<Vec<u8>>)> {
    let began = Instant::now();
    let files = logs.iter().map(Log::to_file).collect::<Result<Vec<_>, _>>()?;
    Ok((began.elapsed(), files))
}

/// Time to read and verify replays.
pub(crate) fn verify(game: &'static dyn AnyGame, files: &[Vec<u8>]) -> Result<Duration> {
    let began = Instant::now();
    for file in files {
        let record = Record::read(file)?;
        if let Err(mismatch) = game.replay(&record)?.verify() {
            bail!("a replay does not verify: {mismatch}");
        }
    }
    Ok(began.elapsed())
}
