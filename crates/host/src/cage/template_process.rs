//! A template of cages: a process that has built once what all cages of a bot have in common, and
//! makes cages from it, or uses one again that it has kept.
//!
//! Every cage has processes, mounts, users and control groups of its own. It takes the mounts over
//! from the template, which a bot can only read, and gets a `/tmp` of its own. Of the template come
//! the first process of the cage (`init.rs`) and the bot, both children of the host. Without
//! namespaces there is less to build (`ruled_template.rs`).
#![expect(unsafe_code, reason = "forks, which is allowed where no other thread does anything")]

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::pwrite;
use rustix::process::{Resource, getrlimit};
use rustix::stdio::dup2_stderr;
use rustix::thread::UnshareFlags;

use super::bot_process::{BotUsers, Restrictions, become_bot, map_user, program_words, settle};
use super::handles::FIRST_KEPT;
use super::init::EndSignals;
use super::launcher_client::Ends;
use super::launcher_process::{LONGEST_ORDER, receive_order, report, say, say_with};
use super::membership::{Joining, Membership};
use super::mounts::{ProcMount, TmpContents};
use super::namespaces::{CageNamespaces, Surroundings};
use super::order::{Access, At as _, Bind, BuildStep, CageOrder, Caps, Failure, LaunchWord, Walls};
use super::ruled_template::RuledStarts;
use super::tasks::{BornWith, Forked, TaskKind, TaskStack, fork_sibling, run_born_with, run_task};
use super::template_order::{CageChoice, TemplateOrder};
use super::{init, mounts, namespaces, raw};
use crate::os::os_limits::is_shortage;
use crate::os::placement::place_this_thread;
use crate::os::sys;
use crate::process::memory_pressure;

/// The number of every bot in its cage: the first after the first process.
const BOT: i32 = 2;

/// Builds what all cages of a bot have in common, and makes a cage for each order. Ends when there
/// will be no other one. If it could not be built, the first order is told so. Its cages end when
/// nobody holds the other end of the lease.
pub(crate) fn serve(common: &CageOrder, orders: &OwnedFd, lease: OwnedFd, host: OwnedFd) -> ! {
    // If the machine runs out of memory, bots go first. Nothing depends on it.
    memory_pressure::expect_usual();
    sys::allow_many_descriptors();
    let mut template = match common.walls {
        Walls::Namespaces => CageMaker::build(common, lease, host)
            .map(|cages| TemplateKind::Namespaces(Box::new(cages))),
        Walls::Rules => RuledStarts::build(common).map(TemplateKind::Rules),
    };
    let mut cores = Vec::new();
    let mut bytes = vec![0; LONGEST_ORDER];
    loop {
        let Ok((count, descriptors)) = receive_order(orders, &mut bytes) else { raw::leave(0) };
        let mut descriptors = descriptors.into_iter();
        // Whoever has sent something else finds the ends closed.
        let Some(wanted) = TemplateOrder::decode(&bytes[..count]) else { continue };
        let (choice, mut order) = match wanted {
            TemplateOrder::Start(choice, order) => (choice, order),
            TemplateOrder::Clean(number) => {
                template.iter_mut().for_each(|template| template.clean(number));
                continue;
            }
            TemplateOrder::Forget(number) => {
                template.iter_mut().for_each(|template| template.forget(number));
                continue;
            }
        };
        let Some(ends) = Ends::take(&mut descriptors) else { continue };
        let group = Membership::new(descriptors.next(), descriptors.next());
        // Born where it is to run.
        if !order.cores.is_empty() && order.cores != cores {
            place_this_thread(&order.cores);
            cores.clone_from(&order.cores);
        }
        let started = match &mut template {
            Ok(TemplateKind::Namespaces(cages)) => cages.start(choice, &mut order, &ends, &group),
            Ok(TemplateKind::Rules(rules)) => rules.start(&order, &ends),
            Err(failure) => {
                report(&ends.control, failure);
                raw::leave(1)
            }
        };
        if let Err(failure) = started {
            report(&ends.control, &failure);
        }
        // The host hears by their closing that the bot runs.
        drop(ends);
        if let Ok(template) = &template {
            // If it cannot be, whoever needs it tries again and hears why.
            let _ = template.restrictions().make_ready();
        }
    }
}

/// How the processes of a bot are started.
enum TemplateKind {
    /// Each in namespaces of its own.
    Namespaces(Box<CageMaker>),
    /// Without.
    Rules(RuledStarts),
}

impl TemplateKind {
    fn restrictions(&self) -> &Restrictions {
        match self {
            TemplateKind::Namespaces(cages) => &cages.restrictions,
            TemplateKind::Rules(rules) => &rules.restrictions,
        }
    }

    /// The bot of a cage has ended. Without namespaces none is kept.
    fn clean(&mut self, number: u32) {
        match self {
            TemplateKind::Namespaces(cages) => cages.clean(number),
            TemplateKind::Rules(_) => {}
        }
    }

    /// A cage is taken down.
    fn forget(&mut self, number: u32) {
        match self {
            TemplateKind::Namespaces(cages) => cages.position.forget(number),
            TemplateKind::Rules(_) => {}
        }
    }
}

struct CageMaker {
    host: OwnedFd,
    /// Its cages end with it.
    lease: OwnedFd,
    /// What goes to the `/tmp` of every cage, and how much that holds.
    tmp: TmpContents,
    caps: Caps,
    /// What bots may write to.
    writable: Vec<Bind>,
    /// The host's `/proc`, which is out of sight.
    proc: OwnedFd,
    travel: Travel,
    position: Position,
    restrictions: Restrictions,
    /// Of the thread that leaves the template's namespaces.
    leaving: Option<TaskStack>,
    /// Of a process that is about to be a bot.
    becoming: TaskStack,
}

/// How a template gets into a cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Travel {
    /// It enters the cage itself and stays there. It goes home only to make a new cage.
    Itself,
    /// A thread of it goes, for every start: who has left the host's namespace for processes needs to be
    /// root to return.
    ByThread,
}

/// Where a template is, and where it can go.
struct Position {
    /// What it was in when all was built. New cages are made from there.
    home: Surroundings,
    place: TemplatePlace,
    kept: HashMap<u32, KeptCage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplatePlace {
    Home,
    /// In the kept cage with this number.
    Cage(u32),
    /// In one that is not kept, or on the way.
    Elsewhere,
}

/// A cage that is used again.
struct KeptCage {
    namespaces: CageNamespaces,
    /// Its first process.
    init: i32,
}

impl Position {
    /// Is where new cages are made.
    fn go_home(&mut self) -> io::Result<()> {
        if self.place != TemplatePlace::Home {
            self.place = TemplatePlace::Elsewhere;
            self.home.enter()?;
            self.place = TemplatePlace::Home;
        }
        Ok(())
    }

    /// Is in a cage that has been kept.
    fn enter(&mut self, number: u32) -> io::Result<()> {
        let cage = self.kept.get(&number).ok_or(io::ErrorKind::NotFound)?;
        if self.place != TemplatePlace::Cage(number) {
            self.place = TemplatePlace::Elsewhere;
            cage.namespaces.surroundings.enter()?;
            self.place = TemplatePlace::Cage(number);
        }
        Ok(())
    }

    /// This cage is not kept any more. Nothing of it must stay because of us.
    fn forget(&mut self, number: u32) {
        self.kept.remove(&number);
        if self.place == TemplatePlace::Cage(number) && self.go_home().is_err() {
            raw::leave(1);
        }
    }
}

impl CageMaker {
    fn build(common: &CageOrder, lease: OwnedFd, host: OwnedFd) -> Result<CageMaker, Failure> {
        separate(common)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = openat(CWD, "/proc", flags, Mode::empty()).at(BuildStep::Proc)?;
        let tmp = mounts::build(common)?;
        let writable = common.view.binds.iter().filter(|bind| bind.access != Access::Read);
        let writable = writable.cloned().collect();
        let home = Surroundings::of_this_thread(&proc).at(BuildStep::Namespaces)?;
        // Who has a user for its bots is root.
        let travel = if common.user.is_some() { Travel::Itself } else { Travel::ByThread };
        Ok(CageMaker {
            host,
            lease,
            tmp,
            caps: common.caps,
            writable,
            proc,
            travel,
            position: Position { home, place: TemplatePlace::Home, kept: HashMap::new() },
            restrictions: Restrictions::begin(common)?,
            leaving: None,
            becoming: TaskStack::new(),
        })
    }

    /// Starts a bot in a cage. Both it and the first process tell the host.
    fn start(
        &mut self,
        choice: CageChoice,
        order: &mut CageOrder,
        ends: &Ends,
        group: &Membership,
    ) -> Result<(), Failure> {
        order.view.binds.extend(self.writable.iter().cloned());
        match self.travel {
            Travel::Itself => {
                let started = self.populate(choice, order, ends, group);
                // Nothing of a cage that is not kept must stay because of us.
                if self.position.place == TemplatePlace::Elsewhere {
                    self.position.go_home().at(BuildStep::Namespaces)?;
                }
                started
            }
            Travel::ByThread => {
                let started = self.in_a_thread(|this| this.populate(choice, order, ends, group));
                started.at(BuildStep::Fork)?
            }
        }
    }

    /// The bot of a cage has ended: what it has written goes at once, not when there is a next one.
    /// If that cannot be, there is no next one.
    fn clean(&mut self, number: u32) {
        let position = &mut self.position;
        let cleaned = match (self.travel, position.kept.get(&number)) {
            (_, None) => return,
            (Travel::Itself, Some(_)) => {
                position.enter(number).and_then(|()| mounts::clear(ProcMount::OfCage))
            }
            (Travel::ByThread, Some(cage)) => {
                let there = cage.namespaces.surroundings.enter_mounts();
                let cleaned = there.and_then(|()| mounts::clear(ProcMount::OfProcess));
                if position.home.enter_mounts().is_err() {
                    // The next cage would be made from this one.
                    raw::leave(1);
                }
                cleaned
            }
        };
        if cleaned.is_err() {
            position.forget(number);
        }
    }

    /// Does something in a thread, where it ends.
    fn in_a_thread<T>(&mut self, mut work: impl FnMut(&mut CageMaker) -> T) -> io::Result<T> {
        let mut stack = self.leaving.take().unwrap_or_else(TaskStack::new);
        let mut done = None;
        // SAFETY: this process is a fork of the launcher and has no other thread.
        let ran = unsafe {
            run_task(TaskKind::Thread, &mut stack, || {
                done = Some(work(self));
            })
        };
        self.leaving = Some(stack);
        self.position.place = TemplatePlace::Home;
        ran.map(|_| done.expect("the thread has done its work"))
    }

    /// Is in the cage that was chosen, and makes the bot there.
    fn populate(
        &mut self,
        choice: CageChoice,
        order: &CageOrder,
        ends: &Ends,
        group: &Membership,
    ) -> Result<(), Failure> {
        let program = program_words(order)?;
        let restrictions = self.restrictions.for_process()?;
        let position = &mut self.position;
        let (kept, init) = match choice {
            CageChoice::Once | CageChoice::Keep(_) => {
                position.go_home().at(BuildStep::Namespaces)?;
                position.place = TemplatePlace::Elsewhere;
                (None, self.make(order, ends, group)?)
            }
            CageChoice::Again(number) => {
                position.enter(number).at(BuildStep::Namespaces)?;
                let cage = position.kept.get(&number).expect("it has been entered");
                (Some(cage), cage.init)
            }
        };
        let users = kept.map(|cage| cage.namespaces.users()).transpose().at(BuildStep::User)?;
        let users = users.flatten();
        let users = users.as_ref().map_or(BotUsers::New, BotUsers::Kept);
        let mut numbers = Numbers::AsNew;
        let (caps, tmp) = (&self.caps, &self.tmp);
        let work = |joining: Joining| -> Infallible {
            say(&ends.control, &LaunchWord::Bot);
            // Of what the template keeps it has nothing afterwards.
            let numbered = kept.map_or(Ok(()), |cage| number_as_new(&cage.namespaces.numbers));
            // SAFETY: what the template keeps is used by the template alone.
            let settle = || unsafe { settle(ends) };
            let Err(failure) = numbered
                .at(BuildStep::Namespaces)
                .and_then(|()| settle())
                .and_then(|()| group.enter(joining))
                .and_then(|()| be_alone(choice, ProcMount::of(order), &mut numbers))
                .and_then(|()| furnish(caps, tmp, order, &ends.control).at(BuildStep::Files(None)))
                .and_then(|()| {
                    become_bot(order, program.as_ref(), &ends.control, &restrictions, users)
                });
            report(&ends.control, &failure);
            raw::leave(1)
        };
        let bot = make_bot(choice, group, &mut self.becoming, work).at(BuildStep::Fork);
        drop(restrictions);
        if let (CageChoice::Keep(number), Ok(bot), Numbers::AsNew) = (choice, &bot, numbers)
            && ProcMount::of(order).can_be_renewed()
            && self.keep(number, init, *bot)
        {
            say(&ends.control, &LaunchWord::Kept);
        }
        bot.map(drop)
    }

    /// Makes the namespaces of a cage and its first process.
    fn make(&self, order: &CageOrder, ends: &Ends, group: &Membership) -> Result<i32, Failure> {
        let all = UnshareFlags::NEWNS
            | UnshareFlags::NEWPID
            | UnshareFlags::NEWNET
            | UnshareFlags::NEWIPC
            | UnshareFlags::NEWUTS;
        raw::unshare(all).at(BuildStep::Namespaces)?;
        // SAFETY: if this process has a second thread, that waits for this one, and holds nothing
        // meanwhile.
        match unsafe { fork_sibling() }.at(BuildStep::Fork)? {
            Forked::Child => self.become_first(order, ends, group),
            Forked::Parent(init) => Ok(init),
        }
    }

    fn become_first(&self, order: &CageOrder, ends: &Ends, group: &Membership) -> ! {
        // The host ends a cage that has no bot, and reaps its first process.
        say(&ends.control, &LaunchWord::FirstProcess);
        if dup2_stderr(&self.lease).is_err() {
            raw::leave(1);
        }
        init::keep(order, EndSignals { host: &self.host, shortage: group.shortage.as_ref() })
    }

    /// Keeps the cage that this thread is in, with its first bot, if there is room. Says whether it
    /// does.
    fn keep(&mut self, number: u32, init: i32, bot: i32) -> bool {
        let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let most = most.saturating_sub(FIRST_KEPT.into());
        let Position { place, kept, .. } = &mut self.position;
        if (kept.len() as u64 + 1) * CageNamespaces::DESCRIPTORS > most {
            return false;
        }
        let Ok(namespaces) = CageNamespaces::of_this_thread(&self.proc, bot) else { return false };
        kept.insert(number, KeptCage { namespaces, init });
        *place = TemplatePlace::Cage(number);
        true
    }
}

/// Whether a cage numbers its processes as a new one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    AsNew,
    /// Not if there were processes before: the kernel lets nobody change that.
    GoOn,
}

/// Makes the process that becomes the bot.
fn make_bot(
    choice: CageChoice,
    group: &Membership,
    stack: &mut TaskStack,
    mut work: impl FnMut(Joining) -> Infallible,
) -> io::Result<i32> {
    let number = match choice {
        CageChoice::Once | CageChoice::Keep(_) => None,
        CageChoice::Again(_) => Some(BOT),
    };
    let born_with = BornWith { number, group: group.to_be_born_into() };
    if born_with.group.is_some() {
        // SAFETY: if this process has a second thread, that waits for this one, and holds nothing
        // meanwhile. The bot does not return, and has a stack of its own.
        match unsafe { run_born_with(born_with, stack, || work(Joining::Done)) } {
            // Before Linux 5.7 nobody is born into a group.
            Err(error) if !is_shortage(&error) => {}
            born => return born,
        }
    }
    match number {
        // SAFETY: the same.
        None => unsafe { run_task(TaskKind::Sibling, stack, || match work(Joining::ToBeDone) {}) },
        // SAFETY: the same.
        Some(_) => unsafe {
            let born_with = BornWith { group: None, ..born_with };
            run_born_with(born_with, stack, || work(Joining::ToBeDone))
        },
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
    map_user(user.as_raw(), group.as_raw()).at(BuildStep::User)?;
    // Whoever makes a user namespace has everything in it.
    raw::drop_bounding_set();
    Ok(())
}

/// A process that becomes the bot of a cage is alone there from here on, with a `/proc` as good as new. Its
/// memory is the template's, which learns of the numbers by it.
fn be_alone(choice: CageChoice, proc: ProcMount, numbers: &mut Numbers) -> Result<(), Failure> {
    match choice {
        CageChoice::Once => proc.begin().at(BuildStep::Proc),
        CageChoice::Keep(_) => {
            proc.begin().at(BuildStep::Proc)?;
            let numbered = namespaces::numbers().and_then(|numbers| number_as_new(&numbers));
            if numbered.is_err() {
                *numbers = Numbers::GoOn;
            }
            Ok(())
        }
        CageChoice::Again(_) => {
            // Whoever was here before must be gone.
            if !raw::is_alone() {
                return Err(io::Error::from(io::ErrorKind::ResourceBusy)).at(BuildStep::Namespaces);
            }
            proc.renew().at(BuildStep::Proc)
        }
    }
}

/// Gives the bot a `/tmp` and what it gets besides.
fn furnish(caps: &Caps, tmp: &TmpContents, order: &CageOrder, control: &OwnedFd) -> io::Result<()> {
    mounts::furnish(caps, tmp)?;
    if let Some(room) = mounts::furnish_for(order)? {
        say_with(control, &LaunchWord::Room, &room);
    }
    Ok(())
}

/// The next process of the cage has the number after the bot's, as if there had been no others. Only a
/// process of the cage can do that.
fn number_as_new(numbers: &OwnedFd) -> io::Result<()> {
    // The kernel ignores what is not written to the beginning.
    Ok(pwrite(numbers, BOT.to_string().as_bytes(), 0).map(drop)?)
}
