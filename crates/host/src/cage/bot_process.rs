//! What a process does before it is a bot: it leaves what it shares with its template, gives up
//! everything a bot shall not have, and executes its program.
#![expect(unsafe_code, reason = "leaves the descriptors of the process that made it")]

use std::cell::Cell;
use std::convert::Infallible;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use rustix::thread::UnshareFlags;

use super::handles::FIRST_KEPT;
use super::landlock::CommonRules;
use super::launcher_client::Ends;
use super::launcher_process::{place_streams, say_with};
use super::limits::ProcessCounting;
use super::order::{At as _, BuildStep, CageOrder, Failure, LaunchWord, Walls};
use super::raw::ProgramWords;
use super::seccomp::CallFilter;
use super::{limits, mounts, namespaces, raw, seccomp};

/// What all processes of a bot are restricted by, worked out once.
pub(crate) struct Restrictions {
    files: Option<CommonRules>,
    calls: CallFilter,
    /// For the next process. It takes the kernel a while to make one: it is made ahead.
    next: Cell<Option<OwnedFd>>,
}

/// What one process is restricted by.
pub(crate) struct ProcessRestrictions<'r> {
    files: Option<(&'r CommonRules, OwnedFd)>,
    calls: &'r CallFilter,
}

impl Restrictions {
    /// Those for processes that are started with what this order says. If they have a root of their
    /// own, it is that of the calling process. What that does not need itself is refused to it from
    /// now on.
    pub(crate) fn begin(common: &CageOrder) -> Result<Restrictions, Failure> {
        let files = CommonRules::of(common).at(BuildStep::Landlock)?;
        let calls = CallFilter::begin(common).at(BuildStep::Seccomp)?;
        let restrictions = Restrictions { files, calls, next: Cell::new(None) };
        restrictions.make_ready().at(BuildStep::Landlock)?;
        Ok(restrictions)
    }

    /// Makes a set of rules for the next process.
    pub(crate) fn make_ready(&self) -> io::Result<()> {
        self.next.set(self.files.as_ref().map(CommonRules::ruleset).transpose()?);
        Ok(())
    }

    /// Those of the next process.
    pub(crate) fn for_process(&self) -> Result<ProcessRestrictions<'_>, Failure> {
        let ready = |rules: &CommonRules| self.next.take().map_or_else(|| rules.ruleset(), Ok);
        let files = self.files.as_ref().map(|rules| ready(rules).map(|ruleset| (rules, ruleset)));
        let files = files.transpose().at(BuildStep::Landlock)?;
        Ok(ProcessRestrictions { files, calls: &self.calls })
    }
}

impl ProcessRestrictions<'_> {
    /// The calling process, and what it starts, may use these files alone.
    fn restrict_files(&self, order: &CageOrder) -> io::Result<()> {
        self.files.as_ref().map_or(Ok(()), |(rules, ruleset)| rules.restrict(ruleset, order))
    }
}

/// The first steps of a process that its template has made: it has descriptors and a session of its
/// own, and a process group, which it cannot leave. Systems that share the processor out between
/// sessions give it no more than the other bots.
///
/// # Safety
///
/// As for [`raw::own_descriptors`]: what the template keeps ([`put_away`](super::handles::put_away))
/// must not be used or dropped by this process.
pub(crate) unsafe fn settle(ends: &Ends) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    unsafe { raw::own_descriptors(FIRST_KEPT) }.at(BuildStep::CageOrder)?;
    place_streams(&ends.streams)?;
    rustix::process::setsid().at(BuildStep::Fork).map(drop)
}

/// Gives the user outside, the only one there is inside, the same number in every cage.
pub(crate) fn map_user(user: u32, group: u32) -> io::Result<()> {
    let inside = mounts::INSIDE_USER;
    // Without the first the kernel refuses the last.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{inside} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{inside} {group} 1"))
}

/// Whose users a bot is one of.
#[derive(Clone, Copy)]
pub(crate) enum BotUsers<'u> {
    /// It has users of its own: processes are counted by user and namespace, and a bot may have
    /// several cages.
    New,
    /// The same, made by the first bot of its cage.
    Kept(&'u OwnedFd),
    /// It has no cage.
    OfTheHost,
}

impl BotUsers<'_> {
    /// Becomes one of them, without any rights.
    fn become_one(self, user: Option<u32>) -> Result<(), Failure> {
        match self {
            BotUsers::New => {
                raw::become_nobody(user).at(BuildStep::Rights)?;
                own_users(user.unwrap_or(mounts::INSIDE_USER)).at(BuildStep::User)
            }
            BotUsers::Kept(users) => join_users(users, user).at(BuildStep::User),
            BotUsers::OfTheHost => raw::become_nobody(user).at(BuildStep::Rights),
        }
    }
}

/// Becomes the user of a namespace that another process has made. Outside this is
/// `user`; if there is none, whoever runs the host.
fn join_users(users: &OwnedFd, user: Option<u32>) -> io::Result<()> {
    if user.is_some() {
        // Nobody can inside.
        raw::leave_groups()?;
    }
    namespaces::enter_users(users)?;
    raw::become_user(mounts::INSIDE_USER)?;
    raw::drop_capabilities()
}

/// A namespace of users for the bot alone.
fn own_users(user: u32) -> io::Result<()> {
    // Whoever has changed the user may not write the maps otherwise.
    raw::show_memory();
    match raw::unshare(UnshareFlags::NEWUSER) {
        Ok(()) => map_user(user, user).and_then(|()| raw::drop_capabilities()),
        // It is caged all the same where the system has no user namespaces.
        Err(_) => Ok(()),
    }
}

/// Who counts the bot's processes. In a namespace of its own the kernel counts its own alone;
/// without one, the host does, where the kernel lets it.
fn counting(order: &CageOrder, control: &OwnedFd) -> ProcessCounting {
    if order.walls == Walls::Namespaces || order.program.is_none() {
        return ProcessCounting::ByUser;
    }
    let Ok(listener) = seccomp::announce_processes() else { return ProcessCounting::ByUser };
    say_with(control, &LaunchWord::Announces, &listener);
    ProcessCounting::ByHost
}

/// The program of an order as the system takes it; none if the cage is only tried.
pub(crate) fn program_words(order: &CageOrder) -> Result<Option<ProgramWords>, Failure> {
    let words = order
        .program
        .as_ref()
        .map(|program| ProgramWords::new(mounts::text(program)?, &order.args, &order.env));
    words.transpose().at(BuildStep::Execute)
}

/// Gives up everything a bot shall not have, and executes the program. Whatever it allocates it has
/// freed before: its memory may be that of the process that made it.
pub(crate) fn become_bot(
    order: &CageOrder,
    program: Option<&ProgramWords>,
    control: &OwnedFd,
    restrictions: &ProcessRestrictions<'_>,
    users: BotUsers<'_>,
) -> Result<Infallible, Failure> {
    // The runtime of this program ignores it; bots expect what is usual.
    raw::signal(libc::SIGPIPE, raw::Disposition::Default);
    // Who writes too long a file shall hear that it is, and not be ended.
    raw::signal(libc::SIGXFSZ, raw::Disposition::Ignored);
    std::env::set_current_dir(&order.dir).at(BuildStep::Directory)?;
    users.become_one(order.user)?;
    // Not before: a user namespace keeps the limits of whoever made it for all of its user.
    limits::apply(&order.caps, counting(order, control));
    restrictions.restrict_files(order).at(BuildStep::Landlock)?;
    raw::close_on_exec_from(3);
    restrictions.calls.install().at(BuildStep::Seccomp)?;
    match program {
        Some(program) => Err(program.execute()).at(BuildStep::Execute),
        // Only tried: so far everything has worked.
        None => raw::leave(0),
    }
}
