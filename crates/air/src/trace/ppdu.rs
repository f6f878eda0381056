//! The record of one PPDU.

use airtcp_plan::record::{EarlyEndRule, Kind, Record, RowWriter, Table};
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

impl PpduRecord {
    /// The table of these records; `to` is `u32::MAX` for a group.
    pub fn table() -> Table {
        let columns = [
            ("start_ns", Kind::I64),
            ("end_ns", Kind::I64),
            ("nic", Kind::U32),
            ("to", Kind::U32),
            ("kind", Kind::U32),
            ("rate_bps", Kind::U64),
            ("bytes", Kind::U32),
            ("attempt", Kind::U32),
            ("outcome", Kind::U32),
        ];
        Table::new("ppdus", &["nic"], EarlyEndRule::Cut, &columns)
    }
}

impl Record for PpduRecord {
    fn write(&self, row: &mut RowWriter) {
        row.i64(self.start_ns).i64(self.end_ns).u32(self.nic.0);
        row.u32(self.to.map_or(u32::MAX, |nic| nic.0)).u32(self.kind as u32).u64(self.rate.as_bps());
        row.u32(self.bytes).u32(self.attempt).u32(self.outcome as u32);
    }
}
