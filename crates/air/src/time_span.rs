//! A span of virtual time.

use airtcp_units::{Duration, Instant};

/// From `start` up to, and without, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    /// Its first instant.
    pub start: Instant,
    /// The first instant after it.
    pub end: Instant,
}

impl TimeSpan {
    /// Whether this instant is in it.
    #[inline]
    pub fn contains(self, at: Instant) -> bool {
        self.start <= at && at < self.end
    }

    /// Its length.
    #[inline]
    pub fn duration(self) -> Duration {
        self.end.since(self.start)
    }
}
