//! The set-up: every number of the game, and how a colony is shared among programs.

use std::fmt;
use std::ops::Range;

use game::SetupError;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::land::Food;

/// The most ants a player can have.
pub const MOST_ANTS: u8 = 42;
/// The most players.
pub const MOST_PLAYERS: u16 = 8;
/// The longest side of a map.
pub const LONGEST_SIDE: u16 = 300;

/// Everything that can be chosen before the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How bots are spoken to.
    pub version: Version,
    /// Columns of a generated map.
    pub width: u16,
    /// Rows of a generated map.
    pub height: u16,
    /// A given map, as rows of letters; empty for a generated one.
    pub map: String,
    /// Ants of each player.
    pub ants: u8,
    /// How a player's ants are shared among programs.
    pub programs: Programs,
    /// How often a program that fails is started anew.
    pub restarts: u32,
    /// Turns after which the game ends at the latest.
    pub max_turns: u32,
    /// Energy of an ant at the start; twice as much is the most it can have.
    pub energy: u32,
    /// Acid of an ant at the start, which is also the most it can have.
    pub acid: u32,
    /// How far an ant sees in every direction.
    pub sight: u16,
    /// Energy that a turn costs every ant.
    pub upkeep: u32,
    /// Energy that `forward` costs beside it.
    pub stride: u32,
    /// Acid that `rest` restores.
    pub recovery: u32,
    /// What eating sugar gives.
    pub sugar_energy: u32,
    /// What eating mill gives.
    pub mill_energy: u32,
    /// What eating meat gives.
    pub meat_energy: u32,
    /// Share of rock in a generated map.
    pub rock: f64,
    /// Share of water in a generated map.
    pub water: f64,
    /// Share of cells with sugar in a generated map.
    pub sugar: f64,
    /// Share of cells with mill in a generated map.
    pub mill: f64,
    /// Share of cells with meat in a generated map.
    pub meat: f64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            version: Version::Seed,
            width: 40,
            height: 30,
            map: String::new(),
            ants: 5,
            programs: Programs::Count(1),
            restarts: 0,
            max_turns: 200,
            energy: 100,
            acid: 100,
            sight: 1,
            upkeep: 1,
            stride: 1,
            recovery: 1,
            sugar_energy: 10,
            mill_energy: 20,
            meat_energy: 40,
            rock: 0.06,
            water: 0.04,
            sugar: 0.04,
            mill: 0.02,
            meat: 0.01,
        }
    }
}

impl Config {
    /// The numbers that hold during a game.
    pub fn rules(&self) -> Rules {
        Rules {
            max_turns: self.max_turns,
            energy: self.energy,
            acid: self.acid,
            sight: self.sight,
            upkeep: self.upkeep,
            stride: self.stride,
            recovery: self.recovery,
            worth: [self.sugar_energy, self.mill_energy, self.meat_energy],
        }
    }

    /// Whether every number makes sense.
    pub(super) fn check(&self, players: u16) -> Result<(), SetupError> {
        let wrong = |what: String| Err(SetupError::new(what));
        if !(2..=MOST_PLAYERS).contains(&players) {
            return wrong(format!("ants is for 2 to {MOST_PLAYERS} players, not {players}"));
        }
        let ranges = [
            ("ants", u32::from(self.ants), 1, u32::from(MOST_ANTS)),
            ("energy", self.energy, 1, 1000),
            ("acid", self.acid, 1, 1000),
            ("max_turns", self.max_turns, 1, 100_000),
            ("sight", self.sight.into(), 1, 10),
            ("upkeep", self.upkeep, 0, 1000),
            ("stride", self.stride, 0, 1000),
            ("recovery", self.recovery, 0, 1000),
            ("sugar_energy", self.sugar_energy, 0, 1000),
            ("mill_energy", self.mill_energy, 0, 1000),
            ("meat_energy", self.meat_energy, 0, 1000),
            ("width", self.width.into(), 1, LONGEST_SIDE.into()),
            ("height", self.height.into(), 1, LONGEST_SIDE.into()),
        ];
        for (name, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                return wrong(format!("{name} is {least} to {most}, not {value}"));
            }
        }
        let shares = [
            ("rock", self.rock),
            ("water", self.water),
            ("sugar", self.sugar),
            ("mill", self.mill),
            ("meat", self.meat),
        ];
        for (name, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return wrong(format!("{name} is a share of the cells, 0 to 1, not {share}"));
            }
        }
        let total: f64 = shares.iter().map(|(_, share)| share).sum();
        if total > 0.8 {
            return wrong(format!(
                "rock, water, sugar, mill and meat together may take 0.8 of the cells, not {total}"
            ));
        }
        self.programs.blocks(self.ants).map(drop)
    }
}

/// The numbers that hold during a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Turns after which the game ends at the latest.
    pub max_turns: u32,
    /// Energy at the start.
    pub energy: u32,
    /// Acid at the start, and the most there can be.
    pub acid: u32,
    /// How far an ant sees.
    pub sight: u16,
    /// What a turn costs.
    pub upkeep: u32,
    /// What `forward` costs beside it.
    pub stride: u32,
    /// What `rest` restores.
    pub recovery: u32,
    /// What food gives, by kind.
    pub worth: [u32; 3],
}

impl Rules {
    /// What eating this gives.
    pub fn worth(&self, food: Food) -> u32 {
        self.worth[food as usize]
    }

    /// The most energy an ant can have.
    pub fn most_energy(&self) -> u32 {
        2 * self.energy
    }
}

/// How bots are spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// As the published document says.
    Seed,
    /// As known clients do, which see foreign ants.
    Two,
}

impl Version {
    /// Its name in set-ups.
    pub fn name(self) -> &'static str {
        match self {
            Version::Seed => "seed",
            Version::Two => "2",
        }
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// `version=2` on a command line is a number, in a file it may be a text.
impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = Version;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"seed\" or \"2\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Version, E> {
                match text {
                    "seed" => Ok(Version::Seed),
                    "2" => Ok(Version::Two),
                    other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
                }
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Version, E> {
                match number {
                    2 => Ok(Version::Two),
                    other => Err(E::invalid_value(de::Unexpected::Unsigned(other), &self)),
                }
            }
        }
        deserializer.deserialize_any(Words)
    }
}

/// How a player's ants are shared among programs: in blocks of ids that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// So many blocks, as equal as can be, larger ones first.
    Count(u8),
    /// The size of each block.
    Sizes(Vec<u8>),
}

impl Programs {
    /// The ids of each program.
    pub fn blocks(&self, ants: u8) -> Result<Vec<Range<u8>>, SetupError> {
        let sizes = match self {
            Programs::Count(count) => {
                if !(1..=ants).contains(count) {
                    return Err(SetupError::new(format!(
                        "programs is 1 to {ants}, the number of ants, not {count}"
                    )));
                }
                (0..*count).map(|block| ants / count + u8::from(block < ants % count)).collect()
            }
            Programs::Sizes(sizes) => sizes.clone(),
        };
        let total: u32 = sizes.iter().map(|size| u32::from(*size)).sum();
        if total != u32::from(ants) || sizes.contains(&0) {
            return Err(SetupError::new(format!(
                "programs = {sizes:?} must be numbers from 1 on that add up to {ants}, the number \
                 of ants"
            )));
        }
        let mut next = 0;
        let block = |size: u8| {
            let first = next;
            next += size;
            first..next
        };
        Ok(sizes.into_iter().map(block).collect())
    }
}

impl Serialize for Programs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Programs::Count(count) => serializer.serialize_u8(*count),
            Programs::Sizes(sizes) => sizes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Programs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Programs, D::Error> {
        struct Blocks;
        impl<'de> Visitor<'de> for Blocks {
            type Value = Programs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of programs, or the number of ants of each: [3,2]")
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Programs, E> {
                match u8::try_from(number) {
                    Ok(count) => Ok(Programs::Count(count)),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Programs, A::Error> {
                let mut sizes = Vec::new();
                while let Some(size) = list.next_element()? {
                    sizes.push(size);
                }
                Ok(Programs::Sizes(sizes))
            }
        }
        deserializer.deserialize_any(Blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(json: &str, ants: u8) -> Result<Vec<Range<u8>>, String> {
        let programs: Programs = serde_json::from_str(json).map_err(|error| error.to_string())?;
        programs.blocks(ants).map_err(|error| error.to_string())
    }

    #[test]
    fn programs_are_blocks_of_ids_that_follow_each_other() {
        assert_eq!(blocks("1", 5).map(|list| (list.len(), list[0].clone())), Ok((1, 0..5)));
        assert_eq!(blocks("[3,2]", 5), Ok(vec![0..3, 3..5]));
        assert_eq!(blocks("3", 5), Ok(vec![0..2, 2..4, 4..5]));
        assert_eq!(blocks("42", 42).map(|list| list.len()), Ok(42));
        for wrong in ["0", "6", "256", "[]", "[3,3]", "[5,0]", "[255,6]", "-1", "\"2\"", "[2.5]"] {
            assert!(blocks(wrong, 5).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_version_is_a_word_or_the_number_two() {
        for (json, version) in [("\"seed\"", Version::Seed), ("\"2\"", Version::Two)] {
            assert_eq!(serde_json::from_str::<Version>(json).expect("sound"), version);
            assert_eq!(serde_json::to_string(&version).expect("plain"), json);
        }
        assert_eq!(serde_json::from_str::<Version>("2").expect("sound"), Version::Two);
        for wrong in ["1", "\"3\"", "\"\"", "null"] {
            assert!(serde_json::from_str::<Version>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        let check = |change: fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            config.check(2).map_err(|error| error.to_string())
        };
        assert_eq!(check(|_| {}), Ok(()));
        let refused = |change: fn(&mut Config), name: &str| {
            let error = check(change).expect_err(name);
            assert!(error.starts_with(name), "{error}");
        };
        refused(|config| config.ants = 43, "ants is 1 to 42");
        refused(|config| config.ants = 0, "ants");
        refused(|config| config.acid = 1001, "acid is 1 to 1000");
        refused(|config| config.energy = 0, "energy");
        refused(|config| config.width = 301, "width is 1 to 300");
        refused(|config| config.rock = f64::NAN, "rock");
        refused(|config| config.sugar = -0.1, "sugar");
        refused(|config| config.meat = 0.75, "rock, water, sugar, mill and meat");
        assert!(Config::default().check(1).is_err());
        assert!(Config::default().check(9).is_err());
    }
}
