//! The likelihood of all results at one point: its value and its first and second derivatives.

use std::collections::BTreeMap;
use std::thread;

use crate::choice::{Choices, Prevalence};
use crate::evidence::{Evidence, Sheet, TableLayout};
use crate::lanes::{LANES, Lanes};
use crate::matrix::Matrix;

/// From so many results on, two threads share them. They are always cut at the same place, so that
/// sums are the same to the last digit wherever they are made.
const RESULTS_FOR_TWO: usize = 20_000;
/// Strengths that lie farther apart than this (in natural units) are scaled anew for every choice,
/// lest the weakest vanish.
const WIDEST: f64 = 200.0;

/// The likelihood at one point: minus its logarithm, and the derivatives of that.
pub(crate) struct LogLikelihood {
    pub(crate) value: f64,
    /// The sum of all that was added and taken away. Where it is far larger than the value, little
    /// more than rounding is left of small differences.
    pub(crate) scale: f64,
    pub(crate) gradient: Vec<f64>,
    /// The lower half, which is enough.
    pub(crate) curvature: Matrix,
}

/// Strengths at one kind of table, ready to be multiplied: with 1 and each size of tie for `size`
/// player by player (and seat by seat) exp(value / size).
struct Strengths<'a> {
    values: &'a [f64],
    table: &'a TableLayout,
    prevalence: Prevalence,
    /// Where prevalences stand among the values, by how many are left and then by size.
    ties: Vec<Option<usize>>,
    players: Vec<Vec<f64>>,
    seats: Vec<Vec<f64>>,
    /// The logarithm of what both were divided by.
    top: f64,
    /// How far apart they might lie.
    width: f64,
}

impl LogLikelihood {
    /// The likelihood without priors.
    pub(crate) fn at(
        values: &[f64],
        evidence: &Evidence,
        tables: &BTreeMap<usize, TableLayout>,
    ) -> LogLikelihood {
        let part = |part, parts| {
            let mut look = LogLikelihood::nothing(values.len());
            for sheet in &evidence.sheets {
                look.add_sheet(sheet, part, parts, values, &tables[&sheet.seats]);
            }
            look
        };
        let mut look = if evidence.results < RESULTS_FOR_TWO {
            part(0, 1)
        } else {
            thread::scope(|scope| {
                let builder = thread::Builder::new();
                let other = builder.spawn_scoped(scope, || part(1, 2));
                let mut look = part(0, 2);
                // Where no thread is to be had, one does it all.
                let other = other.map_or_else(
                    |_| part(1, 2),
                    |other| other.join().expect("sums of numbers do not panic"),
                );
                look.add(&other);
                look
            })
        };
        for (at, (observed, value)) in evidence.observed.iter().zip(values).enumerate() {
            look.value -= observed * value;
            look.scale += (observed * value).abs();
            look.gradient[at] -= observed;
        }
        look
    }

    fn nothing(size: usize) -> LogLikelihood {
        let (gradient, curvature) = (vec![0.0; size], Matrix::zero(size));
        LogLikelihood { value: 0.0, scale: 0.0, gradient, curvature }
    }

    fn add(&mut self, other: &LogLikelihood) {
        self.value += other.value;
        self.scale += other.scale;
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(sum, more)| *sum += more);
        self.curvature.add_all(&other.curvature);
    }

    /// Adds a part of the results at one kind of table.
    fn add_sheet(
        &mut self,
        sheet: &Sheet,
        part: usize,
        parts: usize,
        values: &[f64],
        table: &TableLayout,
    ) {
        let seats = sheet.seats;
        let strengths = Strengths::new(values, table, sheet);
        let mut choices = Choices::new(seats, &strengths.prevalence.sizes);
        let mut seating = vec![Seated::default(); seats];
        for at in sheet.part(part, parts) {
            choices.clear();
            choices.counts.copy_from_slice(&sheet.counts[at..at + seats]);
            let players = &sheet.players[at..at + seats];
            let chairs = &sheet.chairs[at..at + seats];
            strengths.weigh(&mut choices, players, chairs);
            self.value += choices.value.sum();
            self.scale += choices.scale.sum();
            for lane in (0..LANES).filter(|&lane| choices.counts[0].0[lane] > 0.0) {
                seat(&mut seating, players, chairs, lane, table);
                self.take(&choices, lane, &seating);
                self.take_cross(&choices, lane, &seating, &strengths.ties);
            }
            self.take_ties(&choices, &strengths.ties);
        }
    }

    /// Adds what one result says of strengths and seats.
    fn take(&mut self, choices: &Choices, lane: usize, seating: &[Seated]) {
        for (at, seated) in seating.iter().enumerate() {
            let gradient = choices.gradient[at].0[lane];
            self.gradient[seated.player] += gradient;
            if let Some(chair) = seated.chair {
                self.gradient[chair] += gradient;
            }
        }
        let seats = seating.len();
        scatter(&mut self.curvature, seating, |one, other| {
            choices.curvature[one * seats + other].0[lane]
        });
    }

    /// Adds what one result says of strengths and seats together with ties.
    fn take_cross(
        &mut self,
        choices: &Choices,
        lane: usize,
        seating: &[Seated],
        ties: &[Option<usize>],
    ) {
        let seats = seating.len();
        for (kind, tie) in ties.iter().enumerate() {
            let Some(tie) = *tie else { continue };
            let (first, cells) = choices.cross_of(kind);
            if choices.counts[first].0[lane] == 0.0 {
                continue;
            }
            for (cell, seated) in cells[first..seats].iter().zip(&seating[first..]) {
                self.curvature.add(tie, seated.player, cell.0[lane]);
                if let Some(chair) = seated.chair {
                    self.curvature.add(tie, chair, cell.0[lane]);
                }
            }
        }
    }

    /// Adds what a few results say of ties.
    fn take_ties(&mut self, choices: &Choices, ties: &[Option<usize>]) {
        let sizes = choices.sizes().len();
        if sizes == 0 {
            return;
        }
        for (at, count) in choices.counts.iter().enumerate() {
            let ties = &ties[at * sizes..(at + 1) * sizes];
            let chances = &choices.chances[at * sizes..(at + 1) * sizes];
            for (index, (tie, chance)) in ties.iter().zip(chances).enumerate() {
                let Some(tie) = *tie else { continue };
                let chance = *chance * *count;
                self.gradient[tie] += chance.sum();
                self.curvature.add(tie, tie, chance.sum());
                for (other, other_chance) in ties.iter().zip(chances).take(index + 1) {
                    let Some(other) = *other else { continue };
                    self.curvature.add(tie, other, -(chance * *other_chance).sum());
                }
            }
        }
    }
}

/// The parameters of one who takes part in a game.
#[derive(Clone, Copy, Debug, Default)]
struct Seated {
    player: usize,
    chair: Option<usize>,
}

/// Who took part in one of a few results, in the order of finishing.
fn seat(
    seating: &mut [Seated],
    players: &[[u32; LANES]],
    chairs: &[[u32; LANES]],
    lane: usize,
    table: &TableLayout,
) {
    for (seated, (player, chair)) in seating.iter_mut().zip(players.iter().zip(chairs)) {
        seated.player = player[lane] as usize;
        seated.chair = table.seats.map(|begin| begin + chair[lane] as usize);
    }
}

/// Adds second derivatives by two members of a game to those by their parameters. Every row of
/// them sums to zero.
fn scatter(curvature: &mut Matrix, seating: &[Seated], cell: impl Fn(usize, usize) -> f64) {
    let mut add = |one: usize, other: usize, what: f64| {
        curvature.add(one.max(other), one.min(other), what);
    };
    for (at, one) in seating.iter().enumerate() {
        let mut others = 0.0;
        for (other_at, other) in seating.iter().enumerate().skip(at + 1) {
            let what = cell(at, other_at);
            others += what;
            add(one.player, other.player, what);
            add(other.player, other.player, -what);
            if let (Some(chair), Some(other_chair)) = (one.chair, other.chair) {
                add(chair, other.player, what);
                add(other_chair, one.player, what);
                add(chair, other_chair, what);
                add(other_chair, other_chair, -what);
                add(other_chair, other.player, -what);
            }
        }
        add(one.player, one.player, -others);
        if let Some(chair) = one.chair {
            add(chair, chair, -others);
            add(chair, one.player, -others);
        }
    }
}

impl<'a> Strengths<'a> {
    fn new(values: &'a [f64], table: &'a TableLayout, sheet: &Sheet) -> Strengths<'a> {
        let (seats, sizes) = (sheet.seats, table.sizes());
        let players = &values[..sheet.field];
        let chairs = table.seats.map_or(&[][..], |begin| &values[begin..begin + seats]);
        let ends = |list: &[f64]| {
            let high = list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let low = list.iter().copied().fold(f64::INFINITY, f64::min);
            if list.is_empty() { (0.0, 0.0) } else { (high, low) }
        };
        let (players_ends, chairs_ends) = (ends(players), ends(chairs));
        let roots = |list: &[f64], top: f64| -> Vec<Vec<f64>> {
            let root = |size: usize| {
                list.iter().map(|value| ((value - top) / size as f64).exp()).collect()
            };
            std::iter::once(1).chain(sizes.iter().copied()).map(root).collect()
        };
        // The choice from a position on has all left who finished from there on.
        let tie = |at: usize, size: usize| table.ties.get(&(seats - at, size)).copied();
        let ties = (0..seats).flat_map(|at| sizes.iter().map(move |&size| (at, size)));
        Strengths {
            values,
            table,
            prevalence: Prevalence::new(seats, &sizes, |left, size| {
                table.ties.get(&(left, size)).map(|&at| values[at])
            }),
            ties: ties.map(|(at, size)| tie(at, size)).collect(),
            players: roots(players, players_ends.0),
            seats: roots(chairs, chairs_ends.0),
            top: players_ends.0 + chairs_ends.0,
            width: players_ends.0 - players_ends.1 + chairs_ends.0 - chairs_ends.1,
        }
    }

    /// Weighs all choices of a few results.
    fn weigh(&self, choices: &mut Choices, players: &[[u32; LANES]], chairs: &[[u32; LANES]]) {
        let seats = players.len();
        if self.width > WIDEST {
            return self.weigh_one_by_one(choices, players, chairs);
        }
        for (index, of_players) in self.players.iter().enumerate() {
            let of_seats = &self.seats[index];
            let roots = &mut choices.roots[index * seats..(index + 1) * seats];
            for (root, (player, chair)) in roots.iter_mut().zip(players.iter().zip(chairs)) {
                *root = Lanes(player.map(|player| of_players[player as usize]));
                if !of_seats.is_empty() {
                    *root = *root * Lanes(chair.map(|chair| of_seats[chair as usize]));
                }
            }
        }
        choices.weigh(0..seats - 1, &self.prevalence, Lanes::all(self.top));
    }

    /// Weighs them one by one, in each of which the strongest is taken as one.
    fn weigh_one_by_one(
        &self,
        choices: &mut Choices,
        players: &[[u32; LANES]],
        chairs: &[[u32; LANES]],
    ) {
        let seats = players.len();
        let strength = |(player, chair): (&[u32; LANES], &[u32; LANES])| {
            let of_seat = |lane: usize| {
                self.table.seats.map_or(0.0, |begin| self.values[begin + chair[lane] as usize])
            };
            Lanes(std::array::from_fn(|lane| self.values[player[lane] as usize] + of_seat(lane)))
        };
        let strengths: Vec<Lanes> = players.iter().zip(chairs).map(strength).collect();
        for first in 0..seats - 1 {
            let highest = |lane: usize| {
                strengths[first..].iter().map(|all| all.0[lane]).fold(f64::NEG_INFINITY, f64::max)
            };
            let top = Lanes(std::array::from_fn(highest));
            let sizes = std::iter::once(1).chain(self.prevalence.sizes.iter().copied());
            for (index, size) in sizes.enumerate() {
                let roots = &mut choices.roots[index * seats + first..(index + 1) * seats];
                for (root, strength) in roots.iter_mut().zip(&strengths[first..]) {
                    *root = (*strength - top).map(|below| (below / size as f64).exp());
                }
            }
            choices.weigh(first..first + 1, &self.prevalence, top);
        }
    }
}

/// The second derivatives with all strengths equal and all ties as common as a single winner. Then
/// they are, but for a factor, those of a choice without ties, and ties stand apart: for them there
/// is a one.
pub(crate) fn level_curvature(
    evidence: &Evidence,
    tables: &BTreeMap<usize, TableLayout>,
    size: usize,
) -> Matrix {
    let mut curvature = Matrix::zero(size);
    for sheet in &evidence.sheets {
        let (seats, table) = (sheet.seats, &tables[&sheet.seats]);
        for &at in table.ties.values() {
            curvature.add(at, at, 1.0);
        }
        let weights: Vec<f64> = (0..seats - 1).map(|at| level_pair(seats - at, table)).collect();
        let mut seating = vec![Seated::default(); seats];
        let mut cells = vec![0.0; seats];
        for at in sheet.part(0, 1) {
            for lane in (0..LANES).filter(|&lane| sheet.counts[at].0[lane] > 0.0) {
                let players = &sheet.players[at..at + seats];
                seat(&mut seating, players, &sheet.chairs[at..at + seats], lane, table);
                let mut sum = 0.0;
                for (position, weight) in weights.iter().enumerate() {
                    sum += sheet.counts[at + position].0[lane] * weight;
                    cells[position] = sum;
                }
                scatter(&mut curvature, &seating, |one, _| cells[one]);
            }
        }
    }
    curvature
}

/// The second derivative by two of those left who are all equal: the expectation of
/// [both members of S] / |S|² − 1/left².
fn level_pair(left: usize, table: &TableLayout) -> f64 {
    let all = left as f64;
    let (mut sets, mut both, mut number) = (all, 0.0, all);
    for size in 2..=left {
        number *= (left + 1 - size) as f64 / size as f64;
        if table.ties.contains_key(&(left, size)) {
            let size = size as f64;
            sets += number;
            both += number * (size - 1.0) / (size * all * (all - 1.0));
        }
    }
    both / sets - 1.0 / (all * all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::layouts;
    use crate::field::{Field, Player};

    /// Games of two to six seats among seven players, and one of twelve, ties of all kinds
    /// included.
    fn mixed() -> Field {
        let mut field = Field::new(12);
        let mut state = 1_u64;
        let mut number = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for game in 0..120 {
            let seats = if game == 0 { 12 } else { 2 + game % 5 };
            let among = if game == 0 { 12 } else { 7 };
            let mut players: Vec<Player> = (0..among).map(Player).collect();
            (0..seats).for_each(|at| players.swap(at, at + number((among - at) as u64) as usize));
            let ranks: Vec<u32> = (0..seats).map(|_| number(5) as u32).collect();
            field.add(&players[..seats], &ranks, 1 + number(3)).expect("sound");
        }
        field
    }

    /// The evidence and tables of a field, and how many parameters there are.
    fn laid_out(field: &Field) -> (Evidence, BTreeMap<usize, TableLayout>, usize) {
        let mut tables = layouts(field.results());
        let mut size = field.players();
        for (&seats, table) in &mut tables {
            table.seats = Some(size);
            size += seats;
            for tie in table.ties.values_mut() {
                *tie = size;
                size += 1;
            }
        }
        (Evidence::new(field.results(), &tables, size), tables, size)
    }

    /// Values that differ, up to `width`.
    fn values(size: usize, width: f64) -> Vec<f64> {
        (0..size).map(|at| ((at * 7 % 11) as f64 / 5.0 - 1.0) * width).collect()
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        let (evidence, tables, size) = laid_out(&mixed());
        let values = values(size, 1.3);
        let look = LogLikelihood::at(&values, &evidence, &tables);
        let by = 1e-4;
        for at in 0..size {
            let [above, below] = [by, -by].map(|by| {
                let mut values = values.clone();
                values[at] += by;
                LogLikelihood::at(&values, &evidence, &tables)
            });
            let gradient = (above.value - below.value) / (2.0 * by);
            assert!((gradient - look.gradient[at]).abs() < 1e-5, "{at}: {gradient}");
            for other in 0..size {
                let curvature = (above.gradient[other] - below.gradient[other]) / (2.0 * by);
                let found = look.curvature.at(at.max(other), at.min(other));
                assert!((curvature - found).abs() < 1e-5, "{at}, {other}: {curvature}, {found}");
            }
        }
    }

    #[test]
    fn choices_weighed_one_by_one_are_those_weighed_together() {
        let (evidence, tables, size) = laid_out(&mixed());
        let values = values(size, 1.3);
        for sheet in &evidence.sheets {
            let table = &tables[&sheet.seats];
            let strengths = Strengths::new(&values, table, sheet);
            let [mut one, mut other] =
                [(); 2].map(|()| Choices::new(sheet.seats, &strengths.prevalence.sizes));
            for at in sheet.part(0, 1) {
                let few = at..at + sheet.seats;
                for choices in [&mut one, &mut other] {
                    choices.clear();
                    choices.counts.copy_from_slice(&sheet.counts[few.clone()]);
                }
                let (players, chairs) = (&sheet.players[few.clone()], &sheet.chairs[few]);
                strengths.weigh(&mut one, players, chairs);
                strengths.weigh_one_by_one(&mut other, players, chairs);
                let close = |one: &[Lanes], other: &[Lanes]| {
                    let apart = |(one, other): (&Lanes, &Lanes)| (*one - *other).map(f64::abs);
                    one.iter().zip(other).map(apart).all(|by| by.0.iter().all(|by| *by < 1e-12))
                };
                assert!(close(&[one.value, one.scale], &[other.value, other.scale]));
                assert!(close(&one.gradient, &other.gradient));
                assert!(close(&one.curvature, &other.curvature));
                assert!(close(&one.chances, &other.chances));
                assert!(close(&one.cross, &other.cross));
            }
        }
    }

    #[test]
    fn extremes_stay_finite() {
        let (evidence, tables, size) = laid_out(&mixed());
        for width in [90.0, 120.0, 900.0] {
            let look = LogLikelihood::at(&values(size, width), &evidence, &tables);
            assert!(look.value.is_finite());
            assert!(look.gradient.iter().all(|part| part.is_finite()));
            for row in 0..size {
                assert!((0..=row).all(|column| look.curvature.at(row, column).is_finite()));
            }
        }
    }

    #[test]
    fn among_equals_the_level_curvature_is_the_curvature() {
        let (evidence, tables, size) = laid_out(&mixed());
        let look = LogLikelihood::at(&vec![0.0; size], &evidence, &tables);
        let level = level_curvature(&evidence, &tables, size);
        let is_tie = |at| tables.values().any(|table| table.ties.values().any(|&tie| tie == at));
        for row in 0..size {
            for column in 0..=row {
                let (found, wanted) = (level.at(row, column), look.curvature.at(row, column));
                let apart = match (is_tie(row), is_tie(column)) {
                    (true, true) => continue,
                    (true, false) | (false, true) => wanted.abs().max(found.abs()),
                    (false, false) => (found - wanted).abs(),
                };
                assert!(apart < 1e-10, "{row}, {column}: {found}, not {wanted}");
            }
        }
    }
}
