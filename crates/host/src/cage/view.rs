//! What a bot sees of the host's file system: the system, its interpreter, its own folder.

use std::collections::BTreeSet;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::CageTerms;
use super::order::{Access, Bind, CageView};
use super::places::{Installation, Places, in_path, is_wide, rustup_home};
use super::resolve::{
    MOST_LINKS, ResolvedPath, ScriptInterpreter, home_of_virtual, interpreters, resolve,
};
use crate::bot::spec::Grants;

/// What programs of every kind need, as far as it is there.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/os-release",
    "/etc/ssl/openssl.cnf",
    "/etc/ssl/certs",
    "/etc/crypto-policies",
    "/etc/mime.types",
    "/etc/terminfo",
    "/etc/inputrc",
    "/etc/perl",
    "/etc/python3",
    "/etc/fonts",
    "/etc/mono",
];

/// Folders in /etc of which there is one for every version.
const VERSIONED: &[&str] = &["java", "python3.", "php"];

/// Where a bot in namespaces of its own sees its folder, the same in every run.
pub(crate) const FOLDER: &str = "/tmp/lanista-folder";

/// What decides what a bot sees.
pub(crate) struct WantedAccess<'a> {
    /// The program, found and checked.
    pub(crate) exe: &'a Path,
    /// Its arguments; those that name files are shown.
    pub(crate) args: &'a [String],
    /// Its working directory.
    pub(crate) dir: &'a Path,
    /// What its manifest asks for, and what the user grants this bot.
    pub(crate) grants: &'a Grants,
    /// What the user grants every bot, and what is never shown.
    pub(crate) terms: &'a CageTerms,
    /// Where it may keep files.
    pub(crate) folder: Option<&'a Path>,
}

/// Whose the working directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnDir {
    /// The bot's alone: the folder of its manifest.
    Yes,
    /// Where somebody happened to type a command line.
    No,
}

/// What a bot's files or its manifest ask for, and nobody has granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRefusal {
    /// What asks, in words.
    asks: String,
    what: RefusedAccess,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RefusedAccess {
    /// This lies outside.
    Outside { path: PathBuf, access: Access },
    /// The manifest is where much else is.
    Wide { folder: PathBuf },
    /// There is no such file or folder.
    Missing { path: PathBuf },
}

impl fmt::Display for AccessRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asks = &self.asks;
        match &self.what {
            RefusedAccess::Outside { path, access } => {
                let (flag, key) = match access {
                    Access::Read => ("--allow-read", "read"),
                    Access::Write | Access::Own => ("--allow-write", "write"),
                };
                let path = path.display();
                write!(
                    f,
                    "{asks}: {path} lies outside the bot's own folder, and only you can allow it: \
                     with `{flag} {path}`, or `{key} = [\"{path}\"]` beside the bot in a \
                     tournament file"
                )
            }
            RefusedAccess::Wide { folder } => write!(
                f,
                "{asks}: {} holds your home or everybody's temporary files and is not shown whole; \
                 give the bot a folder of its own",
                folder.display()
            ),
            RefusedAccess::Missing { path } => {
                write!(f, "{asks}: {} does not exist", path.display())
            }
        }
    }
}

impl std::error::Error for AccessRefusal {}

/// Scripts that execute scripts: no deeper than this.
const DEEPEST: u32 = 8;

impl WantedAccess<'_> {
    /// The whole view, or what it would take that nobody has granted.
    pub(crate) fn view(&self) -> Result<CageView, AccessRefusal> {
        let mut seen = SystemView::system();
        for path in self.grants.read.iter().chain(&self.terms.read) {
            seen.show(path, Access::Read);
        }
        for path in self.grants.write.iter().chain(&self.terms.write) {
            seen.show(path, Access::Write);
        }
        match self.own() {
            Some(own) => self.own_folder(&mut seen, &own)?,
            None => self.typed(&mut seen),
        }
        self.program(&mut seen)?;
        for word in self.words() {
            let path = self.dir.join(word);
            if !of_the_cage(&path) {
                self.follow(&mut seen, &format!("the argument \"{word}\""), &path)?;
            }
        }
        self.asked(&mut seen)?;
        if let Some(source) = self.folder.and_then(|folder| folder.canonicalize().ok()) {
            seen.binds.insert(Bind { inside: FOLDER.into(), source, access: Access::Own });
        }
        // What lies around the bot's own files cannot be hidden from it.
        let needed = self.needed();
        let hidden = self.terms.hidden.iter().filter_map(|path| path.canonicalize().ok());
        let hidden = hidden.filter(|folder| !needed.iter().any(|path| path.starts_with(folder)));
        Ok(seen.into_view(hidden.collect()))
    }

    /// The bot's own folder without links, if it has one.
    fn own(&self) -> Option<PathBuf> {
        let own = || self.dir.canonicalize().unwrap_or_else(|_| self.dir.to_owned());
        (self.grants.own_dir == OwnDir::Yes).then(own)
    }

    /// Arguments that may name files.
    fn words(&self) -> impl Iterator<Item = &String> {
        self.args.iter().filter(|word| !word.starts_with('-') && !word.is_empty())
    }

    fn own_folder(&self, seen: &mut SystemView, own: &Path) -> Result<(), AccessRefusal> {
        if is_wide(own) && !seen.covers(own) {
            let what = RefusedAccess::Wide { folder: own.to_owned() };
            return Err(AccessRefusal { asks: "its bot.toml".to_owned(), what });
        }
        seen.show(own, Access::Read);
        Ok(())
    }

    /// Shows what the user has typed: the folders of the program and of files, and folders. Links
    /// on the way there are the user's own; where a file itself is a link, it is not followed.
    fn typed(&self, seen: &mut SystemView) {
        if let Some(folder) = self.exe.parent().and_then(resolve)
            && !self.is_users(seen, &folder.real)
        {
            seen.folders(Installation::around(&folder.real));
            seen.named(self.exe);
        }
        for word in self.words() {
            seen.named(&self.dir.join(word));
        }
    }

    /// Whether what is in a folder comes from the system or the user's PATH, and not from the bot.
    fn is_users(&self, seen: &SystemView, path: &Path) -> bool {
        let own = self.own().is_some_and(|own| path.starts_with(own));
        let places = Places::of_user();
        !own && (seen.is_system(path) || places.is_in_path(path) || places.hold(path))
    }

    fn program(&self, seen: &mut SystemView) -> Result<(), AccessRefusal> {
        let folder = self.exe.parent().and_then(resolve);
        if folder.is_some_and(|folder| self.is_users(seen, &folder.real)) {
            seen.program(self.exe, 0);
            return Ok(());
        }
        self.execute(seen, "its program", self.exe, 0)
    }

    /// Follows a program to what executes it.
    fn execute(
        &self,
        seen: &mut SystemView,
        asks: &str,
        exe: &Path,
        depth: u32,
    ) -> Result<(), AccessRefusal> {
        let Some(real) = self.follow(seen, asks, exe)?.filter(|_| depth <= DEEPEST) else {
            return Ok(());
        };
        let home = exe.parent().and_then(Path::parent).and_then(home_of_virtual);
        if let Some(home) = home {
            let asks = "its virtual environment (pyvenv.cfg)";
            self.follow(seen, asks, &home)?;
            self.execute(seen, asks, &home.join("python3"), depth + 1)?;
        }
        if self.is_users(seen, &real) {
            return Ok(());
        }
        let asks = format!("the first line of {}", real.display());
        for interpreter in interpreters(&real) {
            match interpreter {
                ScriptInterpreter::Path(path) => {
                    self.execute(seen, &asks, &self.dir.join(path), depth + 1)?;
                }
                ScriptInterpreter::Name(name) => {
                    if let Some(found) = in_path(&name) {
                        match found.parent().and_then(resolve) {
                            Some(folder) if self.is_users(seen, &folder.real) => {
                                seen.program(&found, 0);
                            }
                            Some(_) | None => self.execute(seen, &asks, &found, depth + 1)?,
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Follows a path that the bot's files or its manifest name, and says where it leads. What is
    /// there is shown already, or belongs to the system or the user's PATH; otherwise it is
    /// refused.
    fn follow(
        &self,
        seen: &mut SystemView,
        asks: &str,
        path: &Path,
    ) -> Result<Option<PathBuf>, AccessRefusal> {
        let Some(ResolvedPath { real, links }) = resolve(path) else { return Ok(None) };
        for place in links.iter().map(|(link, _)| link).chain([&real]) {
            if seen.covers(place) || !self.is_users(seen, place) {
                continue;
            }
            match place.is_dir() {
                true => seen.show(place, Access::Read),
                false => seen.program(place, 0),
            }
        }
        if !seen.covers(&real) {
            let what = RefusedAccess::Outside { path: wanted_with(&real), access: Access::Read };
            return Err(AccessRefusal { asks: asks.to_owned(), what });
        }
        seen.links.extend(links);
        Ok(Some(real))
    }

    /// What the manifest asks for.
    fn asked(&self, seen: &mut SystemView) -> Result<(), AccessRefusal> {
        for asked in &self.grants.asked_read {
            let asks = format!("[cage] read = [\"{}\"]", asked.display());
            let path = self.dir.join(asked);
            if self.follow(seen, &asks, &path)?.is_none() {
                return Err(AccessRefusal { asks, what: RefusedAccess::Missing { path } });
            }
        }
        for asked in &self.grants.asked_write {
            let asks = format!("[cage] write = [\"{}\"]", asked.display());
            let path = self.dir.join(asked);
            let Some(ResolvedPath { real, .. }) = resolve(&path) else {
                return Err(AccessRefusal { asks, what: RefusedAccess::Missing { path } });
            };
            let own = self.own().is_some_and(|own| real.starts_with(own));
            if !own && !seen.covers_for(&real, Access::Write) {
                let what = RefusedAccess::Outside { path: real, access: Access::Write };
                return Err(AccessRefusal { asks, what });
            }
            self.follow(seen, &asks, &path)?;
            seen.show(&real, Access::Write);
        }
        Ok(())
    }

    /// The files and folders without which the bot cannot run.
    fn needed(&self) -> Vec<PathBuf> {
        let files = self.args.iter().map(|word| self.dir.join(word)).filter(|path| path.is_file());
        let own = (self.grants.own_dir == OwnDir::Yes).then(|| self.dir.to_owned());
        let all = files.chain(own).chain([self.exe.to_owned()]);
        all.filter_map(|path| path.canonicalize().ok()).collect()
    }
}

/// What has to be granted so that something is of use: a program comes with its installation.
fn wanted_with(real: &Path) -> PathBuf {
    match real.parent().map(Installation::around) {
        Some(Installation::Prefix(prefix)) => prefix,
        Some(Installation::Parts(_) | Installation::Folder(_) | Installation::Nothing) | None => {
            real.to_owned()
        }
    }
}

/// Whether a cage has something of its own there.
fn of_the_cage(path: &Path) -> bool {
    let within = ["/dev", "/proc"].iter().any(|own| path.starts_with(own));
    within || ["/", "/tmp"].iter().any(|own| path == Path::new(own))
}

#[derive(Clone)]
struct SystemView {
    binds: BTreeSet<Bind>,
    links: BTreeSet<(PathBuf, PathBuf)>,
}

impl SystemView {
    /// What every bot sees, looked for once.
    fn system() -> SystemView {
        SystemView::found().clone()
    }

    fn found() -> &'static SystemView {
        static FOUND: LazyLock<SystemView> = LazyLock::new(SystemView::find_system);
        &FOUND
    }

    fn find_system() -> SystemView {
        let mut seen = SystemView { binds: BTreeSet::new(), links: BTreeSet::new() };
        for path in SYSTEM {
            seen.show(Path::new(path), Access::Read);
        }
        for entry in std::fs::read_dir("/etc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            if VERSIONED.iter().any(|prefix| name.as_bytes().starts_with(prefix.as_bytes())) {
                seen.show(&entry.path(), Access::Read);
            }
        }
        seen
    }

    /// Whether something belongs to the system.
    fn is_system(&self, path: &Path) -> bool {
        SystemView::found().covers(path)
    }

    fn covers(&self, path: &Path) -> bool {
        self.covers_for(path, Access::Read)
    }

    /// Whether this much may be done with something.
    fn covers_for(&self, path: &Path, access: Access) -> bool {
        self.binds.iter().any(|bind| bind.access >= access && path.starts_with(&bind.inside))
    }

    /// Shows a file or folder, and the symbolic links on the way to it.
    fn show(&mut self, path: &Path, access: Access) {
        let Some(ResolvedPath { real, links }) = resolve(path) else { return };
        self.links.extend(links);
        if real.parent().is_none() || (access == Access::Read && self.covers(&real)) {
            return;
        }
        self.binds.insert(Bind { inside: real.clone(), source: real, access });
    }

    fn folders(&mut self, installation: Installation) {
        for folder in installation.folders() {
            self.show(&folder, Access::Read);
        }
    }

    /// Shows what somebody has typed: a file with its folder, or a folder, unless that would show
    /// too much. What is itself a link is there, but is not followed out of its folder.
    fn named(&mut self, path: &Path) {
        let name = path.file_name();
        let folder = if name.is_some() { path.parent() } else { Some(path) };
        let Some(ResolvedPath { real: folder, links }) = folder.and_then(resolve) else { return };
        let file = name.map_or(folder.clone(), |name| folder.join(name));
        let Ok(meta) = file.symlink_metadata() else { return };
        self.links.extend(links);
        let leads = resolve(&file).filter(|_| meta.is_symlink());
        match leads {
            Some(ResolvedPath { real, links }) => {
                let is_folder = real.is_dir();
                // The link alone; its target is checked when it is followed.
                self.links.extend(links.into_iter().take(1));
                if !is_wide(&folder) && is_folder && real.starts_with(&folder) {
                    self.show(&real, Access::Read);
                } else if !is_wide(&folder) && !is_folder {
                    self.show(&folder, Access::Read);
                }
            }
            None if meta.is_dir() && is_wide(&file) => {}
            None if meta.is_dir() => self.show(&file, Access::Read),
            None if is_wide(&folder) => self.show(&file, Access::Read),
            None => self.show(&folder, Access::Read),
        }
    }

    /// Shows a file with its folder, unless that would show too much.
    fn around(&mut self, path: &Path) {
        let Some(ResolvedPath { real, .. }) = resolve(path) else { return };
        // A link and what it points to may be in different folders.
        for path in [path, &real] {
            let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
            if let Some(folder) = folder.filter(|folder| !is_wide(folder)) {
                self.show(&folder, Access::Read);
            }
            self.show(path, Access::Read);
        }
    }

    /// Shows a program of the system's or the user's own, what it belongs to, and what executes it.
    fn program(&mut self, exe: &Path, depth: u32) {
        if depth > DEEPEST {
            return;
        }
        if let Some(toolchains) = rustup_home(exe) {
            self.show(&toolchains, Access::Read);
        }
        let mut hop = exe.to_owned();
        for _ in 0..MOST_LINKS {
            self.installation(&hop, depth);
            match (std::fs::read_link(&hop), hop.parent()) {
                (Ok(to), Some(folder)) => hop = folder.join(to),
                _ => break,
            }
        }
        for interpreter in interpreters(&hop) {
            let found = match interpreter {
                ScriptInterpreter::Path(path) => Some(path),
                ScriptInterpreter::Name(name) => in_path(&name),
            };
            if let Some(found) = found {
                self.program(&found, depth + 1);
            }
        }
    }

    /// Shows the installation that an executable belongs to, or the folder it is in.
    fn installation(&mut self, exe: &Path, depth: u32) {
        let Some(ResolvedPath { real: folder, .. }) = exe.parent().and_then(resolve) else {
            return;
        };
        if self.covers(&folder) {
            return self.show(exe, Access::Read);
        }
        match Installation::around(&folder) {
            Installation::Prefix(prefix) => {
                self.show(&prefix, Access::Read);
                if let Some(home) = home_of_virtual(&prefix) {
                    self.program(&home.join("python3"), depth + 1);
                }
            }
            parts @ Installation::Parts(_) => self.folders(parts),
            Installation::Folder(_) | Installation::Nothing => self.around(exe),
        }
        self.show(exe, Access::Read);
    }

    fn into_view(self, hidden: Vec<PathBuf>) -> CageView {
        let mut binds: Vec<Bind> = Vec::new();
        // Outer folders come first, so that what lies inside is mounted on top.
        for bind in self.binds {
            let known = binds.iter().any(|outer: &Bind| {
                bind.inside.starts_with(&outer.inside)
                    && (bind.access < Access::Own || bind.inside == outer.inside)
                    && bind.access <= outer.access
            });
            if !known {
                binds.retain(|other| other.inside != bind.inside);
                binds.push(bind);
            }
        }
        CageView { binds, rooms: Vec::new(), links: self.links.into_iter().collect(), hidden }
    }
}
