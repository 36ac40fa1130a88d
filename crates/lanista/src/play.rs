//! `lanista play`.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _, stdout};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use game::{Clock, Digest, FaultKind, Note, Seed, SetupError, Topic, Verdict};
use host::{BotSpec, Finished, Job, Program, Reuse, Run, Scratch, Watcher, unique_names};
use serde_json::{Map, Value};
use table::{AnyGame, AnyTable, Card, Contestant, Entrant, Ink, Log, Report, Terms};

use crate::cli::{Placement, Play};
use crate::progress::Progress;
use crate::results::{Sum, one};
use crate::terminal::{complain, ink, remark, say};
use crate::{Ending, setup};

pub(crate) fn play(args: Play) -> Result<Ending> {
    let game = setup::find_game(&args.game)?;
    let card = game.card();
    let config = setup::read(game, args.config.as_deref(), &args.set)?;
    let roster = roster(&args, &card)?;
    game.check(&config, roster.len() as u16)?;
    let clock = clock(&args, card.clock);
    let seed = args.seed.unwrap_or_else(random_seed);
    let replays = (!args.no_replay).then_some(&args.out);
    if let Some(folder) = replays {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {} for replays", folder.display()))?;
        // Better now than after the first game.
        let probe = folder.join(format!(".{}.lrz.tmp", std::process::id()));
        std::fs::write(&probe, b"")
            .and_then(|()| std::fs::remove_file(&probe))
            .with_context(|| format!("cannot write replays to {}", folder.display()))?;
    }
    let run = Run {
        concurrency: concurrency(&args, &card, &roster),
        placement: match args.placement {
            Placement::Auto => host::Placement::Auto,
            Placement::Together => host::Placement::Together,
            Placement::Apart => host::Placement::Apart,
            Placement::None => host::Placement::None,
        },
        exe: Some(std::env::current_exe().context("cannot find this very program")?),
        scratch: match roster.iter().any(|bot| matches!(bot.program, Program::Command { .. })) {
            true => Some(Scratch::new()?),
            false => None,
        },
        roster,
    };
    let plan = Plan {
        game,
        config: Arc::new(config),
        seed,
        clock,
        games: args.games,
        record: replays.is_some(),
        entrants: entrants(&run, args.fresh)?,
    };
    host::catch_interrupts();
    let watcher = args.watch.then(|| {
        let pace = Duration::from_millis(args.pace_ms);
        Box::new(Screen::new(pace)) as Box<dyn Watcher>
    });
    let mut show = Show::new(&args, replays.map(PathBuf::as_path));
    run.play(plan.jobs(), watcher, |finished| show.take(finished))?;
    show.end()
}

/// The bots, checked against the game.
fn roster(args: &Play, card: &Card) -> Result<Vec<BotSpec>> {
    let mut roster = Vec::new();
    for text in &args.bots {
        let bot = BotSpec::parse(text, Path::new("."))?;
        if let Program::BuiltIn(name) = &bot.program
            && card.bots.iter().all(|bot| bot.name != name)
        {
            let names: Vec<&str> = card.bots.iter().map(|bot| bot.name).collect();
            bail!("{} has no built-in bot \"{name}\"; it has {}", card.id, names.join(", "));
        }
        if let Some(game) = &bot.game
            && game != card.id
        {
            bail!("{} is a bot for {game}, not for {}", bot.name, card.id);
        }
        roster.push(bot);
    }
    let (least, most) = card.players;
    let count = roster.len();
    if !(usize::from(least)..=usize::from(most)).contains(&count) {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        bail!("{} is for {wanted} players; {count} bots were given", card.id);
    }
    unique_names(&mut roster);
    Ok(roster)
}

fn clock(args: &Play, usual: Clock) -> Clock {
    let ms = Duration::from_millis;
    Clock {
        turn: match args.timeout_ms {
            None => usual.turn,
            Some(0) => None,
            Some(limit) => Some(ms(limit)),
        },
        bank: args.match_ms.map(ms).or(usual.bank),
        start: args.start_ms.map_or(usual.start, ms),
        margin: args.margin_ms.map_or(usual.margin, ms),
    }
}

/// As many games at a time as there are cores for.
fn concurrency(args: &Play, card: &Card, roster: &[BotSpec]) -> usize {
    if args.watch {
        return 1;
    }
    if let Some(given) = args.concurrency {
        let cores = host::cores().len();
        if usize::from(given) > cores {
            remark(&format!(
                "{given} games at a time on {cores} cores: bots will wait for each other, and \
                 tight clocks may run out"
            ));
        }
        return usize::from(given);
    }
    let wanted = |bot: &BotSpec| match bot.program {
        Program::BuiltIn(_) => 1,
        Program::Command { .. } => bot.limits.cores as usize,
    };
    let needed: usize = match card.alternating {
        true => roster.iter().map(wanted).max().unwrap_or(1),
        false => roster.iter().map(wanted).sum(),
    };
    (host::cores().len() / needed.max(1)).max(1)
}

fn entrants(run: &Run, fresh: bool) -> Result<Vec<Entrant>> {
    let entrant = |(index, bot): (usize, &BotSpec)| -> Result<Entrant> {
        let (contestant, folder) = match (&bot.program, &run.scratch) {
            (Program::BuiltIn(name), _) => (Contestant::BuiltIn(name.clone()), None),
            (Program::Command { .. }, scratch) => {
                let keep = !fresh && bot.reuse == Reuse::Auto;
                let folder = scratch.as_ref().map(|scratch| scratch.folder(index)).transpose()?;
                (Contestant::Program { keep }, folder)
            }
        };
        Ok(Entrant {
            name: bot.name.clone(),
            bot: bot.shown(),
            contestant,
            memory: bot.limits.memory_mb << 20,
            folder: folder.map(|folder| folder.display().to_string()),
            options: bot.options.clone(),
        })
    };
    run.roster.iter().enumerate().map(entrant).collect()
}

fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    // Short enough to be typed again.
    std::collections::hash_map::RandomState::new().build_hasher().finish() % 1_000_000
}

/// What is to be played.
struct Plan {
    game: &'static dyn AnyGame,
    config: Arc<Map<String, Value>>,
    seed: u64,
    clock: Clock,
    games: u64,
    record: bool,
    entrants: Vec<Entrant>,
}

impl Plan {
    fn jobs(&self) -> impl Iterator<Item = Job> + Send {
        (0..self.games).map(|index| self.job(index))
    }

    /// Seats rotate from game to game; all rotations of a round have the same seed.
    fn job(&self, index: u64) -> Job {
        let players = self.entrants.len();
        let rotation = (index % players as u64) as usize;
        let bots: Vec<usize> = (0..players).map(|seat| (seat + rotation) % players).collect();
        let seed = Seed(self.seed.wrapping_add(index / players as u64));
        let entrants: Vec<Entrant> = bots.iter().map(|&bot| self.entrants[bot].clone()).collect();
        let terms = Terms {
            id: self.id(index, seed, &entrants),
            seed,
            entrants,
            clock: self.clock,
            tournament: false,
            record: self.record,
        };
        let (game, config) = (self.game, self.config.clone());
        let alternating = game.card().alternating;
        Job { index, bots, alternating, table: Box::new(move || game.table(&config, terms)) }
    }

    /// The same match has the same id whenever it is played.
    fn id(&self, index: u64, seed: Seed, entrants: &[Entrant]) -> String {
        let mut digest = Digest::new(self.game.card().id);
        digest.word(index).word(seed.0);
        for (key, value) in self.config.iter() {
            digest.bytes(key.as_bytes()).bytes(value.to_string().as_bytes());
        }
        for entrant in entrants {
            digest.bytes(entrant.name.as_bytes()).bytes(entrant.bot.as_bytes());
        }
        format!("{:016x}", digest.finish())
    }
}

/// Shows finished games in the order of their numbers.
struct Show<'a> {
    args: &'a Play,
    replays: Option<&'a Path>,
    progress: Progress,
    /// Games that finished before one with a lower number.
    early: BTreeMap<u64, Result<(Report, Log), SetupError>>,
    next: u64,
    sum: Sum,
    not_started: Option<String>,
    error: Option<anyhow::Error>,
    /// A game that should have been kept was not.
    failed: bool,
}

impl<'a> Show<'a> {
    fn new(args: &'a Play, replays: Option<&'a Path>) -> Show<'a> {
        Show {
            args,
            replays,
            progress: Progress::new(args.games, args.quiet || args.watch),
            early: BTreeMap::new(),
            next: 0,
            sum: Sum::default(),
            not_started: None,
            error: None,
            failed: false,
        }
    }

    /// Takes a finished game; breaks when there is no use in playing on.
    fn take(&mut self, finished: Finished) -> ControlFlow<()> {
        self.early.insert(finished.index, finished.result);
        while let Some(result) = self.early.remove(&self.next) {
            self.next += 1;
            self.finish(self.next, result);
        }
        match self.error {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    fn finish(&mut self, number: u64, result: Result<(Report, Log), SetupError>) {
        let shown = match result {
            Ok((report, log)) => self.show(report, &log),
            Err(error) => Err(anyhow!("game {number}: {error}")),
        };
        if let Err(error) = shown {
            self.error.get_or_insert(error);
        }
    }

    fn show(&mut self, mut report: Report, log: &Log) -> Result<()> {
        if let Some(folder) = self.replays {
            let path = folder.join(format!("{}.lrz", report.id));
            match write_replay(log, &path) {
                Ok(()) => report.replay = Some(path.display().to_string()),
                // The result is not lost with the replay.
                Err(error) => {
                    self.failed = true;
                    self.error.get_or_insert(
                        anyhow!(error)
                            .context(format!("cannot write the replay {}", path.display())),
                    );
                }
            }
        }
        let faults = report.players.iter().flat_map(|player| &player.faults);
        let not_started = FaultKind::NotStarted.name();
        if let Some(fault) = faults.into_iter().find(|fault| fault.kind == not_started) {
            self.not_started.get_or_insert_with(|| fault.detail.clone());
        }
        self.sum.add(&report);
        self.progress.step();
        if self.args.json {
            say(&serde_json::to_string(&report)?)?;
        } else if self.args.games == 1 || report.outcome == Verdict::Void {
            self.progress.clear();
            say(&one(&report))?;
        }
        Ok(())
    }

    fn end(mut self) -> Result<Ending> {
        self.progress.clear();
        // After an interruption games may be missing in between; those that are there count.
        for (index, result) in std::mem::take(&mut self.early) {
            self.finish(index + 1, result);
        }
        if let Some(error) = self.error.take_if(|_| !self.failed) {
            return Err(error);
        }
        if !self.args.json && self.args.games > 1 {
            say(&self.sum.table())?;
            if let Some(folder) = self.replays {
                remark(&format!("replays are in {}", folder.display()));
            }
        }
        if let Some(error) = self.error {
            complain(&format!("{error:#}"));
            return Ok(Ending::Failed);
        }
        if host::interrupted() {
            let count = self.sum.games;
            remark(&format!("interrupted; {count} of {} games are finished", self.args.games));
            return Ok(Ending::Interrupted);
        }
        if let Some(detail) = self.not_started {
            complain(&detail);
            return Ok(Ending::Usage);
        }
        Ok(if self.sum.void > 0 { Ending::Failed } else { Ending::Done })
    }
}

/// Writes a replay whole or not at all.
fn write_replay(log: &Log, path: &Path) -> std::io::Result<()> {
    let unfinished = path.with_extension("lrz.tmp");
    let written = std::fs::write(&unfinished, log.to_file()?)
        .and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

/// Draws the game on the terminal while it is played.
struct Screen {
    pace: Duration,
    ink: Ink,
    live: bool,
    shown: Option<Instant>,
}

impl Screen {
    fn new(pace: Duration) -> Screen {
        Screen { pace, ink: ink(), live: stdout().is_terminal(), shown: None }
    }
}

/// The last thing that each bot said for people to read, a line each. Bots that have said
/// nothing yet have an empty line once anybody has, so that pictures do not jump.
fn talk(table: &dyn AnyTable) -> String {
    const WIDEST: usize = 100;
    let for_people = |note: &&Note| match note.topic {
        Topic::Info | Topic::Message | Topic::Debug => true,
        Topic::About | Topic::Remark => false,
    };
    let said: Vec<Option<Note>> =
        table.notes().iter().map(|n| n.iter().rev().find(for_people).cloned()).collect();
    if said.iter().all(Option::is_none) {
        return String::new();
    }
    let lines = table.names().into_iter().zip(said).map(|(name, note)| match note {
        Some(note) => format!("{name}: {}", note.text).chars().take(WIDEST).chain(['\n']).collect(),
        None => "\n".to_owned(),
    });
    lines.collect::<Vec<String>>().concat()
}

impl Watcher for Screen {
    fn stepped(&mut self, table: &dyn AnyTable) {
        if let (true, Some(shown)) = (self.live, self.shown) {
            // People need a moment to see a picture.
            std::thread::sleep(self.pace.saturating_sub(shown.elapsed()));
        }
        let picture = table.draw(self.ink) + &talk(table);
        let mut out = stdout().lock();
        // On a terminal every picture replaces the one before.
        let _ = match self.live {
            true => {
                let lines = picture.replace('\n', "\x1b[K\n");
                write!(
                    out,
                    "\x1b[H{}{lines}\x1b[J",
                    if self.shown.is_none() { "\x1b[2J" } else { "" }
                )
            }
            false => writeln!(out, "{picture}"),
        };
        let _ = out.flush();
        self.shown = Some(Instant::now());
    }
}
