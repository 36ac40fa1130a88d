//! A small process that outlives the host by a moment and ends its bots if it was killed.
//!
//! The host holds the writing end of the guard's standard input. However the host ends, the
//! kernel closes it, and the guard ends every process that carries the run's mark.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cage::{self, Remaining};
use crate::child::MARK;
use crate::litter;
use crate::reaper::{Mark, forget, mark_of, register, sweep};

/// The hidden first argument with which the program becomes a guard.
pub const GUARD_COMMAND: &str = "__guard";

/// What the host says when it has cleaned up itself.
const DISMISSED: &[u8] = b"dismissed";

/// The guard's own work: waits for the end of its input, then ends the bots of a run and
/// removes the folder they kept their files in, and their control groups. The arguments are those
/// that `Guard::post` gives it.
pub fn guard(mut args: impl Iterator<Item = OsString>) {
    let run = args.next().unwrap_or_default();
    let run = run.to_string_lossy();
    let scratch = args.next().filter(|folder| !folder.is_empty());
    // It must outlive a Ctrl-C in the terminal.
    let _ = rustix::process::setsid();
    let mut last_words = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut last_words);
    if last_words == DISMISSED {
        return;
    }
    kill_all(&run);
    if let Some(folder) = scratch {
        let _ = litter::remove(Path::new(&folder));
    }
    let folders: Vec<PathBuf> = args.map(PathBuf::from).collect();
    // Cages fall by themselves when the host is gone; it takes them a moment.
    let began = Instant::now();
    const LONGEST: Duration = Duration::from_secs(10);
    while began.elapsed() < LONGEST {
        let left = folders.iter().map(|folder| cage::remove_all(folder, &run));
        if left.filter(|left| *left == Remaining::Some).count() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill_all(run: &str) {
    let prefix = format!("{run}-");
    // A process may fork while it is looked for: go on until a whole round finds none.
    for _ in 0..100 {
        let Ok(processes) = std::fs::read_dir("/proc") else { return };
        let pids = processes.flatten().filter_map(|entry| {
            entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok())
        });
        let mut found = false;
        for pid in pids {
            if let Mark::Theirs(mark) = mark_of(pid)
                && mark.starts_with(&prefix)
                && let Some(pid) = Pid::from_raw(pid)
            {
                found |= kill_process(pid, Signal::KILL).is_ok();
            }
        }
        if !found {
            return;
        }
    }
}

/// A guard that watches over this process; dismissed when dropped.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Posts a guard for the bots of `run`. `exe` is this program; control groups were made in
    /// `groups`.
    pub(crate) fn post(
        exe: &Path,
        run: &str,
        scratch: Option<&Path>,
        groups: &[&Path],
    ) -> std::io::Result<Guard> {
        let mut command = Command::new(exe);
        command.args([GUARD_COMMAND, run]).arg(scratch.unwrap_or(Path::new("")));
        command.args(groups).env_remove(MARK);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Guard(register("", || command.spawn())?))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.0.stdin.take() {
            let _ = stdin.write_all(DISMISSED);
        }
        let _ = self.0.wait();
        forget(Pid::from_child(&self.0), "");
        sweep();
    }
}
