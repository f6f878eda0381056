//! What programs send to each other, as flows beside those of the plan.

use std::io;
use std::path::Path;

use airtcp_plan::Plan;
use airtcp_plan::report::{SOCKETS_REPORT, SocketFlow, SocketsReport};

use super::datagram_flows::DatagramFlows;
use super::flow_rows::{EpochNs, FlowRows};
use super::sampled_flow::SampledFlow;
use super::seen_packet::SeenPacket;
use super::sockets::{ConnectedSocket, Connections, SocketSample};
use crate::capture::packet_ends::Addressed;
use crate::output::write_report;

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

    pub(super) fn sample(&mut self, number: u32, at_ns: EpochNs, sample: &SocketSample<'_>) {
        if !self.ended {
            self.connections.sample(number, at_ns, sample);
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

    /// Number of the flow whose sender is this socket, among those of programs, with its node; and its receiver's socket.
    pub(super) fn flow_of_socket(&self, plan: &Plan, number: u32) -> Option<(SampledFlow, Option<u32>)> {
        self.connections.flow_of_socket(plan, number)
    }

    /// A packet's flow among those of programs, and whether it is an acknowledgment.
    pub(super) fn flow_of_packet(&self, plan: &Plan, packet: &Addressed) -> Option<(SampledFlow, bool)> {
        self.connections.flow_of_packet(plan, packet)
    }

    /// Writes the report of those that delivered enough, in the order in which they began.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn report(&self, folder: &Path, plan: &Plan) -> io::Result<()> {
        let all = self.connections.flows(plan).chain(self.datagrams.flows(plan));
        let mut flows: Vec<SocketFlow> = all.filter(|flow| flow.bytes_received >= self.least_bytes).collect();
        flows.sort_by_key(|flow| (flow.connected_ns, flow.number));
        let connections = self.connections.mptcp(plan);
        let mut mptcp: Vec<_> = connections.filter(|one| one.bytes_received >= self.least_bytes).collect();
        mptcp.sort_by_key(|one| (one.connected_ns, one.number));
        let report = SocketsReport { flows, mptcp, unseen: self.connections.unseen + self.datagrams.unseen };
        write_report(folder, SOCKETS_REPORT, &report)
    }
}
