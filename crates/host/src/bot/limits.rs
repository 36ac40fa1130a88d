//! What a bot may use: what its manifest asks for, within what the user sets.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// What a bot may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory in MiB, of all its processes together.
    pub memory_mb: u64,
    /// Processes and threads.
    pub processes: u32,
    /// Processor cores it may keep busy.
    pub cores: u32,
    /// Milliseconds until it must be ready, if not as many as everybody has.
    pub start_ms: Option<u64>,
    /// Seconds of processor time of one process in its whole life; 0 for no limit.
    pub cpu_s: u64,
    /// What it may keep in files, in MiB.
    pub disk_mb: u64,
    /// What it may keep of that from game to game, in MiB, where its temporary files are elsewhere.
    pub folder_mb: u64,
    /// How many files it may make.
    pub files: u64,
    /// What it may write while nothing is due from it, in MiB.
    pub stdout_mb: u64,
    /// What is read of its standard error, in MiB.
    pub stderr_mb: u64,
}

/// Limits as a manifest or a tournament file says them; what it does not say is left to others.
/// What no bot could live with, and what no machine has, is refused when it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskedLimits {
    /// See [`Limits`], here and below.
    #[serde(deserialize_with = "within::<_, _, 1, MOST_MB>")]
    pub memory_mb: Option<u64>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 1, MOST_PROCESSES>")]
    pub processes: Option<u32>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 1, MOST_CORES>")]
    pub cores: Option<u32>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 1, { MOST_SECONDS * 1000 }>")]
    pub start_ms: Option<u64>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 0, MOST_SECONDS>")]
    pub cpu_s: Option<u64>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 1, MOST_MB>")]
    pub disk_mb: Option<u64>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 0, MOST_MB>")]
    pub folder_mb: Option<u64>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 1, MOST_FILES>")]
    pub files: Option<u64>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 1, MOST_MB>")]
    pub stdout_mb: Option<u64>,
    #[expect(missing_docs, reason = "see Limits")]
    #[serde(deserialize_with = "within::<_, _, 0, MOST_MB>")]
    pub stderr_mb: Option<u64>,
}

/// A number of MiB that is still a number in bytes: one that wraps would be a limit of next to
/// nothing.
const MOST_MB: u64 = 1 << 40;
/// The kernel numbers no more of them.
const MOST_PROCESSES: u64 = 1 << 22;
/// So many fit into the set of cores that a process is bound to.
const MOST_CORES: u64 = 1024;
const MOST_FILES: u64 = 1_000_000_000;
/// Some thirty years.
const MOST_SECONDS: u64 = 1_000_000_000;

/// A number that is at least so much and at most so much.
pub(crate) fn within<
    'de,
    D: Deserializer<'de>,
    T: TryFrom<u64>,
    const LEAST: u64,
    const MOST: u64,
>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let number = i64::deserialize(deserializer)?;
    let inside = u64::try_from(number).ok().filter(|number| (LEAST..=MOST).contains(number));
    let inside = inside.and_then(|number| T::try_from(number).ok());
    let wrong = || D::Error::custom(format!("{number} is not within {LEAST} to {MOST}"));
    inside.map(Some).ok_or_else(wrong)
}

impl Limits {
    /// What a manifest asks for, and no more than the user has set. Where the manifest is silent,
    /// what the user has set; where both are, what is usual.
    pub fn new(asked: &AskedLimits, set: &AskedLimits) -> Limits {
        let usual = Limits::default();
        Limits {
            memory_mb: least(asked.memory_mb, set.memory_mb).unwrap_or(usual.memory_mb),
            processes: least(asked.processes, set.processes).unwrap_or(usual.processes),
            cores: least(asked.cores, set.cores).unwrap_or(usual.cores),
            start_ms: least(asked.start_ms, set.start_ms),
            cpu_s: least(limited(asked.cpu_s), limited(set.cpu_s)).unwrap_or(usual.cpu_s),
            disk_mb: least(asked.disk_mb, set.disk_mb).unwrap_or(usual.disk_mb),
            folder_mb: least(asked.folder_mb, set.folder_mb).unwrap_or(usual.folder_mb),
            files: least(asked.files, set.files).unwrap_or(usual.files),
            stdout_mb: least(asked.stdout_mb, set.stdout_mb).unwrap_or(usual.stdout_mb),
            stderr_mb: least(asked.stderr_mb, set.stderr_mb).unwrap_or(usual.stderr_mb),
        }
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory_mb << 20
    }

    /// What its folder may hold, in MiB, if it has temporary files elsewhere.
    pub(crate) fn kept_mb(&self) -> u64 {
        self.folder_mb.min(self.disk_mb)
    }
}

impl AskedLimits {
    /// The same, and until it is ready no more than so many milliseconds.
    pub fn starting_within(self, ms: Option<u64>) -> AskedLimits {
        AskedLimits { start_ms: least(self.start_ms, ms), ..self }
    }
}

/// The lower of two limits, as far as there are any.
fn least<T: Ord>(asked: Option<T>, set: Option<T>) -> Option<T> {
    match (asked, set) {
        (Some(asked), Some(set)) => Some(asked.min(set)),
        (asked, set) => asked.or(set),
    }
}

/// A limit for which 0 stands for none.
fn limited(limit: Option<u64>) -> Option<u64> {
    limit.filter(|limit| *limit > 0)
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory_mb: 1024,
            processes: 64,
            cores: 1,
            start_ms: None,
            cpu_s: 0,
            disk_mb: 256,
            folder_mb: 20,
            files: 10_000,
            stdout_mb: 16,
            stderr_mb: 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_lowers_what_the_user_has_set_and_raises_nothing() {
        let read = |text: &str| toml::from_str::<AskedLimits>(text).expect("they are limits");
        let asked = read("memory_mb = 9000\nprocesses = 8\nstart_ms = 60000\ncores = 2");
        let set = read("memory_mb = 512\nprocesses = 99\nstart_ms = 5000\ncpu_s = 7");
        let both = Limits::new(&asked, &set);
        assert_eq!((both.memory_mb, both.processes, both.cores), (512, 8, 2));
        assert_eq!((both.start_ms, both.cpu_s), (Some(5000), 7));
        // 0 is no limit, and no way around one.
        assert_eq!(Limits::new(&read("cpu_s = 0"), &set).cpu_s, 7);
        assert_eq!(Limits::new(&read("cpu_s = 3"), &read("cpu_s = 0")).cpu_s, 3);
        // Without a limit of its own it has what the user sets, even if that is more than usual.
        assert_eq!(Limits::new(&read(""), &read("memory_mb = 4096")).memory_mb, 4096);
        assert_eq!(Limits::new(&read(""), &read("")), Limits::default());
        assert_eq!(set.starting_within(Some(100)).start_ms, Some(100));
        assert_eq!(read("").starting_within(None).start_ms, None);
    }
}
