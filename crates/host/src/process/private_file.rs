//! Private files of one process: the file that a game promises, a folder for what it writes.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use table::PrivateFile;

use crate::cage::{Access, Bind, Extras, Walls};
use crate::os::remove_tree;

/// A folder of one process's own; gone when dropped.
#[derive(Debug)]
pub(crate) struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Makes it, under the run's own folder or that for temporary files.
    fn new(under: Option<&Path>, name: &str) -> io::Result<OwnFolder> {
        let under = under.map_or_else(std::env::temp_dir, Path::to_owned);
        let folder = under.join(name);
        DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(OwnFolder(folder))
    }

    /// For the temporary files of a process that keeps nothing, where it has no /tmp of its own.
    pub(crate) fn temporary(
        under: Option<&Path>,
        mark: &str,
        extras: &mut Extras,
    ) -> io::Result<OwnFolder> {
        let folder = OwnFolder::new(under, &format!("lanista-temporary-{mark}"))?;
        extras.temporary = Some(folder.0.canonicalize()?);
        Ok(folder)
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        let _ = remove_tree::remove(&self.0);
    }
}

/// A folder of one process's own with its promised file; gone when dropped.
#[derive(Debug)]
pub(crate) struct PrivateFileOnDisk {
    folder: OwnFolder,
    file: PathBuf,
    promised: PrivateFile,
}

impl PrivateFileOnDisk {
    /// Keeps the promise: puts what the process needs into `extras`. Nothing is to be kept here
    /// if the file lives in the cage alone.
    pub(crate) fn promise(
        promised: PrivateFile,
        walls: Option<Walls>,
        under: Option<&Path>,
        mark: &str,
        extras: &mut Extras,
    ) -> io::Result<Option<PrivateFileOnDisk>> {
        let inside = PathBuf::from(&promised.path);
        let around = inside.parent().expect("a promised file has a folder").to_owned();
        let others = promised.env.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        extras.env.extend(others);
        let variable = promised.variable.to_owned();
        let (kept, file) = match (walls, promised.keep) {
            (Some(Walls::Namespaces), false) => {
                let alias = promised.alias.iter().map(|name| (around.join(name), ".".into()));
                extras.links.extend(alias);
                extras.rooms.push((around, promised.most));
                (None, inside)
            }
            (Some(Walls::Namespaces), true) => {
                let kept = PrivateFileOnDisk::new(promised, under, mark)?;
                let source = kept.folder.0.canonicalize()?;
                extras.binds.push(Bind { inside: around, source, access: Access::Own });
                (Some(kept), inside)
            }
            (Some(Walls::Rules) | None, _) => {
                let kept = PrivateFileOnDisk::new(promised, under, mark)?;
                let source = kept.folder.0.canonicalize()?;
                let file = kept.file.clone();
                extras.binds.push(Bind { inside: source.clone(), source, access: Access::Own });
                (Some(kept), file)
            }
        };
        extras.env.push((variable, file.to_string_lossy().into_owned()));
        Ok(kept)
    }

    fn new(
        promised: PrivateFile,
        under: Option<&Path>,
        mark: &str,
    ) -> io::Result<PrivateFileOnDisk> {
        let name = Path::new(&promised.path).file_name().expect("a promised file has a name");
        let folder = OwnFolder::new(under, &format!("lanista-memory-{mark}"))?;
        let kept = PrivateFileOnDisk { file: folder.0.join(name), folder, promised };
        if let Some(alias) = &kept.promised.alias {
            symlink(".", kept.folder.0.join(alias))?;
        }
        Ok(kept)
    }

    /// What is in the file, if the replay is to hold it. Whatever else the process has put in
    /// its place is not followed and not read.
    pub(crate) fn content(&self) -> Option<Vec<u8>> {
        if !self.promised.keep {
            return None;
        }
        let careful = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
        let file: File =
            OpenOptions::new().read(true).custom_flags(careful).open(&self.file).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut content = Vec::new();
        file.take(self.promised.most).read_to_end(&mut content).ok()?;
        Some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(mark: &str) -> PrivateFileOnDisk {
        let promised = PrivateFile {
            path: "/tmp/agents/a1.json".to_owned(),
            alias: Some("a1".to_owned()),
            variable: "AGENT_MEMORY",
            env: vec![("AGENT_ID", "a1".to_owned())],
            most: 10,
            keep: true,
        };
        PrivateFileOnDisk::new(promised, None, &format!("test-{}-{mark}", std::process::id()))
            .expect("made")
    }

    #[test]
    fn a_promised_file_is_read_up_to_its_cap_and_gone_afterwards() {
        let kept = kept("cap");
        assert_eq!(kept.content(), None, "nothing has been written");
        std::fs::write(kept.folder.0.join("a1/a1.json"), "0123456789abc").expect("writable");
        assert_eq!(kept.content().as_deref(), Some(&b"0123456789"[..]));
        let folder = kept.folder.0.clone();
        drop(kept);
        assert!(!folder.exists());
    }

    #[test]
    fn links_pipes_and_folders_in_its_place_are_not_read() {
        let kept = kept("odd");
        symlink("/etc/passwd", &kept.file).expect("a link");
        assert_eq!(kept.content(), None, "a link");
        std::fs::remove_file(&kept.file).expect("removed");
        let fifo = rustix::fs::mkfifoat(rustix::fs::CWD, &kept.file, rustix::fs::Mode::RWXU);
        fifo.expect("a pipe");
        assert_eq!(kept.content(), None, "a pipe");
        std::fs::remove_file(&kept.file).expect("removed");
        std::fs::create_dir(&kept.file).expect("a folder");
        assert_eq!(kept.content(), None, "a folder");
    }
}
