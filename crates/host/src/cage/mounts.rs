//! The file system of a cage: a small one in memory, and what is shown of the host's, read-only.
//!
//! The root is built once and is the same for all cages of a bot, which can only read it
//! ([`build`]). What a bot can write to is made for each of its processes ([`furnish`]).

use std::ffi::CString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, StatVfsMountFlags, Timespec, Timestamps, UTIME_NOW, statvfs, utimensat,
};
use rustix::mount::{
    MountAttrFlags, MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind,
    mount_bind_recursive, mount_change, mount_remount, unmount,
};
use rustix::process::{pivot_root, umask};

use super::order::{Access, At as _, Bind, BuildStep, CageOrder, Caps, Failure};
use super::raw::{self, Depth};
use crate::os::no_links;

/// Where the host's root is until the cage is shut.
const OLD: &str = "/.host";
/// An empty folder, to be put over what is hidden.
const EMPTY: &str = "/.empty";
/// Where mounts are that are shown in every fresh `/tmp`. No bot sees it.
const STAGE: &str = "/.stage";
/// What a bot may write to.
const TMP: &str = "/tmp";
const PROC: &str = "/proc";
/// Devices that are not more than arithmetic.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// The user of a bot in a user namespace of its own.
pub(crate) const INSIDE_USER: u32 = 1000;

const RDONLY: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_RDONLY;
/// What no mount of a cage has.
const NO_SPECIAL: MountAttrFlags =
    MountAttrFlags::MOUNT_ATTR_NOSUID.union(MountAttrFlags::MOUNT_ATTR_NODEV);
/// The same for a new mount.
const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// A path as the system takes it.
pub(crate) fn text(path: impl AsRef<Path>) -> io::Result<CString> {
    let bytes = path.as_ref().as_os_str().as_bytes();
    CString::new(bytes).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// What goes to a fresh `/tmp` when a cage is made.
#[derive(Debug, Default)]
pub(crate) struct TmpContents {
    /// Files and folders that are shown there.
    binds: Vec<Staged>,
    /// Symbolic links: where they are and what they hold.
    links: Vec<(PathBuf, PathBuf)>,
    /// The working directory, if it is there and nothing is shown at that place.
    dir: Option<PathBuf>,
}

/// Something that is mounted and is shown at its place in every fresh `/tmp`.
#[derive(Debug)]
struct Staged {
    inside: PathBuf,
    at: PathBuf,
    kind: ShownKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownKind {
    Folder,
    File,
}

impl TmpContents {
    /// Where a path inside the cage is while the root is built; none if it is made with every cage.
    fn place(&self, inside: &Path) -> Option<PathBuf> {
        if !inside.starts_with(TMP) {
            return Some(inside.to_owned());
        }
        self.binds.iter().find_map(|bind| {
            let rest = inside.strip_prefix(&bind.inside).ok()?;
            // A path that ends with a slash is not that of a file.
            Some(if rest.as_os_str().is_empty() { bind.at.clone() } else { bind.at.join(rest) })
        })
    }
}

/// Builds the root that all cages of a bot have in common, and moves there. Needs a mount namespace
/// of its own and the right to mount. Returns what is missing in it: what goes to `/tmp`.
pub(crate) fn build(order: &CageOrder) -> Result<TmpContents, Failure> {
    new_root(order.user).at(BuildStep::Files(None))?;
    let mut tmp = TmpContents::default();
    for (index, bind) in order.view.binds.iter().enumerate() {
        show(bind, order.user, &mut tmp).at(BuildStep::Files(u16::try_from(index).ok()))?;
    }
    for (path, to) in &order.view.links {
        match tmp.place(path) {
            Some(place) => link(&place, to).at(BuildStep::Files(None))?,
            None => tmp.links.push((path.clone(), to.clone())),
        }
    }
    // It may be where somebody typed a command: then it is there, and empty.
    match tmp.place(&order.dir) {
        Some(place) if place.exists() => {}
        Some(place) => make_folder(&place).at(BuildStep::Directory)?,
        None => tmp.dir = Some(order.dir.clone()),
    }
    let hidden = order.view.hidden.iter().filter_map(|folder| tmp.place(folder));
    for folder in hidden.filter(|folder| folder.is_dir()) {
        cover(&folder).at(BuildStep::Files(None))?;
    }
    shut().at(BuildStep::Files(None))?;
    Ok(tmp)
}

/// Gives a cage a `/tmp` that nobody has used. Needs a mount namespace that no other cage has.
pub(crate) fn furnish(caps: &Caps, tmp: &TmpContents) -> io::Result<()> {
    // Room for what we put there ourselves.
    const OWN_FILES: u64 = 1024;
    let (size, files) = (caps.disk.max(1 << 20), caps.files + OWN_FILES);
    let options = CString::new(format!("mode=1777,size={size},nr_inodes={files}"))?;
    mount("lanista", TMP, "tmpfs", PLAIN, &*options)?;
    for Staged { inside, at, kind } in &tmp.binds {
        match kind {
            ShownKind::Folder => make_folder(inside)?,
            ShownKind::File => make_file(inside)?,
        }
        mount_bind_recursive(at, inside)?;
    }
    for (path, to) in &tmp.links {
        link(path, to)?;
    }
    tmp.dir.as_ref().map_or(Ok(()), make_folder)
}

/// Takes away what a process of a cage had to itself: its `/tmp` with everything in it, and its `/proc`, if
/// that does not stay.
pub(crate) fn clear(proc: ProcMount) -> io::Result<()> {
    if proc == ProcMount::OfProcess {
        unmount(PROC, UnmountFlags::DETACH)?;
    }
    Ok(unmount(TMP, UnmountFlags::DETACH)?)
}

/// Adds what one process of a bot gets besides. Returns a handle of its folder in memory, if it has
/// one.
pub(crate) fn furnish_for(order: &CageOrder) -> io::Result<Option<OwnedFd>> {
    let mut room = None;
    for (path, size) in &order.view.rooms {
        make_room(path, *size, order.user)?;
        room = Some(no_links::handle(path)?);
    }
    for (path, to) in &order.view.links {
        link(path, to)?;
    }
    Ok(room)
}

/// Whether a cage can be made from a template without these: they are made for each anew.
pub(crate) fn goes_to_tmp(path: &Path) -> bool {
    path.starts_with(TMP) && path != Path::new(TMP)
}

fn new_root(user: Option<u32>) -> io::Result<()> {
    // Nothing mounted from here on is seen outside.
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    let base = [TMP, "/mnt", "/var"].into_iter().find(|path| Path::new(path).is_dir());
    let base = base.ok_or(io::ErrorKind::NotFound)?;
    mount("lanista", base, "tmpfs", PLAIN, c"mode=755,size=16m")?;
    let old = format!("{base}{OLD}");
    make_folder(&old)?;
    pivot_root(base, &old)?;
    std::env::set_current_dir("/")?;
    for folder in ["/proc", "/dev", "/etc", TMP, EMPTY, STAGE] {
        make_folder(folder)?;
    }
    if user.is_none() {
        // Whoever is not root may mount a fresh one only where there is one to see already. It is
        // mounted over this one, before the bot begins.
        mount_bind_recursive(format!("{OLD}/proc"), "/proc")?;
    }
    for device in DEVICES {
        let (path, source) = (format!("/dev/{device}"), format!("{OLD}/dev/{device}"));
        fs::File::create(&path)?;
        mount_bind(source, &path)?;
        // It can be written to all the same, but its times are the host's.
        restrict(Path::new(&path), RDONLY)?;
    }
    let streams = [("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")];
    for (name, stream) in streams {
        symlink(format!("/proc/self/fd{stream}"), format!("/dev/{name}"))?;
    }
    // Shared memory is part of what a bot may keep in files.
    symlink(TMP, "/dev/shm")?;
    write_etc()
}

/// What programs expect to find about the machine, and no more.
fn write_etc() -> io::Result<()> {
    let user = INSIDE_USER;
    fs::write("/etc/passwd", format!("bot:x:{user}:{user}:bot:/tmp:/bin/sh\n"))?;
    fs::write("/etc/group", format!("bot:x:{user}:\n"))?;
    fs::write("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
}

/// Makes a folder that holds so many bytes.
fn make_room(path: &Path, size: u64, user: Option<u32>) -> io::Result<()> {
    make_folder(path)?;
    let options = CString::new(format!("mode=777,size={size},nr_inodes=64"))?;
    mount("lanista", path, "tmpfs", PLAIN, &*options)?;
    user.map_or(Ok(()), |user| std::os::unix::fs::chown(path, Some(user), Some(user)))
}

/// Shows a file or folder of the host.
fn show(bind: &Bind, user: Option<u32>, tmp: &mut TmpContents) -> io::Result<()> {
    let mut source = PathBuf::from(OLD);
    source.push(bind.source.strip_prefix("/").unwrap_or(&bind.source));
    // What was checked had no link on the way. Somebody who may write there could have put one.
    let handle = match no_links::handle(&source) {
        Ok(handle) => handle,
        // It has gone since it was looked for. Whoever needs it will say so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let kind = match no_links::is_folder(&handle)? {
        true => ShownKind::Folder,
        false => ShownKind::File,
    };
    let place = tmp.place(&bind.inside).unwrap_or_else(|| {
        let at = Path::new(STAGE).join(tmp.binds.len().to_string());
        tmp.binds.push(Staged { inside: bind.inside.clone(), at: at.clone(), kind });
        at
    });
    match kind {
        ShownKind::Folder => make_folder(&place)?,
        ShownKind::File => make_file(&place)?,
    }
    let from = format!("{OLD}/proc/self/fd/{}", handle.as_raw_fd());
    mount_bind_recursive(from, &place)?;
    if let (Access::Own, Some(user)) = (bind.access, user) {
        no_links::give(&handle, user)?;
    }
    match bind.access {
        Access::Read => restrict(&place, RDONLY | NO_SPECIAL),
        Access::Write | Access::Own => restrict(&place, NO_SPECIAL),
    }
}

/// Makes a symbolic link. What lies in a folder that is shown is there already.
fn link(path: &Path, to: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    path.parent().map_or(Ok(()), make_folder)?;
    symlink(to, path)
}

fn cover(folder: &Path) -> io::Result<()> {
    mount_bind(EMPTY, folder)?;
    restrict(folder, RDONLY | NO_SPECIAL)
}

/// Adds restrictions to a mount and everything below it.
fn restrict(target: &Path, attributes: MountAttrFlags) -> io::Result<()> {
    match raw::restrict_mount(&text(target)?, attributes, Depth::Everything) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            // Before 5.12 one mount at a time, and what it is restricted to must be said again.
            let had = statvfs(target).map_or(StatVfsMountFlags::empty(), |stat| stat.f_flag);
            let flags = restrictions(had) | as_mount_flags(attributes);
            Ok(mount_remount(target, MountFlags::BIND | flags, c"")?)
        }
        result => result,
    }
}

/// The restrictions among the flags of a mount.
fn restrictions(flags: StatVfsMountFlags) -> MountFlags {
    let pairs = [
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
    ];
    pairs.into_iter().filter(|(had, _)| flags.contains(*had)).map(|(_, flag)| flag).collect()
}

/// Restrictions as older systems take them.
fn as_mount_flags(attributes: MountAttrFlags) -> MountFlags {
    let pairs = [
        (MountAttrFlags::MOUNT_ATTR_RDONLY, MountFlags::RDONLY),
        (MountAttrFlags::MOUNT_ATTR_NOSUID, MountFlags::NOSUID),
        (MountAttrFlags::MOUNT_ATTR_NODEV, MountFlags::NODEV),
    ];
    pairs.into_iter().filter(|(set, _)| attributes.contains(*set)).map(|(_, flag)| flag).collect()
}

/// Takes the host's root out of sight and makes the own one read-only.
fn shut() -> io::Result<()> {
    fs::set_permissions(STAGE, fs::Permissions::from_mode(0o000))?;
    unmount(OLD, UnmountFlags::DETACH)?;
    fs::remove_dir(OLD)?;
    match raw::restrict_mount(c"/", RDONLY, Depth::Mount) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            let flags = MountFlags::BIND | MountFlags::RDONLY | PLAIN;
            Ok(mount_remount("/", flags, c"")?)
        }
        result => result,
    }
}

/// The `/proc` of a cage, which tells no process what another one has looked at in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcMount {
    /// It stays, is told to forget, and does not note when it was read: that takes root.
    OfCage,
    /// Every process has one of its own. To take it down stops the other core for a moment.
    OfProcess,
}

impl ProcMount {
    /// That of a cage like this.
    pub(crate) fn of(order: &CageOrder) -> ProcMount {
        if order.user.is_some() { ProcMount::OfCage } else { ProcMount::OfProcess }
    }

    fn flags(self) -> MountFlags {
        let always = PLAIN | MountFlags::NOEXEC;
        match self {
            ProcMount::OfCage => always | MountFlags::NOATIME,
            // What other users do not see they may not choose.
            ProcMount::OfProcess => always,
        }
    }

    /// Mounts it for the first process of a cage that becomes a bot. Only a process of the cage can do that.
    pub(crate) fn begin(self) -> io::Result<()> {
        Ok(mount("proc", PROC, "proc", self.flags(), None)?)
    }

    /// Has it be as good as new for another one. Nobody may have anything of it open.
    pub(crate) fn renew(self) -> io::Result<()> {
        match self {
            ProcMount::OfProcess => self.begin(),
            ProcMount::OfCage => {
                // The system drops all that it has made of it but what somebody holds. Some of that anybody
                // may touch, which sets its times.
                mount_remount(PROC, self.flags(), c"")?;
                HELD.iter().try_for_each(|path| Ok(touch(path)?))
            }
        }
    }

    /// Whether it can be as good as new. Before Linux 5.8 all mounts of a namespace are one.
    pub(crate) fn can_be_renewed(self) -> bool {
        match self {
            ProcMount::OfCage => true,
            ProcMount::OfProcess => {
                let system = rustix::system::uname();
                is_at_least(&system.release().to_string_lossy(), (5, 8))
            }
        }
    }
}

/// What the system itself, or the template, holds of a cage's `/proc`.
const HELD: [&str; 6] = [
    PROC,
    "/proc/self",
    "/proc/thread-self",
    "/proc/sys",
    "/proc/sys/kernel",
    "/proc/sys/kernel/ns_last_pid",
];

/// Sets the times of a file, not of what a link leads to, to now.
fn touch(path: &str) -> rustix::io::Result<()> {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)
}

/// Whether a release of Linux, as in `6.1.0-50-amd64`, is this version or a later one.
fn is_at_least(release: &str, version: (u32, u32)) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor)))
        if (major, minor) >= version)
}

/// Makes something that everybody may read, whatever the user gives to what they make themselves.
fn for_everybody<T>(make: impl FnOnce() -> T) -> T {
    let usual = umask(Mode::WGRP | Mode::WOTH);
    let made = make();
    umask(usual);
    made
}

fn make_folder(path: impl AsRef<Path>) -> io::Result<()> {
    for_everybody(|| DirBuilder::new().recursive(true).mode(0o755).create(path))
}

fn make_file(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    path.parent().map_or(Ok(()), make_folder)?;
    for_everybody(|| fs::File::create(path)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remount_says_again_what_the_mount_was_restricted_to() {
        let had = StatVfsMountFlags::NOEXEC | StatVfsMountFlags::RELATIME;
        assert_eq!(restrictions(had), MountFlags::NOEXEC);
        assert_eq!(restrictions(StatVfsMountFlags::empty()), MountFlags::empty());
    }

    #[test]
    fn versions_of_linux_are_compared_by_their_numbers() {
        for (release, expected) in [
            ("5.8.0", true),
            ("5.10.0-28-amd64", true),
            ("6.1.0-50-amd64", true),
            ("6.18+", true),
            ("5.4.0-150-generic", false),
            ("4.19", false),
            ("unknown", false),
        ] {
            assert_eq!(is_at_least(release, (5, 8)), expected, "{release}");
        }
    }

    #[test]
    fn older_systems_are_told_of_every_restriction() {
        let all = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        assert_eq!(as_mount_flags(RDONLY | NO_SPECIAL), all);
        assert_eq!(as_mount_flags(NO_SPECIAL), PLAIN);
    }
}
