//! A small process that outlives the host by a moment and ends its bots if it was killed.
//!
//! The host holds the writing end of the guard's standard input. However the host ends, the
//! kernel closes it, and the guard ends every process that carries the run's mark or belongs to a
//! session of the launcher.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cage;
use crate::child::MARK;
use crate::litter;
use crate::reaper::{Mark, forget, mark_of, register, sweep};

/// The hidden first argument with which the program becomes a guard.
pub const GUARD_COMMAND: &str = "__guard";

/// What the host says when it has cleaned up itself, on a line.
const DISMISSED: &str = "dismissed";

/// The guard's own work: waits for the end of its input, then ends the bots of a run and
/// removes the folder they kept their files in, and their control groups. The arguments are those
/// that `Guard::post` gives it.
pub fn guard(mut args: impl Iterator<Item = OsString>) {
    let run = args.next().unwrap_or_default();
    let run = run.to_string_lossy();
    let scratch = args.next().filter(|folder| !folder.is_empty());
    // It must outlive a Ctrl-C in the terminal.
    let _ = rustix::process::setsid();
    let mut told = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut told);
    let told = String::from_utf8_lossy(&told);
    if told.lines().last() == Some(DISMISSED) {
        return;
    }
    let sessions = told.lines().filter_map(|line| line.parse().ok()).collect();
    kill_all(&run, &sessions);
    if let Some(folder) = scratch {
        let _ = litter::remove(Path::new(&folder));
    }
    // Cages fall by themselves when the host is gone; it takes them a moment.
    const LONGEST: Duration = Duration::from_secs(10);
    let by = Instant::now() + LONGEST;
    args.for_each(|folder| cage::remove_all(Path::new(&folder), &run, by));
}

/// Ends every process that carries a mark of the run or belongs to one of these sessions.
fn kill_all(run: &str, sessions: &BTreeSet<u32>) {
    let prefix = format!("{run}-");
    let marked = |pid| matches!(mark_of(pid), Mark::Theirs(mark) if mark.starts_with(&prefix));
    // A process may fork while it is looked for: go on until a whole round finds none.
    for _ in 0..100 {
        let Ok(processes) = std::fs::read_dir("/proc") else { return };
        let pids = processes.flatten().filter_map(|entry| {
            entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok())
        });
        let mut found = false;
        for pid in pids {
            let theirs = session_of(pid).is_some_and(|session| sessions.contains(&session));
            if (theirs || marked(pid))
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

/// The session of a process that has not ended.
fn session_of(pid: i32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Its name may be anything, and is in brackets.
    let (_, rest) = text.rsplit_once(") ")?;
    let mut words = rest.split(' ');
    match words.next()? {
        "Z" | "X" => None,
        _ => words.nth(2)?.parse().ok(),
    }
}

/// The guards on duty, by their numbers, and what they are told on.
static POSTED: Mutex<BTreeMap<u32, ChildStdin>> = Mutex::new(BTreeMap::new());

fn posted() -> MutexGuard<'static, BTreeMap<u32, ChildStdin>> {
    POSTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells every guard on duty of a session whose processes end with the host.
pub(crate) fn tell(session: u32) {
    for guard in posted().values_mut() {
        // One that has been killed cannot be told anything.
        let _ = writeln!(guard, "{session}");
    }
}

/// A guard that watches over this process; dismissed when dropped.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Posts a guard for the bots of `run`, which the launcher of `session` starts if there is one.
    /// `exe` is this program; control groups were made in `groups`.
    pub(crate) fn post(
        exe: &Path,
        run: &str,
        scratch: Option<&Path>,
        groups: &[&Path],
        session: Option<u32>,
    ) -> std::io::Result<Guard> {
        let mut command = Command::new(exe);
        command.args([GUARD_COMMAND, run]).arg(scratch.unwrap_or(Path::new("")));
        command.args(groups).env_remove(MARK);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = register("", Pid::from_child, || command.spawn())?;
        let stdin = process.stdin.take().expect("it was asked for");
        let mut posted = posted();
        let stdin = posted.entry(process.id()).or_insert(stdin);
        let told = session.map_or(Ok(()), |session| writeln!(stdin, "{session}"));
        drop(posted);
        let guard = Guard(process);
        told.map(|()| guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut stdin) = posted().remove(&self.0.id()) {
            let _ = stdin.write_all(DISMISSED.as_bytes());
        }
        let _ = self.0.wait();
        forget(Pid::from_child(&self.0), "");
        sweep();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Our own session may have been begun outside of what we can see, where it has no number.
    #[test]
    fn a_process_belongs_to_its_session_until_it_has_ended() {
        let mut leader = Command::new("setsid");
        leader.args(["sh", "-c", "echo here; read end"]);
        leader.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut leader = leader.spawn().expect("it can be started");
        let mut here = [0; 5];
        leader.stdout.take().expect("asked for").read_exact(&mut here).expect("it speaks");
        assert_eq!(session_of(leader.id() as i32), Some(leader.id()));
        drop(leader.stdin.take());
        let ended = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        let itself = rustix::process::WaitId::Pid(Pid::from_child(&leader));
        rustix::process::waitid(itself, ended).expect("it ends");
        assert_eq!(session_of(leader.id() as i32), None);
        leader.wait().expect("it has ended");
    }
}
