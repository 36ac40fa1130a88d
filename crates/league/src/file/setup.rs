//! Values of a set-up that stand for the contents of a file.

use std::io::{self, Read as _};
use std::path::Path;

use serde_json::Value;
use table::{KeyKind, SetupKey};

/// Why a set-up cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SetupFileError {
    /// A key that names a file was given something else.
    #[error("{0} takes the path of a file")]
    NoPath(String),
    /// There is nothing in the file.
    #[error("{key}: {path} is empty")]
    Empty {
        /// The key.
        key: String,
        /// The file.
        path: String,
    },
    /// The file cannot be read.
    #[error("cannot read {key} from {path}: {error}")]
    Unreadable {
        /// The key.
        key: String,
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

/// A longer text is no part of a set-up: it is in the header of every replay.
const LONGEST: u64 = 4 << 20;

/// Reads a text that is no longer than so many bytes.
pub fn read_bounded(file: std::fs::File, most: u64) -> io::Result<String> {
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text)?;
    match text.len() as u64 > most {
        true => Err(io::Error::other(format!("it is longer than {} MiB", most >> 20))),
        false => Ok(text),
    }
}

/// A key that names a text file is given what the file says. Relative paths start at `folder`.
pub fn read_text(
    keys: &[SetupKey],
    name: &str,
    value: &mut Value,
    folder: &Path,
) -> Result<(), SetupFileError> {
    let is_file = keys.iter().any(|key| key.name == name && key.kind == KeyKind::TextFile);
    if !is_file {
        return Ok(());
    }
    let Value::String(path) = value else { return Err(SetupFileError::NoPath(name.to_owned())) };
    // What has several lines is the text itself, as in a header of a replay.
    if !path.is_empty() && !path.contains('\n') {
        let path = folder.join(&path);
        let text = std::fs::File::open(&path).and_then(|file| read_bounded(file, LONGEST));
        let text = text.map_err(|error| SetupFileError::Unreadable {
            key: name.to_owned(),
            path: path.display().to_string(),
            error,
        })?;
        if text.trim().is_empty() {
            // An empty text would mean that there is none.
            let (key, path) = (name.to_owned(), path.display().to_string());
            return Err(SetupFileError::Empty { key, path });
        }
        *value = Value::String(text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_says_nothing() {
        let folder = std::env::temp_dir();
        let name = format!("lanista-empty-{}", std::process::id());
        std::fs::write(folder.join(&name), " \n").expect("it can be written");
        let keys = [SetupKey { name: "position", kind: KeyKind::TextFile, about: "a save" }];
        let mut value = Value::String(name.clone());
        let error = read_text(&keys, "position", &mut value, &folder).expect_err("it is empty");
        assert!(error.to_string().ends_with("is empty"), "{error}");
        std::fs::remove_file(folder.join(&name)).expect("it is there");
    }
}
