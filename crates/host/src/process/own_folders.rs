//! Folders of the host for what single processes write, where no cage has a folder in memory for it.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::fs::{AtFlags, CWD, linkat};

use crate::os::remove_tree;

/// The folders of a run's processes.
#[derive(Debug, Default)]
pub(crate) struct OwnFolders {
    /// The run's own folder, if it has one; otherwise they lie where temporary files do.
    under: Option<PathBuf>,
    /// Those that are empty again. On common file systems a new folder takes a tenth of a whole start.
    free: Mutex<Vec<PathBuf>>,
    /// A link to the folder that it lies in: another name for it is cheaper than another link.
    here: OnceLock<Option<PathBuf>>,
}

/// A folder of one process's own; gone when dropped, or empty.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    pub(crate) path: PathBuf,
    /// Where it is free for the next process.
    of: Option<Arc<OwnFolders>>,
}

impl OwnFolders {
    /// Under the run's own folder, which is removed in the end, or else where temporary files are.
    pub(crate) fn new(under: Option<PathBuf>) -> OwnFolders {
        OwnFolders { under, ..OwnFolders::default() }
    }

    /// A folder that no process has had before.
    pub(crate) fn fresh(&self, name: &str) -> io::Result<OwnFolder> {
        let under = self.under.clone().unwrap_or_else(std::env::temp_dir);
        let path = under.join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(OwnFolder { path, of: None })
    }

    /// A folder that another process may have had, for one that nothing shuts in: it could look at
    /// those of others in any case.
    pub(crate) fn any(self: &Arc<Self>, name: &str) -> io::Result<OwnFolder> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(path) = free {
            return Ok(OwnFolder { path, of: Some(self.clone()) });
        }
        let mut folder = self.fresh(name)?;
        // Elsewhere nobody would remove in the end what is free.
        folder.of = self.under.is_some().then(|| self.clone());
        Ok(folder)
    }
}

impl OwnFolder {
    /// Makes this name in it lead to the folder itself.
    pub(crate) fn add_alias(&self, name: &str) -> io::Result<()> {
        let alias = self.path.join(name);
        let here = self.of.as_ref().and_then(|of| of.here.get_or_init(|| make_here(of)).as_ref());
        match here.map(|here| linkat(CWD, here, CWD, &alias, AtFlags::empty())) {
            Some(Ok(())) => Ok(()),
            // There may be too many of them, or none on this file system.
            Some(Err(_)) | None => symlink(".", alias),
        }
    }
}

fn make_here(of: &OwnFolders) -> Option<PathBuf> {
    let here = of.under.as_deref()?.join("here");
    match symlink(".", &here) {
        Ok(()) => Some(here),
        // Matches that were played before have left it.
        Err(error) => (error.kind() == io::ErrorKind::AlreadyExists).then_some(here),
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        match self.of.take().filter(|_| remove_tree::empty(&self.path).is_ok()) {
            Some(of) => {
                let path = std::mem::take(&mut self.path);
                of.free.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            }
            None => {
                let _ = remove_tree::remove(&self.path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_free_again_is_empty_whatever_was_left_in_it() {
        let under = std::env::temp_dir().join(format!("lanista-own-{}", std::process::id()));
        std::fs::create_dir(&under).expect("writable");
        let folders = Arc::new(OwnFolders::new(Some(under.clone())));
        let first = folders.any("first").expect("made");
        let path = first.path.clone();
        first.add_alias("a1").expect("a link");
        std::fs::write(path.join("a1/a1.json"), "1").expect("the link leads back");
        std::fs::create_dir_all(path.join("deep/below")).expect("writable");
        let other = folders.any("other").expect("made");
        assert_ne!(other.path, path, "the first is not free");
        drop(first);
        let next = folders.any("next").expect("there is one");
        assert_eq!(next.path, path);
        assert_eq!(std::fs::read_dir(&path).expect("it is there").count(), 0);
        next.add_alias("a2").expect("a link");
        std::fs::write(path.join("a2.json"), "2").expect("writable");
        assert_eq!(std::fs::read(path.join("a2/a2.json")).expect("the link leads back"), b"2");
        let caged = folders.fresh("caged").expect("made");
        let fresh = caged.path.clone();
        drop(caged);
        assert!(!fresh.exists(), "it is never used again");
        // One that was taken away is not given to anybody.
        std::fs::rename(&other.path, under.join("moved")).expect("it can be moved");
        drop(other);
        assert_ne!(folders.any("last").expect("made").path, path, "the other is still used");
        drop(next);
        remove_tree::remove(&under).expect("removed");
    }

    #[test]
    fn without_a_folder_of_the_run_nothing_is_left() {
        let folders = Arc::new(OwnFolders::new(None));
        let own = folders.any(&format!("lanista-own-alone-{}", std::process::id())).expect("made");
        own.add_alias("a1").expect("a link");
        let path = own.path.clone();
        assert!(path.join("a1").is_dir());
        drop(own);
        assert!(!path.exists());
    }
}
