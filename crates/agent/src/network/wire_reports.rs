//! What wires with a trace lost.

use airtcp_plan::report::WireReport;

use super::{Network, NodeNetwork, dump_failed};
use crate::failure::Outcome;
use crate::netlink::link_report::links;

impl Network {
    /// What the ends of wires with a trace have sent and lost so far.
    ///
    /// # Errors
    /// The kernel does not report it.
    pub(crate) fn wire_reports(&mut self) -> Outcome<Vec<WireReport>> {
        let mut reports = Vec::new();
        for node in &mut self.nodes {
            reports.extend(node.wire_reports()?);
        }
        Ok(reports)
    }
}

impl NodeNetwork {
    fn wire_reports(&mut self) -> Outcome<Vec<WireReport>> {
        let traced: Vec<_> = self.layout.interfaces.iter().filter(|own| own.trace.is_some()).collect();
        if traced.is_empty() {
            return Ok(Vec::new());
        }
        let present = links(&mut self.netlink).map_err(dump_failed)?;
        let of = |index| present.iter().find(|link| link.index == index);
        let reports = traced.iter().filter_map(|own| {
            let counts = of(own.index)?.sent;
            Some(WireReport {
                node: self.name.clone(),
                interface: own.name.clone(),
                frames: counts.packets,
                bytes: counts.bytes,
                lost: counts.dropped,
            })
        });
        Ok(reports.collect())
    }
}
