//! How much memory several processes use together, from what the kernel says about each of them.
//!
//! A quick figure first, which can only be too high. Only if that is too much, the exact one is
//! asked for, for which the kernel has to walk all pages.

use std::collections::{HashMap, HashSet};
use std::fs;

use super::disk::Mapped;
use super::shown::shown_at;

/// What the kernel may keep in the buffers of one socket: twice the largest that may be asked for.
const SOCKET: u64 = 416 << 10;

/// The same for a pipe.
const PIPE: u64 = 64 << 10;

/// What it keeps for everything that an `epoll` set watches.
const WATCH: u64 = 256;

/// What a bot uses of the memory it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// Bytes, at least if it is more than half of what is allowed.
    used: u64,
    most: u64,
    /// A process was gone when it was to be looked at, and another one may have what it had.
    pub(crate) misses_any: bool,
}

impl Use {
    /// What these processes use together of so many bytes.
    pub(crate) fn of(processes: &[i32], most: u64) -> Use {
        let quick: Vec<Quick> = processes.iter().filter_map(|pid| Quick::of(*pid)).collect();
        let misses_any = quick.len() < processes.len();
        let used: u64 = quick.into_iter().map(Quick::most).sum();
        if used <= most / 2 {
            return Use { used, most, misses_any };
        }
        let used = exact(processes);
        let misses_any = processes.iter().any(|pid| Quick::of(*pid).is_none());
        Use { used, most, misses_any }
    }

    /// The same, seen twice if it is too much: processes that start or end in the moment of a look
    /// may count twice.
    pub(crate) fn confirmed(self, processes: &[i32]) -> Use {
        if self.is_too_much() { Use::of(processes, self.most) } else { self }
    }

    /// More than allowed.
    pub(crate) fn is_too_much(self) -> bool {
        self.used > self.most
    }

    /// So much that it should be looked at often.
    pub(crate) fn is_much(self) -> bool {
        self.used > self.most / 2
    }
}

/// About how much these processes use together, quickly.
pub(crate) fn memory_estimate(processes: &[i32]) -> u64 {
    processes.iter().filter_map(|pid| Quick::of(*pid)).map(Quick::likely).sum()
}

/// What the kernel says of a process without a walk through its pages.
#[derive(Clone, Copy, Debug, Default)]
struct Quick {
    /// In memory, what is shared included, swapped out, and in tables of pages.
    counted: u64,
    tables: u64,
    /// Addresses of what may be shared with others and need not be in memory to take room.
    shareable: u64,
    /// Room for so many descriptors.
    descriptors: u64,
}

impl Quick {
    fn of(pid: i32) -> Option<Quick> {
        let (_, text) = shown_at(pid)?;
        let number = |name: &str| {
            let rest = text.lines().find_map(|line| line.strip_prefix(name))?.trim();
            rest.strip_suffix(" kB").unwrap_or(rest).trim().parse::<u64>().ok()
        };
        let kib = |name: &str| number(name).map(|kib| kib << 10);
        let all = kib("VmSize:")?;
        let tables = kib("VmPTE:").unwrap_or(0);
        let own = ["VmData:", "VmStk:", "VmExe:", "VmLib:"].map(|name| kib(name).unwrap_or(0));
        Some(Quick {
            counted: kib("VmRSS:")? + kib("VmSwap:").unwrap_or(0) + tables,
            tables,
            shareable: all.saturating_sub(own.iter().sum()),
            descriptors: number("FDSize:").unwrap_or(0),
        })
    }

    /// The most it can use.
    fn most(self) -> u64 {
        self.counted + self.shareable + self.descriptors * SOCKET
    }

    /// What it may use. Room for a few descriptors is there even if none is open.
    fn likely(self) -> u64 {
        const FEW: u64 = 64;
        self.counted + self.shareable + self.descriptors.saturating_sub(FEW) * SOCKET
    }
}

/// What is shared is divided among those who share it. Memory that processes share without a file
/// counts by its size: it takes room even when nobody's tables show it. So do buffers of sockets
/// and pipes.
fn exact(processes: &[i32]) -> u64 {
    let mut private = 0;
    let mut in_sight = 0;
    let mut shared = HashMap::new();
    let mut buffers = HashSet::new();
    for pid in processes {
        let Some(quick) = Quick::of(*pid) else { continue };
        match (rollup(*pid), shared_sizes(*pid, &mut shared), count_buffers(*pid, &mut buffers)) {
            (Some(pages), Some(()), Some(())) => {
                private += pages.private + quick.tables;
                in_sight += pages.shared;
            }
            // It is on its way out, or it hides. Who hides is taken to use all it can.
            (_, _, _) => private += Quick::of(*pid).map_or(0, Quick::most),
        }
    }
    let buffers = buffers.iter().map(|(size, _)| size).sum::<u64>();
    private + in_sight.max(shared.values().sum()) + buffers
}

struct Pages {
    private: u64,
    shared: u64,
}

fn rollup(pid: i32) -> Option<Pages> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    let anonymous = kib("Pss_Anon:").or_else(|| kib("Pss:"))?;
    let swapped = kib("SwapPss:").unwrap_or(0);
    let shared = kib("Pss_Shmem:").unwrap_or(0) << 10;
    Some(Pages { private: (anonymous + swapped) << 10, shared })
}

/// Adds the memory without a file that a process shares, by what it is and how far it reaches.
fn shared_sizes(pid: i32, sizes: &mut HashMap<u64, u64>) -> Option<()> {
    let text = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    const NAMELESS: [&str; 3] = ["/dev/zero", "/anon_hugepage", "/SYSV"];
    let removed = text.lines().filter(|line| line.ends_with(" (deleted)"));
    for mapped in removed.filter_map(Mapped::of) {
        if NAMELESS.iter().any(|start| mapped.path.starts_with(start)) {
            let size = sizes.entry(mapped.inode).or_default();
            *size = (*size).max(mapped.reaches);
        }
    }
    Some(())
}

/// Adds the sockets, pipes and `epoll` sets that a process has open, with what each may hold.
fn count_buffers(pid: i32, found: &mut HashSet<(u64, String)>) -> Option<()> {
    for entry in fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten() {
        let Ok(target) = fs::read_link(entry.path()) else { continue };
        let name = target.to_string_lossy();
        if name.starts_with("socket:") {
            found.insert((SOCKET, name.into_owned()));
        } else if name.starts_with("pipe:") {
            found.insert((PIPE, name.into_owned()));
        } else if name == "anon_inode:[eventpoll]" {
            // All of them have this name.
            let number = entry.file_name();
            let info = format!("/proc/{pid}/fdinfo/{}", number.display());
            let watches = fs::read_to_string(info).unwrap_or_default().matches("tfd:").count();
            found.insert((watches as u64 * WATCH, format!("{pid} {}", number.display())));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MUCH: u64 = 64 << 20;

    fn own() -> [i32; 1] {
        [std::process::id() as i32]
    }

    #[test]
    fn a_process_uses_what_it_has_touched() {
        let before = Quick::of(own()[0]).expect("it lives").counted;
        let touched = std::hint::black_box(vec![1_u8; MUCH as usize]);
        let after = Quick::of(own()[0]).expect("it lives").counted;
        assert!(after >= before + MUCH * 9 / 10, "{before} {after}");
        assert!(exact(&own()) >= MUCH);
        assert!(Use::of(&own(), MUCH).is_too_much());
        assert!(!Use::of(&own(), 1 << 40).is_much());
        drop(touched);
    }

    #[test]
    fn a_process_that_is_gone_uses_nothing() {
        assert_eq!(exact(&[i32::MAX]), 0);
        let used = Use::of(&[i32::MAX], 0);
        assert!(!used.is_too_much() && used.misses_any);
        assert!(!Use::of(&own(), MUCH).misses_any);
    }

    #[test]
    fn sockets_count_with_what_they_may_hold() {
        let before = exact(&own());
        let pairs = (0..200).map(|_| std::os::unix::net::UnixStream::pair().expect("allowed"));
        let pairs = pairs.collect::<Vec<_>>();
        let after = exact(&own());
        // Other tests of this process use memory, too.
        assert!(after > before / 2 + 300 * SOCKET, "{before} {after}");
        drop(pairs);
    }

    #[test]
    fn epoll_sets_count_with_what_they_watch() {
        use rustix::event::epoll;
        let pipes: Vec<_> = (0..100).map(|_| rustix::pipe::pipe().expect("allowed")).collect();
        let set = epoll::create(epoll::CreateFlags::CLOEXEC).expect("allowed");
        for (index, (reading, _)) in pipes.iter().enumerate() {
            let data = epoll::EventData::new_u64(index as u64);
            epoll::add(&set, reading, data, epoll::EventFlags::IN).expect("allowed");
        }
        let mut found = HashSet::new();
        count_buffers(own()[0], &mut found).expect("it lives");
        let watched = format!("{} {}", own()[0], std::os::fd::AsRawFd::as_raw_fd(&set));
        assert!(found.contains(&(100 * WATCH, watched)), "{found:?}");
    }
}
