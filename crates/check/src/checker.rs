//! Tries one promise after another with real processes.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::{Clock, Seed, SetupError};
use host::{BotSpec, Finished, Job, Program, Reuse, Run, RunError};
use serde_json::{Map, Value};
use table::check::{Check, CheckLevel, CheckMethod, CheckedMatch, JudgedBy, Otherwise, Script};
use table::{
    AnyGame, AskedAdjudication, Entrant, LineEnd, Occasion, Record, Recording, Report, Terms,
    TurnOrder,
};
use thiserror::Error;

use crate::load::Load;
use crate::match_trial::{self, MatchAllowance};
use crate::script_table::ScriptTable;
use crate::trial::{FindingAbout, Harm, Trial};

/// A promise that is not kept is tried so often, to see whether it is never kept, unless that takes
/// longer than this: whoever waits for a bot that says nothing has seen enough.
const RUNS: usize = 3;
const LONG: Duration = Duration::from_secs(10);

/// In a match of a check, an answer may be so much too late, and processes may take so many times
/// longer to start: how late they were is judged afterwards, when it is known whether the machine was
/// busy.
const MARGIN: Duration = Duration::from_secs(3);
const LONGER_STARTS: u32 = 2;

/// After so many answers in a row that had to be replaced, a match has shown enough. The time of a
/// bot that never answers passes every turn.
const GIVE_UP: u32 = 2;

/// How a promise was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    /// It was.
    Pass,
    /// Something is worth knowing.
    Note,
    /// It could not be tried.
    Skip,
    /// Something is not right, but matches are not lost by it.
    Warn,
    /// It was not.
    Fail,
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// How the promise was kept.
    pub status: CheckStatus,
    /// The first trial that was not as promised, or the only one.
    pub trial: Trial,
    /// How often it was tried.
    pub runs: usize,
    /// How often it failed.
    pub failed: usize,
    /// How long all that took.
    pub time: Duration,
}

/// Why a bot cannot be checked.
#[derive(Debug, Error)]
pub enum CheckError {
    /// No process could be started.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A match cannot be set up: the bot's options do not fit, say.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Plays games and returns what came of each, in order.
pub type PlayJobs = Box<dyn Fn(&Run, Vec<Job>) -> Result<Vec<(Report, Record)>, CheckError>>;

/// Tries the promises of a game with one bot.
pub struct Checker {
    game: &'static dyn AnyGame,
    /// The bot comes first, then the built-in bots of the game.
    run: Run,
    play_jobs: PlayJobs,
    line_end: Option<LineEnd>,
    /// What was found out about the set-up that the bot needs.
    setup: Map<String, Value>,
    /// Why nothing more is tried, if so.
    hopeless: Option<String>,
}

impl CheckStatus {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            CheckStatus::Pass => "pass",
            CheckStatus::Note => "note",
            CheckStatus::Skip => "skip",
            CheckStatus::Warn => "warn",
            CheckStatus::Fail => "fail",
        }
    }

    fn of(level: CheckLevel, trial: &Trial) -> CheckStatus {
        let harm = trial.findings.iter().map(|finding| finding.harm).max();
        match (harm, level, &trial.skipped) {
            (None, _, Some(_)) => CheckStatus::Skip,
            (None, _, None) => CheckStatus::Pass,
            (Some(_), CheckLevel::May, _) => CheckStatus::Note,
            (Some(_), CheckLevel::Should, _) => CheckStatus::Warn,
            (Some(Harm::Broken), CheckLevel::Must, _) => CheckStatus::Fail,
            (Some(Harm::Harmless | Harm::Slow), CheckLevel::Must, _) => CheckStatus::Warn,
        }
    }
}

impl CheckResult {
    /// Whether it was not the same every time.
    pub fn is_flaky(&self) -> bool {
        self.failed > 0 && self.failed < self.runs
    }

    fn skipped(why: String) -> CheckResult {
        let trial = Trial { skipped: Some(why), ..Trial::default() };
        let (status, time) = (CheckStatus::Skip, Duration::ZERO);
        CheckResult { status, trial, runs: 0, failed: 0, time }
    }
}

/// The bot that is checked and those it plays against, in the order of a run's roster.
pub fn roster(game: &dyn AnyGame, bot: BotSpec) -> Vec<BotSpec> {
    let built_in = |name: &str| {
        let here = std::path::Path::new(".");
        BotSpec::parse(&format!("builtin:{name}"), here).expect("a built-in bot needs no file")
    };
    let others = game.card().bots.iter().map(|bot| built_in(bot.name));
    let mut roster: Vec<BotSpec> = std::iter::once(bot).chain(others).collect();
    host::unique_names(&mut roster);
    roster
}

impl Checker {
    /// A checker for the first bot of a run whose roster is [`roster`]. Only one match is played at
    /// a time.
    pub fn new(game: &'static dyn AnyGame, run: Run) -> Checker {
        Checker::with_host(game, run, Box::new(on_processes))
    }

    /// The same with games that somebody else plays: a simulation, say.
    pub fn with_host(game: &'static dyn AnyGame, mut run: Run, play_jobs: PlayJobs) -> Checker {
        run.concurrency = 1;
        let line_end = run.roster[0].line_end;
        Checker { game, run, play_jobs, line_end, setup: Map::new(), hopeless: None }
    }

    /// Tries a promise; if it is not kept, three times.
    pub fn check(&mut self, check: &Check) -> Result<CheckResult, CheckError> {
        if let Some(why) = &self.hopeless {
            return Ok(CheckResult::skipped(why.clone()));
        }
        let began = Instant::now();
        let first = self.trial(check)?;
        let status = CheckStatus::of(check.level, &first);
        let mut result =
            CheckResult { status, trial: first, runs: 1, failed: 0, time: Duration::ZERO };
        if status == CheckStatus::Fail {
            result.failed = 1;
            while result.runs < RUNS && began.elapsed() < LONG {
                let again = self.trial(check)?;
                result.runs += 1;
                let failed = CheckStatus::of(check.level, &again) == CheckStatus::Fail;
                result.failed += usize::from(failed);
            }
            // A machine that was busy once is no reason to fail.
            let only_late = result.trial.findings.iter().all(|it| it.about == FindingAbout::Time);
            if result.is_flaky() && only_late {
                result.status = CheckStatus::Warn;
            }
        }
        if matches!(result.status, CheckStatus::Fail | CheckStatus::Warn) {
            match check.otherwise {
                Otherwise::GoOn => {}
                Otherwise::UseLf if self.run.roster[0].line_end.is_none() => {
                    self.line_end = Some(LineEnd::Lf);
                }
                Otherwise::UseLf => {}
                Otherwise::Set(key, value) => {
                    self.setup.insert(key.to_owned(), value.into());
                }
                Otherwise::SkipOthers if result.status == CheckStatus::Fail => {
                    self.hopeless = Some(format!("{} has failed", check.name));
                }
                Otherwise::SkipOthers => {}
            }
        }
        result.time = began.elapsed();
        Ok(result)
    }

    fn trial(&mut self, check: &Check) -> Result<Trial, CheckError> {
        // Nothing is left of one trial for the next.
        self.run.scratch = league::scratch_for(&self.run.roster)?;
        match &check.method {
            CheckMethod::Script(script) => self.speak(script()),
            CheckMethod::ScriptFor(script) => self.speak(script(&self.setup)),
            CheckMethod::Match(plan) => self.play(plan),
        }
    }

    fn speak(&self, script: Script) -> Result<Trial, CheckError> {
        let line_end = self.line_end.unwrap_or(script.line_end);
        let load = Load::now();
        let clock = Clock { start: self.start(), ..self.game.card().clock };
        let name = self.run.roster[0].name.clone();
        let (script, result) = (Arc::new(script), Arc::new(Mutex::new(None)));
        let put = result.clone();
        let table = move || {
            let (script, put) = (script.clone(), put.clone());
            let table = ScriptTable::new(&name, script, line_end, clock, load, put);
            Ok(Box::new(table) as Box<dyn table::AnyTable>)
        };
        let job = Job {
            index: 0,
            bots: vec![0],
            turn_order: TurnOrder::Alternating,
            table: Box::new(table),
        };
        for (report, _) in (self.play_jobs)(&self.run, vec![job])? {
            if report.outcome == game::Verdict::Void {
                let skipped = Some(format!("it was void: {}", report.reason));
                return Ok(Trial { skipped, ..Trial::default() });
            }
        }
        let trial = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(trial.unwrap_or_default())
    }

    fn play(&self, plan: &CheckedMatch) -> Result<Trial, CheckError> {
        let mut setup: Map<String, Value> =
            serde_json::from_str(&plan.setup).expect("the set-up of a check is a JSON object");
        for (key, value) in &self.setup {
            setup.entry(key).or_insert_with(|| value.clone());
        }
        let setup = Arc::new(setup);
        let keep = if plan.judged == JudgedBy::Repetition { Reuse::Never } else { Reuse::Auto };
        let games = if plan.judged == JudgedBy::Repetition { 2 } else { plan.games };
        let load = Load::now();
        let start = self.start();
        let mut entrants = league::entrants(&self.run.roster, self.run.scratch.as_ref(), keep)?;
        entrants[0].start = Some(load.stretch(start) * LONGER_STARTS);
        let opponent = self.run.roster.iter().position(|bot| match &bot.program {
            Program::BuiltIn(name) => *name == plan.opponent,
            Program::Person | Program::Command { .. } => false,
        });
        let opponent = opponent.expect("a check plays against a bot of its game");
        let bots: Vec<usize> =
            (0..plan.players).map(|seat| if seat == plan.seat { 0 } else { opponent }).collect();
        let named = |(seat, &bot): (usize, &usize)| {
            let entrant = entrants[bot].clone();
            match bot {
                0 => entrant,
                _ => Entrant { name: format!("{} {}", entrant.name, seat + 1), ..entrant },
            }
        };
        let card = self.game.card();
        let terms = Terms {
            id: String::new(),
            seed: Seed(plan.seed),
            entrants: bots.iter().enumerate().map(named).collect(),
            clock: Clock {
                turn: Some(Duration::from_millis(plan.turn_ms)),
                bank: None,
                margin: load.stretch(MARGIN),
                ..card.clock
            },
            adjudication: AskedAdjudication { max_faults: Some(GIVE_UP), ..Default::default() }
                .settle(card.max_faults)?,
            occasion: Occasion::SingleMatch,
            recording: Recording::On,
        };
        let terms = terms.identified(card.id, &setup, "check");
        let job = |index: u8| {
            league::job(index.into(), bots.clone(), self.game, setup.clone(), terms.clone())
        };
        let played = (self.play_jobs)(&self.run, (0..games).map(job).collect())?;
        let turn = Duration::from_millis(plan.turn_ms);
        let allowed = MatchAllowance { turn, start, load: load.max(Load::now()) };
        Ok(match_trial::judge(plan, &played, &allowed))
    }

    /// How long the bot may take to start in a match.
    fn start(&self) -> Duration {
        let usual = self.game.card().clock.start;
        self.run.roster[0].limits.start_ms.map_or(usual, Duration::from_millis)
    }
}

/// Plays games with the processes of a run.
fn on_processes(run: &Run, jobs: Vec<Job>) -> Result<Vec<(Report, Record)>, CheckError> {
    let mut played = Vec::new();
    run.play(jobs.into_iter(), None, |finished: Finished| {
        played.push(finished.result);
        ControlFlow::Continue(())
    })?;
    if host::interrupted() {
        return Err(CheckError::Interrupted);
    }
    let mut games = Vec::new();
    for result in played {
        let (report, log) = result?;
        games.push((report, log.into_record()));
    }
    Ok(games)
}
