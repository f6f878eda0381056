//! The queues that the lower half knows: one for each receiver and TID of each NIC.

use super::block_ack_req::PendingBlockAckReq;
use crate::NicId;
use crate::border::{TIDS, TxqId};
pub(super) use crate::queue::TxqKey;

/// Sequence numbers count modulo this (IEEE 802.11-2020, 9.2.4.4.2).
const SEQUENCE_MODULUS: u16 = 4096;

/// What is kept for one queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Txq {
    pub(super) nic: NicId,
    pub(super) key: TxqKey,
    pub(super) block_ack_req: PendingBlockAckReq,
    next_sequence: u16,
}

impl Txq {
    /// The sequence number of its next MPDU.
    #[inline]
    pub(super) fn number(&mut self) -> u16 {
        let number = self.next_sequence;
        self.next_sequence = following(number);
        number
    }
}

/// The sequence number after this one.
#[inline]
pub(super) const fn following(sequence: u16) -> u16 {
    (sequence + 1) % SEQUENCE_MODULUS
}

/// The queues of every NIC. Those of a NIC have numbers in a row.
#[derive(Debug, Default)]
pub(super) struct Txqs {
    queues: Vec<Txq>,
    /// First number of each NIC.
    first: Vec<u32>,
}

impl Txqs {
    /// Adds the queues of the next NIC, which has this many receivers, its group included.
    pub(super) fn join(&mut self, receivers: u32) {
        let nic = NicId(self.first.len() as u32);
        self.first.push(self.queues.len() as u32);
        let keys = (0..receivers).flat_map(|station| (0..TIDS as u8).map(move |tid| TxqKey { station, tid }));
        self.queues.extend(keys.map(|key| Txq {
            nic,
            key,
            block_ack_req: PendingBlockAckReq::default(),
            next_sequence: 0,
        }));
    }

    /// The number of a NIC's queue.
    #[inline]
    pub(super) fn id(&self, nic: NicId, key: TxqKey) -> TxqId {
        TxqId(self.first[nic.index()] + key.station * TIDS as u32 + u32::from(key.tid))
    }

    /// The queue with this number.
    #[inline]
    pub(super) fn get(&self, id: TxqId) -> &Txq {
        &self.queues[id.index()]
    }

    /// The queue with this number, to be changed.
    #[inline]
    pub(super) fn get_mut(&mut self, id: TxqId) -> &mut Txq {
        &mut self.queues[id.index()]
    }

    /// How many there are.
    pub(super) fn len(&self) -> u32 {
        self.queues.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_lead_back() {
        let mut txqs = Txqs::default();
        txqs.join(3);
        txqs.join(2);
        let mut number = 0;
        for (nic, receivers) in [(NicId(0), 3), (NicId(1), 2)] {
            for key in (0..receivers).flat_map(|station| (0..8).map(move |tid| TxqKey { station, tid })) {
                let id = txqs.id(nic, key);
                assert_eq!(id, TxqId(number));
                assert_eq!((txqs.get(id).nic, txqs.get(id).key), (nic, key));
                number += 1;
            }
        }
        assert_eq!(txqs.len(), number);
    }

    #[test]
    fn sequence_numbers_go_round() {
        let mut txqs = Txqs::default();
        txqs.join(1);
        let txq = txqs.get_mut(TxqId(3));
        assert_eq!([txq.number(), txq.number()], [0, 1]);
        txq.next_sequence = 4095;
        assert_eq!([txq.number(), txq.number()], [4095, 0]);
    }
}
