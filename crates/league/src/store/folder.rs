//! A folder that files are kept in: everything in it is opened by its name relative to the folder,
//! and no symbolic link is followed there. A run's folder may have been made by a stranger.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

/// A folder, opened once.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

/// What the system tells files apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    number: u64,
}

/// What sort of thing is in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// An ordinary file.
    File,
    /// A socket.
    Socket,
    /// A link, or anything else.
    Other,
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Nothing that is opened may hold us up, or become our terminal.
const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
const ANYBODY: Mode = Mode::from_raw_mode(0o666);

impl Folder {
    /// Opens a folder that the user has named; links on the way are the user's own.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let handle = rustix::fs::openat(CWD, here, FOLDER, Mode::empty())?;
        Ok(Folder { handle, path: path.to_owned() })
    }

    /// Makes a folder that the user has named, with those around it.
    pub fn make(path: &Path) -> io::Result<Folder> {
        std::fs::create_dir_all(path)?;
        Folder::open(path)
    }

    /// A folder in this one, made if need be.
    pub fn make_inside(&self, name: impl AsRef<OsStr>) -> io::Result<Folder> {
        match rustix::fs::mkdirat(&self.handle, name.as_ref(), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => self.inside(name),
            Err(error) => Err(error.into()),
        }
    }

    /// A folder in this one.
    pub fn inside(&self, name: impl AsRef<OsStr>) -> io::Result<Folder> {
        let name = name.as_ref();
        let flags = FOLDER | OFlags::NOFOLLOW;
        let opened = rustix::fs::openat(&self.handle, name, flags, Mode::empty());
        let handle = opened.map_err(|error| self.explain(name, error))?;
        Ok(Folder { handle, path: self.at(name) })
    }

    /// Where it is, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file in it is.
    pub fn at(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path.join(name.as_ref())
    }

    /// A path to a file in it that is short and goes by the handle, for calls that take no handle.
    pub fn short_path(&self, name: &str) -> PathBuf {
        format!("/proc/self/fd/{}/{name}", self.handle.as_raw_fd()).into()
    }

    /// Opens a file to read.
    pub fn read(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_file(name.as_ref(), OFlags::RDONLY)
    }

    /// Opens a file to read and write; makes it if need be, and leaves what is in it.
    pub(crate) fn read_and_write(&self, name: &str) -> io::Result<File> {
        self.open_file(name.as_ref(), OFlags::RDWR | OFlags::CREATE)
    }

    fn open_file(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        let opened = rustix::fs::openat(&self.handle, name, FILE | flags, ANYBODY);
        let file = File::from(opened.map_err(|error| self.explain(name, error))?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::other("it is not an ordinary file")),
        }
    }

    /// A handle of a socket.
    pub(crate) fn socket(&self, name: &str) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match self.kind(name.as_ref()) {
            Some(FileType::Socket) => {
                Ok(rustix::fs::openat(&self.handle, name, flags, Mode::empty())?)
            }
            Some(_) | None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Refuses a link, or anything else that is no ordinary file, in the place of one.
    pub(crate) fn check_file(&self, name: &str) -> io::Result<()> {
        match self.kind(name.as_ref()) {
            None | Some(FileType::RegularFile) => Ok(()),
            Some(FileType::Symlink) => Err(self.explain(name.as_ref(), Errno::LOOP)),
            Some(_) => Err(io::Error::other("it is not an ordinary file")),
        }
    }

    /// What is there, without following a link; none if nothing is.
    fn kind(&self, name: &OsStr) -> Option<FileType> {
        let stat = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(stat.st_mode))
    }

    /// Which file bears this name: one that was removed and made again is another.
    pub(crate) fn identity(&self, name: &str) -> io::Result<FileIdentity> {
        let stat = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileIdentity { device: stat.st_dev, number: stat.st_ino })
    }

    fn explain(&self, name: &OsStr, error: Errno) -> io::Error {
        match self.kind(name) {
            Some(FileType::Symlink) => io::Error::other(
                "it is a symbolic link, and none is followed there; remove it, or name another \
                 folder",
            ),
            Some(_) | None => error.into(),
        }
    }

    /// Writes a file whole or not at all, and flushes it. A link in its place is replaced.
    pub(crate) fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
        self.put(name.as_ref(), bytes, File::sync_all)
    }

    /// The same, and the system flushes it when it likes.
    pub fn write_later(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
        self.put(name.as_ref(), bytes, |_| Ok(()))
    }

    fn put(
        &self,
        name: &OsStr,
        bytes: &[u8],
        flush: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut unfinished = name.to_owned();
        unfinished.push(".tmp");
        // Left behind by somebody who was killed, or put there by a stranger.
        let _ = rustix::fs::unlinkat(&self.handle, &*unfinished, AtFlags::empty());
        let write = || -> io::Result<()> {
            let flags = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            let opened = rustix::fs::openat(&self.handle, &*unfinished, flags, ANYBODY);
            let mut file = File::from(opened.map_err(|error| self.explain(&unfinished, error))?);
            file.write_all(bytes)?;
            flush(&file)?;
            Ok(rustix::fs::renameat(&self.handle, &*unfinished, &self.handle, name)?)
        };
        write().inspect_err(|_| {
            let _ = rustix::fs::unlinkat(&self.handle, &*unfinished, AtFlags::empty());
        })
    }

    /// Gives a file another name unless something is there by that name: then false.
    pub fn move_to_free(&self, from: &str, to: &str) -> io::Result<bool> {
        let here = &self.handle;
        match rustix::fs::renameat_with(here, from, here, to, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            // Some file systems cannot look and move in one step.
            Err(Errno::INVAL | Errno::NOSYS) if self.kind(to.as_ref()).is_some() => Ok(false),
            Err(Errno::INVAL | Errno::NOSYS) => self.replace(from, to).map(|()| true),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file another name, in the place of what is there.
    pub fn replace(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, from, &self.handle, to)?)
    }

    /// Whether files can be made in it.
    pub fn try_to_write(&self) -> io::Result<()> {
        let name = format!(".{}", std::process::id());
        self.write_later(&name, b"")?;
        self.remove(&name)
    }

    /// Whether a file in it has a name that ends like this.
    pub(crate) fn has_file_ending(&self, ending: &str) -> bool {
        let Ok(entries) = rustix::fs::Dir::read_from(&self.handle) else { return false };
        let mut names = entries.flatten();
        names.any(|entry| entry.file_name().to_bytes().ends_with(ending.as_bytes()))
    }

    /// Removes a file, or a link to one.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// A file's name is on the disk only when its folder is.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(self.handle.as_fd())?)
    }

    /// Where it really is.
    pub(crate) fn real_path(&self) -> io::Result<PathBuf> {
        self.short_path("").canonicalize()
    }

    /// What is in it, without following a link.
    pub fn entries(&self) -> io::Result<impl Iterator<Item = (OsString, EntryKind)> + '_> {
        let entries = rustix::fs::Dir::read_from(&self.handle)?;
        let named = |entry: rustix::fs::DirEntry| {
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
            let kind = match entry.file_type() {
                // Not every file system says it.
                FileType::Unknown => self.kind(&name),
                kind => Some(kind),
            };
            let kind = match kind {
                Some(FileType::Directory) => EntryKind::Folder,
                Some(FileType::RegularFile) => EntryKind::File,
                Some(FileType::Socket) => EntryKind::Socket,
                Some(_) | None => EntryKind::Other,
            };
            (name, kind)
        };
        let inside = |(name, _): &(OsString, EntryKind)| name != "." && name != "..";
        Ok(entries.flatten().map(named).filter(inside))
    }

    /// The same folder, opened once more.
    pub fn again(&self) -> io::Result<Folder> {
        Ok(Folder { handle: self.handle.try_clone()?, path: self.path.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_neither_read_nor_written_through() {
        let path = std::env::temp_dir().join(format!("lanista-folder-{}", std::process::id()));
        let folder = Folder::make(&path.join("run")).expect("writable");
        let outside = path.join("outside");
        std::fs::create_dir_all(&outside).expect("writable");
        std::fs::write(outside.join("file"), "kept").expect("writable");
        for name in ["a", "a.tmp", "lock"] {
            symlink(outside.join("file"), folder.at(name)).expect("writable");
        }
        symlink(&outside, folder.at("sub")).expect("writable");
        let refused = |result: io::Result<()>| {
            let words = result.expect_err("it is a link").to_string();
            assert!(words.contains("symbolic link"), "{words}");
        };
        refused(folder.read("a").map(drop));
        refused(folder.read_and_write("lock").map(drop));
        refused(folder.inside("sub").map(drop));
        refused(folder.make_inside("sub").map(drop));
        refused(folder.check_file("a"));
        folder.write("a", b"new").expect("the link is replaced");
        assert_eq!(std::fs::read(folder.at("a")).expect("it is there"), b"new");
        assert!(!folder.at("a").is_symlink());
        assert_eq!(std::fs::read(outside.join("file")).expect("it is there"), b"kept");
        std::fs::remove_dir_all(&path).expect("ours");
    }
}
