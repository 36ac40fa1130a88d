//! A small hash that is the same everywhere, for comparing states of a game.

/// Collects the parts of a state into 64 bits. Not for secrets: for noticing differences.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0x9e37_79b9_7f4a_7c15)
    }
}

impl Digest {
    /// An empty digest for one kind of state, such as a game's name.
    pub fn new(kind: &str) -> Digest {
        let mut digest = Digest::default();
        digest.bytes(kind.as_bytes());
        digest
    }

    /// Adds a number.
    #[inline]
    pub fn word(&mut self, word: u64) -> &mut Digest {
        self.0 = mix(self.0.rotate_left(5) ^ word);
        self
    }

    /// Adds a run of bytes and its length.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Digest {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64)
    }

    /// The digest of everything added so far.
    pub fn finish(self) -> u64 {
        self.0
    }
}

/// Spreads the bits of a word over the whole word; a bijection.
#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_and_its_place_count() {
        let of = |parts: &[u64]| {
            let mut digest = Digest::new("test");
            for &part in parts {
                digest.word(part);
            }
            digest.finish()
        };
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
        assert_eq!(of(&[5, 6]), of(&[5, 6]));
    }
}
