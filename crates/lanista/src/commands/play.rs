//! `lanista play`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use game::{Afterwards, FaultKind, Seed, SetupError, Verdict};
use host::{Finished, LivePlace, LiveServer, Run, Watcher};
use league::{Folder, SeedSource, Series};
use serde_json::{Map, Value};
use table::{AnyGame, Contestant, Entrant, Log, Occasion, PlayerReport, Recording, Report, Terms};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::PlayArgs;
use crate::options::people::{self, PlayPeople};
use crate::options::{adjudication, bots, cage, clock, processes, setup};
use crate::output::game_summary::{Sum, one};
use crate::output::{chart, text};
use crate::replay_files;
use crate::terminal::player_view;
use crate::terminal::progress::{Pace, Progress, Wanted};
use crate::terminal::watch::{Follower, Score, WatchScreen};
use crate::terminal::{columns, complain, remark, say, say_json};
use crate::web_page::{EmptyFolder, WebPage, view_of_first_game};

pub(crate) fn play(args: PlayArgs, catalogue: Catalogue) -> Result<Exit> {
    let game = catalogue.find(&args.game)?;
    let card = game.card();
    let config = setup::read(game, &args.setup)?;
    let roster = bots::roster_with_people(&args.bots, &card, &bots::limits(&args.time))?;
    game.check(&config, roster.len() as u16)?;
    people::check(&args, game, &config, &roster)?;
    let names: Vec<String> = roster.iter().map(|bot| bot.name.clone()).collect();
    let eyes = args.eyes.as_deref().map(|wanted| player_view::find(wanted, &names)).transpose()?;
    let eyes = eyes.map(|player| names[player.index()].clone());
    check_chart(&args, game, &config, roster.len())?;
    let clock = clock::clock(&args.time, card.clock)?;
    let players: Vec<&str> = names.iter().map(String::as_str).collect();
    let own_clocks = clock::own_clocks(&args.time, clock, &players)?;
    let adjudication = adjudication::adjudication(&args.adjudicate, game, &config, roster.len())?;
    let seeds = match args.game_seed {
        Some(seed) => SeedSource::Game(seed),
        None => SeedSource::Run(args.seed.unwrap_or_else(host::random_seed)),
    };
    let replays = if args.no_replay { None } else { Some(replay_folder(args.out.as_deref())?) };
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    // Without it the games are played all the same.
    let live = LiveServer::start(&LivePlace::User, "play").ok();
    let cage = cage::terms(&args.cage, &exe, replays.as_ref().map(Folder::path))?;
    let people = PlayPeople::new(&args, &roster, &card, &cage)?;
    let run = Run {
        concurrency: match args.watch || people.is_some() {
            true => 1,
            false => {
                let most = usize::try_from(args.games).unwrap_or(usize::MAX).max(1);
                processes::concurrency_with(args.concurrency, &args.manner, &card, &roster)
                    .min(most)
            }
        },
        placement: processes::placement(&args.manner)?,
        cage,
        exe: Some(exe),
        scratch: league::scratch_for(&roster)?,
        pondering: processes::pondering(&args.manner),
        roster,
        live: live.as_ref().map(|server| server.games().clone()),
        people: people.as_ref().map(PlayPeople::shown_by),
    };
    processes::check_cores(&run.roster, run.pondering, run.concurrency)?;
    bots::build(&run)?;
    league::check_room(&run, game.needs(&config, run.roster.len() as u16)?.most_actors)?;
    let reuse = processes::reuse(&args.manner);
    let entrants = league::entrants(&run.roster, run.scratch.as_ref(), reuse)?;
    let mut entrants = people::with_own_clocks(entrants, &args, clock);
    for (entrant, own) in entrants.iter_mut().zip(own_clocks) {
        entrant.clock = own.or(entrant.clock);
    }
    let series = Series {
        game,
        setup: Arc::new(config),
        seeds,
        clock,
        adjudication,
        games: args.games,
        recording: match replays.is_some() || counts(&args) || args.page.web {
            true => Recording::On,
            false => Recording::Off,
        },
        entrants,
        circumstances: format!("{:?} {:?} {:?}", run.placement, run.pondering, args.cage.tier),
    };
    let empty = match (&replays, args.page.web) {
        (None, true) => Some(EmptyFolder::new()?),
        (Some(_), _) | (None, false) => None,
    };
    let shown = replays.as_ref().map(Folder::path).or(empty.as_ref().map(EmptyFolder::path));
    let seat = people.as_ref().and_then(PlayPeople::view_of_first_seat);
    let view = match (seat, args.games) {
        (Some(seat), _) => seat,
        (None, 1) => view_of_first_game(&series.match_id(0)),
        (None, _) => "#/".to_owned(),
    };
    let page = shown.map(|folder| WebPage::start(&args.page, folder, &view)).transpose()?.flatten();
    host::catch_interrupts();
    if let Some(people) = &people {
        people.tell_seats(&run.roster, page.as_ref(), &series.match_id(0))?;
    }
    let mut show = PlayOutput::new(&args, catalogue, seeds, replays.as_ref(), people);
    let watcher: Option<Box<dyn Watcher>> = match (args.watch, &show.score) {
        (true, _) => {
            let pace = Duration::from_millis(args.pace_ms);
            Some(Box::new(WatchScreen::new(pace, eyes)))
        }
        (false, Some(score)) => Some(Box::new(Follower { score: score.clone(), looked: None })),
        (false, None) => None,
    };
    let played = run.play(series.jobs(), watcher, |finished| show.take(finished));
    // What was played is shown in any case.
    let ending = show.end()?;
    played?;
    if let Some(page) = page {
        page.keep(ending);
    }
    Ok(ending)
}

/// The folder for replays. One that nobody has named may be somebody else's link.
pub(crate) fn replay_folder(named: Option<&Path>) -> Result<Folder> {
    let (path, folder) = match named {
        Some(path) => (path, Folder::make(path)),
        None => {
            let here = Folder::open(Path::new(""));
            (Path::new("replays"), here.and_then(|here| here.make_inside("replays")))
        }
    };
    let folder =
        folder.with_context(|| format!("cannot make the folder {} for replays", path.display()))?;
    // Better now than after the first game.
    let writable = folder.try_to_write();
    writable.with_context(|| format!("cannot write replays to {}", path.display()))?;
    Ok(folder)
}

/// Whether what the game counts is wanted.
fn counts(args: &PlayArgs) -> bool {
    args.csv.is_some() || args.chart || args.bots.len() == 1
}

/// A game that counts nothing, or many games, give no chart: better said before they are played.
fn check_chart(
    args: &PlayArgs,
    game: &dyn AnyGame,
    config: &Map<String, Value>,
    players: usize,
) -> Result<()> {
    if args.csv.is_none() && !args.chart {
        return Ok(());
    }
    if args.games > 1 {
        bail!("--chart and --csv take one game; for others there is lanista replay FILE --csv");
    }
    let entrants =
        (0..players).map(|_| Entrant::new("", Contestant::Program { then: Afterwards::Leave }));
    let terms = Terms {
        id: String::new(),
        seed: Seed(0),
        entrants: entrants.collect(),
        clock: game.card().clock,
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::Off,
    };
    match game.table(config, terms)?.measures().is_empty() {
        true => bail!("{} counts nothing that --chart or --csv could show", args.game),
        false => Ok(()),
    }
}

/// Shows finished games in the order of their numbers.
struct PlayOutput<'a> {
    args: &'a PlayArgs,
    catalogue: Catalogue,
    seeds: SeedSource,
    replays: Option<&'a Folder>,
    /// Those who are told first how a game ended.
    people: Option<PlayPeople>,
    progress: Progress,
    /// The score of a single game while it is played, for its progress.
    score: Option<Arc<Mutex<Score>>>,
    done: Arc<AtomicU64>,
    /// Games that finished before one with a lower number.
    early: BTreeMap<u64, Result<(Report, Log), SetupError>>,
    next: u64,
    sum: Sum,
    /// Where to look for the first fault of the run.
    faulty: Option<String>,
    not_started: Option<String>,
    error: Option<anyhow::Error>,
    /// A game that should have been kept was not.
    failed: bool,
}

impl<'a> PlayOutput<'a> {
    fn new(
        args: &'a PlayArgs,
        catalogue: Catalogue,
        seeds: SeedSource,
        replays: Option<&'a Folder>,
        people: Option<PlayPeople>,
    ) -> PlayOutput<'a> {
        let silent = args.quiet || args.watch || people.is_some();
        let (done, score) = (Arc::<AtomicU64>::default(), Arc::<Mutex<Score>>::default());
        let began = Instant::now();
        let (progress, score) = match args.games {
            1 => {
                let wanted = if silent || args.json { Wanted::No } else { Wanted::OnTerminals };
                let shared = score.clone();
                let line = move |room| {
                    let score = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    vec![score.line(began.elapsed(), room)]
                };
                (Progress::new(wanted, line), (wanted != Wanted::No).then_some(score))
            }
            total => {
                let wanted = if silent { Wanted::No } else { Wanted::Yes };
                let (shared, pace) = (done.clone(), Pace::new(0));
                let line = move |room| vec![pace.line(shared.load(Relaxed), Some(total), "", room)];
                (Progress::new(wanted, line), None)
            }
        };
        PlayOutput {
            args,
            catalogue,
            seeds,
            replays,
            people,
            progress,
            score,
            done,
            early: BTreeMap::new(),
            next: 0,
            sum: Sum::default(),
            faulty: None,
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
        if let Some(people) = &self.people {
            people.tell_end(&report);
        }
        report.run_seed = self.seeds.run_seed();
        if let Some(folder) = self.replays {
            match replay_files::replay(log, folder) {
                Ok(path) => report.replay = Some(path.display().to_string()),
                // The result is not lost with the replay.
                Err(error) => {
                    self.failed = true;
                    self.error.get_or_insert(
                        anyhow!(error).context(format!(
                            "cannot write a replay to {}",
                            folder.path().display()
                        )),
                    );
                }
            }
        }
        let faults = report.players.iter().flat_map(|player| &player.faults);
        let not_started = FaultKind::NotStarted;
        if let Some(fault) = faults.into_iter().find(|fault| fault.kind == not_started) {
            self.not_started.get_or_insert_with(|| fault.detail.clone());
        }
        if let (None, Some(replay)) = (&self.faulty, &report.replay) {
            let fault = |player: &PlayerReport| {
                let fault = player.faults.last()?;
                Some(format!(
                    "`lanista replay {replay} --lines` shows what led to the fault {} of {}, with its standard error",
                    fault.kind, player.name
                ))
            };
            self.faulty = report.players.iter().find_map(fault);
        }
        self.sum.add(&report);
        self.done.fetch_add(1, Relaxed);
        if self.args.json {
            self.progress.aside(|| say_json(&report.named()))?;
        } else if self.args.games == 1 || report.outcome == Verdict::Void {
            self.progress.aside(|| say(&one(&report, self.catalogue)))?;
        }
        if self.args.games == 1 && counts(self.args) {
            self.show_counts(log)?;
        }
        Ok(())
    }

    fn show_counts(&self, log: &Log) -> Result<()> {
        let replay = self.catalogue.replay(&log.clone().into_record())?;
        let names: Vec<String> = replay.header().players.iter().map(|p| p.name.clone()).collect();
        let eyes = self.args.eyes.as_deref();
        let eyes = eyes.map(|wanted| player_view::find(wanted, &names)).transpose()?;
        let (samples, players) = (replay.measures(), chart::players(&*replay, eyes));
        if let Some(path) = &self.args.csv {
            chart::write_csv(path, &samples, &players)?;
        }
        if !self.args.json && !samples.is_empty() {
            say(&chart::chart(&samples, &players))?;
        }
        Ok(())
    }

    fn end(mut self) -> Result<Exit> {
        self.progress.end();
        // After an interruption games may be missing in between; those that are there count.
        for (index, result) in std::mem::take(&mut self.early) {
            self.finish(index + 1, result);
        }
        if let Some(error) = self.error.take_if(|_| !self.failed) {
            return Err(error);
        }
        if !self.args.json && self.args.games > 1 {
            say(&self.sum.table())?;
            if let Some(line) = self.sum.strength() {
                say(&text::wrapped(&line, 2, columns()))?;
            }
            if let Some(folder) = self.replays {
                remark(&format!("replays are in {}", folder.path().display()));
            }
        }
        if let Some(hint) = self.faulty.as_ref().filter(|_| !self.args.json) {
            remark(hint);
        }
        let drawn = self.args.seed.is_none() && !self.args.json && self.sum.games > 0;
        if let (SeedSource::Run(seed), true) = (self.seeds, drawn) {
            remark(&format!("`--seed {seed}` plays the same again"));
        }
        if let Some(error) = self.error {
            complain(&format!("{error:#}"));
            return Ok(Exit::Failed);
        }
        if host::interrupted() {
            let count = self.sum.games;
            let all = text::count(self.args.games, "game");
            remark(&format!("interrupted; {count} of {all} finished"));
            return Ok(Exit::Interrupted);
        }
        if let Some(detail) = self.not_started {
            complain(&detail);
            return Ok(Exit::Usage);
        }
        Ok(if self.sum.void > 0 { Exit::Failed } else { Exit::Done })
    }
}
