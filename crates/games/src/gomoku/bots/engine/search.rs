//! The main search: principal-variation alpha-beta with iterative deepening.

use super::cells::{At, Places};
use super::duty::{Duty, duty};
use super::fours::FourSearch;
use super::order::{Candidate, Experience};
use super::pace::Pace;
use super::position::Position;
use super::table::{Bound, Entry, Table};
use super::weights::{MOVING, TEMPO, WAITING, Weights};
use super::worth::Threat;
use crate::gomoku::board::Stone;

/// The score of a five on the board; one less for every ply until then.
pub(super) const WIN: i32 = 30_000;
/// Scores beyond this are proven wins.
pub(super) const PROVEN: i32 = 29_000;
/// Lines longer than this are judged as they stand.
const LONGEST_LINE: usize = 200;
/// Nodes a search for fours may take at a leaf.
const FOURS_AT_LEAF: u64 = 64;
/// Beyond this depth the search would only repeat itself.
const DEEPEST: i32 = 64;

/// The result of a search.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) best: At,
    pub(super) score: i32,
    pub(super) depth: i32,
}

/// One search of one position.
pub(super) struct Search<'a> {
    pub(super) position: &'a mut Position,
    pub(super) table: &'a mut Table,
    pub(super) fours: &'a mut FourSearch,
    pub(super) experience: &'a mut Experience,
    pub(super) pace: Pace<'a>,
}

/// A window of scores that still matter.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    const FULL: Window = Window { alpha: -WIN, beta: WIN };

    /// Only asks whether the score is above `alpha`.
    fn null(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }

    fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

impl Search<'_> {
    /// The best of `moves`, which must not be empty, for `stone`, which is to move.
    pub(super) fn deepen(&mut self, stone: Stone, moves: &[At]) -> Found {
        let mut found = Found { best: moves[0], score: 0, depth: 0 };
        let mut order: Vec<Candidate> = moves.iter().map(|&at| Candidate { at, urge: 0 }).collect();
        let room = self.position.grid().size().area() - self.position.len();
        for depth in 1..=DEEPEST.min(room as i32) {
            let window = self.aspiration(&found);
            let mut result = self.search_root(stone, &mut order, window, depth);
            if let Some(outside) =
                result.as_ref().filter(|&&(_, score)| score <= window.alpha || score >= window.beta)
            {
                // A failure high already names the better move.
                if outside.1 >= window.beta {
                    found.best = outside.0;
                }
                result = self.search_root(stone, &mut order, Window::FULL, depth);
            }
            if let Some((best, score)) = result {
                found.best = best;
                if !self.pace.is_over() {
                    found.score = score;
                    found.depth = depth;
                } else if score > found.score {
                    found.score = score;
                }
            }
            if found.score.abs() > PROVEN || !self.pace.has_time_for_more() {
                break;
            }
        }
        found
    }

    fn aspiration(&self, last: &Found) -> Window {
        if last.depth < 3 || last.score.abs() > PROVEN {
            return Window::FULL;
        }
        Window { alpha: last.score - 150, beta: last.score + 150 }
    }

    /// Searches every root move; the best of those that were finished. Puts it first in `order`.
    fn search_root(
        &mut self,
        stone: Stone,
        order: &mut [Candidate],
        window: Window,
        depth: i32,
    ) -> Option<(At, i32)> {
        let Window { mut alpha, beta } = window;
        let mut best: Option<(At, i32)> = None;
        for index in 0..order.len() {
            let at = order[index].at;
            self.position.place(at, stone);
            let mut score = if index == 0 {
                -self.search(stone.other(), Window { alpha, beta }.flipped(), depth - 1, 1)
            } else {
                let late = if index > 3 && depth > 2 { 1 } else { 0 };
                let asked = Window::null(alpha).flipped();
                let mut score = -self.search(stone.other(), asked, depth - 1 - late, 1);
                if score > alpha && late > 0 {
                    score = -self.search(stone.other(), asked, depth - 1, 1);
                }
                score
            };
            if index > 0 && score > alpha && score < beta && !self.pace.is_over() {
                let window = Window { alpha, beta };
                score = -self.search(stone.other(), window.flipped(), depth - 1, 1);
            }
            self.position.undo();
            if self.pace.is_over() {
                return best;
            }
            // Scores at or below alpha are only bounds and say nothing about the order.
            if best.is_none() || score > alpha {
                best = Some((at, score));
                order[..=index].rotate_right(1);
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        let (at, score) = best?;
        let bound = if score <= window.alpha {
            Bound::AtMost
        } else if score >= window.beta {
            Bound::AtLeast
        } else {
            Bound::Exact
        };
        self.remember(stone, 0, Entry { score, depth, bound, best: Some(at) });
        best
    }

    /// The score of the position for `stone`, which is to move.
    fn search(&mut self, stone: Stone, window: Window, depth: i32, ply: usize) -> i32 {
        if self.pace.count_node() {
            return 0;
        }
        let far = ply as i32;
        let duty = duty(self.position, stone);
        match duty {
            Duty::Win(_) => return WIN - far - 1,
            Duty::WinByTwoFives(_) => return WIN - far - 3,
            Duty::StopFive(places) if places.is_empty() => return -(WIN - far - 2),
            Duty::StopTwoFives(places) if places.is_empty() => return -(WIN - far - 4),
            Duty::StopFive(_) | Duty::StopTwoFives(_) | Duty::Free => {}
        }
        if self.position.is_full() {
            return 0;
        }
        if ply >= LONGEST_LINE {
            return self.evaluate(stone);
        }
        // No line from here can be shorter than the shortest win or loss.
        let alpha = window.alpha.max(-(WIN - far - 2));
        let beta = window.beta.min(WIN - far - 3);
        if alpha >= beta {
            return alpha;
        }
        let window = Window { alpha, beta };
        let known = self.recall(stone, far);
        if let Some(entry) = known.filter(|entry| entry.depth >= depth && window.is_null()) {
            match entry.bound {
                Bound::Exact => return entry.score,
                Bound::AtLeast if entry.score >= beta => return entry.score,
                Bound::AtMost if entry.score <= alpha => return entry.score,
                Bound::AtLeast | Bound::AtMost => {}
            }
        }
        let hint = known.and_then(|entry| entry.best);
        match duty {
            // Every answer to a four is forced, so it costs no depth.
            Duty::StopFive(places) => self.try_moves(
                stone,
                Tries { places, hint, all: true },
                window,
                (depth.max(0) + 1, ply),
            ),
            Duty::StopTwoFives(places) if depth > 0 => {
                self.try_moves(stone, Tries { places, hint, all: true }, window, (depth, ply))
            }
            Duty::Free if depth > 0 => self.search_free(stone, hint, window, (depth, ply)),
            Duty::Win(_) | Duty::WinByTwoFives(_) | Duty::StopTwoFives(_) | Duty::Free => {
                self.judge_leaf(stone, window, ply)
            }
        }
    }

    /// Scores a position at the end of a line: by a win with fours or by its patterns.
    fn judge_leaf(&mut self, stone: Stone, window: Window, ply: usize) -> i32 {
        let score = self.evaluate(stone);
        if score >= window.beta {
            return score;
        }
        let win = self.fours.win_in(self.position, stone, FOURS_AT_LEAF, &mut self.pace);
        match win {
            Some(plies) => {
                let score = WIN - ply as i32 - plies;
                let entry = Entry { score, depth: 0, bound: Bound::AtLeast, best: None };
                self.remember(stone, ply as i32, entry);
                score
            }
            None => score,
        }
    }

    /// Searches a position in which nothing is forced.
    fn search_free(
        &mut self,
        stone: Stone,
        hint: Option<At>,
        window: Window,
        (depth, ply): (i32, usize),
    ) -> i32 {
        if window.is_null() && window.beta.abs() < PROVEN {
            let standing = self.evaluate(stone);
            // Far above what matters: a few plies will not bring it down.
            if depth <= 5 && standing - 70 * depth >= window.beta {
                return standing;
            }
            // A position so good that even a pass keeps it above is not searched in full.
            if depth >= 3 && standing >= window.beta {
                let passed = -self.search(stone.other(), window.flipped(), depth - 4, ply + 1);
                if passed >= window.beta && !self.pace.is_over() {
                    return if passed > PROVEN { window.beta } else { passed };
                }
            }
        }
        let places = *self.position.near();
        self.try_moves(stone, Tries { places, hint, all: false }, window, (depth, ply))
    }

    /// Tries the moves on `places` in order of promise.
    fn try_moves(
        &mut self,
        stone: Stone,
        tries: Tries,
        window: Window,
        (depth, ply): (i32, usize),
    ) -> i32 {
        let Window { mut alpha, beta } = window;
        let mut moves =
            self.experience.candidates(self.position, stone, &tries.places, tries.hint, ply);
        let most = if tries.all { usize::MAX } else { most_moves(depth) };
        let futile = !tries.all
            && window.is_null()
            && depth <= 3
            && self.evaluate(stone) + 80 * depth + 60 <= alpha;
        let mut best = -WIN;
        let mut best_move = None;
        let mut tried = 0;
        while let Some(at) = moves.next() {
            if !self.position.allows(at, stone) {
                continue;
            }
            let quiet = !tries.all && self.is_quiet(at, stone);
            if tried > 0 && best > -PROVEN && (tried >= most || futile && quiet) {
                break;
            }
            let late = if quiet && depth > 2 { late_reduction(depth, tried) } else { 0 };
            self.position.place(at, stone);
            let score = self.search_child(stone, Window { alpha, beta }, (depth, ply), tried, late);
            self.position.undo();
            if self.pace.is_over() {
                break;
            }
            tried += 1;
            if score > best {
                best = score;
                best_move = Some(at);
                alpha = alpha.max(score);
                if alpha >= beta {
                    if !tries.all {
                        let last = self.position.last();
                        self.experience.reward(stone, at, last, (depth, ply), moves.tried());
                    }
                    break;
                }
            }
        }
        self.experience.give_back(moves);
        if self.pace.is_over() {
            return 0;
        }
        if tried == 0 {
            // Every move that could help is forbidden, or there is none.
            return if tries.all { -(WIN - ply as i32 - 2) } else { self.evaluate(stone) };
        }
        let bound = if best <= window.alpha {
            Bound::AtMost
        } else if best >= beta {
            Bound::AtLeast
        } else {
            Bound::Exact
        };
        self.remember(stone, ply as i32, Entry { score: best, depth, bound, best: best_move });
        best
    }

    fn search_child(
        &mut self,
        stone: Stone,
        window: Window,
        (depth, ply): (i32, usize),
        tried: usize,
        late: i32,
    ) -> i32 {
        let other = stone.other();
        if tried == 0 {
            return -self.search(other, window.flipped(), depth - 1, ply + 1);
        }
        let asked = Window::null(window.alpha).flipped();
        let mut score = -self.search(other, asked, depth - 1 - late, ply + 1);
        if score > window.alpha && late > 0 {
            score = -self.search(other, asked, depth - 1, ply + 1);
        }
        if score > window.alpha && score < window.beta {
            score = -self.search(other, window.flipped(), depth - 1, ply + 1);
        }
        score
    }

    /// Whether a move neither makes nor stops a threat.
    fn is_quiet(&self, at: At, stone: Stone) -> bool {
        self.position.worth(at, stone).threat < Threat::FreeThree
            && self.position.worth(at, stone.other()).threat < Threat::DoubleThree
    }

    /// The score of a position as it stands, for `stone`, which is to move.
    pub(super) fn evaluate(&self, stone: Stone) -> i32 {
        evaluate(self.position, stone)
    }

    /// Scores of wins are stored as seen from the position, not from the root.
    fn remember(&mut self, stone: Stone, far: i32, entry: Entry) {
        let score = match entry.score {
            score if score > PROVEN => score + far,
            score if score < -PROVEN => score - far,
            score => score,
        };
        self.table.put(self.position.key(stone), Entry { score, ..entry });
    }

    fn recall(&self, stone: Stone, far: i32) -> Option<Entry> {
        let entry = self.table.get(self.position.key(stone))?;
        let score = match entry.score {
            score if score > PROVEN => score - far,
            score if score < -PROVEN => score + far,
            score => score,
        };
        Some(Entry { score, ..entry })
    }
}

/// What to try in a position.
struct Tries {
    places: Places,
    /// The move to try first.
    hint: Option<At>,
    /// Whether every move counts, because all of them answer a threat.
    all: bool,
}

/// The score of a position as it stands, for `stone`, which is to move.
pub(super) fn evaluate(position: &Position, stone: Stone) -> i32 {
    let threats = |stone: Stone, weights: &Weights| -> i32 {
        let kinds = KINDS.into_iter().zip(weights.threats);
        kinds.filter(|&(kind, _)| position.count(stone, kind) > 0).map(|(_, w)| i32::from(w)).sum()
    };
    position.balance(stone) + TEMPO + threats(stone, &MOVING) - threats(stone.other(), &WAITING)
}

/// The threats that count in the evaluation, in the order of [`Weights::threats`].
const KINDS: [Threat; 5] =
    [Threat::FreeThree, Threat::DoubleThree, Threat::Four, Threat::FourThree, Threat::Unstoppable];

fn most_moves(depth: i32) -> usize {
    (4 + 2 * depth.max(0) as usize).min(32)
}

fn late_reduction(depth: i32, tried: usize) -> i32 {
    match tried {
        0 | 1 => 0,
        2..=4 => 1 + depth / 6,
        5..=9 => 1 + depth / 3,
        _ => 2 + depth / 3,
    }
}
