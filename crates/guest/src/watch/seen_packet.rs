//! A packet as the kernel shows it.

use airtcp_plan::{Plan, Points};

/// A packet at a device, from its Ethernet header on.
#[derive(Clone, Copy, Debug)]
pub struct SeenPacket<'a> {
    /// Number of the device, see [`Plan::devices`].
    pub device: u32,
    /// Point at which the packet is seen.
    pub point: Points,
    /// First bytes of the packet.
    pub head: &'a [u8],
    /// Length of the whole packet.
    pub bytes: u32,
    /// Segments that it has by offloads; 1: it is a frame.
    pub segments: u32,
    /// Payload of each of them but the last; 0 of a frame.
    pub segment_bytes: u32,
}

/// Node of each device, except for ports of a bridge, whose packets the bridge shows as well.
pub(super) fn nodes_of_devices(plan: &Plan) -> Vec<Option<u32>> {
    let is_port = |node: u32, place: u32| {
        let interface = plan.nodes[node as usize].interfaces.get(place as usize);
        interface.is_some_and(|interface| interface.bridge.is_some())
    };
    plan.devices().map(|device| (!is_port(device.node, device.place)).then_some(device.node)).collect()
}
