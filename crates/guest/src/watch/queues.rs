//! Samples of queueing disciplines.

use airtcp_plan::marked_packets;
use airtcp_plan::record::{EarlyEndRule, Kind, RowWriter, Table};

/// The place of a device in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DevicePlace {
    /// Place of its node.
    pub(super) node: u32,
    /// Place of the device in its node, interfaces before bridges.
    pub(super) interface: u32,
}

/// The kernel's statistics of one discipline, counted from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct QdiscSample<'a> {
    /// Major number of its handle.
    pub handle: u32,
    /// Packets in the queue.
    pub backlog_packets: u32,
    /// Bytes in the queue.
    pub backlog_bytes: u32,
    /// Packets that went through.
    pub packets: u64,
    /// Bytes that went through.
    pub bytes: u64,
    /// Packets dropped.
    pub drops: u32,
    /// Times at which it delayed a packet although the device was ready.
    pub overlimits: u32,
    /// Kind of the discipline, as `tc` calls it.
    pub kind: &'a str,
    /// Statistics of this kind (`TCA_STATS_APP`).
    pub own: &'a [u8],
}

/// The table of `records/qdiscs.rec`: node and interface by their places in the plan, interfaces before bridges.
pub(super) fn table() -> Table {
    let mut columns = vec![("time_ns", Kind::I64)];
    let places = ["node", "interface", "handle", "backlog_packets", "backlog_bytes"];
    columns.extend(places.map(|name| (name, Kind::U32)));
    columns.extend(["packets", "bytes", "drops", "overlimits", "marks"].map(|name| (name, Kind::U64)));
    let key = ["node", "interface", "handle"];
    Table::new("qdiscs", &key, EarlyEndRule::CutWithLastSample, &columns)
}

impl QdiscSample<'_> {
    /// Writes the values of its row.
    pub(super) fn write(&self, row: &mut RowWriter, time_ns: i64, place: DevicePlace) {
        row.i64(time_ns).u32(place.node).u32(place.interface).u32(self.handle);
        row.u32(self.backlog_packets).u32(self.backlog_bytes);
        row.u64(self.packets).u64(self.bytes).u64(self.drops.into()).u64(self.overlimits.into());
        row.u64(marked_packets(self.kind, self.own));
    }
}
