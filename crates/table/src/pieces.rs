//! The packed entries of a log, in pieces that others may read while more is appended.
//!
//! A piece that is full is never changed again, so that it can be shared instead of copied: whoever wants all that there is
//! of a long log gets a list of pieces and a copy of the last one.

use std::sync::Arc;

/// A piece is full when it has so many bytes.
const FULL: usize = 64 << 10;

/// Packed entries. A piece ends where an entry does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    full: Vec<Arc<Vec<u8>>>,
    open: Vec<u8>,
}

/// How much of a log somebody has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// Full pieces.
    full: usize,
    /// Bytes of the next one.
    of_next: usize,
}

/// A part of a log that somebody is given.
#[derive(Clone, Debug)]
pub enum LogPart {
    /// What follows this many bytes of a piece.
    Shared(Arc<Vec<u8>>, usize),
    /// Bytes of the last piece.
    Copied(Vec<u8>),
}

impl LogPart {
    /// What is in it.
    pub fn bytes(&self) -> &[u8] {
        match self {
            LogPart::Shared(piece, from) => &piece[*from..],
            LogPart::Copied(bytes) => bytes,
        }
    }
}

impl Pieces {
    /// Lets somebody append whole entries.
    #[inline]
    pub(crate) fn append(&mut self, entries: impl FnOnce(&mut Vec<u8>)) {
        entries(&mut self.open);
        if self.open.len() >= FULL {
            let next = Vec::with_capacity(FULL + FULL / 8);
            self.full.push(Arc::new(std::mem::replace(&mut self.open, next)));
        }
    }

    /// All of it, piece by piece.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        self.full.iter().map(|piece| &piece[..]).chain([&self.open[..]])
    }

    /// All of it in one.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self.full.is_empty() {
            true => self.open,
            false => self.iter().collect::<Vec<&[u8]>>().concat(),
        }
    }

    /// Gives out what there is after `position`, and moves that to the end. What is copied is less than
    /// a piece.
    pub(crate) fn since(&self, position: &mut LogPosition, parts: &mut Vec<LogPart>) {
        for piece in &self.full[position.full..] {
            if position.of_next < piece.len() {
                parts.push(LogPart::Shared(piece.clone(), position.of_next));
            }
            *position = LogPosition { full: position.full + 1, of_next: 0 };
        }
        let new = &self.open[position.of_next..];
        position.of_next = self.open.len();
        match parts.last_mut() {
            _ if new.is_empty() => {}
            Some(LogPart::Copied(bytes)) => bytes.extend_from_slice(new),
            Some(LogPart::Shared(..)) | None => parts.push(LogPart::Copied(new.to_vec())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(parts: &[LogPart]) -> Vec<u8> {
        parts.iter().flat_map(|part| part.bytes().iter().copied()).collect()
    }

    #[test]
    fn whoever_takes_part_by_part_has_everything_once() {
        let mut pieces = Pieces::default();
        let (mut position, mut parts) = (LogPosition::default(), Vec::new());
        let mut whole = Vec::new();
        for number in 0..3000_u32 {
            // Some entries are longer than a piece.
            let entry = vec![number as u8; if number % 1000 == 7 { FULL + 9 } else { 97 }];
            whole.extend_from_slice(&entry);
            pieces.append(|open| open.extend_from_slice(&entry));
            if number % 13 == 0 {
                pieces.since(&mut position, &mut parts);
                assert_eq!(all(&parts), whole);
            }
        }
        pieces.since(&mut position, &mut parts);
        assert_eq!(all(&parts), whole);
        let mut late = Vec::new();
        pieces.since(&mut LogPosition::default(), &mut late);
        assert_eq!(all(&late), whole, "who comes late gets the same");
        let copied = |part: &LogPart| matches!(part, LogPart::Copied(_));
        assert_eq!(late.iter().filter(|part| copied(part)).count(), 1);
        let before = parts.len();
        pieces.since(&mut position, &mut parts);
        assert_eq!(parts.len(), before, "nothing is new");
        assert_eq!(pieces.into_bytes(), whole);
    }
}
