//! The lower half takes MPDUs.

use airtcp_units::{Duration, Instant};

use super::airtime_estimate::estimated_airtime;
use super::bss::Bss;
use super::bundles::{Bundles, Carried};
use super::host::Action;
use super::mpdu_length::Framing;
use super::nic::{Nic, Outgoing};
use super::txqs::{Txq, TxqKey};
use super::upper::Upper;
use crate::NicId;
use crate::border::{AccessCategory, Mpdu, MpduHandle, MpduKind, Receiver, TxqId};
use crate::queue::Expelled;

/// An MPDU that is being filled.
struct Filling {
    handle: MpduHandle,
    framing: Framing,
    /// Octets of the A-MSDU with all frames so far.
    amsdu_bytes: u32,
    /// Octets of the MPDU.
    bytes: u32,
    frames: u32,
}

impl Upper {
    #[inline(always)]
    pub(super) fn next_txq(&mut self, id: NicId, ac: AccessCategory) -> Option<TxqId> {
        let key = self.nic_mut(id).queues.next_txq(ac)?;
        Some(self.txqs.id(id, key))
    }

    #[inline(always)]
    pub(super) fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool) {
        let (nic, key) = self.queue_of(txq);
        self.nic_mut(nic).queues.return_txq(now, key, more);
    }

    /// A queue from which MPDUs are taken.
    #[inline]
    pub(super) fn pull(&mut self, txq: TxqId) -> Pull<'_> {
        let Self { nics, cells, txqs, bundles, expelled, .. } = self;
        let queue = txqs.get_mut(txq);
        let nic = &mut nics[queue.nic.index()];
        let bss = &cells[nic.bss];
        Pull { txq, queue, nic, bss, bundles, expelled }
    }

    #[inline]
    fn queue_of(&self, txq: TxqId) -> (NicId, TxqKey) {
        let queue = self.txqs.get(txq);
        (queue.nic, queue.key)
    }
}

/// A queue from which MPDUs are taken, and what that needs.
pub(super) struct Pull<'a> {
    txq: TxqId,
    queue: &'a mut Txq,
    nic: &'a mut Nic,
    bss: &'a Bss,
    bundles: &'a mut Bundles,
    expelled: &'a mut Vec<Expelled<Outgoing>>,
}

impl Pull<'_> {
    /// Takes the next MPDU out of the queue: one frame, or as many as an A-MSDU may have and are there.
    #[inline(always)]
    pub(super) fn next(&mut self, now: Instant, out: &mut Vec<Action>) -> Option<Mpdu> {
        let key = self.queue.key;
        let first = self.nic.queues.dequeue(now, key, self.expelled).map(|first| first.item);
        if !self.expelled.is_empty() {
            self.nic.end_expelled(self.queue.nic, self.expelled, out);
        }
        let Outgoing { handle: frame, msdu_bytes, arrival, proxied } = first?;
        let station = self.nic.stations.get(key.station as usize);
        let framing = self.bss.framing(station.is_none(), proxied);
        let mut filling = Filling {
            handle: self.bundles.begin(self.txq, Carried { handle: frame, arrival }),
            framing,
            amsdu_bytes: framing.extend(0, msdu_bytes),
            bytes: framing.alone(msdu_bytes),
            frames: 1,
        };
        if station.is_some_and(|station| station.amsdu.amsdu_bytes > 0) {
            self.fill(&mut filling);
        }
        Some(self.describe(&filling))
    }

    /// Adds frames to an A-MSDU while they fit (IEEE 802.11-2020, 10.11). Frames of a source behind a mesh station have a
    /// longer Mesh Control field than the others; each subframe has its own.
    #[inline(never)]
    fn fill(&mut self, filling: &mut Filling) {
        let Self { nic, queue: Txq { key, .. }, .. } = self;
        let limits = nic.stations[key.station as usize].amsdu;
        while let Some(next) = nic.queues.peek(*key) {
            let framing = self.bss.framing(false, next.item.proxied);
            let room = limits.room(framing, filling.amsdu_bytes, filling.frames);
            if next.item.msdu_bytes > room {
                break;
            }
            let Outgoing { handle, msdu_bytes, arrival, .. } =
                nic.queues.join(*key).expect("it was looked at").item;
            filling.amsdu_bytes = framing.extend(filling.amsdu_bytes, msdu_bytes);
            filling.bytes = filling.framing.around(filling.amsdu_bytes);
            filling.frames += 1;
            self.bundles.add(filling.handle, Carried { handle, arrival });
        }
    }

    #[inline(always)]
    fn describe(&mut self, filling: &Filling) -> Mpdu {
        let Filling { handle, bytes, frames, .. } = *filling;
        let (key, sequence) = (self.queue.key, self.queue.number());
        let nic = &mut *self.nic;
        nic.counters.mpdus += 1;
        nic.counters.amsdus += u64::from(frames > 1);
        let station = nic.stations.get(key.station as usize);
        let (receiver, kind) = match station {
            None => (Receiver::Group, MpduKind::Data),
            Some(station) if station.aggregable.contains(key.tid) => {
                (Receiver::One(station.nic), MpduKind::Aggregable)
            }
            Some(station) => (Receiver::One(station.nic), MpduKind::Data),
        };
        if nic.airtime_limited {
            // A group frame is nobody's: Linux does not count it.
            let last_tx = station.map(|station| station.last_tx);
            let estimate = last_tx.map_or(Duration::ZERO, |tx| estimated_airtime(tx, key.tid, bytes));
            nic.queues.airtime_pending(key, estimate);
            self.bundles.get_mut(handle).airtime_ns = estimate.as_nanos();
        }
        Mpdu { handle, bytes, receiver, tid: key.tid, sequence, kind }
    }
}
