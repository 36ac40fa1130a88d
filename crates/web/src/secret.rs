//! Secrets that say who may look: made at random, compared in constant time.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// 128 random bits, which somebody has to know.
pub(crate) struct Secret([u8; 16]);

impl Secret {
    /// A new one, from the system.
    pub(crate) fn new() -> io::Result<Secret> {
        let mut bytes = [0; 16];
        let mut filled = 0;
        while filled < bytes.len() {
            filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
        }
        Ok(Secret(bytes))
    }

    /// As it stands in an address or a cookie.
    pub(crate) fn words(&self) -> String {
        self.0.iter().fold(String::new(), |mut words, byte| {
            write!(words, "{byte:02x}").expect("a string grows");
            words
        })
    }

    /// Whether somebody knows it. Takes equally long for every guess of the right length.
    pub(crate) fn is(&self, guess: &str) -> bool {
        let words = self.words();
        let pairs = words.bytes().zip(guess.bytes());
        let different = pairs.fold(0, |different, (a, b)| black_box(different | (a ^ b)));
        words.len() == guess.len() && different == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_secret_is_it() {
        let secret = Secret::new().expect("the system has chance");
        let words = secret.words();
        assert_eq!(words.len(), 32);
        assert!(secret.is(&words));
        for wrong in ["", &words[1..], &format!("{words}0"), &words.replace(&words[..1], "x")] {
            assert!(!secret.is(wrong), "{wrong}");
        }
        assert!(!secret.is(&Secret::new().expect("again").words()));
    }
}
