//! What stations have said of their queues: reports, which age. The access point knows nothing else of them.

use airtcp_units::{Duration, Instant};

use super::queue_size::QueueSize;
use crate::border::{AccessCategory, TIDS};

/// What the `QoS` frames of a PPDU say of their sender's queues, by TID; `None`: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BufferStatus(pub(crate) [Option<QueueSize>; TIDS]);

impl BufferStatus {
    /// Of one queue.
    pub(crate) fn one(tid: u8, size: QueueSize) -> Self {
        let mut status = Self::default();
        status.0[usize::from(tid)] = Some(size);
        status
    }

    /// The Queue Size subfields.
    pub(crate) fn queue_sizes(&self) -> [Option<u8>; TIDS] {
        self.0.map(|size| size.map(QueueSize::octet))
    }
}

/// What an access point remembers of a station's reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reports {
    /// By TID.
    last: [Option<Report>; TIDS],
}

#[derive(Clone, Copy, Debug)]
struct Report {
    size: QueueSize,
    at: Instant,
}

/// What an access point believes of a station's queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belief {
    /// There is no report, or the last one is too old.
    Unknown,
    /// Nothing waits.
    Empty,
    /// The highest category with something, and the octets of its longest queue.
    Waiting(AccessCategory, u64),
}

impl Reports {
    /// Nothing was reported.
    pub(super) const NONE: Self = Self { last: [None; TIDS] };

    /// A station has said something.
    pub(super) fn note(&mut self, now: Instant, status: &BufferStatus) {
        for (last, said) in self.last.iter_mut().zip(status.0) {
            *last = said.map(|size| Report { size, at: now }).or(*last);
        }
    }

    /// What can be believed, if a report counts for this long.
    pub(super) fn belief(&self, now: Instant, lifetime: Duration) -> Belief {
        let is_fresh = |report: &Report| now.saturating_since(report.at) < lifetime;
        let fresh = || {
            let reports = self.last.iter().enumerate().filter_map(|(tid, report)| Some((tid, (*report)?)));
            reports.filter(|(_, report)| is_fresh(report))
        };
        let of_category = |ac: AccessCategory| {
            let reports = fresh().filter(|&(tid, _)| AccessCategory::of_priority(tid as u8) == ac);
            reports.map(|(_, report)| report.size.octets()).max().filter(|&octets| octets > 0)
        };
        let waiting = AccessCategory::ALL.into_iter().rev().find_map(|ac| Some((ac, of_category(ac)?)));
        match waiting {
            Some((ac, octets)) => Belief::Waiting(ac, octets),
            None if fresh().next().is_some() => Belief::Empty,
            None => Belief::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Instant {
        Instant::from_nanos(us * 1000)
    }

    #[test]
    fn reports_are_believed_for_their_lifetime() {
        let lifetime = Duration::from_micros(20_000);
        let mut reports = Reports::NONE;
        assert_eq!(reports.belief(us(0), lifetime), Belief::Unknown);
        reports.note(us(100), &BufferStatus::one(0, QueueSize::of(3_000)));
        assert_eq!(reports.belief(us(100), lifetime), Belief::Waiting(AccessCategory::BestEffort, 3_072));
        reports.note(us(10_000), &BufferStatus::one(6, QueueSize::of(200)));
        assert_eq!(reports.belief(us(10_000), lifetime), Belief::Waiting(AccessCategory::Voice, 208));
        reports.note(us(11_000), &BufferStatus::one(6, QueueSize::of(0)));
        assert_eq!(reports.belief(us(20_099), lifetime), Belief::Waiting(AccessCategory::BestEffort, 3_072));
        assert_eq!(reports.belief(us(20_100), lifetime), Belief::Empty);
        assert_eq!(reports.belief(us(31_000), lifetime), Belief::Unknown);
    }
}
