//! Cages: how untrusted programs are shut in, without root and with nothing to
//! install.
//!
//! For each bot the host has a template made (`template.rs`) by its launcher (`launcher_client.rs`,
//! `launcher_process.rs`): a process that starts the bot's processes, each in a cage, by order
//! (`order.rs`, `template_process.rs`). What works on a machine is found by trying (`tier.rs`).

mod bot_process;
mod call_rules;
mod cgroup;
mod disk;
mod group_file;
mod handles;
mod init;
mod landlock;
mod launcher_client;
mod launcher_process;
mod limits;
mod membership;
mod memory;
mod mounts;
mod namespace_cage;
mod namespaces;
mod order;
mod places;
mod plan;
mod raw;
mod resolve;
mod ruled_template;
mod seccomp;
mod shown;
mod start;
mod tasks;
mod teardown;
mod template;
mod template_order;
mod template_process;
mod tier;
mod users;
mod view;

pub use launcher_client::prepare;
pub use launcher_process::{LAUNCH_COMMAND, launch};
pub use tier::{CageCheck, CagesFound, Tier, found};
pub(crate) use view::FOLDER;
pub use view::{AccessRefusal, OwnDir};

pub(crate) use cgroup::{Group, Groups, remove_all};
pub(crate) use disk::holds_too_much;
pub(crate) use launcher_client::{LOST, Launcher, post_guard};
pub(crate) use memory::{Use, memory_estimate};
pub(crate) use namespace_cage::NamespaceCage;
pub(crate) use order::{Access, Bind, Walls};
pub(crate) use plan::{CagePlan, Extras, HOW_TO_SHOW};
pub(crate) use raw::{ForkVerdict, answer_notification, close_from, leave, next_notification};
pub(crate) use start::{Started, is_launchers_fault};
pub(crate) use teardown::{CageEnd, EndedCages};
pub(crate) use template::FreeCages;
pub(crate) use view::WantedAccess;

use std::path::{Path, PathBuf};

/// Whether bytes are an order to the launcher or to a template, or what is said of a launch; for tests
/// that try any bytes.
#[doc(hidden)]
pub fn understands(bytes: &[u8]) -> bool {
    let order = order::CageOrder::decode(bytes);
    // What was understood says the same when it is passed on.
    assert_eq!(order, order.as_ref().and_then(|order| order::CageOrder::decode(&order.encode())));
    let template_order = template_order::TemplateOrder::decode(bytes);
    let word = order::LaunchWord::decode(bytes);
    order.is_some() || template_order.is_some() || word.is_some()
}

/// How the bots of a run are shut in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CageTerms {
    /// How well at most, if this machine can do it.
    pub at_most: Tier,
    /// What every bot may read besides what it needs anyway.
    pub read: Vec<PathBuf>,
    /// What every bot may write to.
    pub write: Vec<PathBuf>,
    /// What no bot sees, wherever it lies: replays, for instance.
    pub hidden: Vec<PathBuf>,
}

impl CageTerms {
    /// How well they are shut in on this machine. Waits until that has been tried out, if anything
    /// is wanted. `exe` is the path of this program.
    pub fn tier(&self, exe: &Path) -> Tier {
        match self.at_most {
            Tier::E => Tier::E,
            Tier::D if tier::try_rules(exe).is_ok() => Tier::D,
            Tier::D => Tier::E,
            Tier::A | Tier::B | Tier::C => self.allow(found(exe).tier),
        }
    }

    /// The same if namespaces work, before anybody has tried; none if they are not wanted either.
    pub(crate) fn supposed_tier(&self) -> Option<Tier> {
        tier::supposed().map(|best| self.allow(best)).filter(|tier| *tier >= Tier::C)
    }

    fn allow(&self, best: Tier) -> Tier {
        match self.at_most.min(best) {
            // Control groups are of one version or the other: the next tier is without any.
            Tier::B if best == Tier::A => Tier::C,
            tier => tier,
        }
    }

    /// Where control groups may be made for the bots.
    pub(crate) fn group_folder(&self) -> Option<&'static Path> {
        match self.at_most {
            Tier::A | Tier::B => Groups::found().ok().map(Groups::folder),
            Tier::C | Tier::D | Tier::E => None,
        }
    }

    /// No cage at all: tier E.
    pub fn none() -> CageTerms {
        CageTerms { at_most: Tier::E, read: Vec::new(), write: Vec::new(), hidden: Vec::new() }
    }
}
