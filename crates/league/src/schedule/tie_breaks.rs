//! Tie-breaks: what orders equal points. Everything is counted in whole numbers: what is equal
//! compares equal.

use serde::{Deserialize, Serialize};

use super::{Format, System, Tally, points};

/// What decides between equal points, as files call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The points of all opponents.
    Buchholz,
    /// The same without the opponent that has the fewest.
    BuchholzCut,
    /// The points of the beaten, and half of those drawn with.
    SonnebornBerger,
    /// The points from games between those who are level, if all of them have met.
    Direct,
    /// First places alone.
    Wins,
}

impl TieBreak {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TieBreak::Buchholz => "Buchholz",
            TieBreak::BuchholzCut => "Buchholz cut",
            TieBreak::SonnebornBerger => "Sonneborn-Berger",
            TieBreak::Direct => "direct encounter",
            TieBreak::Wins => "wins",
        }
    }

    /// The title of a narrow column.
    pub fn short(self) -> &'static str {
        match self {
            TieBreak::Buchholz => "Buchholz",
            TieBreak::BuchholzCut => "cut",
            TieBreak::SonnebornBerger => "Sonneborn",
            TieBreak::Direct => "direct",
            TieBreak::Wins => "firsts",
        }
    }

    /// What it counts.
    pub fn about(self) -> &'static str {
        match self {
            TieBreak::Buchholz => "the points of all opponents",
            TieBreak::BuchholzCut => "the points of all opponents but the one with the fewest",
            TieBreak::SonnebornBerger => "the points of the beaten, and half of those drawn with",
            TieBreak::Direct => "the points against those who are level, if all of them have met",
            TieBreak::Wins => "first places alone",
        }
    }

    /// What it says, as people read it.
    pub fn shown(self, value: u64, seats: usize) -> f64 {
        match self {
            TieBreak::Buchholz | TieBreak::BuchholzCut | TieBreak::Direct => points(value, seats),
            // It is a product of two scores, in halves each.
            TieBreak::SonnebornBerger => points(value, seats) / 2.0,
            TieBreak::Wins => value as f64,
        }
    }
}

impl Format {
    /// What decides between equal points, the first first, unless the file says otherwise; nothing
    /// where the order does not come from points.
    pub fn tie_breaks(self) -> Vec<TieBreak> {
        match self {
            Format::RoundRobin { .. } => vec![TieBreak::SonnebornBerger, TieBreak::Wins],
            Format::Swiss { .. } => vec![TieBreak::Buchholz, TieBreak::SonnebornBerger],
            Format::Knockout { system: System::Groups { .. }, .. } => {
                vec![TieBreak::Direct, TieBreak::SonnebornBerger, TieBreak::Wins]
            }
            Format::Gauntlet { .. } | Format::Knockout { .. } | Format::Ladder { .. } => Vec::new(),
        }
    }
}

/// What bots have scored, and against whom.
pub struct Scores {
    /// All that a bot has, in halves of a rival left behind: games and what it has got without
    /// playing.
    pub halves: Vec<u64>,
    /// What it has got without playing: byes, and games against those who have left.
    pub unplayed: Vec<u64>,
    /// First places alone.
    pub wins: Vec<u64>,
    /// Halves scored against each other.
    pub against: Vec<Vec<u64>>,
    /// Games in which two have met.
    pub met: Vec<Vec<u64>>,
}

impl Scores {
    /// What the finished games of a tally amount to.
    pub fn of(tally: &Tally) -> Scores {
        let met = |row: &Vec<u32>| row.iter().map(|games| u64::from(*games)).collect();
        Scores {
            halves: tally.halves.clone(),
            unplayed: vec![0; tally.halves.len()],
            wins: tally.wins.clone(),
            against: tally.against.clone(),
            met: tally.met.iter().map(met).collect(),
        }
    }

    /// For each of these bots its points and what the tie-breaks say, in their order: higher is
    /// better, and equals are level.
    pub fn keys(&self, bots: &[usize], tie_breaks: &[TieBreak]) -> Vec<Vec<u64>> {
        let mut keys: Vec<Vec<u64>> = bots.iter().map(|&bot| vec![self.halves[bot]]).collect();
        for tie_break in tie_breaks {
            let values: Vec<u64> = match tie_break {
                TieBreak::Buchholz => bots.iter().map(|&bot| self.buchholz(bot)).collect(),
                TieBreak::BuchholzCut => bots.iter().map(|&bot| self.buchholz_cut(bot)).collect(),
                TieBreak::SonnebornBerger => bots.iter().map(|&bot| self.sonneborn(bot)).collect(),
                TieBreak::Wins => bots.iter().map(|&bot| self.wins[bot]).collect(),
                TieBreak::Direct => {
                    let level = |key: &Vec<u64>| -> Vec<usize> {
                        let same = bots.iter().zip(&keys).filter(|(_, other)| *other == key);
                        same.map(|(bot, _)| *bot).collect()
                    };
                    let each = bots.iter().zip(&keys);
                    each.map(|(&bot, key)| self.direct(bot, &level(key))).collect()
                }
            };
            keys.iter_mut().zip(values).for_each(|(key, value)| key.push(value));
        }
        keys
    }

    /// The halves of rivals, each as often as it was met. What one has got without playing counts
    /// as from games against somebody with as many points as oneself.
    fn buchholz(&self, bot: usize) -> u64 {
        let met = self.met[bot].iter().zip(&self.halves);
        met.map(|(games, halves)| games * halves).sum::<u64>() + self.without_playing(bot)
    }

    /// The rival of a bye has as many halves as the bot, and a game won against it is worth two.
    fn without_playing(&self, bot: usize) -> u64 {
        self.unplayed[bot] * self.halves[bot] / 2
    }

    fn buchholz_cut(&self, bot: usize) -> u64 {
        let rivals = self.met[bot].iter().zip(&self.halves).filter(|(games, _)| **games > 0);
        let unplayed =
            (self.unplayed[bot] > 0).then(|| (self.halves[bot], self.without_playing(bot)));
        let each = rivals.map(|(games, halves)| (*halves, games * halves)).chain(unplayed);
        self.buchholz(bot) - each.min().map_or(0, |(_, weight)| weight)
    }

    /// The halves of rivals, each weighted by the halves that were scored against it; byes as in
    /// Buchholz.
    fn sonneborn(&self, bot: usize) -> u64 {
        let scored = self.against[bot].iter().zip(&self.halves);
        let played: u64 = scored.map(|(scored, halves)| scored * halves).sum();
        played + self.unplayed[bot] * self.halves[bot]
    }

    fn direct(&self, bot: usize, level: &[usize]) -> u64 {
        let apart = |a: &usize| level.iter().any(|b| a != b && self.met[*a][*b] == 0);
        match level.iter().any(apart) {
            true => 0,
            false => level.iter().map(|&rival| self.against[bot][rival]).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::BotId;

    /// Points and tie-breaks of all bots after games of two: who, against whom, and how it ended
    /// for the first.
    fn keys(
        bots: usize,
        games: &[(u32, u32, u16)],
        byes: &[u64],
        by: &[TieBreak],
    ) -> Vec<Vec<u64>> {
        let mut tally = Tally::none(bots);
        for (a, b, how) in games {
            tally.add(&[BotId(*a), BotId(*b)], &[2 - how.min(&1), 1 + how / 2]);
        }
        let mut scores = Scores::of(&tally);
        for (bot, byes) in byes.iter().enumerate() {
            scores.unplayed[bot] = 2 * byes;
            scores.halves[bot] += 2 * byes;
        }
        scores.keys(&(0..bots).collect::<Vec<_>>(), by)
    }

    const WIN: u16 = 2;
    const DRAW: u16 = 1;

    #[test]
    fn a_bye_counts_in_both_as_a_win_against_an_equal() {
        // Bot 0 beat bot 1 and sat out; bot 2 beat bot 3 and then bot 1.
        let games = [(0, 1, WIN), (2, 3, WIN), (2, 1, WIN)];
        let keys = keys(4, &games, &[1, 0, 0, 1], &[TieBreak::Buchholz, TieBreak::SonnebornBerger]);
        // Two points each. Opponents of 0: bot 1 with none, and the bye with its own two.
        assert_eq!(keys[0], [4, 4, 8]);
        // Opponents of 2: bot 3 with one (its bye), bot 1 with none.
        assert_eq!(keys[2], [4, 2, 4]);
        // A bye is not worth more than a game: the same with a real opponent of two points.
        assert_eq!(keys[3], [2, 4 + 2, 4], "the winner's points and its own for the bye");
    }

    #[test]
    fn the_lowest_opponent_is_cut_once() {
        let games = [(0, 1, WIN), (0, 2, DRAW), (1, 2, WIN), (1, 2, WIN)];
        let keys = keys(3, &games, &[0, 0, 0], &[TieBreak::Buchholz, TieBreak::BuchholzCut]);
        // Halves: 3, 4, 1. Bot 1 met bot 0 once and bot 2 twice.
        assert_eq!(keys[1], [4, 3 + 1 + 1, 3]);
        assert_eq!(keys[0], [3, 4 + 1, 4]);
    }

    #[test]
    fn games_between_those_who_are_level_decide_only_if_all_have_met() {
        let by = [TieBreak::Direct];
        // Three are level with two halves each; 0 beat 1, and 2 has met neither of them.
        let games = [(0, 1, WIN), (1, 3, WIN), (2, 3, WIN)];
        let apart = keys(4, &games, &[0; 4], &by);
        assert!(apart[..3].iter().all(|key| key[..] == [2, 0]), "{apart:?}");
        // 0 and 1 have two points each, and 0 has beaten 1.
        let games = [(0, 1, WIN), (0, 2, WIN), (1, 2, WIN), (1, 3, WIN), (3, 0, WIN)];
        let met = keys(4, &games, &[0; 4], &by);
        assert_eq!([&met[0][..], &met[1][..], &met[3][..]], [&[4, 2][..], &[4, 0], &[2, 0]]);
    }
}
