//! When the machine runs out of memory, the kernel ends a process. This makes sure that it is the
//! bot that uses most, and not one that has done nothing.
//!
//! A thread looks how much memory is left, the more often the less there is: nobody can take all of
//! it between two looks. Only when less than half is left, it looks at the bots. What the kernel
//! itself would choose by, the pages in one process's tables, misses what a bot shares, hides, or
//! spreads over many processes.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::cage::memory_estimate;
use crate::os::placement::place_this_thread_anywhere;
use crate::process::reaper;
use crate::process::usage::family;
use crate::process_wide::{MEMORY_BOTS, MEMORY_KILLS};

/// How likely the kernel is to end a bot first, from 0 to 1000. The host is at 0; every bot begins
/// with this …
const USUAL: u32 = 500;
/// … and the one that uses most gets this: then it comes before anybody who has less than half of
/// all memory.
const GUILTY: u32 = 1000;

/// Makes the calling process, and those it makes, as likely as a bot to be ended for want of memory.
pub(crate) fn expect_usual() {
    // Nothing depends on it.
    let _ = fs::write("/proc/self/oom_score_adj", USUAL.to_string());
}

/// How many processes the kernel had ended for want of memory, and when that was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecentKills {
    count: u64,
    at: Instant,
}

/// How many processes the kernel has ended for want of memory since the machine was started.
pub(crate) fn kills() -> u64 {
    let text = fs::read_to_string("/proc/vmstat").unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// The same a moment ago. To ask for every process that is started would take a thirtieth of its start.
/// If the kernel has ended somebody since, a bot that is killed next is not to blame, and its game is
/// played again.
pub(crate) fn recent_kills() -> u64 {
    const RECENT: Duration = Duration::from_millis(100);
    let mut known = MEMORY_KILLS.lock().unwrap_or_else(PoisonError::into_inner);
    match *known {
        Some(recent) if recent.at.elapsed() < RECENT => recent.count,
        _ => {
            let recent = RecentKills { count: kills(), at: Instant::now() };
            *known = Some(recent);
            recent.count
        }
    }
}

/// Bytes a second: all cores of an ordinary machine together fill memory no faster.
const FASTEST: u64 = 16 << 30;
const OFTEN: Duration = Duration::from_millis(5);
const SELDOM: Duration = Duration::from_secs(2);

static BEGUN: Condvar = Condvar::new();

fn bots() -> MutexGuard<'static, HashSet<i32>> {
    MEMORY_BOTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A bot in a cage has been started.
pub(crate) fn begin(bot: Pid) {
    static THREAD: Once = Once::new();
    bots().insert(bot.as_raw_nonzero().get());
    BEGUN.notify_one();
    THREAD.call_once(|| {
        // Without it a game in which the kernel ended somebody is void all the same.
        let _ = std::thread::Builder::new().name("memory".to_owned()).spawn(look_on);
    });
}

/// A bot has ended.
pub(crate) fn end(bot: Pid) {
    bots().remove(&bot.as_raw_nonzero().get());
}

fn look_on() {
    place_this_thread_anywhere();
    let limited = limited_groups(Path::new("/sys/fs/cgroup"));
    let mut guilty = None;
    loop {
        // Without bots there is nobody to point out.
        drop(BEGUN.wait_while(bots(), |bots| bots.is_empty()));
        let left = limited.iter().filter_map(LimitedGroup::left).chain(machine_left());
        let Some(left) = left.min_by_key(|left| left.bytes) else { return };
        if left.bytes < left.of / 2 {
            guilty = point_out(guilty);
        }
        // No notification of the kernel's says on every system that memory runs low: it is looked
        // at again and again.
        std::thread::sleep(pause(left.bytes));
    }
}

/// How long nobody can use up what is left.
fn pause(left: u64) -> Duration {
    Duration::from_millis(left / (FASTEST / 1000)).clamp(OFTEN, SELDOM)
}

/// Tells the kernel which bot uses most, and returns it. `before` is the one of the last time.
fn point_out(before: Option<i32>) -> Option<i32> {
    let mut processes: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in reaper::children().into_iter().flat_map(family) {
        if bots().contains(&process.group) {
            processes.entry(process.group).or_default().push(process.pid);
        }
    }
    let most = processes.iter().max_by_key(|(_, pids)| memory_estimate(pids)).map(|(bot, _)| *bot);
    let blame = |bot: Option<i32>, likely: u32| {
        for pid in bot.and_then(|bot| processes.get(&bot)).into_iter().flatten() {
            let _ = fs::write(format!("/proc/{pid}/oom_score_adj"), likely.to_string());
        }
    };
    if before != most {
        blame(before, USUAL);
    }
    // Every time: it may have started others.
    blame(most, GUILTY);
    most
}

/// How much memory is left, and of how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemoryLeft {
    bytes: u64,
    of: u64,
}

fn machine_left() -> Option<MemoryLeft> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    Some(MemoryLeft { bytes: kib("MemAvailable:")? << 10, of: kib("MemTotal:")? << 10 })
}

/// A control group that this process is in and that has a limit.
#[derive(Debug)]
struct LimitedGroup {
    used: PathBuf,
    limit: PathBuf,
    stat: PathBuf,
    /// What the line in `stat` begins with that says how much of what is used can be dropped at
    /// once.
    files: &'static str,
}

impl LimitedGroup {
    /// None if it has no limit.
    fn left(&self) -> Option<MemoryLeft> {
        let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
        let of = number(&self.limit)?;
        let stat = fs::read_to_string(&self.stat).unwrap_or_default();
        let files = stat.lines().find_map(|line| line.strip_prefix(self.files)?.parse().ok());
        let used = number(&self.used)?.saturating_sub(files.unwrap_or(0));
        // "No limit" is a number too, in version 1.
        (of < 1 << 60).then(|| MemoryLeft { bytes: of.saturating_sub(used), of })
    }
}

/// The groups of this process, and those around them, that have a limit now.
fn limited_groups(root: &Path) -> Vec<LimitedGroup> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut groups = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(path)) = (parts.next(), parts.next()) else { continue };
        let path = Path::new(path.trim_start_matches('/'));
        for around in path.ancestors() {
            if kinds.split(',').any(|kind| kind == "memory") {
                let at = root.join("memory").join(around);
                groups.push(LimitedGroup {
                    used: at.join("memory.usage_in_bytes"),
                    limit: at.join("memory.limit_in_bytes"),
                    stat: at.join("memory.stat"),
                    files: "total_inactive_file ",
                });
            } else if kinds.is_empty() {
                for root in [root.to_owned(), root.join("unified")] {
                    let at = root.join(around);
                    groups.push(LimitedGroup {
                        used: at.join("memory.current"),
                        limit: at.join("memory.max"),
                        stat: at.join("memory.stat"),
                        files: "inactive_file ",
                    });
                }
            }
        }
    }
    groups.retain(|group| group.left().is_some());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_less_is_left_the_sooner_is_the_next_look() {
        assert_eq!(pause(1 << 50), SELDOM);
        assert_eq!(pause(0), OFTEN);
        assert!(pause(200 << 20) <= Duration::from_millis(13));
        let (large, small) = (pause(8 << 30), pause(1 << 30));
        assert!(large > small && small > OFTEN, "{large:?} {small:?}");
    }

    #[test]
    fn the_machine_has_memory_and_some_of_it_is_left() {
        let left = machine_left().expect("every Linux says so");
        assert!(left.bytes <= left.of && left.of > 64 << 20, "{left:?}");
    }

    #[test]
    fn a_group_has_what_its_limit_leaves_and_files_can_be_dropped() {
        let folder = std::env::temp_dir().join(format!("lanista-group-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("writable");
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
        let group = LimitedGroup {
            used: folder.join("used"),
            limit: folder.join("limit"),
            stat: folder.join("stat"),
            files: "inactive_file ",
        };
        write("used", "700\n");
        write("stat", "total_inactive_file 1\ninactive_file 200\nactive_file 9\n");
        for (limit, left) in [
            ("1000\n", Some(MemoryLeft { bytes: 500, of: 1000 })),
            ("300\n", Some(MemoryLeft { bytes: 0, of: 300 })),
            ("max\n", None),
            ("9223372036854771712\n", None),
        ] {
            write("limit", limit);
            assert_eq!(group.left(), left, "{limit}");
        }
        fs::remove_dir_all(&folder).expect("ours");
    }
}
