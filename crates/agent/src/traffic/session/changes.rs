//! Changes of the network while it runs.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

use crate::failure::Outcome;
use crate::guest_paths::NAMESPACES;
use crate::netlink::link::{bring_up, take_down};
use crate::netlink::link_report::links;
use crate::netlink::qdisc::{Discipline, ROOT, qdiscs, set_qdisc};
use crate::netlink::wire::{WireEnd, set_wire as request_wire};
use crate::netlink::{Batch, Netlink, Request, refused};
use crate::network::egress::QUEUE;
use crate::sys::namespace::enter_network;

/// The queue of a wire that gets a rate and had none: that of a `[[wire]]` without `queue` (`DEFAULT_TX_QUEUE_LEN` of Linux).
const DEFAULT_QUEUE: Discipline = Discipline::Pfifo { limit: 1000 };

/// Switches an interface of a node on or off.
pub(super) fn switch(node: &str, interface: &str, up: bool) -> Result<(), String> {
    let device = Device::find(node, interface)?;
    let index = device.index;
    device.change(if up { bring_up(index) } else { take_down(index) })
}

/// Changes how an end of a wire sends, in place of its trace; when it interrupts its host stays as it is. An end without a
/// queue gets one with its rate: what finds the wire busy would be lost.
pub(super) fn set_wire(
    node: &str,
    interface: &str,
    rate_bps: Option<u64>,
    delay_ns: u64,
) -> Result<(), String> {
    let mut device = Device::find(node, interface)?;
    let end = WireEnd { rate_bps: rate_bps.unwrap_or(0), delay_ns, rx_interrupt: None, trace: None };
    if rate_bps.is_some() && !device.has_queue()? {
        device.add(set_qdisc(device.index, QUEUE, ROOT, DEFAULT_QUEUE));
    }
    let request = request_wire(device.index, end);
    device.change(request)
}

/// An interface that a node has now. The calling thread stays in the node's namespace.
struct Device<'a> {
    node: &'a str,
    name: &'a str,
    index: u32,
    netlink: Netlink,
    requests: Batch,
}

impl<'a> Device<'a> {
    fn find(node: &'a str, name: &'a str) -> Result<Self, String> {
        let path = Path::new(NAMESPACES).join(node);
        let namespace = File::open(path).map_err(|_| format!("there is no node '{node}'"))?;
        told(enter_network(namespace.as_fd()))?;
        let mut netlink = Netlink::open().map_err(|error| format!("{node}: {error}"))?;
        let found = links(&mut netlink).map_err(|error| format!("{node}: {error}"))?;
        let own = found.into_iter().find(|link| link.name == name);
        let index = own.ok_or_else(|| format!("node {node} has no interface '{name}'"))?.index;
        Ok(Self { node, name, index, netlink, requests: Batch::default() })
    }

    fn has_queue(&mut self) -> Result<bool, String> {
        let all = qdiscs(&mut self.netlink).map_err(|error| format!("{}: {error}", self.node))?;
        let root = all.into_iter().find(|qdisc| qdisc.index == self.index && qdisc.parent == ROOT);
        Ok(root.is_some_and(|root| root.discipline() != Some(Discipline::Noqueue)))
    }

    fn add(&mut self, request: Request) {
        self.requests.add(format!("change {}", self.name), self.node, request);
    }

    /// Makes this request, after those that were added.
    fn change(mut self, request: Request) -> Result<(), String> {
        self.add(request);
        told(self.netlink.execute(self.requests).map_err(refused))
    }
}

fn told(outcome: Outcome<()>) -> Result<(), String> {
    outcome.map_err(|failure| format!("{} ({})", failure.what, failure.place))
}
