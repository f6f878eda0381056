//! Virtual time in integer nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point of virtual time: nanoseconds since the guest's clock started.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Instant(u64);

/// A span of virtual time in nanoseconds; never negative.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Duration(u64);

impl Instant {
    /// The start of virtual time.
    pub const ZERO: Self = Self(0);
    /// Later than every instant a run can reach.
    pub const FAR_FUTURE: Self = Self(u64::MAX);

    /// The instant `ns` nanoseconds after the start.
    #[inline]
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time passed since `earlier`. Panics if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Self) -> Duration {
        assert!(self.0 >= earlier.0, "virtual time ran backwards");
        Duration(self.0 - earlier.0)
    }

    /// Time passed since `earlier`, zero if `earlier` is later.
    #[inline]
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of nanoseconds.
    #[inline]
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// A span of microseconds.
    #[inline]
    pub const fn from_micros(us: u64) -> Self {
        Self(us * 1_000)
    }

    /// A span of milliseconds.
    #[inline]
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A span of seconds.
    #[inline]
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// The span in nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span in seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// How many whole times `unit` fits. Panics if `unit` is zero.
    #[inline]
    pub const fn div_floor(self, unit: Self) -> u64 {
        self.0 / unit.0
    }

    /// The difference, zero if `other` is longer.
    #[must_use]
    #[inline]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Duration) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl AddAssign<Duration> for Instant {
    #[inline]
    fn add_assign(&mut self, rhs: Duration) {
        self.0 += rhs.0;
    }
}

impl Add for Duration {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Self) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, rhs: Self) {
        self.0 += rhs.0;
    }
}

impl Sub for Duration {
    type Output = Self;
    #[inline]
    fn sub(self, rhs: Self) -> Self {
        Self(self.0 - rhs.0)
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    #[inline]
    fn mul(self, rhs: u64) -> Self {
        Self(self.0 * rhs)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} us", self.0 / 1_000, self.0 % 1_000)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} us", self.0 / 1_000, self.0 % 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_moves_by_durations_only() {
        let t = Instant::from_nanos(5) + Duration::from_micros(2);
        assert_eq!(t.as_nanos(), 2_005);
        assert_eq!(t.since(Instant::from_nanos(5)), Duration::from_micros(2));
        assert_eq!(Instant::ZERO.saturating_since(t), Duration::ZERO);
    }

    #[test]
    #[should_panic(expected = "virtual time ran backwards")]
    fn time_does_not_run_backwards() {
        let _ = Instant::ZERO.since(Instant::from_nanos(1));
    }

    #[test]
    fn times_print_in_microseconds() {
        assert_eq!(Duration::from_nanos(28_050).to_string(), "28.050 us");
    }
}
