//! What a bot sees of the host's file system: the system, its interpreter, its own folder.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use super::order::{Access, Bind, View};

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

/// What decides what a bot sees.
pub(crate) struct Wanted<'a> {
    /// The program, found and checked.
    pub(crate) exe: &'a Path,
    /// Its arguments; those that name files are shown.
    pub(crate) args: &'a [String],
    /// Its working directory.
    pub(crate) dir: &'a Path,
    /// Whether that is a folder of the bot alone, so that it is shown whole.
    pub(crate) own_dir: OwnDir,
    /// What is shown besides.
    pub(crate) read: &'a [PathBuf],
    /// What may be written to besides.
    pub(crate) write: &'a [PathBuf],
    /// Where it may keep files.
    pub(crate) folder: Option<&'a Path>,
    /// What is never shown.
    pub(crate) hidden: &'a [PathBuf],
}

/// Whose the working directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnDir {
    /// The bot's alone: the folder of its manifest.
    Yes,
    /// Where somebody happened to type a command line.
    No,
}

impl Wanted<'_> {
    /// The whole view.
    pub(crate) fn view(&self) -> View {
        let mut seen = Seen::system();
        seen.program(self.exe, 0);
        if self.own_dir == OwnDir::Yes {
            seen.show(self.dir, Access::Read);
        }
        let words = self.args.iter().filter(|word| !word.starts_with('-') && !word.is_empty());
        for path in words.map(|word| self.dir.join(word)) {
            seen.around(&path);
        }
        for path in self.read {
            seen.show(&self.dir.join(path), Access::Read);
        }
        for path in self.write {
            seen.show(&self.dir.join(path), Access::Write);
        }
        if let Some(folder) = self.folder {
            seen.show(folder, Access::Own);
        }
        // What lies around the bot's own files cannot be hidden from it.
        let needed = self.needed();
        let hidden = self.hidden.iter().filter_map(|path| path.canonicalize().ok());
        let hidden = hidden.filter(|folder| !needed.iter().any(|path| path.starts_with(folder)));
        seen.into_view(hidden.collect())
    }

    /// The files and folders without which the bot cannot run.
    fn needed(&self) -> Vec<PathBuf> {
        let files = self.args.iter().map(|word| self.dir.join(word)).filter(|path| path.is_file());
        let own = (self.own_dir == OwnDir::Yes).then(|| self.dir.to_owned());
        let all = files.chain(own).chain([self.exe.to_owned()]);
        all.filter_map(|path| path.canonicalize().ok()).collect()
    }
}

#[derive(Clone)]
struct Seen {
    binds: BTreeSet<Bind>,
    links: BTreeSet<(PathBuf, PathBuf)>,
    home: Option<PathBuf>,
    temp: PathBuf,
}

impl Seen {
    /// What every bot sees, looked for once.
    fn system() -> Seen {
        static FOUND: LazyLock<Seen> = LazyLock::new(Seen::find_system);
        FOUND.clone()
    }

    fn find_system() -> Seen {
        let home = std::env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
        let temp = std::env::temp_dir();
        let temp = temp.canonicalize().unwrap_or(temp);
        let mut seen = Seen { binds: BTreeSet::new(), links: BTreeSet::new(), home, temp };
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

    /// Whether a folder holds so much else that it is not shown whole unless somebody says so.
    fn is_wide(&self, folder: &Path) -> bool {
        let holds = |inside: &Path| inside.starts_with(folder);
        holds(&self.temp) || self.home.as_deref().is_some_and(holds)
    }

    fn covers(&self, path: &Path) -> bool {
        self.binds.iter().any(|bind| path.starts_with(&bind.inside))
    }

    /// Shows a file or folder, and the symbolic links on the way to it.
    fn show(&mut self, path: &Path, access: Access) {
        let Some((real, links)) = resolve(path) else { return };
        self.links.extend(links);
        if real.parent().is_none() || (access == Access::Read && self.covers(&real)) {
            return;
        }
        self.binds.insert(Bind { inside: real.clone(), source: real, access });
    }

    /// Shows a file with its folder, or a folder, unless that would show too much.
    fn around(&mut self, path: &Path) {
        let Some((real, _)) = resolve(path) else { return };
        let is_folder = real.is_dir();
        // A link and what it points to may be in different folders.
        for path in [path, &real] {
            let folder = if is_folder { Some(path) } else { path.parent() };
            let folder = folder.and_then(|folder| folder.canonicalize().ok());
            match folder {
                Some(folder) if !self.is_wide(&folder) => self.show(&folder, Access::Read),
                _ if is_folder => {}
                _ => self.show(path, Access::Read),
            }
            self.show(path, Access::Read);
        }
    }

    /// Shows a program, what it belongs to, and what executes it.
    fn program(&mut self, exe: &Path, depth: u32) {
        const DEEPEST: u32 = 8;
        if depth > DEEPEST {
            return;
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
            self.program(&interpreter, depth + 1);
        }
    }

    /// Shows the installation that an executable belongs to, or the folder it is in.
    fn installation(&mut self, exe: &Path, depth: u32) {
        let Some((real_folder, _)) = exe.parent().and_then(resolve) else { return };
        if self.covers(&real_folder) {
            return self.show(exe, Access::Read);
        }
        let is_bin =
            ["bin", "sbin", "libexec", "shims"].iter().any(|name| real_folder.ends_with(name));
        let prefix = real_folder.parent().filter(|prefix| {
            let marks = ["lib", "lib64", "libexec", "pyvenv.cfg", "installs"];
            is_bin && marks.iter().any(|mark| prefix.join(mark).exists()) && !self.is_wide(prefix)
        });
        match prefix {
            // Much else is kept there.
            Some(prefix) if prefix.ends_with(".local") => {
                self.show(&real_folder, Access::Read);
                self.show(&prefix.join("lib"), Access::Read);
            }
            Some(prefix) => {
                self.show(prefix, Access::Read);
                if let Some(home) = home_of_virtual(prefix) {
                    self.program(&home.join("python3"), depth + 1);
                }
            }
            None => self.around(exe),
        }
        self.show(exe, Access::Read);
    }

    fn into_view(self, hidden: Vec<PathBuf>) -> View {
        let mut binds: Vec<Bind> = Vec::new();
        // Outer folders come first, so that what lies inside is mounted on top.
        for bind in self.binds {
            let known = binds.iter().any(|outer: &Bind| {
                bind.inside.starts_with(&outer.inside)
                    && (bind.access == Access::Read || bind.inside == outer.inside)
                    && bind.access <= outer.access
            });
            if !known {
                binds.retain(|other| other.inside != bind.inside);
                binds.push(bind);
            }
        }
        View { binds, rooms: Vec::new(), links: self.links.into_iter().collect(), hidden }
    }
}

/// More symbolic links on the way to a file the system does not follow either.
const MOST_LINKS: usize = 40;

/// Where a path leads, without symbolic links, and the links on the way.
fn resolve(path: &Path) -> Option<(PathBuf, Vec<(PathBuf, PathBuf)>)> {
    let mut links = Vec::new();
    let mut real = PathBuf::from("/");
    let absolute = std::path::absolute(path).ok()?;
    let mut rest: Vec<std::ffi::OsString> = parts(&absolute);
    rest.reverse();
    while let Some(part) = rest.pop() {
        if part == ".." {
            real.pop();
            continue;
        }
        real.push(&part);
        if !real.symlink_metadata().ok()?.is_symlink() {
            continue;
        }
        let to = std::fs::read_link(&real).ok()?;
        links.push((real.clone(), to.clone()));
        if links.len() > MOST_LINKS {
            return None;
        }
        match to.is_absolute() {
            true => real = PathBuf::from("/"),
            false => {
                real.pop();
            }
        }
        rest.extend(parts(&to).into_iter().rev());
    }
    Some((real, links))
}

fn parts(path: &Path) -> Vec<std::ffi::OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    parts.collect()
}

/// The programs named in the first line of a script: its interpreter, and what `env` looks for.
fn interpreters(script: &Path) -> Vec<PathBuf> {
    let mut bytes = [0; 256];
    let read =
        std::fs::File::open(script).and_then(|mut file| std::io::Read::read(&mut file, &mut bytes));
    let Some(line) = read.ok().and_then(|count| bytes[..count].strip_prefix(b"#!")) else {
        return Vec::new();
    };
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let Some(first) = words.next() else { return Vec::new() };
    let first = PathBuf::from(OsStr::from_bytes(first));
    let mut found = Vec::new();
    if first.file_name() == Some(OsStr::new("env")) {
        let name = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='));
        found.extend(name.and_then(|name| in_path(OsStr::from_bytes(name))));
    }
    found.push(first);
    found
}

fn in_path(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The folder of the interpreter that a virtual environment of Python was made from.
fn home_of_virtual(prefix: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(prefix.join("pyvenv.cfg")).ok()?;
    let home = text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "home").then(|| PathBuf::from(value.trim()))
    });
    home.filter(|home| home.is_absolute())
}
