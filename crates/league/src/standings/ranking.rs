//! The order of a table: which bot is before which, and which are equal.

use std::cmp::Reverse;

use crate::schedule::{BotId, Format, Leaving, Placing, Plan, Scores};
use crate::standings::totals::BotTotals;

/// A bot and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) bot: usize,
    pub(crate) rank: u32,
    /// What the tie-breaks of the plan say, as people read it.
    pub(crate) tie_breaks: Vec<f64>,
}

/// The order of the table. Everybody has met the same rivals in a round robin, and about the same
/// in a swiss tournament: points decide, then the tie-breaks. On a ladder and in a gauntlet
/// they have not: ratings decide. In a knockout it is how far one came.
///
/// What decides a place is a list of whole numbers, the most important first, higher is better:
/// what is equal compares equal, however it came about.
pub(crate) fn order(
    plan: &Plan,
    totals_by_bot: &BotTotals,
    ratings: &[f64],
    unplayed: &[u64],
    placings: Option<&[Placing]>,
) -> Vec<Ranked> {
    let bots: Vec<usize> = (0..plan.joined.len()).collect();
    let scores = totals_by_bot.scores(unplayed);
    let keys: Vec<Vec<i64>> = match (plan.format, placings) {
        (Format::RoundRobin { .. } | Format::Swiss { .. }, _) | (Format::Knockout { .. }, None) => {
            let keys = scores.keys(&bots, &plan.tie_breaks);
            keys.iter().map(|key| key.iter().map(|part| *part as i64).collect()).collect()
        }
        (Format::Knockout { .. }, Some(placings)) => {
            let place = |placing: &Placing| match placing {
                Placing::In => 0,
                Placing::Out(place) => -i64::from(*place),
            };
            let key = |&bot: &usize| vec![place(&placings[bot]), scores.halves[bot] as i64];
            bots.iter().map(key).collect()
        }
        (Format::Gauntlet { .. } | Format::Ladder { .. }, _) => {
            let levels = levels(ratings);
            bots.iter().map(|&bot| vec![-levels[bot], scores.halves[bot] as i64]).collect()
        }
    };
    // Those who went out in the same round of a knockout share their place, and so do those of
    // the same rating, whose points are of different numbers of games.
    let same = |a: usize, b: usize| match plan.format {
        Format::RoundRobin { .. } | Format::Swiss { .. } => keys[a] == keys[b],
        Format::Knockout { .. } | Format::Gauntlet { .. } | Format::Ladder { .. } => {
            keys[a][0] == keys[b][0]
        }
    };
    let tie_breaks = |bot: usize| -> Vec<f64> {
        if let Format::Knockout { .. } = plan.format {
            return Vec::new();
        }
        let values = keys[bot].iter().skip(1).zip(&plan.tie_breaks);
        values.map(|(value, by)| by.shown(*value as u64, plan.seats)).collect()
    };
    // Who was disqualified comes last, whatever it scored.
    let is_out = |bot: usize| plan.leaving(BotId(bot as u32)) == Some(Leaving::Disqualified);
    let mut order = bots.clone();
    order.sort_by_key(|&bot| match is_out(bot) {
        true => (true, Reverse(Vec::new()), bot),
        false => (false, Reverse(keys[bot].clone()), bot),
    });
    let mut ranked: Vec<Ranked> = Vec::new();
    for (place, &bot) in order.iter().enumerate() {
        let rank = match ranked.last() {
            Some(last) if is_out(last.bot) => last.rank,
            Some(last) if !is_out(bot) && same(last.bot, bot) => last.rank,
            Some(_) | None => place as u32 + 1,
        };
        ranked.push(Ranked { bot, rank, tie_breaks: tie_breaks(bot) });
    }
    ranked
}

impl BotTotals {
    /// What bots have scored, with what they have got without playing.
    fn scores(&self, unplayed: &[u64]) -> Scores {
        let all = |how: &dyn Fn(&[u64; 3]) -> u64| -> Vec<Vec<u64>> {
            self.pairs.iter().map(|row| row.iter().map(how).collect()).collect()
        };
        Scores {
            halves: self.halves.iter().zip(unplayed).map(|(played, more)| played + more).collect(),
            unplayed: unplayed.to_vec(),
            wins: self.wins.clone(),
            against: all(&|[wins, draws, _]| 2 * wins + draws),
            met: all(&|how| how.iter().sum()),
        }
    }
}

/// Strengths nearer to each other than this, in Elo, are the same: a fit is exact to about a
/// millionth, and no error of a strength is as small as a thousandth.
const SAME_RATING: f64 = 1e-4;

/// For each rating its level from the top, from 0: a new one begins where there is a gap.
pub(crate) fn levels(ratings: &[f64]) -> Vec<i64> {
    let mut order: Vec<usize> = (0..ratings.len()).collect();
    order.sort_by(|&a, &b| ratings[b].total_cmp(&ratings[a]));
    let mut levels = vec![0; ratings.len()];
    for pair in order.windows(2) {
        let gap = ratings[pair[0]] - ratings[pair[1]] > SAME_RATING;
        levels[pair[1]] = levels[pair[0]] + i64::from(gap);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standings::totals::ResultCounts;

    /// Who sat where and how it ended, and all of it also with the first two bots exchanged.
    fn mirrored(games: &[([u32; 4], [u16; 4])]) -> ResultCounts {
        let mut counted = ResultCounts::new();
        for (seating, ranks) in games {
            let exchanged = seating.map(|bot| if bot < 2 { 1 - bot } else { bot });
            for seating in [*seating, exchanged] {
                *counted.entry((seating.to_vec(), ranks.to_vec())).or_default() += 1;
            }
        }
        counted
    }

    fn in_order(format: Format, counted: &ResultCounts, ratings: &[f64]) -> Vec<(usize, u32)> {
        let plan = Plan::new(format, 4, 0, vec![0; ratings.len()]);
        let totals_by_bot = BotTotals::new(ratings.len(), counted);
        let unplayed = vec![0; ratings.len()];
        let order = order(&plan, &totals_by_bot, ratings, &unplayed, None);
        order.iter().map(|ranked| (ranked.bot, ranked.rank)).collect()
    }

    #[test]
    fn those_who_did_the_same_share_a_place_in_whatever_order_their_thirds_came() {
        let formats = [Format::RoundRobin { rounds: 4 }, Format::Swiss { rounds: 4, games: 4 }];
        for seed in 0..50 {
            let mut rng = game::Seed(seed).rng("games");
            let mut games = Vec::new();
            for _ in 0..20 {
                let mut bots = [0, 1, 2, 3, 4, 5];
                rng.shuffle(&mut bots);
                let ranks = [0; 4].map(|_| 1 + rng.below(4) as u16);
                games.push(([bots[0], bots[1], bots[2], bots[3]], ranks));
            }
            let counted = mirrored(&games);
            for format in formats {
                let order = in_order(format, &counted, &[1500.0; 6]);
                let rank = |bot| order.iter().find(|row| row.0 == bot).expect("it is there").1;
                assert_eq!(rank(0), rank(1), "{format:?} {seed}: {order:?}");
            }
        }
    }

    #[test]
    fn thirds_that_make_a_whole_are_level_with_it_and_rivals_decide() {
        // Bot 0 has 1 + 0 points, bot 1 two thirds and one; bot 0 left the stronger behind.
        let counted = ResultCounts::from([
            ((vec![0, 2, 3, 4], vec![1, 2, 3, 4]), 1),
            ((vec![2, 3, 4, 0], vec![1, 2, 3, 4]), 1),
            ((vec![2, 1, 3, 4], vec![1, 2, 3, 4]), 1),
            ((vec![2, 3, 1, 4], vec![1, 2, 3, 4]), 1),
        ]);
        let order = in_order(Format::RoundRobin { rounds: 1 }, &counted, &[1500.0; 5]);
        assert_eq!(order, [(2, 1), (3, 2), (0, 3), (1, 4), (4, 5)]);
    }

    #[test]
    fn ratings_that_differ_by_rounding_alone_are_level() {
        let ratings = [1500.0, 1500.0 + 1e-7, 1500.0 - 1e-7, 1500.0 + 2e-7, 1499.0, 1600.0];
        let format = Format::Gauntlet { rounds: 2, challengers: 1 };
        let ranks = in_order(format, &ResultCounts::new(), &ratings);
        assert_eq!(ranks, [(5, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 6)]);
        // More games give more points, but must not give a better place.
        let counted = ResultCounts::from([((vec![3, 0, 1, 2], vec![1, 1, 1, 1]), 7)]);
        let ranks = in_order(format, &counted, &[1500.0; 5]);
        assert!(ranks.iter().all(|(_, rank)| *rank == 1), "{ranks:?}");
    }
}
