//! What a station says of its queues in its `QoS` frames (IEEE 802.11ax-2021, 9.2.4.5.6).
//!
//! It knows no queues but its own: those of its upper half, and what its lower half has taken of them. Frames count with their Ethernet
//! headers, which have 6 octets more than LLC and SNAP.

use crate::NicId;
use crate::border::{Backlog, TIDS, TxqId};
use crate::low::Low;
use crate::low::context::Context;
use crate::low::multi_user::{BufferStatus, QueueSize};
use crate::low::on_air::UserId;

/// TIDs in the order in which their queues are reported: the highest category first (IEEE 802.11-2020, Table 10-1).
const BY_CATEGORY: [u8; TIDS] = [7, 6, 5, 4, 3, 0, 2, 1];

impl Low {
    /// What the `QoS` data of the exchange that a NIC has composed says: what waits behind it with its TID.
    #[inline(never)]
    pub(super) fn report_in_data(&mut self, nic: NicId, txq: Option<TxqId>, high: &mut impl Context) {
        let first = self.buffers.psdu(nic, UserId::FIRST).first().map(|held| held.mpdu);
        let of_data = first.filter(|mpdu| mpdu.kind.carries_data()).zip(txq);
        let status = of_data.map(|(mpdu, txq)| self.report_behind(nic, txq, mpdu.tid, high));
        self.exchanges.radios[nic].buffer_status = Some(status.unwrap_or_default());
    }

    /// What waits behind MPDUs of a queue.
    pub(super) fn report_behind(
        &self,
        nic: NicId,
        txq: TxqId,
        tid: u8,
        high: &mut impl Context,
    ) -> BufferStatus {
        let above = high.backlog(nic, tid).map_or(0, |backlog| backlog.octets);
        BufferStatus::one(tid, QueueSize::of(above + self.buffers.octets_held(txq)))
    }

    /// What `QoS` Null frames of so many TIDs say: first of those with frames, the highest category first.
    pub(super) fn report_queues(&self, nic: NicId, frames: usize, high: &mut impl Context) -> BufferStatus {
        let mut status = BufferStatus::default();
        let sizes = BY_CATEGORY.map(|tid| {
            let Backlog { txq, octets } = high.backlog(nic, tid)?;
            Some((tid, octets + self.buffers.octets_held(txq)))
        });
        let [waiting, empty] = [true, false]
            .map(|waits| sizes.into_iter().flatten().filter(move |&(_, octets)| (octets > 0) == waits));
        for (tid, octets) in waiting.chain(empty).take(frames) {
            status.0[usize::from(tid)] = Some(QueueSize::of(octets));
        }
        status
    }
}
