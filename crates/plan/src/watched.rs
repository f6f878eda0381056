//! What is watched inside the guest: devices by their numbers, and where packets are seen.

use crate::{Capture, CapturePoint, Plan};

/// Where packets are seen at a device, as bits (`AIRTCP_POINT_*` of the kernel patches).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points(pub u32);

impl Points {
    /// A packet is given to the device's queue.
    pub const QUEUE: Self = Self(1);
    /// A packet leaves the queue of the device.
    pub const XMIT: Self = Self(2);
    /// A packet has arrived at the device.
    pub const RECEIVE: Self = Self(4);

    /// The points of both operands.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// An interface or a bridge. Devices are numbered over all nodes: each node's interfaces, then its bridges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device<'a> {
    /// Place of its node in the plan.
    pub node: u32,
    /// Place in its node: interfaces first, then bridges.
    pub place: u32,
    /// Name inside its node.
    pub name: &'a str,
}

impl Plan {
    /// Every device, in the order of their numbers.
    pub fn devices(&self) -> impl Iterator<Item = Device<'_>> {
        self.nodes.iter().enumerate().flat_map(|(node, of)| {
            let named = of.device_names().enumerate();
            named.map(move |(place, name)| Device { node: node as u32, place: place as u32, name })
        })
    }

    /// Where packets of a device have to be seen, for captures and one-way delays.
    pub fn points(&self, device: Device<'_>) -> Points {
        let node = &self.nodes[device.node as usize].name;
        let captured = self.captures.iter().any(|capture| capture.sees(node, device.name));
        let ends = self.flows.iter().any(|flow| flow.from == *node || flow.to == *node);
        let of_captures = if captured { Points::XMIT.and(Points::RECEIVE) } else { Points::default() };
        let of_delays =
            if self.sampling.delays && ends { Points::QUEUE.and(Points::RECEIVE) } else { Points::default() };
        let has_programs =
            self.session.is_some() || self.programs.iter().any(|program| program.node == *node);
        let of_programs = if self.watches_programs().is_some() && has_programs {
            Points::QUEUE.and(Points::RECEIVE)
        } else {
            Points::default()
        };
        of_captures.and(of_delays).and(of_programs)
    }

    /// Fewest bytes of what is a flow among the connections and UDP flows of programs; `None` if none of them is a flow. The
    /// user of a session may start programs in every node.
    pub fn watches_programs(&self) -> Option<u64> {
        self.sampling.sockets_least_bytes.filter(|_| !self.programs.is_empty() || self.session.is_some())
    }

    /// Most first bytes of a packet that have to be seen at devices.
    pub fn seen_bytes(&self) -> u32 {
        let at_devices = |c: &&Capture| matches!(c.point, CapturePoint::Interfaces { .. });
        let captured = self.captures.iter().filter(at_devices).map(|c| c.snap_bytes).max();
        // One-way delays and UDP flows need all headers.
        let headers = self.sampling.delays || self.watches_programs().is_some();
        captured.unwrap_or(0).max(if headers { crate::SNAP_BYTES_MIN } else { 0 })
    }
}

impl Capture {
    /// Whether the capture sees the packets of this device.
    pub fn sees(&self, in_node: &str, device: &str) -> bool {
        match &self.point {
            CapturePoint::Interfaces { node, names } => node == in_node && names.iter().any(|n| n == device),
            CapturePoint::Air {} => false,
        }
    }
}
