//! How much a bot keeps in the folder that outlives its process: what is in it, and files that were
//! in it, are removed and still open.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::shown::shown_at;
use crate::bot::limits::Limits;

/// Whether a folder holds more than a bot with these processes may keep.
pub(crate) fn holds_too_much(folder: &Path, processes: &[i32], limits: &Limits) -> bool {
    exceeds(folder, processes, limits.disk_mb << 20, limits.files)
}

/// Whether a folder holds more than allowed: bytes, or files. What its processes have removed from it and
/// keep open counts. If it cannot be looked into, or a process cannot, it does.
pub(crate) fn exceeds(folder: &Path, processes: &[i32], bytes: u64, files: u64) -> bool {
    let mut removed = HashMap::new();
    for pid in processes {
        let Some((place, _)) = shown_at(*pid) else { continue };
        if still_open(&place, folder, &mut removed) == Sight::Hidden && has_executed(*pid) {
            return true;
        }
        still_mapped(&place, folder, &mut removed);
    }
    let Some(bytes) = bytes.checked_sub(removed.values().sum()) else { return true };
    let mut left = DiskLeft { bytes, files };
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        if left.take(&next, &mut folders).is_none() {
            // What has just been removed takes no room.
            let gone = || next.symlink_metadata().is_err_and(|e| e.kind() == ErrorKind::NotFound);
            if next == folder || !gone() {
                return true;
            }
        }
    }
    false
}

const BLOCK: u64 = 512;

/// Whether it can be seen what a process has open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Open,
    Hidden,
}

/// Removed files of a folder that a process has open, by their numbers, with the room they take. `place`
/// is where the process is shown.
fn still_open(place: &str, folder: &Path, found: &mut HashMap<u64, u64>) -> Sight {
    let entries = match fs::read_dir(format!("{place}/fd")) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Sight::Hidden,
        entries => entries.into_iter().flatten().flatten(),
    };
    for entry in entries {
        if fs::read_link(entry.path()).is_ok_and(|path| path.starts_with(folder))
            && let Ok(meta) = fs::metadata(entry.path())
            && meta.is_file()
            && meta.nlink() == 0
        {
            found.insert(meta.ino(), meta.blocks() * BLOCK);
        }
    }
    Sight::Open
}

/// Whether a process is not the one any more that has yet to become a bot, into which nobody can look. That
/// leads its group or is in none of the cage, which no process of a bot can bring about.
fn has_executed(pid: i32) -> bool {
    const NEVER_EXECUTED: u64 = 0x40;
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Its name may be anything, and is in brackets.
    let words = text.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
    let numbers: Vec<u64> = words.skip(1).map(|word| word.parse().unwrap_or(0)).collect();
    match numbers[..] {
        [_, group, _, _, _, flags, ..] => {
            flags & NEVER_EXECUTED == 0 || (group != 0 && group != pid as u64)
        }
        // It has ended.
        _ => false,
    }
}

/// The same for those that are only mapped into memory; their size is not known, but how far it
/// is mapped.
fn still_mapped(place: &str, folder: &Path, found: &mut HashMap<u64, u64>) {
    let text = fs::read_to_string(format!("{place}/maps")).unwrap_or_default();
    for line in text.lines().filter(|line| line.ends_with(" (deleted)")) {
        if let Some(Mapped { inode, reaches, path }) = Mapped::of(line)
            && Path::new(path).starts_with(folder)
        {
            let size = found.entry(inode).or_default();
            *size = (*size).max(reaches);
        }
    }
}

/// A line of `/proc/PID/maps` that names a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mapped<'a> {
    pub(crate) inode: u64,
    /// Up to which byte of the file.
    pub(crate) reaches: u64,
    pub(crate) path: &'a str,
}

impl Mapped<'_> {
    pub(crate) fn of(line: &str) -> Option<Mapped<'_>> {
        // 7f31c0000000-7f31c4000000 rw-s 00000000 00:01 2051                 /dev/zero (deleted)
        let mut words = line.splitn(6, ' ');
        let (from, to) = words.next()?.split_once('-')?;
        let offset = words.nth(1)?;
        let inode = words.nth(1)?.parse().ok()?;
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let length = hex(to)?.saturating_sub(hex(from)?);
        let reaches = hex(offset)?.saturating_add(length);
        Some(Mapped { inode, reaches, path: words.next()?.trim_start() })
    }
}

struct DiskLeft {
    bytes: u64,
    files: u64,
}

impl DiskLeft {
    /// Subtracts what is in a folder; `None` if there is not enough, or it cannot be looked into.
    /// The folders in it come to those that are still to be looked at. Follows no link.
    fn take(&mut self, folder: &Path, folders: &mut Vec<PathBuf>) -> Option<()> {
        for entry in fs::read_dir(folder).ok()? {
            // What has just been removed takes no room.
            let Ok((entry, meta)) = entry.and_then(|entry| entry.metadata().map(|m| (entry, m)))
            else {
                continue;
            };
            self.bytes = self.bytes.checked_sub(meta.blocks() * BLOCK)?;
            self.files = self.files.checked_sub(1)?;
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_files_are_counted_all_the_way_down() {
        let folder = std::env::temp_dir().join(format!("lanista-disk-{}", std::process::id()));
        fs::create_dir_all(folder.join("a/b")).expect("writable");
        fs::write(folder.join("a/b/c"), [7; 100_000]).expect("writable");
        std::os::unix::fs::symlink("/usr", folder.join("link")).expect("writable");
        let over = |bytes, files| exceeds(&folder, &[], bytes, files);
        assert!(!over(1 << 20, 4));
        assert!(over(1 << 20, 3));
        assert!(over(90_000, 100));
        let deep: PathBuf = std::iter::repeat_n("d", 500).collect();
        fs::create_dir_all(folder.join(deep)).expect("writable");
        assert!(!over(1 << 23, 600), "no depth is too much by itself");
        assert!(over(1 << 23, 500));
        fs::remove_dir_all(&folder).expect("it is there");
        assert!(over(1 << 20, 4), "what cannot be looked into is not trusted");
    }

    #[test]
    fn a_removed_file_counts_as_long_as_it_is_open() {
        let folder = std::env::temp_dir().join(format!("lanista-gone-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("writable");
        let own = [std::process::id() as i32];
        let path = folder.join("removed");
        fs::write(&path, [7; 300_000]).expect("writable");
        let file = fs::File::open(&path).expect("it is there");
        fs::remove_file(&path).expect("it is there");
        let over = |bytes| exceeds(&folder, &own, bytes, 10);
        assert!(over(290_000));
        assert!(!over(1 << 20));
        drop(file);
        assert!(!over(290_000));
        fs::remove_dir_all(&folder).expect("it is there");
    }

    #[test]
    fn who_has_executed_a_program_is_a_bot() {
        assert!(has_executed(std::process::id() as i32));
        assert!(!has_executed(i32::MAX), "it has ended");
    }

    #[test]
    fn a_mapped_file_is_found_with_how_far_it_is_mapped() {
        let line = "7f31c0000000-7f31c0004000 rw-s 00001000 fe:01 2051     /a b/c (deleted)";
        let mapped = Mapped { inode: 2051, reaches: 0x5000, path: "/a b/c (deleted)" };
        assert_eq!(Mapped::of(line), Some(mapped));
        assert_eq!(Mapped::of("7ffd1000-7ffd2000 rw-p 00000000 00:00 0"), None);
        assert_eq!(Mapped::of("nonsense"), None);
    }
}
