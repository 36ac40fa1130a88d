//! What a bot is: a command line, a manifest or a built-in name.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use table::{Card, LineEnd};
use thiserror::Error;

use crate::bot::build::Build;
use crate::bot::command_line::{find, from_command, split_name};
use crate::bot::limits::{AskedLimits, Limits};
use crate::bot::manifest::{from_manifest, manifest_at, read_manifest};
use crate::bot::script;
use crate::cage::{AccessRefusal, CageTerms, OwnDir, Tier, WantedAccess};

/// What stands for a person in the place of a bot.
const PERSON: &str = "human";

/// A bot as somebody entered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSpec {
    /// Its name in results.
    pub name: String,
    /// What it is.
    pub program: Program,
    /// Further programs that share the work, in games in which a player may have several.
    pub team: Vec<Program>,
    /// How it is built, if it has to be. Until it is, its programs need not be there.
    pub build: Option<Build>,
    /// The game it is for, if it says so.
    pub game: Option<String>,
    /// Whether its process may serve several games.
    pub reuse: Reuse,
    /// What it has of its earlier games.
    pub keeps: Keeps,
    /// Options of its protocol.
    pub options: Vec<(String, String)>,
    /// How the lines end that it is told, if not as its protocol has them.
    pub line_end: Option<LineEnd>,
    /// What it may use.
    pub limits: Limits,
    /// What its manifest says of that.
    pub asked: AskedLimits,
    /// What the user lets it use, where that was said.
    pub set: AskedLimits,
    /// What it sees of the file system besides the system itself.
    pub grants: Grants,
}

/// What a bot sees of the file system besides the system itself and its interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grants {
    /// Whether its working directory is its own, and so shown whole.
    pub own_dir: OwnDir,
    /// What its manifest wants to read, relative to its own folder. It cannot grant that itself
    /// where it lies outside.
    pub asked_read: Vec<PathBuf>,
    /// The same for writing.
    pub asked_write: Vec<PathBuf>,
    /// What the user lets it read.
    pub read: Vec<PathBuf>,
    /// What the user lets it write to.
    pub write: Vec<PathBuf>,
}

impl Default for Grants {
    fn default() -> Grants {
        Grants {
            own_dir: OwnDir::No,
            asked_read: Vec::new(),
            asked_write: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
        }
    }
}

/// What is behind a bot's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A built-in bot of the game.
    BuiltIn(String),
    /// A person.
    Person,
    /// A program to be started.
    Command {
        /// The executable, found and checked.
        exe: PathBuf,
        /// Its arguments.
        args: Vec<String>,
        /// Its working directory.
        dir: PathBuf,
        /// Additions to its environment.
        env: BTreeMap<String, String>,
        /// The command as it was given, for people.
        shown: String,
    },
}

impl Program {
    /// Whether it is started as a process.
    pub fn is_started(&self) -> bool {
        match self {
            Program::BuiltIn(_) | Program::Person => false,
            Program::Command { .. } => true,
        }
    }
}

/// Whether a process may serve several games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reuse {
    /// Where the protocol allows it and the bot takes part.
    #[default]
    Auto,
    /// A fresh process for every game.
    Never,
}

/// What a bot has of its earlier games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keeps {
    /// A folder of its own that lasts from game to game.
    #[default]
    Folder,
    /// Nothing: every process begins with empty folders.
    Nothing,
}

/// Why something is not a bot.
#[derive(Debug, Error)]
pub enum BotError {
    /// A command line that cannot be split or is empty.
    #[error("\"{0}\" is not a command line: {1}")]
    Command(String, &'static str),
    /// The program is not there.
    #[error("cannot start \"{shown}\": {exe} does not exist{hint}")]
    Missing {
        /// The command as given.
        shown: String,
        /// What was looked for.
        exe: String,
        /// What to try.
        hint: String,
    },
    /// The program is there but cannot be executed.
    #[error(
        "cannot start \"{shown}\": {exe} is not executable; try `chmod +x {exe}`, or name its interpreter"
    )]
    NotExecutable {
        /// The command as given.
        shown: String,
        /// The file.
        exe: String,
    },
    /// The script that an interpreter is to run is not there.
    #[error(
        "cannot start \"{shown}\": the script {script} does not exist; it was looked for in {dir}"
    )]
    NoScript {
        /// The command as given.
        shown: String,
        /// The script.
        script: String,
        /// Where its path starts.
        dir: String,
    },
    /// A script asks for an interpreter that is not there.
    #[error(
        "cannot start \"{shown}\": the first line of {exe} asks for {wanted}, which does not exist{hint}"
    )]
    NoInterpreter {
        /// The command as given.
        shown: String,
        /// The script.
        exe: String,
        /// What it asks for.
        wanted: String,
        /// What to try.
        hint: &'static str,
    },
    /// Root starts it, but the user as whom it runs may not read its files.
    #[error(
        "the bot \"{bot}\" is not started: when root starts bots they run as another user, who may not \
         read {path} (mode {mode:03o}); try `chmod {remedy} {path}`, or do not start them as root"
    )]
    Closed {
        /// Its name.
        bot: String,
        /// The file or folder.
        path: String,
        /// Its permissions.
        mode: u32,
        /// What would open it.
        remedy: &'static str,
    },
    /// A person where nobody waits for people.
    #[error(
        "\"{PERSON}\" is a person, and only `lanista play` waits for people; a program of this name is ./{PERSON}"
    )]
    Person,
    /// A bot that cannot play a game.
    #[error("{0}")]
    Unfit(String),
    /// Its build has failed.
    #[error("the bot \"{bot}\" cannot be built with \"{shown}\": {how}{output}")]
    Build {
        /// Its name.
        bot: String,
        /// The command.
        shown: String,
        /// What went wrong.
        how: String,
        /// What it printed, from its end, on lines of its own.
        output: String,
    },
    /// A folder without a manifest.
    #[error("no bot.toml in \"{0}\": a folder is a bot only if it holds one")]
    NoManifest(String),
    /// A manifest that cannot be used.
    #[error("the manifest {path}: {why}")]
    Manifest {
        /// The file.
        path: String,
        /// The reason.
        why: String,
    },
    /// Its manifest or its files ask for what nobody has granted.
    #[error("the bot \"{bot}\" is not started. {refusal}")]
    Refused {
        /// Its name.
        bot: String,
        /// What and why.
        refusal: AccessRefusal,
    },
}

impl BotSpec {
    /// A bot that asks for nothing beyond its program.
    pub(crate) fn new(name: String, program: Program) -> BotSpec {
        BotSpec {
            name,
            program,
            team: Vec::new(),
            build: None,
            game: None,
            reuse: Reuse::Auto,
            keeps: Keeps::Folder,
            options: Vec::new(),
            line_end: None,
            limits: Limits::default(),
            asked: AskedLimits::default(),
            set: AskedLimits::default(),
            grants: Grants::default(),
        }
    }

    /// The person that a text stands for: `human` or `NAME=human`.
    pub fn person(text: &str) -> Option<BotSpec> {
        let (name, text) = split_name(text);
        let spec = BotSpec::new(name.unwrap_or(PERSON).to_owned(), Program::Person);
        (text == PERSON).then_some(spec)
    }

    /// Whether it is a person.
    pub fn is_person(&self) -> bool {
        self.program == Program::Person
    }

    /// Understands `builtin:NAME`, a manifest or its folder, or a command line; `name=` before
    /// any of them renames the bot. Relative paths start at `base`.
    pub fn parse(text: &str, base: &Path) -> Result<BotSpec, BotError> {
        let (name, text) = split_name(text);
        if text == PERSON {
            return Err(BotError::Person);
        }
        let mut spec = if let Some(builtin) = text.strip_prefix("builtin:") {
            BotSpec::new(builtin.to_owned(), Program::BuiltIn(builtin.to_owned()))
        } else if let Some(path) = manifest_at(&base.join(text)) {
            read_manifest(&path)?
        } else if !text.is_empty() && base.join(text).is_dir() {
            return Err(BotError::NoManifest(text.to_owned()));
        } else {
            from_command(text, base)?
        };
        if let Some(name) = name {
            spec.name = name.to_owned();
        }
        Ok(spec)
    }

    /// Understands a bot, as [`parse`](BotSpec::parse) does, that plays a game within the limits
    /// that the user sets. `name` renames it.
    pub fn read(
        text: &str,
        name: Option<&str>,
        base: &Path,
        card: &Card,
        limits: &AskedLimits,
    ) -> Result<BotSpec, BotError> {
        let mut spec = BotSpec::parse(text, base)?;
        if let Some(name) = name {
            name.clone_into(&mut spec.name);
        }
        let mut spec = spec.for_game(card)?;
        spec.set_limits(limits);
        Ok(spec)
    }

    /// Understands the text of a manifest that is said to lie at `path`.
    pub fn from_manifest(text: &str, path: &Path) -> Result<BotSpec, BotError> {
        from_manifest(text, path)
    }

    /// Its programs: the one it has, and those that share the work with it.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        std::iter::once(&self.program).chain(&self.team)
    }

    /// Gives it what its manifest asks for, but no more than the user has set.
    pub fn set_limits(&mut self, set: &AskedLimits) {
        self.limits = Limits::new(&self.asked, set);
        self.set = *set;
    }

    /// Whether everything that its manifest and its files ask for is granted. Where bots are not
    /// shut in at all, nothing needs to be.
    pub fn check_grants(&self, terms: &CageTerms) -> Result<(), BotError> {
        for program in self.programs().filter(|_| terms.at_most > Tier::E) {
            if let Program::Command { exe, args, dir, .. } = program {
                let wanted =
                    WantedAccess { exe, args, dir, grants: &self.grants, terms, folder: None };
                wanted.view().map_err(|refusal| self.refused(refusal))?;
            }
        }
        Ok(())
    }

    pub(crate) fn refused(&self, refusal: AccessRefusal) -> BotError {
        BotError::Refused { bot: self.name.clone(), refusal }
    }

    /// Whether a file is there for the host, seen from where one of its programs runs.
    pub(crate) fn sees(&self, file: &str) -> bool {
        self.programs().any(|program| match program {
            Program::BuiltIn(_) | Program::Person => false,
            Program::Command { dir, .. } => dir.join(file).exists(),
        })
    }

    /// The first argument that looks like a file name but does not exist.
    pub(crate) fn absent_file(&self) -> Option<String> {
        let looks_like_a_file = |arg: &&String| {
            let number = arg.parse::<f64>().is_ok();
            !arg.starts_with('-') && arg.contains(['.', '/']) && !arg.contains('=') && !number
        };
        self.programs().find_map(|program| match program {
            Program::BuiltIn(_) | Program::Person => None,
            Program::Command { args, dir, .. } => {
                let absent = |arg: &&String| !dir.join(arg.as_str()).exists();
                args.iter().filter(looks_like_a_file).find(absent).cloned()
            }
        })
    }

    /// Checks that its programs are there. That is known before unless it has to be built.
    pub fn check_programs(&self) -> Result<(), BotError> {
        for program in self.programs() {
            if let Program::Command { exe, args, dir, shown, .. } = program {
                let exe = exe.display().to_string();
                let found = find(&exe, dir, shown)?;
                script::check(&exe, &found, args, dir, shown)?;
            }
        }
        Ok(())
    }

    /// The command line, `builtin:NAME` or `human`.
    pub fn shown(&self) -> String {
        match &self.program {
            Program::BuiltIn(name) => format!("builtin:{name}"),
            Program::Person => PERSON.to_owned(),
            Program::Command { shown, .. } => shown.clone(),
        }
    }
}

/// Gives bots of the same name the endings ` (2)`, ` (3)`, …
pub fn unique_names<'a>(bots: impl IntoIterator<Item = &'a mut BotSpec>) {
    let mut taken: HashSet<String> = HashSet::new();
    for bot in bots {
        let name = bot.name.clone();
        for number in 2.. {
            if taken.insert(bot.name.clone()) {
                break;
            }
            bot.name = format!("{name} ({number})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_no_bot_could_live_with_are_refused_with_the_range() {
        let manifest = |limits: &str| {
            let text = format!("command = [\"sh\"]\n[limits]\n{limits}");
            BotSpec::from_manifest(&text, Path::new("/nowhere/bot.toml"))
        };
        let bytes = manifest("memory_mb = 1099511627776").expect("it is a limit").limits.memory();
        assert_eq!(bytes, 1 << 60);
        let mb = "1099511627776";
        let ranges = [
            ("memory_mb", "1", mb),
            ("disk_mb", "1", mb),
            ("folder_mb", "0", mb),
            ("stdout_mb", "1", mb),
            ("stderr_mb", "0", mb),
            ("processes", "1", "4194304"),
            ("cores", "1", "1024"),
            ("start_ms", "1", "1000000000000"),
            ("cpu_s", "0", "1000000000"),
            ("files", "1", "1000000000"),
        ];
        for (key, least, most) in ranges {
            for number in [least, most] {
                manifest(&format!("{key} = {number}")).expect(key);
            }
            let (below, above) = (least.parse::<i64>().unwrap() - 1, format!("{most}0"));
            for number in [below.to_string(), above] {
                let error = manifest(&format!("{key} = {number}")).expect_err(key).to_string();
                let range = format!("{number} is not within {least} to {most}");
                assert!(error.contains(&range) && error.contains(key), "{error}");
            }
        }
    }

    #[test]
    fn equal_names_are_numbered() {
        let bot = |name: &str| BotSpec::parse(&format!("builtin:{name}"), Path::new(".")).unwrap();
        let mut bots = [bot("a"), bot("b"), bot("a"), bot("a")];
        unique_names(&mut bots);
        assert_eq!(bots.map(|bot| bot.name), ["a", "b", "a (2)", "a (3)"]);
    }

    #[test]
    fn what_is_wrong_with_a_manifest_names_the_manifest() {
        for (text, wrong) in [
            ("nome = 'x'", "there is no key \"nome\" here"),
            ("command = ['./nobody']", "./nobody does not exist"),
            ("command = []", "a command is empty"),
            ("command = ['sh']\noptions = { a = [1] }", "option a must be text"),
        ] {
            let error = BotSpec::from_manifest(text, Path::new("kit/bot.toml")).unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with("the manifest kit/bot.toml: "), "{error}");
            assert!(error.contains(wrong), "{error}");
        }
    }
}
