//! Meetings of two that somebody must win: they go on while they are tied, and in the end the order
//! of the file decides.

use super::{BotId, ByOrder, Fixture, Plan, Results, Stage, halves};

/// The meetings of an event, as far as they have been drawn up and played.
pub(super) struct Duels<'a> {
    pub(super) plan: &'a Plan,
    games: u32,
    extra: u32,
    pub(super) results: &'a Results,
    /// Stages that have been drawn up and played.
    pub(super) stages: &'a [Stage],
    /// How many of them have been followed.
    used: usize,
    pub(super) by_order: Vec<ByOrder>,
    /// Meetings that are decided: round, winner and loser.
    pub(super) decided: Vec<(u32, BotId, BotId)>,
}

impl<'a> Duels<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        games: u32,
        extra: u32,
        stages: &'a [Stage],
        results: &'a Results,
    ) -> Duels<'a> {
        Duels {
            plan,
            games,
            extra,
            results,
            stages,
            used: 0,
            by_order: Vec::new(),
            decided: Vec::new(),
        }
    }

    /// A stage that is no meeting of two: true if it has been drawn up and played.
    pub(super) fn pass(&mut self) -> bool {
        let there = self.used < self.stages.len();
        self.used += usize::from(there);
        there
    }

    /// Winners and losers of these meetings, in their order, or the games that have to be played
    /// first.
    pub(super) fn meet(
        &mut self,
        meetings: &[[BotId; 2]],
        round: u32,
    ) -> Result<Vec<(BotId, BotId)>, Stage> {
        match self.stage(meetings, round) {
            Some(stage) => Err(stage),
            None => {
                let results: Vec<_> =
                    meetings.iter().map(|pair| self.result(*pair, round)).collect();
                self.decided.extend(results.iter().map(|(winner, loser)| (round, *winner, *loser)));
                Ok(results)
            }
        }
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
