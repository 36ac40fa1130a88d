//! Numbers of several results side by side, so that one instruction serves more than one of them.

use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// How many results are worked on at a time.
pub(crate) const LANES: usize = 8;

/// One number for each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Lanes(pub(crate) [f64; LANES]);

impl Lanes {
    pub(crate) const ZERO: Lanes = Lanes([0.0; LANES]);

    pub(crate) fn all(value: f64) -> Lanes {
        Lanes([value; LANES])
    }

    pub(crate) fn map(self, of: impl Fn(f64) -> f64) -> Lanes {
        Lanes(self.0.map(of))
    }

    pub(crate) fn sum(self) -> f64 {
        self.0.iter().sum()
    }

    #[inline(always)]
    fn with(self, other: Lanes, of: impl Fn(f64, f64) -> f64) -> Lanes {
        Lanes(std::array::from_fn(|lane| of(self.0[lane], other.0[lane])))
    }
}

impl Add for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn add(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn sub(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a * b)
    }
}

impl Mul<f64> for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn mul(self, factor: f64) -> Lanes {
        self.with(Lanes::all(factor), |a, b| a * b)
    }
}

impl Div for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn div(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a / b)
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Lanes) {
        *self = *self + other;
    }
}

impl SubAssign for Lanes {
    #[inline(always)]
    fn sub_assign(&mut self, other: Lanes) {
        *self = *self - other;
    }
}
