//! A bot's process: its pipes, its clock, its end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use game::{Fault, FaultKind};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};

use crate::bot::limits::Limits;
use crate::cage::{CageEnd, CagePlan, Extras, FOLDER, Group, NamespaceCage, Started};
use crate::os::sys::{Used, WakeUps, process_cpu, reap, set_wake_ups};
use crate::process::fork_limit;
use crate::process::memory_pressure;
use crate::process::own_folders::OwnFolder;
use crate::process::private_file::PromisedFile;
use crate::process::reaper::see_end;
use crate::process::run_processes::RunProcesses;
use crate::process::usage;

/// A running process in a process group of its own.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    pidfd: OwnedFd,
    mark: String,
    /// The processes of the run it belongs to.
    of: Arc<RunProcesses>,
    pub(crate) private_file: Option<PromisedFile>,
    /// Gone with it.
    _temporary: Option<OwnFolder>,
    /// What it may use.
    pub(crate) limits: Limits,
    cage: Option<CageHandle>,
    confinement: Confinement,
    /// Where it sees its own folder, if that is not where the host does.
    pub(crate) folder_inside: Option<&'static str>,
    stage: ProcessStage,
    cause: EndCause,
    /// How many processes the system had ended for want of memory when it was started.
    memory_kills: u64,
}

/// How far a process has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessStage {
    /// Nobody has told it to end.
    Running,
    /// We have killed it. It may still be there.
    Killed,
    /// Its exit status has been taken, or it has been given up: its number may be another
    /// process's.
    Reaped,
}

/// What keeps a process from the rest of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confinement {
    /// Nothing.
    None,
    /// A cage without namespaces.
    Rules,
    /// A cage with namespaces of its own.
    Namespaces,
}

impl Confinement {
    fn of(cage: Option<&CageHandle>) -> Confinement {
        match cage {
            None => Confinement::None,
            Some(CageHandle { namespaces: None, .. }) => Confinement::Rules,
            Some(CageHandle { namespaces: Some(_), .. }) => Confinement::Namespaces,
        }
    }
}

/// Why a process has ended, as far as that is not its own doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum EndCause {
    /// It ended by itself, or we have killed it, or it is still there.
    #[default]
    None,
    /// It broke one of its limits.
    Overrun(Fault),
    /// The machine, not the bot, was out of memory.
    MachineOutOfMemory,
}

/// The host's ends of a process's pipes. Reads and writes do not wait.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// A process that has just been started. The process ends before its pipes are closed.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) child: Child,
    pub(crate) pipes: Pipes,
}

/// What a caged process is shut in by.
#[derive(Debug)]
struct CageHandle {
    /// Its namespaces, if it has any.
    namespaces: Option<NamespaceCage>,
    /// Its processes are counted by the host.
    forks: Option<fork_limit::CountedForks>,
}

/// How to start a process.
pub(crate) struct Start<'a> {
    pub(crate) plan: &'a CagePlan,
    /// The processes of the run it belongs to.
    pub(crate) of: Arc<RunProcesses>,
    /// What it gets besides.
    pub(crate) extras: Extras,
    /// Marks the process and all its descendants, so that they can be found again.
    pub(crate) mark: String,
    /// The file it was promised.
    pub(crate) private_file: Option<PromisedFile>,
    /// Where it has its temporary files, if they go with it.
    pub(crate) temporary: Option<OwnFolder>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessExit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl std::fmt::Display for ProcessExit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProcessExit::Code(code) => write!(f, "exited with code {code}"),
            ProcessExit::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "was killed by signal {signal} ({name})"),
                None => write!(f, "was killed by signal {signal}"),
            },
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL, illegal instruction",
        libc::SIGABRT => "SIGABRT, aborted",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE, arithmetic error",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV, segmentation fault",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGTERM => "SIGTERM",
        libc::SIGSYS => "SIGSYS, forbidden system call",
        libc::SIGXCPU => "SIGXCPU, processor time used up",
        libc::SIGXFSZ => "SIGXFSZ, file too long",
        _ => return None,
    };
    Some(name)
}

/// How long a killed process may take to disappear.
pub(crate) const DYING: Duration = Duration::from_secs(5);

/// The name of the variable that marks the processes of a run.
pub(crate) const MARK: &str = "LANISTA_SEAT";

impl Child {
    /// Starts a process with three pipes, a process group and a clean environment of its own.
    /// It inherits the processor cores of the calling thread.
    pub(crate) fn start(order: Start<'_>) -> io::Result<Spawned> {
        if let Some(caged) = order.plan.start(&order.of, &order.mark, &order.extras) {
            return Child::take_over(caged?, order);
        }
        let plan = order.plan;
        let mut command = Command::new(&plan.exe);
        command.args(&plan.args).current_dir(&plan.dir).env_clear().process_group(0);
        for name in ["PATH", "HOME", "LANG"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(&plan.env).envs(order.extras.env.iter().cloned()).env(MARK, &order.mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = order.of.register(&order.mark, Pid::from_child, || command.spawn())?;
        let pid = Pid::from_child(&child);
        let pipe = "all three were asked for";
        let pipes = Pipes {
            stdin: child.stdin.take().expect(pipe).into(),
            stdout: child.stdout.take().expect(pipe).into(),
            stderr: child.stderr.take().expect(pipe).into(),
        };
        let pidfd = match prepare(pid, &pipes) {
            Ok(pidfd) => pidfd,
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                order.of.forget(pid, &order.mark);
                order.of.sweep();
                return Err(error);
            }
        };
        Ok(Spawned { child: Child::new(pid, pidfd, None, order), pipes })
    }

    fn take_over(started: Started, mut order: Start<'_>) -> io::Result<Spawned> {
        let Started { bot, cage: namespaces, room, announcements, stdin, stdout, stderr } = started;
        if let (Some(file), Some(room)) = (&mut order.private_file, room) {
            file.is_in(room);
        }
        let pipes = Pipes { stdin, stdout, stderr };
        let processes = order.plan.limits.processes;
        let forks = announcements.map(|listener| fork_limit::begin(bot, processes, listener));
        let prepared = forks.transpose().and_then(|forks| Ok((forks, prepare(bot, &pipes)?)));
        let (forks, pidfd) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                Started::abandon(bot, namespaces, &order.of);
                order.of.forget(bot, &order.mark);
                return Err(error);
            }
        };
        memory_pressure::begin(bot);
        match &namespaces {
            None => {
                order.of.guard.tell_session(bot.as_raw_nonzero().get() as u32);
                let folders = order.plan.own_folders(&order.extras);
                order.of.watch.begin(bot, None, &order.plan.limits, folders);
            }
            // Its folder is looked at by the first process, which sees it as the bot does.
            Some(cage) if cage.group().is_none() => {
                order.of.watch.begin(bot, Some(cage.init()), &order.plan.limits, Vec::new());
            }
            Some(_) => {}
        }
        let cage = CageHandle { namespaces, forks };
        Ok(Spawned { child: Child::new(bot, pidfd, Some(cage), order), pipes })
    }

    fn new(pid: Pid, pidfd: OwnedFd, cage: Option<CageHandle>, order: Start<'_>) -> Child {
        let Start { plan, of, mark, private_file, temporary, .. } = order;
        let confinement = Confinement::of(cage.as_ref());
        let has_folder = confinement == Confinement::Namespaces && plan.has_folder();
        Child {
            pid,
            pidfd,
            mark,
            of,
            private_file,
            _temporary: temporary,
            limits: plan.limits,
            confinement,
            folder_inside: has_folder.then_some(FOLDER),
            cage,
            stage: ProcessStage::Running,
            cause: EndCause::None,
            memory_kills: memory_pressure::recent_kills(),
        }
    }

    /// Readable when the process has ended.
    pub(crate) fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Processor time it has used.
    pub(crate) fn cpu(&self) -> Duration {
        if self.is_reaped() { Duration::ZERO } else { process_cpu(self.pid) }
    }

    /// Processor time that all its processes have used together.
    pub(crate) fn cpu_of_all(&self) -> Duration {
        if self.is_reaped() {
            return Duration::ZERO;
        }
        let cage = self.cage.as_ref();
        // A control group counts what has ended as well.
        let namespaces = cage.and_then(|cage| cage.namespaces.as_ref());
        let counted = namespaces.and_then(|cage| cage.group()?.cpu());
        counted.unwrap_or_else(|| usage::cpu_of(self.pid, namespaces.map(NamespaceCage::init)))
    }

    /// How it ended, if it has. Whatever it started in its group ends with it; what has left the
    /// group is to be swept.
    pub(crate) fn exit(&mut self) -> Option<ProcessExit> {
        if self.is_reaped() {
            return None;
        }
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::PidFd(self.pidfd.as_fd()), peek).ok().flatten()?;
        self.reap()
    }

    /// Whether the process has begun to end, or has ended, without our having taken note of it.
    pub(crate) fn is_exiting(&self) -> bool {
        const EXITING: u32 = 4;
        let path = format!("/proc/{}/stat", self.pid.as_raw_nonzero());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // Its name may be anything, and is in brackets.
        let flags = text.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(6));
        let flags = flags.and_then(|flags| flags.parse::<u32>().ok()).unwrap_or(0);
        !self.is_reaped() && flags & EXITING != 0
    }

    /// Whether processes that it has started may outlive it. Those in namespaces of their own end with
    /// its group, which they cannot leave.
    pub(crate) fn may_leave_others(&self) -> bool {
        self.confinement != Confinement::Namespaces
    }

    /// Whether it sees less than the host does.
    pub(crate) fn is_caged(&self) -> bool {
        self.confinement != Confinement::None
    }

    /// Why it has ended, as far as that is not its own doing. Says it once.
    pub(crate) fn end_cause(&mut self) -> EndCause {
        std::mem::take(&mut self.cause)
    }

    fn is_reaped(&self) -> bool {
        self.stage == ProcessStage::Reaped
    }

    /// Tells the process and everything it started to end at once. That takes a moment: see
    /// [`Child::exit`].
    pub(crate) fn kill(&mut self) {
        if self.is_reaped() {
            return;
        }
        self.stage = ProcessStage::Killed;
        // A caged bot cannot leave its group, so that this is everything in its cage.
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // Before it is reaped: until then its number, which is also the group's, is not given
        // to anybody else.
        if !self.is_reaped() {
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Says whether it may interrupt others when it is woken. Not true if it has ended, or somebody else
    /// has decided about that.
    pub(crate) fn set_wake_ups(&self, wake_ups: WakeUps) -> bool {
        !self.is_reaped() && set_wake_ups(self.pid, wake_ups)
    }

    /// Stops the process and its group until [`Child::resume`]. A caged bot cannot leave its group.
    pub(crate) fn stop(&self) {
        if !self.is_reaped() {
            self.of.watch.stop(self.pid);
        }
    }

    /// Lets the process go on.
    pub(crate) fn resume(&self) {
        if !self.is_reaped() {
            self.of.watch.resume(self.pid);
        }
    }

    /// Gives up on a process that does not end, though it has been killed.
    pub(crate) fn abandon(&mut self) {
        if std::mem::replace(&mut self.stage, ProcessStage::Reaped) != ProcessStage::Reaped {
            self.of.watch.end(self.pid);
            self.of.forget(self.pid, &self.mark);
            if let Some(cage) = self.cage.take().and_then(|cage| cage.namespaces) {
                cage.take_down(&self.of.ended_cages);
            }
        }
    }

    /// Ends everything it started and takes its exit status. What it left behind outside of
    /// its group, if it has no cage, is to be swept.
    fn reap(&mut self) -> Option<ProcessExit> {
        let by_itself = self.stage == ProcessStage::Running;
        self.kill();
        self.stage = ProcessStage::Reaped;
        memory_pressure::end(self.pid);
        let found = self.of.watch.end(self.pid);
        let (exit, used) = reap(self.pid).unzip();
        if self.cage.as_ref().is_some_and(|cage| cage.namespaces.is_none()) {
            self.of.guard.tell_end(self.pid.as_raw_nonzero().get() as u32);
        }
        // Nobody else sends this signal to a caged bot, but it may send it to itself.
        let killed = by_itself && exit == Some(ProcessExit::Signal(libc::SIGKILL));
        if killed && self.machine_ran_out_of_memory() {
            self.cause = EndCause::MachineOutOfMemory;
        }
        match self.cage.take() {
            Some(cage) => {
                if let (true, Some(exit), Some(used)) = (by_itself, exit, used)
                    && let Some(fault) = cage.judge(exit, found, used, &self.limits)
                {
                    self.cause = EndCause::Overrun(fault);
                }
                match cage.namespaces {
                    // Whatever has ended the bot may have ended its cage.
                    Some(cage) if killed => cage.spoil(&self.of.ended_cages),
                    Some(cage) => cage.release(&self.of.ended_cages),
                    None => self.of.forget(self.pid, &self.mark),
                }
            }
            None => self.of.forget(self.pid, &self.mark),
        }
        exit
    }

    /// Whether the kernel may have ended it because the machine had too little memory. Where a control group
    /// counts, others that were ended say nothing of this one.
    fn machine_ran_out_of_memory(&self) -> bool {
        let cage = self.cage.as_ref().and_then(|cage| cage.namespaces.as_ref());
        match cage.and_then(|cage| Some((cage, cage.group()?))) {
            Some((cage, group)) => {
                let ran_out = group.ran_out_of_memory() || cage.why_ended() == CageEnd::Memory;
                ran_out && !group.reached_its_limit()
            }
            None => memory_pressure::kills() > self.memory_kills,
        }
    }

    /// Kills the process and everything it started, and waits until it is gone.
    fn kill_and_wait(&mut self) {
        if self.is_reaped() {
            return;
        }
        self.kill();
        // One that we may not kill, or that the kernel holds, must not hold up everybody else.
        see_end(&self.pidfd);
        self.reap();
        if self.may_leave_others() {
            self.of.sweep();
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill_and_wait();
    }
}

/// Makes the ends of the pipes fit for the loop.
fn prepare(pid: Pid, pipes: &Pipes) -> io::Result<OwnedFd> {
    let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
    for end in [&pipes.stdin, &pipes.stdout, &pipes.stderr] {
        fcntl_setfl(end, OFlags::NONBLOCK)?;
    }
    Ok(pidfd)
}

impl CageHandle {
    fn group(&self) -> Option<&Group> {
        self.namespaces.as_ref()?.group()
    }

    fn ran_out_of_processes(&self) -> bool {
        self.group().is_some_and(Group::ran_out_of_processes)
            || self.forks.as_ref().is_some_and(fork_limit::CountedForks::was_refused)
    }

    /// Which limit it broke, if that is why it ended. `found` is why we have ended it, if we have.
    fn judge(
        &self,
        exit: ProcessExit,
        found: Option<CageEnd>,
        used: Used,
        limits: &Limits,
    ) -> Option<Fault> {
        let Limits { memory_mb, processes, cpu_s, disk_mb, files, .. } = limits;
        let kept_mb = self.namespaces.as_ref().map_or(*disk_mb, |_| limits.kept_mb());
        let fault = |kind, detail| Some(Fault::new(kind, detail));
        // A bot can only be killed by us, by the first process, which says why, or by itself.
        let ended = found.unwrap_or_else(|| match (exit, &self.namespaces) {
            (ProcessExit::Signal(libc::SIGKILL), Some(cage)) => cage.why_ended(),
            _ => CageEnd::Killed,
        });
        let out_of_memory = || match self.group() {
            Some(group) => {
                (ended == CageEnd::Memory || group.ran_out_of_memory()) && group.reached_its_limit()
            }
            None => ended == CageEnd::Memory,
        };
        let Used { memory, cpu } = used;
        let memory = memory >> 20;
        match exit {
            ProcessExit::Code(0) => None,
            // It could have sent itself the signal. For this limit the kernel counts whole ticks,
            // which on a busy machine may be far more than the clock shows.
            ProcessExit::Signal(libc::SIGXCPU)
                if *cpu_s > 0 && cpu >= Duration::from_secs(*cpu_s) / 2 =>
            {
                fault(FaultKind::Cpu, format!("used more than {cpu_s} s of processor time"))
            }
            _ if ended == CageEnd::Disk => fault(
                FaultKind::Disk,
                format!("keeps more than {kept_mb} MiB or {files} files in its folder"),
            ),
            _ if out_of_memory() => {
                let detail = format!("killed for memory: it used more than {memory_mb} MiB");
                fault(FaultKind::Memory, detail)
            }
            // It was refused more, and could not go on.
            _ if memory >= *memory_mb * 9 / 10 => fault(
                FaultKind::Memory,
                format!("its process {exit} after using {memory} of {memory_mb} MiB of memory"),
            ),
            _ if self.ran_out_of_processes() => fault(
                FaultKind::Processes,
                format!("its process {exit} after it was refused more than {processes} processes"),
            ),
            ProcessExit::Code(_) | ProcessExit::Signal(_) => None,
        }
    }
}
