//! The first process of a cage. The cage exists as long as it lives; when it ends, the kernel ends
//! everything inside.
//!
//! A bot that were the first process itself would be immune to its own signals: `abort()` would
//! not end it.
#![expect(unsafe_code, reason = "closes the descriptors that it was started with")]

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::disk;
use super::order::{Access, CageOrder, Caps};
use super::raw;

/// The exit code of a first process that was told that the bot uses more memory than allowed.
pub(crate) const OUT_OF_MEMORY: i32 = 77;

/// The same for one that found more in the bot's folder than allowed.
pub(crate) const OUT_OF_DISK: i32 = 78;

/// How often what the bot keeps in its folder is looked at, which no kernel limits: seldom when the cage
/// has been there for a while. A thousand bots may be there.
const OFTEN: Duration = Duration::from_millis(125);
const SELDOM: Duration = Duration::from_secs(2);

/// What ends a cage.
pub(crate) struct EndSignals<'h> {
    /// Readable when the host has ended.
    pub(crate) host: &'h OwnedFd,
    /// Readable when the bot's control group is out of memory, if that ends single processes only.
    pub(crate) shortage: Option<&'h OwnedFd>,
}

/// Keeps the cage standing until the host is gone, or ends it. The standard error is the lease.
pub(crate) fn keep(order: &CageOrder, watched: EndSignals<'_>) -> ! {
    // Orphans become its children. The kernel reaps children whose end is ignored.
    raw::signal(libc::SIGCHLD, raw::Disposition::Ignored);
    if raw::become_nobody(order.user).is_err() {
        raw::leave(1);
    }
    // The bot is the same user; it must not look into this process.
    raw::hide_memory();
    // In the place of the standard input and output is from now on what ends the cage.
    if dup2_stdin(watched.host).is_err() {
        raw::leave(1);
    }
    match watched.shortage {
        Some(shortage) if dup2_stdout(shortage).is_err() => raw::leave(1),
        Some(_) => {}
        // SAFETY: this process writes nothing.
        None => unsafe { raw::close_stdout() },
    }
    // SAFETY: from here on this process uses the standard streams alone, opens and closes what it looks
    // at, and leaves without dropping what it was started with.
    unsafe { raw::close_from(3) };
    let own = order.view.binds.iter().find(|bind| bind.access == Access::Own);
    let folder = own.map(|bind| bind.inside.as_path());
    // It is not there until a bot has its `/tmp`, and after that has gone. No bot can remove it: it is
    // where something is mounted.
    let there = |folder: &Path| folder.symlink_metadata().is_ok();
    let Caps { folder: bytes, files, .. } = order.caps;
    let is_crowded =
        |folder| there(folder) && disk::exceeds(folder, &other_processes(), bytes, files);
    let mut pause = OFTEN;
    let (host, shortage) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    let lease = rustix::stdio::stderr();
    loop {
        // Without a folder it never wakes: it would show the next process of the bot, which can see how
        // much it has done, what the one before it has.
        let timeout = Timespec::try_from(pause).ok().filter(|_| folder.is_some());
        // The host holds the reading end of the lease as long as there is a cage of the same template.
        // The end of the host itself is the proof.
        let mut ends = [
            PollFd::new(&lease, PollFlags::empty()),
            PollFd::new(&host, PollFlags::IN),
            PollFd::new(&shortage, PollFlags::IN),
        ];
        let count = if watched.shortage.is_some() { 3 } else { 2 };
        let woken = poll(&mut ends[..count], timeout.as_ref());
        match woken {
            Ok(1..) if ends[2].revents().contains(PollFlags::IN) => raw::leave(OUT_OF_MEMORY),
            Ok(0) => {
                // Seen twice: it may go in the moment of a look, because its bot has ended.
                if folder.is_some_and(|folder| is_crowded(folder) && is_crowded(folder)) {
                    raw::leave(OUT_OF_DISK);
                }
                pause = (pause * 2).min(SELDOM);
            }
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => raw::leave(0),
        }
    }
}

/// All processes of the cage but this one. None before the bot has mounted the cage's own `/proc`:
/// another one knows this process by another number.
fn other_processes() -> Vec<i32> {
    let own = std::process::id() as i32;
    let shown = std::fs::read_link("/proc/self").ok();
    if shown.is_none_or(|shown| shown.as_os_str() != own.to_string().as_str()) {
        return Vec::new();
    }
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|pid| *pid != own).collect()
}
