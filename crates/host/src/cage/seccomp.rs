//! The filter of system calls: what no bot needs and what would reach beyond its cage.
//!
//! A list of what is refused, not of what is allowed: bots come in every language, and a runtime
//! that meets an unexpected refusal fails in ways nobody understands. What is refused says so with
//! an ordinary error, and the bot plays on.

use std::collections::BTreeMap;
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
    let mut rules = CallRules::default();
    for &number in REFUSED {
        rules.always(number, refuse(libc::EPERM));
    }
    // It would show a bot its first question before the clock of that starts; others copy then.
    rules.always(libc::SYS_tee, refuse(libc::EINVAL));
    // Its flags are in memory, where a filter cannot look; libraries fall back to `clone`.
    rules.always(libc::SYS_clone3, refuse(libc::ENOSYS));
    if order.caps.memory > 0 {
        // Memory that no limit of a process counts.
        rules.always(libc::SYS_memfd_create, refuse(libc::ENOSYS));
    }
    for &number in LEAVING {
        rules.always(number, refuse(DONE));
    }
    if order.walls == Walls::Rules {
        for &number in OF_OTHERS {
            rules.always(number, refuse(libc::EPERM));
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
    rules.by_argument(libc::SYS_clone, 0, |code| {
        code.if_any(refused as u32, refuse(libc::EPERM));
    });
    // Typing into the terminal that started us.
    rules.by_argument(libc::SYS_ioctl, 1, |code| {
        code.if_equal(libc::TIOCSTI as u32, refuse(libc::EPERM));
        code.if_equal(libc::TIOCLINUX as u32, refuse(libc::EPERM));
    });
    // From one of a pair of these, datagrams can be sent to any socket that has an address. The bit
    // is that of the raw ones as well, which are the same thing.
    rules.by_argument(libc::SYS_socketpair, 1, |code| {
        code.if_any(libc::SOCK_DGRAM as u32, refuse(libc::EPERM));
    });
    // Locks, leases and notes of files that other bots can see, too, would be messages to them.
    // Locks of byte ranges stay: databases need them. A build is over before bots play, and compilers
    // do not work without.
    if order.purpose == LaunchPurpose::Play {
        rules.always(libc::SYS_flock, refuse(libc::ENOLCK));
    }
    rules.by_argument(libc::SYS_fcntl, 1, |code| {
        code.if_equal(libc::F_SETLEASE as u32, refuse(libc::EPERM));
        code.if_equal(libc::F_NOTIFY as u32, refuse(libc::EPERM));
    });
    // The ordinary way of being scheduled is what every bot has. Mono asks for it whenever it starts
    // a thread, and complains on standard output if it is refused.
    rules.by_argument(libc::SYS_sched_setscheduler, 1, |code| {
        code.unless_equal(libc::SCHED_OTHER as u32, refuse(libc::EPERM));
        code.if_equal(libc::SCHED_OTHER as u32, refuse(DONE));
    });
    // Limits of other processes.
    rules.by_argument(libc::SYS_prlimit64, 0, |code| code.unless_equal(0, refuse(libc::EPERM)));
    // Only asking.
    rules.by_argument(libc::SYS_personality, 0, |code| {
        code.if_equal(0, ALLOW);
        code.unless_equal(u32::MAX, refuse(libc::EPERM));
    });
    if order.walls == Walls::Rules && raw::landlock_version() < SCOPES_SIGNALS {
        // All processes of the user.
        rules.by_argument(libc::SYS_kill, 0, |code| code.if_equal(u32::MAX, refuse(libc::EPERM)));
    }
    rules.program()
}

/// What is refused, by the numbers of calls.
#[derive(Default)]
struct CallRules(BTreeMap<u32, Code>);

impl CallRules {
    /// This call always ends so.
    fn always(&mut self, number: libc::c_long, verdict: u32) {
        let mut code = Code(Vec::new());
        code.end(verdict);
        self.0.insert(number as u32, code);
    }

    /// What is decided by an argument of one call. Whatever is not decided is allowed.
    fn by_argument(&mut self, number: libc::c_long, index: u32, judge: impl Fn(&mut Code)) {
        let mut code = Code(Vec::new());
        code.load(argument(index));
        judge(&mut code);
        code.end(ALLOW);
        self.0.insert(number as u32, code);
    }

    /// When a filter is installed, the kernel translates it and tries it with every number there is:
    /// it is short, and a call that is allowed passes a few lines of it.
    fn program(self) -> Vec<sock_filter> {
        let mut code = Code(Vec::with_capacity(256));
        // Calls of another architecture have other numbers.
        code.load(ARCH);
        code.unless_equal(ARCHITECTURE, KILL);
        code.load(NUMBER);
        // The third numbering of x86, which nobody uses.
        #[cfg(target_arch = "x86_64")]
        code.if_at_least(0x4000_0000, refuse(libc::ENOSYS));
        let rules: Vec<(u32, Code)> = self.0.into_iter().collect();
        code.0.append(&mut search(&rules).0);
        code.0
    }
}

/// Looks for a number among rules in order, by halves and then one by one.
fn search(rules: &[(u32, Code)]) -> Code {
    const TOGETHER: usize = 8;
    if rules.len() <= TOGETHER {
        return one_by_one(rules);
    }
    let (lower, upper) = rules.split_at(rules.len() / 2);
    let (mut below, mut above) = (search(lower), search(upper));
    let mut code = Code(Vec::new());
    code.push(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, below.length(), 0, upper[0].0);
    code.0.append(&mut below.0);
    code.0.append(&mut above.0);
    code
}

/// A line for every number; the verdicts, each of them once, are at the end.
fn one_by_one(rules: &[(u32, Code)]) -> Code {
    let jump = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let mut verdicts = vec![ALLOW];
    let mut lines: usize = rules.iter().map(|(_, rule)| rule.0.len() + 1).sum();
    lines -= rules.iter().filter(|(_, rule)| rule.only_verdict().is_some()).count();
    let mut code = Code(Vec::new());
    for (number, rule) in rules {
        match rule.only_verdict() {
            Some(verdict) => {
                let known = verdicts.iter().position(|other| *other == verdict);
                let place = known.unwrap_or_else(|| {
                    verdicts.push(verdict);
                    verdicts.len() - 1
                });
                let skipped = lines + place - (code.0.len() + 1);
                code.push(jump, u8::try_from(skipped).expect("a part is a few lines"), 0, *number);
            }
            None => {
                code.push(jump, 0, rule.length(), *number);
                code.0.extend_from_slice(&rule.0);
            }
        }
    }
    for verdict in verdicts {
        code.end(verdict);
    }
    code
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
    /// What it says, if it looks at nothing.
    fn only_verdict(&self) -> Option<u32> {
        match self.0[..] {
            [line] => Some(line.k),
            _ => None,
        }
    }
    /// So many lines are skipped by who skips it.
    fn length(&self) -> u8 {
        u8::try_from(self.0.len()).expect("a part is a few lines")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cage::order::Caps;

    /// What the kernel's machine makes of a call.
    fn verdict(program: &[sock_filter], arch: u32, number: u32, args: [u32; 2]) -> u32 {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let line = program[at];
            let jump = |yes: bool| usize::from(if yes { line.jt } else { line.jf });
            let code = u32::from(line.code);
            at += 1;
            if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS {
                loaded = match line.k {
                    NUMBER => number,
                    ARCH => arch,
                    at if at == argument(0) => args[0],
                    at if at == argument(1) => args[1],
                    other => panic!("nothing is known of {other}"),
                };
            } else if code == libc::BPF_RET | libc::BPF_K {
                return line.k;
            } else if code == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K {
                at += jump(loaded == line.k);
            } else if code == libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K {
                at += jump(loaded >= line.k);
            } else {
                assert_eq!(code, libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K);
                at += jump(loaded & line.k != 0);
            }
        }
    }

    fn order(walls: Walls, memory: u64) -> CageOrder {
        CageOrder { walls, caps: Caps { memory, ..Caps::default() }, ..CageOrder::default() }
    }

    #[test]
    fn what_is_listed_is_refused_and_everything_else_allowed() {
        let by_argument = [
            libc::SYS_clone,
            libc::SYS_ioctl,
            libc::SYS_socketpair,
            libc::SYS_fcntl,
            libc::SYS_sched_setscheduler,
            libc::SYS_prlimit64,
            libc::SYS_personality,
            libc::SYS_kill,
        ];
        for (walls, memory) in [(Walls::Namespaces, 0), (Walls::Namespaces, 1), (Walls::Rules, 1)] {
            let program = program(&order(walls, memory));
            for number in (0..1000).filter(|number| !by_argument.contains(number)) {
                let expected = match number {
                    number if REFUSED.contains(&number) => refuse(libc::EPERM),
                    number if LEAVING.contains(&number) => refuse(DONE),
                    number if OF_OTHERS.contains(&number) && walls == Walls::Rules => {
                        refuse(libc::EPERM)
                    }
                    libc::SYS_tee => refuse(libc::EINVAL),
                    libc::SYS_clone3 => refuse(libc::ENOSYS),
                    libc::SYS_memfd_create if memory > 0 => refuse(libc::ENOSYS),
                    libc::SYS_flock => refuse(libc::ENOLCK),
                    _ => ALLOW,
                };
                let found = verdict(&program, ARCHITECTURE, number as u32, [0, 0]);
                assert_eq!(found, expected, "{number} {walls:?} {memory}");
            }
            assert_eq!(verdict(&program, ARCHITECTURE ^ 1, 0, [0, 0]), KILL);
            #[cfg(target_arch = "x86_64")]
            assert_eq!(verdict(&program, ARCHITECTURE, 0x4000_0000, [0, 0]), refuse(libc::ENOSYS));
        }
    }

    #[test]
    fn the_filter_is_short() {
        // The kernel translates it for every bot that is started.
        let lines = program(&order(Walls::Rules, 1)).len();
        assert!(lines < 200, "{lines}");
    }

    #[test]
    fn arguments_decide_where_a_call_has_its_uses() {
        let program = program(&order(Walls::Namespaces, 0));
        let found =
            |number: libc::c_long, args| verdict(&program, ARCHITECTURE, number as u32, args);
        let eperm = refuse(libc::EPERM);
        assert_eq!(found(libc::SYS_clone, [libc::SIGCHLD as u32, 0]), ALLOW);
        assert_eq!(found(libc::SYS_clone, [libc::CLONE_NEWUSER as u32, 0]), eperm);
        assert_eq!(found(libc::SYS_clone, [libc::CLONE_PARENT as u32, 0]), eperm);
        assert_eq!(found(libc::SYS_ioctl, [0, libc::TIOCSTI as u32]), eperm);
        assert_eq!(found(libc::SYS_ioctl, [0, libc::TCGETS as u32]), ALLOW);
        assert_eq!(found(libc::SYS_socketpair, [0, libc::SOCK_DGRAM as u32]), eperm);
        assert_eq!(found(libc::SYS_socketpair, [0, libc::SOCK_STREAM as u32]), ALLOW);
        assert_eq!(found(libc::SYS_fcntl, [0, libc::F_SETLEASE as u32]), eperm);
        assert_eq!(found(libc::SYS_fcntl, [0, libc::F_SETFD as u32]), ALLOW);
        assert_eq!(found(libc::SYS_sched_setscheduler, [0, libc::SCHED_FIFO as u32]), eperm);
        assert_eq!(found(libc::SYS_sched_setscheduler, [0, 0]), refuse(DONE));
        assert_eq!(found(libc::SYS_prlimit64, [7, 0]), eperm);
        assert_eq!(found(libc::SYS_prlimit64, [0, 0]), ALLOW);
        assert_eq!(found(libc::SYS_personality, [u32::MAX, 0]), ALLOW);
        assert_eq!(found(libc::SYS_personality, [0x0040_0000, 0]), eperm);
        assert_eq!(found(libc::SYS_kill, [u32::MAX, 0]), ALLOW);
    }
}
