//! Where the socket is on which readers are told of games: in the folder of a run, or in a private folder of the user.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, fchmod, fstat, mkdirat, openat, statat, unlinkat,
};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with,
};

use crate::os::sys::random_seed;

/// Where a program listens for readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LivePlace {
    /// In the folder of a run, to which only one program has the right at a time.
    Run(PathBuf),
    /// In the user's own folder, under the number of the process.
    User,
    /// In the user's own folder, under a word that nobody can guess: the seat of a person.
    Seat(SeatToken),
}

/// What somebody has to know to play for a person: 128 random bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatToken(String);

impl SeatToken {
    const LETTERS: usize = 32;

    /// A new one.
    pub fn new() -> SeatToken {
        SeatToken(format!("{:016x}{:016x}", random_seed(), random_seed()))
    }

    /// Text that has the form of a token.
    pub fn read(text: &str) -> Option<SeatToken> {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == SeatToken::LETTERS && text.bytes().all(hex))
            .then(|| SeatToken(text.to_owned()))
    }

    /// As it stands in an address.
    pub fn words(&self) -> &str {
        &self.0
    }

    fn file(&self) -> String {
        format!("seat-{}.sock", self.0)
    }
}

impl Default for SeatToken {
    fn default() -> SeatToken {
        SeatToken::new()
    }
}

/// Connects to the seat of a person that somebody plays for at this moment.
pub fn connect_seat(token: &SeatToken) -> io::Result<UnixStream> {
    let (_, path) = user_folder(Missing::Refuse)?;
    connect(&path.join(token.file()))
}

/// The socket's name in the folder of a run.
const NAME: &CStr = c"live.sock";

/// A socket that is listened on; its file is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) listener: UnixListener,
    folder: OwnedFd,
    name: CString,
    /// The file that is ours.
    file: (u64, u64),
}

impl LivePlace {
    /// Begins to listen.
    pub(crate) fn bind(&self) -> io::Result<Bound> {
        match self {
            LivePlace::Run(folder) => {
                let folder = openat(CWD, folder, FOLDER, Mode::empty())?;
                remove_socket(&folder, NAME)?;
                Bound::new(folder, NAME.to_owned())
            }
            LivePlace::User => {
                let folder = user_folder(Missing::Make)?.0;
                remove_leftovers(&folder);
                let name = CString::new(format!("{}.sock", std::process::id()))?;
                remove_socket(&folder, &name)?;
                Bound::new(folder, name)
            }
            LivePlace::Seat(token) => {
                let (folder, path) = user_folder(Missing::Make)?;
                remove_left_seats(&folder, &path);
                Bound::new(folder, CString::new(token.file())?)
            }
        }
    }
}

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A name in a folder that is held open, whatever becomes of its path and however long that is: the
/// address of a socket has no room for more.
fn address(folder: &OwnedFd, name: &CStr) -> io::Result<SocketAddrUnix> {
    let path = format!("/proc/self/fd/{}/{}", folder.as_raw_fd(), name.to_string_lossy());
    Ok(SocketAddrUnix::new(path)?)
}

impl Bound {
    fn new(folder: OwnedFd, name: CString) -> io::Result<Bound> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        // Before it has a name: nobody else may connect, not even for a moment.
        fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
        bind(&socket, &address(&folder, &name)?)?;
        let file = identity(&statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW)?);
        let bound = Bound { listener: socket.into(), folder, name, file };
        listen(&bound.listener, 16)?;
        Ok(bound)
    }
}

impl Bound {
    /// Removes its file, if it is still ours. Who is connected stays connected.
    pub(crate) fn remove(&self) {
        let there = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        if there.is_ok_and(|there| identity(&there) == self.file) {
            let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        self.remove();
    }
}

fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

/// Removes a socket that somebody has left. Anything else in its place stays, and is an error.
fn remove_socket(folder: &OwnedFd, name: &CStr) -> io::Result<()> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(there) if FileType::from_raw_mode(there.st_mode) == FileType::Socket => {
            Ok(unlinkat(folder, name, AtFlags::empty())?)
        }
        Ok(_) => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!("{} is there and is not a socket", name.to_string_lossy()),
        )),
    }
}

/// Whether a folder is made that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    Make,
    Refuse,
}

/// The folder for the sockets of this user's programs, which nobody else may enter.
fn user_folder(missing: Missing) -> io::Result<(OwnedFd, PathBuf)> {
    let user = rustix::process::geteuid().as_raw();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|path| path.is_absolute() && is_own(path, user));
    let path = match runtime {
        Some(runtime) => runtime.join("lanista"),
        None => PathBuf::from(format!("/tmp/lanista-{user}")),
    };
    if missing == Missing::Make {
        match mkdirat(CWD, &path, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let folder = openat(CWD, &path, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
    let about = fstat(&folder)?;
    if about.st_uid != user || about.st_mode & 0o077 != 0 {
        let why = format!("{} is not ours alone", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok((folder, path))
}

fn is_own(path: &Path, user: u32) -> bool {
    let folder = openat(CWD, path, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    folder.and_then(fstat).is_ok_and(|about| about.st_uid == user)
}

/// The numbers of processes that have a socket in the user's folder.
fn numbered(folder: &OwnedFd) -> Vec<i32> {
    let path = format!("/proc/self/fd/{}/", folder.as_fd().as_raw_fd());
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_suffix(".sock")?.parse().ok();
    entries.filter_map(|entry| entry.file_name().to_str().and_then(number)).collect()
}

/// Removes the sockets of processes that have been killed.
fn remove_leftovers(folder: &OwnedFd) {
    for number in numbered(folder) {
        let Some(process) = rustix::process::Pid::from_raw(number) else { continue };
        let there = rustix::process::test_kill_process(process);
        if there == Err(rustix::io::Errno::SRCH)
            && let Ok(name) = CString::new(format!("{number}.sock"))
        {
            let _ = remove_socket(folder, &name);
        }
    }
}

/// Removes the seats of programs that have been killed: nobody listens there.
fn remove_left_seats(folder: &OwnedFd, path: &Path) {
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let name = entry.file_name().into_encoded_bytes();
        let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        if name.starts_with(b"seat-")
            && connect(&entry.path()).is_err_and(refused)
            && let Ok(name) = CString::new(name)
        {
            let _ = remove_socket(folder, &name);
        }
    }
}

/// The sockets of this user's programs that have no folder of a run. Nobody may listen on some of them any more.
pub fn sockets_of_user() -> Vec<PathBuf> {
    let Ok((folder, path)) = user_folder(Missing::Refuse) else { return Vec::new() };
    let mut numbers = numbered(&folder);
    numbers.sort_unstable();
    numbers.into_iter().map(|number| path.join(format!("{number}.sock"))).collect()
}

/// Connects to a socket of a running program, however long its path is. Not through a link, and only
/// to a program of this user or of root.
pub fn connect(socket: &Path) -> io::Result<UnixStream> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let (parent, name) =
        (socket.parent().ok_or_else(invalid)?, socket.file_name().ok_or_else(invalid)?);
    let folder = openat(CWD, parent, FOLDER, Mode::empty())?;
    let name = CString::new(name.as_encoded_bytes())?;
    let about = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
    let user = rustix::process::geteuid().as_raw();
    if FileType::from_raw_mode(about.st_mode) != FileType::Socket
        || ![user, 0].contains(&about.st_uid)
    {
        return Err(invalid());
    }
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    rustix::net::connect(&socket, &address(&folder, &name)?)?;
    Ok(socket.into())
}
