//! The end of a run: its planned time, or the end of the last of the flows and programs that end it.

use std::num::NonZeroU32;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{Errno, write};
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
    /// Readable once the run has ended, for a session, which sleeps on other things too.
    ended: Option<OwnedFd>,
}

impl AsFd for RunEnd {
    /// The descriptor that becomes readable at the end of the run. Panics without a session.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ended.as_ref().expect("the run has a session").as_fd()
    }
}

impl RunEnd {
    /// The end of a run that so many flows and programs end, none: only time does; or that a session may end.
    pub(crate) fn of(count: usize, session: bool) -> Self {
        // Without flows and programs the session is the one that is left.
        let left = if count == 0 { 1 } else { count as u32 };
        Self {
            awaited: count > 0 || session,
            left: AtomicU32::new(left),
            last_ns: AtomicU64::new(0),
            ended: session.then(|| eventfd(0, EventfdFlags::CLOEXEC).expect("a descriptor is free")),
        }
    }

    /// One of the flows has ended at its receiver, or one of the programs.
    pub(super) fn ended(&self, ended_ns: u64) {
        self.last_ns.fetch_max(ended_ns, Ordering::AcqRel);
        // The session may have ended it before.
        let left = self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        if left == Ok(1) {
            self.wake();
        }
    }

    fn wake(&self) {
        wake(&self.left, Flags::PRIVATE, 1).expect("an own futex");
        if let Some(ended) = &self.ended {
            write(ended, &1_u64.to_ne_bytes()).expect("a counter that is far from its limit");
        }
    }

    /// The session ends the run, whatever flows and programs do.
    pub(crate) fn end_now(&self, now_ns: u64) {
        self.last_ns.store(now_ns, Ordering::Release);
        self.left.store(0, Ordering::Release);
        self.wake();
    }

    /// Whether all have ended, or a session has ended the run.
    pub(crate) fn has_ended(&self) -> bool {
        self.awaited && self.left.load(Ordering::Acquire) == 0
    }

    /// When all had ended, if that was before this time. At one instant what is planned comes before such an end.
    pub(crate) fn ended_before(&self, ns: u64) -> Option<u64> {
        let ended = self.has_ended();
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
        let end = RunEnd::of(2, false);
        end.ended(9);
        assert_eq!(end.ended_before(HOUR_NS), None);
        end.ended(4);
        // Nothing sleeps for an hour any more.
        assert_eq!(end.sleep_until(timeline, 10), Some(9));
        assert_eq!(end.sleep_until(timeline, 9), None);
    }

    #[test]
    fn the_end_of_a_flow_wakes_who_sleeps() {
        let end = RunEnd::of(1, false);
        let slept = std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| end.sleep_until(Timeline::new(since_boot_ns()), HOUR_NS));
            end.ended(7);
            sleeper.join().unwrap()
        });
        assert_eq!(slept, Some(7));
    }

    #[test]
    fn a_session_ends_the_run_with_flows_and_without() {
        let timeline = Timeline::new(since_boot_ns() + HOUR_NS);
        for flows in [0, 2] {
            let end = RunEnd::of(flows, true);
            assert_eq!(end.ended_before(HOUR_NS), None);
            end.end_now(8);
            end.ended(3);
            assert_eq!(end.sleep_until(timeline, HOUR_NS), Some(8));
        }
    }

    #[test]
    fn without_the_end_of_all_flows_time_decides() {
        let begin_ns = since_boot_ns();
        for (flows, ended) in [(0, false), (1, false), (2, true)] {
            let end = RunEnd::of(flows, false);
            if ended {
                end.ended(1);
            }
            assert_eq!(end.sleep_until(Timeline::new(begin_ns), 5_000_000), None);
            assert!(since_boot_ns() >= begin_ns + 5_000_000);
        }
    }
}
