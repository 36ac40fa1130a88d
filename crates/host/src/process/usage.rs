//! The processes of a bot, found from outside, and what they use.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::time::Duration;

use rustix::process::Pid;

use crate::os::sys::process_cpu;
use crate::process::reaper;

/// A process of a bot.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) group: i32,
    parent: i32,
    state: ProcessState,
    threads: u64,
    /// Processor time of its children that have ended and that it has waited for, in whole ticks.
    waited_for: Duration,
}

/// What the main thread of a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessState {
    Stopped,
    Ended,
    /// It waits for something that no signal interrupts.
    Blocked,
    /// It runs, or waits for something else.
    Running,
}

impl ProcessState {
    fn new(letter: &str) -> ProcessState {
        match letter {
            "T" => ProcessState::Stopped,
            "Z" | "X" => ProcessState::Ended,
            "D" => ProcessState::Blocked,
            _ => ProcessState::Running,
        }
    }
}

/// The processes of a bot that were found.
#[derive(Debug, Default)]
pub(crate) struct ProcessesFound {
    all: Vec<Process>,
    /// One of them, whose children may be missing, ended meanwhile.
    pub(crate) misses_any: bool,
}

impl ProcessesFound {
    /// Those that have not ended.
    pub(crate) fn living(&self) -> Vec<i32> {
        let lives =
            |process: &&Process| process.state != ProcessState::Ended || process.threads > 1;
        self.all.iter().filter(lives).map(|process| process.pid).collect()
    }

    /// Whether all of them that were told to stop have. Whoever waits until a child has executed a program
    /// cannot, if that has.
    pub(crate) fn all_have_stopped(&self) -> bool {
        let has_stopped_child = |pid| {
            let mut others = self.all.iter();
            others.any(|other| other.parent == pid && other.state == ProcessState::Stopped)
        };
        self.all.iter().all(|process| match process.state {
            ProcessState::Stopped | ProcessState::Ended => true,
            ProcessState::Blocked => has_stopped_child(process.pid),
            ProcessState::Running => false,
        })
    }

    /// Adds a process and all that descend from it and have a parent.
    fn add_family(&mut self, first: i32) {
        let mut open = vec![first];
        while let Some(pid) = open.pop() {
            let children = reaper::children_of(pid);
            // Afterwards: if it is still there, these were its children.
            let Some(process) = process(pid) else {
                self.misses_any = true;
                continue;
            };
            self.all.push(process);
            open.extend(children.into_iter().map(|pid| pid.as_raw_nonzero().get()));
        }
    }

    /// Adds the families of what comes to the first process of a cage, until nobody new has come.
    fn add_orphans(&mut self, init: Pid) {
        const ROUNDS: usize = 8;
        for _ in 0..ROUNDS {
            let orphans = reaper::children_of(init.as_raw_nonzero().get());
            let orphans = orphans.into_iter().map(|pid| pid.as_raw_nonzero().get());
            let known = |pid: &i32| self.all.iter().any(|process| process.pid == *pid);
            let new: Vec<i32> = orphans.filter(|pid| !known(pid)).collect();
            if new.is_empty() {
                return;
            }
            new.into_iter().for_each(|pid| self.add_family(pid));
        }
        self.misses_any = true;
    }
}

/// Processor time that all processes of a bot have used. Those that have ended count if somebody has
/// waited for them.
pub(crate) fn cpu_of(leader: Pid, init: Option<Pid>) -> Duration {
    let found = processes_of(leader, init, &HostChildren::default());
    let own = |process: &Process| Pid::from_raw(process.pid).map_or(Duration::ZERO, process_cpu);
    found.all.iter().map(|process| own(process) + process.waited_for).sum()
}

/// How many processes and threads a bot has that is in no cage of its own.
pub(crate) fn count_tasks(leader: Pid) -> u64 {
    let found = processes_of(leader, None, &HostChildren::default());
    found.all.iter().map(|process| process.threads).sum()
}

/// All processes of a bot. `leader` is its own, `init` the first of its cage, to which those come whose
/// parents have ended; without such a cage they come to the host.
pub(crate) fn processes_of(leader: Pid, init: Option<Pid>, host: &HostChildren) -> ProcessesFound {
    let group = leader.as_raw_nonzero().get();
    let mut found = ProcessesFound::default();
    // First: whoever loses its parent meanwhile is found among the orphans.
    found.add_family(group);
    match init {
        Some(init) => found.add_orphans(init),
        None => {
            host.in_group(group).filter(|pid| *pid != group).for_each(|pid| found.add_family(pid));
        }
    }
    // Somebody of an earlier bot may be on its way out.
    found.all.retain(|process| process.group == group);
    found
}

/// The children of the host, by their process groups. They are looked at once, when somebody needs them.
#[derive(Debug, Default)]
pub(crate) struct HostChildren {
    by_groups: OnceCell<HashMap<i32, Vec<i32>>>,
}

impl HostChildren {
    fn in_group(&self, group: i32) -> impl Iterator<Item = i32> {
        let by_groups = self.by_groups.get_or_init(|| {
            let mut groups: HashMap<i32, Vec<i32>> = HashMap::new();
            let children = reaper::children().into_iter();
            for process in children.filter_map(|pid| process(pid.as_raw_nonzero().get())) {
                groups.entry(process.group).or_default().push(process.pid);
            }
            groups
        });
        by_groups.get(&group).into_iter().flatten().copied()
    }
}

/// A process and all that descend from it and have a parent.
pub(crate) fn family(first: Pid) -> Vec<Process> {
    let mut found = ProcessesFound::default();
    found.add_family(first.as_raw_nonzero().get());
    found.all
}

fn process(pid: i32) -> Option<Process> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Its name may be anything, and is in brackets.
    let (_, rest) = text.rsplit_once(") ")?;
    let words: Vec<&str> = rest.split(' ').collect();
    let number = |index: usize| words.get(index)?.parse::<u64>().ok();
    let ticks = number(13)? + number(14)?;
    Some(Process {
        pid,
        group: words.get(2)?.parse().ok()?,
        parent: words.get(1)?.parse().ok()?,
        state: ProcessState::new(words.first()?),
        threads: number(17)?,
        waited_for: Duration::from_secs(ticks) / rustix::param::clock_ticks_per_second() as u32,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_found_with_its_group() {
        let mut leader = Command::new("cat");
        let mut leader = leader.stdin(Stdio::piped()).process_group(0).spawn().expect("it starts");
        let found = process(leader.id() as i32).expect("it lives");
        assert_eq!((found.group, found.threads), (leader.id() as i32, 1));
        drop(leader.stdin.take());
        leader.wait().expect("it ends");
    }
}
