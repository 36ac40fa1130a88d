//! The sole right to play in a folder.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use game::printable;

use crate::folder::Folder;
use crate::store::{StoreError, failed};

/// No more is read of who has the right.
const LONGEST: u64 = 256;

/// The sole right to play in a folder. The system takes it back when the process ends, however.
pub struct Lock(#[expect(dead_code, reason = "held until it is dropped")] File);

impl Lock {
    /// Takes the right, or says who has it.
    pub fn take(dir: &Path) -> Result<Lock, StoreError> {
        let folder = Folder::open(dir).map_err(failed("open", dir.to_owned()))?;
        let wrong = |what| failed(what, folder.at("run.lock"));
        let mut file = folder.read_and_write("run.lock").map_err(wrong("open"))?;
        if file.metadata().is_ok_and(|meta| meta.nlink() > 1) {
            let error = io::Error::other("it is a file that has another name elsewhere");
            return Err(wrong("open")(error));
        }
        let operation = rustix::fs::FlockOperation::NonBlockingLockExclusive;
        if let Err(error) = rustix::fs::flock(&file, operation) {
            if error != rustix::io::Errno::WOULDBLOCK {
                return Err(wrong("lock")(error.into()));
            }
            let mut who = String::new();
            let _ = (&mut file).take(LONGEST).read_to_string(&mut who);
            let by = match who.trim() {
                "" => String::new(),
                pid => format!(" ({})", printable(pid.as_bytes(), 60)),
            };
            return Err(StoreError::Locked { path: dir.display().to_string(), by });
        }
        let _ = file.set_len(0);
        let _ = writeln!(file, "process {}", std::process::id());
        Ok(Lock(file))
    }
}
