//! Processes and threads that a cage is made with: a copy of the calling process, or tasks that use
//! its memory.
#![expect(unsafe_code, reason = "forks and tasks that share memory have no safe calls")]

use std::ffi::{c_int, c_ulong, c_void};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};

use super::raw::checked;

/// Which process one finds oneself in after a fork.
pub(crate) enum Forked {
    /// The new one.
    Child,
    /// The old one; the number of the new one.
    Parent(i32),
}

/// Forks; the new process is a child of the caller's parent, which will learn how it ended.
///
/// # Safety
///
/// The calling process must have one thread, or the others must do nothing but wait for it. The new
/// process has a copy of it alone, and would find locks, such as that of the allocator, held for ever
/// by threads that it does not have.
pub(crate) unsafe fn fork_sibling() -> io::Result<Forked> {
    let flags = (libc::CLONE_PARENT | libc::SIGCHLD) as c_ulong;
    let null = 0 as c_ulong;
    // SAFETY: no pointer is handed over, and memory is not shared: without CLONE_VM and a stack of
    // its own the child goes on with a copy of the caller's. There is no other thread, as the caller
    // promises.
    match checked(unsafe { libc::syscall(libc::SYS_clone, flags, null, null, null, null) })? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid as i32)),
    }
}

/// A stack for a task that uses the memory of the thread that made it.
pub(crate) struct TaskStack(Vec<u128>);

impl TaskStack {
    /// Far more than is needed. What is never used takes no memory.
    const SIZE: usize = 1 << 20;

    pub(crate) fn new() -> TaskStack {
        TaskStack(vec![0; TaskStack::SIZE / size_of::<u128>()])
    }
}

/// What a task is that uses the memory of the thread that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskKind {
    /// A thread of this process, whose namespaces and working directory are its own.
    Thread,
    /// A process, a child of the caller's parent. It has the caller's descriptors, not a copy of them:
    /// see [`raw::own_descriptors`](super::raw::own_descriptors).
    Sibling,
}

/// Does some work in a new task and waits until that has ended, or has executed a program. Returns its
/// number. The task has no copy of the memory but the memory itself, which saves most of what a
/// fork and the `exec` after it cost.
///
/// # Safety
///
/// As for [`fork_sibling`]. The stack must not be in use.
pub(crate) unsafe fn run_task<F: FnMut()>(
    kind: TaskKind,
    stack: &mut TaskStack,
    mut work: F,
) -> io::Result<i32> {
    let flags = libc::CLONE_VM
        | libc::CLONE_VFORK
        | match kind {
            TaskKind::Thread => libc::CLONE_THREAD | libc::CLONE_SIGHAND | libc::CLONE_FILES,
            TaskKind::Sibling => libc::CLONE_PARENT | libc::CLONE_FILES | libc::SIGCHLD,
        };
    let top = stack.0.as_mut_ptr_range().end;
    // SAFETY: `top` is the end of a stack that nobody uses, as the caller promises. The caller's thread
    // waits until the task is done with its memory (CLONE_VFORK), and there is no other that does
    // anything, so that nothing is used by two at a time.
    let number =
        unsafe { libc::clone(begin::<F>, top.cast(), flags, std::ptr::from_mut(&mut work).cast()) };
    checked(number.into()).map(|number| number as i32)
}

/// Where a task begins: it does the work at this address.
extern "C" fn begin<F: FnMut()>(work: *mut c_void) -> c_int {
    // SAFETY: it is the address of the work of a caller who waits for it, and which nobody else uses
    // meanwhile. What panics ends the process, since this function does not unwind.
    (unsafe { &mut *work.cast::<F>() })();
    0
}

/// What a sibling is born with.
#[derive(Clone, Copy, Default)]
pub(crate) struct BornWith<'g> {
    /// Its number in the namespace of processes that it is born in. Fails if another one has it, and
    /// without rights over that namespace.
    pub(crate) number: Option<i32>,
    /// The folder of its control group, of version 2.
    pub(crate) group: Option<BorrowedFd<'g>>,
}

/// The same for a sibling that is born with these. The work must not return.
///
/// # Safety
///
/// As for [`run_task`].
pub(crate) unsafe fn run_born_with<F: FnMut() -> std::convert::Infallible>(
    born_with: BornWith<'_>,
    stack: &mut TaskStack,
    mut work: F,
) -> io::Result<i32> {
    let mut work = || {
        let () = match work() {};
    };
    let numbers = born_with.number.as_slice();
    // SAFETY: a structure of numbers, all of which may be zero.
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    let shared = libc::CLONE_VM | libc::CLONE_FILES;
    args.flags = (shared | libc::CLONE_VFORK | libc::CLONE_PARENT) as u64;
    args.stack = stack.0.as_mut_ptr().expose_provenance() as u64;
    args.stack_size = TaskStack::SIZE as u64;
    if !numbers.is_empty() {
        args.set_tid = numbers.as_ptr().expose_provenance() as u64;
        args.set_tid_size = numbers.len() as u64;
    }
    if let Some(group) = born_with.group {
        // CLONE_INTO_CGROUP, for which the library's type is too narrow.
        args.flags |= 1 << 33;
        args.cgroup = group.as_raw_fd() as u64;
    }
    // SAFETY: as in `run_task`; the structure and the number outlive the call.
    let made = unsafe { clone_3(&args, begin_for(&work), std::ptr::from_mut(&mut work).cast()) };
    if made < 0 { Err(io::Error::from_raw_os_error(-made as i32)) } else { Ok(made as i32) }
}

/// A function that a task begins with.
type Begin = extern "C" fn(*mut c_void) -> c_int;

/// The one for work of this type, which has no name.
fn begin_for<F: FnMut()>(_work: &F) -> Begin {
    begin::<F>
}

/// `clone3` with a stack of its own for the new task, which no library offers.
///
/// # Safety
///
/// `args` must describe a stack that nobody uses, and the caller must wait for the task, which has
/// the same memory. `begin` must not return.
#[cfg(target_arch = "x86_64")]
unsafe fn clone_3(args: &libc::clone_args, begin: Begin, work: *mut c_void) -> i64 {
    let made;
    // SAFETY: the kernel keeps all registers but these three. The new task returns from the call with
    // zero and with its own stack, and calls the function, which does not return.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => made,
            in("rdi") std::ptr::from_ref(args),
            in("rsi") size_of::<libc::clone_args>(),
            in("r12") work,
            in("r13") begin,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    made
}

/// The same.
#[cfg(target_arch = "aarch64")]
unsafe fn clone_3(args: &libc::clone_args, begin: Begin, work: *mut c_void) -> i64 {
    let made;
    // SAFETY: as above; the kernel keeps all registers but the first.
    unsafe {
        std::arch::asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x20",
            "blr x21",
            "brk 1",
            "2:",
            in("x8") libc::SYS_clone3,
            inlateout("x0") std::ptr::from_ref(args) => made,
            in("x1") size_of::<libc::clone_args>(),
            in("x20") work,
            in("x21") begin,
        );
    }
    made
}
