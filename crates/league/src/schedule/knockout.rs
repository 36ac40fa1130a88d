//! Knockout: the loser of a meeting is out.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::duels::Duels;
use super::{BotId, Fixture, Format, Next, Plan, Results, Stage, double, groups};

/// How far a bot came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placing {
    /// It is out, in this place; those who went out together share it.
    Out(u32),
    /// It may still win.
    In,
}

/// How far a bot came, in the words of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It may still win.
    StillIn,
    /// It won.
    Winner,
    /// It lost the final.
    Final,
    /// It won the game for the third place.
    ThirdPlace,
    /// It lost the game for the third place.
    FourthPlace,
    /// It lost a semi-final.
    SemiFinal,
    /// It lost a quarter-final.
    QuarterFinal,
    /// It lost in an earlier round, of so many places.
    RoundOf(u32),
    /// It came in this place, where rounds have no names.
    Place(u32),
    /// It did not come out of its group.
    Groups,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reached::StillIn => f.write_str("still in"),
            Reached::Winner => f.write_str("winner"),
            Reached::Final => f.write_str("final"),
            Reached::ThirdPlace => f.write_str("third place"),
            Reached::FourthPlace => f.write_str("fourth place"),
            Reached::SemiFinal => f.write_str("semi-final"),
            Reached::QuarterFinal => f.write_str("quarter-final"),
            Reached::RoundOf(places) => write!(f, "round of {places}"),
            Reached::Place(place) => write!(f, "place {place}"),
            Reached::Groups => f.write_str("groups"),
        }
    }
}

/// How far everybody came. The place tells the round: half of the places of a round go out in it.
pub(crate) fn reached(system: System, placings: &[Placing]) -> Vec<Reached> {
    // Only a game for the third place leaves somebody fourth.
    let third_place = placings.contains(&Placing::Out(4));
    let words = |placing: &Placing| match (*placing, system) {
        (Placing::In, _) => Reached::StillIn,
        (Placing::Out(1), _) => Reached::Winner,
        (Placing::Out(2), _) => Reached::Final,
        (Placing::Out(place), System::Double) => Reached::Place(place),
        (Placing::Out(place), System::Groups { groups, through, .. })
            if place > groups * through =>
        {
            Reached::Groups
        }
        (Placing::Out(3), _) if third_place => Reached::ThirdPlace,
        (Placing::Out(3), _) => Reached::SemiFinal,
        (Placing::Out(4), _) => Reached::FourthPlace,
        (Placing::Out(5), _) => Reached::QuarterFinal,
        (Placing::Out(place), _) => Reached::RoundOf(2 * (place - 1)),
    };
    placings.iter().map(words).collect()
}

/// How many defeats put a bot out, and what comes before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum System {
    /// One defeat.
    #[default]
    Single,
    /// Two of them.
    Double,
    /// One, of those who come out of groups in which everybody has met everybody.
    Groups {
        /// How many groups.
        groups: u32,
        /// How often everybody meets everybody in a group.
        rounds: u32,
        /// How many of each group go on.
        through: u32,
    },
}

/// A meeting that stayed tied: the one who comes first in the file went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByOrder {
    /// In which round, from 0.
    pub round: u32,
    /// Who went on.
    pub winner: BotId,
    /// Who did not.
    pub loser: BotId,
}

/// What a knockout is played by.
#[derive(Clone, Copy)]
pub(super) struct MeetingRules {
    pub(super) games: u32,
    pub(super) extra: u32,
    pub(super) third_place: bool,
    pub(super) system: System,
}

impl MeetingRules {
    /// Those of a format, if it is a knockout.
    pub(super) fn of(format: Format) -> Option<MeetingRules> {
        match format {
            Format::Knockout { games, extra, third_place, system } => {
                Some(MeetingRules { games, extra, third_place, system })
            }
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Swiss { .. }
            | Format::Ladder { .. } => None,
        }
    }

    /// How many bots the bracket has.
    fn entrants(self, bots: usize) -> usize {
        match self.system {
            System::Single | System::Double => bots,
            System::Groups { groups, through, .. } => (groups * through) as usize,
        }
    }
}

pub(super) fn next(plan: &Plan, terms: MeetingRules, stages: &[Stage], results: &Results) -> Next {
    let mut duels = Duels::new(plan, terms.games, terms.extra, stages, results);
    match walk(terms, &mut duels, &mut vec![Placing::In; plan.joined.len()]) {
        Some(stage) => Next::Stage(stage),
        None => Next::Over,
    }
}

/// How far everybody came, and which meetings the order of the file decided.
pub(super) fn placings(
    plan: &Plan,
    terms: MeetingRules,
    stages: &[Stage],
    results: &Results,
) -> (Vec<Placing>, Vec<ByOrder>) {
    let mut placings = vec![Placing::In; plan.joined.len()];
    let duels = followed(plan, terms, stages, results, &mut placings);
    (placings, duels.by_order)
}

/// The meetings of all rounds that are complete: round, winner and loser.
pub(super) fn decided(
    plan: &Plan,
    terms: MeetingRules,
    stages: &[Stage],
    results: &Results,
) -> Vec<(u32, BotId, BotId)> {
    followed(plan, terms, stages, results, &mut vec![Placing::In; plan.joined.len()]).decided
}

/// Follows the stages that are complete.
fn followed<'a>(
    plan: &'a Plan,
    terms: MeetingRules,
    stages: &'a [Stage],
    results: &'a Results,
    placings: &mut [Placing],
) -> Duels<'a> {
    let settled = |game: Fixture| plan.is_settled(&game, results, u32::MAX);
    let whole = |stage: &&Stage| stage.iter().all(settled);
    let played = stages.iter().take_while(whole).count();
    let mut duels = Duels::new(plan, terms.games, terms.extra, &stages[..played], results);
    walk(terms, &mut duels, placings);
    duels
}

/// Follows what has been played; what is to be played then.
fn walk(terms: MeetingRules, duels: &mut Duels<'_>, placings: &mut [Placing]) -> Option<Stage> {
    let all = || (0..placings.len() as u32).map(BotId).collect::<Vec<BotId>>();
    let played = match terms.system {
        System::Single => single(duels, &all(), terms, 0, placings),
        System::Double => double::walk(duels, &all(), placings),
        System::Groups { groups, rounds, through } => {
            let seeds = groups::walk(duels, groups, rounds, through, placings);
            seeds.and_then(|seeds| single(duels, &seeds, terms, 1, placings))
        }
    };
    played.err()
}

/// How often each bot of the bracket has gone on without a meeting.
pub(super) fn byes(
    plan: &Plan,
    terms: MeetingRules,
    stages: &[Stage],
    results: &Results,
) -> Vec<u32> {
    let mut byes = vec![0; plan.joined.len()];
    let first = match terms.system {
        System::Single | System::Double => stages.first(),
        System::Groups { .. } => stages.get(1),
    };
    // Only the first round has empty places, but for those that they leave among the losers.
    if let Some(first) = first {
        let placings = match terms.system {
            System::Single | System::Double => vec![Placing::In; byes.len()],
            System::Groups { .. } => placings(plan, terms, &stages[..1], results).0,
        };
        for (bot, byes) in (0..).map(BotId).zip(&mut byes) {
            let plays = first.groups().any(|group| group.contains(&bot));
            *byes = u32::from(placings[bot.index()] == Placing::In && !plays);
        }
    }
    byes
}

/// How many meetings a bracket has at least: all but one lose one, or two of them, and then there
/// is the third place. Of three bots only one loses a semi-final; it is third.
pub(super) fn meetings_of(terms: MeetingRules, bots: usize) -> u64 {
    let bots = terms.entrants(bots) as u64;
    match terms.system {
        System::Double => 2 * (bots - 1),
        System::Single | System::Groups { .. } => {
            bots - 1 + u64::from(terms.third_place && bots > 3)
        }
    }
}

/// How many more there can be.
pub(super) fn meetings_besides(terms: MeetingRules) -> u64 {
    match terms.system {
        // The winner of those who have lost once must beat the other twice.
        System::Double => 1,
        System::Single | System::Groups { .. } => 0,
    }
}

/// How many games the groups have.
pub(super) fn games_in_groups(terms: MeetingRules, plan: &Plan) -> u64 {
    match terms.system {
        System::Single | System::Double => 0,
        System::Groups { groups, rounds, .. } => {
            groups::pairs(plan.joined.len(), groups).len() as u64 * u64::from(rounds)
        }
    }
}

/// The stages of the bracket: all but that of the groups.
pub(super) fn of_bracket(terms: MeetingRules, stages: &[Stage]) -> &[Stage] {
    match terms.system {
        System::Single | System::Double => stages,
        System::Groups { .. } => stages.get(1..).unwrap_or_default(),
    }
}

/// How many meetings these stages hold; further games of a tied one do not count.
pub(super) fn meetings(stages: &[Stage]) -> u64 {
    let first = stages.iter().filter(|stage| stage.set() == 0);
    first.map(|stage| stage.groups().count() as u64).sum()
}

/// How many more pairs the meetings of the last of these stages may need if they stay tied.
pub(super) fn extra_pairs_left(games: u32, extra: u32, stages: &[Stage]) -> u64 {
    let Some(last) = stages.last() else { return 0 };
    let sets = games.div_ceil(2);
    let tried = if last.set() == 0 { 0 } else { last.set() + 1 - sets };
    last.groups().count() as u64 * u64::from(extra.saturating_sub(tried))
}

/// The order of a bracket: the first two can only meet at the end, the first four not before the
/// semi-finals, and so on. Places beyond the number of bots stay empty: byes for the first.
pub(super) fn order<T: Copy>(bots: &[T]) -> Vec<Option<T>> {
    let mut seeds = vec![0];
    while seeds.len() < bots.len() {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|&seed| [seed, last - seed]).collect();
    }
    seeds.iter().map(|&seed: &usize| bots.get(seed).copied()).collect()
}

/// Those of these places who meet.
pub(super) fn met(places: &[Option<BotId>]) -> Vec<[BotId; 2]> {
    places.chunks(2).filter_map(|pair| Some([pair[0]?, pair[1]?])).collect()
}

/// Who loses is out. The rounds are counted from this one on.
fn single(
    duels: &mut Duels<'_>,
    seeds: &[BotId],
    terms: MeetingRules,
    first_round: u32,
    placings: &mut [Placing],
) -> Result<(), Stage> {
    let mut places = order(seeds);
    let mut losers: Vec<BotId> = Vec::new();
    for round in first_round.. {
        if places.len() == 1 {
            let winner = places[0].expect("somebody wins");
            placings[winner.index()] = Placing::Out(1);
            break;
        }
        let mut meetings = met(&places);
        if terms.third_place && places.len() == 2 && losers.len() == 2 {
            meetings.push([losers[0], losers[1]]);
        }
        let mut decided = duels.meet(&meetings, round)?.into_iter();
        let place = places.len() as u32 / 2 + 1;
        losers.clear();
        let mut through = Vec::new();
        for pair in places.chunks(2) {
            let [Some(_), Some(_)] = *pair else {
                through.push(pair[0].or(pair[1]));
                continue;
            };
            let (winner, loser) = decided.next().expect("every meeting is decided");
            through.push(Some(winner));
            placings[loser.index()] = Placing::Out(place);
            losers.push(loser);
        }
        if let Some((third, fourth)) = decided.next() {
            placings[third.index()] = Placing::Out(3);
            placings[fourth.index()] = Placing::Out(4);
        }
        places = through;
    }
    Ok(())
}
