//! A template of cages: a process that has built once what all cages of a bot have in common, and
//! makes one cage after another from it.
//!
//! Every cage has processes, mounts, users and control groups of its own. It takes the mounts over
//! from the template, which a bot can only read, and gets a `/tmp` of its own. Network, IPC and host
//! name are those of a cage that has ended (`namespaces.rs`). Of the template come the first process
//! of the cage (`init.rs`) and the bot, both children of the host.
#![expect(unsafe_code, reason = "forks, which is allowed where no other thread does anything")]

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::stdio::dup2_stderr;
use rustix::thread::UnshareFlags;

use super::bot_process::{Never, become_bot, map_user, program_words};
use super::init::EndSignals;
use super::launcher_client::Ends;
use super::launcher_process::{LONGEST_ORDER, place_streams, receive_order, report, say};
use super::mounts::TmpContents;
use super::namespaces::NamespacePool;
use super::order::{Access, At as _, Bind, BuildStep, CageOrder, Failure, LaunchWord};
use super::raw::{ProgramWords, TaskKind, TaskStack};
use super::{init, mounts, raw};
use crate::os::placement::place_this_thread;
use crate::process::memory_pressure;

/// Builds what all cages of a bot have in common, and makes a cage for each order. Ends when there
/// will be no other one. If it could not be built, the first order is told so.
pub(crate) fn serve(common: &CageOrder, orders: &OwnedFd, host: OwnedFd) -> ! {
    let mut template = CageMaker::build(common, host);
    let mut bytes = vec![0; LONGEST_ORDER];
    loop {
        let Ok((count, descriptors)) = receive_order(orders, &mut bytes) else { raw::leave(0) };
        let order = CageOrder::decode(&bytes[..count]);
        let mut descriptors = descriptors.into_iter();
        // Whoever has sent something else finds the ends closed.
        let (Some(mut order), Some(ends)) = (order, Ends::take(&mut descriptors)) else { continue };
        let group = Membership { entrance: descriptors.next(), shortage: descriptors.next() };
        match &mut template {
            Ok(template) => template.start(&mut order, &ends, &group),
            Err(failure) => {
                report(&ends.control, failure);
                raw::leave(1)
            }
        }
    }
}

struct CageMaker {
    host: OwnedFd,
    /// What goes to the `/tmp` of every cage.
    tmp: TmpContents,
    /// What bots may write to.
    writable: Vec<Bind>,
    /// The host's `/proc`, which is out of sight.
    proc: OwnedFd,
    pool: NamespacePool,
    cores: Vec<usize>,
    /// Of the thread that leaves the template's namespaces.
    leaving: Option<TaskStack>,
    /// Of a process that is about to be a bot.
    becoming: TaskStack,
}

impl CageMaker {
    fn build(common: &CageOrder, host: OwnedFd) -> Result<CageMaker, Failure> {
        // If the machine runs out of memory, bots go first. Nothing depends on it.
        memory_pressure::expect_usual();
        separate(common)?;
        raw::drop_bounding_set();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = openat(CWD, "/proc", flags, Mode::empty()).at(BuildStep::Proc)?;
        let tmp = mounts::build(common)?;
        let writable = common.view.binds.iter().filter(|bind| bind.access != Access::Read);
        let writable = writable.cloned().collect();
        Ok(CageMaker {
            host,
            tmp,
            writable,
            proc,
            pool: NamespacePool::default(),
            cores: Vec::new(),
            leaving: None,
            becoming: TaskStack::new(),
        })
    }

    /// Makes a cage with a bot in it, and tells the host.
    fn start(&mut self, order: &mut CageOrder, ends: &Ends, group: &Membership) {
        // Born where it is to run.
        if !order.cores.is_empty() && order.cores != self.cores {
            place_this_thread(&order.cores);
            self.cores.clone_from(&order.cores);
        }
        order.view.binds.extend(self.writable.iter().cloned());
        let mut made = Ok(());
        let mut stack = self.leaving.take().unwrap_or_else(TaskStack::new);
        // Who has left a namespace for a new one of processes cannot return without being root. So it
        // is a thread that leaves, and ends.
        // SAFETY: this process is a fork of the launcher and has no other thread.
        let ran = unsafe {
            raw::run_task(TaskKind::Thread, &mut stack, || {
                made = self.populate(order, ends, group);
            })
        };
        self.leaving = Some(stack);
        if let Err(failure) = ran.map(drop).at(BuildStep::Fork).and(made) {
            report(&ends.control, &failure);
        }
    }

    /// Makes the namespaces of a cage, its first process, and then the bot.
    fn populate(
        &mut self,
        order: &CageOrder,
        ends: &Ends,
        group: &Membership,
    ) -> Result<(), Failure> {
        let program = program_words(order)?;
        let namespaces = self.pool.enter(&self.proc).at(BuildStep::Namespaces)?;
        let apart = raw::unshare(UnshareFlags::NEWNS | UnshareFlags::NEWPID);
        let furnished = apart
            .at(BuildStep::Namespaces)
            .and_then(|()| mounts::furnish(order, &self.tmp).at(BuildStep::Files(None)));
        // SAFETY: of the two threads of this process the other one waits for this one, and holds
        // nothing meanwhile.
        let init = furnished.and_then(|()| unsafe { raw::fork_sibling() }.at(BuildStep::Fork));
        let init = match init {
            Ok(raw::Forked::Child) => self.become_first(order, ends, group),
            Ok(raw::Forked::Parent(init)) => init,
            Err(failure) => {
                self.pool.give_back(namespaces);
                return Err(failure);
            }
        };
        // Without a handle nobody could tell when they are free: then they are not used again.
        if let Some(handle) = Pid::from_raw(init).map(|init| pidfd_open(init, PidfdFlags::empty()))
            && let Ok(handle) = handle
        {
            self.pool.lend(namespaces, handle);
        }
        // SAFETY: as above. The bot does not return, and has a stack of its own.
        let bot = unsafe {
            raw::run_task(TaskKind::Sibling, &mut self.becoming, || {
                let failure = match become_caged(order, program.as_ref(), ends, group) {
                    Ok(never) => match never {},
                    Err(failure) => failure,
                };
                report(&ends.control, &failure);
                raw::leave(1)
            })
        };
        match bot {
            Ok(bot) => {
                say(&ends.control, &LaunchWord::Born { init, bot });
                Ok(())
            }
            Err(error) => {
                // The host ends and buries what is there.
                say(&ends.control, &LaunchWord::Born { init, bot: 0 });
                Err(Failure { step: BuildStep::Fork, error })
            }
        }
    }

    fn become_first(&self, order: &CageOrder, ends: &Ends, group: &Membership) -> ! {
        let [_, _, stderr] = &ends.streams;
        if dup2_stderr(stderr).is_err() {
            raw::leave(1);
        }
        init::keep(order, EndSignals { host: &self.host, shortage: group.shortage.as_ref() })
    }
}

/// The control group of a bot, if it has one.
struct Membership {
    /// A process that writes to it joins.
    entrance: Option<OwnedFd>,
    /// Readable when the group is out of memory, if the kernel ends single processes only.
    shortage: Option<OwnedFd>,
}

impl Membership {
    fn join(&self) -> io::Result<()> {
        let Some(entrance) = &self.entrance else { return Ok(()) };
        Ok(rustix::io::write(entrance, b"0").map(drop)?)
    }
}

/// Leaves the namespaces of the host.
fn separate(order: &CageOrder) -> Result<(), Failure> {
    if order.user.is_some() {
        // Root needs no user namespace to do this, and bots become users without rights afterwards.
        return raw::unshare(UnshareFlags::NEWNS).at(BuildStep::Namespaces);
    }
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    raw::unshare(UnshareFlags::NEWNS | UnshareFlags::NEWUSER).at(BuildStep::Namespaces)?;
    map_user(user.as_raw(), group.as_raw()).at(BuildStep::User)
}

/// Becomes the bot of a cage.
fn become_caged(
    order: &CageOrder,
    program: Option<&ProgramWords>,
    ends: &Ends,
    group: &Membership,
) -> Result<Never, Failure> {
    place_streams(&ends.streams)?;
    // A session of its own, and so a process group: no terminal to speak to.
    let _ = rustix::process::setsid();
    group.join().at(BuildStep::Group)?;
    // Its own group is the first it sees.
    raw::unshare(UnshareFlags::NEWCGROUP).at(BuildStep::Namespaces)?;
    mounts::mount_proc().at(BuildStep::Proc)?;
    become_bot(order, program, &ends.control)
}
