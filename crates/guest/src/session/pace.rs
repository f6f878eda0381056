//! The pace of virtual time beside a clock on the wall.

#![expect(unsafe_code, reason = "a system call without the C library's vDSO")]

use std::time::Duration as RealDuration;

use airtcp_units::Instant;

/// Virtual time that goes at a fixed rate from an instant on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    of_real_time: f64,
    from: Instant,
    /// What the host's clock showed then.
    at: RealDuration,
}

impl Pace {
    /// From now on so much virtual time passes per real time.
    pub(super) fn from(now: Instant, of_real_time: f64) -> Self {
        Self { of_real_time, from: now, at: real_time() }
    }

    /// A pace of the same rate that begins at `now`, after time stood still.
    pub(super) fn again(self, now: Instant) -> Self {
        Self::from(now, self.of_real_time)
    }

    /// How long to wait before it is `now`.
    pub(super) fn ahead(&self, now: Instant) -> RealDuration {
        let virtual_s = now.saturating_since(self.from).as_nanos() as f64 / 1e9;
        // A pace of nearly nothing: longer than anyone waits.
        let due = RealDuration::try_from_secs_f64(virtual_s / self.of_real_time).unwrap_or(RealDuration::MAX);
        due.saturating_sub(real_time().saturating_sub(self.at))
    }
}

/// The host's `CLOCK_MONOTONIC`. The vDSO would read the time-stamp counter, which the kernel's process must not
/// (`kernel/patches`, a series' 0029).
fn real_time() -> RealDuration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid, and this clock is there in every Linux.
    let failed = unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &raw mut time) };
    assert_eq!(failed, 0, "the host has a clock");
    RealDuration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use airtcp_units::Duration;

    use super::*;

    #[test]
    fn at_a_tenth_of_real_time_a_virtual_second_takes_ten() {
        let begin = Instant::from_nanos(5_000_000_000);
        let pace = Pace::from(begin, 0.1);
        let ahead = pace.ahead(begin + Duration::from_secs(1));
        assert!(ahead > RealDuration::from_secs(9) && ahead <= RealDuration::from_secs(10), "{ahead:?}");
        assert_eq!(pace.ahead(begin), RealDuration::ZERO);
        assert_eq!(pace.again(begin + Duration::from_secs(1)).ahead(begin), RealDuration::ZERO);
    }
}
