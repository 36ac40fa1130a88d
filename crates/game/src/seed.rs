//! Chance that is the same on every machine, for ever.
//!
//! The generator (ChaCha8), the bounded integers and the shuffle are all spelled out here:
//! libraries change theirs between versions, and then an old replay no longer verifies.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where all chance of a match comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Seed(pub u64);

impl Seed {
    /// An independent stream of chance for one purpose, such as `"maze"`.
    pub fn rng(self, purpose: &str) -> Rng {
        Rng::new(self.0, stream(purpose))
    }

    /// The seed of the match in a round of many, where this one is the seed of them all.
    ///
    /// The cipher keyed with this seed makes it, so that nobody who knows some of them, or all that
    /// happened in their matches, learns anything about the others. Its lowest bits are not
    /// chance: they count the rounds.
    pub fn of_round(self, round: u64) -> Seed {
        let [low, high, ..] = chacha8(self.0, stream("rounds"), round);
        let keyed = u64::from(low) | u64::from(high) << 32;
        Seed(keyed & !ROUNDS | self.0.wrapping_add(round) & ROUNDS)
    }

    /// A number that goes up by one from round to round, for what is taken in turn, such as the
    /// openings in a book.
    pub fn round(self) -> u64 {
        self.0 & ROUNDS
    }
}

/// The bits of a seed that count rounds.
const ROUNDS: u64 = 0xffff;

/// The number of the stream of chance for a purpose.
fn stream(purpose: &str) -> u64 {
    let mut stream = 0xcbf2_9ce4_8422_2325_u64;
    for byte in purpose.bytes() {
        stream = (stream ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    stream
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A stream of random numbers: ChaCha with eight rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rng {
    key: u64,
    stream: u64,
    /// Number of 32-bit words taken so far.
    taken: u64,
    #[serde(skip)]
    block: Block,
}

/// The block of output that `taken` currently points into, if it has been computed.
#[derive(Clone, Debug, Default)]
struct Block {
    words: [u32; 16],
    ready: bool,
}

// Two generators at the same place are equal, whether or not a block is at hand.
impl PartialEq for Block {
    fn eq(&self, _: &Block) -> bool {
        true
    }
}
impl Eq for Block {}

impl Rng {
    fn new(key: u64, stream: u64) -> Rng {
        Rng { key, stream, taken: 0, block: Block::default() }
    }

    /// The next 32 random bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        let at = (self.taken % 16) as usize;
        if at == 0 || !self.block.ready {
            self.block.words = chacha8(self.key, self.stream, self.taken / 16);
            self.block.ready = true;
        }
        self.taken += 1;
        self.block.words[at]
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        u64::from(self.next_u32()) | u64::from(self.next_u32()) << 32
    }

    /// An even choice from `0..bound`.
    ///
    /// # Panics
    /// If `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is nothing to choose from");
        // Multiply and keep the high half; redraw in the few cases that would favour
        // small numbers.
        loop {
            let product = u64::from(self.next_u32()) * u64::from(bound);
            if product as u32 >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }

    /// An even choice of an index into something of length `len`.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(u32::try_from(len).expect("lists of games are short")) as usize
    }

    /// True with probability `numerator / denominator`.
    pub fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        self.below(denominator) < numerator
    }

    /// Puts `items` into an order in which every order is equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// One of `items`, evenly; `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.index(items.len())]) }
    }
}

/// One block of the ChaCha stream cipher, eight rounds, key padded with zeros.
fn chacha8(key: u64, nonce: u64, counter: u64) -> [u32; 16] {
    let low = |x: u64| x as u32;
    let high = |x: u64| (x >> 32) as u32;
    let start = [
        0x6170_7865,
        0x3320_646e,
        0x7962_2d32,
        0x6b20_6574,
        low(key),
        high(key),
        0,
        0,
        0,
        0,
        0,
        0,
        low(counter),
        high(counter),
        low(nonce),
        high(nonce),
    ];
    let mut x = start;
    for _ in 0..4 {
        quarter(&mut x, 0, 4, 8, 12);
        quarter(&mut x, 1, 5, 9, 13);
        quarter(&mut x, 2, 6, 10, 14);
        quarter(&mut x, 3, 7, 11, 15);
        quarter(&mut x, 0, 5, 10, 15);
        quarter(&mut x, 1, 6, 11, 12);
        quarter(&mut x, 2, 7, 8, 13);
        quarter(&mut x, 3, 4, 9, 14);
    }
    for (word, first) in x.iter_mut().zip(start) {
        *word = word.wrapping_add(first);
    }
    x
}

#[inline]
fn quarter(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_chacha8_as_published() {
        // ECRYPT test vector: 256-bit key of zeros, nonce zero, eight rounds.
        let mut rng = Rng::new(0, 0);
        let bytes: Vec<u8> = (0..8).flat_map(|_| rng.next_u32().to_le_bytes()).collect();
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e");
    }

    #[test]
    fn purposes_do_not_share_their_chance() {
        let (mut a, mut b) = (Seed(1).rng("maze"), Seed(1).rng("cheese"));
        assert_ne!(a.next_u64(), b.next_u64());
    }

    #[test]
    fn seeds_of_rounds_are_the_same_for_ever_count_up_and_have_nothing_in_common() {
        let seeds: Vec<u64> = (0..3).map(|round| Seed(42).of_round(round).0).collect();
        assert_eq!(seeds, [16347046300122742826, 15622765362803703851, 17541427302513639468]);
        for round in 0..1000 {
            let (run, here) = (Seed(u64::MAX - 500), Seed(u64::MAX - 500).of_round(round));
            assert_eq!(here.round(), (0xffff - 500 + round) & 0xffff);
            // About half of the other bits differ, whatever is changed by one.
            for other in [run.of_round(round + 1), Seed(run.0 + 1).of_round(round)] {
                let different = ((here.0 ^ other.0) >> 16).count_ones();
                assert!(different.abs_diff(24) < 22, "{here:?} {other:?}");
            }
        }
    }

    #[test]
    fn bounded_numbers_are_even() {
        let mut rng = Seed(7).rng("test");
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.index(6)] += 1;
        }
        // Six standard deviations of a binomial count with mean 10,000.
        assert!(counts.iter().all(|&n| n.abs_diff(10_000) < 550), "{counts:?}");
    }

    #[test]
    fn a_copy_continues_where_the_original_was() {
        let mut rng = Seed(3).rng("test");
        for _ in 0..21 {
            rng.next_u32();
        }
        let mut copy = Rng { block: Block::default(), ..rng.clone() };
        assert_eq!(copy, rng);
        assert_eq!(copy.next_u64(), rng.next_u64());
    }
}
