//! Many matches on all cores.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

use game::SetupError;
use table::{AnyTable, Log, Report};
use thiserror::Error;

use crate::bot::{BotSpec, Program};
use crate::cage::{self, Plan, Terms};
use crate::guard::Guard;
use crate::placement::{Cores, Placement, cores, pin_this_thread};
use crate::play::Worker;
use crate::sys::{self, interrupted};

/// What is needed to play matches.
pub struct Run {
    /// Every bot that takes part.
    pub roster: Vec<BotSpec>,
    /// How many matches are played at the same time.
    pub concurrency: usize,
    /// Which cores are used for what.
    pub placement: Placement,
    /// This very program, which is also its own guard; without it no guard is posted.
    pub exe: Option<PathBuf>,
    /// Where bots may keep files from game to game; gone after the run.
    pub scratch: Option<Scratch>,
    /// How bots are shut in.
    pub cage: Terms,
}

/// A folder for the files of a run's bots, removed when dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes a folder that nobody else uses.
    pub fn new() -> Result<Scratch, RunError> {
        let path = std::env::temp_dir().join(format!("lanista-{}", run_id()));
        // Other users have no business there. Bots that root starts are other users, however.
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        std::fs::DirBuilder::new()
            .mode(mode)
            .create(&path)
            .map_err(|error| RunError::System { what: "make a folder for the bots", error })?;
        Ok(Scratch(path))
    }

    /// The folder of one bot, made if need be.
    pub fn folder(&self, bot: usize) -> Result<PathBuf, RunError> {
        let path = self.0.join(bot.to_string());
        std::fs::create_dir_all(&path)
            .map_err(|error| RunError::System { what: "make a folder for a bot", error })?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// One match to be played.
pub struct Job {
    /// Its number.
    pub index: u64,
    /// Which bots of the roster play, by seat.
    pub bots: Vec<usize>,
    /// Whether they think one after another; otherwise all at once.
    pub alternating: bool,
    /// Sets the match up.
    pub table: Box<dyn FnOnce() -> Result<Box<dyn AnyTable>, SetupError> + Send>,
}

/// A match that has been played.
pub struct Finished {
    /// Its number.
    pub index: u64,
    /// The result and the log, or why it could not be set up.
    pub result: Result<(Report, Log), SetupError>,
}

/// Somebody who looks on while a match is played.
pub trait Watcher: Send {
    /// The game has moved on.
    fn stepped(&mut self, table: &dyn AnyTable);
}

/// Why matches cannot be played at all.
#[derive(Debug, Error)]
pub enum RunError {
    /// The operating system refused something every match needs.
    #[error("cannot {what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        error: io::Error,
    },
}

/// What all workers of a run share.
pub(crate) struct Shared<'r> {
    pub(crate) roster: &'r [BotSpec],
    /// How each bot of the roster is started.
    pub(crate) plans: Vec<Option<Arc<Plan>>>,
    id: String,
    seats: AtomicU64,
}

impl<'r> Shared<'r> {
    pub(crate) fn new(run: &'r Run) -> Result<Shared<'r>, RunError> {
        let mut plans = Vec::new();
        for (index, bot) in run.roster.iter().enumerate() {
            let folder = match (&bot.program, &run.scratch) {
                (Program::Command { .. }, Some(scratch)) => Some(scratch.folder(index)?),
                (Program::BuiltIn(_), _) | (_, None) => None,
            };
            let plan = Plan::new(index, bot, &run.cage, run.exe.as_deref(), folder.as_deref());
            plans.push(plan.map(Arc::new));
        }
        Ok(Shared { roster: &run.roster, plans, id: run_id(), seats: AtomicU64::new(0) })
    }

    /// How a program of the roster is started.
    pub(crate) fn plan(&self, bot: usize) -> &Arc<Plan> {
        self.plans[bot].as_ref().expect("built-in bots need no process")
    }

    /// A mark for a new process, different from all others on this machine.
    pub(crate) fn next_mark(&self) -> String {
        format!("{}-{}", self.id, self.seats.fetch_add(1, Ordering::Relaxed))
    }
}

impl Run {
    /// Plays all jobs and calls `each` with every match that is finished, in the order they
    /// finish. If it breaks, no new match is begun. After an interruption no new match is begun, and those under way come out void.
    pub fn play(
        &self,
        jobs: impl Iterator<Item = Job> + Send,
        mut watcher: Option<Box<dyn Watcher>>,
        mut each: impl FnMut(Finished) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        let system = |what| move |error| RunError::System { what, error };
        let shared = Shared::new(self)?;
        sys::keep_descriptors_to_ourselves();
        sys::allow_many_descriptors();
        let _guard = match &self.exe {
            Some(exe) => {
                let scratch = self.scratch.as_ref().map(|scratch| &*scratch.0);
                let groups = self.cage.group_folders();
                let guard = Guard::post(exe, &shared.id, scratch, &groups);
                Some(guard.map_err(system("post a guard"))?)
            }
            None => None,
        };
        let enough = AtomicBool::new(false);
        let jobs = Mutex::new(jobs);
        let next = || {
            let mut jobs = jobs.lock().expect("a worker that panics ends the program");
            if interrupted() || enough.load(Ordering::Relaxed) { None } else { jobs.next() }
        };
        // Asked here, where no thread has been bound to one of them yet.
        let all = &cores();
        let (to_here, here) = sync_channel::<Finished>(256);
        let played = std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for number in 0..self.concurrency.max(1) {
                let (shared, next, to_here) = (&shared, &next, to_here.clone());
                let mut watcher = watcher.take();
                // Runs side by side do not all begin with the same core.
                let first = std::process::id() as usize + number;
                let core = all[first % all.len()];
                let placement = self.placement;
                let work = move || -> Result<(), RunError> {
                    let mut seated: Option<(bool, Worker<'_>)> = None;
                    let mut upcoming: Option<Job> = None;
                    while let Some(job) = upcoming.take().filter(|_| !interrupted()).or_else(&next)
                    {
                        let together = match placement {
                            Placement::Together => true,
                            Placement::Apart => false,
                            Placement::Auto => job.alternating,
                            Placement::None => true,
                        };
                        if placement != Placement::None {
                            pin_this_thread(core);
                        }
                        let mut worker = match seated.take() {
                            Some((same, worker)) if same == together => worker,
                            _ => {
                                let cores = self.share(number, all, together, job.bots.len());
                                Worker::new(shared, cores).map_err(system("wait for processes"))?
                            }
                        };
                        if worker.looks_ahead() {
                            upcoming = next();
                        }
                        let then = upcoming.as_ref().map_or(&[][..], |job| &job.bots);
                        let result = (job.table)().map(|mut table| {
                            worker.play(&mut *table, &job.bots, then, watcher.as_deref_mut());
                            let mut report = table
                                .report(job.index)
                                .expect("a table that is closed has a result");
                            self.cage.tier.name().clone_into(&mut report.tier);
                            (report, table.take_log())
                        });
                        seated = Some((together, worker));
                        if to_here.send(Finished { index: job.index, result }).is_err() {
                            break;
                        }
                    }
                    if let Some((_, mut worker)) = seated {
                        worker.disperse();
                    }
                    Ok(())
                };
                let thread = std::thread::Builder::new().name("worker".to_owned());
                workers.push(thread.spawn_scoped(scope, work).map_err(system("start a worker"))?);
            }
            drop(to_here);
            for finished in here {
                if each(finished).is_break() {
                    enough.store(true, Ordering::Relaxed);
                }
            }
            for worker in workers {
                worker.join().expect("a worker does not panic")?;
            }
            Ok(())
        });
        cage::close();
        played
    }
}

impl Run {
    /// Where the worker of this number and its bots run. Each begins where the one before ends.
    fn share(&self, number: usize, all: &[usize], together: bool, bots: usize) -> Cores {
        // Runs side by side do not all begin with the same core.
        let first = std::process::id() as usize;
        let core = |index: usize| all[(first + index) % all.len()];
        let home = match self.placement {
            Placement::None => all.to_vec(),
            Placement::Auto | Placement::Together | Placement::Apart => vec![core(number)],
        };
        let everything: Vec<usize> = (0..all.len()).map(|index| core(number + index)).collect();
        match together {
            true => {
                let spare = (self.concurrency.max(1)..all.len()).map(core).collect();
                Cores { home, bots: Vec::new(), spare, all: everything }
            }
            false => {
                let bots = (0..all.len()).map(|index| core(number * bots + index)).collect();
                Cores { home, bots, spare: Vec::new(), all: everything }
            }
        }
    }
}

/// A name for this run that no other run on this machine has.
fn run_id() -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    format!("{:x}.{:x}", std::process::id(), now)
}
