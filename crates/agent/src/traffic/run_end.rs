//! The end of a run: its planned time, or the end of the last of the flows and programs that end it.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::io::Errno;
use rustix::thread::futex::{Flags, wait_bitset, wake};

use crate::clock::{Timeline, timespec};

/// Counts the flows and programs whose end ends the run. The main thread sleeps on it (futex); their ends wake it.
#[derive(Debug)]
pub(crate) struct RunEnd {
    /// Whether there are any.
    awaited: bool,
    /// How many have not ended.
    left: AtomicU32,
    /// When the last of the others ended, from the epoch.
    last_ns: AtomicU64,
}

impl RunEnd {
    /// The end of a run that so many flows and programs end; none: only time does.
    pub(crate) fn of(count: usize) -> Self {
        Self { awaited: count > 0, left: AtomicU32::new(count as u32), last_ns: AtomicU64::new(0) }
    }

    /// One of the flows has ended at its receiver, or one of the programs.
    pub(super) fn ended(&self, ended_ns: u64) {
        self.last_ns.fetch_max(ended_ns, Ordering::AcqRel);
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            wake(&self.left, Flags::PRIVATE, 1).expect("an own futex");
        }
    }

    /// When all had ended, if that was before this time. At one instant what is planned comes first.
    fn ended_before(&self, ns: u64) -> Option<u64> {
        let ended = self.awaited && self.left.load(Ordering::Acquire) == 0;
        Some(self.last_ns.load(Ordering::Acquire)).filter(|&last_ns| ended && last_ns < ns)
    }

    /// Sleeps until this time after the epoch, or until all have ended before it; then returns when.
    pub(super) fn sleep_until(&self, timeline: Timeline, ns: u64) -> Option<u64> {
        if !self.awaited {
            timeline.sleep_until(ns);
            return None;
        }
        let until = timespec(timeline.since_boot_ns(ns));
        loop {
            let left = self.left.load(Ordering::Acquire);
            if left == 0 {
                return self.ended_before(ns);
            }
            // Until an absolute time of CLOCK_MONOTONIC, as any sleep here.
            match wait_bitset(&self.left, Flags::PRIVATE, left, Some(&until), NonZeroU32::MAX) {
                Err(Errno::TIMEDOUT) => return self.ended_before(ns),
                Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => panic!("an own futex can't be waited for: {error}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::since_boot_ns;

    const HOUR_NS: u64 = 3_600_000_000_000;

    #[test]
    fn the_last_of_the_flows_ends_the_run_and_what_is_planned_for_that_instant_comes_before() {
        let timeline = Timeline::new(since_boot_ns() + HOUR_NS);
        let end = RunEnd::of(2);
        end.ended(9);
        assert_eq!(end.ended_before(HOUR_NS), None);
        end.ended(4);
        // Nothing sleeps for an hour any more.
        assert_eq!(end.sleep_until(timeline, 10), Some(9));
        assert_eq!(end.sleep_until(timeline, 9), None);
    }

    #[test]
    fn the_end_of_a_flow_wakes_who_sleeps() {
        let end = RunEnd::of(1);
        let slept = std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| end.sleep_until(Timeline::new(since_boot_ns()), HOUR_NS));
            end.ended(7);
            sleeper.join().unwrap()
        });
        assert_eq!(slept, Some(7));
    }

    #[test]
    fn without_the_end_of_all_flows_time_decides() {
        let begin_ns = since_boot_ns();
        for (flows, ended) in [(0, false), (1, false), (2, true)] {
            let end = RunEnd::of(flows);
            if ended {
                end.ended(1);
            }
            assert_eq!(end.sleep_until(Timeline::new(begin_ns), 5_000_000), None);
            assert!(since_boot_ns() >= begin_ns + 5_000_000);
        }
    }
}
