//! `lanista run --hook`: a command of the user's that is told of every game and of the end.
//!
//! It runs on a thread of its own and reads games from the disk, where they are whatever it does.
//! So it can be slow, fail or hang, and no game waits for it. Only the command line names one: a
//! tournament file may come from a stranger, and must not run anything outside of a cage.

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use host::OwnProcess;
use league::Store;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::{Value, json};

use crate::finished_games::UnreadGames;
use crate::output::text::count;
use crate::terminal::{complain, remark};

/// One call may take so long, and then it is ended.
const PATIENCE: Duration = Duration::from_secs(10);
/// When the run is over, games that have not been told yet may take so long all together.
const AT_THE_END: Duration = Duration::from_secs(20);

/// A hook of a run that is being played.
pub(crate) struct Hook {
    news: SyncSender<()>,
    thread: JoinHandle<Caller>,
    /// From when on no more games are told.
    deadline: Arc<OnceLock<Instant>>,
}

/// Calls the command, and counts what became of it.
struct Caller {
    words: Vec<String>,
    run: String,
    deadline: Arc<OnceLock<Instant>>,
    failed: u64,
    why: String,
    untold: u64,
}

/// The words of a command; an error if there are none.
pub(crate) fn words(command: &str) -> Result<Vec<String>> {
    let words = host::split(command).map_err(|why| anyhow!("--hook: {why}"))?;
    match words.is_empty() {
        true => Err(anyhow!("--hook: there is no command")),
        false => Ok(words),
    }
}

impl Hook {
    /// Begins to listen. Games that are there already are not told.
    pub(crate) fn start(words: Vec<String>, dir: &Path) -> Result<Hook> {
        let kept = UnreadGames::new(Store::open_to_read(dir)?, None)?.without_old()?;
        let run = dir.canonicalize().unwrap_or_else(|_| dir.to_owned()).display().to_string();
        let deadline = Arc::new(OnceLock::new());
        let caller = Caller {
            words,
            run,
            deadline: deadline.clone(),
            failed: 0,
            why: String::new(),
            untold: 0,
        };
        let (news, heard) = sync_channel(1);
        let thread = std::thread::Builder::new().name("hook".to_owned());
        let thread = thread.spawn(move || caller.listen(&heard, kept));
        Ok(Hook { news, thread: thread.context("cannot start a thread for the hook")?, deadline })
    }

    /// Games have been kept. Never waits.
    pub(crate) fn kept(&self) {
        // If it is full, it will be heard.
        let _ = self.news.try_send(());
    }

    /// The run is over: the last games are told, and how it stands.
    pub(crate) fn end(self, how: &str, standings: Value) {
        let _ = self.deadline.set(Instant::now() + AT_THE_END);
        drop(self.news);
        let Ok(mut caller) = self.thread.join() else {
            complain("the hook's thread has failed");
            return;
        };
        let run = caller.run.clone();
        let told = json!({ "v": 1, "what": "end", "run": run, "how": how, "standings": standings });
        caller.call(&told);
        if caller.untold > 0 {
            let games = count(caller.untold, "game");
            remark(&format!("the hook was too slow: {games} were not reported"));
        }
        if caller.failed > 0 {
            let times = count(caller.failed, "time");
            remark(&format!("the hook failed {times}, the last time because of: {}", caller.why));
        }
    }
}

impl Caller {
    fn listen(mut self, heard: &Receiver<()>, mut kept: UnreadGames) -> Caller {
        loop {
            let over = heard.recv().is_err();
            let told = kept.news(|game| {
                if self.deadline.get().is_some_and(|deadline| Instant::now() > *deadline) {
                    self.untold += 1;
                    return Ok(());
                }
                let game = game.json()?;
                self.call(&json!({ "v": 1, "what": "game", "run": self.run, "game": game }));
                Ok(())
            });
            if let Err(error) = told {
                self.fail(format!("{error:#}"));
            }
            if over {
                return self;
            }
        }
    }

    fn fail(&mut self, why: String) {
        self.failed += 1;
        self.why = why;
    }

    /// Calls the command with a line of JSON.
    fn call(&mut self, told: &Value) {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::piped()).stdout(Stdio::null());
        let started = OwnProcess::spawn(&mut command).map_err(anyhow::Error::from);
        let ended = started.and_then(|mut process| {
            let child = process.child();
            let stdin = child.stdin.take();
            let line = format!("{told}\n");
            // It need not read all of it, nor any; nor need whoever has inherited it.
            std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(line.as_bytes())));
            wait(child)
        });
        if let Err(error) = ended {
            self.fail(format!("{error:#}"));
        }
    }
}

/// Waits for a process to end in good order, but not for ever.
fn wait(child: &mut Child) -> Result<()> {
    let ended = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).map(|process| {
        let timeout = Timespec::try_from(PATIENCE).expect("seconds");
        let mut ends = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
        loop {
            match poll(&mut ends, Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => {}
                ready => return ready.is_ok_and(|ready| ready > 0),
            }
        }
    });
    if !ended.unwrap_or(false) {
        child.kill()?;
        child.wait()?;
        return Err(anyhow!("it took longer than {} s", PATIENCE.as_secs()));
    }
    let status = child.wait()?;
    match status.success() {
        true => Ok(()),
        false => Err(anyhow!("{status}")),
    }
}
