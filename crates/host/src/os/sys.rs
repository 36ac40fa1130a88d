//! The few calls that no safe library offers.
#![expect(
    unsafe_code,
    reason = "processor clocks of other processes, signal handlers, timers of threads"
)]

use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use rustix::process::Pid;
use rustix::rand::GetRandomFlags;
use rustix::thread::gettid;
use rustix::time::{ClockId, clock_gettime};

use crate::process::child::ProcessExit;

/// Processor time a process has used, all its threads together; zero if it is gone.
pub(crate) fn process_cpu(pid: Pid) -> Duration {
    // The kernel's numbering of processor clocks: the inverted id, and 2 for scheduler time.
    let clock = (!pid.as_raw_nonzero().get() << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing. An unknown clock is reported by the return value.
    if unsafe { libc::clock_gettime(clock, &mut time) } != 0 {
        return Duration::ZERO;
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What a process had used when it ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    /// The most bytes of memory it had.
    pub(crate) memory: u64,
    /// Processor time, that of children it has waited for included.
    pub(crate) cpu: Duration,
}

/// Reaps a child that has ended: how it ended, and what it had used.
pub(crate) fn reap(pid: Pid) -> Option<(ProcessExit, Used)> {
    let mut status = 0;
    // SAFETY: the structure has numbers only, for which all zeroes is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let raw = pid.as_raw_nonzero().get();
    // SAFETY: `status` and `usage` are valid for writing and outlive the call.
    if unsafe { libc::wait4(raw, &mut status, libc::WNOHANG, &mut usage) } != raw {
        return None;
    }
    let exit = match libc::WIFSIGNALED(status) {
        true => ProcessExit::Signal(libc::WTERMSIG(status)),
        false => ProcessExit::Code(libc::WEXITSTATUS(status)),
    };
    let time = |of: libc::timeval| {
        Duration::from_secs(of.tv_sec as u64) + Duration::from_micros(of.tv_usec as u64)
    };
    let cpu = time(usage.ru_utime) + time(usage.ru_stime);
    Some((exit, Used { memory: (usage.ru_maxrss as u64) << 10, cpu }))
}

/// Processor time the calling thread has used.
pub(crate) fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Waits for events with a time-out in nanoseconds; milliseconds on kernels before 5.11. (`rustix`
/// decides when it is built which of the two it does.)
pub(crate) fn epoll_wait(
    epoll: BorrowedFd<'_>,
    events: &mut [libc::epoll_event],
    timeout: Option<Duration>,
) -> usize {
    static OLD_KERNEL: AtomicBool = AtomicBool::new(false);
    let room = events.len() as libc::c_int;
    if !OLD_KERNEL.load(Ordering::Relaxed) {
        let spec = timeout.map(|time| libc::timespec {
            tv_sec: time.as_secs() as libc::time_t,
            tv_nsec: time.subsec_nanos().into(),
        });
        let spec = spec.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: `events` has room for as many entries as stated. `spec` is null or valid, and so is the
        // set of signals, which the kernel only reads.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                epoll.as_raw_fd(),
                events.as_mut_ptr(),
                room,
                spec,
                std::ptr::null::<libc::sigset_t>(),
                size_of::<u64>(),
            )
        };
        if count >= 0 {
            return count as usize;
        }
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::EINTR) => return 0,
            // Unknown to the kernel, or to the filter of a container.
            Some(libc::ENOSYS | libc::EPERM) => OLD_KERNEL.store(true, Ordering::Relaxed),
            error => panic!("cannot wait for processes: error {error:?}"),
        }
    }
    let ms = timeout.map_or(-1, |time| {
        // Rounded up: waking before the deadline would only mean waiting again.
        i32::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
    });
    // SAFETY: `events` has room for as many entries as stated.
    let count = unsafe { libc::epoll_wait(epoll.as_raw_fd(), events.as_mut_ptr(), room, ms) };
    usize::try_from(count).unwrap_or(0)
}

/// Reads what is there, without waiting, from a pipe whose reads may otherwise wait.
pub(crate) fn read_at_once(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize, Errno> {
    /// -1 to the kernel: where the file stands.
    const HERE: u64 = u64::MAX;
    preadv2(fd, &mut [IoSliceMut::new(buffer)], HERE, ReadWriteFlags::NOWAIT)
}

/// Whether [`read_at_once`] works on this system.
pub(crate) fn reads_without_waiting() -> bool {
    static WORKS: OnceLock<bool> = OnceLock::new();
    *WORKS.get_or_init(|| {
        let Ok((reading, _writing)) = rustix::pipe::pipe() else { return false };
        use std::os::fd::AsFd as _;
        read_at_once(reading.as_fd(), &mut [0; 1]) == Err(Errno::AGAIN)
    })
}

/// A timer that interrupts the system calls of the thread that made it.
#[derive(Debug)]
pub(crate) struct IntervalTimer(libc::timer_t);

impl IntervalTimer {
    /// For the calling thread; does not run yet.
    pub(crate) fn new() -> std::io::Result<IntervalTimer> {
        extern "C" fn beat(_: libc::c_int) {}
        let signal = libc::SIGRTMIN() + 3;
        // SAFETY: all zeroes is a valid value: no flags, no signal blocked, the default handler.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = beat as *const () as libc::sighandler_t;
        // Without SA_RESTART: reads are to be interrupted.
        // SAFETY: `action` is initialised, and its handler, which does nothing, may run at any time.
        if unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: all zeroes is a valid value: numbers and null pointers.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = signal;
        event.sigev_notify_thread_id = gettid().as_raw_nonzero().get();
        let mut timer: libc::timer_t = std::ptr::null_mut();
        // SAFETY: `event` is initialised and `timer` valid for writing. The thread that is named exists: it
        // is this one.
        match unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) } {
            0 => Ok(IntervalTimer(timer)),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    /// Beats in this interval from now on; zero is never.
    pub(crate) fn set(&self, interval: Duration) -> std::io::Result<()> {
        let spec = libc::timespec {
            tv_sec: interval.as_secs() as libc::time_t,
            tv_nsec: interval.subsec_nanos().into(),
        };
        let both = libc::itimerspec { it_interval: spec, it_value: spec };
        // SAFETY: the timer exists until this is dropped. `both` is initialised and outlives the call.
        match unsafe { libc::timer_settime(self.0, 0, &both, std::ptr::null_mut()) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }
}

impl Drop for IntervalTimer {
    fn drop(&mut self) {
        // SAFETY: the timer exists, and nobody uses it again: it is dropped here.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// Whatever descriptors we were started with are not handed on to bots.
pub(crate) fn keep_descriptors_to_ourselves() {
    // Kernels before 5.11 refuse; then nothing is changed.
    let _ = close_on_exec_from(3);
}

/// Closes every descriptor from this one on when a program is executed. Fails on kernels before
/// 5.11.
pub(crate) fn close_on_exec_from(first: libc::c_uint) -> std::io::Result<()> {
    let flag = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: no pointer is handed over, and with this flag no descriptor is closed now.
    match unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flag) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Every process takes several descriptors: allow as many as we may have.
pub(crate) fn allow_many_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static WAKER: OnceLock<OwnedFd> = OnceLock::new();
static WAKER_FD: AtomicI32 = AtomicI32::new(-1);

/// Whether the user has asked the program to stop.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From now on Ctrl-C, SIGTERM and SIGHUP end matches in good order; a second one ends the
/// program at once.
pub fn catch_interrupts() {
    extern "C" fn handler(signal: libc::c_int) {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            // The guard cleans up after us.
            // SAFETY: _exit may be called in a signal handler.
            unsafe { libc::_exit(128 + signal) }
        }
        let fd: RawFd = WAKER_FD.load(Ordering::Relaxed);
        // SAFETY: write may be called in a signal handler, and reads eight bytes of a value that has as
        // many. The descriptor is never closed; before there is one, the number is none and the call fails.
        unsafe { libc::write(fd, std::ptr::from_ref(&1_u64).cast(), 8) };
    }
    interrupt_waker();
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler is a function that lives for ever, and does only what is allowed in one:
        // atomic loads and stores, `write` and `_exit`.
        let before = unsafe { libc::signal(signal, handler as *const () as libc::sighandler_t) };
        // Whoever started us under `nohup` means it.
        if before == libc::SIG_IGN {
            // SAFETY: no handler is installed.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
    // If the end of children were ignored, the kernel would reap them before we learn how they ended.
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Becomes readable when the program is interrupted, and stays so.
pub fn interrupt_waker() -> BorrowedFd<'static> {
    use std::os::fd::AsFd as _;
    let waker = WAKER.get_or_init(|| {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .expect("an eventfd can be made at the start");
        WAKER_FD.store(fd.as_raw_fd(), Ordering::Relaxed);
        fd
    });
    waker.as_fd()
}

static RESIZED_FD: AtomicI32 = AtomicI32::new(-1);

/// From now on, becomes readable whenever the terminal has another size; reading eight bytes from
/// it takes note of that.
pub fn resize_waker() -> BorrowedFd<'static> {
    use std::os::fd::AsFd as _;
    static WAKER: OnceLock<OwnedFd> = OnceLock::new();
    extern "C" fn handler(_: libc::c_int) {
        let fd: RawFd = RESIZED_FD.load(Ordering::Relaxed);
        // SAFETY: write may be called in a signal handler, and reads eight bytes of a value that has as
        // many. The descriptor is never closed; before there is one, the number is none and the call fails.
        unsafe { libc::write(fd, std::ptr::from_ref(&1_u64).cast(), 8) };
    }
    let waker = WAKER.get_or_init(|| {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .expect("an eventfd can be made at the start");
        RESIZED_FD.store(fd.as_raw_fd(), Ordering::Relaxed);
        // SAFETY: the handler is a function that lives for ever, and does only what is allowed in one: an
        // atomic load and `write`.
        unsafe { libc::signal(libc::SIGWINCH, handler as *const () as libc::sighandler_t) };
        fd
    });
    waker.as_fd()
}

/// A seed that nobody can guess: 64 random bits from the system.
pub fn random_seed() -> u64 {
    let mut bytes = [0; 8];
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(Errno::INTR) => {}
            Err(error) => panic!("the system has no random numbers: {error}"),
        }
    }
    u64::from_ne_bytes(bytes)
}

/// How long the calling thread wants to run at a stretch. It gets no larger share by either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slices {
    /// As short as possible: it runs soon after it is woken, however many others want its core.
    Short,
    /// Longer than others: whoever it wakes on its core runs at once, before it goes on itself.
    Long,
}

/// Asks the scheduler for slices for the calling thread. Systems that know no such wish (before
/// Linux 6.12) ignore it.
pub(crate) fn ask_for(slices: Slices) {
    let nanoseconds = match slices {
        // The shortest that there are.
        Slices::Short => 100_000,
        // Those of others last 3 ms at most, unless a system was tuned.
        Slices::Long => 10_000_000,
    };
    let size = size_of::<libc::sched_attr>();
    // SAFETY: the structure has numbers only.
    let mut wish: libc::sched_attr = unsafe { std::mem::zeroed() };
    // Its priority stays as it is: the program may have been started with `nice`.
    // SAFETY: the kernel writes at most `size` bytes to `wish`, which has as many.
    let known = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &mut wish, size, 0) } == 0;
    if !known || wish.sched_policy != libc::SCHED_OTHER as u32 {
        return;
    }
    wish.size = size as u32;
    // What it starts has ordinary ones.
    wish.sched_flags = libc::SCHED_FLAG_RESET_ON_FORK as u64;
    wish.sched_runtime = nanoseconds;
    // A refusal changes nothing.
    // SAFETY: `wish` is initialised and says how large it is. The kernel only reads it.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &wish, 0) };
}

/// Whether a process that is woken may interrupt another one. Its share of the processor and its
/// priority are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WakeUps {
    /// As the system sees fit.
    #[default]
    Ordinary,
    /// It waits until the other one has had its slice.
    Patient,
}

/// Says so to the scheduler, and returns whether that changed anything. Who was given another class
/// (`chrt`) keeps it. Threads that the process has already, other than the first, are left as they
/// are; those to come are like the first.
pub(crate) fn set_wake_ups(pid: Pid, wake_ups: WakeUps) -> bool {
    let (from, to) = match wake_ups {
        WakeUps::Ordinary => (libc::SCHED_BATCH, libc::SCHED_OTHER),
        WakeUps::Patient => (libc::SCHED_OTHER, libc::SCHED_BATCH),
    };
    let pid = pid.as_raw_nonzero().get();
    // SAFETY: only a number is passed, and only a number comes back.
    if unsafe { libc::sched_getscheduler(pid) } != from {
        return false;
    }
    // SAFETY: the structure has numbers only, and zero is the priority of both policies.
    let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: `parameters` is initialised, and the kernel only reads it.
    unsafe { libc::sched_setscheduler(pid, to, &parameters) == 0 }
}

/// Begins to fetch the first bytes of something into the cache, where that is possible.
#[inline]
pub(crate) fn fetch_soon<T>(something: &T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes.min(size_of::<T>())).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let place = std::ptr::from_ref(something).cast::<i8>().wrapping_add(line);
        // SAFETY: nothing is read or written; an address that does not exist is ignored.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (something, bytes);
}

#[cfg(test)]
mod tests {
    use rustix::process::{getpriority_process, nice};

    use super::*;

    #[test]
    fn slices_leave_the_priority_of_a_thread_alone() {
        let thread = std::thread::spawn(|| {
            let before = nice(1).expect("everybody may step back");
            for slices in [Slices::Short, Slices::Long] {
                ask_for(slices);
                assert_eq!(getpriority_process(None), Ok(before));
            }
        });
        thread.join().expect("the priority stays");
    }

    #[test]
    fn only_who_has_the_ordinary_class_becomes_patient() {
        let class = |id: Pid| {
            // SAFETY: only numbers are passed.
            unsafe { libc::sched_getscheduler(id.as_raw_nonzero().get()) }
        };
        let thread = std::thread::spawn(move || {
            let own = gettid();
            assert!(set_wake_ups(own, WakeUps::Patient));
            assert_eq!(class(own), libc::SCHED_BATCH);
            assert!(!set_wake_ups(own, WakeUps::Patient), "it has it already");
            assert!(set_wake_ups(own, WakeUps::Ordinary));
            assert_eq!(class(own), libc::SCHED_OTHER);
            // SAFETY: the structure has numbers only, and zero is the priority of this policy.
            let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
            // SAFETY: `parameters` is initialised, and the kernel only reads it.
            let stepped_back =
                unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &parameters) == 0 };
            assert!(stepped_back, "everybody may step back");
            for wake_ups in [WakeUps::Patient, WakeUps::Ordinary] {
                assert!(!set_wake_ups(own, wake_ups));
                assert_eq!(class(own), libc::SCHED_IDLE);
            }
        });
        thread.join().expect("a class that somebody chose stays");
    }
}
