//! How the time of a medium was spent.

use airtcp_units::{Duration, Instant};

/// What a medium is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// One PPDU with data or a beacon is on the air, and nothing has disturbed it.
    Data,
    /// One control frame is, or it is silent for the SIFS inside an exchange or a TXOP.
    Control,
    /// Two PPDUs are on the air at once, or what is left of such.
    Collision,
    /// Silence while somebody waits for access, or for a response that does not come.
    Contention,
    /// Silence.
    Idle,
}

/// Time spent so far in each activity.
#[derive(Debug)]
pub(super) struct MediumTime {
    activity: Activity,
    since: Instant,
    spent: [Duration; 5],
}

impl MediumTime {
    /// An idle medium, whose time is counted from this instant on.
    pub(super) const fn new(from: Instant) -> Self {
        Self { activity: Activity::Idle, since: from, spent: [Duration::ZERO; 5] }
    }

    /// From now on it does this.
    #[inline]
    pub(super) fn turn_to(&mut self, now: Instant, activity: Activity) {
        self.spent[self.activity as usize] += now.saturating_since(self.since);
        (self.activity, self.since) = (activity, self.since.max(now));
    }

    /// Time spent doing this, up to the last turn.
    pub(super) const fn spent(&self, activity: Activity) -> Duration {
        self.spent[activity as usize]
    }

    /// Present activity of the medium.
    #[inline]
    pub(super) const fn activity(&self) -> Activity {
        self.activity
    }
}
