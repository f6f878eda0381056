//! Wake-ups that show that virtual time still moves.
//!
//! A guest with nothing on the air would show no progress, and could not be distinguished
//! from one whose CPU is stuck in a program that never waits. So the engine requests to
//! be woken ten times a virtual second as well. After the run's end it stops asking:
//! a guest that then has nothing to wait for ends with the kernel's own error.

use airtcp_units::{Duration, Instant};

/// Time between two beats.
const INTERVAL: Duration = Duration::from_millis(100);
/// How long after the run's end beats go on: the agent's last steps take less.
const AFTER_END: Duration = Duration::from_secs(120);

/// The next beat, and the last.
#[derive(Debug)]
pub struct Heartbeat {
    next: Instant,
    last: Instant,
}

impl Heartbeat {
    /// Beats from now until some time after the run's end.
    pub fn until_after(end: Instant) -> Self {
        Self { next: Instant::ZERO + INTERVAL, last: end + AFTER_END }
    }

    /// When to wake next.
    #[inline]
    pub fn next(&self) -> Instant {
        self.next
    }

    /// Time has come to `now`.
    #[inline]
    pub fn beat(&mut self, now: Instant) {
        while self.next <= now {
            self.next = if self.next < self.last { self.next + INTERVAL } else { Instant::FAR_FUTURE };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_are_regular_and_end() {
        let mut heart = Heartbeat::until_after(Instant::ZERO);
        heart.beat(Instant::ZERO + Duration::from_millis(250));
        assert_eq!(heart.next(), Instant::ZERO + Duration::from_millis(300));
        heart.beat(Instant::ZERO + Duration::from_secs(121));
        assert_eq!(heart.next(), Instant::FAR_FUTURE);
    }
}
