//! The folder in which the bots of a run keep files.
//!
//! It goes with the run. If the host is killed while bots play, the guard removes it; if there is no
//! guard at that moment, because nobody plays, the next run of the same user that ends does. A folder
//! is in use as long as somebody holds its lock, which the kernel takes away from whoever ends.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, fstat, openat};
use rustix::io::Errno;

use crate::bot::spec::{BotSpec, Keeps, Program};
use crate::os::remove_tree;
use crate::process::run_processes::unique_name;
use crate::run::RunError;

/// What the names of all of these folders begin with.
const PREFIX: &str = "lanista-run-";

/// A folder for the files of a run's bots, removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// None where the file system has no locks: then nobody else can hold it, either.
    _lock: Option<OwnedFd>,
}

impl Scratch {
    /// Makes a folder that nobody else uses.
    pub fn new() -> Result<Scratch, RunError> {
        let made = Scratch::under(&std::env::temp_dir());
        made.map_err(|error| RunError::System { what: "make a folder for the bots", error })
    }

    fn under(place: &Path) -> io::Result<Scratch> {
        // Other users have no business there. Bots that root starts are other users, however.
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        loop {
            let path = place.join(format!("{PREFIX}{}", unique_name()));
            DirBuilder::new().mode(mode).create(&path)?;
            match hold(&path) {
                // Whoever was looking for abandoned ones was faster: it is gone.
                Err(Errno::WOULDBLOCK | Errno::NOENT) => {}
                held => {
                    let made = Scratch { path, _lock: held.ok() };
                    // Whatever the user gives to what they make themselves.
                    std::fs::set_permissions(&made.path, Permissions::from_mode(mode))?;
                    return Ok(made);
                }
            }
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that the bot of this number in the roster keeps from game to game, made if need
    /// be; `None` for one that keeps nothing.
    pub fn kept_by(&self, index: usize, bot: &BotSpec) -> Option<Result<PathBuf, RunError>> {
        match (&bot.program, bot.keeps) {
            (Program::Command { .. }, Keeps::Folder) => {}
            (Program::BuiltIn(_) | Program::Person, _)
            | (Program::Command { .. }, Keeps::Nothing) => return None,
        }
        let path = self.path.join(index.to_string());
        let made = std::fs::create_dir_all(&path)
            .map_err(|error| RunError::System { what: "make a folder for a bot", error });
        Some(made.map(|()| path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = remove_tree::remove(&self.path);
        if let Some(place) = self.path.parent() {
            remove_abandoned(place);
        }
    }
}

/// Takes the lock of a folder, which is that of this path.
fn hold(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(CWD, path, flags, Mode::empty())?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
    let held = fstat(&folder)?;
    match path.symlink_metadata() {
        Ok(there) if (there.dev(), there.ino()) == (held.st_dev, held.st_ino) => Ok(folder),
        // It was removed before it was locked.
        Ok(_) | Err(_) => Err(Errno::NOENT),
    }
}

/// Whether a folder has a name that we give, and nobody else would.
fn is_name_of_ours(name: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    name.strip_prefix(PREFIX)
        .is_some_and(|rest| rest.split('.').count() == 3 && rest.split('.').all(is_number))
}

/// Removes the folders of this user's runs whose host has ended and could not.
fn remove_abandoned(place: &Path) {
    let user = rustix::process::geteuid().as_raw();
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_name_of_ours));
    for path in ours.map(|entry| entry.path()) {
        if path.symlink_metadata().is_ok_and(|folder| folder.uid() == user)
            && let Ok(_lock) = hold(&path)
        {
            let _ = remove_tree::remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_a_killed_host_has_left_goes_with_the_next_run_and_nothing_else_does() {
        let place = std::env::temp_dir().join(format!("lanista-scratch-{}", std::process::id()));
        std::fs::create_dir(&place).expect("writable");
        let kept = place.join("kept");
        std::fs::create_dir_all(place.join(format!("{PREFIX}1.2.0/3/deep"))).expect("writable");
        std::fs::create_dir_all(place.join("lanista-1.2.0")).expect("writable");
        std::fs::create_dir(&kept).expect("writable");
        std::fs::write(kept.join("file"), "x").expect("writable");
        symlink(&kept, place.join(format!("{PREFIX}1.2.1"))).expect("a link");
        std::fs::write(place.join(format!("{PREFIX}1.2.2")), "x").expect("writable");
        std::fs::create_dir(place.join(format!("{PREFIX}cup"))).expect("writable");
        let running = Scratch::under(&place).expect("made");
        std::fs::write(running.path().join("file"), "x").expect("writable");
        let ended = Scratch::under(&place).expect("made");
        let name = ended.path().file_name().and_then(|name| name.to_str());
        assert!(name.is_some_and(is_name_of_ours), "{name:?}");
        assert_ne!(running.path(), ended.path());
        drop(ended);
        let names = || {
            let entries = std::fs::read_dir(&place).expect("it is there").flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.path()).collect();
            names.sort();
            names
        };
        let others =
            ["kept", "lanista-1.2.0", "lanista-run-1.2.1", "lanista-run-1.2.2", "lanista-run-cup"];
        let mut left: Vec<_> = others.iter().map(|name| place.join(name)).collect();
        left.push(running.path().to_owned());
        left.sort();
        assert_eq!(names(), left);
        assert!(running.path().join("file").exists() && kept.join("file").exists());
        drop(running);
        assert_eq!(names().len(), others.len());
        remove_tree::remove(&place).expect("removed");
    }
}
