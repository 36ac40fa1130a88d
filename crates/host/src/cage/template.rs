//! Templates of cages as the host sees them: a process for each bot, which is kept, and makes a cage
//! for every order.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::retry_on_intr;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::cgroup::GroupEnds;
use super::launcher_client::{self, Ends};
use super::order::CageOrder;
use crate::process::reaper::Owner;
use crate::process::run_processes::RunProcesses;
use crate::process_wide::CHILDREN;

/// A process that makes cages for one bot. It ends when this is dropped; the cages stay.
#[derive(Debug)]
pub(crate) struct Template {
    process: Pid,
    orders: OwnedFd,
}

impl Template {
    /// Has one made. Whether what it shows can be shown, its first cage tells.
    fn make(exe: &Path, common: &CageOrder, processes: &RunProcesses) -> io::Result<Template> {
        let kind = SocketType::SEQPACKET;
        let (orders, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        let process = launcher_client::make_template(exe, common, theirs.as_fd(), processes)?;
        Ok(Template { process, orders })
    }

    /// Orders a cage.
    pub(crate) fn order(
        &self,
        order: &CageOrder,
        ends: &Ends,
        group: Option<&GroupEnds>,
    ) -> io::Result<()> {
        launcher_client::send_order(&self.orders, order, ends, group)
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        let _ = kill_process(self.process, Signal::KILL);
        let _ = retry_on_intr(|| waitpid(Some(self.process), WaitOptions::empty()));
        CHILDREN.forget(self.process, Owner::Program);
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

    /// This one makes no more cages.
    pub(crate) fn discard(&self, template: &Arc<Template>) {
        let mut kept = self.lock();
        if kept.as_ref().is_some_and(|other| Arc::ptr_eq(other, template)) {
            *kept = None;
        }
    }
}
