//! The order in which moves are tried, from patterns and from what worked before.

use super::cells::{At, Places};
use super::position::Position;
use crate::gomoku::board::Stone;

/// A move with the promise it shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) at: At,
    pub(super) urge: i32,
}

/// Moves that answered well before.
pub(super) struct Experience {
    /// How often a move cut a search short, by colour and cell.
    history: [Vec<i32>; 2],
    /// The last two moves that did so at each ply.
    killers: Vec<[Option<At>; 2]>,
    /// The move that last refuted a move, by the refuting colour and the refuted cell.
    refutations: [Vec<Option<At>>; 2],
    /// Lists to use again.
    spare: Vec<Vec<Candidate>>,
}

/// Keeps the experience comparable with the promise of patterns.
const MOST_HISTORY: i32 = 1 << 14;

impl Experience {
    pub(super) fn new(len: usize) -> Experience {
        Experience {
            history: [vec![0; len], vec![0; len]],
            killers: Vec::new(),
            refutations: [vec![None; len], vec![None; len]],
            spare: Vec::new(),
        }
    }

    /// Forgets a part, because the position has moved on.
    pub(super) fn fade(&mut self) {
        self.killers.clear();
        for history in &mut self.history {
            for count in history {
                *count /= 4;
            }
        }
    }

    /// The free cells among `places`, as moves of `stone`.
    pub(super) fn candidates(
        &mut self,
        position: &Position,
        stone: Stone,
        places: &Places,
        hint: Option<At>,
        ply: usize,
    ) -> Candidates {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        let killers = self.killers.get(ply).copied().unwrap_or_default();
        let refutation =
            position.last().and_then(|last| self.refutations[stone as usize][last.index()]);
        for at in places.iter().filter(|&at| position.is_free(at)) {
            let (own, others) = (position.worth(at, stone), position.worth(at, stone.other()));
            let mut urge = 8 * (2 * i32::from(own.urge) + i32::from(others.urge));
            urge += self.history[stone as usize][at.index()] / 16;
            if killers.contains(&Some(at)) {
                urge += 300;
            }
            if refutation == Some(at) {
                urge += 300;
            }
            if hint == Some(at) {
                urge = i32::MAX;
            }
            list.push(Candidate { at, urge });
        }
        Candidates { list, next: 0 }
    }

    /// Remembers that a move cut the search short after `last`, where the moves tried before
    /// it did not.
    pub(super) fn reward(
        &mut self,
        stone: Stone,
        at: At,
        last: Option<At>,
        (depth, ply): (i32, usize),
        tried: &[Candidate],
    ) {
        if let Some(last) = last {
            self.refutations[stone as usize][last.index()] = Some(at);
        }
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        if self.killers[ply][0] != Some(at) {
            self.killers[ply] = [Some(at), self.killers[ply][0]];
        }
        let history = &mut self.history[stone as usize];
        let bonus = (depth * depth * 8).min(1024);
        for candidate in tried {
            let count = &mut history[candidate.at.index()];
            let gain = if candidate.at == at { bonus } else { -bonus };
            // The nearer to the limit, the smaller the step.
            *count += gain - *count * bonus / MOST_HISTORY;
        }
    }

    /// Takes a used list back.
    pub(super) fn give_back(&mut self, candidates: Candidates) {
        self.spare.push(candidates.list);
    }
}

/// Moves that are sorted only as far as they are asked for.
pub(super) struct Candidates {
    list: Vec<Candidate>,
    next: usize,
}

impl Candidates {
    /// The most promising move that is left.
    #[inline]
    pub(super) fn next(&mut self) -> Option<At> {
        let rest = &self.list[self.next..];
        let mut best = 0;
        for (index, candidate) in rest.iter().enumerate() {
            if candidate.urge > rest[best].urge {
                best = index;
            }
        }
        let at = rest.get(best)?.at;
        self.list.swap(self.next, self.next + best);
        self.next += 1;
        Some(at)
    }

    /// The moves handed out so far.
    pub(super) fn tried(&self) -> &[Candidate] {
        &self.list[..self.next]
    }
}
