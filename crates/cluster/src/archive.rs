//! The files of a bot as one piece of content, called by its SHA-256.
//!
//! An archive comes from a stranger. It holds plain files alone, below a folder of its own: no
//! links, no devices, no path that leads out, and neither too many nor too large.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use table::Raw;
use thiserror::Error;

use crate::wire;

/// An archive has no more files, bytes in all, and folders below each other.
const MOST_FILES: usize = 10_000;
pub(crate) const MOST_BYTES: u64 = 256 << 20;
const DEEPEST: usize = 16;
/// What names of files and folders may have.
const LONGEST_NAME: usize = 255;

/// Plain files, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    files: Vec<ArchivedFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ArchivedFile {
    path: String,
    executable: bool,
    bytes: Raw,
}

/// Why files cannot travel, or an archive is refused.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// A path that does not lie below the archive's folder.
    #[error("\"{0}\" is no path of an archive")]
    Path(String),
    /// A path that is there twice.
    #[error("\"{0}\" is there twice")]
    Twice(String),
    /// Too many files.
    #[error("it has more than {MOST_FILES} files")]
    Files,
    /// Too large.
    #[error("it is larger than {} MiB", MOST_BYTES >> 20)]
    Bytes,
    /// Not an archive.
    #[error("it is not an archive: {0}")]
    Broken(String),
    /// Nothing that has files.
    #[error("a person sits at one machine")]
    Person,
    /// The system failed.
    #[error("{path}: {error}")]
    System {
        /// Where.
        path: String,
        /// What it said.
        error: io::Error,
    },
}

fn system(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError + '_ {
    move |error| ArchiveError::System { path: path.display().to_string(), error }
}

/// Checks that a path has plain names alone.
fn check_path(path: &str) -> Result<(), ArchiveError> {
    let plain = |name: &str| {
        !matches!(name, "" | "." | "..") && name.len() <= LONGEST_NAME && !name.contains('\0')
    };
    let names = path.split('/');
    match names.clone().all(plain) && names.count() <= DEEPEST {
        true => Ok(()),
        false => Err(ArchiveError::Path(game::printable(path.as_bytes(), 100))),
    }
}

impl Archive {
    /// Adds the file at `from`. One that is there already stays.
    pub fn add(&mut self, path: &str, from: &Path) -> Result<(), ArchiveError> {
        check_path(path)?;
        if self.files.iter().any(|file| file.path == path) {
            return Ok(());
        }
        if self.files.len() >= MOST_FILES {
            return Err(ArchiveError::Files);
        }
        let file = fs::File::open(from).map_err(system(from))?;
        let about = file.metadata().map_err(system(from))?;
        let executable = about.permissions().mode() & 0o111 != 0;
        let room = MOST_BYTES.saturating_sub(self.bytes());
        let mut bytes = Vec::new();
        file.take(room + 1).read_to_end(&mut bytes).map_err(system(from))?;
        if bytes.len() as u64 > room {
            return Err(ArchiveError::Bytes);
        }
        self.files.push(ArchivedFile { path: path.to_owned(), executable, bytes: Raw(bytes) });
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.0.len() as u64).sum()
    }

    /// Its bytes: the same for the same files.
    pub fn to_bytes(mut self) -> Vec<u8> {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        wire::pack(&self)
    }

    /// Reads an archive, and refuses one that could do harm.
    pub fn read(bytes: &[u8]) -> Result<Archive, ArchiveError> {
        let archive: Archive =
            wire::unpack(bytes).map_err(|error| ArchiveError::Broken(error.to_string()))?;
        if archive.files.len() > MOST_FILES {
            return Err(ArchiveError::Files);
        }
        if archive.bytes() > MOST_BYTES {
            return Err(ArchiveError::Bytes);
        }
        archive.files.iter().try_for_each(|file| check_path(&file.path))?;
        for pair in archive.files.windows(2) {
            if pair[0].path >= pair[1].path {
                return Err(ArchiveError::Twice(pair[1].path.clone()));
            }
        }
        Ok(archive)
    }

    /// Writes its files into a folder that is made for them. Whoever else is about to do the same
    /// has done it then: the folder is there whole or not at all.
    pub fn unpack(&self, folder: &Path) -> Result<(), ArchiveError> {
        let unfinished = beside(folder);
        let made = self.write(&unfinished).and_then(|()| {
            match fs::rename(&unfinished, folder) {
                // It was there already.
                Err(_) if folder.is_dir() => Ok(()),
                renamed => renamed.map_err(system(folder)),
            }
        });
        if unfinished.exists() {
            let _ = fs::remove_dir_all(&unfinished);
        }
        made
    }

    fn write(&self, folder: &Path) -> Result<(), ArchiveError> {
        let make = |path: &Path| {
            fs::DirBuilder::new().recursive(true).mode(0o755).create(path).map_err(system(path))
        };
        make(folder)?;
        for file in &self.files {
            let path = folder.join(&file.path);
            make(path.parent().unwrap_or(folder))?;
            let mode = if file.executable { 0o755 } else { 0o644 };
            let mut options = fs::File::options();
            // The folder is new: nothing is there, no link either.
            let made = options.write(true).create_new(true).mode(mode).open(&path);
            made.and_then(|mut made| made.write_all(&file.bytes.0)).map_err(system(&path))?;
        }
        Ok(())
    }
}

/// Where a folder is made before it gets its name.
fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{:x}", std::process::id(), host::random_seed()));
    folder.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(paths: &[&str]) -> Vec<u8> {
        let file = |path: &&str| ArchivedFile {
            path: (*path).to_owned(),
            executable: true,
            bytes: Raw(b"x".to_vec()),
        };
        wire::pack(&Archive { files: paths.iter().map(file).collect() })
    }

    #[test]
    fn archives_that_lead_out_of_their_folder_are_refused() {
        for path in ["../x", "/etc/x", "a/../../x", "a//b", ".", "", "a/.", "a\0b", "a/"] {
            assert!(Archive::read(&with(&[path])).is_err(), "{path:?}");
        }
        assert!(Archive::read(&with(&[&"a/".repeat(20), "b"])).is_err(), "too deep");
        assert!(Archive::read(&with(&["a", "a"])).is_err(), "twice");
        assert!(Archive::read(&with(&["b", "a"])).is_err(), "one archive has one digest");
        Archive::read(&with(&["a", "b/c d", "b/é"])).expect("plain paths");
        assert!(Archive::read(b"no archive").is_err());
    }

    #[test]
    fn what_was_packed_is_unpacked_once_whoever_else_does_the_same() {
        let own = std::env::temp_dir().join(format!("lanista-archive-{}", std::process::id()));
        let from = own.join("from");
        fs::create_dir_all(&from).expect("writable");
        fs::write(from.join("bot"), "#!/bin/sh\n").expect("writable");
        fs::set_permissions(from.join("bot"), fs::Permissions::from_mode(0o700)).expect("ours");
        let mut archive = Archive::default();
        archive.add("lib/bot", &from.join("bot")).expect("it is there");
        archive.add("lib/bot", &from.join("bot")).expect("once");
        let bytes = archive.to_bytes();
        let read = Archive::read(&bytes).expect("it is ours");
        let to = own.join("to");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| read.unpack(&to).expect("one of them makes it"));
            }
        });
        let mode = to.join("lib/bot").metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        assert_eq!(fs::read_dir(&own).expect("ours").count(), 2, "nothing is left beside it");
        // A file where a folder has to be.
        let odd = Archive::read(&with(&["a", "a/b"])).expect("the paths are plain");
        assert!(odd.unpack(&own.join("odd")).is_err());
        assert!(!own.join("odd").exists());
        fs::remove_dir_all(own).expect("ours");
    }
}
