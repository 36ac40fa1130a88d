//! Replays on the disk: written whole or not at all, and never in the place of another game's.

use std::io;
use std::path::PathBuf;

use league::Folder;
use table::{Log, Record};

use crate::user_files;

/// Writes a replay into a folder and says where it is. A game that has been played before, and went
/// the same way, takes the place of the one before; any other gets a name that is free.
pub(crate) fn replay(log: &Log, folder: &Folder) -> io::Result<PathBuf> {
    let id = &log.header().id;
    let unfinished = format!(".{id}.{}.lrz", std::process::id());
    folder.write_later(&unfinished, &log.to_file()?)?;
    let keep = || -> io::Result<PathBuf> {
        for number in 1.. {
            let name = match number {
                1 => format!("{id}.lrz"),
                number => format!("{id}-{number}.lrz"),
            };
            if folder.move_to_free(&unfinished, &name)? {
                return Ok(folder.at(name));
            }
            if is_same(log, folder, &name) {
                folder.replace(&unfinished, &name)?;
                return Ok(folder.at(name));
            }
        }
        unreachable!("numbers do not end")
    };
    keep().inspect_err(|_| {
        let _ = folder.remove(&unfinished);
    })
}

/// Whether the file of this name is a replay of the same game. What is no ordinary file is not.
fn is_same(log: &Log, folder: &Folder, name: &str) -> bool {
    let there =
        folder.read(name).ok().and_then(|file| user_files::read(file, Record::LONGEST_FILE).ok());
    let there = there.and_then(|bytes| Record::read(&bytes).ok());
    there.is_some_and(|there| there.is_same_game(&log.clone().into_record()))
}
