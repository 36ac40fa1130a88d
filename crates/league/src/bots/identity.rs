//! A bot's identity: whether it is still the same program that played before.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use game::Digest;
use host::{BotSpec, OwnDir, Program};
use serde::{Deserialize, Serialize};

use crate::bots::program_files::{BotFiles, Stamp};

/// All that makes a bot what it is. For noticing changes, not for keeping secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    /// Version of this record.
    v: u32,
    /// What its command line or manifest says, in a digest.
    said: String,
    /// Its files, each with a digest; paths start at its folder.
    files: BTreeMap<String, String>,
}

/// The files beside a program that are looked at: so many, so deep in folders, and so much of them
/// is read. Of what is beyond that, size and time have to do.
const MOST_FILES: usize = 2000;
const DEEPEST: usize = 12;
const MOST_READ: u64 = 64 << 20;

/// So many differences are named.
const NAMED: usize = 5;

/// Bots as they are now, to be compared with what they were.
#[derive(Default)]
pub(crate) struct Census {
    /// Files that belong to one bot, though they may lie in the folder of another: how many bots
    /// name each.
    named: HashMap<PathBuf, u32>,
    /// The tournament file, which belongs to no bot.
    own: Option<PathBuf>,
    /// Digests of files that have been read.
    read: HashMap<PathBuf, (Stamp, String)>,
}

impl Census {
    /// Of the bots of a tournament whose file this is.
    pub(crate) fn new<'a>(file: &Path, bots: impl IntoIterator<Item = &'a BotSpec>) -> Census {
        let mut census = Census { own: file.canonicalize().ok(), ..Census::default() };
        for bot in bots {
            census.add(bot);
        }
        census
    }

    /// One more bot takes part.
    pub(crate) fn add(&mut self, bot: &BotSpec) {
        for file in named_files(bot) {
            *self.named.entry(file).or_default() += 1;
        }
    }

    /// What a bot is now, as it is stored.
    #[cfg(test)]
    pub(crate) fn identity(&mut self, bot: &BotSpec) -> String {
        self.look(bot).0
    }

    /// What a bot is now, as it is stored, and the files that it is made of.
    pub(crate) fn look(&mut self, bot: &BotSpec) -> (String, BotFiles) {
        let mut files = BTreeMap::new();
        let mut watched = BotFiles::default();
        let named = named_files(bot);
        for file in &named {
            let (stamp, digest) = match self.read.get(file) {
                Some(read) => read.clone(),
                None => {
                    let stamp = Stamp::of(file);
                    let digest = whole(file).unwrap_or_else(|_| UNREADABLE.to_owned());
                    self.read.insert(file.clone(), (stamp, digest.clone()));
                    (stamp, digest)
                }
            };
            let shown = shown(bot, file);
            watched.add(file.clone(), shown.clone(), digest.clone(), stamp);
            files.insert(shown, digest);
        }
        let mut walk = FolderWalk { left: MOST_FILES, bytes: MOST_READ, found: Vec::new() };
        for (folder, kind) in own_folders(bot, &named) {
            walk.folder(&folder, &kind, DEEPEST);
        }
        let folder = folder_of(bot).unwrap_or_default();
        let written = bot.grants.asked_write.iter().chain(&bot.grants.write);
        let written: Vec<PathBuf> =
            written.filter_map(|path| folder.join(path).canonicalize().ok()).collect();
        for (file, stamp, digest) in walk.found {
            let own = !self.is_foreign(&file, &named)
                && !written.iter().any(|path| file.starts_with(path));
            if own && let Entry::Vacant(new) = files.entry(shown(bot, &file)) {
                watched.add(file, new.key().clone(), digest.clone(), stamp);
                new.insert(digest);
            }
        }
        let identity = Identity { v: 2, said: said(bot), files };
        let identity = serde_json::to_string(&identity).expect("names and digests serialise");
        (identity, watched)
    }

    /// Whether a file is another bot's, or the tournament's.
    fn is_foreign(&self, file: &Path, named: &HashSet<PathBuf>) -> bool {
        let others = self.named.get(file).is_some_and(|bots| *bots > 0) && !named.contains(file);
        others || self.own.as_deref() == Some(file)
    }

    /// What is different about a bot, in words; nothing if it is the same.
    pub(crate) fn differences(&self, bot: &BotSpec, before: &str, now: &str) -> Vec<String> {
        let read = |text: &str| serde_json::from_str::<Identity>(text);
        let (Ok(before), Ok(now)) = (read(before), read(now)) else {
            return vec!["its files were recorded in another format".to_owned()];
        };
        let mut different = Vec::new();
        if before.said != now.said {
            different.push("its arguments, environment, options or limits have changed".to_owned());
        }
        let named = named_files(bot);
        let foreign = |path: &str| {
            let path = folder_of(bot).map(|folder| folder.join(path));
            path.is_some_and(|path| self.is_foreign(&path, &named))
        };
        for (path, digest) in &now.files {
            match before.files.get(path) {
                Some(then) if then == digest => {}
                Some(_) => different.push(format!("{path} has changed")),
                None => different.push(format!("{path} is new")),
            }
        }
        for path in before.files.keys().filter(|path| !now.files.contains_key(*path)) {
            if !foreign(path) {
                different.push(format!("{path} is gone"));
            }
        }
        if different.len() > NAMED {
            let more = different.len() - NAMED;
            different.truncate(NAMED);
            different.push(format!("and {more} more"));
        }
        different
    }
}

/// The folder that a bot's paths start from.
fn folder_of(bot: &BotSpec) -> Option<PathBuf> {
    match &bot.program {
        Program::BuiltIn(_) | Program::Person => None,
        Program::Command { dir, .. } => dir.canonicalize().ok(),
    }
}

/// A file's path as people know it.
fn shown(bot: &BotSpec, file: &Path) -> String {
    let folder = folder_of(bot);
    let inside = folder.and_then(|folder| Some(file.strip_prefix(folder).ok()?.to_owned()));
    inside.as_deref().unwrap_or(file).display().to_string()
}

/// The programs of a bot, and the files that their arguments name.
fn named_files(bot: &BotSpec) -> HashSet<PathBuf> {
    let mut files = HashSet::new();
    for program in bot.programs() {
        if let Program::Command { exe, args, dir, .. } = program {
            let args = args.iter().map(|arg| dir.join(arg)).filter(|path| path.is_file());
            files.extend(args.chain([exe.clone()]).filter_map(|path| path.canonicalize().ok()));
        }
    }
    files
}

/// Which files of a folder belong to a bot.
enum FileFilter {
    /// All of them: the folder is the bot's.
    Any,
    /// Those with the same ending as its program, which may be imported.
    Ending(std::ffi::OsString),
}

/// The folders whose files may be a part of a bot.
fn own_folders(bot: &BotSpec, named: &HashSet<PathBuf>) -> Vec<(PathBuf, FileFilter)> {
    match (bot.grants.own_dir, folder_of(bot)) {
        (_, None) => Vec::new(),
        (OwnDir::Yes, Some(folder)) => vec![(folder, FileFilter::Any)],
        (OwnDir::No, Some(_)) => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let system: Vec<PathBuf> =
                std::env::split_paths(&path).filter_map(|path| path.canonicalize().ok()).collect();
            let beside = |file: &PathBuf| {
                let (folder, ending) = (file.parent()?, file.extension()?);
                let is_own = !system.iter().any(|path| path == folder);
                is_own.then(|| (folder.to_owned(), FileFilter::Ending(ending.to_owned())))
            };
            named.iter().filter_map(beside).collect()
        }
    }
}

/// What a command line or manifest says, wherever its folder lies.
fn said(bot: &BotSpec) -> String {
    let mut digest = Digest::new("bot");
    for program in bot.programs() {
        match program {
            Program::BuiltIn(name) => {
                digest.bytes(b"builtin").bytes(name.as_bytes());
            }
            Program::Person => {
                digest.bytes(b"person");
            }
            Program::Command { args, env, .. } => {
                digest.word(args.len() as u64);
                for arg in args {
                    digest.bytes(arg.as_bytes());
                }
                for (name, value) in env {
                    digest.bytes(name.as_bytes()).bytes(value.as_bytes());
                }
            }
        }
    }
    let BotSpec { reuse, options, limits, grants, .. } = bot;
    // What its user grants is not the bot's.
    let asked = (&grants.asked_read, &grants.asked_write);
    digest.bytes(format!("{:?}", (reuse, options, limits, asked)).as_bytes());
    format!("{:016x}", digest.finish())
}

/// A look at the files in folders.
struct FolderWalk {
    left: usize,
    bytes: u64,
    found: Vec<(PathBuf, Stamp, String)>,
}

impl FolderWalk {
    fn folder(&mut self, folder: &Path, kind: &FileFilter, deepest: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Ok(what) = entry.file_type() else { continue };
            let path = entry.path();
            if what.is_dir() && deepest > 0 && !is_aside(&path) {
                self.folder(&path, kind, deepest - 1);
            } else if (what.is_file() || what.is_symlink()) && is_part(&path, kind) {
                if self.left == 0 {
                    return;
                }
                self.left -= 1;
                let stamp = Stamp::of(&path);
                let digest = self.file(&path);
                let digest = digest.unwrap_or_else(|_| UNREADABLE.to_owned());
                self.found.push((path, stamp, digest));
            }
        }
    }

    /// Links are not followed: where they lead to is not the bot's.
    fn file(&mut self, path: &Path) -> io::Result<String> {
        let about = path.symlink_metadata()?;
        if about.is_symlink() {
            return link(path);
        }
        match self.bytes.checked_sub(about.len()) {
            Some(left) => {
                self.bytes = left;
                whole(path)
            }
            None => size_and_time(path),
        }
    }
}

const UNREADABLE: &str = "unreadable";
const LINK: &str = "link to ";
const BYTES: &str = " bytes of ";

fn link(path: &Path) -> io::Result<String> {
    Ok(format!("{LINK}{}", std::fs::read_link(path)?.display()))
}

fn size_and_time(path: &Path) -> io::Result<String> {
    let about = path.symlink_metadata()?;
    Ok(format!("{}{BYTES}{}.{}", about.len(), about.mtime(), about.mtime_nsec()))
}

/// What a file is now, noted in the same way as before.
pub(crate) fn digest_like(path: &Path, before: &str) -> io::Result<String> {
    if before.starts_with(LINK) {
        link(path)
    } else if before.contains(BYTES) {
        size_and_time(path)
    } else if before == UNREADABLE {
        path.symlink_metadata()?;
        Ok(whole(path).unwrap_or_else(|_| UNREADABLE.to_owned()))
    } else {
        whole(path)
    }
}

/// Folders that hold no part of a bot: caches, histories, runs, other bots.
fn is_aside(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
    let holds = |name: &str| folder.join(name).exists();
    name.starts_with(b".")
        || [&b"__pycache__"[..], b"replays", b"runs"].contains(&name)
        || ["CACHEDIR.TAG", "run.db", "bot.toml"].into_iter().any(holds)
}

/// Whether a file may be a part of a bot, and not something that is left by editors, interpreters
/// or games.
fn is_part(file: &Path, kind: &FileFilter) -> bool {
    let name = file.file_name().unwrap_or_default();
    // What a manifest says counts, not how.
    let aside = name == "bot.toml" || name.as_encoded_bytes().starts_with(b".");
    let ending = file.extension();
    let is = |other: &str| ending.is_some_and(|ending| ending == other);
    let left = ["lrz", "log", "tmp", "pyc", "pyo", "md"].into_iter().any(is);
    !aside
        && !left
        && !name.as_encoded_bytes().ends_with(b"~")
        && match kind {
            FileFilter::Any => true,
            FileFilter::Ending(wanted) => ending == Some(wanted),
        }
}

/// The digest of a file, read in pieces.
fn whole(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    let mut digest = Digest::new("file");
    let mut piece = Vec::new();
    let mut file = file;
    loop {
        piece.clear();
        file.by_ref().take(64 << 10).read_to_end(&mut piece)?;
        digest.bytes(&piece);
        if piece.len() < 64 << 10 {
            return Ok(format!("{:016x}", digest.finish()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let name = format!("lanista-identity-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&path).expect("writable");
            Folder(path.canonicalize().expect("it is there"))
        }
        fn write(&self, name: &str, text: &str) {
            let path = self.0.join(name);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }
        fn bot(&self, text: &str) -> BotSpec {
            BotSpec::parse(text, &self.0).expect("a bot")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// What is different about the first of these bots after something was done.
    fn after(folder: &Folder, bots: &[&str], change: impl FnOnce()) -> Vec<String> {
        let specs = || bots.iter().map(|text| folder.bot(text)).collect::<Vec<_>>();
        let census = |specs: &[BotSpec]| Census::new(&folder.0.join("cup.toml"), specs);
        let before = specs();
        let was = census(&before).identity(&before[0]);
        change();
        let now = specs();
        let mut census = census(&now);
        let is = census.identity(&now[0]);
        census.differences(&now[0], &was, &is)
    }

    #[test]
    fn a_changed_script_or_module_beside_it_is_another_bot() {
        let folder = Folder::new("script");
        for name in ["a.py", "b.py", "common.py", "engine/search.py", "cup.toml"] {
            folder.write(name, "1");
        }
        let bots = ["a=sh a.py", "b=sh b.py"];
        assert!(after(&folder, &bots, || {}).is_empty());
        let change = |name: &str| after(&folder, &bots, || folder.write(name, "2"));
        assert_eq!(change("a.py"), ["a.py has changed"]);
        assert_eq!(change("common.py"), ["common.py has changed"]);
        assert_eq!(change("engine/search.py"), ["engine/search.py has changed"]);
        assert_eq!(change("engine/new.py"), ["engine/new.py is new"]);
        // Another bot's program, the tournament file, what games and interpreters leave.
        for name in ["b.py", "cup.toml", "a.log", "__pycache__/a.pyc", ".git/x.py", "runs/x/y.py"] {
            assert!(change(name).is_empty(), "{name}");
        }
        let gone = after(&folder, &bots, || {
            std::fs::remove_file(folder.0.join("common.py")).expect("it is there");
        });
        assert_eq!(gone, ["common.py is gone"]);
    }

    #[test]
    fn every_program_of_a_team_and_every_file_of_a_manifest_counts() {
        let folder = Folder::new("team");
        let manifest =
            "command = [\"sh\", \"one.sh\"]\nteam = [[\"sh\", \"/bin/true\"], [\"sh\", \"two\"]]\n";
        folder.write("bot/bot.toml", manifest);
        for name in ["bot/one.sh", "bot/two", "bot/net.bin", "bot/other/bot.toml"] {
            folder.write(name, "x");
        }
        folder.write("bot/bot.toml", manifest);
        let change = |name: &str, text: &str| after(&folder, &["bot"], || folder.write(name, text));
        assert_eq!(change("bot/two", "y"), ["two has changed"]);
        assert_eq!(change("bot/net.bin", "y"), ["net.bin has changed"]);
        assert!(change("bot/other/x.sh", "y").is_empty(), "another bot's folder");
        assert!(change("bot/bot.toml", &format!("name = \"new\"\n{manifest}")).is_empty());
        let limits = format!("{manifest}[limits]\ndisk_mb = 7\n");
        assert_eq!(
            change("bot/bot.toml", &limits),
            ["its arguments, environment, options or limits have changed"]
        );
        let link = after(&folder, &["bot"], || {
            std::os::unix::fs::symlink("/dev/zero", folder.0.join("bot/link")).expect("writable");
        });
        assert_eq!(link, ["link is new"]);
    }

    #[test]
    fn a_bot_that_joins_takes_nothing_away_from_the_one_in_whose_folder_it_lies() {
        let folder = Folder::new("joins");
        folder.write("bot/bot.toml", "command = [\"sh\", \"one.sh\"]\n");
        folder.write("bot/one.sh", "x");
        folder.write("bot/two.sh", "x");
        let first = folder.bot("bot");
        let was = Census::new(&folder.0.join("cup.toml"), [&first]).identity(&first);
        let second = folder.bot("two=sh bot/two.sh");
        let mut census = Census::new(&folder.0.join("cup.toml"), [&first, &second]);
        let is = census.identity(&first);
        assert!(is != was && census.differences(&first, &was, &is).is_empty());
    }
}
