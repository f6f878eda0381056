//! Flows of programs in the table of all flows, and their ends by the nodes of the plan.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

use airtcp_plan::Plan;
use airtcp_plan::report::SocketPlace;

use super::flows::{FlowSample, write_flow};
use super::mptcp_sample::{MptcpSample, write_mptcp};
use crate::series::{Series, SeriesOnDemand};

/// Nanoseconds from the epoch.
pub(super) type EpochNs = i64;

/// Where rows of these flows go: to the table of all flows, with numbers after those of the plan.
pub(super) struct FlowRows<'a> {
    /// None if flows are not sampled.
    pub(super) series: Option<&'a mut Series>,
    /// Rows of MPTCP connections, which are sampled as flows are.
    pub(super) mptcp: &'a mut SeriesOnDemand,
    /// Flows of the plan.
    pub(super) planned: u32,
}

impl FlowRows<'_> {
    pub(super) fn add(&mut self, at_ns: EpochNs, number: u32, sample: &FlowSample) -> io::Result<()> {
        let flow = self.planned + number;
        self.series.as_mut().map_or(Ok(()), |series| series.add(|row| write_flow(row, at_ns, flow, sample)))
    }

    /// Adds a row of a direction of an MPTCP connection.
    pub(super) fn add_mptcp(
        &mut self,
        at_ns: EpochNs,
        number: u32,
        sender: &MptcpSample,
        received: u64,
    ) -> io::Result<()> {
        if self.series.is_none() {
            return Ok(());
        }
        self.mptcp.add(|row| write_mptcp(row, at_ns, number, sender, received))
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
