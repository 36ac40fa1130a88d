//! Limits that the kernel enforces for each process separately.

use rustix::process::Resource;

use super::order::Caps;
use super::raw::{limit, limits};

/// Open files of one process.
const OPEN_FILES: u64 = 1024;

/// Who counts processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessCounting {
    /// The kernel: all of the same user, in the same user namespace.
    ByUser,
    /// The host, for each bot by itself.
    ByHost,
}

/// Limits the calling process and what it starts.
pub(crate) fn apply(caps: &Caps, counting: ProcessCounting) {
    // Not the address space: V8, Go and Java reserve hundreds of gigabytes of it and use little.
    // Since 4.7 this counts what may be written to and is not shared.
    if caps.memory > 0 {
        limit(Resource::Data, caps.memory);
    }
    match counting {
        // The first process of the cage is the same user's.
        ProcessCounting::ByUser => limit(Resource::Nproc, caps.processes + 1),
        ProcessCounting::ByHost => {}
    }
    limit(Resource::Fsize, caps.disk);
    limit(Resource::Nofile, OPEN_FILES);
    if caps.cpu > 0 {
        limits(Resource::Cpu, caps.cpu, caps.cpu + 1);
    }
    // No file is so short, and of the programs that systems hand cores to, this value alone keeps
    // them.
    limit(Resource::Core, 1);
    for none in [Resource::Memlock, Resource::Msgqueue, Resource::Rtprio, Resource::Nice] {
        limit(none, 0);
    }
    limit(Resource::Sigpending, 256);
}
