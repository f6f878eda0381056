//! Virtual time as the agent sees it.
//!
//! In the guest `CLOCK_MONOTONIC` is virtual time since boot. It has ticks of
//! 256 ns, and reading it in a process lets one tick pass (`TIMER_MULTIPLIER`
//! of arch/um): everything here sleeps until absolute times and reads seldom.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

const NS_PER_S: u64 = 1_000_000_000;

/// Nanoseconds since boot.
pub(crate) fn since_boot_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Nanoseconds since 1970 in virtual time, the clock of packet timestamps.
pub(crate) fn realtime_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec.cast_unsigned() * NS_PER_S + time.tv_nsec.cast_unsigned()
}

/// A time in the kernel's format.
pub(crate) fn timespec(ns: u64) -> Timespec {
    Timespec { tv_sec: (ns / NS_PER_S).cast_signed(), tv_nsec: (ns % NS_PER_S).cast_signed() }
}

/// Sleeps until this time since boot; returns at once if it has passed.
pub(crate) fn sleep_until_since_boot(ns: u64) {
    let until = timespec(ns);
    // Only a signal handler could interrupt the sleep; then it goes on.
    while clock_nanosleep_absolute(ClockId::Monotonic, &until) == Err(rustix::io::Errno::INTR) {}
}

/// The clock of traffic: zero at the plan's epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeline {
    epoch_ns: u64,
}

impl Timeline {
    /// The timeline whose zero is this long after boot.
    pub(crate) fn new(epoch_ns: u64) -> Self {
        Self { epoch_ns }
    }

    /// Nanoseconds since the epoch; negative before it.
    pub(crate) fn now_ns(self) -> i64 {
        self.counted_from_epoch(since_boot_ns())
    }

    /// Nanoseconds since the epoch. Panics before it.
    pub(crate) fn now_from_epoch_ns(self) -> u64 {
        u64::try_from(self.now_ns()).expect("traffic begins after the epoch")
    }

    /// The clock of packet timestamps minus this one.
    pub(crate) fn realtime_offset_ns(self) -> i64 {
        realtime_ns().cast_signed() - self.now_ns()
    }

    /// A time since boot, counted from the epoch.
    pub(crate) fn counted_from_epoch(self, since_boot_ns: u64) -> i64 {
        since_boot_ns.cast_signed() - self.epoch_ns.cast_signed()
    }

    /// A time from the epoch, counted from boot.
    pub(crate) fn since_boot_ns(self, ns: u64) -> u64 {
        self.epoch_ns.saturating_add(ns)
    }

    /// Sleeps until this time after the epoch.
    pub(crate) fn sleep_until(self, ns: u64) {
        sleep_until_since_boot(self.since_boot_ns(ns));
    }

    /// Acts at the epoch and at each multiple of an interval after it, until the end; it gets the time that it is.
    ///
    /// Multiples that pass meanwhile are left out: a machine that was busy does not act in a burst.
    pub(crate) fn at_multiples(self, interval_ns: u64, ended: &AtomicBool, mut act: impl FnMut(i64)) {
        let mut due_ns = 0;
        while !ended.load(Ordering::Acquire) {
            self.sleep_until(due_ns);
            act(self.now_ns());
            let now_ns = u64::try_from(self.now_ns()).unwrap_or(0);
            due_ns = (now_ns / interval_ns + 1) * interval_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_the_epoch() {
        let timeline = Timeline::new(2 * NS_PER_S);
        assert_eq!(timeline.counted_from_epoch(2 * NS_PER_S + 5), 5);
        assert_eq!(timeline.counted_from_epoch(NS_PER_S), -(NS_PER_S.cast_signed()));
    }

    #[test]
    fn multiples_that_have_passed_are_left_out() {
        const INTERVAL_NS: u64 = 20_000_000;
        // Later than the first three multiples.
        let timeline = Timeline::new(since_boot_ns() - 5 * INTERVAL_NS / 2);
        let (ended, mut times) = (AtomicBool::new(false), Vec::new());
        timeline.at_multiples(INTERVAL_NS, &ended, |now_ns| {
            times.push(now_ns.cast_unsigned());
            if times.len() == 2 {
                // Later than the multiple after this one, however fast the machine is.
                timeline.sleep_until((now_ns.cast_unsigned() / INTERVAL_NS + 1) * INTERVAL_NS + 1);
            }
            ended.store(times.len() == 3, Ordering::Release);
        });
        let multiples: Vec<_> = times.iter().map(|time| time / INTERVAL_NS).collect();
        assert!(times[0] >= 5 * INTERVAL_NS / 2);
        assert!(multiples[1] > multiples[0], "{multiples:?}");
        assert!(multiples[2] > multiples[1] + 1, "{multiples:?}");
    }

    #[test]
    fn times_survive_the_kernels_format() {
        for ns in [0, 1, NS_PER_S - 1, NS_PER_S, 1_700_000_000_123_456_789] {
            assert_eq!(nanoseconds(timespec(ns)), ns);
        }
    }

    #[test]
    fn a_time_in_the_past_does_not_sleep() {
        let before = since_boot_ns();
        sleep_until_since_boot(before - 1);
        assert!(since_boot_ns() >= before);
    }
}
