//! UDP datagrams of programs, counted by their ends: addresses and ports.
//!
//! A datagram is sent when its first fragment enters the queue of a device of its sender, and received when that arrives
//! at a device of its receiver. Datagrams of the plan's streams, those to groups, and those inside a node are none of these.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

use airtcp_plan::report::SocketFlow;
use airtcp_plan::{Plan, Points, TcpInfo};

use super::flow_rows::{EpochNs, FlowRows, addresses, place_of};
use super::flows::FlowSample;
use super::seen_packet::{SeenPacket, nodes_of_devices};
use crate::capture::tcp_segment::ipv4_end;
use crate::capture::udp_datagram::UdpDatagram;

/// Numbers of these flows in the records begin here: beyond those of connections.
const FIRST_NUMBER: u32 = 1 << 31;
/// The most pairs of ends that are told apart: a program that scans ports makes a new one with each datagram, and each is looked at
/// in every sample.
const STREAMS_MOST: usize = 1 << 16;

/// Datagrams from one end to another.
#[derive(Debug)]
struct Stream {
    ends: [SocketAddrV4; 2],
    /// Whether nothing had been sent the other way before.
    is_first: bool,
    first_ns: EpochNs,
    last_ns: EpochNs,
    sent: u64,
    received: u64,
    bytes_received: u64,
    /// Bytes received in the last row, and the last instant whose row was left out because nothing had changed.
    recorded_bytes: u64,
    unchanged_ns: Option<EpochNs>,
}

/// The UDP flows of programs.
#[derive(Debug)]
pub(super) struct DatagramFlows {
    /// Node of each address.
    nodes: BTreeMap<Ipv4Addr, u32>,
    devices: Vec<Option<u32>>,
    /// Ends at which streams of the plan are received.
    planned: Vec<SocketAddrV4>,
    by_ends: BTreeMap<[SocketAddrV4; 2], usize>,
    all: Vec<Stream>,
    /// Datagrams of further ones, as their senders sent them.
    pub(super) unseen: u64,
}

impl DatagramFlows {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            nodes: addresses(plan).collect(),
            devices: nodes_of_devices(plan),
            planned: plan
                .datagrams
                .iter()
                .filter_map(|stream| ipv4_end(stream.address, stream.port))
                .collect(),
            by_ends: BTreeMap::new(),
            all: Vec::new(),
            unseen: 0,
        }
    }

    /// Handles a packet at a device.
    pub(super) fn see(&mut self, time_ns: EpochNs, packet: &SeenPacket<'_>) {
        let Some(node) = self.devices[packet.device as usize] else { return };
        let Some(datagram) = UdpDatagram::read(packet.head) else { return };
        let ends = [datagram.source, datagram.destination];
        let nodes = ends.map(|end| self.nodes.get(end.ip()).copied());
        let [Some(from), Some(to)] = nodes else { return };
        if from == to || self.planned.contains(&datagram.destination) {
            return;
        }
        let segments = u64::from(packet.segments);
        if packet.point == Points::QUEUE && node == from {
            match self.stream(ends, time_ns) {
                Some(stream) => stream.sent += segments,
                None => self.unseen += segments,
            }
        } else if packet.point == Points::RECEIVE && node == to {
            let Some(stream) = self.stream(ends, time_ns) else { return };
            stream.received += segments;
            stream.bytes_received += u64::from(datagram.payload_bytes);
            stream.last_ns = time_ns;
        }
    }

    /// Rows of an instant: a stream that does not change has only the rows before and after it stops.
    ///
    /// # Errors
    /// A record can't be written.
    pub(super) fn sampled(&mut self, at_ns: EpochNs, rows: &mut FlowRows) -> io::Result<()> {
        for (place, stream) in self.all.iter_mut().enumerate() {
            if stream.bytes_received == stream.recorded_bytes {
                stream.unchanged_ns = Some(at_ns);
                continue;
            }
            let number = FIRST_NUMBER + place as u32;
            if let Some(still_ns) = stream.unchanged_ns.take() {
                rows.add(still_ns, number, &received(stream.recorded_bytes))?;
            }
            stream.recorded_bytes = stream.bytes_received;
            rows.add(at_ns, number, &received(stream.recorded_bytes))?;
        }
        Ok(())
    }

    /// Number and statistics of every stream.
    pub(super) fn flows<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = SocketFlow> + 'a {
        self.all.iter().enumerate().map(move |(place, stream)| SocketFlow {
            number: FIRST_NUMBER + place as u32,
            protocol: "udp".to_owned(),
            from: place_of(plan, stream.ends[0]),
            to: place_of(plan, stream.ends[1]),
            connecting: stream.is_first,
            group: 0,
            congestion_control: String::new(),
            connected_ns: stream.first_ns,
            finished_ns: Some(stream.last_ns),
            bytes_received: stream.bytes_received,
            bytes_acked: 0,
            retransmits: 0,
            busy_us: 0,
            rwnd_limited_us: 0,
            sndbuf_limited_us: 0,
            datagrams_sent: stream.sent,
            datagrams_received: stream.received,
            mptcp: None,
        })
    }

    /// The stream between these ends, which is added if it is new; `None` if there are too many others.
    fn stream(&mut self, ends: [SocketAddrV4; 2], now_ns: EpochNs) -> Option<&mut Stream> {
        if self.all.len() == STREAMS_MOST && !self.by_ends.contains_key(&ends) {
            return None;
        }
        let is_first = !self.by_ends.contains_key(&[ends[1], ends[0]]);
        let place = *self.by_ends.entry(ends).or_insert(self.all.len());
        if place == self.all.len() {
            self.all.push(Stream {
                ends,
                is_first,
                first_ns: now_ns,
                last_ns: now_ns,
                sent: 0,
                received: 0,
                bytes_received: 0,
                recorded_bytes: 0,
                unchanged_ns: None,
            });
        }
        Some(&mut self.all[place])
    }
}

/// A row with only the received bytes.
fn received(bytes: u64) -> FlowSample {
    FlowSample { receiver: TcpInfo::of_bytes_received(bytes), ..FlowSample::EMPTY }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];

    /// Two nodes of one device each, and a port of a bridge of the second.
    fn flows() -> DatagramFlows {
        DatagramFlows {
            nodes: BTreeMap::from([(ENDS[0], 0), (ENDS[1], 1)]),
            devices: vec![Some(0), Some(1), None],
            planned: vec![SocketAddrV4::new(ENDS[1], 9)],
            by_ends: BTreeMap::new(),
            all: Vec::new(),
            unseen: 0,
        }
    }

    /// A datagram of 100 bytes from the first node to the second.
    fn head(to_port: u8) -> Vec<u8> {
        let mut bytes = vec![0; 12];
        bytes.extend([0x08, 0x00, 0x45, 0, 0, 128, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend([0x9c, 0x40, 0, to_port, 0, 108, 0, 0]);
        bytes
    }

    fn see(flows: &mut DatagramFlows, device: u32, point: Points, to_port: u8) {
        let packet =
            SeenPacket { device, point, head: &head(to_port), bytes: 142, segments: 1, segment_bytes: 0 };
        flows.see(7, &packet);
    }

    #[test]
    fn a_datagram_is_counted_once_at_each_end() {
        let mut flows = flows();
        for (device, point) in [
            (0, Points::QUEUE),
            (0, Points::XMIT),
            (2, Points::RECEIVE),
            (1, Points::RECEIVE),
            // Either it leaves a device of its receiver, or it arrives at its sender.
            (1, Points::QUEUE),
            (0, Points::RECEIVE),
        ] {
            see(&mut flows, device, point, 77);
        }
        let found: Vec<_> = flows.all.iter().map(|s| (s.sent, s.received, s.bytes_received)).collect();
        assert_eq!(found, [(1, 1, 100)]);
    }

    #[test]
    fn of_too_many_streams_the_rest_is_counted_together() {
        let mut flows = flows();
        let end = |port: usize| SocketAddrV4::new(ENDS[port >> 16], port as u16);
        for port in 0..STREAMS_MOST {
            assert!(flows.stream([end(port), end(port + (1 << 16))], 7).is_some());
        }
        see(&mut flows, 0, Points::QUEUE, 77);
        see(&mut flows, 1, Points::RECEIVE, 77);
        assert_eq!((flows.all.len(), flows.unseen), (STREAMS_MOST, 1));
        assert!(flows.stream([end(1), end(1 + (1 << 16))], 8).is_some(), "those that are known go on");
    }

    #[test]
    fn streams_of_the_plan_are_not_counted() {
        let mut flows = flows();
        see(&mut flows, 0, Points::QUEUE, 9);
        assert!(flows.all.is_empty());
    }
}
