//! Power, ratio, frequency and distance.

use std::fmt;
use std::ops::{Add, Sub};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Power relative to one milliwatt, on a logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Dbm(f64);

/// A ratio on a logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Decibel(f64);

/// Power on a linear scale: what adds up when signals overlap.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Milliwatt(f64);

/// A frequency or a bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Hertz(f64);

/// A distance.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Metre(f64);

macro_rules! quantity {
    ($($name:ident),*) => {$(
        impl $name {
            /// The quantity with this value.
            #[inline]
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// The value.
            #[inline]
            pub const fn get(self) -> f64 {
                self.0
            }
        }
    )*};
}
quantity!(Dbm, Decibel, Milliwatt, Hertz, Metre);

impl Dbm {
    /// Converts to the linear scale.
    pub fn to_milliwatt(self) -> Milliwatt {
        Milliwatt(libm::pow(10.0, self.0 / 10.0))
    }
}

impl Milliwatt {
    /// No power.
    pub const ZERO: Self = Self(0.0);

    /// Converts to the logarithmic scale; zero is minus infinity.
    pub fn to_dbm(self) -> Dbm {
        Dbm(10.0 * libm::log10(self.0))
    }
}

impl Add for Milliwatt {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Self) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl Add<Decibel> for Dbm {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Decibel) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl Sub<Decibel> for Dbm {
    type Output = Self;
    #[inline]
    fn sub(self, rhs: Decibel) -> Self {
        Self(self.0 - rhs.0)
    }
}

impl Sub for Dbm {
    type Output = Decibel;
    #[inline]
    fn sub(self, rhs: Self) -> Decibel {
        Decibel(self.0 - rhs.0)
    }
}

impl fmt::Display for Dbm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dBm", self.0)
    }
}

impl fmt::Display for Decibel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dB", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_subtract_to_ratios() {
        assert_eq!(Dbm::new(-40.0) - Dbm::new(-91.0), Decibel::new(51.0));
    }

    #[test]
    fn powers_add_linearly() {
        let sum = Dbm::new(-60.0).to_milliwatt() + Dbm::new(-60.0).to_milliwatt();
        assert!((sum.to_dbm().get() - -56.989_7).abs() < 1e-4);
    }
}
