//! `[cluster]` of a tournament file: how far workers are trusted, and how machines of different speed
//! are treated.

use serde::Deserialize;
use serde::de::{Error as _, Unexpected, Visitor};

/// How a tournament is played on many machines. On one machine it does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClusterTerms {
    /// Which replays are played again before their results count.
    pub verify: VerifiedShare,
    /// The share of games that are repeated on another worker, and compared.
    pub repeat: f64,
    /// What becomes of workers of different speed.
    pub speed: SpeedRule,
}

/// Which replays of workers are played again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum VerifiedShare {
    /// All.
    #[default]
    All,
    /// This share of them, drawn when they have come.
    Some(f64),
}

/// What becomes of workers of different speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpeedRule {
    /// All play by the same clock.
    #[default]
    Any,
    /// Only workers that are about as fast as the first one play.
    Class,
    /// Time limits are multiplied by how much slower a worker is than the first one.
    Scale,
}

/// The keys of the section.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClusterSection {
    verify: Option<VerifyKey>,
    repeat: Option<f64>,
    speed: Option<SpeedRule>,
}

/// `"all"` or a share.
#[derive(Clone, Copy)]
struct VerifyKey(VerifiedShare);

impl<'de> Deserialize<'de> for VerifyKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<VerifyKey, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = VerifyKey;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"all\" or a share above 0, as in 0.1")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<VerifyKey, E> {
                match word {
                    "all" => Ok(VerifyKey(VerifiedShare::All)),
                    _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
                }
            }
            fn visit_f64<E: serde::de::Error>(self, share: f64) -> Result<VerifyKey, E> {
                match share {
                    1.0 => Ok(VerifyKey(VerifiedShare::All)),
                    _ => Ok(VerifyKey(VerifiedShare::Some(share))),
                }
            }
            fn visit_i64<E: serde::de::Error>(self, share: i64) -> Result<VerifyKey, E> {
                self.visit_f64(share as f64)
            }
        }
        deserializer.deserialize_any(Words).map_err(D::Error::custom)
    }
}

impl ClusterSection {
    /// What the keys come to, or why they cannot.
    pub(crate) fn terms(self) -> Result<ClusterTerms, String> {
        let VerifyKey(verify) = self.verify.unwrap_or(VerifyKey(VerifiedShare::All));
        if let VerifiedShare::Some(share) = verify
            && !(share > 0.0 && share <= 1.0)
        {
            return Err(format!(
                "verify under [cluster] is \"all\" or a share above 0 and at most 1, not {share}: \
                 with nothing verified a worker could send any result"
            ));
        }
        let repeat = self.repeat.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&repeat) {
            return Err(format!(
                "repeat under [cluster] is a share of games within 0 to 1, not {repeat}: a game is \
                 repeated at most once"
            ));
        }
        Ok(ClusterTerms { verify, repeat, speed: self.speed.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Result<ClusterTerms, String> {
        let section: ClusterSection = toml::from_str(text).map_err(|error| error.to_string())?;
        section.terms()
    }

    #[test]
    fn without_keys_everything_is_verified_and_nothing_repeated() {
        let usual = terms("").expect("nothing is needed");
        assert_eq!(usual, ClusterTerms::default());
        assert_eq!(usual.verify, VerifiedShare::All);
        let all = terms("verify = 'all'\nrepeat = 0.02\nspeed = 'scale'").expect("they are fine");
        assert_eq!((all.verify, all.repeat), (VerifiedShare::All, 0.02));
        assert_eq!(all.speed, SpeedRule::Scale);
        assert_eq!(terms("verify = 0.1").expect("a share").verify, VerifiedShare::Some(0.1));
        assert_eq!(terms("verify = 1").expect("a share").verify, VerifiedShare::All);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_reason() {
        for (text, why) in [
            ("verify = 0", "a worker could send any result"),
            ("verify = -0.5", "a share above 0"),
            ("verify = 1.5", "at most 1"),
            ("verify = nan", "a share above 0"),
            ("verify = 'some'", "\"all\" or a share"),
            ("verify = true", "\"all\" or a share"),
            ("repeat = 2", "at most once"),
            ("repeat = -0.1", "within 0 to 1"),
            ("speed = 'fast'", "unknown variant"),
            ("trust = 1", "unknown field"),
        ] {
            let error = terms(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
