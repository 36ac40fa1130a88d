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
    pub(crate) threads: u64,
    /// Processor time of its children that have ended and that it has waited for, in whole ticks.
    waited_for: Duration,
}

/// Processor time that all processes of a bot have used: of those that have ended, if somebody has
/// waited for them.
pub(crate) fn cpu_of(leader: Pid, init: Option<Pid>) -> Duration {
    let all = processes_of(leader, init, &HostChildren::default());
    let own = |process: &Process| Pid::from_raw(process.pid).map_or(Duration::ZERO, process_cpu);
    all.iter().map(|process| own(process) + process.waited_for).sum()
}

/// All processes of a bot. `leader` is its own, `init` the first of its cage, to which those come whose
/// parents have ended; without such a cage they come to the host.
pub(crate) fn processes_of(leader: Pid, init: Option<Pid>, host: &HostChildren) -> Vec<Process> {
    let group = leader.as_raw_nonzero().get();
    let orphans = match init {
        Some(init) => by_groups(reaper::children_of(init.as_raw_nonzero().get())).remove(&group),
        None => host.by_groups.get_or_init(|| by_groups(reaper::children())).get(&group).cloned(),
    };
    let orphans = orphans.unwrap_or_default().into_iter().filter(|pid| *pid != leader);
    std::iter::once(leader).chain(orphans).flat_map(family).collect()
}

/// The children of the host, by their process groups. They are looked at once, when somebody needs them.
#[derive(Debug, Default)]
pub(crate) struct HostChildren {
    by_groups: OnceCell<HashMap<i32, Vec<Pid>>>,
}

fn by_groups(pids: Vec<Pid>) -> HashMap<i32, Vec<Pid>> {
    let mut groups: HashMap<i32, Vec<Pid>> = HashMap::new();
    for pid in pids {
        if let Some(process) = process(pid.as_raw_nonzero().get()) {
            groups.entry(process.group).or_default().push(pid);
        }
    }
    groups
}

/// A process and all that descend from it and have a parent.
pub(crate) fn family(first: Pid) -> Vec<Process> {
    let mut all = Vec::new();
    let mut open = vec![first.as_raw_nonzero().get()];
    while let Some(pid) = open.pop() {
        let Some(process) = process(pid) else { continue };
        all.push(process);
        open.extend(reaper::children_of(pid).into_iter().map(|pid| pid.as_raw_nonzero().get()));
    }
    all
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
