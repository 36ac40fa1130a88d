//! How a game ended.

use serde::{Deserialize, Serialize};

use crate::Ending;

/// The final result: a rank and a score for every player, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Rank of each player by seat, 1 the best; equal ranks are ties.
    pub ranks: Vec<u16>,
    /// Score of each player by seat, in the game's own points.
    pub scores: Vec<f64>,
    /// Why the game ended, for people. It may hold a bot's words: nothing follows from it.
    pub reason: String,
    /// How it ended; unknown in records of the first format.
    #[serde(default)]
    pub ending: Ending,
}

/// The short form of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Exactly one player is first.
    Win,
    /// Several share the first place.
    Draw,
    /// The game does not count.
    Void,
}

impl Outcome {
    /// One player wins and all others share the last place.
    pub fn win(
        winner: usize,
        players: usize,
        ending: Ending,
        reason: impl Into<String>,
    ) -> Outcome {
        let won = |player| player == winner;
        Outcome {
            ranks: (0..players).map(|p| if won(p) { 1 } else { 2 }).collect(),
            scores: (0..players).map(|p| if won(p) { 1.0 } else { 0.0 }).collect(),
            reason: reason.into(),
            ending,
        }
    }

    /// All players share the first place.
    pub fn draw(players: usize, ending: Ending, reason: impl Into<String>) -> Outcome {
        let (ranks, scores) = (vec![1; players], vec![0.5; players]);
        Outcome { ranks, scores, reason: reason.into(), ending }
    }

    /// Ranks by score: higher is better, equal scores share the better rank.
    pub fn by_score(scores: Vec<f64>, ending: Ending, reason: impl Into<String>) -> Outcome {
        let ranks = scores
            .iter()
            .map(|score| 1 + scores.iter().filter(|other| *other > score).count() as u16)
            .collect();
        Outcome { ranks, scores, reason: reason.into(), ending }
    }

    /// Whether somebody won alone or the first place is shared.
    pub fn verdict(&self) -> Verdict {
        match self.ranks.iter().filter(|&&rank| rank == 1).count() {
            1 => Verdict::Win,
            _ => Verdict::Draw,
        }
    }

    /// The only player of rank 1, if there is only one.
    pub fn winner(&self) -> Option<usize> {
        match self.verdict() {
            Verdict::Win => self.ranks.iter().position(|&rank| rank == 1),
            Verdict::Draw | Verdict::Void => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_share_a_rank_and_the_next_is_left_out() {
        let outcome = Outcome::by_score(vec![2.0, 5.0, 5.0, 1.0], Ending::rules("cap"), "end");
        assert_eq!(outcome.ranks, [3, 1, 1, 4]);
        assert_eq!(outcome.verdict(), Verdict::Draw);
        let outcome = Outcome::by_score(vec![0.5, 1.0], Ending::rules("cap"), "end");
        assert_eq!(outcome.winner(), Some(1));
    }
}
