//! The radio side of a plan.

use airtcp_units::{BitRate, Dbm, Decibel, Metre};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MacAddress;

/// Cells, NICs and the channel between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AirPlan {
    /// Basic service sets, numbered by their place.
    pub cells: Vec<Cell>,
    /// Radio interfaces, numbered by their place.
    pub nics: Vec<AirNic>,
    /// What happens between antennas.
    pub channel: ChannelPlan,
}

/// One infrastructure basic service set: one access point and its stations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Its name (SSID).
    pub name: String,
    /// The PHY in use.
    pub standard: Standard,
    /// Centre frequency of its channel. Cells on one frequency share one medium.
    pub frequency_mhz: u32,
    /// Rates every member can receive; control responses use them
    /// (IEEE 802.11-2020, 10.6.6.5).
    pub basic_rates_bps: Vec<BitRate>,
    /// Rate of group-addressed frames.
    pub group_rate_bps: BitRate,
    /// Channel access parameters.
    pub contention: Contention,
}

/// A physical layer that airtcp models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Standard {
    /// OFDM at 5 GHz (IEEE 802.11-2020, clause 17).
    #[serde(rename = "11a")]
    Ofdm,
    /// ERP-OFDM at 2.4 GHz without 11b stations (IEEE 802.11-2020, clause 18).
    #[serde(rename = "11g")]
    ErpOfdm,
}

/// DCF parameters (IEEE 802.11-2020, 10.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contention {
    /// aCWmin; one less than a power of two.
    pub cw_min: u32,
    /// aCWmax; one less than a power of two.
    pub cw_max: u32,
    /// Attempts after which a frame is given up (dot11ShortRetryLimit).
    pub retry_limit: u32,
}

/// One radio interface.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a driver")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AirNic {
    /// The node it belongs to.
    pub node: String,
    /// Hardware address; equal to that of the node's interface.
    pub mac: MacAddress,
    /// Access point or station.
    pub role: NicRole,
    /// Number of its cell.
    pub cell: u32,
    /// Rate of its unicast data frames.
    pub rate_bps: BitRate,
    /// Transmit power.
    pub tx_power_dbm: Dbm,
    /// Where its antenna is.
    pub position_m: [Metre; 3],
    /// Most frames that its transmit queue holds, the one on the air included.
    pub queue_packets: u32,
    /// True: a full queue stops the qdisc above (a real driver). False: a full
    /// queue drops (a bare drop-tail interface queue, as simulators have).
    pub backpressure: bool,
    /// Byte queue limits between qdisc and NIC.
    pub bql: bool,
    /// Generic receive offload.
    pub gro: bool,
    /// Frames are received into fresh buffers, as hardware does (true), or
    /// handed over with the sender's memory (false).
    pub rx_copy: bool,
    /// TCP small queues: log2 of the share of a second of its pacing rate that
    /// a socket may have below it (`tx_sk_pacing_shift` of mac80211; TCP's own is 10).
    pub pacing_shift: u8,
}

/// Part of a NIC in its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NicRole {
    /// The access point.
    AccessPoint,
    /// A station associated with it.
    Station,
}

/// Propagation and reception.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelPlan {
    /// Received power.
    pub propagation: Propagation,
    /// Frame loss.
    pub reception: Reception,
    /// Weakest signal that makes the medium busy.
    pub carrier_sense_dbm: Dbm,
}

/// How strongly a NIC is received by another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Propagation {
    /// Received power is given, the same in both directions.
    Rssi {
        /// Pairs that differ from the default.
        links: Vec<RssiLink>,
        /// Every other pair.
        default_dbm: Dbm,
    },
    /// Path loss grows with the logarithm of the distance.
    LogDistance {
        /// Path loss exponent.
        exponent: f64,
        /// Loss at the reference distance.
        reference_loss_db: Decibel,
        /// Reference distance; nearer counts as at this distance.
        reference_distance_m: Metre,
    },
}

/// Received power between two NICs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RssiLink {
    /// One NIC.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Received power, in both directions.
    pub rssi_dbm: Dbm,
}

/// When a frame that met no collision is lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Reception {
    /// Never: every loss is a collision.
    Ideal,
    /// By the packet error rate table at the frame's SNR, rate and length.
    PerTable {
        /// Noise figure of every receiver over thermal noise in the channel.
        noise_figure_db: Decibel,
    },
}
