//! The likeliest strengths, seats and ties of a field, and how certain they are.
//!
//! Every result is a series of choices (see `choice`). The logarithm of the likelihood is concave
//! in the parameters, so Newton's method finds its one top, and the matrix of second derivatives
//! there, inverted, is the covariance.

use std::collections::BTreeMap;

use crate::choice::{Choice, Tie};
use crate::field::{Field, Player};
use crate::matrix::Matrix;

/// Widths of the normal priors, in natural units (400 Elo are ln 10).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    pub(crate) strength: f64,
    pub(crate) seat: f64,
    pub(crate) tie: f64,
}

/// At tables with more seats the sets that might tie are too many to weigh, and every member of a
/// tie is chosen from all who were left instead (Breslow).
const MOST_WEIGHED: usize = 10;
/// Newton's steps are no longer than this, in natural units.
const LONGEST_STEP: f64 = 3.0;
/// The last step is shorter than this, in standard errors: what is left then is about its square.
const SHORTEST_STEP: f64 = 1e-6;
/// A step this short that does not at least halve the next one is the doing of rounding.
const SHORT_STEP: f64 = 1e-3;
const MOST_STEPS: usize = 200;

/// The parameters of games with one number of seats.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableLayout {
    /// Where the effects of the seats begin; none if they cannot be told from the players.
    pub(crate) seats: Option<usize>,
    /// Where the prevalence of a tie stands, by how many were left and how many of them tied.
    pub(crate) ties: BTreeMap<(usize, usize), usize>,
}

/// One kind of choice that was made `count` times.
struct Round {
    seats: usize,
    /// Player and seat of those who were left.
    left: Vec<(usize, usize)>,
    count: f64,
}

/// What is to be fitted.
pub(crate) struct Problem {
    pub(crate) tables: BTreeMap<usize, TableLayout>,
    rounds: Vec<Round>,
    /// What the results say, added up: the logarithm of the likelihood is linear in these but for
    /// the sums over all sets.
    observed: Vec<f64>,
    /// Parameters of which only differences matter: their sum is zero.
    centred: Vec<Vec<usize>>,
    precision: Vec<f64>,
}

/// The likeliest parameters and their covariance.
pub(crate) struct Fit {
    pub(crate) values: Vec<f64>,
    pub(crate) covariance: Matrix,
    /// How often the likelihood was looked at.
    #[cfg(test)]
    pub(crate) looks: usize,
}

/// The likelihood at one point: minus its logarithm, and the derivatives of that.
struct Look {
    value: f64,
    /// The sum of all that was added and taken away. Where it is far larger than the value, little
    /// more than rounding is left of small differences.
    scale: f64,
    gradient: Vec<f64>,
    curvature: Matrix,
}

impl Problem {
    /// The problem of a field, whose players fall into `groups` that no game links. Tables in
    /// `confounded` get no effects of seats.
    pub(crate) fn new(
        field: &Field,
        groups: &[Vec<Player>],
        confounded: &[usize],
        prior: Prior,
    ) -> Problem {
        let mut tables = layouts(field);
        let mut centred: Vec<Vec<usize>> =
            groups.iter().map(|group| group.iter().map(|player| player.0).collect()).collect();
        let weak = |width: f64| 1.0 / (width * width);
        let mut precision = vec![weak(prior.strength); field.players()];
        for (&seats, table) in &mut tables {
            if !confounded.contains(&seats) {
                let begin = precision.len();
                table.seats = Some(begin);
                centred.push((begin..begin + seats).collect());
                precision.resize(begin + seats, weak(prior.seat));
            }
            for tie in table.ties.values_mut() {
                *tie = precision.len();
                precision.push(weak(prior.tie));
            }
        }
        let (rounds, observed) = rounds(field, &tables, precision.len());
        Problem { tables, rounds, observed, centred, precision }
    }

    /// Numbers of seats where seat and player cannot be told apart, because nobody changed seats.
    pub(crate) fn confounded(&self) -> Vec<usize> {
        /// So little is added in all directions that a direction nothing is known of stands out.
        const TRACE: f64 = 1e-10;
        let size = self.precision.len();
        let mut curvature = self.likelihood(&vec![0.0; size]).curvature;
        let known: Vec<f64> = (0..size).map(|at| curvature.at(at, at)).collect();
        for (at, known) in known.iter().enumerate() {
            curvature.add(at, at, known * TRACE + f64::MIN_POSITIVE);
        }
        self.centre_curvature(&mut curvature);
        let mut covariance = curvature.factor().inverse();
        self.project(&mut covariance);
        let open = |at: usize| covariance.at(at, at) * known[at] > 1e-3 / TRACE;
        let tables = self.tables.iter();
        let seats = tables.filter_map(|(&seats, table)| table.seats.map(|begin| (seats, begin)));
        seats
            .filter(|&(seats, begin)| (begin..begin + seats).any(open))
            .map(|(seats, _)| seats)
            .collect()
    }

    /// The top of the likelihood.
    pub(crate) fn fit(&self) -> Fit {
        let mut values = vec![0.0; self.precision.len()];
        let mut look = self.look(&values);
        let mut looks = 1;
        let mut before = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let mut step = look.curvature.clone().factor().solve(&look.gradient);
            // In standard errors: what is hardly known needs no digits, what is known well does.
            let length = step.iter().zip(&look.gradient).map(|(a, b)| a * b).sum::<f64>();
            let length = length.max(0.0).sqrt();
            if before < SHORT_STEP && length > before / 2.0 {
                break;
            }
            before = length;
            let longest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            let share = (LONGEST_STEP / longest).min(1.0);
            step.iter_mut().for_each(|part| *part *= share);
            let Some((next, there)) = self.descend(&values, &look, step, &mut looks) else { break };
            (values, look) = (next, there);
            if length < SHORTEST_STEP {
                break;
            }
        }
        let mut covariance = look.curvature.factor().inverse();
        self.project(&mut covariance);
        Fit {
            values,
            covariance,
            #[cfg(test)]
            looks,
        }
    }

    /// Follows a step, or as much of it as does not lead upwards again.
    fn descend(
        &self,
        values: &[f64],
        look: &Look,
        mut step: Vec<f64>,
        looks: &mut usize,
    ) -> Option<(Vec<f64>, Look)> {
        // Less than this is rounding, and going on for its sake would never end.
        let tolerance = look.scale * 1e-12;
        for _ in 0..40 {
            *looks += 1;
            let next: Vec<f64> = values.iter().zip(&step).map(|(a, b)| a - b).collect();
            let there = self.look(&next);
            if there.value <= look.value + tolerance {
                return Some((next, there));
            }
            step.iter_mut().for_each(|part| *part *= 0.5);
        }
        None
    }

    /// The likelihood and the priors at one point.
    fn look(&self, values: &[f64]) -> Look {
        let mut look = self.likelihood(values);
        for (at, (value, precision)) in values.iter().zip(&self.precision).enumerate() {
            look.value += 0.5 * precision * value * value;
            look.gradient[at] += precision * value;
            look.curvature.add(at, at, *precision);
        }
        for set in &self.centred {
            let sum: f64 = set.iter().map(|&at| values[at]).sum();
            look.value += 0.5 * sum * sum;
            set.iter().for_each(|&at| look.gradient[at] += sum);
        }
        self.centre_curvature(&mut look.curvature);
        look
    }

    fn likelihood(&self, values: &[f64]) -> Look {
        let size = values.len();
        let linear: f64 = self.observed.iter().zip(values).map(|(a, b)| a * b).sum();
        let mut look = Look {
            value: -linear,
            scale: self.observed.iter().zip(values).map(|(a, b)| (a * b).abs()).sum(),
            gradient: self.observed.iter().map(|observed| -observed).collect(),
            curvature: Matrix::zero(size),
        };
        let mut choice = Choice::default();
        let (mut strengths, mut slots) = (Vec::new(), Vec::new());
        let (mut ties, mut weights) = (Vec::new(), Vec::new());
        for round in &self.rounds {
            let table = &self.tables[&round.seats];
            strengths.clear();
            slots.clear();
            for (member, &(player, seat)) in round.left.iter().enumerate() {
                slots.push((player, member));
                slots.extend(table.seats.map(|begin| (begin + seat, member)));
                let of_seat = table.seats.map_or(0.0, |begin| values[begin + seat]);
                strengths.push(values[player] + of_seat);
            }
            ties.clear();
            ties.extend(table.ties_among(round.left.len()));
            weights.clear();
            let tie = |&(size, at): &(usize, usize)| Tie { size, log_prevalence: values[at] };
            weights.extend(ties.iter().map(tie));
            choice.weigh(&strengths, &weights);
            look.take(&choice, &slots, &ties, round);
        }
        look
    }

    /// Differences alone are known; a sum is held at zero.
    fn centre_curvature(&self, curvature: &mut Matrix) {
        for set in &self.centred {
            for &one in set {
                for &other in set {
                    curvature.add(one, other, 1.0);
                }
            }
        }
    }

    /// Takes the direction of each sum out of a covariance.
    fn project(&self, covariance: &mut Matrix) {
        let size = covariance.size();
        for set in &self.centred {
            for at in 0..size {
                let mean = set.iter().map(|&one| covariance.at(one, at)).sum::<f64>();
                let mean = mean / set.len() as f64;
                set.iter().for_each(|&one| covariance.add(one, at, -mean));
            }
            for at in 0..size {
                let mean = set.iter().map(|&one| covariance.at(at, one)).sum::<f64>();
                let mean = mean / set.len() as f64;
                set.iter().for_each(|&one| covariance.add(at, one, -mean));
            }
        }
    }
}

impl TableLayout {
    /// Sizes of ties seen among so many, with their parameters.
    fn ties_among(&self, left: usize) -> impl Iterator<Item = (usize, usize)> {
        self.ties.range((left, 0)..(left + 1, 0)).map(|(&(_, size), &at)| (size, at))
    }
}

impl Look {
    /// Adds what a choice expects, to the lower half of the curvature, which is enough. `slots` are
    /// parameters with the member they belong to; those of ties come after them.
    fn take(
        &mut self,
        choice: &Choice,
        slots: &[(usize, usize)],
        ties: &[(usize, usize)],
        round: &Round,
    ) {
        let (left, count) = (round.left.len(), round.count);
        self.value += count * choice.log_sum;
        self.scale += (count * choice.log_sum).abs();
        for (index, &(at, one)) in slots.iter().enumerate() {
            let share = choice.shares[one];
            self.gradient[at] += count * share;
            for &(other_at, other) in &slots[..=index] {
                let joint = choice.joint[one * left + other] - share * choice.shares[other];
                self.curvature.add(at.max(other_at), at.min(other_at), count * joint);
            }
            for (tie, &(_, tie_at)) in ties.iter().enumerate() {
                let joint = choice.tied[tie * left + one] - share * choice.ties[tie];
                self.curvature.add(tie_at, at, count * joint);
            }
        }
        for (tie, &(_, at)) in ties.iter().enumerate() {
            let chance = choice.ties[tie];
            self.gradient[at] += count * chance;
            self.curvature.add(at, at, count * chance);
            for (other, &(_, other_at)) in ties.iter().enumerate().take(tie + 1) {
                self.curvature.add(at, other_at, -count * chance * choice.ties[other]);
            }
        }
    }
}

/// Which sizes of ties occur at which tables.
fn layouts(field: &Field) -> BTreeMap<usize, TableLayout> {
    let mut tables: BTreeMap<usize, TableLayout> = BTreeMap::new();
    for (finish, _) in field.results() {
        let seats = finish.seating.len();
        let table = tables.entry(seats).or_default();
        if seats <= MOST_WEIGHED {
            for (left, chosen) in choices(&finish.places) {
                if chosen.len() > 1 {
                    table.ties.insert((left.len(), chosen.len()), 0);
                }
            }
        }
    }
    tables
}

/// Choices that differ in who was left, with their counts, and what was observed in all.
fn rounds(
    field: &Field,
    tables: &BTreeMap<usize, TableLayout>,
    parameters: usize,
) -> (Vec<Round>, Vec<f64>) {
    let mut counts: BTreeMap<(usize, Vec<(usize, usize)>), f64> = BTreeMap::new();
    let mut observed = vec![0.0; parameters];
    for (finish, count) in field.results() {
        let seats = finish.seating.len();
        let (table, count) = (&tables[&seats], count as f64);
        for (left, chosen) in choices(&finish.places) {
            let (share, times) = if seats <= MOST_WEIGHED {
                (count / chosen.len() as f64, count)
            } else {
                (count, count * chosen.len() as f64)
            };
            for &seat in &chosen {
                observed[finish.seating[seat].0] += share;
                if let Some(begin) = table.seats {
                    observed[begin + seat] += share;
                }
            }
            if let Some(&at) = table.ties.get(&(left.len(), chosen.len())) {
                observed[at] += count;
            }
            let left = left.iter().map(|&seat| (finish.seating[seat].0, seat)).collect();
            *counts.entry((seats, left)).or_default() += times;
        }
    }
    let round = |((seats, left), count)| Round { seats, left, count };
    (counts.into_iter().map(round).collect(), observed)
}

/// The choices behind places: the seats that were left, and those of them that came next.
fn choices(places: &[usize]) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
    let last = places.iter().copied().max().unwrap_or(0);
    let seats = move |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..places.len()).filter(|&seat| keep(places[seat])).collect()
    };
    (0..=last)
        .map(move |place| (seats(&|other| other >= place), seats(&|other| other == place)))
        .filter(|(left, _)| left.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::PairResults;
    use crate::notes::groups;
    use crate::ratings::PRIOR;

    /// Sixty players, each `apart` (in natural units) from the next, of whom everybody meets everybody
    /// `games` times in each seat; results are as expected, rounded. Davidson's draws.
    fn ladder(apart: f64, nu: f64, games: f64) -> Field {
        let mut field = Field::new(60);
        for first in 0..60 {
            for second in (0..60).filter(|&second| second != first) {
                let ahead = (first as f64 - second as f64) * apart / 2.0;
                let (win, loss) = (ahead.exp(), (-ahead).exp());
                let of = |weight: f64| (games * weight / (win + loss + nu)).round() as u64;
                let results =
                    PairResults { first_wins: of(win), draws: of(nu), second_wins: of(loss) };
                field.add_pair(Player(first), Player(second), results).expect("they are there");
            }
        }
        field
    }

    /// The fit, and how far from the top it still is, in standard errors.
    fn fitted(field: &Field) -> (Fit, f64) {
        let problem = Problem::new(field, &groups(field), &[], PRIOR);
        let fit = problem.fit();
        let look = problem.look(&fit.values);
        let step = look.curvature.factor().solve(&look.gradient);
        let left = step.iter().zip(&look.gradient).map(|(a, b)| a * b).sum::<f64>();
        (fit, left.max(0.0).sqrt())
    }

    #[test]
    fn however_a_field_is_spread_a_few_looks_are_enough() {
        for apart in [0.0, 0.1, 0.6, 2.5, 6.0, 20.0] {
            for nu in [0.0, 0.5, 20.0, 1e3, 1e6, 1e12] {
                let (fit, left) = fitted(&ladder(apart, nu, 28.0));
                assert!(fit.looks <= 60, "{} looks, {apart} apart, draws {nu}", fit.looks);
                assert!(left < 1e-6, "{left} left, {apart} apart, draws {nu}");
            }
        }
    }

    #[test]
    fn nearly_nothing_but_draws_is_no_search_without_end() {
        // The likelihood is then a small difference of large sums, of which rounding takes a part
        // that must not be mistaken for a way upwards.
        let mut field = Field::new(60);
        for first in 0..60 {
            for second in (0..60).filter(|&second| second != first) {
                let draws = PairResults { draws: 28, ..PairResults::default() };
                field.add_pair(Player(first), Player(second), draws).expect("they are there");
            }
        }
        let one = PairResults { first_wins: 1, ..PairResults::default() };
        field.add_pair(Player(3), Player(50), one).expect("they are there");
        let (fit, left) = fitted(&field);
        assert!(fit.looks <= 30, "{} looks", fit.looks);
        assert!(left < 1e-6, "{left} left");
    }
}
