//! What it costs to start the bots of a run and nothing else: the floor for bots that must be
//! started anew for every game.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use table::ActorProcess;

use crate::bot::spec::Program;
use crate::os::placement::{Placement, cores, pin_this_thread};
use crate::os::sys::{self, interrupted};
use crate::panics::catch;
use crate::process::child::{Pipes, Spawned};
use crate::run::{Run, RunError, Shared};

/// A bot that does not leave at the end of its input is not waited for any longer.
const PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

impl Run {
    /// Starts the programs of as many games as stated, as many games at a time as the run has
    /// workers, closes their input and waits until they have left. Nothing is played.
    pub fn start_only(&self, games: u64) -> Result<Duration, RunError> {
        let shared = Shared::new(self)?;
        let all = cores();
        let left = AtomicU64::new(games);
        let began = Instant::now();
        let done = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.concurrency.max(1))
                .map(|number| {
                    let (shared, left) = (&shared, &left);
                    let core = all[number % all.len()];
                    let pinned = self.placement != Placement::None;
                    let work = move || -> io::Result<()> {
                        if pinned {
                            pin_this_thread(core);
                        }
                        let next = |left: u64| left.checked_sub(1);
                        while !interrupted()
                            && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
                        {
                            start_all(shared)?;
                        }
                        Ok(())
                    };
                    scope.spawn(move || catch_io(work))
                })
                .collect();
            for worker in workers {
                let done = worker.join().expect("panics of workers are caught");
                done.map_err(|error| RunError::System { what: "start the bots", error })?;
            }
            Ok(began.elapsed())
        });
        shared.processes.ended_cages.wait();
        done
    }
}

impl Run {
    /// Starts so many processes of the roster's programs, all of which run at the same time, and
    /// ends them. Says how long the one and the other took.
    pub fn crowd(&self, count: usize) -> Result<(Duration, Duration), RunError> {
        let shared = Shared::new(self)?;
        sys::allow_many_descriptors();
        let is_program =
            |index: &usize| matches!(shared.roster[*index].program, Program::Command { .. });
        let programs: Vec<usize> = (0..shared.roster.len()).filter(is_program).collect();
        let began = Instant::now();
        let start = |number: usize| -> io::Result<Vec<Spawned>> {
            let numbers = (number..count).step_by(self.concurrency.max(1));
            let one = |index: usize| {
                shared.start(programs[index % programs.len()], &ActorProcess::default())()
            };
            numbers.map(one).collect()
        };
        let there = std::thread::scope(|scope| {
            let start = &start;
            let workers: Vec<_> = (0..self.concurrency.max(1))
                .map(|number| scope.spawn(move || catch_io(|| start(number))))
                .collect();
            let caught = "panics of workers are caught";
            let there = workers.into_iter().map(|worker| worker.join().expect(caught));
            there.collect::<io::Result<Vec<Vec<Spawned>>>>()
        });
        let there = there.map_err(|error| RunError::System { what: "start the bots", error })?;
        let up = began.elapsed();
        let began = Instant::now();
        std::thread::scope(|scope| {
            for mut processes in there {
                scope.spawn(move || {
                    processes.iter_mut().for_each(|process| process.child.kill());
                    for Spawned { mut child, pipes: _pipes } in processes {
                        let _ = poll(
                            &mut [PollFd::new(&child.pidfd(), PollFlags::IN)],
                            Some(&PATIENCE),
                        );
                        child.exit();
                    }
                });
            }
        });
        // Once for all of them: it looks at every process that is there.
        shared.processes.sweep();
        shared.processes.ended_cages.wait();
        Ok((up, began.elapsed()))
    }
}

/// A panic is one more error.
fn catch_io<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch(work).unwrap_or_else(|panic| Err(io::Error::other(panic)))
}

fn start_all(shared: &Shared<'_>) -> io::Result<()> {
    let mut children = Vec::new();
    for (index, bot) in shared.roster.iter().enumerate() {
        if let Program::Command { .. } = &bot.program {
            let Spawned { child, pipes: Pipes { stdin, stdout, stderr } } =
                shared.start(index, &ActorProcess::default())()?;
            drop(stdin);
            children.push((child, stdout, stderr));
        }
    }
    for (child, ..) in &children {
        poll(&mut [PollFd::new(&child.pidfd(), PollFlags::IN)], Some(&PATIENCE))?;
    }
    Ok(())
}
