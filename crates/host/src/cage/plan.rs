//! How one bot of a run is started, worked out once.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::cgroup::GroupPool;
use super::mounts::goes_to_tmp;
use super::order::{Access, Bind, BuildStep, CageOrder, CageView, Caps, LaunchPurpose, Walls};
use super::places::rustup_home;
use super::start::{CagedStart, StartRefused, Started};
use super::template::Templates;
use super::view::{AccessRefusal, WantedAccess};
use super::{CageTerms, Groups, Tier, tier, users};
use crate::bot::limits::Limits;
use crate::bot::spec::{BotSpec, Program};
use crate::os::os_limits::is_shortage;
use crate::os::placement::cores;
use crate::process::child::MARK;
use crate::process::run_processes::RunProcesses;

/// How one bot of a run is started.
#[derive(Debug)]
pub(crate) struct CagePlan {
    pub(crate) exe: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) dir: PathBuf,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) limits: Limits,
    purpose: LaunchPurpose,
    /// How it is shut in, if it may be.
    draft: Option<Draft>,
}

/// What is known of a cage before it is known how well this machine can shut bots in.
#[derive(Debug)]
struct Draft {
    /// The path of this program.
    launcher: PathBuf,
    terms: CageTerms,
    user: Option<u32>,
    dir: PathBuf,
    view: CageView,
    /// Where the bot may keep files.
    folder: Option<PathBuf>,
    /// None on a machine that has none.
    cage: OnceLock<Option<CageBuild>>,
}

#[derive(Debug)]
struct CageBuild {
    /// What all processes of the bot have in common.
    order: CageOrder,
    /// Their control groups, where there are any.
    groups: Option<Arc<GroupPool>>,
    /// What makes their cages.
    templates: Templates,
}

/// What a process gets besides what its bot always gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// Files and folders it sees, if it is caged.
    pub(crate) binds: Vec<Bind>,
    /// Folders in memory, by their place inside and their size, if it has namespaces of its own.
    pub(crate) rooms: Vec<(PathBuf, u64)>,
    /// Symbolic links, if it has namespaces of its own.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Additions to its environment.
    pub(crate) env: Vec<(String, String)>,
    /// Where its temporary files are, if it has no namespaces of its own.
    pub(crate) temporary: Option<PathBuf>,
}

impl Extras {
    /// Whether all it sees besides is made with every cage anew.
    fn go_to_tmp(&self) -> bool {
        let (rooms, links) = (self.rooms.iter().map(|room| &room.0), self.links.iter());
        self.binds.is_empty()
            && rooms.chain(links.map(|link| &link.0)).all(|path| goes_to_tmp(path))
    }

    /// What it may keep files in without namespaces.
    fn temporary(&self) -> Option<Bind> {
        let source = self.temporary.clone()?;
        Some(Bind { inside: source.clone(), source, access: Access::Own })
    }
}

impl CagePlan {
    /// How the bot of this number in the roster is started; built-in bots are not.
    pub(crate) fn new(
        processes: &RunProcesses,
        index: usize,
        bot: &BotSpec,
        program: &Program,
        terms: &CageTerms,
        launcher: Option<&Path>,
        folder: Option<&Path>,
    ) -> Result<Option<CagePlan>, AccessRefusal> {
        let Program::Command { exe, args, dir, env, .. } = program else { return Ok(None) };
        let mut plan = CagePlan {
            exe: exe.clone(),
            args: args.clone(),
            dir: dir.clone(),
            env: env.clone(),
            limits: bot.limits,
            purpose: LaunchPurpose::Play,
            draft: None,
        };
        let Some(launcher) = launcher.filter(|_| terms.at_most > Tier::E) else {
            return Ok(Some(plan));
        };
        let wanted = WantedAccess { exe, args, dir, grants: &bot.grants, terms, folder };
        plan.draft = Some(Draft {
            launcher: launcher.to_owned(),
            terms: terms.clone(),
            user: users::for_bot(processes.number(), index),
            dir: dir.canonicalize().unwrap_or_else(|_| dir.clone()),
            view: wanted.view()?,
            folder: folder.map(Path::to_owned),
            cage: OnceLock::new(),
        });
        Ok(Some(plan))
    }

    /// The same for a build.
    pub(crate) fn for_build(self) -> CagePlan {
        CagePlan { purpose: LaunchPurpose::Build, ..self }
    }

    /// The same as this user, whom only root can choose.
    pub(crate) fn with_user(mut self, user: u32) -> CagePlan {
        if let Some(draft) = &mut self.draft {
            draft.user = Some(user);
        }
        self
    }

    /// Its cage, if it has one. Waits until it is known what works on this machine.
    fn cage(&self) -> Option<&CageBuild> {
        let draft = self.draft.as_ref()?;
        let tier = || draft.terms.tier(&draft.launcher);
        draft.cage.get_or_init(|| self.shut_in(draft, tier())).as_ref()
    }

    fn shut_in(&self, draft: &Draft, tier: Tier) -> Option<CageBuild> {
        let walls = match tier {
            Tier::A | Tier::B | Tier::C => Walls::Namespaces,
            Tier::D => Walls::Rules,
            Tier::E => return None,
        };
        let groups = match tier {
            Tier::A | Tier::B => Groups::found().ok(),
            Tier::C | Tier::D | Tier::E => None,
        };
        let order = CageOrder {
            walls,
            purpose: self.purpose,
            user: draft.user,
            cores: Vec::new(),
            program: Some(self.exe.clone()),
            args: arguments(&self.exe, &self.args),
            env: environment(&self.exe, &self.env, walls, draft.folder.as_deref()),
            dir: draft.dir.clone(),
            view: draft.view.clone(),
            caps: caps(&self.limits, groups),
        };
        let (memory, processes) = (self.limits.memory(), self.limits.processes.into());
        let pool = |groups| Arc::new(GroupPool::new(groups, memory, processes));
        Some(CageBuild { order, groups: groups.map(pool), templates: Templates::default() })
    }

    /// Whether it may be shut in without a `/tmp` of its own: as long as it is not known how bots are
    /// shut in here, or without namespaces.
    pub(crate) fn may_lack_tmp(&self) -> bool {
        self.draft.as_ref().is_some_and(|draft| match draft.cage.get() {
            Some(Some(cage)) => cage.order.walls == Walls::Rules,
            Some(None) => false,
            None => true,
        })
    }

    /// How it is shut in, if it is.
    pub(crate) fn walls(&self) -> Option<Walls> {
        self.cage().map(|cage| cage.order.walls)
    }

    /// Whether the bot has a folder of its own that lasts from game to game.
    pub(crate) fn has_folder(&self) -> bool {
        self.draft.as_ref().is_some_and(|draft| draft.folder.is_some())
    }

    /// The folders that a process with these extras, and without namespaces, may keep files in.
    pub(crate) fn own_folders(&self, extras: &Extras) -> Vec<PathBuf> {
        let always = self.cage().into_iter().flat_map(|cage| &cage.order.view.binds);
        let own = always.chain(&extras.binds).filter(|bind| bind.access == Access::Own);
        own.map(|bind| bind.source.clone()).chain(extras.temporary.clone()).collect()
    }

    /// Starts the bot in its cage. `None` if it has none.
    pub(crate) fn start(
        &self,
        processes: &RunProcesses,
        mark: &str,
        extras: &Extras,
    ) -> Option<io::Result<Started>> {
        let draft = self.draft.as_ref()?;
        let start = |cage: &CageBuild| cage.start(&draft.launcher, processes, mark, extras);
        // The first bot is as good a trial as an empty cage. If it fails, that may be its own
        // fault.
        let supposed = draft.terms.supposed_tier().and_then(|tier| self.shut_in(draft, tier));
        if let Some(supposed) = supposed
            && let Ok(started) = start(&supposed)
        {
            tier::proved();
            // Unless another thread was faster, it stays.
            let _ = draft.cage.set(Some(supposed));
            return Some(Ok(started));
        }
        let cage = self.cage()?;
        Some(start(cage).map_err(|refused| self.explain(refused)))
    }

    fn explain(&self, refused: StartRefused) -> io::Error {
        let (step, errno) = match refused {
            StartRefused::Launcher(error) => return error,
            StartRefused::Cage { step, errno } => (step, errno),
            StartRefused::Filtered => return io::Error::other(refused.to_string()),
        };
        let error = io::Error::from_raw_os_error(errno);
        // The number itself says that it was for want of something.
        if is_shortage(&error) {
            return error;
        }
        let cage = self.cage().expect("only a cage refuses");
        let exe = self.exe.display();
        match step {
            BuildStep::Execute if errno == libc::ENOENT => io::Error::other(format!(
                "{error}: {exe}, or the interpreter it names, {HOW_TO_SHOW}"
            )),
            BuildStep::Execute | BuildStep::Directory if errno == libc::EACCES => {
                let user = cage.order.user.map_or(String::new(), |user| {
                    format!(
                        "; started by root, bots run as user {user}, who must be able to read it"
                    )
                });
                io::Error::other(format!("{error}: {exe}{user}"))
            }
            BuildStep::Files(Some(which)) => {
                let bind = cage.order.view.binds.get(usize::from(which));
                let path = bind.map_or(Path::new("?"), |bind| &bind.source);
                io::Error::other(format!("cannot show it {}: {error}", path.display()))
            }
            BuildStep::Execute | BuildStep::Fork | BuildStep::Namespaces | BuildStep::Group => {
                error
            }
            BuildStep::CageOrder
            | BuildStep::User
            | BuildStep::Files(None)
            | BuildStep::Proc
            | BuildStep::Rights
            | BuildStep::Landlock
            | BuildStep::Seccomp
            | BuildStep::Directory => io::Error::other(format!("cannot {}: {error}", step.what())),
        }
    }
}

/// What to do about a file that a bot does not see.
pub(crate) const HOW_TO_SHOW: &str = "is not there for the bot: it sees the system, its own folder \
    and its interpreter; show it more with --allow-read PATH";

impl CageBuild {
    /// Starts one process of the bot.
    fn start(
        &self,
        exe: &Path,
        processes: &RunProcesses,
        mark: &str,
        extras: &Extras,
    ) -> Result<Started, StartRefused> {
        let groups = self.groups.as_ref();
        let mut order = self.order.clone();
        order.cores = cores();
        let assignment = |(name, value): &(String, String)| format!("{name}={value}").into_bytes();
        order.env.extend(extras.env.iter().map(assignment));
        match order.walls {
            Walls::Rules => {
                // What leaves its process group is found by this.
                order.env.push(format!("{MARK}={mark}").into_bytes());
                let mut view = CageView { binds: extras.binds.clone(), ..CageView::default() };
                if let Some(bind) = extras.temporary() {
                    let path = bind.source.as_os_str().as_encoded_bytes();
                    let homes = ["HOME=", "TMPDIR="].map(|name| [name.as_bytes(), path].concat());
                    order.env.extend(homes);
                    view.binds.push(bind);
                }
                order.view = view;
                let (common, order) = (&self.order, &order);
                CagedStart { exe, common, order, groups, processes, mark }.with(&self.templates)
            }
            Walls::Namespaces if extras.go_to_tmp() => {
                // The template knows what all have in common.
                let (rooms, links) = (extras.rooms.clone(), extras.links.clone());
                order.view = CageView { rooms, links, ..CageView::default() };
                let (common, order) = (&self.order, &order);
                CagedStart { exe, common, order, groups, processes, mark }.with(&self.templates)
            }
            Walls::Namespaces => {
                // One that sees what no other process of the bot does has a template of its own.
                let rooms = extras.rooms.clone();
                order.view.binds.extend(extras.binds.iter().cloned());
                order.view.links.extend(extras.links.iter().cloned());
                let common = order.clone();
                order.view = CageView { rooms, ..CageView::default() };
                let (common, order) = (&common, &order);
                CagedStart { exe, common, order, groups, processes, mark }.once()
            }
        }
    }
}

fn arguments(exe: &Path, args: &[String]) -> Vec<Vec<u8>> {
    let name = exe.as_os_str().as_encoded_bytes().to_vec();
    std::iter::once(name).chain(args.iter().map(|arg| arg.clone().into_bytes())).collect()
}

fn environment(
    exe: &Path,
    added: &BTreeMap<String, String>,
    walls: Walls,
    folder: Option<&Path>,
) -> Vec<Vec<u8>> {
    let mut variables: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for name in ["PATH", "LANG"] {
        if let Some(value) = std::env::var_os(name) {
            variables.insert(name.to_owned(), value.into_encoded_bytes());
        }
    }
    // It would look in its own HOME.
    if let Some(toolchains) = rustup_home(exe) {
        let toolchains = toolchains.into_os_string().into_encoded_bytes();
        variables.insert("RUSTUP_HOME".to_owned(), toolchains);
    }
    // Where it may write.
    match (walls, folder) {
        (Walls::Namespaces, _) => {
            variables.insert("HOME".to_owned(), b"/tmp".to_vec());
        }
        (Walls::Rules, Some(folder)) => {
            for name in ["HOME", "TMPDIR"] {
                let folder = folder.as_os_str().as_encoded_bytes().to_vec();
                variables.insert(name.to_owned(), folder);
            }
        }
        (Walls::Rules, None) => {}
    }
    variables.extend(added.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())));
    let assignment = |(name, value): (String, Vec<u8>)| [name.as_bytes(), b"=", &value].concat();
    variables.into_iter().map(assignment).collect()
}

fn caps(limits: &Limits, groups: Option<&Groups>) -> Caps {
    Caps {
        // A group counts it better.
        memory: if groups.is_some() { 0 } else { limits.memory() },
        processes: limits.processes.into(),
        disk: limits.disk_mb << 20,
        folder: limits.kept_mb() << 20,
        files: limits.files,
        cpu: limits.cpu_s,
    }
}
