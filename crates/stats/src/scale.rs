//! What strengths mean in points: the expected score of one player against another, and ratings on
//! the scale of scores.
//!
//! With draws or a seat's advantage a strength is not an Elo rating: how often the stronger one wins to how
//! often it loses is not what it scores. No ratings give every pair its expected score exactly,
//! since scores of three players do not add up like differences. So a rating is what gives every
//! player its expected score over all others: the ratings of a round robin with the results the
//! model expects.

use std::collections::BTreeMap;

use crate::evidence::TableLayout;
use crate::matrix::Matrix;

/// The expected score of one against another at one kind of table, and how often it is played.
pub(crate) struct TableKind {
    seats: usize,
    games: f64,
    /// What each seat is worth; empty if that is not known or nothing.
    effects: Vec<f64>,
    /// The sizes in which a next place may be shared, one included.
    sizes: Vec<usize>,
    /// How common each size is, by how many are left and then by size.
    common: Vec<f64>,
}

/// Scores of one against another, and their derivatives by the two strengths. Both scores, since
/// what is left to one may be far less than the digits of the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expected {
    pub(crate) score: f64,
    pub(crate) against: f64,
    pub(crate) by_one: f64,
    pub(crate) by_other: f64,
}

/// Players on the scale of scores.
pub(crate) struct Scaled {
    /// In natural units.
    pub(crate) values: Vec<f64>,
    /// The derivatives of each by each parameter, row by row.
    pub(crate) slopes: Vec<Vec<f64>>,
}

/// Strengths beyond this (in natural units) are taken as this: nobody scores there.
const FARTHEST: f64 = 300.0;
/// How far a parameter is moved to see what depends on it.
const NUDGE: f64 = 1e-5;
/// Newton's steps are no longer than this, in natural units.
const LONGEST_STEP: f64 = 2.0;
const MOST_STEPS: usize = 200;
/// So many strengths stand for those of all others.
const CROWD: usize = 6;

impl TableKind {
    /// The kinds of tables of a fit.
    pub(crate) fn all(
        tables: &BTreeMap<usize, TableLayout>,
        games: &BTreeMap<usize, u64>,
        values: &[f64],
    ) -> Vec<TableKind> {
        let kind = |(&seats, table): (&usize, &TableLayout)| {
            let effects = table.seats.map_or(Vec::new(), |at| values[at..at + seats].to_vec());
            let mut sizes = table.sizes();
            sizes.insert(0, 1);
            let common = |left: usize, size: usize| match size {
                1 => 1.0,
                _ => table.ties.get(&(left, size)).map_or(0.0, |&at| values[at].exp()),
            };
            let common = (0..=seats)
                .flat_map(|left| sizes.iter().map(move |&size| (left, size)))
                .map(|(left, size)| common(left, size))
                .collect();
            let games = games.get(&seats).copied().unwrap_or(0) as f64;
            TableKind { seats, games, effects, sizes, common }
        };
        tables.iter().map(kind).collect()
    }

    /// Whether a strength is a score's already.
    pub(crate) fn plain(&self) -> bool {
        self.sizes.len() == 1 && self.effects.iter().all(|effect| *effect == 0.0)
    }

    /// What one of this strength scores against another, from all seats, with all others at the
    /// table of one strength, each of `crowd` in turn.
    pub(crate) fn expected(&self, one: f64, other: f64, crowd: &[f64]) -> Expected {
        let level = self.effects.iter().all(|effect| *effect == 0.0);
        let seats: Vec<(f64, f64)> = match level {
            true => vec![(0.0, 0.0)],
            false => {
                let pairs = (0..self.seats).flat_map(|a| (0..self.seats).map(move |b| (a, b)));
                let pairs = pairs.filter(|(a, b)| a != b);
                pairs.map(|(a, b)| (self.effects[a], self.effects[b])).collect()
            }
        };
        // Without ties and with two seats nobody else matters.
        let crowd = if self.seats == 2 || self.sizes.len() == 1 { &[0.0] } else { crowd };
        let times = 1.0 / (seats.len() * crowd.len()) as f64;
        let mut mean = Expected::default();
        for (a, b) in seats {
            for others in crowd {
                mean.add(self.seated(one + a, other + b, *others), times);
            }
        }
        mean
    }

    /// The same with the advantage of seats added to both strengths.
    fn seated(&self, one: f64, other: f64, others: f64) -> Expected {
        // Only differences matter, and numbers stay within bounds.
        let [one, other] = [one, other].map(|u| (u - others).clamp(-FARTHEST, FARTHEST));
        if self.sizes.len() == 1 {
            let [score, against] = [other - one, one - other].map(|x| 1.0 / (1.0 + x.exp()));
            let slope = score * against;
            return Expected { score, against, by_one: slope, by_other: -slope };
        }
        // By how many others are left beside the two.
        let mut expected = vec![Expected::default(); self.seats - 1];
        for others in 0..=self.seats - 2 {
            expected[others] = self.next_place(one, other, others, &expected);
        }
        expected[self.seats - 2]
    }

    /// The expected scores while both are left and so many others, whose strength is zero, given
    /// those of fewer others.
    fn next_place(&self, one: f64, other: f64, others: usize, fewer: &[Expected]) -> Expected {
        let common = &self.common[(others + 2) * self.sizes.len()..];
        let mut sum = Expected::default();
        // The sum of all weights, and its derivatives.
        let (mut weights, mut by_one, mut by_other) = (0.0, 0.0, 0.0);
        let highest = one.max(other).max(0.0);
        for (&size, &common) in self.sizes.iter().zip(common) {
            if common == 0.0 {
                continue;
            }
            let part = 1.0 / size as f64;
            // So many others with those of the two whose strengths add up to this.
            let weight = |chosen: Option<usize>, strengths: f64| match chosen {
                Some(chosen) => {
                    binomial(others, chosen) * common * (strengths * part - highest).exp()
                }
                None => 0.0,
            };
            let both = weight(size.checked_sub(2), one + other);
            let [first, second] = [one, other].map(|u| weight(Some(size - 1), u));
            let neither = weight(Some(size), 0.0);
            weights += both + first + second + neither;
            by_one += part * (both + first);
            by_other += part * (both + second);
            sum.score += first + both / 2.0;
            sum.against += second + both / 2.0;
            sum.by_one += part * (first + both / 2.0);
            sum.by_other += part * both / 2.0;
            if size <= others {
                sum.add(fewer[others - size], neither);
            }
        }
        let mut expected = Expected::default();
        expected.add(sum, 1.0 / weights);
        expected.by_one -= expected.score * by_one / weights;
        expected.by_other -= expected.score * by_other / weights;
        expected
    }
}

impl Expected {
    fn add(&mut self, other: Expected, times: f64) {
        self.score += times * other.score;
        self.against += times * other.against;
        self.by_one += times * other.by_one;
        self.by_other += times * other.by_other;
    }
}

fn binomial(of: usize, chosen: usize) -> f64 {
    match chosen > of {
        true => 0.0,
        false => (0..chosen).map(|at| (of - at) as f64 / (at + 1) as f64).product(),
    }
}

/// Expected scores on which ratings rest.
pub(crate) struct ScaleBasis<'a> {
    /// The expected scores of all pairs, given all parameters: (0, 1), (0, 2), …, (1, 2), …
    pub(crate) pairs: &'a dyn Fn(&[f64]) -> Vec<Expected>,
    /// Where the strengths of those who are rated stand among the parameters.
    pub(crate) members: &'a [usize],
    /// What else scores depend on.
    pub(crate) others: &'a [usize],
    /// Who has a given rating, in natural units; if nobody has, the mean of ratings is that of
    /// strengths.
    pub(crate) fixed: &'a [Option<f64>],
}

/// The expected scores of all pairs of players, the kinds of tables weighed by their games.
pub(crate) fn player_pairs(kinds: &[TableKind], strengths: &[f64]) -> Vec<Expected> {
    let games: f64 = kinds.iter().map(|kind| kind.games).sum();
    let mut sorted = strengths.to_vec();
    sorted.sort_by(f64::total_cmp);
    let pair = |(one, other): (usize, usize)| {
        let crowd = crowd(strengths, &sorted, one, other);
        let mut expected = Expected::default();
        for kind in kinds {
            let pair = kind.expected(strengths[one], strengths[other], &crowd);
            expected.add(pair, kind.games / games);
        }
        expected
    };
    all_pairs(strengths.len()).map(pair).collect()
}

/// Who else may sit at a table of two players: everybody in turn, of many players a few from the
/// weakest to the strongest.
fn crowd(strengths: &[f64], sorted: &[f64], one: usize, other: usize) -> Vec<f64> {
    let count = sorted.len();
    match count {
        0..=2 => vec![strengths.iter().sum::<f64>() / count.max(1) as f64],
        _ if count <= CROWD + 2 => {
            let apart = |at: &usize| *at != one && *at != other;
            (0..count).filter(apart).map(|at| strengths[at]).collect()
        }
        _ => (0..CROWD).map(|at| sorted[(2 * at + 1) * count / (2 * CROWD)]).collect(),
    }
}

/// The expected scores of all pairs of seats, among equals.
pub(crate) fn seat_pairs(kind: &TableKind) -> Vec<Expected> {
    let effects = &kind.effects;
    all_pairs(effects.len()).map(|(a, b)| kind.seated(effects[a], effects[b], 0.0)).collect()
}

/// All pairs of so many, in their order.
pub(crate) fn all_pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

impl ScaleBasis<'_> {
    /// Strengths on the scale of scores.
    pub(crate) fn scaled(&self, values: &[f64]) -> Scaled {
        let count = self.members.len();
        let strengths: Vec<f64> = self.members.iter().map(|&at| values[at]).collect();
        let expected = (self.pairs)(values);
        let ratings = self.project(&expected, &strengths);
        let mut slopes = vec![vec![0.0; values.len()]; count];
        for ((one, other), pair) in all_pairs(count).zip(&expected) {
            for (row, sign) in [(one, 1.0), (other, -1.0)] {
                slopes[row][self.members[one]] += sign * pair.by_one;
                slopes[row][self.members[other]] += sign * pair.by_other;
            }
        }
        let mut moved = values.to_vec();
        for &at in self.others {
            moved[at] = values[at] + NUDGE;
            let there = (self.pairs)(&moved);
            moved[at] = values[at];
            for ((one, other), (now, then)) in all_pairs(count).zip(there.iter().zip(&expected)) {
                let slope = (now.score - then.score) / NUDGE;
                slopes[one][at] += slope;
                slopes[other][at] -= slope;
            }
        }
        let curvature = self.curvature(&ratings).factor();
        let mut column = vec![0.0; count];
        for &at in self.members.iter().chain(self.others) {
            for (cell, (row, fixed)) in column.iter_mut().zip(slopes.iter().zip(self.fixed)) {
                *cell = if fixed.is_some() { 0.0 } else { row[at] };
            }
            let solved = curvature.solve(&column);
            slopes.iter_mut().zip(solved).for_each(|(row, value)| row[at] = value);
        }
        Scaled { values: ratings, slopes }
    }

    /// The ratings with which everybody's expected sum is that of these pairs: the top of a concave
    /// likelihood, by Newton's method.
    fn project(&self, expected: &[Expected], start: &[f64]) -> Vec<f64> {
        let count = start.len();
        let mean = start.iter().sum::<f64>() / count.max(1) as f64;
        let anchored = self.fixed.iter().zip(start);
        let mut ratings: Vec<f64> = anchored.map(|(fixed, own)| fixed.unwrap_or(*own)).collect();
        let mut value = misfit(expected, &ratings);
        for _ in 0..MOST_STEPS {
            let mut gradient = vec![0.0; count];
            for ((one, other), pair) in all_pairs(count).zip(expected) {
                let missing = missing(pair, ratings[one] - ratings[other]);
                gradient[one] += missing;
                gradient[other] -= missing;
            }
            for (part, fixed) in gradient.iter_mut().zip(self.fixed) {
                *part = if fixed.is_some() { 0.0 } else { *part };
            }
            let mut step = self.curvature(&ratings).factor().solve(&gradient);
            let longest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            if !longest.is_finite() {
                break;
            }
            let mut share = (LONGEST_STEP / longest.max(f64::MIN_POSITIVE)).min(1.0);
            let mut next;
            loop {
                let moved = ratings.iter().zip(&step).map(|(rating, part)| rating + share * part);
                next = moved.collect::<Vec<f64>>();
                let there = misfit(expected, &next);
                if there <= value + value.abs() * 1e-12 || share < 1e-9 {
                    value = there;
                    break;
                }
                share /= 2.0;
            }
            ratings = next;
            step.iter_mut().for_each(|part| *part *= share);
            if longest < 1e-12 {
                break;
            }
        }
        if self.fixed.iter().all(Option::is_none) {
            let now = ratings.iter().sum::<f64>() / count.max(1) as f64;
            ratings.iter_mut().for_each(|rating| *rating += mean - now);
        }
        ratings
    }

    /// How expected sums move with ratings. Who is fixed does not move; if nobody is, the sum is
    /// held.
    fn curvature(&self, ratings: &[f64]) -> Matrix {
        let count = ratings.len();
        let mut matrix = Matrix::zero(count);
        for (one, other) in all_pairs(count) {
            let apart = (ratings[one] - ratings[other]).abs();
            let weight = (-apart).exp() / (1.0 + (-apart).exp()).powi(2);
            let free = [one, other].map(|at| self.fixed[at].is_none());
            for (at, free) in [one, other].into_iter().zip(free) {
                matrix.add(at, at, if free { weight } else { 0.0 });
            }
            if free == [true, true] {
                matrix.add(other, one, -weight);
            }
        }
        let free = self.fixed.iter().all(Option::is_none);
        let largest = (0..count).map(|at| matrix.at(at, at)).fold(0.0, f64::max);
        for row in 0..count {
            if self.fixed[row].is_some() {
                matrix.set(row, row, 1.0);
            } else if free {
                (0..=row).for_each(|at| matrix.add(row, at, largest / count as f64));
            }
        }
        matrix
    }
}

/// What is missing to the expected score of one, with its rating so far above the other's. Taken
/// where the digits are.
fn missing(pair: &Expected, apart: f64) -> f64 {
    match pair.score < pair.against {
        true => pair.score - 1.0 / (1.0 + (-apart).exp()),
        false => 1.0 / (1.0 + apart.exp()) - pair.against,
    }
}

/// Minus the logarithm of the likelihood of ratings, given expected scores.
fn misfit(expected: &[Expected], ratings: &[f64]) -> f64 {
    let pairs = all_pairs(ratings.len()).zip(expected);
    let of = |((one, other), pair): ((usize, usize), &Expected)| {
        let apart = ratings[one] - ratings[other];
        let (lost, won) = ((-apart).exp().ln_1p(), apart.exp().ln_1p());
        let finite = |log: f64, apart: f64| if log.is_finite() { log } else { apart };
        pair.score * finite(lost, -apart) + pair.against * finite(won, apart)
    };
    pairs.map(of).sum()
}
