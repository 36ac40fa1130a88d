//! Replays on the disk: written whole or not at all, and never in the place of another game's.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use table::{Log, Record};

/// Writes a replay into a folder and says where it is. A game that has been played before, and went
/// the same way, takes the place of the one before; any other gets a name that is free.
pub(crate) fn replay(log: &Log, folder: &Path) -> io::Result<PathBuf> {
    let id = &log.header().id;
    let unfinished = folder.join(format!(".{id}.{}.lrz.tmp", std::process::id()));
    let kept = std::fs::write(&unfinished, log.to_file()?).and_then(|()| {
        for number in 1.. {
            let name = match number {
                1 => format!("{id}.lrz"),
                number => format!("{id}-{number}.lrz"),
            };
            let path = folder.join(name);
            if move_to(&unfinished, &path)? {
                return Ok(path);
            }
            if is_same(log, &path) {
                std::fs::rename(&unfinished, &path)?;
                return Ok(path);
            }
        }
        unreachable!("numbers do not end")
    });
    if kept.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    kept
}

/// Moves a file unless there is one by that name.
fn move_to(from: &Path, to: &Path) -> io::Result<bool> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        // Some file systems cannot look and move in one step.
        Err(Errno::INVAL | Errno::NOSYS) if to.symlink_metadata().is_ok() => Ok(false),
        Err(Errno::INVAL | Errno::NOSYS) => std::fs::rename(from, to).map(|()| true),
        Err(error) => Err(error.into()),
    }
}

fn is_same(log: &Log, path: &Path) -> bool {
    let there = std::fs::read(path).ok().and_then(|bytes| Record::read(&bytes).ok());
    there.is_some_and(|there| there.is_same_game(&log.clone().into_record()))
}
