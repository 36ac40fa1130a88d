//! Many matches on all cores.

mod job;

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use game::{SetupError, Tick};
use serde::{Deserialize, Serialize};
use table::live::LiveEnd;
use table::{ActorProcess, AnyTable, Log, Report, TurnOrder, Void};
use thiserror::Error;

use crate::bot::spec::{BotError, BotSpec, Keeps, Program};
use crate::cage::{CagePlan, CageTerms, Extras, Tier};
use crate::live::LiveGames;
use crate::os::placement::{Cores, Layout, Placement, cores, pin_this_thread};
use crate::os::sys::{self, interrupted};
use crate::panics::{Panic, catch};
use crate::process::child::{Child, Spawned, Start};
use crate::process::guard::Guard;
use crate::process::own_folders::OwnFolders;
use crate::process::private_file::PromisedFile;
use crate::process::run_processes::RunProcesses;
use crate::scratch::Scratch;
use crate::worker::current_match::Stalls;
use crate::worker::match_loop::Worker;
use crate::worker::people::People;
use job::Listed;
pub use job::{Finished, Job, JobSource};

/// What is needed to play matches.
pub struct Run {
    /// Every bot that takes part.
    pub roster: Vec<BotSpec>,
    /// How many matches are played at the same time.
    pub concurrency: usize,
    /// Which cores are used for what.
    pub placement: Placement,
    /// The path of this program, which is also its own guard. Without it there is no guard.
    pub exe: Option<PathBuf>,
    /// Whether bots may think while they are not on move.
    pub pondering: Pondering,
    /// Where bots may keep files from game to game; gone after the run.
    pub scratch: Option<Scratch>,
    /// How bots are shut in.
    pub cage: CageTerms,
    /// Where matches are offered to those who want to watch, if they are.
    pub live: Option<Arc<LiveGames>>,
    /// Who shows the game to the people among the bots, if there are any.
    pub people: Option<Arc<dyn People>>,
}

/// Whether bots may think while they are not on move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pondering {
    /// They may. Each should have a core of its own.
    Allowed,
    /// They are stopped when they take the processor from the one that is.
    #[default]
    Stopped,
    /// They are always stopped meanwhile.
    Frozen,
}

/// How often a match is begun anew because the host stalled.
pub const MOST_RESTARTS: u32 = 2;

/// After so many matches in a row that end with a panic no more are played.
const PANICS: u32 = 10;

/// Is told of a match while it is played.
pub trait Watcher: Send {
    /// A match is about to begin.
    fn begins(&mut self, table: &mut dyn AnyTable) {
        let _ = table;
    }
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
    /// A bot asks for what nobody has granted.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// Match after match ended with a panic of the program itself.
    #[error("{count} games in a row could not be played: {OWN_FAULT}: {last}")]
    Panics {
        /// How many there were.
        count: u32,
        /// The last of them.
        last: Panic,
    },
    /// A worker panicked outside of any match.
    #[error("{OWN_FAULT}: {0}")]
    Panic(Panic),
}

/// Whose fault a panic is.
const OWN_FAULT: &str = "a fault of this program, not of a bot";

/// What all workers of a run share.
pub(crate) struct Shared<'r> {
    pub(crate) roster: &'r [BotSpec],
    pub(crate) pondering: Pondering,
    pub(crate) live: Option<Arc<LiveGames>>,
    pub(crate) people: Option<Arc<dyn People>>,
    /// How the programs of each bot of the roster are started.
    plans: Vec<Vec<Arc<CagePlan>>>,
    folders: Arc<OwnFolders>,
    /// The run's own processes.
    pub(crate) processes: Arc<RunProcesses>,
}

impl<'r> Shared<'r> {
    pub(crate) fn new(run: &'r Run) -> Result<Shared<'r>, RunError> {
        let processes = Arc::new(RunProcesses::new());
        let mut plans = Vec::new();
        for (index, bot) in run.roster.iter().enumerate() {
            if let Some(exe) = &run.exe {
                bot.check_access(&run.cage, exe)?;
            }
            let folder = run.scratch.as_ref().and_then(|scratch| scratch.kept_by(index, bot));
            let folder = folder.transpose()?;
            let mut own = Vec::new();
            for program in bot.programs() {
                let exe = run.exe.as_deref();
                let (terms, folder) = (&run.cage, folder.as_deref());
                let plan = CagePlan::new(&processes, index, bot, program, terms, exe, folder);
                own.extend(plan.map_err(|refusal| bot.refused(refusal))?.map(Arc::new));
            }
            plans.push(own);
        }
        let folders =
            OwnFolders::new(run.scratch.as_ref().map(|scratch| scratch.path().to_owned()));
        let folders = Arc::new(folders);
        let (pondering, live, people) = (run.pondering, run.live.clone(), run.people.clone());
        Ok(Shared { roster: &run.roster, pondering, live, people, plans, folders, processes })
    }

    /// How the program that does this part of a bot's work is started. A bot with one program
    /// does every part with it.
    fn plan(&self, bot: usize, part: u16) -> &Arc<CagePlan> {
        let plans = &self.plans[bot];
        plans.get(usize::from(part)).or(plans.first()).expect("built-in bots need no process")
    }

    /// How to start a program of the roster, to be done on any thread.
    pub(crate) fn start(
        &self,
        bot: usize,
        process: &ActorProcess,
    ) -> impl FnOnce() -> io::Result<Spawned> + Send + 'static {
        let (plan, of) = (self.plan(bot, process.program).clone(), self.processes.clone());
        let mark = of.next_mark();
        let (promised, folders) = (process.private_file.clone(), self.folders.clone());
        let keeps = self.roster[bot].keeps;
        move || {
            let mut extras = Extras::default();
            let private_file = match promised {
                Some(promised) => {
                    PromisedFile::promise(promised, plan.walls(), &folders, &mark, &mut extras)?
                }
                None => None,
            };
            let temporary = match keeps {
                // For its temporary files, where it has no /tmp of its own.
                Keeps::Nothing if plan.may_lack_tmp() => {
                    let folder = folders.fresh(&format!("lanista-temporary-{mark}"))?;
                    extras.temporary = Some(folder.path.canonicalize()?);
                    Some(folder)
                }
                Keeps::Nothing | Keeps::Folder => None,
            };
            Child::start(Start { plan: &plan, of, mark, extras, private_file, temporary })
        }
    }
}

impl Run {
    /// How well bots are shut in. Waits until that has been tried out.
    pub fn tier(&self) -> Tier {
        self.exe.as_deref().map_or(Tier::E, |exe| self.cage.tier(exe))
    }

    /// Plays all jobs and calls `each` with every match that is finished, in the order they finish.
    /// If it breaks, no new match is begun. After an interruption no new match is begun, and those
    /// under way come out void.
    pub fn play(
        &self,
        jobs: impl Iterator<Item = Job> + Send,
        watcher: Option<Box<dyn Watcher>>,
        each: impl FnMut(Finished) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        self.play_from(&Listed(Mutex::new(jobs)), watcher, each)
    }

    /// The same with matches that become known while others are played.
    pub fn play_from(
        &self,
        source: &dyn JobSource,
        mut watcher: Option<Box<dyn Watcher>>,
        mut each: impl FnMut(Finished) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        let system = |what| move |error| RunError::System { what, error };
        let shared = Shared::new(self)?;
        sys::keep_descriptors_to_ourselves();
        sys::allow_many_descriptors();
        let has_programs = self.roster.iter().any(|bot| bot.programs().any(Program::is_started));
        let _guard = match &self.exe {
            Some(exe) if has_programs => {
                let scratch = self.scratch.as_ref().map(Scratch::path);
                let groups = self.cage.group_folder();
                let guard = Guard::post(exe, &shared.processes, scratch, groups);
                Some(guard.map_err(system("post a guard"))?)
            }
            Some(_) | None => None,
        };
        let enough = AtomicBool::new(false);
        // Matches in a row that ended with a panic.
        let panics = AtomicU32::new(0);
        let over = || interrupted() || enough.load(Ordering::Relaxed);
        let next = || if over() { None } else { source.next() };
        let at_hand = || if over() { None } else { source.at_hand() };
        // Asked here, where no thread has been bound to one of them yet.
        let all = &from_here(cores());
        let (to_here, here) = sync_channel::<Finished>(256);
        let played = std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for number in 0..self.concurrency.max(1) {
                let (shared, next, at_hand) = (&shared, &next, &at_hand);
                let (enough, panics) = (&enough, &panics);
                let to_here = to_here.clone();
                let mut watcher = watcher.take();
                let core = all[number % all.len()];
                let placement = self.placement;
                let work = move || -> Result<(), RunError> {
                    let mut seated: Option<(Layout, Worker<'_>)> = None;
                    let mut upcoming: Option<Job> = None;
                    while let Some(job) = upcoming.take().filter(|_| !interrupted()).or_else(next) {
                        let layout = match (placement, job.turn_order) {
                            (Placement::Together | Placement::None, _) => Layout::Together,
                            (Placement::Apart, _) => Layout::Apart,
                            (Placement::Auto, TurnOrder::Alternating) => Layout::Together,
                            (Placement::Auto, TurnOrder::Simultaneous) => Layout::Apart,
                        };
                        if placement != Placement::None {
                            pin_this_thread(core);
                        }
                        let mut worker = match seated.take() {
                            Some((same, worker)) if same == layout => worker,
                            _ => {
                                let cores = self.share(number, all, layout, job.bots.len());
                                Worker::new(shared, cores).map_err(system("wait for processes"))?
                            }
                        };
                        if worker.looks_ahead() {
                            upcoming = at_hand();
                        }
                        let then = upcoming.as_ref().map_or(&[][..], |job| &job.bots);
                        let watcher = watcher.as_deref_mut();
                        source.begins();
                        let (mut table, began) = (None, Instant::now());
                        let played =
                            catch(|| play_out(&job, then, &mut worker, &mut table, watcher));
                        source.ends();
                        let (mut result, panic) = match played {
                            Ok(result) => (result, None),
                            Err(panic) => (void(&job, table, began, &panic), Some(panic)),
                        };
                        if let Ok((report, _)) = &mut result {
                            // Known at the latest when the bots have been started.
                            self.tier().name().clone_into(&mut report.tier);
                        }
                        let gone = to_here.send(Finished { index: job.index, result }).is_err();
                        match panic {
                            None => {
                                panics.store(0, Ordering::Relaxed);
                                seated = Some((layout, worker));
                            }
                            Some(last) => {
                                // What it knows of its processes cannot be relied on any more. They
                                // end when it is dropped, idle ones as well.
                                let _ = catch(move || drop(worker));
                                let count = panics.fetch_add(1, Ordering::Relaxed) + 1;
                                if count >= PANICS {
                                    return Err(RunError::Panics { count, last });
                                }
                            }
                        }
                        if gone {
                            break;
                        }
                    }
                    if let Some((_, mut worker)) = seated {
                        worker.end_all();
                    }
                    Ok(())
                };
                let work = move || {
                    let done = catch(work).unwrap_or_else(|panic| Err(RunError::Panic(panic)));
                    if done.is_err() {
                        // Nobody waits for what it was to play.
                        enough.store(true, Ordering::Relaxed);
                        source.give_up();
                    }
                    done
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
                worker.join().expect("panics of workers are caught")?;
            }
            Ok(())
        });
        shared.processes.ended_cages.wait();
        played
    }
}

/// Plays a match, and again if the host stalled meanwhile. Until it is over, `place` holds its
/// table.
fn play_out(
    job: &Job,
    then: &[usize],
    worker: &mut Worker<'_>,
    place: &mut Option<Box<dyn AnyTable>>,
    mut watcher: Option<&mut (dyn Watcher + 'static)>,
) -> Result<(Report, Log), SetupError> {
    let mut restarts = 0;
    loop {
        let table = place.insert((job.table)()?);
        if let Some(watcher) = watcher.as_deref_mut() {
            watcher.begins(&mut **table);
        }
        // A bot must not be able to put off its defeat for ever by holding up the host, and nobody
        // wants to play the same game twice because of it.
        let people = job.bots.iter().any(|bot| worker.shared.roster[*bot].is_person());
        let stalls = match restarts < MOST_RESTARTS && !people {
            true => Stalls::Void,
            false => Stalls::Stand,
        };
        let mut tap = worker.offer(job.index, &**table);
        worker.play(&mut **table, &job.bots, then, stalls, watcher.as_deref_mut(), tap.as_mut());
        let again = matches!(table.void(), Some(Void::HostStalled(_))) && !interrupted();
        if let Some(tap) = tap {
            tap.end(table.log(), if again { LiveEnd::Again } else { LiveEnd::Over });
        }
        if again {
            restarts += 1;
            continue;
        }
        if let Some(Void::Misfit(why)) = table.void() {
            return Err(SetupError::new(why.clone()));
        }
        let mut report = table.report(job.index).expect("a table that is closed has a result");
        report.restarts = restarts;
        let table = place.take().expect("it has just been played at");
        return Ok((report, table.take_log()));
    }
}

/// The report of a match that a panic has ended, with the log as far as it goes.
fn void(
    job: &Job,
    table: Option<Box<dyn AnyTable>>,
    began: Instant,
    panic: &Panic,
) -> Result<(Report, Log), SetupError> {
    let reason = format!("{OWN_FAULT}: {panic}");
    let close = |mut table: Box<dyn AnyTable>| {
        table.abandon(Tick(began.elapsed()), &reason);
        let report = table.report(job.index).expect("a table that was abandoned has a result");
        (report, table.take_log())
    };
    if let Some(table) = table
        && let Ok(closed) = catch(|| close(table))
    {
        return Ok(closed);
    }
    // It cannot even say how it stands: then as if nothing had been played.
    catch(|| (job.table)().map(close)).unwrap_or_else(|_| Err(SetupError::new(reason.clone())))
}

impl Run {
    /// Where the worker of this number and its bots run. Each begins where the one before ends.
    fn share(&self, number: usize, all: &[usize], layout: Layout, bots: usize) -> Cores {
        let core = |index: usize| all[index % all.len()];
        let home = match self.placement {
            Placement::None => all.to_vec(),
            Placement::Auto | Placement::Together | Placement::Apart => vec![core(number)],
        };
        let everything: Vec<usize> = (0..all.len()).map(|index| core(number + index)).collect();
        match layout {
            Layout::Together => {
                let spare = (self.concurrency.max(1)..all.len()).map(core).collect();
                Cores { home, bots: Vec::new(), spare, all: everything }
            }
            Layout::Apart => {
                let bots = (0..all.len()).map(|index| core(number * bots + index)).collect();
                Cores { home, bots, spare: Vec::new(), all: everything }
            }
        }
    }
}

/// The cores in turn, beginning with the one we are on: nobody has to move there, and runs side by
/// side do not all begin with the same one.
fn from_here(mut cores: Vec<usize>) -> Vec<usize> {
    let here = rustix::thread::sched_getcpu();
    let index = cores.iter().position(|core| *core == here);
    cores.rotate_left(index.unwrap_or(0));
    cores
}
