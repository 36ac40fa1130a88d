//! Replay files: a log, packed and compressed, with a readable first line.
//!
//! Unpacked, a file is one line of JSON (the [`Header`]) followed by MessagePack entries.

use std::io::Write as _;

use thiserror::Error;

use crate::log::{Header, Log, VERSION};

/// A log that has been read back: the header, and the entries still packed.
#[derive(Clone, Debug)]
pub struct Record {
    /// What was played.
    pub header: Header,
    pub(crate) packed: Vec<u8>,
}

/// Why a replay cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// Not a replay, or cut short.
    #[error("not a whole replay: {0}")]
    Broken(String),
    /// A replay of a later format.
    #[error("written by a later version (format {0}; this one reads up to {VERSION})")]
    Later(u32),
    /// The set-up in the header does not make a game.
    #[error("its set-up makes no game: {0}")]
    Setup(String),
}

/// More than this is no replay of ours: the talk in a log is capped far below.
const MOST: usize = 1 << 30;

impl Log {
    /// The bytes of a replay file. Slow: compresses.
    pub fn to_file(&self) -> std::io::Result<Vec<u8>> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3)?;
        // A flipped bit anywhere must not go unnoticed.
        encoder.include_checksum(true)?;
        serde_json::to_writer(&mut encoder, &self.header)?;
        encoder.write_all(b"\n")?;
        encoder.write_all(&self.packed)?;
        encoder.finish()
    }

    /// The same as reading back what [`Log::to_file`] wrote.
    pub fn into_record(self) -> Record {
        Record { header: self.header, packed: self.packed }
    }
}

impl Record {
    /// Reads the bytes of a replay file.
    pub fn read(file: &[u8]) -> Result<Record, ReadError> {
        let broken = |error: &dyn std::fmt::Display| ReadError::Broken(error.to_string());
        let mut plain = Vec::new();
        let decoder = zstd::Decoder::new(file).map_err(|error| broken(&error))?;
        std::io::Read::read_to_end(&mut std::io::Read::take(decoder, MOST as u64), &mut plain)
            .map_err(|error| broken(&error))?;
        let end = plain
            .iter()
            .position(|&byte| byte == b'\n')
            .ok_or_else(|| broken(&"it has no header line"))?;
        let version: serde_json::Value =
            serde_json::from_slice(&plain[..end]).map_err(|error| broken(&error))?;
        let version = version["v"].as_u64().unwrap_or(0) as u32;
        if version > VERSION {
            return Err(ReadError::Later(version));
        }
        let header = serde_json::from_slice(&plain[..end]).map_err(|error| broken(&error))?;
        Ok(Record { header, packed: plain.split_off(end + 1) })
    }
}
