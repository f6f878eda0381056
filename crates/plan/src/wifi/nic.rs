//! Radio interfaces.

use airtcp_units::{Dbm, Metre};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AccessParameters, Aggregation, CardPlan, Cell, NicRole, PhyOptions, QueuePlan, RadioChannel,
    RateControlPlan, Standard,
};
use crate::MacAddress;

/// One radio interface.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a driver")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AirNic {
    /// The node it belongs to.
    pub node: String,
    /// Hardware address; equal to that of the node's interface.
    pub mac: MacAddress,
    /// Role of the NIC in its cell.
    pub role: NicRole,
    /// Number of its cell.
    pub cell: u32,
    /// Its newest PHY; `null`: that of its cell.
    pub standard: Option<Standard>,
    /// Width in MHz of the part of the cell's channel, with the primary one, that it uses; `null`: all of it.
    pub width_mhz: Option<u32>,
    /// Channel access of its own, as many entries as its cell has; `null`: its cell's.
    pub access: Option<Vec<AccessParameters>>,
    /// Spatial streams at most.
    pub streams: u32,
    /// Antennas, at least as many as `streams`, of which the first ones send. More of them gain under tapped delay lines, and
    /// have no effect otherwise.
    pub antennas: u32,
    /// Shortest guard interval it uses (400: short, 800: long; HE and EHT: 800, 1600, 3200).
    pub guard_ns: u32,
    /// Nominal packet padding that it asks for as a receiver: 0, 8 or 16; EHT also 20; 0 in formats without packet extension.
    pub nominal_packet_padding_us: u32,
    /// Options of its PPDUs.
    pub phy_options: PhyOptions,
    /// How the rate of unicast data frames is chosen.
    pub rate_control: RateControlPlan,
    /// The queues between the kernel's queueing discipline and the air.
    pub queue: QueuePlan,
    /// A-MPDU and A-MSDU; `null`: none.
    pub aggregation: Option<Aggregation>,
    /// When the frames of an aggregate reach this receiver's host.
    pub delivery: Delivery,
    /// What is between the air and the host's network stack.
    pub card: CardPlan,
    /// Next hops of a mesh station to stations that are not its neighbours.
    pub mesh_routes: Vec<MeshRoute>,
    /// Transmit power.
    pub tx_power_dbm: Dbm,
    /// Position of the antenna at the start, in metres.
    pub position_m: [Metre; 3],
    /// Waypoints of the antenna, between which it moves in straight lines, in the order of time. Before the first it is at
    /// `position_m`, after the last it stays there.
    pub waypoints: Vec<Waypoint>,
    /// True: a full queue stops the qdisc above (a real driver). False: a full
    /// queue drops (a bare drop-tail interface queue, as simulators have).
    pub backpressure: bool,
    /// Byte queue limits between qdisc and NIC.
    pub bql: bool,
    /// Generic receive offload.
    pub gro: bool,
    /// Frames are received into fresh buffers, as hardware does, and charged to
    /// the receiver as such (true), or handed over with the sender's memory (false).
    pub rx_copy: bool,
    /// TCP small queues: log2 of the share of a second of its pacing rate that
    /// a socket may have below it (`tx_sk_pacing_shift` of mac80211; TCP's own is 10).
    pub pacing_shift: u8,
}

impl AirNic {
    /// Whether the NIC ever stops the queueing discipline above it. FQ-CoDel does not: it drops from its longest flow.
    #[must_use]
    pub fn may_stop(&self) -> bool {
        self.bql || self.backpressure && !matches!(self.queue, QueuePlan::FqCodel(_))
    }

    /// Newest PHY of the NIC in its cell.
    #[must_use]
    pub fn standard_in(&self, cell: &Cell) -> Standard {
        self.standard.unwrap_or(cell.standard)
    }

    /// The part of the cell's channel that the NIC uses.
    #[must_use]
    pub fn channel_in(&self, cell: &Cell) -> RadioChannel {
        self.width_mhz.map_or(cell.channel, |width_mhz| cell.channel.part(width_mhz))
    }

    /// Channel access of the NIC in its cell, by access category.
    pub fn access_in<'a>(&'a self, cell: &'a Cell) -> &'a [AccessParameters] {
        self.access.as_deref().unwrap_or_else(|| cell.access_of(self.role))
    }
}

/// When the frames of an aggregate reach the receiver's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// All MPDUs at the end of the PPDU, as drivers with interrupt moderation do.
    PpduEnd,
    /// Each at the end of its own MPDU.
    MpduEnd,
}

/// A next hop: frames for `to` go over `via`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshRoute {
    /// Number of the NIC at the end.
    pub to: u32,
    /// Number of the neighbour that is next.
    pub via: u32,
}

/// A position at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waypoint {
    /// Time at which the antenna is there, from the epoch.
    pub time_ns: u64,
    /// Position, in metres.
    pub position_m: [Metre; 3],
}
