//! Landlock: which files may be opened, no TCP, no signals to anybody outside.
//!
//! In a cage of namespaces it is a second wall; without namespaces it is the first.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::order::{Access, CageOrder, Walls};
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

/// What a process may read of /proc where it has none of its own.
const PROC: [&str; 9] = [
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm",
];

/// Restricts the calling process and what it starts.
pub(crate) fn restrict(order: &CageOrder) -> io::Result<()> {
    let version = raw::landlock_version();
    let all = match version {
        0 => {
            return match order.walls {
                Walls::Namespaces => Ok(()),
                Walls::Rules => Err(io::Error::from_raw_os_error(libc::ENOSYS)),
            };
        }
        1 => ALL_1,
        2 => ALL_2,
        _ => ALL_3,
    };
    let handled = [all, TCP, SCOPED];
    let handled = match version {
        1..=3 => &handled[..1],
        4 | 5 => &handled[..2],
        _ => &handled[..],
    };
    let ruleset = raw::landlock_ruleset(handled)?;
    let allow_file = |file: &OwnedFd, access: u64| -> io::Result<()> {
        let folder = no_links::is_folder(file).unwrap_or(false);
        let possible = if folder { all } else { all & OF_FILES };
        raw::landlock_allow(ruleset.as_fd(), access & possible, file.as_fd())
    };
    // What is not there, or cannot be reached, need not be allowed.
    let allow = |path: &Path, access: u64| -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = openat(CWD, path, flags, Mode::empty());
        file.map_or(Ok(()), |file| allow_file(&file, access))
    };
    let allow_bind = |path: &Path, access: u64| -> io::Result<()> {
        no_links::handle(path).map_or(Ok(()), |file| allow_file(&file, access))
    };
    let read = EXECUTE | READ_FILE | READ_DIR;
    match order.walls {
        Walls::Namespaces => {
            allow(Path::new("/"), read)?;
            allow(Path::new("/tmp"), all)?;
            allow(Path::new("/dev"), READ_FILE | READ_DIR | WRITE_FILE)?;
        }
        Walls::Rules => {
            for device in ["null", "zero", "full", "random", "urandom"] {
                allow(&Path::new("/dev").join(device), READ_FILE | WRITE_FILE)?;
            }
            for path in PROC {
                allow(Path::new(path), READ_FILE | READ_DIR)?;
            }
        }
    }
    for bind in &order.view.binds {
        let path = match order.walls {
            Walls::Namespaces => &bind.inside,
            Walls::Rules => &bind.source,
        };
        match (bind.access, order.walls) {
            (Access::Read, Walls::Namespaces) => {}
            (Access::Read, Walls::Rules) => allow_bind(path, read)?,
            (Access::Write | Access::Own, _) => allow_bind(path, all)?,
        }
    }
    raw::landlock_restrict(ruleset.as_fd())
}
