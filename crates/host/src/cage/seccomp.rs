//! The filter of system calls: what no bot needs and what would reach beyond its cage.
//!
//! A list of what is refused, not of what is allowed: bots come in every language, and a runtime
//! that meets an unexpected refusal fails in ways nobody understands. What is refused says so with
//! an ordinary error, and the bot plays on.

use std::io;
use std::os::fd::OwnedFd;

use libc::sock_filter;

use super::call_rules::{ALLOW, ArgumentTest, CallRules, DONE, refuse};
use super::landlock::SCOPES_SIGNALS;
use super::order::{CageOrder, LaunchPurpose, Walls};
use super::raw;

/// Refused with "operation not permitted".
const REFUSED: &[libc::c_long] = &[
    // The network, and sockets that could reach anything; pairs of them stay allowed.
    libc::SYS_socket,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
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
    // Message queues and semaphores of the old kind outlive the process; those of others have small
    // numbers, which anybody can guess.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
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
/// Landlock's, and a file need not be open for writing.
const OF_OTHERS: &[libc::c_long] = &[
    libc::SYS_fchmodat,
    // fchmodat2, which has the same number everywhere.
    452,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
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

/// Said to have worked there while bots play: programs that copy a file set its mode and times as well.
const SIGNS_ON_FILES: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Flags and versions of files, for the same reason: FS_IOC_SETFLAGS, FS_IOC_SETVERSION,
/// FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY.
const FILE_CONTROLS: [u32; 6] =
    [0x4008_6602, 0x4004_6602, 0x4008_7602, 0x4004_7602, 0x401c_5820, 0x4080_6685];

/// Calls that put pages of files or of a process into a pipe, where no limit of a process counts them:
/// a byte of each is enough. Programs that are told that it cannot be done here copy.
const INTO_PIPES: &[libc::c_long] = &[libc::SYS_splice, libc::SYS_vmsplice, libc::SYS_sendfile];

/// There is no such call, to a bot: what the kernel keeps for it is the whole machine's, and counts
/// against no limit. Libraries do without.
const UNKNOWN: &[libc::c_long] = &[
    libc::SYS_io_setup,
    libc::SYS_io_destroy,
    libc::SYS_io_submit,
    libc::SYS_io_cancel,
    libc::SYS_io_getevents,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    // Its flags are in memory, where a filter cannot look; libraries fall back to `clone`.
    libc::SYS_clone3,
];

/// What a template needs to start a bot, and what the bot does before it is one.
const NEEDED_FOR_A_START: &[libc::c_long] = &[
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_setsid,
    libc::SYS_sched_setaffinity,
    libc::SYS_sendmsg,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    libc::SYS_fchownat,
    libc::SYS_prctl,
    libc::SYS_close_range,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
];

/// What a process of a bot is refused beside what its template is refused already.
pub(crate) struct CallFilter(Vec<sock_filter>);

impl CallFilter {
    /// Filters the calls of this process and of everything that it starts with what this order says,
    /// but for those that it needs for that. Returns what is left to be refused to each.
    ///
    /// To install a filter is a tenth of what a cage costs: the kernel translates it and tries it with
    /// every number. One that has been inherited costs nothing.
    pub(crate) fn begin(common: &CageOrder) -> io::Result<CallFilter> {
        raw::no_new_privileges()?;
        let (template, bot) = programs(common);
        raw::seccomp_filter(&template)?;
        Ok(CallFilter(bot))
    }

    /// Refuses the rest to this process and what it starts.
    pub(crate) fn install(&self) -> io::Result<()> {
        raw::seccomp_filter(&self.0)
    }
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
    let mut rules = CallRules::default();
    for &number in CALLS {
        rules.always(number, libc::SECCOMP_RET_USER_NOTIF);
    }
    raw::seccomp_listener(&rules.program())
}

/// The filters of a template and of each of its bots. Together they are what a bot is refused.
fn programs(order: &CageOrder) -> (Vec<sock_filter>, Vec<sock_filter>) {
    let (bot, template) = refused(order).split(NEEDED_FOR_A_START);
    (template.program(), bot.program())
}

/// What a bot is refused.
fn refused(order: &CageOrder) -> CallRules {
    use ArgumentTest::{Between, HasAny, Is, IsNot};
    let mut rules = CallRules::default();
    for &number in REFUSED {
        rules.always(number, refuse(libc::EPERM));
    }
    // It would show a bot its first question before the clock of that starts; others copy then.
    rules.always(libc::SYS_tee, refuse(libc::EINVAL));
    for &number in UNKNOWN {
        rules.always(number, refuse(libc::ENOSYS));
    }
    if order.caps.memory > 0 {
        // Memory that no limit of a process counts.
        rules.always(libc::SYS_memfd_create, refuse(libc::ENOSYS));
        for &number in INTO_PIPES {
            rules.always(number, refuse(libc::EINVAL));
        }
    }
    for &number in LEAVING {
        rules.always(number, refuse(DONE));
    }
    if order.walls == Walls::Rules {
        for &number in OF_OTHERS {
            rules.always(number, refuse(libc::EPERM));
        }
        for &number in SIGNS_ON_FILES.iter().filter(|_| order.purpose == LaunchPurpose::Play) {
            rules.always(number, refuse(DONE));
        }
    }
    // By a signal of its choice a bot would go on by itself where the host has stopped it: one of a
    // timer (`setitimer` and `timerfd_create` stay), of a file, of a child or a parent that ends.
    rules.always(libc::SYS_timer_create, refuse(libc::ENOSYS));
    let exit_signals = !libc::SIGCHLD & 0xff;
    let refused = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        // It would be a child of the host, whom nobody expects, and a cage stands until it is
        // reaped.
        | libc::CLONE_PARENT
        | exit_signals;
    // Threads have the descriptors of their process, so that one of them shows what all have open.
    let shared = HasAny(libc::CLONE_FILES as u32);
    let threads = HasAny(libc::CLONE_THREAD as u32);
    let eperm = refuse(libc::EPERM);
    let flags = [(HasAny(refused as u32), eperm), (shared, ALLOW), (threads, eperm)];
    rules.by_argument(libc::SYS_clone, 0, &flags);
    let unshares = HasAny(libc::CLOSE_RANGE_UNSHARE);
    rules.by_argument(libc::SYS_close_range, 2, &[(unshares, refuse(libc::EINVAL))]);
    // Typing into the terminal that started us, and looking at the network from a socket.
    let [typing, console] = [libc::TIOCSTI, libc::TIOCLINUX].map(|what| Is(what as u32));
    let mut controls = vec![typing, console, Between(0x8900, 0x89ff)];
    if order.walls == Walls::Rules {
        controls.extend(FILE_CONTROLS.map(Is));
    }
    let controls: Vec<_> = controls.into_iter().map(|what| (what, refuse(libc::EPERM))).collect();
    rules.by_argument(libc::SYS_ioctl, 1, &controls);
    // From one of a pair of these, datagrams can be sent to any socket that has an address. The bit
    // is that of the raw ones as well, which are the same thing.
    let datagrams = HasAny(libc::SOCK_DGRAM as u32);
    rules.by_argument(libc::SYS_socketpair, 1, &[(datagrams, refuse(libc::EPERM))]);
    // Numbers that the kernel counts on whenever somebody asks, and that the next bot would see:
    // SO_COOKIE, SO_NETNS_COOKIE.
    let counted = [57, 71].map(|option| (Is(option), refuse(libc::ENOPROTOOPT)));
    rules.by_argument(libc::SYS_getsockopt, 2, &counted);
    // Locks, leases and notes of files that other bots can see, too, would be messages to them.
    // Locks of byte ranges stay: databases need them. A build is over before bots play, and compilers
    // do not work without.
    if order.purpose == LaunchPurpose::Play {
        rules.always(libc::SYS_flock, refuse(libc::ENOLCK));
    }
    // Hints how long a file lives stay with it: F_SET_RW_HINT, F_SET_FILE_RW_HINT.
    // F_SETSIG: which signal says that there is something to read.
    let messages = [libc::F_SETLEASE, libc::F_NOTIFY, 1036, 1038, 10];
    let messages = messages.map(|what| (Is(what as u32), refuse(libc::EPERM)));
    rules.by_argument(libc::SYS_fcntl, 1, &messages);
    // PR_SET_PDEATHSIG; PR_SET_DUMPABLE, by which a process hides what it has open; PR_SCHED_CORE, by which
    // it would keep others off the other half of its core.
    let own = [(1, DONE), (4, DONE), (62, libc::EINVAL)];
    rules.by_argument(libc::SYS_prctl, 0, &own.map(|(what, error)| (Is(what), refuse(error))));
    // The ordinary way of being scheduled is what every bot has. Mono asks for it whenever it starts
    // a thread, and complains on standard output if it is refused.
    let ordinary = libc::SCHED_OTHER as u32;
    let scheduling = [(IsNot(ordinary), refuse(libc::EPERM)), (Is(ordinary), refuse(DONE))];
    rules.by_argument(libc::SYS_sched_setscheduler, 1, &scheduling);
    // Limits of other processes.
    rules.by_argument(libc::SYS_prlimit64, 0, &[(IsNot(0), refuse(libc::EPERM))]);
    // Only asking.
    let asking = [(Is(0), ALLOW), (IsNot(u32::MAX), refuse(libc::EPERM))];
    rules.by_argument(libc::SYS_personality, 0, &asking);
    if order.walls == Walls::Rules && raw::landlock_version() < SCOPES_SIGNALS {
        // All processes of the user.
        rules.by_argument(libc::SYS_kill, 0, &[(Is(u32::MAX), refuse(libc::EPERM))]);
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cage::call_rules::{ARCH, ARCHITECTURE, KILL, NUMBER, argument};
    use crate::cage::order::Caps;

    /// What the kernel's machine makes of a call.
    fn verdict(program: &[sock_filter], arch: u32, number: u32, args: &[u32]) -> u32 {
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
                    other => {
                        let index = (0..).find(|index| argument(*index) >= other);
                        args[index.expect("there are few arguments") as usize]
                    }
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

    /// What becomes of a call of a bot: of what the two filters say the kernel takes what is not to
    /// allow it. They never both say something.
    fn verdict_of_both(order: &CageOrder, number: u32, args: &[u32]) -> u32 {
        let (template, bot) = programs(order);
        let found = [template, bot].map(|program| verdict(&program, ARCHITECTURE, number, args));
        match found.iter().find(|verdict| **verdict != ALLOW) {
            Some(&refused) => {
                let both = number < 0x4000_0000 && !found.contains(&ALLOW);
                assert!(!both, "{number} is in both");
                refused
            }
            None => ALLOW,
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
            libc::SYS_getsockopt,
            libc::SYS_fcntl,
            libc::SYS_sched_setscheduler,
            libc::SYS_prlimit64,
            libc::SYS_personality,
            libc::SYS_kill,
            libc::SYS_prctl,
            libc::SYS_close_range,
        ];
        for (walls, memory) in [(Walls::Namespaces, 0), (Walls::Namespaces, 1), (Walls::Rules, 1)] {
            let order = order(walls, memory);
            for number in (0..1000).filter(|number| !by_argument.contains(number)) {
                let expected = match number {
                    number if REFUSED.contains(&number) => refuse(libc::EPERM),
                    number if LEAVING.contains(&number) => refuse(DONE),
                    number if OF_OTHERS.contains(&number) && walls == Walls::Rules => {
                        refuse(libc::EPERM)
                    }
                    libc::SYS_tee => refuse(libc::EINVAL),
                    libc::SYS_timer_create => refuse(libc::ENOSYS),
                    number if UNKNOWN.contains(&number) => refuse(libc::ENOSYS),
                    number if SIGNS_ON_FILES.contains(&number) && walls == Walls::Rules => {
                        refuse(DONE)
                    }
                    libc::SYS_memfd_create if memory > 0 => refuse(libc::ENOSYS),
                    number if INTO_PIPES.contains(&number) && memory > 0 => refuse(libc::EINVAL),
                    libc::SYS_flock => refuse(libc::ENOLCK),
                    _ => ALLOW,
                };
                let found = verdict_of_both(&order, number as u32, &[0, 0]);
                assert_eq!(found, expected, "{number} {walls:?} {memory}");
            }
            for program in <[_; 2]>::from(programs(&order)) {
                assert_eq!(verdict(&program, ARCHITECTURE ^ 1, 0, &[0, 0]), KILL);
            }
            #[cfg(target_arch = "x86_64")]
            assert_eq!(verdict_of_both(&order, 0x4000_0000, &[0, 0]), refuse(libc::ENOSYS));
        }
    }

    #[test]
    fn the_filter_of_a_start_is_short() {
        // The kernel translates it for every bot that is started.
        let lines = programs(&order(Walls::Rules, 1)).1.len();
        assert!(lines < 40, "{lines}");
    }

    #[test]
    fn a_template_may_do_what_a_start_needs() {
        for walls in [Walls::Namespaces, Walls::Rules] {
            let (template, _) = programs(&order(walls, 1));
            for &number in NEEDED_FOR_A_START {
                let everything = [u32::MAX; 3];
                assert_eq!(verdict(&template, ARCHITECTURE, number as u32, &everything), ALLOW);
            }
        }
    }

    #[test]
    fn arguments_decide_where_a_call_has_its_uses() {
        let order = order(Walls::Namespaces, 0);
        let three =
            |number: libc::c_long, args: [u32; 3]| verdict_of_both(&order, number as u32, &args);
        let found = |number, [first, second]: [u32; 2]| three(number, [first, second, 0]);
        let eperm = refuse(libc::EPERM);
        assert_eq!(found(libc::SYS_clone, [libc::SIGCHLD as u32, 0]), ALLOW);
        let thread = (libc::CLONE_THREAD | libc::CLONE_FILES | libc::CLONE_VM) as u32;
        assert_eq!(found(libc::SYS_clone, [thread, 0]), ALLOW);
        assert_eq!(found(libc::SYS_clone, [libc::CLONE_THREAD as u32, 0]), eperm);
        assert_eq!(three(libc::SYS_close_range, [3, 9, 0]), ALLOW);
        assert_eq!(three(libc::SYS_close_range, [3, 9, 2]), refuse(libc::EINVAL));
        assert_eq!(found(libc::SYS_clone, [libc::SIGCONT as u32, 0]), eperm);
        assert_eq!(found(libc::SYS_clone, [libc::CLONE_NEWUSER as u32, 0]), eperm);
        assert_eq!(found(libc::SYS_clone, [libc::CLONE_PARENT as u32, 0]), eperm);
        assert_eq!(found(libc::SYS_ioctl, [0, libc::TIOCSTI as u32]), eperm);
        assert_eq!(found(libc::SYS_ioctl, [0, libc::TCGETS as u32]), ALLOW);
        for (control, expected) in
            [(0x88ff, ALLOW), (0x8900, eperm), (0x8912, eperm), (0x89ff, eperm), (0x8a00, ALLOW)]
        {
            assert_eq!(found(libc::SYS_ioctl, [0, control]), expected, "{control:x}");
        }
        assert_eq!(found(libc::SYS_socketpair, [0, libc::SOCK_DGRAM as u32]), eperm);
        assert_eq!(found(libc::SYS_socketpair, [0, libc::SOCK_STREAM as u32]), ALLOW);
        assert_eq!(found(libc::SYS_fcntl, [0, libc::F_SETLEASE as u32]), eperm);
        assert_eq!(found(libc::SYS_fcntl, [0, libc::F_SETFD as u32]), ALLOW);
        assert_eq!(found(libc::SYS_fcntl, [0, 1036]), eperm);
        assert_eq!(found(libc::SYS_fcntl, [0, 10]), eperm);
        assert_eq!(found(libc::SYS_sched_setscheduler, [0, libc::SCHED_FIFO as u32]), eperm);
        assert_eq!(found(libc::SYS_sched_setscheduler, [0, 0]), refuse(DONE));
        assert_eq!(found(libc::SYS_prlimit64, [7, 0]), eperm);
        assert_eq!(found(libc::SYS_prlimit64, [0, 0]), ALLOW);
        assert_eq!(found(libc::SYS_personality, [u32::MAX, 0]), ALLOW);
        assert_eq!(found(libc::SYS_personality, [0x0040_0000, 0]), eperm);
        assert_eq!(found(libc::SYS_kill, [u32::MAX, 0]), ALLOW);
        assert_eq!(found(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u32, 0]), refuse(DONE));
        assert_eq!(found(libc::SYS_prctl, [libc::PR_SET_NAME as u32, 0]), ALLOW);
        for control in FILE_CONTROLS {
            assert_eq!(found(libc::SYS_ioctl, [3, control]), ALLOW);
            let order = CageOrder { walls: Walls::Rules, ..CageOrder::default() };
            let found = verdict_of_both(&order, libc::SYS_ioctl as u32, &[3, control]);
            assert_eq!(found, eperm, "{control:x}");
        }
        let option = |option| three(libc::SYS_getsockopt, [3, libc::SOL_SOCKET as u32, option]);
        assert_eq!(option(57), refuse(libc::ENOPROTOOPT));
        assert_eq!(option(libc::SO_TYPE as u32), ALLOW);
    }
}
