//! Files that the user names. Where one is to be written, a symbolic link is not followed:
//! somebody else may have put it there. What is read has a bound.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// Makes a file, or empties the one that is there.
pub(crate) fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    // What these names lead to is the system's to say, as `/dev/stdout`.
    let of_system = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    if !of_system {
        options.custom_flags(OFlags::NOFOLLOW.bits() as i32);
    }
    let failed = || format!("cannot write {}", path.display());
    match options.open(path) {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            Err(anyhow!("it is a symbolic link; name the file that it leads to"))
                .with_context(failed)
        }
        result => result.with_context(failed),
    }
}

/// Writes a file.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    let mut file = create(path)?;
    file.write_all(bytes.as_ref()).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file line by line, so that it need not be in memory whole.
pub(crate) fn write_lines(path: &Path, lines: impl Iterator<Item = String>) -> Result<()> {
    let mut file = io::BufWriter::new(create(path)?);
    let write = || -> io::Result<()> {
        for line in lines {
            file.write_all(line.as_bytes())?;
            file.write_all(b"\n")?;
        }
        file.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Reads a file, if it is no longer than so many bytes.
pub(crate) fn read(file: File, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.metadata()?.is_dir() {
        bail!("it is a folder");
    }
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        bail!("it is longer than {} MiB", most >> 20);
    }
    Ok(bytes)
}
