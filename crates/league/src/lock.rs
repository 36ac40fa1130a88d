//! The sole right to play in a folder.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use crate::store::StoreError;

/// The sole right to play in a folder. The system takes it back when the process ends, however.
pub struct Lock(#[expect(dead_code, reason = "held until it is dropped")] File);

impl Lock {
    /// Takes the right, or says who has it.
    pub fn take(dir: &Path) -> Result<Lock, StoreError> {
        let path = dir.join("run.lock");
        let wrong = |what| {
            let path = path.display().to_string();
            move |error| StoreError::File { what, path, error }
        };
        let mut options = File::options();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(wrong("open"))?;
        let operation = rustix::fs::FlockOperation::NonBlockingLockExclusive;
        if let Err(error) = rustix::fs::flock(&file, operation) {
            if error != rustix::io::Errno::WOULDBLOCK {
                return Err(wrong("lock")(error.into()));
            }
            let who = std::fs::read_to_string(&path).unwrap_or_default();
            let by = match who.trim() {
                "" => String::new(),
                pid => format!(" ({pid})"),
            };
            return Err(StoreError::Locked { path: dir.display().to_string(), by });
        }
        let _ = file.set_len(0);
        let _ = writeln!(file, "process {}", std::process::id());
        Ok(Lock(file))
    }
}
