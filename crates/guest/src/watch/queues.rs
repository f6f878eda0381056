//! Samples of queueing disciplines.

use std::io;
use std::path::Path;

use airtcp_plan::{CakeTin, DualPi2State, FlowQueueing, cake_tins, marked_packets};

use crate::series::{Series, SeriesOnDemand};

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

/// The discipline of a device at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct QdiscInstant {
    time_ns: i64,
    place: DevicePlace,
    handle: u32,
}

/// A tin and its place among those of its discipline.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedTin {
    number: u32,
    count: u32,
    tin: CakeTin,
}

/// The records of queueing disciplines.
#[derive(Debug)]
pub(super) struct Queues {
    qdiscs: Series,
    /// Of runs with CAKE.
    tins: SeriesOnDemand,
    /// Of runs with `fq_codel` or `fq_pie`.
    of_flows: SeriesOnDemand,
    /// Of runs with `DualPI2`.
    dual: SeriesOnDemand,
}

impl Queues {
    /// # Errors
    /// An error of the file system.
    pub(super) fn create(records: &Path) -> io::Result<Self> {
        Ok(Self {
            qdiscs: Series::create(records, &queues_table())?,
            tins: SeriesOnDemand::new(records, tins_table()),
            of_flows: SeriesOnDemand::new(records, flow_queues_table()),
            dual: SeriesOnDemand::new(records, dual_queues_table()),
        })
    }

    /// Records a sample of the discipline of a device, and of its parts.
    ///
    /// # Errors
    /// A record can't be written.
    pub(super) fn add(
        &mut self,
        time_ns: i64,
        place: DevicePlace,
        sample: &QdiscSample<'_>,
    ) -> io::Result<()> {
        self.qdiscs.add(|row| write_queue(row, time_ns, place, sample))?;
        let at = QdiscInstant { time_ns, place, handle: sample.handle };
        if let Some(queueing) = FlowQueueing::of(sample.kind, sample.own) {
            self.of_flows.add(|row| write_flow_queues(row, at, &queueing))?;
        }
        if let Some(state) = DualPi2State::of(sample.kind, sample.own) {
            self.dual.add(|row| write_dual_queue(row, at, &state))?;
        }
        if sample.kind == "cake" { self.add_tins(at, sample.own) } else { Ok(()) }
    }

    fn add_tins(&mut self, at: QdiscInstant, own: &[u8]) -> io::Result<()> {
        let tins: Vec<CakeTin> = cake_tins(own).collect();
        let count = tins.len() as u32;
        (0..).zip(tins).try_for_each(|(number, tin)| {
            self.tins.add(|row| write_tin(row, at, &NumberedTin { number, count, tin }))
        })
    }

    /// # Errors
    /// A record can't be written.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.qdiscs.flush()?;
        self.tins.flush()?;
        self.of_flows.flush()?;
        self.dual.flush()
    }
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

airtcp_plan::record! {
    /// The table of `records/tins.rec`: the tins of each CAKE, in the order of `tc`.
    fn tins_table() = "tins", key [node, interface, handle, tin], CutWithLastSample;
    /// Packs a sample of a tin.
    fn write_tin(at: QdiscInstant, numbered: &NumberedTin) {
        time_ns: i64 = at.time_ns,
        node: u32 = at.place.node,
        interface: u32 = at.place.interface,
        handle: u32 = at.handle,
        tin: u32 = numbered.number,
        tin_count: u32 = numbered.count,
        backlog_bytes: u32 = numbered.tin.backlog_bytes,
        packets: u64 = numbered.tin.packets,
        bytes: u64 = numbered.tin.bytes,
        drops: u64 = numbered.tin.drops,
        marks: u64 = numbered.tin.marks,
        ack_drops: u64 = numbered.tin.ack_drops,
        threshold_bps: u64 = numbered.tin.threshold_bps,
        target_us: u32 = numbered.tin.target_us,
        interval_us: u32 = numbered.tin.interval_us,
        peak_delay_us: u32 = numbered.tin.peak_delay_us,
        avg_delay_us: u32 = numbered.tin.avg_delay_us,
        base_delay_us: u32 = numbered.tin.base_delay_us,
        sparse_flows: u32 = numbered.tin.sparse_flows,
        bulk_flows: u32 = numbered.tin.bulk_flows,
        unresponsive_flows: u32 = numbered.tin.unresponsive_flows,
        max_packet_bytes: u32 = numbered.tin.max_packet_bytes,
        quantum_bytes: u32 = numbered.tin.quantum_bytes,
    }
}

airtcp_plan::record! {
    /// The table of `records/flow_queues.rec`: what `fq_codel` and `fq_pie` tell of their queues of flows.
    fn flow_queues_table() = "flow_queues", key [node, interface, handle], CutWithLastSample;
    /// Packs a sample of a discipline.
    fn write_flow_queues(at: QdiscInstant, queueing: &FlowQueueing) {
        time_ns: i64 = at.time_ns,
        node: u32 = at.place.node,
        interface: u32 = at.place.interface,
        handle: u32 = at.handle,
        new_flows: u32 = queueing.new_flows,
        old_flows: u32 = queueing.old_flows,
        memory_bytes: u32 = queueing.memory_bytes,
        new_flow_count: u32 = queueing.new_flow_count,
        drop_overlimit: u32 = queueing.drop_overlimit,
        drop_overmemory: u32 = queueing.drop_overmemory,
        ce_threshold_marks: u32 = queueing.ce_threshold_marks,
    }
}

airtcp_plan::record! {
    /// The table of `records/dual_queues.rec`: what `DualPI2` tells of its two queues.
    fn dual_queues_table() = "dual_queues", key [node, interface, handle], CutWithLastSample;
    /// Packs a sample of a discipline.
    fn write_dual_queue(at: QdiscInstant, state: &DualPi2State) {
        time_ns: i64 = at.time_ns,
        node: u32 = at.place.node,
        interface: u32 = at.place.interface,
        handle: u32 = at.handle,
        probability: u32 = state.probability,
        c_delay_us: u32 = state.classic_delay_us,
        l_delay_us: u32 = state.low_latency_delay_us,
        c_packets: u32 = state.classic_packets,
        l_packets: u32 = state.low_latency_packets,
        most_packets: u32 = state.most_packets,
        marks: u32 = state.marks,
        step_marks: u32 = state.step_marks,
        credit: i64 = state.credit.into(),
        memory_bytes: u32 = state.memory_bytes,
    }
}
