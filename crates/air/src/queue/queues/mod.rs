//! The queues of one NIC, of whichever kind the plan names.

use airtcp_plan::QueuePlan;
use airtcp_units::{Duration, Instant};

use super::fifo::{Fifo, Room};
use super::fq_codel::FqCodel;
use super::ledger::Ledger;
#[cfg(test)]
use super::ledger::{Backlog, QueueCounts};
use super::{Expelled, TxqKey, Waiting};
use crate::border::AccessCategory;

/// The queues of one NIC.
///
/// The caller adds frames, checks by [`Self::has`] whether to contend, and at the moment of sending takes a queue by
/// [`Self::next_txq`], its frames by [`Self::dequeue`], and gives the queue back by [`Self::return_txq`]. When a frame
/// dequeued has been acknowledged, sent to its group or discarded, the caller reports that by [`Self::finished`].
#[derive(Debug)]
pub(crate) enum Queues<T> {
    /// First in, first out in each access category.
    Fifo(Box<Fifo<T>>),
    /// FQ-CoDel for each station and TID, with turns by medium time.
    FqCodel(Box<FqCodel<T>>),
}

impl<T: Copy> Queues<T> {
    /// Empty queues of a NIC with this many stations (receivers of unicast frames). `aggregate_frames`: frames that fill
    /// an aggregate, 1 without aggregation; only [`QueuePlan::Direct`] needs it. Its limit holds for each category, that of
    /// [`QueuePlan::Fifo`] for all together, and both count the frames on the air.
    pub(crate) fn new(plan: &QueuePlan, stations: u32, aggregate_frames: u32) -> Self {
        match plan {
            QueuePlan::Fifo { packets } => Self::Fifo(Box::new(Fifo::new(Room::Common(*packets), stations))),
            QueuePlan::Direct { aggregates } => {
                let room = Room::PerCategory(aggregates * aggregate_frames);
                Self::Fifo(Box::new(Fifo::new(room, stations)))
            }
            QueuePlan::FqCodel(plan) => Self::FqCodel(Box::new(FqCodel::new(plan, stations))),
        }
    }

    /// Adds a frame. What had to go for it, perhaps the frame itself, is pushed to `expelled`.
    #[inline]
    pub(crate) fn enqueue(&mut self, now: Instant, frame: Waiting<T>, expelled: &mut Vec<Expelled<T>>) {
        match self {
            Self::Fifo(queues) => queues.enqueue(frame, expelled),
            Self::FqCodel(queues) => queues.enqueue(now, frame, expelled),
        }
    }

    /// Adds a frame for which the limit of [`Self::is_full`] does not hold: the qdisc above was stopped, but the frame was
    /// on its way.
    #[inline]
    pub(crate) fn enqueue_beyond(
        &mut self,
        now: Instant,
        frame: Waiting<T>,
        expelled: &mut Vec<Expelled<T>>,
    ) {
        match self {
            Self::Fifo(queues) => queues.take_in(frame),
            Self::FqCodel(queues) => queues.enqueue(now, frame, expelled),
        }
    }

    /// Whether frames wait that may be sent in this category now: the NIC should contend. It changes by
    /// [`Self::enqueue`], [`Self::dequeue`], [`Self::airtime_pending`] and [`Self::airtime_completed`] only; between
    /// [`Self::next_txq`] and [`Self::return_txq`] the queue that was returned does not count.
    #[inline(always)]
    pub(crate) fn has(&self, ac: AccessCategory) -> bool {
        match self {
            Self::Fifo(queues) => queues.has(ac),
            Self::FqCodel(queues) => queues.has(ac),
        }
    }

    /// The queue to send from now. It may be empty only if it was returned with `more`.
    #[inline]
    pub(crate) fn next_txq(&mut self, ac: AccessCategory) -> Option<TxqKey> {
        match self {
            Self::Fifo(queues) => queues.next_txq(ac),
            Self::FqCodel(queues) => queues.next_txq(ac),
        }
    }

    /// Takes the next frame of a queue. First in, first out, it is `None` when the next frame of the category belongs
    /// to another queue.
    #[inline]
    pub(crate) fn dequeue(
        &mut self,
        now: Instant,
        key: TxqKey,
        expelled: &mut Vec<Expelled<T>>,
    ) -> Option<&Waiting<T>> {
        match self {
            Self::Fifo(queues) => queues.dequeue(key),
            Self::FqCodel(queues) => queues.dequeue(now, key, expelled),
        }
    }

    /// The frame that [`Self::join`] would dequeue.
    #[inline]
    pub(crate) fn peek(&self, key: TxqKey) -> Option<&Waiting<T>> {
        match self {
            Self::Fifo(queues) => queues.peek(key),
            Self::FqCodel(queues) => queues.peek(key),
        }
    }

    /// Takes the frame that may share an A-MSDU with the one that was last taken from this queue, at this instant.
    #[inline]
    pub(crate) fn join(&mut self, key: TxqKey) -> Option<&Waiting<T>> {
        match self {
            Self::Fifo(queues) => queues.dequeue(key),
            Self::FqCodel(queues) => queues.join(key),
        }
    }

    /// Gives a queue back. `more`: the lower half buffers frames of it (or will have to repeat them: it may be called again
    /// later, without [`Self::next_txq`] before), so the queue takes part in the rotation even if it is empty.
    #[inline]
    pub(crate) fn return_txq(&mut self, now: Instant, key: TxqKey, more: bool) {
        match self {
            Self::Fifo(queues) => queues.return_txq(key, more),
            Self::FqCodel(queues) => queues.return_txq(now, key, more),
        }
    }

    /// A frame taken from this queue is at its end. Panics if there is none.
    #[inline]
    pub(crate) fn finished(&mut self, key: TxqKey) {
        match self {
            Self::Fifo(queues) => queues.finished(key),
            Self::FqCodel(queues) => queues.finished(key),
        }
    }

    /// Medium time that was used for frames of this queue, once per PPDU: it is subtracted from its station's share.
    #[inline]
    pub(crate) fn airtime_used(&mut self, now: Instant, key: TxqKey, used: Duration) {
        if let Self::FqCodel(queues) = self {
            queues.airtime().used(now, key.station, key.category(), used);
        }
    }

    /// A frame was dequeued from this queue that will use about this much medium time.
    #[inline]
    pub(crate) fn airtime_pending(&mut self, key: TxqKey, estimate: Duration) {
        if let Self::FqCodel(queues) = self {
            queues.airtime().start(key.station, key.category(), estimate);
        }
    }

    /// A frame that was dequeued from this queue is at its end; `estimate` is that of [`Self::airtime_pending`].
    #[inline]
    pub(crate) fn airtime_completed(&mut self, key: TxqKey, estimate: Duration) {
        if let Self::FqCodel(queues) = self {
            queues.airtime().complete(key.station, key.category(), estimate);
        }
    }

    /// Whether the throughput that rate control expects to a station matters here.
    #[inline]
    pub(crate) const fn knows_slow_stations(&self) -> bool {
        match self {
            Self::Fifo(_) => false,
            Self::FqCodel(queues) => queues.knows_slow_stations(),
        }
    }

    /// Rate control expects this throughput to a station; 0: it does not know.
    pub(crate) fn expect_throughput(&mut self, station: u32, kbps: f64) {
        if let Self::FqCodel(queues) = self {
            queues.expect_throughput(station, kbps);
        }
    }

    /// Whether the qdisc above must stop. There is one stop for the whole NIC: a frame of any category that came now
    /// could find no room. FQ-CoDel never stops it: it drops from its longest flow.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Fifo(queues) => queues.is_full(),
            Self::FqCodel(_) => false,
        }
    }

    /// Frames that wait.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.ledger().total().frames
    }

    /// Octets that wait.
    #[cfg(test)]
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        self.ledger().total().bytes
    }

    /// Octets that wait in a queue.
    pub(crate) fn bytes_of(&self, key: TxqKey) -> u64 {
        self.ledger().backlog(key).bytes
    }

    /// Frames dequeued and neither sent nor discarded.
    #[inline]
    pub(crate) fn outstanding(&self) -> u32 {
        self.ledger().outstanding()
    }

    /// Most frames there ever were at once, those taken and not at their end included.
    pub(crate) fn longest(&self) -> u32 {
        self.ledger().longest()
    }

    /// The backlog for this station; the number of stations is the index of the group.
    #[cfg(test)]
    pub(crate) fn backlog(&self, station: u32) -> Backlog {
        self.ledger().backlog_of_station(station)
    }

    /// Frames since the start.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> QueueCounts {
        self.ledger().counts()
    }

    /// Frames that met a flow used by another station or TID, and went to the default flow of theirs.
    pub(crate) fn collisions(&self) -> u64 {
        match self {
            Self::Fifo(_) => 0,
            Self::FqCodel(queues) => queues.collisions(),
        }
    }

    #[inline]
    fn ledger(&self) -> &Ledger {
        match self {
            Self::Fifo(queues) => queues.ledger(),
            Self::FqCodel(queues) => queues.ledger(),
        }
    }
}

#[cfg(test)]
mod tests;
