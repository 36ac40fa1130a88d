//! The control group of a bot as a template knows it: how processes get into it.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::thread::UnshareFlags;

use super::order::{At as _, BuildStep, Failure};
use super::raw;
use crate::os::no_links;

/// The control group of a bot, if it has one.
pub(crate) struct Membership {
    entrance: Option<Entrance>,
    /// Readable when the group is out of memory, if the kernel ends single processes only.
    pub(crate) shortage: Option<OwnedFd>,
}

/// How processes get into a group.
enum Entrance {
    /// They are born into the group with this folder.
    Folder(OwnedFd),
    /// One that writes `0` to this file joins.
    File(OwnedFd),
}

/// Whether a process is in its group already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joining {
    Done,
    ToBeDone,
}

impl Membership {
    /// With what came with an order.
    pub(crate) fn new(entrance: Option<OwnedFd>, shortage: Option<OwnedFd>) -> Membership {
        let entrance = entrance.map(|entrance| match no_links::is_folder(&entrance) {
            Ok(true) => Entrance::Folder(entrance),
            Ok(false) | Err(_) => Entrance::File(entrance),
        });
        Membership { entrance, shortage }
    }

    /// The folder of the group, if processes can be born into it.
    pub(crate) fn to_be_born_into(&self) -> Option<BorrowedFd<'_>> {
        match &self.entrance {
            Some(Entrance::Folder(folder)) => Some(folder.as_fd()),
            Some(Entrance::File(_)) | None => None,
        }
    }

    /// The calling process is in the group from here on, which is the first that it sees.
    pub(crate) fn enter(&self, joining: Joining) -> Result<(), Failure> {
        match joining {
            Joining::Done => {}
            Joining::ToBeDone => self.join().at(BuildStep::Group)?,
        }
        raw::unshare(UnshareFlags::NEWCGROUP).at(BuildStep::Namespaces)
    }

    fn join(&self) -> io::Result<()> {
        match &self.entrance {
            None => Ok(()),
            Some(Entrance::File(entrance)) => Ok(rustix::io::write(entrance, b"0").map(drop)?),
            Some(Entrance::Folder(folder)) => {
                let flags = OFlags::WRONLY | OFlags::CLOEXEC;
                let entrance = openat(folder, "cgroup.procs", flags, Mode::empty())?;
                Ok(rustix::io::write(&entrance, b"0").map(drop)?)
            }
        }
    }
}
