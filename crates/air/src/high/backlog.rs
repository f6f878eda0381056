//! What waits in queues, for the lower half of their NIC.

use super::txqs::{Txq, TxqKey};
use super::upper::Upper;
use crate::NicId;
use crate::border::{Backlog, TxqId};

/// The number of its access point among the NICs that a station sends to.
const ACCESS_POINT: u32 = 0;

impl Upper {
    /// Octets of the frames that wait in a queue.
    pub(super) fn depth(&self, txq: TxqId) -> u64 {
        let Txq { nic, key, .. } = *self.txqs.get(txq);
        self.nic(nic).queues.bytes_of(key)
    }

    /// What waits in a station's queue with this TID.
    pub(super) fn backlog_to_access_point(&self, station: NicId, tid: u8) -> Backlog {
        let txq = self.txqs.id(station, TxqKey { station: ACCESS_POINT, tid });
        Backlog { txq, octets: self.depth(txq) }
    }
}
