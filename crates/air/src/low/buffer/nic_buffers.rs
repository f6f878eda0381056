//! What waits in one NIC.

use std::collections::VecDeque;

use airtcp_plan::{AggregatesFormed, AirPlan};

use super::at_access::AtAccess;
use super::at_entry::{AtEntry, keep_in_order};
use super::intake::Prefetch;
use super::txq::{Held, HeldCount, TxqState};
use crate::NicId;
use crate::border::TxqId;
use crate::low::contention::AccessFunction;
use crate::low::on_air::PerUser;
use crate::low::psdu::LengthLimit;

/// The buffers of a NIC.
#[derive(Debug)]
pub(super) struct NicBuffers {
    /// By access function.
    pub(super) functions: [Waiting; AccessFunction::COUNT],
    /// The MPDUs of the exchange under way for each of its users.
    pub(super) psdus: PerUser<Held>,
    pub(super) limit: LengthLimit,
    pub(super) prefetch: Prefetch,
}

impl NicBuffers {
    /// The empty buffers of a NIC: those of its card, or the hardware queue of a radio of mac80211.
    pub(super) fn new(plan: &AirPlan, id: NicId) -> Self {
        let nic = &plan.nics[id.index()];
        let linux = &plan.cells[nic.cell as usize].linux;
        let queue = nic.card.hardware_queue;
        let ahead = linux.as_ref().map_or(0, |linux| linux.prefetch_ppdus as usize);
        let waiting = |_| Waiting {
            direct: VecDeque::new(),
            held: HeldCount::default(),
            buffer: match queue.map(|queue| queue.aggregates) {
                None | Some(AggregatesFormed::AtAccess) => Buffer::AtAccess(AtAccess::default()),
                Some(AggregatesFormed::AtEntry) => Buffer::AtEntry(AtEntry::default()),
            },
        };
        Self {
            functions: AccessFunction::ALL.map(waiting),
            psdus: PerUser::default(),
            limit: LengthLimit::default(),
            prefetch: queue.map_or_else(|| Prefetch::ppdus(ahead), Prefetch::of),
        }
    }
}

/// What waits for the access of one function.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Frames that go before all queues.
    pub(super) direct: VecDeque<Held>,
    /// MPDUs of all its queues, for retry or ahead of access.
    pub(super) held: HeldCount,
    pub(super) buffer: Buffer,
}

/// When MPDUs of queues become a PSDU.
#[derive(Debug)]
pub(super) enum Buffer {
    /// When the medium has been won.
    AtAccess(AtAccess),
    /// When they enter the card.
    AtEntry(AtEntry),
}

impl Buffer {
    /// Whether a queue gets its turns by the upper half alone.
    #[inline]
    pub(super) fn needs_turn(&self, txq: TxqId) -> bool {
        match self {
            Self::AtAccess(turns) => !turns.is_ready(txq),
            Self::AtEntry(_) => true,
        }
    }

    /// MPDUs that were not sent, or were lost, wait in their queue again, before all that come after them.
    #[inline(always)]
    pub(super) fn keep(
        &self,
        queue: &mut VecDeque<Held>,
        mpdus: impl DoubleEndedIterator<Item = Held>,
        count: &mut HeldCount,
    ) {
        let mpdus = mpdus.rev();
        match self {
            Self::AtAccess(_) => mpdus.for_each(|held| {
                count.add(&held);
                queue.push_front(held);
            }),
            Self::AtEntry(_) => mpdus.for_each(|held| keep_in_order(queue, held, count)),
        }
    }

    /// A queue loses the MPDUs that are here.
    pub(super) fn forget(&mut self, txq: TxqId) -> Vec<Held> {
        match self {
            Self::AtAccess(turns) => {
                turns.forget(txq);
                Vec::new()
            }
            Self::AtEntry(aggregates) => aggregates.forget(txq),
        }
    }

    /// MPDUs that do not wait in their queues.
    pub(super) fn formed(&self) -> impl Iterator<Item = &Held> {
        let aggregates = match self {
            Self::AtAccess(_) => None,
            Self::AtEntry(aggregates) => Some(aggregates),
        };
        aggregates.into_iter().flat_map(AtEntry::mpdus)
    }
}

impl Waiting {
    /// What is left of a PSDU waits in its order before everything else of its queue.
    #[inline]
    pub(super) fn keep(&mut self, queue: Option<&mut TxqState>, psdu: &mut Vec<Held>) {
        if !psdu.is_empty() {
            self.keep_all(queue, psdu);
        }
    }

    #[inline(never)]
    fn keep_all(&mut self, queue: Option<&mut TxqState>, psdu: &mut Vec<Held>) {
        let Self { direct, held: count, buffer } = self;
        match queue {
            None => psdu.drain(..).rev().for_each(|held| direct.push_front(held)),
            Some(queue) => buffer.keep(&mut queue.held, psdu.drain(..), count),
        }
    }
}
