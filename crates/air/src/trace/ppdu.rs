//! The record of one PPDU.

use airtcp_plan::record::{Record, RowWriter, Table};
use airtcp_units::BitRate;

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
    /// Bit rate of the PPDU.
    pub rate: BitRate,
    /// Length of its PSDU.
    pub bytes: u32,
    /// Number of the attempt to send the data, from 1; a response has that of its data.
    pub attempt: u32,
    /// What became of it.
    pub outcome: PpduOutcome,
}

airtcp_plan::record! {
    fn table() = "ppdus", key [nic], Cut;
    fn write(record: &PpduRecord) {
        start_ns: i64 = record.start_ns,
        end_ns: i64 = record.end_ns,
        nic: u32 = record.nic.0,
        to: u32 = record.to.map_or(u32::MAX, |nic| nic.0),
        kind: u32 = record.kind as u32,
        rate_bps: u64 = record.rate.as_bps(),
        bytes: u32 = record.bytes,
        attempt: u32 = record.attempt,
        outcome: u32 = record.outcome as u32,
    }
}

impl PpduRecord {
    /// The table of these records; `to` is `u32::MAX` for a group.
    pub fn table() -> Table {
        table()
    }
}

impl Record for PpduRecord {
    fn write(&self, row: &mut RowWriter) {
        write(row, self);
    }
}
