//! The Plackett–Luce model: one choice of who takes the next place, with ties
//! after Davidson and Luce.
//!
//! Of those who are left, the set S takes the next place with a probability in proportion to
//! δ(|S|) · (product of the strengths in S)^(1/|S|), with δ(1) = 1. With two players left this is
//! Bradley–Terry with the draws of Davidson.
//!
//! The sums over all sets of one size are elementary symmetric polynomials of the roots
//! strength^(1/size). Those who are left before each choice of a game are a tail of the order in
//! which it was finished, so one series of polynomials serves all choices of a game.

use std::ops::Range;

use crate::lanes::Lanes;

/// How common ties are at a table, by how many are left and then by size. The weights of those who
/// are left are scaled so that the largest factor is one.
#[derive(Clone, Debug)]
pub(crate) struct Prevalence {
    /// The sizes of ties there are.
    pub(crate) sizes: Vec<usize>,
    /// The factor of one who comes next alone, by how many are left.
    singles: Vec<f64>,
    /// The factor of each size of tie; none where such a tie cannot occur.
    ties: Vec<Option<f64>>,
    /// The logarithm of what was divided by, by how many are left.
    scales: Vec<f64>,
}

impl Prevalence {
    /// At a table of so many seats, with the logarithm of how common a tie is by the number left
    /// and the size.
    pub(crate) fn new(
        seats: usize,
        sizes: &[usize],
        log_prevalence: impl Fn(usize, usize) -> Option<f64>,
    ) -> Prevalence {
        let (mut singles, mut ties, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for left in 0..=seats {
            let logs: Vec<_> = sizes.iter().map(|&size| log_prevalence(left, size)).collect();
            let highest = logs.iter().flatten().copied().fold(0.0, f64::max);
            singles.push((-highest).exp());
            ties.extend(logs.iter().map(|log| log.map(|log| (log - highest).exp())));
            scales.push(highest);
        }
        Prevalence { sizes: sizes.to_vec(), singles, ties, scales }
    }

    fn tie(&self, left: usize, index: usize) -> Option<f64> {
        self.ties[left * self.sizes.len() + index]
    }

    fn any_tie(&self, left: usize) -> bool {
        let sizes = self.sizes.len();
        self.ties[left * sizes..(left + 1) * sizes].iter().any(Option::is_some)
    }
}

/// The choices of a few games at tables of one number of seats, as the derivatives of the
/// likelihood need them. The place of a player in the order of finishing is called its position;
/// the choice with all left from a position on is called by that position. One value serves many
/// games, so that nothing is allocated in between.
pub(crate) struct Choices {
    seats: usize,
    sizes: Vec<usize>,
    /// The strengths by position, then the roots of them for each size of tie.
    pub(crate) roots: Vec<Lanes>,
    /// How often each choice was made.
    pub(crate) counts: Vec<Lanes>,
    /// Minus the logarithm of the likelihood, but for what is linear in the parameters.
    pub(crate) value: Lanes,
    /// The same with all terms taken as positive.
    pub(crate) scale: Lanes,
    /// Its derivatives by the logarithms of strengths, by position.
    pub(crate) gradient: Vec<Lanes>,
    /// Its second derivatives by two different ones, for positions in ascending order. Every row of
    /// the whole sums to zero, since only differences matter; that gives the diagonal.
    pub(crate) curvature: Vec<Lanes>,
    /// The probability of each size of tie, by choice.
    pub(crate) chances: Vec<Lanes>,
    /// The second derivatives by the logarithms of a prevalence and of a strength, by choice, size
    /// and position.
    pub(crate) cross: Vec<Lanes>,
    /// The sums over all sets, by choice, inverted.
    inverse: Vec<Lanes>,
    /// For each size the polynomials of all from a position on, by position and degree.
    tails: Vec<Vec<Lanes>>,
    /// The polynomials of those left but for one, by position of that one and degree.
    without: Vec<Lanes>,
    /// For each position the expectation of [member of S] / |S| in one choice.
    shares: Vec<Lanes>,
    ahead: Vec<Lanes>,
    between: Vec<Lanes>,
}

impl Choices {
    pub(crate) fn new(seats: usize, sizes: &[usize]) -> Choices {
        let zero = |length: usize| vec![Lanes::ZERO; length];
        let largest = sizes.iter().copied().max().unwrap_or(1);
        Choices {
            seats,
            sizes: sizes.to_vec(),
            roots: zero((sizes.len() + 1) * seats),
            counts: zero(seats),
            value: Lanes::ZERO,
            scale: Lanes::ZERO,
            gradient: zero(seats),
            curvature: zero(seats * seats),
            chances: zero(seats * sizes.len()),
            cross: zero(seats * sizes.len() * seats),
            inverse: zero(seats),
            tails: sizes.iter().map(|size| zero((seats + 1) * (size + 1))).collect(),
            without: zero(seats * largest),
            shares: zero(seats),
            ahead: zero(largest),
            between: zero(largest),
        }
    }

    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Where a kind of tie, counted by choice and then by size, may occur: the choice, and the
    /// second derivatives by its prevalence and each position from there on.
    pub(crate) fn cross_of(&self, kind: usize) -> (usize, &[Lanes]) {
        (kind / self.sizes.len(), &self.cross[kind * self.seats..(kind + 1) * self.seats])
    }

    /// Forgets the games before. What is known of ties is written anew by every choice.
    pub(crate) fn clear(&mut self) {
        (self.value, self.scale) = (Lanes::ZERO, Lanes::ZERO);
        self.gradient.fill(Lanes::ZERO);
        self.curvature.fill(Lanes::ZERO);
    }

    /// Adds some of the choices, of which `roots` and `counts` are set from the first on. The
    /// strengths were divided by exp(`top`).
    pub(crate) fn weigh(&mut self, choices: Range<usize>, prevalence: &Prevalence, top: Lanes) {
        self.sum_sets(choices.clone(), prevalence, top);
        self.choose_singles(choices.clone(), prevalence);
        if self.sizes.is_empty() {
            return;
        }
        for index in 0..self.sizes.len() {
            self.expect_ties(index, choices.clone(), prevalence);
            self.pair_ties(index, choices.clone(), prevalence);
        }
        for at in choices {
            if prevalence.any_tie(self.seats - at) {
                self.join(at, prevalence);
            }
        }
    }

    /// The sums over all sets, and with them the likelihood.
    fn sum_sets(&mut self, choices: Range<usize>, prevalence: &Prevalence, top: Lanes) {
        let seats = self.seats;
        let mut sum = Lanes::ZERO;
        for at in (choices.start..seats).rev() {
            sum += self.roots[at];
            self.inverse[at] = sum * prevalence.singles[seats - at];
        }
        for (index, tails) in self.tails.iter_mut().enumerate() {
            let size = self.sizes[index];
            let roots = &self.roots[(index + 1) * seats..(index + 2) * seats];
            // Of degrees higher than there are roots all stay zero.
            let terms = size + 1;
            tails[seats * terms] = Lanes::all(1.0);
            for at in (choices.start..seats).rev() {
                let (now, after) = tails[at * terms..(at + 2) * terms].split_at_mut(terms);
                let most = size.min(seats - at);
                now[0] = Lanes::all(1.0);
                for degree in 1..=most {
                    now[degree] = after[degree] + roots[at] * after[degree - 1];
                }
            }
            for at in choices.clone() {
                if let Some(tie) = prevalence.tie(seats - at, index) {
                    let weight = tails[at * terms + size] * tie;
                    self.chances[at * self.sizes.len() + index] = weight;
                    self.inverse[at] += weight;
                }
            }
        }
        for at in choices {
            let sum = self.inverse[at].map(|sum| sum.max(f64::MIN_POSITIVE));
            let log = sum.map(f64::ln) + top + Lanes::all(prevalence.scales[seats - at]);
            let log = log * self.counts[at];
            self.value += log;
            self.scale += log.map(f64::abs);
            self.inverse[at] = Lanes::all(1.0) / sum;
            let sizes = self.sizes.len();
            for chance in &mut self.chances[at * sizes..(at + 1) * sizes] {
                *chance = *chance * self.inverse[at];
            }
        }
    }

    /// Choices among whom no tie occurs, all of them at once: in the one from k on, the player at i
    /// has the share xᵢ/sum(k), and the second derivative is −xᵢxⱼ/sum(k)².
    fn choose_singles(&mut self, choices: Range<usize>, prevalence: &Prevalence) {
        let seats = self.seats;
        let (mut once, mut twice) = (Lanes::ZERO, Lanes::ZERO);
        for at in choices.start..seats {
            if choices.contains(&at) && !prevalence.any_tie(seats - at) {
                let weight = self.counts[at] * self.inverse[at];
                once += weight;
                twice += weight * self.inverse[at];
            }
            let root = self.roots[at];
            self.gradient[at] += root * once;
            let factor = root * twice;
            let row = &mut self.curvature[at * seats + at + 1..(at + 1) * seats];
            for (cell, other) in row.iter_mut().zip(&self.roots[at + 1..seats]) {
                *cell -= factor * *other;
            }
        }
    }

    /// For each choice and position the expectation of [|S| is this size, member] / |S|, left in
    /// `cross`.
    fn expect_ties(&mut self, index: usize, choices: Range<usize>, prevalence: &Prevalence) {
        let (seats, size) = (self.seats, self.sizes[index]);
        let roots = &self.roots[(index + 1) * seats..(index + 2) * seats];
        let tails = &self.tails[index];
        for at in (choices.start..seats).rev() {
            let after = &tails[(at + 1) * (size + 1)..(at + 1) * (size + 1) + size];
            self.without[at * size..(at + 1) * size].copy_from_slice(after);
            // Lower degrees than that cannot reach `size` − 1 any more.
            let least = (size - 1).saturating_sub(at - choices.start).max(1);
            let most = (size - 1).min(seats - at - 1);
            for others in self.without[(at + 1) * size..seats * size].chunks_exact_mut(size) {
                for degree in (least..=most).rev() {
                    others[degree] += roots[at] * others[degree - 1];
                }
            }
            let tie = prevalence.tie(seats - at, index).filter(|_| choices.contains(&at));
            if let Some(tie) = tie {
                let factor = self.inverse[at] * (tie / size as f64);
                let kind = at * self.sizes.len() + index;
                let cells = &mut self.cross[kind * seats + at..(kind + 1) * seats];
                let others = self.without[at * size..seats * size].chunks_exact(size);
                for (cell, (root, others)) in cells.iter_mut().zip(roots[at..].iter().zip(others)) {
                    *cell = factor * *root * others[size - 1];
                }
            }
        }
    }

    /// Adds the expectation of [|S| is this size, both members] / |S|² to the curvature.
    ///
    /// Sets that contain the members at i and j pick the others before i, between the two, and
    /// after j. For all choices at once the weights of what was picked so far are kept, by how many
    /// are still to be picked.
    fn pair_ties(&mut self, index: usize, choices: Range<usize>, prevalence: &Prevalence) {
        let (seats, size) = (self.seats, self.sizes[index]);
        let roots = &self.roots[(index + 1) * seats..(index + 2) * seats];
        let tails = &self.tails[index];
        let others = size - 2;
        let ahead = &mut self.ahead[..=others];
        let between = &mut self.between[..=others];
        ahead.fill(Lanes::ZERO);
        for one in choices.start..seats {
            let tie = prevalence.tie(seats - one, index).filter(|_| choices.contains(&one));
            if let Some(tie) = tie {
                let weight = self.counts[one] * self.inverse[one];
                ahead[others] += weight * (tie / (size * size) as f64);
            }
            between.copy_from_slice(ahead);
            for other in one + 1..seats {
                // Fewer have been passed than were to be picked, or too few are to come.
                let least = others.saturating_sub(other - choices.start - 1);
                let most = others.min(seats - other - 1);
                let after = &tails[(other + 1) * (size + 1)..(other + 2) * (size + 1)];
                let mut sum = Lanes::ZERO;
                if least <= most {
                    for (picked, after) in between[least..=most].iter().zip(&after[least..=most]) {
                        sum += *picked * *after;
                    }
                }
                self.curvature[one * seats + other] += roots[one] * roots[other] * sum;
                for picked in least.saturating_sub(1)..most {
                    let more = roots[other] * between[picked + 1];
                    between[picked] += more;
                }
            }
            for picked in 0..others {
                let more = roots[one] * ahead[picked + 1];
                ahead[picked] += more;
            }
        }
    }

    /// Puts together the choice from `at` on, in which ties occur.
    fn join(&mut self, at: usize, prevalence: &Prevalence) {
        let (seats, sizes) = (self.seats, self.sizes.len());
        let single = self.inverse[at] * prevalence.singles[seats - at];
        for member in at..seats {
            let mut share = single * self.roots[member];
            for index in 0..sizes {
                share += self.cross[(at * sizes + index) * seats + member];
            }
            self.shares[member] = share;
        }
        let count = self.counts[at];
        for one in at..seats {
            let share = self.shares[one] * count;
            self.gradient[one] += share;
            let row = &mut self.curvature[one * seats + one + 1..(one + 1) * seats];
            for (cell, other) in row.iter_mut().zip(&self.shares[one + 1..seats]) {
                *cell -= share * *other;
            }
        }
        for index in 0..sizes {
            if prevalence.tie(seats - at, index).is_some() {
                let chance = self.chances[at * sizes + index];
                let begin = (at * sizes + index) * seats;
                for member in at..seats {
                    let tied = self.cross[begin + member];
                    self.cross[begin + member] = (tied - self.shares[member] * chance) * count;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One choice with these strengths left, once, every set one by one: the logarithm of the sum,
    /// the shares, the second derivatives, the chances of ties and the second derivatives with
    /// them.
    fn by_hand(strengths: &[f64], ties: &[Option<f64>]) -> [Vec<f64>; 5] {
        let left = strengths.len();
        let (mut sum, mut shares, mut joint) = (0.0, vec![0.0; left], vec![0.0; left * left]);
        let (mut chances, mut tied) = (vec![0.0; left - 1], vec![0.0; (left - 1) * left]);
        for set in 1_u32..1 << left {
            let members: Vec<usize> = (0..left).filter(|at| set >> at & 1 == 1).collect();
            let size = members.len();
            let log = if size == 1 { Some(0.0) } else { ties[size - 2] };
            let Some(log) = log else { continue };
            let mean = members.iter().map(|&at| strengths[at]).sum::<f64>() / size as f64;
            let weight = (log + mean).exp();
            sum += weight;
            for &one in &members {
                shares[one] += weight / size as f64;
                for &other in &members {
                    joint[one * left + other] += weight / (size * size) as f64;
                }
                if size > 1 {
                    tied[(size - 2) * left + one] += weight / size as f64;
                }
            }
            if size > 1 {
                chances[size - 2] += weight;
            }
        }
        for list in [&mut shares, &mut joint, &mut chances, &mut tied] {
            list.iter_mut().for_each(|value| *value /= sum);
        }
        for one in 0..left {
            for other in 0..left {
                joint[one * left + other] -= shares[one] * shares[other];
            }
            for tie in 0..left - 1 {
                tied[tie * left + one] -= shares[one] * chances[tie];
            }
        }
        [vec![sum.ln()], shares, joint, chances, tied]
    }

    #[test]
    fn all_sets_are_weighed_as_if_one_by_one() {
        let strengths = [0.3_f64, -1.2, 2.0, 0.0, 0.7, -0.4];
        for seats in 2..=strengths.len() {
            let sizes: Vec<usize> = (2..=seats).collect();
            let log = |size: usize| 0.5 - size as f64 / 3.0;
            let kinds: [&dyn Fn(usize) -> bool; 4] =
                [&|_| true, &|size| size == 2, &|size| size == seats, &|_| false];
            for kind in kinds {
                let prevalence = Prevalence::new(seats, &sizes, |left, size| {
                    (size <= left && kind(size)).then(|| log(size))
                });
                let mut choices = Choices::new(seats, &sizes);
                for (at, strength) in strengths[..seats].iter().enumerate() {
                    choices.roots[at] = Lanes::all(strength.exp());
                    for (index, &size) in sizes.iter().enumerate() {
                        choices.roots[(index + 1) * seats + at] =
                            Lanes::all((strength / size as f64).exp());
                    }
                }
                choices.counts.fill(Lanes::ZERO);
                choices.counts[0] = Lanes::all(1.0);
                choices.clear();
                choices.weigh(0..seats - 1, &prevalence, Lanes::ZERO);
                let ties: Vec<_> =
                    sizes.iter().map(|&size| kind(size).then(|| log(size))).collect();
                let [value, shares, joint, chances, tied] = by_hand(&strengths[..seats], &ties);
                let near = |found: Lanes, wanted: f64| {
                    assert!((found.0[3] - wanted).abs() < 1e-14, "{found:?}, not {wanted}");
                };
                near(choices.value, value[0]);
                for one in 0..seats {
                    near(choices.gradient[one], shares[one]);
                    for other in one + 1..seats {
                        near(choices.curvature[one * seats + other], joint[one * seats + other]);
                    }
                    for tie in 0..sizes.len() {
                        near(choices.chances[tie], chances[tie]);
                        near(choices.cross[tie * seats + one], tied[tie * seats + one]);
                    }
                }
            }
        }
    }
}
