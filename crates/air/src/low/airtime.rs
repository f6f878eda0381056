//! How the time of a medium was spent.

use airtcp_units::{Duration, Instant};

/// What a medium is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// One data PPDU is on the air.
    Data,
    /// A control response, or the SIFS before it.
    Response,
    /// PPDUs that collided are on the air.
    Collision,
    /// Silence while somebody has a frame.
    Contention,
    /// Silence.
    Idle,
}

/// Time spent so far in each activity.
#[derive(Debug)]
pub(crate) struct Airtime {
    activity: Activity,
    since: Instant,
    spent: [Duration; 5],
}

impl Airtime {
    /// Idle since the start of virtual time.
    pub(crate) const fn new() -> Self {
        Self { activity: Activity::Idle, since: Instant::ZERO, spent: [Duration::ZERO; 5] }
    }

    /// From now on it does this.
    #[inline]
    pub(crate) fn turn_to(&mut self, now: Instant, activity: Activity) {
        self.spent[self.activity as usize] += now.since(self.since);
        (self.activity, self.since) = (activity, now);
    }

    /// Time spent doing this, up to the last turn.
    pub(crate) const fn spent(&self, activity: Activity) -> Duration {
        self.spent[activity as usize]
    }

    /// What it does.
    #[inline]
    pub(crate) const fn activity(&self) -> Activity {
        self.activity
    }
}
