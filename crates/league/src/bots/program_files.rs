//! Whether the files of a bot are still what they were when the run began: looked at before every
//! game.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::bots::identity::digest_like;

/// The files that a bot is made of.
#[derive(Clone, Debug, Default)]
pub struct BotFiles {
    files: Vec<KnownFile>,
    looked: Option<Instant>,
}

#[derive(Clone, Debug)]
struct KnownFile {
    path: PathBuf,
    /// As people know it.
    shown: String,
    digest: String,
    stamp: Stamp,
}

/// What the system says of a file; all zero if it is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp([i64; 6]);

impl Stamp {
    pub(crate) fn of(path: &Path) -> Stamp {
        let Ok(about) = path.symlink_metadata() else { return Stamp::default() };
        let (device, inode) = (about.dev() as i64, about.ino() as i64);
        let (changed, nanoseconds) = (about.ctime(), about.ctime_nsec());
        Stamp([device, inode, about.size() as i64, about.mtime(), changed, nanoseconds])
    }
}

/// So many files are looked at before every game. A look takes a microsecond a file.
const FEW: usize = 64;
/// More than that are looked at again after so long.
const SELDOM: Duration = Duration::from_millis(200);

impl BotFiles {
    /// One more file, as it was when it was read.
    pub(crate) fn add(&mut self, path: PathBuf, shown: String, digest: String, stamp: Stamp) {
        self.files.push(KnownFile { path, shown, digest, stamp });
    }

    /// What has changed first, in words. A file that was only touched has not.
    pub(crate) fn changed(&mut self) -> Option<String> {
        if self.files.len() > FEW && self.looked.is_some_and(|looked| looked.elapsed() < SELDOM) {
            return None;
        }
        self.looked = Some(Instant::now());
        for file in &mut self.files {
            let stamp = Stamp::of(&file.path);
            if stamp == file.stamp {
                continue;
            }
            match digest_like(&file.path, &file.digest) {
                Ok(digest) if digest == file.digest => file.stamp = stamp,
                Ok(_) => return Some(format!("{} has changed", file.shown)),
                Err(_) => return Some(format!("{} is gone", file.shown)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::TestFolder;

    #[test]
    fn a_file_that_is_replaced_is_seen_and_one_that_is_touched_is_not() {
        let own = TestFolder::new("bot-files");
        let path = own.0.join("bot.py");
        std::fs::write(&path, "one").expect("ours");
        let (stamp, digest) = (Stamp::of(&path), digest_like(&path, "").expect("it is there"));
        let mut files = BotFiles::default();
        files.add(path.clone(), "bot.py".to_owned(), digest, stamp);
        assert_eq!(files.changed(), None);
        // The same again, by another file in its place.
        std::fs::write(own.0.join("new"), "one").expect("ours");
        std::fs::rename(own.0.join("new"), &path).expect("ours");
        assert_eq!(files.changed(), None);
        std::fs::write(&path, "two").expect("ours");
        assert_eq!(files.changed().as_deref(), Some("bot.py has changed"));
        std::fs::remove_file(&path).expect("ours");
        assert_eq!(files.changed().as_deref(), Some("bot.py is gone"));
    }
}
