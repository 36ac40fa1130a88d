//! The filter of system calls: what no bot needs and what would reach beyond its cage.
//!
//! A list of what is refused, not of what is allowed: bots come in every language, and a runtime
//! that meets an unexpected refusal fails in ways nobody understands. What is refused says so with
//! an ordinary error, and the bot plays on.

use std::io;
use std::os::fd::OwnedFd;

use libc::sock_filter;

use super::landlock::SCOPES_SIGNALS;
use super::order::{CageOrder, LaunchPurpose, Walls};
use super::raw;

/// Refused with "operation not permitted".
const REFUSED: &[libc::c_long] = &[
    // The network, and sockets that could reach anything; pairs of them stay allowed.
    libc::SYS_socket,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Keys, and kernel interfaces with a history of holes.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    // What other bots do with files that both can see.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
    // A descriptor under way in a socket holds a file that nobody can count.
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_lookup_dcookie,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // The machine.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_nfsservctl,
    libc::SYS_vhangup,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    // Clocks and priorities.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_setpriority,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setaffinity,
    libc::SYS_set_mempolicy,
    libc::SYS_mbind,
    // Message queues and semaphores of the old kind outlive the process.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
];

/// Said to have worked, without effect: all processes of a bot stay in its process group and its
/// session. By these they are found, stopped while the bot is not on move, and given no more of the
/// processor than another bot's where the system shares it out between sessions. Libraries that
/// start helpers take a refusal for the failure of the whole start.
const LEAVING: &[libc::c_long] = &[libc::SYS_setsid, libc::SYS_setpgid];

/// Refused where all files of the user are in sight: who may do what with a file is not a matter of
/// Landlock's. A file that is open can still be changed: it could be opened.
const OF_OTHERS: &[libc::c_long] = &[
    libc::SYS_fchmodat,
    // fchmodat2, which has the same number everywhere.
    452,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    // setxattrat and removexattrat.
    463,
    466,
    // file_setattr.
    469,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// Offsets in the kernel's description of a call; numbers are little-endian.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

/// Not an error: the call returns zero.
const DONE: i32 = 0;
const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
const fn refuse(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno as u32
}

/// Filters the calls of this process and what it starts.
pub(crate) fn filter(order: &CageOrder) -> io::Result<()> {
    raw::seccomp_filter(&program(order))
}

/// Has every new process or thread of this one, and of what it starts, announced before it is made:
/// to whoever listens to this descriptor.
pub(crate) fn announce_processes() -> io::Result<OwnedFd> {
    const CALLS: &[libc::c_long] = &[
        libc::SYS_clone,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_fork,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_vfork,
    ];
    let mut code = Code(Vec::new());
    code.load(ARCH);
    code.unless_equal(ARCHITECTURE, KILL);
    code.load(NUMBER);
    for &number in CALLS {
        code.if_equal(number as u32, libc::SECCOMP_RET_USER_NOTIF);
    }
    code.end(ALLOW);
    raw::seccomp_listener(&code.0)
}

fn program(order: &CageOrder) -> Vec<sock_filter> {
    let mut code = Code(Vec::with_capacity(256));
    // Calls of another architecture have other numbers.
    code.load(ARCH);
    code.unless_equal(ARCHITECTURE, KILL);
    code.load(NUMBER);
    // The third numbering of x86, which nobody uses.
    #[cfg(target_arch = "x86_64")]
    code.if_at_least(0x4000_0000, refuse(libc::ENOSYS));
    for &number in REFUSED {
        code.if_equal(number as u32, refuse(libc::EPERM));
    }
    // It would show a bot its first question before the clock of that starts; others copy then.
    code.if_equal(libc::SYS_tee as u32, refuse(libc::EINVAL));
    // Its flags are in memory, where a filter cannot look; libraries fall back to `clone`.
    code.if_equal(libc::SYS_clone3 as u32, refuse(libc::ENOSYS));
    if order.caps.memory > 0 {
        // Memory that no limit of a process counts.
        code.if_equal(libc::SYS_memfd_create as u32, refuse(libc::ENOSYS));
    }
    for &number in LEAVING {
        code.if_equal(number as u32, refuse(DONE));
    }
    if order.walls == Walls::Rules {
        for &number in OF_OTHERS {
            code.if_equal(number as u32, refuse(libc::EPERM));
        }
    }
    let refused = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        // It would be a child of the host, whom nobody expects, and a cage stands until it is
        // reaped.
        | libc::CLONE_PARENT;
    code.call(libc::SYS_clone, 0, |code| code.if_any(refused as u32, refuse(libc::EPERM)));
    // Typing into the terminal that started us.
    code.call(libc::SYS_ioctl, 1, |code| {
        code.if_equal(libc::TIOCSTI as u32, refuse(libc::EPERM));
        code.if_equal(libc::TIOCLINUX as u32, refuse(libc::EPERM));
    });
    // From one of a pair of these, datagrams can be sent to any socket that has an address. The bit
    // is that of the raw ones as well, which are the same thing.
    code.call(libc::SYS_socketpair, 1, |code| {
        code.if_any(libc::SOCK_DGRAM as u32, refuse(libc::EPERM));
    });
    // Locks, leases and notes of files that other bots can see, too, would be messages to them.
    // Locks of byte ranges stay: databases need them. A build is over before bots play, and compilers
    // do not work without.
    if order.purpose == LaunchPurpose::Play {
        code.if_equal(libc::SYS_flock as u32, refuse(libc::ENOLCK));
    }
    code.call(libc::SYS_fcntl, 1, |code| {
        code.if_equal(libc::F_SETLEASE as u32, refuse(libc::EPERM));
        code.if_equal(libc::F_NOTIFY as u32, refuse(libc::EPERM));
    });
    // The ordinary way of being scheduled is what every bot has. Mono asks for it whenever it starts
    // a thread, and complains on standard output if it is refused.
    code.call(libc::SYS_sched_setscheduler, 1, |code| {
        code.unless_equal(libc::SCHED_OTHER as u32, refuse(libc::EPERM));
        code.if_equal(libc::SCHED_OTHER as u32, refuse(DONE));
    });
    // Limits of other processes.
    code.call(libc::SYS_prlimit64, 0, |code| code.unless_equal(0, refuse(libc::EPERM)));
    // Only asking.
    code.call(libc::SYS_personality, 0, |code| {
        code.if_equal(0, ALLOW);
        code.unless_equal(u32::MAX, refuse(libc::EPERM));
    });
    if order.walls == Walls::Rules && raw::landlock_version() < SCOPES_SIGNALS {
        // All processes of the user.
        code.call(libc::SYS_kill, 0, |code| code.if_equal(u32::MAX, refuse(libc::EPERM)));
    }
    code.end(ALLOW);
    code.0
}

/// A program for the kernel's small machine. What was loaded last is compared.
struct Code(Vec<sock_filter>);

impl Code {
    fn push(&mut self, code: u32, yes: u8, no: u8, k: u32) {
        self.0.push(sock_filter { code: code as u16, jt: yes, jf: no, k });
    }
    fn load(&mut self, offset: u32) {
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    }
    fn end(&mut self, verdict: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, 0, 0, verdict);
    }
    fn if_equal(&mut self, value: u32, verdict: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, value);
        self.end(verdict);
    }
    fn unless_equal(&mut self, value: u32, verdict: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, value);
        self.end(verdict);
    }
    #[cfg(target_arch = "x86_64")]
    fn if_at_least(&mut self, value: u32, verdict: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, value);
        self.end(verdict);
    }
    fn if_any(&mut self, bits: u32, verdict: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, 1, bits);
        self.end(verdict);
    }
    /// What is decided by an argument of one call. Whatever is not decided is allowed.
    fn call(&mut self, number: libc::c_long, argument_index: u32, judge: impl Fn(&mut Code)) {
        let mut inside = Code(Vec::new());
        inside.load(argument(argument_index));
        judge(&mut inside);
        inside.end(ALLOW);
        let skip = u8::try_from(inside.0.len()).expect("a judgement is a few lines");
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, skip, number as u32);
        self.0.append(&mut inside.0);
    }
}
