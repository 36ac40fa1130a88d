//! How much a bot keeps in the folder that outlives its process, seen from inside.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::bot::Limits;

/// Whether a folder holds more than a bot may keep.
pub(crate) fn holds_too_much(folder: &Path, limits: &Limits) -> bool {
    exceeds(folder, limits.disk_mb << 20, limits.files)
}

/// Whether a folder holds more than allowed: bytes, or files. One that cannot be looked into does.
pub(crate) fn exceeds(folder: &Path, bytes: u64, files: u64) -> bool {
    let mut left = Left { bytes, files };
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

struct Left {
    bytes: u64,
    files: u64,
}

impl Left {
    /// Subtracts what is in a folder; `None` if there is not enough, or it cannot be looked into.
    /// The folders in it come to those that are still to be looked at. Follows no link.
    fn take(&mut self, folder: &Path, folders: &mut Vec<PathBuf>) -> Option<()> {
        for entry in fs::read_dir(folder).ok()? {
            // What has just been removed takes no room.
            let Ok((entry, meta)) = entry.and_then(|entry| entry.metadata().map(|m| (entry, m)))
            else {
                continue;
            };
            const BLOCK: u64 = 512;
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
        let over = |bytes, files| exceeds(&folder, bytes, files);
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
}
