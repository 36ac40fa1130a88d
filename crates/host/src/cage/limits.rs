//! Limits that the kernel keeps for every process by itself.

use super::order::Caps;
use super::raw::{limit, limits};

/// Open files of one process.
const OPEN_FILES: u64 = 1024;

/// Limits the calling process and what it starts.
pub(crate) fn apply(caps: &Caps) {
    // Not the address space: V8, Go and Java reserve hundreds of gigabytes of it and use little.
    // Since 4.7 this counts what may be written to and is not shared.
    if caps.memory > 0 {
        limit(libc::RLIMIT_DATA, caps.memory);
    }
    // The first process of the cage is the same user's.
    limit(libc::RLIMIT_NPROC, caps.processes + 1);
    limit(libc::RLIMIT_FSIZE, caps.disk);
    limit(libc::RLIMIT_NOFILE, OPEN_FILES);
    if caps.cpu > 0 {
        limits(libc::RLIMIT_CPU, caps.cpu, caps.cpu + 1);
    }
    // No file is so short, and of the programs that systems hand cores to, this value alone keeps
    // them.
    limit(libc::RLIMIT_CORE, 1);
    for none in
        [libc::RLIMIT_MEMLOCK, libc::RLIMIT_MSGQUEUE, libc::RLIMIT_RTPRIO, libc::RLIMIT_NICE]
    {
        limit(none, 0);
    }
    limit(libc::RLIMIT_SIGPENDING, 256);
}
