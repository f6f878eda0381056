//! What programs send to each other, as flows beside those of the plan.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::Path;

use airtcp_plan::Plan;
use airtcp_plan::report::{SOCKETS_REPORT, SocketFlow, SocketPlace, SocketsReport};

use super::datagram_flows::DatagramFlows;
use super::flows::write_flow;
use super::sockets::{ConnectedSocket, Connections};
use super::{FlowSample, SeenPacket};
use crate::output::write_report;
use crate::series::Series;

/// Nanoseconds from the epoch.
pub(super) type EpochNs = i64;

/// Where rows of these flows go: to the table of all flows, with numbers after those of the plan.
pub(super) struct FlowRows<'a> {
    /// None if flows are not sampled.
    pub(super) series: Option<&'a mut Series>,
    /// Flows of the plan.
    pub(super) planned: u32,
}

impl FlowRows<'_> {
    pub(super) fn add(&mut self, at_ns: EpochNs, number: u32, sample: &FlowSample) -> io::Result<()> {
        let flow = self.planned + number;
        self.series.as_mut().map_or(Ok(()), |series| series.add(|row| write_flow(row, at_ns, flow, sample)))
    }
}

/// Connections and UDP flows of programs.
#[derive(Debug)]
pub(super) struct ProgramFlows {
    least_bytes: u64,
    end_ns: EpochNs,
    /// Whether the end was sampled: later samples are not part of the run.
    ended: bool,
    connections: Connections,
    datagrams: DatagramFlows,
}

impl ProgramFlows {
    /// `None` if the plan does not record them.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let least_bytes = plan.watches_programs()?;
        Some(Self {
            least_bytes,
            end_ns: plan.duration_ns.cast_signed(),
            ended: false,
            connections: Connections::new(plan, least_bytes),
            datagrams: DatagramFlows::new(plan),
        })
    }

    /// A socket is connected; `number` is the kernel's, none if it has no room. Says whether it is to be watched.
    pub(super) fn connected(
        &mut self,
        number: Option<u32>,
        now_ns: EpochNs,
        socket: &ConnectedSocket,
    ) -> bool {
        let Some(number) = number else {
            self.connections.unseen += 1;
            return false;
        };
        !self.ended && self.connections.connected(number, now_ns, socket)
    }

    pub(super) fn sample(&mut self, number: u32, at_ns: EpochNs, sample: &FlowSample, cc: &str) {
        if !self.ended {
            self.connections.sample(number, at_ns, sample, cc);
        }
    }

    pub(super) fn closed(&mut self, number: u32, now_ns: EpochNs, rows: &mut FlowRows<'_>) -> io::Result<()> {
        if self.ended { Ok(()) } else { self.connections.closed(number, now_ns, rows) }
    }

    pub(super) fn sampled(&mut self, at_ns: EpochNs, rows: &mut FlowRows<'_>) -> io::Result<()> {
        if self.ended {
            return Ok(());
        }
        self.ended = at_ns >= self.end_ns;
        self.connections.sampled(at_ns, rows)?;
        self.datagrams.sampled(at_ns, rows)
    }

    pub(super) fn see(&mut self, time_ns: EpochNs, packet: &SeenPacket<'_>) {
        if !self.ended {
            self.datagrams.see(time_ns, packet);
        }
    }

    /// Writes the report of those that delivered enough, in the order in which they began.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn report(&self, folder: &Path, plan: &Plan) -> io::Result<()> {
        let all = self.connections.flows(plan).chain(self.datagrams.flows(plan));
        let mut flows: Vec<SocketFlow> = all.filter(|flow| flow.bytes_received >= self.least_bytes).collect();
        flows.sort_by_key(|flow| (flow.connected_ns, flow.number));
        let report = SocketsReport { flows, unseen: self.connections.unseen + self.datagrams.unseen };
        write_report(folder, SOCKETS_REPORT, &report)
    }
}

/// Every IPv4 address of the plan's nodes, with its node.
pub(super) fn addresses(plan: &Plan) -> impl Iterator<Item = (Ipv4Addr, u32)> + '_ {
    plan.nodes.iter().enumerate().flat_map(|(number, node)| {
        let of_interfaces = node.interfaces.iter().flat_map(|interface| &interface.addresses);
        let texts = of_interfaces.chain(node.bridges.iter().flat_map(|bridge| &bridge.addresses));
        let read = |text: &String| text.split('/').next().and_then(|address| address.parse().ok());
        texts.filter_map(read).map(move |address| (address, number as u32))
    })
}

/// An end by its node's name.
pub(super) fn place_of(plan: &Plan, end: SocketAddrV4) -> SocketPlace {
    let node = addresses(plan).find(|(address, _)| address == end.ip()).map(|(_, node)| node);
    let name = node.map_or(String::new(), |node| plan.nodes[node as usize].name.clone());
    SocketPlace { node: name, address: *end.ip(), port: end.port() }
}
