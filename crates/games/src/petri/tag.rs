//! The names of agents in messages.

use std::fmt;
use std::str::FromStr;

use game::{ActorId, Seed};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An agent's name: three letters and three digits, such as `abc123`.
///
/// It is the agent's number in disguise: different numbers have different names, and a name
/// tells nothing of whose the agent is or when it was born. It is safe as a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u64);

/// So many names have six characters.
const SHORT: u32 = 26 * 26 * 26 * 1000;

/// The next power of four above [`SHORT`], as half its number of bits.
const HALF: u32 = 13;

/// No name is longer: six characters, and three digits when millions have been born before.
pub(super) const LONGEST: usize = 9;

impl Tag {
    /// The name of the agent with this number in the game with this seed.
    pub fn of(seed: Seed, actor: ActorId) -> Tag {
        let (round, mut place) = (actor.0 / SHORT, actor.0 % SHORT);
        // A shuffle of a few more numbers than there are names, repeated until one of those
        // comes up: the result is a shuffle of the names.
        loop {
            place = shuffled(seed, place);
            if place < SHORT {
                return Tag(u64::from(round) * u64::from(SHORT) + u64::from(place));
            }
        }
    }

    /// Writes the name to the end of `bytes`.
    pub(super) fn write(self, bytes: &mut Vec<u8>) {
        let place = (self.0 % u64::from(SHORT)) as u32;
        let round = self.0 / u64::from(SHORT);
        let (letters, digits) = (place / 1000, place % 1000);
        let letter = |unit: u32| b'a' + (letters / unit % 26) as u8;
        let digit = |unit: u32| b'0' + (digits / unit % 10) as u8;
        bytes.extend([letter(676), letter(26), letter(1), digit(100), digit(10), digit(1)]);
        if round > 0 {
            crate::digits::digits(bytes, round as i64);
        }
    }
}

/// A Feistel network: whatever its round function is, no two numbers become the same.
fn shuffled(seed: Seed, number: u32) -> u32 {
    const MASK: u32 = (1 << HALF) - 1;
    let (mut left, mut right) = (number >> HALF, number & MASK);
    for round in 0..4 {
        let key = seed.0 ^ (u64::from(right) << 8 | round);
        // Spreads the bits of the key; any odd number with many ones will do.
        let noise = (key ^ key >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (left, right) = (right, left ^ (noise >> 40) as u32 & MASK);
    }
    left << HALF | right
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(LONGEST);
        self.write(&mut bytes);
        f.pad(&String::from_utf8_lossy(&bytes))
    }
}

impl FromStr for Tag {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Tag, &'static str> {
        const WRONG: &str = "an agent is called by three letters and three digits: abc123";
        let bytes = text.as_bytes();
        let (Some(letters), Some(digits)) = (bytes.get(..3), bytes.get(3..6)) else {
            return Err(WRONG);
        };
        let letters = letters.iter().try_fold(0, |sum, byte| {
            byte.is_ascii_lowercase().then(|| sum * 26 + u32::from(byte - b'a'))
        });
        let number = |digits: &[u8]| {
            digits.iter().try_fold(0, |sum: u32, byte| {
                byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0'))
            })
        };
        let round = match &bytes[6..] {
            [] => Some(0),
            [b'0', ..] => None,
            more if bytes.len() <= LONGEST => number(more),
            _ => None,
        };
        let (Some(letters), Some(digits), Some(round)) = (letters, number(digits), round) else {
            return Err(WRONG);
        };
        let place = u64::from(letters * 1000 + digits);
        Ok(Tag(u64::from(round) * u64::from(SHORT) + place))
    }
}

impl Serialize for Tag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tag, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_agents_share_a_name() {
        for seed in [0, 1, 42, u64::MAX] {
            let tags: HashSet<Tag> =
                (0..100_000).map(|number| Tag::of(Seed(seed), ActorId(number))).collect();
            assert_eq!(tags.len(), 100_000, "seed {seed}");
        }
    }

    #[test]
    fn every_number_has_a_name_that_is_read_back() {
        for number in [0, 1, SHORT - 1, SHORT, 5 * SHORT + 17, u32::MAX] {
            let tag = Tag::of(Seed(7), ActorId(number));
            let name = tag.to_string();
            assert_eq!(name.parse(), Ok(tag));
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
            assert!((6..=LONGEST).contains(&name.len()), "{name}");
        }
        for wrong in ["", "abc12", "ABC123", "123abc", "abc1230", "abc1239999", "abc12\u{e9}"] {
            assert!(wrong.parse::<Tag>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_of_brothers_are_not_alike() {
        let first: Vec<String> =
            (0..8).map(|number| Tag::of(Seed(1), ActorId(number)).to_string()).collect();
        let letters: HashSet<&str> = first.iter().map(|name| &name[..3]).collect();
        assert_eq!(letters.len(), 8, "{first:?}");
        assert!(!first.is_sorted());
    }
}
