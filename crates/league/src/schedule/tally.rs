//! What bots have scored so far, and whom they have met.

use super::{BotId, Fixture, Results};

/// The share of the others in a game that a player has left behind; ties are half. With two
/// seats: 1 for a win, ½ for a draw, 0 for a loss.
pub fn share(ranks: &[u16], seat: usize) -> f64 {
    let mut halves = 0_u32;
    for (other, rank) in ranks.iter().enumerate() {
        if other != seat {
            halves += match ranks[seat].cmp(rank) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            };
        }
    }
    f64::from(halves) / (2 * (ranks.len() - 1)) as f64
}

/// Points and meetings, by bot.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Points of each bot.
    pub points: Vec<f64>,
    /// Games of each bot.
    pub games: Vec<u32>,
    /// Points that each bot scored in games with each other.
    pub against: Vec<Vec<f64>>,
    /// Games in which two bots met.
    pub met: Vec<Vec<u32>>,
    /// What those whom a bot played against scored.
    bots: usize,
}

impl Tally {
    /// Adds up the finished games of these stages.
    pub fn new(bots: usize, stages: &[Vec<Fixture>], results: &Results) -> Tally {
        let mut tally = Tally {
            points: vec![0.0; bots],
            games: vec![0; bots],
            against: vec![vec![0.0; bots]; bots],
            met: vec![vec![0; bots]; bots],
            bots,
        };
        for fixture in stages.iter().flatten() {
            if let Some(ranks) = results.get(&fixture.key()) {
                tally.add(&fixture.seating, ranks);
            }
        }
        tally
    }

    /// Adds a game.
    pub fn add(&mut self, seating: &[BotId], ranks: &[u16]) {
        for (seat, bot) in seating.iter().enumerate() {
            self.points[bot.index()] += share(ranks, seat);
            self.games[bot.index()] += 1;
            for (other, rival) in seating.iter().enumerate().filter(|(other, _)| *other != seat) {
                self.met[bot.index()][rival.index()] += 1;
                self.against[bot.index()][rival.index()] += share(&[ranks[seat], ranks[other]], 0);
            }
        }
    }

    /// The points of the rivals of each bot, a meeting counted as often as it was played.
    pub fn buchholz(&self, points: &[f64]) -> Vec<f64> {
        let of = |bot: usize| {
            (0..self.bots).map(|rival| f64::from(self.met[bot][rival]) * points[rival]).sum()
        };
        (0..self.bots).map(of).collect()
    }

    /// The points of the rivals of each bot, weighted by what it scored against them.
    pub fn sonneborn(&self, points: &[f64]) -> Vec<f64> {
        let of =
            |bot: usize| (0..self.bots).map(|rival| self.against[bot][rival] * points[rival]).sum();
        (0..self.bots).map(of).collect()
    }
}
