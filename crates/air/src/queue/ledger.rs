//! Counters and backlog of a NIC's queues.

use super::{DropCause, Expelled, TxqKey, Waiting};
use crate::border::TIDS;

/// What waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backlog {
    /// Frames.
    pub frames: u32,
    /// Octets of the waiting frames.
    pub bytes: u64,
}

/// Frames counted since the start. `enqueued = dequeued + dropped_full + dropped_codel + waiting`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueCounts {
    /// Frames that came.
    pub enqueued: u64,
    /// Frames dequeued to be sent.
    pub dequeued: u64,
    /// Frames dropped because the queue was full.
    pub dropped_full: u64,
    /// Frames dropped by `CoDel`.
    pub dropped_codel: u64,
    /// Frames marked instead of dropped; they are among the dequeued.
    pub marked: u64,
}

/// What waits, what is on its way, and what has become of the rest.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// By station, the group last, and TID.
    queues: Vec<Backlog>,
    total: Backlog,
    outstanding: u32,
    longest: u32,
    counts: QueueCounts,
}

impl Ledger {
    /// Empty counters for this many stations and the group.
    pub(crate) fn new(stations: u32) -> Self {
        Self {
            queues: vec![Backlog::default(); (stations as usize + 1) * TIDS],
            total: Backlog::default(),
            outstanding: 0,
            longest: 0,
            counts: QueueCounts::default(),
        }
    }

    /// A frame came, and waits.
    #[inline]
    pub(crate) fn enqueued<T>(&mut self, frame: &Waiting<T>) {
        self.counts.enqueued += 1;
        for backlog in [&mut self.queues[place_of(frame.key())], &mut self.total] {
            backlog.frames += 1;
            backlog.bytes += u64::from(frame.bytes);
        }
        self.longest = self.longest.max(self.total.frames + self.outstanding);
    }

    /// A frame came, and found no room.
    pub(crate) fn refused(&mut self) {
        self.counts.enqueued += 1;
        self.counts.dropped_full += 1;
    }

    /// A frame was dequeued to be sent.
    #[inline]
    pub(crate) fn dequeued<T>(&mut self, frame: &Waiting<T>) {
        self.counts.dequeued += 1;
        self.outstanding += 1;
        self.leave(frame);
    }

    /// A frame that waited is dropped.
    pub(crate) fn dropped<T: Copy>(
        &mut self,
        frame: &Waiting<T>,
        cause: DropCause,
        expelled: &mut Vec<Expelled<T>>,
    ) {
        match cause {
            DropCause::QueueFull => self.counts.dropped_full += 1,
            DropCause::CoDel => self.counts.dropped_codel += 1,
        }
        self.leave(frame);
        expelled.push(Expelled::Dropped(frame.item, cause));
    }

    /// A frame is marked.
    pub(crate) fn marked<T: Copy>(&mut self, frame: &Waiting<T>, expelled: &mut Vec<Expelled<T>>) {
        self.counts.marked += 1;
        expelled.push(Expelled::Marked(frame.item));
    }

    /// A dequeued frame was sent or discarded. Panics if there is none.
    #[inline]
    pub(crate) fn finished(&mut self) {
        self.outstanding = self.outstanding.checked_sub(1).expect("more frames ended than were taken");
    }

    #[inline]
    fn leave<T>(&mut self, frame: &Waiting<T>) {
        for backlog in [&mut self.queues[place_of(frame.key())], &mut self.total] {
            backlog.frames -= 1;
            backlog.bytes -= u64::from(frame.bytes);
        }
    }

    /// What waits in a queue.
    pub(crate) fn backlog(&self, key: TxqKey) -> Backlog {
        self.queues[place_of(key)]
    }

    /// What waits for this station (their number: for the group).
    #[cfg(test)]
    pub(crate) fn backlog_of_station(&self, station: u32) -> Backlog {
        let queues = &self.queues[station as usize * TIDS..][..TIDS];
        queues.iter().fold(Backlog::default(), |sum, one| Backlog {
            frames: sum.frames + one.frames,
            bytes: sum.bytes + one.bytes,
        })
    }

    /// Frames and octets that wait for all stations.
    #[inline]
    pub(crate) const fn total(&self) -> Backlog {
        self.total
    }

    /// Frames dequeued and neither sent nor discarded.
    #[inline]
    pub(crate) const fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Most frames that ever waited or were on their way at once.
    pub(crate) const fn longest(&self) -> u32 {
        self.longest
    }

    /// Frames since the start.
    #[cfg(test)]
    pub(crate) const fn counts(&self) -> QueueCounts {
        self.counts
    }
}

#[inline]
const fn place_of(key: TxqKey) -> usize {
    key.station as usize * TIDS + key.tid as usize
}
