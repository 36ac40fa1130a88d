//! Control groups: limits for all processes of a bot together, where we may make groups.

use std::fs;
use std::io;
use std::ops::Deref;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::group_file::{FileUse, GroupFile};
use super::tier::Tier;

/// Where groups can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Groups {
    /// Version 2: one folder for everything, handed to us by the system.
    Unified(PathBuf),
    /// Version 1: the folder for memory. Processes are counted by the bot's user namespace as well.
    Separate(PathBuf),
}

/// What all our groups' names begin with.
const PREFIX: &str = "lanista-";

impl Groups {
    /// Where groups can be made on this machine, found by trying once; or why not.
    pub(crate) fn found() -> Result<&'static Groups, &'static str> {
        static FOUND: OnceLock<Result<Groups, String>> = OnceLock::new();
        FOUND.get_or_init(find).as_ref().map_err(String::as_str)
    }

    pub(crate) fn tier(&self) -> Tier {
        match self {
            Groups::Unified(_) => Tier::A,
            Groups::Separate(_) => Tier::B,
        }
    }

    /// The folder in which groups are made.
    pub(crate) fn folder(&self) -> &Path {
        match self {
            Groups::Unified(folder) | Groups::Separate(folder) => folder,
        }
    }

    /// Makes a group for one bot.
    fn make(&'static self, mark: &str, memory: u64, processes: u64) -> io::Result<Group> {
        let folder = GroupFolder { path: self.folder().join(format!("{PREFIX}{mark}")) };
        let limits = match self {
            Groups::Unified(_) => &[
                ("memory.max", memory),
                ("memory.swap.max", 0),
                ("memory.oom.group", 1),
                ("pids.max", processes),
            ][..],
            Groups::Separate(_) => {
                &[("memory.limit_in_bytes", memory), ("memory.memsw.limit_in_bytes", memory)][..]
            }
        };
        fs::create_dir(&folder.path)?;
        // If it cannot be made whole, dropping it removes what there is.
        for (file, limit) in limits {
            match fs::write(folder.path.join(file), limit.to_string()) {
                // Kernels without swap, or before 4.19, do not have these.
                Err(_) if file.contains("sw") || file.contains("oom") => {}
                result => result?,
            }
        }
        // Before a process moves, the kernel stops all forks on the machine, which takes milliseconds. One
        // that is born into a group, and a thread that moves itself, wait for nobody.
        let (entrance, memory, memory_events) = match self {
            Groups::Unified(_) => ((".", FileUse::Read), "memory.current", "memory.events"),
            Groups::Separate(_) => {
                (("tasks", FileUse::Write), "memory.usage_in_bytes", "memory.oom_control")
            }
        };
        let file = |name, used| GroupFile::new(folder.path.join(name), used);
        Ok(Group {
            entrance: file(entrance.0, entrance.1),
            memory: file(memory, FileUse::Read),
            memory_events: file(memory_events, FileUse::Read),
            folder,
            cpu_before: Duration::ZERO,
            of: self,
        })
    }
}

/// The groups of one bot's processes. They are used again, by one process after another.
#[derive(Debug)]
pub(crate) struct GroupPool {
    of: &'static Groups,
    memory: u64,
    processes: u64,
    free: Mutex<Vec<Group>>,
}

impl GroupPool {
    /// Its groups have these limits.
    pub(crate) fn new(of: &'static Groups, memory: u64, processes: u64) -> GroupPool {
        GroupPool { of, memory, processes, free: Mutex::default() }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Group>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A group that nobody is in, for the process with this mark.
    pub(crate) fn take(self: &Arc<Self>, mark: &str) -> io::Result<LentGroup> {
        let free = self.free().pop();
        let group = free.map_or_else(|| self.of.make(mark, self.memory, self.processes), Ok)?;
        Ok(LentGroup { group: Box::new(group), from: Arc::downgrade(self) })
    }
}

/// A group that the processes of a bot are in. Removed when dropped, which must be after they are
/// gone, unless it is given back.
#[derive(Debug)]
pub(crate) struct LentGroup {
    group: Box<Group>,
    from: Weak<GroupPool>,
}

impl LentGroup {
    /// All its processes have ended. It is used again if it is as good as a new one.
    pub(crate) fn give_back(mut self) {
        if self.renew()
            && let Some(pool) = self.from.upgrade()
        {
            pool.free().push(*self.group);
        }
    }

    /// All its processes have ended, or are about to. Whether the next ones can have it, because
    /// nothing tells it from a new one.
    pub(crate) fn renew(&mut self) -> bool {
        let as_new = self.from.upgrade().is_some_and(|pool| self.group.is_as_new(pool.memory));
        if as_new {
            self.group.cpu_before = self.group.cpu_of_all().unwrap_or_default();
        }
        as_new
    }
}

impl Deref for LentGroup {
    type Target = Group;

    fn deref(&self) -> &Group {
        &self.group
    }
}

/// A group; removed when dropped, which must be after its processes are gone.
#[derive(Debug)]
pub(crate) struct Group {
    /// See [`GroupEnds::entrance`].
    entrance: GroupFile,
    /// How much its processes use.
    memory: GroupFile,
    /// How often there was too little for them.
    memory_events: GroupFile,
    folder: GroupFolder,
    /// What its processes had used before the present ones.
    cpu_before: Duration,
    of: &'static Groups,
}

/// Removed when dropped.
#[derive(Debug)]
struct GroupFolder {
    path: PathBuf,
}

/// What the processes of a cage need of a group.
#[derive(Debug)]
pub(crate) struct GroupEnds {
    /// Its folder, if processes are born into it. Otherwise a file: a process without threads that writes
    /// `0` to it joins.
    pub(crate) entrance: OwnedFd,
    /// Readable when the group is out of memory. Groups of version 2 need none, since the kernel
    /// ends all of their processes at once; in those of version 1 it ends one after another, and
    /// whoever started them may go on for ever.
    pub(crate) shortage: Option<OwnedFd>,
}

impl Group {
    /// Opens it for the processes of a new cage.
    pub(crate) fn open(&self) -> io::Result<GroupEnds> {
        let shortage = match self.of {
            Groups::Unified(_) => None,
            Groups::Separate(_) => watch_memory(&self.folder.path),
        };
        Ok(GroupEnds { shortage, ..self.open_again()? })
    }

    /// The same for a cage whose first process knows it.
    pub(crate) fn open_again(&self) -> io::Result<GroupEnds> {
        Ok(GroupEnds { entrance: self.entrance.lend()?, shortage: None })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path.join(name)
    }

    /// Whether the kernel has ended a process of the group for want of memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        counts(&self.memory_events.read().unwrap_or_default(), "oom_kill ")
    }

    /// Whether its processes have used as much as they may. If they have not, and the kernel has ended one
    /// of them for want of memory, that was the machine's.
    pub(crate) fn reached_its_limit(&self) -> bool {
        // The kernel gives out more than a page at a time, and gives up when there is too little for that.
        const NEAR: u64 = 4 << 20;
        let read = |name| fs::read_to_string(self.file(name)).unwrap_or_default();
        let number = |name| read(name).trim().parse::<u64>().unwrap_or(0);
        match self.of {
            Groups::Unified(_) => counts(&read("memory.events"), "oom "),
            Groups::Separate(_) => {
                number("memory.max_usage_in_bytes") + NEAR >= number("memory.limit_in_bytes")
            }
        }
    }

    /// Whether a process was refused for there being too many.
    pub(crate) fn ran_out_of_processes(&self) -> bool {
        match self.of {
            Groups::Unified(_) => {
                let events = fs::read_to_string(self.file("pids.events"));
                counts(&events.unwrap_or_default(), "max ")
            }
            Groups::Separate(_) => false,
        }
    }

    /// Processor time that all processes of the group have used, those that have ended included,
    /// where the system counts it.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.cpu_of_all().map(|used| used.saturating_sub(self.cpu_before))
    }

    fn cpu_of_all(&self) -> Option<Duration> {
        let text = match self.of {
            Groups::Unified(_) => fs::read_to_string(self.file("cpu.stat")).ok()?,
            Groups::Separate(_) => return None,
        };
        let used = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
        used.trim().parse().ok().map(Duration::from_micros)
    }

    /// Whether nothing tells it from a new one with this limit: nobody was refused anything, and next to
    /// nothing is left that counts. That is what the system has kept of files that were read, and
    /// drops when the memory is needed.
    fn is_as_new(&self, memory: u64) -> bool {
        const LEFT: u64 = 16 << 20;
        let used = self.memory.read().ok().and_then(|used| used.trim().parse::<u64>().ok());
        used.is_some_and(|used| used <= LEFT.min(memory / 16))
            && !self.ran_out_of_memory()
            && !self.ran_out_of_processes()
    }
}

/// Whether this has happened, by a file that counts events.
fn counts(text: &str, what: &str) -> bool {
    let count = text.lines().find_map(|line| line.strip_prefix(what));
    count.is_some_and(|count| count.trim() != "0")
}

impl Drop for GroupFolder {
    fn drop(&mut self) {
        // Its processes have been reaped: this is for one that is still on its way out.
        const SHORTLY: Duration = Duration::from_millis(20);
        remove(&self.path, Instant::now() + SHORTLY);
    }
}

/// Removes a group as soon as its processes have ended, unless they do not by this moment.
fn remove(folder: &Path, by: Instant) {
    while let Err(error) = fs::remove_dir(folder)
        && error.kind() == io::ErrorKind::ResourceBusy
        && Instant::now() < by
    {
        outlast(folder, by);
    }
}

/// Waits for the end of all processes that a group has now, or for this moment.
fn outlast(folder: &Path, by: Instant) {
    let listed = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    let numbers = listed.lines().filter_map(|line| line.parse().ok()).filter_map(Pid::from_raw);
    let handles = numbers.filter_map(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let handles: Vec<OwnedFd> = handles.collect();
    for handle in &handles {
        let left = Timespec::try_from(by.saturating_duration_since(Instant::now()));
        let _ = poll(&mut [PollFd::new(handle, PollFlags::IN)], left.ok().as_ref());
    }
    if handles.is_empty() {
        // The last one has ended, but the kernel is not done with it: a matter of microseconds, of
        // the end of which it tells nobody.
        std::thread::yield_now();
    }
}

/// Has the kernel say when a group of version 1 is out of memory.
fn watch_memory(folder: &Path) -> Option<OwnedFd> {
    let file = fs::File::open(folder.join("memory.oom_control")).ok()?;
    let event = eventfd(0, EventfdFlags::CLOEXEC).ok()?;
    let asked = format!("{} {}", event.as_raw_fd(), file.as_raw_fd());
    fs::write(folder.join("cgroup.event_control"), asked).ok()?;
    Some(event)
}

/// Removes the groups of a run whose host is gone, once their processes are, unless they are not by
/// this moment.
pub(crate) fn remove_all(folder: &Path, run: &str, by: Instant) {
    let prefix = format!("{PREFIX}{run}-");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)));
    for group in ours {
        // Ends what is inside, where the kernel knows this.
        let _ = fs::write(group.path().join("cgroup.kill"), "1");
        remove(&group.path(), by);
    }
}

fn find() -> Result<Groups, String> {
    let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|error| error.to_string())?;
    let unified = delegated(&own, &mounts);
    let Err(why) = unified else { return unified };
    let memory = folder_of(&own, &mounts, Some("memory"));
    memory.filter(|folder| try_make(folder).is_ok()).map(Groups::Separate).ok_or(why)
}

/// Our own folder in a hierarchy: that of version 2, or that of a controller of version 1.
fn folder_of(own: &str, mounts: &str, controller: Option<&str>) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let ours = match controller {
            Some(controller) => controllers.split(',').any(|name| name == controller),
            None => controllers.is_empty(),
        };
        ours.then_some(path)
    })?;
    let (root, mount) = mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, mount) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let (kind, options) = (kind.next()?, kind.nth(1)?);
        let ours = match controller {
            Some(controller) => {
                kind == "cgroup" && options.split(',').any(|name| name == controller)
            }
            None => kind == "cgroup2",
        };
        ours.then_some((root, mount))
    })?;
    // In a container the mount may begin where our own path does.
    let path = Path::new(path).strip_prefix(root).unwrap_or(Path::new(path));
    Some(Path::new(mount).join(path.strip_prefix("/").unwrap_or(path)))
}

fn try_make(folder: &Path) -> io::Result<()> {
    let probe = folder.join(format!("{PREFIX}probe-{}", std::process::id()));
    fs::create_dir(&probe)?;
    fs::remove_dir(&probe)
}

/// Our folder of version 2, if it was handed to us with the controllers we need.
fn delegated(own: &str, mounts: &str) -> Result<Groups, String> {
    let folder = folder_of(own, mounts, None).ok_or("there is no cgroup v2")?;
    let shown = folder.display();
    let controllers = fs::read_to_string(folder.join("cgroup.controllers"))
        .map_err(|error| format!("cannot read {shown}/cgroup.controllers: {error}"))?;
    for needed in ["memory", "pids"] {
        if !controllers.split_whitespace().any(|name| name == needed) {
            return Err(format!("{shown} has no {needed} controller"));
        }
    }
    try_make(&folder).map_err(|error| format!("cannot make groups in {shown}: {error}"))?;
    let enable = || fs::write(folder.join("cgroup.subtree_control"), "+memory +pids");
    if enable().is_err() {
        // A group with groups inside must have no processes of its own: we move into one.
        let ours = folder.join(format!("{PREFIX}host-{}", std::process::id()));
        let moved = fs::create_dir(&ours)
            .and_then(|()| fs::write(ours.join("cgroup.procs"), "0"))
            .and_then(|()| enable());
        if let Err(error) = moved {
            let _ = fs::write(folder.join("cgroup.procs"), "0");
            let _ = fs::remove_dir(&ours);
            return Err(format!("cannot delegate memory and pids in {shown}: {error}"));
        }
    }
    Ok(Groups::Unified(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 /docker/x /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate";

    #[test]
    fn our_folder_is_found_in_every_hierarchy() {
        let own = "8:pids:/docker/x/y\n4:memory:/a/b\n0::/user.slice/z.scope\n";
        let folder = |controller| folder_of(own, MOUNTS, controller);
        assert_eq!(folder(Some("memory")), Some("/sys/fs/cgroup/memory/a/b".into()));
        assert_eq!(folder(Some("pids")), Some("/sys/fs/cgroup/pids/y".into()));
        assert_eq!(folder(None), Some("/sys/fs/cgroup/unified/user.slice/z.scope".into()));
        assert_eq!(folder(Some("cpu")), None);
    }
}
