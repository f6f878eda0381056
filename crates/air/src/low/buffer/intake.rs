//! What a NIC takes MPDUs with, and how many it may take before it has won the medium.

use airtcp_plan::{HardwareQueue, HardwareQueueSize};
use airtcp_units::{Duration, Instant};
use typed_index_collections::TiVec;

use super::aggregation::Aggregation;
use super::txq::{Held, HeldCount, TxqState};
use crate::NicId;
use crate::border::{AccessCategory, HighMac, Mpdu, TxqId};
use crate::low::psdu::{AggregateLimits, LengthLimit};
use crate::phy::TxVector;

/// How much a NIC takes for each category before the medium is won. All of the limits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefetch {
    /// PPDUs; 0: it takes nothing.
    pub(super) ppdus: usize,
    /// MPDUs.
    pub(super) mpdus: usize,
    /// Time that the MPDUs take at their data rates. Only with this limit it is counted.
    pub(super) airtime: Option<Duration>,
}

impl Prefetch {
    /// So many PPDUs; of 0, MPDUs are taken when the medium has been won.
    pub(super) const fn ppdus(ppdus: usize) -> Self {
        Self { ppdus, mpdus: usize::MAX, airtime: None }
    }

    /// The queue of a card.
    pub(super) const fn of(queue: HardwareQueue) -> Self {
        match queue.size {
            HardwareQueueSize::Ppdus { count } => Self::ppdus(count as usize),
            // A PPDU has one MPDU at least.
            HardwareQueueSize::Frames { count } => {
                Self { ppdus: count as usize, mpdus: count as usize, airtime: None }
            }
            HardwareQueueSize::Airtime { ns } => {
                Self { ppdus: usize::MAX, mpdus: usize::MAX, airtime: Some(Duration::from_nanos(ns)) }
            }
        }
    }
}

/// Registers a queue: makes room for its state if it has none.
#[inline]
pub(super) fn know(txqs: &mut TiVec<TxqId, TxqState>, txq: TxqId) {
    if txq.index() >= txqs.len() {
        txqs.resize_with(txq.index() + 1, TxqState::default);
    }
}

/// For whom MPDUs are taken, and where they are counted.
#[derive(Debug)]
pub(super) struct Intake<'a> {
    pub(super) now: Instant,
    pub(super) nic: NicId,
    pub(super) ac: AccessCategory,
    pub(super) held: &'a mut HeldCount,
    pub(super) txqs: &'a mut TiVec<TxqId, TxqState>,
    pub(super) aggregation: &'a Aggregation,
    pub(super) limit: &'a mut LengthLimit,
    pub(super) most: &'a Prefetch,
}

impl Intake<'_> {
    /// The queue whose turn it is.
    #[inline(always)]
    pub(super) fn next_txq(&mut self, high: &mut impl HighMac) -> Option<TxqId> {
        let txq = high.next_txq(self.now, self.nic, self.ac)?;
        know(self.txqs, txq);
        Some(txq)
    }

    /// The limits of an aggregate that begins with this MPDU of a queue; `None`: there is no agreement.
    pub(super) fn limits_of(&self, mpdu: &Mpdu, txq: TxqId) -> Option<AggregateLimits> {
        self.aggregation.limits(self.nic, mpdu, Some(&self.txqs[txq]))
    }

    /// The most octets of an aggregate in this mode.
    pub(super) fn most_octets(&mut self, tx: TxVector, limits: AggregateLimits) -> u32 {
        let longest = tx.max_ppdu_duration().unwrap_or(limits.duration).min(limits.duration);
        self.limit.bytes(tx, longest).min(limits.bytes)
    }

    /// An MPDU waits in its queue, behind the others.
    pub(super) fn hold(&mut self, txq: TxqId, held: Held) {
        self.held.add(&held);
        let queue = &mut self.txqs[txq];
        queue.owner = Some((self.nic, self.ac));
        queue.held.push_back(held);
    }

    /// An MPDU waits in its queue, before the others.
    pub(super) fn hold_first(&mut self, txq: TxqId, held: Held) {
        self.held.add(&held);
        self.txqs[txq].held.push_front(held);
    }

    /// Takes the first MPDU that waits in a queue.
    #[inline(always)]
    pub(super) fn take_held(&mut self, txq: TxqId) -> Option<Held> {
        let held = self.txqs[txq].held.pop_front()?;
        self.held.remove(&held);
        Some(held)
    }

    /// Whether the card counts the airtime of what waits.
    pub(super) fn counts_airtime(&self) -> bool {
        self.most.airtime.is_some()
    }

    /// Whether the card has room for one more where so many MPDUs wait.
    pub(super) fn has_room(&self, mpdus: usize) -> bool {
        mpdus < self.most.mpdus && self.most.airtime.is_none_or(|most| self.held.airtime < most)
    }
}

/// Time that the octets of an MPDU take at the data rate of a mode.
pub(super) fn airtime_of(mpdu: &Mpdu, tx: TxVector) -> Duration {
    const NS_PER_S: u64 = 1_000_000_000;
    let bits = 8 * u64::from(mpdu.bytes);
    Duration::from_nanos((bits * NS_PER_S).div_ceil(tx.bit_rate().as_bps()))
}
