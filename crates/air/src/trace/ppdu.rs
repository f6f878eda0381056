//! The record of one PPDU.

use airtcp_plan::record::{Record, RowWriter, Table};

use crate::phy::{Extent, Format, ResourceUnit, TxVector};
use crate::{NicId, PpduKind};

/// What became of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PpduOutcome {
    /// Received (by every receiver of a group).
    Received = 0,
    /// Lost with others on the air at the same time.
    Collision = 1,
    /// Lost to noise (at one receiver of a group at least).
    Corrupted = 2,
}

impl PpduOutcome {
    /// The name of each outcome, by its number.
    pub const NAMES: [&str; 3] = ["received", "collision", "corrupted"];
}

/// One PPDU that has ended. A row of the table `ppdus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PpduRecord {
    /// Start of the PPDU, from the epoch.
    pub start_ns: i64,
    /// End of the PPDU with signal extension, from the epoch.
    pub end_ns: i64,
    /// The NIC that sent it.
    pub nic: NicId,
    /// The NIC it was for; `None` for a group.
    pub to: Option<NicId>,
    /// Kind of the PPDU.
    pub kind: PpduKind,
    /// How it was sent: format, MCS, streams, guard interval, and the part of the channel.
    pub tx: TxVector,
    /// Length of its PSDU.
    pub bytes: u32,
    /// Number of the attempt to send the data, from 1; a response has that of its data.
    pub attempt: u32,
    /// What became of it.
    pub outcome: PpduOutcome,
    /// MPDUs in its PSDU; 0: it is a control frame.
    pub mpdus: u32,
}

airtcp_plan::record! {
    fn table() = "ppdus", key [nic], Cut;
    fn write(record: &PpduRecord) {
        start_ns: i64 = record.start_ns,
        end_ns: i64 = record.end_ns,
        nic: u32 = record.nic.0,
        to: u32 = record.to.map_or(u32::MAX, |nic| nic.0),
        kind: u32 = record.kind as u32,
        rate_bps: u64 = record.tx.bit_rate().as_bps(),
        bytes: u32 = record.bytes,
        attempt: u32 = record.attempt,
        outcome: u32 = record.outcome as u32,
        format: u32 = record.tx.format as u32,
        mcs: u32 = record.tx.index.into(),
        streams: u32 = record.tx.streams.into(),
        width_mhz: u32 = record.tx.width().mhz(),
        guard_ns: u32 = record.guard_ns(),
        ru_tones: u32 = record.ru().map_or(0, |ru| ru.size.tones()),
        ru_index: u32 = record.ru().map_or(0, |ru| ru.index.into()),
        mpdus: u32 = record.mpdus,
    }
}

impl PpduRecord {
    /// The table of these records; `to` is `u32::MAX` for a group.
    pub fn table() -> Table {
        table()
    }

    /// Guard interval; 0 in DSSS, which has none.
    const fn guard_ns(&self) -> u32 {
        match self.tx.format {
            Format::HrDsss => 0,
            _ => self.tx.guard.nanos() as u32,
        }
    }

    /// The resource unit of its user; `None`: its PPDU has one user, in the whole width.
    fn ru(&self) -> Option<ResourceUnit> {
        match self.tx.allocation.extent() {
            Extent::Ru(ru) => Some(ru),
            Extent::Whole | Extent::Punctured(_) => None,
        }
    }
}

impl Record for PpduRecord {
    fn write(&self, row: &mut RowWriter) {
        write(row, self);
    }
}
