//! Samples of queueing disciplines.

use airtcp_plan::marked_packets;

/// The place of a device in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DevicePlace {
    /// Place of its node.
    pub node: u32,
    /// Place of the device in its node, interfaces before bridges.
    pub interface: u32,
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

airtcp_plan::record! {
    /// The table of `records/qdiscs.rec`: node and interface by their places in the plan, interfaces before bridges.
    pub(crate) fn queues_table() = "qdiscs", key [node, interface, handle], CutWithLastSample;
    /// Packs a sample of the discipline of a device.
    pub(crate) fn write_queue(time_ns: i64, place: DevicePlace, sample: &QdiscSample<'_>) {
        time_ns: i64 = time_ns,
        node: u32 = place.node,
        interface: u32 = place.interface,
        handle: u32 = sample.handle,
        backlog_packets: u32 = sample.backlog_packets,
        backlog_bytes: u32 = sample.backlog_bytes,
        packets: u64 = sample.packets,
        bytes: u64 = sample.bytes,
        drops: u64 = sample.drops.into(),
        overlimits: u64 = sample.overlimits.into(),
        marks: u64 = marked_packets(sample.kind, sample.own),
    }
}
