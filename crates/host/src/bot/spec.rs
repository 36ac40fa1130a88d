//! What a bot is: a command line, a manifest or a built-in name.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use table::{Card, LineEnd};
use thiserror::Error;

use crate::bot::build::Build;
use crate::bot::limits::{AskedLimits, Limits};
use crate::bot::manifest::{from_manifest, manifest_at, read_manifest};
use crate::bot::script;
use crate::cage::{AccessRefusal, CageTerms, OwnDir, Tier, WantedAccess};

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
            Program::BuiltIn(_) => false,
            Program::Command { .. } => true,
        }
    }
}

/// Whether a process may serve several games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reuse {
    /// Where the protocol allows it and the bot takes part.
    #[default]
    Auto,
    /// A fresh process for every game.
    Never,
}

/// What a bot has of its earlier games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    fn new(name: String, program: Program) -> BotSpec {
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

    /// Understands `builtin:NAME`, a manifest or its folder, or a command line; `name=` before
    /// any of them renames the bot. Relative paths start at `base`.
    pub fn parse(text: &str, base: &Path) -> Result<BotSpec, BotError> {
        let (name, text) = split_name(text);
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
            Program::BuiltIn(_) => false,
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
            Program::BuiltIn(_) => None,
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

    /// The command line or `builtin:NAME`.
    pub fn shown(&self) -> String {
        match &self.program {
            Program::BuiltIn(name) => format!("builtin:{name}"),
            Program::Command { shown, .. } => shown.clone(),
        }
    }
}

/// Splits `new=./a.out` into its parts. A path or an environment assignment is not a name.
fn split_name(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, rest))
            if !name.is_empty()
                && !rest.is_empty()
                && !name
                    .contains(|c: char| c == '/' || c == ':' || c == '"' || c.is_whitespace()) =>
        {
            (Some(name), rest)
        }
        _ => (None, text),
    }
}

fn from_command(text: &str, base: &Path) -> Result<BotSpec, BotError> {
    let words = split(text).map_err(|why| BotError::Command(text.to_owned(), why))?;
    let Some((exe, args)) = words.split_first() else {
        return Err(BotError::Command(text.to_owned(), "it is empty"));
    };
    let dir = std::path::absolute(base).unwrap_or_else(|_| base.to_owned());
    let found = find(exe, &dir, text)?;
    script::check(exe, &found, args, &dir, text)?;
    let program = Program::Command {
        exe: found,
        args: args.to_vec(),
        dir,
        env: BTreeMap::new(),
        shown: text.to_owned(),
    };
    Ok(BotSpec::new(short_name(&words), program))
}

/// A name for a command: the script of an interpreter, otherwise the program.
fn short_name(words: &[String]) -> String {
    let stem =
        |word: &str| Path::new(word).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let script = words.iter().skip(1).find(|word| {
        !word.starts_with('-') && Path::new(word).extension().is_some() && !word.contains(' ')
    });
    script.or(words.first()).and_then(|word| stem(word)).unwrap_or_else(|| words.join(" "))
}

/// The executable that a command names: a path from `dir`, or a name looked up in PATH.
pub(crate) fn find(exe: &str, dir: &Path, shown: &str) -> Result<PathBuf, BotError> {
    use std::os::unix::fs::PermissionsExt as _;
    let executable = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let missing =
        |hint: String| BotError::Missing { shown: shown.to_owned(), exe: exe.to_owned(), hint };
    if exe.contains('/') {
        let path = dir.join(exe);
        if executable(&path) {
            return Ok(path);
        }
        if path.is_dir() {
            return Err(missing(" as a program: it is a folder without a bot.toml".to_owned()));
        }
        if path.exists() {
            return Err(BotError::NotExecutable { shown: shown.to_owned(), exe: exe.to_owned() });
        }
        return Err(missing(String::new()));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|at| at.join(exe)).find(|at| executable(at));
    found.ok_or_else(|| {
        let here = dir.join(exe);
        missing(match here.exists() {
            true => format!(" in PATH; did you mean ./{exe}?"),
            false => " in PATH".to_owned(),
        })
    })
}

/// Splits a command line as a shell would: blanks, quotation marks and backslashes.
pub fn split(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some('\'') => break,
                        Some(inside) => word.push(inside),
                        None => return Err("a ' is not closed"),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some('"') => break,
                        Some('\\') => match letters.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                            Some(other) => word.extend(['\\', other]),
                            None => return Err("a \" is not closed"),
                        },
                        Some(inside) => word.push(inside),
                        None => return Err("a \" is not closed"),
                    }
                }
            }
            '\\' => match letters.next() {
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err("it ends with a backslash"),
            },
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Ok(words)
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
    fn command_lines_are_split_as_a_shell_would() {
        let words = |text| split(text).expect("it is well formed");
        assert_eq!(words("java -jar  b.jar"), ["java", "-jar", "b.jar"]);
        assert_eq!(
            words(r#"sh -c 'a "b" c' d\ e "f\"g""#),
            ["sh", "-c", "a \"b\" c", "d e", "f\"g"]
        );
        assert_eq!(words("''"), [""]);
        assert!(split("a 'b").is_err());
    }

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
    fn names_come_from_the_script_or_the_program() {
        let name = |text| short_name(&split(text).expect("it is well formed"));
        assert_eq!(name("./mybot"), "mybot");
        assert_eq!(name("python3 -u bots/hunter.py --fast"), "hunter");
        assert_eq!(name("java -jar b.jar"), "b");
    }

    #[test]
    fn a_bot_may_be_renamed_but_a_path_is_no_name() {
        let here = Path::new(".");
        assert_eq!(BotSpec::parse("new=sh -c true", here).unwrap().name, "new");
        assert_eq!(BotSpec::parse("x=builtin:random", here).unwrap().name, "x");
        assert_eq!(split_name("./a=b"), (None, "./a=b"));
    }

    #[test]
    fn equal_names_are_numbered() {
        let bot = |name: &str| BotSpec::parse(&format!("builtin:{name}"), Path::new(".")).unwrap();
        let mut bots = [bot("a"), bot("b"), bot("a"), bot("a")];
        unique_names(&mut bots);
        assert_eq!(bots.map(|bot| bot.name), ["a", "b", "a (2)", "a (3)"]);
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = BotSpec::parse("./no-such-bot --x", Path::new(".")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot start \"./no-such-bot --x\": ./no-such-bot does not exist"
        );
        let error = BotSpec::parse("Cargo.toml x", Path::new(".")).unwrap_err();
        assert!(error.to_string().contains("did you mean ./Cargo.toml?"), "{error}");
        let error = BotSpec::parse("src", Path::new(".")).unwrap_err();
        let folder = "no bot.toml in \"src\": a folder is a bot only if it holds one";
        assert_eq!(error.to_string(), folder);
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
