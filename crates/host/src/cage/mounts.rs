//! The file system of a cage: a small one in memory, and what is shown of the host's, read-only.

use std::ffi::CString;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{
    MountAttrFlags, MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind,
    mount_bind_recursive, mount_change, mount_remount, unmount,
};
use rustix::process::pivot_root;

use super::order::{Access, At as _, Bind, BuildStep, CageOrder, Failure};
use super::raw::{self, Depth};
use crate::os::no_links;

/// Where the host's root is until the cage is shut.
const OLD: &str = "/.host";
/// An empty folder, to be put over what is hidden.
const EMPTY: &str = "/.empty";
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

/// Builds the new root and moves there. Needs a mount namespace of its own and the right to mount.
pub(crate) fn build(order: &CageOrder) -> Result<(), Failure> {
    new_root(order).at(BuildStep::Files(None))?;
    for (index, bind) in order.view.binds.iter().enumerate() {
        show(bind, order.user).at(BuildStep::Files(u16::try_from(index).ok()))?;
    }
    for (path, size) in &order.view.rooms {
        make_room(path, *size, order.user).at(BuildStep::Files(None))?;
    }
    for (path, to) in &order.view.links {
        // What lies in a folder that is shown is there already.
        if path.symlink_metadata().is_err() {
            let made = path.parent().map_or(Ok(()), make_folder).and_then(|()| symlink(to, path));
            made.at(BuildStep::Files(None))?;
        }
    }
    // It may be where somebody typed a command: then it is there, and empty.
    if !order.dir.exists() {
        make_folder(&order.dir).at(BuildStep::Directory)?;
    }
    for folder in order.view.hidden.iter().filter(|folder| folder.is_dir()) {
        cover(folder).at(BuildStep::Files(None))?;
    }
    Ok(())
}

fn new_root(order: &CageOrder) -> io::Result<()> {
    // Nothing mounted from here on is seen outside.
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    // Room for what we put there ourselves.
    const OWN_FILES: u64 = 1024;
    let (size, files) = (order.caps.disk.max(1 << 20), order.caps.files + OWN_FILES);
    let options = CString::new(format!("mode=755,size={size},nr_inodes={files}"))?;
    let base = ["/tmp", "/mnt", "/var"].into_iter().find(|path| Path::new(path).is_dir());
    let base = base.ok_or(io::ErrorKind::NotFound)?;
    mount("lanista", base, "tmpfs", PLAIN, &*options)?;
    let old = format!("{base}{OLD}");
    make_folder(&old)?;
    pivot_root(base, &old)?;
    std::env::set_current_dir("/")?;
    for folder in ["/proc", "/dev", "/etc", "/tmp", EMPTY] {
        make_folder(folder)?;
    }
    fs::set_permissions("/tmp", Permissions::from_mode(0o1777))?;
    // The same file system, but a mount of its own: it stays writable when the root is shut.
    mount_bind("/tmp", "/tmp")?;
    for device in DEVICES {
        let (path, source) = (format!("/dev/{device}"), format!("{OLD}/dev/{device}"));
        fs::File::create(&path)?;
        mount_bind(source, path)?;
    }
    let streams = [("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")];
    for (name, stream) in streams {
        symlink(format!("/proc/self/fd{stream}"), format!("/dev/{name}"))?;
    }
    // Shared memory is part of what a bot may keep in files.
    symlink("/tmp", "/dev/shm")?;
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
fn show(bind: &Bind, user: Option<u32>) -> io::Result<()> {
    let mut source = PathBuf::from(OLD);
    source.push(bind.source.strip_prefix("/").unwrap_or(&bind.source));
    // What was checked had no link on the way. Somebody who may write there could have put one.
    let handle = match no_links::handle(&source) {
        Ok(handle) => handle,
        // It has gone since it was looked for. Whoever needs it will say so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    match no_links::is_folder(&handle)? {
        true => make_folder(&bind.inside)?,
        false => make_file(&bind.inside)?,
    }
    let from = format!("{OLD}/proc/self/fd/{}", handle.as_raw_fd());
    mount_bind_recursive(from, &bind.inside)?;
    if let (Access::Own, Some(user)) = (bind.access, user) {
        no_links::give(&handle, user)?;
    }
    match bind.access {
        Access::Read => restrict(&bind.inside, RDONLY | NO_SPECIAL),
        Access::Write | Access::Own => restrict(&bind.inside, NO_SPECIAL),
    }
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

/// Shuts the cage: mounts /proc, takes the host's root out of sight and makes the own one
/// read-only. Only a process inside the new PID namespace can do that.
pub(crate) fn shut() -> Result<(), Failure> {
    mount("proc", "/proc", "proc", PLAIN | MountFlags::NOEXEC, None).at(BuildStep::Proc)?;
    unmount(OLD, UnmountFlags::DETACH).at(BuildStep::Files(None))?;
    fs::remove_dir(OLD).at(BuildStep::Files(None))?;
    let done = match raw::restrict_mount(c"/", RDONLY, Depth::Mount) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            let flags = MountFlags::BIND | MountFlags::RDONLY | PLAIN;
            mount_remount("/", flags, c"").map_err(io::Error::from)
        }
        result => result,
    };
    done.at(BuildStep::Files(None))
}

fn make_folder(path: impl AsRef<Path>) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

fn make_file(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    path.parent().map_or(Ok(()), make_folder)?;
    fs::File::create(path).map(drop)
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
    fn older_systems_are_told_of_every_restriction() {
        let all = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        assert_eq!(as_mount_flags(RDONLY | NO_SPECIAL), all);
        assert_eq!(as_mount_flags(NO_SPECIAL), PLAIN);
    }
}
