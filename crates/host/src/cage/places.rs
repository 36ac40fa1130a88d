//! Where interpreters may come from without a grant by the user: the folders of the user's own
//! PATH, and the installations they belong to. Nothing that a bot brings along counts.

use std::collections::{BTreeSet, HashMap};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The folders of the user's PATH and what belongs to them.
pub(crate) struct Places {
    /// The folders themselves.
    folders: BTreeSet<PathBuf>,
    /// What is shown of them and around them.
    installed: Vec<PathBuf>,
    /// What links in these folders lead to; looked for when the rest was not enough.
    linked: LazyLock<Vec<PathBuf>>,
}

static OF_USER: LazyLock<Places> = LazyLock::new(Places::find);

impl Places {
    /// Those of this process's environment.
    pub(crate) fn of_user() -> &'static Places {
        &OF_USER
    }

    fn find() -> Places {
        let folders = path_folders();
        let shown = folders.iter().map(|folder| Installation::around(folder));
        let installed = shown.flat_map(|installation| installation.folders()).collect();
        Places { folders, installed, linked: LazyLock::new(linked) }
    }

    /// Whether programs in this folder are found by their names alone.
    pub(crate) fn is_in_path(&self, folder: &Path) -> bool {
        self.folders.contains(folder)
    }

    /// Whether a file belongs to an installation of the user's.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        let within = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        within(&self.installed) || within(&self.linked)
    }
}

/// The folders of PATH without links. What it says relative to where we are is nobody's place.
fn path_folders() -> BTreeSet<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.filter_map(|folder| folder.canonicalize().ok()).collect()
}

/// The installations that links in the user's PATH lead to, as managers of versions make them.
fn linked() -> Vec<PathBuf> {
    let entries = path_folders().into_iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    let links = entries
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let mut resolved = HashMap::new();
    let homes: BTreeSet<PathBuf> =
        links.filter_map(|link| home_of(link.path(), &mut resolved)).collect();
    homes.iter().flat_map(|home| Installation::around(home).folders()).collect()
}

/// The folder, without links, of the file that a path leads to in the end; none if there is no such file.
/// Many files are in few folders, each of which is `resolved` once.
fn home_of(mut path: PathBuf, resolved: &mut HashMap<PathBuf, Option<PathBuf>>) -> Option<PathBuf> {
    // As many as the kernel follows.
    const MOST_LINKS: u32 = 40;
    for _ in 0..MOST_LINKS {
        let (folder, name) = (path.parent()?, path.file_name()?);
        let folder = match resolved.get(folder) {
            Some(known) => known.clone(),
            None => {
                let real = folder.canonicalize().ok();
                resolved.insert(folder.to_owned(), real.clone());
                real
            }
        }?;
        path = match std::fs::read_link(folder.join(name)) {
            Ok(target) => folder.join(target),
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Some(folder),
            Err(_) => return None,
        };
    }
    None
}

/// What is shown together with the programs of a folder.
pub(crate) enum Installation {
    /// All that the folder's parent holds: `bin` beside `lib`.
    Prefix(PathBuf),
    /// Of the parent, in which much else is kept, these alone.
    Parts([PathBuf; 2]),
    /// The folder alone.
    Folder(PathBuf),
    /// Not even that: it holds the user's home, or everybody's temporary files.
    Nothing,
}

impl Installation {
    /// What the programs of a folder, given without links, belong to.
    pub(crate) fn around(folder: &Path) -> Installation {
        let programs = ["bin", "sbin", "libexec", "shims"];
        let marks = ["lib", "lib64", "libexec", "pyvenv.cfg", "installs"];
        let is_bin = programs.iter().any(|name| folder.ends_with(name));
        let prefix = folder.parent().filter(|prefix| {
            is_bin && marks.iter().any(|mark| prefix.join(mark).exists()) && !is_wide(prefix)
        });
        match prefix {
            Some(prefix) if prefix.ends_with(".local") => {
                Installation::Parts([folder.to_owned(), prefix.join("lib")])
            }
            Some(prefix) => Installation::Prefix(prefix.to_owned()),
            None if is_wide(folder) => Installation::Nothing,
            None => Installation::Folder(folder.to_owned()),
        }
    }

    /// The folders that are shown.
    pub(crate) fn folders(self) -> Vec<PathBuf> {
        match self {
            Installation::Prefix(folder) | Installation::Folder(folder) => vec![folder],
            Installation::Parts(folders) => folders.into(),
            Installation::Nothing => Vec::new(),
        }
    }
}

/// Whether a folder holds so much else that it is not shown whole unless the user says so.
pub(crate) fn is_wide(folder: &Path) -> bool {
    static HELD: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let held = home.into_iter().chain([std::env::temp_dir()]);
        held.map(|folder| folder.canonicalize().unwrap_or(folder)).collect()
    });
    HELD.iter().any(|held| held.starts_with(folder))
}

/// Where rustup keeps its toolchains, if a program in the user's PATH is one of its stand-ins: `cargo` and
/// `rustc` are then links to `rustup`, or the same file, which looks there for the program itself.
pub(crate) fn rustup_home(exe: &Path) -> Option<PathBuf> {
    let folder = exe.parent()?.canonicalize().ok()?;
    let is_same = |a: Metadata, b: Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    let rustup = folder.join("rustup").metadata().ok()?;
    if !Places::of_user().is_in_path(&folder) || !is_same(rustup, exe.metadata().ok()?) {
        return None;
    }
    let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup"));
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from).or_else(usual)?;
    home.canonicalize().ok().filter(|home| !is_wide(home))
}

/// A program that the user finds by its name.
pub(crate) fn in_path(name: &std::ffi::OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_the_folder_of_the_file_itself() {
        let root = std::env::temp_dir().join(format!("lanista-links-{}", std::process::id()));
        let root = fs::create_dir_all(&root).and_then(|()| root.canonicalize()).expect("writable");
        for folder in ["bin", "installs/3.12/bin"] {
            fs::create_dir_all(root.join(folder)).expect("writable");
        }
        fs::write(root.join("installs/3.12/bin/python3"), "").expect("writable");
        let links = [
            ("bin/python", "python3"),
            ("bin/python3", "../current/bin/python3"),
            ("current", "installs/3.12"),
            ("bin/gone", "../installs/3.11/bin/python3"),
            ("bin/round", "round"),
        ];
        for (link, target) in links {
            symlink(target, root.join(link)).expect("writable");
        }
        let mut resolved = HashMap::new();
        let mut home = |name: &str| home_of(root.join("bin").join(name), &mut resolved);
        let installed = Some(root.join("installs/3.12/bin"));
        assert_eq!((home("python"), home("python3")), (installed.clone(), installed));
        assert_eq!((home("gone"), home("round"), home("nothing")), (None, None, None));
        fs::remove_dir_all(&root).expect("it is ours");
    }
}
