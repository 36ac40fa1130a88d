//! The numbers of games in a schedule, by their keys, without a list of all games.

use std::collections::HashMap;
use std::sync::Arc;

use super::stage::Meetings;
use super::{BotId, Fixture, GameKey, Stage};

/// The stages of a schedule, ready to say which number a game has.
pub struct Numbering {
    stages: Vec<Stage>,
    /// How many games come before each stage.
    before: Vec<u64>,
    /// The stages of each round.
    rounds: HashMap<u32, Vec<usize>>,
    /// Where a group stands among the meetings of a stage that has many. Stages with the same
    /// meetings share it.
    groups: Vec<Option<GroupIndex>>,
}

type GroupIndex = Arc<HashMap<Vec<BotId>, u64>>;

/// Among so few meetings a group is found as fast without an index.
const FEW: usize = 8;

impl Numbering {
    /// The numbers of the games of these stages.
    pub fn new(stages: Vec<Stage>) -> Numbering {
        let mut known: HashMap<*const Meetings, GroupIndex> = HashMap::new();
        let mut numbering = Numbering {
            before: Vec::with_capacity(stages.len()),
            rounds: HashMap::new(),
            groups: Vec::with_capacity(stages.len()),
            stages: Vec::new(),
        };
        let mut before = 0;
        for (index, stage) in stages.iter().enumerate() {
            numbering.before.push(before);
            before += stage.len();
            numbering.rounds.entry(stage.round()).or_default().push(index);
            let groups = || (0..).zip(stage.groups()).map(|(at, group)| (group.to_vec(), at));
            let groups = (stage.groups().nth(FEW).is_some()).then(|| {
                let of_meetings = known.entry(Arc::as_ptr(&stage.meetings()));
                of_meetings.or_insert_with(|| Arc::new(groups().collect())).clone()
            });
            numbering.groups.push(groups);
        }
        numbering.stages = stages;
        numbering
    }

    /// The number of a game, from 1, if the schedule has it.
    pub fn number(&self, key: &GameKey) -> Option<u64> {
        let parts = key.parts()?;
        self.rounds.get(&parts.round)?.iter().find_map(|&at| {
            let stage = &self.stages[at];
            let within = stage.within_meeting(parts.round, parts.set, parts.rotation)?;
            let meeting = match &self.groups[at] {
                Some(groups) => *groups.get(&parts.group)?,
                None => stage.groups().position(|group| group == parts.group)? as u64,
            };
            let place = meeting * u64::from(stage.games_a_meeting()) + u64::from(within);
            Some(self.before[at] + place + 1)
        })
    }

    /// The game of a number, from 1.
    pub fn game(&self, number: u64) -> Option<Fixture> {
        let place = number.checked_sub(1)?;
        let at = self.before.partition_point(|before| *before <= place).checked_sub(1)?;
        self.stages[at].get(place - self.before[at])
    }

    /// All games, in order.
    pub fn games(&self) -> impl Iterator<Item = Fixture> {
        self.stages.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Format, Plan, Results};

    #[test]
    fn every_game_has_the_number_of_its_place() {
        for (format, seats) in [
            (Format::RoundRobin { rounds: 3 }, 2),
            (Format::RoundRobin { rounds: 2 }, 3),
            (Format::Gauntlet { rounds: 4, challengers: 1 }, 2),
        ] {
            // One of them has joined later.
            let plan = Plan::new(format, seats, 7, vec![0, 0, 0, 0, 0, 0, 1]);
            let numbering = Numbering::new(plan.stages(&Results::new()));
            assert!(numbering.games().count() > 20, "{format:?}");
            for (number, fixture) in (1..).zip(numbering.games()) {
                assert_eq!(numbering.number(&fixture.key()), Some(number), "{format:?}");
                assert_eq!(numbering.game(number).as_ref(), Some(&fixture), "{format:?}");
            }
        }
    }

    #[test]
    fn a_game_that_is_not_in_the_schedule_has_no_number() {
        let plan = Plan::new(Format::RoundRobin { rounds: 1 }, 2, 7, vec![0; 3]);
        let numbering = Numbering::new(plan.stages(&Results::new()));
        for key in ["9.0.0:0-1", "0.0.2:0-1", "0.0.0:0-7", "0.0:0-1", "x", "0.0.0:1-1"] {
            assert_eq!(numbering.number(&GameKey(key.to_owned())), None, "{key}");
        }
        assert_eq!((numbering.game(0), numbering.game(7)), (None, None));
    }
}
