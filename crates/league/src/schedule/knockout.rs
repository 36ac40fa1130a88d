//! Who loses is out.

use std::fmt;

use super::{BotId, Fixture, Next, Plan, Results, Stage, halves};

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
        }
    }
}

/// How far everybody came. The place tells the round: half of the places of a round go out in it.
pub(crate) fn reached(placings: &[Placing]) -> Vec<Reached> {
    // Only a game for the third place leaves somebody fourth.
    let third_place = placings.contains(&Placing::Out(4));
    let words = |placing: &Placing| match *placing {
        Placing::In => Reached::StillIn,
        Placing::Out(1) => Reached::Winner,
        Placing::Out(2) => Reached::Final,
        Placing::Out(3) if third_place => Reached::ThirdPlace,
        Placing::Out(3) => Reached::SemiFinal,
        Placing::Out(4) => Reached::FourthPlace,
        Placing::Out(5) => Reached::QuarterFinal,
        Placing::Out(place) => Reached::RoundOf(2 * (place - 1)),
    };
    placings.iter().map(words).collect()
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

struct Bracket<'a> {
    plan: &'a Plan,
    games: u32,
    extra: u32,
    third_place: bool,
    results: &'a Results,
    /// Stages that have been drawn up and played.
    stages: &'a [Stage],
    used: usize,
    placings: Vec<Placing>,
    by_order: Vec<ByOrder>,
}

pub(super) fn next(
    plan: &Plan,
    games: u32,
    extra: u32,
    third_place: bool,
    stages: &[Stage],
    results: &Results,
) -> Next {
    match Bracket::new(plan, games, extra, third_place, stages, results).walk() {
        Some(stage) => Next::Stage(stage),
        None => Next::Over,
    }
}

/// How far everybody came, and which meetings the order of the file decided.
pub(super) fn placings(
    plan: &Plan,
    games: u32,
    extra: u32,
    third_place: bool,
    stages: &[Stage],
    results: &Results,
) -> (Vec<Placing>, Vec<ByOrder>) {
    let settled = |game: Fixture| plan.is_settled(&game, results, u32::MAX);
    let whole = |stage: &&Stage| stage.iter().all(settled);
    let played = stages.iter().take_while(whole).count();
    let mut bracket = Bracket::new(plan, games, extra, third_place, &stages[..played], results);
    bracket.walk();
    (bracket.placings, bracket.by_order)
}

/// How often each bot has gone on without a meeting, in the rounds that are drawn up.
pub(super) fn byes(plan: &Plan, stages: &[Stage]) -> Vec<u32> {
    let mut byes = vec![0; plan.joined.len()];
    // Only the first round has empty places.
    if let Some(first) = stages.first() {
        for (bot, byes) in (0..).map(BotId).zip(&mut byes) {
            *byes = u32::from(!first.groups().any(|group| group.contains(&bot)));
        }
    }
    byes
}

/// How many meetings a bracket has: all but one lose one, and then there is the third place. Of
/// three bots only one loses a semi-final; it is third.
pub(super) fn meetings_of(bots: usize, third_place: bool) -> u64 {
    bots as u64 - 1 + u64::from(third_place && bots > 3)
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
fn order(bots: usize) -> Vec<Option<BotId>> {
    let mut seeds = vec![0];
    while seeds.len() < bots {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|&seed| [seed, last - seed]).collect();
    }
    seeds.iter().map(|&seed| (seed < bots).then_some(BotId(seed as u32))).collect()
}

impl<'a> Bracket<'a> {
    fn new(
        plan: &'a Plan,
        games: u32,
        extra: u32,
        third_place: bool,
        stages: &'a [Stage],
        results: &'a Results,
    ) -> Bracket<'a> {
        let placings = vec![Placing::In; plan.joined.len()];
        Bracket {
            plan,
            games,
            extra,
            third_place,
            results,
            stages,
            used: 0,
            placings,
            by_order: Vec::new(),
        }
    }

    /// Follows the bracket as far as games have been played; what is to be played then.
    fn walk(&mut self) -> Option<Stage> {
        let mut places = order(self.plan.joined.len());
        let mut losers: Vec<BotId> = Vec::new();
        for round in 0.. {
            if places.len() == 1 {
                let winner = places[0].expect("somebody wins");
                self.placings[winner.index()] = Placing::Out(1);
                return None;
            }
            let mut meetings: Vec<[BotId; 2]> =
                places.chunks(2).filter_map(|pair| Some([pair[0]?, pair[1]?])).collect();
            let consoles = self.third_place && places.len() == 2 && losers.len() == 2;
            if consoles {
                meetings.push([losers[0], losers[1]]);
            }
            if let Some(stage) = self.stage(&meetings, round) {
                return Some(stage);
            }
            if consoles {
                let (third, fourth) = self.result([losers[0], losers[1]], round);
                self.placings[third.index()] = Placing::Out(3);
                self.placings[fourth.index()] = Placing::Out(4);
            }
            let place = places.len() as u32 / 2 + 1;
            losers.clear();
            let mut through = Vec::new();
            for pair in places.chunks(2) {
                let [Some(a), Some(b)] = *pair else {
                    through.push(pair[0].or(pair[1]));
                    continue;
                };
                let (winner, loser) = self.result([a, b], round);
                through.push(Some(winner));
                self.placings[loser.index()] = Placing::Out(place);
                losers.push(loser);
            }
            places = through;
        }
        unreachable!("rounds halve the field")
    }

    /// The next games of this round: the meetings themselves, then pairs for those still tied.
    fn stage(&mut self, meetings: &[[BotId; 2]], round: u32) -> Option<Stage> {
        let sets = self.games.div_ceil(2);
        for step in 0..=self.extra {
            let goes_on = |pair: &&[BotId; 2]| step == 0 || self.tied(**pair, round, step);
            let groups = meetings.iter().filter(goes_on).map(|pair| pair.to_vec());
            let groups: Vec<Vec<BotId>> = groups.collect();
            if groups.is_empty() {
                return None;
            }
            if self.used == self.stages.len() {
                return Some(match step {
                    0 => self.plan.stage(&groups, round, 0, self.games),
                    _ => self.plan.stage(&groups, round, sets + step - 1, 2),
                });
            }
            self.used += 1;
        }
        None
    }

    /// The score of a meeting, in halves, the games before this extra pair.
    fn score(&self, pair: [BotId; 2], round: u32, before: u32) -> (u64, u64) {
        let sets = self.games.div_ceil(2) + before - 1;
        let mut score = [0, 0];
        let of_round = self.stages.iter().filter(|stage| stage.round() == round);
        for game in of_round.flatten().filter(|game| game.group == pair && game.set < sets) {
            let Some(ranks) = self.results.of(&game) else { continue };
            for (seat, bot) in game.seating.iter().enumerate() {
                score[usize::from(*bot == pair[1])] += halves(ranks, seat);
            }
        }
        (score[0], score[1])
    }

    /// Whether a meeting goes on with an extra pair: not with somebody who has left by then.
    fn tied(&self, pair: [BotId; 2], round: u32, step: u32) -> bool {
        let (a, b) = self.score(pair, round, step);
        let number = self.used as u32;
        a == b && !pair.iter().any(|bot| self.plan.amendments.has_left(*bot, number))
    }

    /// Winner and loser. Who has left loses a meeting that was not played to its end. If all was in
    /// vain, the one who was entered earlier is through.
    fn result(&mut self, pair: [BotId; 2], round: u32) -> (BotId, BotId) {
        let (a, b) = self.score(pair, round, self.extra + 1);
        let earlier = a > b || a == b && pair[0] < pair[1];
        let number = self.used as u32;
        let first = match pair.map(|bot| self.plan.amendments.has_left(bot, number)) {
            [false, true] if self.is_broken_off(pair, round) => true,
            [true, false] if self.is_broken_off(pair, round) => false,
            [true, true] if self.is_broken_off(pair, round) => pair[0] < pair[1],
            [false, false] | [false, true] | [true, false] | [true, true] => earlier,
        };
        let (winner, loser) = if first { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
        if a == b && !pair.iter().any(|bot| self.plan.amendments.has_left(*bot, number)) {
            self.by_order.push(ByOrder { round, winner, loser });
        }
        (winner, loser)
    }

    /// Whether a game of a meeting was not played, or it is tied and could have gone on.
    fn is_broken_off(&self, pair: [BotId; 2], round: u32) -> bool {
        let of_round = self.stages.iter().filter(|stage| stage.round() == round).flatten();
        let games: Vec<Fixture> = of_round.filter(|game| game.group == pair).collect();
        let (a, b) = self.score(pair, round, self.extra + 1);
        let sets = games.iter().map(|game| game.set + 1).max().unwrap_or(0);
        let may_go_on = a == b && sets < self.games.div_ceil(2) + self.extra;
        may_go_on || !games.iter().all(|game| self.results.has(game))
    }
}
