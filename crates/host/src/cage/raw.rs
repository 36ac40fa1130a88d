//! The system calls of the cage that no safe library offers, each wrapped once; those that make
//! processes are in `tasks.rs`.
//!
//! What `rustix` does safely is called from here or from where it is needed. A function that its
//! caller could misuse is an `unsafe fn` and says what it demands.
#![expect(unsafe_code, reason = "namespaces, Landlock, seccomp and exec have no safe calls")]

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_ulong};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::mount::MountAttrFlags;
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, Gid, Uid, UnshareFlags, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use crate::os::sys;

pub(crate) fn checked(result: c_long) -> io::Result<c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Leaves namespaces for new ones.
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    // Not the table of descriptors, which is not a namespace.
    let namespaces = namespaces.difference(UnshareFlags::FILES);
    // SAFETY: the one thing that can go wrong is that descriptors of this thread are not those of
    // other threads any more, and the table of descriptors stays shared.
    Ok(unsafe { rustix::thread::unshare_unsafe(namespaces) }?)
}

/// How far a change of a mount reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The mount alone.
    Mount,
    /// Everything mounted below it, too.
    Everything,
}

/// Adds restrictions to a mount.
pub(crate) fn restrict_mount(
    target: &CStr,
    attributes: MountAttrFlags,
    depth: Depth,
) -> io::Result<()> {
    #[repr(C)]
    struct MountAttr {
        set: u64,
        clear: u64,
        propagation: u64,
        userns: u64,
    }
    let set = attributes.bits().into();
    let wanted = MountAttr { set, clear: 0, propagation: 0, userns: 0 };
    let recursive = match depth {
        Depth::Mount => 0,
        Depth::Everything => libc::AT_RECURSIVE as c_uint,
    };
    // SAFETY: `target` is a terminated string and `wanted` the structure that the kernel expects,
    // with its size. The kernel only reads them, and both outlive the call.
    checked(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            target.as_ptr(),
            recursive,
            std::ptr::from_ref(&wanted),
            size_of::<MountAttr>(),
        )
    })
    .map(drop)
}

/// Is in no groups beside its own. Changes the calling thread only.
pub(crate) fn leave_groups() -> io::Result<()> {
    Ok(set_thread_groups(&[])?)
}

/// Becomes this user and group. Changes the calling thread only.
pub(crate) fn become_user(id: u32) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    set_thread_res_gid(group, group, group)?;
    Ok(set_thread_res_uid(user, user, user)?)
}

/// Nothing that is executed from now on, by this process or those it makes, can have a capability.
pub(crate) fn drop_bounding_set() {
    for capability in 0..u64::BITS {
        // Ends with the last capability the kernel knows. It takes a capability to do this.
        let capability = CapabilitySet::from_bits_retain(1 << capability);
        if remove_capability_from_bounding_set(capability).is_err() {
            break;
        }
    }
    let _ = clear_ambient_capability_set();
}

/// Gives up every capability.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(set_capabilities(None, none)?)
}

/// Becomes another user, if one is named, and gives up every capability.
pub(crate) fn become_nobody(user: Option<u32>) -> io::Result<()> {
    if let Some(user) = user {
        leave_groups()?;
        become_user(user)?;
    }
    drop_capabilities()
}

/// No program may gain rights by being executed from now on.
pub(crate) fn no_new_privileges() -> io::Result<()> {
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Nobody without special rights may look into this process.
pub(crate) fn hide_memory() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// The opposite, until a program is executed.
pub(crate) fn show_memory() {
    let _ = set_dumpable_behavior(DumpableBehavior::Dumpable);
}

/// What a signal does.
#[derive(Clone, Copy)]
pub(crate) enum Disposition {
    /// What the system does by itself.
    Default,
    /// Nothing.
    Ignored,
}

/// Sets what a signal does.
pub(crate) fn signal(number: c_int, to: Disposition) {
    let to = match to {
        Disposition::Default => libc::SIG_DFL,
        Disposition::Ignored => libc::SIG_IGN,
    };
    // SAFETY: no handler is installed, so that no code of this program runs in a signal.
    unsafe { libc::signal(number, to) };
}

/// Limits a resource of the calling process. A limit that is lower already stays.
pub(crate) fn limit(resource: Resource, most: u64) {
    limits(resource, most, most);
}

/// The same; beyond the first figure the process is warned, beyond the second it is ended.
pub(crate) fn limits(resource: Resource, warned: u64, ended: u64) {
    let ended = ended.min(getrlimit(resource).maximum.unwrap_or(u64::MAX));
    let limit = Rlimit { current: Some(warned.min(ended)), maximum: Some(ended) };
    let _ = setrlimit(resource, limit);
}

/// Closes every descriptor from this one on when a program is executed.
pub(crate) fn close_on_exec_from(first: c_uint) {
    if sys::close_on_exec_from(first).is_err() {
        // Before 5.11. Descriptors beyond would have to come from our parent.
        for fd in first as c_int..1024 {
            // SAFETY: sets a flag of a descriptor, or fails. No pointer is handed over.
            unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

/// Closes every descriptor from this one on.
///
/// # Safety
///
/// They must not be used or closed afterwards: their numbers may then name other files.
/// Values that own one must never be dropped.
pub(crate) unsafe fn close_from(first: c_uint) {
    // SAFETY: nobody uses the descriptors again, as the caller promises.
    if unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, 0) } != 0 {
        for fd in first as c_int..1024 {
            // SAFETY: as above.
            unsafe { libc::close(fd) };
        }
    }
}

/// Gives this process descriptors of its own, if it has had those of another one: copies of the ones
/// below this number. The kernel does not look at the others, however many there are.
///
/// # Safety
///
/// The process must not use or close the others afterwards: their numbers may then name other files.
/// Values that own one must never be dropped in it.
pub(crate) unsafe fn own_descriptors(below: c_uint) -> io::Result<()> {
    let (last, flags) = (c_uint::MAX, libc::CLOSE_RANGE_UNSHARE);
    // SAFETY: nobody uses the descriptors again, as the caller promises. The other process keeps its own:
    // the table is copied first. No pointer is handed over.
    if unsafe { libc::syscall(libc::SYS_close_range, below, last, flags) } == 0 {
        return Ok(());
    }
    // Before 5.9 it copies all of them; they are closed when a program is executed.
    // SAFETY: the other process keeps its own, and this one has the same numbers.
    Ok(unsafe { rustix::thread::unshare_unsafe(UnshareFlags::FILES) }?)
}

/// Closes the standard output.
///
/// # Safety
///
/// It must not be written to afterwards: its number may then name another file.
pub(crate) unsafe fn close_stdout() {
    // SAFETY: nobody uses it again, as the caller promises.
    unsafe { libc::close(libc::STDOUT_FILENO) };
}

/// A program with its arguments and environment, as the system takes them.
pub(crate) struct ProgramWords {
    program: CString,
    /// The words that the lists point to.
    _words: Vec<CString>,
    args: Vec<*const c_char>,
    env: Vec<*const c_char>,
}

impl ProgramWords {
    /// Fails if a word contains a zero.
    pub(crate) fn new(
        program: CString,
        args: &[Vec<u8>],
        env: &[Vec<u8>],
    ) -> io::Result<ProgramWords> {
        let words = args.iter().chain(env).map(|word| CString::new(&word[..]));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let list = |words: &[CString]| {
            let ends = std::iter::once(std::ptr::null());
            words.iter().map(|word| word.as_ptr()).chain(ends).collect()
        };
        let (args, env) = words.split_at(args.len());
        Ok(ProgramWords { program, args: list(args), env: list(env), _words: words })
    }

    /// Executes the program in place of this one; returns only if that fails.
    pub(crate) fn execute(&self) -> io::Error {
        // SAFETY: `program` and every word are terminated strings, both lists end with a null pointer,
        // and all of them outlive the call.
        unsafe { libc::execve(self.program.as_ptr(), self.args.as_ptr(), self.env.as_ptr()) };
        io::Error::last_os_error()
    }
}

/// Whether there is no process in this namespace but its first and the calling one. One that has
/// ended and has not been reaped is there.
pub(crate) fn is_alone() -> bool {
    const NOBODY: c_int = 0;
    // SAFETY: no pointer is handed over, and this signal is none: the kernel only looks for processes.
    let found = unsafe { libc::kill(-1, NOBODY) };
    found != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

/// Ends this process at once.
pub(crate) fn leave(code: c_int) -> ! {
    // SAFETY: always allowed: no destructor and no other code of this program runs any more.
    unsafe { libc::_exit(code) }
}

/// Makes a Landlock ruleset from the kernel's own structure.
pub(crate) fn landlock_ruleset(handled: &[u64]) -> io::Result<OwnedFd> {
    let size = size_of_val(handled);
    // SAFETY: the kernel reads `size` bytes, which `handled` has.
    let fd = checked(unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, handled.as_ptr(), size, 0)
    })?;
    // SAFETY: the kernel has just made the descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// The version of Landlock the kernel has; 0 for none.
pub(crate) fn landlock_version() -> u32 {
    const VERSION: c_uint = 1;
    let null = std::ptr::null::<u8>();
    // SAFETY: with this flag the kernel follows no pointer; the one it gets is null.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, null, 0_usize, VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// Allows accesses below a path.
pub(crate) fn landlock_allow(
    ruleset: BorrowedFd<'_>,
    access: u64,
    path: BorrowedFd<'_>,
) -> io::Result<()> {
    #[repr(C, packed)]
    struct PathBeneath {
        access: u64,
        parent: c_int,
    }
    const PATH_BENEATH: c_int = 1;
    let rule = PathBeneath { access, parent: path.as_raw_fd() };
    // SAFETY: `rule` is the structure that the kernel expects for this kind of rule. It only reads it,
    // and both descriptors are open.
    checked(unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            PATH_BENEATH,
            std::ptr::from_ref(&rule),
            0,
        )
    })
    .map(drop)
}

/// From now on only what the ruleset allows.
pub(crate) fn landlock_restrict(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: no pointer is handed over, and the descriptor is open.
    checked(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) })
        .map(drop)
}

/// From now on every system call passes this filter.
pub(crate) fn seccomp_filter(program: &[libc::sock_filter]) -> io::Result<()> {
    // The kernel's slow-down against speculation is for sandboxes inside one process.
    install_filter(program, libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW)
        .or_else(|_| install_filter(program, 0))
        .map(drop)
}

/// The same; calls that the filter hands over wait for the reader of this descriptor.
pub(crate) fn seccomp_listener(program: &[libc::sock_filter]) -> io::Result<OwnedFd> {
    let listen = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    let fd = install_filter(program, listen | libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW)?;
    // SAFETY: with this flag the kernel returns a descriptor that it has just made, and that nobody else
    // knows.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

fn install_filter(program: &[libc::sock_filter], flags: c_ulong) -> io::Result<c_long> {
    let length = u16::try_from(program.len()).expect("the filter is far shorter than allowed");
    let filter = libc::sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    // SAFETY: `filter` describes `program`, which is as long as stated. The kernel copies it and writes to
    // neither.
    checked(unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, std::ptr::from_ref(&filter)) })
}

/// A system call of a bot that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notification {
    id: u64,
}

/// What becomes of a call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForkVerdict {
    /// The kernel carries it out.
    Allow,
    /// It fails: try again later.
    Refuse,
}

/// The next call that waits. Fails with `ENOENT` if its caller has ended.
pub(crate) fn next_notification(listener: BorrowedFd<'_>) -> io::Result<Notification> {
    // SAFETY: the structure has numbers only, for which all zeroes is a valid value. The kernel demands it.
    let mut notification: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    let request = libc::SECCOMP_IOCTL_NOTIF_RECV as libc::Ioctl;
    // SAFETY: `notification` is the structure that the kernel fills for this request, and the descriptor is
    // open.
    let result = unsafe { libc::ioctl(listener.as_raw_fd(), request, &mut notification) };
    checked(result.into())?;
    Ok(Notification { id: notification.id })
}

/// Lets a call that waits go on.
pub(crate) fn answer_notification(
    listener: BorrowedFd<'_>,
    to: Notification,
    verdict: ForkVerdict,
) -> io::Result<()> {
    let (error, flags) = match verdict {
        ForkVerdict::Allow => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
        ForkVerdict::Refuse => (-libc::EAGAIN, 0),
    };
    let answer = libc::seccomp_notif_resp { id: to.id, val: 0, error, flags };
    let request = libc::SECCOMP_IOCTL_NOTIF_SEND as libc::Ioctl;
    // SAFETY: `answer` is the structure that the kernel reads for this request, and the descriptor is open.
    checked(unsafe { libc::ioctl(listener.as_raw_fd(), request, &answer) }.into()).map(drop)
}
