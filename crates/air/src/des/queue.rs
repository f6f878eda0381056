//! Pending events in total order: time, phase, sequence.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airtcp_units::Instant;

use super::event::{Phase, Phased};

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    key: (Instant, Phase, u64),
    event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// Panics if the caller comes after what was due.
#[inline]
pub(crate) fn assert_in_time(now: Instant, due: Instant) {
    assert!(now <= due, "the air had to run at {due}, but it is {now}");
}

/// Events to come. Events of one time and phase keep the order in which they were scheduled.
#[derive(Debug)]
pub(crate) struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Entry<E>>>,
    scheduled: u64,
    now: Instant,
}

impl<E: Phased + Copy + std::fmt::Debug> EventQueue<E> {
    /// An empty queue with room for `capacity` events.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(capacity), scheduled: 0, now: Instant::ZERO }
    }

    /// Schedules an event. Panics if its time has passed.
    #[inline]
    pub(crate) fn schedule(&mut self, at: Instant, event: E) {
        assert!(at >= self.now, "{event:?} scheduled for {at}, before {}", self.now);
        self.heap.push(Reverse(Entry { key: (at, event.phase(), self.scheduled), event }));
        self.scheduled += 1;
    }

    /// When the next event is due; [`Instant::FAR_FUTURE`] if there is none.
    #[inline]
    pub(crate) fn next_at(&self) -> Instant {
        self.heap.peek().map_or(Instant::FAR_FUTURE, |e| e.0.key.0)
    }

    /// Takes the next event.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(Instant, E)> {
        let Reverse(entry) = self.heap.pop()?;
        self.now = entry.key.0;
        Some((entry.key.0, entry.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NicId;
    use crate::low::{Event, UserId};

    fn order(events: &[(u64, Event)]) -> Vec<Event> {
        let mut queue = EventQueue::with_capacity(4);
        for &(at, event) in events {
            queue.schedule(Instant::from_nanos(at), event);
        }
        std::iter::from_fn(|| queue.take()).map(|(_, event)| event).collect()
    }

    #[test]
    fn time_comes_first() {
        let [a, b] = [Event::PpduEnd(NicId(1)), Event::ResponseTimeout(NicId(0))];
        assert_eq!(order(&[(7, a), (5, b)]), [b, a]);
    }

    #[test]
    fn tie_ends_come_before_timeouts() {
        let [a, b] = [Event::ResponseTimeout(NicId(0)), Event::MpduEnd(NicId(1), UserId::FIRST)];
        assert_eq!(order(&[(5, a), (5, b)]), [b, a]);
    }

    #[test]
    fn tie_equal_phases_keep_the_order_in_which_they_were_scheduled() {
        let [a, b] = [Event::MpduEnd(NicId(9), UserId::FIRST), Event::PpduEnd(NicId(2))];
        assert_eq!(order(&[(5, a), (5, b)]), [a, b]);
        assert_eq!(order(&[(5, b), (5, a)]), [b, a]);
    }

    #[test]
    #[should_panic(expected = "scheduled for 0.004 us, before 0.005 us")]
    fn the_past_is_refused() {
        let mut queue = EventQueue::with_capacity(1);
        queue.schedule(Instant::from_nanos(5), Event::PpduEnd(NicId(0)));
        queue.take();
        queue.schedule(Instant::from_nanos(4), Event::PpduEnd(NicId(0)));
    }
}
