//! How well bots are shut in on this machine, found by trying.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use super::cgroup::Groups;
use super::order::{BuildStep, CageOrder, Walls};
use super::raw;
use super::start::{CagedStart, StartRefused, Started};
use crate::process::run_processes::RunProcesses;

/// How well bots are shut in. A higher one is a better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Process groups alone: for bots one trusts.
    E,
    /// Landlock, a filter of system calls, limits of single processes.
    D,
    /// Namespaces besides: own processes, files, no network.
    C,
    /// Control groups of version 1 besides: one limit for the memory of all processes of a bot.
    B,
    /// The same with control groups of version 2.
    A,
}

impl Tier {
    /// All of them, the best first.
    pub const ALL: [Tier; 5] = [Tier::A, Tier::B, Tier::C, Tier::D, Tier::E];

    /// The letter, as stamped into results.
    pub fn name(self) -> &'static str {
        match self {
            Tier::A => "A",
            Tier::B => "B",
            Tier::C => "C",
            Tier::D => "D",
            Tier::E => "E",
        }
    }

    /// What holds, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Tier::A => "namespaces, Landlock, system call filter, cgroup v2 limits",
            Tier::B => "namespaces, Landlock, system call filter, cgroup v1 limits",
            Tier::C => "namespaces, Landlock, system call filter, limits by process",
            Tier::D => "Landlock, system call filter, limits by process; no namespaces",
            Tier::E => "process groups only: run nothing you do not trust",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One protection: whether it works here, and if not, why and what to do.
#[derive(Clone, Debug)]
pub struct CageCheck {
    /// Its name.
    pub name: &'static str,
    /// Whether it works here.
    pub works: bool,
    /// What it is good for, or why it does not work.
    pub about: String,
    /// How to get it, if it is missing.
    pub remedy: Option<&'static str>,
}

/// What works on this machine.
#[derive(Clone, Debug)]
pub struct CagesFound {
    /// The best tier there is.
    pub tier: Tier,
    /// Every protection by itself.
    pub checks: Vec<CageCheck>,
}

impl CagesFound {
    /// What is missing for a tier, and how to get it.
    pub fn missing_for(&self, tier: Tier) -> Vec<&CageCheck> {
        let needed: &[&str] = match tier {
            Tier::A => &[NAMESPACES, SECCOMP, CGROUP_2],
            Tier::B => &[NAMESPACES, SECCOMP, CGROUPS],
            Tier::C => &[NAMESPACES, SECCOMP],
            Tier::D => &[LANDLOCK, SECCOMP],
            Tier::E => &[],
        };
        self.checks.iter().filter(|check| !check.works && needed.contains(&check.name)).collect()
    }
}

const NAMESPACES: &str = "namespaces";
const LANDLOCK: &str = "landlock";
const SECCOMP: &str = "seccomp";
const CGROUPS: &str = "cgroups";
const CGROUP_2: &str = "cgroup-v2";

static FOUND: OnceLock<CagesFound> = OnceLock::new();

/// What works here. Tried once, with real processes; `exe` is the path of this program.
pub fn found(exe: &Path) -> &'static CagesFound {
    if let Some(found) = FOUND.get() {
        return found;
    }
    let namespaces = answer(try_walls(exe, Walls::Namespaces));
    // A cage with namespaces has passed the same checks: they need not be tried again.
    let rules = if namespaces.is_ok() { Ok(()) } else { try_rules(exe) };
    FOUND.get_or_init(|| describe(namespaces.as_ref().copied(), rules))
}

/// Whether bots can be shut in without namespaces. Tried once, with a real process.
pub(crate) fn try_rules(exe: &Path) -> Result<(), &'static StartRefused> {
    static TRIED: OnceLock<Result<(), StartRefused>> = OnceLock::new();
    TRIED.get_or_init(|| answer(try_walls(exe, Walls::Rules))).as_ref().copied()
}

/// What a trial says. Nobody loses protection because there is too little of something at the moment:
/// that counts as if it had worked, for good, because somebody may have relied on it. A bot that lacks
/// something later is not started, and says so.
fn answer(tried: Result<(), StartRefused>) -> Result<(), StartRefused> {
    tried.or_else(|refused| if refused.is_no_answer() { Ok(()) } else { Err(refused) })
}

/// The tier there is if namespaces work, which nobody has tried yet.
pub(crate) fn supposed() -> Option<Tier> {
    let supposed = || Groups::found().map_or(Tier::C, Groups::tier);
    FOUND.get().is_none().then(supposed)
}

/// A bot runs in namespaces of its own: nothing has to be tried any more.
pub(crate) fn proved() {
    FOUND.get_or_init(|| describe(Ok(()), Ok(())));
}

fn describe(namespaces: Result<(), &StartRefused>, rules: Result<(), &StartRefused>) -> CagesFound {
    let groups = Groups::found();
    let tier = match (&namespaces, &groups, &rules) {
        (Ok(()), Ok(groups), _) => groups.tier(),
        (Ok(()), Err(_), _) => Tier::C,
        (Err(_), _, Ok(())) => Tier::D,
        (Err(_), _, Err(_)) => Tier::E,
    };
    let filtered = [&namespaces, &rules].iter().any(|result| match result {
        Ok(()) => true,
        Err(StartRefused::Cage { step: BuildStep::Seccomp, .. } | StartRefused::Filtered) => false,
        Err(_) => true,
    });
    let version = raw::landlock_version();
    CagesFound {
        tier,
        checks: vec![
            CageCheck {
                name: NAMESPACES,
                works: namespaces.is_ok(),
                about: match &namespaces {
                    Ok(()) => "own processes, files, users and no network for every bot".to_owned(),
                    Err(refused) => refused.to_string(),
                },
                remedy: namespaces.err().map(|refused| match refused {
                    StartRefused::Filtered => FILTER,
                    StartRefused::Launcher(_) | StartRefused::Cage { .. } => USER_NAMESPACES,
                }),
            },
            CageCheck {
                name: LANDLOCK,
                works: version > 0,
                about: match version {
                    0 => "the kernel has no Landlock, or it is switched off".to_owned(),
                    1..=3 => format!("version {version}: files"),
                    4 | 5 => format!("version {version}: files and TCP"),
                    _ => format!("version {version}: files, TCP and signals"),
                },
                remedy: (version == 0)
                    .then_some("Linux 5.13 or later, with landlock in the kernel option lsm="),
            },
            CageCheck {
                name: SECCOMP,
                works: filtered,
                about: match filtered {
                    true => "system calls that no bot needs are refused".to_owned(),
                    false => "system calls cannot be filtered".to_owned(),
                },
                remedy: (!filtered).then_some("a kernel with CONFIG_SECCOMP_FILTER"),
            },
            CageCheck {
                name: CGROUPS,
                works: groups.is_ok(),
                about: match &groups {
                    Ok(Groups::Unified(_)) => "memory and processes of a bot together".to_owned(),
                    Ok(Groups::Separate(_)) => {
                        "memory of a bot's processes together, by version 1".to_owned()
                    }
                    Err(why) => (*why).to_owned(),
                },
                remedy: groups.is_err().then_some(DELEGATE),
            },
            CageCheck {
                name: CGROUP_2,
                works: matches!(groups, Ok(Groups::Unified(_))),
                about: match &groups {
                    Ok(Groups::Unified(_)) => "delegated to us by the system".to_owned(),
                    Ok(Groups::Separate(_)) => "the controllers are bound to version 1".to_owned(),
                    Err(why) => (*why).to_owned(),
                },
                remedy: (!matches!(groups, Ok(Groups::Unified(_)))).then_some(DELEGATE),
            },
        ],
    }
}

const USER_NAMESPACES: &str = "allow user namespaces: `sysctl -w user.max_user_namespaces=10000`; on Debian also \
     kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; \
     in a container run it with `--security-opt seccomp=unconfined --security-opt \
     systempaths=unconfined`";
const FILTER: &str = "allow these calls in that filter; in a service of systemd: `SystemCallFilter=@system-service \
     @mount`, and no `RestrictNamespaces=`";
const DELEGATE: &str =
    "a delegated cgroup v2: `systemd-run --user --scope -p Delegate=yes lanista …`";

/// Builds a cage with nothing in it.
fn try_walls(exe: &Path, walls: Walls) -> Result<(), StartRefused> {
    let processes = RunProcesses::new();
    let order = CageOrder {
        walls,
        user: super::users::for_bot(processes.number(), 0),
        dir: "/".into(),
        ..CageOrder::default()
    };
    let mark = processes.next_mark();
    let started = {
        let (common, order, processes) = (&order, &order, &processes);
        CagedStart { exe, common, order, groups: None, processes, mark: &mark }.once()?
    };
    Started::abandon(started.bot, started.cage, &processes);
    processes.forget(started.bot, &mark);
    // Taking it down takes the system a moment. Nobody has to wait for that.
    let _ = std::thread::Builder::new().name("trial".to_owned()).spawn(move || drop(processes));
    Ok(())
}
