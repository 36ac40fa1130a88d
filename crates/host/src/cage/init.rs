//! The first process of a cage. While it lives the cage stands; when it ends, the kernel ends
//! everything inside.
//!
//! A bot that were the first process itself would be immune to its own signals: `abort()` would
//! not end it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::memory;
use super::order::Order;
use super::raw;

/// The exit code of a first process that found the bot using more memory than allowed.
pub(crate) const OUT_OF_MEMORY: i32 = 77;

/// How often the memory of all processes together is looked at, where no control group does it.
const WATCH: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Keeps the cage standing until the host is gone, or ends it.
pub(crate) fn keep(order: &Order) -> ! {
    // Orphans become its children. Whose end is ignored is buried by the kernel.
    raw::signal(libc::SIGCHLD, raw::Disposition::Ignored);
    let _ = raw::no_new_privileges();
    if raw::drop_capabilities(order.user).is_err() {
        raw::leave(1);
    }
    // The bot is the same user; it must not look into this process.
    raw::hide_memory();
    raw::close_stream(0);
    raw::close_stream(1);
    raw::close_from(3);
    let watch = (order.caps.memory > 0).then_some(&WATCH);
    let stderr = rustix::stdio::stderr();
    loop {
        // The host holds the reading end of the bot's standard error as long as there is a bot.
        // When the host dies, however it dies, the kernel closes it, and that is reported here.
        let mut host = [PollFd::new(&stderr, PollFlags::empty())];
        match poll(&mut host, watch) {
            Ok(0) if memory::exceeds(order.caps.memory) => raw::leave(OUT_OF_MEMORY),
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => raw::leave(0),
        }
    }
}
