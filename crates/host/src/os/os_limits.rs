//! Whether the operating system lets us have as many processes as a game may need.

use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::process::{Resource, getrlimit, getuid};
use thiserror::Error;

/// Files that the host itself has open, and a few to spare.
const OWN_FILES: u64 = 64;
/// Every process has three pipes and a handle.
const FILES_EACH: u64 = 4;
const PIPES_EACH: u64 = 3;

/// The operating system allows fewer processes than a game may need.
#[derive(Debug, Error)]
#[error(
    "this set-up may need {processes} processes at the same time, which takes {wanted} {what}; \
     {allowed} are allowed here. {advice}, or choose a set-up with fewer"
)]
pub struct NoRoom {
    /// How many processes there may be.
    processes: u64,
    what: &'static str,
    wanted: u64,
    allowed: u64,
    advice: String,
}

/// One in so many descriptors may stay open for speed alone.
const FOR_SPEED: u64 = 16;

/// Whether a file may stay open for speed alone. The lowest numbers are given out first: as long as this
/// is one of the lowest, most are free.
pub(crate) fn may_stay_open(file: &impl AsRawFd) -> bool {
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    u64::try_from(file.as_raw_fd()).is_ok_and(|number| number < most / FOR_SPEED)
}

/// Whether the system had too little of something, which may have passed when it is asked again: memory,
/// processes, descriptors, namespaces.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    let shortages = [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM, libc::ENOSPC];
    error.raw_os_error().is_some_and(|number| shortages.contains(&number))
}

/// How many processes and threads the system allows beside those there are.
pub(crate) fn room_for_tasks() -> u64 {
    Allowed::here().tasks().unwrap_or(u64::MAX)
}

/// Threads and helpers of the host itself, and a few to spare.
const OWN_TASKS: u64 = 16;

/// Checks that so many bots' processes can run at the same time, each of which is `each` processes to
/// the system, and so many others besides.
pub fn check_room(processes: u64, each: u64, others: u64) -> Result<(), NoRoom> {
    check(processes, processes * each + others + OWN_TASKS, &Allowed::here())
}

/// What the system allows; `None` is without limit.
struct Allowed {
    files: Option<u64>,
    /// Processes of this user that may be added.
    own: Option<u64>,
    /// Processes of the whole control group that may be added.
    group: Option<u64>,
    /// Tasks of the whole machine that may be added.
    machine: Option<u64>,
    pipe_pages: Option<u64>,
}

fn check(processes: u64, tasks: u64, allowed: &Allowed) -> Result<(), NoRoom> {
    let files = OWN_FILES + FILES_EACH * processes;
    let files = files + files.div_ceil(FOR_SPEED - 1);
    let pages = PIPES_EACH * processes;
    let needs = [
        ("open files", files, allowed.files, format!("Raise the limit with `ulimit -Hn {files}`")),
        (
            "processes of this user",
            tasks,
            allowed.own,
            format!("Raise the limit with `ulimit -u` by at least {tasks}"),
        ),
        (
            "processes of this control group",
            tasks,
            allowed.group,
            "Raise pids.max of the service or container this runs in".to_owned(),
        ),
        (
            "processes on this machine",
            tasks,
            allowed.machine,
            "Raise kernel.pid_max and kernel.threads-max with sysctl".to_owned(),
        ),
        (
            "pages of pipe memory",
            pages,
            allowed.pipe_pages,
            format!("Raise fs.pipe-user-pages-hard with sysctl to at least {pages}"),
        ),
    ];
    for (what, wanted, allowed, advice) in needs {
        if let Some(allowed) = allowed.filter(|&allowed| wanted > allowed) {
            return Err(NoRoom { processes, what, wanted, allowed, advice });
        }
    }
    Ok(())
}

impl Allowed {
    fn tasks(&self) -> Option<u64> {
        [self.own, self.group, self.machine].into_iter().flatten().min()
    }

    fn here() -> Allowed {
        // Limits of processes and pipes do not bind the administrator.
        let bound = !getuid().is_root();
        let own = getrlimit(Resource::Nproc).maximum.filter(|_| bound);
        let pages = number("/proc/sys/fs/pipe-user-pages-hard");
        let pid_max = number("/proc/sys/kernel/pid_max");
        let threads = number("/proc/sys/kernel/threads-max");
        let most = pid_max.into_iter().chain(threads).min();
        Allowed {
            files: getrlimit(Resource::Nofile).maximum,
            own: own.map(|most| most.saturating_sub(tasks_of(getuid().as_raw()))),
            group: group(),
            machine: most.map(|most| most.saturating_sub(all_tasks())),
            pipe_pages: pages.filter(|&pages| pages > 0 && bound),
        }
    }
}

fn number(path: impl AsRef<Path>) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The tasks there are, from the fourth field of /proc/loadavg: "1/234".
fn all_tasks() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let tasks = load.split_whitespace().nth(3).and_then(|field| field.split('/').nth(1));
    tasks.and_then(|tasks| tasks.parse().ok()).unwrap_or(0)
}

/// The processes a user has.
fn tasks_of(user: u32) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let own = processes.flatten().filter(|entry| {
        let name = entry.file_name();
        let is_process = name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
        is_process && entry.metadata().is_ok_and(|meta| meta.uid() == user)
    });
    own.count() as u64
}

/// Room for processes in our control group and those above it, version 1 or 2.
fn group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let rooms = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (kinds, path) = (fields.next()?, fields.next()?);
        let root = match kinds {
            "" => "/sys/fs/cgroup",
            kinds if kinds.split(',').any(|kind| kind == "pids") => "/sys/fs/cgroup/pids",
            _ => return None,
        };
        let here = Path::new(root).join(path.trim_start_matches('/'));
        here.ancestors().take_while(|above| above.starts_with(root)).filter_map(room).min()
    });
    rooms.min()
}

fn room(group: &Path) -> Option<u64> {
    let most = number(group.join("pids.max"))?;
    Some(most.saturating_sub(number(group.join("pids.current")).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: Allowed =
        Allowed { files: None, own: None, group: None, machine: None, pipe_pages: None };

    #[test]
    fn what_is_short_is_named_with_what_to_raise() {
        assert!(check(100_000, 300_000, &PLENTY).is_ok());
        let few = Allowed { files: Some(1024), ..PLENTY };
        assert!(check(200, 200, &few).is_ok());
        let error = check(1000, 1000, &few).unwrap_err().to_string();
        assert!(error.contains("4335 open files; 1024 are allowed here"), "{error}");
        assert!(error.contains("ulimit -Hn 4335"), "{error}");
        let few = Allowed { group: Some(512), ..PLENTY };
        assert!(check(500, 500, &few).is_ok());
        let error = check(500, 1000, &few).unwrap_err().to_string();
        assert!(error.contains("pids.max"), "{error}");
    }

    #[test]
    fn the_least_room_for_tasks_counts() {
        assert_eq!(PLENTY.tasks(), None);
        let few = Allowed { own: Some(9), group: Some(7), machine: Some(8), ..PLENTY };
        assert_eq!(few.tasks(), Some(7));
        assert_eq!(Allowed { group: None, ..few }.tasks(), Some(8));
    }

    #[test]
    fn a_few_processes_find_room_here() {
        check_room(8, 2, 8).expect("this machine runs tests");
    }
}
