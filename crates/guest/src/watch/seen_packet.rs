//! A packet as the kernel shows it.

use airtcp_plan::Points;

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
