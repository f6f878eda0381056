//! Packets that are kept as a capture file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most interfaces that captures, queues and one-way delays may name in one run (`AIRTCP_DEVICES_MAX` of the kernel patches).
pub const DEVICES_MAX: usize = 1024;
/// Least bytes of a packet that may be kept: Ethernet, IPv4 and TCP headers with all options.
pub const SNAP_BYTES_MIN: u32 = 134;
/// Most bytes of a packet that may be kept; no packet is longer.
pub const SNAP_BYTES_MAX: u32 = 4096;

/// A capture: `pcap/NAME.pcapng` of the run folder, with times of virtual nanoseconds from the epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// Unique name, also that of the file.
    pub name: String,
    /// Where packets are captured.
    pub point: CapturePoint,
    /// First bytes kept of each packet or MPDU, from [`SNAP_BYTES_MIN`] to [`SNAP_BYTES_MAX`].
    pub snap_bytes: u32,
    /// Numbers of the flows whose packets are kept, with both directions; empty: everything is kept.
    pub flows: Vec<u32>,
    /// Packets are kept from this time on.
    pub start_ns: u64,
    /// Packets are kept before this time.
    pub stop_ns: u64,
}

/// Where a capture takes packets from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum CapturePoint {
    /// At interfaces of a node: packets as they leave its queues and as they arrive, as Ethernet frames.
    Interfaces {
        /// The node.
        node: String,
        /// Names of its interfaces or bridges, at least one.
        names: Vec<String>,
    },
    /// On the air: every MPDU of every PPDU with a radiotap header, as a receiver without noise would see it.
    Air {},
}
