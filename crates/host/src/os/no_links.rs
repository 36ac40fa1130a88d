//! Opens files by paths on which no symbolic link is followed: what was checked is what is opened.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, chownat, fstat, openat, openat2,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};

/// A handle of a file or folder, good for mounting it and for rules about it. A symbolic link
/// anywhere on the way is an error.
pub(crate) fn handle(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Systems before 5.6, and containers whose filters do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(path),
        result => Ok(result?),
    }
}

/// The same for systems that have no call for it.
fn step_by_step(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here = openat(CWD, c"/", flags, Mode::empty())?;
    for part in path.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(name) => here = openat(&here, name, flags, Mode::empty())?,
            Component::ParentDir | Component::Prefix(_) => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
        }
        if FileType::from_raw_mode(fstat(&here)?.st_mode).is_symlink() {
            return Err(Errno::LOOP.into());
        }
    }
    Ok(here)
}

/// Whether a handle is that of a folder.
pub(crate) fn is_folder(handle: &OwnedFd) -> io::Result<bool> {
    Ok(FileType::from_raw_mode(fstat(handle)?.st_mode).is_dir())
}

/// Makes a file or folder that user's.
pub(crate) fn give(handle: &OwnedFd, user: u32) -> io::Result<()> {
    let (owner, group) = (Uid::from_raw(user), Gid::from_raw(user));
    Ok(chownat(handle, c"", Some(owner), Some(group), AtFlags::EMPTY_PATH)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_on_the_way_or_at_the_end_is_an_error_with_and_without_the_call() {
        let folder = std::env::temp_dir().join(format!("lanista-links-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("real/deep")).expect("writable");
        let folder = folder.canonicalize().expect("it is there");
        symlink(folder.join("real"), folder.join("link")).expect("writable");
        for open in [handle, step_by_step] {
            assert!(is_folder(&open(&folder.join("real/deep")).expect("no link")).expect("known"));
            for name in ["link", "link/deep"] {
                let error = open(&folder.join(name)).expect_err("it is a link");
                assert_eq!(error.raw_os_error(), Some(libc::ELOOP), "{name}");
            }
            let error = open(&folder.join("none")).expect_err("it is not there");
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
        std::fs::remove_dir_all(&folder).expect("ours");
    }
}
