//! The lock of a run's folder: one process plays in it at a time.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use game::printable;

use crate::store::folder::Folder;
use crate::store::{StoreError, failed};

/// No more is read of who has the right.
const LONGEST: u64 = 256;

/// How long the one who has the right may take to give it back: a killed process takes a moment to
/// disappear.
const PATIENCE: Duration = Duration::from_secs(2);

/// The sole right to play in a folder. The system takes it back when the process ends, however.
pub struct Lock(#[expect(dead_code, reason = "held until it is dropped")] File);

impl Lock {
    /// Takes the right, or says who has it and keeps it.
    pub fn take(dir: &Path) -> Result<Lock, StoreError> {
        let folder = Folder::open(dir).map_err(failed("open", dir.to_owned()))?;
        let wrong = |what| failed(what, folder.at("run.lock"));
        let file = folder.read_and_write("run.lock").map_err(wrong("open"))?;
        if file.metadata().is_ok_and(|meta| meta.nlink() > 1) {
            let error = io::Error::other("it is a file that has another name elsewhere");
            return Err(wrong("open")(error));
        }
        let reader = file.try_clone().map_err(wrong("open"))?;
        let mut file = match locked(file) {
            Some(locked) => locked.map_err(wrong("lock"))?,
            None => {
                let mut who = String::new();
                let _ = reader.take(LONGEST).read_to_string(&mut who);
                let by = match who.trim() {
                    "" => String::new(),
                    pid => format!(" ({})", printable(pid.as_bytes(), 60)),
                };
                return Err(StoreError::Locked { path: dir.display().to_string(), by });
            }
        };
        let _ = file.set_len(0);
        let _ = writeln!(file, "process {}", std::process::id());
        Ok(Lock(file))
    }
}

/// The file, locked; `None` if somebody else keeps it locked.
fn locked(file: File) -> Option<io::Result<File>> {
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => return Some(Ok(file)),
        Err(Errno::WOULDBLOCK) => {}
        Err(error) => return Some(Err(error.into())),
    }
    // The system can wait for a lock, but not for a time. If it comes too late, nobody takes the
    // file from the channel, and with it the lock is given back.
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let lock = loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Err(Errno::INTR) => {}
                lock => break lock,
            }
        };
        let _ = send.send(lock.map(|()| file));
    });
    Some(receive.recv_timeout(PATIENCE).ok()?.map_err(io::Error::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_about_to_leave_is_waited_for() {
        let dir = std::env::temp_dir().join(format!("lanista-lock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("writable");
        let first = Lock::take(&dir).expect("nobody has it");
        let second = std::thread::scope(|scope| {
            let second = scope.spawn(|| Lock::take(&dir));
            drop(first);
            second.join().expect("no panic")
        });
        drop(second.expect("the first has gone"));
        std::fs::remove_dir_all(&dir).expect("it is ours");
    }
}
