//! The system calls of the cage that no safe library offers, each wrapped once.
//!
//! Everything here but the two `clone`s is a plain call with checked arguments. The launcher has a
//! single thread and never returns to the program's own code, which is why it may fork.
#![expect(
    unsafe_code,
    reason = "namespaces, mounts, Landlock, seccomp and fork have no safe calls"
)]

use std::ffi::{CStr, CString, c_int, c_long, c_uint, c_ulong};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

fn checked(result: c_long) -> io::Result<c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Leaves namespaces for new ones.
pub(crate) fn unshare(flags: c_int) -> io::Result<()> {
    // SAFETY: takes no pointers.
    checked(unsafe { libc::unshare(flags) }.into()).map(drop)
}

/// Which process one finds oneself in after a fork.
pub(crate) enum Forked {
    /// The new one.
    Child,
    /// The old one; the number of the new one.
    Parent(i32),
}

/// Forks; the new process is a child of the caller's parent, which will learn how it ended.
pub(crate) fn fork_sibling() -> io::Result<Forked> {
    let flags = (libc::CLONE_PARENT | libc::SIGCHLD) as c_ulong;
    let null = 0 as c_ulong;
    // SAFETY: the launcher has one thread, so the copy finds no lock held by another; without a
    // stack of its own the child goes on with a copy of the caller's.
    match checked(unsafe { libc::syscall(libc::SYS_clone, flags, null, null, null, null) })? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid as i32)),
    }
}

/// Mounts; `None` stands for a null pointer.
pub(crate) fn mount(
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: every pointer is null or a terminated string that outlives the call.
    checked(c_long::from(unsafe {
        let options = pointer(options).cast();
        libc::mount(pointer(source), target.as_ptr(), pointer(kind), flags, options)
    }))
    .map(drop)
}

/// Takes a mount and everything below it out of sight.
pub(crate) fn detach(target: &CStr) -> io::Result<()> {
    // SAFETY: a terminated string that outlives the call.
    checked(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) }.into()).map(drop)
}

/// Makes `new` the root; the old one is found at `old`.
pub(crate) fn pivot_root(new: &CStr, old: &CStr) -> io::Result<()> {
    // SAFETY: terminated strings that outlive the call.
    checked(unsafe { libc::syscall(libc::SYS_pivot_root, new.as_ptr(), old.as_ptr()) }).map(drop)
}

/// Adds restrictions to a mount, with everything mounted below it if so wished.
pub(crate) fn restrict_mount(target: &CStr, attributes: u64, recursive: c_uint) -> io::Result<()> {
    #[repr(C)]
    struct MountAttr {
        set: u64,
        clear: u64,
        propagation: u64,
        userns: u64,
    }
    let wanted = MountAttr { set: attributes, clear: 0, propagation: 0, userns: 0 };
    // SAFETY: the structure is the one the kernel expects, with its size.
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

/// The flags of the mount a path is on, as `mount` takes them.
pub(crate) fn mount_flags(path: &CStr) -> c_ulong {
    // SAFETY: all zeroes is a valid value, and `stat` is valid for writing.
    unsafe {
        let mut stat: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(path.as_ptr(), &mut stat) == 0 { stat.f_flag } else { 0 }
    }
}

/// Becomes this user and group alone.
fn become_user(id: u32) -> io::Result<()> {
    // SAFETY: no pointer is followed when the list of groups is empty. The raw calls change this
    // thread, which is the only one.
    unsafe {
        checked(libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<libc::gid_t>()))?;
        checked(libc::syscall(libc::SYS_setresgid, id, id, id))?;
        checked(libc::syscall(libc::SYS_setresuid, id, id, id))?;
    }
    Ok(())
}

/// Becomes another user, if one is named, and gives up every capability for good.
pub(crate) fn drop_capabilities(user: Option<u32>) -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: c_int,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let header = Header { version: VERSION_3, pid: 0 };
    let none = [0_u32; 6];
    // SAFETY: the structures are those of version 3; the calls with numbers take no pointers.
    unsafe {
        for capability in 0..64 {
            // Ends with the last capability the kernel knows. It takes a capability to do this.
            if libc::prctl(libc::PR_CAPBSET_DROP, capability as c_ulong, 0, 0, 0) != 0 {
                break;
            }
        }
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    }
    user.map_or(Ok(()), become_user)?;
    // SAFETY: as above.
    unsafe {
        checked(libc::syscall(libc::SYS_capset, std::ptr::from_ref(&header), none.as_ptr()))?;
    }
    Ok(())
}

/// No program may gain rights by being executed from now on.
pub(crate) fn no_new_privileges() -> io::Result<()> {
    // SAFETY: takes no pointers.
    checked(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into()).map(drop)
}

/// Nobody without special rights may look into this process.
pub(crate) fn hide_memory() {
    // SAFETY: takes no pointers.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) };
}

/// The opposite, until a program is executed.
pub(crate) fn show_memory() {
    // SAFETY: takes no pointers.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0) };
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
    // SAFETY: no handler is installed.
    unsafe { libc::signal(number, to) };
}

/// Limits a resource of the calling process. A limit that is lower already stays.
pub(crate) fn limit(resource: c_uint, most: u64) {
    limits(resource, most, most);
}

/// The same; beyond the first figure the process is warned, beyond the second it is ended.
pub(crate) fn limits(resource: c_uint, warned: u64, ended: u64) {
    // SAFETY: `limit` is valid for reading and writing.
    unsafe {
        let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
        if libc::syscall(libc::SYS_prlimit64, 0, resource, std::ptr::null::<u8>(), &mut limit) == 0
        {
            let ended = ended.min(limit.rlim_max);
            let limit = libc::rlimit64 { rlim_cur: warned.min(ended), rlim_max: ended };
            libc::syscall(libc::SYS_prlimit64, 0, resource, &limit, std::ptr::null::<u8>());
        }
    }
}

/// Closes every descriptor from this one on when a program is executed.
pub(crate) fn close_on_exec_from(first: c_uint) {
    const CLOEXEC: c_uint = 4;
    // SAFETY: takes no pointers.
    if unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, CLOEXEC) } != 0 {
        // Before 5.11. Descriptors beyond would have to come from whoever started us.
        for fd in first as c_int..1024 {
            // SAFETY: sets a flag, or fails.
            unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

/// Closes every descriptor from this one on.
pub(crate) fn close_from(first: c_uint) {
    // SAFETY: the caller is about to sleep until its end and uses none of them.
    if unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, 0) } != 0 {
        for fd in first as c_int..1024 {
            // SAFETY: as above.
            unsafe { libc::close(fd) };
        }
    }
}

/// Puts a copy of a descriptor in the place of a standard stream.
pub(crate) fn replace_stream(fd: BorrowedFd<'_>, stream: RawFd) -> io::Result<()> {
    // SAFETY: standard streams belong to nobody in the launcher.
    checked(unsafe { libc::dup2(fd.as_raw_fd(), stream) }.into()).map(drop)
}

/// Closes a standard stream.
pub(crate) fn close_stream(stream: RawFd) {
    // SAFETY: standard streams belong to nobody in the launcher.
    unsafe { libc::close(stream) };
}

/// Executes a program in place of this one; returns only if that fails.
pub(crate) fn execute(program: &CStr, args: &[CString], env: &[CString]) -> io::Error {
    let list = |words: &[CString]| {
        let ends = std::iter::once(std::ptr::null());
        words.iter().map(|word| word.as_ptr()).chain(ends).collect::<Vec<_>>()
    };
    let (args, env) = (list(args), list(env));
    // SAFETY: both lists end with a null pointer, and their strings outlive the call.
    unsafe { libc::execve(program.as_ptr(), args.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends this process at once.
pub(crate) fn leave(code: c_int) -> ! {
    // SAFETY: runs no code of this program any more.
    unsafe { libc::_exit(code) }
}

/// Makes a Landlock ruleset from the kernel's own structure.
pub(crate) fn landlock_ruleset(handled: &[u64]) -> io::Result<OwnedFd> {
    // SAFETY: the kernel reads as many bytes as stated; a new descriptor is ours.
    unsafe {
        let fd = checked(libc::syscall(
            libc::SYS_landlock_create_ruleset,
            handled.as_ptr(),
            size_of_val(handled),
            0,
        ))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// The version of Landlock the kernel has; 0 for none.
pub(crate) fn landlock_version() -> u32 {
    const VERSION: c_uint = 1;
    let null = std::ptr::null::<u8>();
    // SAFETY: this flag takes no structure.
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
    // SAFETY: the structure is the one the kernel expects for this kind of rule.
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
    // SAFETY: takes no pointers.
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

/// The same; calls that the filter hands over wait for whoever listens to this descriptor.
pub(crate) fn seccomp_listener(program: &[libc::sock_filter]) -> io::Result<OwnedFd> {
    let listen = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    let fd = install_filter(program, listen | libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW)?;
    // SAFETY: a new descriptor is ours.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

fn install_filter(program: &[libc::sock_filter], flags: c_ulong) -> io::Result<c_long> {
    let length = u16::try_from(program.len()).expect("the filter is far shorter than allowed");
    let filter = libc::sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    // SAFETY: the kernel copies the program, which is as long as stated.
    checked(unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, std::ptr::from_ref(&filter)) })
}

/// A system call of a bot that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notification {
    id: u64,
}

/// What becomes of a call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The kernel carries it out.
    Allow,
    /// It fails: try again later.
    Refuse,
}

/// The next call that waits. Fails with `ENOENT` if whoever made it is gone.
pub(crate) fn next_notification(listener: BorrowedFd<'_>) -> io::Result<Notification> {
    // SAFETY: all zeroes is a valid value, which the kernel demands.
    let mut notification: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    let request = libc::SECCOMP_IOCTL_NOTIF_RECV as libc::Ioctl;
    // SAFETY: the structure is the one the kernel expects, valid for writing.
    let result = unsafe { libc::ioctl(listener.as_raw_fd(), request, &mut notification) };
    checked(result.into())?;
    Ok(Notification { id: notification.id })
}

/// Lets a call that waits go on.
pub(crate) fn answer_notification(
    listener: BorrowedFd<'_>,
    to: Notification,
    verdict: Verdict,
) -> io::Result<()> {
    let (error, flags) = match verdict {
        Verdict::Allow => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
        Verdict::Refuse => (-libc::EAGAIN, 0),
    };
    let answer = libc::seccomp_notif_resp { id: to.id, val: 0, error, flags };
    let request = libc::SECCOMP_IOCTL_NOTIF_SEND as libc::Ioctl;
    // SAFETY: the structure is the one the kernel expects, valid for reading.
    checked(unsafe { libc::ioctl(listener.as_raw_fd(), request, &answer) }.into()).map(drop)
}
