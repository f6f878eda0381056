//! A span of virtual time.

use airtcp_units::{Duration, Instant};

/// From `start` up to, and without, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    /// First instant of the span.
    pub start: Instant,
    /// The first instant after it.
    pub end: Instant,
}

impl TimeSpan {
    /// Whether an instant is in the span.
    #[inline]
    pub fn contains(self, at: Instant) -> bool {
        self.start <= at && at < self.end
    }

    /// Length of the span.
    #[inline]
    pub fn duration(self) -> Duration {
        self.end.since(self.start)
    }
}
