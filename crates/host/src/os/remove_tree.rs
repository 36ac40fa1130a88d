//! Removes what bots have left in folders, however they left it.

use std::ffi::{CStr, CString};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, unlinkat};
use rustix::path::Arg;

/// Removes a folder with everything in it; follows no link.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    empty(folder)?;
    fs::remove_dir(folder)
}

/// Removes everything in a folder; follows no link.
///
/// A bot may have taken our rights to its folders away, and may have nested them deeper than the
/// stack or the descriptors of a program that walks down go: only the folder at hand is open.
pub(crate) fn empty(folder: &Path) -> io::Result<()> {
    let mut here = enter(CWD, folder)?;
    // The folders on the way down, each with who its parent is.
    let mut way: Vec<(CString, FileId)> = Vec::new();
    loop {
        if let Some(name) = clear(&here)? {
            let below = enter(&here, &name)?;
            way.push((name, identity(&here)?));
            here = below;
        } else if let Some((name, parent)) = way.pop() {
            let above = openat(&here, c"..", FOLDER, Mode::empty())?;
            if identity(&above)? != parent {
                return Err(io::Error::other("folders are moved while they are removed"));
            }
            unlinkat(&above, &name, AtFlags::REMOVEDIR)?;
            here = above;
        } else {
            return Ok(());
        }
    }
}

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Which file something is, wherever it lies.
type FileId = (u64, u64);

fn identity(file: &OwnedFd) -> io::Result<FileId> {
    let stat = fstat(file)?;
    Ok((stat.st_dev, stat.st_ino))
}

/// Opens a folder after giving us the rights to it back, if it is ours.
fn enter(at: impl AsFd, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let path = openat(at.as_fd(), name, FOLDER | OFlags::PATH, Mode::empty())?;
    // If that fails, what follows fails as well and says so.
    let opened = format!("/proc/self/fd/{}", path.as_raw_fd());
    let _ = fs::set_permissions(opened, Permissions::from_mode(0o700));
    Ok(openat(at, name, FOLDER, Mode::empty())?)
}

/// Removes files until there is a folder among them.
fn clear(folder: &OwnedFd) -> io::Result<Option<CString>> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name: &CStr = entry.file_name();
        if [c".", c".."].contains(&name) {
            continue;
        }
        match unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) => {}
            Err(_) if is_folder(folder, name, entry.file_type()) => {
                return Ok(Some(name.to_owned()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

fn is_folder(at: &OwnedFd, name: &CStr, known: FileType) -> bool {
    known == FileType::Directory || openat(at, name, FOLDER | OFlags::PATH, Mode::empty()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("lanista-remove-tree-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("writable");
        folder
    }

    #[test]
    fn folders_without_rights_are_removed_and_links_are_not_followed() {
        let (top, outside) = (folder("rights"), folder("outside"));
        fs::write(outside.join("file"), "kept").expect("writable");
        fs::create_dir_all(top.join("a/b/c")).expect("writable");
        fs::create_dir_all(top.join("moved-1")).expect("writable");
        fs::write(top.join("a/b/file"), "").expect("writable");
        for name in ["link", "a/link", "a/b/c/link"] {
            std::os::unix::fs::symlink(&outside, top.join(name)).expect("writable");
        }
        for name in ["a/b/c", "a/b", "a", "."] {
            fs::set_permissions(top.join(name), Permissions::from_mode(0o0)).expect("ours");
        }
        remove(&top).expect("all of it is ours");
        assert!(top.symlink_metadata().is_err());
        assert_eq!(fs::read(outside.join("file")).expect("it is there"), b"kept");
        remove(&outside).expect("ours");
    }

    #[test]
    fn no_depth_is_too_deep() {
        let top = folder("deep");
        let made = std::process::Command::new("python3")
            .args(["-c", "import os\nfor _ in range(1500):\n os.mkdir('d')\n os.chdir('d')"])
            .current_dir(&top)
            .status();
        assert!(made.is_ok_and(|status| status.success()));
        remove(&top).expect("all of it is ours");
        assert!(top.symlink_metadata().is_err());
    }
}
