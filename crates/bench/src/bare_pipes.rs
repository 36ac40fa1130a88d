//! The least that talking to processes can cost: bare pipes, nothing else.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use table::Dummy;

use crate::dummy_bot;

/// A game's dummies as processes.
pub(crate) struct Dummies {
    game: &'static str,
    dummy: Dummy,
}

impl Dummies {
    pub(crate) fn new(game: &'static str, dummy: Dummy) -> Dummies {
        Dummies { game, dummy }
    }

    fn start(&self) -> Result<Child> {
        self.start_as(dummy_bot::COMMAND)
    }

    fn start_as(&self, command: &str) -> Result<Child> {
        let exe = std::env::current_exe().context("cannot find the file of this program")?;
        let mut child = Command::new(exe)
            .args([command, self.game])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start a dummy")?;
        if !self.dummy.greeting.is_empty() {
            exchange(&mut child, self.dummy.greeting)?;
        }
        Ok(child)
    }

    /// Microseconds for a question and its answer, with nothing in between but two pipes, on one
    /// core. As in a match, several processes may be asked in turn: each finds the caches full of
    /// the others.
    pub(crate) fn in_turn(&self, processes: usize, trips: u32) -> Result<f64> {
        let _core = OnOneCore::new();
        let mut children =
            ChildProcesses((0..processes).map(|_| self.start()).collect::<Result<_>>()?);
        let began = Instant::now();
        for trip in 0..trips as usize {
            exchange(&mut children.0[trip % processes], self.dummy.question)?;
        }
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(trips))
    }

    /// Microseconds of this process's processor time for an answer, when all processes are asked
    /// at once and polled until all have answered.
    pub(crate) fn at_once(&self, processes: usize, ticks: u32) -> Result<f64> {
        let mut children =
            ChildProcesses((0..processes).map(|_| self.start()).collect::<Result<_>>()?);
        // The first time pays for their start.
        self.ask_all(&mut children)?;
        let before = cpu();
        for _ in 0..ticks {
            self.ask_all(&mut children)?;
        }
        let spent = cpu().saturating_sub(before);
        Ok(spent.as_secs_f64() * 1e6 / f64::from(ticks) / processes as f64)
    }

    /// Processes a second that are started, answer twice and end: as many at a time as there are
    /// cores.
    pub(crate) fn lives(&self, processes: u32) -> Result<f64> {
        let began = Instant::now();
        let left = AtomicU32::new(processes);
        let live = || -> Result<()> {
            let one_less = |left: u32| left.checked_sub(1);
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
                let mut child = ChildProcesses(vec![self.start_as(dummy_bot::PARENT)?]);
                for _ in 0..2 {
                    exchange(&mut child.0[0], self.dummy.question)?;
                }
                child.0[0].stdin = None;
                child.0[0].wait().context("cannot wait for a dummy")?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = host::cores().iter().map(|_| scope.spawn(live)).collect();
            let ended = threads.into_iter().map(|one| one.join().expect("they do not panic"));
            ended.collect::<Result<Vec<()>>>()
        })?;
        Ok(f64::from(processes) / began.elapsed().as_secs_f64())
    }

    fn ask_all(&self, children: &mut ChildProcesses) -> Result<()> {
        let gone = "a dummy has ended";
        let mut waits: Vec<usize> = (0..children.0.len()).collect();
        for child in &mut children.0 {
            child.stdin.as_mut().context(gone)?.write_all(self.dummy.question)?;
        }
        let mut buffer = [0; 4096];
        while !waits.is_empty() {
            let outputs = waits.iter().filter_map(|&index| children.0[index].stdout.as_ref());
            let mut fds: Vec<PollFd<'_>> = outputs
                .map(|output| PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN))
                .collect();
            poll(&mut fds, None)?;
            let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            let mut left = Vec::new();
            for (&index, ready) in waits.iter().zip(ready) {
                if ready {
                    let output = children.0[index].stdout.as_mut().context(gone)?;
                    ensure!(output.read(&mut buffer)? > 0, gone);
                } else {
                    left.push(index);
                }
            }
            waits = left;
        }
        Ok(())
    }
}

fn exchange(child: &mut Child, question: &[u8]) -> Result<()> {
    let gone = "a dummy has ended";
    let mut answer = [0; 256];
    child.stdin.as_mut().context(gone)?.write_all(question)?;
    let count = child.stdout.as_mut().context(gone)?.read(&mut answer)?;
    ensure!(count > 0 && answer[count - 1] == b'\n', "a dummy has not answered with one line");
    Ok(())
}

/// Processor time of this process.
pub(crate) fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Processes that end when dropped.
struct ChildProcesses(Vec<Child>);

impl Drop for ChildProcesses {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
        }
        for child in &mut self.0 {
            let _ = child.wait();
        }
    }
}

/// This thread and what it starts share one core, until dropped.
struct OnOneCore(Vec<usize>);

impl OnOneCore {
    fn new() -> OnOneCore {
        let all = host::cores();
        bind(&all[..1]);
        OnOneCore(all)
    }
}

impl Drop for OnOneCore {
    fn drop(&mut self) {
        bind(&self.0);
    }
}

fn bind(cores: &[usize]) {
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    // A refusal costs accuracy, not correctness.
    let _ = sched_setaffinity(None, &set);
}
