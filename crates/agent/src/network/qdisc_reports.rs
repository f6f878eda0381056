//! What the queueing disciplines counted.

use airtcp_plan::report::QdiscReport;

use super::{LOOPBACK, Network, NodeNetwork, dump_failed};
use crate::failure::Outcome;
use crate::netlink::qdisc::{self, Installed};

impl Network {
    /// The current statistics of every discipline of every node.
    ///
    /// # Errors
    /// The kernel does not report them.
    pub(crate) fn qdisc_reports(&mut self) -> Outcome<Vec<QdiscReport>> {
        let mut reports = Vec::new();
        for node in &mut self.nodes {
            let installed = qdisc::qdiscs(&mut node.netlink).map_err(dump_failed)?;
            reports.extend(installed.iter().map(|q| node.report(q)));
        }
        Ok(reports)
    }
}

impl NodeNetwork {
    fn report(&self, installed: &Installed) -> QdiscReport {
        let own = self.layout.devices().find(|e| e.index == installed.index).map(|e| e.name.clone());
        let lo = || if installed.index == LOOPBACK { "lo".to_owned() } else { installed.index.to_string() };
        QdiscReport {
            node: self.name.clone(),
            interface: own.unwrap_or_else(lo),
            kind: installed.kind.clone(),
            handle: installed.handle_text(),
            bytes: installed.bytes,
            packets: installed.packets,
            drops: u64::from(installed.drops),
            overlimits: u64::from(installed.overlimits),
            backlog_packets: u64::from(installed.backlog_packets),
            backlog_bytes: u64::from(installed.backlog_bytes),
        }
    }
}
