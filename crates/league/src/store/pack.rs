//! Packs: files that replays are appended to, many in one.
//!
//! A file of its own for every game would take a block of the disk, a name and two flushes for
//! each. A record in a pack says what it belongs to, so that everything can be made anew from packs
//! alone. What a record says counts only when the database knows its place; what was written before
//! a kill and never got there is left where it is.
//!
//! A pack begins with [`FIRST_LINE`]. A record is [`MARK`], the lengths of its two parts as 32 bits
//! each, the lowest byte first, and the parts: what it belongs to (JSON, compressed) and the
//! replay, as a file of its own would be.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use serde::{Deserialize, Serialize};
use table::{Record, compressed};

use crate::store::folder::Folder;

/// What every pack begins with.
const FIRST_LINE: &[u8] = b"lanista pack 1\n";
/// What every record begins with.
const MARK: &[u8; 8] = b"\x00record\n";
/// The mark and the lengths.
const HEAD: u64 = MARK.len() as u64 + 8;
/// A pack that has grown so large is followed by another.
const LARGE: u64 = 1 << 29;
/// No label of ours is longer, packed or not.
const LONGEST_LABEL: u64 = 16 << 20;

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackPosition {
    /// In which pack, from 1.
    pub(crate) pack: u32,
    /// At which byte.
    pub(crate) at: u64,
}

/// The name of a pack.
fn name(pack: u32) -> String {
    format!("{pack:04}.pack")
}

/// What a record is about, with the version of its form.
#[derive(Serialize, Deserialize)]
struct Versioned<V> {
    v: u32,
    #[serde(rename = "is")]
    about: V,
}

/// One record.
pub(crate) struct PackRecord {
    label: Vec<u8>,
    /// The bytes of the replay's file; empty if there is none.
    pub(crate) replay: Vec<u8>,
}

impl PackRecord {
    /// A record of what it is about and a replay.
    pub(crate) fn new(about: &impl Serialize, replay: Vec<u8>) -> io::Result<PackRecord> {
        let plain = serde_json::to_vec(&Versioned { v: 1, about })?;
        Ok(PackRecord { label: compressed(std::iter::once(&plain[..]))?, replay })
    }

    /// What it is about.
    pub(crate) fn about<V: serde::de::DeserializeOwned>(&self) -> io::Result<V> {
        let mut plain = Vec::new();
        let decoder = zstd::Decoder::new(&self.label[..])?;
        io::Read::read_to_end(&mut io::Read::take(decoder, LONGEST_LABEL), &mut plain)?;
        let label: Versioned<V> = serde_json::from_slice(&plain)?;
        match label.v {
            1 => Ok(label.about),
            later => Err(broken(&format!("it was written by a later version (format {later})"))),
        }
    }

    fn write_to(&self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let length = |part: &[u8]| u32::try_from(part.len()).map_err(|_| broken("it is too long"));
        bytes.extend_from_slice(MARK);
        bytes.extend_from_slice(&length(&self.label)?.to_le_bytes());
        bytes.extend_from_slice(&length(&self.replay)?.to_le_bytes());
        bytes.extend_from_slice(&self.label);
        bytes.extend_from_slice(&self.replay);
        Ok(())
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The lengths of the parts of a record.
struct RecordHead {
    label: u64,
    replay: u64,
}

impl RecordHead {
    fn read(file: &File, at: u64) -> io::Result<RecordHead> {
        let mut bytes = [0; HEAD as usize];
        file.read_exact_at(&mut bytes, at)?;
        let (mark, lengths) = bytes.split_at(MARK.len());
        let (label, replay) = lengths.split_at(4);
        let length =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let head = RecordHead { label: length(label), replay: length(replay) };
        let possible = head.label <= LONGEST_LABEL && head.replay <= Record::LONGEST_FILE;
        match mark == MARK && possible {
            true => Ok(head),
            false => Err(broken("no replay begins there")),
        }
    }

    fn end(&self, at: u64) -> u64 {
        at + HEAD + self.label + self.replay
    }
}

/// Reads the record that begins at a byte of a pack.
fn read_at(file: &File, at: u64) -> io::Result<PackRecord> {
    let size = file.metadata()?.len();
    if at >= size {
        return Err(broken("the pack ends before it"));
    }
    let head = RecordHead::read(file, at)?;
    if head.end(at) > size {
        return Err(broken("it is cut short"));
    }
    let part = |length: u64, at: u64| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact_at(&mut bytes, at).map(|()| bytes)
    };
    let label = part(head.label, at + HEAD)?;
    let replay = part(head.replay, at + HEAD + head.label)?;
    Ok(PackRecord { label, replay })
}

/// Reads a record of a folder of packs.
pub(crate) fn read(replays: &Folder, place: PackPosition) -> io::Result<PackRecord> {
    read_at(&replays.read(name(place.pack))?, place.at)
}

/// Whether a folder of packs has any records.
pub(crate) fn has_records(replays: &Folder) -> bool {
    let first = replays.read(name(1)).and_then(|file| file.metadata());
    first.is_ok_and(|about| about.len() > FIRST_LINE.len() as u64)
}

/// A pack that records are appended to.
pub(crate) struct Writer {
    replays: Folder,
    pack: u32,
    file: File,
    end: u64,
}

impl Writer {
    /// Goes on after the last record that counts. What is whole after it stays; what is not, nobody
    /// has ever counted.
    pub(crate) fn open(replays: Folder, last: Option<PackPosition>) -> io::Result<Writer> {
        let mut pack = last.map_or(1, |last| last.pack);
        // Records that never counted may have filled a pack.
        while replays.read(name(pack + 1)).is_ok() {
            pack += 1;
        }
        let known = last.filter(|last| last.pack == pack).map(|last| last.at);
        let (file, end) = open_to_append(&replays, pack, known)?;
        Ok(Writer { replays, pack, file, end })
    }

    /// Whether the pack still has a name: otherwise nobody will find what is written to it.
    pub(crate) fn is_in_place(&self) -> bool {
        self.file.metadata().is_ok_and(|about| about.nlink() > 0)
    }

    /// Appends records. They are on the disk when this returns; on an error none of them counts.
    pub(crate) fn append(&mut self, records: &[PackRecord]) -> io::Result<Vec<PackPosition>> {
        if self.end >= LARGE {
            let pack = self.pack + 1;
            (self.file, self.end) = open_to_append(&self.replays, pack, None)?;
            self.pack = pack;
        }
        let mut bytes = Vec::new();
        let mut places = Vec::with_capacity(records.len());
        for record in records {
            places.push(PackPosition { pack: self.pack, at: self.end + bytes.len() as u64 });
            record.write_to(&mut bytes)?;
        }
        let written = self.file.write_all_at(&bytes, self.end).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => {
                self.end += bytes.len() as u64;
                Ok(places)
            }
            Err(error) => {
                // The next one to open it does this as well.
                let _ = self.file.set_len(self.end);
                Err(error)
            }
        }
    }
}

/// Opens a pack, and makes it if there is none. `known` is a record that is there for sure.
fn open_to_append(replays: &Folder, pack: u32, known: Option<u64>) -> io::Result<(File, u64)> {
    let file = replays.read_and_write(&name(pack))?;
    let size = file.metadata()?.len();
    let first = FIRST_LINE.len() as u64;
    if size < first && known.is_none() {
        file.set_len(0)?;
        file.write_all_at(FIRST_LINE, 0)?;
        file.sync_data()?;
        replays.sync()?;
        return Ok((file, first));
    }
    check_first_line(&file)?;
    let mut end = match known {
        None => first,
        Some(at) => {
            read_at(&file, at)?;
            at
        }
    };
    while end < size
        && let Ok(head) = RecordHead::read(&file, end)
        && head.end(end) <= size
    {
        end = head.end(end);
    }
    if end < size {
        file.set_len(end)?;
    }
    Ok((file, end))
}

fn check_first_line(file: &File) -> io::Result<()> {
    let mut line = [0; FIRST_LINE.len()];
    file.read_exact_at(&mut line, 0)?;
    match line == *FIRST_LINE {
        true => Ok(()),
        false => Err(broken("it is not a pack of replays, or one of a later version")),
    }
}

/// All records of a folder of packs that can be read, in the order in which they were written.
/// `each` gets their places; what is between them and cannot be read is passed over.
pub(crate) fn scan(
    replays: &Folder,
    mut each: impl FnMut(PackPosition, PackRecord),
) -> io::Result<()> {
    for pack in 1.. {
        let file = match replays.read(name(pack)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        check_first_line(&file)?;
        let mut at = FIRST_LINE.len() as u64;
        while let Ok(packed) = read_at(&file, at) {
            let end = at + HEAD + (packed.label.len() + packed.replay.len()) as u64;
            each(PackPosition { pack, at }, packed);
            at = end;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::TestFolder;

    fn packed(number: u32) -> PackRecord {
        PackRecord::new(&number, vec![7; number as usize]).expect("it can be packed")
    }

    fn numbers(replays: &Folder) -> Vec<u32> {
        let mut found = Vec::new();
        scan(replays, |place, packed| {
            let number: u32 = packed.about().expect("it can be read");
            assert_eq!(packed.replay.len(), number as usize);
            let again = read(replays, place).expect("it is there");
            assert_eq!(again.replay, packed.replay);
            found.push(number);
        })
        .expect("packs can be read");
        found
    }

    #[test]
    fn what_was_appended_is_found_by_its_place_and_in_its_order() {
        let own = TestFolder::new("pack-order");
        let open = |last| Writer::open(Folder::open(&own.0).expect("ours"), last);
        let mut writer = open(None).expect("it can be made");
        let places =
            writer.append(&[packed(3), packed(0), packed(100)]).expect("it can be written");
        drop(writer);
        let mut writer = open(Some(places[1])).expect("it is there");
        writer.append(&[packed(5)]).expect("it can be written");
        let replays = Folder::open(&own.0).expect("ours");
        assert_eq!(numbers(&replays), [3, 0, 100, 5], "whole records stay, counted or not");
    }

    #[test]
    fn a_record_that_is_cut_anywhere_makes_room_for_the_next() {
        let own = TestFolder::new("pack-cut");
        let replays = || Folder::open(&own.0).expect("ours");
        let mut writer = Writer::open(replays(), None).expect("it can be made");
        let first = writer.append(&[packed(9)]).expect("it can be written")[0];
        let (whole, file) = (writer.end, own.0.join(name(1)));
        writer.append(&[packed(4)]).expect("it can be written");
        let bytes = std::fs::read(&file).expect("it is there");
        for length in whole..bytes.len() as u64 {
            for known in [None, Some(first)] {
                std::fs::write(&file, &bytes[..length as usize]).expect("ours");
                let mut writer = Writer::open(replays(), known).expect("it can be opened");
                writer.append(&[packed(6)]).expect("it can be written");
                assert_eq!(numbers(&replays()), [9, 6], "cut at {length}");
            }
        }
        // After a power failure the end of a file may hold anything.
        let mut zeros = bytes[..whole as usize].to_vec();
        zeros.resize(bytes.len(), 0);
        std::fs::write(&file, &zeros).expect("ours");
        let mut writer = Writer::open(replays(), Some(first)).expect("it can be opened");
        writer.append(&[packed(6)]).expect("it can be written");
        assert_eq!(numbers(&replays()), [9, 6]);
    }

    #[test]
    fn a_pack_that_lost_what_counts_is_refused_and_left_alone() {
        let own = TestFolder::new("pack-lost");
        let replays = || Folder::open(&own.0).expect("ours");
        let mut writer = Writer::open(replays(), None).expect("it can be made");
        let places = writer.append(&[packed(9), packed(4)]).expect("it can be written");
        let file = own.0.join(name(1));
        let bytes = std::fs::read(&file).expect("it is there");
        for length in [0, 5, places[1].at as usize, bytes.len() - 1] {
            std::fs::write(&file, &bytes[..length]).expect("ours");
            assert!(Writer::open(replays(), Some(places[1])).is_err(), "{length}");
            assert_eq!(std::fs::read(&file).expect("it is there"), bytes[..length]);
        }
        std::fs::write(&file, b"something else entirely, of somebody").expect("ours");
        assert!(Writer::open(replays(), None).is_err());
    }
}
