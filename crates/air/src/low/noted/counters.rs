//! What a NIC did on the air.

use airtcp_units::Duration;

use super::mode_counts::ModeCounts;
use crate::trace::{LinkCounters, TxopCounts};

/// What a NIC did on the air.
#[derive(Clone, Debug, Default)]
pub(crate) struct RadioCounters {
    pub(crate) transmissions: u64,
    pub(crate) retries: u64,
    pub(crate) collisions: u64,
    pub(crate) corrupted: u64,
    pub(crate) mpdus: u64,
    pub(crate) mpdus_lost: u64,
    pub(crate) rts: u64,
    pub(crate) rts_failed: u64,
    pub(crate) airtime: Duration,
    /// Time for which the NIC transmitted since the start of virtual time; `airtime` counts from the epoch.
    pub(crate) all_airtime: Duration,
    /// The part of that in which it was in a BSS.
    pub(crate) bss_airtime: Duration,
    pub(crate) modes: ModeCounts,
    /// Data PPDUs by receiver, if they are sampled.
    pub(crate) links: Option<Box<LinkCounters>>,
}

impl RadioCounters {
    /// What the NIC has sent, as TXOPs count it.
    pub(super) const fn sent_in_txop(&self) -> TxopCounts {
        let &Self { transmissions: ppdus, mpdus, mpdus_lost, .. } = self;
        TxopCounts { ppdus, mpdus, mpdus_lost }
    }
}
