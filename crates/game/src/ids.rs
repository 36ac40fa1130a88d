//! Newtypes for the two kinds of participant, so that they cannot be mixed up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One program entered in a match, by its seat number: 0 is the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlayerId(pub u16);

/// One living thing in a game that is asked for actions.
///
/// Usually there is one per player and the numbers agree; in a world with births and
/// deaths a player owns many actors, and an id is never used twice in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ActorId(pub u32);

impl PlayerId {
    /// This player's place in per-player lists.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl ActorId {
    /// Where this actor is in a list that is in ascending order of actors. Where no id is missing
    /// before it, one look finds it.
    #[inline]
    pub fn place_in<T>(self, list: &[T], actor: impl Fn(&T) -> ActorId) -> Option<usize> {
        let after = self.0.checked_sub(actor(list.first()?).0)? as usize;
        match list.get(after) {
            Some(there) if actor(there) == self => Some(after),
            Some(_) | None => self.search_in(list, after, actor),
        }
    }

    /// The same where ids are missing. No id comes twice, so that this one cannot be further from
    /// the first and the last one than their ids are apart.
    fn search_in<T>(
        self,
        list: &[T],
        after: usize,
        actor: impl Fn(&T) -> ActorId,
    ) -> Option<usize> {
        let before = actor(list.last()?).0.checked_sub(self.0)? as usize;
        let end = list.len() - 1;
        let from = end.saturating_sub(before);
        let places = list.get(from..=after.min(end))?;
        places.binary_search_by_key(&self, actor).ok().map(|place| from + place)
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", self.0 + 1)
    }
}

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "actor {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_found_wherever_ids_are_missing() {
        let lists: [&[u32]; 6] = [&[], &[7], &[0, 1, 2, 3], &[5, 6, 9, 10], &[2, 40, 41], &[0, 9]];
        for list in lists {
            for id in 0..50 {
                let place = ActorId(id).place_in(list, |&id| ActorId(id));
                assert_eq!(place, list.iter().position(|&other| other == id), "{id} in {list:?}");
            }
        }
    }
}
