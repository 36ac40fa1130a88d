//! Compression, with memory that every thread uses again: to get it anew costs more than to
//! compress a short game.

use std::cell::RefCell;
use std::io::{self, Write};

use zstd::zstd_safe::{CCtx, CParameter, ResetDirective};

/// More gains little for logs, and costs much.
const LEVEL: i32 = 3;

thread_local! {
    static CONTEXT: RefCell<CCtx<'static>> = RefCell::default();
}

/// Compresses these pieces as one text. A flipped bit anywhere in it will be noticed.
pub fn compressed<'p>(pieces: impl Iterator<Item = &'p [u8]> + Clone) -> io::Result<Vec<u8>> {
    let size = pieces.clone().map(|piece| piece.len() as u64).sum();
    CONTEXT.with_borrow_mut(|context| {
        // Nothing is left of a text that could not be finished.
        let _ = context.reset(ResetDirective::SessionOnly);
        let mut encoder = zstd::Encoder::with_context(Vec::new(), context);
        encoder.set_parameter(CParameter::CompressionLevel(LEVEL))?;
        encoder.include_checksum(true)?;
        // For a short text small tables are enough.
        encoder.set_pledged_src_size(Some(size))?;
        pieces.into_iter().try_for_each(|piece| encoder.write_all(piece))?;
        encoder.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_come_back_one_after_another() {
        let long: Vec<u8> = (0..3_000_000_u32).flat_map(|n| (n % 1009).to_le_bytes()).collect();
        for text in [&long[..], b"", b"short", &long[..70_000], b""] {
            let pieces = text.chunks(65_536);
            let packed = compressed(pieces).expect("memory can be written to");
            assert!(packed.len() <= text.len() / 4 + 64);
            assert!(zstd::decode_all(&packed[..]).expect("it is whole") == text);
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let text = b"3,4\n4,4\n5,4\n6,4\n".repeat(20);
        let packed = compressed(std::iter::once(&text[..])).expect("memory can be written to");
        for bit in 0..packed.len() * 8 {
            let mut other = packed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            let read = zstd::decode_all(&other[..]);
            assert!(read.map_or(true, |read| read == text), "bit {bit}");
        }
    }
}
