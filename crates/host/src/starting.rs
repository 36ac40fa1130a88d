//! What it costs to start the bots of a run and nothing else: the floor for bots that must be
//! started anew for every game.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::bot::Program;
use crate::placement::{Placement, cores, pin_this_thread};
use crate::run::{Run, RunError, Shared};
use crate::sys::interrupted;

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
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.concurrency.max(1))
                .map(|number| {
                    let (shared, left) = (&shared, &left);
                    let core = all[number % all.len()];
                    let pinned = self.placement != Placement::None;
                    scope.spawn(move || -> io::Result<()> {
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
                    })
                })
                .collect();
            for worker in workers {
                let done = worker.join().expect("a worker does not panic");
                done.map_err(|error| RunError::System { what: "start the bots", error })?;
            }
            Ok(began.elapsed())
        })
    }
}

fn start_all(shared: &Shared<'_>) -> io::Result<()> {
    let mut children = Vec::new();
    for (index, bot) in shared.roster.iter().enumerate() {
        if let Program::Command { .. } = &bot.program {
            let mut child = shared.start(index, 0, None)()?;
            child.stdin = None;
            children.push(child);
        }
    }
    for child in &children {
        poll(&mut [PollFd::new(&child.pidfd(), PollFlags::IN)], Some(&PATIENCE))?;
    }
    Ok(())
}
