//! Complex numbers.

use std::ops::{Add, Mul};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) const ZERO: Self = Self { re: 0.0, im: 0.0 };
    pub(super) const ONE: Self = Self { re: 1.0, im: 0.0 };

    /// On the unit circle at this angle in radians.
    pub(super) fn unit(angle: f64) -> Self {
        let (im, re) = libm::sincos(angle);
        Self { re, im }
    }

    /// The square of its absolute value.
    pub(super) const fn norm(self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    pub(super) const fn conjugate(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    pub(super) const fn scale(self, by: f64) -> Self {
        Self { re: by * self.re, im: by * self.im }
    }
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}
