//! The file that a game promises each of its processes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, openat};
use table::PrivateFile;

use crate::cage::{Access, Bind, Extras, Walls};
use crate::process::own_folders::{OwnFolder, OwnFolders};

/// The file that a process was promised and that is read in the end; gone when dropped.
#[derive(Debug)]
pub(crate) struct PromisedFile {
    place: FilePlace,
    promised: PrivateFile,
}

/// Where a promised file is.
#[derive(Debug)]
enum FilePlace {
    /// In a folder of the process's own.
    Folder(OwnFolder),
    /// In a folder in memory that its cage has. The handle comes with the cage.
    Cage(Option<OwnedFd>),
}

impl PromisedFile {
    /// Keeps the promise: puts what the process needs into `extras`. Returns the file if it is to be
    /// read in the end, or lies in a folder that goes with it.
    pub(crate) fn promise(
        promised: PrivateFile,
        walls: Option<Walls>,
        folders: &Arc<OwnFolders>,
        mark: &str,
        extras: &mut Extras,
    ) -> io::Result<Option<PromisedFile>> {
        let inside = PathBuf::from(&promised.path);
        let around = inside.parent().expect("a promised file has a folder").to_owned();
        let others = promised.env.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        extras.env.extend(others);
        let variable = promised.variable.to_owned();
        let (kept, file) = match walls {
            Some(Walls::Namespaces) => {
                let alias = promised.alias.iter().map(|name| (around.join(name), ".".into()));
                extras.links.extend(alias);
                extras.rooms.push((around, promised.most));
                let kept =
                    promised.keep.then(|| PromisedFile { place: FilePlace::Cage(None), promised });
                (kept, inside)
            }
            Some(Walls::Rules) => {
                let folder = folders.fresh(&format!("lanista-memory-{mark}"))?;
                let source = folder.path.canonicalize()?;
                extras.binds.push(Bind { inside: source.clone(), source, access: Access::Own });
                in_folder(folder, promised)?
            }
            None => in_folder(folders.any(&format!("lanista-memory-{mark}"))?, promised)?,
        };
        extras.env.push((variable, file.to_string_lossy().into_owned()));
        Ok(kept)
    }

    /// There is a cage, with this folder for the file.
    pub(crate) fn is_in(&mut self, room: OwnedFd) {
        if let FilePlace::Cage(handle) = &mut self.place {
            *handle = Some(room);
        }
    }

    /// What is in the file, if the replay is to hold it. Whatever else the process has put in
    /// its place is not followed and not read.
    pub(crate) fn content(&self) -> Option<Vec<u8>> {
        if !self.promised.keep {
            return None;
        }
        let careful = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let flags = OFlags::RDONLY | careful;
        let name = file_name(&self.promised);
        let file = match &self.place {
            FilePlace::Folder(folder) => openat(CWD, folder.path.join(name), flags, Mode::empty()),
            FilePlace::Cage(room) => openat(room.as_ref()?, name, flags, Mode::empty()),
        };
        let file = File::from(file.ok()?);
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut content = Vec::new();
        file.take(self.promised.most).read_to_end(&mut content).ok()?;
        Some(content)
    }
}

/// A promised file in a folder of the host, and its path.
fn in_folder(
    folder: OwnFolder,
    promised: PrivateFile,
) -> io::Result<(Option<PromisedFile>, PathBuf)> {
    if let Some(alias) = &promised.alias {
        folder.add_alias(alias)?;
    }
    let file = folder.path.join(file_name(&promised));
    Ok((Some(PromisedFile { place: FilePlace::Folder(folder), promised }), file))
}

fn file_name(promised: &PrivateFile) -> &OsStr {
    Path::new(&promised.path).file_name().expect("a promised file has a name")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A promised file in a folder of the host, and in one of which there is a handle.
    fn kept(mark: &str) -> [(PromisedFile, Option<OwnFolder>, PathBuf); 2] {
        let promised = || PrivateFile {
            path: "/tmp/agents/a1.json".to_owned(),
            alias: Some("a1".to_owned()),
            variable: "AGENT_MEMORY",
            env: vec![("AGENT_ID", "a1".to_owned())],
            most: 10,
            keep: true,
        };
        ["folder", "handle"].map(|place| {
            let mark = format!("test-{}-{mark}-{place}", std::process::id());
            let folder = OwnFolders::default().fresh(&mark).expect("made");
            folder.add_alias("a1").expect("a link");
            let path = folder.path.clone();
            let mut kept = PromisedFile { place: FilePlace::Cage(None), promised: promised() };
            assert_eq!(kept.content(), None, "there is no cage");
            if place == "folder" {
                kept.place = FilePlace::Folder(folder);
                return (kept, None, path);
            }
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            kept.is_in(openat(CWD, &path, flags, Mode::empty()).expect("a handle"));
            (kept, Some(folder), path)
        })
    }

    #[test]
    fn a_promised_file_is_read_up_to_its_cap_and_gone_afterwards() {
        for (kept, folder, path) in kept("cap") {
            assert_eq!(kept.content(), None, "nothing has been written");
            std::fs::write(path.join("a1/a1.json"), "0123456789abc").expect("writable");
            assert_eq!(kept.content().as_deref(), Some(&b"0123456789"[..]));
            drop((kept, folder));
            assert!(!path.exists());
        }
    }

    #[test]
    fn links_pipes_and_folders_in_its_place_are_not_read() {
        for (kept, _folder, path) in kept("odd") {
            let file = path.join("a1.json");
            symlink("/etc/passwd", &file).expect("a link");
            assert_eq!(kept.content(), None, "a link");
            std::fs::remove_file(&file).expect("removed");
            let fifo = rustix::fs::mkfifoat(CWD, &file, Mode::RWXU);
            fifo.expect("a pipe");
            assert_eq!(kept.content(), None, "a pipe");
            std::fs::remove_file(&file).expect("removed");
            std::fs::create_dir(&file).expect("a folder");
            assert_eq!(kept.content(), None, "a folder");
        }
    }
}
