//! Games that are drawn up together. Only who meets whom is kept: a game is made when it is asked
//! for, so that a schedule of millions of games takes little room.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use game::Seed;

use super::{BotId, Chance, Plan, seating};

/// One game of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// The round it belongs to, from 0.
    pub round: u32,
    /// Which set of rotations within the meeting of these bots in this round.
    pub set: u32,
    /// Which rotation of the set.
    pub rotation: u32,
    /// Those who meet.
    pub group: Vec<BotId>,
    /// The same by seat.
    pub seating: Vec<BotId>,
    /// Which set-up is played.
    pub variant: usize,
    /// What its seed is made of.
    chance: RoundChance,
}

/// The seed of an event and the number of a round in it. The seed of a game is made of them when
/// somebody asks for it: that of a finished game is rarely needed, and there are many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RoundChance {
    event_seed: u64,
    round: u64,
}

/// What tells a game of a schedule from all others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(pub String);

impl fmt::Display for GameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A key taken apart.
pub(crate) struct KeyParts {
    pub(super) round: u32,
    pub(super) set: u32,
    pub(super) rotation: u32,
    pub(super) group: Vec<BotId>,
}

impl GameKey {
    /// Its parts, if it is written as we write keys.
    pub(crate) fn parts(&self) -> Option<KeyParts> {
        let (place, bots) = self.0.split_once(':')?;
        let mut numbers = place.splitn(3, '.').map(|number| number.parse().ok());
        let (round, set) = (numbers.next()??, numbers.next()??);
        let rotation = numbers.next()??;
        let group: Option<Vec<BotId>> =
            bots.split('-').map(|bot| bot.parse().ok().map(BotId)).collect();
        Some(KeyParts { round, set, rotation, group: group? })
    }

    /// The round it belongs to, from 0.
    pub fn round(&self) -> Option<u32> {
        Some(self.parts()?.round)
    }
}

impl Fixture {
    /// Where the game's chance comes from: the same for all rotations of a set, or for a pair of
    /// them ([`Chance`]).
    pub fn seed(&self) -> Seed {
        Seed(self.chance.event_seed).of_round(self.chance.round)
    }

    /// Whether two games are rotations of the same set.
    pub fn shares_set(&self, other: &Fixture) -> bool {
        (self.round, self.set, &self.group) == (other.round, other.set, &other.group)
    }

    /// Its key: round, set, rotation and the bots, which later additions do not change.
    pub fn key(&self) -> GameKey {
        let bots: Vec<String> = self.group.iter().map(|bot| bot.0.to_string()).collect();
        GameKey(format!("{}.{}.{}:{}", self.round, self.set, self.rotation, bots.join("-")))
    }
}

/// Games that are drawn up together: meetings of so many games each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    round: u32,
    /// The first set of every meeting.
    set: u32,
    /// Games of a meeting.
    games: u32,
    meetings: Arc<Meetings>,
}

/// Who meets whom. Stages in which the same bots meet share it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Meetings {
    seats: usize,
    /// One group after another.
    bots: Vec<BotId>,
    seed: u64,
    /// Which set-up each of so many sets has, one after another.
    variants: Vec<usize>,
    sets_a_round: u64,
    chance: Chance,
}

impl Meetings {
    pub(super) fn new(plan: &Plan, groups: &[Vec<BotId>]) -> Arc<Meetings> {
        Arc::new(Meetings {
            seats: plan.seats,
            bots: groups.concat(),
            seed: plan.seed,
            variants: plan.turns_of_variants(),
            sets_a_round: plan.sets_a_round(),
            chance: plan.chance,
        })
    }
}

impl Stage {
    pub(super) fn new(round: u32, set: u32, games: u32, meetings: Arc<Meetings>) -> Stage {
        Stage { round, set, games, meetings }
    }

    /// Which game of a meeting has this set and rotation, if it is one of this stage.
    pub(super) fn within_meeting(&self, round: u32, set: u32, rotation: u32) -> Option<u32> {
        let seats = self.meetings.seats as u32;
        let within = set.checked_sub(self.set)?.checked_mul(seats)?.checked_add(rotation)?;
        let is_here = round == self.round && within < self.games && rotation < seats;
        is_here.then_some(within)
    }

    /// Who meets whom, for another stage with the same meetings.
    pub(super) fn meetings(&self) -> Arc<Meetings> {
        self.meetings.clone()
    }

    /// The round its games belong to, from 0.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The first set of every meeting.
    pub(super) fn set(&self) -> u32 {
        self.set
    }

    /// The groups that meet.
    pub fn groups(&self) -> impl Iterator<Item = &[BotId]> {
        self.meetings.bots.chunks(self.meetings.seats)
    }

    /// Games of a meeting.
    pub fn games_a_meeting(&self) -> u32 {
        self.games
    }

    /// How many games it has.
    pub fn len(&self) -> u64 {
        (self.meetings.bots.len() / self.meetings.seats) as u64 * u64::from(self.games)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The game in this place.
    pub fn get(&self, place: u64) -> Option<Fixture> {
        let Meetings { seats, bots, seed, variants, sets_a_round, chance } = &*self.meetings;
        let (meeting, game) =
            (place / u64::from(self.games), (place % u64::from(self.games)) as u32);
        let first = usize::try_from(meeting).ok()?.checked_mul(*seats)?;
        let group = bots.get(first..first + seats)?;
        let set = self.set + game / *seats as u32;
        let rotation = game % *seats as u32;
        let seating = seating::seats(group, self.round + set, rotation);
        // Each round has the same sets for everybody: the luck of a set-up is shared.
        let number = u64::from(self.round) * sets_a_round + u64::from(set);
        let luck = match chance {
            Chance::OfSets => number,
            Chance::OfPairs => {
                let seat = seating.iter().position(|bot| *bot == group[0]).unwrap_or(0);
                number * seats.div_ceil(2) as u64 + seat.min(seats - 1 - seat) as u64
            }
        };
        Some(Fixture {
            round: self.round,
            set,
            rotation,
            group: group.to_vec(),
            seating,
            variant: variants[(luck % variants.len() as u64) as usize],
            chance: RoundChance { event_seed: *seed, round: luck },
        })
    }

    /// The place of a game, if it is one of these.
    pub fn place(&self, game: &Fixture) -> Option<u64> {
        let within = self.within_meeting(game.round, game.set, game.rotation)?;
        let meeting = self.groups().position(|group| group == game.group)?;
        Some(meeting as u64 * u64::from(self.games) + u64::from(within))
    }

    /// The game whose key has these parts, if it is one of these.
    pub(crate) fn find(&self, key: &KeyParts) -> Option<Fixture> {
        let within = self.within_meeting(key.round, key.set, key.rotation)?;
        let meeting = self.groups().position(|group| group == key.group)?;
        self.get(meeting as u64 * u64::from(self.games) + u64::from(within))
    }

    /// Its games, one after another.
    pub fn iter(&self) -> StageGames<'_> {
        StageGames { stage: self, places: 0..self.len() }
    }
}

/// The games of a stage.
#[derive(Clone)]
pub struct StageGames<'s> {
    stage: &'s Stage,
    places: Range<u64>,
}

impl Iterator for StageGames<'_> {
    type Item = Fixture;

    fn next(&mut self) -> Option<Fixture> {
        self.stage.get(self.places.next()?)
    }

    fn nth(&mut self, skipped: usize) -> Option<Fixture> {
        self.stage.get(self.places.nth(skipped)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<'s> IntoIterator for &'s Stage {
    type Item = Fixture;
    type IntoIter = StageGames<'s>;

    fn into_iter(self) -> StageGames<'s> {
        self.iter()
    }
}
