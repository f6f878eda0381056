//! The record of one TXOP.

use airtcp_plan::record::{Record, RowWriter, Table};
use airtcp_units::Instant;

use crate::NicId;
use crate::border::AccessCategory;

/// One TXOP that is over (IEEE 802.11-2020, 10.23.2): everything from one access to the medium to the next backoff. A row of the
/// table `txops`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxopRecord {
    /// Start of its first PPDU, from the epoch.
    pub start_ns: i64,
    /// Time at which the TXOP holder began the next backoff: the end of its last response, or of the wait for one. From the epoch.
    pub end_ns: i64,
    /// The NIC that held it.
    pub nic: NicId,
    /// The access category that gained it.
    pub ac: AccessCategory,
    /// What was sent in it.
    pub sent: TxopCounts,
}

/// What a NIC sends in a TXOP, or has sent so far in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TxopCounts {
    /// Data PPDUs, one for each user.
    pub ppdus: u64,
    /// MPDUs in them.
    pub mpdus: u64,
    /// MPDUs for one receiver that did not arrive.
    pub mpdus_lost: u64,
}

airtcp_plan::record! {
    fn table() = "txops", key [nic], Cut;
    fn write(record: &TxopRecord) {
        start_ns: i64 = record.start_ns,
        end_ns: i64 = record.end_ns,
        nic: u32 = record.nic.0,
        ac: u32 = record.ac as u32,
        ppdus: u32 = record.sent.ppdus as u32,
        mpdus: u32 = record.sent.mpdus as u32,
        mpdus_lost: u32 = record.sent.mpdus_lost as u32,
    }
}

impl TxopRecord {
    /// The table of these records.
    pub fn table() -> Table {
        table()
    }
}

impl Record for TxopRecord {
    fn write(&self, row: &mut RowWriter) {
        write(row, self);
    }
}

/// The TXOPs that NICs hold now.
#[derive(Debug, Default)]
pub(crate) struct HeldTxops(Vec<(NicId, Instant, TxopCounts)>);

impl HeldTxops {
    /// A NIC gains a TXOP; `so_far` is what it sent before.
    pub(crate) fn begin(&mut self, now: Instant, nic: NicId, so_far: TxopCounts) {
        self.0.push((nic, now, so_far));
    }

    /// The NIC's TXOP is over: when it began, and what was sent in it.
    pub(crate) fn end(&mut self, nic: NicId, so_far: TxopCounts) -> Option<(Instant, TxopCounts)> {
        let place = self.0.iter().position(|&(holder, ..)| holder == nic)?;
        let (_, start, before) = self.0.swap_remove(place);
        let sent = TxopCounts {
            ppdus: so_far.ppdus - before.ppdus,
            mpdus: so_far.mpdus - before.mpdus,
            mpdus_lost: so_far.mpdus_lost - before.mpdus_lost,
        };
        Some((start, sent))
    }
}
