//! Templates of cages as the host sees them: processes that make the cages of one bot. Cages whose bot
//! has ended wait here for the next process of the same bot.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use rustix::io::retry_on_intr;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid,
};

use super::cgroup::GroupEnds;
use super::launcher_client::{self, Ends};
use super::namespace_cage::NamespaceCage;
use super::order::CageOrder;
use super::teardown::EndedCages;
use super::template_order::{CageChoice, TemplateOrder};
use crate::os::os_limits::room_for_tasks;
use crate::os::placement::count_cores;
use crate::process::reaper::Owner;
use crate::process::run_processes::RunProcesses;
use crate::process_wide::CHILDREN;

/// So many cages of a template are kept at most, used or free: a world of agents has hundreds.
const MOST_KEPT: u32 = 1024;
/// So many of them wait for the next process. Each has a process of its own.
const MOST_FREE: usize = 256;
/// The same for all templates of a run. Bots that play may need what the system allows beside, so that it
/// is also one process in so many at most.
const MOST_FREE_OF_RUN: u64 = 1024;
const FREE_OF_ROOM: u64 = 16;

/// A process that makes cages for one bot. It ends when this is dropped, and so do cages that are
/// free; the others stay.
#[derive(Debug)]
pub(crate) struct Template {
    process: Pid,
    orders: OwnedFd,
    lease: Arc<Lease>,
    cages: Mutex<KeptCages>,
    /// What the bot has made of its cages, in all of its templates.
    history: Arc<CageHistory>,
    /// What is free of the run's cages, its own included.
    of_run: Arc<FreeCages>,
    /// Where they go in the end.
    ended: Arc<EndedCages>,
    /// Orders that it has not carried out.
    waiting: AtomicUsize,
    /// The cores of the last one. It stays there until another order says otherwise.
    cores: Mutex<Vec<usize>>,
}

/// As long as somebody has it, the cages of a template stand.
#[derive(Debug)]
pub(crate) struct Lease(#[expect(dead_code, reason = "its closing is seen")] OwnedFd);

#[derive(Debug, Default)]
struct KeptCages {
    /// Those that no bot is in.
    free: Vec<NamespaceCage>,
    /// How many there are, free or not.
    count: u32,
    next_number: u32,
    /// What the template has not been told: it is not to keep these any more.
    to_forget: Vec<u32>,
}

impl Template {
    /// Has one made. Whether what it shows can be shown, its first cage tells.
    fn make(
        exe: &Path,
        common: &CageOrder,
        processes: &RunProcesses,
        history: &Arc<CageHistory>,
    ) -> io::Result<Arc<Template>> {
        let kind = SocketType::SEQPACKET;
        let (orders, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        let (ours, lease) = pipe_with(PipeFlags::CLOEXEC)?;
        let ends = [theirs.as_fd(), lease.as_fd()];
        let process = launcher_client::make_template(exe, common, ends, processes)?;
        let lease = Arc::new(Lease(ours));
        let template = Arc::new(Template {
            process,
            orders,
            lease,
            cages: Mutex::default(),
            history: history.clone(),
            of_run: processes.free_cages.clone(),
            ended: processes.ended_cages.clone(),
            waiting: AtomicUsize::new(0),
            cores: Mutex::default(),
        });
        template.of_run.are_kept_by(&template);
        Ok(template)
    }

    /// Whether the system has ended it for a system call. It is of no use any more, and ended at the
    /// latest by this.
    pub(crate) fn was_filtered(&self) -> bool {
        let _ = kill_process(self.process, Signal::KILL);
        // Only looked at: it is reaped when nobody has it any more.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let status = retry_on_intr(|| waitid(WaitId::Pid(self.process), options)).ok().flatten();
        status.and_then(|status| status.terminating_signal()) == Some(libc::SIGSYS)
    }

    fn cages(&self) -> MutexGuard<'_, KeptCages> {
        self.cages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lease(&self) -> Arc<Lease> {
        self.lease.clone()
    }

    /// Orders a cage with a bot, or a bot in one that there is. It has been carried out when what is
    /// returned is dropped.
    pub(crate) fn order(
        &self,
        choice: CageChoice,
        order: &CageOrder,
        ends: &Ends,
        group: Option<&GroupEnds>,
    ) -> io::Result<WaitingOrder<'_>> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = WaitingOrder(self);
        self.cores().clone_from(&order.cores);
        self.tell_what_to_forget(&mut self.cages());
        launcher_client::send_order(&self.orders, choice, order, ends, group)?;
        Ok(waiting)
    }

    fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn cores(&self) -> MutexGuard<'_, Vec<usize>> {
        self.cores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lower, the better it is for a start on these cores: it has less to do, and need not move.
    fn merit(&self, cores: &[usize]) -> (usize, bool) {
        (self.waiting(), *self.cores() != cores)
    }

    /// A number for a cage that is to be kept; none if there are enough of them. It is given back
    /// with [`Template::forget`].
    pub(crate) fn number(&self) -> Option<u32> {
        let mut cages = self.cages();
        (cages.count < MOST_KEPT && !self.history.is_spoiled()).then(|| {
            cages.count += 1;
            cages.next_number += 1;
            cages.next_number
        })
    }

    /// A cage cannot be used again, and its bot could have brought that about. If any was before, none is
    /// from now on: a process can tell whether its cage is older than itself, and what one process does
    /// must tell the next nothing.
    pub(crate) fn spoil(&self) {
        if self.history.used_again.load(Ordering::Relaxed) {
            self.history.spoiled.store(true, Ordering::Relaxed);
            self.give_up_free();
        }
    }

    /// A cage whose last bot has ended.
    fn free(&self) -> Option<NamespaceCage> {
        let cage = self.cages().free.pop()?;
        self.of_run.take(1);
        self.history.used_again.store(true, Ordering::Relaxed);
        Some(cage)
    }

    /// Takes down the cages that no bot is in. Says how many.
    fn give_up_free(&self) -> usize {
        let free = std::mem::take(&mut self.cages().free);
        let count = free.len();
        self.of_run.take(count);
        free.into_iter().for_each(|cage| cage.take_down(&self.ended));
        count
    }

    /// Takes a cage back whose bot has ended, and has it made ready for the next one.
    pub(crate) fn take_back(&self, cage: NamespaceCage) -> Result<(), NamespaceCage> {
        let Some(number) = cage.number() else { return Err(cage) };
        let mut cages = self.cages();
        let full = cages.free.len() >= MOST_FREE || self.of_run.are_enough();
        if full || self.history.is_spoiled() || self.tell(&TemplateOrder::clean(number)).is_err() {
            return Err(cage);
        }
        cages.free.push(cage);
        self.of_run.add(1);
        Ok(())
    }

    /// The cage of this number is taken down, or has not come about.
    pub(crate) fn forget(&self, number: u32) {
        let mut cages = self.cages();
        cages.count -= 1;
        cages.to_forget.push(number);
        self.tell_what_to_forget(&mut cages);
    }

    /// What it cannot be told because it is busy, it is told before the next order.
    fn tell_what_to_forget(&self, cages: &mut KeptCages) {
        while let Some(&number) = cages.to_forget.last()
            && self.tell(&TemplateOrder::forget(number)).is_ok()
        {
            cages.to_forget.pop();
        }
    }

    /// Nobody waits for a template that is stuck.
    fn tell(&self, bytes: &[u8]) -> io::Result<()> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        Ok(retry_on_intr(|| send(&self.orders, bytes, flags)).map(drop)?)
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        let _ = kill_process(self.process, Signal::KILL);
        let _ = retry_on_intr(|| waitpid(Some(self.process), WaitOptions::empty()));
        CHILDREN.forget(self.process, Owner::Program);
        self.give_up_free();
    }
}

/// What a bot has made of its cages.
#[derive(Debug, Default)]
struct CageHistory {
    used_again: AtomicBool,
    /// See [`Template::spoil`].
    spoiled: AtomicBool,
}

impl CageHistory {
    fn is_spoiled(&self) -> bool {
        self.spoiled.load(Ordering::Relaxed)
    }
}

/// The cages of a run that no bot is in. They take room that another bot may need.
#[derive(Debug, Default)]
pub(crate) struct FreeCages {
    count: AtomicUsize,
    /// How many there may be, once somebody has asked.
    most: OnceLock<u64>,
    templates: Mutex<Vec<Weak<Template>>>,
}

impl FreeCages {
    fn are_enough(&self) -> bool {
        let most = || MOST_FREE_OF_RUN.min(room_for_tasks() / FREE_OF_ROOM);
        self.count.load(Ordering::Relaxed) as u64 >= *self.most.get_or_init(most)
    }

    fn add(&self, count: usize) {
        self.count.fetch_add(count, Ordering::Relaxed);
    }

    fn take(&self, count: usize) {
        self.count.fetch_sub(count, Ordering::Relaxed);
    }

    fn templates(&self) -> MutexGuard<'_, Vec<Weak<Template>>> {
        self.templates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn are_kept_by(&self, template: &Arc<Template>) {
        let mut templates = self.templates();
        templates.retain(|other| other.strong_count() > 0);
        templates.push(Arc::downgrade(template));
    }

    /// Takes all of them down. Says how many.
    pub(crate) fn give_up(&self) -> usize {
        let templates: Vec<_> = self.templates().iter().filter_map(Weak::upgrade).collect();
        templates.iter().map(|template| template.give_up_free()).sum()
    }
}

/// An order that a template has not carried out.
pub(crate) struct WaitingOrder<'t>(&'t Template);

impl Drop for WaitingOrder<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The templates of a bot. There is one after the first start, and there are others when all were often
/// busy, up to one for each core: a template carries out one order after another.
#[derive(Debug, Default)]
pub(crate) struct Templates(Mutex<KeptTemplates>);

#[derive(Debug, Default)]
struct KeptTemplates {
    history: Arc<CageHistory>,
    list: Vec<Arc<Template>>,
    /// How often all were busy since the last of them was made.
    found_busy: u32,
}

/// To make a template takes as long as so many starts.
const MADE_AFTER: u32 = 16;

/// Whether a template was there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateAge {
    Old,
    /// It was made for this start.
    New,
}

impl Templates {
    fn lock(&self) -> MutexGuard<'_, KeptTemplates> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One for a start on these cores: that which has least to do, or a new one.
    pub(crate) fn get(
        &self,
        exe: &Path,
        common: &CageOrder,
        processes: &RunProcesses,
        cores: &[usize],
    ) -> io::Result<(Arc<Template>, TemplateAge)> {
        // Locked until there is one: two that need the first at the same time make one.
        let mut kept = self.lock();
        let best = kept.list.iter().min_by_key(|template| template.merit(cores)).cloned();
        if let Some(best) = best.as_ref().filter(|_| !kept.another_helps()) {
            return Ok((best.clone(), TemplateAge::Old));
        }
        kept.found_busy = 0;
        match (Template::make(exe, common, processes, &kept.history), best) {
            (Ok(made), _) => {
                kept.list.push(made.clone());
                Ok((made, TemplateAge::New))
            }
            (Err(_), Some(best)) => Ok((best, TemplateAge::Old)),
            (Err(error), None) => Err(error),
        }
    }

    /// A cage whose last bot has ended, and the template that keeps it. Every start looks for one first.
    pub(crate) fn free_cage(&self, cores: &[usize]) -> Option<(Arc<Template>, NamespaceCage)> {
        let mut kept = self.lock();
        kept.list.sort_by_cached_key(|template| template.merit(cores));
        if kept.list.first()?.waiting() > 0 {
            kept.found_busy += 1;
        }
        // Another template has none: there is to be a new one.
        if kept.another_helps() || kept.history.is_spoiled() {
            return None;
        }
        kept.list.iter().find_map(|template| Some((template.clone(), template.free()?)))
    }

    /// This one makes no more cages.
    pub(crate) fn discard(&self, template: &Arc<Template>) {
        self.lock().list.retain(|other| !Arc::ptr_eq(other, template));
    }
}

impl KeptTemplates {
    /// Whether another one would start bots sooner.
    fn another_helps(&self) -> bool {
        self.found_busy >= MADE_AFTER && self.list.len() < count_cores()
    }
}
