//! Changes of the network while it runs.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

use crate::failure::Outcome;
use crate::guest_paths::NAMESPACES;
use crate::netlink::link::{bring_up, links, take_down};
use crate::netlink::wire::{WireEnd, set_wire as request_wire};
use crate::netlink::{Batch, Netlink, Request, refused};
use crate::sys::namespace::enter_network;

/// Switches an interface of a node on or off.
pub(super) fn switch(node: &str, interface: &str, up: bool) -> Result<(), String> {
    change(node, interface, |index| if up { bring_up(index) } else { take_down(index) })
}

/// Changes how an end of a wire sends, in place of its trace; when it interrupts its host stays as it is.
pub(super) fn set_wire(
    node: &str,
    interface: &str,
    rate_bps: Option<u64>,
    delay_ns: u64,
) -> Result<(), String> {
    change(node, interface, |index| {
        request_wire(
            index,
            WireEnd { rate_bps: rate_bps.unwrap_or(0), delay_ns, rx_interrupt: None, trace: None },
        )
    })
}

/// Makes a request about an interface that the node has now. The calling thread stays in the node's namespace.
fn change(node: &str, interface: &str, request: impl FnOnce(u32) -> Request) -> Result<(), String> {
    let path = Path::new(NAMESPACES).join(node);
    let namespace = File::open(path).map_err(|_| format!("there is no node '{node}'"))?;
    told(enter_network(namespace.as_fd()))?;
    let mut netlink = Netlink::open().map_err(|error| format!("{node}: {error}"))?;
    let found = links(&mut netlink)
        .map_err(|error| format!("{node}: {error}"))?
        .into_iter()
        .find(|link| link.name == interface);
    let index = found.ok_or_else(|| format!("node {node} has no interface '{interface}'"))?.index;
    let mut batch = Batch::default();
    batch.add(format!("change {interface}"), node, request(index));
    told(netlink.execute(batch).map_err(refused))
}

fn told(outcome: Outcome<()>) -> Result<(), String> {
    outcome.map_err(|failure| format!("{} ({})", failure.what, failure.place))
}
