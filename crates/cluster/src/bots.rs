//! Bots on their way: what makes a bot what it is, without the paths of the machine it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use game::Clock;
use host::{AskedLimits, BotSpec, Build, Grants, Keeps, Limits, OwnDir, Program, Reuse};
use serde::{Deserialize, Serialize};
use table::LineEnd;
use thiserror::Error;

use crate::archive::{Archive, ArchiveError};
use crate::wire::digest;

/// A bot as it is sent to workers. Its files travel as an [`Archive`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TravellingBot {
    name: String,
    /// What it is, and the programs that share the work.
    programs: Vec<TravellingProgram>,
    build: Option<(TravellingProgram, Duration)>,
    reuse: Reuse,
    keeps: Keeps,
    options: Vec<(String, String)>,
    line_end: Option<LineEnd>,
    limits: Limits,
    asked_read: Vec<PathBuf>,
    asked_write: Vec<PathBuf>,
    clock: Option<Clock>,
    /// The SHA-256 of its archive, if it has files.
    pub(crate) archive: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum TravellingProgram {
    BuiltIn(String),
    Command {
        exe: CommandWord,
        args: Vec<CommandWord>,
        env: BTreeMap<String, String>,
        shown: String,
    },
}

/// A word of a command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum CommandWord {
    /// As it is.
    Text(String),
    /// A file of the archive.
    File(String),
    /// A program of the system, by its name.
    System(String),
}

/// Why a bot cannot be sent.
#[derive(Debug, Error)]
#[error("the bot \"{bot}\" cannot be sent to workers: {why}")]
pub struct TravelError {
    bot: String,
    why: String,
}

/// Why a bot cannot be used here.
#[derive(Debug, Error)]
pub(crate) enum ArrivalError {
    #[error("a worker needs {0}, which is not in PATH here")]
    NoProgram(String),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl TravellingBot {
    /// A bot and the bytes of its archive, if it has files.
    pub fn new(
        bot: &BotSpec,
        clock: Option<Clock>,
    ) -> Result<(TravellingBot, Option<Vec<u8>>), TravelError> {
        let failed =
            |error: ArchiveError| TravelError { bot: bot.name.clone(), why: error.to_string() };
        let mut packing = Packing { archive: Archive::default(), elsewhere: Vec::new() };
        let mut programs = Vec::new();
        for program in bot.programs() {
            programs.push(packing.program(program).map_err(failed)?);
        }
        let build = match &bot.build {
            Some(build) => Some((packing.program(&build.program).map_err(failed)?, build.limit)),
            None => None,
        };
        if let (Program::Command { dir, .. }, OwnDir::Yes) = (&bot.program, bot.grants.own_dir) {
            packing.folder(dir, dir, None, DEEPEST).map_err(failed)?;
        }
        let has_files = bot.programs().any(Program::is_started);
        let archive = has_files.then(|| packing.archive.to_bytes());
        let travelling = TravellingBot {
            name: bot.name.clone(),
            programs,
            build,
            reuse: bot.reuse,
            keeps: bot.keeps,
            options: bot.options.clone(),
            line_end: bot.line_end,
            limits: bot.limits,
            asked_read: bot.grants.asked_read.clone(),
            asked_write: bot.grants.asked_write.clone(),
            clock,
            archive: archive.as_deref().map(digest),
        };
        Ok((travelling, archive))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its own time control, if it has one.
    pub fn clock(&self) -> Option<Clock> {
        self.clock
    }

    /// The bot as it is started here, with its files in this folder.
    pub(crate) fn arrive(&self, folder: &Path) -> Result<BotSpec, ArrivalError> {
        let program = |program: &TravellingProgram| -> Result<Program, ArrivalError> {
            let (exe, args, env, shown) = match program {
                TravellingProgram::BuiltIn(name) => return Ok(Program::BuiltIn(name.clone())),
                TravellingProgram::Command { exe, args, env, shown } => (exe, args, env, shown),
            };
            let exe = match exe {
                CommandWord::File(path) => folder.join(path),
                CommandWord::System(name) | CommandWord::Text(name) => {
                    in_path(name).ok_or_else(|| ArrivalError::NoProgram(name.clone()))?
                }
            };
            let arg = |word: &CommandWord| match word {
                CommandWord::Text(text) => text.clone(),
                CommandWord::File(path) => folder.join(path).display().to_string(),
                CommandWord::System(name) => name.clone(),
            };
            Ok(Program::Command {
                exe,
                args: args.iter().map(arg).collect(),
                dir: folder.to_owned(),
                env: env.clone(),
                shown: shown.clone(),
            })
        };
        let mut programs = self.programs.iter().map(program);
        let first = programs.next().unwrap_or_else(|| Ok(Program::BuiltIn(String::new())))?;
        let team = programs.collect::<Result<_, _>>()?;
        let build = match &self.build {
            Some((build, limit)) => Some(Build { program: program(build)?, limit: *limit }),
            None => None,
        };
        Ok(BotSpec {
            name: self.name.clone(),
            program: first,
            team,
            build,
            game: None,
            reuse: self.reuse,
            keeps: self.keeps,
            options: self.options.clone(),
            line_end: self.line_end,
            limits: self.limits,
            asked: AskedLimits::default(),
            set: AskedLimits::default(),
            grants: Grants {
                own_dir: OwnDir::Yes,
                asked_read: self.asked_read.clone(),
                asked_write: self.asked_write.clone(),
                ..Grants::default()
            },
        })
    }
}

/// Folders below each other that are looked into.
const DEEPEST: usize = 12;

/// An archive while it is filled.
struct Packing {
    archive: Archive,
    /// Folders outside of the bot's own that some of its files come from.
    elsewhere: Vec<PathBuf>,
}

impl Packing {
    fn program(&mut self, program: &Program) -> Result<TravellingProgram, ArchiveError> {
        let (exe, args, dir, env, shown) = match program {
            Program::BuiltIn(name) => return Ok(TravellingProgram::BuiltIn(name.clone())),
            Program::Person => return Err(ArchiveError::Person),
            Program::Command { exe, args, dir, env, shown } => (exe, args, dir, env, shown),
        };
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let name = exe.file_name().and_then(|name| name.to_str());
        let exe = match (name, inside(exe, &dir)) {
            // Every machine has its own.
            (Some(name), _) if in_path(name).as_deref() == Some(exe) || is_system(exe) => {
                CommandWord::System(name.to_owned())
            }
            (_, Some(path)) => {
                // A build may have to make it first.
                if exe.is_file() {
                    self.archive.add(&path, exe)?;
                }
                CommandWord::File(path)
            }
            (_, None) => self.add_from_elsewhere(exe)?,
        };
        let mut words = Vec::new();
        for arg in args {
            let path = dir.join(arg);
            let is_file = !arg.starts_with('-') && path.is_file();
            words.push(match inside(&path, &dir) {
                _ if !is_file || is_system(&path) => CommandWord::Text(arg.clone()),
                Some(inside) => {
                    self.archive.add(&inside, &path)?;
                    self.beside(&path, &dir)?;
                    // The same path leads to it from the bot's folder, wherever that is.
                    let is_plain = arg.trim_start_matches("./") == inside;
                    if is_plain {
                        CommandWord::Text(arg.clone())
                    } else {
                        CommandWord::File(inside)
                    }
                }
                None => self.add_from_elsewhere(&path)?,
            });
        }
        Ok(TravellingProgram::Command { exe, args: words, env: env.clone(), shown: shown.clone() })
    }

    /// A file that lies outside of the bot's folder, with what lies beside it and may be imported.
    fn add_from_elsewhere(&mut self, file: &Path) -> Result<CommandWord, ArchiveError> {
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let number = match self.elsewhere.iter().position(|known| *known == folder) {
            Some(number) => number,
            None => {
                self.elsewhere.push(folder.clone());
                self.elsewhere.len() - 1
            }
        };
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| ArchiveError::Path(file.display().to_string()))?;
        let path = format!("elsewhere/{number}/{name}");
        self.archive.add(&path, &file)?;
        if let Some(ending) = file.extension().and_then(|ending| ending.to_str()) {
            for beside in files_in(&folder) {
                let name = beside.file_name().and_then(|name| name.to_str());
                if beside.extension().is_some_and(|other| other == ending)
                    && let Some(name) = name
                {
                    self.archive.add(&format!("elsewhere/{number}/{name}"), &beside)?;
                }
            }
        }
        Ok(CommandWord::File(path))
    }

    /// What lies beside a script and may be imported by it: files of the same ending.
    fn beside(&mut self, script: &Path, dir: &Path) -> Result<(), ArchiveError> {
        let (Some(folder), Some(ending)) = (script.parent(), script.extension()) else {
            return Ok(());
        };
        self.folder(folder, dir, ending.to_str(), DEEPEST)
    }

    /// The files of a folder that belong to a bot, as paths from `dir`.
    fn folder(
        &mut self,
        folder: &Path,
        dir: &Path,
        ending: Option<&str>,
        deepest: usize,
    ) -> Result<(), ArchiveError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        let names: BTreeSet<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        for name in names {
            let path = folder.join(&name);
            let Some(shown) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let Ok(about) = path.symlink_metadata() else { continue };
            if about.is_dir() {
                if deepest > 0 && !is_aside(&path, shown) {
                    self.folder(&path, dir, ending, deepest - 1)?;
                }
                continue;
            }
            let left = [".lrz", ".pyc", ".pyo", ".tmp", ".log", "~"];
            let wanted = ending.is_none_or(|wanted| path.extension().is_some_and(|e| e == wanted));
            // What a link leads to belongs to the bot if it lies in its folder.
            let real = path.canonicalize();
            let is_own = real.is_ok_and(|real| real.is_file() && inside(&real, dir).is_some());
            if wanted
                && is_own
                && !left.iter().any(|end| shown.ends_with(end))
                && let Some(inside) = inside(&path, dir)
            {
                self.archive.add(&inside, &path)?;
            }
        }
        Ok(())
    }
}

/// The plain files of a folder, in order.
fn files_in(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    plain.map(|entry| entry.path()).collect()
}

/// Folders that hold no part of a bot: caches, runs, other bots.
fn is_aside(folder: &Path, name: &str) -> bool {
    ["__pycache__", "replays", "runs"].contains(&name)
        || ["CACHEDIR.TAG", "run.db", "bot.toml"].iter().any(|file| folder.join(file).exists())
}

/// A path below a folder, as archives have it.
fn inside(path: &Path, dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    // A link may lie in the folder and lead elsewhere: where the path itself lies counts.
    let parent = path.parent()?.canonicalize().ok()?;
    let path = parent.join(path.file_name()?);
    Some(path.strip_prefix(dir).ok()?.to_str()?.to_owned())
}

/// Whether a file belongs to the system: every machine has its own.
fn is_system(path: &Path) -> bool {
    let system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt", "/nix"];
    system.iter().any(|folder| path.starts_with(folder))
}

/// The program of this name in PATH.
fn in_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_program = |path: &PathBuf| {
        path.metadata()
            .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(is_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_arrives_with_its_files_and_names_none_of_the_machine_it_comes_from() {
        let own = std::env::temp_dir().join(format!("lanista-travel-{}", std::process::id()));
        let (home, lib) = (own.join("home"), own.join("lib"));
        let bot = home.join("bots/one");
        fs::create_dir_all(bot.join("parts")).expect("writable");
        fs::create_dir_all(bot.join("runs")).expect("writable");
        fs::create_dir_all(&lib).expect("writable");
        for (path, text) in [
            (bot.join("main.py"), "import parts.more"),
            (bot.join("parts/more.py"), ""),
            (bot.join("data.bin"), "weights"),
            (bot.join("runs/old.py"), "no part of it"),
            (bot.join(".secret"), "no part of it"),
            (lib.join("outside.py"), "import beside"),
            (lib.join("beside.py"), ""),
            (lib.join("other.txt"), "no part of it"),
        ] {
            fs::write(path, text).expect("writable");
        }
        std::os::unix::fs::symlink("/etc/passwd", bot.join("link")).expect("writable");
        let manifest = "command = ['sh', 'main.py', 'x']\nname = 'one'";
        fs::write(bot.join("bot.toml"), manifest).expect("writable");
        let spec = |text: &str| BotSpec::parse(text, &home).expect("a bot");
        let outside = format!("sh {}", lib.join("outside.py").display());
        let whole = format!("sh {}", bot.join("main.py").display());
        let cases: [(&str, &[&str]); 4] = [
            (&whole, &["bots/one/main.py", "bots/one/parts/more.py"]),
            ("bots/one", &["bot.toml", "data.bin", "main.py", "parts/more.py"]),
            ("sh bots/one/main.py", &["bots/one/main.py", "bots/one/parts/more.py"]),
            (&outside, &["elsewhere/0/beside.py", "elsewhere/0/outside.py"]),
        ];
        for (number, (text, wanted)) in cases.into_iter().enumerate() {
            let (sent, archive) = TravellingBot::new(&spec(text), None).expect("it can be sent");
            let to = own.join(format!("to{number}"));
            Archive::read(&archive.expect("it has files"))
                .expect("ours")
                .unpack(&to)
                .expect("ours");
            for path in wanted {
                assert!(to.join(path).is_file(), "{text}: {path}");
            }
            let count = walk(&to).len();
            assert_eq!(count, wanted.len(), "{text}: {:?}", walk(&to));
            let arrived = sent.arrive(&to).expect("sh is everywhere");
            arrived.check_programs().expect("everything is there");
            let Program::Command { args, dir, .. } = &arrived.program else { panic!("a program") };
            assert_eq!(*dir, to);
            let left = [&home, &lib].map(|folder| folder.display().to_string());
            assert!(!left.iter().any(|folder| args[0].contains(folder)), "{args:?}");
            assert_eq!(arrived.shown(), spec(text).shown());
        }
        fs::remove_dir_all(own).expect("ours");
    }

    fn walk(folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).expect("it is there").flatten() {
            match entry.path().is_dir() {
                true => found.extend(walk(&entry.path())),
                false => found.push(entry.path()),
            }
        }
        found
    }
}
