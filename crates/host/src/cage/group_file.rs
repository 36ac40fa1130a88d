//! Files of control groups that every process of a bot needs. To open one costs more than to read it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::os::os_limits::may_stay_open;

/// A file of a group.
#[derive(Debug)]
pub(crate) enum GroupFile {
    /// It stays open as long as there is the group.
    Open(File),
    /// It is opened whenever it is needed: there are no descriptors to spare.
    Closed(PathBuf, FileUse),
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileUse {
    /// To be read, or, a folder, to be named.
    Read,
    Write,
}

impl FileUse {
    fn open(self, path: &Path) -> io::Result<File> {
        OpenOptions::new().read(self == FileUse::Read).write(self == FileUse::Write).open(path)
    }
}

impl GroupFile {
    /// One that is opened for this.
    pub(crate) fn new(path: PathBuf, used: FileUse) -> GroupFile {
        match used.open(&path) {
            Ok(file) if may_stay_open(&file) => GroupFile::Open(file),
            // If it is not there, whoever needs it hears why.
            Ok(_) | Err(_) => GroupFile::Closed(path, used),
        }
    }

    /// What it says now.
    pub(crate) fn read(&self) -> io::Result<String> {
        match self {
            GroupFile::Open(file) => {
                // They are short, and the kernel writes them anew for whoever reads from the start.
                let mut text = [0; 4096];
                let length = file.read_at(&mut text, 0)?;
                Ok(String::from_utf8_lossy(&text[..length]).into_owned())
            }
            GroupFile::Closed(path, _) => fs::read_to_string(path),
        }
    }

    /// A descriptor for whoever is to use it.
    pub(crate) fn lend(&self) -> io::Result<OwnedFd> {
        let file = match self {
            GroupFile::Open(file) => file.try_clone(),
            GroupFile::Closed(path, used) => used.open(path),
        };
        file.map(OwnedFd::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_says_now_whether_it_stays_open_or_not() {
        let path = std::env::temp_dir().join(format!("lanista-group-file-{}", std::process::id()));
        fs::write(&path, "oom_kill 0\n").expect("writable");
        let read = GroupFile::new(path.clone(), FileUse::Read);
        let files = [read, GroupFile::Closed(path.clone(), FileUse::Read)];
        assert!(matches!(files[0], GroupFile::Open(_)), "tests have descriptors to spare");
        for text in ["oom_kill 0\n", "oom_kill 1\n"] {
            fs::write(&path, text).expect("writable");
            for file in &files {
                assert_eq!(file.read().expect("it is there"), text);
            }
        }
        let write = GroupFile::new(path.clone(), FileUse::Write);
        for file in [write, GroupFile::Closed(path.clone(), FileUse::Write)] {
            fs::write(&path, "").expect("writable");
            rustix::io::write(file.lend().expect("it is there"), b"0").expect("writable");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), "0");
        }
        fs::remove_file(&path).expect("it is ours");
        assert!(GroupFile::new(path, FileUse::Read).read().is_err());
    }
}
