//! Descriptors that a template keeps: out of the way of those that come and go.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::fcntl_dupfd_cloexec;

/// What a template keeps has this number or a higher one. All others that it has at a time are fewer,
/// and a bot is made with those alone ([`own_descriptors`](super::raw::own_descriptors)).
pub(crate) const FIRST_KEPT: u32 = 64;

/// Gives a descriptor a number that is out of the way.
pub(crate) fn put_away(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    Ok(fcntl_dupfd_cloexec(descriptor, FIRST_KEPT as i32)?)
}
