//! A cage with namespaces as the host sees it: its first process and its control group.
//!
//! When its bot has ended, it goes back to the template that it comes from, for the next process of
//! the same bot, or it is taken down.

use std::sync::{Arc, Weak};

use rustix::process::{Pid, Signal, kill_process};

use super::cgroup::{Group, LentGroup};
use super::teardown::{CageEnd, EndedCages, why_ended};
use super::template::{Lease, Template};

/// A cage in which a bot is, or may be next.
#[derive(Debug)]
pub(crate) struct NamespaceCage {
    init: Pid,
    group: Option<LentGroup>,
    _lease: Arc<Lease>,
    kept: Option<KeptAs>,
}

/// Where a cage is kept.
#[derive(Clone, Debug)]
pub(crate) struct KeptAs {
    pub(crate) by: Weak<Template>,
    /// What the template calls it.
    pub(crate) number: u32,
}

impl NamespaceCage {
    /// A cage with this first process. It is taken down after its bot if nobody keeps it.
    pub(crate) fn new(
        init: Pid,
        group: Option<LentGroup>,
        lease: Arc<Lease>,
        kept: Option<KeptAs>,
    ) -> NamespaceCage {
        NamespaceCage { init, group, _lease: lease, kept }
    }

    /// The first process inside. Everything inside ends with it.
    pub(crate) fn init(&self) -> Pid {
        self.init
    }

    pub(crate) fn group(&self) -> Option<&Group> {
        self.group.as_deref()
    }

    /// What its template calls it, if that keeps it.
    pub(crate) fn number(&self) -> Option<u32> {
        self.kept.as_ref().map(|kept| kept.number)
    }

    /// Ends everything inside, which takes a moment.
    pub(crate) fn kill(&self) {
        let _ = kill_process(self.init, Signal::KILL);
    }

    /// Ends everything inside, and says whether the first process had ended it before, and why. The
    /// bot has been reaped.
    pub(crate) fn why_ended(&self) -> CageEnd {
        self.kill();
        why_ended(self.init)
    }

    /// Its bot has been reaped and all processes of its group have been killed: they cannot be in
    /// another one. The next process of the bot may have it, unless anything tells it from a new one.
    pub(crate) fn release(mut self, ended: &EndedCages) {
        let Some(template) = self.template() else { return self.take_down(ended) };
        if !self.group.as_mut().is_none_or(LentGroup::renew) {
            return self.spoil(ended);
        }
        if let Err(cage) = template.take_back(self) {
            cage.take_down(ended);
        }
    }

    /// Ends it because of what its bot has done, or may have.
    pub(crate) fn spoil(self, ended: &EndedCages) {
        let template = self.template();
        self.take_down(ended);
        if let Some(template) = template {
            template.spoil();
        }
    }

    /// The template that keeps it.
    fn template(&self) -> Option<Arc<Template>> {
        self.kept.as_ref()?.by.upgrade()
    }

    /// Ends it while nobody waits for it. Its bot, if there was one, has been reaped.
    pub(crate) fn take_down(self, ended: &EndedCages) {
        self.kill();
        if let (Some(template), Some(number)) = (self.template(), self.number()) {
            template.forget(number);
        }
        ended.take_down(self.init, self.group);
    }
}
