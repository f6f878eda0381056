//! Amounts of data and rates of sending them.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Duration;

/// A count of octets.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Bytes(u64);

/// Bits per second.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct BitRate(u64);

impl Bytes {
    /// A count of octets.
    #[inline]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// This amount of data in bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }
}

impl BitRate {
    /// A rate in bits per second.
    #[inline]
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// A rate in megabits (10^6) per second.
    #[inline]
    pub const fn from_mbps(mbps: u64) -> Self {
        Self(mbps * 1_000_000)
    }

    /// The rate in bits per second.
    #[inline]
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// The rate in megabits per second.
    #[inline]
    pub fn as_mbps(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Time to serialise `amount` at this rate, rounded up to a nanosecond.
    /// Panics at a rate of zero.
    pub const fn time_for(self, amount: Bytes) -> Duration {
        let ns = (amount.bits() as u128 * 1_000_000_000).div_ceil(self.0 as u128);
        Duration::from_nanos(ns as u64)
    }
}

impl Add for Bytes {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Self) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, rhs: Self) {
        self.0 += rhs.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    #[inline]
    fn sub(self, rhs: Self) -> Self {
        Self(self.0 - rhs.0)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Mbit/s", self.as_mbps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ethernet_frame_takes_1211_us_at_10_mbps() {
        let t = BitRate::from_mbps(10).time_for(Bytes::new(1514));
        assert_eq!(t, Duration::from_nanos(1_211_200));
    }

    #[test]
    fn serialisation_rounds_up() {
        assert_eq!(BitRate::from_bps(3).time_for(Bytes::new(1)), Duration::from_nanos(2_666_666_667));
    }
}
