//! The guard: a small process that ends the bots if the host is killed.
//!
//! The launcher makes it. The host holds the writing end of the guard's standard input. However the
//! host ends, the kernel closes it, and the guard ends every process that carries the run's mark or
//! belongs to a session of the launcher or of a bot that has not been reaped.
#![expect(unsafe_code, reason = "closes the descriptors that it was started with")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::stdio::dup2_stdin;

use crate::cage;
use crate::os::placement::place_this_thread_anywhere;
use crate::os::remove_tree;
use crate::process::reaper::{Owner, ProcessMark, mark_of};
use crate::process::run_processes::RunProcesses;
use crate::process_wide::CHILDREN;

/// What a guard is told, each followed by a zero: a letter, and what it stands for.
mod told {
    /// The run whose bots it ends.
    pub(crate) const RUN: u8 = b'r';
    /// A session whose processes it ends.
    pub(crate) const SESSION: u8 = b's';
    /// A session that has ended, whose number may be somebody else's from now on.
    pub(crate) const ENDED: u8 = b'e';
    /// A folder it removes.
    pub(crate) const FOLDER: u8 = b'f';
    /// Where control groups have been made.
    pub(crate) const GROUPS: u8 = b'g';
    /// The host has cleaned up itself.
    pub(crate) const DISMISSED: u8 = b'd';
}

/// The guard's own work, in a process that the launcher has made: waits for the end of its input,
/// then ends the bots of a run and removes the folder they kept their files in, and their control
/// groups.
pub(crate) fn stand(input: &OwnedFd) -> ! {
    // It must outlive a Ctrl-C in the terminal, and the launcher.
    let _ = rustix::process::setsid();
    place_this_thread_anywhere();
    if dup2_stdin(input).is_err() {
        cage::leave(1);
    }
    // SAFETY: from here on this process uses the standard streams alone, opens and closes what it looks
    // at, and leaves without dropping what it was started with.
    unsafe { cage::close_from(3) };
    let mut duty = Duty::default();
    // What the host was saying when it was killed may be cut short.
    let mut words = io::stdin().lock();
    let mut word = Vec::new();
    while words.read_until(0, &mut word).is_ok() && word.pop() == Some(0) {
        duty.hear(&word);
        word.clear();
    }
    duty.act();
    cage::leave(0)
}

/// What is to be done when the host has ended.
#[derive(Debug, Default)]
struct Duty {
    run: Option<String>,
    sessions: BTreeSet<u32>,
    folders: Vec<PathBuf>,
    groups: Vec<PathBuf>,
}

impl Duty {
    fn hear(&mut self, word: &[u8]) {
        let Some((kind, what)) = word.split_first() else { return };
        let text = String::from_utf8_lossy(what);
        let path = || PathBuf::from(OsStr::from_bytes(what));
        match (*kind, text.parse::<u32>()) {
            (told::RUN, _) => self.run = Some(text.into_owned()),
            (told::SESSION, Ok(session)) => _ = self.sessions.insert(session),
            (told::ENDED, Ok(session)) => _ = self.sessions.remove(&session),
            (told::FOLDER, _) => self.folders.push(path()),
            (told::GROUPS, _) => self.groups.push(path()),
            (told::DISMISSED, _) => *self = Duty::default(),
            _ => {}
        }
    }

    fn act(&self) {
        let Some(run) = &self.run else { return };
        kill_all(run, &self.sessions);
        for folder in &self.folders {
            let _ = remove_tree::remove(folder);
        }
        // Cages fall by themselves when the host is gone; it takes them a moment.
        const LONGEST: Duration = Duration::from_secs(10);
        let by = Instant::now() + LONGEST;
        self.groups.iter().for_each(|folder| cage::remove_all(folder, run, by));
    }
}

/// Ends every process that carries a mark of the run or belongs to one of these sessions.
fn kill_all(run: &str, sessions: &BTreeSet<u32>) {
    let prefix = format!("{run}-");
    let marked =
        |pid| matches!(mark_of(pid), ProcessMark::Theirs(mark) if mark.starts_with(&prefix));
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

fn word(kind: u8, what: &[u8]) -> Vec<u8> {
    [&[kind], what, &[0]].concat()
}

/// What the guard of a run is told on while it is on duty.
#[derive(Debug, Default)]
pub(crate) struct GuardLine(Mutex<OnDuty>);

#[derive(Debug, Default)]
struct OnDuty {
    input: Option<File>,
    /// The session of the launcher that it knows.
    launcher: Option<u32>,
}

impl OnDuty {
    fn tell(&mut self, kind: u8, what: &[u8]) {
        if let Some(input) = &mut self.input {
            // One that has been killed cannot be told anything.
            let _ = input.write_all(&word(kind, what));
        }
    }
}

impl GuardLine {
    fn lock(&self) -> MutexGuard<'_, OnDuty> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells it of a session whose processes end with the host.
    pub(crate) fn tell_session(&self, session: u32) {
        self.lock().tell(told::SESSION, session.to_string().as_bytes());
    }

    /// Tells it that a session has ended.
    pub(crate) fn tell_end(&self, session: u32) {
        self.lock().tell(told::ENDED, session.to_string().as_bytes());
    }

    /// Tells it the launcher's session, to which everything belongs that the launcher makes until it is a
    /// bot, unless it knows that one.
    pub(crate) fn tell_launcher(&self, session: u32) {
        let mut on_duty = self.lock();
        if on_duty.launcher.replace(session) != Some(session) {
            on_duty.tell(told::SESSION, session.to_string().as_bytes());
        }
    }

    /// A guard goes on duty. It is told the launcher's session if that is known.
    fn begin(&self, input: File) {
        let mut on_duty = self.lock();
        on_duty.input = Some(input);
        if let Some(session) = on_duty.launcher {
            on_duty.tell(told::SESSION, session.to_string().as_bytes());
        }
    }

    fn end(&self) {
        let mut on_duty = self.lock();
        on_duty.tell(told::DISMISSED, &[]);
        on_duty.input = None;
    }
}

/// A guard that watches over the processes of a run; dismissed when dropped.
#[derive(Debug)]
pub(crate) struct Guard<'r> {
    process: Pid,
    of: &'r RunProcesses,
}

impl<'r> Guard<'r> {
    /// Posts a guard for the bots of a run. `exe` is this program; control groups were made in
    /// `groups`.
    pub(crate) fn post(
        exe: &Path,
        of: &'r RunProcesses,
        scratch: Option<&Path>,
        groups: Option<&Path>,
    ) -> io::Result<Guard<'r>> {
        let bytes = |path: &Path| path.as_os_str().as_bytes().to_owned();
        let mut told = word(told::RUN, of.name().as_bytes());
        told.extend(scratch.into_iter().flat_map(|path| word(told::FOLDER, &bytes(path))));
        told.extend(groups.iter().flat_map(|path| word(told::GROUPS, &bytes(path))));
        let (process, input) = match make(exe, &told, &of.guard) {
            Err(error) if error.kind() == cage::LOST => make(exe, &told, &of.guard)?,
            made => made?,
        };
        of.guard.begin(input);
        Ok(Guard { process, of })
    }
}

/// Makes a guard that knows this from its first moment.
fn make(exe: &Path, told: &[u8], line: &GuardLine) -> io::Result<(Pid, File)> {
    let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
    let mut ours = File::from(ours);
    ours.write_all(told)?;
    Ok((cage::post_guard(exe, &theirs, line)?, ours))
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.of.guard.end();
        let _ = retry_on_intr(|| waitpid(Some(self.process), WaitOptions::empty()));
        CHILDREN.forget(self.process, Owner::Program);
        self.of.sweep();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_session_that_has_ended_is_nobodys_business() {
        let mut duty = Duty::default();
        for text in ["r1a.2", "s7", "s8", "e7", "sx", "f/tmp/a b", "g/sys/fs", ""] {
            duty.hear(text.as_bytes());
        }
        assert_eq!(duty.run.as_deref(), Some("1a.2"));
        assert_eq!(duty.sessions, BTreeSet::from([8]));
        assert_eq!((duty.folders.len(), duty.groups.len()), (1, 1));
        duty.hear(b"d");
        assert_eq!(duty.run, None, "who is dismissed does nothing");
    }

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
