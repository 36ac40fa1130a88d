//! Landlock: which files may be opened, no TCP, no signals to anybody outside.
//!
//! In a cage of namespaces it is a second wall; without namespaces it is the first.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::handles::put_away;
use super::order::{Access, Bind, CageOrder, Walls};
use super::raw;
use crate::os::no_links;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const TRUNCATE: u64 = 1 << 14;
/// All that can be done to files, by version: the last four came later.
const ALL_1: u64 = (1 << 13) - 1;
const ALL_2: u64 = (1 << 14) - 1;
const ALL_3: u64 = (1 << 15) - 1;
/// What can be done to a file that is not a folder.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;
const TCP: u64 = 0b11;
/// Abstract sockets and signals.
const SCOPED: u64 = 0b11;
/// The first version in which signals stay inside.
pub(crate) const SCOPES_SIGNALS: u32 = 6;

/// What a process may read of /proc where it has none of its own, besides what is about itself.
const PROC: [&str; 8] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm",
];
const READ: u64 = EXECUTE | READ_FILE | READ_DIR;

/// What all processes of a bot may do with files. Where it lies is looked up once.
pub(crate) struct CommonRules {
    walls: Walls,
    version: u32,
    allowed: Vec<(OwnedFd, u64)>,
}

impl CommonRules {
    /// Those for all processes that are started with what this order says. `None` if the kernel has
    /// no Landlock and there is another wall.
    pub(crate) fn of(common: &CageOrder) -> io::Result<Option<CommonRules>> {
        let (walls, version) = (common.walls, raw::landlock_version());
        if version == 0 {
            return match walls {
                Walls::Namespaces => Ok(None),
                Walls::Rules => Err(io::Error::from_raw_os_error(libc::ENOSYS)),
            };
        }
        let mut rules = CommonRules { walls, version, allowed: Vec::new() };
        match walls {
            Walls::Namespaces => {
                rules.keep(Path::new("/"), READ)?;
                rules.keep(Path::new("/dev"), READ_FILE | READ_DIR | WRITE_FILE)?;
            }
            Walls::Rules => {
                for device in ["null", "zero", "full", "random", "urandom"] {
                    rules.keep(&Path::new("/dev").join(device), READ_FILE | WRITE_FILE)?;
                }
                for path in PROC {
                    rules.keep(Path::new(path), READ_FILE | READ_DIR)?;
                }
                for bind in &common.view.binds {
                    if let Some((file, access)) = rules.of_bind(bind) {
                        rules.allowed.push((put_away(file)?, access));
                    }
                }
            }
        }
        Ok(Some(rules))
    }

    fn keep(&mut self, path: &Path, access: u64) -> io::Result<()> {
        if let Some(file) = look_up(path) {
            self.allowed.push((put_away(file)?, access));
        }
        Ok(())
    }

    /// What a bind allows, and where; none if it is covered by another rule.
    fn of_bind(&self, bind: &Bind) -> Option<(OwnedFd, u64)> {
        let (path, access) = match (self.walls, bind.access) {
            (Walls::Namespaces, Access::Read) => return None,
            (Walls::Rules, Access::Read) => (&bind.source, READ),
            (Walls::Namespaces, Access::Write | Access::Own) => (&bind.inside, self.all()),
            (Walls::Rules, Access::Write | Access::Own) => (&bind.source, self.all()),
        };
        no_links::handle(path).ok().map(|file| (file, access))
    }

    /// All that can be done to files, as far as the kernel knows it.
    fn all(&self) -> u64 {
        match self.version {
            1 => ALL_1,
            2 => ALL_2,
            _ => ALL_3,
        }
    }

    /// A set of these rules, to which those of one process can be added.
    pub(crate) fn ruleset(&self) -> io::Result<OwnedFd> {
        let handled = [self.all(), TCP, SCOPED];
        let handled = match self.version {
            1..=3 => &handled[..1],
            4 | 5 => &handled[..2],
            _ => &handled[..],
        };
        let ruleset = raw::landlock_ruleset(handled)?;
        for (file, access) in &self.allowed {
            self.allow(&ruleset, file, *access)?;
        }
        Ok(ruleset)
    }

    fn allow(&self, ruleset: &OwnedFd, file: &OwnedFd, access: u64) -> io::Result<()> {
        let folder = no_links::is_folder(file).unwrap_or(false);
        let possible = if folder { self.all() } else { self.all() & OF_FILES };
        raw::landlock_allow(ruleset.as_fd(), access & possible, file.as_fd())
    }

    /// Restricts the calling process and what it starts to what a set of these rules allows, and
    /// what is its own.
    pub(crate) fn restrict(&self, ruleset: &OwnedFd, order: &CageOrder) -> io::Result<()> {
        let (own, access) = match self.walls {
            Walls::Namespaces => ("/tmp", self.all()),
            Walls::Rules => ("/proc/self", READ_FILE | READ_DIR),
        };
        if let Some(file) = look_up(Path::new(own)) {
            self.allow(ruleset, &file, access)?;
        }
        for (file, access) in order.view.binds.iter().filter_map(|bind| self.of_bind(bind)) {
            self.allow(ruleset, &file, access)?;
        }
        raw::landlock_restrict(ruleset.as_fd())
    }
}

/// A handle of a file. What is not there, or cannot be reached, need not be allowed.
fn look_up(path: &Path) -> Option<OwnedFd> {
    openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
}
