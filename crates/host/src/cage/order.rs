//! Messages from the host to the launcher, and its replies.
//!
//! An order is one message on the socket that is the launcher's standard input, together with the
//! bot's standard streams. Nothing of it can be seen in a list of processes.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// How a bot is to be shut in and started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CageOrder {
    /// How it is shut in.
    pub(crate) walls: Walls,
    /// What it is started for.
    pub(crate) purpose: LaunchPurpose,
    /// The user it becomes; only root can ask for that.
    pub(crate) user: Option<u32>,
    /// The processor cores it runs on; none for those of its parent.
    pub(crate) cores: Vec<usize>,
    /// The program; without one the cage is only tried.
    pub(crate) program: Option<PathBuf>,
    /// Its arguments, its name among them.
    pub(crate) args: Vec<Vec<u8>>,
    /// Its environment, as `NAME=value`.
    pub(crate) env: Vec<Vec<u8>>,
    /// Its working directory.
    pub(crate) dir: PathBuf,
    /// What it sees of the file system.
    pub(crate) view: CageView,
    /// What it may use.
    pub(crate) caps: Caps,
}

/// How a bot is shut in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Walls {
    /// By namespaces of its own, and the rest on top.
    #[default]
    Namespaces,
    /// By Landlock, seccomp and limits alone.
    Rules,
}

/// What a program is started for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LaunchPurpose {
    /// To play, while others do.
    #[default]
    Play,
    /// To build a bot, before anybody plays.
    Build,
}

/// What a bot sees of the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CageView {
    /// Files and folders of the host, sorted by their place inside.
    pub(crate) binds: Vec<Bind>,
    /// Folders in memory of its own: where they are and how much they hold.
    pub(crate) rooms: Vec<(PathBuf, u64)>,
    /// Symbolic links: where they are and what they hold.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Folders that are empty inside although something around them is visible.
    pub(crate) hidden: Vec<PathBuf>,
}

/// A file or folder of the host that a bot sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bind {
    /// Where it is inside.
    pub(crate) inside: PathBuf,
    /// Where it is on the host, without symbolic links on the way.
    pub(crate) source: PathBuf,
    /// What may be done with it.
    pub(crate) access: Access,
}

/// What may be done with a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    /// Reading and executing.
    Read,
    /// Writing too.
    Write,
    /// Writing too, and it is made the bot's own.
    Own,
}

/// What a bot may use, in units of the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caps {
    /// Bytes of memory for one process.
    pub(crate) memory: u64,
    /// Processes and threads.
    pub(crate) processes: u64,
    /// Bytes it may keep in files.
    pub(crate) disk: u64,
    /// Bytes of them in the folder that outlives it.
    pub(crate) folder: u64,
    /// Files it may make.
    pub(crate) files: u64,
    /// Seconds of processor time; 0 for no limit.
    pub(crate) cpu: u64,
}

/// What is said of a launch by the template and the processes that it makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LaunchWord {
    /// Whoever says this is the first process of the cage. Which one that is the kernel tells the host:
    /// so it is known even if the template that has made it is gone.
    FirstProcess,
    /// Whoever says this is about to be the bot.
    Bot,
    /// The cage is kept for the next bot.
    Kept,
    /// A descriptor comes with this: the folder in memory that the bot has for a file.
    Room,
    /// The bot announces its processes to the descriptor that comes with this.
    Announces,
    /// It did not work: at which step, with which error of the system.
    Failed { step: BuildStep, errno: i32 },
}

/// The steps of building a cage, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildStep {
    /// Reading the order.
    CageOrder,
    /// Joining the control groups.
    Group,
    /// Making the namespaces.
    Namespaces,
    /// Mapping the user into its namespace.
    User,
    /// Building the file system; which of the binds, or none of them.
    Files(Option<u16>),
    /// Mounting /proc.
    Proc,
    /// Making the processes.
    Fork,
    /// Giving up rights.
    Rights,
    /// Landlock.
    Landlock,
    /// The filter of system calls.
    Seccomp,
    /// Going to the working directory.
    Directory,
    /// Executing the program.
    Execute,
}

/// Numbers that are no step's.
const ANNOUNCES: i32 = 100;
const KEPT: i32 = 101;
const ROOM: i32 = 102;
const FIRST_PROCESS: i32 = 103;
const BOT: i32 = 104;

impl LaunchWord {
    pub(crate) fn encode(&self) -> [u8; 12] {
        let (kind, first, second) = match self {
            LaunchWord::FirstProcess => (FIRST_PROCESS, 0, 0),
            LaunchWord::Bot => (BOT, 0, 0),
            LaunchWord::Kept => (KEPT, 0, 0),
            LaunchWord::Room => (ROOM, 0, 0),
            LaunchWord::Announces => (ANNOUNCES, 0, 0),
            LaunchWord::Failed { step, errno } => {
                let (number, which) = step.number();
                (number, *errno, which)
            }
        };
        let mut bytes = [0; 12];
        for (place, number) in bytes.chunks_exact_mut(4).zip([kind, first, second]) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<LaunchWord> {
        let bytes: &[u8; 12] = bytes.try_into().ok()?;
        let mut numbers = bytes.chunks_exact(4).map(|four| {
            i32::from_le_bytes(four.try_into().expect("chunks of four have four bytes"))
        });
        let (kind, first, second) = (numbers.next()?, numbers.next()?, numbers.next()?);
        Some(match kind {
            FIRST_PROCESS => LaunchWord::FirstProcess,
            BOT => LaunchWord::Bot,
            KEPT => LaunchWord::Kept,
            ROOM => LaunchWord::Room,
            ANNOUNCES => LaunchWord::Announces,
            _ => LaunchWord::Failed { step: BuildStep::of(kind, second)?, errno: first },
        })
    }
}

impl BuildStep {
    fn number(self) -> (i32, i32) {
        match self {
            BuildStep::CageOrder => (0, 0),
            BuildStep::Group => (1, 0),
            BuildStep::Namespaces => (2, 0),
            BuildStep::User => (3, 0),
            BuildStep::Files(which) => (4, which.map_or(-1, i32::from)),
            BuildStep::Proc => (5, 0),
            BuildStep::Fork => (6, 0),
            BuildStep::Rights => (7, 0),
            BuildStep::Landlock => (8, 0),
            BuildStep::Seccomp => (9, 0),
            BuildStep::Directory => (10, 0),
            BuildStep::Execute => (11, 0),
        }
    }

    fn of(number: i32, which: i32) -> Option<BuildStep> {
        Some(match number {
            0 => BuildStep::CageOrder,
            1 => BuildStep::Group,
            2 => BuildStep::Namespaces,
            3 => BuildStep::User,
            4 => BuildStep::Files(u16::try_from(which).ok()),
            5 => BuildStep::Proc,
            6 => BuildStep::Fork,
            7 => BuildStep::Rights,
            8 => BuildStep::Landlock,
            9 => BuildStep::Seccomp,
            10 => BuildStep::Directory,
            11 => BuildStep::Execute,
            _ => return None,
        })
    }

    /// What was being done, for people.
    pub(crate) fn what(self) -> &'static str {
        match self {
            BuildStep::CageOrder => "read the launcher's order",
            BuildStep::Group => "join a control group",
            BuildStep::Namespaces => "make namespaces",
            BuildStep::User => "map the user into a namespace",
            BuildStep::Files(_) => "build the bot's file system",
            BuildStep::Proc => "mount /proc",
            BuildStep::Fork => "make a process",
            BuildStep::Rights => "give up rights",
            BuildStep::Landlock => "restrict files with Landlock",
            BuildStep::Seccomp => "filter system calls",
            BuildStep::Directory => "enter the working directory",
            BuildStep::Execute => "execute the program",
        }
    }
}

// ---- as bytes ----

impl CageOrder {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = OrderWriter(Vec::with_capacity(4096));
        out.number(match self.walls {
            Walls::Namespaces => 0,
            Walls::Rules => 1,
        });
        out.number(match self.purpose {
            LaunchPurpose::Play => 0,
            LaunchPurpose::Build => 1,
        });
        out.number(self.user.map_or(u64::MAX, u64::from));
        out.list(&self.cores, |out, core| out.number(*core as u64));
        out.list(self.program.as_slice(), |out, path| out.path(path));
        out.list(&self.args, |out, arg| out.bytes(arg));
        out.list(&self.env, |out, variable| out.bytes(variable));
        out.path(&self.dir);
        out.list(&self.view.binds, |out, bind| {
            out.path(&bind.inside);
            out.path(&bind.source);
            out.number(match bind.access {
                Access::Read => 0,
                Access::Write => 1,
                Access::Own => 2,
            });
        });
        out.list(&self.view.rooms, |out, (path, size)| {
            out.path(path);
            out.number(*size);
        });
        out.list(&self.view.links, |out, (path, to)| {
            out.path(path);
            out.path(to);
        });
        out.list(&self.view.hidden, |out, path| out.path(path));
        let Caps { memory, processes, disk, folder, files, cpu } = self.caps;
        for number in [memory, processes, disk, folder, files, cpu] {
            out.number(number);
        }
        out.0
    }

    /// Reads an order back. `None` if it is cut short.
    pub(crate) fn decode(bytes: &[u8]) -> Option<CageOrder> {
        let mut from = OrderReader(bytes);
        Some(CageOrder {
            walls: match from.number()? {
                0 => Walls::Namespaces,
                _ => Walls::Rules,
            },
            purpose: match from.number()? {
                1 => LaunchPurpose::Build,
                _ => LaunchPurpose::Play,
            },
            user: u32::try_from(from.number()?).ok(),
            cores: from.list(|from| usize::try_from(from.number()?).ok())?,
            program: from.list(OrderReader::path)?.pop(),
            args: from.list(|from| Some(from.bytes()?.to_vec()))?,
            env: from.list(|from| Some(from.bytes()?.to_vec()))?,
            dir: from.path()?,
            view: CageView {
                binds: from.list(|from| {
                    Some(Bind {
                        inside: from.path()?,
                        source: from.path()?,
                        access: match from.number()? {
                            0 => Access::Read,
                            1 => Access::Write,
                            _ => Access::Own,
                        },
                    })
                })?,
                rooms: from.list(|from| Some((from.path()?, from.number()?)))?,
                links: from.list(|from| Some((from.path()?, from.path()?)))?,
                hidden: from.list(OrderReader::path)?,
            },
            caps: Caps {
                memory: from.number()?,
                processes: from.number()?,
                disk: from.number()?,
                folder: from.number()?,
                files: from.number()?,
                cpu: from.number()?,
            },
        })
    }
}

struct OrderWriter(Vec<u8>);

impl OrderWriter {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
    fn path(&mut self, path: &Path) {
        self.bytes(path.as_os_str().as_bytes());
    }
    fn list<T>(&mut self, items: &[T], each: impl Fn(&mut OrderWriter, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| each(self, item));
    }
}

struct OrderReader<'a>(&'a [u8]);

impl<'a> OrderReader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }
    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
    fn path(&mut self) -> Option<PathBuf> {
        Some(PathBuf::from(OsStr::from_bytes(self.bytes()?)))
    }
    fn list<T>(
        &mut self,
        mut each: impl FnMut(&mut OrderReader<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| each(self)).collect()
    }
}

/// A step that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) step: BuildStep,
    pub(crate) error: io::Error,
}

/// Says at which step an error occurred.
pub(crate) trait At<T> {
    /// This step.
    fn at(self, step: BuildStep) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, step: BuildStep) -> Result<T, Failure> {
        self.map_err(|error| Failure { step, error: error.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> CageOrder {
        CageOrder {
            walls: Walls::Rules,
            purpose: LaunchPurpose::Build,
            user: Some(64_000),
            cores: vec![0, 3],
            program: Some("/usr/bin/env".into()),
            args: vec![b"env".to_vec(), b"\xff\n".to_vec(), Vec::new()],
            env: vec![b"A=b".to_vec()],
            dir: "/srv".into(),
            view: CageView {
                binds: vec![
                    Bind { inside: "/a".into(), source: "/b".into(), access: Access::Read },
                    Bind { inside: "/c".into(), source: "/c".into(), access: Access::Own },
                ],
                rooms: vec![("/tmp/a".into(), 1 << 20)],
                links: vec![("/bin".into(), "usr/bin".into())],
                hidden: vec!["/b/replays".into()],
            },
            caps: Caps { memory: 1, processes: 2, disk: 3, folder: 6, files: 4, cpu: 5 },
        }
    }

    #[test]
    fn an_order_arrives_as_it_was_sent() {
        assert_eq!(CageOrder::decode(&order().encode()), Some(order()));
        let without = CageOrder { program: None, user: None, ..order() };
        assert_eq!(CageOrder::decode(&without.encode()), Some(without));
    }

    #[test]
    fn an_order_that_is_cut_short_is_none() {
        let bytes = order().encode();
        for length in 0..bytes.len() {
            assert_eq!(CageOrder::decode(&bytes[..length]), None, "{length}");
        }
    }

    #[test]
    fn every_word_arrives_as_it_was_sent() {
        let steps = [
            BuildStep::CageOrder,
            BuildStep::Group,
            BuildStep::Namespaces,
            BuildStep::User,
            BuildStep::Files(None),
            BuildStep::Files(Some(7)),
            BuildStep::Proc,
            BuildStep::Fork,
            BuildStep::Rights,
            BuildStep::Landlock,
            BuildStep::Seccomp,
            BuildStep::Directory,
            BuildStep::Execute,
        ];
        for step in steps {
            let word = LaunchWord::Failed { step, errno: 13 };
            assert_eq!(LaunchWord::decode(&word.encode()), Some(word));
        }
        for word in
            [LaunchWord::FirstProcess, LaunchWord::Bot, LaunchWord::Kept, LaunchWord::Announces]
        {
            assert_eq!(LaunchWord::decode(&word.encode()), Some(word));
        }
        assert_eq!(LaunchWord::decode(&[0; 4]), None);
        for kind in [i32::MIN, -1, 13, i32::MAX] {
            let bytes = [kind, 0, 0].map(i32::to_le_bytes).concat();
            assert_eq!(LaunchWord::decode(&bytes), None, "{kind}");
        }
    }
}
