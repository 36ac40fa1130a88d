//! Templates of cages as the host sees them: a process for each bot, which is kept, and makes a cage
//! for every order. Cages whose bot has ended wait here for the next process of the same bot.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::retry_on_intr;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::cgroup::GroupEnds;
use super::launcher_client::{self, Ends};
use super::namespace_cage::NamespaceCage;
use super::order::CageOrder;
use super::template_order::{CageChoice, TemplateOrder};
use crate::process::reaper::Owner;
use crate::process::run_processes::RunProcesses;
use crate::process_wide::CHILDREN;

/// So many cages of a template are kept at most, used or free. Each takes a few descriptors of the
/// template, which every bot has to close.
const MOST_KEPT: u32 = 64;

/// A process that makes cages for one bot. It ends when this is dropped, and so do cages that are
/// free; the others stay.
#[derive(Debug)]
pub(crate) struct Template {
    process: Pid,
    orders: OwnedFd,
    lease: Arc<Lease>,
    cages: Mutex<KeptCages>,
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
}

impl Template {
    /// Has one made. Whether what it shows can be shown, its first cage tells.
    fn make(exe: &Path, common: &CageOrder, processes: &RunProcesses) -> io::Result<Template> {
        let kind = SocketType::SEQPACKET;
        let (orders, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        let (ours, lease) = pipe_with(PipeFlags::CLOEXEC)?;
        let ends = [theirs.as_fd(), lease.as_fd()];
        let process = launcher_client::make_template(exe, common, ends, processes)?;
        let lease = Arc::new(Lease(ours));
        Ok(Template { process, orders, lease, cages: Mutex::default() })
    }

    fn cages(&self) -> MutexGuard<'_, KeptCages> {
        self.cages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lease(&self) -> Arc<Lease> {
        self.lease.clone()
    }

    /// Orders a cage with a bot, or a bot in one that there is.
    pub(crate) fn order(
        &self,
        choice: CageChoice,
        order: &CageOrder,
        ends: &Ends,
        group: Option<&GroupEnds>,
    ) -> io::Result<()> {
        launcher_client::send_order(&self.orders, choice, order, ends, group)
    }

    /// A number for a cage that is to be kept; none if there are enough of them. It is given back
    /// with [`Template::forget`].
    pub(crate) fn number(&self) -> Option<u32> {
        let mut cages = self.cages();
        (cages.count < MOST_KEPT).then(|| {
            cages.count += 1;
            cages.next_number += 1;
            cages.next_number
        })
    }

    /// A cage whose last bot has ended.
    fn free(&self) -> Option<NamespaceCage> {
        self.cages().free.pop()
    }

    /// Takes a cage back whose bot has ended, and has it made ready for the next one.
    pub(crate) fn take_back(&self, cage: NamespaceCage) -> Result<(), NamespaceCage> {
        let Some(number) = cage.number() else { return Err(cage) };
        match self.tell(&TemplateOrder::clean(number)) {
            Ok(()) => self.cages().free.push(cage),
            Err(_) => return Err(cage),
        }
        Ok(())
    }

    /// The cage of this number is taken down, or has not come about.
    pub(crate) fn forget(&self, number: u32) {
        self.cages().count -= 1;
        // If it does not hear of it, it has ended.
        let _ = self.tell(&TemplateOrder::forget(number));
    }

    /// Nobody waits for a template that is stuck.
    fn tell(&self, bytes: &[u8]) -> io::Result<()> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        Ok(retry_on_intr(|| send(&self.orders, bytes, flags)).map(drop)?)
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        let free = std::mem::take(&mut self.cages().free);
        let _ = kill_process(self.process, Signal::KILL);
        free.iter().for_each(NamespaceCage::kill);
        let _ = retry_on_intr(|| waitpid(Some(self.process), WaitOptions::empty()));
        CHILDREN.forget(self.process, Owner::Program);
        free.into_iter().for_each(NamespaceCage::wait);
    }
}

/// The template of a bot, once its first cage has been made.
#[derive(Debug, Default)]
pub(crate) struct KeptTemplate(Mutex<Option<Arc<Template>>>);

/// Where a template comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateAge {
    /// It has just been made.
    New,
    /// It has made cages before.
    Used,
}

impl KeptTemplate {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Template>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one that is kept, or a new one.
    pub(crate) fn get(
        &self,
        exe: &Path,
        common: &CageOrder,
        processes: &RunProcesses,
    ) -> io::Result<(Arc<Template>, TemplateAge)> {
        let mut kept = self.lock();
        if let Some(template) = &*kept {
            return Ok((template.clone(), TemplateAge::Used));
        }
        let template = Arc::new(Template::make(exe, common, processes)?);
        *kept = Some(template.clone());
        Ok((template, TemplateAge::New))
    }

    /// A cage whose last bot has ended, and the template that keeps it.
    pub(crate) fn free_cage(&self) -> Option<(Arc<Template>, NamespaceCage)> {
        let template = self.lock().clone()?;
        let cage = template.free()?;
        Some((template, cage))
    }

    /// This one makes no more cages.
    pub(crate) fn discard(&self, template: &Arc<Template>) {
        let mut kept = self.lock();
        if kept.as_ref().is_some_and(|other| Arc::ptr_eq(other, template)) {
            *kept = None;
        }
    }
}
