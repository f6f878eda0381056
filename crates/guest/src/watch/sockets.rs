//! TCP connections of programs: both directions are sampled as flows are.
//!
//! The kernel reports each connected socket separately; the two ends of a connection are matched by their
//! addresses. Connections of the plan's flows, and those inside a node, are none of these.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddrV4;

use airtcp_plan::Plan;
use airtcp_plan::report::{MptcpConnection, SocketFlow};

use super::flow_rows::{EpochNs, FlowRows, addresses, place_of};
use super::flows::FlowSample;
use super::mptcp::MptcpConnections;
use super::mptcp_sample::MptcpSample;
use super::sampled_flow::SampledFlow;
use crate::capture::packet_ends::Addressed;
use crate::capture::tcp_segment::ipv4_end;

/// A socket that is connected.
#[derive(Clone, Copy, Debug)]
pub struct ConnectedSocket {
    /// Process group of the process that connected it; 0 of an accepted one.
    pub group: u32,
    /// Address and port of this end.
    pub local: SocketAddrV4,
    /// Address and port of the peer.
    pub remote: SocketAddrV4,
    /// Whether the other end connected.
    pub accepted: bool,
}

/// A socket at an instant, with values of its own end only.
#[derive(Clone, Debug)]
pub struct SocketSample<'a> {
    /// Statistics of TCP.
    pub end: FlowSample,
    /// Name of its congestion control.
    pub congestion_control: &'a str,
    /// The MPTCP connection of which it is a subflow.
    pub mptcp: Option<MptcpSample>,
}

/// One end of a connection.
#[derive(Debug)]
struct End {
    sample: FlowSample,
    congestion_control: String,
    sampled_ns: EpochNs,
    closed_ns: Option<EpochNs>,
}

/// A connection: the end that connected, then the one that accepted.
#[derive(Debug)]
struct Connection {
    addresses: [SocketAddrV4; 2],
    group: u32,
    connected_ns: EpochNs,
    ends: [Option<End>; 2],
    /// Bytes received in the last row of each direction.
    recorded_bytes: [u64; 2],
}

/// The connections of programs.
#[derive(Debug)]
pub(super) struct Connections {
    /// Ends at which flows of the plan listen.
    planned: Vec<SocketAddrV4>,
    /// Bytes that a direction must deliver to be reported.
    least_bytes: u64,
    /// By their places: those that are open, and those that are reported. A program may make any number of others.
    all: BTreeMap<usize, Connection>,
    /// Place of the next one.
    next: usize,
    /// Open connections, by connecting and accepting end.
    standing: BTreeMap<[SocketAddrV4; 2], usize>,
    /// Connection and end of the sockets that the kernel watches, by its numbers.
    sockets: BTreeMap<u32, (usize, usize)>,
    /// MPTCP connections, of which some of these are subflows.
    mptcp: MptcpConnections,
    /// Sockets that the kernel had no room to watch.
    pub(super) unseen: u64,
}

impl Connections {
    pub(super) fn new(plan: &Plan, least_bytes: u64) -> Self {
        let planned = plan.flows.iter().filter_map(|flow| ipv4_end(flow.address, flow.port));
        Self {
            planned: planned.collect(),
            least_bytes,
            all: BTreeMap::new(),
            next: 0,
            standing: BTreeMap::new(),
            sockets: BTreeMap::new(),
            mptcp: MptcpConnections::default(),
            unseen: 0,
        }
    }

    /// Adds a connected socket; returns whether it is to be watched.
    pub(super) fn connected(&mut self, number: u32, now_ns: EpochNs, socket: &ConnectedSocket) -> bool {
        let end = usize::from(socket.accepted);
        let addresses =
            if socket.accepted { [socket.remote, socket.local] } else { [socket.local, socket.remote] };
        if self.planned.contains(&addresses[1]) || addresses[0].ip() == addresses[1].ip() {
            return false;
        }
        let known = self.standing.get(&addresses).copied();
        let place = known.filter(|place| self.all[place].ends[end].is_none()).unwrap_or(self.next);
        if place == self.next {
            self.next += 1;
            self.standing.insert(addresses, place);
        }
        let connection = self.all.entry(place).or_insert_with(|| Connection {
            addresses,
            group: 0,
            connected_ns: now_ns,
            ends: [None, None],
            recorded_bytes: [0; 2],
        });
        if !socket.accepted {
            connection.group = socket.group;
        }
        connection.ends[end] = Some(End {
            sample: FlowSample::EMPTY,
            congestion_control: String::new(),
            sampled_ns: now_ns,
            closed_ns: None,
        });
        self.sockets.insert(number, (place, end));
        true
    }

    /// Records a sample of a socket.
    pub(super) fn sample(&mut self, number: u32, at_ns: EpochNs, sample: &SocketSample<'_>) {
        let Some(&(place, side)) = self.sockets.get(&number) else { return };
        if let Some(mptcp) = sample.mptcp {
            self.mptcp.sample(place, side, mptcp);
        }
        let Some(end) = self.all.get_mut(&place).and_then(|connection| connection.ends[side].as_mut()) else {
            return;
        };
        end.sample.clone_from(&sample.end);
        end.sampled_ns = at_ns;
        if end.congestion_control != sample.congestion_control {
            sample.congestion_control.clone_into(&mut end.congestion_control);
        }
    }

    /// A socket is closed, after its last sample.
    ///
    /// # Errors
    /// A record can't be written.
    pub(super) fn closed(&mut self, number: u32, now_ns: EpochNs, rows: &mut FlowRows) -> io::Result<()> {
        let Some((place, end)) = self.sockets.remove(&number) else { return Ok(()) };
        let Some(connection) = self.all.get_mut(&place) else { return Ok(()) };
        if let Some(end) = &mut connection.ends[end] {
            end.closed_ns = Some(now_ns);
        }
        if connection.stands() {
            return Ok(());
        }
        self.standing.remove(&connection.addresses);
        connection.write(place, now_ns, rows)?;
        if connection.delivered_bytes().all(|bytes| bytes < self.least_bytes) {
            self.all.remove(&place);
            self.mptcp.forget(place);
        }
        Ok(())
    }

    /// All sockets that are watched have been sampled for this instant.
    ///
    /// # Errors
    /// A record can't be written.
    pub(super) fn sampled(&mut self, at_ns: EpochNs, rows: &mut FlowRows) -> io::Result<()> {
        let mut places: Vec<usize> = self.sockets.values().map(|&(place, _)| place).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().try_for_each(|place| match self.all.get_mut(&place) {
            Some(connection) => connection.write(place, at_ns, rows),
            None => Ok(()),
        })?;
        self.mptcp.sampled(at_ns, rows)
    }

    /// Number and statistics of both directions of every connection, first that of the connecting end.
    pub(super) fn flows<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = SocketFlow> + 'a {
        let directions =
            self.all.iter().flat_map(|(&place, connection)| [0, 1].map(|from| (place, connection, from)));
        directions.filter_map(move |(place, connection, from)| {
            let sender = connection.ends[from].as_ref()?;
            let info = &sender.sample.sender;
            let finished_ns = (!connection.stands()).then(|| connection.last_ns());
            Some(SocketFlow {
                number: direction(place, from),
                protocol: "tcp".to_owned(),
                from: place_of(plan, connection.addresses[from]),
                to: place_of(plan, connection.addresses[1 - from]),
                connecting: from == 0,
                group: connection.group,
                congestion_control: sender.congestion_control.clone(),
                connected_ns: connection.connected_ns,
                finished_ns,
                bytes_received: connection.received_bytes(from)?,
                bytes_acked: info.bytes_acked(),
                retransmits: info.total_retrans().into(),
                busy_us: info.busy_us(),
                rwnd_limited_us: info.rwnd_limited_us(),
                sndbuf_limited_us: info.sndbuf_limited_us(),
                datagrams_sent: 0,
                datagrams_received: 0,
                mptcp: self.mptcp.direction_of(place, from),
            })
        })
    }

    /// Number and statistics of both directions of every MPTCP connection.
    pub(super) fn mptcp<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = MptcpConnection> + 'a {
        self.mptcp.directions().filter_map(move |direction| {
            let first = self.all.get(&direction.first_subflow)?;
            let finished_ns = self.mptcp.subflows(direction.number).map(|place| {
                self.all.get(&place).filter(|subflow| !subflow.stands()).map(Connection::last_ns)
            });
            Some(MptcpConnection {
                number: direction.number,
                from: place_of(plan, first.addresses[direction.from]),
                to: place_of(plan, first.addresses[1 - direction.from]),
                connecting: direction.from == 0,
                group: first.group,
                connected_ns: first.connected_ns,
                // None if one of them is open.
                finished_ns: finished_ns.collect::<Option<Vec<_>>>().and_then(|ends| ends.into_iter().max()),
                subflows: direction.subflows,
                bytes_received: direction.bytes_received,
                bytes_reinjected: direction.bytes_reinjected,
            })
        })
    }

    /// The direction whose sender is this socket, with its node; and its receiver's socket.
    pub(super) fn flow_of_socket(&self, plan: &Plan, number: u32) -> Option<(SampledFlow, Option<u32>)> {
        let &(place, from) = self.sockets.get(&number)?;
        let receiver =
            self.sockets.iter().find(|(_, end)| **end == (place, 1 - from)).map(|(&other, _)| other);
        Some((self.direction_of(plan, place, from)?, receiver))
    }

    fn direction_of(&self, plan: &Plan, place: usize, from: usize) -> Option<SampledFlow> {
        let address = self.all.get(&place)?.addresses[from];
        let node = addresses(plan).find(|(own, _)| own == address.ip()).map(|(_, node)| node);
        Some(SampledFlow { number: direction(place, from), node })
    }

    /// The direction of a packet, and whether it is an acknowledgment: one without data is, of the other direction.
    pub(super) fn flow_of_packet(&self, plan: &Plan, packet: &Addressed) -> Option<(SampledFlow, bool)> {
        let ends = &packet.ends;
        let source = ipv4_end(ends.source, ends.ports[0])?;
        let destination = ipv4_end(ends.destination, ends.ports[1])?;
        let mut found = [([source, destination], 0), ([destination, source], 1)].into_iter();
        let (place, from) = found.find_map(|(key, from)| Some((*self.standing.get(&key)?, from)))?;
        let sender = if packet.has_data { from } else { 1 - from };
        Some((self.direction_of(plan, place, sender)?, !packet.has_data))
    }
}

impl Connection {
    /// A row of each direction whose sender was sampled now, or that has received more since it closed.
    fn write(&mut self, place: usize, at_ns: EpochNs, rows: &mut FlowRows) -> io::Result<()> {
        for from in 0..2 {
            let Some(sender) = &self.ends[from] else { continue };
            let mut sample = sender.sample.clone();
            // The end that connects is connected first.
            if let Some(receiver) = &self.ends[1 - from] {
                sample.receiver.clone_from(&receiver.sample.sender);
            }
            let received = sample.receiver.bytes_received();
            if sender.sampled_ns == at_ns || received > self.recorded_bytes[from] {
                self.recorded_bytes[from] = received;
                rows.add(at_ns, direction(place, from), &sample)?;
            }
        }
        Ok(())
    }

    /// Bytes that the direction of this sender delivered; without its receiver, those that are acknowledged.
    fn received_bytes(&self, from: usize) -> Option<u64> {
        let (sender, receiver) = (self.ends[from].as_ref()?, self.ends[1 - from].as_ref());
        let acked = sender.sample.sender.bytes_acked();
        Some(receiver.map_or(acked, |end| end.sample.sender.bytes_received()))
    }

    /// Bytes that each direction delivered, as far as they are known.
    fn delivered_bytes(&self) -> impl Iterator<Item = u64> {
        [0, 1].into_iter().filter_map(|from| self.received_bytes(from))
    }

    /// Whether a known end is open.
    fn stands(&self) -> bool {
        self.ends.iter().flatten().any(|end| end.closed_ns.is_none())
    }

    fn last_ns(&self) -> EpochNs {
        self.ends.iter().flatten().filter_map(|end| end.closed_ns).max().unwrap_or(self.connected_ns)
    }
}

/// The number of a direction among those of all connections.
fn direction(place: usize, from: usize) -> u32 {
    (2 * place + from) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::TcpInfo;

    use crate::series::SeriesOnDemand;

    const CLIENT: &str = "10.0.0.1:40000";
    const SERVER: &str = "10.0.1.2:5201";

    fn connections(planned: &[&str]) -> Connections {
        Connections {
            planned: planned.iter().map(|end| end.parse().unwrap()).collect(),
            least_bytes: 0,
            all: BTreeMap::new(),
            next: 0,
            standing: BTreeMap::new(),
            sockets: BTreeMap::new(),
            mptcp: MptcpConnections::default(),
            unseen: 0,
        }
    }

    fn socket(local: &str, remote: &str, accepted: bool) -> ConnectedSocket {
        let (local, remote) = (local.parse().unwrap(), remote.parse().unwrap());
        ConnectedSocket { group: if accepted { 0 } else { 7 }, local, remote, accepted }
    }

    fn received(bytes: u64, congestion_control: &str) -> SocketSample<'_> {
        let end = FlowSample { sender: TcpInfo::of_bytes_received(bytes), ..FlowSample::EMPTY };
        SocketSample { end, congestion_control, mptcp: None }
    }

    /// A place for rows of which none is recorded.
    fn nowhere() -> SeriesOnDemand {
        SeriesOnDemand::new(std::path::Path::new("/nowhere"), super::super::mptcp_sample::mptcp_table())
    }

    fn rows(mptcp: &mut SeriesOnDemand) -> FlowRows<'_> {
        FlowRows { series: None, mptcp, planned: 0 }
    }

    fn recorded_bytes(connections: &Connections) -> Vec<[u64; 2]> {
        connections.all.values().map(|connection| connection.recorded_bytes).collect()
    }

    #[test]
    fn the_two_ends_of_a_connection_are_one() {
        let mut all = connections(&[]);
        assert!(all.connected(0, 5, &socket(CLIENT, SERVER, false)));
        assert!(all.connected(1, 6, &socket(SERVER, CLIENT, true)));
        assert_eq!(all.all.len(), 1);
        assert_eq!((all.all[&0].group, all.all[&0].connected_ns), (7, 5));
        // The server has received 1000 bytes: those of the direction from the client.
        all.sample(0, 100, &received(0, "reno"));
        all.sample(1, 100, &received(1000, "cubic"));
        all.sampled(100, &mut rows(&mut nowhere())).unwrap();
        assert_eq!(recorded_bytes(&all), [[1000, 0]]);
    }

    #[test]
    fn what_arrives_after_the_sender_has_closed_is_counted() {
        let mut all = connections(&[]);
        all.connected(0, 0, &socket(CLIENT, SERVER, false));
        all.connected(1, 0, &socket(SERVER, CLIENT, true));
        all.closed(0, 50, &mut rows(&mut nowhere())).unwrap();
        all.sample(1, 60, &received(500, "cubic"));
        all.closed(1, 60, &mut rows(&mut nowhere())).unwrap();
        assert_eq!(recorded_bytes(&all), [[500, 0]]);
        assert!(all.standing.is_empty() && all.sockets.is_empty());
    }

    #[test]
    fn addresses_that_are_used_again_are_another_connection() {
        let mut all = connections(&[]);
        for now_ns in [0, 100] {
            all.connected(0, now_ns, &socket(CLIENT, SERVER, false));
            all.connected(1, now_ns, &socket(SERVER, CLIENT, true));
            all.closed(1, now_ns + 10, &mut rows(&mut nowhere())).unwrap();
            all.closed(0, now_ns + 20, &mut rows(&mut nowhere())).unwrap();
        }
        let begun: Vec<_> = all.all.values().map(|connection| connection.connected_ns).collect();
        assert_eq!(begun, [0, 100]);
    }

    #[test]
    fn a_connection_that_delivered_too_little_is_forgotten_when_it_is_closed() {
        let mut all = Connections { least_bytes: 1000, ..connections(&[]) };
        for (bytes, kept) in [(999, 0), (1000, 1), (10, 1)] {
            all.connected(0, 0, &socket(CLIENT, SERVER, false));
            all.connected(1, 0, &socket(SERVER, CLIENT, true));
            all.sample(1, 100, &received(bytes, "cubic"));
            all.sampled(100, &mut rows(&mut nowhere())).unwrap();
            all.closed(0, 110, &mut rows(&mut nowhere())).unwrap();
            all.closed(1, 120, &mut rows(&mut nowhere())).unwrap();
            assert_eq!(all.all.len(), kept);
        }
        // The second one keeps its place, which is its number in the records.
        assert_eq!((all.all.keys().copied().collect::<Vec<_>>(), all.next), (vec![1], 3));
    }

    #[test]
    fn flows_of_the_plan_and_connections_inside_a_node_are_not_watched() {
        let mut all = connections(&[SERVER]);
        assert!(!all.connected(0, 0, &socket(CLIENT, SERVER, false)));
        assert!(!all.connected(0, 0, &socket(SERVER, CLIENT, true)));
        assert!(!all.connected(0, 0, &socket("127.0.0.1:1", "127.0.0.1:2", false)));
        assert!(all.connected(0, 0, &socket(SERVER, CLIENT, false)), "it connects from that port");
    }
}
