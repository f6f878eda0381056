//! One-way delay of each packet of a flow: from the queue of its sender's device to its receiver's host.
//!
//! A packet is recognised by the identification of its IPv4 header, which Linux increments with every packet of a
//! connection, and with every segment of one that a device or the kernel cuts. The three of the handshake are left out: before it,
//! a connection has no such count.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddrV4;
use std::path::Path;

use airtcp_plan::{Plan, Points};

use super::seen_packet::{SeenPacket, nodes_of_devices};
use crate::capture::tcp_segment::{TcpSegment, ipv4_end};
use crate::series::Series;

/// `delay_ns` of a packet that never arrived.
const NEVER: i64 = -1;

airtcp_plan::record! {
    /// The table of `records/delays.rec`: `direction` is 0 for data and 1 for acknowledgements.
    pub(super) fn table() = "delays", key [flow, direction], Cut;
    fn write_row(way: &Way, packet: Travelling, delay_ns: i64) {
        time_ns: i64 = packet.sent_ns,
        flow: u32 = way.flow,
        direction: u32 = way.direction,
        sequence: u32 = packet.sequence,
        bytes: u32 = packet.bytes,
        delay_ns: i64 = delay_ns,
    }
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
struct Travelling {
    sent_ns: i64,
    sequence: u32,
    bytes: u32,
}

/// One direction of a flow.
#[derive(Debug)]
struct Way {
    flow: u32,
    direction: u32,
    /// Nodes at which its packets begin and end.
    from: u32,
    to: u32,
    /// By identification.
    travelling: BTreeMap<u16, Travelling>,
    /// When the last of those that arrived was sent.
    last_arrived_ns: i64,
}

/// The one-way delays of all flows.
#[derive(Debug)]
pub(super) struct Delays {
    series: Series,
    devices: Vec<Option<u32>>,
    /// By the end that listens: packets towards it, then those from it.
    ways: BTreeMap<SocketAddrV4, [Way; 2]>,
}

impl Delays {
    /// Opens the record file.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn create(records: &Path, plan: &Plan) -> io::Result<Self> {
        let node = |name: &str| plan.nodes.iter().position(|n| n.name == name).map_or(u32::MAX, |n| n as u32);
        let ways = plan.flows.iter().enumerate().filter_map(|(flow, planned)| {
            let (connecting, listening) = (node(planned.connecting()), node(planned.listening()));
            let towards = u32::from(planned.workload.is_asked_for());
            let way = |direction, from, to| Way {
                flow: flow as u32,
                direction,
                from,
                to,
                travelling: BTreeMap::new(),
                last_arrived_ns: i64::MIN,
            };
            let ways = [way(towards, connecting, listening), way(1 - towards, listening, connecting)];
            Some((ipv4_end(planned.address, planned.port)?, ways))
        });
        Ok(Self {
            series: Series::create(records, &table())?,
            devices: nodes_of_devices(plan),
            ways: ways.collect(),
        })
    }

    /// Handles a packet at a device.
    ///
    /// # Errors
    /// The record can't be written.
    pub(super) fn see(&mut self, time_ns: i64, packet: &SeenPacket<'_>) -> io::Result<()> {
        let Some(node) = self.devices[packet.device as usize] else { return Ok(()) };
        let Some(segment) = TcpSegment::read(packet.head) else { return Ok(()) };
        let Some(way) = way_of(&mut self.ways, &segment) else { return Ok(()) };
        if packet.point == Points::QUEUE && node == way.from && !segment.syn {
            for part in segment.parts(packet.segments, packet.segment_bytes) {
                let (sequence, bytes) = (part.sequence, part.ip_bytes.into());
                let sent = Travelling { sent_ns: time_ns, sequence, bytes };
                // The identification has wrapped: the packet that had it before was lost.
                if let Some(lost) = way.travelling.insert(part.identification, sent) {
                    write(&mut self.series, way, lost, NEVER)?;
                }
            }
        } else if packet.point == Points::RECEIVE && node == way.to {
            for part in segment.parts(packet.segments, packet.segment_bytes) {
                // Others belong to the handshake, or arrive a second time.
                let Some(sent) = way.travelling.remove(&part.identification) else { continue };
                way.last_arrived_ns = way.last_arrived_ns.max(sent.sent_ns);
                write(&mut self.series, way, sent, time_ns - sent.sent_ns)?;
            }
        }
        Ok(())
    }

    /// Records packets that did not arrive, although a later one did, as lost. Packets after that one may be in transit: they have no row.
    ///
    /// # Errors
    /// The record can't be written.
    pub(super) fn close(&mut self) -> io::Result<()> {
        for way in self.ways.values_mut().flatten() {
            let mut left: Vec<Travelling> = std::mem::take(&mut way.travelling).into_values().collect();
            left.retain(|packet| packet.sent_ns <= way.last_arrived_ns);
            left.sort_by_key(|packet| packet.sent_ns);
            for lost in left {
                write(&mut self.series, way, lost, NEVER)?;
            }
        }
        self.series.flush()
    }
}

fn way_of<'a>(ways: &'a mut BTreeMap<SocketAddrV4, [Way; 2]>, segment: &TcpSegment) -> Option<&'a mut Way> {
    let (listening, way) =
        if ways.contains_key(&segment.destination) { (segment.destination, 0) } else { (segment.source, 1) };
    ways.get_mut(&listening).map(|both| &mut both[way])
}

fn write(series: &mut Series, way: &Way, packet: Travelling, delay_ns: i64) -> io::Result<()> {
    series.add(|row| write_row(row, way, packet, delay_ns))
}
