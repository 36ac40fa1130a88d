//! Fits ratings: the likeliest strengths, seat effects and ties of a field, and their errors.
//!
//! Every result is a series of choices (see `choice`). The logarithm of the likelihood is concave
//! in the parameters, so Newton's method finds its one top, and the matrix of second derivatives
//! there, inverted, is the covariance.

use std::collections::BTreeMap;

use crate::evidence::{Evidence, TableLayout, layouts};
use crate::field::{Field, Player};
use crate::log_likelihood::{self, LogLikelihood};
use crate::matrix::Matrix;

/// Widths of the normal priors, in natural units (400 Elo are ln 10).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    pub(crate) strength: f64,
    pub(crate) seat: f64,
    pub(crate) tie: f64,
}

/// Newton's steps are no longer than this, in natural units.
const LONGEST_STEP: f64 = 3.0;
/// The last step is shorter than this, in standard errors: what is left then is about its square.
const SHORTEST_STEP: f64 = 1e-6;
/// The same for a sample, the top of which is only a place to start from.
const SHORTEST_ROUGH_STEP: f64 = 0.01;
/// A step this short that does not at least halve the next one is the doing of rounding.
const SHORT_STEP: f64 = 1e-3;
const MOST_STEPS: usize = 200;
/// With more results than this, a sample of them is fitted first.
const MANY_RESULTS: usize = 20_000;
/// One of so many results is in the sample.
const SAMPLED: usize = 16;

/// How precisely a given strength is one.
const GIVEN: f64 = 1e10;

/// What is to be fitted.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) tables: BTreeMap<usize, TableLayout>,
    evidence: Evidence,
    /// A part of many results.
    sample: Option<Evidence>,
    /// Parameters of which only differences matter: their sum is zero.
    centred: Vec<Vec<usize>>,
    /// What each parameter is by the prior, and how precisely.
    expected: Vec<f64>,
    precision: Vec<f64>,
}

/// The likeliest parameters and their covariance.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) values: Vec<f64>,
    pub(crate) covariance: Matrix,
    /// How often the likelihood of all results was looked at.
    #[cfg(test)]
    pub(crate) looks: usize,
}

/// Where Newton's method came to.
struct Top {
    values: Vec<f64>,
    /// The curvature there, or too near to matter.
    curvature: Matrix,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests bound it"))]
    looks: usize,
}

impl Fit {
    /// The variance of the difference of two parameters.
    pub(crate) fn spread(&self, one: usize, other: usize) -> f64 {
        let at = |one, other| self.covariance.at(one, other);
        at(one, one) + at(other, other) - 2.0 * at(one, other)
    }
}

impl Problem {
    /// The problem of a field, whose players fall into `groups` that no game links. Tables in
    /// `confounded` get no effects of seats; players in `given` have this strength.
    pub(crate) fn new(
        field: &Field,
        groups: &[Vec<Player>],
        confounded: &[usize],
        given: &BTreeMap<Player, f64>,
        prior: Prior,
    ) -> Problem {
        let mut tables = layouts(field.results());
        let weak = |width: f64| 1.0 / (width * width);
        let mut precision = vec![weak(prior.strength); field.players()];
        let mut expected = vec![0.0; field.players()];
        let mut centred: Vec<Vec<usize>> = Vec::new();
        for group in groups {
            let here: Vec<f64> =
                group.iter().filter_map(|player| given.get(player).copied()).collect();
            if here.is_empty() {
                centred.push(group.iter().map(|player| player.0).collect());
                continue;
            }
            let mean = here.iter().sum::<f64>() / here.len() as f64;
            for player in group {
                expected[player.0] = given.get(player).copied().unwrap_or(mean);
                if given.contains_key(player) {
                    precision[player.0] = GIVEN;
                }
            }
        }
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
        expected.resize(precision.len(), 0.0);
        let evidence = Evidence::new(field.results(), &tables, precision.len());
        let sample = (evidence.results > MANY_RESULTS).then(|| {
            let some = field.results().step_by(SAMPLED);
            let mut sample = Evidence::new(some, &tables, precision.len());
            sample.tie_as(&evidence, &tables);
            sample
        });
        Problem { tables, evidence, sample, centred, expected, precision }
    }

    /// Numbers of seats where seat and player cannot be told apart, because nobody changed seats.
    pub(crate) fn confounded(&self) -> Vec<usize> {
        /// So little is added in all directions that a direction nothing is known of stands out.
        const TRACE: f64 = 1e-10;
        let size = self.precision.len();
        let mut curvature = log_likelihood::level_curvature(&self.evidence, &self.tables, size);
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
        let mut start = self.expected.clone();
        if let Some(sample) = &self.sample {
            start = self.climb(sample, start, SHORTEST_ROUGH_STEP).values;
        }
        let top = self.climb(&self.evidence, start, SHORTEST_STEP);
        let mut covariance = top.curvature.factor().inverse();
        self.project(&mut covariance);
        Fit {
            values: top.values,
            covariance,
            #[cfg(test)]
            looks: top.looks,
        }
    }

    /// Newton's method, until a step is shorter than `shortest` standard errors.
    fn climb(&self, evidence: &Evidence, start: Vec<f64>, shortest: f64) -> Top {
        let mut values = start;
        let mut look = self.look(evidence, &values);
        let mut looks = 1;
        let mut before = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let mut step = look.curvature.clone().factor().solve(&look.gradient);
            // In standard errors: what is hardly known needs no digits, what is known well does.
            let length = step.iter().zip(&look.gradient).map(|(a, b)| a * b).sum::<f64>();
            let rounded = !length.is_finite();
            let length = length.max(0.0).sqrt();
            if rounded || before < SHORT_STEP && length > before / 2.0 {
                break;
            }
            before = length;
            let longest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            let share = (LONGEST_STEP / longest).min(1.0);
            step.iter_mut().for_each(|part| *part *= share);
            if length < shortest {
                values.iter_mut().zip(&step).for_each(|(value, part)| *value -= part);
                break;
            }
            let next = self.descend(evidence, &values, &look, step, &mut looks);
            let Some((next, there)) = next else { break };
            (values, look) = (next, there);
        }
        Top { values, curvature: look.curvature, looks }
    }

    /// Follows a step, or as much of it as does not lead upwards again.
    fn descend(
        &self,
        evidence: &Evidence,
        values: &[f64],
        look: &LogLikelihood,
        mut step: Vec<f64>,
        looks: &mut usize,
    ) -> Option<(Vec<f64>, LogLikelihood)> {
        // Less than this is rounding, and going on for its sake would never end.
        let tolerance = look.scale * 1e-12;
        for _ in 0..40 {
            *looks += 1;
            let next: Vec<f64> = values.iter().zip(&step).map(|(a, b)| a - b).collect();
            let there = self.look(evidence, &next);
            if there.value <= look.value + tolerance {
                return Some((next, there));
            }
            step.iter_mut().for_each(|part| *part *= 0.5);
        }
        None
    }

    /// The likelihood and the priors at one point.
    fn look(&self, evidence: &Evidence, values: &[f64]) -> LogLikelihood {
        let mut look = LogLikelihood::at(values, evidence, &self.tables);
        for (at, (value, precision)) in values.iter().zip(&self.precision).enumerate() {
            let off = value - self.expected[at];
            look.value += 0.5 * precision * off * off;
            look.gradient[at] += precision * off;
            // It is convex, whatever rounding makes of it.
            let known = look.curvature.at(at, at).max(0.0);
            look.curvature.set(at, at, known + precision);
        }
        for set in &self.centred {
            let sum: f64 = set.iter().map(|&at| values[at]).sum();
            look.value += 0.5 * sum * sum;
            set.iter().for_each(|&at| look.gradient[at] += sum);
        }
        self.centre_curvature(&mut look.curvature);
        look
    }

    /// All results and the priors at one point.
    pub(crate) fn look_at(&self, values: &[f64]) -> LogLikelihood {
        self.look(&self.evidence, values)
    }

    /// How many results that differ there are.
    pub(crate) fn results(&self) -> usize {
        self.evidence.results
    }

    /// How much results say about one player alone, where the likelihood looks like this.
    pub(crate) fn information(&self, player: usize, look: &LogLikelihood) -> f64 {
        let held = self.centred.iter().any(|set| set.contains(&player));
        look.curvature.at(player, player) - self.precision[player] - if held { 1.0 } else { 0.0 }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::PairResults;
    use crate::notes::groups;
    use crate::ratings::PRIOR;

    /// Sixty players, each `apart` (in natural units) from the next, of whom everybody meets
    /// everybody
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
        let problem = Problem::new(field, &groups(field), &[], &BTreeMap::new(), PRIOR);
        let fit = problem.fit();
        let look = problem.look(&problem.evidence, &fit.values);
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

    #[test]
    fn many_results_are_looked_at_a_few_times() {
        // Sixty players in games of four, nearly all of which end differently, some with ties.
        let mut field = Field::new(60);
        let mut state = 1_u64;
        let mut number = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut players: Vec<Player> = (0..60).map(Player).collect();
        for _ in 0..MANY_RESULTS + 5000 {
            (0..4).for_each(|at| players.swap(at, at + number(60 - at as u64) as usize));
            let rank = |player: &Player| 100 - (player.0 as u64 / 2 + number(60)) as u32;
            let ranks: Vec<u32> = players[..4].iter().map(rank).collect();
            field.add(&players[..4], &ranks, 1).expect("sound");
        }
        let (fit, left) = fitted(&field);
        assert!(fit.looks <= 5, "{} looks", fit.looks);
        assert!(left < 1e-6, "{left} left");
    }
}
