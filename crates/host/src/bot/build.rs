//! The `build` command of a manifest: run before the first game, in a cage that may write to the
//! bot's own folder and nowhere else, and not again as long as nothing in that folder has changed.

use std::fs;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::Digest;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FlockOperation;

use crate::bot::limits::{AskedLimits, Limits};
use crate::bot::spec::{BotError, BotSpec, Program};
use crate::cage::{CagePlan, CageTerms, Extras, Tier};
use crate::os::sys::interrupted;
use crate::process::child::{Child, EndCause, Pipes, ProcessExit, Spawned, Start};
use crate::process::run_processes::RunProcesses;

/// How a bot is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// What is run, in the manifest's folder.
    pub program: Program,
    /// How long it may take.
    pub limit: Duration,
}

/// Where it is noted what the folder looked like after the last build.
const STAMP: &str = ".lanista-build";
/// So much of what a build prints is shown when it fails, from its end.
const SHOWN: usize = 8 << 10;
/// In a folder with more files than this nobody looks whether anything has changed.
const MOST_FILES: usize = 100_000;

impl BotSpec {
    /// Builds the bot if it has to be built, and checks that its programs are there then. `begins`
    /// hears the command when it is run. `launcher` is the path of this program.
    pub fn build(
        &self,
        terms: &CageTerms,
        launcher: &Path,
        begins: impl FnOnce(&str),
    ) -> Result<(), BotError> {
        let Some(build) = &self.build else { return Ok(()) };
        let Program::Command { dir, shown, .. } = &build.program else { return Ok(()) };
        let failed = |error: io::Error| self.unbuilt(shown, &error.to_string(), "");
        // Two that play with the same bot do not build it at the same time.
        let lock = fs::File::open(dir).map_err(failed)?;
        rustix::fs::flock(&lock, FlockOperation::LockExclusive).map_err(|e| failed(e.into()))?;
        let now = fingerprint(dir, shown);
        if now.is_some() && now == noted(dir) && self.check_programs().is_ok() {
            return Ok(());
        }
        begins(shown);
        self.run_build(build, terms, launcher)?;
        self.check_programs()?;
        if let Some(now) = fingerprint(dir, shown) {
            // Where it cannot be noted it is built every time.
            let _ = note(dir, &now);
        }
        Ok(())
    }

    fn unbuilt(&self, shown: &str, how: &str, output: &str) -> BotError {
        let output = match output.trim_end() {
            "" => String::new(),
            output => format!("\n{output}"),
        };
        let (bot, shown, how) = (self.name.clone(), shown.to_owned(), how.to_owned());
        BotError::Build { bot, shown, how, output }
    }

    /// What a build may use: more than a bot, but no more than the user has set.
    fn build_limits(&self) -> Limits {
        let (memory_mb, processes, disk_mb) = (Some(4096), Some(512), Some(4096));
        let usual = AskedLimits { memory_mb, processes, disk_mb, ..AskedLimits::default() };
        Limits::new(&usual, &self.set)
    }

    fn run_build(&self, build: &Build, terms: &CageTerms, launcher: &Path) -> Result<(), BotError> {
        let Program::Command { dir, shown, .. } = &build.program else { return Ok(()) };
        let unbuilt = |how: String| self.unbuilt(shown, &how, "");
        let mut spec = BotSpec { program: build.program.clone(), ..self.clone() };
        spec.team.clear();
        spec.grants.write.push(dir.clone());
        spec.limits = self.build_limits();
        let processes = Arc::new(RunProcesses::new());
        let plan = CagePlan::new(&processes, 0, &spec, &spec.program, terms, Some(launcher), None);
        let plan = plan.map_err(|refusal| self.refused(refusal))?;
        let plan = plan.ok_or_else(|| unbuilt("it is not a program".to_owned()))?;
        let mut plan = plan.for_build();
        if rustix::process::geteuid().is_root() && terms.tier(launcher) != Tier::E {
            // Somebody must be able to write to the folder, and root itself is not shut in well.
            match fs::metadata(dir).map(|about| about.uid()) {
                Ok(0) => {
                    return Err(unbuilt(format!(
                        "when root starts it a build runs as the owner of its folder, and that is root; \
                         `chown -R USER {}` gives it to another user, or start lanista as another user",
                        dir.display()
                    )));
                }
                Ok(owner) => plan = plan.with_user(owner),
                Err(error) => return Err(unbuilt(error.to_string())),
            }
        }
        let start = Start {
            plan: &plan,
            mark: processes.next_mark(),
            of: processes,
            extras: Extras::default(),
            private_file: None,
            temporary: None,
        };
        let Spawned { mut child, pipes: Pipes { stdin, stdout, stderr } } =
            Child::start(start).map_err(|error| unbuilt(error.to_string()))?;
        drop(stdin);
        let mut output = Vec::new();
        let ended = listen(&mut child, [&stdout, &stderr], build.limit, &mut output);
        let output = String::from_utf8_lossy(&output).into_owned();
        let how = match (ended, child.end_cause()) {
            (Ok(ProcessExit::Code(0)), _) => return Ok(()),
            (Ok(_), EndCause::Overrun(fault)) => fault.to_string(),
            (Ok(exit), EndCause::None | EndCause::MachineOutOfMemory) => format!("it {exit}"),
            (Err(how), _) => how,
        };
        Err(self.unbuilt(shown, &how, &output))
    }
}

/// Hears what a build prints until it has ended; keeps the end of that.
fn listen(
    child: &mut Child,
    pipes: [&OwnedFd; 2],
    limit: Duration,
    output: &mut Vec<u8>,
) -> Result<ProcessExit, String> {
    let until = Instant::now() + limit;
    let (mut open, mut buffer) = ([true, true], [0; 4096]);
    loop {
        if interrupted() {
            return Err("it was interrupted".to_owned());
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(format!("it took longer than {} s", limit.as_secs()));
        }
        // A signal is noticed soon.
        let timeout = Timespec::try_from(left.min(Duration::from_millis(200))).ok();
        let handle = child.pidfd();
        let mut ends = vec![PollFd::new(&handle, PollFlags::IN)];
        ends.extend(
            pipes
                .iter()
                .zip(open)
                .filter(|(_, open)| *open)
                .map(|(pipe, _)| PollFd::new(pipe, PollFlags::IN)),
        );
        let _ = poll(&mut ends, timeout.as_ref());
        let ended = !ends[0].revents().is_empty();
        drop(ends);
        for (pipe, open) in pipes.iter().zip(&mut open) {
            while *open {
                match rustix::io::read(pipe, &mut buffer) {
                    Ok(0) => *open = false,
                    Ok(count) => output.extend_from_slice(&buffer[..count]),
                    Err(rustix::io::Errno::INTR) => {}
                    Err(rustix::io::Errno::AGAIN) => break,
                    Err(_) => *open = false,
                }
                if output.len() > 2 * SHOWN {
                    output.drain(..output.len() - SHOWN);
                }
                if Instant::now() > until {
                    break;
                }
            }
        }
        if ended && let Some(exit) = child.exit() {
            output.drain(..output.len().saturating_sub(SHOWN));
            return Ok(exit);
        }
    }
}

/// What a folder looks like: every file with its size, its time and its permissions. None if there
/// are too many or one cannot be looked at.
fn fingerprint(folder: &Path, command: &str) -> Option<String> {
    let mut digest = Digest::new("build");
    digest.bytes(command.as_bytes());
    let mut left = MOST_FILES;
    add(&mut digest, folder, &mut left)?;
    Some(format!("{:016x}", digest.finish()))
}

fn add(digest: &mut Digest, folder: &Path, left: &mut usize) -> Option<()> {
    let mut entries: Vec<_> = fs::read_dir(folder).ok()?.collect::<io::Result<_>>().ok()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        if name == STAMP {
            continue;
        }
        *left = left.checked_sub(1)?;
        let about = path.symlink_metadata().ok()?;
        digest.bytes(name.as_encoded_bytes()).word(about.mode().into());
        if about.is_dir() {
            add(digest, &path, left)?;
            digest.bytes(b"end");
        } else {
            digest.word(about.len()).word(about.mtime() as u64).word(about.mtime_nsec() as u64);
        }
    }
    Some(())
}

fn noted(folder: &Path) -> Option<String> {
    let path = folder.join(STAMP);
    // A link could lead anywhere.
    path.symlink_metadata().ok().filter(|about| about.is_file() && about.len() < 100)?;
    fs::read_to_string(path).ok()
}

fn note(folder: &Path, stamp: &str) -> io::Result<()> {
    let unfinished = folder.join(format!("{STAMP}.{}", std::process::id()));
    let mut file =
        fs::File::options().write(true).create_new(true).mode(0o644).open(&unfinished)?;
    let written = file.write_all(stamp.as_bytes()).and_then(|()| {
        // In the place of whatever is there, a link included.
        fs::rename(&unfinished, folder.join(STAMP))
    });
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_may_use_more_than_a_bot_and_no_more_than_the_user_has_set() {
        let text = "command = [\"sh\"]\n[limits]\nmemory_mb = 64\n";
        let bot = BotSpec::from_manifest(text, Path::new("/nowhere/bot.toml"));
        let mut bot = bot.expect("a bot");
        let limits = |bot: &BotSpec| {
            let Limits { memory_mb, processes, .. } = bot.build_limits();
            (memory_mb, processes)
        };
        assert_eq!(limits(&bot), (4096, 512));
        bot.set_limits(&AskedLimits { processes: Some(20), ..AskedLimits::default() });
        assert_eq!(limits(&bot), (4096, 20));
    }
}
