//! What there is below a folder: tournaments and replays. No symbolic link is followed, and there is an end to it.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::fs::File;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use league::{EntryKind, Folder};

/// The socket of a run that is being played.
pub(crate) const LIVE: &str = "live.sock";

/// How far is looked.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Folders inside folders.
    pub depth: usize,
    /// Files and folders that are looked at, in all.
    pub entries: usize,
    /// Tournaments that are listed.
    pub runs: usize,
    /// Replays that are listed.
    pub replays: usize,
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { depth: 8, entries: 200_000, runs: 1000, replays: 10_000 }
    }
}

/// What there is.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Tournaments, the nearest first.
    pub(crate) runs: Vec<Place>,
    /// Those of them with a socket over which their games can be watched.
    pub(crate) live: Vec<Place>,
    /// Replays that belong to no tournament, the latest first.
    pub(crate) replays: Vec<Place>,
    /// Manifests of bots, the nearest first.
    pub(crate) bots: Vec<Place>,
    /// What was not looked at, and why, in words.
    pub(crate) left_out: Vec<String>,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// What it is called in addresses; the same as long as it stays where it is.
    pub(crate) id: String,
    /// Where it is, from the folder that is served.
    pub(crate) path: PathBuf,
    /// When it was changed last, in seconds since 1970.
    pub(crate) changed: i64,
    /// How many bytes it has.
    pub(crate) size: u64,
}

/// Looks below a folder, the nearest first.
pub(crate) fn find(root: &Folder, reach: Reach) -> io::Result<Found> {
    let mut found = Found::default();
    let (mut looked, mut ids) = (0, HashSet::new());
    let mut left_out = Vec::new();
    let mut more: VecDeque<(PathBuf, usize)> = VecDeque::from([(PathBuf::new(), 0)]);
    while let Some((path, depth)) = more.pop_front() {
        let opened = folder_at(root, &path);
        let folder = match opened.and_then(|folder| folder.entries().map(drop).map(|()| folder)) {
            Ok(folder) => folder,
            Err(error) if depth == 0 => return Err(error),
            Err(error) => {
                left_out.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let (mut folders, mut replays): (Vec<OsString>, Vec<OsString>) = (Vec::new(), Vec::new());
        let (mut is_run, mut is_live, mut is_bot) = (false, false, false);
        for (name, kind) in folder.entries()? {
            looked += 1;
            if looked > reach.entries {
                break;
            }
            match kind {
                EntryKind::Folder if !name.as_bytes().starts_with(b".") => folders.push(name),
                EntryKind::File if name == "run.db" => is_run = true,
                // One that begins with a dot is being written.
                EntryKind::File
                    if name.as_bytes().ends_with(b".lrz") && !name.as_bytes().starts_with(b".") =>
                {
                    replays.push(name)
                }
                EntryKind::File if name == "bot.toml" => is_bot = true,
                EntryKind::Socket if name == LIVE => is_live = true,
                EntryKind::Folder | EntryKind::File | EntryKind::Socket | EntryKind::Other => {}
            }
        }
        if is_bot {
            let path = path.join("bot.toml");
            let id = new_id(&path, &mut ids);
            found.bots.push(Place { id, path, changed: 0, size: 0 });
        }
        if is_run {
            // Its replays are its games.
            let about = folder.read("run.db").and_then(|file| file.metadata());
            let wal = folder.read("run.db-wal").and_then(|file| file.metadata());
            let changed = [&about, &wal].map(|file| file.as_ref().map_or(0, |file| file.mtime()));
            let size = about.map_or(0, |file| file.len());
            let changed = changed[0].max(changed[1]);
            let place = Place { id: new_id(&path, &mut ids), path, changed, size };
            found.live.extend(is_live.then(|| place.clone()));
            found.runs.push(place);
        } else {
            for name in replays {
                let about = folder.read(&name).and_then(|file| file.metadata());
                let Ok(about) = about else { continue };
                let path = path.join(&name);
                let id = new_id(&path, &mut ids);
                let (changed, size) = (about.mtime(), about.len());
                found.replays.push(Place { id, path, changed, size });
            }
            folders.sort();
            match depth < reach.depth {
                true => more.extend(folders.into_iter().map(|name| (path.join(name), depth + 1))),
                false if folders.is_empty() => {}
                false => left_out.push(format!(
                    "folders in {}: more than {} folders deep",
                    path.display(),
                    reach.depth
                )),
            }
        }
        if looked > reach.entries {
            left_out.push(format!(
                "the rest: more than {} files and folders; serve a folder further down",
                reach.entries
            ));
            break;
        }
    }
    found.replays.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
    let mut cut = |list: &mut Vec<Place>, most: usize, what: &str| {
        if list.len() > most {
            left_out.push(format!("{} of {} {what}", list.len() - most, list.len()));
            list.truncate(most);
        }
    };
    cut(&mut found.runs, reach.runs, "tournaments");
    cut(&mut found.replays, reach.replays, "replays, the oldest");
    const MOST: usize = 20;
    if left_out.len() > MOST {
        let more = left_out.len() - MOST;
        left_out.truncate(MOST);
        left_out.push(format!("and {more} more"));
    }
    found.left_out = left_out;
    Ok(found)
}

/// What something at this path below the folder that is served is called in addresses. It says nothing and stays the same.
pub fn id_of(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.as_os_str().as_bytes().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The same, unless that is taken.
fn new_id(path: &Path, taken: &mut HashSet<String>) -> String {
    let id = id_of(path);
    // Names can be made so that they collide.
    let others = (2..).map(|number| format!("{id}-{number}"));
    let id = std::iter::once(id.clone()).chain(others).find(|id| !taken.contains(id));
    let id = id.expect("there is no end of numbers");
    taken.insert(id.clone());
    id
}

/// A folder somewhere below another, without following a link.
pub(crate) fn folder_at(root: &Folder, path: &Path) -> io::Result<Folder> {
    let mut folder = root.again()?;
    for part in path.components() {
        folder = match part {
            Component::Normal(name) => folder.inside(name)?,
            Component::CurDir => folder,
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => {
                return Err(io::Error::other("it leads out of the folder"));
            }
        };
    }
    Ok(folder)
}

/// A file somewhere below a folder, without following a link.
pub(crate) fn file_at(root: &Folder, path: &Path) -> io::Result<File> {
    let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    folder_at(root, parent)?.read(name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn own(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("lanista-web-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("writable");
        path
    }

    fn write(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("writable");
        std::fs::write(path, "x").expect("writable");
    }

    fn paths(places: &[Place]) -> Vec<&str> {
        places.iter().map(|place| place.path.to_str().expect("plain")).collect()
    }

    #[test]
    fn runs_and_replays_are_found_and_links_are_not_followed() {
        let own = own("links");
        let (served, outside) = (own.join("served"), own.join("outside"));
        for file in [
            "a.lrz",
            "x/b.lrz",
            "runs/cup/run.db",
            "runs/cup/replays/c.lrz",
            ".git/d.lrz",
            "x/e.txt",
        ] {
            write(&served.join(file));
        }
        write(&outside.join("run.db"));
        write(&outside.join("f.lrz"));
        symlink(&outside, served.join("link")).expect("writable");
        symlink(outside.join("f.lrz"), served.join("g.lrz")).expect("writable");
        symlink(outside.join("run.db"), served.join("x/run.db")).expect("writable");
        let odd = std::ffi::OsStr::from_bytes(b"<b>\n\xff.lrz");
        write(&served.join("odd").join(odd));
        let root = Folder::open(&served).expect("it is there");
        let found = find(&root, Reach::default()).expect("it can be read");
        assert_eq!(paths(&found.runs), ["runs/cup"]);
        let mut names: Vec<String> =
            found.replays.iter().map(|place| place.path.display().to_string()).collect();
        names.sort();
        assert_eq!(names, ["a.lrz", "odd/<b>\n\u{fffd}.lrz", "x/b.lrz"]);
        assert!(found.left_out.is_empty(), "{:?}", found.left_out);
        for path in
            ["link/f.lrz", "g.lrz", "../outside/f.lrz", "x/../a.lrz", "/etc/passwd", "", "x"]
        {
            assert!(file_at(&root, Path::new(path)).is_err(), "{path}");
        }
        assert!(file_at(&root, Path::new("x/b.lrz")).is_ok());
        let again = find(&root, Reach::default()).expect("it can be read");
        assert_eq!(again.replays, found.replays, "what stays where it is keeps its id");
        std::fs::remove_dir_all(&own).expect("ours");
    }

    #[test]
    fn there_is_an_end_to_looking_and_it_is_said() {
        let own = own("reach");
        for file in ["a/b/c/d.lrz", "a/e.lrz", "f.lrz", "g.lrz", "r/run.db", "s/run.db"] {
            write(&own.join(file));
        }
        let root = Folder::open(&own).expect("it is there");
        let find = |reach: Reach| find(&root, reach).expect("it can be read");
        let all = Reach::default();
        let shallow = find(Reach { depth: 2, ..all });
        assert_eq!((shallow.replays.len(), shallow.left_out.len()), (3, 1), "{shallow:?}");
        let few = find(Reach { runs: 1, replays: 2, ..all });
        assert_eq!((few.runs.len(), few.replays.len()), (1, 2));
        assert_eq!(few.left_out, ["1 of 2 tournaments", "2 of 4 replays, the oldest"]);
        let short = find(Reach { entries: 3, ..all });
        assert!(short.left_out[0].contains("more than 3"), "{short:?}");
        std::fs::remove_dir_all(&own).expect("ours");
    }
}
