//! The ranks of finished games, by their keys, in little room: a run may have millions.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Fixture, GameKey};

/// The ranks of finished games, by seat.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Keys of games of two, in numbers: by far the most.
    packed: HashMap<Packed, u32>,
    /// All others.
    other: HashMap<GameKey, u32>,
    /// All ranks there are; a game has the number of one.
    patterns: Vec<Arc<[u16]>>,
    numbers: HashMap<Arc<[u16]>, u32>,
}

/// Round, set and rotation in one number each, as far as they fit, and two bots.
type Packed = [u32; 4];

/// Sets and rotations share a number.
fn packed_parts(round: u32, set: u32, rotation: u32, bots: [u32; 2]) -> Option<Packed> {
    let (set, rotation) = (u16::try_from(set).ok()?, u16::try_from(rotation).ok()?);
    Some([round, u32::from(set) << 16 | u32::from(rotation), bots[0], bots[1]])
}

/// A key in numbers, if it is one of ours of two bots, written as we write it.
fn packed(key: &str) -> Option<Packed> {
    let number = |text: &str| -> Option<u32> {
        let plain = text == "0" || !text.starts_with(['0', '+']);
        text.parse().ok().filter(|_| plain)
    };
    let (place, bots) = key.split_once(':')?;
    let (one, other) = bots.split_once('-')?;
    let mut parts = place.split('.');
    let (round, set) = (number(parts.next()?)?, number(parts.next()?)?);
    let rotation = number(parts.next()?)?;
    if parts.next().is_some() {
        return None;
    }
    packed_parts(round, set, rotation, [number(one)?, number(other)?])
}

impl Results {
    /// No results.
    pub fn new() -> Results {
        Results::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packed.len() + self.other.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranks of a game.
    pub fn get(&self, key: &GameKey) -> Option<&[u16]> {
        let number = match packed(&key.0) {
            Some(packed) => self.packed.get(&packed),
            None => self.other.get(key),
        };
        number.map(|number| &*self.patterns[*number as usize])
    }

    /// The same for a game of a schedule.
    pub fn of(&self, game: &Fixture) -> Option<&[u16]> {
        if let [one, other] = game.group[..]
            && let Some(packed) =
                packed_parts(game.round, game.set, game.rotation, [one.0, other.0])
        {
            let number = self.packed.get(&packed)?;
            return Some(&self.patterns[*number as usize]);
        }
        self.get(&game.key())
    }

    /// Whether a game is finished.
    pub fn contains_key(&self, key: &GameKey) -> bool {
        self.get(key).is_some()
    }

    /// The same for a game of a schedule.
    pub fn has(&self, game: &Fixture) -> bool {
        self.of(game).is_some()
    }

    /// Adds the ranks of a game, or changes them. True if it had none.
    pub fn insert(&mut self, key: GameKey, ranks: impl AsRef<[u16]>) -> bool {
        let number = self.number(ranks.as_ref());
        let before = match packed(&key.0) {
            Some(packed) => self.packed.insert(packed, number),
            None => self.other.insert(key, number),
        };
        before.is_none()
    }

    /// Takes the ranks of a game away.
    pub fn remove(&mut self, key: &GameKey) -> Option<Vec<u16>> {
        let number = match packed(&key.0) {
            Some(packed) => self.packed.remove(&packed),
            None => self.other.remove(key),
        };
        number.map(|number| self.patterns[number as usize].to_vec())
    }

    fn number(&mut self, ranks: &[u16]) -> u32 {
        if let Some(number) = self.numbers.get(ranks) {
            return *number;
        }
        let (ranks, number): (Arc<[u16]>, u32) = (ranks.into(), self.patterns.len() as u32);
        self.patterns.push(ranks.clone());
        self.numbers.insert(ranks, number);
        number
    }

    /// Every game with its ranks, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (GameKey, &[u16])> {
        let packed = self.packed.iter().map(|(&[round, both, one, other], number)| {
            let (set, rotation) = (both >> 16, both & 0xffff);
            (GameKey(format!("{round}.{set}.{rotation}:{one}-{other}")), number)
        });
        let other = self.other.iter().map(|(key, number)| (key.clone(), number));
        packed.chain(other).map(|(key, number)| (key, &*self.patterns[*number as usize]))
    }
}

impl PartialEq for Results {
    fn eq(&self, other: &Results) -> bool {
        self.len() == other.len() && self.iter().all(|(key, ranks)| other.get(&key) == Some(ranks))
    }
}

impl Eq for Results {}

impl<R: AsRef<[u16]>> FromIterator<(GameKey, R)> for Results {
    fn from_iter<I: IntoIterator<Item = (GameKey, R)>>(games: I) -> Results {
        let mut results = Results::new();
        for (key, ranks) in games {
            results.insert(key, ranks);
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Format, Plan};

    #[test]
    fn keys_of_all_kinds_are_told_apart_and_come_back_as_they_were() {
        let keys = [
            "0.0.0:0-1",
            "0.0.1:0-1",
            "0.1.0:0-1",
            "1.0.0:0-1",
            "0.0.0:1-0",
            "0.0.0:0-1-2",
            "0.65535.1:4-9",
            "0.65536.1:4-9",
            "4294967295.0.0:7-8",
            "00.0.0:0-1",
            "0.0.0:0-01",
            "+1.0.0:0-1",
            "k",
            "",
            "0.0.0.0:0-1",
            "9999999999.0.0:0-1",
        ];
        let keys: Vec<GameKey> = keys.iter().map(|key| GameKey((*key).to_owned())).collect();
        let mut results = Results::new();
        for (number, key) in (1..).zip(&keys) {
            assert!(results.insert(key.clone(), [number, 2]), "{key}");
        }
        assert_eq!(results.len(), keys.len());
        for (number, key) in (1..).zip(&keys) {
            assert_eq!(results.get(key), Some(&[number, 2][..]), "{key}");
        }
        let mut back: Vec<GameKey> = results.iter().map(|(key, _)| key).collect();
        let mut all = keys.clone();
        back.sort();
        all.sort();
        assert_eq!(back, all);
        assert_eq!(results.remove(&keys[0]), Some(vec![1, 2]));
        assert_eq!(results.remove(&keys[0]), None);
        assert_eq!(results.len(), keys.len() - 1);
    }

    #[test]
    fn a_game_is_found_by_itself_as_by_its_key() {
        for (seats, bots) in [(2, 5), (3, 5)] {
            let plan = Plan::new(Format::RoundRobin { rounds: 4 }, seats, 1, vec![0; bots]);
            let mut results = Results::new();
            for game in plan.stages(&Results::new()).iter().flatten().step_by(3) {
                results.insert(game.key(), vec![1; seats]);
            }
            for game in plan.stages(&Results::new()).iter().flatten() {
                assert_eq!(results.of(&game), results.get(&game.key()), "{}", game.key());
            }
        }
    }
}
