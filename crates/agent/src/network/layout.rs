//! Every interface of the plan with its number and what is expected of it.

use std::collections::BTreeMap;

use airtcp_plan::{Attachment, Interface, Node, Offloads, Plan};

use super::egress::{Device, root};
use super::verify::{Expected, Sign};
use crate::failure::Outcome;
use crate::netlink::link::GSO_MAX_SEGMENTS;
use crate::netlink::wire::WireEnd;
use crate::netlink::wire_trace::TraceSteps;
use crate::wireless::is_left_to_programs;

/// Numbers begin behind those of devices that a kernel makes in every namespace (`lo`, tunnels) and behind
/// those of all NICs of the air, which wait in the initial namespace (`AIRTCP_NICS_MAX` is 256).
///
/// They are unique in the whole guest: if both ends of a wire had the same number, the kernel would
/// take a second of virtual time to notice a carrier (`linkwatch_urgent_event`).
const FIRST_INDEX: u32 = 300;

/// One node: its interfaces, then its bridges, in the order of the plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeLayout {
    /// Interfaces.
    pub(crate) interfaces: Vec<Expected>,
    /// Bridges.
    pub(crate) bridges: Vec<Expected>,
}

impl NodeLayout {
    /// All devices of the node, in the order of [`Plan::devices`].
    pub(crate) fn devices(&self) -> impl Iterator<Item = &Expected> {
        self.interfaces.iter().chain(&self.bridges)
    }
}

/// One end of a wire: node and interface by their places.
pub(crate) type End = (usize, usize);

/// Numbers every interface.
///
/// # Errors
/// An egress that can't be made.
pub(crate) fn lay_out(plan: &Plan) -> Outcome<Vec<NodeLayout>> {
    let mut next = FIRST_INDEX;
    let mut number = || {
        next += 1;
        next - 1
    };
    plan.nodes.iter().enumerate().map(|(n, node)| lay_out_node(plan, n, node, &mut number)).collect()
}

/// Most segments of a packet that TCP gives to a device of the node.
fn gso_max_segments(node: &Node) -> u32 {
    match node.offloads {
        Offloads::None => 1,
        Offloads::Host => GSO_MAX_SEGMENTS,
    }
}

fn lay_out_node(plan: &Plan, n: usize, node: &Node, number: &mut impl FnMut() -> u32) -> Outcome<NodeLayout> {
    let mut layout = NodeLayout::default();
    for (i, interface) in node.interfaces.iter().enumerate() {
        let place = format!("nodes[{n}].interfaces[{i}]");
        let (device, sign) = match interface.attachment {
            Attachment::Wire { .. } => (Device::Wire, Sign::CarrierNoticed),
            Attachment::Air { nic: number } => {
                let nic = &plan.air.nics[number as usize];
                let sign = if is_left_to_programs(plan, number) { Sign::Nothing } else { Sign::Carrier };
                (Device::Air { stops: nic.may_stop() }, sign)
            }
        };
        let trace = trace_of(plan, (n, i), interface);
        layout.interfaces.push(Expected {
            root: root(&interface.egress, device, &place)?,
            wire: (device == Device::Wire).then(|| WireEnd::of(interface, trace.as_ref().map(|t| t.head))),
            trace,
            gso_max_segments: gso_max_segments(node),
            place,
            index: number(),
            name: interface.name.clone(),
            mac: interface.mac,
            mtu: Some(interface.mtu),
            sign,
        });
    }
    for (b, bridge) in node.bridges.iter().enumerate() {
        let has_ports = node.interfaces.iter().any(|i| i.bridge.as_deref() == Some(&bridge.name));
        layout.bridges.push(Expected {
            place: format!("nodes[{n}].bridges[{b}]"),
            index: number(),
            name: bridge.name.clone(),
            mac: bridge.mac,
            mtu: None,
            root: None,
            gso_max_segments: 1,
            wire: None,
            trace: None,
            sign: if has_ports { Sign::Carrier } else { Sign::Nothing },
        });
    }
    Ok(layout)
}

/// How an end of a wire changes over time. Its losses have a stream of their own: two times the number of the wire, and 1 for
/// the end that the plan names second.
fn trace_of(plan: &Plan, end: End, interface: &Interface) -> Option<TraceSteps> {
    let trace = interface.egress.trace.as_ref()?;
    let Attachment::Wire { wire } = interface.attachment else { return None };
    let is_second = wires(plan)[&wire].first() != Some(&end);
    let key = [plan.seed, 2 * u64::from(wire) + u64::from(is_second)];
    Some(TraceSteps::of(&interface.egress, trace, plan.epoch_ns, key))
}

/// The two ends of every wire, by its number.
pub(crate) fn wires(plan: &Plan) -> BTreeMap<u32, Vec<End>> {
    let mut ends: BTreeMap<u32, Vec<End>> = BTreeMap::new();
    for (n, node) in plan.nodes.iter().enumerate() {
        for (i, interface) in node.interfaces.iter().enumerate() {
            if let Attachment::Wire { wire } = interface.attachment {
                ends.entry(wire).or_default().push((n, i));
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use airtcp_plan::{Queue, QueuePlan};
    use airtcp_testing::plans::FQ_CODEL;

    use super::*;
    use crate::sample_plan::two_hosts_and_a_switch;

    #[test]
    fn numbers_are_unique_in_the_whole_guest() {
        let plan = two_hosts_and_a_switch();
        let layout = lay_out(&plan).unwrap();
        let all = layout.iter().flat_map(NodeLayout::devices);
        let numbers: Vec<u32> = all.map(|e| e.index).collect();
        assert_eq!(numbers, [300, 301, 302, 303, 304]);
    }

    #[test]
    fn a_wire_joins_two_interfaces() {
        let plan = two_hosts_and_a_switch();
        assert_eq!(wires(&plan), BTreeMap::from([(0, vec![(0, 0), (1, 0)]), (1, vec![(1, 1), (2, 0)])]));
    }

    #[test]
    fn a_nic_of_the_air_may_do_without_a_queue_only_if_nothing_stops_it() {
        let mut plan = airtcp_testing::golden_plans::plan("ping");
        for interface in plan.nodes.iter_mut().flat_map(|node| &mut node.interfaces) {
            interface.egress.queue = Queue::None;
        }
        let fifo = QueuePlan::Fifo { packets: 64 };
        for (queue, backpressure, bql, legal) in [
            (fifo, false, false, true),
            (fifo, true, false, false),
            (fifo, false, true, false),
            (QueuePlan::FqCodel(FQ_CODEL), true, false, true),
            (QueuePlan::FqCodel(FQ_CODEL), false, true, false),
        ] {
            for nic in &mut plan.air.nics {
                (nic.queue, nic.backpressure, nic.bql) = (queue, backpressure, bql);
            }
            assert_eq!(lay_out(&plan).is_ok(), legal, "{queue:?}, backpressure {backpressure}, bql {bql}");
        }
    }
}
