//! Who comes next? The choice that Plackett–Luce repeats until everybody has a place, with ties
//! after Davidson and Luce.
//!
//! Of those who are left, the set S takes the next place with a probability in proportion to
//! δ(|S|) · (product of the strengths in S)^(1/|S|), with δ(1) = 1. With two players left this is
//! Bradley–Terry with the draws of Davidson. All is done with logarithms: a strength is exp(u), a
//! prevalence of ties δ is exp(t).

/// Probabilities of one choice, as the derivatives of the likelihood need them. One value serves
/// many choices, so that nothing is allocated in between.
#[derive(Default)]
pub(crate) struct Choice {
    /// The logarithm of the sum over all sets.
    pub(crate) log_sum: f64,
    /// For each one left the expectation of [member of S] / |S|.
    pub(crate) shares: Vec<f64>,
    /// The expectation of [both members of S] / |S|², row by row.
    pub(crate) joint: Vec<f64>,
    /// The probability of each size of tie.
    pub(crate) ties: Vec<f64>,
    /// For each size of tie and each one left the expectation of [|S| is this size, member] / |S|.
    pub(crate) tied: Vec<f64>,
    roots: Vec<f64>,
    ahead: Vec<f64>,
    behind: Vec<f64>,
}

/// How many are tied, and the logarithm of how common that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    pub(crate) size: usize,
    pub(crate) log_prevalence: f64,
}

impl Choice {
    /// Weighs all sets of these strengths (logarithms); ties only of the sizes named.
    pub(crate) fn weigh(&mut self, strengths: &[f64], ties: &[Tie]) {
        let left = strengths.len();
        for (list, length) in [
            (&mut self.shares, left),
            (&mut self.joint, left * left),
            (&mut self.ties, ties.len()),
            (&mut self.tied, ties.len() * left),
        ] {
            list.clear();
            list.resize(length, 0.0);
        }
        let top = strengths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let highest = ties.iter().map(|tie| tie.log_prevalence).fold(0.0, f64::max);
        let scale = (-highest).exp();
        let mut sum = 0.0;
        for (index, strength) in strengths.iter().enumerate() {
            let weight = (strength - top).exp() * scale;
            self.shares[index] = weight;
            self.joint[index * left + index] = weight;
            sum += weight;
        }
        for (index, tie) in ties.iter().enumerate() {
            let weight = (tie.log_prevalence - highest).exp();
            sum += self.weigh_ties(index, tie.size, weight, strengths, top);
        }
        let sum = sum.max(f64::MIN_POSITIVE);
        for list in [&mut self.shares, &mut self.joint, &mut self.ties, &mut self.tied] {
            for value in list.iter_mut() {
                *value /= sum;
            }
        }
        self.log_sum = sum.ln() + top + highest;
    }

    /// Adds the sets of `size` and returns their weight.
    fn weigh_ties(
        &mut self,
        index: usize,
        size: usize,
        weight: f64,
        strengths: &[f64],
        top: f64,
    ) -> f64 {
        let left = strengths.len();
        let share = 1.0 / size as f64;
        self.roots.clear();
        self.roots.extend(strengths.iter().map(|strength| ((strength - top) * share).exp()));
        let tied = index * left;
        for one in 0..left {
            // A tie of two has no other members.
            if size > 2 {
                self.polynomials(one, size);
            }
            for other in one + 1..left {
                let rest = if size > 2 { self.without(other, size) } else { 1.0 };
                let both = weight * self.roots[one] * self.roots[other] * rest;
                self.joint[one * left + other] += both * share * share;
                self.joint[other * left + one] += both * share * share;
                self.tied[tied + one] += both;
                self.tied[tied + other] += both;
            }
        }
        let mut total = 0.0;
        for one in 0..left {
            // A set that contains `one` was met once for each of its other members.
            let member = self.tied[tied + one] / (size - 1) as f64 * share;
            self.tied[tied + one] = member;
            self.shares[one] += member;
            self.joint[one * left + one] += member * share;
            total += member;
        }
        self.ties[index] = total;
        total
    }

    /// Elementary symmetric polynomials, up to the degree `size` − 2, of the roots before and from
    /// each place on, without that of `one`.
    fn polynomials(&mut self, one: usize, size: usize) {
        let (left, terms) = (self.roots.len(), size - 1);
        for list in [&mut self.ahead, &mut self.behind] {
            list.clear();
            list.resize((left + 1) * terms, 0.0);
        }
        let root = |roots: &[f64], at: usize| if at == one { 0.0 } else { roots[at] };
        self.ahead[0] = 1.0;
        for at in 0..left {
            let root = root(&self.roots, at);
            for term in 0..terms {
                let lower = if term > 0 { self.ahead[at * terms + term - 1] } else { 0.0 };
                self.ahead[(at + 1) * terms + term] = self.ahead[at * terms + term] + root * lower;
            }
        }
        self.behind[left * terms] = 1.0;
        for at in (0..left).rev() {
            let root = root(&self.roots, at);
            for term in 0..terms {
                let after = (at + 1) * terms + term;
                let lower = if term > 0 { self.behind[after - 1] } else { 0.0 };
                self.behind[at * terms + term] = self.behind[after] + root * lower;
            }
        }
    }

    /// The polynomial of degree `size` − 2 of all but `one` (as prepared) and `other`.
    fn without(&self, other: usize, size: usize) -> f64 {
        let terms = size - 1;
        let ahead = &self.ahead[other * terms..(other + 1) * terms];
        let behind = &self.behind[(other + 1) * terms..(other + 2) * terms];
        ahead.iter().zip(behind.iter().rev()).map(|(a, b)| a * b).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set, one by one.
    fn by_hand(strengths: &[f64], ties: &[Tie]) -> Choice {
        let left = strengths.len();
        let mut choice = Choice {
            shares: vec![0.0; left],
            joint: vec![0.0; left * left],
            ties: vec![0.0; ties.len()],
            tied: vec![0.0; ties.len() * left],
            ..Choice::default()
        };
        let mut sum = 0.0;
        for set in 1_u32..1 << left {
            let members: Vec<usize> = (0..left).filter(|at| set >> at & 1 == 1).collect();
            let size = members.len();
            let tie = ties.iter().position(|tie| tie.size == size);
            let prevalence = match tie {
                Some(tie) => ties[tie].log_prevalence,
                None if size == 1 => 0.0,
                None => continue,
            };
            let mean = members.iter().map(|&at| strengths[at]).sum::<f64>() / size as f64;
            let weight = (prevalence + mean).exp();
            sum += weight;
            for &one in &members {
                choice.shares[one] += weight / size as f64;
                for &other in &members {
                    choice.joint[one * left + other] += weight / (size * size) as f64;
                }
                if let Some(tie) = tie {
                    choice.tied[tie * left + one] += weight / size as f64;
                }
            }
            if let Some(tie) = tie {
                choice.ties[tie] += weight;
            }
        }
        for list in [&mut choice.shares, &mut choice.joint, &mut choice.ties, &mut choice.tied] {
            list.iter_mut().for_each(|value| *value /= sum);
        }
        choice.log_sum = sum.ln();
        choice
    }

    #[test]
    fn all_sets_are_weighed_as_if_one_by_one() {
        let strengths = [0.3, -1.2, 2.0, 0.0, 0.7, -0.4];
        let tie = |size, log_prevalence| Tie { size, log_prevalence };
        let mut choice = Choice::default();
        for left in 2..=strengths.len() {
            let all: Vec<Tie> = (2..=left).map(|size| tie(size, 0.5 - size as f64 / 3.0)).collect();
            for ties in [&all[..], &all[..1], &all[left - 2..], &[]] {
                choice.weigh(&strengths[..left], ties);
                let wanted = by_hand(&strengths[..left], ties);
                let close = |a: &[f64], b: &[f64]| {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14)
                };
                assert!((choice.log_sum - wanted.log_sum).abs() < 1e-14);
                assert!(close(&choice.shares, &wanted.shares), "{left} left, {ties:?}");
                assert!(close(&choice.joint, &wanted.joint), "{left} left, {ties:?}");
                assert!(close(&choice.ties, &wanted.ties), "{left} left, {ties:?}");
                assert!(close(&choice.tied, &wanted.tied), "{left} left, {ties:?}");
            }
        }
    }

    #[test]
    fn extremes_stay_finite() {
        let mut choice = Choice::default();
        for (strengths, prevalence) in
            [([900.0, -900.0, 0.0], 800.0), ([-900.0, -900.0, -900.0], -800.0)]
        {
            choice.weigh(&strengths, &[Tie { size: 2, log_prevalence: prevalence }]);
            let shares: f64 = choice.shares.iter().sum();
            assert!((shares - 1.0).abs() < 1e-12 && choice.log_sum.is_finite());
        }
    }
}
