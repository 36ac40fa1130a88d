//! Replay files: a log, packed and compressed, with a readable first line.
//!
//! Unpacked, a file is one line of JSON (the [`Header`]) followed by MessagePack entries.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use game::{Outcome, PlayerId};
use serde::de::{DeserializeOwned, IgnoredAny};
use thiserror::Error;

use crate::compress::compressed;
use crate::log::{Entry, Header, Log, VERSION};

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
    #[error("its set-up is not valid: {0}")]
    Setup(String),
}

/// More than this is no replay of ours: the talk in a log is capped far below.
const MOST: u64 = 1 << 30;

/// Nor is what unpacks to so many times its size and is more than a little: digests and times do
/// not shrink. A file of a few bytes must not fill the memory of its reader.
const MOST_SHRUNK: u64 = 200;
const A_LITTLE: u64 = 32 << 20;

/// A longer first line is no header of ours, nor is one of so many numbers and words.
const LONGEST_HEADER: usize = 32 << 20;
const MOST_VALUES: usize = 1_000_000;

/// What a file of this size may unpack to.
fn most(file: usize) -> u64 {
    (file as u64).saturating_mul(MOST_SHRUNK).clamp(A_LITTLE, MOST)
}

/// The time of every accepted answer and whose it was. A piece ends where an entry does.
fn answers<'p>(pieces: impl Iterator<Item = &'p [u8]>) -> Vec<(PlayerId, Duration)> {
    let mut players = HashMap::new();
    let mut answers = Vec::new();
    let entries = pieces.flat_map(|mut rest| {
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            // It was written here and can be read again; if not, so much is known.
            rmp_serde::decode::from_read::<_, Entry<IgnoredAny>>(&mut rest).ok()
        })
    });
    for entry in entries {
        match entry {
            Entry::Seated { seat, player, .. } => {
                players.insert(seat, player);
            }
            Entry::Answered { seat, wall, .. } => {
                answers.extend(players.get(&seat).map(|player| (*player, wall)));
            }
            Entry::Sent { .. }
            | Entry::Got { .. }
            | Entry::Unfinished { .. }
            | Entry::Stderr { .. }
            | Entry::Noted { .. }
            | Entry::Faulted { .. }
            | Entry::Stepped { .. }
            | Entry::Left { .. }
            | Entry::Over { .. }
            | Entry::Truncated
            | Entry::Cut { .. }
            | Entry::Kept { .. } => {}
        }
    }
    answers
}

impl Log {
    /// The bytes of a replay file. Slow: compresses.
    pub fn to_file(&self) -> std::io::Result<Vec<u8>> {
        let mut first_line = serde_json::to_vec(&*self.header)?;
        first_line.push(b'\n');
        compressed(std::iter::once(&first_line[..]).chain(self.packed.iter()))
    }

    /// The time of every accepted answer and whose it was; empty if nothing was recorded.
    pub fn answers(&self) -> Vec<(PlayerId, Duration)> {
        answers(self.packed.iter())
    }

    /// The same as reading back what [`Log::to_file`] wrote.
    pub fn into_record(self) -> Record {
        Record { header: Arc::unwrap_or_clone(self.header), packed: self.packed.into_bytes() }
    }
}

impl Record {
    /// What there is of a match that is still being played: the whole entries of its log so far.
    pub fn so_far(header: Header, packed: &[u8]) -> Record {
        let mut rest = packed;
        let mut whole = 0;
        while !rest.is_empty()
            && rmp_serde::decode::from_read::<_, Entry<IgnoredAny>>(&mut rest).is_ok()
        {
            whole = packed.len() - rest.len();
        }
        Record { header, packed: packed[..whole].to_vec() }
    }

    /// The log that it was read from. Nothing can be added to it.
    pub fn into_log(self) -> Log {
        Log::finished(self.header, self.packed)
    }

    /// The entries as they are packed, one after another.
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// The time of every accepted answer and whose it was; empty if nothing was recorded.
    pub fn answers(&self) -> Vec<(PlayerId, Duration)> {
        answers(std::iter::once(&self.packed[..]))
    }

    /// A longer file is no replay of ours.
    pub const LONGEST_FILE: u64 = MOST;

    /// What happened, one after another, up to the first entry that cannot be read.
    pub fn entries<A: DeserializeOwned>(
        &self,
    ) -> impl Iterator<Item = Result<Entry<A>, ReadError>> + '_ {
        let mut rest = &self.packed[..];
        std::iter::from_fn(move || {
            (!rest.is_empty()).then(|| {
                let entry = rmp_serde::decode::from_read(&mut rest);
                entry.map_err(|error| {
                    rest = &[];
                    ReadError::Broken(error.to_string())
                })
            })
        })
    }

    /// The same without moves, as far as they can be read.
    fn readable(&self) -> impl Iterator<Item = Entry<IgnoredAny>> + '_ {
        self.entries::<IgnoredAny>().map_while(Result::ok)
    }

    /// The digests of all states but the first.
    pub fn digests(&self) -> Vec<u64> {
        let digest = |entry| {
            if let Entry::Stepped { digest, .. } = entry { Some(digest) } else { None }
        };
        self.readable().filter_map(digest).collect()
    }

    /// The outcome, or why the match is void; none if the log ends before the match.
    pub fn ending(&self) -> Option<(Option<Outcome>, Option<String>)> {
        self.readable().find_map(|entry| {
            if let Entry::Over { outcome, void, .. } = entry { Some((outcome, void)) } else { None }
        })
    }

    /// Whether the same match went the same way, times and words aside.
    pub fn is_same_game(&self, other: &Record) -> bool {
        let outcome = |record: &Record| record.ending().map(|(outcome, _)| outcome);
        self.header == other.header
            && self.digests() == other.digests()
            && outcome(self) == outcome(other)
    }

    /// Reads the bytes of a replay file.
    pub fn read(file: &[u8]) -> Result<Record, ReadError> {
        let broken = |error: &dyn std::fmt::Display| ReadError::Broken(error.to_string());
        let mut plain = Vec::new();
        let decoder = zstd::Decoder::new(file).map_err(|error| broken(&error))?;
        let most = most(file.len());
        let mut decoder = std::io::Read::take(decoder, most + 1);
        std::io::Read::read_to_end(&mut decoder, &mut plain).map_err(|error| broken(&error))?;
        if plain.len() as u64 > most {
            return Err(broken(&format!("it unpacks to more than {most} bytes")));
        }
        Record::parse(plain)
    }

    /// Reads what is in a replay file once it is decompressed.
    pub fn parse(mut plain: Vec<u8>) -> Result<Record, ReadError> {
        let broken = |error: &dyn std::fmt::Display| ReadError::Broken(error.to_string());
        let end = plain
            .iter()
            .position(|&byte| byte == b'\n')
            .ok_or_else(|| broken(&"it has no header line"))?;
        if end > LONGEST_HEADER || values(&plain[..end]) > MOST_VALUES {
            return Err(broken(&"its header is too long"));
        }
        let Version { v } =
            serde_json::from_slice(&plain[..end]).map_err(|error| broken(&error))?;
        if v > VERSION {
            return Err(ReadError::Later(v));
        }
        let header = serde_json::from_slice(&plain[..end]).map_err(|error| broken(&error))?;
        plain.drain(..=end);
        Ok(Record { header, packed: plain })
    }
}

/// What is looked at first in a header.
#[derive(serde::Deserialize)]
struct Version {
    #[serde(default)]
    v: u32,
}

/// How many values a line of JSON holds at most: each takes far more memory than its letters.
fn values(line: &[u8]) -> usize {
    let (mut count, mut quoted, mut escaped) = (1, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' if !quoted => count += 1,
            _ => {}
        }
    }
    count
}

/// How much memory the entries of a replay may take, by how long they are packed.
pub(crate) fn memory_for(packed: usize) -> usize {
    const BASE: usize = 256 << 20;
    const ALL: usize = 2 << 30;
    packed.saturating_mul(4).saturating_add(BASE).min(ALL)
}

/// Whether the rules and a record say the same of how a match ended. Earlier versions said "1
/// turns".
pub(crate) fn same_outcome(outcome: &Outcome, recorded: &Outcome) -> bool {
    let reason = recorded.reason.replace(" 1 turns ", " 1 turn ");
    *outcome == *recorded || *outcome == Outcome { reason, ..recorded.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_a_header_are_counted_outside_of_words() {
        assert_eq!(values(br#"{"a":[1,2,"x,y\\",{"b":",\","}]}"#), 7);
        let many = format!("{{\"v\":1,\"config\":[{}1]}}\n", "1,".repeat(MOST_VALUES));
        let error = Record::parse(many.into_bytes()).expect_err("no header").to_string();
        assert!(error.contains("too long"), "{error}");
    }

    fn file(plain: &[u8]) -> Vec<u8> {
        zstd::encode_all(plain, 3).expect("memory can be written to")
    }

    #[test]
    fn a_small_file_that_unpacks_to_a_large_one_is_refused() {
        let bomb = file(&vec![b'x'; 64 << 20]);
        assert!(bomb.len() < 10_000, "it is small: {}", bomb.len());
        let error = Record::read(&bomb).expect_err("it is no replay").to_string();
        assert!(error.contains("unpacks to more than"), "{error}");
        // A file that is cut is broken for another reason, however much is missing.
        assert!(Record::read(&bomb[..bomb.len() / 2]).is_err());
        let error = Record::read(&file(b"no header")).expect_err("it is no replay").to_string();
        assert!(error.contains("no header line"), "{error}");
    }

    #[test]
    fn a_record_in_the_words_of_an_earlier_version_says_the_same() {
        let of = |reason: &str| Outcome::draw(2, game::Ending::rules("max-turns"), reason);
        let [today, before] =
            [of("the cap of 1 turn was reached"), of("the cap of 1 turns was reached")];
        assert!(same_outcome(&today, &before) && same_outcome(&today, &today));
        assert!(!same_outcome(&today, &of("the cap of 2 turns was reached")));
    }

    #[test]
    fn large_replays_may_be_large() {
        assert_eq!(most(1000), A_LITTLE);
        assert_eq!(most(1 << 20), (1 << 20) * MOST_SHRUNK);
        assert_eq!(most(100 << 20), MOST);
    }
}
