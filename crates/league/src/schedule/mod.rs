//! Who meets whom: a pure function of what is planned and of the results so far.
//!
//! A schedule is made of stages. A stage is drawn up once, from the results of the stages it rests
//! on, and only when all of these are there; so it does not matter in which order games finish,
//! or how often the host was stopped in between.

mod amendments;
mod double;
mod duels;
mod grouping;
mod groups;
mod knockout;
mod ladder;
mod matching;
mod numbering;
mod plan_check;
mod results;
mod round_robin;
mod rounds;
mod seating;
mod stage;
mod swiss;
mod tally;
mod tie_breaks;
mod weighted;

use serde::{Deserialize, Serialize};

pub use amendments::{Amendments, Leaving, Left, OpenGames, Replayed, Walkovers};
pub use knockout::{ByOrder, Placing, Reached, System};
pub use numbering::Numbering;
pub use results::Results;
pub use rounds::{BracketPlace, EventRound, RoundMeeting, RoundTitle};
use stage::Meetings;
pub use stage::{Fixture, GameKey, Stage, StageGames};
pub use tally::{Tally, halves, points, share};
pub use tie_breaks::{Scores, TieBreak};

/// A bot of an event, in the order in which they were entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BotId(pub u32);

impl BotId {
    /// This bot's place in lists by bot.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a schedule depends on beside the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Who meets whom.
    pub format: Format,
    /// Bots in one game.
    pub seats: usize,
    /// Where chance comes from.
    pub seed: u64,
    /// How many set-ups take turns; at least one.
    pub variants: usize,
    /// How often each of them has its turn; once where it does not say.
    pub weights: Vec<u32>,
    /// For each bot, since when it takes part: 0 from the beginning. In rounds and gauntlets bots
    /// that joined later are a later generation, elsewhere it is the first stage they play in.
    pub joined: Vec<u32>,
    /// How a swiss tournament and a ladder choose who meets whom.
    pub pairing: Pairing,
    /// What decides between equal points, the first first.
    pub tie_breaks: Vec<TieBreak>,
    /// What was decided since.
    pub amendments: Amendments,
    /// Which games share their luck.
    pub chance: Chance,
}

/// How a swiss tournament pairs where some have to meet again, and how a ladder chooses its games.
/// Rounds that were played stay what they were: a run keeps what it began with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Whoever is lower may have to, and all games of a ladder go where the order is uncertain: how
    /// runs began that do not say.
    #[default]
    FromTheTop,
    /// As few as can be, with a look at the rounds that follow; most games of a ladder are drawn by
    /// lot.
    LeastRepeats,
}

/// The ways in which bots can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin {
        /// How often.
        rounds: u32,
    },
    /// The first bots meet all others.
    Gauntlet {
        /// How often.
        rounds: u32,
        /// How many of the first bots.
        challengers: u32,
    },
    /// Bots of about the same score meet, nobody twice.
    Swiss {
        /// How many rounds.
        rounds: u32,
        /// Games of one meeting.
        games: u32,
    },
    /// Who loses is out.
    Knockout {
        /// Games of one meeting.
        games: u32,
        /// How many more pairs of games are played while a meeting is tied.
        extra: u32,
        /// Whether the losers of the semi-finals meet.
        third_place: bool,
        /// How many defeats put a bot out, and what comes before.
        #[serde(default)]
        system: System,
    },
    /// Without end: games go where the order is most uncertain.
    Ladder {
        /// Games of one meeting.
        games: u32,
    },
}

impl Format {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Format::RoundRobin { .. } => "round-robin",
            Format::Gauntlet { .. } => "gauntlet",
            Format::Swiss { .. } => "swiss",
            Format::Knockout { system: System::Single, .. } => "knockout",
            Format::Knockout { system: System::Double, .. } => "double-elimination",
            Format::Knockout { system: System::Groups { .. }, .. } => "groups",
            Format::Ladder { .. } => "ladder",
        }
    }
}

impl Format {
    /// What becomes of the open games of a bot that leaves, unless the file says otherwise: where
    /// somebody was paired with it, that one has won.
    pub fn open_games(self) -> OpenGames {
        match self {
            Format::Swiss { .. } => OpenGames::Lost,
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Knockout { .. }
            | Format::Ladder { .. } => OpenGames::Unplayed,
        }
    }
}

/// What comes after the stages there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// These games.
    Stage(Stage),
    /// That depends on games that are not finished.
    Wait,
    /// Nothing.
    Over,
}

/// Which games have the same seed and set-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chance {
    /// All rotations of a set.
    #[default]
    OfSets,
    /// The two in which the first bot of the group has seats that mirror each other. A test counts
    /// such pairs, and they must not depend on each other; with two seats a pair is a set.
    OfPairs,
}

/// Why a plan cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub String);

impl Plan {
    /// A plan of a new event with one set-up.
    pub fn new(format: Format, seats: usize, seed: u64, joined: Vec<u32>) -> Plan {
        Plan {
            format,
            seats,
            seed,
            variants: 1,
            weights: Vec::new(),
            joined,
            pairing: Pairing::LeastRepeats,
            tie_breaks: format.tie_breaks(),
            amendments: Amendments::default(),
            chance: Chance::OfSets,
        }
    }

    /// What comes after these stages.
    pub fn next(&self, stages: &[Stage], results: &Results) -> Next {
        // A ladder rests on all stages but the last, so that nobody waits for its last game.
        let rests_on = match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => 0,
            Format::Swiss { .. } | Format::Knockout { .. } => stages.len(),
            Format::Ladder { .. } => stages.len().saturating_sub(1),
        };
        let base = &stages[..rests_on];
        let number = stages.len() as u32;
        let results = &*self.amended(base, results, number);
        if !base.iter().flatten().all(|game| self.is_settled(&game, results, number)) {
            return Next::Wait;
        }
        match self.format {
            Format::RoundRobin { rounds } => round_robin::next(self, stages, rounds, 0),
            Format::Gauntlet { rounds, challengers } => {
                round_robin::next(self, stages, rounds, challengers)
            }
            Format::Swiss { rounds, games } => {
                if stages.len() >= rounds as usize || self.are_too_few(number) {
                    return Next::Over;
                }
                Next::Stage(swiss::round(self, rounds, games, base, results))
            }
            Format::Knockout { games, extra, third_place, system } => {
                let terms = knockout::MeetingRules { games, extra, third_place, system };
                knockout::next(self, terms, base, results)
            }
            Format::Ladder { .. } if self.are_too_few(number) => Next::Over,
            Format::Ladder { games } => {
                Next::Stage(ladder::stage(self, games, number, base, results))
            }
        }
    }

    /// All stages that can be drawn up from these results.
    pub fn stages(&self, results: &Results) -> Vec<Stage> {
        let mut stages = Vec::new();
        while let Next::Stage(stage) = self.next(&stages, results) {
            stages.push(stage);
        }
        stages
    }

    /// The game whose key has these parts, if it is in these stages: without a look at all of them,
    /// because there may be a stage for each of a million rounds.
    pub(crate) fn find(&self, stages: &[Stage], key: &stage::KeyParts) -> Option<Fixture> {
        let found = |stage: &Stage| stage.find(key);
        match self.format {
            Format::RoundRobin { rounds } | Format::Gauntlet { rounds, .. } => {
                // Those who came later have rounds of their own, after all others.
                let cycles = rounds.div_ceil(self.seats as u32).max(1) as usize;
                stages.iter().skip(key.round as usize).step_by(cycles).find_map(found)
            }
            // What is played now was drawn up last.
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => {
                stages.iter().rev().find_map(found)
            }
        }
    }

    /// Whether results decide who meets whom. If not, the stages are the same whatever has been
    /// played.
    pub fn depends_on_results(&self) -> bool {
        match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => false,
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => true,
        }
    }

    /// How many games there will be in all, if that can be told.
    pub fn total(&self, stages: &[Stage], results: &Results) -> Option<u64> {
        let count = |stages: &[Stage]| self.counted_games(stages, results);
        let known = count(stages);
        match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. }
                if !self.amendments.left.is_empty() =>
            {
                Some(count(&self.stages(&Results::new())))
            }
            Format::RoundRobin { rounds } => Some(round_robin::games(self, rounds, 0)),
            Format::Gauntlet { rounds, challengers } => {
                Some(round_robin::games(self, rounds, challengers))
            }
            Format::Swiss { rounds, games } => {
                let left = u64::from(rounds).saturating_sub(stages.len() as u64);
                let tables = (self.present(u32::MAX).len() / self.seats) as u64;
                Some(known + left * tables * u64::from(games))
            }
            Format::Knockout { games, extra, third_place, system } => {
                let terms = knockout::MeetingRules { games, extra, third_place, system };
                let meetings = knockout::meetings_of(terms, self.joined.len());
                let begun = knockout::meetings(knockout::of_bracket(terms, stages));
                let groups = match stages.is_empty() {
                    true => knockout::games_in_groups(terms, self),
                    false => 0,
                };
                Some(known + groups + meetings.saturating_sub(begun) * u64::from(games))
            }
            Format::Ladder { .. } => None,
        }
    }

    /// How many games there will be at most, if that can be told.
    pub fn most(&self, stages: &[Stage], results: &Results) -> Option<u64> {
        let total = self.total(stages, results)?;
        Some(match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Swiss { .. } => total,
            Format::Knockout { games, extra, third_place, system } => {
                let terms = knockout::MeetingRules { games, extra, third_place, system };
                let stages = knockout::of_bracket(terms, stages);
                let meetings = knockout::meetings_of(terms, self.joined.len());
                let besides = knockout::meetings_besides(terms);
                let begun = knockout::meetings(stages);
                let later = (meetings + besides).saturating_sub(begun);
                let more = later.saturating_sub(meetings.saturating_sub(begun));
                let now = knockout::extra_pairs_left(games, extra, stages);
                total + more * u64::from(games) + 2 * (later * u64::from(extra) + now)
            }
            Format::Ladder { .. } => return None,
        })
    }

    /// How often each bot sat out: in a swiss tournament, and in the first round of a knockout.
    pub fn byes(&self, stages: &[Stage], results: &Results) -> Vec<u32> {
        match self.format {
            Format::Swiss { .. } => swiss::byes(self, stages),
            Format::Knockout { games, extra, third_place, system } => {
                let terms = knockout::MeetingRules { games, extra, third_place, system };
                knockout::byes(self, terms, stages, results)
            }
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Ladder { .. } => {
                vec![0; self.joined.len()]
            }
        }
    }

    /// What a bye is worth: as much as to win all games of the meeting.
    pub fn bye_halves(&self) -> u64 {
        match self.format {
            Format::Swiss { games, .. } => u64::from(games) * tally::halves_of_a_point(self.seats),
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Knockout { .. }
            | Format::Ladder { .. } => 0,
        }
    }

    /// How far everybody came in a knockout, in words.
    pub fn reached(&self, stages: &[Stage], results: &Results) -> Option<Vec<Reached>> {
        let system = knockout::MeetingRules::of(self.format)?.system;
        self.placings(stages, results).map(|placings| knockout::reached(system, &placings))
    }

    /// How many rounds of a swiss tournament are complete, and how many there are.
    pub fn rounds(&self, stages: &[Stage], results: &Results) -> Option<(u32, u32)> {
        match self.format {
            Format::Swiss { rounds, .. } => {
                let whole = |stage: &&Stage| {
                    stage.iter().all(|game| self.is_settled(&game, results, u32::MAX))
                };
                Some((stages.iter().take_while(whole).count() as u32, rounds))
            }
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Knockout { .. }
            | Format::Ladder { .. } => None,
        }
    }

    /// How far everybody came in a knockout.
    pub fn placings(&self, stages: &[Stage], results: &Results) -> Option<Vec<Placing>> {
        let terms = knockout::MeetingRules::of(self.format)?;
        Some(knockout::placings(self, terms, stages, results).0)
    }

    /// Meetings that stayed tied, so that the order of the file decided them.
    pub fn by_order(&self, stages: &[Stage], results: &Results) -> Vec<ByOrder> {
        let terms = knockout::MeetingRules::of(self.format);
        terms.map_or(Vec::new(), |terms| knockout::placings(self, terms, stages, results).1)
    }

    /// Which set-up each set has, until it begins anew: each as often as its weight says, and
    /// spread evenly.
    fn turns_of_variants(&self) -> Vec<usize> {
        let weight = |variant: usize| u64::from(self.weights.get(variant).copied().unwrap_or(1));
        let all: u64 = (0..self.variants).map(weight).sum();
        let mut given = vec![0; self.variants];
        let mut turns = Vec::new();
        for turn in 1..=all {
            // The one that is furthest behind its share; the first of those who are equally far.
            let behind = |&variant: &usize| {
                let due = (turn * weight(variant)) as i128 - (given[variant] * all) as i128;
                (due, std::cmp::Reverse(variant))
            };
            let next = (0..self.variants).max_by_key(behind).expect("there is a set-up");
            given[next] += 1;
            turns.push(next);
        }
        turns
    }

    /// Meetings of these groups, of so many games each: rotation after rotation, each set with a
    /// seed of its own.
    pub(crate) fn stage(&self, groups: &[Vec<BotId>], round: u32, set: u32, games: u32) -> Stage {
        Stage::new(round, set, games, Meetings::new(self, groups))
    }

    /// How many sets a meeting can have, so that no two rounds share a seed.
    fn sets_a_round(&self) -> u64 {
        let sets = |games: u32| u64::from(games).div_ceil(self.seats as u64);
        match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => 1,
            Format::Swiss { games, .. } | Format::Ladder { games } => sets(games),
            Format::Knockout { games, extra, system, .. } => {
                let bracket = sets(games) + u64::from(extra);
                match system {
                    System::Single | System::Double => bracket,
                    System::Groups { rounds, .. } => bracket.max(sets(rounds)),
                }
            }
        }
    }

    /// Those who take part in a stage that is drawn up from results.
    fn present(&self, stage: u32) -> Vec<BotId> {
        let there = self.joined_by(stage).into_iter();
        there.filter(|bot| !self.amendments.has_left(*bot, stage)).collect()
    }

    /// Those who have joined by then, whether or not they are still there.
    fn joined_by(&self, stage: u32) -> Vec<BotId> {
        let there = self.joined.iter().enumerate().filter(|(_, joined)| **joined <= stage);
        there.map(|(index, _)| BotId(index as u32)).collect()
    }

    /// Whether not even one game can be played with those who are left.
    fn are_too_few(&self, stage: u32) -> bool {
        self.present(stage).len() < self.seats
    }
}

#[cfg(test)]
mod tests;
