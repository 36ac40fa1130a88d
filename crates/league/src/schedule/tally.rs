//! What bots have scored so far, and whom they have met.

use super::{BotId, Results, Stage};

/// The share of the others in a game that a player has left behind; ties are half. With two
/// seats: 1 for a win, ½ for a draw, 0 for a loss.
pub fn share(ranks: &[u16], seat: usize) -> f64 {
    points(halves(ranks, seat), ranks.len())
}

/// Two for each of the others in a game that a player has left behind, one for each tie. Scores
/// are added up and compared in these: thirds that are added up in another order may differ.
pub fn halves(ranks: &[u16], seat: usize) -> u64 {
    let of = |(other, rank): (usize, &u16)| match ranks[seat].cmp(rank) {
        _ if other == seat => 0,
        std::cmp::Ordering::Less => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 0,
    };
    ranks.iter().enumerate().map(of).sum()
}

/// How many points so many halves are, in games of so many seats.
pub fn points(halves: u64, seats: usize) -> f64 {
    halves as f64 / halves_of_a_point(seats) as f64
}

/// A bot that is ahead of all others has one point.
pub(super) fn halves_of_a_point(seats: usize) -> u64 {
    2 * (seats as u64 - 1)
}

/// Points and meetings, by bot.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Halves of others that each bot left behind; [`points`] says what they are worth.
    pub halves: Vec<u64>,
    /// First places alone.
    pub wins: Vec<u64>,
    /// Games of each bot.
    pub games: Vec<u32>,
    /// Halves that each bot scored against each other.
    pub against: Vec<Vec<u64>>,
    /// Games in which two bots met.
    pub met: Vec<Vec<u32>>,
}

impl Tally {
    /// Adds up the finished games of these stages.
    pub fn new(bots: usize, stages: &[Stage], results: &Results) -> Tally {
        let mut tally = Tally::none(bots);
        // Most of a long schedule lies behind the last finished game.
        let mut left = results.len();
        for fixture in stages.iter().flatten() {
            if left == 0 {
                break;
            }
            if let Some(ranks) = results.of(&fixture) {
                tally.add(&fixture.seating, ranks);
                left -= 1;
            }
        }
        tally
    }

    /// No games.
    pub fn none(bots: usize) -> Tally {
        Tally {
            halves: vec![0; bots],
            wins: vec![0; bots],
            games: vec![0; bots],
            against: vec![vec![0; bots]; bots],
            met: vec![vec![0; bots]; bots],
        }
    }

    /// Adds a game.
    pub fn add(&mut self, seating: &[BotId], ranks: &[u16]) {
        let alone = ranks.iter().filter(|rank| **rank == 1).count() == 1;
        for (seat, bot) in seating.iter().enumerate() {
            self.wins[bot.index()] += u64::from(alone && ranks[seat] == 1);
            self.halves[bot.index()] += halves(ranks, seat);
            self.games[bot.index()] += 1;
            for (other, rival) in seating.iter().enumerate().filter(|(other, _)| *other != seat) {
                self.met[bot.index()][rival.index()] += 1;
                self.against[bot.index()][rival.index()] += halves(&[ranks[seat], ranks[other]], 0);
            }
        }
    }
}
