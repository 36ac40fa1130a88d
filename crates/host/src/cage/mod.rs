//! Cages: how programs that nobody vouches for are shut in, without root and with nothing to
//! install.
//!
//! The host hands an order (`order.rs`) to its launcher (`launcher.rs`, `launch.rs`), a process of
//! which comes that builds the cage and becomes the bot. What works on a machine is found by trying (`tier.rs`).

mod cgroup;
mod disk;
mod graves;
mod init;
mod landlock;
mod launch;
mod launcher;
mod limits;
mod memory;
mod mounts;
mod order;
mod plan;
mod raw;
mod seccomp;
mod start;
mod tier;
mod users;
mod view;

pub use launch::{LAUNCH_COMMAND, launch};
pub use tier::{Check, Found, Tier, found};
pub use view::OwnDir;

pub(crate) use cgroup::{Group, Groups, remove_all};
pub(crate) use disk::holds_too_much;
pub(crate) use graves::{Ended, any_standing, close, lay, why_ended};
pub(crate) use launcher::session;
pub(crate) use memory::exact_memory;
pub(crate) use order::{Access, Bind, Walls};
pub(crate) use plan::{Caged, Extras, HOW_TO_SHOW, Plan};
pub(crate) use start::Started;

use std::path::{Path, PathBuf};

/// Whether bytes are an order to a launcher, or a launcher's word; for tests that try any bytes.
#[doc(hidden)]
pub fn understands(bytes: &[u8]) -> bool {
    let order = order::Order::decode(bytes);
    // What was understood says the same when it is passed on.
    assert_eq!(order, order.as_ref().and_then(|order| order::Order::decode(&order.encode())));
    order.is_some() | order::Word::decode(bytes).is_some()
}

/// How the bots of a run are shut in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How well; not more than this machine can do.
    pub tier: Tier,
    /// What every bot may read besides what it needs anyway.
    pub read: Vec<PathBuf>,
    /// What no bot sees, wherever it lies: replays, for instance.
    pub hidden: Vec<PathBuf>,
}

impl Terms {
    /// Where control groups are made for the bots.
    pub(crate) fn group_folders(&self) -> Vec<&'static Path> {
        match self.tier {
            Tier::A | Tier::B => Groups::found().map_or(Vec::new(), Groups::folders),
            Tier::C | Tier::D | Tier::E => Vec::new(),
        }
    }

    /// No cage at all: tier E.
    pub fn none() -> Terms {
        Terms { tier: Tier::E, read: Vec::new(), hidden: Vec::new() }
    }
}
